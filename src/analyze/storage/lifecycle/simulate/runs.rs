//! What rules delete of training runs.

use super::{DAY_MS, midnight_after};
use crate::analyze::storage::lifecycle::when::moment;
use crate::domain::storage::{Lifecycle, LifecycleRule, Run, Versioning, When};
use crate::domain::text::clean;

/// Steps that one rule deletes from one training run within the simulated months.
#[derive(Clone, Debug, PartialEq)]
pub struct RunLoss {
    /// Key prefix of the run, clean text.
    pub run: String,
    /// Id of the rule, clean text; `#3` for the third rule where it has none.
    pub rule: String,
    /// Steps deleted completely, ascending, each with the day (since 1970) of its last deletion.
    pub steps: Vec<(u64, i64)>,
    /// Bytes of these steps.
    pub bytes: u64,
    /// Number of steps of the run.
    pub of_steps: usize,
    /// True when the newest complete step is among them, so that training cannot resume.
    pub takes_last: bool,
    /// True when they become noncurrent versions, which can be restored.
    pub can_be_undone: bool,
}

/// Steps that the rules delete from `runs` within `months` after the list. Rules with tags or sizes are left
/// out, since their objects are not known, and so are steps without a date.
pub fn run_losses(
    lifecycle: &Lifecycle,
    runs: &[Run],
    versioning: Option<Versioning>,
    listed_ms: i64,
    months: u16,
) -> Vec<RunLoss> {
    let start = midnight_after(listed_ms);
    let end = start + (f64::from(months) * 730.0 / 24.0).ceil() as i64;
    let mut out = Vec::new();
    for (i, rule) in lifecycle.rules.iter().enumerate() {
        let plain = rule.filter.tags.is_empty() && !rule.filter.has_size();
        if !rule.enabled || !plain || !rule.expires_current() {
            continue;
        }
        let named = !rule.id.is_empty();
        let name = if named { clean(&rule.id).into_owned() } else { format!("#{}", i + 1) };
        out.extend(runs.iter().filter_map(|run| {
            let mut loss = loss(rule, run, start, end)?;
            loss.rule.clone_from(&name);
            loss.can_be_undone = versioning == Some(Versioning::Enabled);
            Some(loss)
        }));
    }
    out
}

fn loss(rule: &LifecycleRule, run: &Run, start: i64, end: i64) -> Option<RunLoss> {
    let mut out = RunLoss {
        run: clean(&run.prefix).into_owned(),
        rule: String::new(),
        steps: Vec::new(),
        bytes: 0,
        of_steps: run.steps.len(),
        takes_last: false,
        can_be_undone: false,
    };
    let last = run.steps.iter().filter(|s| s.complete).map(|s| s.step).max();
    for step in &run.steps {
        let covered = step.prefix.starts_with(rule.filter.prefix());
        if !covered || step.newest_ms == i64::MIN {
            continue;
        }
        let Some(day) = gone(rule, step.newest_ms) else { continue };
        let day = day.max(start);
        if day < end {
            out.steps.push((step.step, day));
            out.bytes += step.bytes;
            out.takes_last |= Some(step.step) == last;
        }
    }
    (!out.steps.is_empty()).then_some(out)
}

/// The day on which what was written at `ms` is gone.
fn gone(rule: &LifecycleRule, ms: i64) -> Option<i64> {
    match rule.expiration.as_ref()?.when.as_ref()? {
        When::Days(days) => Some(midnight_after(ms).saturating_add((*days).max(0))),
        When::Date(text) => {
            Some(moment(text)?.as_millisecond().div_euclid(DAY_MS).max(midnight_after(ms)))
        }
    }
}
