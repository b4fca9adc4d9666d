//! Log groups that keep everything: what operations cost, and need not.

use std::sync::Arc;

use super::super::meaning::GB;
use super::us_east_1_for;
use crate::analyze::savings::SavingsInput;
use crate::domain::{LogGroup, Scope};
use crate::fleet::savings::{PathAdvice, PathKind, PathRow};

/// Price of a GB of stored logs in us-east-1, USD per month (Amazon CloudWatch pricing: logs, store). Those of other regions
/// are not embedded: there it stands in, and the row says so.
const USD_PER_GB_MONTH: f64 = 0.03;

/// A row per group without retention.
pub(super) fn rows<'a>(input: &'a SavingsInput<'_>) -> impl Iterator<Item = PathRow> + 'a {
    let scopes = input.facts.resources.iter();
    scopes.flat_map(|(scope, known)| {
        known.logs.iter().flat_map(|logs| &logs.groups).map(|group| row(group, scope))
    })
}

/// Which of the bytes a retention would remove no list tells: up to all of them.
fn row(group: &LogGroup, scope: &Scope) -> PathRow {
    let price_of = us_east_1_for(&scope.region);
    let bytes = group.bytes.map(|bytes| bytes as f64);
    let usd = bytes.filter(|_| price_of.is_ok()).map(|bytes| bytes / GB * USD_PER_GB_MONTH);
    PathRow {
        id: Arc::clone(&group.name),
        name: Arc::clone(&group.name),
        kind: PathKind::Logs,
        scope: scope.clone(),
        to: None,
        team: None,
        hours: None,
        bytes,
        bytes_usd: usd,
        usd,
        at_most_usd: None,
        price_of: price_of.ok().flatten(),
        avoidable_usd: usd,
        once_usd: Some(0.0),
        advice: PathAdvice::KeepFor { created_at: group.created_at },
    }
}
