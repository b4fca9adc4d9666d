//! What is kept of jobs, as the tab shows it.

use std::collections::HashMap;
use std::sync::Arc;

use super::{
    JobRow, NodeRow, RequestItem, RunsCalculator, TaxItem, WaitItem, failed_runs, job_rows,
    node_rows, repeat_rows, replay_rows, request_rows, scaling_rows, tax_rows, wait_rows,
    zombie_rows,
};
use crate::analyze::jobs::{
    CancelledWeight, Costs, LookedAt, Repeat, Replay, Replayed, Replays, Requests, ScaledOver,
    Scaling, ScalingRow, TaxKey, TaxSums, WaitKey, WaitRow, Zombie, repeats, tax,
};
use crate::domain::Reading;
use crate::domain::jobs::{AttemptId, Gpus, JobSource, JobState};

/// A question about the jobs that are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct JobsQuestion {
    /// What sums are made by.
    pub by: TaxKey,
    /// Another number where what is kept may have changed.
    pub round: u64,
}

/// What is read of jobs.
#[derive(Clone, Debug, Default)]
pub struct JobsRead {
    /// Attempts and nodes with their costs.
    pub costs: Costs,
    /// What rules would have saved and cost over these attempts.
    pub replays: Replays,
    /// GPUs that do nothing for a job, in their order.
    pub zombies: Vec<Zombie>,
    /// Queue waits of the last week, by hour.
    pub waits: Vec<WaitRow>,
    /// What workloads asked for and did not use in the last 30 days.
    pub requests: Requests,
    /// Settings of an autoscaler replayed over node groups in the last 14 days.
    pub scaling: Scaling,
    /// Mean activity of the GPUs of an attempt in each hour in which it held them, 0–1, NaN where nobody knows it; of those that
    /// kept telemetry tells of.
    pub activity: HashMap<AttemptId, Box<[f32]>>,
    /// Nodes of which a fresh reading tells who holds their GPUs.
    pub covered_nodes: usize,
    /// Attempts with an instance type and no region.
    pub without_region: usize,
    /// How the sources of jobs were read last.
    pub readings: Arc<[Reading]>,
    /// Why some attempts are not there, one sentence; `None` where all are.
    pub damaged: Option<String>,
    /// That older attempts are left out, and what has them, one sentence; `None` where none are.
    pub left_out: Option<String>,
}

/// The answer to a [`JobsQuestion`].
#[derive(Clone, Debug)]
pub struct JobsPicture {
    /// What sums are made by.
    pub by: TaxKey,
    /// Attempts, the newest first.
    pub attempts: Arc<[Arc<JobRow>]>,
    /// Places of the attempts in the order of their ids, so that one is found without going through all.
    by_id: Arc<[u32]>,
    /// The same in the order of their jobs, those of one job as they ran.
    by_job: Arc<[u32]>,
    /// Sums by the key.
    pub tax: Arc<[Arc<TaxItem>]>,
    /// Nodes, the costliest first.
    pub nodes: Arc<[Arc<NodeRow>]>,
    /// What was lost again and again.
    pub repeats: Arc<[Arc<Repeat>]>,
    /// What rules would have saved and cost.
    pub replays: Arc<[Arc<Replay>]>,
    /// What these were replayed over.
    pub replayed: Replayed,
    /// GPUs that do nothing for a job.
    pub zombies: Arc<[Arc<Zombie>]>,
    /// Queue waits of the last week, by hour.
    pub waits: Arc<[Arc<WaitItem>]>,
    /// What workloads asked for and did not use in the last 30 days.
    pub requests: Arc<[Arc<RequestItem>]>,
    /// Attempts that these were found among.
    pub looked_at: LookedAt,
    /// Settings of an autoscaler replayed over node groups in the last 14 days.
    pub scaling: Arc<[Arc<ScalingRow>]>,
    /// What these were replayed over.
    pub scaled: ScaledOver,
    /// See [`JobsRead::activity`].
    pub activity: Arc<HashMap<AttemptId, Box<[f32]>>>,
    /// Sums of all attempts.
    pub total: TaxSums,
    /// Attempts that run.
    pub running: usize,
    /// GPUs that these hold; those of which it is not known are not in it.
    pub running_gpus: Gpus,
    /// What the calculator of failed runs begins with; `None` where attempts tell too little.
    pub calculator: Option<RunsCalculator>,
    /// Share of cancelled attempts that counts as lost.
    pub weight: CancelledWeight,
    /// See [`JobsRead::covered_nodes`].
    pub covered_nodes: usize,
    /// See [`JobsRead::without_region`].
    pub without_region: usize,
    /// See [`JobsRead::readings`].
    pub readings: Arc<[Reading]>,
    /// See [`JobsRead::damaged`].
    pub damaged: Option<String>,
    /// See [`JobsRead::left_out`].
    pub left_out: Option<String>,
}

impl JobsPicture {
    /// Everything that was read, with sums by a key.
    pub fn of(read: JobsRead, by: TaxKey) -> Self {
        let JobsRead {
            costs,
            replays,
            zombies,
            waits,
            requests,
            scaling,
            activity,
            covered_nodes,
            without_region,
            readings,
            damaged,
            left_out,
        } = read;
        let sums = tax(costs.rows.iter(), by);
        let runs = costs.rows.iter().map(|row| &row.attempt);
        let runs = runs.filter(|of| of.state == JobState::Running);
        let (running, running_gpus) = runs.fold((0, Gpus::ZERO), |(count, gpus), of| {
            (count + 1, gpus + of.gpus.unwrap_or(Gpus::ZERO))
        });
        let repeats = repeat_rows(repeats(&costs.rows));
        let calculator = failed_runs(&costs.rows);
        let attempts = job_rows(costs.rows);
        let mut by_id: Vec<u32> = (0..attempts.len() as u32).collect();
        by_id.sort_unstable_by_key(|place| &attempts[*place as usize].id);
        let mut by_job = by_id.clone();
        let in_job = |place: &u32| {
            let row = &attempts[*place as usize];
            (job_of(row), row.of.number)
        };
        by_job.sort_by(|a, b| in_job(a).cmp(&in_job(b)));
        Self {
            by,
            attempts,
            by_id: by_id.into(),
            by_job: by_job.into(),
            tax: tax_rows(&sums),
            nodes: node_rows(costs.nodes),
            repeats,
            replays: replay_rows(replays.rows),
            replayed: replays.of,
            zombies: zombie_rows(zombies),
            waits: wait_rows(waits, WaitKey::Hour, None),
            requests: request_rows(requests.rows),
            looked_at: requests.looked_at,
            scaling: scaling_rows(scaling.rows),
            scaled: scaling.of,
            activity: activity.into(),
            total: sums.total,
            running,
            running_gpus,
            calculator,
            weight: CancelledWeight::default(),
            covered_nodes,
            without_region,
            readings,
            damaged,
            left_out,
        }
    }

    /// The attempt of this id; `None` where there is none.
    pub fn attempt(&self, id: &str) -> Option<&Arc<JobRow>> {
        let row = |place: &u32| &self.attempts[*place as usize];
        let at = self.by_id.partition_point(|place| *row(place).id < *id);
        self.by_id.get(at).map(row).filter(|row| *row.id == *id)
    }

    /// The other attempts of its job, in the order in which they ran.
    pub fn others_of(&self, of: &JobRow) -> Vec<&Arc<JobRow>> {
        let row = |place: &u32| &self.attempts[*place as usize];
        let job = job_of(of);
        let at = self.by_job.partition_point(|place| job_of(row(place)) < job);
        let same = self.by_job[at..].iter().map(row).take_while(|row| job_of(row) == job);
        same.filter(|row| row.id != of.id).collect()
    }

    /// The same with sums by another key.
    pub fn by(&self, by: TaxKey) -> Self {
        let sums = tax(self.attempts.iter().map(|row| &row.of), by);
        Self { by, tax: tax_rows(&sums), ..self.clone() }
    }

    /// True where nothing is known of jobs: nothing is kept, and no source was read.
    pub fn is_empty(&self) -> bool {
        self.attempts.is_empty()
            && self.nodes.is_empty()
            && self.readings.iter().all(|reading| reading.taken_at.is_none())
    }
}

/// Source, cluster and id of the job of an attempt.
fn job_of(row: &JobRow) -> (JobSource, &str, &str) {
    let of = &row.of.attempt;
    (of.id.source, &of.id.cluster, &of.job)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tabs::jobs::state::fixture;

    #[test]
    fn each_attempt_is_found_by_its_id_and_with_the_others_of_its_job() {
        let now = "2026-11-28T12:00:00Z".parse().unwrap();
        let jobs = JobsPicture::of(fixture::read(now), TaxKey::State);
        for row in jobs.attempts.iter() {
            assert!(jobs.attempt(&row.id).is_some_and(|found| Arc::ptr_eq(found, row)));
            let others = jobs
                .attempts
                .iter()
                .filter(|other| other.id != row.id && other.of.attempt.job == row.of.attempt.job);
            let ids = |all: Vec<&Arc<JobRow>>| -> Vec<Arc<str>> {
                all.into_iter().map(|row| row.id.clone()).collect()
            };
            assert_eq!(ids(jobs.others_of(row)), ids(others.collect()));
        }
        // Job 101 was tried twice, the others once.
        let alone = jobs.attempts.iter().filter(|row| jobs.others_of(row).is_empty());
        assert_eq!((jobs.attempts.len(), alone.count()), (6, 4));
        // Of parts side by side the first one may be another later: their row has the id of the job.
        let mut read = fixture::read(now);
        let of = &mut read.costs.rows[0].attempt;
        let id = |read: &JobsRead| job_rows(read.costs.rows[..1].to_vec())[0].id.to_string();
        (of.id.raw, of.job, of.parts_of) = ("pod-9".into(), "wf".into(), Some("wf".into()));
        let first = id(&read);
        read.costs.rows[0].attempt.id.raw = "pod-1".into();
        assert_eq!(id(&read), first);
        for none in ["", "slurm prod 101", "zzz"] {
            assert_eq!(jobs.attempt(none), None);
        }
    }
}
