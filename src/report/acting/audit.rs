//! `burntop audit`: the list of runs, and one run with its rows and the way back.

use jiff::Timestamp;
use serde_json::{Value as Json, json};

use super::runs::Run;
use super::{Trouble, left, outcome, plan, right};
use crate::act::exec::audit::{IntentRow, StorageIntentRow};
use crate::act::plan::storage::{Step, StorageUndo};
use crate::act::plan::{Authority, Outcome, OutcomeKind, Undo};
use crate::report::page::{Fact, Page};
use crate::report::sheet::{Cell, Sheet};
use crate::report::{Format, write};
use crate::view::{Value, ViewContext, format};

const BASIS: &str = "the audit log of this machine; an open row has an intent and no outcome yet";

/// Writes one row per run.
pub fn audit_list(runs: &[Run], errors: &[Trouble], format: Format, ctx: &ViewContext) -> String {
    let columns = vec![
        left("at", "WHEN"),
        left("run", "RUN"),
        left("verb", "WHAT"),
        right("rows", "ROWS"),
        right("done", "DONE"),
        right("refused", "REFUSED"),
        right("failed", "FAILED"),
        right("unknown", "UNKNOWN"),
        right("open", "OPEN"),
        left("executor", "THROUGH"),
        left("by", "BY"),
    ];
    let count = |n: usize| Cell { shown: n.to_string(), value: Value::Number(n as f64) };
    let cells = |run: &Run| {
        let unknown = ctx.symbols.unknown();
        vec![
            Cell::text(to_the_second(run.at)),
            Cell::text(run.id.as_str()),
            Cell::text(run.what().unwrap_or(unknown)),
            count(run.size()),
            count(run.count(OutcomeKind::Done)),
            count(run.count(OutcomeKind::Refused)),
            count(run.count(OutcomeKind::Failed)),
            count(run.count(OutcomeKind::Unknown)),
            count(run.open()),
            Cell::text(if run.executor.is_empty() { unknown } else { &run.executor }),
            Cell::text(if run.by.is_empty() { unknown.to_owned() } else { run.who() }),
        ]
    };
    let sheet = Sheet { columns, rows: runs.iter().map(cells).collect() };
    let mut notes = Vec::new();
    if runs.is_empty() {
        notes.push("nothing was done yet".to_owned());
    }
    let open: usize = runs.iter().map(Run::open).sum();
    if open > 0 {
        let rows = format::counted(open, "row has", "rows have");
        notes.push(format!("! {rows} no outcome; `burntop audit reconcile` finds it out"));
    }
    notes.extend(errors.iter().map(|e| format!("! {}", e.line())));
    let page = Page {
        view: "audit_list",
        basis: BASIS.to_owned(),
        errors: super::errors(errors),
        rows: runs.iter().map(summary).collect(),
        sheet: Some(sheet),
        notes,
        ..Page::default()
    };
    write(&page, format, ctx)
}

fn summary(run: &Run) -> Json {
    json!({
        "run": run.id,
        "at": run.at.to_string(),
        "plan": run.plan,
        "verb": run.verb.as_ref().map(|v| json!(v)).or(run.storage.first().map(|s| json!(s.0))),
        "by": run.who(),
        "from": run.from,
        "executor": run.executor,
        "rows": run.size(),
        "done": run.count(OutcomeKind::Done),
        "refused": run.count(OutcomeKind::Refused),
        "failed": run.count(OutcomeKind::Failed),
        "unknown": run.count(OutcomeKind::Unknown),
        "open": run.open(),
        "reconciled": run.reconciled,
    })
}

/// Writes one run: its rows, what the guards said, what became of them and the way back.
pub fn audit_show(run: &Run, format: Format, ctx: &ViewContext) -> String {
    let outcomes: Vec<Outcome> = run.outcomes.values().cloned().collect();
    let mut rows: Vec<Json> = run.rows.iter().map(|row| shown(run, row)).collect();
    rows.extend(run.storage.iter().map(|(_, step, row)| storage(run, *step, row)));
    let of_storage = |o: &Outcome| run.storage.iter().any(|s| *s.2.item.id() == o.id);
    let intended = |o: &&Outcome| run.rows.iter().any(|r| r.item.id == o.id) || of_storage(o);
    rows.extend(outcomes.iter().filter(|o| !intended(o)).map(outcome::json));
    let page = Page {
        view: "audit_show",
        basis: BASIS.to_owned(),
        rows,
        more: vec![
            ("run", summary(run)),
            ("justification", json!(run.justification)),
            ("authority", json!(run.authority)),
        ],
        facts: facts(run, ctx.symbols.unknown()),
        sheet: Some(outcome::sheet(&outcomes, ctx)),
        notes: outcome::notes(&outcomes, None, &[], ctx).into_iter().chain(after(run)).collect(),
        ..Page::default()
    };
    write(&page, format, ctx)
}

/// Facts about a run as a whole.
fn facts(run: &Run, unknown: &str) -> Vec<Fact> {
    let or_unknown =
        |text: &str| if text.is_empty() { unknown.to_owned() } else { text.to_owned() };
    let all = [
        ("run", run.id.clone()),
        ("plan", or_unknown(&run.plan)),
        ("when", to_the_second(run.at)),
        ("what", run.what().unwrap_or(unknown).to_owned()),
        ("by", or_unknown(&run.who())),
        ("from", or_unknown(&run.from)),
        ("through", or_unknown(&run.executor)),
        ("on the word of", run.authority.as_ref().map_or(unknown.to_owned(), word_of)),
        ("why", run.justification.clone()),
    ];
    // Only what stops or deletes production is asked for a reason.
    let said = all.into_iter().filter(|(_, text)| !text.is_empty());
    said.map(|(name, text)| Fact::new(name, name, Cell::text(text))).collect()
}

/// Notes on rows without an outcome, and the way back.
fn after(run: &Run) -> Vec<String> {
    let mut out = Vec::new();
    let open: Vec<&str> = run
        .rows
        .iter()
        .filter(|r| !run.outcomes.contains_key(&r.item.id))
        .map(|r| &*r.item.id)
        .chain(run.storage_open.values().map(|id| &**id))
        .collect();
    if !open.is_empty() {
        out.push(format!("! no outcome yet: {}", open.join(", ")));
    }
    let back = run.way_back();
    if !back.is_empty() {
        out.extend([String::new(), "The way back:".to_owned()]);
        out.extend(back.iter().map(|command| format!("  {command}")));
    }
    out
}

/// A row about storage, once per call.
fn storage(run: &Run, step: Step, row: &StorageIntentRow) -> Json {
    let outcome = run.outcomes.get(row.item.id());
    json!({
        "account": row.item.scope.account,
        "region": row.item.scope.region,
        "id": row.item.id(),
        "step": step,
        "findings": row.findings,
        "outcome": outcome.map(|o| o.kind),
        "text": outcome.map(|o| &o.text),
        "request_ids": outcome.map(|o| o.request_ids.clone()).unwrap_or_default(),
        "undo": row.undo.as_ref().map(StorageUndo::commands).unwrap_or_default(),
    })
}

/// For people; JSON has the time as the log has it.
pub(super) fn to_the_second(at: Timestamp) -> String {
    format!("{at:.0}")
}

/// On whose word a run went.
pub(super) fn word_of(authority: &Authority) -> String {
    match authority {
        Authority::Person => "the person at the screen".to_owned(),
        Authority::Approval(approval) => {
            let mut names: Vec<&str> = approval.approver.values().map(|arn| &**arn).collect();
            names.sort_unstable();
            names.dedup();
            let signed = if approval.signature.is_some() { ", signed" } else { "" };
            let at = to_the_second(approval.approved_at);
            format!("{} ({at}{signed})", names.join(", "))
        }
    }
}

fn shown(run: &Run, row: &IntentRow) -> Json {
    let mut fields = plan::item(&row.item);
    let outcome = run.outcomes.get(&row.item.id);
    fields.extend([
        ("findings", json!(row.findings)),
        ("outcome", json!(outcome.map(|o| o.kind))),
        ("text", json!(outcome.map(|o| &o.text))),
        ("request_ids", json!(outcome.map(|o| o.request_ids.clone()).unwrap_or_default())),
        ("undo", json!(row.undo.as_ref().map(Undo::commands).unwrap_or_default())),
    ]);
    Json::Object(fields.into_iter().map(|(k, v)| (k.to_owned(), v)).collect())
}

#[cfg(test)]
pub(super) mod tests {
    use super::super::runs::runs;
    use super::*;
    use crate::act::exec::audit::{Body, Line};
    use crate::act::plan::{ActApi, Verb};
    use crate::domain::{InstanceState, Scope};
    use crate::view::fixture::ctx;

    fn line(seq: u64, body: Body) -> Line {
        let at: Timestamp = "2026-03-01T12:00:00Z".parse().unwrap();
        Line { seq, at, prev: String::new(), body, hash: String::new() }
    }

    fn row(id: &str) -> IntentRow {
        let scope = Scope::new("123456789012", "eu-west-1");
        let item = serde_json::from_value(json!({
            "id": id, "scope": scope, "az": "eu-west-1a", "name": "n", "instance_type": "g5.xlarge",
            "state": "running", "launched_at": "2026-01-01T00:00:00Z", "verdict": "idle",
            "idle_since": null, "judged_until": null, "evidence_sha256": "", "usd_per_hour": 1.0,
            "net_usd_per_hour": null, "covered_by": "",
            "price_basis": "", "production": false,
        }));
        let undo = Undo::Start { scope, id: id.into() };
        IntentRow { item: item.unwrap(), findings: vec![], undo: Some(undo) }
    }

    fn outcome(id: &str, kind: OutcomeKind) -> Outcome {
        Outcome {
            id: id.into(),
            scope: Scope::new("123456789012", "eu-west-1"),
            kind,
            text: "seen".into(),
            state: Some(InstanceState::Stopped),
            request_ids: vec!["r-1".into()],
            at: "2026-03-01T12:01:00Z".parse().unwrap(),
        }
    }

    /// Run a: one done, one failed, one open. Run b: refused before anything was called.
    pub fn log() -> Vec<Line> {
        let intent = Body::Intent {
            run: "a".into(),
            plan: "p".into(),
            verb: Verb::Stop,
            scope: Scope::new("123456789012", "eu-west-1"),
            az: "eu-west-1a".into(),
            via: ActApi::Ec2,
            by: "arn:aws:iam::123456789012:user/x".into(),
            from: "x@y".into(),
            executor: "live".into(),
            authority: Authority::Person,
            justification: "INC-7".into(),
            rows: vec![row("i-1"), row("i-2"), row("i-3")],
        };
        let outcomes = vec![outcome("i-1", OutcomeKind::Done), outcome("i-2", OutcomeKind::Failed)];
        let ended = Body::Outcome { run: "a".into(), intent: 1, outcomes, reconciled: false };
        let refused = Body::Refused {
            run: "b".into(),
            plan: "q".into(),
            outcomes: vec![outcome("i-9", OutcomeKind::Refused)],
        };
        vec![line(1, intent), line(2, ended), line(3, refused)]
    }

    #[test]
    fn runs_are_put_together_from_their_lines() {
        let runs = runs(&log());
        let counts: Vec<_> = runs
            .iter()
            .map(|r| (r.id.as_str(), r.size(), r.open(), r.count(OutcomeKind::Done)))
            .collect();
        assert_eq!(counts, [("b", 1, 0, 0), ("a", 3, 1, 1)], "the newest first");
        let json: Json =
            serde_json::from_str(&audit_list(&runs, &[], Format::Json, &ctx())).unwrap();
        assert_eq!(
            (&json["schema"], &json["rows"][1]["failed"]),
            (&json!("burntop/audit_list/1"), &json!(1))
        );
        let table = audit_list(&runs, &[], Format::Table, &ctx());
        assert!(table.contains("! 1 row has no outcome"), "{table}");
    }

    #[test]
    fn everybody_who_acted_is_named_and_times_are_to_the_second() {
        let mut log = log();
        for (seq, who) in [(4, "arn:aws:iam::210987654321:user/x"), (5, "")] {
            let mut other = log[0].clone();
            other.seq = seq;
            let Body::Intent { by, .. } = &mut other.body else { panic!() };
            if !who.is_empty() {
                *by = who.into();
            }
            log.push(other);
        }
        log[0].at = "2026-03-01T12:00:00.987654321Z".parse().unwrap();
        let runs = runs(&log);
        let run = runs.iter().find(|r| r.id == "a").unwrap();
        let both = "arn:aws:iam::123456789012:user/x, arn:aws:iam::210987654321:user/x";
        assert_eq!(run.who(), both);
        for text in
            [audit_list(&runs, &[], Format::Table, &ctx()), audit_show(run, Format::Table, &ctx())]
        {
            assert!(text.contains(both), "{text}");
            assert!(text.contains("2026-03-01T12:00:00Z") && !text.contains(".98"), "{text}");
        }
        let json = audit_list(&runs, &[], Format::Json, &ctx());
        assert!(json.contains("2026-03-01T12:00:00.987654321Z"), "{json}");
    }

    #[test]
    fn only_what_may_have_happened_is_undone() {
        let runs = runs(&log());
        let text = audit_show(&runs[1], Format::Table, &ctx());
        let back = text.split("The way back:").nth(1).unwrap();
        assert!(back.contains("i-1") && back.contains("i-3") && !back.contains("i-2"), "{text}");
        assert!(text.contains("no outcome yet: i-3") && text.contains("INC-7"), "{text}");
        let json: Json = serde_json::from_str(&audit_show(&runs[1], Format::Json, &ctx())).unwrap();
        assert_eq!(json["rows"].as_array().unwrap().len(), 3);
        assert_eq!(json["rows"][2]["outcome"], Json::Null, "{json:#}");
    }
}
