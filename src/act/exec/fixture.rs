//! Orders for tests: made as the program makes them, from a confirmed plan.

use std::collections::BTreeMap;
use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};

use crate::act::plan::{
    ActApi, Answer, Caps, CheckedRow, Order, PLAN_SCHEMA, Plan, PlanItem, Preflighted, Stakes,
    Ties, Verb,
};
use crate::domain::{GroupFact, InstanceState, Scope, VerdictKind};

/// Account, region and caller of the orders.
pub const ACCOUNT: &str = "123456789012";
pub const REGION: &str = "us-east-1";
pub const CALLER: &str = "arn:aws:iam::123456789012:user/kim";

/// An order to EC2.
pub fn order(verb: Verb, ids: &[&str]) -> Order {
    order_via(verb, &ActApi::Ec2, CALLER, ids)
}

/// An order through an API, by a caller.
pub fn order_via(verb: Verb, via: &ActApi, caller: &str, ids: &[&str]) -> Order {
    let now: Timestamp = "2026-02-03T04:05:06Z".parse().unwrap();
    let items: Vec<PlanItem> = ids
        .iter()
        .map(|id| PlanItem {
            id: (*id).into(),
            scope: Scope::new(ACCOUNT, REGION),
            az: "us-east-1a".into(),
            name: "".into(),
            instance_type: "m5.large".into(),
            state: InstanceState::Running,
            launched_at: now - SignedDuration::from_hours(999),
            verdict: Some(VerdictKind::Idle),
            idle_since: None,
            judged_until: Some(now),
            evidence_sha256: String::new(),
            usd_per_hour: Some(0.1),
            net_usd_per_hour: None,
            covered_by: String::new(),
            price_basis: String::new(),
            production: false,
            environment: None,
            held_by: String::new(),
        })
        .collect();
    let rows = items
        .iter()
        .map(|item| CheckedRow {
            item: Arc::new(item.clone()),
            findings: Vec::new(),
            stakes: Stakes::default(),
            undo: None,
            via: via.clone(),
            az: "us-east-1a".into(),
            production: false,
            ties: Ties {
                group: match &via {
                    ActApi::Ec2 => None,
                    ActApi::AutoScaling { group, .. } => Some(GroupFact {
                        name: group.clone(),
                        min: 0,
                        desired: 100,
                        protected_from_scale_in: false,
                        lifecycle: "InService".into(),
                    }),
                },
                target_groups: Vec::new(),
            },
        })
        .collect();
    let plan = Plan {
        schema: PLAN_SCHEMA.to_owned(),
        created_at: now,
        expires_at: now + SignedDuration::from_hours(24),
        verb,
        preset: "cautious".to_owned(),
        filter: String::new(),
        justification: String::new(),
        fleet_size: 1_000,
        net_usd_per_hour: None,
        items,
    };
    let callers = BTreeMap::from([(ACCOUNT.into(), caller.into())]);
    let preflighted = Preflighted::new(Arc::new(plan), rows, now, callers, &Caps::default());
    let typed = preflighted.challenge().typed.first().cloned().unwrap_or_default();
    let answer = Answer { typed, justification: String::new() };
    let confirmed = preflighted.confirm(&answer, now).unwrap();
    let ids: Vec<Arc<str>> = ids.iter().map(|id| (*id).into()).collect();
    confirmed.redeem(now).unwrap().order(&ids).unwrap()
}
