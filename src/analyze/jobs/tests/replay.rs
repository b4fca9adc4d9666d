//! Rules replayed over attempts: dollars by hand.

use super::*;
use crate::domain::jobs::{NodeEvent, NodeEventKind};
use JobState as S;
use ReplayRule as R;

/// A month after the first attempts.
fn late() -> jiff::Timestamp {
    at(30 * 24 * 60).unwrap()
}

fn over(all: &[Attempt]) -> Replays {
    replays(&cost(all), &ReplayTerms::default(), late())
}

fn of(found: &Replays, rule: R, setting: u32) -> &Replay {
    found.rows.iter().find(|row| row.rule == rule && row.setting == setting).unwrap()
}

/// Attempts that would have gone otherwise, dollars saved, their cost, and the net of both.
fn figures(of: &Replay) -> (u32, Option<Usd>, Option<Usd>, Option<Usd>) {
    (of.sums.attempts, of.sums.saved_usd_known(), of.cost_usd(), of.net_usd())
}

fn dollars(
    attempts: u32,
    saved: &str,
    cost: &str,
    net: &str,
) -> (u32, Option<Usd>, Option<Usd>, Option<Usd>) {
    (attempts, Some(usd(saved)), Some(usd(cost)), Some(usd(net)))
}

/// Attempts of one script, each of a job of its own, on 8 GPUs.
fn script(all: &[(JobState, (i64, i64))]) -> Vec<Attempt> {
    let one = |(job, (state, minutes)): (usize, &(JobState, (i64, i64)))| {
        let mut of = attempt(&job.to_string(), *state, 8, *minutes);
        (of.name, of.user) = (Some(text("train")), Some(text("ines")));
        of
    };
    all.iter().enumerate().map(one).collect()
}

fn on(all: Vec<Attempt>, nodes: &[&str]) -> Vec<Attempt> {
    let on = |mut of: Attempt| {
        of.nodes = nodes.iter().map(|node| text(node)).collect();
        of.node_count = u32::try_from(nodes.len()).ok();
        of
    };
    all.into_iter().map(on).collect()
}

#[test]
fn a_retry_limit_saves_what_failed_beyond_it_and_forbids_the_run_that_succeeded() {
    // Four failures of an hour ($55.04 each), a run of two hours that completes, and a failure after it.
    let found = over(&script(&[
        (S::Failed, (0, 60)),
        (S::OutOfMemory, (100, 160)),
        (S::TimedOut, (200, 260)),
        (S::NodeFault, (300, 360)),
        (S::Completed, (400, 520)),
        (S::Failed, (600, 660)),
    ]));
    let row = |limit| of(&found, R::RetryLimit, limit);
    assert_eq!(figures(row(1)), dollars(4, "165.12", "110.08", "55.04"));
    assert_eq!(figures(row(2)), dollars(3, "110.08", "110.08", "0"));
    assert_eq!(figures(row(3)), dollars(2, "55.04", "110.08", "-55.04"));
    assert_eq!(figures(row(5)), dollars(0, "0", "0", "0"));
    assert_eq!(
        [1, 2, 3, 5].map(|k| row(k).forbidden_successes()),
        [Some(1), Some(1), Some(1), Some(0)]
    );
    assert_eq!(
        (row(1).sums.spared, row(1).sums.saved.hours(), row(1).net_gpu_hours()),
        (3, 24.0, Some(8.0))
    );
    // Nobody knows of checkpoints of the three.
    assert_eq!(row(1).sums.upper_bounds, 3);
    assert_eq!((found.of.attempts, found.of.lost_usd_known()), (6, Some(usd("275.2"))));
}

#[test]
fn what_others_end_is_no_failure_and_what_nobody_knows_ends_a_row() {
    let found = over(&script(&[
        (S::Failed, (0, 60)),
        (S::Preempted, (100, 160)),
        (S::Failed, (200, 260)),
        (S::Failed, (300, 360)),
    ]));
    // The preempted one would not have begun either.
    assert_eq!(figures(of(&found, R::RetryLimit, 1)), dollars(3, "165.12", "0", "165.12"));
    assert_eq!(figures(of(&found, R::RetryLimit, 2)), dollars(1, "55.04", "0", "55.04"));
    let found = over(&script(&[
        (S::Failed, (0, 60)),
        (S::Unknown, (100, 160)),
        (S::Failed, (200, 260)),
        (S::Failed, (300, 360)),
    ]));
    assert_eq!(figures(of(&found, R::RetryLimit, 2)), dollars(0, "0", "0", "0"));
    assert_eq!((found.of.attempts, found.of.unknown_outcome), (3, 1));
}

#[test]
fn what_was_not_lost_of_what_would_not_have_begun_is_a_cost_whatever_ended_it() {
    // After a failure an hour that somebody ended, and two hours of which a checkpoint saved the first.
    let mut all = on(
        script(&[(S::Failed, (0, 60)), (S::Cancelled, (100, 160)), (S::Failed, (200, 320))]),
        &["n"],
    );
    all[2].saved_at = at(260);
    let found = over(&all);
    // Of three hours one is lost.
    assert_eq!(figures(of(&found, R::RetryLimit, 1)), dollars(2, "55.04", "110.08", "-55.04"));
    assert_eq!(figures(of(&found, R::DrainAfter, 1)), dollars(2, "55.04", "110.08", "-55.04"));
    assert_eq!(of(&found, R::RetryLimit, 1).forbidden_successes(), Some(0));
}

#[test]
fn what_had_begun_before_a_failure_was_known_runs_on() {
    let found =
        over(&script(&[(S::Failed, (0, 60)), (S::Failed, (59, 119)), (S::Failed, (60, 120))]));
    assert_eq!(figures(of(&found, R::RetryLimit, 1)), dollars(1, "55.04", "0", "55.04"));
    // Another user's script of this name, and jobs without a name, are tried by themselves.
    let mut others =
        script(&[(S::Failed, (0, 60)), (S::Failed, (100, 160)), (S::Failed, (200, 260))]);
    others[1].user = Some(text("omar"));
    others[2].name = None;
    assert_eq!(of(&over(&others), R::RetryLimit, 1).sums.attempts, 0);
}

#[test]
fn a_drained_node_saves_what_failed_there_again_and_moves_what_completed() {
    let all = on(
        script(&[
            (S::Failed, (0, 180)),
            (S::Failed, (180, 360)),
            (S::Failed, (360, 540)),
            (S::Completed, (600, 660)),
        ]),
        &["bad"],
    );
    let rows = cost(&all);
    let terms = ReplayTerms::default();
    let found = replays(&rows, &terms, late());
    let row = |limit| of(&found, R::DrainAfter, limit);
    // Three hours are $165.12, the hour that completed is $55.04.
    assert_eq!(figures(row(1)), dollars(3, "330.24", "55.04", "275.2"));
    assert_eq!(figures(row(2)), dollars(2, "165.12", "55.04", "110.08"));
    assert_eq!(figures(row(3)), dollars(1, "0", "55.04", "-55.04"));
    assert_eq!([1, 2, 3].map(|limit| row(limit).drained_ms), [Some(86_400_000); 3]);
    assert_eq!(row(1).forbidden_successes(), None);
    // Of a drain that lasts still what is over counts.
    let early = replays(&rows, &terms, at(180 + 90).unwrap());
    assert_eq!(of(&early, R::DrainAfter, 1).drained_ms, Some(90 * 60_000));
    // Two hours of it are over when the next begins.
    let short = replays(&rows, &ReplayTerms { drained_hours: 2, ..terms }, late());
    assert_eq!(figures(of(&short, R::DrainAfter, 2)), dollars(1, "165.12", "0", "165.12"));
    let mut code = all;
    code.iter_mut()
        .for_each(|of| of.reason = Some(text("ModuleNotFoundError: No module named 'x'")));
    assert_eq!(of(&over(&code), R::DrainAfter, 1).sums.attempts, 0, "it fails on any node");
}

#[test]
fn failures_on_a_node_count_together_within_a_while_and_since_one_that_completed() {
    let twice = |between: JobState, from: i64| {
        let mut all = script(&[
            (S::Failed, (0, 60)),
            (between, (100, 160)),
            (S::Failed, (from, from + 60)),
            (S::Failed, (from + 100, from + 160)),
        ]);
        all[1].reason = Some(text("ModuleNotFoundError: No module named 'x'"));
        of(&over(&on(all, &["n"])), R::DrainAfter, 2).sums.spared
    };
    assert_eq!(twice(S::Completed, 200), 0);
    assert_eq!(twice(S::Failed, 200), 1, "one by its own fault tells nothing of the node");
    // Exactly a day from end to end, and a minute more.
    assert_eq!((twice(S::Failed, 1_440), twice(S::Failed, 1_441)), (1, 0));
}

#[test]
fn a_failure_counts_on_the_node_to_which_something_happened() {
    let mut all = on(script(&[(S::Failed, (0, 60))]), &["n1", "n2"]);
    all.extend(on(script(&[(S::Completed, (100, 160))]), &["n2"]));
    all.extend(on(script(&[(S::Completed, (200, 260))]), &["n1", "n3"]));
    for (job, of) in all.iter_mut().enumerate() {
        of.job = text(&job.to_string());
        of.id.raw = of.job.clone();
        of.gpus = Some(Gpus::whole(8 * of.nodes.len() as u32));
    }
    let event = NodeEvent {
        cluster: None,
        hosts: vec![text("n1")],
        gpu: Some(3),
        kind: NodeEventKind::Xid(79),
        at: at(59).unwrap(),
        words: None,
    };
    let events = [event];
    let known = KnownNodes { events: &events, ..KnownNodes::default() };
    let rows = costs(all, &CostInput { known, ..input() }).rows;
    let found = replays(&rows, &ReplayTerms::default(), late());
    // Of an hour on two nodes ($110.08) one node is another one; what ran on `n2` stays.
    assert_eq!(figures(of(&found, R::DrainAfter, 1)), dollars(1, "0", "55.04", "-55.04"));
    let found = replays(
        &cost(&rows.iter().map(|row| row.attempt.clone()).collect::<Vec<_>>()),
        &ReplayTerms::default(),
        late(),
    );
    assert_eq!(of(&found, R::DrainAfter, 1).sums.attempts, 2, "else on all of its nodes");
}

#[test]
fn checkpoints_save_all_but_the_last_interval_and_cost_the_runs_that_complete_as_well() {
    // Ten hours that failed ($550.40), five that completed; 5 minutes to write one are $4.5866666667.
    let mut all = script(&[(S::Failed, (0, 600)), (S::Completed, (700, 1000))]);
    let found = over(&all);
    let row = |minutes| of(&found, R::CheckpointEvery, minutes);
    // 2 h since the second one; three are written. 0 h since the tenth; 15 are written.
    assert_eq!(figures(row(240)), dollars(2, "440.32", "13.76", "426.56"));
    let hourly = figures(row(60));
    assert_eq!((hourly.0, hourly.1), (2, Some(usd("550.4"))));
    let writing = hourly.2.unwrap().to_f64();
    assert!((writing - 15.0 * 55.04 / 12.0).abs() < 1e-8, "{writing}");
    // A failure in 15 h: √(2 × 5 min × 900 min).
    assert_eq!(found.of.hours_to_failure, Some(15.0));
    assert!((found.of.best_minutes.unwrap() - 9_000_f64.sqrt()).abs() < 1e-9);
    // Where work begins after ten minutes, a failure loses them anew.
    all[1].first_step_at = at(710);
    let found = over(&all);
    assert_eq!(found.of.restart_ms, 600_000);
    assert_eq!(
        of(&found, R::CheckpointEvery, 60).sums.saved_usd_known(),
        Some(usd("541.2266666667"))
    );
    // One that had a checkpoint a while before its end loses no more than it did.
    all[0].saved_at = at(595);
    let kept = over(&all);
    let row = of(&kept, R::CheckpointEvery, 240);
    assert_eq!(
        (row.sums.saved_usd_known(), row.sums.spared, row.sums.attempts),
        (Some(Usd::ZERO), 0, 2)
    );
    let free = ReplayTerms { checkpoint_ms: 0, ..ReplayTerms::default() };
    let free = replays(&cost(&all), &free, late());
    assert_eq!(of(&free, R::CheckpointEvery, 10).cost_usd(), Some(Usd::ZERO));
    assert_eq!(free.of.best_minutes, None, "as often as one likes");
}

/// An hour of each member on 8 GPUs.
fn sweep() -> Vec<Attempt> {
    let mut all = script(&[(S::Completed, (0, 60)); 8]);
    for (task, of) in all.iter_mut().enumerate() {
        of.job = text(&format!("7_{task}"));
    }
    all
}

#[test]
fn half_of_a_sweep_is_stopped_and_nobody_knows_what_that_costs() {
    let found = over(&sweep());
    let row = |percent| figures(of(&found, R::EarlyStopping, percent));
    assert_eq!(row(50), (8, Some(usd("110.08")), None, None));
    assert_eq!(row(25), (8, Some(usd("165.12")), None, None));
    // As the list of what was lost again and again has it.
    let again = repeats(&cost(&sweep()));
    assert_eq!(again[0].lost.usd, row(50).1);
    let mut stopped = sweep();
    stopped.iter_mut().take(4).for_each(|of| of.ended_at = at(15));
    assert_eq!(of(&over(&stopped), R::EarlyStopping, 50).sums.attempts, 0);
}

#[test]
fn what_is_not_known_is_in_no_sum_and_said() {
    let mut all = script(&[(S::Failed, (0, 60)), (S::Failed, (100, 160)), (S::Failed, (200, 260))]);
    (all[0].gpus, all[0].instance_type) = (None, None);
    all[1].instance_type = None;
    let found = over(&all);
    let row = of(&found, R::RetryLimit, 1);
    assert_eq!((row.sums.attempts, row.sums.saved.hours(), row.sums.unpriced), (2, 16.0, 1));
    assert_eq!(row.sums.saved_usd_known(), Some(usd("55.04")), "the other one has no price");
    assert_eq!((found.of.attempts, found.of.unknown_gpus, found.of.unpriced), (2, 1, 1));
    all[2].instance_type = None;
    let row = over(&all);
    let row = of(&row, R::RetryLimit, 1);
    assert_eq!((row.sums.saved_usd_known(), row.net_usd()), (None, None));
    assert_eq!(row.net_gpu_hours(), Some(16.0));
}

#[test]
fn attempts_before_the_days_that_count_are_the_past_of_those_in_them() {
    let day = 24 * 60;
    let all = script(&[
        (S::Failed, (0, 60)),
        (S::Failed, (100, 160)),
        (S::Failed, (2 * day, 2 * day + 60)),
        (S::Failed, (2 * day + 100, 2 * day + 160)),
    ]);
    let terms = ReplayTerms { days: Some(1), ..ReplayTerms::default() };
    let found = replays(&cost(&all), &terms, at(3 * day).unwrap());
    assert_eq!(found.of.attempts, 2);
    assert_eq!(figures(of(&found, R::RetryLimit, 2)), dollars(2, "110.08", "0", "110.08"));
    assert_eq!(figures(of(&found, R::RetryLimit, 3)), dollars(1, "55.04", "0", "55.04"));
}
