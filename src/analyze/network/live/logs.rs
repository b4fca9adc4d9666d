//! Log groups that keep everything: what operations cost, and need not.

use std::sync::Arc;

use super::super::meaning::GB;
use crate::analyze::savings::SavingsInput;
use crate::domain::{LogGroup, Scope};
use crate::fleet::savings::{PathAdvice, PathKind, PathRow};

/// Price of a GB of stored logs in us-east-1, USD per month (Amazon CloudWatch pricing: logs, store). In other regions it
/// differs and is not embedded.
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
    let per_gb = (&*scope.region == "us-east-1").then_some(USD_PER_GB_MONTH);
    let bytes = group.bytes.map(|bytes| bytes as f64);
    let usd = bytes.zip(per_gb).map(|(bytes, usd)| bytes / GB * usd);
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
        avoidable_usd: usd,
        once_usd: Some(0.0),
        advice: PathAdvice::KeepFor { created_at: group.created_at },
    }
}
