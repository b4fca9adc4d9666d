//! A plan about storage, and what became of it.
//!
//! | schema | holds |
//! |---|---|
//! | `burntop/storage_preflight/1` | a plan's rows with what the guards said |
//! | `burntop/storage_outcome/1` | what became of each row |

use serde_json::{Value as Json, json};

use super::plan::{chosen_lines, preflight};
use super::{PlanReport, Trouble, left, lines, outcome, right};
use crate::act::plan::storage::{
    CheckedStorage, Matter, Storage, StorageItem, StoragePlan, StorageUndo,
};
use crate::act::plan::{CapUse, Outcome, Preflighted, Severity};
use crate::domain::text;
use crate::report::page::Page;
use crate::report::sheet::{Cell, Sheet};
use crate::report::{Format, write};
use crate::view::{Value, ViewContext};

const BASIS: &str = "USD per month of 730 h at list price; a GB is a GiB; a gp3 volume is given the \
                     IOPS and the throughput that it had as gp2";

/// The outcome of a row that never left the preflight.
pub fn storage_blocked(row: &CheckedStorage, at: jiff::Timestamp) -> Outcome {
    outcome::refused(row.item.id(), &row.item.scope, row.reason(), at)
}

/// The row in a few words.
fn what(item: &StorageItem) -> String {
    match &item.matter {
        Matter::Volume(v) => {
            let was = format!("{} GiB {}", v.size_gib, v.volume_type.api());
            match v.target {
                None => was,
                Some(t) => format!("{was} to gp3 {} IOPS {} MiB/s", t.iops, t.throughput_mibps),
            }
        }
        Matter::Bucket(b) => {
            let before = b.before.as_ref().map_or(0, |l| l.rules.len());
            format!("{before} rules to {}", b.after.rules.len())
        }
    }
}

/// The rows of a plan, what they are by environment, and the caps, for who approves it.
pub fn rows_of_storage_plan(plan: &StoragePlan, caps: &[CapUse], ctx: &ViewContext) -> String {
    let columns = vec![
        left("id", "ID"),
        left("account", "ACCOUNT"),
        left("region", "REGION"),
        left("what", "WHAT"),
        right("usd_per_month", "SAVES $/MO"),
    ];
    let cells = |item: &StorageItem| {
        vec![
            Cell::text(&**item.id()),
            Cell::text(&*item.scope.account),
            Cell::text(&*item.scope.region),
            Cell::text(what(item)),
            usd(item.usd_per_month, ctx),
        ]
    };
    let sheet = Sheet { columns, rows: plan.items.iter().map(cells).collect() };
    let notes = chosen_lines(&plan.environments(), caps, ctx);
    let mut out = lines(sheet, notes, ctx);
    for bucket in plan.items.iter().filter_map(StorageItem::bucket) {
        let none = crate::domain::storage::Lifecycle::default();
        let before = bucket.before.as_ref().unwrap_or(&none);
        for line in crate::analyze::storage::lifecycle::diff_lines(before, &bucket.after) {
            out.push(line.kind.sign());
            out.push(' ');
            out.push_str(&line.text);
            out.push('\n');
        }
    }
    out
}

fn usd(usd: Option<f64>, ctx: &ViewContext) -> Cell {
    match usd {
        None => Cell { shown: ctx.symbols.unknown().to_owned(), value: Value::Unknown },
        Some(usd) => Cell { shown: format!("{usd:.2}"), value: Value::Number(usd) },
    }
}

/// Writes what the preflight of a plan found.
pub fn storage_plan(
    checked: &Preflighted<Storage>,
    report: &PlanReport,
    format: Format,
    ctx: &ViewContext,
) -> String {
    let columns = vec![
        left("id", "ID"),
        left("region", "REGION"),
        left("what", "WHAT"),
        right("usd_per_month", "SAVES $/MO"),
        left("checks", "CHECKS"),
        left("text", "WHY"),
    ];
    let cells = |row: &CheckedStorage| {
        let worst = row.findings.first();
        let word = match worst.map(|f| f.severity) {
            Some(Severity::Block) => "blocked",
            Some(Severity::Warn) => "look twice",
            _ => "passed",
        };
        vec![
            Cell::text(&**row.item.id()),
            Cell::text(&*row.item.scope.region),
            Cell::text(what(&row.item)),
            usd(row.item.usd_per_month, ctx),
            Cell::text(word),
            Cell::text(worst.map(|f| f.text.as_str()).unwrap_or_default()),
        ]
    };
    let sheet = Sheet { columns, rows: checked.rows.iter().map(cells).collect() };
    let environments = going(checked).environments();
    let mut notes = chosen_lines(&environments, &checked.caps, ctx);
    notes.extend(checked.breaches.iter().map(|b| format!("! {b}")));
    for row in &checked.rows {
        for finding in row.findings.iter().skip(1) {
            notes.push(format!("{}: {}", row.item.id(), finding.text));
        }
    }
    notes.extend(report.errors.iter().map(|e| format!("! {}", e.line())));
    let page = Page {
        view: "storage_preflight",
        basis: BASIS.to_owned(),
        rows: checked.rows.iter().map(row).collect(),
        sheet: Some(sheet),
        notes,
        ..preflight(checked, head(&checked.plan), &environments, report)
    };
    write(&page, format, ctx)
}

/// The plan without rows that are blocked whoever acts: what would go if armed.
fn going(checked: &Preflighted<Storage>) -> StoragePlan {
    let rows = checked.rows.iter().filter(|r| r.reason_for_anybody().is_none());
    let items = rows.map(|r| (*r.item).clone()).collect();
    StoragePlan { items, ..(*checked.plan).clone() }
}

/// The plan's own words, without its rows.
pub(super) fn head(plan: &StoragePlan) -> Json {
    json!({
        "verb": plan.verb,
        "created_at": plan.created_at.to_string(),
        "expires_at": plan.expires_at.to_string(),
        "justification": plan.justification,
    })
}

/// A row as the plan has it.
pub(super) fn item(item: &StorageItem) -> Json {
    json!({
        "id": item.id(),
        "account": item.scope.account,
        "region": item.scope.region,
        "what": what(item),
        "usd_per_month": item.usd_per_month,
        "price_basis": item.price_basis,
        "production": item.production,
        "environment": item.environment,
    })
}

fn row(row: &CheckedStorage) -> Json {
    let mut out = item(&row.item);
    out["production"] = json!(row.production);
    out["blocked"] = json!(row.is_blocked());
    out["findings"] = json!(row.findings);
    out["undo"] = json!(row.undo.as_ref().map(StorageUndo::commands).unwrap_or_default());
    out
}

/// Writes the outcomes of one run.
pub fn storage_outcomes(
    all: &[Outcome],
    run: Option<&str>,
    errors: &[Trouble],
    format: Format,
    ctx: &ViewContext,
) -> String {
    const DONE: &str = "done is what was seen to be as it was asked for";
    let row = |o: &Outcome| {
        json!({
            "id": o.id,
            "account": o.scope.account,
            "region": o.scope.region,
            "outcome": o.kind,
            "text": text::clean(&o.text),
            "request_ids": o.request_ids,
            "at": o.at.to_string(),
        })
    };
    let columns = vec![
        left("outcome", "OUTCOME"),
        left("id", "ID"),
        left("account", "ACCOUNT"),
        left("region", "REGION"),
        left("text", "WHAT WAS SEEN"),
        left("request_ids", "REQUESTS"),
    ];
    let cells = |o: &Outcome| {
        vec![
            Cell::text(o.kind.word()),
            Cell::text(&*o.id),
            Cell::text(&*o.scope.account),
            Cell::text(&*o.scope.region),
            Cell::text(o.text.as_str()),
            Cell::text(o.request_ids.join(" ")),
        ]
    };
    let page = Page {
        view: "storage_outcome",
        basis: DONE.to_owned(),
        errors: super::errors(errors),
        rows: all.iter().map(row).collect(),
        more: vec![("run", json!(run))],
        sheet: Some(Sheet { columns, rows: all.iter().map(cells).collect() }),
        notes: outcome::notes(all, run, errors, ctx),
        ..Page::default()
    };
    write(&page, format, ctx)
}
