//! Joins instances, types, prices and verdicts into a `Fleet`.

use std::collections::HashMap;
use std::sync::Arc;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::book::Book;
use super::commitments;
use super::row::Row;
use super::totals::Totals;
use crate::domain::{Instance, Reading, Scope, SourceId, TagKeys, Verdict};

/// All instances of the fleet at one moment. Immutable; a change makes a new value.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Fleet {
    /// Grows with every join in a process; view models are memoised by it.
    pub version: u64,
    /// Time of the join; `None` for the empty fleet. `wasted_usd` counts up to the last reading of the metrics before
    /// it.
    pub as_of: Option<Timestamp>,
    /// All instances: costliest waste first, then worst verdict, then costliest, then by id.
    pub rows: Vec<Arc<Row>>,
    /// Sums over all instances.
    pub totals: Totals,
    /// Prices, types and commitments of the join. Not stored with the fleet.
    #[serde(skip)]
    pub book: Arc<Book>,
    /// State of each source in each scope.
    pub readings: Vec<Reading>,
}

/// Input of the join.
pub struct JoinInput<'a> {
    /// Version for the resulting fleet.
    pub version: u64,
    /// Present time. Waste is counted up to the last reading of the metrics before it.
    pub now: Timestamp,
    /// Instances of all scopes.
    pub instances: &'a [Arc<Instance>],
    /// Instance types, prices and commitments.
    pub book: &'a Arc<Book>,
    /// Verdicts by instance id; an instance without one is not judged yet.
    pub verdicts: &'a HashMap<Arc<str>, Arc<Verdict>>,
    /// Tag keys of team, project, environment and cost center.
    pub tag_keys: &'a TagKeys,
    /// State of each source in each scope.
    pub readings: Vec<Reading>,
}

/// Joins instances with types, prices, verdicts and tags.
pub fn join(input: JoinInput<'_>) -> Fleet {
    let seen_until: HashMap<&Scope, Timestamp> = input
        .readings
        .iter()
        .filter(|r| r.source == SourceId::CloudWatch)
        .filter_map(|r| Some((&r.scope, r.taken_at?)))
        .collect();
    let book = &**input.book;
    let nets = (book.holdings.as_ref())
        .map(|held| commitments::covers(input.instances, held, &book.prices, input.now))
        .unwrap_or_default();
    let mut rows: Vec<Arc<Row>> = input
        .instances
        .iter()
        .map(|instance| {
            let verdict = instance
                .state
                .is_billed()
                .then(|| input.verdicts.get(&instance.id).filter(|v| v.is_of_life(instance)))
                .flatten()
                .cloned();
            let find = |keys: &[String]| instance.tags.find(keys).cloned();
            let mut row = Row {
                spec: book.types.get(&instance.instance_type).cloned(),
                rate: book.prices.rate_of(instance),
                verdict,
                team: find(&input.tag_keys.team),
                project: find(&input.tag_keys.project),
                environment: find(&input.tag_keys.environment),
                cost_center: find(&input.tag_keys.cost_center),
                wasted_usd: None,
                net: nets.get(&instance.id).cloned(),
                billed_usd: book.billed.as_ref().and_then(|billed| billed.usd(&instance.id)),
                held_by: None,
                obstacles: None,
                launch: book.launch_of(instance).cloned(),
                instance: instance.clone(),
            };
            let looked = seen_until.get(&row.instance.scope).copied();
            row.wasted_usd = wasted(&row, looked.map_or(input.now, |t| t.min(input.now)));
            Arc::new(row)
        })
        .collect();
    rows.sort_by(|a, b| {
        let waste = |r: &Row| r.waste_usd_per_hour().unwrap_or(0.0);
        let rank = |r: &Row| r.verdict.as_ref().map(|v| v.kind);
        let burn = |r: &Row| r.usd_per_hour().unwrap_or(0.0);
        (waste(b).total_cmp(&waste(a)))
            .then_with(|| match (rank(a), rank(b)) {
                (Some(x), Some(y)) => x.cmp(&y),
                (x, y) => y.is_some().cmp(&x.is_some()),
            })
            .then_with(|| burn(b).total_cmp(&burn(a)))
            .then_with(|| a.instance.id.cmp(&b.instance.id))
    });
    let totals = Totals::of(rows.iter().map(|r| &**r));
    Fleet {
        version: input.version,
        as_of: Some(input.now),
        rows,
        totals,
        book: input.book.clone(),
        readings: input.readings,
    }
}

/// Dollars wasted since the idle stretch began: hours from then to `until` × rate × waste share.
/// `until` is when the metrics of the scope were last read: nobody looked at the hours after it
/// (a cache of last week, a source that fails), so nobody can call them wasted. The stretch is
/// priced at today's rate; price changes within it are not known here.
fn wasted(row: &Row, until: Timestamp) -> Option<f64> {
    let since = row.verdict.as_ref()?.idle_since?;
    let hours = until.duration_since(since).as_secs_f64() / 3600.0;
    Some(row.waste_usd_per_hour()? * hours.max(0.0))
}
