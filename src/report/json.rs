//! The JSON envelope that every report shares.

use std::borrow::Cow;

use serde_json::{Map, Value as Json, json};

use super::Report;
use super::exact_json::{is_exact, pretty};
use super::sheet::rounded;
use crate::domain::text::for_output;
use crate::domain::{EvidenceRole, Reading, SignalEvidence, Verdict};
use crate::view::{Value, ViewContext, reasons};

/// `{schema, generated_at, basis, rows[], readings[], errors[]}` with what the report has beside
/// them, indented, with a final newline.
pub(super) fn document(report: &dyn Report, ctx: &ViewContext) -> String {
    // Not by `json!`, which would copy the rows.
    let mut document: Map<String, Json> = [
        ("schema", json!(format!("burntop/{}/1", report.view()))),
        ("generated_at", json!(ctx.now.to_string())),
        ("basis", json!(report.basis())),
        ("rows", Json::Array(report.rows(ctx, usize::MAX))),
        ("readings", report.rests_on().into_iter().map(|r| reading(r, ctx)).collect()),
        ("errors", Json::Array(report.errors())),
    ]
    .into_iter()
    .chain(report.beside(ctx))
    .map(|(k, v)| (k.to_owned(), v))
    .collect();
    document.values_mut().for_each(clean_texts);
    pretty(&Json::Object(document)) + "\n"
}

/// The second line of defence: no text in it steers a terminal once it is taken out of the JSON.
fn clean_texts(json: &mut Json) {
    match json {
        Json::String(text) if is_exact(text) => {}
        Json::String(text) => {
            if let Cow::Owned(clean) = for_output(text) {
                *text = clean;
            }
        }
        Json::Array(all) => all.iter_mut().for_each(clean_texts),
        Json::Object(map) => {
            // Keys of tags are foreign as well.
            if map.keys().any(|key| matches!(for_output(key), Cow::Owned(_))) {
                let all = std::mem::take(map).into_iter();
                *map = all.map(|(key, value)| (for_output(&key).into_owned(), value)).collect();
            }
            map.values_mut().for_each(clean_texts);
        }
        Json::Null | Json::Bool(_) | Json::Number(_) => {}
    }
}

/// What a signal said, of instances and of other resources.
pub(super) fn signal(evidence: &SignalEvidence) -> Json {
    json!({
        "label": evidence.label,
        "signal": evidence.signal.name(),
        "statistic": evidence.statistic,
        "unit": evidence.unit,
        "threshold": number(Some(evidence.threshold)),
        "value": number(evidence.value),
        "highest": number(evidence.highest),
        "got": evidence.got,
        "expected": evidence.expected,
        "role": match evidence.role {
            EvidenceRole::Test => "test",
            EvidenceRole::Counter => "counter",
        },
        "busy": evidence.busy,
        "joint": evidence.joint,
        "malformed": evidence.is_malformed(),
    })
}

/// What a verdict does not rest on, a clause each; empty without a verdict.
pub(super) fn not_checked(verdict: Option<&Verdict>) -> Json {
    verdict
        .iter()
        .flat_map(|v| &*v.not_checked)
        .map(|what| json!(reasons::unchecked(what)))
        .collect()
}

/// `errors[]`: the sources that failed.
pub(super) fn errors<'a>(all: impl IntoIterator<Item = &'a Reading>) -> Vec<Json> {
    all.into_iter().filter_map(error).collect()
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
    let error = reading.failed()?;
    Some(json!({
        "source": reading.source.word(),
        "scope": reading.scope.to_string(),
        "message": error.to_string(),
        "fix": error.advice(),
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
        // Exact: counts read as counts, up to 2^53, where floats begin to leave some out.
        Some(v) if v.fract() == 0.0 && v.abs() <= 9_007_199_254_740_992.0 => json!(v as i64),
        Some(v) => json!(v),
    }
}

/// A field's exported value.
pub(super) fn value(value: &Value<'_>) -> Json {
    match value {
        Value::Unknown => Json::Null,
        Value::Number(n) => number(Some(*n)),
        Value::Usd(usd) => super::exact_json::exact(*usd),
        Value::Text(t) => json!(t),
        Value::Time(t) => json!(t.to_string()),
    }
}
