//! Why the verdict is what it is.

use std::sync::Arc;

use jiff::Timestamp;

use super::judge::{Finding, JudgeInput, Shape, whole_hours};
use super::rules::QUIET_DAY;
use crate::domain::{
    ExemptBy, InstanceState, Lasted, NOT_WORKING, Reason, ResourceKind, ResourceReason as R,
    ResourceSignal, ResourceUse, Unchecked, VerdictKind, Why, intern,
};

/// Why this verdict.
pub(super) fn of(input: &JudgeInput<'_>, kind: VerdictKind, since: Option<Timestamp>) -> Reason {
    let why = match kind {
        VerdictKind::Exempt => Why::Exempt(input.exemption.by().unwrap_or(ExemptBy::Always)),
        VerdictKind::TooNew => too_new(input).into(),
        VerdictKind::Idle => idle(input, lasted(input, since)).into(),
        VerdictKind::Underused | VerdictKind::Partial => underused(input).into(),
        VerdictKind::Busy => busy(input).into(),
        VerdictKind::Unknown => unknown(input).into(),
    };
    Reason { why, exemption_ended: input.exemption.ended() }
}

fn too_new(input: &JudgeInput<'_>) -> R {
    let is_changed = !input.is_new();
    let since = if is_changed { input.resource.changed_at } else { input.resource.created_at };
    let hours = since.map_or(0, |t| input.now.duration_since(t).as_hours());
    R::TooNew { is_changed, hours, needed: input.rule.stretch as u32 }
}

/// How long it has idled; `None` where that is not known.
fn lasted(input: &JudgeInput<'_>, since: Option<Timestamp>) -> Option<Lasted> {
    let since = since?;
    // As old as the evidence, so perhaps older.
    let at_least =
        input.resource.created_at != Some(since) && !matches!(input.shape, Shape::UnusedSince(_));
    Some(Lasted { hours: whole_hours(since, input.now), at_least })
}

fn idle(input: &JudgeInput<'_>, lasted: Option<Lasted>) -> R {
    let resource = input.resource;
    match resource.kind {
        ResourceKind::Endpoint => {
            let [gpu, cpu] = peaks(input);
            R::NoInvocation { lasted, gpu, cpu }
        }
        ResourceKind::Notebook => {
            let evidence = input.findings.first().map(|f| &f.evidence);
            R::NothingRan {
                lasted,
                top: evidence.and_then(|e| e.value),
                limit: evidence.map_or(0.0, |e| e.threshold),
            }
        }
        ResourceKind::StudioApp => R::Unused { lasted, needed: input.rule.stretch as u32 },
        ResourceKind::ElasticIp => address(input, lasted),
        ResourceKind::NatGateway => {
            R::NoConnection { lasted, routes: resource.serves.as_ref().map(|r| r.len() as u32) }
        }
        ResourceKind::LoadBalancer => match (&resource.serves, resource.working()) {
            (Some(all), Some(0)) => {
                R::NoTarget { targets: all.len() as u32, lasted, hours: input.judged.len() as u32 }
            }
            (serves, working) => R::NotAsked {
                lasted,
                healthy: serves.as_ref().and(working).map(|n| n as u32),
                is_application: resource.is_application(),
            },
        },
        ResourceKind::VpcEndpoint => R::NothingMoved { lasted },
        ResourceKind::StoppedInstance => R::Stopped {
            hours: lasted.map_or(0, |l| l.hours),
            volumes: resource.units.len() as u32,
        },
    }
}

/// Highest GPU use and highest CPU of an hour, percent; `None` where not known.
fn peaks(input: &JudgeInput<'_>) -> [Option<f64>; 2] {
    [ResourceSignal::GpuMax, ResourceSignal::CpuMax]
        .map(|signal| input.findings.iter().find(|f| f.signal == signal)?.evidence.value)
}

fn address(input: &JudgeInput<'_>, lasted: Option<Lasted>) -> R {
    let serves = input.resource.serves.as_deref().unwrap_or(&[]);
    let held = serves.iter().find_map(|id| Some((id, *input.holders.get(&**id)?)));
    match (held, serves.first()) {
        (Some((id, (state, since))), _) => R::OfInstance {
            id: id.clone(),
            state,
            stopped_hours: since
                .filter(|_| state == InstanceState::Stopped)
                .map(|t| whole_hours(t, input.now)),
        },
        (None, Some(what)) => {
            R::OfUnused { id: what.strip_suffix(NOT_WORKING).unwrap_or(what).into(), lasted }
        }
        (None, None) => R::Free { lasted },
    }
}

fn underused(input: &JudgeInput<'_>) -> R {
    if input.resource.kind != ResourceKind::LoadBalancer {
        let [gpu, cpu] = peaks(input);
        return R::LowPeaks { gpu, cpu };
    }
    let of = |wanted: &[ResourceSignal]| {
        input.findings.iter().find(|f| wanted.contains(&f.signal)).map(|f| f.highest_day)
    };
    R::FewRequests {
        most: of(&[ResourceSignal::Requests, ResourceSignal::Connections]).unwrap_or(0.0),
        limit: QUIET_DAY,
        bytes: of(&[ResourceSignal::Bytes]),
        is_application: input.resource.is_application(),
    }
}

fn busy(input: &JudgeInput<'_>) -> R {
    if let Some(last) = decisive(input) {
        let hours = input.judged.len().saturating_sub(1);
        let quiet = hours.saturating_sub(last.seen.last_use.unwrap_or(hours));
        let by = ResourceUse {
            signal: last.signal,
            value: last.evidence.value,
            is_malformed: last.seen.malformed,
        };
        return R::Used { by, quiet_hours: quiet as u32 };
    }
    match (&input.shape, input.resource.kind) {
        (Shape::UnusedSince(t) | Shape::AwaySince(t), _) => R::UsedAgo(whole_hours(*t, input.now)),
        (_, ResourceKind::ElasticIp) => {
            let what = input.resource.serves.iter().flatten().next();
            what.map_or(R::InUse, |what| R::Associated(what.clone()))
        }
        _ => R::InUse,
    }
}

/// The latest use.
fn decisive<'a>(input: &'a JudgeInput<'_>) -> Option<&'a Finding> {
    let busy = input.findings.iter().filter(|f| f.evidence.busy);
    busy.reduce(|best, f| if f.seen.last_use > best.seen.last_use { f } else { best })
}

fn unknown(input: &JudgeInput<'_>) -> R {
    match (input.resource.kind, &input.shape) {
        (ResourceKind::StudioApp, Shape::AwaySince(t)) => {
            return R::UserAway(whole_hours(*t, input.now));
        }
        (ResourceKind::StudioApp, _) => return R::LastUseUntold,
        (ResourceKind::ElasticIp, _) => return R::AssociationUnread,
        (ResourceKind::Notebook, Shape::Untold) => return R::GpusUntold,
        (ResourceKind::Notebook, _) if input.findings.iter().all(|f| f.evidence.got == 0) => {
            return R::NoMetrics;
        }
        _ => {}
    }
    if !input.complete {
        return R::NotAnswered;
    }
    let lacking = input.findings.iter().filter(|f| f.required && !(f.fetched && f.covered));
    match lacking.min_by_key(|f| f.evidence.got) {
        None => R::Insufficient,
        Some(worst) if !worst.fetched => R::NotFetched(worst.signal),
        Some(worst) => R::TooLittle {
            signal: worst.signal,
            got: worst.evidence.got,
            hours: input.judged.len() as u32,
            needed: input.rule.stretch as u32,
        },
    }
}

/// Whose limit the verdict goes by, and what it does not rest on and could matter.
pub(super) fn not_checked(input: &JudgeInput<'_>) -> Arc<[Unchecked]> {
    let kind = input.resource.kind;
    let mut out = vec![Unchecked::Criterion(kind), Unchecked::Beside(kind)];
    let has_gpus = input.findings.iter().any(|f| f.signal == ResourceSignal::GpuMax);
    if kind == ResourceKind::Endpoint && !has_gpus {
        out.push(Unchecked::NoGpus);
    }
    if input.resource.is_application() && input.in_use() && input.does_little() {
        out.push(Unchecked::WebSockets);
    }
    intern::shared_list(&out)
}
