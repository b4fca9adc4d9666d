//! `burntop whatif compare`: scenarios over the same futures.

use serde_json::{Value as Json, json};

use super::super::sheet::{Cell, Sheet};
use super::super::{Format, json, write};
use super::{
    Fact, Page, columns, demand_json, demand_line, number, sentences, share, valuation_json,
};
use crate::view::{Align, ViewContext, format};
use crate::whatif::{Comparison, Demand, Valuation};

/// One scenario of the comparison.
#[derive(Clone, Debug, PartialEq)]
pub struct CompareRow {
    /// Name of the scenario, or of its file.
    pub name: String,
    /// Valuation of all its families.
    pub value: Valuation,
    /// Difference to the first scenario; `None` for the first, and where the demand differs by more than levers and
    /// moves.
    pub against: Option<Comparison>,
}

/// Contents of `burntop whatif compare`.
#[derive(Clone, Debug, PartialEq)]
pub struct CompareReport<'a> {
    /// Demand of all scenarios.
    pub demand: &'a Demand,
    /// Scenarios, the base first.
    pub rows: &'a [CompareRow],
    /// Number of futures.
    pub paths: u32,
    /// Weeks looked ahead.
    pub weeks: u16,
    /// Seed of the random draw.
    pub seed: u64,
    /// Inputs that are odd but usable, one sentence each.
    pub warnings: &'a [String],
}

/// Formats the report.
pub fn whatif_compare(report: &CompareReport<'_>, format: Format, ctx: &ViewContext) -> String {
    let rows: Vec<Json> = report.rows.iter().map(row).collect();
    let more = vec![
        ("demand", demand_json(report.demand)),
        ("paths", json!(report.paths)),
        ("weeks", json!(report.weeks)),
        ("seed", json!(report.seed)),
        ("warnings", json!(report.warnings)),
    ];
    let basis = format!(
        "the same {} of {} for each, seed {}; differences are paired, their error \
             is two standard errors; nominal USD",
        format::plural(report.paths as usize, "future"),
        format::plural(usize::from(report.weeks), "week"),
        report.seed
    );
    let page = Page {
        view: "whatif-compare",
        rows,
        more,
        facts: vec![Fact::new("demand", "Demand", Cell::text(demand_line(report.demand)))],
        sheet: Some(sheet(report, ctx)),
        notes: sentences(report.demand, report.warnings, &basis),
        basis,
        ..Page::default()
    };
    write(&page, format, ctx)
}

fn row(row: &CompareRow) -> Json {
    let against = row.against.as_ref().map(|c| {
        json!({
            "mean_usd": json::number(Some(c.mean_usd)),
            "error_usd": json::number(Some(c.error_usd)),
            "cheaper": json::number(Some(c.cheaper)),
        })
    });
    json!({ "name": row.name, "valuation": valuation_json(&row.value), "difference": against })
}

fn sheet(report: &CompareReport<'_>, ctx: &ViewContext) -> Sheet {
    let usd = |value: Option<f64>| number(value, ctx, format::usd_total);
    let rows = report.rows.iter().map(|row| {
        let against = row.against.as_ref();
        vec![
            Cell::text(row.name.clone()),
            usd(Some(row.value.mean_usd)),
            usd(Some(row.value.p95_usd)),
            usd(Some(row.value.worst5_savings_usd)),
            number(row.value.esr, ctx, share),
            usd(against.map(|c| c.mean_usd)),
            usd(against.map(|c| c.error_usd)),
            number(against.map(|c| c.cheaper), ctx, share),
        ]
    });
    Sheet {
        columns: columns(&[
            ("name", "SCENARIO", Align::Left),
            ("mean_usd", "MEAN COST", Align::Right),
            ("p95_usd", "P95", Align::Right),
            ("worst5_savings_usd", "WORST 5%", Align::Right),
            ("esr", "SAVES", Align::Right),
            ("difference_usd", "DIFFERENCE", Align::Right),
            ("difference_error_usd", "ERROR", Align::Right),
            ("cheaper", "CHEAPER IN", Align::Right),
        ]),
        rows: rows.collect(),
    }
}
