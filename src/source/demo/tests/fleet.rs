//! Size, shape, determinism and the passing of time.

use std::collections::{HashMap, HashSet};

use jiff::Timestamp;

use super::*;
use crate::domain::{Hour, InstanceState, Lifecycle, OwnerKind};
use crate::source::demo::{DEFAULT_SEED, DEFAULT_SIZE, MAX_SIZE};

#[tokio::test]
async fn one_seed_one_fleet() {
    let (a, b, other) = (
        read(&demo(7, None, NOW)).await,
        read(&demo(7, None, NOW)).await,
        read(&demo(8, None, NOW)).await,
    );
    let ids: HashSet<_> = a.iter().map(|s| s.instance.id.clone()).collect();
    for (x, y) in a.iter().zip(&b) {
        assert_eq!(x.instance, y.instance);
        assert_eq!(x.gpu, y.gpu);
        for signal in [Signal::CpuMean, Signal::NetworkIn, Signal::GpuMax(0)] {
            let range = window(NOW, 48);
            let bits = |p: Vec<(Timestamp, f64)>| -> Vec<_> {
                p.into_iter().map(|(t, v)| (t, v.to_bits())).collect()
            };
            assert_eq!(bits(points(x, signal, range).await), bits(points(y, signal, range).await));
        }
    }
    assert_eq!(a.len(), b.len());
    assert!(other.iter().all(|s| !ids.contains(&s.instance.id)), "two seeds share an id");
    // Another fleet's id is nobody here.
    let stranger =
        Seen { provider: a[0].provider.clone(), instance: other[0].instance.clone(), gpu: vec![] };
    assert!(points(&stranger, Signal::CpuMean, window(NOW, 24)).await.is_empty());
}

#[tokio::test]
async fn the_default_fleet_is_large_enough_for_any_seed() {
    for seed in [DEFAULT_SEED, 0, 1, 2, 42, u64::MAX] {
        let all = read(&demo(seed, None, NOW)).await;
        let running: Vec<_> =
            all.iter().filter(|s| s.instance.state == InstanceState::Running).collect();
        let gpus: f64 = running.iter().map(|s| spec(s).gpus()).sum();
        assert_eq!(all.len(), DEFAULT_SIZE);
        assert!(running.len() >= 240, "{} running with seed {seed}", running.len());
        assert!(gpus >= 900.0, "{gpus} GPUs with seed {seed}");
        let scopes: HashSet<_> = all.iter().map(|s| s.instance.scope.clone()).collect();
        assert_eq!(scopes.len(), 12, "seed {seed}");
        let ids: HashSet<_> = all.iter().map(|s| &s.instance.id).collect();
        let hosts: HashSet<_> = all.iter().map(|s| &s.instance.private_dns).collect();
        assert_eq!((ids.len(), hosts.len()), (all.len(), all.len()));
        assert!(all.iter().any(|s| s.instance.state == InstanceState::Stopped));
        assert!(all.iter().any(|s| s.instance.lifecycle == Lifecycle::Spot));
        assert!(all.iter().any(|s| s.gpu.iter().any(|g| g.host.is_some())));
        assert!(all.iter().any(|s| s.gpu.iter().any(|g| g.instance.is_some())));
        for kind in [OwnerKind::Asg, OwnerKind::Eks] {
            let owned = all.iter().any(|s| s.instance.owners.iter().any(|o| o.kind == kind));
            assert!(owned, "no {kind:?} with seed {seed}");
        }
    }
}

#[tokio::test]
async fn ten_thousand_instances_have_the_shape_of_an_estate() {
    let all = read(&demo(42, Some(10_000), NOW)).await;
    assert_eq!(all.len(), 10_000);
    let ids: HashSet<_> = all.iter().map(|s| &s.instance.id).collect();
    assert_eq!(ids.len(), 10_000);
    let devices: u32 = all.iter().map(|s| spec(s).devices()).sum();
    assert!((7_600..=8_400).contains(&devices), "{devices} GPU devices");
    for kind in [
        OwnerKind::Asg,
        OwnerKind::Eks,
        OwnerKind::Karpenter,
        OwnerKind::Ecs,
        OwnerKind::Batch,
        OwnerKind::CloudFormation,
    ] {
        assert!(all.iter().any(|s| s.instance.owners.iter().any(|o| o.kind == kind)), "{kind:?}");
    }
    // Quiet: no hour of the week with CPU at 5%. Only these need more metrics than CPU.
    let mut quiet = 0;
    let sample: Vec<_> = all.iter().step_by(10).collect();
    for seen in &sample {
        let cpu = points(seen, Signal::CpuMax, window(NOW, 168)).await;
        quiet += usize::from(!cpu.is_empty() && cpu.iter().all(|p| p.1 < 5.0));
    }
    let share = quiet as f64 / sample.len() as f64;
    assert!((0.25..=0.35).contains(&share), "{share} of the instances are quiet");
    let scope = |a: &str, r: &str| {
        all.iter()
            .filter(|s| &*s.instance.scope.account == a && &*s.instance.scope.region == r)
            .count()
    };
    assert!(scope("111122223333", "us-east-1") > 1_000, "no scope needs a second page");
    assert_eq!(read(&demo(42, Some(20_000), NOW)).await.len(), MAX_SIZE);
    assert!(read(&demo(42, Some(0), NOW)).await.is_empty());
    assert_eq!(read(&demo(42, Some(3), NOW)).await.len(), 3);
}

#[tokio::test]
async fn values_are_physical_and_idle_boxes_are_quiet() {
    let all = read(&demo(42, None, NOW)).await;
    let week = window(NOW, 168);
    for seen in all.iter().filter(|s| &*s.instance.name != "broken-exporter") {
        let name = &seen.instance.name;
        for signal in all_signals(seen) {
            let series = points(seen, signal, week).await;
            assert!(series.len() <= 168);
            for (at, value) in &series {
                assert!(week.from.start() <= *at && *at < week.to.start(), "{name} {signal:?}");
                let top = if signal.is_percent() { 100.0 } else { 2e11 };
                assert!((0.0..=top).contains(value), "{name} {signal:?} {value}");
                assert!(signal.observe(*value).is_finite(), "{name} {signal:?} {value}");
            }
        }
        for (mean, max) in
            [(Signal::CpuMean, Signal::CpuMax), (Signal::GpuMean(0), Signal::GpuMax(0))]
        {
            let (mean, max) = (points(seen, mean, week).await, points(seen, max, week).await);
            assert_eq!(mean.len(), max.len());
            assert!(mean.iter().zip(&max).all(|(a, b)| a.1 <= b.1 + 1e-9), "{name}");
        }
        let cpu = points(seen, Signal::CpuMax, week).await;
        if spec(seen).devices() == 0 && !cpu.is_empty() && cpu.iter().all(|p| p.1 < 5.0) {
            let hours = cpu.len() as f64;
            let mut sum = HashMap::new();
            for signal in all_signals(seen) {
                let total: f64 = points(seen, signal, week).await.iter().map(|p| p.1).sum();
                sum.insert(signal, total / hours);
            }
            let network = (sum[&Signal::NetworkIn] + sum[&Signal::NetworkOut]) * 24.0;
            let ops = (sum[&Signal::EbsReadOps] + sum[&Signal::EbsWriteOps]) / 3_600.0;
            assert!(network < 100e6 && ops < 1.0, "{name}: {network} bytes/day, {ops} op/s");
        }
    }
    let broken = named(&all, "broken-exporter");
    let garbled = points(broken, Signal::GpuMax(0), week).await;
    for is_wrong in [f64::is_nan, f64::is_infinite, f64::is_sign_negative] {
        assert!(garbled.iter().any(|p| is_wrong(p.1)));
    }
}

#[tokio::test]
async fn the_fleet_lives_and_its_past_stands_still() {
    let (today, tomorrow) =
        (read(&demo(42, None, NOW)).await, read(&demo(42, None, NOW + 86_400)).await);
    let later: HashMap<_, _> = tomorrow.iter().map(|s| (s.instance.id.clone(), s)).collect();
    let (mut stayed, mut moved) = (0, 0);
    for seen in today.iter().filter(|s| s.instance.state == InstanceState::Running) {
        let Some(later) = later.get(&seen.instance.id) else { continue };
        stayed += 1;
        let past = window(NOW, 168);
        let then = points(seen, Signal::CpuMean, past).await;
        assert_eq!(then, points(later, Signal::CpuMean, past).await, "{}", seen.instance.name);
        // Nothing is known yet of hours that have not begun.
        let ahead = HourRange { from: past.to.plus(1), to: past.to.plus(5) };
        assert!(points(seen, Signal::CpuMean, ahead).await.is_empty());
        moved += usize::from(then.windows(2).last().is_some_and(|w| (w[0].1 - w[1].1).abs() > 0.0));
    }
    assert!(stayed * 100 >= today.len() * 85, "{stayed} of {} stayed", today.len());
    assert!(moved * 100 >= stayed * 95, "the newest hour moved for {moved} of {stayed}");
}

#[tokio::test]
async fn launches_lie_in_the_past_and_bound_the_metrics() {
    // Every 7 hours over eight weeks: all times of the day and days of the week.
    for step in 0..192 {
        let now = NOW + step * 7 * 3_600;
        let at = Timestamp::from_second(now).unwrap();
        let all = read(&demo(42, Some(60), now)).await;
        for seen in &all {
            let i = &seen.instance;
            assert!(i.launched_at <= at && i.born_at() <= i.launched_at, "{} at {at}", i.name);
            let before = HourRange {
                from: Hour::containing(i.launched_at).plus(-1),
                to: Hour::containing(i.launched_at),
            };
            // The hour before a launch is silent: not there yet, or stopped. Old boxes aside,
            // which are never looked at that far back.
            let age_h = (now - i.launched_at.as_second()) / 3_600;
            if age_h < 14 * 24 && i.state == InstanceState::Running {
                assert!(
                    points(seen, Signal::CpuMean, before).await.is_empty(),
                    "{} at {at}",
                    i.name
                );
                let since =
                    HourRange { from: Hour::at_or_after(i.launched_at), to: Hour::containing(at) };
                let got = points(seen, Signal::CpuMean, since).await.len();
                assert_eq!(got, since.len(), "{} at {at}", i.name);
            }
        }
        let age = |name| {
            let born = named(&all, name).instance.born_at();
            (at.as_second() - born.as_second()) as f64 / 3_600.0
        };
        assert!((2.0..15.0).contains(&age("fresh-launch")), "{at}");
        assert!((192.0..289.0).contains(&age("agent-died-day-1")), "{at}");
        assert!(age("train-7b-old") > 30.0 * 24.0, "{at}");
        let restarted = &named(&all, "restarted-scratch").instance;
        let hours = (at.as_second() - restarted.launched_at.as_second()) / 3_600;
        assert!((48..121).contains(&hours) && age("restarted-scratch") > hours as f64 + 71.0);
    }
}
