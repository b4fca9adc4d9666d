//! Captures of real clusters beside a calculation of its own: `tests/data/jobs/jobs_tax.py` printed the constants.

use super::*;
use crate::domain::jobs::GpuTime;
use crate::source::jobs::{ReadOptions, read};

const SLURM: [&[u8]; 3] = [
    include_bytes!("../../../../tests/data/jobs/slurm-22.05.8.txt"),
    include_bytes!("../../../../tests/data/jobs/slurm-24.11.5.txt"),
    include_bytes!("../../../../tests/data/jobs/slurm-26.05.5.txt"),
];
const STEPS: &[u8] = include_bytes!("../../../../tests/data/jobs/slurm-24.11.5-steps.txt");

fn attempts(text: &[u8]) -> Vec<Attempt> {
    let now = "2026-11-28T00:00:00Z".parse().unwrap();
    read(text, &ReadOptions { tz: None, now }).unwrap().attempts.attempts().collect()
}

fn seconds(time: GpuTime) -> f64 {
    (time.hours() * 3600.0 * 1e3).round() / 1e3
}

#[test]
fn the_tax_of_captures_is_that_of_another_calculation() {
    // FAILED, NODE_FAIL, OUT_OF_MEMORY, PREEMPTED, REQUEUED, TIMEOUT; CANCELLED; all.
    let want = [
        ([19.0, 64.0, 1.0, 0.0, 4.0, 68.0], 0.0, 2645.0),
        ([15.0, 30.0, 0.0, 80.0, 4.0, 83.0], 187.0, 2886.0),
        ([15.0, 80.0, 0.0, 0.0, 4.0, 75.0], 0.0, 1825.0),
    ];
    for (text, (lost, cancelled, all)) in SLURM.into_iter().zip(want) {
        let found = tax(&cost(&attempts(text)), TaxKey::State);
        let of = |state: JobState| {
            let row = found.rows.iter().find(|row| row.value.as_deref() == Some(state.word()));
            row.map_or(0.0, |row| seconds(row.sums.lost))
        };
        assert_eq!(of(JobState::Failed), lost[0]);
        assert_eq!(of(JobState::NodeFault), lost[1]);
        assert_eq!(of(JobState::OutOfMemory), lost[2]);
        assert_eq!(of(JobState::Preempted), lost[3] + lost[4]);
        assert_eq!(of(JobState::TimedOut), lost[5]);
        assert_eq!(seconds(found.total.lost), lost.iter().sum::<f64>());
        assert_eq!(seconds(found.total.cancelled), cancelled);
        assert_eq!(seconds(found.total.gpu_time), all);
        // Nobody said an instance type.
        assert_eq!(found.total.usd_known(), None);
    }
}

#[test]
fn attempts_that_duplicates_show_cost_54_gpu_seconds_more() {
    let all = attempts(SLURM[1]);
    let mut last: Vec<Attempt> = Vec::new();
    for one in all.iter().rev() {
        if last.iter().all(|later| later.job != one.job) {
            last.push(one.clone());
        }
    }
    assert_eq!((all.len(), last.len()), (34, 31));
    let more = seconds(total(&all).gpu_time) - seconds(total(&last).gpu_time);
    assert_eq!(more, 54.0);
}

#[test]
fn steps_are_not_added_to_their_jobs() {
    // With the steps it would be 7,440; by ElapsedRaw 2,879, without 7 s of suspension.
    assert_eq!(seconds(total(&attempts(STEPS)).gpu_time), 2886.0);
}

#[test]
fn parts_of_a_job_in_a_capture_are_one_row() {
    let rows = cost(&attempts(SLURM[1]));
    assert_eq!(rows.len(), 33);
    let het = rows.iter().find(|row| row.parts == 2).unwrap();
    assert_eq!((&*het.attempt.job, het.attempt.gpus), ("11", Some(Gpus::whole(5))));
}
