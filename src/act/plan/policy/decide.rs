//! Decides what a policy does with each instance, and why.

use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};

use super::file::{Policy, Rule, RuleAction};
use super::mark::{Mark, MarkState};
use super::words::moment;
use crate::act::plan::Rules;
use crate::act::plan::draft::judged_until;
use crate::analyze::idle::Exemption;
use crate::domain::{
    InstanceState, Lifecycle, OwnerKind, SourceId, SourceState, Verdict, VerdictKind,
};
use crate::fleet::{Fleet, Row};
use crate::tabs::idle::picture::Field;
use crate::view::format::{span_long, span_words};
use crate::view::{TableField, ViewContext, reasons};

/// Action that a policy decides on for an instance.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum DecisionKind {
    /// Stop it: its grace is over.
    Stop,
    /// Remind its owner: its grace ends soon.
    Remind,
    /// Mark it: it is idle.
    Mark,
    /// Remove its mark: it is in use again.
    Unmark,
    /// Wait: it is marked, and the grace is not over.
    Wait,
    /// Do nothing.
    Nothing,
}

impl DecisionKind {
    /// All kinds, the weightiest first.
    pub const ALL: [Self; 6] =
        [Self::Stop, Self::Remind, Self::Mark, Self::Unmark, Self::Wait, Self::Nothing];

    /// Name on screen and in JSON.
    pub fn word(self) -> &'static str {
        match self {
            Self::Stop => "stop",
            Self::Remind => "remind",
            Self::Mark => "mark",
            Self::Unmark => "unmark",
            Self::Wait => "wait",
            Self::Nothing => "nothing",
        }
    }

    /// True for what changes something.
    #[cfg(test)]
    pub fn acts(self) -> bool {
        !matches!(self, Self::Wait | Self::Nothing)
    }
}

/// Decision of a policy about one instance.
#[derive(Clone, Debug, PartialEq)]
pub struct Decision {
    /// The instance.
    pub row: Arc<Row>,
    /// Action.
    pub kind: DecisionKind,
    /// Reason, one sentence.
    pub reason: String,
    /// Index of the rule that decided; `None` where no rule matches.
    pub rule: Option<usize>,
    /// When the grace ends: of a new mark, or of the one that is there. `None` without a mark.
    pub ends: Option<Timestamp>,
    /// True when the instance is production: a policy marks it and never stops it.
    pub production: bool,
    /// True when a person has to say why before anything more happens.
    pub wants_justification: bool,
}

/// Inputs of decisions beside the fleet and the policy.
#[derive(Clone, Copy, Debug)]
pub struct Scene<'a> {
    /// Rules of acting of this run.
    pub rules: &'a Rules,
    /// Hours that verdicts of the preset cover; the evidence may reach further back where a cache
    /// holds it.
    pub window_hours: u32,
    /// The present moment, and what filters need.
    pub ctx: ViewContext,
}

/// Decides for every instance of `fleet` for whose index `wanted` holds, in the fleet's order.
///
/// Only what this run has read counts: rows of a region whose inventory could not be read now
/// carry old tags, and a mark that is not seen would be made, and its clock set, anew.
pub fn decide(
    policy: &Policy,
    fleet: &Fleet,
    scene: &Scene<'_>,
    mut wanted: impl FnMut(u32) -> bool,
) -> Vec<Decision> {
    let mut filters: Vec<_> = policy.rules.iter().map(|r| r.filter.searcher()).collect();
    let mut out = Vec::new();
    let rows = Field::rows(&fleet.rows);
    for (at, row) in (0..).zip(&fleet.rows).filter(|(at, _)| wanted(*at)) {
        let rule = filters.iter_mut().position(|f| f.matches(&rows, at, &scene.ctx));
        let case = Case {
            policy,
            rule: rule.map(|i| &policy.rules[i]),
            row,
            scene,
            now: scene.ctx.now,
            production: scene.rules.is_production(&row.instance.scope.account, &row.instance.tags),
            read: was_read(fleet, row),
            judged_until: judged_until(fleet, &row.instance.scope),
        };
        let Said { kind, reason, ends, wants_justification } = case.decide();
        let production = case.production;
        let row = row.clone();
        out.push(Decision { row, kind, reason, rule, ends, production, wants_justification });
    }
    out
}

/// True when the inventory of the row's scope was read by this run.
fn was_read(fleet: &Fleet, row: &Row) -> bool {
    fleet.readings.iter().any(|r| {
        r.source == SourceId::Ec2
            && r.scope == row.instance.scope
            && r.state == SourceState::Live
            && r.coverage >= 1.0
    })
}

/// Result of one rule of decision: the action and its reason.
struct Said {
    kind: DecisionKind,
    reason: String,
    ends: Option<Timestamp>,
    wants_justification: bool,
}

impl Said {
    fn new(kind: DecisionKind, reason: impl Into<String>) -> Self {
        Self { kind, reason: reason.into(), ends: None, wants_justification: false }
    }

    fn nothing(reason: impl Into<String>) -> Self {
        Self::new(DecisionKind::Nothing, reason)
    }

    fn until(self, ends: Timestamp) -> Self {
        Self { ends: Some(ends), ..self }
    }
}

/// One instance and everything that is looked at.
struct Case<'a> {
    policy: &'a Policy,
    rule: Option<&'a Rule>,
    row: &'a Row,
    scene: &'a Scene<'a>,
    now: Timestamp,
    production: bool,
    read: bool,
    judged_until: Option<Timestamp>,
}

impl Case<'_> {
    /// The order matters: what must never be touched comes first.
    fn decide(&self) -> Said {
        let instance = &*self.row.instance;
        if !self.read {
            return Said::nothing("its region could not be read now; its tags may be old");
        }
        if instance.state != InstanceState::Running {
            return Said::nothing(format!("not running ({})", instance.state.word()));
        }
        if self.scene.rules.is_pinned(&instance.tags) {
            return Said::nothing("a tag pins it read-only");
        }
        if Exemption::of(&instance.tags, self.now).holds() {
            return Said::nothing("exempt by tag");
        }
        let Some(verdict) = self.row.verdict.as_deref() else {
            return Said::nothing("not judged yet");
        };
        if let Some(old) = self.evidence_too_old() {
            return Said::nothing(old);
        }
        match verdict.kind {
            VerdictKind::Idle => self.idle(verdict),
            VerdictKind::Busy | VerdictKind::Partial | VerdictKind::Underused => {
                self.in_use(verdict)
            }
            VerdictKind::Unknown => Said::nothing(format!(
                "unknown, and so never touched: {}",
                reasons::verdict(&verdict.reason)
            )),
            VerdictKind::TooNew => Said::nothing("too new to be judged"),
            VerdictKind::Exempt => Said::nothing("exempt by tag"),
        }
    }

    fn evidence_too_old(&self) -> Option<String> {
        let Some(until) = self.judged_until else {
            return Some("its metrics were never read".to_owned());
        };
        let age = self.now.duration_since(until);
        let hours = i64::from(self.scene.rules.max_evidence_hours);
        (age > SignedDuration::from_hours(hours))
            .then(|| format!("its metrics were read {} ago, too long to act on", span_words(age)))
    }

    fn in_use(&self, verdict: &Verdict) -> Said {
        let partly = verdict.kind != VerdictKind::Busy;
        let use_ = if partly { "partly in use" } else { "in use" };
        match self.mark() {
            MarkState::None => {
                Said::nothing(format!("{use_}: {}", reasons::verdict(&verdict.reason)))
            }
            MarkState::Ours(mark) => {
                if let Some(not_mine) = self.not_mine(&mark) {
                    return Said::nothing(format!("{use_}; {not_mine}"));
                }
                // Who marks such a box by hand has seen that it does something.
                if partly && mark.policy.is_none() {
                    return Said::nothing(format!("{use_}, and marked by hand"));
                }
                Said::new(
                    DecisionKind::Unmark,
                    format!("in use again: {}", reasons::verdict(&verdict.reason)),
                )
            }
            odd => Said::nothing(format!("{use_}; {}", odd_mark(&odd, self.now))),
        }
    }

    fn idle(&self, verdict: &Verdict) -> Said {
        let Some(since) = verdict.idle_since else {
            return Said::nothing("idle, and it is not known since when");
        };
        let mark = match self.mark() {
            MarkState::None => None,
            MarkState::Ours(mark) => Some(mark),
            odd => return Said::nothing(odd_mark(&odd, self.now)),
        };
        if let Some(not_mine) = mark.as_ref().and_then(|m| self.not_mine(m)) {
            return Said::nothing(not_mine);
        }
        let Some(rule) = self.rule else {
            return Said::nothing(match mark {
                Some(_) => "marked by this policy, and none of its rules matches any more",
                None => "no rule matches it",
            });
        };
        if let Some(obstacle) = self.cannot_stop(rule) {
            return Said::nothing(obstacle);
        }
        match mark {
            Some(mark) => self.marked(rule, since, &mark),
            None => self.unmarked(rule, since),
        }
    }

    fn unmarked(&self, rule: &Rule, since: Timestamp) -> Said {
        let ends = whole_second(self.now).saturating_add(rule.grace).unwrap_or(Timestamp::MAX);
        let then = match rule.action {
            _ if self.production => "production: a policy marks it and never stops it",
            RuleAction::Stop => "it is stopped then if it is still idle",
            RuleAction::Mark => "a person decides then",
        };
        let reason =
            format!("idle since {}; grace of {}; {then}", moment(since), span_long(rule.grace));
        let wants_justification = self.production;
        Said { wants_justification, ..Said::new(DecisionKind::Mark, reason).until(ends) }
    }

    fn marked(&self, rule: &Rule, since: Timestamp, mark: &Mark) -> Said {
        let from = mark.counts_from();
        // Both promises hold: the end that the owner was told, and the grace of the rule as it is
        // now. A grace that was changed after the mark can only make it later.
        let grace_ends = from.saturating_add(rule.grace).unwrap_or(Timestamp::MAX);
        let mut ends = mark.expires.max(grace_ends);
        if self.row.instance.launched_at > from {
            let text = "started again after it was marked: somebody wants it";
            return Said::new(DecisionKind::Unmark, text);
        }
        if since > from && from <= self.now {
            return self.not_idle_throughout(since, from).until(ends);
        }
        if let Some(before) = rule.remind_before {
            match mark.reminded(before) {
                Some(at) => ends = ends.max(at.saturating_add(before).unwrap_or(Timestamp::MAX)),
                None if self.now >= ends.saturating_sub(before).unwrap_or(ends) => {
                    // Who comes late is not reminded late: the end moves with the reminder.
                    let next = self.now.saturating_add(before).unwrap_or(Timestamp::MAX);
                    let ends = ends.max(next);
                    let reason =
                        format!("idle since {}; its grace ends {}", moment(since), moment(ends));
                    return Said::new(DecisionKind::Remind, reason).until(ends);
                }
                None => {}
            }
        }
        if self.now < ends {
            let left = span_words(ends.duration_since(self.now));
            let reason = format!("marked, idle since {}; {left} of its grace left", moment(since));
            return Said::new(DecisionKind::Wait, reason).until(ends);
        }
        self.expired(rule, since).until(ends)
    }

    fn expired(&self, rule: &Rule, since: Timestamp) -> Said {
        if self.production {
            let reason = "its grace is over, and it is production: a policy never stops it; say why \
                          in a plan (burntop plan idle --id … --justification …)";
            return Said { wants_justification: true, ..Said::nothing(reason) };
        }
        match rule.action {
            RuleAction::Mark => {
                Said::nothing("its grace is over, and this rule only marks: a person decides")
            }
            RuleAction::Stop => {
                let reason = format!("idle since {}, through its whole grace", moment(since));
                Said::new(DecisionKind::Stop, reason)
            }
        }
    }

    /// It is idle now, and the idle stretch begins after the mark: it was used in between, or the
    /// evidence does not reach back to the mark. Only the first is a witness of use.
    fn not_idle_throughout(&self, since: Timestamp, from: Timestamp) -> Said {
        // A stretch that fills the window begins at its first witnessed hour; up to a tenth of the
        // window may be missing there, and the hour that is running is not in it.
        let window = i64::from(self.scene.window_hours);
        let slack = SignedDuration::from_hours(window - window / 10 - 2);
        let inside = self.now.saturating_sub(slack).unwrap_or(self.now);
        if since > inside {
            let reason = format!("in use until {}, after it was marked", moment(since));
            return Said::new(DecisionKind::Unmark, reason);
        }
        let reason = format!(
            "the evidence begins {}, after the mark of {}: idle through the whole grace is not \
             known; keep the cache between runs, or mark it anew",
            moment(since),
            moment(from)
        );
        Said::new(DecisionKind::Wait, reason)
    }

    /// Why a stop is out of the question, whatever the grace.
    fn cannot_stop(&self, rule: &Rule) -> Option<String> {
        let instance = &*self.row.instance;
        if rule.action != RuleAction::Stop || self.production {
            return None;
        }
        if !instance.ebs_root {
            return Some("its root device is instance store: it cannot be stopped".to_owned());
        }
        if matches!(instance.lifecycle, Lifecycle::CapacityBlock | Lifecycle::Scheduled) {
            return Some("paid in advance: stopping it saves nothing".to_owned());
        }
        // A stack drifts and goes on; everything else would replace or miss its member.
        let owner = instance.owners.iter().find(|o| o.kind != OwnerKind::CloudFormation)?;
        Some(format!("{} {} manages it: change its size there", owner.kind.word(), owner.name))
    }

    fn mark(&self) -> MarkState {
        MarkState::of(&self.row.instance.tags, self.now)
    }

    /// Why a mark is not this policy's to act on.
    fn not_mine(&self, mark: &Mark) -> Option<String> {
        match &mark.policy {
            Some(name) if *name == self.policy.name => None,
            Some(other) => Some(format!("marked by the policy {other}, which decides on it")),
            None if self.rule.is_some() => None,
            None => Some("marked by hand, and no rule matches it".to_owned()),
        }
        .or_else(|| {
            let made = mark.made_at.filter(|made| *made > self.now)?;
            Some(format!("its mark was made {}, which is still to come", moment(made)))
        })
    }
}

fn odd_mark(state: &MarkState, now: Timestamp) -> String {
    match state {
        MarkState::Foreign => {
            "burntop:expires is there without burntop:by: burntop did not set it, and leaves it \
             alone"
                .to_owned()
        }
        MarkState::TooFar(expires) => format!(
            "burntop:expires lies {} ahead, which no mark of burntop does; left alone",
            span_words(expires.duration_since(now))
        ),
        _ => "burntop:expires holds no time (RFC 3339, UTC); left alone".to_owned(),
    }
}

/// The moment, rounded up to a whole second, as tags hold it: a grace is never short of one.
pub(super) fn whole_second(t: Timestamp) -> Timestamp {
    let seconds = t.as_second() + i64::from(t.subsec_nanosecond() > 0);
    Timestamp::from_second(seconds).unwrap_or(t)
}
