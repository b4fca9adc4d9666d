//! Verdicts on what bills and is no instance, by the rules of [`super::idle`]: exempt → too new →
//! evidence of use → unknown → idle. Use needs one witness, idleness all of them: every signal that
//! the rule names, in 90% of the judged hours and in 90% of the minimum stretch. A datapoint that
//! makes no sense is use; what was not asked for, or not answered, is unknown and never idle.
//!
//! What differs is what the signals are, and that one use in the whole window speaks against
//! idleness, not one in the minimum stretch alone: an endpoint that is asked once a week is asked.
//! See [`rules::Rule`] for the limits and whose they are.

mod clock;
mod fix;
mod judge;
mod pattern;
mod reason;
mod rules;
mod stopped;

#[cfg(test)]
mod tests;

pub use pattern::pattern_of_instance;
pub(in crate::analyze) use pattern::{Runs, office_share};
pub use rules::source;

use std::cmp::Ordering;
use std::collections::HashMap;
use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};

use crate::analyze::savings::SavingsInput;
use crate::domain::{
    InstanceState, Resource, ResourceFacts, ResourceFix, Tags, Verdict, VerdictKind,
};
use crate::fleet::savings::ResourceRow;
#[cfg(test)]
pub use clock::office_zone;
#[cfg(test)]
pub use pattern::{hours_of_resource, pattern_of};

/// What is known of the instances that addresses belong to, by id: state, and when it was stopped.
type Holders<'a> = HashMap<&'a str, (InstanceState, Option<Timestamp>)>;

/// Every resource with its verdict: idle ones first, then by $/h; those without a price after them.
pub fn rows(input: &SavingsInput<'_>) -> Vec<Arc<ResourceRow>> {
    let holders = holders(input);
    let accelerated =
        |resource: &Resource| rules::is_accelerated(resource, &input.fleet.book.types);
    let listed = input.facts.resources.values().flat_map(|scope| &scope.items);
    let mut rows: Vec<Arc<ResourceRow>> = listed
        .map(|facts| row(facts, &holders, accelerated(&facts.resource), input))
        .chain(stopped::rows(input))
        .map(Arc::new)
        .collect();
    rows.sort_by(|a, b| order(a, b));
    rows
}

/// The row of one resource.
fn row(
    facts: &ResourceFacts,
    holders: &Holders<'_>,
    accelerated: bool,
    input: &SavingsInput<'_>,
) -> ResourceRow {
    let subject = judge::Subject { facts, holders, accelerated, now: input.now };
    let verdict = facts.resource.is_billed.then(|| judge::judge(&subject));
    let pattern = verdict.as_ref().and_then(|v| pattern::of_resource(facts, v, input.now));
    let fix = fix::of(&facts.resource, verdict.as_ref(), pattern, holders);
    finish(Arc::new(facts.resource.clone()), verdict, pattern, fix, input)
}

/// The figures of a row.
fn finish(
    resource: Arc<Resource>,
    verdict: Option<Verdict>,
    pattern: Option<crate::fleet::savings::Pattern>,
    fix: ResourceFix,
    input: &SavingsInput<'_>,
) -> ResourceRow {
    let waste_usd_per_hour = match &verdict {
        Some(v) => resource.usd_per_hour().zip(v.waste_share()).map(|(usd, share)| usd * share),
        None => (!resource.is_billed).then_some(0.0),
    };
    let since = verdict.as_ref().and_then(|v| v.idle_since);
    let wasted_usd = since.zip(waste_usd_per_hour).map(|(t, usd)| hours_since(t, input.now) * usd);
    ResourceRow {
        team: team(&resource.tags, &input.tag_keys.team),
        resource,
        verdict: verdict.map(Arc::new),
        pattern,
        waste_usd_per_hour,
        wasted_usd,
        fix,
    }
}

fn hours_since(t: Timestamp, now: Timestamp) -> f64 {
    now.duration_since(t).max(SignedDuration::ZERO).as_secs_f64() / 3600.0
}

fn team(tags: &Tags, keys: &[String]) -> Option<Arc<str>> {
    tags.find(keys).filter(|team| !team.is_empty()).cloned()
}

fn holders<'a>(input: &'a SavingsInput<'_>) -> Holders<'a> {
    let mut out: Holders<'a> = HashMap::new();
    for row in &input.fleet.rows {
        out.insert(&row.instance.id, (row.instance.state, None));
    }
    for holder in stopped::holders(input) {
        if let Some((InstanceState::Stopped, since)) = out.get_mut(&*holder.id) {
            *since = holder.stopped_at.or(*since);
        }
    }
    out
}

/// The order of the list.
fn order(a: &ResourceRow, b: &ResourceRow) -> Ordering {
    let rank = |row: &ResourceRow| {
        let kind = row.verdict.as_ref().map(|v| v.kind);
        let place = kind.and_then(|k| VerdictKind::ALL.iter().position(|other| *other == k));
        place.unwrap_or(VerdictKind::ALL.len())
    };
    let usd = |row: &ResourceRow| row.resource.usd_per_hour().unwrap_or(-1.0);
    rank(a)
        .cmp(&rank(b))
        .then_with(|| usd(b).total_cmp(&usd(a)))
        .then_with(|| a.resource.kind.cmp(&b.resource.kind))
        .then_with(|| a.resource.id.cmp(&b.resource.id))
}
