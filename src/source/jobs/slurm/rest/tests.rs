//! Answers of slurmrestd: captures of five versions against the text of the same jobs, and such as mean harm.

use jiff::Timestamp;
use serde::de::DeserializeOwned;

use super::super::books::Books;
use super::super::{SlurmSettings, held};
use super::answers::{Errors, Number, Words};
use super::{Paths, jobs, present, token};
use crate::domain::jobs::{Attempt, JobState};
use crate::domain::{Address, ErrorKind, Secret};
use crate::source::http::Place;
use crate::source::jobs::live::{JobWindow, LiveJobs};
use crate::source::jobs::{ReadOptions, read as read_text};
use crate::source::server::{Reply, Request, Server};

macro_rules! capture {
    ($name:literal) => {
        include_str!(concat!("../../../../../tests/data/jobs/", $name))
    };
}

fn now() -> Timestamp {
    "2026-11-28T00:00:00Z".parse().unwrap()
}

fn json<T: DeserializeOwned>(text: &str) -> T {
    serde_json::from_str(text).unwrap()
}

fn attempts(text: &str) -> Vec<Attempt> {
    let mut books = Books::new(now());
    json::<jobs::Jobs>(text).into_books(&mut books).unwrap();
    let (attempts, notes) = books.close(Some(true), None, &SlurmSettings::new("x"));
    assert_eq!(notes, [] as [&str; 0]);
    attempts
}

fn of_text(text: &str) -> Vec<Attempt> {
    let file = read_text(text.as_bytes(), &ReadOptions { tz: None, now: now() }).unwrap();
    file.attempts.attempts().collect()
}

/// What of an attempt both forms tell, in the order of their identities.
fn told(attempts: Vec<Attempt>) -> Vec<String> {
    let one = |a: Attempt| {
        let word = a.state_source.split(' ').next().unwrap_or_default().to_owned();
        format!(
            "{:?} {} {word} {:?} {:?} {:?} {:?} {:?} {:?} {:?} {:?} {:?} {:?} {:?} {:?}",
            a.id,
            a.job,
            a.state,
            a.name,
            a.user,
            a.team,
            a.started_at,
            a.ended_at,
            a.nodes,
            a.gpus,
            a.cpus,
            a.memory_mib,
            a.gpu_model,
            a.queue
        )
    };
    let mut all: Vec<String> = attempts.into_iter().map(one).collect();
    all.sort();
    all
}

#[test]
fn json_of_each_version_tells_what_the_text_tells() {
    for (json, text) in [
        (capture!("slurmrestd/jobs-40.json"), capture!("slurm-24.11.5.txt")),
        (capture!("slurmrestd/jobs-42.json"), capture!("slurm-24.11.5.txt")),
        (capture!("slurmrestd/jobs-45.json"), capture!("slurm-26.05.5.txt")),
    ] {
        let (json, text) = (told(attempts(json)), told(of_text(text)));
        assert_eq!(json.len(), text.len());
        for (json, text) in json.iter().zip(&text) {
            assert_eq!(json, text);
        }
    }
}

#[test]
fn the_oldest_version_lacks_exit_codes_and_nothing_else() {
    let json = told(attempts(capture!("slurmrestd/jobs-38.json")));
    let text = told(of_text(capture!("slurmrestd/jobs-38.txt")));
    assert_eq!(json.len(), text.len());
    for (json, text) in json.iter().zip(&text) {
        assert_eq!(*json, text.replace("CompletedStepFailed", "Completed"));
    }
    let all = attempts(capture!("slurmrestd/jobs-38.json"));
    let failed = all.iter().find(|a| a.state == JobState::Failed).unwrap();
    assert_eq!(failed.cause, None, "unknown, and no exit code of 0");
}

#[test]
fn causes_are_those_of_the_text_where_the_version_tells_them() {
    let causes = |attempts: Vec<Attempt>| {
        let mut all: Vec<_> =
            attempts.into_iter().map(|a| (a.id.raw.clone(), a.id.key.clone(), a.cause)).collect();
        all.sort();
        all
    };
    let json = causes(attempts(capture!("slurmrestd/jobs-42.json")));
    assert_eq!(json, causes(of_text(capture!("slurm-24.11.5.txt"))));
}

#[test]
fn an_attempt_that_was_put_back_is_none_that_waits() {
    let all = attempts(capture!("slurmrestd/jobs-45.json"));
    let requeued: Vec<&Attempt> = all.iter().filter(|a| &*a.state_source == "REQUEUED").collect();
    assert_eq!(requeued.len(), 1);
    assert_eq!((requeued[0].state, requeued[0].held_ms()), (JobState::Preempted, Some(4_000)));
    // And who never started has no start in 2106.
    let never = all.iter().filter(|a| a.started_at.is_none());
    assert!(never.clone().count() > 0 && never.clone().all(|a| a.held_ms() == Some(0)));
}

#[test]
fn who_holds_gpus_is_told_by_the_controller() {
    for (live, nodes, want) in [
        (
            capture!("slurmrestd/live-38.json"),
            capture!("slurmrestd/nodes-38.json"),
            vec![("3", 4), ("9+0", 2), ("9+1", 1)],
        ),
        (
            capture!("slurmrestd/live-42.json"),
            capture!("slurmrestd/nodes-42.json"),
            vec![("32", 4)],
        ),
    ] {
        let (live, nodes) = (json::<present::LiveList>(live), json::<present::NodeList>(nodes));
        let (records, jobs) = (nodes.records(), live.held());
        let cluster = live.cluster().unwrap();
        assert!(live.version().is_some_and(|version| version.contains('.')));
        let settings = SlurmSettings::new("x");
        let (nodes, holders) = held::joined(&records, Some(&jobs), &cluster, &settings, now());
        assert_eq!(nodes.len(), 2);
        let found: Vec<(&str, u64)> = holders
            .iter()
            .map(|h| {
                (h.job.as_deref().unwrap_or("nobody"), h.gpus.unwrap().millionths() / 1_000_000)
            })
            .collect();
        assert_eq!(found, want);
    }
    let nodes = json::<present::NodeList>(capture!("slurmrestd/nodes-45.json")).records();
    assert!(nodes[0].booted > 1_795_000_000 && nodes[0].state.contains("PLANNED"));
}

#[test]
fn the_best_version_that_was_seen_is_taken() {
    let best = |versions: &[u16]| {
        let paths: Vec<String> = versions
            .iter()
            .flat_map(|v| [format!("/slurmdb/v0.0.{v}/jobs/"), format!("/slurm/v0.0.{v}/nodes/")])
            .collect();
        Paths::of(paths.iter())
    };
    assert_eq!(best(&[36, 37, 38]).unwrap().version, 38);
    assert_eq!(best(&[40, 41, 42]).unwrap().version, 42);
    assert_eq!(best(&[41, 42, 43, 44]).unwrap().version, 42);
    assert_eq!(best(&[42, 43, 44, 45]).unwrap().jobs, "/slurmdb/v0.0.45/jobs/");
    assert_eq!(best(&[43, 44]).unwrap().version, 44);
    assert_eq!(best(&[36, 99]), None);
}

#[test]
fn failures_are_told_whatever_their_status() {
    let place = Place { operation: super::OPERATION, host: "slurm:6820".into() };
    let token = Secret::new("x");
    let of = |text: &str| json::<Errors>(text).first(&place, &token);
    // 22.05 with status 200.
    let bad =
        r#"{"errors":[{"error_number":1007,"error":"Protocol authentication error"}],"jobs":[]}"#;
    assert_eq!(of(bad).map(|e| e.kind), Some(ErrorKind::Denied));
    // 26.05 with status 502.
    let lost = r#"{"errors":[{"description":"Failed to open slurmdbd connection","error_number":7000,
        "error":"Unable to connect to database"}]}"#;
    assert_eq!(of(lost).map(|e| e.kind), Some(ErrorKind::Network));
    let ended = Secret::new(jwt(r#"{"exp":1795000000,"sun":"root"}"#));
    let error = json::<Errors>(lost).first(&place, &ended).unwrap();
    assert_eq!(error.kind, ErrorKind::Expired);
    assert!(error.fix.contains("scontrol token"), "{error:?}");
    assert_eq!(of(r#"{"errors":[]}"#), None);
    assert!(
        of(r#"{"errors":[{"error":"\u001b[2J"}]}"#).is_some_and(|e| !e.message.contains('\u{1b}'))
    );
}

/// A token with these claims, whose signature nobody checks here.
fn jwt(claims: &str) -> String {
    let encoded = aws_smithy_types::base64::encode(claims);
    format!("e30.{}.c2ln", encoded.trim_end_matches('=').replace('+', "-").replace('/', "_"))
}

#[test]
fn a_token_tells_its_end_and_its_user_and_nothing_else_is_taken_for_one() {
    let token = Secret::new(jwt(r#"{"exp":1795805277,"iat":1795801677,"sun":"alice"}"#));
    assert_eq!(token::ends(&token), Timestamp::from_second(1_795_805_277).ok());
    assert_eq!(token::user(&token).as_deref(), Some("alice"));
    for odd in ["", "x", "a.b.c", &jwt("[]"), &jwt(r#"{"exp":-1,"sun":"a\r\nb"}"#), &jwt("{")] {
        let odd = Secret::new(odd);
        assert_eq!((token::ends(&odd), token::user(&odd)), (None, None));
    }
}

#[tokio::test]
async fn a_token_is_read_as_scontrol_prints_it() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("token");
    let at = super::Token::File(file.clone());
    assert_eq!(at.read().await.unwrap_err().kind, ErrorKind::NoCredentials);
    for (text, want) in [("SLURM_JWT=abc\n", Some("abc")), (" abc ", Some("abc")), ("\n", None)] {
        std::fs::write(&file, text).unwrap();
        assert_eq!(at.read().await.ok().map(|t| t.reveal().to_owned()).as_deref(), want);
    }
    let unset = super::Token::Variable { name: "SLURM_JWT".into(), value: None };
    assert!(unset.read().await.unwrap_err().message.contains("SLURM_JWT"));
}

#[test]
fn values_have_many_forms_and_odd_ones_are_none() {
    let number = |text: &str| json::<Number>(text).whole();
    assert_eq!(number("7"), Some(7));
    assert_eq!(number(r#"{"set":true,"infinite":false,"number":7}"#), Some(7));
    for none in [
        "null",
        r#"{"set":false,"number":7}"#,
        r#"{"set":true,"infinite":true,"number":0}"#,
        "\"7\"",
        "[]",
        "1e300",
        "0.5",
    ] {
        assert_eq!(number(none), None, "{none}");
    }
    assert_eq!(json::<Words>("\"A\"").0, ["A"]);
    assert_eq!(json::<Words>("[\"A\",\"B\"]").0, ["A", "B"]);
    assert_eq!(json::<Words>("7").0, [] as [&str; 0]);
}

#[test]
fn answers_that_mean_harm_are_rows_that_fail_or_none() {
    let mut books = Books::new(now());
    let text = r#"{"jobs":[{},{"job_id":"x"},{"job_id":5,"state":{"current":["\u001b[2J"]},
        "time":{"start":99999999999999,"end":{"set":true,"number":1e308}},"nodes":"n[0-4294967295]"},
        {"job_id":-3},{"job_id":9,"state":{"current":["COMPLETED"]},"time":{"submission":1795367776,
        "start":1795367777,"end":1795367770}},
        {"job_id":10,"name":"a\u001fb|c","state":{"current":"RUNNING"},
        "time":{"submission":1795367776,"start":1795367777,"end":0,"elapsed":10},
        "tres":{"allocated":[{"type":"gres","name":"gpu","count":-2}]}}]}"#;
    json::<jobs::Jobs>(text).into_books(&mut books).unwrap();
    let (attempts, notes) = books.close(Some(true), None, &SlurmSettings::new("x"));
    assert_eq!(attempts.len(), 1, "{attempts:?} {notes:?}");
    assert_eq!(&*attempts[0].id.raw, "10");
    assert!(attempts[0].name.as_deref().is_some_and(|n| !n.contains('\u{1f}')));
    assert!(notes[0].starts_with("5 rows"), "{notes:?}");
    for odd in ["[]", "{\"jobs\":7}", "{\"jobs\":[7]}", "null", "{"] {
        assert!(serde_json::from_str::<jobs::Jobs>(odd).is_err(), "{odd}");
    }
}

/// A slurmrestd of one version; `status` and body of `jobs` as given.
fn slurmrestd(
    version: u16,
    jobs: impl Fn(&Request) -> (u16, String) + Send + Sync + 'static,
) -> Server {
    Server::start(move |_, request| {
        let path = request.path.split('?').next().unwrap_or_default();
        if request.header("X-SLURM-USER-TOKEN").is_none() {
            let body = b"Authentication failure".to_vec();
            return Reply::new(401, "text/plain", body);
        }
        let (status, body) = match path {
            "/openapi/v3" => {
                let of =
                    |part: &str, what: &str| format!("\"/{part}/v0.0.{version}/{what}/\":{{}}");
                let paths = [
                    of("slurmdb", "jobs"),
                    of("slurmdb", "tres"),
                    of("slurm", "jobs"),
                    of("slurm", "nodes"),
                ];
                (200, format!("{{\"paths\":{{{}}}}}", paths.join(",")))
            }
            _ if path.contains("/tres") => {
                (200, r#"{"TRES":[{"type":"gres","name":"gpu","count":0}],"errors":[]}"#.into())
            }
            _ if path.contains("/nodes") => (200, capture!("slurmrestd/nodes-42.json").into()),
            _ if path.starts_with("/slurm/") => (200, capture!("slurmrestd/live-42.json").into()),
            _ => jobs(request),
        };
        Reply::new(status, "application/json", body)
    })
}

fn source(server: &Server, token: String) -> super::SlurmRest {
    let token =
        super::Token::Variable { name: "SLURM_JWT".into(), value: Some(Secret::new(token)) };
    let settings = SlurmSettings::new("far");
    super::SlurmRest::new(
        settings,
        Address::new(format!("http://{}", server.address())),
        token,
        None,
    )
    .unwrap()
}

fn window(hours: i64) -> JobWindow {
    // After all that the captures hold.
    let until = Timestamp::from_second(1_795_370_000).unwrap();
    JobWindow { since: until - jiff::SignedDuration::from_hours(hours), until, open_since: None }
}

fn good_token() -> String {
    jwt(r#"{"exp":99000000000,"sun":"alice"}"#)
}

#[tokio::test]
async fn a_cluster_is_read_an_hour_a_request_with_exactly_these_parameters() {
    let server = slurmrestd(42, |_| (200, capture!("slurmrestd/jobs-42.json").into()));
    let read = source(&server, good_token()).read(&window(2)).await.unwrap();
    assert_eq!(read.attempts.len(), 34, "each once");
    assert_eq!((read.nodes.len(), read.holders.map(|h| h.len())), (2, Some(1)));
    assert_eq!((read.about.as_deref(), read.refusal), (Some("Slurm 24.11.5"), None));
    assert_eq!(read.notes, [] as [&str; 0]);
    let asked: Vec<String> = server
        .seen()
        .iter()
        .filter(|request| request.path.starts_with("/slurmdb/v0.0.42/jobs"))
        .map(|request| request.path.split_once('?').unwrap().1.to_owned())
        .collect();
    let more = "skip_steps=true&show_duplicates=true&disable_truncate_usage_time=true";
    assert_eq!(
        asked,
        [
            format!("start_time=uts1795362800&end_time=uts1795366400&{more}"),
            format!("start_time=uts1795366400&end_time=uts1795370000&{more}"),
        ]
    );
    let of_user = server.seen()[0].header("X-SLURM-USER-NAME").map(str::to_owned);
    assert_eq!(of_user.as_deref(), Some("alice"), "22.05 wants it");
}

#[tokio::test]
async fn the_oldest_version_gets_no_parameter_that_it_does_not_know() {
    let server = slurmrestd(38, |request| {
        match request.path.contains("show_duplicates") {
        true => (500, r#"{"errors":[{"description":"Unknown Query field"}]}"#.into()),
        // Of an hour without jobs it says this.
        false if request.path.contains("end_time=uts1795820400") => (
            500,
            r#"{"errors":[{"description":"Nothing found with query","error_number":9003,"error":"Nothing found"}],"jobs":[]}"#
                .into(),
        ),
        false => (200, capture!("slurmrestd/jobs-38.json").into()),
    }
    });
    let mut window = window(1);
    (window.since, window.until) = (now() - jiff::SignedDuration::from_hours(2), now());
    let read = source(&server, good_token()).read(&window).await.unwrap();
    assert_eq!(read.attempts.len(), 12);
    assert!(read.notes.iter().any(|note| note.contains("no exit codes")), "{:?}", read.notes);
}

#[tokio::test]
async fn a_token_that_ends_in_the_middle_says_so_and_what_to_do() {
    let ended = jwt(r#"{"exp":1795000000,"sun":"alice"}"#);
    let server = slurmrestd(42, |_| (200, "{\"jobs\":[]}".into()));
    let error = source(&server, ended).read(&window(1)).await.unwrap_err();
    assert_eq!(error.kind, ErrorKind::Expired);
    assert!(error.fix.contains("scontrol token"), "{error:?}");
    assert_eq!(server.requests(), 0, "nobody is asked with it");
    // One that ends within the reading: the answers say it with whatever status.
    for (status, body) in [
        (
            200,
            r#"{"errors":[{"error_number":1007,"error":"Protocol authentication error"}],"jobs":[]}"#,
        ),
        (511, r#"{"errors":[{"error_number":1007,"error":"Protocol authentication error"}]}"#),
        (401, "Authentication failure"),
    ] {
        let server = slurmrestd(42, move |_| (status, body.into()));
        let error = source(&server, good_token()).read(&window(1)).await.unwrap_err();
        assert_eq!(error.kind, ErrorKind::Denied, "{status}: {error:?}");
        assert!(error.fix.contains("scontrol token") && !error.to_string().contains("e30."));
    }
    // One that ends soon is said while it still works.
    let soon = jwt(r#"{"exp":1795370600,"sun":"alice"}"#);
    let server = slurmrestd(42, |_| (200, capture!("slurmrestd/jobs-42.json").into()));
    let read = source(&server, soon).read(&window(1)).await.unwrap();
    assert!(read.notes[0].contains("10m"), "{:?}", read.notes);
}

#[tokio::test]
async fn answers_that_are_none_end_the_reading_and_nothing_of_them_is_unclean() {
    for body in
        ["", "<html>log in", "{\"jobs\":[{]", "{}", "[]", "null", "{\"jobs\":\"\u{1b}[2J\"}"]
    {
        let server = slurmrestd(45, move |_| (200, body.into()));
        let error = source(&server, good_token()).read(&window(1)).await.unwrap_err();
        assert_eq!(error.kind, ErrorKind::Malformed, "{body:?}: {error:?}");
        assert!(!error.message.chars().any(crate::domain::text::is_unsafe), "{error:?}");
    }
    let server = slurmrestd(36, |_| (200, "{\"jobs\":[]}".into()));
    let error = source(&server, good_token()).read(&window(1)).await.unwrap_err();
    assert_eq!(error.kind, ErrorKind::Unavailable);
}
