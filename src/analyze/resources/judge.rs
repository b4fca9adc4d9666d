//! One verdict.

use jiff::Timestamp;

use super::Holders;
use super::reason;
use super::rules::{QUIET_BYTES, QUIET_DAY, Rule};
use crate::analyze::idle::{Exemption, Slice, Trail, highest, trail};
use crate::domain::{
    Criterion, Hour, HourRange, InstanceState, Resource, ResourceFacts, ResourceKind,
    ResourceSignal, Signal, SignalEvidence, Verdict, VerdictKind,
};

/// What is judged.
pub(super) struct Subject<'a> {
    pub facts: &'a ResourceFacts,
    pub holders: &'a Holders<'a>,
    /// It runs on accelerators.
    pub accelerated: bool,
    pub now: Timestamp,
}

/// One signal held against its limit.
#[derive(Debug)]
pub(super) struct Finding {
    pub signal: ResourceSignal,
    pub evidence: SignalEvidence,
    pub seen: Trail,
    pub required: bool,
    pub fetched: bool,
    pub covered: bool,
    /// The highest sum of 24 h in a row.
    pub highest_day: f64,
}

/// Why a resource does nothing whatever its signals say, or that this cannot be told.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Shape {
    /// Its signals decide.
    Signals,
    /// It cannot be used as it is: idle unless a signal speaks for use.
    Useless,
    /// It is used as it is.
    Used,
    /// Nobody used it since then, says AWS.
    UnusedSince(Timestamp),
    /// Its user is away since then, and what its accelerators do without him nobody tells.
    AwaySince(Timestamp),
    /// It cannot be told.
    Untold,
}

/// Everything looked at.
pub(super) struct JudgeInput<'a> {
    pub resource: &'a Resource,
    pub holders: &'a Holders<'a>,
    pub rule: Rule,
    pub judged: HourRange,
    pub findings: Vec<Finding>,
    pub shape: Shape,
    pub exemption: Exemption,
    pub now: Timestamp,
    /// CloudWatch was asked and answered.
    pub complete: bool,
    /// The hour from which on no use was seen, where none was in the judged ones.
    quiet: Quiet,
}

/// How far back a quiet stretch reaches, beyond the judged hours as far as others are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Quiet {
    /// Its first hour in which every required signal came.
    from: Hour,
    /// A use lies right before it, or the creation.
    witnessed: bool,
}

/// Goes back from the judged hours: missing ones are bridged up to a tenth of all, as in them.
fn quiet(facts: &ResourceFacts, rule: &Rule, judged: HourRange) -> Quiet {
    let made = facts.resource.created_at.map(Hour::at_or_after);
    let at =
        |signal: &ResourceSignal, hour| facts.hours.get(signal).map_or(f32::NAN, |s| s.at(hour));
    let came =
        |hour| rule.limits.iter().filter(|l| l.required).all(|l| !at(&l.signal, hour).is_nan());
    // What makes no sense is infinite, and so a use.
    let used = |hour| rule.limits.iter().any(|l| at(&l.signal, hour) >= l.level);
    if !rule.limits.iter().any(|l| l.required) {
        return Quiet { from: judged.to, witnessed: false };
    }
    let judged_hours = || (judged.from.0..judged.to.0).map(Hour);
    let mut from = judged_hours().find(|hour| came(*hour)).unwrap_or(judged.to);
    let mut missing = judged_hours().filter(|hour| !came(*hour)).count();
    let (mut all, mut hour) = (judged.len(), judged.from);
    loop {
        if made == Some(hour) || used(hour.plus(-1)) {
            return Quiet { from, witnessed: from == hour };
        }
        hour = hour.plus(-1);
        all += 1;
        if came(hour) {
            from = hour;
        } else {
            missing += 1;
            if missing * 10 > all {
                return Quiet { from, witnessed: false };
            }
        }
    }
}

impl<'a> JudgeInput<'a> {
    pub fn new(subject: &Subject<'a>) -> Self {
        let resource = &subject.facts.resource;
        let rule = Rule::of(resource, subject.accelerated);
        let window = HourRange::last_closed(subject.now, rule.window);
        let judged = resource.created_at.map_or(window, |t| window.since(Hour::at_or_after(t)));
        let recent = judged.len().saturating_sub(rule.stretch);
        let findings = rule
            .limits
            .iter()
            // A GPU that no instance has cannot report.
            .filter(|l| {
                let series = subject.facts.hours.get(&l.signal);
                l.required || series.is_some_and(|s| s.got(judged) > 0)
            })
            .map(|limit| {
                let series = subject.facts.hours.get(&limit.signal);
                let slice =
                    series.map_or_else(|| Slice::empty(judged.len()), |s| Slice::of(s, judged));
                let stats = slice.stats();
                let seen = trail(&slice, &stats, limit.level, 0);
                let value = if seen.last_use.is_some() && !seen.malformed {
                    Some(f64::from(stats.max)).filter(|m| m.is_finite())
                } else {
                    seen.worst.filter(|_| !seen.malformed)
                };
                Finding {
                    signal: limit.signal,
                    evidence: SignalEvidence {
                        criterion: Criterion {
                            label: limit.signal.label().into(),
                            signal: Signal::Resource(limit.signal),
                            statistic: limit.statistic.into(),
                            unit: limit.unit.into(),
                            threshold: limit.shown,
                            role: limit.role,
                        }
                        .shared(),
                        value,
                        highest: highest(&[stats]),
                        got: stats.got as u32,
                        expected: judged.len() as u32,
                        busy: seen.last_use.is_some(),
                        joint: false,
                    },
                    required: limit.required,
                    fetched: series.is_some(),
                    covered: series.is_some() && slice.covers(stats.got, recent),
                    highest_day: highest_day(&slice),
                    seen,
                }
            })
            .collect();
        Self {
            resource,
            holders: subject.holders,
            judged,
            findings,
            shape: shape(resource, subject),
            exemption: Exemption::of(&resource.tags, subject.now),
            now: subject.now,
            complete: subject.facts.complete,
            quiet: quiet(subject.facts, &rule, judged),
            rule,
        }
    }

    /// Seconds since `t`.
    fn age(&self, t: Timestamp) -> i64 {
        self.now.duration_since(t).as_secs()
    }

    fn is_young(&self, since: Option<Timestamp>) -> bool {
        // Of an address it is not the age that is known, see `Resource::changed_at`.
        self.resource.kind != ResourceKind::ElasticIp
            && since.is_some_and(|t| self.age(t) < self.rule.stretch as i64 * 3600)
    }

    pub fn is_new(&self) -> bool {
        self.is_young(self.resource.created_at)
    }

    /// Changed a moment ago, and older than that.
    pub fn is_changed(&self) -> bool {
        self.is_young(self.resource.changed_at)
    }

    pub fn in_use(&self) -> bool {
        self.findings.iter().any(|f| f.evidence.busy)
    }

    /// A load balancer in use with so few requests that Trusted Advisor calls it idle, and, where its
    /// bytes are counted, with few of those: a flow may last for days.
    pub fn does_little(&self) -> bool {
        let few = |f: &Finding| match f.signal {
            ResourceSignal::Requests | ResourceSignal::Connections => f.highest_day < QUIET_DAY,
            ResourceSignal::Bytes | ResourceSignal::BytesBack => f.highest_day < QUIET_BYTES,
            ResourceSignal::CpuMax | ResourceSignal::GpuMax => false,
        };
        // What makes no sense may have been anything.
        if self.findings.iter().any(|f| f.seen.malformed) {
            return false;
        }
        match self.resource.kind {
            ResourceKind::LoadBalancer => self
                .findings
                .iter()
                .filter(|f| f.required)
                .all(|f| f.fetched && f.covered && few(f)),
            // The limits of instances: no hour's CPU above 20%, no GPU's above 30%.
            ResourceKind::Endpoint => {
                let below = |f: &Finding, limit: f64| {
                    f.covered && f.evidence.value.is_some_and(|v| v < limit)
                };
                let of = |signal| self.findings.iter().find(move |f| f.signal == signal);
                let gpu = of(ResourceSignal::GpuMax);
                of(ResourceSignal::CpuMax).is_some_and(|f| below(f, 20.0))
                    && gpu.is_none_or(|f| below(f, 30.0))
            }
            _ => false,
        }
    }

    fn is_covered(&self) -> bool {
        self.findings.iter().all(|f| !f.required || (f.fetched && f.covered))
    }

    /// The order of verdicts.
    pub fn kind(&self) -> VerdictKind {
        if self.exemption.holds() {
            return VerdictKind::Exempt;
        }
        if self.is_new() {
            return VerdictKind::TooNew;
        }
        if self.in_use() {
            return if self.does_little() { VerdictKind::Underused } else { VerdictKind::Busy };
        }
        match &self.shape {
            Shape::Used => VerdictKind::Busy,
            Shape::UnusedSince(t) | Shape::AwaySince(t) if self.is_young(Some(*t)) => {
                VerdictKind::Busy
            }
            _ if self.is_changed() => VerdictKind::TooNew,
            Shape::UnusedSince(_) => VerdictKind::Idle,
            Shape::AwaySince(_) | Shape::Untold => VerdictKind::Unknown,
            // Requests are counted only where there are some: none were, says CloudWatch.
            Shape::Useless if self.complete || self.findings.is_empty() => VerdictKind::Idle,
            Shape::Useless => VerdictKind::Unknown,
            Shape::Signals if self.is_covered() && !self.findings.is_empty() => VerdictKind::Idle,
            Shape::Signals => VerdictKind::Unknown,
        }
    }

    /// Since when an address serves nothing: with an instance since that was stopped, else since it
    /// was seen so, at least.
    fn unused_since(&self) -> Option<(Timestamp, bool)> {
        let mut instances = self
            .resource
            .serves
            .iter()
            .flatten()
            .filter_map(|id| self.holders.get(&**id))
            .map(|holder| holder.1)
            .peekable();
        match instances.peek() {
            None => Some((self.resource.changed_at?, true)),
            // Not known of one of them: not known.
            Some(_) => {
                let stopped = instances.collect::<Option<Vec<_>>>()?.into_iter().max()?;
                Some((stopped, false))
            }
        }
    }

    /// Since when it idles, and whether it may have begun earlier; `None` where that is not known.
    pub fn idle_since(&self) -> Option<(Timestamp, bool)> {
        match (&self.shape, self.resource.kind) {
            (Shape::UnusedSince(t), _) => return Some((*t, false)),
            (_, ResourceKind::ElasticIp) => return self.unused_since(),
            _ => {}
        }
        let required = || self.findings.iter().filter(|f| f.required);
        if required().any(|f| !f.covered) || required().next().is_none() {
            return None;
        }
        let Quiet { from, witnessed } = self.quiet;
        match self.resource.created_at {
            Some(made) if from == Hour::at_or_after(made) => Some((made, false)),
            _ => (from < self.judged.to).then(|| (from.start(), !witnessed)),
        }
    }
}

/// Highest sum of 24 hours in a row, of what is valid.
fn highest_day(slice: &Slice<'_>) -> f64 {
    let valid_or_zero = |i: usize| {
        let v = slice.at(i);
        if v.is_finite() && v > 0.0 { f64::from(v) } else { 0.0 }
    };
    let last = slice.hours.saturating_sub(24);
    (0..=last)
        .map(|from| (from..slice.hours.min(from + 24)).map(valid_or_zero).sum())
        .fold(0.0, f64::max)
}

/// What the thing's own shape says.
fn shape(resource: &Resource, subject: &Subject<'_>) -> Shape {
    match resource.kind {
        // A run that is left to itself for the night has no user and a busy GPU.
        ResourceKind::StudioApp if subject.accelerated => {
            resource.used_at.map_or(Shape::Untold, Shape::AwaySince)
        }
        ResourceKind::StudioApp => resource.used_at.map_or(Shape::Untold, Shape::UnusedSince),
        // The telemetry of its accelerators is missing, as on a GPU instance without an agent.
        ResourceKind::Notebook if subject.accelerated => Shape::Untold,
        ResourceKind::LoadBalancer if resource.working() == Some(0) => Shape::Useless,
        ResourceKind::ElasticIp => {
            let Some(serves) = &resource.serves else { return Shape::Untold };
            if resource.working() == Some(0) {
                return Shape::Useless;
            }
            let states: Vec<Option<InstanceState>> = serves
                .iter()
                .filter(|id| id.starts_with("i-"))
                .map(|id| subject.holders.get(&**id).map(|h| h.0))
                .collect();
            if states.is_empty() {
                return Shape::Used;
            }
            let idle = |s: &Option<InstanceState>| {
                matches!(s, Some(InstanceState::Stopped | InstanceState::Terminated))
            };
            if states.iter().all(idle) {
                Shape::Useless
            } else if states.iter().any(|s| s.is_some_and(|s| !idle(&Some(s)))) {
                Shape::Used
            } else {
                Shape::Untold
            }
        }
        _ => Shape::Signals,
    }
}

/// Whole hours from `since` to `now`; 0 where it lies in the future.
pub(super) fn whole_hours(since: Timestamp, now: Timestamp) -> u32 {
    now.duration_since(since).as_hours().max(0) as u32
}

/// Judges one resource.
pub(super) fn judge(subject: &Subject<'_>) -> Verdict {
    let input = JudgeInput::new(subject);
    let kind = input.kind();
    let since = (kind == VerdictKind::Idle).then(|| input.idle_since()).flatten();
    let (idle_since, idle_since_at_least) = (since.map(|s| s.0), since.is_some_and(|s| s.1));
    let unknown = kind == VerdictKind::Unknown;
    let reason = reason::of(&input, kind, idle_since);
    let not_checked = reason::not_checked(&input);
    let required = input.findings.iter().filter(|f| f.required && (f.fetched || unknown));
    let coverage = required.map(|f| f.evidence.coverage()).fold(f32::INFINITY, f32::min);
    let coverage = match coverage.is_finite() {
        true => coverage,
        false => f32::from(u8::from(!unknown)),
    };
    let cpu_percent = input
        .findings
        .iter()
        .find(|f| f.signal == ResourceSignal::CpuMax)
        .and_then(|f| f.evidence.value)
        .map(|v| v as f32);
    let gpu_percent = input
        .findings
        .iter()
        .find(|f| f.signal == ResourceSignal::GpuMax)
        .and_then(|f| f.evidence.value)
        .map(|v| v as f32);
    Verdict {
        kind,
        idle_since,
        idle_since_at_least,
        idle_gpus: None,
        devices: 0,
        coverage,
        gpu_percent,
        cpu_percent,
        network_bytes_per_day: None,
        network_out_bytes_per_day: None,
        signals: input
            .findings
            .into_iter()
            .filter(|f| f.fetched || unknown)
            .map(|f| f.evidence)
            .collect(),
        not_checked,
        likely: None,
        reason,
    }
}
