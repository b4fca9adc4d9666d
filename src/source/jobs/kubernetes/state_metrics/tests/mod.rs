//! Whole readings from a server on the loopback that answers as a Prometheus with kube-state-metrics does.

mod lab;
mod past;

use jiff::Timestamp;

use self::lab::{Lab, at, window};
use super::*;
use crate::domain::jobs::{Attempt, Cause, Gpus, JobState};
use crate::domain::text::hostile::TEXTS;
use crate::domain::text::is_unsafe;

fn hours(of: &Attempt) -> f64 {
    of.gpus.unwrap().held_for(of.held_ms().unwrap()).hours()
}

#[tokio::test]
async fn a_pod_is_an_attempt_with_the_id_that_the_api_has_for_it() {
    let mut lab = Lab::default();
    lab.node().pod("a").ended("10:00", "Succeeded", "Completed").until("12:00");
    let read = lab.read(&window()).await.unwrap();
    assert_eq!((read.refusal, read.complete_until), (None, None));
    assert_eq!((read.about.as_deref(), read.notes), (Some("kube-state-metrics"), vec![]));
    let of = &read.attempts[0];
    assert_eq!((&*of.id.cluster, &*of.id.raw, &*of.job), ("prod", "uid-a", "ml/a"));
    assert_eq!(of.id.source, JobSource::Kubernetes);
    assert_eq!((of.state, &*of.state_source), (JobState::Completed, "Succeeded"));
    assert_eq!((of.gpus, of.cpus, of.memory_mib), (Some(Gpus::whole(8)), Some(8), Some(65_536)));
    assert_eq!((&*of.nodes[0], of.region.as_deref()), ("n1", Some("us-east-1")));
    assert_eq!(of.waited_ms(), Some(600_000), "the queue is no part of it");
    let node = &read.nodes[0];
    assert_eq!(node.instance_id.as_deref(), Some("i-0123456789abcdef0"));
    assert_eq!(
        (node.instance_type.as_deref(), node.private_ip.as_deref()),
        (Some("p5.48xlarge"), Some("10.1.2.3"))
    );
    assert_eq!((node.gpus, node.seen_from), (Some(Gpus::whole(8)), at("08:00")));
    assert_eq!(read.holders, Some(vec![]), "what is over holds nothing");
    assert!(read.forgotten.is_some_and(|of| of.ends.is_empty()));
}

#[tokio::test]
async fn a_completed_pod_that_is_kept_for_a_day_cost_the_hour_that_it_ran() {
    // By its requests, which are told until it is deleted, 24 h = $1,320.96; held 1 h = $55.04.
    let mut lab = Lab::default();
    lab.node().pod("a").ended("10:00", "Succeeded", "Completed");
    lab.between("2026-11-20T08:50:00Z", "2026-11-21T09:00:00Z");
    let until: Timestamp = "2026-11-21T09:00:00Z".parse().unwrap();
    let read = lab.read(&JobWindow { until, ..window() }).await.unwrap();
    let of = &read.attempts[0];
    let usd = |hours: f64| (hours * 6.88 * 100.0).round() / 100.0;
    assert_eq!((usd(hours(of)), usd(24.0 * 8.0)), (55.04, 1_320.96));
    // A later window, in which it is told of still, has nothing more of it.
    let later = JobWindow { since: at("10:30"), until, open_since: None };
    assert_eq!(lab.read(&later).await.unwrap().attempts, []);
}

#[tokio::test]
async fn time_held_begins_with_the_node_and_not_with_the_containers() {
    // Images come for 15 minutes: 0.75 h by the containers, 1.00 h by the node: 8 GPUs × 0.25 h × $6.88 = $13.76 more.
    let mut lab = Lab::default();
    lab.node().pod("a").ended("10:00", "Succeeded", "Completed").until("12:00");
    lab.tell(
        "kube_pod_container_state_started",
        &[("uid", "uid-a")],
        at("09:15").as_second() as f64,
    );
    let read = lab.read(&window()).await.unwrap();
    let of = &read.attempts[0];
    assert_eq!((of.started_at, of.ended_at), (Some(at("09:00")), Some(at("10:00"))));
    let by_containers = 0.75 * 8.0;
    assert_eq!((hours(of), (hours(of) - by_containers) * 6.88), (8.0, 13.76));
}

#[tokio::test]
async fn two_copies_of_kube_state_metrics_tell_of_one_pod() {
    let mut lab = Lab::default();
    lab.node().pod("a").phase("Running").until("12:00");
    lab.twice();
    let read = lab.read(&window()).await.unwrap();
    assert_eq!(read.attempts.len(), 1);
    assert_eq!((read.attempts[0].gpus, hours(&read.attempts[0])), (Some(Gpus::whole(8)), 24.0));
    assert_eq!(read.holders.map(|holders| holders.len()), Some(1));
}

#[tokio::test]
async fn who_runs_now_holds_gpus_as_of_the_last_scrape() {
    let mut lab = Lab::default();
    lab.node().pod("a").phase("Running").until("12:00").silent_from("11:59");
    let read = lab.read(&window()).await.unwrap();
    let of = &read.attempts[0];
    assert_eq!((of.state, of.seen_until), (JobState::Running, Some(at("11:59"))));
    let holders = read.holders.unwrap();
    assert_eq!((&*holders[0].node, holders[0].gpus), ("n1", Some(Gpus::whole(8))));
    assert_eq!((holders[0].raw.as_deref(), holders[0].at), (Some("uid-a"), at("11:59")));
    // Some namespaces alone do not tell who holds the others' GPUs.
    lab.namespaces = vec!["ml".into()];
    let read = lab.read(&window()).await.unwrap();
    assert_eq!((read.holders, read.forgotten.unwrap().within), (None, vec!["ml/".to_owned()]));
}

#[tokio::test]
async fn what_pods_hold_is_counted_as_by_the_api() {
    let mut lab = Lab::default();
    lab.node();
    lab.bare_pod("mig").phase("Running").asks("c", "nvidia_com_mig_3g_40gb", 1.0);
    lab.bare_pod("init").phase("Running").asks("c", "nvidia_com_gpu", 4.0);
    lab.init("i", "nvidia_com_gpu", 6.0, "").init("s", "nvidia_com_gpu", 1.0, "Always");
    lab.bare_pod("odd").phase("Running").asks("c", "aliyun_com_gpu_mem", 4.0);
    lab.until("12:00");
    let read = lab.read(&window()).await.unwrap();
    let of = |job: &str| read.attempts.iter().find(|of| &*of.job == job).map(|of| of.gpus);
    assert_eq!(of("ml/mig"), Some(Gpus::from_f64(3.0 / 7.0)));
    assert_eq!(of("ml/init"), Some(Some(Gpus::whole(7))), "the init container beside the sidecar");
    assert_eq!(of("ml/odd"), None, "nobody knows of how many GPUs that is a part");
    assert_eq!(read.holders, None, "who holds those is not known");
}

#[tokio::test]
async fn a_container_that_was_started_anew_ended_as_it_did_last() {
    let mut lab = Lab::default();
    lab.node().pod("a").ended("10:00", "Failed", "OOMKilled").until("09:20");
    lab.pod("a").ended("10:00", "Failed", "Error").until("12:00");
    let read = lab.read(&window()).await.unwrap();
    let of = &read.attempts[0];
    assert_eq!((of.state, &*of.state_source, of.cause), (JobState::Failed, "Error", None));
    let mut lab = Lab::default();
    lab.node().pod("a").ended("10:00", "Failed", "OOMKilled").until("12:00");
    let read = lab.read(&window()).await.unwrap();
    assert_eq!(read.attempts[0].cause, Some(Cause::OutOfMemory));
}

#[tokio::test]
async fn whether_a_deletion_ended_it_is_unknown_without_its_exit() {
    let mut lab = Lab::default();
    lab.node()
        .pod("a")
        .ended("10:00", "Failed", "Error")
        .time("kube_pod_deletion_timestamp", "10:00");
    lab.until("12:00");
    let read = lab.read(&window()).await.unwrap();
    let of = &read.attempts[0];
    assert_eq!((of.state, &*of.state_source), (JobState::Unknown, "Deleted"));
    assert_eq!((hours(of), read.holders), (8.0, Some(vec![])));
}

#[tokio::test]
async fn labels_tell_whose_a_pod_is_and_what_waits_is_said() {
    let mut lab = Lab::default();
    lab.keys.user = Some("example.com/runBy".into());
    lab.keys.team = Some("namespace".into());
    lab.node().pod("a").phase("Running");
    let labels = [("uid", "uid-a"), ("label_example_com_run_by", "alice")];
    lab.tell("kube_pod_labels", &labels, 1.0);
    let waits = [("uid", "uid-a"), ("container", "c"), ("reason", "ImagePullBackOff")];
    lab.tell("kube_pod_container_status_waiting_reason", &waits, 1.0).until("12:00");
    let read = lab.read(&window()).await.unwrap();
    let of = &read.attempts[0];
    assert_eq!((of.user.as_deref(), of.team.as_deref()), (Some("alice"), Some("ml")));
    assert_eq!((of.state, &*of.state_source), (JobState::Running, "ImagePullBackOff"));
}

#[tokio::test]
async fn a_label_that_is_not_told_is_said() {
    let mut lab = Lab::default();
    lab.keys.user = Some("owner".into());
    lab.node().pod("a").phase("Running").until("12:00");
    let read = lab.read(&window()).await.unwrap();
    assert!(read.notes[0].contains("--metric-labels-allowlist"), "{:?}", read.notes);
    assert_eq!(read.attempts[0].user, None);
}

#[tokio::test]
async fn what_makes_no_sense_is_said_and_the_rest_stays() {
    let mut lab = Lab::default();
    lab.node().pod("well").ended("10:00", "Succeeded", "Completed");
    lab.pod("back").ended("08:55", "Succeeded", "Completed");
    lab.pod("nan").phase("Running").tell("kube_pod_created", &[("uid", "uid-nan")], f64::NAN);
    lab.pod("ahead").phase("Running");
    lab.tell("kube_pod_created", &[("uid", "uid-ahead")], 4e9);
    lab.tell("kube_pod_info", &[("uid", ""), ("namespace", "ml"), ("pod", "old")], 1.0);
    lab.until("12:00");
    let read = lab.read(&window()).await.unwrap();
    let jobs: Vec<&str> = read.attempts.iter().map(|of| &*of.job).collect();
    assert_eq!(jobs, ["ml/nan", "ml/well"]);
    assert!(read.notes[0].starts_with("2 pods could not be read"), "{:?}", read.notes);
    assert!(read.notes[0].contains("ml/ahead"), "{:?}", read.notes);
    assert!(read.notes[1].starts_with("1 pod has no uid, ml/old"), "{:?}", read.notes);
    assert_eq!(read.holders, None);
}

#[tokio::test]
async fn foreign_texts_are_cleaned_and_become_no_part_of_a_query() {
    let mut lab = Lab::default();
    lab.keys.user = Some("a\"} or up{x=\"".into());
    lab.node();
    for (i, text) in TEXTS.iter().enumerate() {
        let (uid, name) = (format!("u{i}"), format!("p{text}"));
        let all = [("uid", uid.as_str()), ("namespace", text), ("pod", &name), ("node", text)];
        lab.tell("kube_pod_info", &all, 1.0);
        let asks = [("uid", uid.as_str()), ("container", text), ("resource", "nvidia_com_gpu")];
        lab.tell("kube_pod_container_resource_requests", &asks, 1.0);
        lab.tell("kube_pod_status_phase", &[("uid", &uid), ("phase", "Running")], 1.0);
        lab.tell("kube_pod_status_disruption_reason", &[("uid", &uid), ("reason", text)], 1.0);
    }
    lab.until("12:00");
    let read = lab.read(&window()).await.unwrap();
    let shown = format!("{:?}", read.notes);
    assert!(!read.attempts.is_empty() && !shown.chars().any(is_unsafe), "{shown}");
    for of in &read.attempts {
        let all = [&*of.job, &*of.state_source, of.name.as_deref().unwrap(), &*of.nodes[0]];
        assert!(all.iter().all(|text| !text.chars().any(is_unsafe)), "{of:?}");
    }
}
