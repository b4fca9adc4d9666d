//! GPU telemetry as evidence for the verdicts on instances.

use super::super::super::tests::scripted::{Answer, Script, gpu_of, instance};
use super::*;
use crate::domain::{Mig, Verdict};

const NOW: &str = "2026-11-21T03:07:00Z";

/// A GPU: its index, its slice, and its maximum in the hour so many hours ago; `None` where it was
/// silent.
type Told<'a> = (u16, Option<u32>, &'a dyn Fn(i32) -> Option<f32>);

/// Keeps a week of hours of the GPUs of `i-1`, as a source has told them.
async fn keep(cache: &Cache, gpus: &[Told<'_>]) {
    let running = Hour::containing(now()).0;
    for ago in 1..=168 {
        let told = gpus.iter().filter_map(|(index, slice, value)| {
            let max = value(ago)?;
            let identity = Arc::new(GpuIdentity {
                uuid: Some(format!("GPU-{index}").into()),
                mig: slice.map(|gpu_instance| Mig { gpu_instance, profile: "1g.10gb".into() }),
                index: Some(*index),
                host: HostNames { instance_id: Some("i-1".into()), ..HostNames::default() },
                ..GpuIdentity::default()
            });
            Some(GpuHour { identity, mean: max / 2.0, max, samples: 120, rung: Rung::A })
        });
        let (source, origin) = (SourceId::Prometheus, "main".into());
        let hours = GpuHours { source, origin, hour: Hour(running - ago), gpus: told.collect() };
        cache.store_gpu_hours(Arc::new(hours)).await;
    }
}

/// The verdict on a `g5.xlarge` (one GPU) whose host does nothing, and how often CloudWatch was
/// asked for its GPU.
async fn judged(cache: &Cache, script: Script) -> (Arc<Verdict>, usize) {
    let provider = aws::Scripted::new(script);
    let outcome = aws::read(&provider, NOW, Preset::Cautious, cache).await;
    let row = outcome.fleet.rows.iter().find(|r| &*r.instance.id == "i-1").unwrap();
    let asked = provider.asked.lock().unwrap();
    let gpu = asked.iter().filter(|q| q.signal.gpu().is_some()).count();
    (row.verdict.clone().unwrap(), gpu)
}

/// An account with that box, without a CloudWatch agent; who lists its series is refused.
fn no_agent(instance_type: &str) -> Script {
    let mut script = Script::new(vec![instance("i-1", instance_type)], Answer::Every(0.0));
    script.no_list = Some(ErrorKind::Denied);
    script
}

fn always(value: f32) -> impl Fn(i32) -> Option<f32> {
    move |_| Some(value)
}

#[tokio::test]
async fn a_box_without_an_agent_is_idle_when_prometheus_saw_it_idle() {
    let cache = cache();
    keep(&cache, &[(0, None, &always(0.01))]).await;
    let (verdict, asked) = judged(&cache, no_agent("g5.xlarge")).await;
    assert_eq!(verdict.kind, VerdictKind::Idle, "{:?}", verdict.reason);
    assert_eq!(verdict.idle_gpus, Some(1));
    assert_eq!(asked, 0);
    let evidence = verdict.signals.iter().find(|s| s.signal.gpu() == Some(0)).unwrap();
    assert!((evidence.value.unwrap() - 1.0).abs() < 0.01, "percent: {evidence:?}");
    assert_eq!((evidence.got, evidence.expected), (168, 168));
    // As long as anybody looked.
    assert_eq!(verdict.idle_since, Some(Hour(Hour::containing(now()).0 - 168).start()));
}

#[tokio::test]
async fn some_gpus_idle_are_counted() {
    let cache = cache();
    let (works, idles) = (always(0.8), always(0.0));
    keep(&cache, &[(0, None, &works), (1, None, &idles), (2, None, &works), (3, None, &idles)])
        .await;
    let (verdict, asked) = judged(&cache, no_agent("g5.12xlarge")).await;
    assert_eq!(verdict.kind, VerdictKind::Partial, "{:?}", verdict.reason);
    assert_eq!((verdict.idle_gpus, verdict.devices, asked), (Some(2), 4, 0));
}

#[tokio::test]
async fn seen_at_work_is_busy() {
    let cache = cache();
    keep(&cache, &[(0, None, &|ago| Some(if ago == 5 { 0.4 } else { 0.0 }))]).await;
    let (verdict, _) = judged(&cache, no_agent("g5.xlarge")).await;
    assert_ne!(verdict.kind, VerdictKind::Idle, "{:?}", verdict.reason);
    assert!(verdict.signals.iter().any(|s| s.busy && s.signal.gpu() == Some(0)));
}

#[tokio::test]
async fn nonsense_counts_as_use() {
    let cache = cache();
    keep(&cache, &[(0, None, &|ago| Some(if ago == 5 { f32::NAN } else { 0.0 }))]).await;
    let (verdict, _) = judged(&cache, no_agent("g5.xlarge")).await;
    assert!(verdict.signals.iter().any(crate::domain::SignalEvidence::is_malformed), "{verdict:?}");
}

#[tokio::test]
async fn half_of_the_hours_prove_nothing() {
    let cache = cache();
    keep(&cache, &[(0, None, &|ago| (ago % 2 == 0).then_some(0.0))]).await;
    let mut script = no_agent("g5.xlarge");
    script.no_list = None;
    let (verdict, _) = judged(&cache, script).await;
    assert_eq!(verdict.kind, VerdictKind::Unknown, "{:?}", verdict.reason);
}

#[tokio::test]
async fn where_both_look_the_busier_counts_and_is_not_kept_as_cloudwatchs() {
    let cache = cache();
    // One hour is missing, so that CloudWatch is asked; in another it saw work.
    let told = |ago| if ago == 100 { None } else { Some(if ago == 5 { 0.6 } else { 0.0 }) };
    keep(&cache, &[(0, None, &told)]).await;
    let mut script = no_agent("g5.xlarge");
    script.no_list = None;
    script.gpus = vec![gpu_of(("InstanceId", "i-1"), 0, "x")];
    let (verdict, asked) = judged(&cache, script).await;
    assert!(asked > 0);
    let gpu = verdict.signals.iter().find(|s| s.signal.gpu() == Some(0)).unwrap();
    assert!(gpu.busy && (gpu.value.unwrap() - 60.0).abs() < 0.01, "{gpu:?}");
    assert_eq!(gpu.got, 168, "CloudWatch knows the hour that is missing");

    let range = crate::domain::HourRange::last_closed(now(), 168);
    let kept = cache.load_series(vec!["i-1".into()], range).await;
    let kept = kept["i-1"].get(crate::domain::Signal::GpuMax(0)).unwrap();
    assert!(kept.values.iter().all(|v| *v == 0.0), "what CloudWatch said itself");
}

#[tokio::test]
async fn the_busiest_slice_counts_for_its_gpu() {
    for (other, silent, want) in [
        (0.0, 0, VerdictKind::Idle),
        (0.9, 0, VerdictKind::Busy),
        // A slice that was silent for a day in the middle of the week may have worked.
        (0.0, 24, VerdictKind::Unknown),
    ] {
        let cache = cache();
        let second = |ago: i32| (!(10..10 + silent).contains(&ago)).then_some(other);
        keep(&cache, &[(0, Some(1), &always(0.0)), (0, Some(2), &second)]).await;
        let mut script = no_agent("g5.xlarge");
        script.no_list = None;
        let (verdict, _) = judged(&cache, script).await;
        assert_eq!(verdict.kind, want, "{:?}", verdict.reason);
    }
}

#[tokio::test]
async fn without_telemetry_everything_is_as_before() {
    let mut script = no_agent("g5.xlarge");
    script.no_list = None;
    script.gpus = vec![gpu_of(("InstanceId", "i-1"), 0, "x")];
    let (verdict, asked) = judged(&cache(), script).await;
    // Maximum and mean, which are one metric to pay for.
    assert_eq!((verdict.kind, asked), (VerdictKind::Idle, 2), "{:?}", verdict.reason);
}

#[tokio::test]
async fn a_name_of_two_instances_is_evidence_for_neither() {
    let told = async || {
        let cache = cache();
        let running = Hour::containing(now()).0;
        for ago in 1..=168 {
            let host = HostNames { address: Some("10.0.0.7:9400".into()), ..HostNames::default() };
            let uuid = Some("GPU-0".into());
            let identity = GpuIdentity { uuid, index: Some(0), host, ..GpuIdentity::default() };
            let gpu = GpuHour {
                identity: Arc::new(identity),
                mean: 0.0,
                max: 0.0,
                samples: 120,
                rung: Rung::A,
            };
            let (source, origin) = (SourceId::Exporter, "rack".into());
            let hours = GpuHours { source, origin, hour: Hour(running - ago), gpus: vec![gpu] };
            cache.store_gpu_hours(Arc::new(hours)).await;
        }
        cache
    };
    let at = |id| crate::domain::Instance {
        private_ip: Some("10.0.0.7".into()),
        ..instance(id, "g5.xlarge")
    };
    let mut alone = Script::new(vec![at("i-1")], Answer::Every(0.0));
    let (verdict, _) = judged(&told().await, alone.clone()).await;
    assert_eq!(verdict.kind, VerdictKind::Idle);
    alone.instances.push(at("i-2"));
    let (verdict, _) = judged(&told().await, alone).await;
    assert_ne!(verdict.kind, VerdictKind::Idle);
}
