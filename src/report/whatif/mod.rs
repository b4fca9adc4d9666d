//! `burntop whatif …`: what plans cost, in every format.

mod advice;
mod backtest;
mod compare;
mod lever;
mod memo;
#[cfg(test)]
mod memo_tests;
mod optimum;
mod plan;
mod reserve;
#[cfg(test)]
mod tests;
mod worth;

pub use backtest::{BacktestReport, BacktestRow, whatif_backtest};
pub use compare::{CompareReport, CompareRow, whatif_compare};
pub use lever::{whatif_knobs, whatif_sheet};
pub use memo::whatif_memo;
pub use optimum::{OptimumReport, OptimumTier, whatif_optimum};
pub use plan::{SessionPlan, SessionReport};
pub use reserve::{HindsightOptimum, ReserveFamily, ReserveReport, whatif_reserve};

use serde_json::{Map, Value as Json, json};

use super::json;
use super::page::{Fact, Page};
use super::sheet::{Cell, Column};
use crate::view::{Align, Value, ViewContext, format};
use crate::whatif::{Demand, DemandOrigin, Payment, Valuation};

/// A number that may not be known.
fn number(value: Option<f64>, ctx: &ViewContext, words: impl FnOnce(f64) -> String) -> Cell {
    let value = value.filter(|v| v.is_finite());
    Cell {
        shown: ctx.symbols.or_unknown(value, words),
        value: value.map_or(Value::Unknown, Value::Number),
    }
}

/// A part of one as a percentage with one digit.
fn share(part: f64) -> String {
    format::share(part, 1)
}

/// The least and the largest of some numbers, in words; one where both read the same.
fn range(of: impl Iterator<Item = f64> + Clone, words: fn(f64) -> String) -> String {
    let low = words(of.clone().fold(f64::INFINITY, f64::min));
    let high = words(of.fold(f64::NEG_INFINITY, f64::max));
    if low == high { low } else { format!("{low} to {high}") }
}

fn columns(specs: &[(&'static str, &'static str, Align)]) -> Vec<Column> {
    specs.iter().map(|(name, header, align)| Column { name, header, align: *align }).collect()
}

/// Sentences about a demand and what is odd, with the basis behind them.
fn sentences(demand: &Demand, warnings: &[String], basis: &str) -> Vec<String> {
    let basis = basis.to_owned();
    demand.notes.iter().chain(warnings).cloned().chain(std::iter::once(basis)).collect()
}

/// Where a demand is from, as JSON.
fn demand_json(demand: &Demand) -> Json {
    let (origin, name) = origin(&demand.origin);
    let known = |known: usize| json!(known);
    json!({
        "origin": origin,
        "name": name,
        "start": demand.start.to_string(),
        "end": demand.end().to_string(),
        "hours": demand.hours(),
        "families": demand.families.iter().map(|family| json!({
            "name": family.name,
            "known_hours": known(family.known_hours()),
            "mean_units": json::number(family.mean()),
        })).collect::<Vec<_>>(),
        "notes": demand.notes,
    })
}

/// The kind of an origin, and its name where it has one.
fn origin(origin: &DemandOrigin) -> (&'static str, Option<&str>) {
    match origin {
        DemandOrigin::Csv(name) => ("csv", Some(name)),
        DemandOrigin::Bill(name) => ("bill", Some(name)),
        DemandOrigin::History => ("history", None),
        DemandOrigin::Demo => ("demo", None),
    }
}

/// A demand in a line.
fn demand_line(demand: &Demand) -> String {
    let (kind, name) = origin(&demand.origin);
    let name = name.map_or_else(|| kind.to_owned(), str::to_owned);
    format!("{name}: {} h from {:.0}", demand.hours(), demand.start)
}

/// How a commitment is paid, as files and the command line say it.
fn payment(payment: Payment) -> &'static str {
    match payment {
        Payment::NoUpfront => "no-upfront",
        Payment::PartialUpfront => "partial-upfront",
        Payment::AllUpfront => "all-upfront",
    }
}

/// A valuation as JSON.
fn valuation_json(value: &Valuation) -> Map<String, Json> {
    let known = |v: f64| json::number(Some(v));
    [
        ("commit", known(value.commit)),
        ("fixed_usd", known(value.fixed_usd)),
        ("mean_usd", known(value.mean_usd)),
        ("mean_error_usd", known(value.mean_error_usd)),
        ("p5_usd", known(value.p5_usd)),
        ("p50_usd", known(value.p50_usd)),
        ("p95_usd", known(value.p95_usd)),
        ("on_demand_usd", known(value.on_demand_usd)),
        ("worst5_savings_usd", known(value.worst5_savings_usd)),
        ("prob_above_on_demand", known(value.prob_above_on_demand)),
        ("esr", json::number(value.esr)),
        ("coverage", json::number(value.coverage)),
        ("utilisation", json::number(value.utilisation)),
        ("regret_usd", json::number(value.regret_usd)),
        ("lock_in_months", known(value.lock_in_months)),
        ("npv_usd", known(value.npv_usd)),
    ]
    .into_iter()
    .map(|(name, value)| (name.to_owned(), value))
    .collect()
}
