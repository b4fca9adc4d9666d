//! The bill, what could be saved of it, commitments and budgets.

use super::families::{
    BILL, BILL_UNPRICED, BILL_UNREAD, BUDGET_FORECAST, BUDGET_LIMIT, BUDGET_SPENT, BUDGET_USED,
    COMMITMENT, COVERAGE, SAVINGS, UNUSED, UNUSED_UNKNOWN, UTILISATION,
};
use super::input::{BudgetUse, MetricsInput};
use super::instances::fold;
use super::kept::Kept;
use super::page::Page;
use crate::domain::CommitmentKind;
use crate::fleet::Savings;
use crate::fleet::savings::{CommitmentRow, known_sum};

/// Adds the figures of the bill, and of budgets.
pub(super) fn add(page: &mut Page, input: &MetricsInput<'_>) {
    // While facts come in, or commitments are not known, the figures would be others than those of the next round.
    let is_whole = |savings: &&Savings| {
        let of = &savings.waterfall;
        savings.as_of.is_some() && !of.early && of.net_unknown.is_none()
    };
    if let Some(savings) = input.savings.filter(is_whole) {
        bill(page, savings);
        commitments(page, savings);
    }
    budgets(page, input);
}

fn bill(page: &mut Page, savings: &Savings) {
    let waterfall = &savings.waterfall;
    for row in &waterfall.bill {
        let is_priced = row.unpriced == 0 || row.unpriced < row.count || row.usd_per_hour > 0.0;
        let is_waste = if row.kind.is_waste() { "true" } else { "false" };
        let part = row.kind.word();
        page.set(&BILL, &[part, is_waste], is_priced.then_some(row.usd_per_hour));
        page.set(&BILL_UNPRICED, &[part], Some(f64::from(row.unpriced)));
    }
    page.single(&BILL_UNREAD, Some(waterfall.unread.len() as f64));
    for step in &waterfall.steps {
        page.set(&SAVINGS, &[step.kind.word()], step.known());
    }
}

fn commitments(page: &mut Page, savings: &Savings) {
    for kind in CommitmentKind::ALL {
        let of_kind = || {
            let rows = savings.commitments.iter().map(|row| &**row);
            rows.filter(move |row: &&CommitmentRow| {
                row.is_in_force && row.commitment.kind() == kind
            })
        };
        let labels = &[kind.word()];
        let (unused, unknown) = known_sum(of_kind().map(|row| row.unused_usd_per_hour));
        page.set(&UNUSED, labels, unused);
        page.set(&UNUSED_UNKNOWN, labels, Some(f64::from(unknown)));
        // The room of a capacity reservation is usage and no payment of its own.
        if kind != CommitmentKind::CapacityReservation {
            let (paid, _) = known_sum(of_kind().map(|row| row.usd_per_hour));
            page.set(&COMMITMENT, labels, paid);
        }
    }
    page.single(&UTILISATION, savings.sums.utilisation);
    page.single(&COVERAGE, savings.sums.coverage);
}

/// The spent share of a budget, 0 = nothing; `None` where its limit is nothing.
fn used(of: &BudgetUse<'_>) -> Option<f64> {
    (of.limit_usd > 0.0).then(|| of.spent_usd / of.limit_usd)
}

fn budgets(page: &mut Page, input: &MetricsInput<'_>) {
    if input.budgets.is_empty() {
        return;
    }
    let ranked = input.budgets.iter().map(|of| ([of.budget], used(of).unwrap_or(0.0)));
    let kept = Kept::costliest(input.most_values, ranked);
    fold(page, "budget", kept.folded());
    for of in input.budgets {
        let [budget] = kept.shown([of.budget]);
        page.set(&BUDGET_LIMIT, &[&budget], Some(of.limit_usd));
        page.set(&BUDGET_SPENT, &[&budget], Some(of.spent_usd));
        page.set(&BUDGET_USED, &[&budget], used(of));
        // A sum of some forecasts beside a sum of all limits would say that there is room.
        let forecast = of.forecast_usd.filter(|_| kept.is_kept([of.budget]));
        page.set(&BUDGET_FORECAST, &[&budget], forecast);
    }
}
