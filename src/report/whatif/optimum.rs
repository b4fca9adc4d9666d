//! `burntop whatif optimum`: the cheapest mix of tiers in hindsight.

use serde_json::{Value as Json, json};

use super::super::sheet::{Cell, Sheet};
use super::super::{Format, json, write};
use super::{Fact, Page, columns, demand_json, demand_line, number, sentences, share};
use crate::view::{Align, ViewContext, format};
use crate::whatif::Demand;

/// A tier of the mix.
#[derive(Clone, Debug, PartialEq)]
pub struct OptimumTier {
    /// As the file calls it.
    pub name: String,
    /// Units; of a tier that is bought at several times the most at once, of on-demand and spot the
    /// mean.
    pub units: f64,
    /// Unit-hours that are paid.
    pub unit_hours: f64,
    /// What it costs, USD.
    pub cost_usd: f64,
    /// A commitment: units in each of its periods, first to last.
    pub periods: Vec<f64>,
}

/// Everything `optimum` says.
#[derive(Clone, Debug, PartialEq)]
pub struct OptimumReport<'a> {
    /// The demand.
    pub demand: &'a Demand,
    /// The tiers, in the file's order, on-demand last.
    pub tiers: &'a [OptimumTier],
    /// What all cost together, USD.
    pub cost_usd: f64,
    /// What everything on demand would cost, USD.
    pub on_demand_usd: f64,
    /// Part of the demand that commitments serve, 0–1.
    pub coverage: Option<f64>,
    /// Part of the committed unit-hours that are used, 0–1.
    pub utilisation: Option<f64>,
    /// What is odd, one sentence each.
    pub warnings: &'a [String],
}

/// Writes the report.
pub fn whatif_optimum(report: &OptimumReport<'_>, format: Format, ctx: &ViewContext) -> String {
    let esr = (report.on_demand_usd > 0.0).then(|| 1.0 - report.cost_usd / report.on_demand_usd);
    let rows: Vec<Json> = report.tiers.iter().map(row).collect();
    let more = vec![
        ("demand", demand_json(report.demand)),
        ("tiers", Json::Array(rows.clone())),
        ("cost_usd", json::number(Some(report.cost_usd))),
        ("on_demand_usd", json::number(Some(report.on_demand_usd))),
        ("esr", json::number(esr)),
        ("coverage", json::number(report.coverage)),
        ("utilisation", json::number(report.utilisation)),
        ("warnings", json!(report.warnings)),
    ];
    let usd = |value: f64| number(Some(value), ctx, format::usd_total);
    let basis =
        "exact hindsight: each unit of demand in the tier that was cheapest for it; nominal \
                USD over the known hours"
            .to_owned();
    let page = Page {
        view: "whatif-optimum",
        rows,
        more,
        facts: vec![
            Fact::new("demand", "Demand", Cell::text(demand_line(report.demand))),
            Fact::new("cost_usd", "Cost", usd(report.cost_usd)),
            Fact::new("on_demand_usd", "On demand", usd(report.on_demand_usd)),
            Fact::new("esr", "Saves", number(esr, ctx, share)),
            Fact::new("coverage", "Covered", number(report.coverage, ctx, share)),
            Fact::new("utilisation", "Used", number(report.utilisation, ctx, share)),
        ],
        sheet: Some(sheet(report, ctx)),
        notes: sentences(report.demand, report.warnings, &basis),
        basis,
        ..Page::default()
    };
    write(&page, format, ctx)
}

fn row(tier: &OptimumTier) -> Json {
    json!({
        "name": tier.name,
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
