//! What checkpoints saved of an attempt: by what its source tells, else by the checkpoints that lie where it wrote them.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::analyze::storage::checkpoints::DELTA_SAVINGS;
use crate::domain::bill::words;
use crate::domain::jobs::Attempt;
use crate::domain::storage::Run;

/// Shortest name of a job that is looked for among prefixes: shorter ones are parts of too many.
const NAME_AT_LEAST: usize = 4;

words! {
    /// What is known of the checkpoints of an attempt.
    Salvage {
        /// Nothing: what was lost is an upper bound.
        Unknown = "unknown",
        /// Its source tells when the last complete one was written.
        Told = "told",
        /// Complete ones lie where it wrote them.
        Found = "found",
        /// Complete ones lie under a prefix with its name in it: a guess.
        Guessed = "guessed",
        /// The next attempt went on from the last complete one.
        Confirmed = "confirmed",
        /// The next attempt began again before it: it was torn, or nobody read it.
        Refuted = "refuted",
    }
}

/// A training run that the Storage side found, with its bucket.
#[derive(Clone, Copy, Debug)]
pub struct KnownRun<'a> {
    /// Bucket.
    pub bucket: &'a str,
    /// The run.
    pub run: &'a Run,
}

/// Checkpoints of a job as they lie in storage.
#[derive(Clone, Debug)]
pub(super) struct Found<'a> {
    runs: Rc<[&'a Run]>,
    is_guess: bool,
}

/// Where the checkpoints of jobs are.
pub(super) struct Checkpoints<'a> {
    runs: &'a [KnownRun<'a>],
    found: RefCell<HashMap<Arc<str>, Option<Found<'a>>>>,
}

impl<'a> Checkpoints<'a> {
    /// Of the runs that are known.
    pub fn new(runs: &'a [KnownRun<'a>]) -> Self {
        Self { runs, found: RefCell::default() }
    }

    /// Checkpoints of an attempt; `None` where none are known.
    pub fn of(&self, attempt: &Attempt) -> Option<Found<'a>> {
        if self.runs.is_empty() {
            return None;
        }
        let key = attempt.checkpoint.as_ref().or(attempt.name.as_ref())?;
        if let Some(known) = self.found.borrow().get(key) {
            return known.clone();
        }
        let found = match &attempt.checkpoint {
            Some(uri) => self.at(uri),
            None => self.named(key),
        };
        self.found.borrow_mut().insert(key.clone(), found.clone());
        found
    }

    fn at(&self, uri: &str) -> Option<Found<'a>> {
        let rest = uri.strip_prefix("s3://").or_else(|| uri.strip_prefix("s3a://"))?;
        let (bucket, prefix) = rest.split_once('/').unwrap_or((rest, ""));
        let prefix = prefix.trim_end_matches('/');
        let is_below = |outer: &str, inner: &str| {
            let outer = outer.trim_end_matches('/');
            let rest = inner.strip_prefix(outer);
            rest.is_some_and(|rest| outer.is_empty() || rest.is_empty() || rest.starts_with('/'))
        };
        let is_of = |known: &&KnownRun<'a>| {
            known.bucket == bucket
                && (is_below(prefix, &known.run.prefix) || is_below(&known.run.prefix, prefix))
        };
        let runs: Rc<[&Run]> = self.runs.iter().filter(is_of).map(|known| known.run).collect();
        (!runs.is_empty()).then_some(Found { runs, is_guess: false })
    }

    /// The one run whose prefix has a name as one of its parts.
    fn named(&self, name: &str) -> Option<Found<'a>> {
        if name.len() < NAME_AT_LEAST {
            return None;
        }
        let is_of = |known: &&KnownRun<'a>| known.run.prefix.split('/').any(|part| part == name);
        let mut found = self.runs.iter().filter(is_of);
        let (first, second) = (found.next()?, found.next());
        second.is_none().then(|| Found { runs: [first.run].into(), is_guess: true })
    }
}

impl Found<'_> {
    /// Bytes that differences instead of whole checkpoints would save, least and most over all kinds of training.
    pub fn delta_bytes(&self) -> (u64, u64) {
        let (mut least, mut most) = (0_u64, 0_u64);
        for run in self.runs.iter() {
            let steps: Vec<u64> = run.steps.iter().map(|step| step.bytes).collect();
            let ranges = DELTA_SAVINGS.iter().map(|mode| mode.bytes(&steps));
            let (low, high) =
                ranges.fold((u64::MAX, 0), |(low, high), (a, b)| (low.min(a), high.max(b)));
            (least, most) = (least.saturating_add(low), most.saturating_add(high));
        }
        (least, most)
    }

    /// Last complete step that was written between two moments.
    fn last(&self, from: Timestamp, to: Timestamp) -> Option<(u64, Timestamp)> {
        let within = from.as_millisecond()..=to.as_millisecond();
        let steps = self.runs.iter().flat_map(|run| &run.steps);
        let complete = steps.filter(|step| step.complete && within.contains(&step.newest_ms));
        let last = complete.max_by_key(|step| (step.newest_ms, step.step))?;
        Some((last.step, Timestamp::from_millisecond(last.newest_ms).ok()?))
    }

    /// Lowest step that was written between two moments.
    fn lowest(&self, from: Timestamp, to: Timestamp) -> Option<u64> {
        let within = from.as_millisecond()..=to.as_millisecond();
        let steps = self.runs.iter().flat_map(|run| &run.steps);
        steps.filter(|step| within.contains(&step.newest_ms)).map(|step| step.step).min()
    }
}

/// What was saved of an attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Saved {
    /// When the last complete checkpoint was written; `None` = none is known, or the next attempt did not use it.
    pub at: Option<Timestamp>,
    /// Its step; `None` where only the source told of it.
    pub step: Option<u64>,
    /// How it is known.
    pub salvage: Salvage,
}

/// What is saved of an attempt until it ended, or was last seen, with the attempt that took its work up again.
pub(super) fn saved(of: &Attempt, found: Option<&Found<'_>>, next: Option<&Attempt>) -> Saved {
    let none = Saved { at: None, step: None, salvage: Salvage::Unknown };
    let (Some(start), Some(end)) = (of.started_at, of.ended_at.or(of.seen_until)) else {
        return none;
    };
    let lies = found.and_then(|found| Some((found, found.last(start, end)?)));
    let Some((found, (step, at))) = lies else {
        // One that was written after the end is not of this attempt.
        let told = of.saved_at.filter(|saved| *saved <= end);
        return told.map_or(none, |at| Saved { at: Some(at), step: None, salvage: Salvage::Told });
    };
    let went_on = next.and_then(|next| {
        let until = next.ended_at.or(next.seen_until).unwrap_or(Timestamp::MAX);
        found.lowest(next.started_at?.max(end), until)
    });
    let known = if found.is_guess { Salvage::Guessed } else { Salvage::Found };
    let at = of.saved_at.filter(|told| *told <= end).map_or(at, |told| told.max(at));
    match went_on {
        Some(lowest) if lowest > step => {
            Saved { at: Some(at), step: Some(step), salvage: Salvage::Confirmed }
        }
        Some(_) => Saved { at: None, step: Some(step), salvage: Salvage::Refuted },
        None => Saved { at: Some(at), step: Some(step), salvage: known },
    }
}
