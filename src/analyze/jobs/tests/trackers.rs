//! Runs of MLflow and jobs of Ray beside the jobs in which they were: the wrong number of each trap, and the right one.

use super::*;
use crate::domain::jobs::{GpuTime, JobRef};
use JobState as S;

/// A job of Slurm on p5.48xlarge, from and to in minutes of the day.
fn job(id: &str, state: JobState, gpus: u32, span: (i64, i64)) -> Attempt {
    let mut of = attempt(id, state, gpus, span);
    (of.id.source, of.id.cluster) = (JobSource::Slurm, text("prod"));
    of
}

/// A run of MLflow in a job of Slurm (empty = in none): nothing is known of what it held.
fn run(name: &str, slurm: &str, state: JobState, span: (i64, i64)) -> Attempt {
    let mut of = attempt(name, state, 0, span);
    (of.id.source, of.id.cluster) = (JobSource::MlFlow, text("ml"));
    (of.gpus, of.instance_type) = (None, None);
    of.tracker = Some(format!("llm-7b/{name}").into());
    of.user = Some(text("alice"));
    of.in_job = (!slurm.is_empty()).then(|| named("slurm", slurm)).flatten();
    of
}

fn named(scheduler: &str, id: &str) -> Option<Box<JobRef>> {
    Some(Box::new(JobRef { scheduler: text(scheduler), cluster: None, id: text(id) }))
}

#[test]
fn a_resumed_run_costs_what_its_job_held() {
    // 2 h, a gap of 48 h, 4 GPUs. From start to end of the run: 50 h, $1,376.
    let all = [job("7", S::Failed, 4, (0, 120)), run("resumed", "7", S::Completed, (0, 3_000))];
    let naive = cost(&[attempt("resumed", S::Completed, 4, (0, 3_000))]);
    assert_eq!(naive[0].held.usd, Some(usd("1376")));
    let sums = total(&all);
    assert_eq!((sums.gpu_time.hours(), sums.usd), (8.0, usd("55.04")));
    // Without its job nobody knows: neither 50 h nor 0.
    let alone = cost(&all[1..]);
    assert_eq!((alone[0].held.gpu_time, alone[0].held.usd), (None, None));
}

#[test]
fn a_sweep_costs_its_children_and_no_hour_twice() {
    // 8 GPUs, 4 h: parent and children added up are $440.32.
    let mut all = vec![run("parent", "", S::Completed, (0, 240))];
    for child in 0..4 {
        let (id, span) = (format!("{}", 100 + child), (child * 60, child * 60 + 60));
        all.push(job(&id, S::Completed, 8, span));
        let mut of = run(&format!("child-{child}"), &id, S::Completed, span);
        of.parent = Some(text("parent"));
        all.push(of);
    }
    let rows = cost(&all);
    let sum: Usd = rows.iter().filter_map(|row| row.held.usd).fold(Usd::ZERO, |a, b| a + b);
    assert_eq!((rows.len(), sum), (5, usd("220.16")));
    let of_job = rows.iter().find(|row| &*row.attempt.job == "102").unwrap();
    assert_eq!(of_job.attempt.tracker.as_deref(), Some("llm-7b/child-2"));
    assert_eq!(of_job.attempt.user.as_deref(), Some("alice"));
}

#[test]
fn four_ranks_with_a_run_each_are_one_job() {
    let mut all = vec![job("500", S::Completed, 8, (0, 60))];
    all.extend((0..4).map(|rank| run(&format!("ddp-rank{rank}"), "500", S::Completed, (1, 59))));
    let rows = cost(&all);
    // Four times: $220.16.
    assert_eq!((rows.len(), rows[0].held.usd), (1, Some(usd("55.04"))));
    assert_eq!(rows[0].attempt.tracker.as_deref(), Some("llm-7b/ddp-rank0 and 3 more"));
    assert_eq!(rows[0].attempt.id.source, JobSource::Slurm);
    // In any order.
    all.reverse();
    assert_eq!(cost(&all), rows);
}

#[test]
fn runs_of_a_file_that_name_their_job_are_labels_of_it() {
    let of_file = |rank: u32| {
        let mut of = run(&format!("rank{rank}"), "500", S::Completed, (1, 59));
        (of.id.source, of.id.cluster) = (JobSource::File, text(""));
        of
    };
    let mut all = vec![job("500", S::Completed, 8, (0, 60))];
    all.extend((0..4).map(of_file));
    let rows = cost(&all);
    assert_eq!((rows.len(), rows[0].held.usd), (1, Some(usd("55.04"))));
    assert_eq!(rows[0].attempt.tracker.as_deref(), Some("llm-7b/rank0 and 3 more"));
    // Where the job is not known they stand by themselves, and nobody knows what they held.
    let alone = cost(&all[1..]);
    assert_eq!(alone.len(), 4);
    assert!(alone.iter().all(|row| (row.held.gpu_time, row.held.usd) == (None, None)));
}

#[test]
fn the_scheduler_decides_how_a_run_ended() {
    // The tracker says FINISHED after an exception: a tax of $0. It says RUNNING after SIGTERM: 80 h and growing.
    let finished = [job("1", S::Failed, 8, (0, 60)), run("exc", "1", S::Completed, (0, 60))];
    assert_eq!(total(&finished).lost_usd, usd("55.04"));
    let mut zombie = run("zombie", "999", S::Doubtful, (0, 0));
    (zombie.ended_at, zombie.seen_until) = (None, at(60));
    let killed = [job("999", S::Cancelled, 8, (0, 61)), zombie.clone()];
    let rows = cost(&killed);
    assert_eq!((rows.len(), rows[0].attempt.state), (1, S::Cancelled));
    assert_eq!(rows[0].attempt.ended_at, at(61));
    // Alone it counts nothing.
    assert!(cost(&[zombie])[0].held.gpu_time.is_some_and(GpuTime::is_zero));
}

#[test]
fn a_run_labels_the_attempts_that_ran_while_it_did() {
    // The ids of a purged database begin anew: the job of a year ago is another.
    let old =
        [job("5", S::Completed, 8, (-600_000, -599_000)), run("a", "5", S::Completed, (0, 60))];
    let rows = cost(&old);
    assert_eq!(rows.len(), 2);
    assert_eq!(rows[0].attempt.tracker, None);
    // Requeued: the second attempt is that of the run.
    let (mut first, second) =
        (job("6", S::Preempted, 8, (0, 60)), job("6", S::Completed, 8, (120, 180)));
    first.id.key = text("first");
    let rows = cost(&[first, second, run("b", "6", S::Completed, (121, 179))]);
    let labels: Vec<Option<&str>> = rows.iter().map(|row| row.attempt.tracker.as_deref()).collect();
    assert_eq!(labels, [None, Some("llm-7b/b")]);
    // Two clusters use the id: which is meant is not known, unless the run says it.
    let mut other = job("5", S::Completed, 8, (0, 60));
    other.id.cluster = text("dev");
    let mut said = run("c", "5", S::Completed, (1, 59));
    let both = |run: &Attempt| vec![job("5", S::Completed, 8, (0, 60)), other.clone(), run.clone()];
    assert_eq!(cost(&both(&said)).len(), 3);
    said.in_job.as_mut().unwrap().cluster = Some(text("dev"));
    let rows = cost(&both(&said));
    assert_eq!(rows.len(), 2);
    let labelled = rows.iter().find(|row| row.attempt.tracker.is_some()).unwrap();
    assert_eq!(&*labelled.attempt.id.cluster, "dev");
}

#[test]
fn a_run_in_a_job_of_ray_in_a_job_of_slurm_labels_that_one() {
    let mut ray = attempt("ok-2", S::Completed, 8, (5, 55));
    ray.id.source = JobSource::Ray;
    ray.tracker = Some(text("ray"));
    let mut of = run("a", "", S::Completed, (6, 50));
    of.in_job = named("ray", "ok-2");
    // On its own the job of Ray counts, and its run is a label: once 8 GPUs for 50 min.
    let sums = total(&[ray.clone(), of.clone()]);
    assert_eq!((sums.attempts, sums.usd), (1, usd("55.04").prorated(50, 60)));
    // In a job of Slurm both are labels: with the three added up it would be more than an hour of the node.
    ray.in_job = named("slurm", "8");
    let rows = cost(&[job("8", S::Completed, 8, (0, 60)), ray, of]);
    assert_eq!((rows.len(), rows[0].held.usd), (1, Some(usd("55.04"))));
    assert_eq!(rows[0].attempt.tracker.as_deref(), Some("llm-7b/a and 1 more"));
}

#[test]
fn a_run_inside_of_another_is_where_that_one_is() {
    let mut nested = run("step", "", S::Completed, (10, 20));
    nested.parent = Some(text("outer"));
    let all =
        [job("9", S::Completed, 8, (0, 60)), run("outer", "9", S::Completed, (1, 59)), nested];
    let rows = cost(&all);
    assert_eq!(rows.len(), 1);
    assert_eq!(rows[0].attempt.tracker.as_deref(), Some("llm-7b/outer and 1 more"));
}

#[test]
fn a_job_of_kubernetes_that_two_namespaces_have_is_labelled_by_no_run() {
    let pod = |namespace: &str, raw: &str| {
        let mut of = attempt(&format!("{namespace}/train/worker-0"), S::Completed, 8, (0, 60));
        (of.id.source, of.id.cluster, of.id.raw) = (JobSource::Kubernetes, text("prod"), text(raw));
        of
    };
    let mut of = run("a", "", S::Completed, (1, 59));
    of.in_job = named("kubernetes", "train");
    let rows = cost(&[pod("nlp", "uid-1"), of.clone()]);
    assert_eq!((rows.len(), rows[0].attempt.user.as_deref()), (1, Some("alice")));
    let rows = cost(&[pod("nlp", "uid-1"), pod("vision", "uid-2"), of]);
    assert_eq!(rows.len(), 3);
    let of_pods = rows.iter().filter(|row| row.attempt.id.source == JobSource::Kubernetes);
    assert!(of_pods.map(|row| row.attempt.tracker.as_deref()).all(|label| label.is_none()));
}
