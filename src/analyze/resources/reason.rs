//! The verdict in one sentence.

use std::sync::Arc;

use jiff::Timestamp;

use super::judge::{Finding, JudgeInput, Shape};
use super::rules::QUIET_DAY;
use crate::analyze::idle::{EXEMPT_TAG, Exemption, figure, span};
use crate::domain::{
    InstanceState, NOT_WORKING, ResourceKind, ResourceSignal, SignalEvidence, VerdictKind, intern,
};

/// Why this verdict.
pub(super) fn of(input: &JudgeInput<'_>, kind: VerdictKind, since: Option<Timestamp>) -> String {
    let text = match kind {
        VerdictKind::Exempt => exempt(input),
        VerdictKind::TooNew => too_new(input),
        VerdictKind::Idle => idle(input, since),
        VerdictKind::Underused | VerdictKind::Partial => underused(input),
        VerdictKind::Busy => busy(input),
        VerdictKind::Unknown => unknown(input),
    };
    match &input.exemption {
        Exemption::Expired(day) => format!("{text} The exemption by tag ended with {day}."),
        _ => text,
    }
}

fn exempt(input: &JudgeInput<'_>) -> String {
    match &input.exemption {
        Exemption::Until(day) => format!("Exempt by tag {EXEMPT_TAG} until the end of {day} UTC."),
        Exemption::Malformed => format!(
            "Exempt, to be safe: the tag {EXEMPT_TAG} holds neither `true` nor a date like \
             2026-12-31; set one of them or remove the tag."
        ),
        _ => format!("Exempt by tag {EXEMPT_TAG}."),
    }
}

fn too_new(input: &JudgeInput<'_>) -> String {
    let minimum = span(input.rule.stretch);
    let (what, since) = if input.is_new() {
        ("Too new", input.resource.created_at)
    } else {
        ("Changed or started lately", input.resource.changed_at)
    };
    match since.map(|t| input.now.duration_since(t).as_hours()) {
        Some(hours) if hours < 0 => {
            format!(
                "Too new: it was made in the future, so a clock is wrong; {minimum} are needed."
            )
        }
        Some(hours) => {
            let ago = span(hours as usize);
            format!("{what}: {ago} ago, {minimum} of evidence are needed.")
        }
        None => format!("{what}: {minimum} of evidence are needed."),
    }
}

/// `for 9 d`, `for at least 14 d`; empty where nobody knows.
fn lasting(input: &JudgeInput<'_>, since: Option<Timestamp>) -> String {
    let Some(t) = since else { return String::new() };
    let hours = span(input.now.duration_since(t).as_hours().max(0) as usize);
    // As old as the evidence, so perhaps older.
    let at_least =
        input.resource.created_at != Some(t) && !matches!(input.shape, Shape::UnusedSince(_));
    format!(" for {}{hours}", if at_least { "at least " } else { "" })
}

fn idle(input: &JudgeInput<'_>, since: Option<Timestamp>) -> String {
    let lasting = lasting(input, since);
    let resource = input.resource;
    match resource.kind {
        ResourceKind::Endpoint => {
            let peaks: Vec<String> = [ResourceSignal::GpuMax, ResourceSignal::CpuMax]
                .into_iter()
                .filter_map(|signal| {
                    let e = &input.findings.iter().find(|f| f.signal == signal)?.evidence;
                    Some(format!("{} {}", signal.label(), figure(e.value?, &e.unit)))
                })
                .collect();
            let peaks =
                if peaks.is_empty() { String::new() } else { format!("; {}", peaks.join(", ")) };
            format!("No invocation{lasting}{peaks}.")
        }
        ResourceKind::Notebook => {
            let e = input.findings.first().map(|f| &f.evidence);
            let top = e.and_then(|e| Some(figure(e.value?, &e.unit).to_string()));
            let limit = e.map_or_else(String::new, |e| figure(e.threshold, &e.unit).to_string());
            let top = top.unwrap_or_else(|| "–".into());
            format!("Nothing ran{lasting}: CPU peaked at {top} (limit {limit}).")
        }
        ResourceKind::StudioApp => {
            format!(
                "Nobody has used it{lasting}, says SageMaker (limit {}).",
                span(input.rule.stretch)
            )
        }
        ResourceKind::ElasticIp => address(input, &lasting),
        ResourceKind::NatGateway => match &resource.serves {
            Some(routes) if routes.is_empty() => {
                format!("No connection{lasting}, and no route table leads to it.")
            }
            Some(routes) => format!(
                "No connection{lasting}, though {} to it: what is behind {} does not use the \
                 internet.",
                if routes.len() == 1 {
                    "a route table leads".into()
                } else {
                    format!("{} route tables lead", routes.len())
                },
                if routes.len() == 1 { "it" } else { "them" },
            ),
            None => {
                format!("No connection{lasting}; which route tables lead to it could not be read.")
            }
        },
        ResourceKind::LoadBalancer => match (&resource.serves, resource.working()) {
            (Some(all), Some(0)) if all.is_empty() => {
                format!("No target is registered, and no request came{}.", window(input, &lasting))
            }
            (Some(all), Some(0)) => format!(
                "None of {} targets is in health, and no request came{}.",
                all.len(),
                window(input, &lasting)
            ),
            (Some(_), Some(n)) => format!(
                "No {} came{lasting}, though {n} {} in health.",
                asked(input),
                if n == 1 { "target is" } else { "targets are" }
            ),
            _ => format!("No {} came{lasting}; its targets could not be read.", asked(input)),
        },
        ResourceKind::StoppedInstance => format!("Stopped{lasting}; its volumes go on billing."),
    }
}

/// How long no request came: as far as it is witnessed, else the window that was asked for.
fn window(input: &JudgeInput<'_>, lasting: &str) -> String {
    if lasting.is_empty() {
        format!(" in {}", span(input.judged.len()))
    } else {
        lasting.to_owned()
    }
}

fn asked(input: &JudgeInput<'_>) -> &'static str {
    if input.resource.is_application() { "request" } else { "connection" }
}

fn address(input: &JudgeInput<'_>, lasting: &str) -> String {
    let serves = input.resource.serves.as_deref().unwrap_or(&[]);
    let seen = if lasting.is_empty() { String::new() } else { format!(", seen so{lasting}") };
    let stopped = serves.iter().find_map(|id| {
        let (state, since) = input.holders.get(&**id)?;
        Some((id, *state, *since))
    });
    match (stopped, serves.first()) {
        (Some((id, InstanceState::Stopped, Some(t))), _) => {
            let hours = span(input.now.duration_since(t).as_hours().max(0) as usize);
            format!("Associated with {id}, which is stopped since {hours}.")
        }
        (Some((id, state, _)), _) => format!("Associated with {id}, which is {}.", state.word()),
        (None, Some(what)) => {
            let what = what.strip_suffix(NOT_WORKING).unwrap_or(what);
            format!("Associated with {what}, which nothing uses{seen}.")
        }
        (None, None) => format!("Associated with nothing{seen}."),
    }
}

fn underused(input: &JudgeInput<'_>) -> String {
    match input.resource.kind {
        ResourceKind::LoadBalancer => {
            let counted = input.findings.iter().find(|f| {
                matches!(f.signal, ResourceSignal::Requests | ResourceSignal::Connections)
            });
            let most = counted.map_or(0.0, |f| f.highest_day);
            let bytes = input.findings.iter().find(|f| f.signal == ResourceSignal::Bytes);
            let bytes = bytes.map_or_else(String::new, |f| {
                format!(", nor more than {:.1} MB", f.highest_day / 1e6)
            });
            format!(
                "In use, but no day had more than {most:.0} {}s (AWS Trusted Advisor calls it idle \
                 below {QUIET_DAY:.0} a day){bytes}.",
                asked(input)
            )
        }
        _ => {
            let peak = |signal| {
                let e = &input.findings.iter().find(|f| f.signal == signal)?.evidence;
                Some(format!("{} {}", signal.label(), figure(e.value?, &e.unit)))
            };
            let peaks: Vec<String> = [ResourceSignal::GpuMax, ResourceSignal::CpuMax]
                .into_iter()
                .filter_map(peak)
                .collect();
            format!("In use, but no hour passed {}.", peaks.join(", "))
        }
    }
}

fn busy(input: &JudgeInput<'_>) -> String {
    if let Some(last) = decisive(input) {
        let did = did(last);
        let hours = input.judged.len().saturating_sub(1);
        let quiet = hours.saturating_sub(last.seen.last_use.unwrap_or(hours));
        return if quiet < 24 {
            format!("In use: {did}.")
        } else {
            format!("In use: {did}, the last time {} ago.", span(quiet))
        };
    }
    match (&input.shape, input.resource.kind) {
        (Shape::UnusedSince(t) | Shape::AwaySince(t), _) => {
            let hours = input.now.duration_since(*t).as_hours().max(0) as usize;
            format!("In use: somebody used it {} ago.", span(hours))
        }
        (_, ResourceKind::ElasticIp) => {
            let what = input.resource.serves.iter().flatten().next();
            what.map_or_else(|| "In use.".into(), |w| format!("In use: associated with {w}."))
        }
        _ => "In use.".into(),
    }
}

/// The latest use.
fn decisive<'a>(input: &'a JudgeInput<'_>) -> Option<&'a Finding> {
    let busy = input.findings.iter().filter(|f| f.evidence.busy);
    busy.reduce(|best, f| if f.seen.last_use > best.seen.last_use { f } else { best })
}

fn did(f: &Finding) -> String {
    if f.seen.malformed {
        return format!(
            "a datapoint of {} made no sense (NaN, infinite or negative), which counts as use",
            f.signal.label()
        );
    }
    let value =
        |e: &SignalEvidence| e.value.map_or_else(|| "–".into(), |v| figure(v, &e.unit).to_string());
    format!("{} reached {}", f.signal.label(), value(&f.evidence))
}

fn unknown(input: &JudgeInput<'_>) -> String {
    match (input.resource.kind, &input.shape) {
        (ResourceKind::StudioApp, Shape::AwaySince(t)) => {
            let hours = input.now.duration_since(*t).as_hours().max(0) as usize;
            return format!(
                "Unknown: nobody has used it for {}, says SageMaker, but nothing tells what its GPUs \
                 do: a run may go on without its user.",
                span(hours)
            );
        }
        (ResourceKind::StudioApp, _) => {
            return "Unknown: SageMaker does not say when it was last used (where a health check was \
                    the last activity, the user's is not told)."
                .into();
        }
        (ResourceKind::ElasticIp, _) => {
            return "Unknown: what it is associated with could not be read.".into();
        }
        (ResourceKind::Notebook, Shape::Untold) => {
            return "Unknown: nothing tells what its GPUs do.".into();
        }
        (ResourceKind::Notebook, _) if input.findings.iter().all(|f| f.evidence.got == 0) => {
            return "Unknown: CloudWatch has no metrics of notebook instances, and this one publishes \
                    none of its own."
                .into();
        }
        _ => {}
    }
    if !input.complete {
        return "Unknown: CloudWatch did not answer for all of its signals.".into();
    }
    let lacking = input.findings.iter().filter(|f| f.required && !(f.fetched && f.covered));
    let Some(worst) = lacking.min_by_key(|f| f.evidence.got) else {
        return "Unknown: the evidence does not suffice.".into();
    };
    if !worst.fetched {
        return format!(
            "Unknown: {} was not fetched, so nothing says it is quiet.",
            worst.signal.label()
        );
    }
    format!(
        "Unknown: {} reported in {} of {} h; 90 % are needed, in the last {} too.",
        worst.signal.label(),
        worst.evidence.got,
        input.judged.len(),
        span(input.rule.stretch)
    )
}

/// What the verdict does not rest on and could matter, and whose limit it went by.
pub(super) fn not_checked(input: &JudgeInput<'_>) -> Arc<[Arc<str>]> {
    let mut out: Vec<Arc<str>> = vec![format!("criterion: {}", input.rule.source).into()];
    let mut also = |text: &str| out.push(text.into());
    match input.resource.kind {
        ResourceKind::Endpoint => {
            also("whether something falls back to it when another endpoint fails");
        }
        ResourceKind::Notebook => also("what is unsaved in its kernels"),
        ResourceKind::StudioApp => {
            also("what is unsaved in its kernels, jobs that run without a user");
        }
        ResourceKind::ElasticIp => also("DNS records and allow lists that name the address"),
        ResourceKind::NatGateway => also("whether it stands by for another one that fails"),
        ResourceKind::LoadBalancer => {
            also("DNS records that name it; rules that answer without a target");
        }
        ResourceKind::StoppedInstance => also("what is on the volumes"),
    }
    if input.resource.kind == ResourceKind::Endpoint
        && !input.findings.iter().any(|f| f.signal == ResourceSignal::GpuMax)
    {
        also("GPU activity: its types have none, as far as is known");
    }
    if input.resource.is_application() && input.in_use() && input.does_little() {
        also(
            "WebSockets: each counts as one request, however long it lasts and whatever it carries",
        );
    }
    intern::shared_list(&out)
}
