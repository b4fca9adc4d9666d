//! `burntop whatif backtest`: buying rules on a demand that they had not seen.

use serde_json::{Value as Json, json};

use super::super::sheet::{Cell, Sheet};
use super::super::{Format, json, write};
use super::{Fact, Page, columns, demand_json, demand_line, number, sentences, share};
use crate::view::{Align, ViewContext, format};
use crate::whatif::Demand;

/// Result of one buying rule.
#[derive(Clone, Debug, PartialEq)]
pub struct BacktestRow {
    /// Name of the rule.
    pub name: &'static str,
    /// Cost, USD.
    pub cost_usd: f64,
    /// (cost − foresight's) ÷ foresight's, 0.005 = 0.5% more; `None` where foresight costs nothing.
    pub above: Option<f64>,
    /// Units bought in all purchases.
    pub units_bought: f64,
}

/// Contents of `burntop whatif backtest`.
#[derive(Clone, Debug, PartialEq)]
pub struct BacktestReport<'a> {
    /// Demand with one family.
    pub demand: &'a Demand,
    /// Results: foresight, burntop's rule, the fixed rules.
    pub policies: &'a [BacktestRow],
    /// On-demand price, USD per unit and hour.
    pub on_demand: f64,
    /// Rate of the commitment, USD per unit and hour.
    pub reserved: f64,
    /// Term of the commitment, weeks.
    pub term_weeks: u16,
    /// Weeks between purchases.
    pub every_weeks: u16,
    /// Weeks of history before the first purchase; they are not charged.
    pub warm_up_weeks: usize,
    /// Weeks replayed after the warm-up.
    pub weeks: usize,
    /// Inputs that are odd but usable, one sentence each.
    pub warnings: &'a [String],
}

/// Formats the report.
pub fn whatif_backtest(report: &BacktestReport<'_>, format: Format, ctx: &ViewContext) -> String {
    let family = report.demand.families.first().map_or("", |family| &*family.name);
    let rows: Vec<Json> = report
        .policies
        .iter()
        .map(|rule| {
            json!({
                "name": rule.name,
                "cost_usd": json::number(Some(rule.cost_usd)),
                "cost_above_foresight": json::number(rule.above),
                "units_bought": json::number(Some(rule.units_bought)),
            })
        })
        .collect();
    let more = vec![
        ("demand", demand_json(report.demand)),
        (
            "inputs",
            json!({
                "family": family,
                "on_demand": report.on_demand,
                "reserved": report.reserved,
                "term_weeks": report.term_weeks,
                "every_weeks": report.every_weeks,
                "warm_up_weeks": report.warm_up_weeks,
                "weeks": report.weeks,
            }),
        ),
        ("policies", Json::Array(rows.clone())),
        ("warnings", json!(report.warnings)),
    ];
    let sheet = Sheet {
        columns: columns(&[
            ("name", "RULE", Align::Left),
            ("cost_usd", "COST", Align::Right),
            ("cost_above_foresight", "ABOVE FORESIGHT", Align::Right),
            ("units_bought", "BOUGHT", Align::Right),
        ]),
        rows: report
            .policies
            .iter()
            .map(|rule| {
                vec![
                    Cell::text(rule.name),
                    number(Some(rule.cost_usd), ctx, format::usd_total),
                    number(rule.above, ctx, |part| format::share(part, 2)),
                    number(Some(rule.units_bought), ctx, format::count),
                ]
            })
            .collect(),
    };
    let weeks = |number: usize| format::plural(number, "week");
    let basis = format!(
        "the {} after the first {}; each rule buys every {} for {} and sees only \
             the past; a unit pays if used {} of the hours; nominal USD",
        weeks(report.weeks),
        report.warm_up_weeks,
        weeks(usize::from(report.every_weeks)),
        weeks(usize::from(report.term_weeks)),
        share(report.reserved / report.on_demand)
    );
    let page = Page {
        view: "whatif-backtest",
        rows,
        more,
        facts: vec![
            Fact::new("demand", "Demand", Cell::text(demand_line(report.demand))),
            Fact::new("family", "Family", Cell::text(family.to_owned())),
        ],
        sheet: Some(sheet),
        notes: sentences(report.demand, report.warnings, &basis),
        basis,
        ..Page::default()
    };
    write(&page, format, ctx)
}
