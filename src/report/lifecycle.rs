//! Lifecycle rules: what the linter found, what a simulation found, what a plan would change.

use serde_json::{Value as Json, json};

use super::sheet::{Cell, Column, Sheet, rounded};
use super::{Notes, Report, markdown, text};
use crate::analyze::storage::lifecycle::quarantine::Quarantine;
use crate::analyze::storage::lifecycle::simulate::{Counted, RuleEffect, RunLoss, Simulated};
use crate::analyze::storage::lifecycle::{Change, DiffLine, LintFinding, Severity, Verdict};
use crate::domain::Provenance;
use crate::domain::storage::S3Prices;
use crate::domain::text::{clean, for_output};
use crate::view::{Align, Value, ViewContext, format};

/// Findings of the linter in a file of lifecycle rules.
#[derive(Clone, Copy, Debug)]
pub struct LintReport<'a> {
    /// Findings, in the order of the rules.
    pub findings: &'a [LintFinding],
    /// Number of rules in the file.
    pub rules: usize,
    /// Prices that dollars are computed with; `None` = no dollars.
    pub prices: Option<&'a S3Prices>,
    /// Why sizes are incomplete; `None` where they are complete.
    pub partial: Option<&'a str>,
}

/// Result of a simulation of lifecycle rules.
#[derive(Clone, Copy, Debug)]
pub struct SimulationReport<'a> {
    /// The simulation.
    pub simulated: &'a Simulated,
    /// Steps that training runs lose; `None` where runs were not searched for.
    pub losses: Option<&'a [RunLoss]>,
    /// Number of linter errors: S3 would refuse the simulated rules.
    pub refused: usize,
    /// Prices that dollars are computed with; `None` = no dollars.
    pub prices: Option<&'a S3Prices>,
    /// Name of the bucket or path of the list.
    pub bucket: &'a str,
    /// Why the list is incomplete; `None` where it is complete.
    pub partial: Option<&'a str>,
}

/// Changes that a plan of lifecycle rules makes to a bucket.
#[derive(Clone, Copy, Debug)]
pub struct PlanReport<'a> {
    /// Result of the merge.
    pub verdict: &'a Verdict,
    /// Name of the bucket.
    pub bucket: &'a str,
    /// Further reasons not to apply it: what was guessed in the file.
    pub blocked: &'a [String],
    /// Paths of the files that were written.
    pub files: &'a [String],
    /// Simulation on an inventory; `None` without one.
    pub simulation: Option<SimulationReport<'a>>,
}

/// The findings of a linter.
impl Report for LintReport<'_> {
    fn view(&self) -> &'static str {
        "storage-lint"
    }

    fn basis(&self) -> String {
        basis(self.prices)
    }

    fn beside(&self, _: &ViewContext) -> Vec<(&'static str, Json)> {
        vec![
            ("findings", findings_json(self.findings)),
            ("partial", json!(self.partial.map(clean))),
        ]
    }

    fn records(&self, _: &ViewContext) -> Sheet {
        findings_sheet(self.findings)
    }

    fn notes(&self, _: &ViewContext) -> Notes {
        let count = |s: Severity| self.findings.iter().filter(|f| f.severity == s).count();
        let mut lines = vec![format!(
            "{} rules: {} errors, {} warnings, {} infos",
            self.rules,
            count(Severity::Error),
            count(Severity::Warning),
            count(Severity::Info)
        )];
        lines.push(self.basis());
        lines.extend(self.partial.map(|p| format!("PARTIAL: {}", clean(p))));
        Notes::Apart(lines)
    }
}

fn findings_json(findings: &[LintFinding]) -> Json {
    let one = |f: &LintFinding| {
        json!({
            "rule": f.rule,
            "code": f.code.id(),
            "severity": f.severity.word(),
            "message": f.message,
            "usd_per_month": f.usd_per_month.map(rounded),
        })
    };
    findings.iter().map(one).collect()
}

fn findings_sheet(findings: &[LintFinding]) -> Sheet {
    let row = |f: &LintFinding| {
        vec![
            Cell::text(f.severity.word()),
            Cell::text(f.code.id()),
            Cell::text(f.rule.clone()),
            money(f.usd_per_month),
            Cell::text(f.message.clone()),
        ]
    };
    Sheet {
        columns: vec![
            column("severity", "severity", Align::Left),
            column("code", "code", Align::Left),
            column("rule", "rule", Align::Left),
            column("usd_per_month", "$/month", Align::Right),
            column("message", "what is so", Align::Left),
        ],
        rows: findings.iter().map(row).collect(),
    }
}

fn column(name: &'static str, header: &'static str, align: Align) -> Column {
    Column { name, header, align }
}

fn money(usd: Option<f64>) -> Cell {
    Cell {
        shown: usd.map_or_else(|| "–".to_owned(), format::usd),
        value: usd.map_or(Value::Unknown, |u| Value::Number(rounded(u))),
    }
}

fn number(n: u64) -> Cell {
    Cell { shown: format::count(n as f64), value: Value::Number(n as f64) }
}

fn bytes(n: u64) -> Cell {
    Cell { shown: format::bytes_binary(n as f64), value: Value::Number(n as f64) }
}

fn basis(prices: Option<&S3Prices>) -> String {
    let Some(prices) = prices else {
        return "no dollars: no sizes or no prices; a month is 730 h".to_owned();
    };
    let from = match &prices.provenance {
        Provenance::Live { at } => format!("live, {at}"),
        Provenance::Embedded { date } => format!("list of {date}"),
        Provenance::Demo => "of the demo".to_owned(),
        Provenance::Configured => "configured".to_owned(),
        Provenance::Bill { period } => format!("bill of {period}"),
    };
    format!(
        "USD at S3 list price of {} ({from}), volume tiers of this list alone; a month is 730 h, \
         GB is GiB",
        clean(&prices.region)
    )
}

/// A simulation: rules as a table, then the months.
impl Report for SimulationReport<'_> {
    fn view(&self) -> &'static str {
        "storage-simulate"
    }

    fn basis(&self) -> String {
        basis(self.prices)
    }

    fn rows(&self, _: &ViewContext, most: usize) -> Vec<Json> {
        self.simulated.rules.iter().take(most).map(effect_json).collect()
    }

    fn beside(&self, _: &ViewContext) -> Vec<(&'static str, Json)> {
        simulation_json(self)
    }

    fn records(&self, _: &ViewContext) -> Sheet {
        months_sheet(self)
    }

    fn notes(&self, _: &ViewContext) -> Notes {
        Notes::Apart(simulation_notes(self))
    }

    fn text(&self, ctx: &ViewContext) -> String {
        let [effects, months] =
            [effects_sheet(self), months_sheet(self)].map(|s| text::table(&s, ctx.width));
        format!("{effects}\n{months}{}", self.notes(ctx).text())
    }

    fn markdown(&self, ctx: &ViewContext) -> String {
        let [effects, months] =
            [effects_sheet(self), months_sheet(self)].map(|s| markdown::table(&s));
        format!("{effects}\n{months}{}", self.notes(ctx).markdown())
    }
}

fn effects_sheet(report: &SimulationReport<'_>) -> Sheet {
    let mut rows = Vec::new();
    for rule in &report.simulated.rules {
        let mut push = |what: String, all: Counted, usd: Option<f64>| {
            rows.push(vec![
                Cell::text(rule.rule.clone()),
                Cell::text(what),
                number(all.objects),
                bytes(all.bytes),
                money(usd),
            ]);
        };
        let before = [rule.deleted, rule.hidden, rule.maybe_by_tag, rule.maybe_by_versions];
        for (tier, all) in &rule.moves {
            push(format!("moves to {}", tier.word()), *all, None);
        }
        let words = [
            "deletes for good",
            "hides behind delete markers (0 bytes freed)",
            "may cover by tag; not played",
            "may cover by number of versions; not played",
        ];
        for (all, word) in before.into_iter().zip(words).filter(|(all, _)| all.objects > 0) {
            push(word.to_owned(), all, None);
        }
        let once = rule.transition_usd.zip(rule.early_delete_usd).map(|(a, b)| a + b);
        let acts = !rule.moves.is_empty() || rule.deleted.objects > 0;
        let word = if acts { "fees, once" } else { "does nothing here" };
        push(word.to_owned(), Counted::default(), once);
    }
    Sheet {
        columns: vec![
            column("rule", "rule", Align::Left),
            column("effect", "effect", Align::Left),
            column("objects", "objects", Align::Right),
            column("bytes", "size", Align::Right),
            column("usd_once", "$ once", Align::Right),
        ],
        rows,
    }
}

fn months_sheet(report: &SimulationReport<'_>) -> Sheet {
    let rows = report.simulated.months.iter().map(|m| {
        vec![
            number(u64::from(m.month)),
            money(m.stay_usd),
            money(m.storage_usd),
            money(m.fees_usd),
            money(m.saved_usd),
        ]
    });
    Sheet {
        columns: vec![
            column("month", "month", Align::Right),
            column("stay_usd", "$ as it is", Align::Right),
            column("storage_usd", "$ with rules", Align::Right),
            column("fees_usd", "$ fees", Align::Right),
            column("saved_usd", "$ saved so far", Align::Right),
        ],
        rows: rows.collect(),
    }
}

fn simulation_notes(report: &SimulationReport<'_>) -> Vec<String> {
    let s = report.simulated;
    let mut lines = Vec::new();
    if report.refused > 0 {
        lines.push(format!(
            "S3 refuses these rules ({}, see `burntop storage lint`): played as if it took them",
            format::plural(report.refused, "error")
        ));
    }
    lines.push(match s.payback_month {
        Some(month) => format!("{}: pays back in month {month}", clean(report.bucket)),
        None => {
            let months = format::plural(s.months.len(), "month");
            format!("{}: not paid back in {months}", clean(report.bucket))
        }
    });
    for loss in report.losses.unwrap_or_default() {
        let what = if loss.can_be_undone { "hides" } else { "DELETES FOR GOOD" };
        let last = if loss.takes_last { ", the newest complete one with them" } else { "" };
        lines.push(format!(
            "rule {} {what} {} of {} checkpoints of {} ({}{last})",
            loss.rule,
            loss.steps.len(),
            loss.of_steps,
            loss.run,
            format::bytes_binary(loss.bytes as f64)
        ));
    }
    if s.unknown.objects > 0 {
        let objects = format::count(s.unknown.objects as f64);
        lines.push(format!("{objects} objects whose date or size cannot be: not touched"));
    }
    if s.unpriced.objects > 0 {
        let objects = format::count(s.unpriced.objects as f64);
        lines.push(format!("{objects} objects without an S3 class: in no figure"));
    }
    lines.extend(s.notes.iter().cloned());
    lines.push(basis(report.prices));
    lines.extend(report.partial.map(|p| format!("PARTIAL: {}", clean(p))));
    lines
}

fn counted(all: Counted) -> Json {
    json!({ "objects": all.objects, "bytes": all.bytes })
}

fn money_json(usd: Option<f64>) -> Json {
    json!(usd.map(rounded))
}

/// Effect of a rule.
fn effect_json(rule: &RuleEffect) -> Json {
    let moves = rule
        .moves
        .iter()
        .map(|(t, all)| json!({ "tier": t.word(), "objects": all.objects, "bytes": all.bytes }));
    json!({
        "rule": rule.rule,
        "moves": moves.collect::<Vec<_>>(),
        "deleted": counted(rule.deleted),
        "hidden": counted(rule.hidden),
        "transition_usd": money_json(rule.transition_usd),
        "early_delete_usd": money_json(rule.early_delete_usd),
        "maybe_by_tag": counted(rule.maybe_by_tag),
        "maybe_by_versions": counted(rule.maybe_by_versions),
    })
}

fn simulation_json(report: &SimulationReport<'_>) -> Vec<(&'static str, Json)> {
    let s = report.simulated;
    let months: Vec<Json> = s
        .months
        .iter()
        .map(|m| {
            json!({
                "month": m.month,
                "stay_usd": money_json(m.stay_usd),
                "storage_usd": money_json(m.storage_usd),
                "fees_usd": money_json(m.fees_usd),
                "saved_usd": money_json(m.saved_usd),
            })
        })
        .collect();
    let losses = report.losses.map(|all| {
        all.iter()
            .map(|l| {
                json!({
                    "run": l.run,
                    "rule": l.rule,
                    "steps": l.steps.iter().map(|(step, _)| *step).collect::<Vec<_>>(),
                    "of_steps": l.of_steps,
                    "bytes": l.bytes,
                    "takes_last": l.takes_last,
                    "can_be_undone": l.can_be_undone,
                })
            })
            .collect::<Vec<_>>()
    });
    vec![
        ("bucket", json!(clean(report.bucket))),
        ("months", json!(months)),
        ("payback_month", json!(s.payback_month)),
        ("deleted", counted(s.deleted)),
        ("unknown", counted(s.unknown)),
        ("unpriced", counted(s.unpriced)),
        ("delete_markers", json!(s.delete_markers)),
        ("refused", json!(report.refused)),
        ("runs", json!(losses)),
        ("notes", json!(s.notes)),
        ("partial", json!(report.partial.map(clean))),
    ]
}

/// A plan: the diff, what speaks against it, what was written.
impl Report for PlanReport<'_> {
    fn view(&self) -> &'static str {
        "storage-lifecycle-plan"
    }

    fn basis(&self) -> String {
        basis(self.simulation.and_then(|s| s.prices))
    }

    fn rows(&self, _: &ViewContext, most: usize) -> Vec<Json> {
        let changes = self.verdict.changes.iter().take(most);
        changes.map(|c| json!({ "rule": c.id, "change": change_word(c.change) })).collect()
    }

    fn beside(&self, ctx: &ViewContext) -> Vec<(&'static str, Json)> {
        plan_json(self, ctx)
    }

    fn records(&self, _: &ViewContext) -> Sheet {
        findings_sheet(&self.verdict.findings)
    }

    fn notes(&self, _: &ViewContext) -> Notes {
        Notes::Apart(plan_lines(self))
    }

    fn text(&self, ctx: &ViewContext) -> String {
        let mut out = diff(self.verdict);
        if !self.verdict.findings.is_empty() {
            out = format!("{out}\n{}", text::table(&self.sheet(ctx), ctx.width));
        }
        out.push_str(&self.notes(ctx).text());
        if let Some(played) = self.simulation {
            out = format!("{out}\n{}", played.text(ctx));
        }
        out
    }

    fn markdown(&self, ctx: &ViewContext) -> String {
        let mut out = format!("```diff\n{}```\n", diff(self.verdict));
        if !self.verdict.findings.is_empty() {
            out = format!("{out}\n{}", markdown::table(&self.sheet(ctx)));
        }
        out.push_str(&self.notes(ctx).markdown());
        if let Some(played) = self.simulation {
            out = format!("{out}\n{}", played.markdown(ctx));
        }
        out
    }
}

fn diff(verdict: &Verdict) -> String {
    let line = |l: &DiffLine| format!("{} {}\n", l.kind.sign(), for_output(&l.text));
    verdict.diff.iter().map(line).collect()
}

fn change_word(change: Change) -> &'static str {
    match change {
        Change::Kept => "kept",
        Change::Added => "added",
        Change::Removed => "removed",
        Change::Replaced => "replaced",
    }
}

fn plan_lines(report: &PlanReport<'_>) -> Vec<String> {
    let verdict = report.verdict;
    let mut lines = Vec::new();
    let bucket = clean(report.bucket);
    if verdict.is_noop() {
        lines.push(format!("{bucket} already has these rules"));
    }
    lines.extend(verdict.blocked.iter().map(|b| format!("BLOCKED: {b}")));
    lines.extend(report.blocked.iter().map(|b| format!("BLOCKED: {}", clean(b))));
    if let Some(quarantine) = &verdict.quarantine {
        for filter in quarantine.filters() {
            lines.push(format!("never put, written to a file: {filter}"));
        }
    }
    lines.push(format!("present configuration: sha256 {}", verdict.before_sha256));
    lines.extend(report.files.iter().map(|f| format!("wrote {}", clean(f))));
    lines.push("nothing was changed in S3".to_owned());
    lines
}

fn plan_json(report: &PlanReport<'_>, ctx: &ViewContext) -> Vec<(&'static str, Json)> {
    let verdict = report.verdict;
    let blocked: Vec<String> = verdict
        .blocked
        .iter()
        .map(ToString::to_string)
        .chain(report.blocked.iter().map(|b| clean(b).into_owned()))
        .collect();
    let diff: Vec<String> =
        verdict.diff.iter().map(|l| format!("{} {}", l.kind.sign(), l.text)).collect();
    let simulated = report.simulation.map(|played| {
        let rows = [("rows", Json::Array(played.rows(ctx, usize::MAX)))];
        let all = rows.into_iter().chain(played.beside(ctx));
        Json::Object(all.map(|(name, value)| (name.to_owned(), value)).collect())
    });
    vec![
        ("bucket", json!(clean(report.bucket))),
        ("plan_hash", json!(verdict.plan_hash)),
        ("before_sha256", json!(verdict.before_sha256)),
        ("is_noop", json!(verdict.is_noop())),
        ("blocked", json!(blocked)),
        ("owner", json!(verdict.owner.as_ref().map(|o| o.kind.name()))),
        ("quarantined", json!(verdict.quarantine.as_ref().map_or(0, Quarantine::len))),
        ("findings", findings_json(&verdict.findings)),
        ("diff", json!(diff)),
        ("files", json!(report.files.iter().map(|f| clean(f)).collect::<Vec<_>>())),
        ("simulation", simulated.unwrap_or(Json::Null)),
    ]
}

#[cfg(test)]
mod tests;
