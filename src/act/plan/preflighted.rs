//! A plan with the facts of this moment and what the guards said.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use jiff::Timestamp;

use super::caps::{Breach, CapUse};
use super::environments::{Chosen, EnvironmentCount, by_environment};
use super::finding::{Finding, Guard, Severity, blocks};
use super::guard::together;
use super::item::{Plan, PlanItem};
use super::kind::{Instances, Kind};
use super::stakes::Stakes;
use super::undo::Undo;
use crate::domain::{GroupFact, TargetGroupFact};

/// API through which a row is acted on.
#[derive(
    Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize,
)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum ActApi {
    /// EC2, for every instance that is no member of a group, and for all verbs but termination.
    Ec2,
    /// Auto Scaling, which terminates its members itself.
    AutoScaling {
        /// Name of the group.
        group: Arc<str>,
        /// True when it is to want one instance less.
        decrement: bool,
    },
}

/// A row of a plan with the findings of the guards.
#[derive(Clone, Debug, PartialEq)]
pub struct CheckedRow {
    /// Row as it was planned.
    pub item: Arc<PlanItem>,
    /// Findings of the guards, worst first.
    pub findings: Vec<Finding>,
    /// Volumes, data and addresses that are lost or stay, and the saving.
    pub stakes: Stakes,
    /// How to take the action back; `None` where it cannot be, or is not known.
    pub undo: Option<Undo>,
    /// API through which it is acted on.
    pub via: ActApi,
    /// Availability zone now.
    pub az: Arc<str>,
    /// True when account, configuration or tags say production, now or when it was planned.
    pub production: bool,
    /// Group and target groups that it may share with other rows.
    pub ties: Ties,
}

/// What an instance shares with others. Rows that pass one by one may be too many together: see
/// [`together`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ties {
    /// Auto Scaling group; `None` for no member, and when not known.
    pub group: Option<GroupFact>,
    /// Target groups in which it is registered; empty when not known.
    pub target_groups: Vec<TargetGroupFact>,
}

impl CheckedRow {
    /// True when a guard takes the row out of the plan.
    pub fn is_blocked(&self) -> bool {
        self.reason().is_some()
    }

    /// First finding that blocks the row; `None` for a row that passed.
    pub fn reason(&self) -> Option<&Finding> {
        blocks(&self.findings).next()
    }

    /// First finding that blocks the row whoever asks; `None` where none does.
    pub fn reason_for_anybody(&self) -> Option<&Finding> {
        blocks(&self.findings).find(|f| !f.guard.is_about_the_asker())
    }

    /// True when the row goes, or would go if somebody asked who may: armed, permitted.
    pub fn may_go(&self) -> bool {
        self.reason_for_anybody().is_none()
    }

    /// First blocking finding about the instance itself, else the first one: that a session is not
    /// armed is said once, and not again at every row. `None` for a row that passed.
    pub fn own_reason(&self) -> Option<&Finding> {
        blocks(&self.findings).find(|f| !self.is_about_arming(f)).or_else(|| self.reason())
    }

    /// True when nothing but the missing arming takes the row out of the plan.
    pub fn is_only_unarmed(&self) -> bool {
        self.own_reason().is_some_and(|f| self.is_about_arming(f))
    }

    /// True for a finding about the session or the account, not the instance. The executor that
    /// refuses everything refuses the dry run of the call as well.
    pub fn is_about_arming(&self, finding: &Finding) -> bool {
        let refuses = |f: &Finding| f.guard == Guard::Executor && f.severity == Severity::Block;
        match finding.guard {
            Guard::Armed | Guard::Executor => true,
            Guard::Permission => self.findings.iter().any(refuses),
            _ => false,
        }
    }
}

/// A plan with the fresh facts and findings of its rows. Can be confirmed once.
#[derive(Debug)]
pub struct Preflighted<K: Kind = Instances> {
    /// The plan.
    pub plan: Arc<K::Plan>,
    /// All rows of the plan, in its order.
    pub rows: Vec<K::Row>,
    /// When the checks were complete.
    pub checked_at: Timestamp,
    /// Caps that the plan breaks; nothing runs then. They count what would go, armed or not.
    pub breaches: Vec<Breach>,
    /// Each cap that holds for the plan with what it comes to; empty where none does.
    pub caps: Vec<CapUse>,
    /// ARN of the caller by account, asked by this preflight; an account without an answer is
    /// absent.
    pub callers: BTreeMap<Arc<str>, Arc<str>>,
    pub(super) taken: AtomicBool,
}

impl Preflighted {
    /// Puts the rows together: those that are too many together leave the plan, and the caps are
    /// held against what is left of a plan that ends work.
    pub fn new(
        plan: Arc<Plan>,
        mut rows: Vec<CheckedRow>,
        checked_at: Timestamp,
        callers: BTreeMap<Arc<str>, Arc<str>>,
        caps: &super::Caps,
    ) -> Self {
        together(&plan.verb, &mut rows);
        let (mut breaches, mut uses) = (Vec::new(), Vec::new());
        if plan.verb.is_destructive() {
            // Whoever is not armed has to see the caps that stop whoever is.
            let left = rows.iter().filter(|r| r.may_go());
            let prices: Vec<Option<f64>> = left.map(|r| r.item.usd_per_hour).collect();
            breaches = caps.breaches(&prices, plan.fleet_size);
            uses = caps.uses(&prices, plan.fleet_size);
        }
        let taken = AtomicBool::new(false);
        Self { plan, rows, checked_at, breaches, caps: uses, callers, taken }
    }

    /// What goes, or would go if somebody asked who may, by environment.
    pub fn environments(&self) -> Vec<EnvironmentCount> {
        by_environment(self.rows.iter().filter(|r| r.may_go()).map(|r| Chosen {
            id: &r.item.id,
            name: &r.item.name,
            environment: r.item.environment.as_deref(),
            production: r.production,
        }))
    }
}

impl<K: Kind> Preflighted<K> {
    /// The rows that may be acted on.
    pub fn passed(&self) -> impl Iterator<Item = &K::Row> {
        self.rows.iter().filter(|r| !K::is_blocked(r))
    }

    /// The rows that left the plan.
    pub fn blocked(&self) -> impl Iterator<Item = &K::Row> {
        self.rows.iter().filter(|r| K::is_blocked(r))
    }

    /// True once, for whoever confirms first.
    pub(super) fn take(&self) -> bool {
        !self.taken.swap(true, Ordering::SeqCst)
    }
}
