//! Whether the work on an instance bears interruptions, and what says so.

use std::collections::HashMap;
use std::sync::Arc;

use super::rules::{CHECKPOINT_TAG, RESTART_TAG, SPOT_TAG, SpotRule, SpotRules, WorkKind};
use super::words::{Speaks, read};
use crate::domain::{Instance, OwnerKind, Workload};
use crate::fleet::savings::{SpotBecause, SpotFit, SpotNote, SpotWork, WorkSource};
use crate::fleet::{GpuFleet, Row};

/// EMR's tag with what a node does: `MASTER`, `CORE`, `TASK`.
const EMR_ROLE: &str = "aws:elasticmapreduce:instance-group-role";

/// A figure, and whether anybody said it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Given {
    pub value: f64,
    pub assumed: bool,
}

/// What an interruption costs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Terms {
    pub checkpoint_hours: Given,
    pub restart_hours: Given,
    pub availability: Given,
}

/// What is concluded of one instance.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Judged {
    pub fit: SpotFit,
    pub kind: Option<WorkKind>,
    /// What says so.
    pub because: SpotBecause,
    pub terms: Terms,
    /// Tags that could not be read.
    pub odd: Vec<SpotNote>,
}

impl Judged {
    pub fn workload(&self) -> Option<Workload> {
        match self.kind? {
            WorkKind::Training | WorkKind::Search => Some(Workload::Training),
            WorkKind::Serving => Some(Workload::Inference),
            _ => None,
        }
    }

    /// True where all or a part of it may move.
    pub fn may_move(&self) -> bool {
        matches!(self.fit, SpotFit::Yes | SpotFit::Partial)
    }
}

/// What GPU telemetry says of the work on instances: by the names of pods and jobs.
pub(super) struct Telemetry(HashMap<Arc<str>, Workload>);

impl Telemetry {
    /// By the instances that GPUs sit in.
    pub fn of(gpus: &GpuFleet) -> Self {
        Self::from_pairs(gpus.rows.iter().filter_map(|gpu| {
            Some((gpu.node.instance.as_ref()?.instance.id.clone(), gpu.verdict.workload))
        }))
    }

    /// Instance and what one of its GPUs does. Where they do different things, nothing is said.
    pub fn from_pairs(pairs: impl IntoIterator<Item = (Arc<str>, Workload)>) -> Self {
        let mut all: HashMap<Arc<str>, Workload> = HashMap::new();
        for (id, workload) in pairs {
            if workload != Workload::Unknown {
                all.entry(id)
                    .and_modify(|known| {
                        if *known != workload {
                            *known = Workload::Unknown;
                        }
                    })
                    .or_insert(workload);
            }
        }
        Self(all)
    }

    fn kind(&self, id: &str) -> Option<WorkKind> {
        match self.0.get(id)? {
            Workload::Training => Some(WorkKind::Training),
            Workload::Inference => Some(WorkKind::Serving),
            Workload::Unknown => None,
        }
    }
}

/// By the instance's own tag, else the first of the user's rules that fits, else by what is known of
/// its work. Where nothing is known it is unknown, never yes.
pub(super) fn judge(row: &Row, telemetry: &Telemetry, rules: &SpotRules) -> Judged {
    let instance = &row.instance;
    let rule = rules.own.iter().find(|rule| rule.fits(instance));
    let mut odd = Vec::new();
    let terms = terms(instance, rule, rules, &mut odd);
    let work = work(instance, telemetry, rules);
    let kind = match &work {
        Work::Known(kind, _) => Some(*kind),
        Work::Unknown(_) => None,
    };
    let done = |fit, kind, because| Judged { fit, kind, because, terms, odd: odd.clone() };
    if let Some(value) = instance.tags.get(SPOT_TAG) {
        return match said(value) {
            Some(fit) => done(fit, kind.or(of_rule(fit)), SpotBecause::Tag(value.into())),
            None => done(SpotFit::Unknown, kind, SpotBecause::TagUnread(value.into())),
        };
    }
    if let Some(rule) = rule {
        let why = rule.why.clone().map_or_else(|| spelled(rule), SpotBecause::Rule);
        return done(rule.fit, kind.or(of_rule(rule.fit)), why);
    }
    match work {
        Work::Known(kind, by) => {
            let (fit, work) = built_in(kind, instance);
            done(fit, Some(kind), SpotBecause::Work { by, work })
        }
        Work::Unknown(why) => done(SpotFit::Unknown, None, why),
    }
}

fn said(value: &str) -> Option<SpotFit> {
    match value.trim().to_ascii_lowercase().as_str() {
        "yes" | "true" => Some(SpotFit::Yes),
        "partial" => Some(SpotFit::Partial),
        "no" | "false" => Some(SpotFit::No),
        _ => None,
    }
}

fn of_rule(fit: SpotFit) -> Option<WorkKind> {
    matches!(fit, SpotFit::Yes | SpotFit::Partial).then_some(WorkKind::Other)
}

/// A rule by what it names.
fn spelled(rule: &SpotRule) -> SpotBecause {
    SpotBecause::RuleOf {
        tag: rule.tag.as_ref().map(|(key, value)| (key.as_str().into(), value.text().into())),
        name: rule.name.as_ref().map(|name| name.text().into()),
    }
}

enum Work {
    /// What, and what says so.
    Known(WorkKind, WorkSource),
    /// Why not.
    Unknown(SpotBecause),
}

/// What an instance does: by tags, then by what runs on its GPUs, then by names.
fn work(instance: &Instance, telemetry: &Telemetry, rules: &SpotRules) -> Work {
    let has = |kind| instance.owners.iter().any(|o| o.kind == kind);
    if let Some(role) = instance.tags.get(EMR_ROLE) {
        let kind =
            if role.eq_ignore_ascii_case("TASK") { WorkKind::Batch } else { WorkKind::Stateful };
        return Work::Known(kind, WorkSource::EmrRole(role.into()));
    }
    let mut both = None;
    let mut by = |text: &str, what: WorkSource| match read(text) {
        Speaks::Of(kind) => Some(Work::Known(kind, what)),
        Speaks::Both => {
            both.get_or_insert(SpotBecause::Both(what));
            None
        }
        Speaks::Nothing => None,
    };
    for key in &rules.workload_tags {
        if let Some(value) = instance.tags.find(std::slice::from_ref(key))
            && let Some(work) = by(value, WorkSource::Tag(key.as_str().into(), value.clone()))
        {
            return work;
        }
    }
    if has(OwnerKind::Batch) {
        return Work::Known(WorkKind::Batch, WorkSource::Batch);
    }
    if let Some(kind) = telemetry.kind(&instance.id) {
        return Work::Known(kind, WorkSource::Telemetry);
    }
    if let Some(work) = by(&instance.name, WorkSource::Name(instance.name.clone())) {
        return work;
    }
    for owner in instance.owners.iter().filter(|o| o.kind != OwnerKind::CloudFormation) {
        let what = WorkSource::Owner(owner.kind, owner.name.clone());
        if let Some(work) = by(&owner.name, what) {
            return work;
        }
    }
    Work::Unknown(both.unwrap_or(SpotBecause::Nothing))
}

/// How a kind of work fits.
fn built_in(kind: WorkKind, instance: &Instance) -> (SpotFit, SpotWork) {
    let replaced = instance.owners.iter().any(|o| {
        matches!(o.kind, OwnerKind::Asg | OwnerKind::Eks | OwnerKind::Karpenter | OwnerKind::Ecs)
    });
    match kind {
        WorkKind::Training => (SpotFit::Yes, SpotWork::Training),
        WorkKind::Search => (SpotFit::Yes, SpotWork::Search),
        WorkKind::Batch => (SpotFit::Yes, SpotWork::Batch),
        WorkKind::Serving if replaced => (SpotFit::Partial, SpotWork::ServingReplaced),
        WorkKind::Serving => (SpotFit::No, SpotWork::Serving),
        WorkKind::Interactive => (SpotFit::No, SpotWork::Interactive),
        WorkKind::Stateful => (SpotFit::No, SpotWork::Stateful),
        WorkKind::Other => (SpotFit::Unknown, SpotWork::Other),
    }
}

fn terms(
    instance: &Instance,
    rule: Option<&SpotRule>,
    rules: &SpotRules,
    odd: &mut Vec<SpotNote>,
) -> Terms {
    let mut minutes = |key: &str| {
        let text = instance.tags.get(key)?;
        let read = text.trim().parse::<f64>().ok().filter(|m| (0.0..=1440.0).contains(m));
        if read.is_none() {
            odd.push(SpotNote::OddTag { tag: key.into(), value: text.into() });
        }
        read.map(|m| m / 60.0)
    };
    let given = |said: Option<f64>, default: f64| Given {
        value: said.unwrap_or(default),
        assumed: said.is_none(),
    };
    let assume = &rules.assume;
    let of = |get: fn(&SpotRule) -> Option<f64>| rule.and_then(get);
    Terms {
        checkpoint_hours: given(
            minutes(CHECKPOINT_TAG).or(of(|r| r.checkpoint_hours)),
            assume.checkpoint_hours,
        ),
        restart_hours: given(
            minutes(RESTART_TAG).or(of(|r| r.restart_hours)),
            assume.restart_hours,
        ),
        availability: given(of(|r| r.availability), assume.availability),
    }
}
