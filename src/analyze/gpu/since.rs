//! Since when a GPU is idle: what was seen while running, carried back by closed hours, and by the
//! start that was seen before these.

use jiff::{SignedDuration, Timestamp};

use super::track::Spell;
use crate::domain::{Hour, HoursOfGpu, IdleStart};

/// Longest time after its end at which a closed hour is reported.
const LATEST: SignedDuration = SignedDuration::from_mins(10);

/// Start of an idle spell.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Since {
    pub at: Timestamp,
    /// True when nobody looked before, so that it may have begun earlier.
    pub at_least: bool,
}

/// The start of `spell`, which ends now; `began` is true when use was seen right before it.
///
/// Closed hours (hourly maxima of activity) carry the start back as long as they follow one another
/// below `idle_below`; the hour in which the spell was first seen is bridged until it is told. An
/// hour with use within the spell moves the start behind it: another source saw what the sweeps
/// missed. An instance that was launched later sets the earliest start.
pub(super) fn since(
    spell: Spell,
    began: bool,
    hours: Option<HoursOfGpu<'_>>,
    launched: Option<Timestamp>,
    idle_below: f32,
) -> Since {
    let moment = |ms| Timestamp::from_millisecond(ms).unwrap_or(Timestamp::UNIX_EPOCH);
    let mut out = Since { at: moment(spell.since), at_least: !began };
    if let Some(hours) = hours {
        extend(&mut out, moment(spell.last), began, hours, idle_below);
    }
    if let Some(launched) = launched.filter(|l| *l >= out.at) {
        out = Since { at: launched.min(moment(spell.last)), at_least: false };
    }
    out
}

impl Since {
    /// The start that was seen earlier, where its spell goes on: nobody saw use before this one, which
    /// lasts until `last`, and no hour without a look lies between the two.
    pub fn or_earlier(
        self,
        before: Option<&IdleStart>,
        last: Timestamp,
        launched: Option<Timestamp>,
    ) -> Self {
        let looked_from = Hour::containing(self.at).start();
        let to = Hour::containing(last).plus(1);
        let goes_on = |b: &&IdleStart| b.goes_on(self.at, looked_from, to, launched);
        match before.filter(|_| self.at_least).filter(goes_on) {
            Some(before) => Self { at: before.since, at_least: before.at_least },
            None => self,
        }
    }
}

fn extend(out: &mut Since, last: Timestamp, began: bool, hours: HoursOfGpu<'_>, idle_below: f32) {
    let first = Hour::containing(out.at);
    // Use within the spell, the newest first. The hour in which the spell began may hold the work
    // before it.
    let end = Hour::containing(last).0;
    let used = (first.0 + 1..end).rev().find(|h| is_use(hours.max(Hour(*h)), idle_below));
    if let Some(hour) = used {
        *out = Since { at: Hour(hour).end(), at_least: false };
        return;
    }
    if began {
        return;
    }
    let own = hours.max(first);
    if is_use(own, idle_below) {
        // Work within the hour of the first look, before that look.
        out.at_least = false;
        return;
    }
    if own.is_nan() && last.duration_since(first.end()) >= LATEST {
        // Over, and nobody told of it.
        return;
    }
    let mut hour = first;
    loop {
        let before = hours.max(hour.plus(-1));
        if before.is_nan() {
            break;
        }
        if is_use(before, idle_below) {
            out.at_least = false;
            break;
        }
        hour = hour.plus(-1);
    }
    if hour < first || !own.is_nan() {
        out.at = out.at.min(hour.start());
    }
}

/// True when an hour held use: [`crate::domain::MALFORMED`] values count as use, `NaN` is no word.
fn is_use(value: f32, idle_below: f32) -> bool {
    value >= idle_below
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analyze::gpu::tests::fixtures::tell;
    use crate::domain::{GpuKey, HourTable, MALFORMED};

    const BASE: i32 = 490_000;

    fn hours(values: &[f32]) -> (HourTable, GpuKey) {
        let key = GpuKey { device: "GPU-0".into(), gpu_instance: None };
        let mut table = HourTable::default();
        tell(&mut table, &key, Hour(BASE), values);
        (table, key)
    }

    /// Hours `BASE..`, and a spell from `minute` of hour `BASE + 6` on, half an hour long.
    fn from(values: &[f32], minute: i64, began: bool) -> (i64, bool) {
        let (table, key) = hours(values);
        let start = Hour(BASE + 6).start().as_millisecond();
        let spell = Spell {
            since: start + minute * 60_000,
            last: start + (minute + 30) * 60_000,
            samples: 9,
        };
        let got = since(spell, began, table.of(&key), None, 0.05);
        ((got.at.as_millisecond() - start) / 60_000, got.at_least)
    }

    #[test]
    fn hours_carry_the_start_back() {
        let n = f32::NAN;
        // Idle since hour 3; before it work.
        assert_eq!(from(&[0.9, 0.9, 0.9, 0.0, 0.01, 0.0], 20, false), (-180, false));
        // Nobody looked before hour 2.
        assert_eq!(from(&[n, n, 0.0, 0.0, 0.0, 0.0], 20, false), (-240, true));
        // The hour of the first look is closed by now and idle as well.
        assert_eq!(from(&[0.9, 0.9, 0.9, 0.9, 0.9, 0.0, 0.0], 20, false), (-60, false));
        // … or not.
        assert_eq!(from(&[0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.3], 20, false), (20, false));
        // A gap is no bridge.
        assert_eq!(from(&[0.0, 0.0, 0.0, 0.0, 0.0, n], 20, false), (20, true));
        assert_eq!(from(&[], 20, false), (20, true));
        // Malformed values are use.
        assert_eq!(from(&[0.0, 0.0, 0.0, 0.0, MALFORMED, 0.0], 20, false), (-60, false));
        // Use seen by the sweeps themselves: nothing to carry back.
        assert_eq!(from(&[0.0; 6], 20, true), (20, false));
    }

    #[test]
    fn what_another_source_saw_within_the_spell_moves_its_start() {
        let values = [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.6];
        let (table, key) = hours(&values);
        let start = Hour(BASE + 5).start().as_millisecond();
        let spell = Spell { since: start, last: start + 4 * 3_600_000, samples: 99 };
        let got = since(spell, false, table.of(&key), None, 0.05);
        assert_eq!(got, Since { at: Hour(BASE + 8).start(), at_least: false });
    }

    #[test]
    fn nothing_was_idle_before_it_was_launched() {
        let start = Hour(BASE).start().as_millisecond();
        let spell = Spell { since: start, last: start + 7_200_000, samples: 9 };
        let launched = Hour(BASE + 1).start();
        let got = since(spell, false, None, Some(launched), 0.05);
        assert_eq!(got, Since { at: launched, at_least: false });
    }

    #[test]
    fn a_start_that_was_seen_before_stays_until_a_use_or_an_hour_that_nobody_saw() {
        let at =
            |hour: i32, minute: i64| Hour(BASE + hour).start() + SignedDuration::from_mins(minute);
        let before = |until: i32| IdleStart {
            since: at(-900, 0),
            at_least: false,
            until: Hour(BASE + until),
            gpus: None,
        };
        let now = Since { at: at(6, 20), at_least: true };
        let go = |now: Since, before: &IdleStart, launched| {
            now.or_earlier(Some(before), at(6, 50), launched)
        };
        let kept = Since { at: at(-900, 0), at_least: false };
        // Seen in this hour before a restart, or in the one before it.
        assert_eq!([7, 6].map(|until| go(now, &before(until), None)), [kept; 2]);
        assert_eq!(go(now, &before(5), None), now, "an hour without a look lies between");
        // Hours that the source remembers bridge it.
        let told = Since { at: at(2, 0), at_least: true };
        assert_eq!([5, 2].map(|until| go(told, &before(until), None)), [kept; 2]);
        assert_eq!(go(told, &before(1), None), told);
        // What was seen to begin has begun; nor did anything idle before it was launched.
        let began = Since { at: at(6, 20), at_least: false };
        assert_eq!(go(began, &before(7), None), began);
        assert_eq!(go(now, &before(7), Some(at(-800, 0))), now);
        assert_eq!(go(now, &before(7), Some(at(-901, 0))), kept);
        assert_eq!(go(now, &before(8), None), now, "of a clock that was ahead");
        assert_eq!(now.or_earlier(None, at(6, 50), None), now);
        let longer = IdleStart { at_least: true, ..before(7) };
        assert_eq!(go(now, &longer, None), Since { at_least: true, ..kept }, "as it was seen then");
        let later = Since { at: at(-901, 0), at_least: true };
        assert_eq!(go(later, &before(7), None), later, "never a later one");
    }
}
