//! Lifecycle rules: what the linter found, what a simulation found, what a plan would change.

use serde_json::{Map, Value as Json, json};

use super::json::envelope;
use super::sheet::{Cell, Column, Sheet, rounded};
use super::{Format, csv, markdown, text};
use crate::analyze::storage::lifecycle::simulate::{Counted, RunLoss, Simulated};
use crate::analyze::storage::lifecycle::{LintFinding, Severity, Verdict};
use crate::domain::storage::{S3Prices, size_words};
use crate::domain::text::{clean, for_output};
use crate::domain::{Provenance, Reading};
use crate::view::{Align, Value, ViewContext, format};

/// What a linter found in a file.
#[derive(Clone, Copy, Debug)]
pub struct LintReport<'a> {
    /// Findings, in the order of the rules.
    pub findings: &'a [LintFinding],
    /// Rules in the file.
    pub rules: usize,
    /// Prices behind the dollars; `None` when there are none.
    pub prices: Option<&'a S3Prices>,
    /// Why the sizes are not all, if so.
    pub partial: Option<&'a str>,
}

/// What a simulation found.
#[derive(Clone, Copy, Debug)]
pub struct SimulationReport<'a> {
    /// The simulation.
    pub simulated: &'a Simulated,
    /// What runs lose; `None` when nobody looked for runs.
    pub losses: Option<&'a [RunLoss]>,
    /// Errors of the linter: S3 would refuse what was played.
    pub refused: usize,
    /// Prices behind the dollars.
    pub prices: Option<&'a S3Prices>,
    /// The list.
    pub bucket: &'a str,
    /// Why the list is not all, if so.
    pub partial: Option<&'a str>,
}

/// What a plan would change.
#[derive(Clone, Copy, Debug)]
pub struct PlanReport<'a> {
    /// The verdict.
    pub verdict: &'a Verdict,
    /// The bucket.
    pub bucket: &'a str,
    /// Further reasons against putting it: what was guessed in the file.
    pub blocked: &'a [String],
    /// Files that were written.
    pub files: &'a [String],
    /// The simulation on an inventory.
    pub simulation: Option<SimulationReport<'a>>,
}

/// The findings of a linter.
pub fn lint_findings(report: LintReport<'_>, format: Format, ctx: &ViewContext) -> String {
    let sheet = findings_sheet(report.findings);
    let count = |s: Severity| report.findings.iter().filter(|f| f.severity == s).count();
    let footer = |bullet: &str| {
        let mut lines = vec![format!(
            "{} rules: {} errors, {} warnings, {} infos",
            report.rules,
            count(Severity::Error),
            count(Severity::Warning),
            count(Severity::Info)
        )];
        lines.push(basis(report.prices));
        lines.extend(report.partial.map(|p| format!("PARTIAL: {}", clean(p))));
        lines.iter().map(|l| markdown::note(bullet, l)).collect::<String>()
    };
    match format {
        Format::Csv => csv::table(&sheet),
        Format::Table => format!("{}\n{}", text::table(&sheet), footer("")),
        Format::Md => format!("{}\n{}", markdown::table(&sheet), footer("- ")),
        Format::Json => {
            let mut more = Map::new();
            more.insert("findings".into(), findings_json(report.findings));
            more.insert("partial".into(), json!(report.partial.map(clean)));
            envelope("storage-lint", Vec::new(), more, &basis(report.prices), NONE, ctx)
        }
    }
}

/// No reading: the report is about files.
const NONE: &[Reading] = &[];

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
    Cell { shown: size_words(n as f64), value: Value::Number(n as f64) }
}

fn basis(prices: Option<&S3Prices>) -> String {
    let Some(prices) = prices else {
        return "no dollars: no sizes or no prices; a month is 730 h".to_owned();
    };
    let from = match &prices.provenance {
        Provenance::Live { at } => format!("live, {at}"),
        Provenance::Embedded { date } => format!("list of {date}"),
        Provenance::Demo => "of the demo".to_owned(),
    };
    format!(
        "USD at S3 list price of {} ({from}), volume tiers of this list alone; a month is 730 h, \
         GB is GiB",
        clean(&prices.region)
    )
}

/// A simulation: rules as a table, then the months.
pub fn simulation(report: SimulationReport<'_>, format: Format, ctx: &ViewContext) -> String {
    match format {
        Format::Json => {
            let mut more = simulation_json(&report);
            let rows = match more.remove("rows") {
                Some(Json::Array(rows)) => rows,
                _ => Vec::new(),
            };
            envelope("storage-simulate", rows, more, &basis(report.prices), NONE, ctx)
        }
        Format::Csv => csv::table(&months_sheet(&report)),
        Format::Table => format!(
            "{}\n{}\n{}",
            text::table(&effects_sheet(&report)),
            text::table(&months_sheet(&report)),
            simulation_footer(&report, "")
        ),
        Format::Md => format!(
            "{}\n{}\n{}",
            markdown::table(&effects_sheet(&report)),
            markdown::table(&months_sheet(&report)),
            simulation_footer(&report, "- ")
        ),
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

fn simulation_footer(report: &SimulationReport<'_>, bullet: &str) -> String {
    let s = report.simulated;
    let mut lines = Vec::new();
    if report.refused > 0 {
        lines.push(format!(
            "S3 refuses these rules ({} errors, see `burntop storage lint`): played as if it took \
             them",
            report.refused
        ));
    }
    lines.push(match s.payback_month {
        Some(month) => format!("{}: pays back in month {month}", clean(report.bucket)),
        None => format!("{}: not paid back in {} months", clean(report.bucket), s.months.len()),
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
            size_words(loss.bytes as f64)
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
    lines.iter().map(|l| markdown::note(bullet, l)).collect()
}

fn counted(all: Counted) -> Json {
    json!({ "objects": all.objects, "bytes": all.bytes })
}

fn simulation_json(report: &SimulationReport<'_>) -> Map<String, Json> {
    let s = report.simulated;
    let usd = |u: Option<f64>| u.map(rounded);
    let rows: Vec<Json> = s
        .rules
        .iter()
        .map(|r| {
            let moves = r.moves.iter().map(
                |(t, all)| json!({ "tier": t.word(), "objects": all.objects, "bytes": all.bytes }),
            );
            json!({
                "rule": r.rule,
                "moves": moves.collect::<Vec<_>>(),
                "deleted": counted(r.deleted),
                "hidden": counted(r.hidden),
                "transition_usd": usd(r.transition_usd),
                "early_delete_usd": usd(r.early_delete_usd),
                "maybe_by_tag": counted(r.maybe_by_tag),
                "maybe_by_versions": counted(r.maybe_by_versions),
            })
        })
        .collect();
    let months: Vec<Json> = s
        .months
        .iter()
        .map(|m| {
            json!({
                "month": m.month,
                "stay_usd": usd(m.stay_usd),
                "storage_usd": usd(m.storage_usd),
                "fees_usd": usd(m.fees_usd),
                "saved_usd": usd(m.saved_usd),
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
    let mut out = Map::new();
    let mut put = |name: &str, value: Json| {
        out.insert(name.to_owned(), value);
    };
    put("rows", Json::Array(rows));
    put("bucket", json!(clean(report.bucket)));
    put("months", json!(months));
    put("payback_month", json!(s.payback_month));
    put("deleted", counted(s.deleted));
    put("unknown", counted(s.unknown));
    put("unpriced", counted(s.unpriced));
    put("delete_markers", json!(s.delete_markers));
    put("refused", json!(report.refused));
    put("runs", json!(losses));
    put("notes", json!(s.notes));
    put("partial", json!(report.partial.map(clean)));
    out
}

/// A plan: the diff, what speaks against it, what was written.
pub fn lifecycle_plan(report: PlanReport<'_>, format: Format, ctx: &ViewContext) -> String {
    let verdict = report.verdict;
    match format {
        Format::Json => plan_json(&report, ctx),
        Format::Csv => csv::table(&findings_sheet(&verdict.findings)),
        Format::Table | Format::Md => {
            let mut out = String::new();
            let fence = if format == Format::Md { "```diff\n" } else { "" };
            out.push_str(fence);
            for line in &verdict.diff {
                out.push_str(&format!("{} {}\n", line.kind.sign(), for_output(&line.text)));
            }
            out.push_str(if fence.is_empty() { "\n" } else { "```\n\n" });
            if !verdict.findings.is_empty() {
                let sheet = findings_sheet(&verdict.findings);
                let table =
                    if fence.is_empty() { text::table(&sheet) } else { markdown::table(&sheet) };
                out.push_str(&table);
                out.push('\n');
            }
            let bullet = if fence.is_empty() { "" } else { "- " };
            for line in plan_lines(&report) {
                out.push_str(&markdown::note(bullet, &line));
            }
            if let Some(played) = report.simulation {
                out.push('\n');
                out.push_str(&simulation(played, format, ctx));
            }
            out
        }
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

fn plan_json(report: &PlanReport<'_>, ctx: &ViewContext) -> String {
    let verdict = report.verdict;
    let rows = verdict
        .changes
        .iter()
        .map(|c| {
            let change = match c.change {
                crate::analyze::storage::lifecycle::Change::Kept => "kept",
                crate::analyze::storage::lifecycle::Change::Added => "added",
                crate::analyze::storage::lifecycle::Change::Removed => "removed",
                crate::analyze::storage::lifecycle::Change::Replaced => "replaced",
            };
            json!({ "rule": c.id, "change": change })
        })
        .collect();
    let blocked: Vec<String> = verdict
        .blocked
        .iter()
        .map(ToString::to_string)
        .chain(report.blocked.iter().map(|b| clean(b).into_owned()))
        .collect();
    let diff: Vec<String> =
        verdict.diff.iter().map(|l| format!("{} {}", l.kind.sign(), l.text)).collect();
    let mut more = Map::new();
    let mut put = |name: &str, value: Json| {
        more.insert(name.to_owned(), value);
    };
    put("bucket", json!(clean(report.bucket)));
    put("plan_hash", json!(verdict.plan_hash));
    put("before_sha256", json!(verdict.before_sha256));
    put("is_noop", json!(verdict.is_noop()));
    put("blocked", json!(blocked));
    put("owner", json!(verdict.owner.as_ref().map(|o| o.kind.name())));
    put(
        "quarantined",
        json!(
            verdict
                .quarantine
                .as_ref()
                .map_or(0, super::super::analyze::storage::lifecycle::quarantine::Quarantine::len)
        ),
    );
    put("findings", findings_json(&verdict.findings));
    put("diff", json!(diff));
    put("files", json!(report.files.iter().map(|f| clean(f)).collect::<Vec<_>>()));
    let simulated = report.simulation.map(|s| Json::Object(simulation_json(&s)));
    put("simulation", simulated.unwrap_or(Json::Null));
    let prices = report.simulation.and_then(|s| s.prices);
    envelope("storage-lifecycle-plan", rows, more, &basis(prices), NONE, ctx)
}

#[cfg(test)]
mod tests;
