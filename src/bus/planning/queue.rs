//! What is asked, and what is still to be said of it.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use crate::whatif::{PlanRequest, Slot, Stage};

/// The requests that wait, one per slot at most.
#[derive(Debug, Default)]
pub(super) struct RequestQueue {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct State {
    jobs: [Option<Job>; Slot::ALL.len()],
    /// Counts requests: the newest has the highest number.
    asked: u64,
    closed: bool,
}

/// A request and how far it is to be taken next.
#[derive(Clone, Debug)]
pub(super) struct Job {
    pub(super) request: PlanRequest,
    pub(super) stage: Stage,
    /// Number of the request.
    pub(super) number: u64,
}

impl RequestQueue {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes a request in place of an earlier one of its slot; false once closed.
    pub(super) fn ask(&self, request: PlanRequest) -> bool {
        let mut state = self.state();
        if state.closed {
            return false;
        }
        state.asked += 1;
        let number = state.asked;
        let slot = request.slot.index();
        state.jobs[slot] = Some(Job { request, stage: Stage::Quick, number });
        drop(state);
        self.changed.notify_all();
        true
    }

    /// The next job: the least far, of those the newest. Waits for one; `None` once closed.
    pub(super) fn next(&self) -> Option<Job> {
        let mut state = self.state();
        loop {
            if state.closed {
                return None;
            }
            let waiting = state.jobs.iter().flatten();
            let next = waiting.min_by_key(|job| (job.stage, u64::MAX - job.number)).cloned();
            match next {
                Some(job) => return Some(job),
                None => {
                    state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
                }
            }
        }
    }

    /// True when nobody waits for this job any more.
    pub(super) fn is_outdated(&self, job: &Job) -> bool {
        let state = self.state();
        let slot = &state.jobs[job.request.slot.index()];
        state.closed || slot.as_ref().is_none_or(|now| now.number != job.number)
    }

    /// True when somebody waits for something less far than this job.
    pub(super) fn is_urgent(&self, job: &Job) -> bool {
        self.state().jobs.iter().flatten().any(|other| other.stage < job.stage)
    }

    /// What comes after this job's stage: another one, or nothing.
    pub(super) fn done(&self, job: &Job, next: Option<Stage>) {
        let mut state = self.state();
        let slot = &mut state.jobs[job.request.slot.index()];
        if slot.as_ref().is_some_and(|now| now.number == job.number) {
            *slot = next.map(|stage| Job { stage, ..job.clone() });
        }
    }

    /// Ends everything.
    pub(super) fn close(&self) {
        self.state().closed = true;
        self.changed.notify_all();
    }
}
