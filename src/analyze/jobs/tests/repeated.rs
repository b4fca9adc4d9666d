//! What was lost again and again, and what the simulator is told.

use super::*;
use JobState as S;

fn named(mut of: Attempt, name: &str, user: &str) -> Attempt {
    (of.name, of.user) = (Some(text(name)), Some(text(user)));
    of
}

fn on(mut of: Attempt, node: &str) -> Attempt {
    of.nodes = [text(node)].into();
    of
}

fn of_kind(found: &[Repeat], kind: RepeatKind) -> Vec<&Repeat> {
    found.iter().filter(|row| row.kind == kind).collect()
}

#[test]
fn retries_on_the_node_that_had_just_failed_count_without_the_first() {
    let at = |from: i64| on(attempt("a", S::Failed, 8, (from, from + 60)), "bad");
    let elsewhere = on(attempt("b", S::Failed, 8, (0, 60)), "bad");
    let found = repeats(&cost(&[at(0), at(100), at(200), elsewhere]));
    let row = of_kind(&found, RepeatKind::SameNode)[0];
    assert_eq!((&*row.key, row.attempts, row.lost.usd), ("bad", 2, Some(usd("110.08"))));
    // On other nodes each retry was worth a try.
    let moved = [on(at(0), "n1"), on(at(100), "n2"), on(at(200), "n3")];
    assert!(of_kind(&repeats(&cost(&moved)), RepeatKind::SameNode).is_empty());
}

#[test]
fn a_script_that_fails_three_times_in_a_row_is_a_habit() {
    let one = |job: i64, state| {
        named(attempt(&job.to_string(), state, 8, (job * 100, job * 100 + 60)), "train", "ines")
    };
    let found = repeats(&cost(&[one(0, S::Failed), one(1, S::Failed), one(2, S::OutOfMemory)]));
    let row = of_kind(&found, RepeatKind::SameScript)[0];
    assert_eq!((&*row.key, row.attempts, row.lost.usd), ("ines train", 2, Some(usd("110.08"))));
    let mended = [one(0, S::Failed), one(1, S::Completed), one(2, S::Failed), one(3, S::Failed)];
    assert!(of_kind(&repeats(&cost(&mended)), RepeatKind::SameScript).is_empty());
    // Who is preempted did not fail.
    let taken = [one(0, S::Preempted), one(1, S::Preempted), one(2, S::Preempted)];
    assert!(repeats(&cost(&taken)).is_empty());
}

#[test]
fn the_last_hour_is_told_by_runs_that_completed() {
    let one = |job: i64, state, minutes: i64| {
        let from = job * 1000;
        named(attempt(&job.to_string(), state, 8, (from, from + minutes)), "eval", "omar")
    };
    let done: Vec<Attempt> = (0..3).map(|job| one(job, S::Completed, 360)).collect();
    let with = |of: Attempt| repeats(&cost(&[&done[..], &[of]].concat()));
    let late = with(one(9, S::Failed, 330));
    assert_eq!(of_kind(&late, RepeatKind::LastHour)[0].lost.usd, Some(usd("302.72")));
    assert!(with(one(9, S::Failed, 200)).is_empty());
    // A limit is the end by its nature.
    assert_eq!(of_kind(&with(one(9, S::TimedOut, 200)), RepeatKind::LastHour).len(), 1);
    assert!(repeats(&cost(&[one(9, S::Failed, 330)])).is_empty(), "nobody tells how long it takes");
}

#[test]
fn a_sweep_that_nobody_stops_early_could_have_been_a_quarter_cheaper() {
    let one = |task: i64, minutes: i64| {
        let mut of = attempt(&format!("7_{task}"), S::Completed, 8, (0, minutes));
        of.id.raw = text(&format!("{}", 100 + task));
        named(of, "sweep", "lena")
    };
    let all: Vec<Attempt> = (0..8).map(|task| one(task, 60)).collect();
    let found = repeats(&cost(&all));
    let row = of_kind(&found, RepeatKind::Sweep)[0];
    assert_eq!((&*row.key, row.attempts, row.lost.usd), ("lena sweep 7", 8, Some(usd("110.08"))));
    // Half of them stopped at a quarter: somebody looks.
    let stopped: Vec<Attempt> =
        (0..8).map(|task| one(task, if task < 4 { 15 } else { 60 })).collect();
    assert!(repeats(&cost(&stopped)).is_empty());
}

#[test]
fn an_array_of_batch_and_what_a_tuning_job_started_are_sweeps() {
    let of = |source, job: String, parent: Option<&str>| {
        let mut of = attempt(&job, S::Completed, 8, (0, 60));
        (of.id.source, of.id.raw, of.parent) = (source, text(&job), parent.map(text));
        named(of, "hpo", "lena")
    };
    let children = |n: i64| of(JobSource::Batch, format!("0a-1b:{n}"), None);
    let array: Vec<Attempt> = (0..8).map(children).collect();
    let row = repeats(&cost(&array)).remove(0);
    assert_eq!((row.kind, &*row.key), (RepeatKind::Sweep, "lena hpo 0a-1b"));
    // 8 × $55.04, a quarter of it.
    assert_eq!((row.attempts, row.lost.usd), (8, Some(usd("110.08"))));
    // Their names differ by what comes after the number.
    let started = |n: i64| of(JobSource::SageMaker, format!("hpo-{n:03}-{n}a"), Some("tuning/hpo"));
    let tuned: Vec<Attempt> = (0..8).map(started).collect();
    let row = repeats(&cost(&tuned)).remove(0);
    assert_eq!((row.kind, &*row.key), (RepeatKind::Sweep, "lena tuning/hpo"));
    assert_eq!(row.lost.usd, Some(usd("110.08")));
}

#[test]
fn an_attempt_of_several_findings_counts_once() {
    let all: Vec<Attempt> = (0..4)
        .map(|n| {
            named(on(attempt("a", S::Failed, 8, (n * 100, n * 100 + 60)), "bad"), "train", "wei")
        })
        .collect();
    let found = repeats(&cost(&all));
    assert_eq!(found.len(), 2);
    let lost: Usd = found.iter().filter_map(|row| row.lost.usd).sum();
    let own: Usd = found.iter().filter_map(|row| row.own.usd).sum();
    assert_eq!((lost, own), (usd("330.24"), usd("165.12")));
}

#[test]
fn hours_in_which_gpus_worked_are_told_where_telemetry_covers_them() {
    let hour = DAY / 3600;
    let one = |gpu: u16, at: i64, mean: f32| GpuHourOf {
        hosts: vec![text("n"), text("i-1")],
        hour: hour + at,
        gpu: format!("GPU-{gpu}").into(),
        mean,
    };
    let all = (0..8).flat_map(|gpu| [one(gpu, 0, 0.5), one(gpu, 1, 1.0)]);
    let kept = UsedHours::of(all);
    let of = on(attempt("a", S::Failed, 8, (30, 120)), "n");
    // Half an hour at a half, an hour whole, of 8 GPUs.
    assert_eq!(kept.used(&of).unwrap().hours(), 8.0 * (0.25 + 1.0));
    assert_eq!(
        kept.used(&on(attempt("a", S::Failed, 8, (30, 121)), "n")),
        None,
        "an hour is missing"
    );
    assert_eq!(kept.used(&on(attempt("a", S::Failed, 4, (30, 120)), "n")), None, "a shared node");
    assert_eq!(kept.used(&on(attempt("a", S::Failed, 8, (30, 120)), "m")), None, "another node");
    // Hour by hour, each for itself: the third is not kept.
    let hours = |of: &Attempt| {
        let told = kept.by_hour(of)?;
        Some(told.iter().map(|mean| (!mean.is_nan()).then_some(*mean)).collect::<Vec<_>>())
    };
    assert_eq!(hours(&of), Some(vec![Some(0.5), Some(1.0)]));
    let longer = on(attempt("a", S::Failed, 8, (30, 121)), "n");
    assert_eq!(hours(&longer), Some(vec![Some(0.5), Some(1.0), None]));
    for unknown in [(4, "n"), (8, "m")] {
        assert_eq!(hours(&on(attempt("a", S::Failed, unknown.0, (30, 120)), unknown.1)), None);
    }
}

#[test]
fn gpus_that_worked_in_any_hour_are_counted_where_telemetry_covers_all_of_them() {
    let hour = DAY / 3600;
    let one = |gpu: u16, at: i64, mean: f32| GpuHourOf {
        hosts: vec![text("n")],
        hour: hour + at,
        gpu: format!("GPU-{gpu}").into(),
        mean,
    };
    // One works in the first hour, one in the second, one just enough and one too little in both.
    let first = [one(0, 0, 0.9), one(1, 0, 0.0), one(2, 0, 0.01), one(3, 0, 0.009)];
    let second = [one(0, 1, 0.0), one(1, 1, 0.4), one(2, 1, 0.0), one(3, 1, 0.009)];
    let kept = UsedHours::of(first.into_iter().chain(second));
    let of = |gpus, span| on(attempt("a", S::Completed, gpus, span), "n");
    assert_eq!(kept.working(&of(4, (0, 120))), Some(3));
    assert_eq!(kept.working(&of(4, (0, 60))), Some(2));
    assert_eq!(kept.working(&of(4, (70, 80))), Some(1), "a part of an hour counts as the hour");
    assert_eq!(kept.working(&of(4, (0, 121))), None, "an hour is missing");
    assert_eq!(kept.working(&of(2, (0, 120))), None, "a shared node");
}
