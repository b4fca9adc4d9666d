//! The distribution of use, the instances that tell nothing, the GPUs of one instance, and GPUs that
//! burn for nothing on instances in use.

use std::sync::Arc;

use crate::app::App;
use crate::app::Role;
use crate::app::content::{Line, Target, columns, wrap};
use crate::domain::GpuState;
use crate::fleet::{Blind, Row};
use crate::tabs::gpus::TAB;
use crate::tabs::gpus::picture::{BandSum, GpuField, Histogram, RollUp, histogram, words};
use crate::tabs::overview::pages::cut;
use crate::tabs::overview::picture::GpuFinding;
use crate::view::{Symbols, TableField, ViewContext, format, reasons};

/// Columns of the label of a band, of its GPUs and of its dollars.
const BAND: usize = 9;
const GPUS: usize = 8;
const MONEY: usize = 14;

/// Lines of the histogram of effective use: a mean hides that half of the GPUs idle.
pub fn distribution(app: &App, width: usize) -> Vec<Line> {
    let rows = app.gpu_rows();
    let table = app.gpu_tab().table();
    let shown = || table.order().iter().filter_map(|i| rows.get(*i as usize)).map(|row| &**row);
    let spread = histogram(shown());
    let sums = RollUp::of(shown());
    let ctx = app.gpu_context();
    let mut title = Line::of(Role::Heading, "GPUs by effective use");
    if !table.filter_text().is_empty() {
        title = title.with(Role::Accent, format!("  / {}", table.filter_text()));
    }
    let mean_use = ctx.symbols.or_unknown(sums.efficiency(), |e| format::share(e, 0));
    let mean = format!("{}, effective {mean_use} in the mean", sums.words());
    let mut lines = vec![title, Line::of(Role::Dim, mean), Line::new()];
    lines.push(Line::new().column(Role::Dim, "use", BAND).number(Role::Dim, "GPUs", GPUS).number(
        Role::Dim,
        "burn",
        MONEY,
    ));
    let most = spread.most_equivalents();
    let bars = width.saturating_sub(BAND + GPUS + MONEY + 2);
    for (i, band) in spread.bands.iter().enumerate() {
        // Below a tenth money is burned for next to nothing.
        let role = match i {
            0 => Role::Idle,
            1..5 => Role::Warn,
            _ => Role::Ok,
        };
        lines.push(band_line(&Histogram::label(i), band, most, bars, role, &ctx));
    }
    lines.push(band_line("unknown", &spread.unknown, most, bars, Role::Dim, &ctx));
    lines
}

fn band_line(
    label: &str,
    band: &BandSum,
    most: f64,
    room: usize,
    role: Role,
    ctx: &ViewContext,
) -> Line {
    let known = (band.unpriced < band.gpus || band.gpus == 0).then_some(band.usd_per_hour);
    let share = if most > 0.0 { band.equivalents / most } else { 0.0 };
    let mut length = (share * room as f64).round() as usize;
    if band.gpus > 0 {
        length = length.clamp(1.min(room), room);
    }
    let glyph = if ctx.symbols == Symbols::Ascii { "#" } else { "█" };
    Line::new()
        .column(Role::Text, label, BAND)
        .number(Role::Text, &format::count(band.equivalents), GPUS)
        .number(Role::Text, &ctx.symbols.or_unknown(known, format::usd_per_hour), MONEY)
        .text("  ")
        .with(role, glyph.repeat(length))
}

/// Lines of the page about instances with missing telemetry, grouped by the fix.
pub fn missing(app: &App, width: usize) -> Vec<Line> {
    let said = app.gpu_tab().said();
    let Some(sentence) = said.and_then(|said| said.blind.sentence()) else {
        return vec![Line::of(Role::Ok, "Every running instance with GPUs tells of all of them.")];
    };
    let mut lines: Vec<Line> =
        wrap(&sentence, width).into_iter().map(|part| Line::of(Role::Warn, part)).collect();
    lines.extend(fixes(app, width));
    lines
}

/// Lines of the fixes for missing telemetry, with the instances.
pub fn fixes(app: &App, width: usize) -> Vec<Line> {
    let (Some(said), Some(fleet)) = (app.gpu_tab().said(), app.gpus()) else { return Vec::new() };
    let ctx = app.gpu_context();
    let mut lines = Vec::new();
    for group in &said.blind.groups {
        lines.push(Line::new());
        let parts = wrap(&group.sentence(), width);
        lines.extend(parts.into_iter().map(|part| Line::of(Role::Text, part)));
        let blind = group.instances.iter().filter_map(|i| fleet.blind.get(*i as usize));
        lines.extend(blind.map(|one| blind_line(one, width, &ctx)));
    }
    lines
}

fn blind_line(one: &Blind, width: usize, ctx: &ViewContext) -> Line {
    let instance = &one.instance.instance;
    let name = if instance.name.is_empty() { &instance.id } else { &instance.name };
    let money = ctx.symbols.or_unknown(one.usd_per_hour, format::usd_per_hour);
    let text = format!(
        "{}  {} of {} unseen  {}  {}",
        instance.instance_type, one.missing, one.devices, instance.id, instance.scope.region
    );
    let room = width.saturating_sub(2 + 13 + 2 + columns(&text) + 2).clamp(8, 28);
    Line::new()
        .text("  ")
        .number(Role::Text, &money, 13)
        .text("  ")
        .column(Role::Text, &cut(name, room, ctx.symbols), room + 2)
        .with(Role::Dim, text)
}

/// Lines of an instance's GPUs with their states, for its Why page; none without telemetry.
pub fn of_instance(app: &App, instance: &Arc<str>, width: usize) -> Vec<Line> {
    let here = |node: &Row| node.instance.id == *instance;
    let mut rows: Vec<_> = app
        .gpu_rows()
        .iter()
        .filter(|row| row.node.instance.as_deref().is_some_and(here))
        .collect();
    if rows.is_empty() {
        return Vec::new();
    }
    rows.sort_by_key(|row| (row.sample.identity.index, row.key.gpu_instance));
    let ctx = app.gpu_context();
    let sums = RollUp::of(rows.iter().map(|row| &***row));
    let said = format!("  {}, data {}", sums.state_words(), age(&rows, &ctx));
    let mut lines =
        vec![Line::new(), Line::of(Role::Heading, "Its GPUs live now").with(Role::Dim, said)];
    for row in rows {
        let state = words::cell(row, ctx.symbols);
        let line = Line::new()
            .text("  ")
            .number(Role::Text, &GpuField::GpuIndex.cell(row, &ctx), 3)
            .text("  ")
            .column(words::role(row.verdict.state), &state, 15)
            .number(Role::Text, &GpuField::Effective.cell(row, &ctx), 5)
            .text("  ");
        let used: usize = line.spans.iter().map(|s| columns(&s.text)).sum();
        let reason = cut(&reasons::gpu_row(row), width.saturating_sub(used), ctx.symbols);
        lines.push(line.with(Role::Dim, reason));
    }
    lines
}

fn age(rows: &[&Arc<crate::fleet::GpuRow>], ctx: &ViewContext) -> String {
    let oldest = rows.iter().map(|row| row.sample.taken_at).min();
    let seconds = oldest.map(|at| ctx.now.duration_since(at).as_secs().max(0));
    seconds.map_or_else(|| ctx.symbols.unknown().to_owned(), format::age)
}

/// Where a finding leads: to the GPUs of its state whose dollars are no part of their instance's waste, which are those it counts.
fn target(state: GpuState) -> Target {
    let filter = match state {
        GpuState::Stalled => {
            "state=stalled and not (judged=idle or judged=exempt or judged=too_new or \
             judged=not_judged)"
        }
        GpuState::HeldIdle => {
            "state=held_idle and not (judged=idle or judged=partial or judged=exempt or \
             judged=too_new or judged=not_judged)"
        }
        GpuState::UnallocatedIdle => {
            "state=unallocated_idle and not (judged=idle or judged=partial or judged=exempt or \
             judged=too_new or judged=not_judged)"
        }
        _ => return Target::Tab(TAB),
    };
    Target::Filtered(Box::new(Target::Tab(TAB)), filter)
}

/// A heading and the GPUs that waste money on instances that are not idle, a line per state, which leads to these GPUs; no line
/// without any.
pub fn findings(found: &[GpuFinding], ctx: &ViewContext) -> Vec<Line> {
    let line = |finding: &GpuFinding| {
        let priced = (finding.unpriced < finding.count).then_some(finding.usd_per_hour);
        let wasted = ctx.symbols.or_unknown(finding.wasted_usd, |usd| {
            format::bound(format::usd_total(usd), finding.wasted_at_least, ctx.symbols)
        });
        let glyph = words::glyph(finding.state, ctx.symbols);
        let (slices, sliced) = finding.slices;
        let what = format!("{glyph} {}", words::gpus(finding.gpus, slices, sliced));
        let in_job = if finding.in_job > 1e-9 {
            format!(", {} of them idle in job", format::count(finding.in_job))
        } else {
            String::new()
        };
        let what = format!("{what} {}{in_job}", words::plain(finding.state));
        Line::new()
            .text("  ")
            .number(Role::Text, &ctx.symbols.or_unknown(priced, format::usd_per_hour), 10)
            .number(Role::Text, &wasted, 10)
            .text("  ")
            .with(words::role(finding.state), what)
            .to(target(finding.state))
    };
    let heading = Line::of(Role::Heading, "GPUs wasted on instances in use")
        .with(Role::Dim, "  waste/h live now, so far");
    let heading = (!found.is_empty()).then_some(heading);
    heading.into_iter().chain(found.iter().map(line)).collect()
}
