//! The JSON envelope that every report shares.

use serde_json::{Map, Value as Json, json};

use super::Meta;
use super::sheet::rounded;
use crate::domain::{Reading, SourceState};
use crate::fleet::Fleet;
use crate::view::{Value, ViewContext};

/// `{schema, generated_at, basis, rows[], readings[], errors[]}`, indented, with a final newline.
pub(super) fn document(
    view: &str,
    rows: Vec<Json>,
    fleet: &Fleet,
    ctx: &ViewContext,
    meta: &Meta<'_>,
) -> String {
    envelope(view, rows, Map::new(), &meta.basis(), &fleet.readings, ctx)
}

/// As [`document`], for a report with a basis of its own and `more` beside the rows.
pub(super) fn envelope(
    view: &str,
    rows: Vec<Json>,
    more: Map<String, Json>,
    basis: &str,
    all: &[Reading],
    ctx: &ViewContext,
) -> String {
    // Not by `json!`, which would copy the rows.
    let document: Map<String, Json> = [
        ("schema", json!(format!("burntop/{view}/1"))),
        ("generated_at", json!(ctx.now.to_string())),
        ("basis", json!(basis)),
        ("rows", Json::Array(rows)),
        ("readings", readings(all, ctx)),
        ("errors", Json::Array(errors(all))),
    ]
    .into_iter()
    .map(|(k, v)| (k.to_owned(), v))
    .chain(more)
    .collect();
    format!("{:#}\n", Json::Object(document))
}

/// `readings[]`.
pub(super) fn readings(all: &[Reading], ctx: &ViewContext) -> Json {
    all.iter().map(|r| reading(r, ctx)).collect()
}

/// `errors[]`: the sources that failed.
pub(super) fn errors(all: &[Reading]) -> Vec<Json> {
    all.iter().filter_map(error).collect()
}

fn reading(reading: &Reading, ctx: &ViewContext) -> Json {
    let age = reading.taken_at.map(|t| ctx.now.duration_since(t).as_secs().max(0));
    json!({
        "source": reading.source.word(),
        "scope": reading.scope.to_string(),
        "taken_at": reading.taken_at.map(|t| t.to_string()),
        "age_s": age,
        "coverage": number(Some(f64::from(reading.coverage))),
        "state": snake(reading.state.word()),
    })
}

fn error(reading: &Reading) -> Option<Json> {
    let SourceState::Failed(error) = &reading.state else { return None };
    Some(json!({
        "source": reading.source.word(),
        "scope": reading.scope.to_string(),
        "message": error.to_string(),
        "fix": error.fix,
    }))
}

/// A word as JSON states enums.
pub(super) fn snake(word: &str) -> String {
    word.replace(['-', ' '], "_")
}

/// A number, or null for one that is not known or not finite.
pub(super) fn number(value: Option<f64>) -> Json {
    match value.filter(|v| v.is_finite()).map(rounded) {
        None => Json::Null,
        // Exact: counts read as counts.
        Some(v) if v.fract() == 0.0 && v.abs() < 1e15 => json!(v as i64),
        Some(v) => json!(v),
    }
}

/// A field's exported value.
pub(super) fn value(value: &Value<'_>) -> Json {
    match value {
        Value::Unknown => Json::Null,
        Value::Number(n) => number(Some(*n)),
        Value::Text(t) => json!(t),
        Value::Time(t) => json!(t.to_string()),
    }
}
