//! The last minutes of the demo: the hourly values, cut into the five-minute periods of basic
//! monitoring.

use jiff::{SignedDuration, Timestamp};

use super::hash::{hash, unit};
use super::profile::{Agent, Profile};
use super::telemetry;
use super::traps::Lately;
use super::workload;
use super::world::Story;
use crate::domain::{Hour, RecentSeries, Signal};

/// Seconds per datapoint with basic monitoring.
const PERIOD_S: i64 = 300;
/// Periods in an hour.
const PER_HOUR: i64 = 3_600 / PERIOD_S;
/// How long ago [`Lately::WokeUp`] woke up, whenever one looks.
const WOKE_UP: SignedDuration = SignedDuration::from_mins(20);
/// How long ago the agent of [`Lately::AgentSilent`] sent its last point.
const SILENT: SignedDuration = SignedDuration::from_mins(30);

/// Metrics of a box between two times.
pub(super) fn series(
    profile: &Profile,
    generation: i32,
    story: Option<&Story>,
    (from, to): (Timestamp, Timestamp),
    now: Timestamp,
) -> Vec<RecentSeries> {
    let basic = [Signal::CpuMean, Signal::CpuMax, Signal::NetworkIn, Signal::NetworkOut];
    let devices = match profile.agent {
        Agent::Absent => 0,
        _ => profile.spec.devices() as u16,
    };
    let lately = profile.trap.map_or(Lately::AsEver, |trap| trap.facts().lately);
    let first = from.as_second().saturating_add(PERIOD_S - 1).div_euclid(PERIOD_S);
    let last = to.min(now).as_second().div_euclid(PERIOD_S);
    let signals = basic.into_iter().chain((0..devices).map(Signal::GpuMax));
    signals
        .map(|signal| RecentSeries {
            signal,
            source: if signal.gpu().is_some() { "CWAgent" } else { "AWS/EC2" }.into(),
            period_s: PERIOD_S as u32,
            points: (first..last)
                .filter_map(|n| {
                    let start = Timestamp::from_second(n * PERIOD_S).ok()?;
                    let end = start.checked_add(SignedDuration::from_secs(PERIOD_S)).ok()?;
                    let hour = Hour::containing(start);
                    let on = telemetry::ran(profile, generation, story, start)
                        && telemetry::ran(profile, generation, story, end);
                    let sent = on && telemetry::reported(profile, generation, signal, hour);
                    let age = now.duration_since(start);
                    let dropped = lately == Lately::AgentSilent
                        && signal.gpu().is_some()
                        && now.duration_since(end) < SILENT;
                    let awake = lately == Lately::WokeUp && age <= WOKE_UP;
                    let value =
                        if awake { at_work(signal) } else { value(profile, signal, hour, n) };
                    (sent && !dropped).then_some((start, value))
                })
                .collect(),
            complete: true,
        })
        .collect()
}

/// A training run that has begun.
fn at_work(signal: Signal) -> f64 {
    match signal {
        Signal::CpuMean => 22.0,
        Signal::CpuMax => 31.0,
        Signal::GpuMean(_) => 88.0,
        Signal::GpuMax(_) => 97.0,
        _ => 4e8,
    }
}

/// The value of period number `n` since the epoch, which lies in `hour`. Over the periods of an
/// hour, means average to the mean of the hour, sums add up to its sum, and the highest period is
/// its maximum.
fn value(profile: &Profile, signal: Signal, hour: Hour, n: i64) -> f64 {
    let hourly = workload::value(profile, signal, hour);
    // Neighbours move the same way up and down, so that what one has more the other has less.
    let size = 0.05 * unit(hash(profile.hash, 0x5e7, (n / 2) as u64));
    let sway = if n % 2 == 0 { 1.0 + size } else { 1.0 - size };
    match signal {
        Signal::CpuMean | Signal::GpuMean(_) => hourly * sway,
        Signal::CpuMax | Signal::GpuMax(_) => {
            let peak = (hash(profile.hash, 0x9ea, hour.0 as u64) % PER_HOUR as u64) as i64;
            // Not a number, negative and infinite values pass as they are.
            let lower = hourly.is_finite() && hourly > 0.0 && n.rem_euclid(PER_HOUR) != peak;
            if lower { hourly * 0.98 } else { hourly }
        }
        _ => hourly / PER_HOUR as f64 * sway,
    }
}
