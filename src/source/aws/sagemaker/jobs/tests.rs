//! Jobs as AWS describes them, of an emulator with planted times and by hand, and a server that plays good and bad days.

use std::sync::atomic::{AtomicUsize, Ordering};

use jiff::SignedDuration;
use serde_json::{Value, json};

use super::super::super::testing::{Reply, Request, Server};
use super::*;
use crate::domain::bill::Usd;
use crate::domain::jobs::{Attempt, Cause, Gpus, JobState};

const SPOT: &str = include_str!(concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/tests/data/jobs/sagemaker/training-spot.json"
));
const PROCESSING: &str =
    include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/jobs/sagemaker/processing.json"));

const ACCOUNT: &str = "123456789012";

pub(super) fn now() -> Timestamp {
    "2026-11-22T18:00:00Z".parse().unwrap()
}

fn region() -> Arc<str> {
    "us-east-1".into()
}

fn training(job: &Value) -> Job {
    let job = serde_json::from_value(job.clone()).unwrap();
    attempt::training(&job, &region(), now()).unwrap()
}

fn processing(job: &Value) -> Job {
    let job = serde_json::from_value(job.clone()).unwrap();
    attempt::processing(&job, &region(), now()).unwrap()
}

fn spot() -> Value {
    serde_json::from_str(SPOT).unwrap()
}

pub(super) fn usd(text: &str) -> Option<Usd> {
    Usd::parse(text.as_bytes())
}

#[test]
fn a_spot_job_holds_the_time_between_start_and_end_and_is_billed_for_less() {
    let job = training(&spot());
    let of = &job.attempt;
    // 2026-11-20 10:00 to 12:00; 2,160 s of each of two instances are billed.
    assert_eq!((of.held_ms(), of.billed_ms), (Some(7_200_000), Some(2_160_000)));
    assert_eq!((of.node_count, of.instance_type.as_deref()), (Some(2), Some("ml.p4d.24xlarge")));
    assert_eq!((of.state, &*of.state_source), (JobState::TimedOut, "MaxWaitTimeExceeded"));
    assert_eq!((of.cause, of.reason.as_deref()), (Some(Cause::TimeLimit), Some("x")));
    assert_eq!(of.checkpoint.as_deref(), Some("s3://b/ckpt/job-spot"));
    assert_eq!((&*of.id.cluster, &*of.job), ("123456789012:us-east-1", "job-spot"));
    assert_eq!(of.queue.as_deref(), Some("training"));
}

#[test]
fn a_limit_is_one_that_was_asked_for_and_not_the_day_that_is_the_default() {
    assert_eq!(training(&spot()).attempt.time_limit_ms, Some(3_600_000));
    let mut job = spot();
    for (seconds, limit) in [
        (json!(86_400), None),
        (json!(7_200), Some(7_200_000)),
        (json!(0), None),
        (json!(null), None),
    ] {
        job["StoppingCondition"]["MaxRuntimeInSeconds"] = seconds;
        assert_eq!(training(&job).attempt.time_limit_ms, limit);
    }
    let mut job: Value = serde_json::from_str(PROCESSING).unwrap();
    assert_eq!(processing(&job).attempt.time_limit_ms, None);
    job["StoppingCondition"] = json!({"MaxRuntimeInSeconds": 1_800});
    assert_eq!(processing(&job).attempt.time_limit_ms, Some(1_800_000));
}

#[test]
fn what_a_tuning_job_started_is_its_sum_and_the_tuning_job_is_none_of_it() {
    let child = |n: u32| {
        let mut job = spot();
        job["TrainingJobName"] = format!("hpo-{n:03}-0a1b2c3d").into();
        let tuning = "arn:aws:sagemaker:us-east-1:123456789012:hyper-parameter-tuning-job/hpo";
        job["TuningJobArn"] = tuning.into();
        training(&job).attempt
    };
    let children: Vec<Attempt> = (1..=4).map(child).collect();
    assert!(children.iter().all(|of| of.parent.as_deref() == Some("tuning/hpo")));
    // 4 children × 2 instances × 2,160 s = 4.8 h; with a parent that held as much it would be 9.6 h.
    let billed: i64 = children.iter().map(|of| of.billed_ms.unwrap() * 2).sum();
    assert_eq!(billed, 17_280_000);
    assert_eq!(training(&spot()).attempt.parent, None);
}

#[test]
fn a_warm_pool_is_billed_besides() {
    let mut job = spot();
    job["WarmPoolStatus"] =
        json!({"Status": "Terminated", "ResourceRetainedBillableTimeInSeconds": 600});
    assert_eq!(training(&job).attempt.billed_ms, Some(2_760_000));
}

#[test]
fn words_are_states_and_detail_tells_why_a_job_was_stopped() {
    for (status, detail, state, word) in [
        ("Completed", "Completed", JobState::Completed, "Completed"),
        ("Failed", "Failed", JobState::Failed, "Failed"),
        ("Stopped", "Stopped", JobState::Cancelled, "Stopped"),
        ("Stopped", "MaxRuntimeExceeded", JobState::TimedOut, "MaxRuntimeExceeded"),
        ("Stopped", "Interrupted", JobState::Preempted, "Interrupted"),
        // Between two stretches on Spot it goes on.
        ("InProgress", "Interrupted", JobState::Running, "InProgress"),
        ("Stopping", "MaxRuntimeExceeded", JobState::Running, "Stopping"),
        ("Hibernating", "x", JobState::Unknown, "Hibernating"),
    ] {
        let mut job = spot();
        job["TrainingJobStatus"] = status.into();
        job["SecondaryStatus"] = detail.into();
        let of = training(&job).attempt;
        assert_eq!((of.state, &*of.state_source), (state, word), "{status} {detail}");
        assert_eq!(of.ended_at.is_some(), state.is_over(), "{status} {detail}");
    }
}

#[test]
fn a_reason_is_clean_and_tells_the_exit_code() {
    for (reason, cause) in [
        ("AlgorithmError: , exit code: 137", Some(Cause::Signal(9))),
        (
            "AlgorithmError: ExecuteUserScriptError:\nExitCode 2\nErrorMessage \"\"",
            Some(Cause::Exit(2)),
        ),
        ("InternalServerError: We encountered an internal error. Please try again.", None),
        ("exit code: many", None),
    ] {
        let mut job = spot();
        job["TrainingJobStatus"] = "Failed".into();
        job["SecondaryStatus"] = "Failed".into();
        job["FailureReason"] = reason.into();
        let of = training(&job).attempt;
        assert_eq!(of.cause, cause, "{reason}");
        assert!(!of.reason.unwrap().contains('\n'));
    }
    let mut long = spot();
    long["FailureReason"] = "é".repeat(5_000).into();
    // And the sign that something is cut off.
    assert_eq!(training(&long).attempt.reason.unwrap().chars().count(), 1_025);
}

#[test]
fn groups_of_instances_are_added() {
    let mut job = spot();
    job["ResourceConfig"] = json!({"InstanceGroups": [
        {"InstanceType": "ml.p4d.24xlarge", "InstanceCount": 2, "InstanceGroupName": "a"},
        {"InstanceType": "ml.c5.xlarge", "InstanceCount": 1, "InstanceGroupName": "b"},
    ]});
    let mut jobs = [training(&job)];
    assert_eq!((jobs[0].attempt.node_count, &jobs[0].attempt.instance_type), (Some(3), &None));
    assert_eq!(jobs[0].attempt.gpus, Some(Gpus::whole(16)));
    let price = |what: &str, usd| (("Train".to_owned(), what.to_owned()), Some(usd));
    let prices: JobPrices = [price("ml.p4d.24xlarge", 10.0), price("ml.c5.xlarge", 1.0)].into();
    // (2 × 10 + 1) ÷ 3
    assert_eq!(priced(&mut jobs, &prices, "us-east-1"), Vec::<String>::new());
    assert_eq!(jobs[0].attempt.node_usd_per_hour, usd("7"));
}

#[test]
fn a_running_job_counts_from_its_first_stretch_and_a_waiting_one_not() {
    let job = json!({
        "TrainingJobName": "j", "TrainingJobStatus": "InProgress", "SecondaryStatus": "Training",
        "ResourceConfig": {"InstanceType": "ml.p5.48xlarge", "InstanceCount": 2},
        "SecondaryStatusTransitions": [
            {"Status": "Pending", "StartTime": now().as_second() - 9_000},
            {"Status": "Starting", "StartTime": now().as_second() - 3_600},
            {"Status": "Training", "StartTime": now().as_second() - 3_000},
        ],
    });
    let running = training(&job).attempt;
    assert_eq!((running.held_ms(), running.billed_ms), (Some(3_600_000), None));
    let mut waiting = job;
    waiting["SecondaryStatusTransitions"] = Value::Null;
    let waiting = training(&waiting).attempt;
    assert_eq!((waiting.state, waiting.held_ms()), (JobState::Queued, Some(0)));
}

#[test]
fn what_got_no_instances_held_nothing() {
    let reason = "CapacityError: Unable to provision requested ML compute capacity.";
    let job = json!({
        "TrainingJobName": "j", "TrainingJobStatus": "Failed", "SecondaryStatus": "Failed",
        "FailureReason": reason, "ResourceConfig": {"InstanceType": "ml.p5.48xlarge", "InstanceCount": 2},
        "SecondaryStatusTransitions": [{"Status": "Starting", "StartTime": now().as_second() - 60}],
    });
    let of = training(&job).attempt;
    assert_eq!((of.state, of.started_at, of.held_ms()), (JobState::Failed, None, Some(0)));
}

#[test]
fn a_processing_job_is_billed_for_the_time_it_held() {
    let mut job: Value = serde_json::from_str(PROCESSING).unwrap();
    let of = processing(&job).attempt;
    // The emulator tells neither start nor instances.
    assert_eq!((of.state, of.started_at, of.node_count), (JobState::Completed, None, None));
    job["ProcessingStartTime"] = (now().as_second() - 1_800).into();
    job["ProcessingEndTime"] = now().as_second().into();
    job["ProcessingResources"] =
        json!({"ClusterConfig": {"InstanceType": "ml.m5.xlarge", "InstanceCount": 3}});
    let of = processing(&job).attempt;
    assert_eq!((of.held_ms(), of.billed_ms), (Some(1_800_000), None));
    assert_eq!((of.node_count, of.instance_type.as_deref()), (Some(3), Some("ml.m5.xlarge")));
    // A training job may have the same name.
    assert_eq!((&*of.job, of.name.as_deref()), ("processing/p1", Some("p1")));
}

#[test]
fn what_is_no_job_is_none_or_an_error() {
    let none = serde_json::from_str("{}").unwrap();
    assert_eq!(attempt::training(&none, &region(), now()), None);
    for bad in ["[", "7", "{\"TrainingJobName\": 7}", &SPOT[..SPOT.len() - 5]] {
        assert!(serde_json::from_str::<wire::Training>(bad).is_err(), "{bad:.20}");
    }
}

/// The operation of a request.
pub(super) fn operation(request: &Request) -> &str {
    let target = request.header("x-amz-target").unwrap_or_default();
    target.rsplit('.').next().unwrap_or_default()
}

pub(super) fn body(request: &Request) -> Value {
    serde_json::from_str(&request.text()).unwrap()
}

pub(super) fn answered(body: &Value) -> Reply {
    Reply::aws_json(200, body.to_string())
}

pub(super) fn refused(code: &str) -> Reply {
    Reply::aws_json(400, json!({"__type": code, "message": "no"}).to_string())
}

/// A failure that may be over at the next reading.
pub(super) fn broken() -> Reply {
    Reply::aws_json(500, json!({"__type": "InternalFailure", "message": "no"}).to_string())
}

/// Prices of several places, of which one is that of the jobs and one that of HyperPod.
pub(super) fn prices() -> Reply {
    let product = |usage: &str, usd: &str| {
        json!({
            "product": {"attributes": {"regionCode": "us-east-1", "usagetype": usage,
                "locationType": "AWS Region"}},
            "terms": {"OnDemand": {"a": {"effectiveDate": "2025-06-01T00:00:00Z",
                "priceDimensions": {"b": {"unit": "Hrs", "pricePerUnit": {"USD": usd}}}}}}
        })
        .to_string()
    };
    let all = [
        product("USE1-Host:ml.p4d.24xlarge", "99"),
        product("USE1-Train:ml.p4d.24xlarge", "10"),
        product("USE1-Processing:ml.m5.xlarge", "0.5"),
        product("USE1-Cluster:ml.p5.48xlarge", "98.32"),
        product("USE1-ReservedCluster:ml.p5.48xlarge", "60"),
    ];
    answered(&json!({"PriceList": all}))
}

pub(super) fn at(minutes: i64) -> i64 {
    now().as_second() - 3_600 + 60 * minutes
}

/// A completed job of a server.
fn described(name: &str) -> Value {
    json!({
        "TrainingJobName": name, "TrainingJobStatus": "Completed", "SecondaryStatus": "Completed",
        "TrainingJobArn": format!("arn:aws:sagemaker:us-east-1:{ACCOUNT}:training-job/{name}"),
        "ResourceConfig": {"InstanceType": "ml.p4d.24xlarge", "InstanceCount": 1},
        "TrainingStartTime": at(0), "TrainingEndTime": at(10), "BillableTimeInSeconds": 600,
    })
}

/// Two pages of training jobs, the newest first as AWS lists them.
fn training_page(request: &Request) -> Reply {
    let asked = body(request);
    if asked["StatusEquals"] == "InProgress" {
        return answered(&json!({"TrainingJobSummaries": []}));
    }
    assert_eq!(asked["LastModifiedTimeAfter"], window().since.as_second());
    let one =
        |name: &str, minutes| json!({"TrainingJobName": name, "LastModifiedTime": at(minutes)});
    answered(&match asked["NextToken"].as_str() {
        None => json!({"TrainingJobSummaries": [one("new", 30)], "NextToken": "more"}),
        Some(_) => json!({"TrainingJobSummaries": [one("old", 10), one("gone", 5)]}),
    })
}

pub(super) fn window() -> JobWindow {
    let since = now() - SignedDuration::from_hours(24);
    JobWindow { since, until: now(), open_since: None }
}

pub(super) fn source(server: &Server) -> SageMakerJobs {
    let regions = Regions::named(["us-east-1"]);
    SageMakerJobs::new("ml", Arc::new(server.provider()), regions)
}

#[tokio::test]
async fn two_pages_are_read_through_a_throttle_and_a_denied_kind_hides_no_other() {
    let looks = AtomicUsize::new(0);
    let server = Server::start(move |_, request| match operation(request) {
        "ListTrainingJobs" => training_page(request),
        "DescribeTrainingJob" if looks.fetch_add(1, Ordering::SeqCst) == 0 => {
            refused("ThrottlingException")
        }
        "DescribeTrainingJob" => match body(request)["TrainingJobName"].as_str().unwrap() {
            "gone" => {
                let message = "Requested resource not found.";
                let body = json!({"__type": "ValidationException", "message": message});
                Reply::aws_json(400, body.to_string())
            }
            name => answered(&described(name)),
        },
        "ListProcessingJobs" => refused("AccessDeniedException"),
        "GetProducts" => prices(),
        "ListClusters" => answered(&json!({})),
        other => panic!("{other}"),
    });
    let source = source(&server);
    let read = source.read(&window()).await.unwrap();
    let names: Vec<&str> = read.attempts.iter().map(|of| &*of.job).collect();
    assert_eq!(names, ["old", "new"]);
    assert_eq!(read.attempts[0].node_usd_per_hour, usd("10"));
    let refusal = read.refusal.unwrap();
    assert_eq!(
        (refusal.kind, &*refusal.operation),
        (ErrorKind::Denied, "sagemaker:ListProcessingJobs")
    );
    // What is denied is not asked for again: the rest would be read anew each time.
    assert!(read.complete_until.is_none() && read.notes.is_empty(), "{:?}", read.notes);
    // What is over and was not changed is not looked at again.
    let before = server.requests();
    assert_eq!(source.read(&window()).await.unwrap().attempts, []);
    // Two pages, what runs, the denied list, and clusters of HyperPod.
    assert_eq!(server.requests() - before, 5);
}

#[tokio::test]
async fn a_failure_half_way_is_gone_on_from_there() {
    let server = Server::start(move |_, request| match operation(request) {
        "ListTrainingJobs" if body(request)["StatusEquals"] == "InProgress" => {
            answered(&json!({"TrainingJobSummaries": [{"TrainingJobName": "runs"}]}))
        }
        "ListTrainingJobs" => {
            let one =
                |n: i64| json!({"TrainingJobName": format!("j{n}"), "LastModifiedTime": at(n)});
            answered(&json!({"TrainingJobSummaries": (0..9).rev().map(one).collect::<Vec<_>>()}))
        }
        "DescribeTrainingJob" => match body(request)["TrainingJobName"].as_str().unwrap() {
            "j2" => refused("ValidationException"),
            "j5" => broken(),
            name => answered(&described(name)),
        },
        "ListProcessingJobs" => answered(&json!({"ProcessingJobSummaries": []})),
        "GetProducts" => prices(),
        "ListClusters" => answered(&json!({})),
        other => panic!("{other}"),
    });
    let read = source(&server).read(&window()).await.unwrap();
    let names: Vec<&str> = read.attempts.iter().map(|of| &*of.job).collect();
    assert_eq!(names, ["runs", "j0", "j1", "j3", "j4"]);
    assert_eq!(read.complete_until.map(Timestamp::as_second), Some(at(4)));
    // The one that is refused is said and passed over; the other is asked for again.
    assert_eq!(read.refusal.map(|error| error.kind), Some(ErrorKind::Refused));
    assert!(read.notes.len() == 1 && read.notes[0].contains("DescribeTrainingJob"));
}

#[tokio::test]
async fn without_prices_jobs_stay_and_dollars_are_unknown() {
    for (refusal, until) in
        [(refused("AccessDeniedException"), None), (broken(), Some(window().since))]
    {
        let server = Server::start(move |_, request| match operation(request) {
            "ListTrainingJobs" => training_page(request),
            "DescribeTrainingJob" => {
                answered(&described(body(request)["TrainingJobName"].as_str().unwrap()))
            }
            "ListProcessingJobs" => answered(&json!({})),
            "GetProducts" => refusal.clone(),
            "ListClusters" => answered(&json!({})),
            other => panic!("{other}"),
        });
        let read = source(&server).read(&window()).await.unwrap();
        assert_eq!(read.attempts.len(), 3);
        assert!(read.attempts.iter().all(|of| of.node_usd_per_hour.is_none()));
        assert!(read.refusal.is_some());
        assert_eq!(read.complete_until, until);
    }
    let mut jobs = [training(&spot())];
    let notes = priced(&mut jobs, &JobPrices::new(), "us-east-1");
    assert!(notes[0].starts_with("no list price of ml.p4d.24xlarge for training"), "{notes:?}");
}

#[tokio::test]
async fn an_account_that_refuses_everything_is_a_failure() {
    let server = Server::start(|_, _| refused("AccessDeniedException"));
    let error = source(&server).read(&window()).await.unwrap_err();
    assert_eq!(error.kind, ErrorKind::Denied);
}

#[tokio::test]
async fn tags_tell_whose_a_job_is_and_are_read_once() {
    let server = Server::start(move |_, request| match operation(request) {
        "ListTrainingJobs" if body(request)["StatusEquals"] == "InProgress" => {
            answered(&json!({"TrainingJobSummaries": [{"TrainingJobName": "runs"}]}))
        }
        "ListTrainingJobs" => answered(&json!({"TrainingJobSummaries": []})),
        "DescribeTrainingJob" => {
            let mut job = described("runs");
            job["TrainingJobStatus"] = "InProgress".into();
            answered(&job)
        }
        "ListProcessingJobs" => answered(&json!({})),
        "ListTags" => {
            assert!(body(request)["ResourceArn"].as_str().unwrap().ends_with("training-job/runs"));
            answered(&json!({"Tags": [{"Key": "Owner", "Value": "alice"},
                {"Key": "squad", "Value": "nlp"}, {"Key": "project", "Value": " "}]}))
        }
        "GetProducts" => prices(),
        "ListClusters" => answered(&json!({})),
        other => panic!("{other}"),
    });
    let keys = JobTagKeys {
        user: vec!["user".into(), "owner".into()],
        team: vec!["team".into(), "squad".into()],
        project: vec!["project".into()],
    };
    let source = source(&server).with_tags(keys);
    for looks in 1..=2 {
        let read = source.read(&window()).await.unwrap();
        let of = &read.attempts[0];
        assert_eq!((of.user.as_deref(), of.team.as_deref()), (Some("alice"), Some("nlp")));
        assert_eq!((&of.project, read.refusal), (&None, None));
        // Asked for once, though the job is looked at each time.
        let asked = server.seen();
        let tags = asked.iter().filter(|request| operation(request) == "ListTags").count();
        let looked = asked.iter().filter(|request| operation(request) == "DescribeTrainingJob");
        assert_eq!((tags, looked.count()), (1, looks));
    }
}

#[tokio::test]
async fn tags_that_are_refused_keep_no_job_from_being_read() {
    let server = Server::start(move |_, request| match operation(request) {
        "ListTrainingJobs" => training_page(request),
        "DescribeTrainingJob" => {
            answered(&described(body(request)["TrainingJobName"].as_str().unwrap()))
        }
        "ListProcessingJobs" => answered(&json!({})),
        "ListTags" => refused("AccessDeniedException"),
        "GetProducts" => prices(),
        "ListClusters" => answered(&json!({})),
        other => panic!("{other}"),
    });
    let read = source(&server).with_tags(JobTagKeys::default()).read(&window()).await.unwrap();
    assert_eq!((read.attempts.len(), read.refusal), (3, None));
    assert!(read.attempts.iter().all(|of| of.user.is_none()));
    assert!(read.notes.len() == 1 && read.notes[0].contains("ListTags"), "{:?}", read.notes);
}
