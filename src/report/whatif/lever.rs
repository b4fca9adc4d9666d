//! The other simulators: figures with their arithmetic.

use serde_json::{Value as Json, json};

use super::super::sheet::{Cell, Sheet as Table};
use super::super::{Format, json, write};
use super::{Page, columns};
use crate::view::{Align, Value, ViewContext};
use crate::whatif::levers::{Knob, LeverKind, Quantity, Series, Sheet, Unit};

const BASIS: &str = "nominal USD; a month is 730 h; savings are of what the ones before them left";

/// Formats the answer of a simulator, in JSON as schema `burntop/whatif-<kind>/1`.
pub fn whatif_sheet(sheet: &Sheet, format: Format, ctx: &ViewContext) -> String {
    let rows = sheet
        .results
        .iter()
        .map(|result| row(&result.name, &result.label, "", result.number, result.shown()));
    let lines = sheet
        .lines
        .iter()
        .map(|line| row("", &line.label, &line.arithmetic, line.number, line.shown()));
    let inputs = sheet
        .inputs
        .iter()
        .map(|input| row(&input.name, &input.label, "given", input.number, input.shown()));
    let more = vec![
        ("title", json!(sheet.title)),
        ("inputs", sheet.inputs.iter().map(quantity).collect()),
        (
            "lines",
            sheet
                .lines
                .iter()
                .map(|line| {
                    json!({
                        "label": line.label,
                        "arithmetic": line.arithmetic,
                        "number": json::number(line.number),
                        "unit": unit(line.unit),
                    })
                })
                .collect(),
        ),
        ("series", sheet.series.iter().map(series).collect()),
        ("notes", json!(sheet.notes)),
    ];
    let page = Page {
        view: view(sheet.kind),
        basis: BASIS.to_owned(),
        rows: sheet.results.iter().map(quantity).collect(),
        more,
        sheet: Some(Table {
            columns: columns(&[
                ("name", "NAME", Align::Left),
                ("label", "WHAT", Align::Left),
                ("arithmetic", "HOW", Align::Left),
                ("number", "VALUE", Align::Right),
            ]),
            rows: inputs.chain(lines).chain(rows).collect(),
        }),
        notes: sheet.notes.iter().cloned().chain([BASIS.to_owned()]).collect(),
        ..Page::default()
    };
    write(&page, format, ctx)
}

/// Formats the inputs of a simulator with ranges and values.
pub fn whatif_knobs(kind: LeverKind, knobs: &[Knob], format: Format, ctx: &ViewContext) -> String {
    let bound = |knob: &Knob| match knob.high.is_finite() {
        true => format!("{} to {}", knob.unit.show(knob.low), knob.unit.show(knob.high)),
        false => format!("from {}", knob.unit.show(knob.low)),
    };
    let rows = knobs.iter().map(|knob| {
        vec![
            Cell::text(knob.name.clone()),
            number(knob.value, knob.unit),
            Cell::text(bound(knob)),
            Cell::text(knob.label.clone()),
            Cell::text(knob.hint),
        ]
    });
    let basis = format!("inputs of `burntop whatif {kind}`, written as name=value");
    let page = Page {
        view: view(kind),
        notes: vec![basis.clone()],
        basis,
        rows: knobs
            .iter()
            .map(|knob| {
                json!({
                    "name": knob.name,
                    "label": knob.label,
                    "unit": unit(knob.unit),
                    "low": json::number(Some(knob.low)),
                    "high": json::number(Some(knob.high)),
                    "hint": knob.hint,
                    "value": json::number(knob.value),
                })
            })
            .collect(),
        sheet: Some(Table {
            columns: columns(&[
                ("name", "NAME", Align::Left),
                ("value", "VALUE", Align::Right),
                ("range", "RANGE", Align::Left),
                ("label", "WHAT", Align::Left),
                ("hint", "WHERE FROM", Align::Left),
            ]),
            rows: rows.collect(),
        }),
        ..Page::default()
    };
    write(&page, format, ctx)
}

fn row(name: &str, label: &str, how: &str, value: Option<f64>, shown: String) -> Vec<Cell> {
    let value = value.map_or(Value::Unknown, Value::Number);
    let text = |text: &str| Cell::text(text.to_owned());
    vec![text(name), text(label), text(how), Cell { shown, value }]
}

fn number(value: Option<f64>, unit: Unit) -> Cell {
    Cell {
        shown: value.map_or_else(String::new, |v| unit.show(v)),
        value: value.map_or(Value::Unknown, Value::Number),
    }
}

fn quantity(quantity: &Quantity) -> Json {
    json!({
        "name": quantity.name,
        "label": quantity.label,
        "number": json::number(quantity.number),
        "unit": unit(quantity.unit),
    })
}

fn series(series: &Series) -> Json {
    let points = series
        .points
        .iter()
        .map(|(x, y)| Json::Array(vec![json::number(Some(*x)), json::number(Some(*y))]));
    json!({
        "name": series.name,
        "label": series.label,
        "x_unit": unit(series.x_unit),
        "unit": unit(series.unit),
        "points": points.collect::<Vec<_>>(),
    })
}

/// The unit's word; it always can be written.
fn unit(unit: Unit) -> Json {
    serde_json::to_value(unit).unwrap_or_default()
}

/// The name of the schema.
fn view(kind: LeverKind) -> &'static str {
    match kind {
        LeverKind::Rightsize => "whatif-rightsize",
        LeverKind::Autoscale => "whatif-autoscale",
        LeverKind::GpuSavings => "whatif-gpu-savings",
        LeverKind::SpotMix => "whatif-spot-mix",
        LeverKind::FailedRuns => "whatif-failed-runs",
        LeverKind::Storage => "whatif-storage",
        LeverKind::Network => "whatif-network",
        LeverKind::Tco => "whatif-tco",
        LeverKind::UnitCost => "whatif-unit-cost",
        LeverKind::Programme => "whatif-programme",
    }
}
