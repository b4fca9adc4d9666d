//! Checkpoints that lie in storage: found, confirmed, refuted.

use super::*;
use crate::domain::storage::{Family, Run, Step};
use JobState as S;

fn step(step: u64, minutes: i64, complete: bool) -> Step {
    Step {
        step,
        prefix: format!("runs/llm/step-{step}/"),
        bytes: 1 << 30,
        objects: 8,
        complete,
        newest_ms: (DAY + minutes * 60) * 1000,
        tiers: Vec::new(),
        metric: None,
        held: false,
    }
}

fn run(steps: Vec<Step>) -> Run {
    Run {
        prefix: "runs/llm/".into(),
        family: Family::TorchDcp,
        bytes: steps.iter().map(|step| step.bytes).sum(),
        steps,
        confidence: 1.0,
        active: false,
        interval_s: Some(1800),
        pointers: Vec::new(),
        pointed: Vec::new(),
        metric: None,
    }
}

fn with(attempts: &[Attempt], run: &Run) -> Vec<Costed> {
    let runs = [KnownRun { bucket: "ckpt", run }];
    costs(attempts.to_vec(), &CostInput { runs: &runs, ..input() }).rows
}

/// A node fault after 10 h on 8 × p5.
fn lost() -> Attempt {
    let mut of = attempt("a", S::NodeFault, 64, (0, 600));
    of.checkpoint = Some(text("s3://ckpt/runs/llm"));
    of
}

#[test]
fn a_complete_checkpoint_in_storage_saves_what_it_holds() {
    // Complete 27 min before: $198.14 instead of $4,403.20. A torn one later does not count.
    let found = run(vec![step(500, 300, true), step(1000, 573, true), step(1500, 599, false)]);
    let rows = with(&[lost()], &found);
    assert_eq!((rows[0].lost.usd, rows[0].salvage), (Some(usd("198.144")), Salvage::Found));
    assert_eq!((rows[0].saved_step, rows[0].lost_is_upper_bound), (Some(1000), false));
    // Of three gigabytes the first stays whole; of the others none to 87.5% are saved.
    assert_eq!(rows[0].delta_bytes, Some((0, (2.0 * 0.875 * f64::from(1 << 30)) as u64)));
    // The next attempt took 8 min to come back.
    let mut next = attempt("a", S::Completed, 64, (610, 900));
    next.first_step_at = at(618);
    let on = run(vec![step(1000, 573, true), step(1500, 700, true)]);
    let rows = with(&[lost(), next.clone()], &on);
    assert_eq!(rows[0].lost.usd, Some(usd("256.8533333333")));
    assert_eq!(rows[0].salvage, Salvage::Confirmed);
    // One that begins again at the beginning refutes it: all is lost, and that is no upper bound.
    let again = run(vec![step(500, 640, true), step(1000, 573, true)]);
    let rows = with(&[lost(), next], &again);
    assert_eq!((rows[0].lost.usd, rows[0].salvage), (Some(usd("4403.2")), Salvage::Refuted));
    assert!(!rows[0].lost_is_upper_bound);
}

#[test]
fn another_job_that_writes_where_it_wrote_goes_on_with_its_work() {
    let mut other = attempt("b", S::Completed, 64, (700, 900));
    other.checkpoint = Some(text("s3://ckpt/runs/llm"));
    let on = run(vec![step(1000, 573, true), step(1500, 800, true)]);
    assert_eq!(with(&[lost(), other], &on)[0].salvage, Salvage::Confirmed);
}

#[test]
fn what_runs_has_the_checkpoint_that_was_written_until_it_was_last_seen() {
    let mut runs = attempt("a", S::Running, 64, (0, 600));
    runs.checkpoint = Some(text("s3://ckpt/runs/llm"));
    (runs.seen_until, runs.ended_at) = (runs.ended_at, None);
    let row = &with(&[runs.clone()], &run(vec![step(500, 300, true), step(1000, 601, true)]))[0];
    assert_eq!((row.saved_at, row.saved_step, row.salvage), (at(300), Some(500), Salvage::Found));
    assert_eq!(row.lost.usd, Some(Usd::ZERO), "nothing of it came to nothing");
    runs.seen_until = None;
    assert_eq!(with(&[runs], &run(vec![step(500, 300, true)]))[0].salvage, Salvage::Unknown);
}

#[test]
fn a_name_in_a_prefix_is_a_guess() {
    let mut of = lost();
    (of.checkpoint, of.name) = (None, Some(text("llm")));
    let found = run(vec![step(1000, 573, true)]);
    // Three letters are part of too much.
    assert_eq!(with(std::slice::from_ref(&of), &found)[0].salvage, Salvage::Unknown);
    let found = Run { prefix: "runs/llama-7b/".into(), ..found };
    of.name = Some(text("llama-7b"));
    let rows = with(std::slice::from_ref(&of), &found);
    assert_eq!((rows[0].salvage, rows[0].lost.usd), (Salvage::Guessed, Some(usd("198.144"))));
    // Where two prefixes have it nobody knows.
    let runs = [KnownRun { bucket: "a", run: &found }, KnownRun { bucket: "b", run: &found }];
    let rows = costs(vec![of], &CostInput { runs: &runs, ..input() }).rows;
    assert_eq!(rows[0].salvage, Salvage::Unknown);
}

#[test]
fn a_restart_that_nobody_tells_takes_as_long_as_restarts_do() {
    let mut of = lost();
    of.saved_at = at(573);
    of.checkpoint = None;
    let mut known = attempt("z", S::Completed, 8, (0, 100));
    known.first_step_at = at(8);
    let rows = cost(&[of, attempt("a", S::Completed, 64, (610, 900)), known]);
    let lost = rows.iter().find(|row| row.attempt.state == S::NodeFault).unwrap();
    assert_eq!(lost.lost.usd, Some(usd("256.8533333333")));
}

#[test]
fn a_time_limit_of_people_is_no_failure() {
    let mut of = attempt("a", S::TimedOut, 8, (0, 60));
    of.queue = Some(text("notebooks"));
    let by_hand = |_: &str, queue: &str| queue == "notebooks";
    let given = CostInput { is_interactive: Some(&by_hand), ..input() };
    assert_eq!(costs(vec![of.clone()], &given).rows[0].lost.usd, Some(Usd::ZERO));
    assert_eq!(cost(&[of])[0].lost.usd, Some(usd("55.04")));
}
