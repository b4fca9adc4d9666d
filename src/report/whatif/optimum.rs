//! `burntop whatif optimum`: the cheapest mix of tiers in hindsight.

use serde_json::{Value as Json, json};

use super::super::sheet::{Cell, Column, Sheet};
use super::super::{Format, json, write};
use super::{Fact, Page, columns, demand_json, demand_line, number, sentences, share};
use crate::view::{Align, Value, ViewContext, format};
use crate::whatif::Demand;
use crate::whatif::optimum::WholeTerms;

/// Use of one tier in the cheapest mix.
#[derive(Clone, Debug, PartialEq)]
pub struct OptimumTier {
    /// Name of the tier in the file.
    pub name: String,
    /// USD per unit and hour: committed or used; of Spot with its overhead and with on-demand as its fallback.
    pub rate: f64,
    /// Term of a commitment, hours; `None` for a tier paid by use.
    pub term_hours: Option<usize>,
    /// Source of the rate, as the file states it; `None` where it states none.
    pub source: Option<String>,
    /// Units: of a commitment the most at once, of on-demand and Spot the mean.
    pub units: f64,
    /// Unit-hours paid for.
    pub unit_hours: f64,
    /// Cost, USD.
    pub cost_usd: f64,
    /// Units in each period of a commitment, first to last; empty for a tier paid by use.
    pub periods: Vec<f64>,
}

/// Contents of `burntop whatif optimum`.
#[derive(Clone, Debug, PartialEq)]
pub struct OptimumReport<'a> {
    /// Demand that the mix serves.
    pub demand: &'a Demand,
    /// Demand repeated to whole terms: the period of all figures.
    pub drawn: &'a WholeTerms,
    /// Tiers, in the file's order, on-demand last.
    pub tiers: &'a [OptimumTier],
    /// Cost of all tiers, USD.
    pub cost_usd: f64,
    /// Cost of the same demand on demand alone, USD.
    pub on_demand_usd: f64,
    /// Share of the demand's unit-hours that commitments serve, 0–1; `None` without demand.
    pub coverage: Option<f64>,
    /// Share of the committed unit-hours that are used, 0–1; `None` without commitments.
    pub utilisation: Option<f64>,
    /// Inputs that are odd but usable, one sentence each.
    pub warnings: &'a [String],
}

/// Formats the report.
pub fn whatif_optimum(report: &OptimumReport<'_>, format: Format, ctx: &ViewContext) -> String {
    let esr = (report.on_demand_usd > 0.0).then(|| 1.0 - report.cost_usd / report.on_demand_usd);
    let rows: Vec<Json> = report.tiers.iter().map(row).collect();
    let more = vec![
        ("demand", demand_json(report.demand)),
        ("period", period_json(report)),
        ("tiers", Json::Array(rows.clone())),
        ("cost_usd", json::number(Some(report.cost_usd))),
        ("on_demand_usd", json::number(Some(report.on_demand_usd))),
        ("esr", json::number(esr)),
        ("coverage", json::number(report.coverage)),
        ("utilisation", json::number(report.utilisation)),
        ("warnings", json!(report.warnings)),
    ];
    let usd = |value: f64| number(Some(value), ctx, format::usd_total);
    let basis = match report.drawn.words() {
        Some(words) => format!(
            "exact mix over {words}: each unit of demand in the tier that is cheapest for it; nominal \
             USD over the known hours of {}, commitments for their whole terms",
            report.drawn.period()
        ),
        None => {
            "exact hindsight: each unit of demand in the tier that was cheapest for it; nominal \
                 USD over the known hours"
                .to_owned()
        }
    };
    let sources = report.tiers.iter().filter_map(|tier| {
        let rate = format::usd_rate(tier.rate);
        Some(format!("{}: {rate} per hour, {}.", tier.name, tier.source.as_ref()?))
    });
    let warnings: Vec<String> = report.warnings.iter().cloned().chain(sources).collect();
    let page = Page {
        view: "whatif-optimum",
        rows,
        more,
        facts: vec![
            Fact::new("demand", "Demand", Cell::text(demand_line(report.demand))),
            Fact::new("period", "Period", Cell::text(period(report))),
            Fact::new("cost_usd", "Cost", usd(report.cost_usd)),
            Fact::new("on_demand_usd", "On demand", usd(report.on_demand_usd)),
            Fact::new("esr", "Saves", number(esr, ctx, share)),
            Fact::new("coverage", "Covered", number(report.coverage, ctx, share)),
            Fact::new("utilisation", "Used", number(report.utilisation, ctx, share)),
        ],
        sheet: Some(sheet(report, ctx)),
        records: Some(records(report)),
        notes: sentences(report.demand, &warnings, &basis),
        basis,
        ..Page::default()
    };
    write(&page, format, ctx)
}

/// Period of the figures: "1 year", or "3 years: demand of 26 weeks repeated to 3 years".
fn period(report: &OptimumReport<'_>) -> String {
    let period = report.drawn.period();
    report.drawn.words().map_or_else(|| period.clone(), |words| format!("{period}: {words}"))
}

fn period_json(report: &OptimumReport<'_>) -> Json {
    let hours = &report.drawn.hours;
    json!({
        "hours": hours.len(),
        "known_hours": hours.iter().filter(|units| !units.is_nan()).count(),
        "repeated_hours": report.drawn.repeated,
        "extrapolated": report.drawn.words(),
    })
}

fn row(tier: &OptimumTier) -> Json {
    json!({
        "name": tier.name,
        "rate": json::number(Some(tier.rate)),
        "term_hours": tier.term_hours,
        "source": tier.source,
        "units": json::number(Some(tier.units)),
        "unit_hours": json::number(Some(tier.unit_hours)),
        "cost_usd": json::number(Some(tier.cost_usd)),
        "periods": tier.periods.iter().map(|v| json::number(Some(*v))).collect::<Vec<_>>(),
    })
}

fn sheet(report: &OptimumReport<'_>, ctx: &ViewContext) -> Sheet {
    let rows = report.tiers.iter().map(|tier| {
        vec![
            Cell::text(tier.name.clone()),
            number(Some(tier.units), ctx, format::count),
            number(Some(tier.unit_hours), ctx, |hours| format::grouped(hours, 0)),
            number(Some(tier.cost_usd), ctx, format::usd_total),
        ]
    });
    Sheet {
        columns: columns(&[
            ("name", "TIER", Align::Left),
            ("units", "UNITS", Align::Right),
            ("unit_hours", "UNIT-HOURS", Align::Right),
            ("cost_usd", "COST", Align::Right),
        ]),
        rows: rows.collect(),
    }
}

/// The table for machines, with what each row rests on.
fn records(report: &OptimumReport<'_>) -> Sheet {
    let cell = |value: Value<'static>| Cell { shown: String::new(), value };
    let number = |value: f64| cell(Value::Number(value));
    let text = |text: Option<&str>| {
        cell(text.map_or(Value::Unknown, |text| Value::Text(text.to_owned().into())))
    };
    let words = report.drawn.words();
    let rows = report.tiers.iter().map(|tier| {
        vec![
            Cell::text(tier.name.clone()),
            number(tier.units),
            number(tier.unit_hours),
            number(tier.cost_usd),
            number(tier.rate),
            cell(tier.term_hours.map_or(Value::Unknown, |hours| Value::Number(hours as f64))),
            text(tier.source.as_deref()),
            number(report.drawn.hours.len() as f64),
            number(report.drawn.repeated as f64),
            text(words.as_deref()),
        ]
    });
    let names = [
        "name",
        "units",
        "unit_hours",
        "cost_usd",
        "rate",
        "term_hours",
        "source",
        "period_hours",
        "repeated_hours",
        "extrapolated",
    ];
    let column = |name| Column { name, header: name, align: Align::Left };
    Sheet { columns: names.map(column).to_vec(), rows: rows.collect() }
}
