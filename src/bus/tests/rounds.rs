//! Rounds of metrics that go wrong, and what is said of the instances then.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::super::{Event, Outcome, once, start};
use super::scripted::{Answer, REGION, Script, Scripted, gpu_of, instance, is_arch, parts, read};
use crate::analyze::idle::Preset;
use crate::cache::{Cache, OpenOptions};
use crate::domain::{
    BlockDevice, ErrorKind, Instance, Reading, Signal, SourceId, SourceState, Verdict, VerdictKind,
};
use crate::limits::limit;
use crate::source::ledger::Ledger;
use crate::source::provider::{MetricKey, MetricQuery};

const FIRST: &str = "2026-11-21T03:07:00Z";
const HOUR_LATER: &str = "2026-11-21T04:07:00Z";
const PRESET: Preset = Preset::Cautious;

fn cache() -> Cache {
    Cache::open(OpenOptions::in_memory(), FIRST.parse().unwrap()).0
}

fn verdict(outcome: &Outcome, id: &str) -> Arc<Verdict> {
    let row = outcome.fleet.rows.iter().find(|r| &*r.instance.id == id).unwrap();
    row.verdict.clone().unwrap()
}

fn metrics(outcome: &Outcome) -> Reading {
    let of = |r: &&Reading| r.source == SourceId::CloudWatch;
    outcome.fleet.readings.iter().find(of).unwrap().clone()
}

fn one_gpu() -> Script {
    let mut script = Script::new(vec![instance("i-1", "g5.xlarge")], Answer::Every(0.0));
    script.gpus = vec![gpu_of(("InstanceId", "i-1"), 0, "old")];
    script
}

#[tokio::test]
async fn a_gpu_with_two_series_is_not_known_by_one_of_them() {
    let cache = cache();
    let mut script = one_gpu();
    script.gpus.push(gpu_of(("InstanceId", "i-1"), 0, "new"));
    let working = |answer| move |q: &_| if is_arch(q, "new") { answer } else { Answer::Every(0.0) };
    let provider = Scripted::new(script.clone().answering(working(Answer::Incomplete)));
    let outcome = read(&provider, FIRST, PRESET, &cache).await;
    assert_eq!(verdict(&outcome, "i-1").kind, VerdictKind::Unknown);
    let fetched = cache.fetched(vec!["i-1".into()]).await;
    assert!(!fetched.contains_key(&("i-1".into(), Signal::GpuMax(0))), "half an answer was kept");

    provider.play(script.answering(working(Answer::Every(90.0))));
    let outcome = read(&provider, HOUR_LATER, PRESET, &cache).await;
    assert_eq!(verdict(&outcome, "i-1").kind, VerdictKind::Busy);
}

#[tokio::test]
async fn a_host_name_of_two_instances_is_nobodys_also_when_one_is_new() {
    let cache = cache();
    let host = |id, dns: &str| Instance {
        private_dns: dns.into(),
        private_ip: None,
        ..instance(id, "g5.xlarge")
    };
    let mut script = Script::new(vec![host("i-1", "ip-10-0-0-1.a")], Answer::Every(0.0));
    script.gpus = vec![gpu_of(("host", "ip-10-0-0-1"), 0, "x")];
    let provider = Scripted::new(script.clone());
    let outcome = read(&provider, FIRST, PRESET, &cache).await;
    assert_eq!(verdict(&outcome, "i-1").kind, VerdictKind::Idle);

    script.instances.push(host("i-2", "ip-10-0-0-1.b"));
    provider.play(script);
    let outcome = read(&provider, FIRST, PRESET, &cache).await;
    assert_eq!(verdict(&outcome, "i-2").kind, VerdictKind::Unknown);
}

#[tokio::test]
async fn without_the_list_of_gpu_series_the_last_verdict_stays_and_its_age_shows() {
    let cache = cache();
    let provider = Scripted::new(one_gpu());
    let outcome = read(&provider, FIRST, PRESET, &cache).await;
    assert_eq!(verdict(&outcome, "i-1").kind, VerdictKind::Idle);

    provider.play(Script { no_list: Some(ErrorKind::Denied), ..one_gpu() });
    let outcome = read(&provider, HOUR_LATER, PRESET, &cache).await;
    assert_eq!(verdict(&outcome, "i-1").kind, VerdictKind::Idle);
    let reading = metrics(&outcome);
    assert_eq!(reading.state.word(), "denied");
    assert_eq!(reading.taken_at, Some(FIRST.parse().unwrap()));
    // Waste is counted as far as somebody looked.
    let since = verdict(&outcome, "i-1").idle_since.unwrap();
    let seen: jiff::Timestamp = FIRST.parse().unwrap();
    let row = &outcome.fleet.rows[0];
    let wasted = row.usd_per_hour().unwrap() * seen.duration_since(since).as_secs_f64() / 3600.0;
    assert!((row.wasted_usd.unwrap() - wasted).abs() < 1e-6, "{:?} {wasted}", row.wasted_usd);
}

#[tokio::test]
async fn the_host_is_asked_though_the_list_of_gpu_series_is_denied() {
    let mut script = Script::new(
        vec![instance("i-1", "g5.xlarge"), instance("i-2", "c5.large")],
        Answer::Every(0.0),
    );
    script.no_list = Some(ErrorKind::Denied);
    let provider = Scripted::new(script);
    let outcome = read(&provider, FIRST, PRESET, &cache()).await;
    assert_eq!(verdict(&outcome, "i-2").kind, VerdictKind::Idle);
    assert_eq!(verdict(&outcome, "i-1").kind, VerdictKind::Unknown);
}

#[tokio::test]
async fn volumes_tell_the_ebs_operations_of_a_type_that_reports_none() {
    let attached = |at: &str| {
        let device = |volume: &str| BlockDevice {
            device: "/dev/sda1".into(),
            volume_id: volume.into(),
            attached_at: Some(at.parse().unwrap()),
            delete_on_termination: true,
        };
        let block_devices = vec![device("vol-1"), device("vol-2")];
        let instance = Instance { block_devices, ..instance("i-1", "m4.large") };
        // Reads and writes of one volume are 0.6 operations a second, of both 1.1: the limit is 1.
        let script = Script::new(vec![instance], Answer::Nothing).answering(|q| match q.key {
            MetricKey::Volume { .. } => Answer::Every(1_000.0),
            _ => Answer::Every(0.0),
        });
        Scripted::new(script)
    };
    let provider = attached("2026-01-01T00:00:00Z");
    let outcome = read(&provider, FIRST, PRESET, &cache()).await;
    let said = verdict(&outcome, "i-1");
    assert_eq!(said.kind, VerdictKind::Underused, "{:?}", said.reason);
    assert!(said.signals.iter().any(|s| &*s.label == "EBS operations of its volumes" && s.busy));
    let asked = provider.asked.lock().unwrap().clone();
    let of_volumes = asked.iter().filter(|q| matches!(q.key, MetricKey::Volume { .. })).count();
    let ebs =
        |q: &&MetricQuery| matches!(q.key, MetricKey::Ec2 { metric } if metric.starts_with("EBS"));
    assert_eq!((of_volumes, asked.iter().filter(ebs).count()), (4, 0));
    // What they did before they were attached, they did for another instance.
    let provider = attached(FIRST);
    let outcome = read(&provider, FIRST, PRESET, &cache()).await;
    assert_eq!(verdict(&outcome, "i-1").kind, VerdictKind::Idle);
}

#[tokio::test]
async fn a_failed_round_renews_no_date_and_is_due_again() {
    let cache = cache();
    let script = |answer| Script::new(vec![instance("i-1", "c5.large")], answer);
    let provider = Scripted::new(script(Answer::Every(0.0)));
    read(&provider, FIRST, PRESET, &cache).await;

    provider.play(script(Answer::Fail(ErrorKind::Throttled)));
    read(&provider, HOUR_LATER, PRESET, &cache).await;
    let offline = once(parts(&provider, HOUR_LATER, PRESET, &cache, true)).await;
    assert_eq!(metrics(&offline).taken_at, Some(FIRST.parse().unwrap()));
    assert_eq!(verdict(&offline, "i-1").kind, VerdictKind::Idle);

    provider.play(script(Answer::Every(80.0)));
    let outcome = read(&provider, HOUR_LATER, PRESET, &cache).await;
    assert_eq!(verdict(&outcome, "i-1").kind, VerdictKind::Busy);
    assert_eq!(metrics(&outcome).state, SourceState::Live);
}

#[tokio::test]
async fn a_step_that_fails_leaves_every_verdict_of_the_chunk() {
    let cache = cache();
    let boxes = || vec![instance("i-1", "c5.large"), instance("i-2", "c5.large")];
    let provider = Scripted::new(Script::new(boxes(), Answer::Every(0.0)));
    read(&provider, FIRST, PRESET, &cache).await;
    // CPU is answered, everything after it is not.
    let script = Script::new(boxes(), Answer::Every(0.0));
    provider.play(script.answering(|q| match q.signal {
        Signal::CpuMean => Answer::Every(0.0),
        _ => Answer::Fail(ErrorKind::Timeout),
    }));
    let outcome = read(&provider, HOUR_LATER, PRESET, &cache).await;
    for id in ["i-1", "i-2"] {
        assert_eq!(verdict(&outcome, id).kind, VerdictKind::Idle, "{id}");
    }
}

#[tokio::test]
async fn a_new_witness_of_use_ends_an_idle_verdict_though_the_rest_is_missing() {
    let cache = cache();
    let provider = Scripted::new(one_gpu());
    read(&provider, FIRST, PRESET, &cache).await;
    // g5.xlarge has four cores: all of them work now.
    let script = Script { no_list: Some(ErrorKind::Timeout), ..one_gpu() };
    provider.play(script.answering(|_| Answer::Every(100.0)));
    let outcome = read(&provider, HOUR_LATER, PRESET, &cache).await;
    assert_eq!(verdict(&outcome, "i-1").kind, VerdictKind::Busy);
}

#[tokio::test]
async fn a_restart_ends_the_verdict_of_the_life_before() {
    let cache = cache();
    let mut script = Script::new(vec![instance("i-1", "c5.large")], Answer::Every(0.0));
    let provider = Scripted::new(script.clone());
    let outcome = read(&provider, FIRST, PRESET, &cache).await;
    assert_eq!(verdict(&outcome, "i-1").kind, VerdictKind::Idle);
    script.instances[0].launched_at = "2026-11-21T02:30:00Z".parse().unwrap();
    provider.play(script);
    let outcome = read(&provider, FIRST, PRESET, &cache).await;
    assert_eq!(verdict(&outcome, "i-1").kind, VerdictKind::TooNew);
    assert_eq!(outcome.fleet.rows[0].wasted_usd, None);
}

/// The start of a stretch outlives the window that showed it, the program, a preset in between and
/// rounds that say nothing; a use ends it.
#[tokio::test]
async fn a_stretch_keeps_the_start_that_was_seen_of_it() {
    let cache = cache();
    let script = |answer| Script::new(vec![instance("i-1", "c5.large")], answer);
    let provider = Scripted::new(script(Answer::Every(0.0)));
    let at = |hours: i64| {
        let first: jiff::Timestamp = FIRST.parse().unwrap();
        (first + jiff::SignedDuration::from_hours(hours)).to_string()
    };
    let outcome = read(&provider, FIRST, PRESET, &cache).await;
    let since = verdict(&outcome, "i-1").idle_since.unwrap();
    assert!(verdict(&outcome, "i-1").idle_since_at_least);
    let mut wasted = outcome.fleet.rows[0].wasted_usd.unwrap();
    for hours in [1, 2, 30, 150] {
        if hours == 30 {
            read(&provider, &at(29), Preset::MeanCpu, &cache).await;
        }
        let outcome = read(&provider, &at(hours), PRESET, &cache).await;
        let judged = verdict(&outcome, "i-1");
        assert_eq!((judged.idle_since, judged.idle_since_at_least), (Some(since), true), "{hours}");
        let now = outcome.fleet.rows[0].wasted_usd.unwrap();
        assert!(now > wasted, "{hours}: {now} after {wasted}");
        wasted = now;
        assert!(outcome.fleet.totals.wasted_at_least);
        // Without asking anybody it is the same.
        let offline = once(parts(&provider, &at(hours), PRESET, &cache, true)).await;
        assert_eq!(verdict(&offline, "i-1").idle_since, Some(since), "{hours} offline");
    }
    provider.play(script(Answer::Every(80.0)));
    let outcome = read(&provider, &at(151), PRESET, &cache).await;
    assert_eq!(verdict(&outcome, "i-1").kind, VerdictKind::Busy);
    provider.play(script(Answer::Every(0.0)));
    let outcome = read(&provider, &at(400), PRESET, &cache).await;
    let judged = verdict(&outcome, "i-1");
    let from = jiff::SignedDuration::from_hours(400 - 168);
    let window = FIRST.parse::<jiff::Timestamp>().unwrap() + from;
    assert!(judged.idle_since.unwrap() > since && judged.idle_since.unwrap() <= window);
}

#[tokio::test]
async fn a_window_cached_in_part_is_covered_once() {
    let cache = cache();
    let provider =
        Scripted::new(Script::new(vec![instance("i-1", "c5.large")], Answer::Every(0.0)));
    read(&provider, FIRST, PRESET, &cache).await;
    // A fortnight instead of a week, and a new hour: two requests for each series.
    let outcome = read(&provider, HOUR_LATER, Preset::AwsComputeOptimizer, &cache).await;
    assert!((metrics(&outcome).coverage - 1.0).abs() < f32::EPSILON);
    assert_eq!(verdict(&outcome, "i-1").kind, VerdictKind::Idle);
}

#[tokio::test]
async fn who_is_refused_is_not_asked_and_charged_again_for_the_rest() {
    let boxes = (0..1_200).map(|i| instance(&format!("i-{i}"), "c5.large")).collect();
    let provider = Scripted::new(Script::new(boxes, Answer::Fail(ErrorKind::Denied)));
    let outcome = read(&provider, FIRST, PRESET, &cache()).await;
    let asked = provider.asked.lock().unwrap().len();
    assert_eq!(asked, 500, "mean and maximum of one chunk of five");
    assert_eq!(verdict(&outcome, "i-1199").kind, VerdictKind::Unknown);
}

/// 1,000 instances without GPUs, of which 700 work: the requests and what they are charged with.
#[tokio::test]
async fn a_scan_asks_and_pays_no_more_than_its_limits() {
    let cache = cache();
    let boxes = (0..1_000).map(|i| instance(&format!("i-{i}"), "c5.large")).collect();
    let works = |query: &MetricQuery| query.instance[2..].parse::<u32>().unwrap() % 10 < 7;
    let script = Script::new(boxes, Answer::Nothing).answering(move |query| match query.key {
        MetricKey::Ec2 { metric: "CPUUtilization" } if works(query) => Answer::Every(60.0),
        _ => Answer::Every(0.0),
    });
    let provider = Scripted::new(script);
    let calls = Arc::new(AtomicUsize::new(0));
    let count = calls.clone();
    *provider.on_data.lock().unwrap() = Some(Box::new(move || {
        count.fetch_add(1, Ordering::Relaxed);
    }));
    let outcome = read(&provider, FIRST, PRESET, &cache).await;
    assert_eq!(verdict(&outcome, "i-998").kind, VerdictKind::Idle);
    let calls = calls.load(Ordering::Relaxed);
    assert!((1..=limit("scan_calls")).contains(&calls), "{calls} requests");
    let ledger = Ledger::new(cache, u64::MAX);
    let spent = ledger.today(FIRST.parse().unwrap()).await.unwrap().micro_usd;
    assert!((1..=limit("scan_micro_usd") as u64).contains(&spent), "{spent} millionths");
}

#[tokio::test]
async fn a_round_of_the_old_policy_does_not_overwrite_the_new_ones_verdicts() {
    let cache = cache();
    // 10% CPU in every hour: busy for cautious, low for Trusted Advisor with little network.
    let script = Script::new(vec![instance("i-1", "c5.large")], Answer::Nothing);
    let provider = Scripted::new(script.answering(|q| match q.key {
        MetricKey::Ec2 { metric: "CPUUtilization" } => Answer::Every(10.0),
        _ => Answer::Every(0.0),
    }));
    let (events, mut inbox) = tokio::sync::mpsc::channel(64);
    let handle = start(parts(&provider, FIRST, PRESET, &cache, false), events);
    let changing = handle.clone();
    let mut changed = false;
    *provider.on_data.lock().unwrap() = Some(Box::new(move || {
        if !std::mem::replace(&mut changed, true) {
            changing.set_policy(Arc::new(Preset::AwsTrustedAdvisor.policy()));
        }
    }));
    let settled = tokio::time::timeout(std::time::Duration::from_secs(20), async {
        while let Some(event) = inbox.recv().await {
            let Event::Fleet(fleet) = event else { continue };
            let kind = fleet.rows.first().and_then(|r| r.verdict.as_ref()).map(|v| v.kind);
            assert_ne!(kind, Some(VerdictKind::Busy), "that is what cautious says");
            let over = fleet.readings.iter().any(|r| {
                r.source == SourceId::CloudWatch
                    && r.state == SourceState::Live
                    && &*r.scope.region == REGION
            });
            if over && kind == Some(VerdictKind::Unknown) {
                return true;
            }
        }
        false
    });
    assert!(settled.await.unwrap());
    handle.stop();
}
