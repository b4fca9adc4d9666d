//! The likely reason why something idles, from when it was used.

use jiff::Timestamp;

use super::clock::office_zone;
use super::rules::Rule;
use crate::analyze::idle::{HourUse, HoursOfUse};
use crate::analyze::schedule::{HOURS_PER_WEEK, Profile};
use crate::domain::{
    Hour, HourRange, RESOURCE_HOURS, ResourceFacts, ResourceKind, Verdict, VerdictKind,
};
use crate::fleet::savings::Pattern;

/// Fewer hours tell nothing.
const LEAST_HOURS: usize = 72;

/// Of what was used, this share must lie where the pattern says: one late evening does not make
/// office hours something else.
const SHARE: f64 = 0.95;

/// A working day, Monday to Friday: from 07:00 up to 21:00 on the clocks near the region, wide enough
/// for summer time and for those who begin early or end late.
const OFFICE: std::ops::Range<usize> = 7..21;

/// Quiet for so long at the end, and twice as long as ever before: it was forgotten.
const FORGOTTEN_HOURS: usize = 72;

/// Fewer hours of use are no habit that could have ended.
const HABIT: usize = 3;

/// Waiting shows in at least so many bursts with pauses between them.
const BURSTS: usize = 6;

/// The pattern in `hours`, one after the other from `from` on, for people near `region`. `None` where
/// they are too few, or tell nothing.
pub fn pattern_of(from: Hour, hours: &[HourUse], region: &str) -> Option<Pattern> {
    let seen = hours.iter().filter(|h| **h != HourUse::Unseen).count();
    // As everywhere, what was not seen may be a tenth.
    if seen < LEAST_HOURS || seen * 10 < hours.len() * 9 {
        return None;
    }
    let Some(last) = hours.iter().rposition(|h| *h == HourUse::Used) else {
        return Some(Pattern::NeverUsed);
    };
    let first = hours.iter().position(|h| *h == HourUse::Used).unwrap_or(last);
    let runs = Runs::of_all(hours);
    let tail = runs.since_last;
    if runs.used >= HABIT && tail >= FORGOTTEN_HOURS && tail >= 2 * runs.longest_pause {
        return Some(Pattern::Forgotten);
    }
    weekly(from, hours, region).or_else(|| {
        let quiet = runs.paused * 3 >= last + 1 - first;
        (runs.bursts >= BURSTS && quiet).then_some(Pattern::Waiting)
    })
}

/// The pattern of an instance, from its hours under a policy.
pub fn pattern_of_instance(hours: &HoursOfUse, region: &str) -> Option<Pattern> {
    pattern_of(hours.from, &hours.hours, region)
}

/// Bursts of use, and the pauses between them.
#[derive(Debug, Default, PartialEq, Eq)]
pub(in crate::analyze) struct Runs {
    /// Used hours.
    pub used: usize,
    /// Bursts of use: hours of use in a row.
    pub bursts: usize,
    /// Hours between first and last use that were not used.
    pub paused: usize,
    /// The longest of these pauses, hours.
    pub longest_pause: usize,
    /// Hours after the last use; all of them where there was none.
    pub since_last: usize,
}

impl Runs {
    /// The bursts in hours that follow each other.
    pub fn of_all(hours: &[HourUse]) -> Self {
        let mut out = Self::default();
        let mut pause = 0;
        for hour in hours {
            if *hour != HourUse::Used {
                pause += 1;
                continue;
            }
            let first = out.used == 0;
            out.bursts += usize::from(first || pause > 0);
            if !first {
                out.paused += pause;
                out.longest_pause = out.longest_pause.max(pause);
            }
            out.used += 1;
            pause = 0;
        }
        out.since_last = pause;
        out
    }
}

/// Office hours alone, or their opposite. Use on three days of the week at least, and a whole week
/// seen: a single busy Tuesday is no habit.
fn weekly(from: Hour, hours: &[HourUse], region: &str) -> Option<Pattern> {
    let profile = Profile::of(from, hours, &office_zone(region));
    let days = (0..7).filter(|day| (0..24).any(|hour| profile.used[day * 24 + hour] > 0)).count();
    let seen = profile.seen.iter().filter(|n| **n > 0).count();
    if seen * 10 < HOURS_PER_WEEK * 9 {
        return None;
    }
    let office = office_part(&profile)?;
    if office >= SHARE && days >= 3 {
        Some(Pattern::OfficeHours)
    } else if 1.0 - office >= SHARE && days >= 2 {
        Some(Pattern::NightsAndWeekends)
    } else {
        None
    }
}

/// Part of the use that lies in office hours, 0–1; `None` without any use.
fn office_part(profile: &Profile) -> Option<f64> {
    let is_office = |slot: usize| slot / 24 < 5 && OFFICE.contains(&(slot % 24));
    let used = |wanted: &dyn Fn(usize) -> bool| -> f64 {
        (0..HOURS_PER_WEEK).filter(|s| wanted(*s)).map(|s| f64::from(profile.used[s])).sum()
    };
    let all = used(&|_| true);
    (all > 0.0).then(|| used(&is_office) / all)
}

/// Part of the used hours that are office hours near `region`, 0–1; `None` without any.
pub(in crate::analyze) fn office_share(from: Hour, hours: &[HourUse], region: &str) -> Option<f64> {
    office_part(&Profile::of(from, hours, &office_zone(region)))
}

/// Hour by hour, was a resource used? Every signal that its rule names must have been seen for an
/// hour to be quiet. `None` where its signals were never asked for.
pub fn hours_of_resource(facts: &ResourceFacts, now: Timestamp) -> Option<HoursOfUse> {
    let resource = &facts.resource;
    // Whether a GPU must report shows in whether it was asked for.
    let rule = Rule::of(resource, false);
    if facts.hours.is_empty() {
        return None;
    }
    let window = HourRange::last_closed(now, RESOURCE_HOURS);
    let range = resource.created_at.map_or(window, |t| window.since(Hour::at_or_after(t)));
    let hours = (range.from.0..range.to.0).map(Hour).map(|hour| {
        let mut unseen = false;
        for limit in &rule.limits {
            let value = facts.hours.get(&limit.signal).map_or(f32::NAN, |s| s.at(hour));
            if value >= limit.level {
                return HourUse::Used;
            }
            unseen |= limit.required && value.is_nan();
        }
        if unseen { HourUse::Unseen } else { HourUse::Quiet }
    });
    Some(HoursOfUse { from: range.from, hours: hours.collect(), not_looked_at: Vec::new() })
}

/// The pattern of a judged resource. Of one that idles the window shows no use at all: it was never
/// used, as far back as one sees, or forgotten where something tells of a use before.
pub(super) fn of_resource(
    facts: &ResourceFacts,
    verdict: &Verdict,
    now: Timestamp,
) -> Option<Pattern> {
    let resource = &facts.resource;
    match (resource.kind, verdict.kind) {
        // Somebody did use it: SageMaker says when. Activity at its creation is the creation.
        (ResourceKind::StudioApp, VerdictKind::Idle) => {
            let (used, made) = (resource.used_at?, resource.created_at?);
            let late = used.duration_since(made).as_hours() >= 1;
            Some(if late { Pattern::Forgotten } else { Pattern::NeverUsed })
        }
        (ResourceKind::ElasticIp | ResourceKind::StoppedInstance, _) => None,
        (_, VerdictKind::Exempt | VerdictKind::TooNew | VerdictKind::Unknown) => None,
        _ => {
            let hours = hours_of_resource(facts, now)?;
            pattern_of(hours.from, &hours.hours, &resource.scope.region)
        }
    }
}
