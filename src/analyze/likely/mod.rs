//! Why a box likely stands idle or does little: its hours of use, its GPUs beside its network and
//! disks, its name and tags, the reservation that it runs in. A guess with its figures, beside a verdict and
//! never in its place; where the hours tell nothing there is none.
//!
//! What is not kept is not guessed from: who started it, whether a restart met a lack of capacity.

#[cfg(test)]
mod tests;

use super::idle::{HourUse, HoursOfUse, Policy, Subject, hours_of_use};
use super::resources::{Runs, office_share, pattern_of_instance};
use super::rightsize::{Traits, family};
use crate::domain::likely::{DataSource, LikelyReason, ScarcePlace};
use crate::domain::{
    Hour, HourRange, HourlySeries, Instance, Signal, TypeSpec, Verdict, VerdictKind,
};
use crate::fleet::savings::Pattern;

/// Fewer hours in which GPUs waited, or were used, say nothing.
const LEAST_WAITING: u32 = 12;

/// Of the hours in which a GPU was used, this share must have been spent waiting.
const WAITING_SHARE: f64 = 0.6;

/// Below this mean activity a GPU waits more than it works, 0–1.
const WAITS_BELOW: f64 = 0.4;

/// A network is busy from this part of its lasting rate on.
const BUSY_NETWORK: f64 = 0.3;

/// Disks are busy from this many reads and writes a second on: half of what each gp3 volume does without
/// extra charge (3,000).
const BUSY_DISK: f64 = 1_500.0;

/// A burst of so many hours on average, or less, is that of a person at a notebook.
const SHORT_BURST: f64 = 3.0;

/// A box that was kept running through a pause of so many hours, and used again, is kept for its place.
const KEPT_HOURS: usize = 24;

/// Families that EC2 sells in Capacity Blocks, which it does with what it is short of (EC2 user guide,
/// "Capacity Blocks for ML").
const SCARCE: [&str; 12] = [
    "p4d",
    "p4de",
    "p5",
    "p5e",
    "p5en",
    "p6-b200",
    "p6-b300",
    "p6e-gb200",
    "p6e-gb300",
    "trn1",
    "trn2",
    "trn2u",
];

/// Words in a name or tag by which people call what they work on by hand.
const NOTEBOOKS: [&str; 4] = ["notebook", "jupyter", "interactive", "workbench"];

/// Words by which people call what answers requests: work that no queue can hold back.
const SERVING: [&str; 4] = ["serve", "serving", "inference", "endpoint"];

/// The likely reason of a box that was judged; `None` where its hours tell none. Of one without GPUs the habits of people alone
/// are told: hours in use that follow each other are work of any kind, which nobody need keep or queue.
pub fn likely_reason(
    subject: &Subject<'_>,
    policy: &Policy,
    verdict: &Verdict,
) -> Option<LikelyReason> {
    let spec = subject.spec?;
    let has_gpus = spec.devices() > 0;
    let idle = match verdict.kind {
        VerdictKind::Idle => true,
        VerdictKind::Partial | VerdictKind::Underused | VerdictKind::Busy => false,
        VerdictKind::Unknown | VerdictKind::TooNew | VerdictKind::Exempt => return None,
    };
    let instance = subject.instance;
    let window = HourRange::last_closed(subject.now, policy.window_hours());
    let window = window.since(Hour::at_or_after(instance.launched_at));
    // What came malformed speaks for use in a verdict, and of no habit.
    let malformed = |series: &HourlySeries| {
        (window.from.0..window.to.0).any(|hour| series.at(Hour(hour)).is_infinite())
    };
    if subject.series.iter().any(|(_, series)| malformed(series)) {
        return None;
    }
    if has_gpus
        && !idle
        && let Some(waits) = waits_for_data(subject, spec, policy, window)
    {
        return Some(waits);
    }
    let mut hours = hours_of_use(subject, policy, window)?;
    if idle && let Some(since) = verdict.idle_since {
        // Where limits hold together only, an hour that reaches one of them is no use.
        let from = usize::try_from(Hour::containing(since).0 - hours.from.0).unwrap_or(0);
        let used = hours.hours.iter_mut().skip(from).filter(|hour| **hour == HourUse::Used);
        used.for_each(|hour| *hour = HourUse::Quiet);
    }
    by_habit(instance, &hours, idle).filter(|reason| has_gpus || reason.is_of_people())
}

/// The reason that the hours of use show.
fn by_habit(instance: &Instance, hours: &HoursOfUse, idle: bool) -> Option<LikelyReason> {
    let region = &*instance.scope.region;
    let pattern = pattern_of_instance(hours, region);
    let runs = Runs::of_all(&hours.hours);
    let share = || office_share(hours.from, &hours.hours, region).unwrap_or(0.0);
    match pattern {
        Some(Pattern::OfficeHours) => {
            let hours_per_burst = runs.used as f64 / runs.bursts.max(1) as f64;
            let named = is_called(instance, &NOTEBOOKS);
            Some(if named || hours_per_burst <= SHORT_BURST {
                LikelyReason::Interactive { bursts: runs.bursts as u32, hours_per_burst, named }
            } else {
                LikelyReason::OfficeHours { share: share(), used_hours: runs.used as u32 }
            })
        }
        Some(Pattern::NightsAndWeekends) => Some(LikelyReason::NightsAndWeekends {
            share: 1.0 - share(),
            used_hours: runs.used as u32,
        }),
        _ => kept_for_place(instance, pattern, &runs, idle).or_else(|| match pattern {
            Some(Pattern::NeverUsed) => Some(LikelyReason::Forgotten {
                quiet_hours: hours.hours.len() as u32,
                at_least: true,
            }),
            Some(Pattern::Forgotten) => Some(LikelyReason::Forgotten {
                quiet_hours: runs.since_last as u32,
                at_least: false,
            }),
            Some(Pattern::Waiting) if !is_called(instance, &SERVING) => {
                Some(LikelyReason::NeedsQueue {
                    bursts: runs.bursts as u32,
                    paused_hours: runs.paused as u32,
                    of_hours: (runs.used + runs.paused) as u32,
                })
            }
            _ => None,
        }),
    }
}

/// Kept through pauses where the place is hard to get back: in a reservation while it idles or pauses, or of
/// a scarce type after a pause of a day or more from which it came back. What was forgotten did not come back.
fn kept_for_place(
    instance: &Instance,
    pattern: Option<Pattern>,
    runs: &Runs,
    idle: bool,
) -> Option<LikelyReason> {
    let pauses = idle || pattern == Some(Pattern::Waiting);
    let came_back = runs.longest_pause >= KEPT_HOURS && pattern != Some(Pattern::Forgotten);
    let place = match &instance.capacity_reservation {
        Some(id) => Some(ScarcePlace::Reservation(id.clone())),
        None if came_back && SCARCE.contains(&family(&instance.instance_type)) => {
            Some(ScarcePlace::Type(instance.instance_type.clone()))
        }
        None => None,
    }?;
    let quiet_hours = (runs.paused + runs.since_last) as u32;
    pauses.then_some(LikelyReason::KeptForPlace { place, quiet_hours })
}

/// True where the name of an instance or the value of a tag holds one of these words.
fn is_called(instance: &Instance, words: &[&str]) -> bool {
    let holds = |text: &str| {
        let text = text.to_ascii_lowercase();
        words.iter().any(|word| text.contains(word))
    };
    holds(&instance.name) || instance.tags.iter().any(|(_, value)| holds(value))
}

/// GPUs that are used and little active in most hours, while the network or the disks are busy.
fn waits_for_data(
    subject: &Subject<'_>,
    spec: &TypeSpec,
    policy: &Policy,
    window: HourRange,
) -> Option<LikelyReason> {
    let series = |signal| subject.series.get(signal);
    let gpus: Vec<(Option<&HourlySeries>, Option<&HourlySeries>)> = (0..spec.devices())
        .filter_map(|gpu| u16::try_from(gpu).ok())
        .map(|gpu| (series(Signal::GpuMax(gpu)), series(Signal::GpuMean(gpu))))
        .collect();
    let baseline = Traits::of(spec).baseline_gbps.map(|gbps| gbps * 1e9 / 8.0 * 3600.0);
    let network = [Signal::NetworkIn, Signal::NetworkOut].map(series);
    let disk = [Signal::EbsReadOps, Signal::EbsWriteOps].map(series);
    let sum = |of: &[Option<&HourlySeries>], hour| -> f64 {
        let values = of.iter().flatten().map(|s| f64::from(s.at(hour)));
        values.filter(|v| v.is_finite()).sum()
    };
    let (mut used, mut waiting, mut by_network, mut active) = (0, 0, 0, 0.0);
    for hour in (window.from.0..window.to.0).map(Hour) {
        let at = |of: Option<&HourlySeries>| of.map_or(f32::NAN, |s| s.at(hour));
        // GPUs that did nothing do not wait.
        let working = gpus.iter().filter(|(max, mean)| {
            at(*max) >= policy.gpu_percent as f32 || at(*mean) >= policy.gpu_percent as f32
        });
        let means = working.map(|(_, mean)| f64::from(at(*mean)));
        let (count, total) = means.fold((0_u32, 0.0), |(n, sum), mean| (n + 1, sum + mean));
        // NaN where a mean is not known, infinite where it is malformed: neither tells of waiting.
        let mean = total / f64::from(count) / 100.0;
        if count == 0 || !mean.is_finite() {
            continue;
        }
        used += 1;
        let full = baseline.is_some_and(|most| sum(&network, hour) >= BUSY_NETWORK * most);
        let turning = sum(&disk, hour) >= BUSY_DISK * 3600.0;
        if mean < WAITS_BELOW && (full || turning) {
            waiting += 1;
            by_network += u32::from(full);
            active += mean;
        }
    }
    let enough = waiting >= LEAST_WAITING && f64::from(waiting) >= WAITING_SHARE * f64::from(used);
    enough.then(|| LikelyReason::WaitsForData {
        waiting_hours: waiting,
        used_hours: used,
        gpu_share: active / f64::from(waiting),
        on: if by_network * 2 >= waiting { DataSource::Network } else { DataSource::Disk },
    })
}
