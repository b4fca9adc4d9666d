//! The highest of all judged hours, which the value that decided leaves out.

use super::super::Preset;
use super::fixtures::Case;
use crate::domain::Signal::{CpuMax, CpuMean, EbsReadOps, GpuMax, GpuMean, NetworkIn, NetworkOut};
use crate::domain::{MALFORMED, Signal, SignalEvidence, Verdict};

fn line(v: &Verdict, signal: Signal, unit: &str) -> SignalEvidence {
    v.signals.iter().find(|s| s.signal == signal && &*s.unit == unit).unwrap().clone()
}

/// Value and highest of a line.
fn pair(v: &Verdict, signal: Signal, unit: &str) -> (Option<f64>, Option<f64>) {
    let line = line(v, signal, unit);
    (line.value, line.highest)
}

#[test]
fn what_came_before_the_last_use_counts() {
    let case = Case::quiet(96, 2, Preset::Cautious)
        .fill(GpuMax(0), 168, 20.0)
        .with(GpuMax(0), 25..=168, 100.0)
        .fill(GpuMean(1), 168, 0.0)
        .with(GpuMean(1), [160], 60.0)
        .with(CpuMean, [100], 90.0)
        .with(NetworkIn, [120], 5e9);
    let v = case.judge(Preset::Cautious);
    assert_eq!(pair(&v, GpuMax(0), "%"), (Some(20.0), Some(100.0)));
    assert_eq!(pair(&v, GpuMax(1), "%"), (Some(0.0), Some(60.0)), "a mean is a witness");
    let (value, highest) = pair(&v, CpuMean, "%");
    assert!(value.unwrap() < 1.0 && highest == Some(90.0), "{value:?} {highest:?}");
    let (value, highest) = pair(&v, CpuMean, "cores");
    assert!(value.unwrap() < 1.0 && (highest.unwrap() - 86.4).abs() < 1e-9);
    let (value, highest) = pair(&v, NetworkIn, "bytes/day");
    assert!(value.unwrap() < 2e6 && highest.unwrap() > 5e9, "{value:?} {highest:?}");
    // The window begins with the last launch: what is not judged does not count.
    let v = case.restarted(90).judge(Preset::Cautious);
    assert!(line(&v, CpuMean, "%").highest.unwrap() < 1.0);
}

#[test]
fn a_box_without_gpus() {
    let case = Case::quiet(8, 0, Preset::Cautious)
        .with(CpuMax, [100], 70.0)
        .with(EbsReadOps, [130], 36_000.0)
        .with(EbsReadOps, [1], 7200.0);
    let v = case.judge(Preset::Cautious);
    assert_eq!(line(&v, CpuMax, "%").highest, Some(70.0));
    let (value, highest) = pair(&v, EbsReadOps, "ops/s");
    assert!(highest.unwrap() > 10.0 && value <= highest, "{value:?} {highest:?}");
    let v = case.judge(Preset::AwsComputeOptimizer);
    assert_eq!(line(&v, CpuMax, "%").highest, Some(70.0));
}

#[test]
fn tests_of_the_whole_window_have_a_highest_too() {
    let case = Case::quiet(8, 0, Preset::MeanCpu).with(CpuMean, [100], 90.0);
    let v = case.judge(Preset::MeanCpu);
    let (value, highest) = pair(&v, CpuMean, "%");
    assert!(value.unwrap() < 1.0 && highest == Some(90.0));
    assert_eq!(line(&v, CpuMean, "cores").highest, Some(7.2));
    let case = Case::quiet(8, 0, Preset::AwsTrustedAdvisor)
        .fill(NetworkIn, 336, 0.0)
        .fill(NetworkOut, 336, 0.0)
        .with(NetworkIn, 200..=203, 1e9);
    let v = case.judge(Preset::AwsTrustedAdvisor);
    let (mean, highest) = pair(&v, NetworkIn, "bytes/day");
    assert!((mean.unwrap() - 4e9 / 14.0).abs() < 1.0, "{mean:?}");
    assert!((highest.unwrap() - 4e9).abs() < 1.0, "{highest:?}");
    assert_eq!(line(&v, CpuMean, "days").highest, None, "days are counted, not measured");
}

#[test]
fn what_makes_no_sense_may_have_been_anything() {
    let case = Case::quiet(96, 1, Preset::Cautious)
        .with(GpuMax(0), [100], MALFORMED)
        .with(CpuMean, [100], MALFORMED)
        .with(NetworkOut, [100], MALFORMED);
    let v = case.judge(Preset::Cautious);
    for (signal, unit) in [(GpuMax(0), "%"), (CpuMean, "%"), (NetworkIn, "bytes/day")] {
        let (value, highest) = pair(&v, signal, unit);
        assert!(value.is_some() && highest.is_none(), "{signal:?} {value:?} {highest:?}");
    }
    // Nothing came at all.
    let v = Case::quiet(96, 1, Preset::Cautious).fill(GpuMax(0), 168, f32::NAN);
    let v = v.fill(GpuMean(0), 168, f32::NAN);
    assert_eq!(pair(&v.judge(Preset::Cautious), GpuMax(0), "%"), (None, None));
}
