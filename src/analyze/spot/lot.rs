//! Instances that do the same work together, of which a part may stay on demand.

use std::collections::HashMap;
use std::sync::Arc;

use super::fit::Judged;
use super::rules::SpotRules;
use crate::domain::{Instance, Lifecycle, Owner, OwnerKind, Scope, VerdictKind, Workload};
use crate::fleet::savings::SpotFit;
use crate::fleet::{Fleet, Row};

/// Where a lot lives and what it does.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Key {
    scope: Scope,
    fit: SpotFit,
    together: Together,
}

/// The group that decides how many there are: kind, name, and the type where a group holds many
/// that have nothing to do with each other.
type Group = (OwnerKind, Arc<str>, Option<Arc<str>>);

/// By what instances belong together.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Together {
    /// Their group.
    Group(Group),
    /// Team, kind of work and type, where no group is.
    Alike(Option<Arc<str>>, Option<Workload>, Arc<str>),
}

/// How many run, and how many of them move.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Lot {
    /// Its number among all.
    pub number: usize,
    /// All that run, those on Spot already included; idle ones, which are stopped, not.
    pub count: u32,
    /// Of them on demand and looked at here.
    pub ours: u32,
    /// On Spot already.
    pub on_spot: u32,
    /// Instances that stay on demand first.
    pub base: u32,
    /// Percent above the base that stays on demand.
    pub percent: u32,
    /// Instances on demand that this comes to.
    pub on_demand: u32,
    /// Instances of `ours` that move.
    pub moves: u32,
}

impl Lot {
    /// The part of ours that moves, 0–1.
    pub fn share(&self) -> f64 {
        if self.ours == 0 { 0.0 } else { f64::from(self.moves) / f64::from(self.ours) }
    }

    fn settle(&mut self, fit: SpotFit, rules: &SpotRules) {
        let (base, percent) = match fit {
            SpotFit::Partial => (rules.base_instances, rules.on_demand_percent.min(100)),
            _ => (0, 0),
        };
        self.base = base.min(self.count);
        self.percent = percent;
        self.on_demand = on_demand(self.count, self.base, percent);
        let now = self.count.saturating_sub(self.on_spot);
        self.moves = now.saturating_sub(self.on_demand).min(self.ours);
    }
}

/// Instances on demand of so many: the base, and a part of those above it, rounded up in favour of
/// on demand as EC2 Auto Scaling does.
pub(super) fn on_demand(count: u32, base: u32, percent: u32) -> u32 {
    let base = base.min(count);
    let above = u64::from(count - base) * u64::from(percent.min(100));
    base + above.div_ceil(100) as u32
}

/// All lots, by instance.
pub(super) struct Lots {
    of: HashMap<Arc<str>, usize>,
    all: Vec<Lot>,
}

impl Lots {
    pub fn of(fleet: &Fleet, judged: &[(&Row, Judged)], rules: &SpotRules) -> Self {
        let others = others(fleet);
        let mut numbers: HashMap<Key, usize> = HashMap::new();
        let (mut of, mut all) = (HashMap::new(), Vec::<(SpotFit, Lot)>::new());
        for (row, judged) in judged.iter().filter(|(_, j)| j.may_move()) {
            let key = key(row, judged);
            let number = *numbers.entry(key.clone()).or_insert_with(|| {
                let (on_spot, exempt) = match &key.together {
                    Together::Group(group) => {
                        let found = others.get(&(key.scope.clone(), group.clone()));
                        found.copied().unwrap_or_default()
                    }
                    Together::Alike(..) => (0, 0),
                };
                let number = all.len();
                let lot = Lot { number, count: on_spot + exempt, on_spot, ..Lot::default() };
                all.push((judged.fit, lot));
                number
            });
            if let Some((_, lot)) = all.get_mut(number) {
                lot.count += 1;
                lot.ours += 1;
            }
            of.insert(row.instance.id.clone(), number);
        }
        let settled = all.into_iter().map(|(fit, mut lot)| {
            lot.settle(fit, rules);
            lot
        });
        Self { of, all: settled.collect() }
    }

    /// The lot of an instance; `None` for one that does not move.
    pub fn get(&self, id: &str) -> Option<&Lot> {
        self.all.get(*self.of.get(id)?)
    }
}

/// Members of groups on Spot already, and exempt ones on demand.
fn others(fleet: &Fleet) -> HashMap<(Scope, Group), (u32, u32)> {
    let mut all: HashMap<(Scope, Group), (u32, u32)> = HashMap::new();
    for row in fleet.rows.iter().filter(|r| r.instance.state.is_billed()) {
        let Some(group) = group(&row.instance) else { continue };
        let exempt = row.verdict.as_ref().is_some_and(|v| v.kind == VerdictKind::Exempt);
        let key = (row.instance.scope.clone(), group);
        match row.instance.lifecycle {
            Lifecycle::Spot => all.entry(key).or_default().0 += 1,
            Lifecycle::OnDemand if exempt => all.entry(key).or_default().1 += 1,
            _ => {}
        }
    }
    all
}

fn key(row: &Row, judged: &Judged) -> Key {
    let instance = &row.instance;
    let together = match group(instance) {
        Some(group) => Together::Group(group),
        None => {
            Together::Alike(row.team.clone(), judged.workload(), instance.instance_type.clone())
        }
    };
    Key { scope: instance.scope.clone(), fit: judged.fit, together }
}

/// The group of an instance: the Auto Scaling group before the cluster that it serves.
fn group(instance: &Instance) -> Option<Group> {
    use OwnerKind::{Asg, Batch, Ecs, Eks, Emr, HyperPod, Karpenter};
    let order = [Asg, Karpenter, Batch, Ecs, Emr, HyperPod, Eks];
    let owner = order.into_iter().find_map(|k| instance.owners.iter().find(|o| o.kind == k))?;
    let one_kind = matches!(owner.kind, Asg | Karpenter);
    Some((
        owner.kind,
        environment(instance, owner).unwrap_or_else(|| owner.name.clone()),
        (!one_kind).then(|| instance.instance_type.clone()),
    ))
}

/// The Batch environment, where the tag that makes it the owner does not name it.
pub(super) fn environment(instance: &Instance, owner: &Owner) -> Option<Arc<str>> {
    let tag = || instance.tags.get("aws:batch:compute-environment").map(Arc::from);
    (owner.kind == OwnerKind::Batch).then(tag).flatten()
}

/// Who is asked to change it: the cluster before the Auto Scaling group that it made.
pub(super) fn manager(owners: &[Owner]) -> Option<&Owner> {
    use OwnerKind::{Asg, Batch, Ecs, Eks, Emr, HyperPod, Karpenter};
    let order = [Karpenter, Eks, Batch, Emr, HyperPod, Ecs, Asg];
    order.into_iter().find_map(|kind| owners.iter().find(|o| o.kind == kind))
}
