//! What was asked for and not used, held against sums by hand; and what must not be taken for unused.

use jiff::SignedDuration;

use super::*;
use crate::analyze::jobs::{LookedAt, RequestInput, RequestKind, Requests, requests};
use crate::domain::jobs::JobUsage;
use JobState as S;

/// Minutes of the day at which is looked, ten days after the first attempts began.
const NOW: i64 = 10 * 1_440;

/// An attempt of `ines train` on one node.
fn run(job: &str, state: JobState, gpus: u32, span: (i64, i64)) -> Attempt {
    let mut of = attempt(job, state, gpus, span);
    (of.name, of.user, of.team) = (Some(text("train")), Some(text("ines")), Some(text("nlp")));
    (of.nodes, of.node_count) = ([text("n")].into(), Some(1));
    of
}

/// The same, of which its site measured all GPUs.
fn measured(of: Attempt, working: u32) -> Attempt {
    let gpus = of.gpus.map_or(0, |gpus| gpus.to_f64() as u32);
    with(
        of,
        JobUsage { gpus, gpus_working: working, gpu_activity_per_mille: 1, memory_peak_mib: None },
    )
}

fn with(of: Attempt, usage: JobUsage) -> Attempt {
    Attempt { usage: Some(Box::new(usage)), ..of }
}

fn asked_by(all: &[Attempt], told: &dyn Fn(&Attempt) -> Option<u32>, days: u32) -> Requests {
    let rows = cost(all);
    requests(&RequestInput { rows: &rows, working: told, now: at(NOW).unwrap(), days })
}

fn asked(all: &[Attempt]) -> Requests {
    asked_by(all, &|_| None, 30)
}

fn near(found: Option<f64>, want: f64) {
    assert!(found.is_some_and(|of| (of - want).abs() < 1e-6 * want.max(1.0)), "{found:?}: {want}");
}

#[test]
fn gpus_that_never_worked_have_their_dollars_scaled_to_a_month() {
    let all = [
        measured(run("1", S::Completed, 8, (0, 600)), 1),
        measured(run("2", S::Failed, 8, (1_440, 1_560)), 2),
        run("3", S::Completed, 8, (2_880, 3_000)),
    ];
    let found = asked(&all);
    let [row] = &found.rows[..] else { panic!("{found:?}") };
    assert_eq!(
        (row.kind, &*row.name, row.user.as_deref()),
        (RequestKind::Gpus, "train", Some("ines"))
    );
    assert_eq!((row.attempts, row.known, row.nodes), (3, 2, Some(1)));
    assert_eq!((row.asked, row.used_p95, row.proposed), (8.0, 2.0, 2.0));
    assert_eq!(row.team.as_deref(), Some("nlp"));
    // By hand: 6 of 8 GPUs for 10 and for 2 hours, at $6.88 each; the third counts as used.
    near(row.unused_gpu_hours, 6.0 * 12.0);
    near(row.usd_per_month, 6.0 * 12.0 * 6.88 / 240.0 * 730.0);
    assert_eq!(found.looked_at, LookedAt { with_gpus: 3, unknown: 1 });
}

#[test]
fn a_larger_run_that_nobody_measured_may_need_all_that_it_asks_for() {
    let small = measured(run("1", S::Completed, 4, (0, 600)), 1);
    assert_eq!(asked(std::slice::from_ref(&small)).rows[0].asked, 4.0);
    let same = run("2", S::Completed, 4, (1_440, 2_040));
    assert_eq!(asked(&[small.clone(), same]).rows[0].asked, 4.0);
    let large = run("2", S::Completed, 8, (1_440, 2_040));
    assert_eq!(asked(&[small.clone(), large.clone()]).rows, []);
    assert_eq!(asked(&[small, measured(large, 2)]).rows[0].asked, 8.0);
}

#[test]
fn memory_that_nobody_measured_counts_as_used() {
    let of = |job: &str, gib: u64, peak: Option<u64>| {
        let mut of = run(job, S::Completed, 0, (0, 600));
        of.memory_mib = Some(gib * 1_024);
        let usage = JobUsage {
            gpus: 0,
            gpus_working: 0,
            gpu_activity_per_mille: 0,
            memory_peak_mib: peak.map(|gib| gib * 1_024),
        };
        with(of, usage)
    };
    // 7 GiB of 8 are no waste, whatever else held 64.
    assert_eq!(asked(&[of("1", 8, Some(7)), of("2", 64, None)]).rows, []);
    assert_eq!(asked(&[of("1", 64, Some(7)), of("2", 8, None)]).rows[0].proposed, 9.0);
    assert_eq!(asked(&[of("1", 8, Some(2)), of("2", 64, None)]).rows, []);
}

#[test]
fn what_nobody_measured_whole_is_not_unused() {
    let of = || run("1", S::Completed, 8, (0, 600));
    let usage =
        JobUsage { gpus: 4, gpus_working: 0, gpu_activity_per_mille: 0, memory_peak_mib: None };
    for unknown in [of(), with(of(), usage), with(of(), JobUsage { gpus: 9, ..usage })] {
        let found = asked(&[unknown]);
        assert_eq!((&found.rows[..], found.looked_at.unknown), (&[][..], 1));
    }
    let whole = JobUsage { gpus: 8, ..usage };
    assert_eq!(asked(&[with(of(), whole)]).rows[0].proposed, 0.0, "no GPU worked");
    // All worked, or there was none to ask for.
    assert_eq!(asked(&[measured(of(), 8)]).rows, []);
    let cpus = measured(run("1", S::Completed, 0, (0, 600)), 0);
    let found = asked(&[cpus]);
    assert_eq!((&found.rows[..], found.looked_at), (&[][..], LookedAt::default()));
}

#[test]
fn what_a_site_measured_of_all_gpus_tells_for_how_long_they_worked() {
    let usage =
        JobUsage { gpus: 8, gpus_working: 1, gpu_activity_per_mille: 93, memory_peak_mib: None };
    let of = |state| with(run("1", state, 8, (0, 600)), usage);
    let worked = |of: Attempt, input: CostInput<'_>| {
        let rows = costs(vec![of], &input).rows;
        rows[0].worked().map(|(time, from)| (time.hours(), from))
    };
    // By hand: 8 GPUs for 10 hours at 9.3%.
    assert_eq!(worked(of(S::Completed), input()), Some((7.44, UsedFrom::Jobstats)));
    let one_hour = |_: &Attempt| Some(Gpus::whole(1).held_for(3_600_000));
    let covered = CostInput { used: Some(&one_hour), ..input() };
    assert_eq!(worked(of(S::Completed), covered), Some((1.0, UsedFrom::Telemetry)));
    // One that runs is not measured yet, and half of its GPUs are not all.
    let half = with(run("1", S::Failed, 8, (0, 600)), JobUsage { gpus: 4, ..usage });
    for unknown in [of(S::Running), half, run("1", S::Failed, 8, (0, 600))] {
        assert_eq!(worked(unknown, input()), None);
    }
}

#[test]
fn telemetry_goes_before_what_a_site_measured() {
    let one = measured(run("1", S::Completed, 8, (0, 600)), 1);
    assert_eq!(asked_by(std::slice::from_ref(&one), &|_| Some(5), 30).rows[0].proposed, 5.0);
    assert_eq!(asked_by(std::slice::from_ref(&one), &|_| Some(8), 30).rows, []);
    // Telemetry of a node that others share tells nothing of it.
    let shared = run("1", S::Completed, 4, (0, 60));
    let hour = |gpu: u16| GpuHourOf {
        hosts: vec![text("n")],
        hour: DAY / 3_600,
        gpu: format!("GPU-{gpu}").into(),
        mean: 0.0,
    };
    let kept = UsedHours::of((0..8).map(hour));
    let found = asked_by(&[shared], &|of| kept.working(of), 30);
    assert_eq!((&found.rows[..], found.looked_at.unknown), (&[][..], 1));
    let alone = asked_by(&[run("1", S::Completed, 8, (0, 60))], &|of| kept.working(of), 30);
    assert_eq!(alone.rows[0].proposed, 0.0);
}

#[test]
fn what_runs_was_short_or_ended_at_another_time_is_not_counted() {
    let idle = |of: Attempt| measured(of, 1);
    let of = |span| idle(run("1", S::Completed, 8, span));
    let mut running = idle(run("1", S::Running, 8, (0, 600)));
    (running.ended_at, running.seen_until) = (None, at(600));
    let doubtful = idle(run("1", S::Doubtful, 8, (0, 600)));
    let mut waits = idle(run("1", S::Queued, 8, (0, 600)));
    waits.started_at = None;
    let nameless = Attempt { name: None, ..of((0, 600)) };
    for none in [running, doubtful, waits, nameless, of((0, 9)), of((NOW - 60, NOW + 60))] {
        assert_eq!(asked(std::slice::from_ref(&none)), Requests::default(), "{none:?}");
    }
    assert_eq!(asked(&[of((0, 10))]).rows.len(), 1);
    // Of the last two days: one ended before them, one began before them and counts from then on.
    let since = NOW - 2 * 1_440;
    let found = asked_by(&[of((0, since - 700)), of((since - 600, since + 60))], &|_| None, 2);
    near(found.rows[0].unused_gpu_hours, 7.0);
    near(found.rows[0].usd_per_month, 7.0 * 6.88 / 48.0 * 730.0);
}

/// A pod of eight GPUs that runs from 00:00 on and was last seen at 10:30.
fn pod(namespace: &str, owner: &str) -> Attempt {
    let mut of = run(&format!("{namespace}/train-x"), S::Running, 8, (0, 600));
    (of.id.source, of.owner) = (JobSource::Kubernetes, Some(text(owner)));
    (of.ended_at, of.seen_until) = (None, at(630));
    of
}

#[test]
fn what_serves_and_runs_counts_up_to_the_last_full_hour() {
    let told = |of: &Attempt| (of.started_at == at(0) && of.ended_at == at(600)).then_some(1);
    let found = asked_by(&[pod("ml", "deployment.apps/train")], &told, 30);
    let [row] = &found.rows[..] else { panic!("{found:?}") };
    assert_eq!((row.attempts, row.running, row.known), (1, 1, 1));
    assert_eq!((row.asked, row.proposed), (8.0, 1.0));
    assert_eq!(row.owner.as_deref(), Some("deployment.apps/train"));
    // By hand: 7 of 8 GPUs for ten of its ten and a half hours, at $6.88 each, over ten days.
    near(row.unused_gpu_hours, 70.0);
    near(row.usd_per_month, 70.0 * 6.88 / 240.0 * 730.0);
    // A job ends by itself, and nobody knows yet what it will need.
    for owner in ["job.batch/train", "pytorchjob.kubeflow.org/train"] {
        assert_eq!(asked_by(&[pod("ml", owner)], &|_| Some(1), 30), Requests::default());
    }
    // What began before the days that are counted is measured from then on.
    let since = at(NOW - 1_440);
    let mut long = pod("ml", "statefulset.apps/train");
    long.seen_until = at(NOW);
    let inside = |of: &Attempt| (of.started_at == since && of.ended_at == at(NOW)).then_some(1);
    near(asked_by(&[long], &inside, 1).rows[0].unused_gpu_hours, 7.0 * 24.0);
}

#[test]
fn workloads_of_two_namespaces_are_two() {
    let of = |namespace: &str, owner: &str| pod(namespace, owner);
    let one = [of("ml", "deployment.apps/train"), of("web", "deployment.apps/train")];
    let found = asked_by(&one, &|_| Some(1), 30);
    let mut spaces: Vec<_> = found.rows.iter().map(|row| row.namespace.as_deref()).collect();
    spaces.sort_unstable();
    assert_eq!(spaces, [Some("ml"), Some("web")]);
    let mut other = of("ml", "statefulset.apps/train");
    (other.id.raw, other.job) = (text("uid-y"), text("ml/train-y"));
    let differ = [of("ml", "deployment.apps/train"), other];
    let found = asked_by(&differ, &|_| Some(1), 30);
    assert_eq!((found.rows.len(), found.rows[0].owner.as_deref()), (1, None));
}

#[test]
fn a_part_of_a_gpu_is_never_known_to_be_unused() {
    let hour =
        GpuHourOf { hosts: vec![text("n")], hour: DAY / 3_600, gpu: text("GPU-0"), mean: 0.0 };
    let kept = UsedHours::of([hour]);
    let whole = run("1", S::Completed, 1, (0, 60));
    let slice = Attempt { gpus: Gpus::from_f64(3.0 / 7.0), ..whole.clone() };
    let turns = Attempt { gpus: Gpus::from_f64(0.25), ..whole.clone() };
    let of = |of: Attempt| asked_by(&[of], &|of| kept.working(of), 30);
    assert_eq!(of(whole).rows[0].proposed, 0.0);
    for part in [slice, turns] {
        let found = of(part);
        assert_eq!((&found.rows[..], found.looked_at.unknown), (&[][..], 1));
    }
}

#[test]
fn less_than_a_day_is_scaled_as_a_day() {
    let all = [measured(run("1", S::Completed, 8, (NOW - 60, NOW)), 1)];
    near(asked(&all).rows[0].usd_per_month, 7.0 * 6.88 / 24.0 * 730.0);
}

#[test]
fn an_attempt_that_needs_more_than_the_others_has_nothing_unused_in_what_worked() {
    // Nineteen of twenty need one GPU, the last one all of its eight.
    let mut all: Vec<Attempt> = (0..19)
        .map(|n| measured(run(&n.to_string(), S::Completed, 2, (n * 100, n * 100 + 60)), 1))
        .collect();
    all.push(measured(run("19", S::Completed, 8, (1_900, 1_960)), 8));
    let row = &asked(&all).rows[0];
    assert_eq!((row.asked, row.proposed, row.known), (8.0, 1.0, 20));
    near(row.unused_gpu_hours, 19.0);
    // Where all that was held worked, whatever the percentile is, nothing is unused.
    let all: Vec<Attempt> = (0..20)
        .map(|n| {
            let gpus = if n == 19 { 8 } else { 1 };
            measured(run(&n.to_string(), S::Completed, gpus, (n * 100, n * 100 + 60)), gpus)
        })
        .collect();
    assert_eq!(asked(&all).rows, []);
}

#[test]
fn an_attempt_without_a_price_leaves_the_others_theirs() {
    let priced = measured(run("1", S::Completed, 8, (0, 60)), 1);
    let mut other = measured(run("2", S::Completed, 8, (100, 160)), 1);
    (other.instance_type, other.nodes) = (Some(text("x9.huge")), [text("m")].into());
    let row = &asked(&[priced, other.clone()]).rows[0];
    assert_eq!(row.unpriced, 1);
    near(row.unused_gpu_hours, 14.0);
    near(row.usd_per_month, 7.0 * 6.88 / 240.0 * 730.0);
    let row = &asked(&[other]).rows[0];
    assert_eq!((row.unpriced, row.usd_per_month), (1, None));
}

#[test]
fn a_limit_of_twice_the_longest_run_or_more_is_told_without_dollars() {
    let of = |job: i64, state, minutes: i64, limit: Option<i64>| {
        let from = job * 1_000;
        let of = run(&job.to_string(), state, 8, (from, from + minutes));
        Attempt { time_limit_ms: limit.map(|minutes| minutes * 60_000), ..of }
    };
    let day = Some(1_440);
    let three = |longest: i64| [60, 61, longest].map(|minutes| (S::Completed, minutes));
    let found = |all: &[(JobState, i64)], limit| {
        let all: Vec<Attempt> =
            (0..).zip(all).map(|(n, (state, minutes))| of(n, *state, *minutes, limit)).collect();
        asked(&all).rows
    };
    let rows = found(&three(62), day);
    assert_eq!((rows.len(), rows[0].kind), (1, RequestKind::Time));
    // 62 minutes and a fifth are 74.4: five quarters of an hour.
    assert_eq!((rows[0].asked, rows[0].proposed), (24.0, 1.25));
    near(Some(rows[0].used_p95), 62.0 / 60.0);
    assert_eq!((rows[0].usd_per_month, rows[0].unused_gpu_hours), (None, None));
    // Ten hours and a fifth are half of a day, a quarter of an hour more is not.
    assert_eq!(found(&three(600), day).len(), 1);
    assert_eq!(found(&three(601), day), []);
    // Two tell too little, no limit nothing; one that did not complete needs its time all the same.
    assert_eq!(found(&three(62)[..2], day), []);
    assert_eq!(found(&three(62), None), []);
    let failed = [&three(62)[..], &[(S::TimedOut, 1_440)]].concat();
    assert_eq!(found(&failed, day), []);
    let rows = found(&[&three(62)[..], &[(S::Failed, 120)]].concat(), day);
    assert_eq!((rows[0].proposed, rows[0].known, rows[0].attempts), (2.5, 3, 4));
}

#[test]
fn memory_is_told_where_twice_the_peak_would_do() {
    let of = |job: &str, nodes: u32, peak_gib: Option<u64>| {
        let mut of = run(job, S::Completed, 0, (0, 60));
        of.nodes = (0..nodes).map(|node| text(&format!("n{node}"))).collect();
        (of.node_count, of.memory_mib) = (Some(nodes), Some(200 << 10));
        let usage = JobUsage {
            gpus: 0,
            gpus_working: 0,
            gpu_activity_per_mille: 0,
            memory_peak_mib: peak_gib.map(|gib| gib << 10),
        };
        with(of, usage)
    };
    let rows = asked(&[of("1", 2, Some(40)), of("2", 2, Some(22)), of("3", 2, None)]).rows;
    let [row] = &rows[..] else { panic!("{rows:?}") };
    assert_eq!(
        (row.kind, row.attempts, row.known, row.nodes),
        (RequestKind::Memory, 3, 2, Some(2))
    );
    // 20 GiB a node and a fifth, on two nodes.
    assert_eq!((row.asked, row.used_p95, row.proposed), (200.0, 40.0, 48.0));
    assert_eq!(row.usd_per_month, None);
    // 84 GiB and a fifth are more than half of it; unknown is none.
    assert_eq!(asked(&[of("1", 1, Some(84))]).rows, []);
    assert_eq!(asked(&[of("1", 1, Some(83))]).rows.len(), 1);
    assert_eq!(asked(&[of("1", 1, None)]).rows, []);
    // On other numbers of nodes nobody knows what one needs.
    let differing = asked(&[of("1", 2, Some(40)), of("2", 1, Some(20))]).rows;
    assert_eq!((differing[0].nodes, differing[0].proposed), (None, 48.0));
}

#[test]
fn what_saves_most_comes_first_and_workloads_are_kept_apart() {
    let of = |job: &str, user: &str, minutes: i64| {
        let of = measured(run(job, S::Completed, 8, (0, minutes)), 1);
        Attempt { user: Some(text(user)), ..of }
    };
    let mut limited = of("4", "wei", 30);
    limited.time_limit_ms = Some(86_400_000);
    let more = [40, 50].map(|minutes| {
        let of = measured(run(&minutes.to_string(), S::Completed, 8, (0, minutes)), 8);
        Attempt { user: Some(text("wei")), time_limit_ms: Some(86_400_000), ..of }
    });
    let all = [&[of("1", "ines", 60), of("2", "omar", 120), limited][..], &more].concat();
    let found = asked(&all).rows;
    let order: Vec<(&str, RequestKind)> =
        found.iter().map(|row| (row.user.as_deref().unwrap(), row.kind)).collect();
    let want =
        [("omar", RequestKind::Gpus), ("ines", RequestKind::Gpus), ("wei", RequestKind::Time)];
    assert_eq!(order, want);
}

#[test]
fn parts_side_by_side_are_one_attempt_with_the_use_of_both() {
    let part = |job: &str, node: &str, working| {
        let mut of = measured(run(job, S::Completed, 8, (0, 60)), working);
        (of.parts_of, of.nodes) = (Some(text("11")), [text(node)].into());
        of
    };
    let found = asked(&[part("11+0", "n1", 3), part("11+1", "n2", 1)]).rows;
    assert_eq!((found[0].asked, found[0].proposed, found[0].nodes), (16.0, 4.0, None));
    let mut other = part("11+1", "n2", 1);
    other.usage = None;
    assert_eq!(asked(&[part("11+0", "n1", 3), other]).rows, []);
}

#[test]
fn it_is_scaled_from_the_first_attempt_of_all_workloads() {
    let first = run("0", S::Completed, 1, (-4_320, -4_200));
    let first = Attempt { name: Some(text("old")), ..first };
    let all = [first, measured(run("1", S::Completed, 8, (0, 60)), 1)];
    let hours = SignedDuration::from_mins(NOW + 4_320).as_secs_f64() / 3_600.0;
    near(asked(&all).rows[0].usd_per_month, 7.0 * 6.88 / hours * 730.0);
}
