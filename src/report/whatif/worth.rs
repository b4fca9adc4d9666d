//! What the scenarios of a session cost and save, for the memo: one by itself with its risk, or all side by side.

use std::collections::BTreeSet;

use super::super::sheet::{Cell, Sheet};
use super::advice::{bought, entries, follows};
use super::plan::SessionReport;
use super::{columns, number, range, share};
use crate::tabs::whatif::picture::demand_gap;
use crate::view::{Align, ViewContext, format};
use crate::whatif::compare::{DemandDifference as D, demand_difference};
use crate::whatif::{Answer, Scenario, SlotComparison, Valuation};

/// A scenario in a row of the table of all.
struct Row<'a> {
    name: String,
    buys: Vec<String>,
    growth: String,
    value: Option<&'a Valuation>,
}

/// The scenario as it is, and with what is recommended in place of its own purchases where that is something else.
pub(super) fn alone(scenario: &Scenario, answer: &Answer, ctx: &ViewContext) -> Sheet {
    let row = |name: &str, value: &Valuation| {
        let usd = |v: f64| number(Some(v), ctx, format::usd_short);
        let mean = format::usd_total(value.mean_usd);
        let error = format::usd_total(value.mean_error_usd);
        vec![
            Cell::text(name),
            Cell::text(format!("{mean} ± {error}")),
            usd(value.p5_usd),
            usd(value.p95_usd),
            Cell::text(saves(value, ctx)),
            usd(value.worst5_savings_usd),
            number(Some(value.prob_above_on_demand), ctx, share),
        ]
    };
    let is_followed = answer.advised.is_some() && follows(scenario, &answer.lists.buy);
    let own = match bought(scenario, true).is_empty() {
        true => "As it is: buys nothing",
        false if is_followed => "As it is, as recommended",
        false => "As it is",
    };
    let advised = answer.advised.as_ref().filter(|_| !is_followed);
    let advised = advised.map(|value| row("As recommended", value));
    Sheet {
        columns: columns(&[
            ("name", "Scenario", Align::Left),
            ("mean_usd", "Mean cost ± 2 s.e.", Align::Right),
            ("p5_usd", "P5", Align::Right),
            ("p95_usd", "P95", Align::Right),
            ("saves", "Saves", Align::Right),
            ("worst5_savings_usd", "Worst 5%", Align::Right),
            ("prob", "Dearer", Align::Right),
        ]),
        rows: std::iter::once(row(own, &answer.total)).chain(advised).collect(),
    }
}

/// All scenarios of a session: what each buys, costs and saves; of the active one also with what is recommended, where
/// that is something else. `name` and `some` cut names, and lists of purchases, to their room.
pub(super) fn side_by_side(
    report: &SessionReport,
    name: &dyn Fn(&str) -> String,
    some: &dyn Fn(&[String]) -> String,
    ctx: &ViewContext,
) -> Sheet {
    let rows = rows(report);
    let is_grown = rows.windows(2).any(|pair| pair[0].growth != pair[1].growth);
    // Dollars saved of another demand would look like a gain.
    let is_other_demand = has_other_demand(report);
    let mut heads = vec![("name", "Scenario", Align::Left), ("buys", "Buys", Align::Left)];
    if is_grown {
        heads.push(("growth", "Growth a year", Align::Right));
    }
    heads.extend([
        ("mean_usd", "Mean cost", Align::Right),
        ("p5_usd", "P5", Align::Right),
        ("p95_usd", "P95", Align::Right),
        ("saves", "Saves", Align::Right),
    ]);
    let cells = |row: &Row<'_>| {
        let usd = |of: fn(&Valuation) -> f64, words: fn(f64) -> String| {
            number(row.value.map(of), ctx, words)
        };
        let saves = match row.value {
            Some(value) if !is_other_demand => saves(value, ctx),
            value => ctx.symbols.or_unknown(value.and_then(|value| value.esr), share),
        };
        let mut cells = vec![Cell::text(name(&row.name)), Cell::text(some(&row.buys))];
        if is_grown {
            cells.push(Cell::text(row.growth.clone()));
        }
        cells.extend([
            usd(|value| value.mean_usd, format::usd_total),
            usd(|value| value.p5_usd, format::usd_short),
            usd(|value| value.p95_usd, format::usd_short),
            Cell::text(saves),
        ]);
        cells
    };
    Sheet { columns: columns(&heads), rows: rows.iter().map(cells).collect() }
}

/// True where scenarios of a session do not ask for the same work, so that their costs are not compared.
pub(super) fn has_other_demand(report: &SessionReport) -> bool {
    report.plans.iter().skip(1).any(|plan| {
        let [base, other] =
            [&report.plans[0], plan].map(|plan| (&*plan.scenario, plan.answer.as_deref()));
        !matches!(demand_difference(base, other), Some(D::None | D::SameWork))
    })
}

fn rows(report: &SessionReport) -> Vec<Row<'_>> {
    let counted = report.plans.iter().flat_map(|plan| plan.scenario.counted());
    let families: BTreeSet<&str> = counted.map(|family| &*family.name).collect();
    // The one family of all of them is said above.
    let has_family = families.len() != 1;
    let mut rows = Vec::new();
    for plan in &report.plans {
        let alone = plan.scenario.counted_alone();
        let letter = plan.slot.letter();
        let growth = range(alone.counted().map(|family| family.growth), share);
        let answer = plan.answer.as_deref();
        rows.push(Row {
            name: format!("{letter} {}", alone.name).trim_end().to_owned(),
            buys: bought(&alone, has_family),
            growth: growth.clone(),
            value: answer.map(|answer| &answer.total),
        });
        let Some(answer) = answer.filter(|_| plan.slot == report.active) else { continue };
        if let Some(value) = &answer.advised
            && !follows(&alone, &answer.lists.buy)
        {
            rows.push(Row {
                name: format!("{letter} as recommended"),
                buys: entries(&answer.lists.buy, has_family),
                growth,
                value: Some(value),
            });
        }
    }
    rows
}

/// Dollars that a valuation saves against all of it on demand, and their share.
fn saves(value: &Valuation, ctx: &ViewContext) -> String {
    let usd = format::usd_total(value.on_demand_usd - value.mean_usd);
    format!("{usd} ({})", ctx.symbols.or_unknown(value.esr, share))
}

/// A comparison in words: in dollars, unless they would look like a gain where the demand is another one. `sentence` cuts
/// what names many things.
pub(super) fn compared(
    report: &SessionReport,
    found: &SlotComparison,
    sentence: &dyn Fn(&str) -> String,
) -> String {
    let names = [found.base.letter(), found.other.letter()];
    match report.demand_difference(found) {
        Some(D::None) => paired(found),
        Some(D::SameWork) => {
            format!("{} {}", paired(found), demand_gap::same_work(names))
        }
        Some(D::Other(gaps)) => sentence(&demand_gap::differs(names, &gaps)),
        None => {
            let only = |slot| report.plan(slot).map(|plan| &plan.scenario.only);
            match only(found.base) == only(found.other) {
                true => demand_gap::not_compared(names),
                false => demand_gap::other_families(names),
            }
        }
    }
}

/// A comparison in dollars.
fn paired(found: &SlotComparison) -> String {
    let SlotComparison { base, other, result, .. } = found;
    let usd = result.mean_usd;
    let more = match usd {
        usd if usd < 0.0 => "less",
        usd if usd > 0.0 => "more",
        _ => "more or less",
    };
    let within = match usd.abs() <= result.error_usd {
        true => "; the difference is within its error",
        false => "",
    };
    format!(
        "{} against {}: costs {} ± {} {more} on average (two standard errors, future by future), and less in {} of the \
         futures{within}.",
        other.letter(),
        base.letter(),
        format::usd_total(usd.abs()),
        format::usd_total(result.error_usd),
        share(result.cheaper)
    )
}
