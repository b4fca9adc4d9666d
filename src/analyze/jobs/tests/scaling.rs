//! Settings of an autoscaler replayed over node groups, against sums by hand.

use super::nodes::node;
use super::*;
use crate::analyze::jobs::{BootFrom, NodeGroup, Scaling, ScalingRow, WaitInput, scaling};
use crate::domain::jobs::JobNode;
use JobState as S;

/// An attempt of a queue on a node.
fn on(job: &str, node: &str, span: (i64, i64)) -> Attempt {
    let mut of = attempt(job, S::Completed, 8, span);
    (of.nodes, of.node_count, of.queue) = ([text(node)].into(), Some(1), Some(text("q")));
    of
}

/// From an hour before midnight to the next one, 25 hours; the day before something ran elsewhere, and what is read last has no GPUs
/// that anybody knows.
fn found(mut all: Vec<Attempt>, mut nodes: Vec<JobNode>) -> Scaling {
    all.push(on("old", "elsewhere", (-1500, -1400)));
    nodes.push(node("login", None, (-2000, 1440)));
    of(all, &nodes, None)
}

fn of(all: Vec<Attempt>, nodes: &[JobNode], boot_minutes: Option<i64>) -> Scaling {
    let known = KnownNodes { nodes, ..KnownNodes::default() };
    let (since, now) = (at(-60).unwrap(), at(1440).unwrap());
    let (attempts, first_read) = (&all.into(), &|_: JobSource| None::<jiff::Timestamp>);
    let input = WaitInput { attempts, known, types: &types, first_read, since, now };
    scaling(&input, boot_minutes.map(|minutes| minutes * 60_000))
}

fn gpu_node(name: &str, span: (i64, i64)) -> JobNode {
    node(name, Some("p5.48xlarge"), span)
}

/// The row of a setting, of the only group.
fn row(found: &Scaling, delay: Option<u32>, kept: u32) -> &ScalingRow {
    assert_eq!(found.of.groups, 1);
    let is_it = |row: &&ScalingRow| row.delay_minutes == delay && row.kept_nodes == kept;
    found.rows.iter().find(is_it).unwrap()
}

fn group(found: &Scaling) -> &NodeGroup {
    &row(found, None, 0).group
}

/// Minutes saved, more starts, delayed jobs.
fn sums(of: &ScalingRow) -> (i64, i64, u32) {
    (of.saved_ms / 60_000, of.more_starts, of.delayed)
}

#[test]
fn what_an_empty_node_costs_and_a_shorter_delay_saves_is_as_by_hand() {
    // Up for ten hours: 10 minutes, a job of two hours, an hour, one of two hours, and 290 minutes more.
    let jobs = vec![on("a", "n", (10, 130)), on("b", "n", (190, 310))];
    let found = found(jobs, vec![gpu_node("n", (0, 600))]);
    let group = group(&found);
    assert_eq!(
        (group.queue.as_deref(), group.instance_type.as_deref()),
        (Some("q"), Some("p5.48xlarge"))
    );
    assert_eq!(
        (group.span_ms, group.up_ms, group.held_ms),
        (25 * 3_600_000, 36_000_000, 14_400_000)
    );
    // Six hours at $55.04.
    assert_eq!((group.empty_usd, group.usd), (usd("330.24"), usd("550.4")));
    assert_eq!((group.stretches, group.stretch_ms), (3, Some((3_600_000, 290 * 60_000))));
    assert_eq!(group.scale_down_ms, Some(290 * 60_000));
    assert_eq!((group.nodes, group.static_nodes, group.starts), (1, 0, 1));
    assert_eq!((group.up_at_once, group.jobs, group.delayed), ((0, 1), 2, 0));
    assert_eq!((group.boot_ms, group.boot_from), (300_000, BootFrom::Assumed));
    // Both jobs boot a node for five minutes, which stays for half an hour.
    let half = row(&found, Some(30), 0);
    assert_eq!(sums(half), (360 - 2 * 30 - 2 * 5, 1, 2));
    assert_eq!(half.wait_ms(), 600_000);
    // 290 minutes at $55.04 an hour, of 25 hours, in 730.
    let month = half.saves_usd_per_month().unwrap().to_f64();
    assert!((month - 55.04 * 290.0 / 60.0 * 730.0 / 25.0).abs() < 1e-6, "{month}");
    // An hour is just too short for the second one.
    assert_eq!(sums(row(&found, Some(60), 0)), (360 - 2 * 60 - 2 * 5, 1, 2));
    // For ever: the hour between, and from 5:10 to midnight.
    let never = row(&found, None, 0);
    assert_eq!(sums(never), (360 - 60 - 1130 - 5, 0, 1));
    assert!(never.saves_usd_per_month().unwrap().is_negative());
    // A node that is always up, from the hour before midnight on, and no other.
    assert_eq!(sums(row(&found, Some(1), 1)), (360 - (1500 - 240), -1, 0));
    assert_eq!(found.rows.len(), 2 * 7);
    assert!(found.rows.iter().all(|row| !row.fits), "each that saves delays both jobs");
    assert_eq!((found.of.nodes, found.of.unknown_gpu_nodes, found.of.unnamed_attempts), (1, 1, 0));
}

#[test]
fn a_setting_fits_that_delays_one_job_in_twenty() {
    // One after the other without a gap; the node is there for ever.
    let jobs = |count: i64| {
        let job = |n: i64| on(&n.to_string(), "n", (n * 10, n * 10 + 10));
        (0..count).map(job).collect::<Vec<_>>()
    };
    let of_jobs = |count| found(jobs(count), vec![gpu_node("n", (-2000, 1440))]);
    let fit = |found: &Scaling| {
        let fits = found.rows.iter().filter(|row| row.fits);
        fits.map(|row| (row.delay_minutes, row.kept_nodes)).collect::<Vec<_>>()
    };
    let twenty = of_jobs(20);
    assert_eq!(fit(&twenty), [(Some(1), 0)]);
    assert!(twenty.rows[0].fits, "it comes first");
    // An hour before the first job and 1,240 minutes after the last one, less a minute each and a boot.
    assert_eq!(sums(&twenty.rows[0]), (1500 - 200 - 2 - 5, 1, 1));
    let group = group(&twenty);
    assert_eq!((group.static_nodes, group.up_at_once, group.scale_down_ms), (1, (1, 1), None));
    // Of nineteen one is too many, and each that saves something delays one: an hour is just too short for the first.
    assert_eq!(fit(&of_jobs(19)), [] as [(Option<u32>, u32); 0]);
}

#[test]
fn a_node_that_came_up_for_a_job_tells_how_long_it_boots() {
    // Three nodes that came up while a job waited, 4, 6 and 8 minutes before it began; and one that nobody waited for.
    let boots = [(100, 4), (300, 6), (500, 8)];
    let mut nodes = vec![gpu_node("n9", (700, 900))];
    let mut jobs = vec![on("9", "n9", (800, 850))];
    for (came, boot) in boots {
        let name = format!("n{came}");
        nodes.push(gpu_node(&name, (came, came + 100)));
        let mut job = on(&name, &name, (came + boot, came + 60));
        job.submitted_at = at(came);
        jobs.push(job);
    }
    let seen = found(jobs.clone(), nodes.clone());
    let of_group = group(&seen);
    assert_eq!((of_group.boot_ms, of_group.boot_from), (6 * 60_000, BootFrom::Observed));
    assert_eq!((of_group.jobs, of_group.delayed, of_group.starts), (4, 3, 4));
    // What somebody says goes before.
    jobs.push(on("old", "elsewhere", (-1500, -1400)));
    let given = of(jobs, &nodes, Some(2));
    let given = &given.rows[0].group;
    assert_eq!((given.boot_ms, given.boot_from), (120_000, BootFrom::Given));
}

#[test]
fn a_job_on_several_nodes_waits_once_and_one_whose_nodes_nobody_knows_holds_them_all() {
    let mut both = on("a", "n1", (0, 60));
    (both.nodes, both.node_count) = ([text("n1"), text("n2")].into(), Some(2));
    let nodes = || vec![gpu_node("n1", (-30, 1200)), gpu_node("n2", (-30, 1200))];
    let found_both = found(vec![both.clone()], nodes());
    let of = row(&found_both, Some(1), 0);
    // Two boots, one job; 30 minutes before and 19 hours after on each.
    assert_eq!(sums(of), (2 * (30 + 1140) - 2 - 10, 0, 1));
    assert_eq!((of.group.jobs, of.wait_ms()), (1, 300_000));
    // From 10:00 to 12:00 somebody held something of the cluster.
    let mut hidden = on("h", "n1", (600, 720));
    hidden.nodes = Arc::default();
    let hidden = found(vec![both, hidden], nodes());
    assert_eq!(group(&hidden).held_ms, 2 * (60 + 120) * 60_000);
    assert_eq!((group(&hidden).jobs, hidden.of.unnamed_attempts), (1, 1));
}

#[test]
fn what_runs_holds_its_node_up_to_the_last_reading_of_nodes() {
    let seen_until = |until: i64| {
        let mut of = on("a", "n", (0, until));
        (of.state, of.ended_at, of.seen_until) = (S::Running, None, of.ended_at);
        found(vec![of], vec![gpu_node("n", (0, 1440))])
    };
    let sums = |found: &Scaling| (group(found).held_ms / 60_000, group(found).stretches);
    // The accounting is read two minutes before the nodes.
    assert_eq!(sums(&seen_until(1438)), (1440, 0));
    // What was seen an hour before may be over.
    assert_eq!(sums(&seen_until(1380)), (1380, 1));
}

#[test]
fn when_hosts_of_batch_went_away_nobody_tells() {
    let gone_after = |source: JobSource| {
        let job = |job: &str, name: &str, span| {
            let mut of = on(job, name, span);
            of.id.source = source;
            of
        };
        let jobs = vec![job("old", "elsewhere", (-1500, -1400)), job("a", "n", (0, 60))];
        let nodes = [("n", (0, 70)), ("last", (0, 1440))];
        let nodes = nodes.map(|(name, span)| JobNode { source, ..gpu_node(name, span) });
        let found = of(jobs, &nodes, None);
        let group = &found.rows.iter().find(|row| row.group.queue.is_some()).unwrap().group;
        (group.up_ms / 60_000, group.scale_down_ms)
    };
    assert_eq!(gone_after(JobSource::Slurm), (70, Some(600_000)));
    assert_eq!(gone_after(JobSource::Batch), (70, None));
}

#[test]
fn where_nobody_tells_when_nodes_were_up_there_is_no_row() {
    let none = of(vec![on("a", "n", (0, 60))], &[], None);
    assert_eq!(none, Scaling::default());
    // Nor before the first end that is known of the cluster, nor for a type without GPUs that anybody knows.
    let early = of(vec![on("a", "n", (0, 1500))], &[gpu_node("n", (-60, 1440))], None);
    assert_eq!(early.rows, []);
    let unpriced =
        found(vec![on("a", "m", (0, 60))], vec![node("m", Some("unknown"), (-60, 1440))]);
    assert_eq!((unpriced.rows.len(), unpriced.of.unknown_gpu_nodes), (0, 2));
    // With GPUs and without a price: hours, and no dollars.
    let mut m = node("m", Some("unknown"), (-60, 1440));
    m.gpus = Some(Gpus::whole(8));
    let hours = found(vec![on("a", "m", (0, 60))], vec![m]);
    let of = row(&hours, Some(10), 0);
    assert_eq!((of.saves_usd_per_month(), of.group.is_priced()), (None, false));
    assert_eq!(sums(of), (1440 - 20 - 5, 1, 1));
}
