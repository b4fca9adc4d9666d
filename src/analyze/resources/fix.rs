//! What to do about a resource, and what keeping it costs. Nothing here is done by burntop.

use super::Holders;
use crate::domain::{
    HOURS_PER_MONTH, Resource, ResourceAdvice as Advice, ResourceFix, ResourceKind, Verdict,
    VerdictKind,
};
use crate::fleet::savings::Pattern;

/// Hours of a week, and of the office hours in it with two hours to spare on each day.
const WEEK: f64 = 168.0;
const OFFICE: f64 = 5.0 * 12.0;

/// The advice, with what keeping it costs.
pub(super) fn of(
    resource: &Resource,
    verdict: Option<&Verdict>,
    pattern: Option<Pattern>,
    holders: &Holders<'_>,
) -> ResourceFix {
    let usd_per_month = resource.usd_per_hour().map(|usd| usd * HOURS_PER_MONTH);
    let advice = match verdict.map(|v| v.kind) {
        _ if !resource.is_billed => Advice::Unbilled,
        None => Advice::Unjudged,
        Some(VerdictKind::Idle) => idle(resource, holders),
        Some(VerdictKind::Unknown) => unknown(resource.kind),
        Some(VerdictKind::Exempt) => Advice::Exempt,
        Some(VerdictKind::TooNew) => Advice::TooNew,
        Some(VerdictKind::Underused | VerdictKind::Partial) => underused(resource.kind),
        Some(VerdictKind::Busy) => {
            schedule(resource.kind, pattern, usd_per_month).unwrap_or(Advice::InUse)
        }
    };
    ResourceFix { advice, usd_per_month }
}

/// Of what can be stopped and is used in some hours of the week alone; `None` for all else.
fn schedule(kind: ResourceKind, pattern: Option<Pattern>, month: Option<f64>) -> Option<Advice> {
    use ResourceKind::{Endpoint, Notebook, StudioApp};
    let (is_office, on) = match pattern? {
        Pattern::OfficeHours => (true, OFFICE),
        Pattern::NightsAndWeekends => (false, WEEK - OFFICE),
        _ => return None,
    };
    let saves_usd = month? * (1.0 - on / WEEK);
    let can_stop = matches!(kind, Notebook | StudioApp | Endpoint);
    can_stop.then_some(Advice::Schedule { is_office, saves_usd })
}

fn idle(resource: &Resource, holders: &Holders<'_>) -> Advice {
    match resource.kind {
        ResourceKind::ElasticIp => {
            let mut served = resource.serves.iter().flatten();
            Advice::Release { is_of_instance: served.any(|id| holders.contains_key(&**id)) }
        }
        ResourceKind::NatGateway => {
            Advice::DeleteGateway { routes: resource.serves.as_ref().map(|r| r.len() as u32) }
        }
        ResourceKind::LoadBalancer
            if resource.working() == Some(0)
                && resource.serves.as_ref().is_some_and(|all| !all.is_empty()) =>
        {
            Advice::MendTargets
        }
        ResourceKind::LoadBalancer => Advice::DeleteBalancer,
        ResourceKind::VpcEndpoint => Advice::DeleteVpcEndpoint,
        ResourceKind::Endpoint => Advice::DeleteEndpoint,
        ResourceKind::Notebook => Advice::StopNotebook,
        ResourceKind::StudioApp => Advice::DeleteApp,
        ResourceKind::StoppedInstance => Advice::Terminate,
    }
}

fn unknown(kind: ResourceKind) -> Advice {
    match kind {
        ResourceKind::Notebook => Advice::AskForMetrics,
        ResourceKind::StudioApp => Advice::IdleShutdown,
        _ => Advice::Inspect,
    }
}

fn underused(kind: ResourceKind) -> Advice {
    match kind {
        ResourceKind::LoadBalancer => Advice::ShareBalancer,
        _ => Advice::Smaller,
    }
}
