//! Answers of a tracking server: captures of 3.17.2, and such as mean harm or break off.

use std::collections::HashMap;
use std::time::Duration;

use jiff::{SignedDuration, Timestamp};

use super::answers::Runs;
use super::run::Found;
use super::{MlFlow, MlFlowSettings};
use crate::domain::jobs::{Attempt, JobState};
use crate::domain::{Address, ErrorKind, Secret, text};
use crate::source::http::Auth;
use crate::source::jobs::live::{JobWindow, JobsRead, LiveJobs};
use crate::source::server::{Reply, Request, Server};

macro_rules! capture {
    ($name:literal) => {
        include_str!(concat!("../../../../tests/data/jobs/mlflow/", $name))
    };
}

/// After all that the captures hold.
fn now() -> Timestamp {
    Timestamp::from_second(1_795_372_000).unwrap()
}

fn window(hours: i64) -> JobWindow {
    let since = now() - SignedDuration::from_hours(hours);
    JobWindow { since, until: now(), open_since: None }
}

/// A tracking server with the experiments of the captures; `ended` answers what is asked of runs that ended, by the token of the
/// page. Nothing runs.
fn tracking(ended: impl Fn(&Request, Option<String>) -> Reply + Send + Sync + 'static) -> Server {
    Server::start(move |_, request| match &*request.path {
        "/version" => Reply::new(200, "text/html; charset=utf-8", "3.17.2"),
        "/api/2.0/mlflow/experiments/search" => Reply::json(capture!("experiments_search.json")),
        "/api/2.0/mlflow/runs/search" => {
            let asked: serde_json::Value = serde_json::from_slice(&request.body).unwrap();
            if request.header("Content-Type") != Some("application/json") {
                return Reply::new(400, "application/json", "{}");
            }
            match asked["filter"].as_str().unwrap().contains("end_time") {
                true => ended(request, asked["page_token"].as_str().map(str::to_owned)),
                false => Reply::json("{}"),
            }
        }
        _ => Reply::new(404, "text/plain", ""),
    })
}

fn settings(server: &Server) -> MlFlowSettings {
    MlFlowSettings {
        name: "ml".into(),
        url: Address::new(format!("http://{}/", server.address())),
        auth: Auth::None,
        missing: None,
        ca_file: None,
        experiments: Vec::new(),
        timeout: Duration::from_secs(20),
    }
}

async fn read(settings: MlFlowSettings) -> Result<JobsRead, crate::domain::SourceError> {
    MlFlow::new(settings).unwrap().read(&window(336)).await
}

fn found(text: &str, now: Timestamp) -> (Vec<Attempt>, Vec<String>) {
    let page: Runs = serde_json::from_str(text).unwrap();
    let experiments = HashMap::new();
    let mut found = Found::new("ml".into(), &experiments, now);
    for run in page.runs.into_iter().flatten() {
        found.add(run);
    }
    found.close()
}

fn named<'a>(attempts: &'a [Attempt], name: &str) -> &'a Attempt {
    attempts.iter().find(|of| of.name.as_deref() == Some(name)).unwrap()
}

/// A page with one run that ended at a moment, in milliseconds, and the token of the next one.
fn page(id: &str, ended: i64, next: &str) -> String {
    format!(
        r#"{{"runs":[{{"info":{{"run_id":"{id}","experiment_id":"1","run_name":"{id}","status":"FINISHED",
        "start_time":{},"end_time":{ended}}},"data":{{"tags":null}}}}],"next_page_token":"{next}"}}"#,
        ended - 60_000
    )
}

#[tokio::test]
async fn runs_are_read_page_by_page_with_what_they_say_of_their_jobs() {
    let server = tracking(|_, token| match token {
        None => Reply::json(capture!("runs_search_p1.json")),
        Some(_) => Reply::json(capture!("runs_search_p2.json")),
    });
    let read = read(settings(&server)).await.unwrap();
    assert_eq!(read.attempts.len(), 14);
    assert_eq!((read.about.as_deref(), read.refusal), (Some("MLflow 3.17.2"), None));
    assert_eq!(read.complete_until, None, "all of it");
    let child = named(&read.attempts, "sweep-child-1");
    assert_eq!(
        child.in_job.as_ref().map(|job| (&*job.scheduler, &*job.id)),
        Some(("slurm", "101"))
    );
    assert_eq!(child.tracker.as_deref(), Some("llm-7b/sweep-child-1"));
    assert_eq!((child.user.as_deref(), child.team.as_deref()), (Some("alice"), Some("ml")));
    let parent = named(&read.attempts, "sweep-parent");
    assert_eq!(child.parent.as_ref(), Some(&parent.job));
    assert_eq!((parent.state, &*parent.state_source), (JobState::Completed, "FINISHED (claimed)"));
    // What they held is unknown, whatever a tag says.
    assert!(read.attempts.iter().all(|of| of.gpus.is_none() && of.node_count.is_none()));
    assert_eq!(named(&read.attempts, "killed").state, JobState::Cancelled);
    // Logged last 79 h before: not 80 h of running.
    let silent = named(&read.attempts, "zombie-crashed");
    assert_eq!((silent.state, silent.held_ms()), (JobState::Doubtful, Some(0)));
    let has = |words: &str| read.notes.iter().any(|note| note.starts_with(words));
    assert!(has("5 runs name no job of a scheduler"), "{:?}", read.notes);
    assert!(has("1 run says RUNNING and logged nothing"), "{:?}", read.notes);
    assert_eq!(read.notes.len(), 2);
    // Two that are open and one that ended are asked for, the ended ones in two pages and in their order.
    let asked: Vec<serde_json::Value> = server
        .seen()
        .iter()
        .filter(|request| request.path.ends_with("runs/search"))
        .map(|request| serde_json::from_slice(&request.body).unwrap())
        .collect();
    let filters: Vec<&str> = asked.iter().filter_map(|asked| asked["filter"].as_str()).collect();
    let ended = format!("attributes.end_time > {}", (1_795_372_000 - 336 * 3_600) * 1_000_i64);
    let open = ["attributes.status = 'RUNNING'", "attributes.status = 'SCHEDULED'"];
    assert_eq!(filters, [open[0], open[1], &*ended, &*ended]);
    assert_eq!(asked[3]["order_by"][0], "attributes.end_time ASC");
    assert_eq!(asked[3]["experiment_ids"], serde_json::json!(["0", "1", "2"]));
}

#[tokio::test]
async fn experiments_that_are_too_many_to_read_are_said() {
    let pages = std::sync::atomic::AtomicUsize::new(0);
    let server =
        Server::start(move |_, request| match request.path.ends_with("experiments/search") {
            true => {
                let at = pages.fetch_add(1, std::sync::atomic::Ordering::SeqCst);
                Reply::json(format!(r#"{{"experiments":[],"next_page_token":"{at}"}}"#))
            }
            false => Reply::json("{}"),
        });
    let read = read(settings(&server)).await.unwrap();
    assert!(read.notes[0].contains("more than 20000 experiments"), "{:?}", read.notes);
}

#[test]
fn not_a_number_is_a_text_and_spoils_no_page() {
    // Whoever takes values for numbers reads none of the nine runs of the page.
    #[derive(serde::Deserialize)]
    struct Naive {
        runs: Vec<NaiveRun>,
    }
    #[derive(serde::Deserialize)]
    struct NaiveRun {
        data: NaiveData,
    }
    #[derive(serde::Deserialize)]
    struct NaiveData {
        #[serde(default)]
        metrics: Vec<NaiveMetric>,
    }
    #[derive(serde::Deserialize)]
    struct NaiveMetric {
        value: f64,
    }
    let text = capture!("runs_search_p2.json");
    let naive = serde_json::from_str::<Naive>(text).map(|page| {
        let values = page.runs.iter().flat_map(|run| &run.data.metrics);
        values.map(|metric| metric.value).sum::<f64>()
    });
    assert!(naive.is_err());
    let (attempts, _) = found(text, now());
    assert_eq!(attempts.len(), 9);
    let of = named(&attempts, "scheduled-nan");
    assert_eq!(of.state, JobState::Running);
    assert_eq!(of.seen_until, Timestamp::from_millisecond(1_795_365_291_501).ok());
}

#[test]
fn what_ways_to_die_leave_behind_are_claims() {
    let text = capture!("runs_search_exits.json");
    let (attempts, _) = found(text, now());
    let states = |attempts: &[Attempt]| {
        ["exc-no-with", "exc-with", "exit3", "sigterm", "sigkill"]
            .map(|name| named(attempts, name).state)
    };
    use JobState::{Completed, Doubtful, Failed, Running};
    // Three of the five failed and say otherwise.
    assert_eq!(states(&attempts), [Completed, Failed, Completed, Running, Running]);
    assert!(attempts.iter().all(|of| of.state_source.ends_with("(claimed)")));
    // A day and a few minutes after what they logged last they run no more.
    let later = now() + SignedDuration::from_hours(24);
    let (attempts, notes) = found(text, later);
    assert_eq!(states(&attempts), [Completed, Failed, Completed, Doubtful, Doubtful]);
    assert!(notes[0].starts_with("3 runs say RUNNING"), "{notes:?}");
}

#[test]
fn odd_runs_stay_without_what_is_odd_about_them() {
    let start = now().as_millisecond() - 3_600_000;
    let run = |id: &str, status: &str, from: &str, to: &str| {
        format!(
            r#"{{"info":{{"run_id":"{id}","status":"{status}","start_time":{from},"end_time":{to}}},
            "data":{{"tags":null,"metrics":null}}}}"#
        )
    };
    let (early, far) = ((start - 1).to_string(), (start + 86_400_000).to_string());
    let at = start.to_string();
    let runs = [
        run("backwards", "FAILED", &at, &early),
        run("future", "FINISHED", &at, &far),
        run("ahead", "RUNNING", &far, "null"),
        run("odd", "MELTED", &at, "null"),
        run("text", "FINISHED", &format!("\"{at}\""), &format!("\"{}\"", start + 5)),
        run("zero", "SCHEDULED", "0", "null"),
        run("huge", "FINISHED", "99999999999999999", "1e300"),
        "7".to_owned(),
        r#"{"info":{"run_id":""}}"#.to_owned(),
        r#"{"info":{"run_id":"a\u001b[2J"}}"#.to_owned(),
        r#"{"info":null}"#.to_owned(),
    ];
    let (attempts, notes) = found(&format!(r#"{{"runs":[{}]}}"#, runs.join(",")), now());
    let of = |id: &str| attempts.iter().find(|of| &*of.job == id).unwrap();
    assert_eq!(attempts.len(), 7, "{attempts:?}");
    for id in ["backwards", "future", "ahead", "huge"] {
        assert_eq!((of(id).started_at, of(id).ended_at), (None, None), "{id}");
    }
    assert_eq!(of("ahead").state, JobState::Doubtful);
    assert_eq!(
        (of("odd").state, &*of("odd").state_source),
        (JobState::Unknown, "MELTED (claimed)")
    );
    assert_eq!(of("text").held_ms(), Some(5));
    assert_eq!(of("zero").state, JobState::Queued);
    let has = |words: &str| notes.iter().any(|note| note.starts_with(words));
    assert!(has("4 runs could not be read"), "{notes:?}");
    assert!(has("3 runs have a time in the future or end before they start"), "{notes:?}");
    assert!(has("1 run has a state that is not known (MELTED"), "{notes:?}");
}

#[test]
fn hostile_texts_are_clean_wherever_they_stand() {
    for hostile in text::hostile::TEXTS {
        let word = serde_json::to_string(hostile).unwrap();
        let run = format!(
            r#"{{"runs":[{{"info":{{"run_id":"a","run_name":{word},"user_id":{word},"status":{word},
            "artifact_uri":{word},"start_time":1795371000000}},"data":{{"tags":[
            {{"key":"mlflow.parentRunId","value":{word}}},{{"key":"POD_NAME","value":{word}}},
            {{"key":"team","value":{word}}},{{"key":"project","value":{word}}}]}}}}]}}"#
        );
        let (attempts, notes) = found(&run, now());
        text::hostile::said("run", &format!("{attempts:?} {notes:?}"));
    }
}

#[tokio::test]
async fn a_failure_on_page_40_leaves_what_was_read() {
    const FIRST: i64 = 1_795_300_000_000;
    let server = tracking(|_, token| {
        let at: i64 = token.map_or(1, |token| token.parse().unwrap());
        match at {
            40 => Reply::new(500, "application/json", r#"{"error_code":"INTERNAL_ERROR"}"#),
            at => Reply::json(page(&format!("r{at}"), FIRST + at * 1_000, &format!("{}", at + 1))),
        }
    });
    let read = read(settings(&server)).await.unwrap();
    assert_eq!(read.attempts.len(), 39);
    let refusal = read.refusal.unwrap();
    assert!(refusal.message.contains("HTTP 500"), "{refusal:?}");
    // The next reading goes on where this one got to.
    assert_eq!(read.complete_until, Timestamp::from_millisecond(FIRST + 39_000).ok());
}

#[tokio::test]
async fn answers_that_are_none_end_the_reading() {
    for body in ["", "<html>log in", r#"{"runs":[{"info":{"run_id""#, "null", r#"{"runs":7}"#] {
        let server = Server::start(move |_, request| match &*request.path {
            "/api/2.0/mlflow/experiments/search" => {
                Reply::json(capture!("experiments_search.json"))
            }
            _ => Reply::json(body),
        });
        let error = read(settings(&server)).await.unwrap_err();
        assert_eq!(error.kind, ErrorKind::Malformed, "{body:?}: {error:?}");
    }
    let server = Server::start(|_, _| Reply::Half(br#"{"experiments":[{"experiment_id""#.to_vec()));
    assert_eq!(read(settings(&server)).await.unwrap_err().kind, ErrorKind::Network);
}

#[tokio::test]
async fn a_list_without_an_end_ends() {
    let server = tracking(|_, _| Reply::json(page("again", 1_795_300_000_000, "same")));
    let read = read(settings(&server)).await.unwrap();
    assert_eq!(read.attempts.len(), 1);
    assert!(server.requests() < 10, "{}", server.requests());
}

#[tokio::test]
async fn a_redirect_to_another_host_is_refused() {
    let other = Server::start(|_, _| Reply::json("{}"));
    let to = format!("Location: http://{}/x\r\n", other.address());
    let server = Server::start(move |_, _| Reply::Whole(302, "text/plain", to.clone(), Vec::new()));
    let error = read(settings(&server)).await.unwrap_err();
    assert_eq!(error.kind, ErrorKind::Unavailable);
    assert!(error.message.contains("redirects to"), "{error:?}");
    assert_eq!(other.requests(), 0);
}

#[tokio::test]
async fn a_token_that_ends_in_the_middle_is_said_and_a_new_one_is_taken() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("token");
    std::fs::write(&file, "first-token\n").unwrap();
    let server = tracking(|request, token| {
        let good = match token {
            None => "Bearer first-token",
            Some(_) => "Bearer second-token",
        };
        match request.header("Authorization") == Some(good) {
            true if token.is_none() => Reply::json(page("r1", 1_795_300_000_000, "2")),
            true => Reply::json(page("r2", 1_795_300_001_000, "")),
            false => Reply::new(401, "application/json", "{}"),
        }
    });
    let auth = Auth::BearerFile(file.clone());
    let source = MlFlow::new(MlFlowSettings { auth, ..settings(&server) }).unwrap();
    let first = source.read(&window(336)).await.unwrap();
    let refusal = first.refusal.unwrap();
    assert_eq!((first.attempts.len(), refusal.kind), (1, ErrorKind::Denied));
    assert!(refusal.message.contains("have ended"), "{refusal:?}");
    assert!(!format!("{refusal:?}").contains("first-token"));
    // One that is changed while a list is read is taken with the next page.
    let swapped = file.clone();
    let server = tracking(move |request, token| {
        if token.is_none() {
            std::fs::write(&swapped, "second-token").unwrap();
            return Reply::json(page("r1", 1_795_300_000_000, "2"));
        }
        match request.header("Authorization") {
            Some("Bearer second-token") => Reply::json(page("r2", 1_795_300_001_000, "")),
            _ => Reply::new(401, "application/json", "{}"),
        }
    });
    let auth = Auth::BearerFile(file);
    let read = read(MlFlowSettings { auth, ..settings(&server) }).await.unwrap();
    assert_eq!((read.attempts.len(), read.refusal), (2, None));
}

#[tokio::test]
async fn a_password_goes_to_the_server_and_a_missing_token_is_said() {
    let server = tracking(|request, _| match request.header("Authorization") {
        // reader:pw
        Some("Basic cmVhZGVyOnB3") => Reply::json(page("r1", 1_795_300_000_000, "")),
        _ => Reply::new(401, "application/json", "{}"),
    });
    let auth = Auth::Basic { user: "reader".into(), password: Secret::new("pw") };
    let answer = read(MlFlowSettings { auth, ..settings(&server) }).await.unwrap();
    assert_eq!((answer.attempts.len(), answer.refusal), (1, None));
    let asked = server.requests();
    let missing = crate::domain::SourceError::new(ErrorKind::NoCredentials, "mlflow", "no", "");
    let error =
        read(MlFlowSettings { missing: Some(missing), ..settings(&server) }).await.unwrap_err();
    assert_eq!((error.kind, server.requests()), (ErrorKind::NoCredentials, asked));
}

#[tokio::test]
async fn experiments_that_are_not_named_are_not_read() {
    let server = tracking(|request, _| {
        let asked: serde_json::Value = serde_json::from_slice(&request.body).unwrap();
        assert_eq!(asked["experiment_ids"], serde_json::json!(["1"]));
        Reply::json("{}")
    });
    let only = |names: &[&str]| MlFlowSettings {
        experiments: names.iter().map(|name| (*name).to_owned()).collect(),
        ..settings(&server)
    };
    let answer = read(only(&["llm-*", "other"])).await.unwrap();
    assert_eq!((answer.attempts.len(), answer.refusal, answer.notes.len()), (0, None, 0));
    assert_eq!(server.requests(), 5, "experiments, three filters, version");
    let none = read(only(&["nothing"])).await.unwrap();
    assert!(none.notes[0].starts_with("no experiment has"), "{:?}", none.notes);
}
