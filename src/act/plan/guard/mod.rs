//! The guards: what has to be true before anything is done to an instance.
//!
//! Each guard is one row of `table::TABLE`: which verbs it is asked for, and the function that
//! asks. A fact that could not be read blocks wherever the guard needs it.

mod activity;
mod foreseen;
mod life;
mod load;
mod loss;
mod managed;
mod money;
mod protection;
mod scene;
pub(in crate::act::plan) mod shared;
mod table;
mod together;
mod trust;
mod way_back;

#[cfg(test)]
mod tests;

use std::cmp::Reverse;
use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};

use super::finding::{Finding, FindingSink};
use super::item::{Plan, PlanItem};
use super::preflighted::{ActApi, CheckedRow, Ties};
use super::rules::Rules;
use super::stakes;
use super::verb::Verb;
use crate::domain::{Caller, Inspection, Known, Recent};
use scene::Scene;
use shared::CLOCK_SLACK;

pub(super) use foreseen::Foreseer;
pub use together::{together, together_after};
pub use trust::verdicts_for;

/// Greatest age of an inspection or a re-measurement that the guards accept. An older one comes
/// from a cache.
pub const FACTS_VALID_FOR: SignedDuration = SignedDuration::from_mins(5);

/// Everything that the guards judge of one row.
#[derive(Clone, Copy, Debug)]
pub struct GuardInput<'a> {
    /// The plan.
    pub plan: &'a Plan,
    /// The row.
    pub item: &'a Arc<PlanItem>,
    /// Caller in the account of the row, asked now.
    pub caller: &'a Known<Caller>,
    /// Facts about the instance, read now.
    pub inspection: &'a Inspection,
    /// Activity of the last minutes; judged only for verbs that end work.
    pub recent: &'a Known<Recent>,
    /// Answer to the dry run of the call.
    pub permitted: &'a Known<()>,
    /// Name of the executor: `live`, `dry-run`, `read-only`, `demo`.
    pub executor: &'static str,
    /// Rules of acting of this run.
    pub rules: &'a Rules,
    /// The present moment.
    pub now: Timestamp,
}

/// Asks every guard that the verb needs. What two rows share is not seen here: see [`together()`].
pub fn check(input: &GuardInput<'_>) -> CheckedRow {
    let verb = &input.plan.verb;
    let found = input.inspection.instance.as_ref().ok().and_then(Option::as_deref);
    let stakes = stakes::of(verb, input.item, input.inspection);
    let mut findings: Vec<Finding> = Vec::new();
    let scene = Scene { input, found, stakes: &stakes };
    for row in table::TABLE.iter().filter(|row| row.verbs.contains(&verb.word())) {
        (row.ask)(&scene, &mut FindingSink::new(row.guard, &mut findings));
    }
    // Stable: within a severity the order of the guards stays.
    findings.sort_by_key(|f| Reverse(f.severity));
    CheckedRow {
        item: input.item.clone(),
        findings,
        undo: way_back::of(input, found),
        via: via(input),
        az: found.map_or_else(|| input.item.az.clone(), |i| i.az.clone()),
        production: scene.is_production(),
        ties: ties(input),
        stakes,
    }
}

/// A member of a group is terminated by its group, which then does not replace it.
fn via(input: &GuardInput<'_>) -> ActApi {
    match (&input.plan.verb, &input.inspection.group) {
        (Verb::Terminate { decrement }, Ok(Some(group))) => {
            ActApi::AutoScaling { group: group.name.clone(), decrement: *decrement }
        }
        _ => ActApi::Ec2,
    }
}

fn ties(input: &GuardInput<'_>) -> Ties {
    Ties {
        group: input.inspection.group.clone().unwrap_or_default(),
        target_groups: input.inspection.target_groups.clone().unwrap_or_default(),
    }
}
