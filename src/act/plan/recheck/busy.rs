//! The signal of the last minutes that shows use, and the limits from which it does.

use std::collections::BTreeMap;

use jiff::{SignedDuration, Timestamp};

use super::is_sane;
use crate::domain::{Recent, RecentSeries, Signal, TypeSpec};
use crate::view::format;

/// A GPU is in use from this utilisation on, percent (cautious preset).
const GPU_PERCENT: f64 = 5.0;
/// A CPU-only box is in use from this maximum on, percent.
const CPU_MAX_PERCENT: f64 = 5.0;
/// A box with accelerators is in use when the mean CPU reaches both: percent and busy cores.
const GPU_BOX_WORK: (f64, f64) = (15.0, 4.0);
/// A CPU-only box is in use from this many busy cores on.
const CPU_BOX_WORK: (f64, f64) = (0.0, 0.5);
/// Bytes a day, in plus out, above which a box is in use: with accelerators, without.
const NETWORK_PER_DAY: (f64, f64) = (1e9, 100e6);
/// Shortest time for which traffic is held against its share of a day. An hour of traffic says
/// something about a day; in five minutes a package list is a flood.
const NETWORK_FLOOR: SignedDuration = SignedDuration::from_hours(1);

/// The first witness of use, in words.
///
/// The mean CPU is judged period by period and not over the window: a job that began five minutes
/// ago has filled no hour. A type that is not known is held against the limits of boxes with
/// accelerators, as the verdicts do: what reaches those is in use on any box.
pub(super) fn witness(recent: &Recent, spec: Option<&TypeSpec>) -> Option<String> {
    let cpu_only = spec.is_some_and(|s| s.accelerator.is_none());
    let work = if cpu_only { CPU_BOX_WORK } else { GPU_BOX_WORK };
    let vcpus = spec.map_or(0.0, |s| f64::from(s.vcpus));
    let works = |percent: f64| percent >= work.0 && percent / 100.0 * vcpus >= work.1;
    let one = |series: &RecentSeries| {
        let in_use = |value: f64| match series.signal {
            Signal::GpuMax(_) | Signal::GpuMean(_) => value >= GPU_PERCENT,
            Signal::CpuMax => cpu_only && value >= CPU_MAX_PERCENT,
            Signal::CpuMean => works(value),
            _ => false,
        };
        let seen = points(recent, series).find(|p| in_use(p.1))?;
        let (name, source) = (series.signal.words(), &series.source);
        let at = seen.0.strftime("%Y-%m-%d %H:%M UTC");
        let percent = format::percent(seen.1, 1);
        Some(format!("{name} {percent} at {at} ({source})"))
    };
    let per_day = if cpu_only { NETWORK_PER_DAY.1 } else { NETWORK_PER_DAY.0 };
    recent.series.iter().find_map(one).or_else(|| traffic(recent, per_day))
}

/// The points of a series that lie in the time looked at and make sense.
fn points(recent: &Recent, series: &RecentSeries) -> impl Iterator<Item = (Timestamp, f64)> {
    let period = SignedDuration::from_secs(i64::from(series.period_s));
    let from = recent.from;
    series.points.iter().copied().filter(move |(at, value)| {
        let ends = at.saturating_add(period).unwrap_or(*at);
        ends > from && is_sane(series, *value)
    })
}

/// Traffic above its share of a day, over the whole time and over its last hour: a long time
/// would thin out what began a moment ago.
fn traffic(recent: &Recent, per_day: f64) -> Option<String> {
    let whole = recent.to.duration_since(recent.from).max(NETWORK_FLOOR);
    [whole, NETWORK_FLOOR].into_iter().find_map(|span| {
        let since = recent.to.saturating_sub(span).unwrap_or(recent.from).max(recent.from);
        let bytes = bytes_since(recent, since);
        let limit = per_day * span.as_secs_f64() / 86_400.0;
        (bytes > limit).then(|| {
            let (bytes, limit) = (bytes / 1e6, limit / 1e6);
            let since = since.strftime("%Y-%m-%d %H:%M UTC");
            format!("network {bytes:.1} MB since {since}, more than {limit:.1} MB")
        })
    })
}

/// Bytes in and out since a moment. Of points that came twice, and of sources that measured the
/// same, the larger counts.
fn bytes_since(recent: &Recent, since: Timestamp) -> f64 {
    [Signal::NetworkIn, Signal::NetworkOut]
        .into_iter()
        .map(|signal| {
            let of_signal = recent.series.iter().filter(|s| s.signal == signal);
            let total = |series: &RecentSeries| {
                let mut by_time: BTreeMap<Timestamp, f64> = BTreeMap::new();
                for (at, value) in points(recent, series).filter(|p| p.0 >= since) {
                    by_time.entry(at).and_modify(|v| *v = v.max(value)).or_insert(value);
                }
                by_time.values().sum::<f64>()
            };
            of_signal.map(total).fold(0.0, f64::max)
        })
        .sum()
}
