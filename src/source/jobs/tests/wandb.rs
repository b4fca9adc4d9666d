//! The script of `docs/jobs.md` that writes runs of Weights & Biases, run against a stub of its client and read back.

use std::io::ErrorKind;
use std::process::Command;

use super::*;

/// Stands in for W&B's client: runs with the fields that the script asks for.
const CLIENT: &str = r#"
from types import SimpleNamespace

def run(id, state, slurm=None, **more):
    of = dict(
        path=["acme", "llm", id], name="ddp-" + id, user=SimpleNamespace(username="ada"), project="llm", state=state,
        created_at="2026-11-20T10:00:00", heartbeat_at="2026-11-20T12:00:00Z", config={"loss": "NaN"},
        metadata={"gpu_count": 8, "host": "n1", **({"slurm": slurm} if slurm else {})},
    )
    return SimpleNamespace(**{**of, **more})

class Api:
    def runs(self, path):
        assert path == "acme/llm", path
        job = {"job_id": "500", "cluster_name": "prod"}
        yield from (run(f"rank{rank}", "finished", job) for rank in range(4))
        yield run("config", "crashed", config={"SLURM_JOB_ID": 501})
        yield run("alone", "failed")
        yield run("killed", "killed", user=None)
        yield run("gone", "preempted")
        yield run("stale", "running")
        yield run("alive", "preempting", heartbeat_at="2026-11-27T23:59:00")
        yield run("waits", "pending", heartbeat_at=None)
        yield run("cpu", "finished", metadata={"host": "n2"})
        yield run("bare", "finished", metadata=None)
"#;

/// The script as the page has it.
fn script() -> &'static str {
    let page = include_str!("../../../../docs/jobs.md");
    let (_, from) = page.split_once("```python\n").unwrap();
    from.split_once("```").unwrap().0
}

/// What the script writes; `None` where Python is not installed.
fn written() -> Option<String> {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("wandb.py"), CLIENT).unwrap();
    let mut python = Command::new("python3");
    python.args(["-c", script(), "acme/llm"]).env("PYTHONPATH", dir.path());
    let output = match python.output() {
        Err(error) if error.kind() == ErrorKind::NotFound => {
            let text = "python3 is not installed";
            assert!(std::env::var("BURNTOP_CI").as_deref() != Ok("1"), "{text}");
            eprintln!("skipped: {text}");
            return None;
        }
        output => output.unwrap(),
    };
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}");
    Some(String::from_utf8(output.stdout).unwrap())
}

#[test]
fn the_script_of_the_page_writes_what_is_read() {
    let Some(text) = written() else { return };
    let file = read_text(text).unwrap();
    // Nobody knows the GPUs of the one without metadata.
    assert_eq!((file.attempts.len(), file.failed.len()), (12, 1));
    assert_eq!(file.failed[0].why, LineError::NoGpus);
    let all: Vec<Attempt> = file.attempts.attempts().collect();
    let of = |id: &str| {
        let job = format!("acme/llm/{id}");
        all.iter().find(|of| *of.job == *job).unwrap()
    };
    for rank in 0..4 {
        let of = of(&format!("rank{rank}"));
        let job = of.in_job.as_deref().unwrap();
        assert_eq!(
            (&*job.scheduler, &*job.id, job.cluster.as_deref()),
            ("slurm", "500", Some("prod"))
        );
        assert_eq!((of.state, &*of.state_source), (JobState::Completed, "finished (claimed)"));
        assert_eq!((of.gpus, of.nodes.len(), of.held_ms()), (None, 0, Some(7_200_000)));
        assert_eq!(of.tracker.as_deref(), Some(&*format!("llm/ddp-rank{rank}")));
    }
    assert_eq!(of("config").in_job.as_deref().map(|job| &*job.id), Some("501"));
    assert_eq!(of("config").state, JobState::Failed);
    let alone = of("alone");
    assert_eq!((alone.gpus, alone.held_ms()), (Some(Gpus::whole(8)), Some(7_200_000)));
    assert_eq!((&alone.in_job, alone.user.as_deref()), (&None, Some("ada")));
    assert_eq!((of("killed").state, &of("killed").user), (JobState::Cancelled, &None));
    assert_eq!(of("gone").state, JobState::Preempted);
    // What says for ever that it runs counts nothing, and what gave a sign up to then.
    let stale = of("stale");
    assert_eq!((stale.state, stale.held_ms(), stale.ended_at), (JobState::Doubtful, Some(0), None));
    let alive = of("alive");
    let hours = |hours: i64, minutes: i64| Some((hours * 60 + minutes) * 60_000);
    assert_eq!((alive.state, alive.held_ms()), (JobState::Running, hours(7 * 24 + 13, 59)));
    assert_eq!((of("waits").state, of("waits").started_at), (JobState::Queued, None));
    assert_eq!(of("cpu").gpus, Some(Gpus::ZERO));
}

#[test]
fn every_state_of_weights_and_biases_is_known() {
    for (word, state) in [
        ("running", JobState::Running),
        ("finished", JobState::Completed),
        ("crashed", JobState::Failed),
        ("failed", JobState::Failed),
        ("killed", JobState::Cancelled),
        ("pending", JobState::Queued),
        ("preempting", JobState::Running),
        ("preempted", JobState::Preempted),
    ] {
        let text = format!("{HEAD}\na,,1795367776,1795367777,1,{word},\n");
        let one = &all(text)[0];
        assert_eq!((one.state, &*one.state_source), (state, word));
    }
}

#[test]
fn a_line_that_names_a_job_needs_no_gpus_and_one_with_a_text_for_a_number_is_named() {
    let of = |more: &str| {
        format!(r#"{{"id":"a","start":1795367776,"end":1795371376,"status":"finished"{more}}}"#)
    };
    let named = &all(of(r#","slurm_job_id":7,"gpus":64,"nodes":"n1""#))[0];
    assert_eq!((named.gpus, named.nodes.len()), (None, 0), "its job tells what it held");
    let pod = &all(of(r#","pod_uid":"7f1""#))[0];
    assert_eq!(&*pod.in_job.as_deref().unwrap().scheduler, "kubernetes");
    let good = of(r#","gpus":1"#);
    let lines = [
        of(""),
        of(r#","gpus":"NaN""#),
        of(r#","gpus":NaN"#),
        of(r#","slurm_job_id":"7; rm""#),
        good,
    ];
    let file = read_text(lines.join("\n")).unwrap();
    let failed: Vec<u64> = file.failed.iter().map(|failed| failed.line).collect();
    assert_eq!((file.attempts.len(), &failed[..]), (1, &[1, 2, 3, 4][..]));
    // The same as CSV.
    let csv = "id,start,end,status,slurm_job_id\na,1795367776,1795371376,finished,7\n";
    assert_eq!(all(csv)[0].in_job, named.in_job);
}
