//! What must hold, what was assumed and what to watch: sentences of a row.

use jiff::civil::Date;

use super::fit::{Given, Judged};
use super::gang::Gang;
use super::interruptions::per_hour;
use super::lot::{Lot, environment, manager};
use super::market::counted;
use super::rules::{SPOT_TAG, SpotRules, WorkKind};
use super::worth::Worth;
use crate::domain::number::{dollars, grouped};
use crate::domain::{Interruption, Owner, OwnerKind};
use crate::fleet::savings::{SpotFit, ZonePrice};
use crate::fleet::{Net, Row};

/// What there is to speak of.
pub(super) struct Case<'a> {
    pub row: &'a Row,
    pub judged: &'a Judged,
    pub lot: Option<&'a Lot>,
    pub gang: Gang,
    pub zones: &'a [ZonePrice],
    pub interruption: Option<(Interruption, Date)>,
    pub worth: Option<&'a Worth>,
    pub net: Option<f64>,
    pub rules: &'a SpotRules,
}

/// The sentences, the most important first.
pub(super) fn of(case: &Case<'_>) -> Vec<String> {
    let mut out = Vec::new();
    match case.judged.fit {
        SpotFit::No => {}
        SpotFit::Unknown => unknown(case, &mut out),
        SpotFit::Yes | SpotFit::Partial => moves(case, &mut out),
    }
    out.extend(case.judged.odd.iter().cloned());
    out
}

fn unknown(case: &Case<'_>, out: &mut Vec<String>) {
    out.push(format!(
        "Say what it does: tag {SPOT_TAG}=yes, partial or no, or a rule in [[spot.rules]]."
    ));
    if let (Some(on_demand), Some(zone)) = (on_demand(case), case.zones.first())
        && counted(zone) < on_demand
    {
        out.push(format!(
            "If it bears interruptions: {} on Spot in {}, {} on demand.",
            per_h(counted(zone)),
            zone.az,
            per_h(on_demand)
        ));
    }
}

fn moves(case: &Case<'_>, out: &mut Vec<String>) {
    verdict(case, out);
    gang(case, out);
    zones(case, out);
    lot(case, out);
    commitments(case, out);
    if let Some(owner) = manager(&case.row.instance.owners) {
        let pinned = case.lot.filter(|lot| lot.is_pinned() && sets_the_group(owner.kind));
        out.push(match pinned {
            Some(lot) => format!(
                "{} of its group must stay on demand, and a group keeps no particular ones there: \
                 move it to a group of its own.",
                some_of(&lot.pinned)
            ),
            None => belongs(case.row, owner),
        });
    }
    must_hold(case, out);
    assumed(case, out);
}

/// Whether it pays, and how far it is from not paying.
fn verdict(case: &Case<'_>, out: &mut Vec<String>) {
    let (Some(on_demand), Some(zone), Some(worth)) =
        (on_demand(case), case.zones.first(), case.worth)
    else {
        let what = if on_demand(case).is_none() { "on demand" } else { "on Spot" };
        out.push(format!("No price {what} is known, so nothing is said of its worth."));
        return;
    };
    let limit = percent(worth.limit);
    if counted(zone) >= on_demand {
        out.push(format!(
            "No: Spot costs {} in its cheapest zone, on demand {}.",
            per_h(counted(zone)),
            per_h(on_demand)
        ));
    } else if let Some(overhead) = worth.overhead {
        let overhead = percent(overhead);
        out.push(if worth.pays() {
            let bears = worth.bears_per_hour.map_or(String::new(), |per_hour| {
                format!(", about an interruption every {}", span(1.0 / per_hour))
            });
            format!("Lost time adds {overhead} to its hours; the discount bears {limit}{bears}.")
        } else {
            format!("No: lost time adds {overhead} to its hours, the discount bears {limit}.")
        });
    } else {
        out.push("No: it would be interrupted before anything is finished.".to_owned());
    }
}

fn zones(case: &Case<'_>, out: &mut Vec<String>) {
    let (Some(on_demand), Some(best)) = (on_demand(case), case.zones.first()) else { return };
    let dear: Vec<&str> =
        case.zones.iter().filter(|z| counted(z) >= on_demand).map(|z| &*z.az).collect();
    if !dear.is_empty() && dear.len() < case.zones.len() {
        let costs = if dear.len() == 1 { "costs" } else { "cost" };
        out.push(format!(
            "{} of {} zones {costs} what on demand does or more: {}.",
            dear.len(),
            case.zones.len(),
            dear.join(", ")
        ));
    }
    let here = &case.row.instance.az;
    if best.az != *here && counted(best) < on_demand {
        let there = case.zones.iter().find(|z| z.az == *here);
        let price = there.map_or_else(
            || "no Spot price is known there".to_owned(),
            |z| format!("Spot costs {} there", per_h(counted(z))),
        );
        out.push(format!(
            "Counted with {}; it runs in {here}, and {price}. Volumes stay in their zone.",
            best.az
        ));
    }
    if best.hours == 0 {
        out.push("No history of the price: it is that of one moment.".to_owned());
    }
}

fn lot(case: &Case<'_>, out: &mut Vec<String>) {
    let Some(lot) = case.lot else { return };
    if lot.is_mixed() {
        out.push(mixed(lot));
    }
    if case.judged.fit != SpotFit::Partial && lot.moves == lot.ours {
        return;
    }
    if lot.moves == 0 {
        out.push(format!(
            "None moves: of {} that run, {} stay on demand.",
            lot.count, lot.on_demand
        ));
    } else {
        out.push(format!(
            "{} of {} on demand move, {} stay; figures are the share of each.",
            lot.moves,
            lot.ours,
            lot.ours - lot.moves
        ));
    }
}

fn commitments(case: &Case<'_>, out: &mut Vec<String>) {
    match case.row.net.as_deref() {
        None => out.push("Net unknown: commitments were not read.".to_owned()),
        Some(Net::Unknown(why)) => out.push(format!("Net unknown: {why}.")),
        Some(Net::Known(cover)) => {
            if let Some(note) = &cover.note {
                out.push(format!("Net: {note}."));
            }
            let pays = cover.by.iter().filter(|by| by.usd_per_hour.is_none_or(|usd| usd > 0.0));
            let Some(by) = pays.max_by(|a, b| a.share.total_cmp(&b.share)) else { return };
            let until = by.until.map_or(String::new(), |end| {
                format!(" until {}", end.to_zoned(jiff::tz::TimeZone::UTC).date())
            });
            let what = format!("{} {}", by.kind.label(), by.id);
            out.push(if case.net.is_some_and(|net| net <= 0.0) {
                format!(
                    "No: {what} pays for it{until}, and what moves leaves it without other use."
                )
            } else {
                format!(
                    "{what} pays for a part of it{until}; the net counts what that finds to do."
                )
            });
        }
    }
}

/// Who is stopped with it.
fn gang(case: &Case<'_>, out: &mut Vec<String>) {
    match case.gang {
        Gang::Alone => {}
        Gang::Perhaps(size) => out.push(format!(
            "If it trains together with all {size} of its fleet, interruptions come {size} times as \
             often."
        )),
        Gang::One(size) => {
            let band = case.interruption.map(|(band, _)| band);
            let each = 1.0 / (case.gang.times() * per_hour(band, &case.rules.assume));
            out.push(format!(
                "The {size} of its fleet are taken for one job: one that is interrupted stops all, \
                 {size} times as often as one alone, once in {}.",
                span(each)
            ));
        }
    }
}

/// That one policy holds for members that fit differently.
pub(super) fn mixed(lot: &Lot) -> String {
    let (part, whole) = (lot.partly, lot.ours - lot.partly);
    format!(
        "{whole} of its group may move, of {part} only a part: the group has one policy, and the \
         stricter holds for all."
    )
}

/// True where the setting of a group that there is already is what changes.
pub(super) fn sets_the_group(kind: OwnerKind) -> bool {
    matches!(kind, OwnerKind::Asg | OwnerKind::Karpenter | OwnerKind::Ecs)
}

/// The first few of several ids: `i-1, i-2 and 3 more`.
pub(super) fn some_of(ids: &[std::sync::Arc<str>]) -> String {
    let shown = ids.len().min(3);
    let named = ids[..shown].join(", ");
    match ids.len() - shown {
        0 => named,
        more => format!("{named} and {more} more"),
    }
}

/// Whose setting it is.
pub(super) fn belongs(row: &Row, owner: &Owner) -> String {
    owned(owner, &environment(&row.instance, owner).unwrap_or_else(|| owner.name.clone()))
}

/// What to change for what an owner manages.
fn owned(owner: &Owner, name: &str) -> String {
    match owner.kind {
        OwnerKind::Asg => format!(
            "Member of Auto Scaling group {name}: change its mixed instances policy, not the instance."
        ),
        OwnerKind::Eks => format!(
            "Node of EKS cluster {name}: add a node group with capacity type SPOT; the group that \
             exists keeps its own."
        ),
        OwnerKind::Karpenter => format!(
            "Node of Karpenter pool {name}: allow `spot` in its karpenter.sh/capacity-type, not the \
             instance."
        ),
        OwnerKind::Ecs => format!(
            "Belongs to ECS cluster {name}: change the mixed instances policy of the Auto Scaling \
             group behind its capacity provider."
        ),
        OwnerKind::Batch => format!(
            "Run by Batch environment {name}: put one of type SPOT with \
             SPOT_PRICE_CAPACITY_OPTIMIZED before it in the queue, and retry what is interrupted."
        ),
        OwnerKind::Emr => format!("Node of EMR cluster {name}: its task nodes alone go on Spot."),
        OwnerKind::HyperPod => {
            format!("Node of HyperPod cluster {name}: the change belongs to its instance group.")
        }
        OwnerKind::CloudFormation => format!("Part of stack {name}: change it there."),
    }
}

fn must_hold(case: &Case<'_>, out: &mut Vec<String>) {
    let spec = case.row.spec.as_ref();
    let shortened = case.worth.and_then(|w| w.shortened_from.zip(w.checkpoint_every));
    match case.judged.kind {
        Some(WorkKind::Serving) => out.push(
            "Must leave the load balancer and finish its requests within the two minutes of notice."
                .to_owned(),
        ),
        Some(WorkKind::Batch) => out.push("Jobs must be safe to run twice.".to_owned()),
        _ => {
            let every = case.worth.and_then(|w| w.checkpoint_every);
            let every = every.map_or(String::new(), |hours| format!(" every {}", span(hours)));
            out.push(format!(
                "Must write checkpoints{every} to storage that outlives the instance; notice comes \
                 two minutes ahead."
            ));
            if let Some((from, to)) = shortened {
                out.push(format!(
                    "Not every {}, as the band alone would have it: it counts what is taken back \
                     within a month, and many Spot instances run for hours only. {} is the longest \
                     that is advised.",
                    span(from),
                    span(to)
                ));
            }
        }
    }
    if spec.is_some_and(|s| s.instance_store_gb > 0) {
        out.push("What lies on its instance store is lost with it.".to_owned());
    }
}

fn assumed(case: &Case<'_>, out: &mut Vec<String>) {
    let assume = &case.rules.assume;
    match case.interruption {
        Some((band, date)) if band.at_most().is_some() => out.push(format!(
            "Spot Advisor of {date}: {} a month taken back, counted as one in {}.",
            band.label(),
            span(1.0 / per_hour(Some(band), assume))
        )),
        found => {
            let what = found.map_or_else(
                || "No interruption band is known".to_owned(),
                |(band, date)| {
                    format!(
                        "Spot Advisor of {date}: {} a month taken back, with no upper edge",
                        band.label()
                    )
                },
            );
            let each = span(1.0 / assume.above_20_per_hour);
            out.push(format!("{what}; one in {each} is assumed."));
        }
    }
    let terms = &case.judged.terms;
    let mut parts = Vec::new();
    let mut say = |given: Given, text: String| {
        if given.assumed {
            parts.push(text);
        }
    };
    if !matches!(case.judged.kind, Some(WorkKind::Batch | WorkKind::Serving)) {
        let hours = terms.checkpoint_hours;
        say(hours, format!("{} to write a checkpoint", span(hours.value)));
    }
    if case.judged.kind == Some(WorkKind::Batch) {
        let hours = Given { value: assume.job_hours, assumed: true };
        say(hours, format!("jobs of {}", span(hours.value)));
    }
    say(terms.restart_hours, format!("{} to restart", span(terms.restart_hours.value)));
    let there = terms.availability;
    say(
        there,
        format!("Spot to be had {} of the time, on demand for the rest", percent(there.value)),
    );
    if !parts.is_empty() {
        out.push(format!("Assumed: {}.", parts.join("; ")));
    }
}

fn on_demand(case: &Case<'_>) -> Option<f64> {
    case.row.rate.as_ref().map(|rate| rate.usd_per_hour)
}

/// `$4.41/h`, `$0.158/h`.
pub(super) fn per_h(usd: f64) -> String {
    format!("{}/h", dollars(grouped(usd, if usd.abs() < 1.0 { 3 } else { 2 })))
}

pub(super) fn percent(share: f64) -> String {
    let value = share * 100.0;
    if value.is_infinite() {
        return "any".to_owned();
    }
    format!("{} %", grouped(value, usize::from(value.abs() < 10.0)))
}

/// Hours in the unit that reads best.
fn span(hours: f64) -> String {
    let (value, unit) = match hours {
        h if h < 1.0 => (h * 60.0, "min"),
        h if h < 48.0 => (h, "h"),
        h => (h / 24.0, "d"),
    };
    let whole = value >= 10.0 || (value - value.round()).abs() < 0.05;
    format!("{} {unit}", grouped(value, usize::from(!whole)))
}
