//! Which steps a retention policy keeps: the union of what each of its rules keeps. The words are
//! those of Orbax' preservation policies.

use std::collections::BTreeSet;

use crate::domain::storage::{Run, Step};

/// A retention policy: a step stays when any of its rules keeps it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Policy {
    /// Keep the last N complete steps; 0 = rule off.
    pub keep_last: u32,
    /// Keep every step whose number is a multiple of K (in a run that counts from 0, 999, 1999, …: one below
    /// it); `None` = rule off.
    pub every: Option<u64>,
    /// Keep the best M complete steps by the metric in their names; 0 = rule off.
    pub best: u32,
    /// Keep the first step.
    pub keep_first: bool,
    /// Keep steps younger than this at the time of the list, milliseconds; `None` = rule off.
    pub min_age_ms: Option<i64>,
    /// Steps to keep by number, by prefix, or by the prefix of their run.
    pub pinned: Vec<String>,
}

impl Policy {
    /// True when no rule is on: then nothing is planned.
    pub fn is_empty(&self) -> bool {
        self.keep_last == 0
            && self.every.is_none_or(|k| k == 0)
            && self.best == 0
            && !self.keep_first
            && self.min_age_ms.is_none()
            && self.pinned.is_empty()
    }

    /// The rules in one line: `last 3 + every 10,000 + best 1`.
    pub fn words(&self) -> String {
        let mut parts = Vec::new();
        if self.keep_last > 0 {
            parts.push(format!("last {}", self.keep_last));
        }
        if let Some(k) = self.every.filter(|k| *k > 0) {
            parts.push(format!("every {k}"));
        }
        if self.best > 0 {
            parts.push(format!("best {}", self.best));
        }
        if self.keep_first {
            parts.push("first".to_owned());
        }
        if let Some(ms) = self.min_age_ms {
            parts.push(format!("younger than {} h", ms / 3_600_000));
        }
        if !self.pinned.is_empty() {
            parts.push(format!("{} pinned", self.pinned.len()));
        }
        if parts.is_empty() { "none".to_owned() } else { parts.join(" + ") }
    }

    /// Numbers of the steps that the rules keep, in a list made at `listed_ms` (ms since 1970).
    pub fn keeps(&self, run: &Run, listed_ms: i64) -> BTreeSet<u64> {
        let mut keep = BTreeSet::new();
        let complete = || run.steps.iter().filter(|s| s.complete);
        keep.extend(complete().rev().take(self.keep_last as usize).map(|s| s.step));
        if let Some(k) = self.every.filter(|k| *k > 0) {
            let from_zero = counts_from_zero(run);
            let is_multiple = |s: &&Step| {
                s.step.is_multiple_of(k) || from_zero && s.step.wrapping_add(1).is_multiple_of(k)
            };
            keep.extend(run.steps.iter().filter(is_multiple).map(|s| s.step));
        }
        keep.extend(best(run, self.best as usize));
        if self.keep_first {
            keep.extend(run.steps.first().map(|s| s.step));
        }
        if let Some(age) = self.min_age_ms {
            let is_young = |s: &&Step| listed_ms.saturating_sub(s.newest_ms) < age;
            keep.extend(run.steps.iter().filter(is_young).map(|s| s.step));
        }
        let is_pinned = |s: &&Step| self.pinned.iter().any(|pin| pins(pin, s));
        keep.extend(run.steps.iter().filter(is_pinned).map(|s| s.step));
        keep
    }
}

/// True when the steps are 999, 1999, 2999, …: all one short of a multiple of their distance.
fn counts_from_zero(run: &Run) -> bool {
    let gcd = |mut a: u64, mut b: u64| {
        while b != 0 {
            (a, b) = (b, a % b);
        }
        a
    };
    let cadence = run.steps.windows(2).fold(0, |g, w| gcd(g, w[1].step - w[0].step));
    let first = run.steps.first().map_or(0, |s| s.step);
    cadence > 1 && first.wrapping_add(1).is_multiple_of(cadence)
}

/// The best complete steps; where the name of the metric does not tell which way is better, those
/// at both ends. Of equals the later.
fn best(run: &Run, count: usize) -> BTreeSet<u64> {
    let Some(metric) = &run.metric else { return BTreeSet::new() };
    let mut ranked: Vec<(f64, u64)> = run
        .steps
        .iter()
        .filter(|s| s.complete)
        .filter_map(|s| s.metric.map(|m| (m, s.step)))
        .collect();
    let mut keep = BTreeSet::new();
    if metric.higher_is_better != Some(true) {
        ranked.sort_by(|a, b| a.0.total_cmp(&b.0).then(b.1.cmp(&a.1)));
        keep.extend(ranked.iter().take(count).map(|r| r.1));
    }
    if metric.higher_is_better != Some(false) {
        ranked.sort_by(|a, b| b.0.total_cmp(&a.0).then(b.1.cmp(&a.1)));
        keep.extend(ranked.iter().take(count).map(|r| r.1));
    }
    keep
}

/// True when a pin names a step: its number, its prefix with or without `/`, or a directory above.
fn pins(pin: &str, step: &Step) -> bool {
    if pin.bytes().all(|b| b.is_ascii_digit()) && pin.parse() == Ok(step.step) {
        return true;
    }
    match step.prefix.strip_prefix(pin) {
        Some(rest) => {
            // `checkpoint-500` does not pin `checkpoint-5000`.
            !pin.is_empty()
                && (pin.ends_with('/') || !rest.starts_with(|c: char| c.is_ascii_digit()))
        }
        // The key of a file of the step.
        None => pin.strip_prefix(&*step.prefix).is_some_and(|_| !step.prefix.is_empty()),
    }
}
