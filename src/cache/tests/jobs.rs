//! Imported jobs come back as they were put, or not at all.

use std::sync::Arc;

use rusqlite::Connection;

use crate::cache::{Jobs, JobsError};
use crate::domain::SourceId;
use crate::domain::jobs::{
    Attempt, AttemptId, Gpus, JobSource, JobState, JobUsage, NodeEvent, NodeEventKind,
};

fn attempt(job: &str, key: &str, state: JobState) -> Attempt {
    let job: Arc<str> = job.into();
    let id = AttemptId {
        source: JobSource::File,
        cluster: "".into(),
        raw: job.clone(),
        key: key.into(),
    };
    let mut of = Attempt::new(id, job, state, state.word().into());
    of.started_at = "2026-11-20T00:00:00Z".parse().ok();
    of.gpus = Some(Gpus::whole(8));
    of.time_limit_ms = Some(86_400_000);
    let usage = JobUsage {
        gpus: 8,
        gpus_working: 1,
        gpu_activity_per_mille: 61,
        memory_peak_mib: Some(4_096),
    };
    of.usage = (state == JobState::Completed).then(|| Box::new(usage));
    of
}

fn jobs(dir: &tempfile::TempDir) -> Jobs {
    Jobs::beside(&dir.path().join("burntop.db"))
}

#[test]
fn an_import_that_is_made_twice_changes_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let jobs = jobs(&dir);
    assert!(jobs.all().unwrap().attempts.is_empty());
    assert!(!jobs.path().exists());
    let all = [attempt("1", "a", JobState::Failed), attempt("1", "b", JobState::Completed)];
    for _ in 0..2 {
        jobs.put(&all).unwrap();
        let kept = jobs.all().unwrap();
        let found: Vec<Attempt> = kept.attempts.attempts().collect();
        assert_eq!((&found[..], kept.unreadable), (&all[..], 0));
    }
}

#[test]
fn an_attempt_that_is_over_is_not_opened_again_by_an_older_file() {
    let dir = tempfile::tempdir().unwrap();
    let jobs = jobs(&dir);
    let state = |state| {
        jobs.put(&[attempt("1", "a", state)]).unwrap();
        jobs.all().unwrap().attempts.view(0).state
    };
    assert_eq!(state(JobState::Running), JobState::Running);
    assert_eq!(state(JobState::Failed), JobState::Failed);
    assert_eq!(state(JobState::Running), JobState::Failed);
    assert_eq!(state(JobState::Completed), JobState::Completed);
}

#[test]
fn a_damaged_row_is_counted_and_the_others_are_read() {
    let dir = tempfile::tempdir().unwrap();
    let jobs = jobs(&dir);
    jobs.put(&[attempt("1", "a", JobState::Failed), attempt("2", "a", JobState::Failed)]).unwrap();
    let conn = Connection::open(jobs.path()).unwrap();
    conn.execute("UPDATE attempt SET over = 0 WHERE raw = '1'", []).unwrap();
    let kept = jobs.all().unwrap();
    assert_eq!((kept.attempts.len(), kept.unreadable), (1, 1));
    conn.execute("UPDATE attempt SET layout = 99", []).unwrap();
    assert_eq!(jobs.all().unwrap().unreadable, 2);
}

#[test]
fn a_file_that_is_none_of_ours_is_refused_with_what_to_do() {
    let dir = tempfile::tempdir().unwrap();
    let jobs = jobs(&dir);
    std::fs::write(jobs.path(), "no database at all, but a text that somebody put here").unwrap();
    let error = jobs.put(&[attempt("1", "a", JobState::Failed)]).unwrap_err();
    assert!(matches!(error, JobsError::File { .. }), "{error}");
    assert!(error.to_string().ends_with("move it away, and import the jobs again"), "{error}");
    assert!(jobs.all().is_err());
}

#[test]
fn a_cache_of_the_same_name_is_another_file() {
    let jobs = Jobs::beside(std::path::Path::new("/x/jobs.db"));
    assert_eq!(jobs.path(), std::path::Path::new("/x/imported-jobs.db"));
}

#[test]
fn of_many_attempts_each_comes_back_once_and_in_order() {
    let dir = tempfile::tempdir().unwrap();
    let jobs = jobs(&dir);
    // More than the pieces that are on their way at once.
    let mut all: Vec<Attempt> = (0..40_000)
        .map(|n| attempt(&format!("{n}"), "a", JobState::ALL[n % JobState::ALL.len()]))
        .collect();
    jobs.put(&all).unwrap();
    let kept = jobs.all().unwrap();
    all.sort_by(|a, b| a.id.cmp(&b.id));
    assert!(kept.attempts.attempts().eq(all));
    assert_eq!(kept.unreadable, 0);
}

#[test]
fn what_happened_to_nodes_is_kept_once_and_a_damaged_row_is_passed_over() {
    let dir = tempfile::tempdir().unwrap();
    let jobs = jobs(&dir);
    let at = |text: &str| text.parse::<jiff::Timestamp>().unwrap();
    let event = |host: &str, gpu, time: &str| NodeEvent {
        cluster: None,
        hosts: vec![host.into()],
        gpu,
        kind: NodeEventKind::Xid(79),
        at: at(time),
        words: None,
    };
    let all = [
        event("n1", Some(3), "2026-11-20T08:00:00Z"),
        event("n1", Some(4), "2026-11-20T08:00:00Z"),
        event("n2", None, "2026-11-20T09:00:00Z"),
    ];
    let source = (SourceId::Prometheus, "main");
    assert_eq!(jobs.events_read(source.0, source.1).unwrap(), None);
    let (now, until) = (at("2026-11-20T10:00:00Z"), at("2026-11-20T09:30:00Z"));
    for _ in 0..2 {
        jobs.put_events(source, &all, now, until).unwrap();
    }
    assert_eq!(jobs.all().unwrap().events, all);
    assert_eq!(jobs.events_read(source.0, source.1).unwrap(), Some(until));
    assert_eq!(jobs.events_read(SourceId::Ec2, source.1).unwrap(), None);
    // It is no reading of jobs.
    assert!(jobs.all().unwrap().readings.is_empty());
    let conn = Connection::open(jobs.path()).unwrap();
    conn.execute("UPDATE node_event SET at = at + 1 WHERE key LIKE '%n2%'", []).unwrap();
    conn.execute("UPDATE reading SET complete = complete + 1", []).unwrap();
    assert_eq!(jobs.all().unwrap().events, all[..2]);
    assert_eq!(jobs.events_read(source.0, source.1).unwrap(), None);
    // After more than a year nothing that ran then is looked at.
    let later = at("2028-01-01T00:00:00Z");
    jobs.put_events(source, &[], later, later).unwrap();
    assert!(jobs.all().unwrap().events.is_empty());
}
