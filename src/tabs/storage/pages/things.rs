//! Pages of a volume or snapshot, a finding, a run, a pair of copies.

use std::sync::Arc;

use super::lifecycle::plan_hint;
use super::parts::{fact, finding as finding_lines, heading, paragraph, with_key};
use crate::analyze::storage::checkpoints::{Policy, RunPlan, Terms, plan};
use crate::analyze::storage::findings::{rule_of, usual_policy};
use crate::analyze::storage::lifecycle::print;
use crate::analyze::storage::picture::marginal_rates;
use crate::app::content::Line;
use crate::app::{Action, App, Role};
use crate::domain::storage::{Fate, FindingKind, Lifecycle, LifecycleRule};
use crate::fleet::storage::BucketRow;
use crate::tabs::storage::picture::{BlockField, CopyField, RunField, RunRow, strip, words};
use crate::view::{TableField, ViewContext, format};

fn gone() -> Vec<Line> {
    vec![Line::of(Role::Warn, "It is not there any more.")]
}

/// Each field of a row that is known, by its name in words.
pub(crate) fn all_fields<F: TableField>(
    row: &F::Row,
    ctx: &ViewContext,
    width: usize,
    lines: &mut Vec<Line>,
) {
    for field in F::all() {
        if !field.value(row, ctx).is_unknown() {
            fact(&field.spec().words(), &field.cell(row, ctx), width, lines);
        }
    }
}

/// A volume or snapshot.
pub(crate) fn block(app: &App, id: &Arc<str>, width: usize) -> Vec<Line> {
    let rows = &app.storage_tab().rows().blocks;
    let Some(row) = rows.iter().find(|r| r.id() == id) else { return gone() };
    let ctx = app.storage_context();
    let mut lines = vec![Line::of(Role::Heading, id.to_string())];
    all_fields::<BlockField>(row, &ctx, width, &mut lines);
    if row.findings().is_empty() {
        heading("No finding", &mut lines);
    } else {
        heading("Findings", &mut lines);
    }
    for f in row.findings() {
        finding_lines(f, &ctx, width, &mut lines);
    }
    lines
}

/// A finding.
pub(crate) fn finding(app: &App, id: &Arc<str>, width: usize) -> Vec<Line> {
    let rows = &app.storage_tab().rows().findings;
    let Some(row) = rows.iter().find(|r| r.id == *id) else { return gone() };
    let ctx = app.storage_context();
    let mut lines = vec![Line::of(Role::Heading, row.subject.to_string())];
    finding_lines(&row.finding, &ctx, width, &mut lines);
    if let Some(bytes) = row.finding.bytes {
        fact("bytes", &words::size(bytes as f64), width, &mut lines);
    }
    fact("where", &row.finding.scope.to_string(), width, &mut lines);
    if let Some((rule, bucket)) = rule_of(&row.finding).zip(row.bucket()) {
        // Of what is billed and not listed old versions may be a part.
        let what = match row.finding.kind {
            FindingKind::DarkBytes => "The rule that ends parts of uploads, to copy",
            _ => "The rule that ends it, to copy",
        };
        heading(with_key(app, what, Action::CopyId), &mut lines);
        paragraph(Role::Accent, &print::summary(&rule), width, &mut lines);
        let rules = Lifecycle { rules: vec![rule], minimum_size: None };
        // As it is: the blanks belong to it.
        let json = print::json(&rules);
        lines.extend(json.lines().map(|line| Line::new().text("  ").text(line.to_owned())));
        plan_hint(bucket, width, &mut lines);
    } else if row.finding.kind == FindingKind::PrunableCheckpoints {
        let text =
            "No lifecycle rule can say which steps stay. The pages of the training runs say it";
        lines.push(Line::new());
        paragraph(Role::Text, &with_key(app, text, Action::BucketRuns), width, &mut lines);
    }
    lines.push(Line::new());
    paragraph(Role::Dim, "enter goes to what it is about.", width, &mut lines);
    lines
}

/// A run with its steps.
pub(crate) fn run(app: &App, id: &Arc<str>, width: usize) -> Vec<Line> {
    let rows = &app.storage_tab().rows().runs;
    let Some(row) = rows.iter().find(|r| r.id == *id) else { return gone() };
    let ctx = app.storage_context();
    let policy = usual_policy();
    let plan = plan_of(app, row, &policy);
    let mut lines = vec![Line::of(Role::Heading, format!("{}/{}", row.bucket, row.prefix))];
    all_fields::<RunField>(row, &ctx, width, &mut lines);
    heading("Its steps, oldest first", &mut lines);
    let room = width.saturating_sub(4);
    lines.push(Line::new().text("  ").text(strip::strip(
        &row.run,
        plan.as_ref(),
        room,
        ctx.symbols,
    )));
    paragraph(Role::Dim, &strip::legend(ctx.symbols, plan.is_some()), width, &mut lines);
    if let Some(plan) = &plan {
        said_of_plan(plan, &policy, &ctx, width, &mut lines);
    }
    lines.push(Line::new());
    for step in &row.run.steps {
        let fate = plan.as_ref().map_or("", |p| fate_of(p, step.step));
        let whole = if step.complete { "" } else { "incomplete" };
        let metric = step.metric.map_or(String::new(), |m| format!("metric {m}"));
        lines.push(
            Line::new()
                .number(Role::Text, &format::grouped(step.step as f64, 0), 14)
                .number(Role::Text, &words::size(step.bytes as f64), 11)
                .number(Role::Dim, &format!("{} objects", words::count(step.objects as f64)), 16)
                .text("  ")
                .with(Role::Accent, format!("{fate:<14}"))
                .with(Role::Warn, whole.to_owned())
                .with(Role::Dim, metric),
        );
    }
    lines
}

fn fate_of(plan: &RunPlan, step: u64) -> &'static str {
    if plan.keep.contains(&step) {
        "kept"
    } else if plan.drop.contains(&step) {
        "would go"
    } else {
        plan.blocked.iter().find(|b| b.step == step).map_or("", |b| b.reason.word())
    }
}

fn said_of_plan(
    plan: &RunPlan,
    policy: &Policy,
    ctx: &ViewContext,
    width: usize,
    lines: &mut Vec<Line>,
) {
    let saves = ctx.symbols.or_unknown(plan.usd_per_month, words::usd);
    let text = format!(
        "With {} kept, {}, {} would go ({}), {} held back: saves {saves}/month.",
        policy.words(),
        format::counted(plan.keep.len(), "step stays", "steps stay"),
        plan.drop.len(),
        words::size(plan.bytes_dropped as f64),
        format::counted(plan.blocked.len(), "is", "are"),
    );
    paragraph(Role::Text, &text, width, lines);
    paragraph(
        Role::Dim,
        "`burntop storage checkpoints` plans with a policy of your own; burntop deletes no object.",
        width,
        lines,
    );
}

/// What the usual policy does to a run; `None` where nothing prices it.
fn plan_of(app: &App, row: &RunRow, policy: &Policy) -> Option<RunPlan> {
    let fleet = app.storage()?;
    let bucket: &Arc<BucketRow> = fleet.bucket(&row.bucket)?;
    let scan = fleet.scans.get(&row.bucket)?;
    let rates = marginal_rates(fleet.rates(&bucket.scope)?);
    let facts = bucket.facts.as_ref();
    let versioning = facts.and_then(|f| f.versioning.as_ref().ok()).copied();
    let expires = |r: &LifecycleRule| r.enabled && r.noncurrent_expiration.is_some();
    let lifecycle = facts.and_then(|f| f.lifecycle.as_ref().ok());
    let expires = lifecycle.map(|l| l.as_ref().is_some_and(|l| l.rules.iter().any(expires)));
    let fate = Fate::of(versioning, expires);
    let listed_ms = scan.listed_at.as_millisecond();
    Some(plan(&row.run, policy, &Terms { listed_ms, fate, rates: &rates }))
}

/// A pair of copies.
pub(crate) fn copy(app: &App, id: &Arc<str>, width: usize) -> Vec<Line> {
    let rows = &app.storage_tab().rows().copies;
    let Some(row) = rows.iter().find(|r| r.id == *id) else { return gone() };
    let ctx = app.storage_context();
    let mut lines = vec![Line::of(Role::Heading, format!("{} and its copy", row.prefix_a))];
    all_fields::<CopyField>(row, &ctx, width, &mut lines);
    lines.push(Line::new());
    let how = match row.pair.confidence.word() {
        "A" => "The digests and sizes are the same.",
        "B" => {
            "The digests of the parts and the sizes are the same: the same content, cut the same way."
        }
        "C" => {
            "Names and sizes are the same and no digest can tell: compare the content before you delete."
        }
        _ => "Only the sizes are the same. That is a hint, no more.",
    };
    paragraph(Role::Text, how, width, &mut lines);
    paragraph(
        Role::Dim,
        "Which one is read nobody here knows: see that before one of them goes.",
        width,
        &mut lines,
    );
    lines
}
