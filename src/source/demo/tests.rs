//! The demo keeps its promises at every hour, size and seed.

use std::collections::{HashMap, HashSet};

use super::*;
use crate::domain::{
    AcceleratorKind, Hour, HourRange, Instance, InstanceState, Lifecycle, OwnerKind, Platform,
    PriceBasis, Provenance, Signal, Tenancy, text,
};
use crate::source::catalogue;
use crate::source::provider::{GpuMetric, MetricKey, MetricQuery, PriceWanted, Statistic};

/// 2026-11-20T14:25:30Z, a Friday.
const NOW: i64 = 1_795_184_730;

fn demo(seed: u64, size: Option<usize>, now: i64) -> Vec<Arc<dyn Provider>> {
    let now = Timestamp::from_second(now).unwrap();
    providers(&DemoOptions { seed, size, clock: Arc::new(move || now) })
}

struct Seen {
    provider: Arc<dyn Provider>,
    instance: Instance,
    gpu: Vec<GpuMetric>,
}

/// Everything of a demo, read page by page as the collector would.
async fn read(providers: &[Arc<dyn Provider>]) -> Vec<Seen> {
    let mut all = Vec::new();
    for provider in providers {
        let account = provider.identity().await.unwrap().account;
        for region in provider.regions().await.unwrap() {
            let mut gpu: Vec<GpuMetric> = Vec::new();
            let mut token = None;
            loop {
                let page = provider.gpu_metrics(&region, token).await.unwrap();
                assert!(page.items.len() <= 500);
                gpu.extend(page.items);
                token = page.next;
                if token.is_none() {
                    break;
                }
            }
            let mut of_box: HashMap<Arc<str>, Vec<GpuMetric>> = HashMap::new();
            for metric in gpu {
                let key = metric.instance.clone().or(metric.host.clone()).unwrap();
                of_box.entry(key).or_default().push(metric);
            }
            loop {
                let page = provider.instances(&account, &region, token).await.unwrap();
                assert!(page.items.len() <= 1_000);
                for instance in page.items {
                    assert_eq!(
                        (&instance.scope.account, &instance.scope.region),
                        (&account, &region)
                    );
                    let gpu = of_box
                        .remove(&instance.id)
                        .or_else(|| of_box.remove(&instance.private_dns))
                        .unwrap_or_default();
                    all.push(Seen { provider: provider.clone(), instance, gpu });
                }
                token = page.next;
                if token.is_none() {
                    break;
                }
            }
            assert!(of_box.is_empty(), "GPU series without an instance");
        }
    }
    all
}

fn query(seen: &Seen, signal: Signal) -> Option<MetricQuery> {
    let ec2 = |metric, statistic| Some((MetricKey::Ec2 { metric }, statistic));
    let agent = |index, statistic| {
        let metric = seen.gpu.iter().find(|m| m.index == index)?;
        Some((MetricKey::AgentGpu { dimensions: metric.dimensions.clone() }, statistic))
    };
    let (key, statistic) = match signal {
        Signal::CpuMean => ec2("CPUUtilization", Statistic::Average),
        Signal::CpuMax => ec2("CPUUtilization", Statistic::Maximum),
        Signal::NetworkIn => ec2("NetworkIn", Statistic::Sum),
        Signal::NetworkOut => ec2("NetworkOut", Statistic::Sum),
        Signal::EbsReadOps => ec2("EBSReadOps", Statistic::Sum),
        Signal::EbsWriteOps => ec2("EBSWriteOps", Statistic::Sum),
        Signal::GpuMean(i) => agent(i, Statistic::Average),
        Signal::GpuMax(i) => agent(i, Statistic::Maximum),
    }?;
    Some(MetricQuery { instance: seen.instance.id.clone(), signal, key, statistic })
}

async fn points(seen: &Seen, signal: Signal, range: HourRange) -> Vec<(Timestamp, f64)> {
    let Some(query) = query(seen, signal) else { return Vec::new() };
    let region = &seen.instance.scope.region;
    let mut results = seen.provider.metric_data(region, &[query], range).await.unwrap();
    assert!(results.len() == 1 && results[0].complete);
    results.remove(0).points
}

fn window(now: i64, hours: u32) -> HourRange {
    HourRange::last_closed(Timestamp::from_second(now).unwrap(), hours)
}

fn named<'a>(all: &'a [Seen], name: &str) -> &'a Seen {
    let mut found = all.iter().filter(|s| &*s.instance.name == name);
    let first = found.next().unwrap_or_else(|| panic!("no instance is called {name}"));
    assert!(found.next().is_none(), "two instances are called {name}");
    first
}

fn spec(seen: &Seen) -> &'static crate::domain::TypeSpec {
    catalogue::type_spec(&seen.instance.instance_type).unwrap()
}

fn all_signals(seen: &Seen) -> Vec<Signal> {
    use Signal::{
        CpuMax, CpuMean, EbsReadOps, EbsWriteOps, GpuMax, GpuMean, NetworkIn, NetworkOut,
    };
    let mut signals = vec![CpuMean, CpuMax, NetworkIn, NetworkOut, EbsReadOps, EbsWriteOps];
    for i in 0..spec(seen).devices() as u16 {
        signals.extend([GpuMean(i), GpuMax(i)]);
    }
    signals
}

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
    for seed in [0, 1, 2, 42, u64::MAX] {
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
    // Quiet: no hour of the week with CPU at 5 %. Only these need more metrics than CPU.
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

#[tokio::test]
async fn traps_show_what_they_are_meant_to_at_any_hour() {
    for step in [0, 11, 50, 95, 160, 201] {
        let now = NOW + step * 3_600;
        let all = read(&demo(42, None, now)).await;
        let week = window(now, 168);
        let week_of = async |name, signal| -> Vec<f64> {
            points(named(&all, name), signal, week).await.iter().map(|p| p.1).collect()
        };
        let under = |values: &[f64], limit: f64| values.iter().all(|v| *v < limit);

        for name in ["train-7b-old", "baseline-protected", "sp-covered", "spot-leftover"] {
            for i in 0..spec(named(&all, name)).devices() as u16 {
                let gpu = week_of(name, Signal::GpuMax(i)).await;
                assert!(gpu.len() == 168 && under(&gpu, 5.0), "{name} GPU {i}");
            }
        }
        let mut idle = 0;
        for i in 0..8 {
            let gpu = week_of("eval-sweep", Signal::GpuMax(i)).await;
            idle += usize::from(gpu.len() == 168 && under(&gpu, 5.0));
            assert!(under(&gpu, 5.0) || gpu.iter().all(|v| *v > 60.0));
        }
        assert_eq!(idle, 5);
        assert!(under(&week_of("pretrain-70b", Signal::CpuMax).await, 5.0));
        assert!(week_of("pretrain-70b", Signal::GpuMean(7)).await.iter().all(|v| *v > 80.0));
        let one_core = week_of("etl-one-core", Signal::CpuMean).await;
        assert!(one_core.iter().all(|v| (v - 1.0417).abs() < 0.02));
        assert!(under(&week_of("etl-one-core", Signal::CpuMax).await, 5.0));
        let spike = week_of("weekly-report", Signal::CpuMax).await;
        assert_eq!((spike.len(), spike.iter().filter(|v| **v >= 5.0).count()), (168, 1));
        let mean = week_of("weekly-report", Signal::CpuMean).await.iter().sum::<f64>() / 168.0;
        assert!(mean < 5.0, "{mean}");
        assert_eq!(named(&all, "agent-died-day-1").gpu.len(), 8);
        assert!(week_of("agent-died-day-1", Signal::GpuMax(0)).await.is_empty());
        let first_day = HourRange {
            from: Hour::at_or_after(named(&all, "agent-died-day-1").instance.launched_at),
            to: week.to,
        };
        let alive = points(named(&all, "agent-died-day-1"), Signal::GpuMax(0), first_day).await;
        assert_eq!(alive.len(), 20);
        let patchy = week_of("agent-patchy", Signal::GpuMax(0)).await.len();
        assert!((99..=103).contains(&patchy), "{patchy}");
        for blind in ["notebook-17", "trn-finetune", "render-amd"] {
            assert!(named(&all, blind).gpu.is_empty(), "{blind}");
        }
        assert!(week_of("parked-v100", Signal::CpuMean).await.is_empty());
    }
}

#[tokio::test]
async fn traps_are_named_typed_and_tagged() {
    let all = read(&demo(42, None, NOW)).await;
    for trap in traps() {
        let seen = named(&all, trap.name);
        assert_eq!(text::clean(trap.name), trap.name);
        assert!(
            trap.what.contains(&*seen.instance.instance_type),
            "{} is a {}",
            trap.name,
            seen.instance.instance_type
        );
        if let Some(idle) = trap.idle_gpus {
            assert!(idle <= spec(seen).devices(), "{}", trap.name);
        }
    }
    let tags = |name| &named(&all, name).instance.tags;
    assert_eq!(tags("standby-dr").get("burntop:exempt"), Some("true"));
    assert_eq!(tags("standby-expired").get("burntop:exempt"), Some("2024-06-30"));
    assert_eq!(tags("eval-\u{FFFD}[31mnightly").get("Team"), Some("vision\u{FFFD}2J"));
    assert_eq!(tags("eval-\u{FFFD}[31mnightly").get("Project"), Some("seg\u{FFFD}tnem"));
    let owner = &named(&all, "serve-spare").instance.owners[0];
    assert_eq!((owner.kind, &*owner.name), (OwnerKind::Asg, "serve-llm"));
    assert_eq!(named(&all, "spot-leftover").instance.lifecycle, Lifecycle::Spot);
    assert_eq!(named(&all, "block-reserved").instance.lifecycle, Lifecycle::CapacityBlock);
    assert_eq!(named(&all, "parked-v100").instance.state, InstanceState::Stopped);
    let kind = |name| spec(named(&all, name)).accelerator.as_ref().unwrap().kind;
    assert_eq!(kind("trn-finetune"), AcceleratorKind::Neuron);
    assert_eq!(kind("render-amd"), AcceleratorKind::AmdGpu);
    for seen in &all {
        let i = &seen.instance;
        let texts = i.tags.iter().flat_map(|(k, v)| [k, v]).chain([&*i.name, &*i.private_dns]);
        assert!(texts.into_iter().all(|t| !t.chars().any(text::is_unsafe)), "{}", i.name);
    }
}

#[tokio::test]
async fn prices_follow_the_catalogue() {
    let demo = demo(42, None, NOW);
    let wanted = |region: &str, name: &str| PriceWanted {
        region: region.into(),
        instance_type: name.into(),
        platform: Platform::Linux,
        tenancy: Tenancy::Shared,
    };
    let list = async |region: &str, name: &str| {
        let offers = demo[0].list_prices(&[wanted(region, name)]).await.unwrap();
        assert!(offers.iter().all(|o| o.rate.provenance == Provenance::Demo));
        offers.first().map(|o| o.rate.usd_per_hour)
    };
    assert_eq!(list("us-east-1", "p4d.24xlarge").await, Some(21.957_642));
    assert_eq!(list("us-east-1", "p5.48xlarge").await, Some(55.04));
    assert_eq!(list("eu-west-1", "p4d.24xlarge").await, Some(23.715_69));
    // 0.192 $/h in us-east-1 × 1.37.
    assert_eq!(list("ap-northeast-1", "m5.xlarge").await, Some(0.263));
    assert_eq!(list("us-west-2", "p5e.48xlarge").await, None);
    let windows = PriceWanted { platform: Platform::Windows, ..wanted("us-east-1", "g5.xlarge") };
    assert!(demo[0].list_prices(&[windows]).await.unwrap().is_empty());

    let spot = demo[1].spot_prices(&"us-east-1".into(), &["g5.12xlarge".into()]).await.unwrap();
    assert_eq!(spot.len(), 3);
    for offer in &spot {
        let usd = offer.rate.usd_per_hour;
        assert!((5.672 * 0.27..5.672 * 0.81).contains(&usd), "{usd}");
        assert_eq!(offer.rate.basis, PriceBasis::Spot);
    }
    let all = read(&demo).await;
    let leftover = &named(&all, "spot-leftover").instance;
    assert!(spot.iter().any(|o| o.az.as_deref() == Some(&*leftover.az)), "the trap has no price");
    // Only the types that AWS publishes no price for are without one.
    for seen in &all {
        let i = &seen.instance;
        let known = list(&i.scope.region, &i.instance_type).await.is_some();
        assert_eq!(known, !i.instance_type.starts_with("p5e."), "{}", i.instance_type);
    }
}

#[tokio::test]
async fn the_limits_of_the_apis_hold() {
    let demo = demo(42, None, NOW);
    let all = read(&demo).await;
    let cpu = query(&all[0], Signal::CpuMean).unwrap();
    let region = &all[0].instance.scope.region;
    let ask = async |queries: usize, hours: u32| {
        demo[0].metric_data(region, &vec![cpu.clone(); queries], window(NOW, hours)).await
    };
    assert!(ask(500, 201).await.is_ok());
    assert!(ask(501, 1).await.is_err());
    assert!(ask(500, 202).await.is_err());
    assert!(demo[0].instances(&"444455556666".into(), region, None).await.is_err());
    let nonsense = Some("next".to_owned());
    assert!(demo[0].gpu_metrics(region, nonsense).await.is_err());
    // A guessed dimension set finds nothing, as in CloudWatch; nor does another region.
    let gpu = all.iter().find(|s| s.gpu.len() == 8).unwrap();
    let mut asked = query(gpu, Signal::GpuMax(0)).unwrap();
    let region = &gpu.instance.scope.region;
    let full = gpu.provider.metric_data(region, &[asked.clone()], window(NOW, 24)).await.unwrap();
    assert_eq!(full[0].points.len(), 24);
    let elsewhere: Arc<str> =
        if &**region == "us-east-1" { "us-west-2" } else { "us-east-1" }.into();
    let none =
        gpu.provider.metric_data(&elsewhere, &[asked.clone()], window(NOW, 24)).await.unwrap();
    assert!(none[0].points.is_empty());
    if let MetricKey::AgentGpu { dimensions } = &mut asked.key {
        dimensions.0.pop();
    }
    let guessed = gpu.provider.metric_data(region, &[asked], window(NOW, 24)).await.unwrap();
    assert!(guessed[0].points.is_empty());
}

#[test]
fn the_page_lists_every_trap() {
    const PAGE: &str = include_str!("../../../docs/demo.md");
    let table: Vec<&str> = PAGE.lines().filter(|l| l.starts_with("| `")).collect();
    let expected: Vec<String> = traps()
        .iter()
        .map(|t| {
            let verdict = t.verdict.map_or("–", |v| v.name());
            format!("| `{}` | {} | {verdict} | {} |", t.name, t.what, t.says)
        })
        .collect();
    assert_eq!(table, expected, "the table should read:\n{}", expected.join("\n"));
}
