//! What guards say of an instance before anything is asked for it: by its tags, its type, the jobs that hold it, what its GPUs told
//! last, the configuration.

use std::cmp::Reverse;
use std::sync::Arc;

use jiff::Timestamp;

use super::scene::Scene;
use super::{GuardInput, activity, life, loss, managed, money, protection, trust};
use crate::act::plan::draft::known_item;
use crate::act::plan::finding::{Finding, FindingSink, Guard};
use crate::act::plan::item::{PLAN_SCHEMA, Plan};
use crate::act::plan::recheck::Silence;
use crate::act::plan::rules::Rules;
use crate::act::plan::stakes;
use crate::act::plan::verb::Verb;
use crate::domain::{Caller, ErrorKind, Inspection, Known, Recent, SourceError};
use crate::fleet::Row;

type Ask = fn(&Scene<'_>, &mut FindingSink<'_>);

/// Guards of a stop whose facts are read anyhow. They are the functions that the check asks; of the account its pins alone, of
/// an Auto Scaling group the tag of its members, of Spot that it is one.
const FORESEEN: &[(Guard, Ask)] = &[
    (Guard::Armed, trust::pinned),
    (Guard::Exempt, life::exempt),
    (Guard::Age, life::age),
    (Guard::Owner, managed::owner),
    (Guard::Jobs, managed::jobs),
    (Guard::Group, managed::tagged),
    (Guard::Spot, managed::is_spot),
    (Guard::Stoppable, protection::stoppable),
    (Guard::InstanceStore, loss::instance_store),
    (Guard::Capacity, money::capacity),
    (Guard::Saving, money::saving),
    (Guard::Production, trust::production),
];

/// Asks the guards of a stop that need no call, row after row.
pub(in crate::act::plan) struct Foreseer<'a> {
    plan: Plan,
    /// Why a fact that only a call tells is not there: no guard asked here looks at one.
    not_asked: Arc<SourceError>,
    rules: &'a Rules,
    now: Timestamp,
}

impl<'a> Foreseer<'a> {
    /// By `rules`, at `now`.
    pub fn new(rules: &'a Rules, now: Timestamp) -> Self {
        let plan = Plan {
            schema: PLAN_SCHEMA.to_owned(),
            created_at: now,
            expires_at: now,
            verb: Verb::Stop,
            preset: String::new(),
            filter: String::new(),
            justification: String::new(),
            fleet_size: 0,
            net_usd_per_hour: None,
            items: Vec::new(),
        };
        let not_asked = SourceError::new(ErrorKind::Unavailable, "plan", "not asked yet", "");
        Self { plan, not_asked: Arc::new(not_asked), rules, now }
    }

    /// What speaks against stopping an instance, worst first; `silence` of its GPUs, where there is one.
    pub fn of(&self, row: &Row, silence: Option<Silence>) -> Vec<Finding> {
        let item = Arc::new(known_item(row, self.rules));
        let inspection = self.inspection(row);
        let caller: Known<Caller> = Err(self.not_asked.clone());
        let recent: Known<Recent> = Err(self.not_asked.clone());
        let permitted: Known<()> = Err(self.not_asked.clone());
        let input = GuardInput {
            plan: &self.plan,
            item: &item,
            caller: &caller,
            inspection: &inspection,
            recent: &recent,
            permitted: &permitted,
            executor: "live",
            rules: self.rules,
            now: self.now,
        };
        let stakes = stakes::of(&self.plan.verb, &item, &inspection);
        let scene = Scene { input: &input, found: Some(&row.instance), stakes: &stakes };
        let mut findings = Vec::new();
        for (guard, ask) in FORESEEN {
            ask(&scene, &mut FindingSink::new(*guard, &mut findings));
        }
        let mut sink = FindingSink::new(Guard::Recheck, &mut findings);
        activity::foreseen(&scene, silence, &mut sink);
        findings.sort_by_key(|f| Reverse(f.severity));
        findings
    }

    /// The instance as it was read last, and nothing else.
    fn inspection(&self, row: &Row) -> Inspection {
        let no = &self.not_asked;
        Inspection {
            id: row.instance.id.clone(),
            taken_at: self.now,
            instance: Ok(Some(row.instance.clone())),
            spec: Ok(row.spec.clone()),
            launch: Err(no.clone()),
            termination_protection: Err(no.clone()),
            stop_protection: Err(no.clone()),
            volumes: Err(no.clone()),
            addresses: Err(no.clone()),
            group: Err(no.clone()),
            target_groups: Err(no.clone()),
            spot: Err(no.clone()),
        }
    }
}
