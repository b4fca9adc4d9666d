//! Resources that bytes go through, with all that a path without a bill is made of.

use std::collections::HashMap;
use std::sync::Arc;

use jiff::Timestamp;

use crate::analyze::savings::SavingsInput;
use crate::domain::{
    HOURS_PER_MONTH, Hour, HourRange, HourlySeries, RESOURCE_HOURS, ResourceFacts, ResourceKind,
    ResourceSignal, Routing, VerdictKind,
};
use crate::fleet::savings::ResourceRow;

/// Fewest hours that tell the pace of a month: a day, for most work has a rhythm of it.
const LEAST_HOURS: usize = 24;

/// Least share of the hours since the first known one that must be known, as in verdicts.
const COVERED: f64 = 0.9;

/// A billed resource.
pub(super) struct Billed<'a> {
    /// The resource with its hours.
    pub facts: &'a ResourceFacts,
    /// Routes of its account and region.
    pub routing: &'a Routing,
    /// Its row in the list of resources; `None` where nobody judged it.
    pub judged: Option<&'a ResourceRow>,
    /// Present time.
    now: Timestamp,
}

/// Billed resources of a kind.
pub(super) fn of_kind<'a>(
    input: &SavingsInput<'a>,
    resources: &'a [Arc<ResourceRow>],
    kind: ResourceKind,
) -> Vec<Billed<'a>> {
    let rows: HashMap<&str, &ResourceRow> =
        resources.iter().map(|row| (&*row.resource.id, &**row)).collect();
    let (facts, now) = (input.facts, input.now);
    let mut out = Vec::new();
    for scope in facts.resources.values() {
        for facts in &scope.items {
            let resource = &facts.resource;
            if resource.kind == kind && resource.is_billed {
                let judged = rows.get(&*resource.id).copied();
                out.push(Billed { facts, routing: &scope.routing, judged, now });
            }
        }
    }
    out
}

impl Billed<'_> {
    /// Verdict of the resource; `None` where it was not judged.
    pub fn verdict(&self) -> Option<VerdictKind> {
        self.judged?.verdict.as_ref().map(|verdict| verdict.kind)
    }

    /// What its hours cost in a month of 730, USD; `None` without a price.
    pub fn hours_usd(&self) -> Option<f64> {
        self.facts.resource.usd_per_hour().map(|usd| usd * HOURS_PER_MONTH)
    }

    /// Hours that are billed in a month of 730.
    pub fn hours(&self) -> f64 {
        self.facts.resource.units.iter().map(|unit| unit.count).sum::<f64>() * HOURS_PER_MONTH
    }

    /// Sum of signals in a month of 730 h, at the mean of the hours of the last two weeks that tell all of them. `None` where
    /// they are fewer than a day, have gaps, or make no sense.
    pub fn a_month(&self, signals: &[ResourceSignal]) -> Option<f64> {
        let series: Vec<&HourlySeries> =
            signals.iter().map(|signal| self.facts.hours.get(signal)).collect::<Option<_>>()?;
        let window = HourRange::last_closed(self.now, RESOURCE_HOURS);
        let hours = (window.from.0..window.to.0).map(Hour);
        let sum = |hour| series.iter().map(|series| f64::from(series.at(hour))).sum::<f64>();
        let sums: Vec<f64> = hours.map(sum).collect();
        // What makes no sense may have been anything.
        if sums.iter().any(|bytes| bytes.is_infinite()) {
            return None;
        }
        let first = sums.iter().position(|bytes| bytes.is_finite())?;
        let known: Vec<f64> = sums.iter().copied().filter(|bytes| bytes.is_finite()).collect();
        let is_enough = known.len() >= LEAST_HOURS
            && known.len() as f64 >= COVERED * (sums.len() - first) as f64;
        is_enough.then(|| known.iter().sum::<f64>() / known.len() as f64 * HOURS_PER_MONTH)
    }
}
