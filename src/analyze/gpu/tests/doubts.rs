//! Where idleness could be claimed on thinner evidence than it takes.

use std::sync::Arc;
use std::time::Duration;

use super::fixtures::*;
use crate::domain::{
    GpuKey, GpuSignal as S, GpuState as G, Hour, RecentWindow, SourceId, Throttle,
};
use crate::fleet::GpuFleet;

const QUIET: [(S, f64); 4] =
    [(S::Util, 0.0), (S::MemUsed, 0.0), (S::Power, 70.0), (S::PowerLimit, 700.0)];
const BUSY: [(S, f64); 4] =
    [(S::Util, 0.9), (S::MemUsed, 9_000.0), (S::Power, 600.0), (S::PowerLimit, 700.0)];

fn state(picture: &GpuFleet) -> G {
    picture.rows[0].verdict.state
}

/// What two sources make of one GPU: the exporter sees nothing, the other one, `behind` seconds
/// late and asked each `every` seconds, sees use.
fn contradicted(behind: i64, every: i64) -> Vec<G> {
    let mut fixture = WatchFixture::new();
    let other = SourceId::CloudWatchGpu;
    let interval = Duration::from_secs(every as u64);
    fixture.intervals.insert((other, other.word().into()), interval);
    let mut states = Vec::new();
    for at in (0..=1800).step_by(30) {
        let told = (at - at % every) - behind;
        let sweeps = [
            sweep(SourceId::Exporter, at, vec![gpu(0, at, &QUIET)]),
            sweep(other, at, vec![gpu(0, told, &BUSY)]),
        ];
        states.push(state(&fixture.see(at, &sweeps)));
    }
    states
}

#[test]
fn one_source_that_sees_use_is_enough() {
    for (behind, every) in [(0, 30), (10, 30), (45, 60), (60, 300), (300, 300)] {
        let states = contradicted(behind, every);
        assert!(states.iter().all(|s| !s.is_idle()), "{behind} {every} {states:?}");
    }
}

#[test]
fn use_that_another_source_saw_once_ends_with_its_news() {
    let mut fixture = WatchFixture::new();
    let other = SourceId::Nvml;
    let mut last = GpuFleet::default();
    for at in (0..=900).step_by(30) {
        let signals = if at < 300 { &BUSY } else { &QUIET };
        let sweeps = [
            sweep(SourceId::Exporter, at, vec![gpu(0, at, &QUIET)]),
            sweep(other, at, vec![gpu(0, at - 5, signals)]),
        ];
        last = fixture.see(at, &sweeps);
    }
    assert_eq!(state(&last), G::UnallocatedIdle);
    assert!(last.rows[0].verdict.idle_since >= Some(t(270)));
}

#[test]
fn an_activity_of_long_ago_is_no_activity() {
    let mut fixture = WatchFixture::new();
    fixture.watch(0, 60, |at| gpu(0, at, &BUSY));
    let picture = fixture.see(900, &[]);
    assert_eq!(state(&picture), G::Stale);
    assert_eq!(picture.rows[0].effective(), None);
    assert_eq!(picture.totals.efficiency(), None, "nobody knows what it does now");
}

#[test]
fn power_that_speaks_against_it_ends_a_quiet_spell() {
    let mut fixture = WatchFixture::new();
    let loud = [(S::Util, 0.0), (S::MemUsed, 0.0), (S::Power, 300.0), (S::PowerLimit, 700.0)];
    fixture.watch(0, 60, |at| gpu(0, at, &QUIET));
    fixture.watch(90, 600, |at| gpu(0, at, &loud));
    assert_eq!(state(&fixture.watch(630, 660, |at| gpu(0, at, &QUIET))), G::Unknown);
    let picture = fixture.watch(690, 780, |at| gpu(0, at, &QUIET));
    assert_eq!(picture.rows[0].verdict.idle_since, Some(t(630)));
    // One reading at the limit is no work.
    let flicker = |at| gpu(0, at, if at == 810 { &loud } else { &QUIET });
    let picture = fixture.watch(810, 840, flicker);
    assert_eq!(picture.rows[0].verdict.idle_since, Some(t(630)));
}

#[test]
fn the_same_reading_twice_teaches_no_floor() {
    // No figure for the idle power of an L4: the readings have to do, each once.
    let l4 = |at| {
        let signals = [(S::Util, 0.0), (S::MemUsed, 0.0), (S::Power, 13.0), (S::PowerLimit, 72.0)];
        named(gpu(0, at, &signals), |i| i.model = "NVIDIA L4".into())
    };
    let mut fixture = WatchFixture::new();
    for _ in 0..100 {
        fixture.see(10, &[sweep(SourceId::Exporter, 0, vec![l4(0)])]);
    }
    for at in (30..=300).step_by(30) {
        let picture = fixture.see(at, &[sweep(SourceId::Exporter, at, vec![l4(at)])]);
        assert_eq!(state(&picture), G::Unknown, "{at}");
    }
}

#[test]
fn a_closed_hour_without_telemetry_is_no_bridge() {
    let base = 490_000;
    let mut fixture = WatchFixture::new();
    let key = GpuKey { device: "GPU-0".into(), gpu_instance: None };
    tell(&mut fixture.hours, &key, Hour(base - 3), &[0.0, 0.0, 0.0]);
    // Since 50 minutes past the hour; nobody told of the minutes before.
    let picture = fixture.watch(3000, 3300, |at| gpu(0, at, &QUIET));
    assert_eq!(picture.rows[0].verdict.idle_since, Some(t(-3 * 3600)), "the hour still runs");
    let picture = fixture.watch(3330, 4500, |at| gpu(0, at, &QUIET));
    let verdict = &picture.rows[0].verdict;
    assert_eq!((verdict.idle_since, verdict.idle_since_at_least), (Some(t(3000)), true));
}

#[test]
fn hours_of_gpus_without_a_uuid_reach_their_gpu() {
    let mut fixture = WatchFixture::new();
    let nameless = |at| named(gpu(3, at, &QUIET), |i| i.uuid = None);
    let key = nameless(0).identity.own_key();
    assert_eq!(&*key.device, "ip-10-0-0-1/3");
    tell(&mut fixture.hours, &key, Hour(490_000 - 2), &[0.9, 0.0]);
    let picture = fixture.watch(0, 300, nameless);
    assert_eq!(&*picture.rows[0].key.device, "i-1/3");
    let verdict = &picture.rows[0].verdict;
    assert_eq!((verdict.idle_since, verdict.idle_since_at_least), (Some(t(-3600)), false));
}

#[test]
fn a_gpu_beside_its_slices_counts_once_whoever_names_its_index() {
    let mut fixture = WatchFixture::new();
    let whole = gpu(0, 0, &[(S::Power, 70.0)]);
    let cut =
        |gi| slice(named(gpu(0, 0, &[(S::GrEngine, 0.5)]), |i| i.index = None), gi, "3g.40gb");
    let picture = fixture.see(0, &[sweep(SourceId::Exporter, 0, vec![whole, cut(1), cut(2)])]);
    let sum: f64 = picture.rows.iter().map(|r| r.equivalents).sum();
    assert!((sum - 1.0).abs() < 1e-9, "{sum}");
    let usd: f64 = picture.rows.iter().filter_map(|r| r.usd_per_hour).sum();
    assert!((usd - 10.0).abs() < 1e-9, "{usd}");
}

#[test]
fn the_window_of_an_older_word_carries_nothing_back() {
    let window = |max| RecentWindow {
        seconds: 600,
        samples: 20,
        max_activity: max,
        max_power_w: Some(71.0),
    };
    let mut fixture = WatchFixture::new();
    let mut see = |at: i64| {
        let mut with = gpu(0, at - 20, &QUIET);
        with.recent = Some(window(0.0));
        let mut used = gpu(0, at - 25, &QUIET);
        used.recent = Some(window(0.8));
        let sweeps = [
            sweep(SourceId::Exporter, at, vec![gpu(0, at, &QUIET)]),
            sweep(SourceId::Prometheus, at, vec![with]),
            sweep(SourceId::CloudWatchGpu, at, vec![used]),
        ];
        state(&fixture.see(at, &sweeps))
    };
    assert_eq!(see(0), G::Busy, "one of them saw use within its window");
}

#[test]
fn what_power_says_hides_no_use_from_the_hours() {
    // A resident kernel at idle power with memory in use: in use, and so is the hour.
    let mut fixture = WatchFixture::new();
    let resident =
        [(S::Util, 1.0), (S::MemUsed, 9_000.0), (S::Power, 70.0), (S::PowerLimit, 700.0)];
    let row = fixture.after_five_minutes(&gpu(0, 0, &resident));
    let activity = row.verdict.activity.unwrap();
    assert!(activity.effective < 0.05);
    assert!(activity.busiest >= 0.99, "{activity:?}");
    // Nothing there that could cause it.
    let mut phantom = gpu(0, 0, &[(S::Util, 1.0), (S::MemUsed, 0.0), (S::Power, 70.0)]);
    phantom.throttle = Some(Throttle(Throttle::GPU_IDLE));
    phantom.processes = Some(Arc::from([]));
    let row = WatchFixture::new().after_five_minutes(&phantom);
    assert!(row.verdict.activity.unwrap().busiest < 0.05);
}
