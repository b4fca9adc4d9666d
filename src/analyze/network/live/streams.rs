//! Metric streams, which send metrics out of CloudWatch: what operations cost.

use super::us_east_1_for;
use crate::analyze::savings::SavingsInput;
use crate::domain::{HOURS_PER_MONTH, MetricStream, Scope};
use crate::fleet::savings::{PathAdvice, PathKind, PathRow};

/// Price of a metric update in us-east-1, USD (Amazon CloudWatch pricing: metric streams, $0.003 per 1,000). Those of other
/// regions are not embedded: there it stands in, and the row says so.
const USD_PER_UPDATE: f64 = 0.003 / 1_000.0;

/// A row per stream that runs.
pub(super) fn rows<'a>(input: &'a SavingsInput<'_>) -> impl Iterator<Item = PathRow> + 'a {
    input.facts.resources.iter().flat_map(|(scope, known)| {
        let streams = known.streams.iter().flat_map(|known| &known.streams);
        streams.filter(|stream| stream.is_running).map(|stream| row(stream, scope))
    })
}

/// Whether somebody looks at what it sends nothing tells: no fix is named.
fn row(stream: &MetricStream, scope: &Scope) -> PathRow {
    let price_of = us_east_1_for(&scope.region);
    let updates = stream.updates_per_day.map(|updates| updates * HOURS_PER_MONTH / 24.0);
    PathRow {
        id: stream.name.clone(),
        name: stream.name.clone(),
        kind: PathKind::Stream,
        scope: scope.clone(),
        to: None,
        team: None,
        hours: None,
        bytes: None,
        bytes_usd: None,
        usd: updates.filter(|_| price_of.is_ok()).map(|updates| updates * USD_PER_UPDATE),
        at_most_usd: None,
        price_of: price_of.ok().flatten(),
        avoidable_usd: None,
        once_usd: None,
        advice: PathAdvice::Exported {
            updates: updates.map(|updates| updates.round() as u64),
            created_at: stream.created_at,
        },
    }
}
