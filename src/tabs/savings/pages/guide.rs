//! The guide as a page: the inputs as sliders, the memory it needs, which types do it and why others
//! do not.

use crate::analyze::rightsize::guide::{Guide, GuideCandidate, InputSpec, Task};
use crate::app::App;
use crate::app::Role;
use crate::app::content::Line;
use crate::tabs::overview::pages::cut;
use crate::tabs::savings::pages::bar;
use crate::tabs::savings::picture::{GuideRow, guide_rows};
use crate::tabs::storage::pages::parts::{heading, paragraph};
use crate::view::{Symbols, ViewContext, format, reasons};

/// Columns of names and values.
const NAME: usize = 26;
const VALUE: usize = 18;
/// Columns of a bar.
const BAR: usize = 16;
/// Types that are named.
const TYPES: usize = 12;
const REJECTED: usize = 8;

/// The page, and the line of the input under the cursor.
pub fn guide(app: &App, width: usize) -> (Vec<Line>, usize) {
    let ctx = app.view_context();
    let form = app.guide();
    let mut lines = vec![
        bar(app, width),
        Line::of(Role::Heading, "Which instance does a model need?")
            .with(Role::Dim, "  + - move, = types, none takes back"),
    ];
    let answer = app.guide_answer();
    if let Some(answer) = &answer {
        lines.push(best(answer, ctx.symbols));
    }
    let first = lines.len();
    for row in guide_rows() {
        lines.push(input(app, row, width, &ctx));
    }
    if let GuideRow::Number(spec) = form.row() {
        paragraph(Role::Dim, &plain(spec.hint, ctx.symbols), width, &mut lines);
    }
    match &answer {
        Some(answer) => said(app, answer, &ctx, width, &mut lines),
        None => {
            lines.push(Line::new());
            paragraph(Role::Dim, "No prices are known yet.", width, &mut lines);
        }
    }
    (lines, first + form.cursor())
}

/// The answer in a line, in sight while the inputs move.
fn best(answer: &Guide, symbols: Symbols) -> Line {
    let needs = format::bytes_binary(answer.memory.total());
    let line = Line::new().text("  ");
    match answer.candidates.first() {
        Some(best) => line
            .with(Role::Accent, format!("{} x {}", best.boxes, best.instance_type))
            .text(format!("  {}", format::usd_per_hour(best.total_usd_per_hour)))
            .with(Role::Dim, format!("  {} {needs} of GPU memory", symbols.separator())),
        None => line
            .with(Role::Warn, "no type that is priced here does it")
            .with(Role::Dim, format!("  {} {needs} of GPU memory", symbols.separator())),
    }
}

/// Text that a terminal without Unicode shows.
fn plain(text: &str, symbols: Symbols) -> String {
    match symbols {
        Symbols::Unicode => text.to_owned(),
        Symbols::Ascii => text
            .chars()
            .map(|c| match c {
                '×' => 'x',
                '–' => '-',
                '≥' => '>',
                '≤' => '<',
                '√' => '^',
                '·' => '*',
                '…' => '~',
                c if c.is_ascii() => c,
                _ => '?',
            })
            .collect(),
    }
}

fn input(app: &App, row: GuideRow, width: usize, ctx: &ViewContext) -> Line {
    let ask = app.guide().ask();
    let unknown = ctx.symbols.unknown();
    let (name, value, given, spec): (&str, String, bool, Option<&InputSpec>) = match row {
        GuideRow::Task => ("task", ask.task.label().to_owned(), true, None),
        GuideRow::Precision => ("precision", ask.precision.word().to_owned(), true, None),
        GuideRow::Region => {
            let region = app.guide_region().map_or_else(|| unknown.to_owned(), |r| r.to_string());
            ("region", region, true, None)
        }
        GuideRow::Number(spec) => {
            let value = ask.value(spec.input);
            let text = value.map_or_else(|| unknown.to_owned(), |v| spec.unit.show(v));
            (spec.label, text, ask.given(spec.input).is_some(), Some(spec))
        }
    };
    let role = if given { Role::Heading } else { Role::Dim };
    let room = NAME.min(width.saturating_sub(VALUE + 2)).max(8);
    let mut line = Line::new().text("  ").column(Role::Text, &cut(name, room, ctx.symbols), room);
    if let Some(spec) = spec {
        line = line.number(role, &value, VALUE.min(width.saturating_sub(room + 2)));
        if let Some(value) = ask.value(spec.input)
            && NAME + VALUE + BAR + 6 <= width
        {
            line = line.with(Role::Ok, format!("  {}", slider(spec, value, ctx.symbols)));
        }
        line
    } else {
        line.with(role, format!("  {value}"))
    }
}

/// A knob on a scale of factors.
fn slider(spec: &InputSpec, value: f64, symbols: Symbols) -> String {
    let low = spec.low.max(spec.high * 1e-9).max(1e-9);
    let part = ((value.max(low) / low).ln() / (spec.high / low).ln()).clamp(0.0, 1.0);
    let at = (part * (BAR - 1) as f64).round() as usize;
    let (done, knob, rest) = match symbols {
        Symbols::Unicode => ("━", "●", "─"),
        Symbols::Ascii => ("=", "o", "-"),
    };
    format!("{}{knob}{}", done.repeat(at), rest.repeat(BAR - 1 - at))
}

fn said(app: &App, answer: &Guide, ctx: &ViewContext, width: usize, lines: &mut Vec<Line>) {
    heading(
        format!("It needs {} of GPU memory", format::bytes_binary(answer.memory.total())),
        lines,
    );
    for part in &answer.memory.parts {
        let text = plain(&reasons::memory_how(*part), ctx.symbols);
        let label = 18.min(width / 3);
        let room = width.saturating_sub(label + 16).max(8);
        let line = Line::new()
            .text("  ")
            .column(Role::Text, &cut(reasons::memory_part(*part), label, ctx.symbols), label)
            .number(Role::Text, &format::bytes_binary(part.bytes()), 10)
            .with(Role::Dim, format!("  {}", cut(&text, room, ctx.symbols)));
        lines.push(line);
    }
    candidates(app, answer, ctx, width, lines);
    if !answer.rejected.is_empty() {
        heading("What does not do, cheapest first", lines);
        for no in answer.rejected.iter().take(REJECTED) {
            let text = plain(&reasons::guide_fail(&no.fail), ctx.symbols);
            let room = width.saturating_sub(32).max(8);
            lines.push(
                Line::new()
                    .text("  ")
                    .number(Role::Dim, &format::usd_per_hour(no.usd_per_hour), 11)
                    .text("  ")
                    .column(Role::Text, &no.instance_type, 17)
                    .with(Role::Dim, cut(&text, room, ctx.symbols)),
            );
        }
        if let Some(more) = answer.rejected.len().checked_sub(REJECTED).filter(|n| *n > 0) {
            paragraph(Role::Dim, &format!("and {more} more"), width, lines);
        }
    }
    if !answer.warnings.is_empty() {
        heading("What this rests on", lines);
        for warning in &answer.warnings {
            paragraph(
                Role::Dim,
                &plain(&reasons::guide_warning(warning), ctx.symbols),
                width,
                lines,
            );
        }
    }
}

fn candidates(app: &App, answer: &Guide, ctx: &ViewContext, width: usize, lines: &mut Vec<Line>) {
    let Some(best) = answer.candidates.first() else {
        heading("No type that is priced here does it", lines);
        return;
    };
    heading(format!("{} types do it, best first", answer.candidates.len()), lines);
    let trains = app.guide().ask().task.trains();
    let last = if trains { "run" } else { "ms/token" };
    let wide = width >= 76;
    let mut head = Line::new()
        .text("  ")
        .number(Role::Dim, "$/h", 11)
        .text("  ")
        .column(Role::Dim, "type", 17)
        .column(Role::Dim, "boxes", 7);
    if wide {
        head = head.number(Role::Dim, "memory", 7).number(Role::Dim, last, 14);
        if !trains {
            head = head.number(Role::Dim, "$/M tokens", 12);
        }
    }
    lines.push(head);
    for candidate in answer.candidates.iter().take(TYPES) {
        lines.push(row(app.guide().ask().task, candidate, wide, ctx));
    }
    if let Some(more) = answer.candidates.len().checked_sub(TYPES).filter(|n| *n > 0) {
        paragraph(Role::Dim, &format!("and {more} more"), width, lines);
    }
    lines.push(Line::new());
    let name = format!("{}:", best.instance_type);
    paragraph(Role::Accent, &name, width, lines);
    for note in &best.says {
        paragraph(Role::Text, &plain(&reasons::guide_note(*note), ctx.symbols), width, lines);
    }
}

fn row(task: Task, c: &GuideCandidate, wide: bool, ctx: &ViewContext) -> Line {
    let boxes = if c.boxes == 1 { "1".to_owned() } else { format!("{} x", c.boxes) };
    let mut line = Line::new()
        .text("  ")
        .number(Role::Text, &format::usd_per_hour(c.total_usd_per_hour), 11)
        .text("  ")
        .column(Role::Text, &c.instance_type, 17)
        .column(Role::Dim, &boxes, 7);
    if wide {
        line = line.number(Role::Dim, &format::share(c.memory_share, 0), 7);
        let last = if task.trains() {
            match (c.hours, c.run_usd) {
                (Some(hours), Some(usd)) => {
                    format!("{} {}", format::span((hours * 3600.0) as i64), format::usd_total(usd))
                }
                _ => ctx.symbols.unknown().to_owned(),
            }
        } else {
            ctx.symbols.or_unknown(c.ms_per_token, |ms| format::grouped(ms, 1))
        };
        line = line.number(Role::Text, &last, 14);
        if !task.trains() {
            let usd = ctx.symbols.or_unknown(c.usd_per_million_tokens, format::usd);
            line = line.number(Role::Dim, &usd, 12);
        }
    }
    line
}
