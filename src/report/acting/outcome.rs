//! Outcomes of the rows of a plan, as a report.

use std::sync::Arc;

use jiff::Timestamp;
use serde_json::{Value as Json, json};

use super::{Trouble, left};
use crate::act::plan::{CheckedRow, Finding, Outcome, OutcomeKind};
use crate::domain::Scope;
use crate::report::page::Page;
use crate::report::sheet::{Cell, Sheet};
use crate::report::{Format, write};
use crate::view::ViewContext;

/// Meaning of an outcome.
const BASIS: &str = "done is what was seen in the state that was asked for; unknown is what was \
                     asked for and not seen";

/// The outcome of a row that never left the preflight.
pub fn outcome_of_blocked(row: &CheckedRow, at: Timestamp) -> Outcome {
    refused(&row.item.id, &row.item.scope, row.reason(), at)
}

/// The outcome of a row that `reason` took out of its plan.
pub(super) fn refused<G>(
    id: &Arc<str>,
    scope: &Scope,
    reason: Option<&Finding<G>>,
    at: Timestamp,
) -> Outcome {
    Outcome {
        id: id.clone(),
        scope: scope.clone(),
        kind: OutcomeKind::Refused,
        text: reason.map(|f| f.text.clone()).unwrap_or_default(),
        state: None,
        request_ids: Vec::new(),
        at,
    }
}

/// Writes the outcomes of one run, or of several.
pub fn outcomes(
    all: &[Outcome],
    run: Option<&str>,
    errors: &[Trouble],
    format: Format,
    ctx: &ViewContext,
) -> String {
    let page = Page {
        view: "outcome",
        basis: BASIS.to_owned(),
        errors: super::errors(errors),
        rows: all.iter().map(json).collect(),
        more: vec![("run", json!(run))],
        sheet: Some(sheet(all, ctx)),
        notes: notes(all, run, errors, ctx),
        ..Page::default()
    };
    write(&page, format, ctx)
}

/// Notes below outcomes.
pub(super) fn notes(
    all: &[Outcome],
    run: Option<&str>,
    errors: &[Trouble],
    ctx: &ViewContext,
) -> Vec<String> {
    let way = run.map(|run| format!("run {run}: `burntop audit show {run}` has the way back"));
    let errors = errors.iter().map(|e| format!("! {}", e.line()));
    std::iter::once(counts(all, ctx)).chain(way).chain(errors).collect()
}

/// Outcomes as a table.
pub(super) fn sheet(all: &[Outcome], ctx: &ViewContext) -> Sheet {
    let columns = vec![
        left("outcome", "OUTCOME"),
        left("instance_id", "ID"),
        left("account", "ACCOUNT"),
        left("region", "REGION"),
        left("state", "STATE"),
        left("text", "WHAT WAS SEEN"),
        left("request_ids", "REQUESTS"),
    ];
    let unknown = ctx.symbols.unknown();
    let cells = |o: &Outcome| {
        vec![
            Cell::text(o.kind.word()),
            Cell::text(&*o.id),
            Cell::text(&*o.scope.account),
            Cell::text(&*o.scope.region),
            Cell::text(o.state.map_or(unknown, crate::domain::InstanceState::word)),
            Cell::text(o.text.as_str()),
            Cell::text(o.request_ids.join(" ")),
        ]
    };
    Sheet { columns, rows: all.iter().map(cells).collect() }
}

/// `2 done · 1 refused`; what there is none of is left out.
pub(super) fn counts(all: &[Outcome], ctx: &ViewContext) -> String {
    use OutcomeKind::{Done, Failed, Refused, Unknown};
    let dot = ctx.symbols.separator();
    let count = |kind| all.iter().filter(|o| o.kind == kind).count();
    let parts: Vec<String> = [Done, Refused, Failed, Unknown]
        .into_iter()
        .filter(|kind| count(*kind) > 0)
        .map(|kind| format!("{} {}", count(kind), kind.word()))
        .collect();
    if parts.is_empty() { "nothing was done".to_owned() } else { parts.join(&format!(" {dot} ")) }
}

pub(super) fn json(outcome: &Outcome) -> Json {
    let id: &Arc<str> = &outcome.id;
    json!({
        "account": outcome.scope.account,
        "region": outcome.scope.region,
        "instance_id": id,
        "outcome": outcome.kind,
        "text": outcome.text,
        "state": outcome.state,
        "request_ids": outcome.request_ids,
        "at": outcome.at.to_string(),
    })
}
