//! What to do about a resource, and what keeping it costs. Nothing here is done by burntop.

use super::Holders;
use crate::domain::format::{dollars, grouped};
use crate::domain::{HOURS_PER_MONTH, Resource, ResourceKind, Verdict, VerdictKind};
use crate::fleet::savings::Pattern;

/// Hours of a week, and of the office hours in it with two hours to spare on each day.
const WEEK: f64 = 168.0;
const OFFICE: f64 = 5.0 * 12.0;

/// One sentence or two.
pub(super) fn of(
    resource: &Resource,
    verdict: Option<&Verdict>,
    pattern: Option<Pattern>,
    holders: &Holders<'_>,
) -> String {
    if !resource.is_billed {
        return "Nothing: it does not bill by the hour.".into();
    }
    let month = resource.usd_per_hour().map(|usd| usd * HOURS_PER_MONTH);
    let keeps = month.map_or_else(
        || "what keeping it costs is not known".to_owned(),
        |usd| format!("keeping it costs {} a month", money(usd)),
    );
    let Some(verdict) = verdict else { return format!("Nothing is known of its use: {keeps}.") };
    match verdict.kind {
        VerdictKind::Idle => format!("{}; {keeps}.", idle(resource, holders)),
        VerdictKind::Unknown => format!("{}; {keeps}.", unknown(resource)),
        VerdictKind::Exempt => format!("Nothing: it is exempt; {keeps}."),
        VerdictKind::TooNew => format!("Nothing yet: {keeps}."),
        VerdictKind::Underused | VerdictKind::Partial => {
            format!("{}; {keeps}.", underused(resource))
        }
        VerdictKind::Busy => match (pattern, resource.kind, month) {
            (
                Some(Pattern::OfficeHours | Pattern::NightsAndWeekends),
                ResourceKind::Notebook | ResourceKind::StudioApp | ResourceKind::Endpoint,
                Some(month),
            ) => {
                let (when, on) = match pattern {
                    Some(Pattern::OfficeHours) => ("office hours", OFFICE),
                    _ => ("nights and weekends", WEEK - OFFICE),
                };
                format!(
                    "It is used in {when} alone: a schedule that stops it in between would save \
                     about {} of {} a month.",
                    money(month * (1.0 - on / WEEK)),
                    money(month)
                )
            }
            _ => format!("Nothing: it is in use; {keeps}."),
        },
    }
}

fn idle(resource: &Resource, holders: &Holders<'_>) -> String {
    let of = |n: usize, one: &str| if n == 1 { one.to_owned() } else { format!("{one}s") };
    match resource.kind {
        ResourceKind::Endpoint => "Delete the endpoint; its model and its configuration stay, and \
                                   it can be made anew in minutes (serverless inference bills \
                                   nothing while nobody asks)"
            .into(),
        ResourceKind::Notebook => "Stop the notebook: what is on its volume stays and bills as \
                                   storage, what is in /tmp and in memory is lost"
            .into(),
        ResourceKind::StudioApp => "Delete the app, its space keeps the files; idle shutdown in \
                                    the settings of the domain does it by itself"
            .into(),
        ResourceKind::ElasticIp => {
            let stopped = resource.serves.iter().flatten().any(|id| holders.contains_key(&**id));
            let first = if stopped {
                "Release it if the instance does not need this very address again"
            } else {
                "Release it"
            };
            format!(
                "{first}, after a look at DNS records and allow lists: a released address is gone \
                 for good"
            )
        }
        ResourceKind::NatGateway => {
            let routes = resource.serves.as_ref().map(Vec::len);
            let address = "its Elastic IP goes on billing until it is released too";
            match routes {
                Some(0) => format!("Delete the gateway; {address}"),
                Some(n) => format!(
                    "Ask whose subnets use the {n} {} that lead to it, take these routes out, then \
                     delete the gateway; {address}",
                    of(n, "route table")
                ),
                None => format!(
                    "Look at the route tables of its VPC first (ec2:DescribeRouteTables), then \
                     delete the gateway; {address}"
                ),
            }
        }
        ResourceKind::LoadBalancer => match (resource.working(), resource.serves.as_ref()) {
            (Some(0), Some(all)) if !all.is_empty() => {
                "Mend its targets if somebody misses them, else delete the load balancer".into()
            }
            _ => "Delete the load balancer, after a look at the DNS records that name it".into(),
        },
        ResourceKind::StoppedInstance => {
            "Snapshot what is worth keeping and terminate it; volumes \
                                          that are not deleted with it go on billing"
                .into()
        }
    }
}

fn unknown(resource: &Resource) -> String {
    match resource.kind {
        ResourceKind::Notebook => {
            "Ask whose it is: CloudWatch has nothing of a notebook that does \
                                   not publish its own metrics (AWS's sample lifecycle \
                                   configuration `publish-instance-metrics` does)"
                .into()
        }
        ResourceKind::StudioApp => {
            "Ask whose it is, or switch idle shutdown on in the settings of \
                                    the domain"
                .into()
        }
        _ => "Look at it yourself: the evidence does not suffice".into(),
    }
}

fn underused(resource: &Resource) -> String {
    match resource.kind {
        ResourceKind::LoadBalancer => "Ask who sends these few requests, or let several services \
                                       share one load balancer"
            .into(),
        _ => "Try a smaller instance type, or serverless inference".into(),
    }
}

/// Dollars in words: cents below a hundred, whole dollars above.
pub(super) fn money(usd: f64) -> String {
    dollars(grouped(usd, if usd.abs() < 100.0 { 2 } else { 0 }))
}
