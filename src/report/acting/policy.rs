//! What a policy decided, and what became of it.

use std::collections::BTreeMap;
use std::sync::Arc;

use jiff::Timestamp;
use serde_json::{Value as Json, json};

use super::plan::chosen_lines;
use super::{Trouble, errors, left, outcome, right};
use crate::act::plan::policy::{Decision, DecisionKind, Policy, RuleMatches};
use crate::act::plan::{CapUse, Chosen, EXPIRES_TAG, EnvironmentCount, Outcome, by_environment};
use crate::domain::Reading;
use crate::report::json::number;
use crate::report::page::Page;
use crate::report::sheet::{Cell, Sheet};
use crate::report::{Format, write};
use crate::view::{Value, ViewContext, format};

const BASIS: &str = "USD per hour at list price (Spot: the zone's spot price), before commitments, \
                     credits and private discounts; ends is when the grace is over";

/// A run of a policy.
#[derive(Clone, Debug)]
pub struct PolicyReport<'a> {
    /// The policy.
    pub policy: &'a Policy,
    /// SHA-256 of its file.
    pub sha256: &'a str,
    /// Everything that was decided.
    pub decisions: &'a [Decision],
    /// Rules with what each matches.
    pub rules: &'a [RuleMatches],
    /// The stricter of the policy's caps and the configuration's against what is to be stopped, armed
    /// or not.
    pub caps: &'a [CapUse],
    /// True when it was carried out; false for a dry run.
    pub applied: bool,
    /// What became of rows, or in a dry run what a guard would say against them; by instance.
    pub outcomes: &'a BTreeMap<Arc<str>, Outcome>,
    /// Why a whole verb was not carried out, or would not be: a cap, an approval that is missing.
    pub refusals: &'a [String],
    /// Ids of the runs in the audit log.
    pub runs: &'a [String],
    /// Questions to accounts that failed.
    pub errors: &'a [Trouble],
    /// Readings of the sources of the fleet.
    pub readings: &'a [Reading],
}

/// Writes the run. JSON and CSV hold every instance; tables leave out those that nothing is to be
/// done about.
pub fn policy(report: &PolicyReport<'_>, format: Format, ctx: &ViewContext) -> String {
    // The weightiest first; within a kind the fleet's order.
    let mut all: Vec<&Decision> = report.decisions.iter().collect();
    all.sort_by_key(|d| d.kind);
    let shown: Vec<&Decision> = all.iter().copied().filter(|d| is_worth_a_line(d)).collect();
    let page = Page {
        view: "policy",
        basis: BASIS.to_owned(),
        readings: report.readings,
        errors: errors(report.errors),
        rows: report.decisions.iter().map(|d| row(report, d)).collect(),
        more: vec![
            ("policy", json!(report.policy.name)),
            ("policy_sha256", json!(report.sha256)),
            ("rules", json!(report.rules)),
            ("caps", json!(report.caps)),
            ("stops", json!(stops(report))),
            ("applied", json!(report.applied)),
            ("refusals", json!(report.refusals)),
            ("runs", json!(report.runs)),
        ],
        sheet: Some(sheet(report, &shown, ctx)),
        records: Some(sheet(report, &all, ctx)),
        notes: notes(report, ctx),
        ..Page::default()
    };
    write(&page, format, ctx)
}

/// Rows with a mark, rows that something happens to, and rows that wait for a word of somebody.
fn is_worth_a_line(d: &Decision) -> bool {
    d.kind != DecisionKind::Nothing
        || d.wants_justification
        || d.row.instance.tags.get(EXPIRES_TAG).is_some()
}

fn rule<'a>(report: &'a PolicyReport<'_>, d: &Decision) -> Option<&'a str> {
    d.rule.and_then(|i| report.policy.rules.get(i)).map(|r| r.name.as_str())
}

fn sheet(report: &PolicyReport<'_>, shown: &[&Decision], ctx: &ViewContext) -> Sheet {
    let columns = vec![
        left("decision", "DO"),
        left("outcome", "OUTCOME"),
        left("instance_id", "ID"),
        left("name", "NAME"),
        left("instance_type", "TYPE"),
        right("usd_per_hour", "$/H"),
        left("rule", "RULE"),
        left("ends", "ENDS"),
        left("reason", "WHY"),
    ];
    let unknown = ctx.symbols.unknown();
    let cells = |d: &&Decision| {
        let outcome = report.outcomes.get(&d.row.instance.id);
        let usd = d.row.usd_per_hour();
        let why = match outcome {
            Some(o) if !o.text.is_empty() => format!("{}; {}", d.reason, o.text),
            _ => d.reason.clone(),
        };
        vec![
            Cell::text(d.kind.word()),
            Cell::text(outcome.map_or(unknown, |o| o.kind.word())),
            Cell::text(&*d.row.instance.id),
            Cell::text(&*d.row.instance.name),
            Cell::text(&*d.row.instance.instance_type),
            Cell {
                shown: usd.map_or_else(|| unknown.to_owned(), |u| format::grouped(u, 2)),
                value: usd.map_or(Value::Unknown, Value::Number),
            },
            Cell::text(rule(report, d).unwrap_or(unknown)),
            Cell {
                shown: d.ends.map_or_else(|| unknown.to_owned(), minute),
                value: Value::time(d.ends),
            },
            Cell::text(why),
        ]
    };
    Sheet { columns, rows: shown.iter().map(cells).collect() }
}

fn minute(t: Timestamp) -> String {
    t.strftime("%Y-%m-%d %H:%MZ").to_string()
}

fn notes(report: &PolicyReport<'_>, ctx: &ViewContext) -> Vec<String> {
    let dot = ctx.symbols.separator();
    let count = |kind| report.decisions.iter().filter(|d| d.kind == kind).count();
    let counts: Vec<String> = DecisionKind::ALL
        .into_iter()
        .map(|k| (count(k), k.word()))
        .filter(|(n, _)| *n > 0)
        .map(|(n, word)| format!("{n} {word}"))
        .collect();
    let mode = if report.applied { "applied" } else { "a dry run, nothing was done" };
    let counts =
        if counts.is_empty() { "no instance".to_owned() } else { counts.join(&format!(" {dot} ")) };
    let mut notes = vec![format!("policy {}: {counts} {dot} {mode}", report.policy.name)];
    notes.extend(report.rules.iter().flat_map(|r| r.lines(ctx.symbols.ellipsis())));
    let stops = stops(report);
    if !stops.is_empty() {
        notes.push("to be stopped:".to_owned());
    }
    notes.extend(chosen_lines(&stops, report.caps, ctx));
    if report.applied && !report.outcomes.is_empty() {
        let all: Vec<Outcome> = report.outcomes.values().cloned().collect();
        notes.push(outcome::counts(&all, ctx));
    }
    let production = report.decisions.iter().filter(|d| d.wants_justification).count();
    if production > 0 {
        notes.push(format!(
            "! {production} idle in production: a policy never stops them; somebody says why in a \
             plan, `burntop plan idle --id … --justification …`"
        ));
    }
    notes.extend(report.refusals.iter().map(|r| format!("! {r}")));
    notes.extend(
        report.runs.iter().map(|r| format!("run {r}: `burntop audit show {r}` has the way back")),
    );
    notes.extend(report.errors.iter().map(|e| format!("! {}", e.line())));
    notes
}

/// Rows to be stopped, by environment.
fn stops(report: &PolicyReport<'_>) -> Vec<EnvironmentCount> {
    let stops = report.decisions.iter().filter(|d| d.kind == DecisionKind::Stop);
    by_environment(stops.map(|d| Chosen {
        id: &d.row.instance.id,
        name: &d.row.instance.name,
        environment: d.row.environment.as_deref(),
        production: d.production,
    }))
}

fn row(report: &PolicyReport<'_>, d: &Decision) -> Json {
    let i = &*d.row.instance;
    let outcome = report.outcomes.get(&i.id);
    let verdict = d.row.verdict.as_deref();
    json!({
        "account": i.scope.account,
        "region": i.scope.region,
        "instance_id": i.id,
        "name": i.name,
        "instance_type": i.instance_type,
        "verdict": verdict.map(|v| v.kind.name()),
        "idle_since": verdict.and_then(|v| v.idle_since).map(|t| t.to_string()),
        "usd_per_hour": number(d.row.usd_per_hour()),
        "decision": d.kind.word(),
        "reason": d.reason,
        "rule": rule(report, d),
        "ends": d.ends.map(|t| t.to_string()),
        "environment": d.row.environment,
        "production": d.production,
        "wants_justification": d.wants_justification,
        "outcome": outcome.map(|o| o.kind.word()),
        "outcome_text": outcome.map(|o| &o.text),
    })
}
