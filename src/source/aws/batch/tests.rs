//! Jobs as AWS describes them, by hand from its API reference, and a server that plays good and bad days.

use jiff::SignedDuration;
use serde_json::{Value, json};

use super::super::testing::{Reply, Request, Server};
use super::*;
use crate::domain::jobs::{Attempt, Cause, Gpus, JobState};

const ACCOUNT: &str = "123456789012";

fn now() -> Timestamp {
    "2026-11-22T18:00:00Z".parse().unwrap()
}

/// Milliseconds of a moment so many minutes ago.
fn ago(minutes: i64) -> i64 {
    now().as_millisecond() - 60_000 * minutes
}

fn host(name: &str) -> String {
    format!("arn:aws:ecs:us-east-1:{ACCOUNT}:container-instance/gpu_Batch_1/{name}")
}

fn requirements(gpus: u32) -> Value {
    json!([{"type": "GPU", "value": gpus.to_string()}, {"type": "VCPU", "value": "96"},
        {"type": "MEMORY", "value": "1048576"}])
}

/// A job of 8 GPUs that ended well after an attempt that lost its host: 2 h, 10 min in the queue, 3 h.
fn retried(id: &str) -> Value {
    let gone = "Host EC2 (instance i-0123456789abcdef0) terminated.";
    json!({
        "jobArn": format!("arn:aws:batch:us-east-1:{ACCOUNT}:job/{id}"), "jobId": id,
        "jobName": "train", "status": "SUCCEEDED", "createdAt": ago(400),
        "jobQueue": format!("arn:aws:batch:us-east-1:{ACCOUNT}:job-queue/gpu"),
        "startedAt": ago(190), "stoppedAt": ago(10),
        "statusReason": "Essential container in task exited",
        "attempts": [
            {"container": {"containerInstanceArn": host("a"), "networkInterfaces": []},
                "startedAt": ago(320), "stoppedAt": ago(200), "statusReason": gone},
            {"container": {"containerInstanceArn": host("b"), "exitCode": 0},
                "startedAt": ago(190), "stoppedAt": ago(10),
                "statusReason": "Essential container in task exited"},
        ],
        "container": {"containerInstanceArn": host("b"), "exitCode": 0,
            "environment": [{"name": "TOKEN", "value": "hunter2"}],
            "resourceRequirements": requirements(8)},
        "timeout": {"attemptDurationSeconds": 86_400}, "platformCapabilities": ["EC2"],
        "dependsOn": [], "isCancelled": false, "isTerminated": false,
        "tags": {"Owner": "ana", "team": "nlp"},
    })
}

fn keys() -> JobTagKeys {
    JobTagKeys { user: vec!["owner".into()], team: vec!["team".into()], project: Vec::new() }
}

fn attempts(job: &Value, parent: Option<&Value>, behind: &Behind) -> Vec<Found> {
    let of = |job: &Value| -> Job { serde_json::from_value(job.clone()).unwrap() };
    let (job, parent) = (of(job), parent.map(of));
    let region: Arc<str> = "us-east-1".into();
    let around =
        Around { region: &region, now: now(), keys: &keys(), behind, parent: parent.as_ref() };
    attempt::attempts(&job, &around)
}

fn one(job: &Value) -> Attempt {
    let mut all = attempts(job, None, &Behind::default());
    assert_eq!(all.len(), 1, "{all:?}");
    all.remove(0).attempt
}

#[test]
fn each_attempt_of_a_job_holds_its_own_time_on_its_own_node() {
    let all = attempts(&retried("j"), None, &Behind::default());
    let held: Vec<_> = all.iter().map(|of| of.attempt.held_ms().unwrap()).collect();
    // By the job alone it is 3 h × 8 GPUs = 24 GPU-hours; with the attempt that failed, 2 h more: 40.
    assert_eq!(held, [7_200_000, 10_800_000]);
    let gpu_hours: f64 = all
        .iter()
        .map(|of| of.attempt.gpus.unwrap().held_for(of.attempt.held_ms().unwrap()).hours())
        .sum();
    assert!((gpu_hours - 40.0).abs() < 1e-9, "{gpu_hours}");
    let [first, second] = &all[..] else { panic!("{all:?}") };
    let (first, second) = (&first.attempt, &second.attempt);
    assert_eq!((first.state, first.cause), (JobState::Preempted, Some(Cause::Preempted)));
    assert_eq!((second.state, &*second.state_source), (JobState::Completed, "SUCCEEDED"));
    assert_eq!((&*first.nodes[0], &*second.nodes[0]), ("a", "b"));
    assert_eq!((&*first.id.key, &*second.id.key), ("0", "1"));
    assert!(first.is_of_same_job(second));
    // It was queued again when the first ended: 10 minutes, not 3.5 hours.
    assert_eq!(second.waited_ms(), Some(600_000));
    assert_eq!(first.waited_ms(), Some(80 * 60_000));
    assert_eq!((second.gpus, second.cpus), (Some(Gpus::whole(8)), Some(96)));
    assert_eq!((second.memory_mib, second.node_count), (Some(1_048_576), Some(1)));
    assert_eq!(second.time_limit_ms, Some(86_400_000));
    assert_eq!((second.user.as_deref(), second.team.as_deref()), (Some("ana"), Some("nlp")));
    assert_eq!(
        (&*second.id.cluster, second.queue.as_deref()),
        ("123456789012:us-east-1", Some("gpu"))
    );
    assert!(!format!("{all:?}").contains("hunter2"), "environments may hold secrets");
}

#[test]
fn what_runs_is_the_attempt_after_those_that_ended_whether_batch_lists_it_or_not() {
    let mut job = retried("j");
    (job["status"], job["stoppedAt"]) = ("RUNNING".into(), Value::Null);
    let listed = {
        let mut job = job.clone();
        job["attempts"][1] =
            json!({"container": {"containerInstanceArn": host("b")}, "startedAt": ago(190)});
        attempts(&job, None, &Behind::default())
    };
    job["attempts"].as_array_mut().unwrap().pop();
    let unlisted = attempts(&job, None, &Behind::default());
    assert_eq!(listed, unlisted);
    let of = &unlisted[1].attempt;
    assert_eq!((of.state, of.held_ms(), &*of.nodes[0]), (JobState::Running, Some(11_400_000), "b"));
    assert_eq!(unlisted[0].attempt.state, JobState::Preempted);
    // Until it runs, the job has the start of the attempt before it.
    (job["status"], job["startedAt"]) = ("RUNNABLE".into(), ago(320).into());
    job["statusReason"] = "CAPACITY:INSUFFICIENT_INSTANCE_CAPACITY".into();
    let of = attempts(&job, None, &Behind::default()).remove(1).attempt;
    assert_eq!((of.state, of.held_ms(), of.nodes.len()), (JobState::Queued, Some(0), 0));
    assert_eq!(of.wait_reason.as_deref(), Some("CAPACITY:INSUFFICIENT_INSTANCE_CAPACITY"));
    assert_eq!(of.submitted_at.map(Timestamp::as_millisecond), Some(ago(200)));
    job["status"] = "STARTING".into();
    let of = attempts(&job, None, &Behind::default()).remove(1).attempt;
    // It has its host, and nobody tells since when.
    assert_eq!((of.state, of.held_ms(), of.started_at), (JobState::Running, Some(0), None));
}

#[test]
fn what_was_ended_while_it_waited_to_be_tried_again_is_closed() {
    let mut job = retried("j");
    (job["status"], job["stoppedAt"], job["startedAt"]) =
        ("FAILED".into(), ago(150).into(), ago(320).into());
    (job["isTerminated"], job["statusReason"]) = (true.into(), "not needed".into());
    job["attempts"].as_array_mut().unwrap().pop();
    // As it was read while it waited: the second of its attempts is kept as one that is queued.
    let mut before = job.clone();
    (before["status"], before["stoppedAt"]) = ("RUNNABLE".into(), Value::Null);
    let waiting = attempts(&before, None, &Behind::default()).remove(1).attempt;
    assert_eq!(waiting.state, JobState::Queued);
    let all = attempts(&job, None, &Behind::default());
    let [first, second] = &all[..] else { panic!("{all:?}") };
    assert_eq!(second.attempt.id, waiting.id);
    assert_eq!(first.attempt.state, JobState::Preempted);
    let of = &second.attempt;
    assert_eq!((of.state, of.reason.as_deref()), (JobState::Cancelled, Some("not needed")));
    assert_eq!((of.started_at, of.held_ms(), of.nodes.len()), (None, Some(0), 0));
    assert_eq!(of.ended_at.map(Timestamp::as_millisecond), Some(ago(150)));
    // Ended while its only attempt ran, that attempt is what was cancelled.
    job["attempts"][0]["stoppedAt"] = (ago(150) - 2_000).into();
    job["attempts"][0]["statusReason"] = Value::Null;
    assert_eq!(one(&job).state, JobState::Cancelled);
}

#[test]
fn words_of_batch_are_states() {
    for (word, state) in [
        ("SUBMITTED", JobState::Queued),
        ("PENDING", JobState::Queued),
        ("RUNNABLE", JobState::Queued),
        ("STARTING", JobState::Running),
        ("RUNNING", JobState::Running),
        ("SUCCEEDED", JobState::Completed),
        ("FAILED", JobState::Failed),
        ("HIBERNATED", JobState::Unknown),
    ] {
        let of =
            one(&json!({"jobId": "j", "status": word, "startedAt": ago(5), "stoppedAt": ago(1)}));
        assert_eq!((of.state, &*of.state_source), (state, word));
    }
}

#[test]
fn what_waits_for_other_jobs_waits_for_no_node() {
    let mut job = json!({"jobId": "j", "status": "PENDING", "createdAt": ago(60)});
    assert_eq!(one(&job).eligible_at.map(Timestamp::as_millisecond), Some(ago(60)));
    let parent = json!({"jobId": "p", "dependsOn": [{"jobId": "k"}]});
    let child = attempts(&job, Some(&parent), &Behind::default()).remove(0).attempt;
    assert_eq!(child.eligible_at, None, "its array waits for another job");
    job["dependsOn"] = json!([{"jobId": "k"}]);
    assert_eq!(one(&job).eligible_at, None);
    // A zero stands for no time.
    (job["status"], job["startedAt"]) = ("FAILED".into(), 0.into());
    job["isCancelled"] = true.into();
    let of = one(&job);
    assert_eq!((of.state, of.held_ms()), (JobState::Cancelled, Some(0)));
}

#[test]
fn nodes_of_a_multi_node_job_are_parts_that_run_side_by_side() {
    let range = |nodes: &str, gpus| json!({"targetNodes": nodes, "container": {"resourceRequirements": requirements(gpus)}});
    let nodes = json!({"numNodes": 2, "mainNode": 0, "nodeRangeProperties": [range("0:", 8)]});
    let parent = json!({"jobId": "m", "jobName": "big", "status": "RUNNING", "createdAt": ago(90),
        "startedAt": ago(60), "nodeProperties": nodes, "tags": {"owner": "ana"},
        "timeout": {"attemptDurationSeconds": 7_200}});
    let child = |index: u32| {
        json!({"jobId": format!("m#{index}"), "jobName": "big", "status": "RUNNING",
            "startedAt": ago(60), "nodeDetails": {"nodeIndex": index, "isMainNode": index == 0},
            "container": {"instanceType": "p4d.24xlarge", "containerInstanceArn": host("a")}})
    };
    let all: Vec<Attempt> = (0..2)
        .flat_map(|index| attempts(&child(index), Some(&parent), &Behind::default()))
        .map(|of| of.attempt)
        .collect();
    let jobs: Vec<_> = all.iter().map(|of| (&*of.job, of.parts_of.as_deref())).collect();
    assert_eq!(jobs, [("m#0", Some("m")), ("m#1", Some("m"))]);
    // 2 × 8; the parent is none of them, or it would be 32.
    assert!(all.iter().all(|of| of.gpus == Some(Gpus::whole(8)) && of.node_count == Some(1)));
    assert!(all.iter().all(|of| of.user.as_deref() == Some("ana")));
    assert!(all.iter().all(|of| of.time_limit_ms == Some(7_200_000)));
    assert_eq!(all[0].instance_type.as_deref(), Some("p4d.24xlarge"));
    // Before its nodes are listed the first stands for all of them.
    let whole = one(&parent);
    assert_eq!((&*whole.id.raw, whole.parts_of.as_deref()), (&*all[0].id.raw, Some("m")));
    assert_eq!((whole.gpus, whole.node_count), (Some(Gpus::whole(16)), Some(2)));
    assert_eq!(whole.nodes.len(), 0);
}

#[test]
fn on_fargate_there_is_no_node_and_no_gpu() {
    let job = json!({"jobId": "j", "status": "RUNNING", "startedAt": ago(60),
        "platformCapabilities": ["FARGATE"], "container": {"resourceRequirements":
            [{"type": "VCPU", "value": "0.25"}, {"type": "MEMORY", "value": "512"}]}});
    let behind = Behind { instance_type: Some("p4d.24xlarge".into()), ..Behind::default() };
    let of = attempts(&job, None, &behind).remove(0).attempt;
    assert_eq!((of.gpus, of.cpus, of.node_count), (Some(Gpus::ZERO), Some(1), None));
    assert_eq!((of.instance_type, of.nodes.len()), (None, 0));
}

#[test]
fn the_one_type_of_all_environments_of_a_queue_is_that_of_its_nodes() {
    let of = |all: &[Option<Value>]| {
        let all: Vec<Option<Environment>> = all
            .iter()
            .map(|of| of.as_ref().map(|of| serde_json::from_value(of.clone()).unwrap()))
            .collect();
        let behind = Behind::of(all.iter().map(Option::as_ref));
        (behind.is_spot, behind.instance_type.map(|name| name.to_string()))
    };
    let environment = |kind: &str, types: &[&str]| {
        Some(json!({"computeResources": {"type": kind, "instanceTypes": types}}))
    };
    let p4d = Some("p4d.24xlarge".to_owned());
    assert_eq!(of(&[environment("EC2", &["p4d.24xlarge"])]), (Some(false), p4d.clone()));
    let both = [environment("EC2", &["p4d.24xlarge"]), environment("SPOT", &["p4d.24xlarge"])];
    assert_eq!(of(&both), (Some(true), p4d));
    for several in [&["p4d"][..], &["optimal"], &["p4d.24xlarge", "p5.48xlarge"], &[]] {
        assert_eq!(of(&[environment("EC2", several)]), (Some(false), None), "{several:?}");
    }
    let other = [environment("EC2", &["p4d.24xlarge"]), environment("EC2", &["p5.48xlarge"])];
    assert_eq!(of(&other), (Some(false), None));
    // One that is not known, or managed by others, may be anything.
    for unknown in [None, Some(json!({"computeResources": null}))] {
        assert_eq!(of(&[environment("EC2", &["p4d.24xlarge"]), unknown]), (None, None));
    }
    assert_eq!(of(&[]), (None, None));
}

#[test]
fn what_is_no_job_is_none_or_an_error() {
    assert_eq!(attempts(&json!({}), None, &Behind::default()), []);
    assert_eq!(attempts(&json!({"jobId": "a\u{202e}"}), None, &Behind::default()), []);
    for bad in ["[", "7", r#"{"jobId": 7}"#, r#"{"attempts": [{"startedAt": "now"}]}"#] {
        assert!(serde_json::from_str::<Job>(bad).is_err(), "{bad}");
    }
}

/// The operation of a request.
fn operation(request: &Request) -> &str {
    let target = request.header("x-amz-target").unwrap_or(&request.path);
    target.rsplit(['.', '/']).next().unwrap_or_default()
}

fn body(request: &Request) -> Value {
    serde_json::from_str(&request.text()).unwrap()
}

fn answered(body: &Value) -> Reply {
    Reply::aws_json(200, body.to_string())
}

/// A refusal as Batch words it.
fn refused(status: u16, code: &str) -> Reply {
    Reply::aws_json(status, json!({"__type": code, "message": "no"}).to_string())
}

fn queues(names: &[&str]) -> Reply {
    let one = |name: &&str| {
        json!({"jobQueueName": name, "jobQueueArn": format!("arn:aws:batch:us-east-1:{ACCOUNT}:job-queue/{name}"),
            "computeEnvironmentOrder": [{"order": 1, "computeEnvironment": "arn:ce"}]})
    };
    answered(&json!({"jobQueues": names.iter().map(one).collect::<Vec<_>>()}))
}

fn environments() -> Reply {
    answered(&json!({"computeEnvironments": [{"computeEnvironmentArn": "arn:ce", "type": "MANAGED",
        "computeResources": {"type": "EC2", "instanceTypes": ["p4d.24xlarge"]}}]}))
}

fn instances(request: &Request) -> Reply {
    let all = body(request)["containerInstances"].as_array().unwrap().clone();
    assert_eq!(body(request)["cluster"], "gpu_Batch_1");
    // The first one is gone, and ECS knows it no more.
    let known = all.iter().filter(|arn| **arn != host("a")).map(|arn| {
        json!({"containerInstanceArn": arn, "ec2InstanceId": "i-0b", "status": "ACTIVE",
            "registeredAt": ago(200) as f64 / 1_000.0,
            "registeredResources": [{"name": "CPU", "type": "INTEGER", "integerValue": 98_304},
                {"name": "GPU", "type": "STRINGSET", "stringSetValue": ["GPU-1", "GPU-2"]}],
            "attributes": [{"name": "ecs.instance-type", "value": "p4d.24xlarge"}]})
    });
    answered(&json!({"containerInstances": known.collect::<Vec<_>>(), "failures": []}))
}

/// The jobs that were asked for, by what describes one.
fn described(request: &Request, one: impl Fn(&str) -> Value) -> Reply {
    let ids = body(request)["jobs"].as_array().unwrap().clone();
    assert!(ids.len() <= 100, "more than a call may ask for");
    let jobs: Vec<Value> = ids.iter().map(|id| one(id.as_str().unwrap())).collect();
    answered(&json!({"jobs": jobs}))
}

fn summary(id: &str, status: &str, created: i64, stopped: Option<i64>) -> Value {
    json!({"jobId": id, "jobName": "train", "status": status, "createdAt": created, "stoppedAt": stopped})
}

fn page(rows: &[Value]) -> Reply {
    answered(&json!({"jobSummaryList": rows}))
}

fn window(open_since: Option<Timestamp>) -> JobWindow {
    JobWindow { since: now() - SignedDuration::from_hours(24), until: now(), open_since }
}

fn source(server: &Server) -> BatchJobs {
    let regions = Regions::named(["us-east-1"]);
    BatchJobs::new("b", Arc::new(server.provider()), regions, None, keys())
}

fn ids(read: &JobsRead) -> Vec<String> {
    read.attempts.iter().map(|of| format!("{}/{}", of.job, of.id.key)).collect()
}

#[tokio::test]
async fn what_ended_is_listed_by_its_submission_for_without_a_state_batch_lists_what_runs() {
    let server = Server::start(move |_, request| match operation(request) {
        "describejobqueues" => queues(&["gpu"]),
        "describecomputeenvironments" => environments(),
        "listjobs" => {
            let asked = body(request);
            match (asked["jobStatus"].as_str(), asked["filters"][0]["name"].as_str()) {
                // One job ended, one runs since long ago: by the plain list it is 1 and not 2.
                (None, None) => page(&[summary("old", "RUNNING", ago(9_000), None)]),
                (None, Some("AFTER_CREATED_AT")) => {
                    // Batch lists what comes after a moment: one of that millisecond would be left out.
                    let before = (window(None).since.as_millisecond() - 1).to_string();
                    assert_eq!(asked["filters"][0]["values"], json!([before]));
                    page(&[summary("new", "SUCCEEDED", ago(400), Some(ago(10)))])
                }
                (Some("RUNNING"), None) => page(&[summary("old", "RUNNING", ago(9_000), None)]),
                (Some(_), _) => page(&[]),
                other => panic!("{other:?}"),
            }
        }
        "describejobs" => described(request, |id| match id {
            "old" => {
                json!({"jobId": id, "jobQueue": "gpu", "status": "RUNNING", "createdAt": ago(9_000),
                "startedAt": ago(8_000), "container": {"resourceRequirements": requirements(1)}})
            }
            id => retried(id),
        }),
        "DescribeContainerInstances" => instances(request),
        other => panic!("{other}"),
    });
    let source = source(&server);
    let read = source.read(&window(None)).await.unwrap();
    // The oldest first.
    assert_eq!(ids(&read), ["old/0", "new/0", "new/1"]);
    assert!(read.complete_until.is_none() && read.refusal.is_none(), "{read:?}");
    assert_eq!(read.open_since.map(Timestamp::as_millisecond), Some(ago(9_000)));
    assert_eq!(read.notes, Vec::<String>::new());
    // All instances of the queue are of one type, and none is of Spot.
    assert!(read.attempts.iter().all(|of| of.instance_type.as_deref() == Some("p4d.24xlarge")));
    assert_eq!(read.attempts[1].state, JobState::NodeFault);
    let [node] = &read.nodes[..] else { panic!("{:?}", read.nodes) };
    assert_eq!((&*node.name, node.instance_id.as_deref()), ("b", Some("i-0b")));
    assert_eq!((node.gpus, node.seen_from.as_millisecond()), (Some(Gpus::whole(2)), ago(200)));
    assert_eq!((node.seen_until, &node.cluster), (now(), &read.attempts[1].id.cluster));
    // With something open its submission tells where to begin, and what is over is not described again.
    let before = server.requests();
    let again = source.read(&window(Some(now() - SignedDuration::from_hours(24)))).await.unwrap();
    assert_eq!(again.attempts, []);
    // Queues, environments, one list.
    assert_eq!(server.requests() - before, 3);
}

#[tokio::test]
async fn children_of_an_array_are_asked_for_by_their_states_and_its_parent_holds_nothing() {
    let server = Server::start(move |_, request| match operation(request) {
        "describejobqueues" => queues(&["gpu"]),
        "describecomputeenvironments" => refused(403, "AccessDeniedException"),
        "listjobs" => {
            let asked = body(request);
            let children = |status: &str| -> Vec<Value> {
                let of = |n: i64| format!("arr:{n}");
                match status {
                    "RUNNING" => vec![summary(&of(0), status, ago(300), None)],
                    "SUCCEEDED" => {
                        (1..150).map(|n| summary(&of(n), status, ago(300), Some(ago(60)))).collect()
                    }
                    // Ended before the window: it was read before.
                    "FAILED" => vec![summary(&of(150), status, ago(3_000), Some(ago(2_000)))],
                    other => panic!("nothing is {other}"),
                }
            };
            match (asked["arrayJobId"].as_str(), asked["jobStatus"].as_str()) {
                (Some("arr"), Some(status)) => page(&children(status)),
                (Some(_), _) => panic!("{asked} lists what runs alone, or of another job"),
                (None, None) => page(&[
                    summary("arr", "PENDING", ago(3_000), None),
                    // An emulator lists them beside their parent.
                    summary("arr:0", "RUNNING", ago(300), None),
                ]),
                (None, Some(_)) => page(&[]),
            }
        }
        "describejobs" => described(request, |id| match id {
            "arr" => {
                json!({"jobId": id, "status": "PENDING", "createdAt": ago(3_000), "tags": {"owner": "ana"},
                "arrayProperties": {"size": 151, "statusSummary":
                    {"RUNNING": 1, "SUCCEEDED": 149, "FAILED": 1, "PENDING": 0}}})
            }
            id => json!({"jobId": id, "jobName": "sweep", "createdAt": ago(300),
                "status": if id == "arr:0" { "RUNNING" } else { "SUCCEEDED" },
                "arrayProperties": {"index": 1}, "startedAt": ago(120), "stoppedAt": if id == "arr:0" { 0 } else { ago(60) },
                "container": {"resourceRequirements": requirements(1)}}),
        }),
        other => panic!("{other}"),
    });
    let read = source(&server).read(&window(None)).await.unwrap();
    // What is open is asked for by the submission of the array, not by those of its children.
    assert_eq!(read.open_since.map(Timestamp::as_millisecond), Some(ago(3_000)));
    // Without the states there would be 1 of them.
    assert_eq!(read.attempts.len(), 150);
    assert!(read.attempts.iter().all(|of| of.job.starts_with("arr:") && of.parent.is_none()));
    assert!(read.attempts.iter().all(|of| of.user.as_deref() == Some("ana")));
    assert_eq!(read.refusal, None);
    let [note] = &read.notes[..] else { panic!("{:?}", read.notes) };
    assert!(note.contains("DescribeComputeEnvironments") && note.contains("Spot"), "{note}");
}

#[tokio::test]
async fn a_failure_half_way_is_gone_on_from_there_and_a_throttle_is_ridden_out() {
    let storm = std::sync::atomic::AtomicUsize::new(0);
    let server = Server::start(move |_, request| match operation(request) {
        "describejobqueues" => match storm.fetch_add(1, std::sync::atomic::Ordering::SeqCst) {
            0 => refused(429, "TooManyRequestsException"),
            _ => queues(&["gpu", "broken"]),
        },
        "describecomputeenvironments" => environments(),
        "listjobs" if body(request)["jobQueue"] == "broken" => refused(400, "ClientException"),
        "listjobs" => match body(request)["filters"].is_array() {
            true => {
                let rows: Vec<Value> = (0..150)
                    .map(|n| summary(&format!("j{n}"), "SUCCEEDED", ago(600 - n), Some(ago(5))))
                    .collect();
                page(&rows)
            }
            false => page(&[]),
        },
        // The second hundred.
        "describejobs" if body(request)["jobs"][0] == "j100" => refused(500, "ServerException"),
        "describejobs" => described(
            request,
            |id| json!({"jobId": id, "status": "SUCCEEDED", "startedAt": ago(20), "stoppedAt": ago(5)}),
        ),
        other => panic!("{other}"),
    });
    let read = source(&server).read(&window(None)).await.unwrap();
    assert_eq!(read.attempts.len(), 100);
    assert_eq!(read.complete_until.map(Timestamp::as_millisecond), Some(ago(600 - 99)));
    // A queue that is refused is said, and leaves the others.
    assert_eq!(read.refusal.map(|error| error.kind), Some(ErrorKind::Refused));
    assert!(read.notes.iter().any(|note| note.contains("batch:DescribeJobs")), "{:?}", read.notes);
}

#[tokio::test]
async fn jobs_on_eks_are_left_out_and_said_and_so_is_a_queue_that_is_not_there() {
    let server = Server::start(move |_, request| match operation(request) {
        "describejobqueues" => {
            assert_eq!(body(request)["jobQueues"], json!(["gpu", "gone"]));
            queues(&["gpu"])
        }
        "describecomputeenvironments" => environments(),
        "listjobs" => match body(request)["filters"].is_array() {
            true => page(&[summary("pod", "RUNNING", ago(60), None)]),
            false => page(&[]),
        },
        "describejobs" => described(
            request,
            |id| json!({"jobId": id, "status": "RUNNING", "startedAt": ago(20), "eksProperties": {"podProperties": {}}}),
        ),
        other => panic!("{other}"),
    });
    let wanted = Some(vec!["gpu".to_owned(), "gone".to_owned()]);
    let (aws, regions) = (Arc::new(server.provider()), Regions::named(["us-east-1"]));
    let read = BatchJobs::new("b", aws, regions, wanted, keys()).read(&window(None)).await.unwrap();
    assert_eq!(read.attempts, []);
    let [eks, gone] = &read.notes[..] else { panic!("{:?}", read.notes) };
    assert!(eks.contains("1 job of AWS Batch on EKS"), "{eks}");
    assert!(gone.contains("no queue of AWS Batch called gone"), "{gone}");
}

#[tokio::test]
async fn without_ecs_jobs_stay_and_their_instances_are_unknown() {
    let server = Server::start(move |_, request| match operation(request) {
        "describejobqueues" => queues(&["gpu"]),
        "describecomputeenvironments" => environments(),
        "listjobs" => match body(request)["filters"].is_array() {
            true => page(&[summary("j", "SUCCEEDED", ago(400), Some(ago(10)))]),
            false => page(&[]),
        },
        "describejobs" => described(request, retried),
        "DescribeContainerInstances" => refused(400, "AccessDeniedException"),
        other => panic!("{other}"),
    });
    let read = source(&server).read(&window(None)).await.unwrap();
    assert_eq!((read.attempts.len(), read.nodes.len(), read.refusal), (2, 0, None));
    let [note] = &read.notes[..] else { panic!("{:?}", read.notes) };
    assert!(note.contains("ecs:DescribeContainerInstances"), "{note}");
}

#[tokio::test]
async fn an_account_that_refuses_everything_is_a_failure() {
    let server = Server::start(|_, _| refused(403, "AccessDeniedException"));
    let error = source(&server).read(&window(None)).await.unwrap_err();
    assert_eq!((error.kind, &*error.operation), (ErrorKind::Denied, "batch:DescribeJobQueues"));
}
