//! The parts of a GPU's page that are lists.

use crate::app::App;
use crate::app::Role;
use crate::app::content::{Line, wrap};
use crate::domain::GpuProcess;
use crate::tabs::gpus::picture::detail::{Fact, Health};
use crate::tabs::gpus::picture::{GpuDetail, GpuField, words};
use crate::view::{TableField, ViewContext, format};

/// Columns of a label.
const LABEL: usize = 20;

/// Processes that are listed; the rest is counted.
const PROCESSES: usize = 12;

/// Lines of a heading and its facts; none without facts.
pub fn list(title: &'static str, facts: &[Fact], width: usize) -> Vec<Line> {
    if facts.is_empty() {
        return Vec::new();
    }
    let mut lines = vec![Line::of(Role::Heading, title)];
    for fact in facts {
        labelled(fact.label, Role::Text, &fact.value, width, &mut lines);
    }
    lines
}

/// A label, and beside it what may need several lines.
fn labelled(label: &str, role: Role, text: &str, width: usize, lines: &mut Vec<Line>) {
    for (i, part) in
        wrap(text, width.saturating_sub(LABEL + 2).clamp(8, 60)).into_iter().enumerate()
    {
        let label = if i == 0 { label } else { "" };
        lines.push(Line::new().text("  ").column(Role::Dim, label, LABEL).with(role, part));
    }
}

/// Lines about errors and clocks.
pub fn health(health: &[Health], width: usize) -> Vec<Line> {
    let mut lines = vec![Line::of(Role::Heading, "Health")];
    if health.is_empty() {
        lines.push(Line::of(Role::Dim, "  no source tells of errors or clocks"));
    }
    for one in health {
        let role = if one.is_bad { Role::Crit } else { Role::Text };
        labelled(one.label, role, &one.text, width, &mut lines);
    }
    lines
}

/// Lines about processes on the GPU; `None` = no source reports processes.
pub fn processes(processes: Option<&[GpuProcess]>, width: usize, ctx: &ViewContext) -> Vec<Line> {
    let mut lines = vec![Line::of(Role::Heading, "Processes")];
    let Some(processes) = processes else {
        lines.push(Line::of(Role::Dim, "  no source tells of processes"));
        return lines;
    };
    if processes.is_empty() {
        lines.push(Line::of(Role::Text, "  none"));
    }
    for process in processes.iter().take(PROCESSES) {
        let known = |value: Option<f32>, words: fn(f64) -> String| {
            ctx.symbols.or_unknown(value.map(f64::from), words)
        };
        let command =
            if process.command.is_empty() { ctx.symbols.unknown() } else { &process.command };
        let user = process.user.as_deref().unwrap_or(ctx.symbols.unknown());
        let line = Line::new()
            .text("  ")
            .number(Role::Dim, &process.pid.to_string(), 8)
            .text("  ")
            .column(Role::Text, user, 10)
            .number(Role::Text, &known(process.sm, |v| format::share(v, 0)), 5)
            .number(Role::Text, &known(process.mem_mib, |v| format::gib(v * 1_048_576.0)), 10)
            .text("  ");
        let room = width.saturating_sub(39).clamp(8, 60);
        lines.push(line.text(crate::tabs::overview::pages::cut(command, room, ctx.symbols)));
    }
    if let Some(more) = processes.len().checked_sub(PROCESSES).filter(|n| *n > 0) {
        lines.push(Line::of(Role::Dim, format!("  and {more} more")));
    }
    lines
}

/// Lines about the sources that report the GPU, with the age of their readings.
pub fn sources(app: &App, page: &GpuDetail, width: usize) -> Vec<Line> {
    let mut lines = vec![Line::of(Role::Heading, "Sources, best first")];
    if page.sources.is_empty() {
        lines.push(Line::of(Role::Dim, "  none"));
    }
    for source in &page.sources {
        let age = format!("{} ago", format::age(source.age_s));
        labelled(&source.who, Role::Text, &age, width, &mut lines);
    }
    if app.is_from_cache() {
        lines.push(Line::of(Role::Dim, "  from the cache"));
    }
    lines
}

/// Lines about the other MIG slices of the same device; none without any.
pub fn siblings(app: &App, page: &GpuDetail, ctx: &ViewContext) -> Vec<Line> {
    let rows = app.gpu_rows();
    let others = page.siblings.iter().filter_map(|i| rows.get(*i as usize));
    let mut lines: Vec<Line> = others
        .map(|row| {
            Line::new()
                .text("  ")
                .column(Role::Text, &GpuField::Mig.cell(row, ctx), 12)
                .column(words::role(row.verdict.state), &words::cell(row, ctx.symbols), 15)
                .number(Role::Text, &GpuField::Effective.cell(row, ctx), 5)
                .number(
                    Role::Text,
                    &ctx.symbols.or_unknown(row.usd_per_hour, format::usd_per_hour),
                    11,
                )
        })
        .collect();
    if !lines.is_empty() {
        lines.insert(0, Line::of(Role::Heading, "Other slices of the device"));
    }
    lines
}
