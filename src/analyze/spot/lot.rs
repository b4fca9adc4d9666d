//! Instances that do the same work together, of which a part may stay on demand.

use std::collections::HashMap;
use std::sync::Arc;

use super::fit::{Judged, Telemetry, judge};
use super::rules::SpotRules;
use crate::domain::{Instance, Lifecycle, Owner, OwnerKind, Scope, VerdictKind, Workload};
use crate::fleet::savings::SpotFit;
use crate::fleet::{Fleet, Row};

/// Where a lot lives and what it does.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Key {
    scope: Scope,
    /// `None` where one setting decides for all of a group, however its members fit.
    fit: Option<SpotFit>,
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
    /// A queue of a `ParallelCluster`: cluster, queue, type.
    Queue(Arc<str>, Option<Arc<str>>, Arc<str>),
}

/// How many run, and how many of them move.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Lot {
    /// Its number among all.
    pub number: usize,
    /// All that run, those on Spot already and those that must not move included; idle ones, which
    /// are stopped, not.
    pub count: u32,
    /// Of them on demand and fit, as a whole or in part.
    pub ours: u32,
    /// Of ours those of which only a part may move.
    pub partly: u32,
    /// On Spot already.
    pub on_spot: u32,
    /// On demand and must stay there, by id: exempt ones, and those judged not to fit.
    pub pinned: Vec<Arc<str>>,
    /// On demand, and nothing says what they do.
    pub unknown: u32,
    /// True where one setting decides for all members, whoever they are.
    pub one_setting: bool,
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

    /// Members on demand that are none of ours.
    pub fn stays(&self) -> u32 {
        self.unknown.saturating_add(u32::try_from(self.pinned.len()).unwrap_or(u32::MAX))
    }

    /// Whether all of it fits, or a part.
    pub fn fit(&self) -> SpotFit {
        if self.partly > 0 || self.stays() > 0 { SpotFit::Partial } else { SpotFit::Yes }
    }

    /// True where some of ours fit as a whole and others in part.
    pub fn is_mixed(&self) -> bool {
        self.partly > 0 && self.partly < self.ours
    }

    /// True where one setting would move members that must stay.
    pub fn is_pinned(&self) -> bool {
        self.one_setting && !self.pinned.is_empty()
    }

    /// How many are on Spot once it has moved.
    pub fn on_spot_then(&self) -> u32 {
        self.on_spot + self.moves
    }

    /// One setting for all: where one of ours moves only in part, so does the whole. The base holds
    /// at least as many as must stay.
    fn fix_distribution(&mut self, rules: &SpotRules) {
        let (base, percent) = if self.partly > 0 {
            (rules.base_instances, rules.on_demand_percent.min(100))
        } else {
            (0, 0)
        };
        self.base = base.max(self.stays()).min(self.count);
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
    pub fn of(
        fleet: &Fleet,
        judged: &[(&Row, Judged)],
        telemetry: &Telemetry,
        rules: &SpotRules,
    ) -> Self {
        let others = others(fleet, judged, telemetry, rules);
        let mut numbers: HashMap<Key, usize> = HashMap::new();
        let (mut of, mut all) = (HashMap::new(), Vec::<Lot>::new());
        for (row, judged) in judged.iter().filter(|(_, j)| j.may_move()) {
            let key = key(row, judged);
            let number = *numbers.entry(key).or_insert_with_key(|key| {
                let number = all.len();
                all.push(Lot { number, ..empty(key, &others) });
                number
            });
            if let Some(lot) = all.get_mut(number) {
                lot.count += 1;
                lot.ours += 1;
                lot.partly += u32::from(judged.fit == SpotFit::Partial);
            }
            of.insert(row.instance.id.clone(), number);
        }
        for lot in &mut all {
            lot.fix_distribution(rules);
        }
        Self { of, all }
    }

    /// The lot of an instance; `None` for one that does not move.
    pub fn get(&self, id: &str) -> Option<&Lot> {
        self.all.get(*self.of.get(id)?)
    }
}

/// Members of a group that are none of those that may move.
#[derive(Clone, Debug, Default)]
struct Others {
    on_spot: u32,
    pinned: Vec<Arc<str>>,
    unknown: u32,
}

/// A lot before any of its own is counted.
fn empty(key: &Key, others: &HashMap<(Scope, Group), Others>) -> Lot {
    let Together::Group(group) = &key.together else { return Lot::default() };
    let found = others.get(&(key.scope.clone(), group.clone())).cloned().unwrap_or_default();
    let Others { on_spot, pinned, unknown } = found;
    let mut lot =
        Lot { on_spot, pinned, unknown, one_setting: one_setting(group.0), ..Lot::default() };
    lot.count = on_spot + lot.stays();
    lot
}

/// By group: members on Spot already and exempt ones on demand; where one setting decides for all of
/// them, also those that do not fit and those of which it is not known.
fn others(
    fleet: &Fleet,
    judged: &[(&Row, Judged)],
    telemetry: &Telemetry,
    rules: &SpotRules,
) -> HashMap<(Scope, Group), Others> {
    let mut all: HashMap<(Scope, Group), Others> = HashMap::new();
    for row in fleet.rows.iter().filter(|r| r.instance.state.is_billed()) {
        let Some(group) = group(&row.instance) else { continue };
        let one_setting = one_setting(group.0);
        let kind = row.verdict.as_ref().map(|v| v.kind);
        let others = all.entry((row.instance.scope.clone(), group)).or_default();
        match (row.instance.lifecycle, kind) {
            (Lifecycle::Spot, _) => others.on_spot += 1,
            (Lifecycle::OnDemand, Some(VerdictKind::Exempt)) => {
                others.pinned.push(row.instance.id.clone());
            }
            // An idle one is stopped, and counts for nothing; but nobody moves it before.
            (Lifecycle::OnDemand, Some(VerdictKind::Idle))
                if one_setting && judge(row, telemetry, rules).fit == SpotFit::No =>
            {
                others.pinned.push(row.instance.id.clone());
            }
            _ => {}
        }
    }
    for (row, judged) in judged {
        let Some(group) = group(&row.instance).filter(|g| one_setting(g.0)) else { continue };
        let others = all.entry((row.instance.scope.clone(), group)).or_default();
        match judged.fit {
            SpotFit::No => others.pinned.push(row.instance.id.clone()),
            SpotFit::Unknown => others.unknown += 1,
            SpotFit::Yes | SpotFit::Partial => {}
        }
    }
    for others in all.values_mut() {
        others.pinned.sort();
    }
    all
}

fn key(row: &Row, judged: &Judged) -> Key {
    let instance = &row.instance;
    let tag = |key: &str| instance.tags.get(key).map(Arc::from);
    let name = instance.instance_type.clone();
    let together = match (group(instance), tag("parallelcluster:cluster-name")) {
        (Some(group), _) => Together::Group(group),
        (None, Some(cluster)) => Together::Queue(cluster, tag("parallelcluster:queue-name"), name),
        (None, None) => Together::Alike(row.team.clone(), judged.workload(), name),
    };
    let as_one = matches!(&together, Together::Group(group) if one_setting(group.0));
    Key { scope: instance.scope.clone(), fit: (!as_one).then_some(judged.fit), together }
}

/// True where how much of a group is Spot is one setting for all of its members.
fn one_setting(kind: OwnerKind) -> bool {
    matches!(kind, OwnerKind::Asg | OwnerKind::Karpenter)
}

/// The group of an instance: the Auto Scaling group before the cluster that it serves.
fn group(instance: &Instance) -> Option<Group> {
    use OwnerKind::{Asg, Batch, Ecs, Eks, Emr, HyperPod, Karpenter};
    let order = [Asg, Karpenter, Batch, Ecs, Emr, HyperPod, Eks];
    let owner = order.into_iter().find_map(|k| instance.owners.iter().find(|o| o.kind == k))?;
    Some((
        owner.kind,
        environment(instance, owner).unwrap_or_else(|| owner.name.clone()),
        (!one_setting(owner.kind)).then(|| instance.instance_type.clone()),
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
