//! From hourly series through the verdict to the size: a verdict looks at the last hours, a size must
//! hold the busiest of the week. Now is a Sunday noon.

use super::*;
use crate::domain::{HourRange, HourlySeries, MALFORMED};
use crate::fleet::savings::GpuPeakUnknown;

/// A week of one signal: so many percent (or bytes) in the closed hours `from..=to` before now, the
/// earlier pairs overruled by the later ones. Hours that nothing names are missing.
fn week(signal: Signal, runs: &[(u32, u32, f32)]) -> (Signal, HourlySeries) {
    let range = HourRange::last_closed(now(), 168);
    let mut series = HourlySeries::empty(range);
    for (from, to, value) in runs {
        for before in *from..=*to {
            series.set(range.to.plus(-(before as i32)), *value);
        }
    }
    (signal, series)
}

/// The mean CPU of a quiet host, its network, and these.
fn host(cpu: &[(u32, u32, f32)]) -> Vec<(Signal, HourlySeries)> {
    let quiet = |signal| week(signal, &[(1, 168, 1e5)]);
    vec![week(Signal::CpuMean, cpu), quiet(Signal::NetworkIn), quiet(Signal::NetworkOut)]
}

/// Maximum and mean of a GPU; the mean is a third of it.
fn gpu(index: u16, runs: &[(u32, u32, f32)]) -> [(Signal, HourlySeries); 2] {
    let third: Vec<_> = runs.iter().map(|(from, to, v)| (*from, *to, v / 3.0)).collect();
    [week(Signal::GpuMax(index), runs), week(Signal::GpuMean(index), &third)]
}

/// A box as the idle engine judges it.
fn judged(
    instance_type: &'static str,
    preset: Preset,
    series: impl IntoIterator<Item = (Signal, HourlySeries)>,
) -> Seen {
    Seen { instance_type, series: Some((preset, series.into_iter().collect())), ..g5() }
}

/// One A10G with 64 vCPUs; whatever runs on it would have room in what has 16 of them.
fn roomy(seen: Seen) -> World {
    let memory = |spec: &mut TypeSpec| spec.memory_mib = 262_144;
    World::of([seen]).change("g5.4xlarge", memory).change("g6.4xlarge", memory)
}

const ALL: (u32, u32) = (1, 168);
const LOW: [(u32, u32, f32); 1] = [(ALL.0, ALL.1, 5.0)];

#[test]
fn a_gpu_is_as_fast_as_its_busiest_hour_of_the_week_asks() {
    let eight = |runs: &[(u32, u32, f32)]| {
        let series = (0..8).flat_map(|i| gpu(i, runs)).chain(host(&LOW));
        let seen = judged("g5.48xlarge", Preset::Cautious, series);
        World::of([Seen { activity: 0.2, ..seen }])
    };
    // A day at 20% says nothing of the six days at 100% before it: an L4 has half the bandwidth.
    let proposal = eight(&[(1, 168, 20.0), (25, 168, 100.0)]).one();
    assert_eq!(to(&proposal), "– nothing_smaller");
    assert_eq!(eight(&[(1, 168, 20.0), (168, 168, 100.0)]).to(), "– nothing_smaller", "one hour");
    assert_eq!(eight(&[(1, 168, 20.0)]).to(), "g6.48xlarge");
}

#[test]
fn a_host_has_the_vcpus_of_its_busiest_hour_of_the_week() {
    let with = |cpu: &[(u32, u32, f32)]| {
        let mut series = host(cpu);
        series.extend(gpu(0, &[(1, 168, 100.0)]));
        (1..4).for_each(|i| series.extend(gpu(i, &[(1, 168, 0.0)])));
        World::of([judged("g5.12xlarge", Preset::Cautious, series)]).one()
    };
    // 90% on Monday, 5% since.
    assert_eq!(with(&[(1, 168, 5.0), (133, 156, 90.0)]).need.vcpus, Some(48.0));
    // 48 × 2 × 5% ÷ 0.8.
    assert!((with(&LOW).need.vcpus.unwrap() - 6.0).abs() < 1e-9);
}

#[test]
fn gpus_that_worked_on_friday_are_kept_on_sunday() {
    let p4d = |friday: Option<u32>| {
        let mut series = host(&LOW);
        for i in 0..8 {
            let worked = friday.filter(|_| i > 0).map(|hour| (hour, 168, 100.0));
            let level = if i == 0 { 100.0 } else { 0.0 };
            let runs: Vec<_> = std::iter::once((1, 168, level)).chain(worked).collect();
            series.extend(gpu(i, &runs));
        }
        let seen = judged("p4d.24xlarge", Preset::Cautious, series);
        World::of([Seen { gpu_gib: Some(20.0), ..seen }]).one()
    };
    // Eight at work until Friday 18:00, one since.
    let proposal = p4d(Some(43));
    assert_eq!((proposal.need.gpus, proposal.need.memory_mib), (Some(8), None));
    assert_eq!(to(&proposal), "– nothing_smaller");
    let (of, within_hours, idle_hours) = (8, 168, Some(42));
    let worked = Note::GpusWorked { working: 8, of, within_hours, idle: 7, idle_hours };
    assert!(proposal.says.iter().any(|note| **note == worked), "{:?}", proposal.says);
    // One at work for the whole week.
    let proposal = p4d(None);
    assert_eq!((proposal.need.gpus, &*to(&proposal)), (Some(1), "g7e.8xlarge"));
    assert_eq!(*proposal.says[0], Note::GpusWork { working: 1, of, idle_hours: Some(168) });
}

#[test]
fn the_network_is_that_of_the_highest_day_of_the_week() {
    let with = |old: f32| {
        let mut series = host(&LOW);
        series[1] = week(Signal::NetworkIn, &[(1, 168, 1e5), (100, 123, old)]);
        series.extend(gpu(0, &[(1, 168, 100.0)]));
        (1..4).for_each(|i| series.extend(gpu(i, &[(1, 168, 0.0)])));
        World::of([judged("g5.12xlarge", Preset::Cautious, series)]).one()
    };
    // A day of 5 TB four days ago, next to nothing since: 11 Gbit/s, were it an hour.
    let proposal = with(5e12 / 24.0);
    let gbps = proposal.need.network_gbps.unwrap();
    assert!((gbps - 5e12 * 8.0 / 3600.0 / 1e9).abs() < 0.01, "{gbps}");
    assert_eq!((&*to(&proposal), &*to(&with(1e5))), ("g5.8xlarge", "g5.4xlarge"));
    // A datapoint that makes no sense may have been anything; what was seen beside it is needed.
    let odd = with(MALFORMED);
    assert!(noted!(odd, Note::NetworkPartly), "{:?}", odd.says);
    assert!(odd.need.network_gbps.is_some());
}

#[test]
fn a_mean_of_the_window_is_not_its_busiest_hour() {
    let with = |cpu: &[(u32, u32, f32)]| {
        let series = host(cpu).into_iter().chain(gpu(0, &[(1, 168, 100.0)]));
        roomy(judged("g5.16xlarge", Preset::MeanCpu, series))
    };
    // 64 × 2 × 5% ÷ 0.8 = 8 vCPUs.
    assert_eq!(with(&LOW).to(), "g5.4xlarge");
    // The mean of the week is still 5%, but an hour had 40%.
    assert_eq!(with(&[(1, 168, 5.0), (100, 100, 40.0)]).proposals(), vec![]);
    // An hour that makes no sense.
    assert_eq!(with(&[(1, 168, 5.0), (100, 100, MALFORMED)]).proposals(), vec![]);
}

#[test]
fn hours_are_those_that_came() {
    let busy = |cpu: u32, gpus: u32, peak| {
        let series = host(&[(1, cpu, 5.0)]).into_iter().chain(gpu(0, &[(1, gpus, peak)]));
        roomy(judged("g5.16xlarge", Preset::Cautious, series))
    };
    // All of the week at 20%: an L4 would do.
    assert_eq!(busy(168, 168, 20.0).to(), "g6.4xlarge");
    // An agent installed three hours ago, and one of 29 h: nothing is said. The verdict is busy, which
    // takes no coverage.
    for hours in [3, 29] {
        assert_eq!(busy(168, hours, 100.0).proposals(), vec![], "{hours}");
        assert_eq!(busy(hours, 168, 100.0).proposals(), vec![], "{hours}");
    }
    // 40 of 168 hours are enough to speak and not enough to know the peak.
    let proposal = busy(168, 40, 100.0).one();
    assert_eq!(to(&proposal), "g5.4xlarge");
    let why = GpuPeakUnknown::Hours { label: "GPU 0 max".into(), got: 40, of: 168 };
    let kept = Note::GpuSpeedKept(why);
    assert!(proposal.says.iter().any(|note| **note == kept), "{:?}", proposal.says);
    // Without nine tenths of CPU all vCPUs are kept: nothing smaller has 64.
    assert_eq!(busy(150, 168, 100.0).proposals(), vec![]);
    assert_eq!(busy(152, 168, 100.0).to(), "g5.4xlarge");
}

#[test]
fn what_an_old_verdict_does_not_know_is_kept() {
    let world = World::of([g5()]);
    let spec = world.book.types["g5.12xlarge"].clone();
    let mut verdict = world.seen[0].verdict(&spec);
    verdict.signals.iter_mut().for_each(|s| s.highest = None);
    let rules = SizeRules::default();
    let row = world.fleet().rows[0].clone();
    let traits = super::super::Traits::of(&spec);
    let sizing = super::super::need::SizingInput {
        row: &row,
        spec: &spec,
        traits: &traits,
        verdict: &verdict,
        gpus: &[],
        now: now(),
        rules: &rules,
    };
    let evidence = super::super::need::evidence(sizing);
    assert_eq!((evidence.need.gpus, evidence.need.vcpus), (Some(4), None));
    assert_eq!((evidence.need.memory_mib, evidence.gpu_peak), (None, 1.0));
}
