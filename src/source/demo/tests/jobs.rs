//! Jobs: what ended is the same whenever one looks.

use std::collections::BTreeMap;

use super::*;
use crate::domain::jobs::{Attempt, JobState};
use crate::source::demo::{DEFAULT_SEED, jobs};

fn attempts(now: i64) -> Vec<Attempt> {
    let now = Timestamp::from_second(now).unwrap();
    jobs::attempts(&DemoOptions::new(DEFAULT_SEED, None, Arc::new(move || now)))
}

#[test]
fn what_ended_is_told_the_same_minutes_and_hours_later() {
    let ended = |now: i64| -> BTreeMap<String, Attempt> {
        let all = attempts(now).into_iter();
        all.filter(|of| of.ended_at.is_some()).map(|of| (format!("{:?}", of.id), of)).collect()
    };
    let first = ended(NOW);
    assert!(first.len() > 200);
    for later in [60, 540, 3 * 3_600, 9 * 3_600] {
        let again = ended(NOW + later);
        // Three weeks are told of, and the oldest of them go by.
        let oldest = Timestamp::from_second(NOW + later - 20 * 86_400).unwrap();
        for (id, of) in first.iter().filter(|(_, of)| of.submitted_at.unwrap() > oldest) {
            assert_eq!(again.get(id), Some(of), "{later} s later");
        }
    }
}

#[test]
fn a_job_that_runs_keeps_its_start_and_what_waits_waits_on() {
    let of = |now: i64, job: &str| {
        attempts(now).into_iter().find(|of| *of.job == *job).map(|of| (of.submitted_at, of.state))
    };
    let running = attempts(NOW).into_iter().filter(|of| of.state == JobState::Running);
    let later: Vec<Attempt> = attempts(NOW + 300);
    for before in running {
        let after = later.iter().find(|of| of.id == before.id);
        assert_eq!(after.map(|of| of.started_at), Some(before.started_at), "{}", before.job);
    }
    let waits = of(NOW, "9104").unwrap();
    assert_eq!(waits.1, JobState::Queued);
    assert_eq!(of(NOW + 7_200, "9104"), Some(waits));
}
