//! Steps that no policy may drop.

use std::collections::BTreeSet;

use crate::domain::storage::{Run, Step};

/// Lowest confidence, 0–1, at which steps of a run may be dropped.
pub const MIN_CONFIDENCE: f64 = 0.6;

/// Why a step that the policy does not keep is still not dropped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Reason {
    /// The confidence that this is a run is below [`MIN_CONFIDENCE`].
    LowConfidence,
    /// An object of the step is under Object Lock or legal hold, or is a replica.
    Held,
    /// The step is incomplete: still being written, or of another shape than its run.
    Incomplete,
    /// The step precedes an incomplete one, from which training resumes should that one fail.
    BeforeIncomplete,
    /// The run has no complete step to resume from.
    NoCompleteStep,
    /// It is the latest complete step, by number or by date.
    LatestComplete,
    /// A pointer (`latest`, `last.ckpt`, a tracker file) refers to it.
    PointerTarget,
    /// It is newer than the list.
    NewerThanList,
    /// The run may still be written to.
    ActiveRun,
}

impl Reason {
    /// Name in JSON.
    pub fn word(self) -> &'static str {
        match self {
            Self::LowConfidence => "low_confidence",
            Self::Held => "locked_or_replica",
            Self::Incomplete => "incomplete",
            Self::BeforeIncomplete => "before_incomplete",
            Self::NoCompleteStep => "no_complete_step",
            Self::LatestComplete => "latest_complete",
            Self::PointerTarget => "pointer_target",
            Self::NewerThanList => "newer_than_list",
            Self::ActiveRun => "active_run",
        }
    }
}

/// Facts of a run that hold for all its steps, derived once.
pub struct RunFacts<'a> {
    run: &'a Run,
    listed_ms: i64,
    before_incomplete: BTreeSet<u64>,
    latest: BTreeSet<u64>,
}

impl<'a> RunFacts<'a> {
    /// Facts of a run in a list made at `listed_ms` (ms since 1970).
    pub fn new(run: &'a Run, listed_ms: i64) -> Self {
        let pairs = run.steps.windows(2).filter(|w| !w[1].complete).map(|w| w[0].step);
        let complete = || run.steps.iter().filter(|s| s.complete);
        let by_number = complete().map(|s| s.step).max();
        // A run that was set back writes lower numbers later.
        let by_date = complete().max_by_key(|s| (s.newest_ms, s.step)).map(|s| s.step);
        Self {
            run,
            listed_ms,
            before_incomplete: pairs.collect(),
            latest: by_number.into_iter().chain(by_date).collect(),
        }
    }

    /// The first reason not to drop a step; `None` where it may be dropped.
    pub fn reason(&self, step: &Step) -> Option<Reason> {
        TABLE.iter().find(|(_, is)| is(self, step)).map(|(reason, _)| *reason)
    }
}

/// A question to a step.
type Is = fn(&RunFacts<'_>, &Step) -> bool;

/// The list, the most telling reason first.
const TABLE: [(Reason, Is); 9] = [
    (Reason::LowConfidence, |f, _| f.run.confidence < MIN_CONFIDENCE || f.run.confidence.is_nan()),
    (Reason::Held, |_, s| s.held),
    (Reason::Incomplete, |_, s| !s.complete),
    (Reason::BeforeIncomplete, |f, s| f.before_incomplete.contains(&s.step)),
    (Reason::NoCompleteStep, |f, _| f.latest.is_empty()),
    (Reason::LatestComplete, |f, s| f.latest.contains(&s.step)),
    (Reason::PointerTarget, |f, s| f.run.pointed.contains(&s.step)),
    (Reason::NewerThanList, |f, s| s.newest_ms > f.listed_ms),
    (Reason::ActiveRun, |f, _| f.run.active),
];
