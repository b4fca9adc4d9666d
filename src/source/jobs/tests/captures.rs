//! Text of sacct as real clusters wrote it.

use super::super::JobNote;
use super::*;

const SLURM: [&[u8]; 3] = [
    include_bytes!("../../../../tests/data/jobs/slurm-22.05.8.txt"),
    include_bytes!("../../../../tests/data/jobs/slurm-24.11.5.txt"),
    include_bytes!("../../../../tests/data/jobs/slurm-26.05.5.txt"),
];
const STEPS: &[u8] = include_bytes!("../../../../tests/data/jobs/slurm-24.11.5-steps.txt");
const LINE_BREAKS: &[u8] = include_bytes!("../../../../tests/data/jobs/gcm-line-breaks.txt");
const NO_UTF8: &[u8] = include_bytes!("../../../../tests/data/jobs/gcm-invalid-utf8.txt");

#[test]
fn three_releases_of_slurm_are_read_row_by_row() {
    for (text, rows) in SLURM.into_iter().zip([35, 34, 34]) {
        let attempts = all(text);
        assert_eq!(attempts.len(), rows);
        let one = named(&attempts, "ok-llm")[0];
        assert_eq!(one.gpus, Some(Gpus::whole(2)));
        assert_eq!(one.gpu_model.as_deref(), Some("h100"));
        assert_eq!(one.project.as_deref(), Some("llm-7b"));
        assert_eq!(one.checkpoint.as_deref(), Some("s3://ckpt-bucket/llm-7b/run-1/"));
        assert_eq!(one.team.as_deref(), Some("ml"));
    }
}

#[test]
fn states_come_from_slurms_words_never_from_exit_codes() {
    let attempts = all(SLURM[1]);
    let of = |name: &str| {
        let one = named(&attempts, name)[0];
        (one.state, one.cause)
    };
    // Its exit code is 0:0.
    assert_eq!(of("timeout"), (JobState::TimedOut, Some(Cause::TimeLimit)));
    assert_eq!(of("oom"), (JobState::OutOfMemory, Some(Cause::OutOfMemory)));
    assert_eq!(of("segv"), (JobState::Failed, Some(Cause::Signal(11))));
    assert_eq!(of("fail-exit1"), (JobState::Failed, Some(Cause::Exit(1))));
    // The script ended with 0, its step with 7.
    assert_eq!(of("hidden-fail"), (JobState::CompletedStepFailed, Some(Cause::StepExit(7))));
    assert_eq!(of("cancel-run"), (JobState::Cancelled, Some(Cause::Cancelled)));
    assert_eq!(&*named(&attempts, "cancel-run")[0].state_source, "CANCELLED by 2003");
    assert_eq!(of("nf-norequeue"), (JobState::NodeFault, Some(Cause::NodeFault)));
    assert_eq!(of("requeue"), (JobState::Preempted, Some(Cause::Requeued)));
    assert_eq!(of("scav-cancel").0, JobState::Completed);
    assert_eq!(of("deadline"), (JobState::TimedOut, Some(Cause::Deadline)));
    assert_eq!(named(&attempts, "deadline")[0].held_ms(), Some(0));
    assert_eq!(of("arr-pend").0, JobState::Cancelled);
}

#[test]
fn gpus_are_those_held_over_all_nodes_and_counted_once() {
    let attempts = all(SLURM[1]);
    // `gres/gpu:h100=8,gres/gpu=8` on two nodes are 8: neither 16 by both words nor 16 by nodes.
    let multi = named(&attempts, "multi")[0];
    assert_eq!((multi.gpus, multi.node_count), (Some(Gpus::whole(8)), Some(2)));
    let nodes: Vec<&str> = multi.nodes.iter().map(|node| &**node).collect();
    assert_eq!(nodes, ["queue1-dy-p5-1", "queue1-dy-p5-2"]);
    // Asked for none, held all of an exclusive node: ReqTRES would say 0.
    assert_eq!(named(&attempts, "excl-nogpu")[0].gpus, Some(Gpus::whole(8)));
}

#[test]
fn since_when_for_what_and_why_jobs_waited_is_told() {
    let attempts = all(SLURM[1]);
    let of = |raw: &str| {
        // Of one that was put back the attempt after it.
        let one = attempts.iter().rfind(|of| &*of.id.raw == raw).unwrap();
        let second = |at: Option<jiff::Timestamp>| at.map(jiff::Timestamp::as_second);
        let asked = one.asked_gpus.map(Gpus::to_f64);
        (asked, second(one.eligible_at), second(one.started_at), one.wait_reason.as_deref())
    };
    // A quota kept it for 100 seconds; nodes and priority are no reason that is kept.
    let quota = Some("AssocGrpGRES");
    assert_eq!(of("10"), (Some(8.0), Some(1_795_367_777), Some(1_795_367_877), quota));
    // Two minutes after it was put back it could start, and nine seconds later it did.
    let put_back = Some("BeginTime");
    assert_eq!(of("19"), (Some(1.0), Some(1_795_367_941), Some(1_795_367_950), put_back));
    // It never started: what it asked for is known, and what it held is not.
    assert_eq!(of("31"), (Some(8.0), Some(1_795_368_042), None, None));
    let gpus = |raw: &str| attempts.iter().find(|of| &*of.id.raw == raw).unwrap().gpus;
    assert_eq!((gpus("31"), gpus("10")), (None, Some(Gpus::whole(8))));
    // Tasks of an array that wait as one: what each of them asks for.
    assert_eq!(of("33"), (Some(8.0), Some(1_795_368_074), None, None));
}

#[test]
fn a_suspended_job_held_its_node_all_the_time() {
    let attempts = all(SLURM[1]);
    // ElapsedRaw says 2.
    assert_eq!(named(&attempts, "suspend")[0].held_ms(), Some(9_000));
    // One that runs: up to when the text was written.
    let running = named(&attempts, "running-now");
    let running = running.iter().find(|a| a.state == JobState::Running).unwrap();
    assert_eq!((running.held_ms(), running.ended_at), (Some(404_000), None));
}

#[test]
fn a_delimiter_in_a_name_is_mended_where_one_reading_makes_sense() {
    let attempts = all(SLURM[0]);
    assert_eq!(named(&attempts, "pipe|in name").len(), 2);
    // Here the delimiter is the one in the name.
    let attempts = all(STEPS);
    assert_eq!(named(&attempts, "pipe|in name").len(), 1);
    // Two texts beside each other: which of them has it, nobody knows.
    let text = "JobID|JobName|Comment|State|Start|End\n1|a|b|c|COMPLETED|1795367776|1795367777\n\
                2|a|b|COMPLETED|1795367776|1795367777\n";
    let file = read_text(text).unwrap();
    assert_eq!(file.attempts.len(), 1);
    assert_eq!(file.failed[0].why, LineError::Fields { found: 7, wanted: 6 });
}

#[test]
fn steps_are_parts_of_their_jobs() {
    let file = read_text(STEPS).unwrap();
    assert_eq!(file.attempts.len(), 34);
    let steps = |note: &JobNote| matches!(note, JobNote::Steps { .. });
    assert!(file.notes.iter().any(steps), "{:?}", file.notes);
    let alone = "JobID|State|Start|End\n7.batch|COMPLETED|1795367776|1795367777\n";
    assert_eq!(read_text(alone).unwrap_err(), JobsFileError::StepsAlone { steps: 1 });
}

#[test]
fn line_breaks_and_bytes_that_are_no_text_are_read_over() {
    let file = read(LINE_BREAKS, &options(Some("UTC"))).unwrap();
    let jobs: Vec<&str> = file.attempts.views().map(|a| a.job).collect();
    assert_eq!((jobs, file.failed), (vec!["201729", "201844"], vec![]));
    let file = read(NO_UTF8, &options(Some("UTC"))).unwrap();
    let jobs: Vec<&str> = file.attempts.views().map(|a| a.job).collect();
    assert_eq!((jobs, file.failed), (vec!["3557891", "3557892"], vec![]));
}

#[test]
fn local_times_need_their_zone() {
    // The same row in New York, UTC and Tokyo is three moments.
    let error = read_text(NO_UTF8).unwrap_err();
    let JobsFileError::NoLine { why: LineError::NoZone { .. }, .. } = error else {
        panic!("{error}")
    };
    let start = |zone| {
        let text = "JobID|State|Start|End\n1|COMPLETED|2026-11-22T12:16:16|2026-11-22T12:17:16\n";
        let file = read(text.as_bytes(), &options(Some(zone))).unwrap();
        file.attempts.get(0).started_at.unwrap().as_second()
    };
    assert_eq!(start("America/New_York") - start("UTC"), 5 * 3600);
    assert_eq!(start("Asia/Tokyo") - start("UTC"), -9 * 3600);
}

#[test]
fn unknown_gpus_are_not_0_and_said_once_a_cluster() {
    let row = |cluster, tres| {
        format!(
            "{cluster}|1|COMPLETED|1795367776|1795367777|{tres}\n{cluster}|2|COMPLETED|1795367776|1795367777|cpu=1\n"
        )
    };
    let head = "Cluster|JobID|State|Start|End|AllocTRES\n";
    let text = [head.to_owned(), row("a", "cpu=8"), row("b", "cpu=8,gres/gpu=2")].concat();
    let file = read_text(text).unwrap();
    let gpus: Vec<Option<f64>> = file.attempts.views().map(|a| a.gpus.map(Gpus::to_f64)).collect();
    assert_eq!(gpus, [None, None, Some(2.0), Some(0.0)]);
    let of_a: Vec<&JobNote> =
        file.notes.iter().filter(|note| matches!(note, JobNote::NoGpus { .. })).collect();
    assert_eq!(of_a, [&JobNote::NoGpus { cluster: "a".into() }]);
}

#[test]
fn a_job_that_runs_beyond_its_limit_is_doubtful() {
    // 30 days at a limit of a day: 2 GPUs would be $9,907.20, and growing.
    let head = "JobID|State|Start|End|ElapsedRaw|TimelimitRaw|AllocTRES\n";
    let row = "1|RUNNING|1792775776|Unknown|2592000|1440|gres/gpu=2\n";
    let found = all([head, row].concat());
    assert_eq!((found[0].state, found[0].held_ms()), (JobState::Doubtful, Some(0)));
    assert_eq!(&*found[0].state_source, "RUNNING");
}

#[test]
fn limits_are_told_and_what_jobstats_measured_of_jobs_that_are_over() {
    let attempts = all(SLURM[1]);
    let limit = |name: &str| named(&attempts, name)[0].time_limit_ms;
    assert_eq!(limit("ok-llm"), Some(5 * 60_000));
    assert!(attempts.iter().all(|of| of.usage.is_none()), "nobody measured");
    // As jobstats packs it: two GPUs, one of them at 0%, and 3 GiB.
    let told = "JS1:H4sIAAAAAAACA1WO3QqDMAyF3yXXZaSxP6kvIzLLKKiVWS826buvUzfoTUI45zs5O8xx8Cu0O8zyO1NM\
                /dhNforPF7SGrXTKGtsYAdvqh7/SEEkirSyJi0lh8tAWP960gPuylVQW8Fi2rg7dAYuiNSGjc6wEyOrOJ1S9OxirpZGOrG\
                E8GE2KmBHxR6QwhnefQpwvQuPttJadc66rNgbxAEtRyh86wS5sCgEAAA==";
    let head = "JobID|State|Start|End|TimelimitRaw|NNodes|NodeList|AllocTRES|AdminComment\n";
    let of = |state: &str, end: &str, limit: &str, nodes: &str, comment: &str| {
        let row = format!("1|{state}|1795367776|{end}|{limit}|{nodes}|gres/gpu=2|{comment}\n");
        all([head, &row].concat()).remove(0)
    };
    let over = of("COMPLETED", "1795371376", "1440", "1|n1", told);
    let usage = over.usage.as_deref().unwrap();
    assert_eq!((usage.gpus, usage.gpus_working, usage.memory_peak_mib), (2, 1, Some(3_072)));
    assert_eq!((usage.gpu_activity_per_mille, over.time_limit_ms), (250, Some(86_400_000)));
    // No word of one that runs, of other nodes, of a part of them, and none at all.
    assert_eq!(of("RUNNING", "Unknown", "1440", "1|n1", told).usage, None);
    for (nodes, comment) in
        [("1|n2", told), ("2|n[1-2]", told), ("1|n1", "JS1:Short"), ("1|n1", "")]
    {
        assert_eq!(of("COMPLETED", "1795371376", "1440", nodes, comment).usage, None, "{nodes}");
    }
    for none in ["", "UNLIMITED", "Partition_Limit", "0", "-5", "4294967295"] {
        assert_eq!(of("COMPLETED", "1795371376", none, "1|n1", "").time_limit_ms, None, "{none}");
    }
}

#[test]
fn attempts_that_an_export_leaves_out_are_missed() {
    let head = "JobIDRaw|JobID|State|Submit|Start|End|Restarts|AllocTRES\n";
    let second = "19|19|COMPLETED|1795367820|1795367950|1795367956|1|gres/gpu=1\n";
    let first = "19|19|REQUEUED|1795367814|1795367816|1795367820|0|gres/gpu=1\n";
    let missed = |text: String| {
        let notes = read_text(text).unwrap().notes;
        notes.contains(&JobNote::NoEarlierAttempts { jobs: 1 })
    };
    assert!(missed([head, second].concat()));
    assert!(missed([head, second, second].concat()), "a line that is there twice is one attempt");
    assert!(!missed([head, first, second].concat()));
}

#[test]
fn ids_are_texts_for_those_of_newer_slurms_are_no_numbers_that_fit() {
    let attempts = all(SLURM[1]);
    // Task 3 of array 8 has the raw id of the array.
    let arrays = named(&attempts, "arr");
    let ids: Vec<(&str, &str)> = arrays.iter().map(|a| (&*a.job, &*a.id.raw)).collect();
    assert_eq!(ids, [("8_0", "14"), ("8_1", "15"), ("8_2", "16"), ("8_3", "8")]);
    let parts: Vec<Option<&str>> =
        named(&attempts, "het").iter().map(|a| a.parts_of.as_deref()).collect();
    assert_eq!(parts, [Some("11"), Some("11")]);
}
