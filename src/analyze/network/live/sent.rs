//! What the fleet sends, by account and region: bytes that CloudWatch counts without saying where they go, so that what they
//! cost is a range.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::super::meaning::GB;
use super::payer::payer;
use super::us_east_1_for;
use crate::analyze::savings::SavingsInput;
use crate::domain::{HOURS_PER_MONTH, Scope};
use crate::fleet::savings::{PathAdvice, PathKind, PathRow};
use crate::whatif::levers::network::internet_usd;

/// What is known of the instances of an account and region.
#[derive(Default)]
struct Sent {
    /// Instances that run.
    running: u32,
    /// Those of which the bytes are known.
    told: u32,
    /// Bytes a month that these send.
    bytes: f64,
}

/// A row per account and region of whose instances some are known. Nothing is asked for it: the bytes are those that verdicts
/// looked at.
pub(super) fn rows(input: &SavingsInput<'_>) -> Vec<PathRow> {
    let mut all: BTreeMap<&Scope, Sent> = BTreeMap::new();
    for row in input.fleet.rows.iter().filter(|row| row.instance.state.is_billed()) {
        let sent = all.entry(&row.instance.scope).or_default();
        sent.running += 1;
        let a_day = row.verdict.as_ref().and_then(|verdict| verdict.network_out_bytes_per_day);
        if let Some(bytes) = a_day {
            sent.told += 1;
            sent.bytes += bytes * HOURS_PER_MONTH / 24.0;
        }
    }
    all.retain(|_, sent| sent.told > 0);
    let mut together: BTreeMap<Arc<str>, f64> = BTreeMap::new();
    // China has payers of its own.
    for (scope, sent) in all.iter().filter(|(scope, _)| us_east_1_for(&scope.region).is_ok()) {
        *together.entry(payer(input, &scope.account)).or_default() += sent.bytes;
    }
    let of = |(scope, sent): (&Scope, Sent)| {
        let all = together.get(&payer(input, &scope.account)).copied().unwrap_or(sent.bytes);
        row(scope, &sent, all)
    };
    all.into_iter().map(of).collect()
}

/// `all` are the bytes of the payer in all regions, whose price falls step by step: each row has its share.
fn row(scope: &Scope, sent: &Sent, all: f64) -> PathRow {
    let share = if all > 0.0 { sent.bytes / all } else { 0.0 };
    // China has prices of its own, in another currency.
    let price_of = us_east_1_for(&scope.region);
    let at_most_usd = price_of.is_ok().then(|| internet_usd(all / GB) * share);
    PathRow {
        id: "fleet".into(),
        name: "fleet".into(),
        kind: PathKind::Sent,
        scope: scope.clone(),
        to: None,
        team: None,
        hours: None,
        bytes: Some(sent.bytes),
        bytes_usd: None,
        usd: None,
        at_most_usd,
        price_of: price_of.ok().flatten(),
        avoidable_usd: None,
        once_usd: None,
        advice: PathAdvice::Anywhere { told: sent.told, running: sent.running },
    }
}
