//! The page of one GPU.

use std::sync::Arc;

use super::facts;
use crate::app::App;
use crate::app::Role;
use crate::app::content::graph::Plot;
use crate::app::content::{Line, wrap};
use crate::domain::GpuHistory;
use crate::tabs::gpus::picture::detail::Component;
use crate::tabs::gpus::picture::{GpuDetail, GpuGraphPage, detail, words};
use crate::tabs::overview::pages::{GAP, beside, widest};
use crate::view::{Symbols, ViewContext, format};

/// Columns of a label, and of the value beside a bar or a graph.
const LABEL: usize = 20;
const VALUE: usize = 11;

/// Lines of the page of the GPU `id`; `history` is `None` until loaded.
pub fn page(app: &App, id: &Arc<str>, history: Option<&GpuHistory>, width: usize) -> Vec<Line> {
    let ctx = app.gpu_context();
    let at = app.gpu_rows().iter().position(|row| row.id == *id);
    let made = app.gpus().zip(at).and_then(|(gpus, at)| detail(gpus, at as u32, history, &ctx));
    let Some(page) = made else {
        return vec![
            Line::of(Role::Warn, format!("{id} is not among the GPUs any more.")),
            Line::of(Role::Dim, "Its host is gone, or no source tells of it now."),
        ];
    };
    let mut lines = head(&page, width);
    witnesses(&page, width, &mut lines);
    lines.push(Line::new());
    lines.extend(engines(&page, width, &ctx));
    lines.push(Line::new());
    match (&page.graphs, history) {
        (Some(graphs), _) => lines.extend(past(graphs, app, width)),
        (None, Some(_)) => {
            lines.push(Line::of(Role::Dim, "No source keeps a past of this GPU yet."));
        }
        (None, None) => lines.push(Line::of(Role::Dim, "Loading its past.")),
    }
    lines.push(Line::new());
    let mut left = facts::list("Gauges", &page.gauges, width);
    left.extend(facts::health(&page.health, width));
    left.extend(facts::processes(page.processes.as_deref(), width, &ctx));
    let mut right = facts::list("Money", &page.price, width);
    right.extend(facts::list("Whose", &page.owner, width));
    right.extend(facts::list("Which", &page.identity, width));
    right.extend(facts::list("Instance", &page.instance, width));
    right.extend(facts::sources(app, &page, width));
    right.extend(facts::siblings(app, &page, &ctx));
    let first = widest(&left) + GAP;
    if first + widest(&right) <= width {
        lines.extend(beside(left, right, first));
    } else {
        lines.extend(left);
        lines.extend(right);
    }
    lines
}

fn paragraph(role: Role, text: &str, indent: usize, width: usize, lines: &mut Vec<Line>) {
    for part in wrap(text, width.saturating_sub(indent)) {
        lines.push(Line::new().text(" ".repeat(indent)).with(role, part));
    }
}

/// Title, state with its money, why, what to do.
fn head(page: &GpuDetail, width: usize) -> Vec<Line> {
    let mut lines = Vec::new();
    paragraph(Role::Heading, &page.title, 0, width, &mut lines);
    let said = &page.conclusion;
    let mut state = Line::of(words::role(said.state), said.cell.clone());
    if let Some(span) = &said.idle_for {
        state = state.text(format!("  for {span}"));
    }
    let fact = |label: &str| page.price.iter().find(|f| f.label == label).map(|f| &f.value);
    if let Some(burns) = fact("burns") {
        state = state.with(Role::Heading, format!("  {burns}"));
    }
    if let Some(wasted) = fact("wasted since idle") {
        state = state.with(Role::Idle, format!(", {wasted} wasted"));
    }
    lines.push(state);
    paragraph(Role::Text, &said.reason, 0, width, &mut lines);
    if let Some(advice) = &said.advice {
        paragraph(Role::Accent, advice, 0, width, &mut lines);
    }
    if let Some(since) = said.since {
        paragraph(Role::Dim, since, 0, width, &mut lines);
    }
    if let Some(disagreement) = &page.disagreement {
        paragraph(Role::Warn, &format!("Sources disagree: {disagreement}"), 0, width, &mut lines);
    }
    lines
}

/// The evidence, what speaks for and against idle.
fn witnesses(page: &GpuDetail, width: usize, lines: &mut Vec<Line>) {
    let said = &page.conclusion;
    lines.push(Line::new());
    let noun = format::noun(said.samples as usize, "sample");
    let samples = format!(", {} {noun}", format::grouped(f64::from(said.samples), 0));
    let evidence = Line::of(Role::Heading, "Evidence").text(format!("  {}", said.evidence));
    lines.push(evidence.with(Role::Dim, samples));
    if let Some(band) = &said.band {
        paragraph(Role::Dim, band, 2, width, lines);
    }
    for (label, side, role) in
        [("idle: ", &said.for_idle, Role::Idle), ("against: ", &said.against, Role::Ok)]
    {
        for text in side {
            paragraph(role, &format!("{label}{text}"), 2, width, lines);
        }
    }
    if let Some(scheduled) = &said.scheduled {
        paragraph(Role::Warn, &format!("besides: {scheduled}"), 2, width, lines);
    }
    if let Some(raise) = said.raise {
        paragraph(Role::Dim, raise, 2, width, lines);
    }
}

/// What its engines do, a bar each; what is not known is said, not drawn.
fn engines(page: &GpuDetail, width: usize, ctx: &ViewContext) -> Vec<Line> {
    let whole = page.effective.map(f64::from);
    let known = ctx.symbols.or_unknown(whole, |v| format::share(v, 0));
    let mut title = Line::of(Role::Heading, "Effective use").text(format!("  {known}"));
    if let Some(bound) = page.tensor_bound {
        let bound = format::share(bound, 0);
        title = title.with(Role::Dim, format!("  model FLOPs at most {bound}"));
    }
    let mut lines = vec![title];
    let room = width.saturating_sub(2 + LABEL + VALUE + 2).min(50);
    lines.extend(page.components.iter().map(|c| engine(c, room, ctx)));
    lines
}

fn engine(component: &Component, room: usize, ctx: &ViewContext) -> Line {
    let share = component.value.map(f64::from);
    let value = ctx.symbols.or_unknown(share, |v| format::share(v, 0));
    let role = if component.counts { Role::Ok } else { Role::Dim };
    let length = (share.unwrap_or(0.0) * room as f64).round() as usize;
    let glyph = if ctx.symbols == Symbols::Ascii { "#" } else { "█" };
    Line::new()
        .text("  ")
        .column(Role::Text, component.label, LABEL)
        .number(role, &value, VALUE)
        .text("  ")
        .with(role, glyph.repeat(length.min(room)))
}

/// The past: a graph per signal on one axis of time, each with its last value and its largest.
fn past(page: &GpuGraphPage, app: &App, width: usize) -> Vec<Line> {
    let margin = 2 + LABEL + VALUE + 1;
    let Some(plot) = Plot::of_gpu(page, app.appearance(), width.saturating_sub(margin + 12)) else {
        return vec![Line::of(Role::Dim, "The graphs need more room.")];
    };
    let symbols = app.appearance().symbols;
    let words = |value: Option<f32>, unit: &str| {
        symbols.or_unknown(value.map(f64::from), |v| match unit {
            "%" => format::percent(v, 0),
            "MiB" => format::gib(v * 1_048_576.0),
            "B/s" => format!("{}/s", format::bytes(v)),
            unit => format!("{} {unit}", format::grouped(v, 0)).trim_end().to_owned(),
        })
    };
    let mut lines = vec![Line::of(Role::Heading, "Past").with(Role::Dim, "  now, graph, most")];
    for graph in &page.graphs {
        let line = Line::new()
            .text("  ")
            .column(Role::Text, graph.label, LABEL)
            .number(Role::Text, &words(graph.last, graph.unit), VALUE)
            .text(" ");
        let drawn = plot.draw(line, &graph.values, graph.ceiling);
        lines.push(drawn.with(Role::Dim, format!(" {}", words(graph.max, graph.unit))));
    }
    lines.extend(plot.axis(margin));
    lines
}
