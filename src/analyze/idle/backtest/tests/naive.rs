//! Every moment judged anew by `judge`, from series that end there; every hour after it looked at by itself.

use super::super::super::tests::fixtures::{Case, closed, now};
use super::super::super::{Policy, Subject, judge};
use super::super::{HELD_HOURS, Outcome, Spell};
use crate::domain::{HourlySeries, InstanceState, Signal, VerdictKind};
use jiff::SignedDuration;

/// The verdict so many days ago, of the hours until then alone.
fn kind(case: &Case, policy: &Policy, days: u32) -> VerdictKind {
    let end = closed(days as i32 * 24);
    let cut = |(signal, series): (Signal, &HourlySeries)| {
        let mut series = series.clone();
        series.values.truncate(usize::try_from(end.0 - series.start.0).unwrap_or(0));
        (signal, series)
    };
    let series = case.series.iter().map(cut).collect();
    let subject = Subject {
        instance: &case.instance,
        spec: case.spec.as_ref(),
        series: &series,
        now: now() - SignedDuration::from_hours(i64::from(days) * 24),
        before: None,
    };
    judge(&subject, policy).kind
}

/// Hours ago of the last datapoint of the CPU, for an instance that does not run: 0 while it does.
fn ended(case: &Case) -> i32 {
    if case.instance.state == InstanceState::Running {
        return 0;
    }
    let cpu = case.series.get(Signal::CpuMean).unwrap();
    let hours = cpu.values.len() as i32;
    (1..=hours).find(|ago| !cpu.at(closed(*ago)).is_nan()).unwrap_or(hours + 1) - 1
}

fn gpus(case: &Case) -> u16 {
    case.spec.as_ref().map_or(0, crate::domain::TypeSpec::devices) as u16
}

/// True for an hour that is use by the limits of the preset cautious, its network aside.
fn used(case: &Case, ago: i32) -> bool {
    let at = |signal| case.series.get(signal).map_or(f32::NAN, |s| s.at(closed(ago)));
    let all: Vec<f32> = case.series.iter().map(|(signal, _)| at(signal)).collect();
    let vcpus = f64::from(case.spec.as_ref().unwrap().vcpus);
    let cores = f64::from(at(Signal::CpuMean)) / 100.0 * vcpus;
    let known = |v: f32| if v.is_nan() { 0.0 } else { f64::from(v) };
    let ops = known(at(Signal::EbsReadOps)) + known(at(Signal::EbsWriteOps));
    let gpu =
        case.series.iter().any(|(signal, s)| signal.gpu().is_some() && s.at(closed(ago)) >= 5.0);
    if gpus(case) > 0 {
        let malformed = |signal| at(signal).is_infinite();
        let host = [Signal::CpuMean, Signal::NetworkIn, Signal::NetworkOut];
        return gpu
            || host.into_iter().any(malformed)
            || (at(Signal::CpuMean) >= 15.0 && cores >= 4.0);
    }
    gpu || all.iter().any(|v| v.is_infinite())
        || at(Signal::CpuMax) >= 5.0
        || at(Signal::CpuMean) >= 5.0
        || cores >= 0.5
        || ops > 3600.0
}

/// Bytes of the hours from `from` to `to` ago, and the day that begins at `from` ago as a rate per day.
fn moved(case: &Case, from: i32, to: i32) -> (f64, f64) {
    let (mut bytes, mut day) = (0.0, 0.0);
    for signal in [Signal::NetworkIn, Signal::NetworkOut] {
        let Some(series) = case.series.get(signal) else { continue };
        let of = |to: i32| {
            (to..=from).map(|ago| f64::from(series.at(closed(ago)))).filter(|v| v.is_finite())
        };
        bytes += of(to).sum::<f64>();
        let got = of(from - 23).count().max(22);
        day += of(from - 23).sum::<f64>() * 24.0 / got as f64;
    }
    (bytes, day)
}

/// Hours from so many hours ago until the first use; `None` without one.
fn first_use(case: &Case, hours: i32) -> Option<u32> {
    let limit = if gpus(case) > 0 { 1e9 } else { 1e8 };
    let by_hour = (1..=hours).rev().find(|ago| used(case, *ago));
    // The first window of a day that reaches the limit, and the hour in it that did it.
    let window = (24..=hours).rev().find(|ago| moved(case, *ago, *ago).1 > limit);
    let by_day = window.map(|from| {
        (from - 23..=from).rev().find(|to| moved(case, from, *to).0 > limit).unwrap_or(from - 23)
    });
    let first = [by_hour, by_day].into_iter().flatten().max()?;
    (first > ended(case)).then_some((hours - first) as u32)
}

/// Hours from `from` to `to` ago in which the CPU and every GPU reported.
fn seen(case: &Case, from: i32, to: i32) -> i32 {
    let signals = || std::iter::once(Signal::CpuMean).chain((0..gpus(case)).map(Signal::GpuMax));
    let reports =
        |signal, ago| case.series.get(signal).is_some_and(|s| !s.at(closed(ago)).is_nan());
    (to + 1..=from).filter(|ago| signals().all(|signal| reports(signal, *ago))).count() as i32
}

fn spell(case: &Case, days: u32) -> Spell {
    let hours = days as i32 * 24;
    let end = ended(case).min(hours);
    let woke = first_use(case, hours);
    let is_enough = |to: i32| 10 * seen(case, hours, to) >= 9 * (hours - to);
    let outcome = match woke {
        Some(after_hours) => Outcome::Woke { after_hours },
        None if !is_enough(end) => Outcome::Unseen,
        None if case.instance.state != InstanceState::Running => Outcome::Ended,
        None => Outcome::Idle,
    };
    let held_until = (hours - HELD_HOURS as i32).max(end);
    let held = match woke {
        Some(after) if (after as i32) < hours - held_until => Some(false),
        _ => is_enough(held_until).then_some(true),
    };
    let until = woke.map_or(end, |after| hours - after as i32);
    Spell { called_at: closed(hours), outcome, held, idle_hours: seen(case, hours, until) as u32 }
}

/// True where the instance still ran so many days ago.
fn ran(case: &Case, days: u32) -> bool {
    days as i32 * 24 >= ended(case)
}

pub fn called(case: &Case, policy: &Policy, days: u32) -> Vec<(u32, Outcome)> {
    let idle = |ago: &u32| ran(case, *ago) && kind(case, policy, *ago) == VerdictKind::Idle;
    (1..=days).rev().filter(idle).map(|ago| (ago, spell(case, ago).outcome)).collect()
}

pub fn spells(case: &Case, policy: &Policy, days: u32) -> Vec<Spell> {
    use VerdictKind::{Busy, Idle, Partial, Underused};
    let mut in_spell = false;
    let mut spells = Vec::new();
    for ago in (1..=days).rev().filter(|ago| ran(case, *ago)) {
        match kind(case, policy, ago) {
            Idle if !in_spell => {
                spells.push(spell(case, ago));
                in_spell = true;
            }
            Busy | Partial | Underused => in_spell = false,
            _ => {}
        }
    }
    spells
}
