//! Whether the work on an instance bears interruptions, and what says so.

use std::collections::HashMap;
use std::sync::Arc;

use super::rules::{CHECKPOINT_TAG, RESTART_TAG, SPOT_TAG, SpotRule, SpotRules, WorkKind};
use super::words::{Speaks, read};
use crate::domain::{Instance, OwnerKind, Workload};
use crate::fleet::savings::SpotFit;
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
    /// What says so, a clause.
    pub because: Arc<str>,
    pub terms: Terms,
    /// Tags that could not be read, a sentence each.
    pub odd: Vec<String>,
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
    let done = |fit, kind, because: String| Judged {
        fit,
        kind,
        because: because.into(),
        terms,
        odd: odd.clone(),
    };
    if let Some(value) = instance.tags.get(SPOT_TAG) {
        return match said(value) {
            Some(fit) => done(fit, kind.or(of_rule(fit)), format!("tag {SPOT_TAG}={value}")),
            None => done(
                SpotFit::Unknown,
                kind,
                format!("tag {SPOT_TAG} is \"{value}\", none of yes, partial, no"),
            ),
        };
    }
    if let Some(rule) = rule {
        let why =
            rule.why.as_ref().map_or_else(|| spelled(rule), |why| format!("your rule: {why}"));
        return done(rule.fit, kind.or(of_rule(rule.fit)), why);
    }
    match work {
        Work::Known(kind, by) => {
            let (fit, why) = built_in(kind, instance);
            done(fit, Some(kind), format!("{by}: {why}"))
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

fn spelled(rule: &SpotRule) -> String {
    let tag = rule.tag.as_ref().map(|(key, value)| format!("tag {key}={}", value.text()));
    let name = rule.name.as_ref().map(|name| format!("name {}", name.text()));
    let parts: Vec<String> = tag.into_iter().chain(name).collect();
    format!("your rule for {}", parts.join(" and "))
}

enum Work {
    /// What, and what says so.
    Known(WorkKind, String),
    /// Why not, a clause.
    Unknown(String),
}

/// What an instance does: by tags, then by what runs on its GPUs, then by names.
fn work(instance: &Instance, telemetry: &Telemetry, rules: &SpotRules) -> Work {
    let has = |kind| instance.owners.iter().any(|o| o.kind == kind);
    if let Some(role) = instance.tags.get(EMR_ROLE) {
        let kind =
            if role.eq_ignore_ascii_case("TASK") { WorkKind::Batch } else { WorkKind::Stateful };
        return Work::Known(kind, format!("EMR node of role {role}"));
    }
    let mut both = None;
    let mut by = |text: &str, what: String| match read(text) {
        Speaks::Of(kind) => Some(Work::Known(kind, what)),
        Speaks::Both => {
            both.get_or_insert(format!("{what} speaks of serving and of batch work"));
            None
        }
        Speaks::Nothing => None,
    };
    for key in &rules.workload_tags {
        if let Some(value) = instance.tags.find(std::slice::from_ref(key))
            && let Some(work) = by(value, format!("tag {key}={value}"))
        {
            return work;
        }
    }
    if has(OwnerKind::Batch) {
        return Work::Known(WorkKind::Batch, "run by AWS Batch".to_owned());
    }
    if let Some(kind) = telemetry.kind(&instance.id) {
        return Work::Known(kind, "names of what runs on its GPUs".to_owned());
    }
    if let Some(work) = by(&instance.name, format!("name {}", instance.name)) {
        return work;
    }
    for owner in instance.owners.iter().filter(|o| o.kind != OwnerKind::CloudFormation) {
        let what = format!("{} {}", owner.kind.word(), owner.name);
        if let Some(work) = by(&owner.name, what) {
            return work;
        }
    }
    Work::Unknown(both.unwrap_or_else(|| "no tag and no rule says what it does".to_owned()))
}

/// How a kind of work fits.
fn built_in(kind: WorkKind, instance: &Instance) -> (SpotFit, &'static str) {
    let replaced = instance.owners.iter().any(|o| {
        matches!(o.kind, OwnerKind::Asg | OwnerKind::Eks | OwnerKind::Karpenter | OwnerKind::Ecs)
    });
    match kind {
        WorkKind::Training => (SpotFit::Yes, "training goes on from a checkpoint"),
        WorkKind::Search => (SpotFit::Yes, "a trial of a search can be run again"),
        WorkKind::Batch => (SpotFit::Yes, "a batch job can be run again"),
        WorkKind::Serving if replaced => (SpotFit::Partial, "serves in a group that replaces it"),
        WorkKind::Serving => (SpotFit::No, "serves, and no group would replace it"),
        WorkKind::Interactive => (SpotFit::No, "somebody sits at it"),
        WorkKind::Stateful => (SpotFit::No, "it keeps state"),
        WorkKind::Other => (SpotFit::Unknown, "nothing says what it does"),
    }
}

fn terms(
    instance: &Instance,
    rule: Option<&SpotRule>,
    rules: &SpotRules,
    odd: &mut Vec<String>,
) -> Terms {
    let mut minutes = |key: &str| {
        let text = instance.tags.get(key)?;
        let read = text.trim().parse::<f64>().ok().filter(|m| (0.0..=1440.0).contains(m));
        if read.is_none() {
            odd.push(format!("Tag {key} is \"{text}\", which is no number of minutes."));
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
