//! Answers of the dashboard of Ray: captures of 2.60, and such as mean harm or break off.

use std::collections::HashMap;
use std::time::Duration;

use jiff::{SignedDuration, Timestamp};

use super::answers::{Actor, Group, Job, Node, Task};
use super::held::Holds;
use super::job::Cluster;
use super::{RayCluster, RaySettings};
use crate::domain::jobs::{Attempt, Cause, Gpus, JobState};
use crate::domain::{Address, ErrorKind, text};
use crate::source::http::Auth;
use crate::source::jobs::live::{JobWindow, JobsRead, LiveJobs};
use crate::source::server::{Reply, Request, Server};

macro_rules! capture {
    ($name:literal) => {
        include_str!(concat!("../../../../tests/data/jobs/ray/", $name))
    };
}

/// Just after the captures: 1795369225000 ms.
fn now() -> Timestamp {
    Timestamp::from_second(1_795_369_225).unwrap()
}

fn captured(request: &Request) -> Reply {
    match request.path.split('?').next().unwrap_or_default() {
        "/api/jobs/" => Reply::json(capture!("api_jobs.json")),
        "/api/version" => Reply::json(r#"{"version":"4","ray_version":"2.60.0"}"#),
        "/logical/actors" => Reply::json(capture!("logical_actors.json")),
        "/api/v0/actors" => Reply::json(capture!("api_v0_actors.json")),
        "/api/v0/tasks" => Reply::json(capture!("api_v0_tasks.json")),
        "/api/v0/nodes" => Reply::json(capture!("api_v0_nodes.json")),
        "/api/v0/placement_groups" => Reply::json(capture!("api_v0_placement_groups.json")),
        _ => Reply::new(404, "text/plain", ""),
    }
}

fn settings(server: &Server) -> RaySettings {
    RaySettings {
        name: "ray".into(),
        url: Address::new(format!("http://{}", server.address())),
        auth: Auth::None,
        missing: None,
        ca_file: None,
        region: Some("us-east-1".into()),
        nested: false,
        timeout: Duration::from_secs(20),
    }
}

async fn read(settings: RaySettings) -> Result<JobsRead, crate::domain::SourceError> {
    let since = now() - SignedDuration::from_hours(1);
    let window = JobWindow { since, until: now(), open_since: None };
    RayCluster::new(settings).unwrap().read(&window).await
}

fn of<'a>(attempts: &'a [Attempt], id: &str) -> &'a Attempt {
    attempts.iter().find(|of| &*of.job == id).unwrap()
}

/// GPU-seconds that an attempt held.
fn gpu_seconds(of: &Attempt) -> f64 {
    of.gpus.unwrap().held_for(of.held_ms().unwrap()).hours() * 3_600.0
}

#[tokio::test]
async fn gpu_time_of_a_job_is_that_of_its_actors_and_tasks() {
    let server = Server::start(|_, request| captured(request));
    let read = read(settings(&server)).await.unwrap();
    assert_eq!((read.attempts.len(), read.refusal.as_ref()), (10, None));
    assert_eq!(read.about.as_deref(), Some("Ray 2.60.0"));
    let job = of(&read.attempts, "ok-2");
    // 2 actors × 2 GPUs for 9.252 and 9.239 s, 2 tasks × 0.5 GPUs for 1.219 and 1.308 s.
    let (tasks, actors) = (0.5 * (1.219 + 1.308), 2.0 * (9.252 + 9.239));
    assert!((gpu_seconds(job) - (actors + tasks)).abs() < 0.001, "{}", gpu_seconds(job));
    assert!((gpu_seconds(job) - 38.2455).abs() < 0.001);
    // By tasks alone it would be 1.3; by the time of the job × the GPUs of the cluster 116.
    assert!((tasks - 1.3).abs() < 0.05 && (14.469 * 8.0 - 116.0_f64).abs() < 0.5);
    assert_eq!((job.state, &*job.state_source), (JobState::Completed, "SUCCEEDED (claimed)"));
    assert_eq!((job.team.as_deref(), job.project.as_deref()), (Some("ml"), Some("llm-7b")));
    assert_eq!(job.name.as_deref(), Some("ok.py"));
    let nodes: Vec<&str> = job.nodes.iter().map(|node| &**node).collect();
    assert_eq!((nodes, job.node_count), (vec!["192.0.2.2"], Some(1)));
    assert_eq!(job.region.as_deref(), Some("us-east-1"));
    // Submitted, then its entrypoint began.
    assert_eq!(job.submitted_at, Timestamp::from_millisecond(1_795_369_209_649).ok());
    assert_eq!(job.started_at, Timestamp::from_millisecond(1_795_369_212_302).ok());
}

#[tokio::test]
async fn entrypoints_and_placement_groups_hold_what_they_reserve() {
    let server = Server::start(|_, request| captured(request));
    let read = read(settings(&server)).await.unwrap();
    let idle = of(&read.attempts, "gpu-idle-entry");
    assert_eq!((idle.state, idle.gpus), (JobState::Running, Some(Gpus::whole(2))));
    // From 214.361 to 225.000.
    assert!((gpu_seconds(idle) - 2.0 * 10.639).abs() < 0.001);
    // A group of 3 GPUs since 223.938, without anybody in it: by actors and tasks alone 0.
    assert!((gpu_seconds(of(&read.attempts, "pg-2")) - 3.0 * 1.062).abs() < 0.001);
    let stopped = of(&read.attempts, "stop-1");
    assert_eq!((stopped.state, stopped.cause), (JobState::Cancelled, Some(Cause::Cancelled)));
    assert!((gpu_seconds(stopped) - 22.717).abs() < 0.001, "to the end of the job");
    // What waits holds none of the 64 GPUs that it asks for.
    let waits = of(&read.attempts, "pend-1");
    assert_eq!((waits.state, waits.started_at, waits.gpus), (JobState::Queued, None, None));
    // A task with a GPU that tells no start: unknown, not 0.
    assert_eq!(of(&read.attempts, "crash-2").gpus, None);
    assert!(read.notes.iter().any(|note| note.contains("start or end is not told")));
    let failed = of(&read.attempts, "ok-1");
    assert_eq!((failed.gpus, failed.nodes.len()), (Some(Gpus::ZERO), 0));
    assert_eq!(failed.cause, Cause::of_exit(1, 0));
    let reason = failed.reason.as_deref().unwrap();
    assert!(reason.ends_with("ModuleNotFoundError: No module named 'ray'"), "{reason}");
}

#[test]
fn a_placement_group_and_what_is_inside_of_it_count_once() {
    let json = |text: &str| serde_json::from_str::<serde_json::Value>(text).unwrap();
    let group = |state: &str| -> Vec<Group> {
        serde_json::from_value(json(&format!(
            r#"[{{"placement_group_id":"pg","creator_job_id":"02","state":"{state}","bundles":[
            {{"unit_resources":{{"GPU":2.0}},"node_id":"n"}},{{"unit_resources":{{"GPU":2.0}},"node_id":"n"}}],
            "stats":{{"creation_request_received_ns":"1795369215000000000","end_to_end_creation_latency_us":"0"}}}}]"#
        )))
        .unwrap()
    };
    let actors: HashMap<String, Actor> = serde_json::from_value(json(
        r#"{"a":{"jobId":"02","state":"ALIVE","startTime":1795369215000,"endTime":0,
            "requiredResources":{"GPU":2.0},"address":{"ipAddress":"192.0.2.2"}},
            "b":{"jobId":"02","state":"ALIVE","startTime":1795369215000,"endTime":0,
            "requiredResources":{"GPU":2.0},"address":{"ipAddress":"192.0.2.2"}}}"#,
    ))
    .unwrap();
    let tasks: Vec<Task> = serde_json::from_value(json(
        r#"[{"type":"NORMAL_TASK","job_id":"02","required_resources":{"GPU":1.0},"state":"RUNNING",
            "placement_group_id":"pg","start_time_ms":1795369215000.0,"end_time_ms":null}]"#,
    ))
    .unwrap();
    let nodes: Vec<Node> =
        serde_json::from_value(json(r#"[{"node_id":"n","node_ip":"192.0.2.2"}]"#)).unwrap();
    let inside: HashMap<String, String> =
        ["a", "b"].map(|id| (id.to_owned(), "pg".to_owned())).into_iter().collect();
    let gpus = |state: &str| {
        let holds = Holds::of(&actors, &tasks, &nodes, &group(state), &inside, now());
        let to = now().as_millisecond();
        holds.held(Some("02"), None, (to - 10_000, to)).gpus
    };
    // Added up they would be 9.
    assert_eq!(gpus("CREATED"), Some(Gpus::whole(4)));
    // Of one that was removed nobody tells when: who is inside counts.
    assert_eq!(gpus("REMOVED"), Some(Gpus::whole(5)));
}

#[tokio::test]
async fn lists_are_asked_for_as_the_dashboard_gives_them() {
    let server = Server::start(|_, request| captured(request));
    read(settings(&server)).await.unwrap();
    let asked: Vec<String> = server.seen().iter().map(|request| request.path.clone()).collect();
    assert!(asked.iter().any(|path| {
        path == "/api/v0/tasks?filter_keys=type&filter_predicates=%3D&filter_values=NORMAL_TASK\
                 &detail=1&limit=10000"
    }));
    assert_eq!(asked.iter().filter(|path| path.starts_with("/api/v0/actors")).count(), 1);
    // What ended before the window is not read again: its actors may be forgotten since.
    let window = JobWindow { since: now(), until: now(), open_since: None };
    let read = RayCluster::new(settings(&server)).unwrap().read(&window).await.unwrap();
    let mut ids: Vec<&str> = read.attempts.iter().map(|of| &*of.job).collect();
    ids.sort_unstable();
    assert_eq!(ids, ["gpu-idle-entry", "pend-1", "pg-2"]);
}

#[tokio::test]
async fn jobs_of_a_cluster_inside_of_a_scheduler_count_no_gpus() {
    let server = Server::start(|_, request| captured(request));
    let read = read(RaySettings { nested: true, ..settings(&server) }).await.unwrap();
    assert_eq!(read.attempts.len(), 10);
    assert!(read.attempts.iter().all(|of| of.gpus.is_none() && of.nodes.is_empty()));
    assert!(!server.seen().iter().any(|request| request.path.starts_with("/logical")));
}

#[tokio::test]
async fn where_a_list_fails_the_jobs_stay_and_their_gpus_are_unknown() {
    for (status, body) in [
        (500, "{}"),
        (200, r#"{"result":false,"msg":"GCS is not\u001b reachable","data":null}"#),
        (200, r#"{"result":true,"msg":"","data":{"result":{"total":1,"result":[{"#),
    ] {
        let server = Server::start(move |_, request| match request.path.contains("/tasks") {
            true => Reply::new(status, "application/json", body),
            false => captured(request),
        });
        let read = read(settings(&server)).await.unwrap();
        let refusal = read.refusal.unwrap();
        assert!(!refusal.message.chars().any(text::is_unsafe), "{refusal:?}");
        assert_eq!(read.attempts.len(), 10);
        assert!(read.attempts.iter().all(|of| of.gpus.is_none()), "{body}");
    }
    // Of a list of actors that is cut nobody knows who is inside of a group: added to it they would count twice.
    let cut = capture!("api_v0_actors.json").replacen("\"total\": 12", "\"total\": 412", 1);
    let server = Server::start(move |_, request| match request.path.contains("/v0/actors") {
        true => Reply::json(&cut),
        false => captured(request),
    });
    let told = read(settings(&server)).await.unwrap();
    assert!(told.refusal.unwrap().message.starts_with("400 actors"));
    assert!(told.attempts.iter().all(|of| of.gpus.is_none()));
    // A list that is cut is said.
    let cut = capture!("api_v0_tasks.json").replacen("\"total\": 7", "\"total\": 407", 1);
    let server = Server::start(move |_, request| match request.path.contains("/tasks") {
        true => Reply::json(&cut),
        false => captured(request),
    });
    let read = read(settings(&server)).await.unwrap();
    assert!(read.notes[0].starts_with("400 tasks"), "{:?}", read.notes);
}

#[tokio::test]
async fn answers_that_are_none_end_the_reading() {
    for body in ["", "<html>log in", "{}", "null", "[{\"job_id\":", "7"] {
        let server = Server::start(move |_, _| Reply::json(body));
        let error = read(settings(&server)).await.unwrap_err();
        assert_eq!(error.kind, ErrorKind::Malformed, "{body:?}: {error:?}");
    }
    let other = Server::start(|_, _| Reply::json("[]"));
    let to = format!("Location: http://{}/x\r\n", other.address());
    let server = Server::start(move |_, _| Reply::Whole(307, "text/plain", to.clone(), Vec::new()));
    let error = read(settings(&server)).await.unwrap_err();
    assert_eq!((error.kind, other.requests()), (ErrorKind::Unavailable, 0));
    let server = Server::start(|_, _| Reply::new(401, "application/json", "{}"));
    let auth = Auth::Bearer(crate::domain::Secret::new("a-token"));
    let error = read(RaySettings { auth, ..settings(&server) }).await.unwrap_err();
    assert_eq!(error.kind, ErrorKind::Denied);
    assert!(error.message.contains("has ended") && !format!("{error:?}").contains("a-token"));
}

/// A job by its JSON beside what held GPUs.
fn alone(text: &str, holds: Option<&Holds>) -> Option<super::job::FoundJob> {
    let job: Job = serde_json::from_str(text).unwrap();
    let name = "ray".into();
    let latest = now() + SignedDuration::from_mins(10);
    Cluster { name: &name, region: None, holds, now: now(), latest }.attempt(&job)
}

#[test]
fn a_job_whose_supervisor_is_dead_does_not_run() {
    let job = r#"{"submission_id":"a","status":"RUNNING","start_time":1795369200000}"#;
    let state = |actor: &str| {
        let text = format!(
            r#"{{"x":{{"jobId":"01","name":"_ray_internal_job_actor_a","state":"{actor}",
            "startTime":1795369201000,"endTime":1795369202000,"requiredResources":{{}}}}}}"#
        );
        let actors: HashMap<String, Actor> = serde_json::from_str(&text).unwrap();
        let holds = Holds::of(&actors, &[], &[], &[], &HashMap::new(), now());
        alone(job, Some(&holds)).unwrap().attempt.state
    };
    assert_eq!((state("ALIVE"), state("DEAD")), (JobState::Running, JobState::Doubtful));
    // Where nobody tells of it, the claim stays.
    assert_eq!(alone(job, None).unwrap().attempt.state, JobState::Running);
}

#[test]
fn odd_jobs_stay_without_what_is_odd_about_them() {
    let job = |rest: &str| format!(r#"{{"submission_id":"a","start_time":1795369200000,{rest}}}"#);
    let backwards = alone(&job(r#""status":"FAILED","end_time":1795369100000"#), None).unwrap();
    assert!(backwards.is_mistimed && backwards.attempt.started_at.is_none());
    let ahead = alone(&job(r#""status":"RUNNING","end_time":1795969100000"#), None).unwrap();
    assert_eq!((ahead.is_mistimed, ahead.attempt.state), (true, JobState::Doubtful));
    let odd = alone(&job(r#""status":"MELTED""#), None).unwrap();
    assert_eq!((odd.is_unknown, odd.attempt.state), (true, JobState::Unknown));
    assert!(alone(r#"{"status":"RUNNING"}"#, None).is_none(), "without an id");
    let infinite = alone(&job(r#""status":"FAILED","end_time":"NaN""#), None).unwrap();
    assert_eq!(infinite.attempt.ended_at, None);
    let driver = alone(r#"{"job_id":"01000000","status":"RUNNING"}"#, None).unwrap();
    assert_eq!(&*driver.attempt.id.raw, "01000000");
}

#[test]
fn a_job_names_its_scheduler_and_shows_no_secret() {
    let text = r#"{"submission_id":"a","status":"FAILED","start_time":1795369200000,"driver_exit_code":1,
        "entrypoint":"python /srv/train.py --key hunter2",
        "message":"Job entrypoint command failed with exit code 1, last available logs (truncated):\nRunning entrypoint for job a: python /srv/train.py --key hunter2",
        "runtime_env":{"env_vars":{"SLURM_JOB_ID":"77","API_KEY":"hunter2"}},"metadata":{"user":"alice"}}"#;
    let attempt = alone(text, None).unwrap().attempt;
    assert_eq!(attempt.in_job.as_ref().map(|job| &*job.id), Some("77"));
    let name = attempt.name.as_deref();
    assert_eq!((name, attempt.user.as_deref()), (Some("train.py"), Some("alice")));
    assert!(!format!("{attempt:?}").contains("hunter2"), "{attempt:?}");
}

#[test]
fn the_last_line_of_a_log_is_what_the_job_said_wherever_ray_writes_the_entrypoint() {
    let reason = |entrypoint: &str, log: &str| {
        let told = serde_json::json!({"submission_id": "a", "status": "FAILED", "start_time": 1_795_369_200_000_i64,
            "entrypoint": entrypoint, "driver_exit_code": 1, "message": format!("exit code 1, last available logs (cut):\n{log}")});
        alone(&told.to_string(), None).unwrap().attempt.reason.unwrap().to_string()
    };
    let set_up = "2026-11-29 13:12:56,737\tINFO job_manager.py:581 -- Runtime env is setting up.\n";
    let own = "Running entrypoint for job a: python x.py\n--key hunter2\n";
    let entrypoint = "python x.py\n--key hunter2";
    let said = "begun\n\nValueError: boom\n";
    for log in [format!("{set_up}{own}{said}"), format!("{set_up}{said}{own}")] {
        assert_eq!(reason(entrypoint, &log), "exit code 1: ValueError: boom", "{log}");
    }
    assert_eq!(reason(entrypoint, &format!("{set_up}{own}")), "exit code 1");
    // Written as something else, what comes after it may be a part of it.
    assert_eq!(
        reason("python y.py", &format!("{set_up}{said}{own}")),
        "exit code 1: ValueError: boom"
    );
    for other in ["", "python y.py", "python x", "python x.py\n--key"] {
        assert_eq!(reason(other, &format!("{own}{said}")), "exit code 1", "{other}");
        assert_eq!(reason(other, own), "exit code 1", "{other}");
    }
}

#[test]
fn tasks_in_a_group_name_their_gpus_by_it() {
    // As 2.60 tells those of functions; of an actor it has `GPU`.
    let task = |resources: &str| -> Option<f64> {
        let task: Task = serde_json::from_str(&format!(
            r#"{{"type":"NORMAL_TASK","job_id":"02","required_resources":{resources}}}"#
        ))
        .unwrap();
        task.required_resources.unwrap().gpus()
    };
    let any = r#"{"bundle_group_7df0":0.001,"GPU_group_7df0":0.5}"#;
    let bundle = r#"{"bundle_group_7df0":0.001,"GPU_group_7df0":0.5,"GPU_group_0_7df0":0.5,"bundle_group_0_7df0":0.001}"#;
    assert_eq!((task(any), task(bundle)), (Some(0.5), Some(0.5)));
    assert_eq!(
        (task(r#"{"GPU":2.0}"#), task(r#"{"CPU":1.0}"#), task("{}")),
        (Some(2.0), None, None)
    );
    assert!(task(r#"{"GPU":"two"}"#).is_some_and(f64::is_nan));
}

#[test]
fn what_is_set_before_a_program_is_not_its_name() {
    let text = r#"{"submission_id":"a","status":"RUNNING","start_time":1795369200000,
        "entrypoint":"HF_TOKEN=hunter2 torchrun -m train"}"#;
    assert_eq!(alone(text, None).unwrap().attempt.name.as_deref(), Some("torchrun"));
    let only = text.replace(" torchrun -m train", "");
    assert_eq!(alone(&only, None).unwrap().attempt.name, None);
}

#[test]
fn hostile_texts_are_clean_wherever_they_stand() {
    for hostile in text::hostile::TEXTS {
        let word = serde_json::to_string(hostile).unwrap();
        let job = format!(
            r#"{{"submission_id":"a","status":{word},"entrypoint":{word},"message":{word},
            "metadata":{{"user":{word},"name":{word},"POD_NAME":{word}}}}}"#
        );
        let attempt = alone(&job, None).unwrap().attempt;
        text::hostile::said("job", &format!("{attempt:?}"));
        let failed = job.replacen(&format!("\"status\":{word}"), "\"status\":\"FAILED\"", 1);
        let attempt = alone(&failed, None).unwrap().attempt;
        text::hostile::said("job", &format!("{attempt:?}"));
    }
}
