//! What decided the verdict on a resource that is no instance, and what to do about it.

use super::instance::{INSUFFICIENT, lasting, not_fetched, too_little};
use super::words::{figure, span};
use crate::domain::{
    InstanceState, Lasted, ResourceAdvice as Advice, ResourceFix, ResourceReason as R,
    ResourceSignal, ResourceUse,
};
use crate::view::format;

/// One sentence: what decided the verdict on a resource.
pub(super) fn resource(reason: &R) -> String {
    match reason {
        R::TooNew { hours: ..0, needed, .. } => format!(
            "Too new: it was made in the future, so a clock is wrong; {} are needed.",
            span(*needed)
        ),
        R::TooNew { is_changed, hours, needed } => {
            let what = if *is_changed { "Changed or started lately" } else { "Too new" };
            let ago = span(u32::try_from(*hours).unwrap_or(u32::MAX));
            format!("{what}: {ago} ago, {} of evidence are needed.", span(*needed))
        }
        R::NoInvocation { lasted, gpu, cpu } => {
            let peaks = peaks(*gpu, *cpu);
            let peaks = if peaks.is_empty() { peaks } else { format!("; {peaks}") };
            format!("No invocation{}{peaks}.", lasting(*lasted))
        }
        R::NothingRan { lasted, top, limit } => format!(
            "Nothing ran{}: CPU peaked at {} (limit {}).",
            lasting(*lasted),
            value(*top, "%"),
            figure(*limit, "%")
        ),
        R::Unused { lasted, needed } => format!(
            "Nobody has used it{}, says SageMaker (limit {}).",
            lasting(*lasted),
            span(*needed)
        ),
        R::Free { lasted } => format!("Associated with nothing{}.", seen(*lasted)),
        R::OfInstance { id, state: InstanceState::Stopped, stopped_hours: Some(hours) } => {
            format!("Associated with {id}, which is stopped since {}.", span(*hours))
        }
        R::OfInstance { id, state, .. } => {
            format!("Associated with {id}, which is {}.", state.word())
        }
        R::OfUnused { id, lasted } => {
            format!("Associated with {id}, which nothing uses{}.", seen(*lasted))
        }
        R::NoConnection { lasted, routes } => no_connection(&lasting(*lasted), *routes),
        R::NothingMoved { lasted } => format!("Nothing went through it{}.", lasting(*lasted)),
        R::NoTarget { targets, lasted, hours } => {
            let who = match targets {
                0 => "No target is registered".to_owned(),
                targets => format!("None of {targets} targets is in health"),
            };
            // As far as it is witnessed, else the window that was asked for.
            let lasting = match lasted {
                None => format!(" in {}", span(*hours)),
                lasted => lasting(*lasted),
            };
            format!("{who}, and no request came{lasting}.")
        }
        R::NotAsked { lasted, healthy, is_application } => {
            let came = format!("No {} came{}", asked(*is_application), lasting(*lasted));
            match healthy {
                None => format!("{came}; its targets could not be read."),
                Some(1) => format!("{came}, though 1 target is in health."),
                Some(n) => format!("{came}, though {n} targets are in health."),
            }
        }
        R::Stopped { hours, volumes } => {
            format!("Stopped for {}; {} on billing.", span(*hours), its_volumes(*volumes))
        }
        R::StoppedSometime { volumes } => format!(
            "Unknown: since when it is stopped is not known; {} on billing.",
            its_volumes(*volumes)
        ),
        R::StoppedLately { hours, needed } => {
            format!("Stopped for {} only, {} are needed.", span(*hours), span(*needed))
        }
        R::FewRequests { most, limit, bytes, is_application } => {
            let bytes = bytes
                .map_or_else(String::new, |day| format!(", nor more than {:.1} MB", day / 1e6));
            format!(
                "In use, but no day had more than {most:.0} {}s (AWS Trusted Advisor calls it idle \
                 below {limit:.0} a day){bytes}.",
                asked(*is_application)
            )
        }
        R::LowPeaks { gpu, cpu } => format!("In use, but no hour passed {}.", peaks(*gpu, *cpu)),
        R::Used { by, quiet_hours: ..24 } => format!("In use: {}.", did(by)),
        R::Used { by, quiet_hours } => {
            format!("In use: {}, the last time {} ago.", did(by), span(*quiet_hours))
        }
        R::UsedAgo(hours) => format!("In use: somebody used it {} ago.", span(*hours)),
        R::Associated(what) => format!("In use: associated with {what}."),
        R::InUse => "In use.".to_owned(),
        R::UserAway(hours) => format!(
            "Unknown: nobody has used it for {}, says SageMaker, but nothing tells what its GPUs \
             do: a run may go on without its user.",
            span(*hours)
        ),
        R::LastUseUntold => {
            "Unknown: SageMaker does not say when it was last used (where a health \
                             check was the last activity, the user's is not told)."
                .to_owned()
        }
        R::AssociationUnread => "Unknown: what it is associated with could not be read.".to_owned(),
        R::GpusUntold => "Unknown: nothing tells what its GPUs do.".to_owned(),
        R::NoMetrics => "Unknown: CloudWatch has no metrics of notebook instances, and this one \
                         publishes none of its own."
            .to_owned(),
        R::NotAnswered => "Unknown: CloudWatch did not answer for all of its signals.".to_owned(),
        R::NotFetched(signal) => not_fetched(signal.label()),
        R::TooLittle { signal, got, hours, needed } => {
            too_little(signal.label(), *got, *hours, *needed)
        }
        R::Insufficient => INSUFFICIENT.to_owned(),
    }
}

fn no_connection(lasting: &str, routes: Option<u32>) -> String {
    let (lead, it) = match routes {
        None => {
            return format!(
                "No connection{lasting}; which route tables lead to it could not be read."
            );
        }
        Some(0) => return format!("No connection{lasting}, and no route table leads to it."),
        Some(1) => ("a route table leads".to_owned(), "it"),
        Some(n) => (format!("{n} route tables lead"), "them"),
    };
    format!(
        "No connection{lasting}, though {lead} to it: what is behind {it} does not use the internet."
    )
}

/// `, seen so for at least 2 d`; empty where that is not known.
fn seen(lasted: Option<Lasted>) -> String {
    lasted.map_or_else(String::new, |lasted| format!(", seen so{}", lasting(Some(lasted))))
}

fn asked(is_application: bool) -> &'static str {
    if is_application { "request" } else { "connection" }
}

fn its_volumes(volumes: u32) -> String {
    match volumes {
        1 => "its volume goes".to_owned(),
        volumes => format!("its {volumes} volumes go"),
    }
}

/// `GPU max 0%, CPU max 2%`, as far as known.
fn peaks(gpu: Option<f64>, cpu: Option<f64>) -> String {
    let all = [(ResourceSignal::GpuMax, gpu), (ResourceSignal::CpuMax, cpu)];
    let known = all.into_iter().filter_map(|(signal, peak)| {
        Some(format!("{} {}", signal.label(), figure(peak?, signal.unit())))
    });
    known.collect::<Vec<_>>().join(", ")
}

fn did(by: &ResourceUse) -> String {
    let label = by.signal.label();
    if by.is_malformed {
        return format!(
            "a datapoint of {label} made no sense (NaN, infinite or negative), which counts as use"
        );
    }
    format!("{label} reached {}", value(by.value, by.signal.unit()))
}

fn value(value: Option<f64>, unit: &str) -> String {
    value.map_or_else(|| "–".to_owned(), |value| figure(value, unit).to_string())
}

/// One sentence or two: what to do about a resource, and what keeping it costs.
pub fn resource_fix(fix: &ResourceFix) -> String {
    let advice = advised(fix);
    let keeps = match fix.usd_per_month {
        None => "what keeping it costs is not known".to_owned(),
        Some(usd) => format!("keeping it costs {} a month", money(usd)),
    };
    match fix.advice {
        Advice::Unbilled | Advice::Schedule { .. } => format!("{advice}."),
        Advice::Unjudged | Advice::TooNew => format!("{advice}: {keeps}."),
        #[cfg(test)]
        Advice::Fixture(_) => advice,
        _ => format!("{advice}; {keeps}."),
    }
}

/// The advice without what keeping it costs.
fn advised(fix: &ResourceFix) -> String {
    let plain = match fix.advice {
        Advice::Unbilled => "Nothing: it does not bill by the hour",
        Advice::Unjudged => "Nothing is known of its use",
        Advice::Exempt => "Nothing: it is exempt",
        Advice::TooNew => "Nothing yet",
        Advice::InUse => "Nothing: it is in use",
        Advice::Schedule { is_office, saves_usd } => {
            let when = if is_office { "office hours" } else { "nights and weekends" };
            return format!(
                "It is used in {when} alone: a schedule that stops it in between would save about \
                 {} of {} a month",
                money(saves_usd),
                fix.usd_per_month.map_or_else(|| "–".to_owned(), money)
            );
        }
        Advice::Release { is_of_instance } => {
            let first = if is_of_instance {
                "Release it if the instance does not need this very address again"
            } else {
                "Release it"
            };
            return format!(
                "{first}, after a look at DNS records and allow lists: a released address is gone \
                 for good"
            );
        }
        Advice::DeleteGateway { routes } => return delete_gateway(routes),
        Advice::MendTargets => {
            "Mend its targets if somebody misses them, else delete the load balancer"
        }
        Advice::DeleteBalancer => {
            "Delete the load balancer, after a look at the DNS records that name it"
        }
        Advice::DeleteEndpoint => {
            "Delete the endpoint; its model and its configuration stay, and it can be made anew in \
             minutes (serverless inference bills nothing while nobody asks)"
        }
        Advice::DeleteVpcEndpoint => {
            "Delete the endpoint, after a look at who calls its service once in a while: by its \
             private DNS names they would take the way to the internet, if there is one"
        }
        Advice::StopNotebook => {
            "Stop the notebook: what is on its volume stays and bills as storage, what is in /tmp \
             and in memory is lost"
        }
        Advice::DeleteApp => {
            "Delete the app, its space keeps the files; idle shutdown in the settings of the domain \
             does it by itself"
        }
        Advice::Terminate => {
            "Snapshot what is worth keeping and terminate it; volumes that are not deleted with it \
             go on billing"
        }
        Advice::AskForMetrics => {
            "Ask whose it is: CloudWatch has nothing of a notebook that does not publish its own \
             metrics (AWS's sample lifecycle configuration `publish-instance-metrics` does)"
        }
        Advice::IdleShutdown => {
            "Ask whose it is, or switch idle shutdown on in the settings of the domain"
        }
        Advice::Inspect => "Look at it yourself: the evidence does not suffice",
        Advice::ShareBalancer => {
            "Ask who sends these few requests, or let several services share one load balancer"
        }
        Advice::Smaller => "Try a smaller instance type, or serverless inference",
        #[cfg(test)]
        Advice::Fixture(said) => said,
    };
    plain.to_owned()
}

fn delete_gateway(routes: Option<u32>) -> String {
    let first = match routes {
        Some(0) => "Delete the gateway".to_owned(),
        Some(n) => format!(
            "Ask whose subnets use the {} that lead to it, take these routes out, then delete the \
             gateway",
            format::plural(n as usize, "route table")
        ),
        None => "Look at the route tables of its VPC first (ec2:DescribeRouteTables), then delete \
                 the gateway"
            .to_owned(),
    };
    format!("{first}; its Elastic IP goes on billing until it is released too")
}

/// Dollars: cents below a hundred, whole dollars above.
fn money(usd: f64) -> String {
    format::usd_fine(usd, if usd.abs() < 100.0 { 2 } else { 0 })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reasons_of_resources_read_as_sentences() {
        let lasted = Some(Lasted { hours: 48, at_least: false });
        let used =
            ResourceUse { signal: ResourceSignal::Requests, value: None, is_malformed: true };
        for (reason, words) in [
            (
                R::TooNew { is_changed: false, hours: -1, needed: 168 },
                "Too new: it was made in the future, so a clock is wrong; 7 d are needed.",
            ),
            (
                R::TooNew { is_changed: true, hours: 24, needed: 168 },
                "Changed or started lately: 24 h ago, 7 d of evidence are needed.",
            ),
            (
                R::NoInvocation { lasted, gpu: Some(0.0), cpu: Some(2.0) },
                "No invocation for 2 d; GPU max 0%, CPU max 2%.",
            ),
            (
                R::NothingRan { lasted: None, top: None, limit: 5.0 },
                "Nothing ran: CPU peaked at – (limit 5%).",
            ),
            (R::Free { lasted: None }, "Associated with nothing."),
            (
                R::OfInstance {
                    id: "i-1".into(),
                    state: InstanceState::Stopped,
                    stopped_hours: None,
                },
                "Associated with i-1, which is stopped.",
            ),
            (
                R::NotAsked { lasted, healthy: None, is_application: false },
                "No connection came for 2 d; its targets could not be read.",
            ),
            (
                R::NotAsked { lasted, healthy: Some(2), is_application: true },
                "No request came for 2 d, though 2 targets are in health.",
            ),
            (R::Stopped { hours: 168, volumes: 1 }, "Stopped for 7 d; its volume goes on billing."),
            (
                R::StoppedSometime { volumes: 2 },
                "Unknown: since when it is stopped is not known; its 2 volumes go on billing.",
            ),
            (R::StoppedLately { hours: 5, needed: 168 }, "Stopped for 5 h only, 7 d are needed."),
            (
                R::Used { by: used, quiet_hours: 30 },
                "In use: a datapoint of requests made no sense (NaN, infinite or negative), which \
                 counts as use, the last time 30 h ago.",
            ),
            (R::NothingMoved { lasted }, "Nothing went through it for 2 d."),
            (R::NotAnswered, "Unknown: CloudWatch did not answer for all of its signals."),
        ] {
            assert_eq!(resource(&reason), words);
        }
    }

    /// $0.1/h × 730 = $73 a month; the 108 of 168 hours outside office hours are 64.3% of it: $46.93.
    #[test]
    fn a_fix_says_what_keeping_it_costs() {
        let fix = |advice, usd_per_month| resource_fix(&ResourceFix { advice, usd_per_month });
        for (advice, usd, words) in [
            (Advice::Unbilled, Some(0.0), "Nothing: it does not bill by the hour."),
            (
                Advice::Unjudged,
                None,
                "Nothing is known of its use: what keeping it costs is not known.",
            ),
            (Advice::TooNew, Some(73.0), "Nothing yet: keeping it costs $73.00 a month."),
            (Advice::InUse, Some(730.0), "Nothing: it is in use; keeping it costs $730 a month."),
            (
                Advice::Schedule { is_office: true, saves_usd: 73.0 * 108.0 / 168.0 },
                Some(73.0),
                "It is used in office hours alone: a schedule that stops it in between would save \
                 about $46.93 of $73.00 a month.",
            ),
            (
                Advice::DeleteGateway { routes: Some(2) },
                Some(32.85),
                "Ask whose subnets use the 2 route tables that lead to it, take these routes out, \
                 then delete the gateway; its Elastic IP goes on billing until it is released too; \
                 keeping it costs $32.85 a month.",
            ),
            (
                Advice::Release { is_of_instance: false },
                Some(3.65),
                "Release it, after a look at DNS records and allow lists: a released address is gone \
                 for good; keeping it costs $3.65 a month.",
            ),
        ] {
            assert_eq!(fix(advice, usd), words);
        }
    }
}
