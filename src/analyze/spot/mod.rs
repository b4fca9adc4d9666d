//! What could run on Spot, and what that is really worth.
//!
//! ```text
//! instance ─► fit (tag, rules, words) ─► lot, gang (who runs with it) ─┐
//! prices, history ─► market (zones) ────────────────────────────────────┼─► worth ─► row
//! Advisor's band ─► interruptions per hour ─────────────────────────────┘      └─► mixed fleets
//! ```
//!
//! Formulas and sources stand in `docs/savings.md`.

mod fit;
mod gang;
mod interruptions;
mod like;
mod lot;
mod market;
mod mixed;
mod policy;
mod row;
mod rules;
mod says;
mod words;
mod worth;

#[cfg(test)]
mod tests;

pub use crate::fleet::savings::SpotFit;
pub use mixed::mixed_fleets;
pub use policy::{asg_cli_input, asg_cloudformation, asg_policy, asg_terraform};
pub use rules::{Assumptions, Pattern, SPOT_TAG, SpotRule, SpotRules};
pub(in crate::analyze) use words::may_infer;

use std::sync::Arc;

use crate::analyze::savings::SavingsInput;
use crate::domain::{Kept, Lifecycle, VerdictKind};
use crate::fleet::Row;
use crate::fleet::savings::SpotRow;
#[cfg(test)]
pub use policy::MAX_TYPES;
#[cfg(test)]
pub use rules::WorkKind;

/// Every running on-demand instance with what Spot would make of it, most net $/h first. Idle and
/// exempt ones are not among them: idle ones are stopped, not moved.
pub fn rows(input: &SavingsInput<'_>) -> Vec<Arc<SpotRow>> {
    let telemetry = fit::Telemetry::of(input.gpus);
    let judged: Vec<(&Row, fit::Judged)> = candidates(input)
        .map(|row| (row, fit::judge(row, &telemetry, &input.rules.spot)))
        .collect();
    let lots = lot::Lots::of(input.fleet, &judged, &telemetry, &input.rules.spot);
    let market = market::Market::of(&input.fleet.book.prices, &input.facts.spot, input.now);
    let mut shared = row::InCommon::default();
    let old = Kept::of(input.before.iter().flat_map(|b| &b.spot).map(|row| (&*row.id, row)));
    let mut out: Vec<Arc<SpotRow>> = judged
        .iter()
        .map(|(row, judged)| row::make(input, row, judged, &lots, &market, &mut shared))
        .map(|row| old.or_new(&row.id.clone(), row))
        .collect();
    out.sort_by(|a, b| {
        let known = |usd: Option<f64>| usd.unwrap_or(f64::NEG_INFINITY);
        (known(b.net_usd_per_hour).total_cmp(&known(a.net_usd_per_hour)))
            .then_with(|| known(b.gross_usd_per_hour).total_cmp(&known(a.gross_usd_per_hour)))
            .then_with(|| a.fit.cmp(&b.fit))
            .then_with(|| a.id.cmp(&b.id))
    });
    out
}

fn candidates<'a>(input: &SavingsInput<'a>) -> impl Iterator<Item = &'a Row> {
    input.fleet.rows.iter().map(|row| &**row).filter(|row| {
        let kind = row.verdict.as_ref().map(|v| v.kind);
        row.instance.state.is_billed()
            && row.instance.lifecycle == Lifecycle::OnDemand
            && !matches!(kind, Some(VerdictKind::Idle | VerdictKind::Exempt))
    })
}
