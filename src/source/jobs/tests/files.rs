//! CSV and JSON lines with burntop's own columns.

use std::path::{Path, PathBuf};

use super::super::JobNote;
use super::*;

#[test]
fn csv_and_json_lines_say_the_same() {
    let csv = "id,start,end,instance_type,count,status,user,nodes,exit,extra\n\
               a,2026-11-20T10:00:00+02:00,1795168800000,p5.48xlarge,2,Failed,ada,n1;n2,137,x\n";
    let json = r#"{"id":"a","start":"2026-11-20T10:00:00+02:00","end":1795168800000,"instance_type":"p5.48xlarge","count":2,"status":"Failed","user":"ada","nodes":["n1","n2"],"exit":137,"extra":{"x":1}}"#;
    let (csv, json) = (all(csv), all(json));
    assert_eq!(csv, json);
    let one = &csv[0];
    assert_eq!(one.started_at.unwrap().to_string(), "2026-11-20T08:00:00Z");
    assert_eq!(one.cause, Some(Cause::Signal(9)));
    assert_eq!((one.nodes.len(), one.node_count, one.gpus), (2, Some(2), None));
}

#[test]
fn numbers_are_seconds_or_milliseconds_and_it_is_said_which() {
    let text = format!("{HEAD}\na,,1795367776,1795367777000,1,completed,\n");
    let file = read_text(text).unwrap();
    assert_eq!(file.attempts.get(0).held_ms(), Some(1000));
    assert!(file.notes.contains(&JobNote::Seconds) && file.notes.contains(&JobNote::Milliseconds));
}

#[test]
fn words_of_many_schedulers_are_known_and_others_are_kept_as_unknown() {
    for (word, state) in [
        ("completed", JobState::Completed),
        ("Pass", JobState::Completed),
        ("OOMKilled", JobState::OutOfMemory),
        ("NODE_FAIL", JobState::NodeFault),
        ("timed_out", JobState::TimedOut),
        ("CANCELLED by 12", JobState::Cancelled),
        ("Killed", JobState::Cancelled),
        ("evicted", JobState::Preempted),
        ("hibernating", JobState::Unknown),
    ] {
        let text = format!("{HEAD}\na,,1795367776,1795367777,1,{word},\n");
        let one = &all(text)[0];
        assert_eq!((one.state, &*one.state_source), (state, word));
    }
}

#[test]
fn an_attempt_that_stands_twice_counts_once_and_the_last_line_wins() {
    // Four ranks that each report job 500 are one job of 8 GPUs, not four.
    let rank = "500,1,1795367776,1795371376,8,completed,\n".repeat(4);
    let file = read_text(format!("{HEAD}\n{rank}")).unwrap();
    assert_eq!(file.attempts.len(), 1);
    assert!(file.notes.contains(&JobNote::Repeated { lines: 3 }));
}

#[test]
fn the_log_is_that_of_the_line_that_counts() {
    let head = "id,start,end,gpus,status,reason,log";
    let failed = |id: &str, log: &str| format!("{id},1795367776,1795367777,1,failed,,{log}");
    let logs = |lines: &[String]| read_text([head, &lines.join("\n")].join("\n")).unwrap().logs;
    let done = "a,1795367776,1795367777,1,completed,,a.log".to_owned();
    let told = "a,1795367776,1795367777,1,failed,out of memory,a.log".to_owned();
    let both = logs(&[failed("a", "a.log"), failed("b", "b.log")]);
    assert_eq!(both.into_values().collect::<Vec<_>>(), [Path::new("a.log"), Path::new("b.log")]);
    let later = logs(&[failed("b", "b.log"), failed("a", "a.log"), failed("b", "c.log")]);
    assert_eq!(later.get(&0).map(PathBuf::as_path), Some(Path::new("c.log")));
    for other in [done, told] {
        assert!(logs(&[failed("a", "a.log"), other]).is_empty());
    }
}

#[test]
fn what_is_missing_in_the_head_is_named() {
    let error = |head: &str| read_text(format!("{head}\n")).unwrap_err();
    assert_eq!(error("id,start,end,gpus"), JobsFileError::NoColumn("status"));
    assert_eq!(error("id,start,end,status"), JobsFileError::NoColumn("gpus"));
    assert_eq!(error("id,job_id,start,end,gpus,status"), JobsFileError::TwoColumns("id"));
    for empty in ["", "\n\n", HEAD] {
        assert_eq!(read_text(empty).unwrap_err(), JobsFileError::Empty, "{empty:?}");
    }
}

#[test]
fn a_repeated_hour_is_taken_as_the_earlier_one_and_said() {
    let text = format!("{HEAD}\na,,2026-10-25T02:30:00,2026-10-25T05:00:00,1,completed,\n");
    let file = read(text.as_bytes(), &options(Some("Europe/Berlin"))).unwrap();
    assert_eq!(file.attempts.get(0).started_at.unwrap().to_string(), "2026-10-25T00:30:00Z");
    assert!(file.notes.contains(&JobNote::Ambiguous { times: 1 }));
}
