//! The guards: what has to be true before anything is done to an instance.
//!
//! Each guard is one row of `table::TABLE`: which verbs it is asked for, and the function that
//! asks. A fact that could not be read blocks wherever the guard needs it.

mod activity;
mod life;
mod load;
mod loss;
mod managed;
mod money;
mod protection;
mod scene;
mod table;
mod together;
mod trust;
mod way_back;

#[cfg(test)]
mod tests;

use std::cmp::Reverse;
use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};

use super::finding::Finding;
use super::item::{Plan, PlanItem};
use super::preflighted::{ActApi, CheckedRow, Ties};
use super::rules::Rules;
use super::stakes;
use super::verb::Verb;
use crate::domain::{Caller, Inspection, Known, Recent};
use scene::{FindingSink, Scene};

pub use together::{together, together_after};
pub use trust::verdicts_for;

/// How old an inspection or a re-measurement may be when the guards look at it: older, and it is
/// a cache's word, not the world's.
pub const FACTS_VALID_FOR: SignedDuration = SignedDuration::from_mins(5);

/// How far ahead of us the clock of somebody else may be.
const CLOCK_SLACK: SignedDuration = SignedDuration::from_mins(1);

/// Everything that the guards look at, for one row.
#[derive(Clone, Copy, Debug)]
pub struct Look<'a> {
    /// The plan.
    pub plan: &'a Plan,
    /// The row.
    pub item: &'a Arc<PlanItem>,
    /// The caller in the row's account, asked now.
    pub caller: &'a Known<Caller>,
    /// The instance, looked at now.
    pub inspection: &'a Inspection,
    /// What it did in the last minutes; looked at for what ends work alone.
    pub recent: &'a Known<Recent>,
    /// What the dry run of the call said.
    pub permitted: &'a Known<()>,
    /// Name of the executor, [`crate::act`]'s `Executor::name`.
    pub executor: &'static str,
    /// The rules.
    pub rules: &'a Rules,
    /// The present moment.
    pub now: Timestamp,
}

/// Asks every guard that the verb needs. What two rows share is not seen here: see [`together()`].
pub fn check(look: &Look<'_>) -> CheckedRow {
    let verb = &look.plan.verb;
    let found = look.inspection.instance.as_ref().ok().and_then(Option::as_deref);
    let stakes = stakes::of(verb, look.item, look.inspection);
    let mut findings: Vec<Finding> = Vec::new();
    let scene = Scene { look, found, stakes: &stakes };
    for row in table::TABLE.iter().filter(|row| row.verbs.contains(&verb.word())) {
        (row.ask)(&scene, &mut FindingSink::new(row.guard, &mut findings));
    }
    // Stable: within a severity the order of the guards stays.
    findings.sort_by_key(|f| Reverse(f.severity));
    CheckedRow {
        item: look.item.clone(),
        findings,
        undo: way_back::of(look, found),
        via: via(look),
        az: found.map_or_else(|| look.item.az.clone(), |i| i.az.clone()),
        production: scene.is_production(),
        ties: ties(look),
        stakes,
    }
}

/// A member of a group is terminated by its group, which then does not replace it.
fn via(look: &Look<'_>) -> ActApi {
    match (&look.plan.verb, &look.inspection.group) {
        (Verb::Terminate { decrement }, Ok(Some(group))) => {
            ActApi::AutoScaling { group: group.name.clone(), decrement: *decrement }
        }
        _ => ActApi::Ec2,
    }
}

fn ties(look: &Look<'_>) -> Ties {
    Ties {
        group: look.inspection.group.clone().unwrap_or_default(),
        target_groups: look.inspection.target_groups.clone().unwrap_or_default(),
    }
}
