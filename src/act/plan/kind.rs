//! The two kinds of plan, which go the same way: instances, and storage.

use std::fmt::Debug;
use std::sync::Arc;

use super::confirm::Challenge;
use super::item::Plan;
use super::preflighted::{CheckedRow, Preflighted};
use super::verb::Verb;

/// What a plan is about. [`Preflighted`], [`super::Confirmed`] and [`super::Ticket`] are the same
/// types for every kind, so that a volume is deleted on no weaker word than an instance is stopped.
pub trait Kind: Debug + Copy + PartialEq + Send + Sync + 'static {
    /// The plan.
    type Plan: Debug + Clone + PartialEq + Send + Sync;
    /// A row of it with what the guards said.
    type Row: Debug + Clone + PartialEq + Send + Sync;

    /// True when a guard takes the row out of the plan.
    fn is_blocked(row: &Self::Row) -> bool;
    /// The account of a row.
    fn account(row: &Self::Row) -> &Arc<str>;
    /// Why, in the words of who drafted the plan.
    fn justification(plan: &Self::Plan) -> &str;
    /// Confirmation that a person has to give before the rows that passed may be acted on.
    fn challenge(checked: &Preflighted<Self>) -> Challenge;
    /// False where a second person's word is not enough, and the words of the challenge have to be
    /// typed by who acts.
    fn takes_approvals(_plan: &Self::Plan) -> bool {
        true
    }
}

/// The kind of plans about instances.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Instances;

impl Kind for Instances {
    type Plan = Plan;
    type Row = CheckedRow;

    fn is_blocked(row: &CheckedRow) -> bool {
        row.is_blocked()
    }

    fn account(row: &CheckedRow) -> &Arc<str> {
        &row.item.scope.account
    }

    fn justification(plan: &Plan) -> &str {
        &plan.justification
    }

    fn challenge(checked: &Preflighted) -> Challenge {
        let rows: Vec<&CheckedRow> = checked.passed().collect();
        let loses_data = || rows.iter().any(|r| r.stakes.instance_store_gb > 0);
        let typed = match checked.plan.verb {
            Verb::Terminate { .. } => {
                let ids: Vec<&Arc<str>> = rows.iter().map(|r| &r.item.id).collect();
                Challenge::count_or_id("terminate", &ids)
            }
            Verb::Stop if loses_data() => vec![format!("stop {}", rows.len())],
            _ => Vec::new(),
        };
        let justification = checked.plan.verb.is_destructive() && rows.iter().any(|r| r.production);
        Challenge { typed, justification }
    }
}
