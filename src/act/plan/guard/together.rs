//! Guards about all rows of a plan together, where each alone would be allowed.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::load::Duty;
use crate::act::plan::finding::{Finding, Guard, Severity};
use crate::act::plan::preflighted::{ActApi, CheckedRow};
use crate::act::plan::verb::Verb;
use crate::domain::Scope;

/// A group of a scope, by name.
type Name = (Scope, Arc<str>);

/// Blocks the rows that would be one too many: a second row for the same instance, members that
/// would take their Auto Scaling group below its minimum, targets whose loss would leave a target
/// group without a healthy one. Rows that are blocked only for who asks count: whoever is not armed
/// sees what whoever is will see. Rows stay in the order of the plan, and the first ones pass.
pub fn together(verb: &Verb, rows: &mut [CheckedRow]) {
    together_after(verb, rows, &[]);
}

/// Like [`together`], after calls for the rows `gone`, which load balancers may still report as healthy. Those already
/// noticed are counted twice, which stops one row too few and never one too many. Auto Scaling groups want less from
/// the call on.
pub fn together_after(verb: &Verb, rows: &mut [CheckedRow], gone: &[CheckedRow]) {
    let mut named = BTreeSet::new();
    for row in rows.iter_mut() {
        if !named.insert((row.item.scope.clone(), row.item.id.clone())) {
            block(row, Guard::Identity, "the plan names it twice".to_owned(), "plan");
        }
    }
    if !verb.is_destructive() {
        return;
    }
    let mut members = members_to_spare(rows);
    let mut targets = targets_to_spare(rows);
    for (name, _) in gone.iter().flat_map(serves).filter(|(_, healthy)| *healthy) {
        if let Some(left) = targets.get_mut(&name) {
            *left = left.saturating_sub(1);
        }
    }
    for row in rows.iter_mut().filter(|row| row.may_go()) {
        let member = group(row);
        if let Some(name) = &member
            && members.get(name).copied().unwrap_or(0) == 0
        {
            let text = format!("group {} would go below its minimum with this one too", name.1);
            block(row, Guard::Group, text, "autoscaling:DescribeAutoScalingInstances");
            continue;
        }
        let served = serves(row);
        let last = |(name, healthy): &&(Name, bool)| {
            let left = targets.get(name).copied().unwrap_or(0);
            left <= u32::from(*healthy)
        };
        if let Some((name, _)) = served.iter().find(last) {
            let text = format!("with this one too, {} would have no healthy target", name.1);
            block(row, Guard::TargetGroups, text, "elasticloadbalancing:DescribeTargetHealth");
            continue;
        }
        if let Some(spare) = member.and_then(|name| members.get_mut(&name)) {
            *spare -= 1;
        }
        for (name, _) in served.iter().filter(|(_, healthy)| *healthy) {
            if let Some(left) = targets.get_mut(name) {
                *left -= 1;
            }
        }
    }
}

/// The group that a row would shrink.
fn group(row: &CheckedRow) -> Option<Name> {
    let ActApi::AutoScaling { group, .. } = &row.via else { return None };
    Some((row.item.scope.clone(), group.clone()))
}

/// The target groups that a row serves, and whether it counts among their healthy targets.
fn serves(row: &CheckedRow) -> Vec<(Name, bool)> {
    let facts = row.ties.target_groups.iter().filter(|t| Duty::of(t) == Duty::Serving);
    facts.map(|t| ((row.item.scope.clone(), t.name.clone()), &*t.health == "healthy")).collect()
}

/// How many members each group can lose. The rows were looked at one after the other, and a group
/// may have changed in between: the smallest figure counts.
fn members_to_spare(rows: &[CheckedRow]) -> BTreeMap<Name, u32> {
    let mut out = BTreeMap::new();
    for row in rows.iter().filter(|row| row.may_go()) {
        if let (Some(name), Some(fact)) = (group(row), &row.ties.group) {
            let spare = fact.desired.saturating_sub(fact.min);
            out.entry(name).and_modify(|s: &mut u32| *s = spare.min(*s)).or_insert(spare);
        }
    }
    out
}

/// How many healthy targets each target group has, by the most pessimistic of its rows.
fn targets_to_spare(rows: &[CheckedRow]) -> BTreeMap<Name, u32> {
    let mut out = BTreeMap::new();
    for row in rows.iter().filter(|row| row.may_go()) {
        for fact in &row.ties.target_groups {
            let name = (row.item.scope.clone(), fact.name.clone());
            let healthy = fact.other_healthy.saturating_add(u32::from(&*fact.health == "healthy"));
            out.entry(name).and_modify(|h: &mut u32| *h = healthy.min(*h)).or_insert(healthy);
        }
    }
    out
}

fn block(row: &mut CheckedRow, guard: Guard, text: String, source: &str) {
    // Worst first; behind the blocks that are there.
    let at = row.findings.iter().take_while(|f| f.severity == Severity::Block).count();
    row.findings.insert(at, Finding::block(guard, text, source));
}
