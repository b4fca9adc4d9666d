//! The page that says why a resource idles: evidence, pattern, money, what to do.

use std::sync::Arc;

use super::gone;
use crate::app::App;
use crate::app::Role;
use crate::app::content::{Line, columns};
use crate::domain::{EvidenceRole, HOURS_PER_MONTH};
use crate::tabs::idle::picture::{EvidenceLine, Standing, evidence_lines};
use crate::tabs::savings::picture::{ResourceField, ResourceItem, resource_items};
use crate::tabs::storage::pages::parts::{fact, heading, paragraph, role_fact};
use crate::view::{TableField, ViewContext, format, reasons, verdict};

/// The page.
pub(crate) fn lines(app: &App, id: &Arc<str>, width: usize) -> Vec<Line> {
    let Some(savings) = app.savings() else { return gone() };
    // The page may be opened from elsewhere than its list.
    let items = resource_items(savings);
    let Some(item) = items.iter().find(|i| ResourceField::id(i) == id) else { return gone() };
    let ctx = app.savings_context();
    let (row, of) = (&item.row, &item.row.resource);
    let mut lines = vec![Line::of(Role::Heading, of.kind.label()).text(format!("  {}", of.name))];
    match row.verdict.as_deref() {
        Some(judged) => {
            let mut line = Line::of(verdict::role(judged.kind), verdict::cell(judged, ctx.symbols));
            if let Some(since) = judged.idle_since {
                let span = format::span(ctx.now.duration_since(since).as_secs());
                let span = format::at_least(span, judged.idle_since_at_least);
                line = line.text(format!("  for {span}"));
            }
            lines.push(line);
            paragraph(Role::Text, &reasons::verdict(&judged.reason), width, &mut lines);
        }
        None => paragraph(Role::Dim, "Not judged.", width, &mut lines),
    }
    if let Some(pattern) = row.pattern {
        role_fact(Role::Accent, "pattern", pattern.label(), width, &mut lines);
    }
    let fix = reasons::resource_fix(&row.fix);
    if !fix.is_empty() {
        fact("what to do", &fix, width, &mut lines);
    }
    evidence(item, &ctx, width, &mut lines);
    bill(item, &ctx, width, &mut lines);
    about(item, &ctx, width, &mut lines);
    lines
}

fn evidence(item: &ResourceItem, ctx: &ViewContext, width: usize, lines: &mut Vec<Line>) {
    let judged = item.row.verdict.as_deref();
    let tests = evidence_lines(judged, EvidenceRole::Test, ctx);
    let counters = evidence_lines(judged, EvidenceRole::Counter, ctx);
    if tests.is_empty() && counters.is_empty() {
        heading("No evidence was taken", lines);
    }
    let all = || tests.iter().chain(&counters);
    let widest = |of: fn(&EvidenceLine) -> &str| all().map(|e| columns(of(e))).max().unwrap_or(0);
    let label = widest(|e| &e.label) + 2;
    let statistic = if width >= 90 { widest(|e| &e.statistic) + 2 } else { 0 };
    let (value, threshold) = (widest(|e| &e.value), widest(|e| &e.threshold));
    let line = |e: &EvidenceLine| {
        let (role, word) = match e.standing {
            Standing::ForIdle => (Role::Idle, "quiet"),
            Standing::NotAlone => (Role::Idle, e.standing.word()),
            Standing::AgainstIdle => (Role::Ok, "in use"),
            Standing::TooFew | Standing::NoData => (Role::Warn, e.standing.word()),
        };
        let mut line = Line::new().text("  ").column(Role::Text, &e.label, label);
        if statistic > 0 {
            line = line.column(Role::Dim, &e.statistic, statistic);
        }
        line.number(role, &e.value, value)
            .number(Role::Dim, e.sign(ctx.symbols), 3)
            .text(" ")
            .number(Role::Dim, &e.threshold, threshold)
            .number(Role::Dim, &format!("{}/{}", e.got, e.expected), 9)
            .text("  ")
            .with(role, word)
    };
    if !tests.is_empty() {
        heading("Evidence", lines);
        lines.extend(tests.iter().map(line));
    }
    if !counters.is_empty() {
        heading("Counter-evidence", lines);
        lines.extend(counters.iter().map(line));
    }
    let not_checked = judged.map(|v| &*v.not_checked).unwrap_or_default();
    if !not_checked.is_empty() {
        heading("Not checked", lines);
        for what in not_checked {
            paragraph(Role::Dim, &reasons::unchecked(what), width, lines);
        }
    }
}

fn bill(item: &ResourceItem, ctx: &ViewContext, width: usize, lines: &mut Vec<Line>) {
    let (row, of) = (&item.row, &item.row.resource);
    heading("Money", lines);
    let month = |usd: f64| {
        let month = usd * HOURS_PER_MONTH;
        format!("{} ({}/month)", format::usd_per_hour(usd), format::usd_total(month))
    };
    let or = |usd: Option<f64>| ctx.symbols.or_unknown(usd, month);
    fact("bills", &or(of.usd_per_hour()), width, lines);
    let rate = |usd: f64| format!("{}/h", format::usd_rate(usd));
    for unit in &of.units {
        let usd = ctx.symbols.or_unknown(unit.usd_per_hour, rate);
        let text = format!("{} x {} at {usd}", format::count(unit.count), unit.what);
        fact("", &text, width, lines);
    }
    role_fact(Role::Idle, "waste, gross", &or(row.waste_usd_per_hour), width, lines);
    fact("net", &or(item.net_usd_per_hour), width, lines);
    if item.net_usd_per_hour.is_none() && row.waste_usd_per_hour.is_some() {
        let text =
            "A SageMaker Savings Plan may pay for it, or nobody could look: gross is not net.";
        paragraph(Role::Warn, text, width, lines);
    }
    if let Some(wasted) = row.wasted_usd {
        let at_least = row.verdict.as_deref().is_some_and(|v| v.idle_since_at_least);
        let usd = format::at_least(format::usd_total(wasted), at_least);
        fact("wasted", &format!("{usd} so far"), width, lines);
    }
}

fn about(item: &ResourceItem, ctx: &ViewContext, width: usize, lines: &mut Vec<Line>) {
    let of = &item.row.resource;
    heading("What is known of it", lines);
    fact("id", &of.id, width, lines);
    fact("state", &of.state, width, lines);
    fact("where", &of.scope.to_string(), width, lines);
    if let Some(team) = &item.row.team {
        fact("team", team, width, lines);
    }
    for field in [ResourceField::Created, ResourceField::Used] {
        if !field.value(item, ctx).is_unknown() {
            fact(field.spec().name, &field.cell(item, ctx), width, lines);
        }
    }
    match &of.serves {
        None => fact("serves", ctx.symbols.unknown(), width, lines),
        Some(none) if none.is_empty() => fact("serves", "nothing", width, lines),
        Some(all) => fact("serves", &all.join(", "), width, lines),
    }
}
