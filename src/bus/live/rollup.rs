//! Hours that burntop saw itself: what sources without a memory said, closed hour by closed hour.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use std::time::Duration;

use jiff::{SignedDuration, Timestamp};

use super::Teller;
use crate::cache::GpuHours;
use crate::domain::{GpuHour, GpuIdentity, GpuKey, Hour, Rung};
use crate::fleet::gpu::GpuRow;

/// An hour counts when at least this share of its samples was seen.
const ENOUGH: f64 = 0.9;
/// Time after its end at which an hour is closed: samples may come late.
const LAG: SignedDuration = SignedDuration::from_mins(2);

/// Samples of one GPU in one hour, summed.
struct Seen {
    teller: Teller,
    identity: Arc<GpuIdentity>,
    /// Intervals of the source in which a sample was taken, and the last of them.
    slots: u32,
    slot: i64,
    /// When the last sample was taken.
    taken_at: Timestamp,
    samples: u32,
    sum: f64,
    max: f32,
    rung: Rung,
}

/// The hours that are not closed yet.
#[derive(Default)]
pub(super) struct Rollup(BTreeMap<Hour, HashMap<GpuKey, Seen>>);

impl Rollup {
    /// Takes the newest sample of a GPU in, by the activity that was concluded from it. The same
    /// sample twice counts once; one without evidence does not count.
    pub fn see(&mut self, row: &GpuRow, intervals: &HashMap<Teller, Duration>) {
        let (Some(told), Some(activity)) = (row.told.first(), row.verdict.activity) else { return };
        let teller = (told.source, told.origin.clone());
        let Some(every) = intervals.get(&teller) else { return };
        let at = row.sample.taken_at;
        let slot = at.as_millisecond().div_euclid((every.as_millis() as i64).max(1));
        let gpus = self.0.entry(Hour::containing(at)).or_default();
        let seen = gpus.entry(row.key.clone()).or_insert_with(|| Seen {
            teller: teller.clone(),
            identity: row.sample.identity.clone(),
            slots: 0,
            slot: i64::MIN,
            taken_at: Timestamp::MIN,
            samples: 0,
            sum: 0.0,
            max: 0.0,
            rung: activity.rung,
        });
        if at <= seen.taken_at {
            return;
        }
        if seen.teller != teller {
            // Another source took over; its hour is no whole one.
            seen.teller = teller;
            (seen.slots, seen.slot) = (0, i64::MIN);
        }
        seen.slots += u32::from(slot > seen.slot);
        (seen.slot, seen.taken_at) = (slot, at);
        seen.samples += 1;
        seen.sum += f64::from(activity.effective);
        // Use is use: what power makes of it is a figure for the mean.
        seen.max = seen.max.max(activity.busiest);
        // An hour is as good as the worst evidence in it.
        seen.rung = seen.rung.max(activity.rung);
    }

    /// Ends the hours that are over at `now`: those of which enough was seen.
    pub fn close(
        &mut self,
        now: Timestamp,
        intervals: &HashMap<Teller, Duration>,
    ) -> Vec<GpuHours> {
        let until = Hour::containing(now.saturating_sub(LAG).unwrap_or(now));
        let open = self.0.split_off(&until);
        let mut closed = Vec::new();
        for (hour, gpus) in std::mem::replace(&mut self.0, open) {
            let mut by_teller: BTreeMap<Teller, Vec<GpuHour>> = BTreeMap::new();
            for seen in gpus.into_values() {
                let Some(every) = intervals.get(&seen.teller) else { continue };
                let expected = 3600.0 / every.as_secs_f64().max(0.001);
                if f64::from(seen.slots) < (expected * ENOUGH).max(1.0) {
                    continue;
                }
                by_teller.entry(seen.teller).or_default().push(GpuHour {
                    identity: seen.identity,
                    mean: (seen.sum / f64::from(seen.samples)) as f32,
                    max: seen.max,
                    samples: seen.samples,
                    rung: seen.rung,
                });
            }
            closed.extend(by_teller.into_iter().map(|((source, origin), gpus)| GpuHours {
                source,
                origin,
                hour,
                gpus,
            }));
        }
        closed
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::{
        Activity, GpuReason, GpuSample, GpuSignals, GpuState, GpuVerdict, SourceId, Workload,
    };
    use crate::fleet::gpu::{GpuNode, Told, Trail};

    fn at(text: &str) -> Timestamp {
        text.parse().unwrap()
    }

    /// GPU `a` as `origin` saw it at a moment; without evidence where `effective` is `None`.
    fn row(origin: &str, taken_at: Timestamp, effective: Option<f32>, rung: Rung) -> GpuRow {
        let identity = Arc::new(GpuIdentity { uuid: Some("a".into()), ..GpuIdentity::default() });
        let activity = effective.map(|effective| Activity {
            effective,
            busiest: effective,
            rung,
            tensor_bound: None,
        });
        GpuRow {
            key: identity.key().unwrap(),
            id: "a".into(),
            node: Arc::new(GpuNode { name: "n1".into(), instance: None }),
            model: "H100".into(),
            sample: GpuSample::new(identity, taken_at, GpuSignals::default()),
            verdict: Arc::new(GpuVerdict {
                state: GpuState::Busy,
                activity,
                rung,
                idle_since: None,
                idle_since_at_least: false,
                samples: 1,
                witnesses: vec![],
                reason: GpuReason::Nothing,
                advice: None,
                workload: Workload::Unknown,
            }),
            team: None,
            equivalents: 1.0,
            usd_per_hour: None,
            waste_usd_per_hour: None,
            wasted_usd: None,
            told: vec![Told { source: SourceId::Exporter, origin: origin.into(), taken_at }],
            disagreement: "".into(),
            trail: Trail::default(),
        }
    }

    fn intervals() -> HashMap<Teller, Duration> {
        let each = |name: &str| ((SourceId::Exporter, Arc::from(name)), Duration::from_secs(15));
        [each("rack"), each("other")].into()
    }

    /// The hour from 03:00, a sample each 15 s, of which those that `seen` lets pass were taken.
    fn hour(seen: impl Fn(usize) -> Option<GpuRow>) -> Vec<GpuHours> {
        let mut rollup = Rollup::default();
        for i in 0..240 {
            let Some(row) = seen(i) else { continue };
            rollup.see(&row, &intervals());
            // The picture is made again from the same sample.
            rollup.see(&row, &intervals());
        }
        assert!(rollup.close(at("2026-11-21T04:01:59Z"), &intervals()).is_empty());
        let closed = rollup.close(at("2026-11-21T04:02:00Z"), &intervals());
        assert!(rollup.close(at("2026-11-21T09:00:00Z"), &intervals()).is_empty(), "once");
        closed
    }

    fn moment(i: usize) -> Timestamp {
        at("2026-11-21T03:00:03Z") + SignedDuration::from_secs(15 * i as i64)
    }

    #[test]
    fn an_hour_that_was_watched_is_closed_with_its_mean_and_maximum() {
        let closed = hour(|i| {
            let (value, rung) = if i == 100 { (0.9, Rung::C) } else { (0.1, Rung::A) };
            Some(row("rack", moment(i), Some(value), rung))
        });
        let [hours] = &closed[..] else { panic!("{closed:?}") };
        assert_eq!((hours.hour, &*hours.origin), (Hour::containing(moment(0)), "rack"));
        let gpu = &hours.gpus[0];
        assert_eq!((gpu.samples, gpu.rung), (240, Rung::C), "as good as the worst evidence");
        assert!((gpu.max - 0.9).abs() < 1e-6);
        assert!((gpu.mean - (239.0 * 0.1 + 0.9) / 240.0).abs() < 1e-6, "{}", gpu.mean);
    }

    #[test]
    fn nine_of_ten_samples_are_enough_and_less_are_not() {
        let told = |i| Some(row("rack", moment(i), Some(0.0), Rung::A));
        let count = |n| hour(|i| if i < n { told(i) } else { None }).len();
        assert_eq!((count(216), count(215)), (1, 0));
        // A look each second in half of the hour is no look in the other half.
        let mut rollup = Rollup::default();
        for second in 0..1800 {
            let taken_at = at("2026-11-21T03:00:00Z") + SignedDuration::from_secs(second);
            rollup.see(&row("rack", taken_at, Some(0.0), Rung::A), &intervals());
        }
        assert!(rollup.close(at("2026-11-21T05:00:00Z"), &intervals()).is_empty());
    }

    #[test]
    fn use_that_power_plays_down_is_in_the_maximum() {
        let closed = hour(|i| {
            let mut row = row("rack", moment(i), Some(0.01), Rung::C);
            let verdict = Arc::make_mut(&mut row.verdict);
            verdict.activity.as_mut().unwrap().busiest = 0.9;
            Some(row)
        });
        assert!((closed[0].gpus[0].max - 0.9).abs() < 1e-6);
        assert!((closed[0].gpus[0].mean - 0.01).abs() < 1e-6);
    }

    #[test]
    fn samples_without_evidence_do_not_count() {
        let closed = hour(|i| {
            let value = (i % 5 != 0).then_some(0.0);
            Some(row("rack", moment(i), value, Rung::E))
        });
        assert!(closed.is_empty(), "{closed:?}");
    }

    #[test]
    fn an_hour_shared_by_two_sources_belongs_to_neither() {
        let origin = |i| if i < 120 { "rack" } else { "other" };
        assert!(hour(|i| Some(row(origin(i), moment(i), Some(0.0), Rung::A))).is_empty());
    }
}
