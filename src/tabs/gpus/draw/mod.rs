//! How the GPUs tab looks: strip, table, heat map.

#[cfg(test)]
mod golden;
mod heat;

use crate::app::content::{columns, graph};
use crate::app::screen::Screen;
use crate::app::{App, GUTTER, Layout, Placement, Role, TRAIL};
use crate::fleet::GpuRow;
use crate::tabs::gpus::pages::grouping_words;
use crate::tabs::gpus::picture::words;
use crate::tabs::gpus::picture::{GpuField, GpuGroup, GpuGrouping, HeatZoom};
use crate::tabs::gpus::screen::GpuScreen;
use crate::ui::canvas::Canvas;
use crate::ui::{Draw, table, table_state};
use crate::view::{Symbols, TableField, format};

/// Order of rows and groups as they come: by the dollars wasted since they idle.
const ORDER: &str = "most wasted first";

/// Columns of the bar of a group.
const BAR: u16 = 12;

impl Draw for GpuScreen {
    /// Draws the table or the map.
    fn draw(&self, canvas: &mut Canvas<'_>, app: &App, layout: &Layout) {
        if app.shows_heat() {
            heat::draw(canvas, app, layout);
        } else {
            table::draw(canvas, app, self, app.gpu_tab().table(), layout);
        }
    }

    fn head(&self, canvas: &mut Canvas<'_>, app: &App, head: u32, placement: &Placement, y: u16) {
        if let Some(group) = app.gpu_tab().groups().get(head as usize) {
            draw_head(canvas, app, group, placement, y);
        }
    }

    /// Draws the trail of a GPU.
    fn tail(&self, canvas: &mut Canvas<'_>, app: &App, row: u32, y: u16) {
        let gpu = app.gpu_tab().table().rows().and_then(|rows| rows.get::<GpuRow>(row));
        let Some(gpu) = gpu.filter(|_| app.trail_width() > 0) else { return };
        let trail: Vec<f32> = gpu.trail.iter().collect();
        let trail = graph::sparkline(&trail, usize::from(TRAIL - 2), canvas.symbols());
        let style = canvas.style(Role::Ok);
        let x = canvas.width().saturating_sub(TRAIL - 1);
        canvas.put(x, y, TRAIL - 2, &trail, style);
    }

    /// As for any table, with its groups; for the map, which part of the fleet it shows.
    fn state(&self, app: &App) -> Vec<(String, Role)> {
        let tab = app.gpu_tab();
        let rows = app.gpu_rows().len();
        let mut parts = table_state(tab.table(), rows, ORDER);
        if self.counted(app).is_some()
            && let Some((count, _)) = parts.first_mut()
        {
            if tab.table().filter_text().is_empty() {
                *count = format!("{} rows", format::grouped(rows as f64, 0));
            } else {
                count.push_str(" rows");
            }
        }
        if app.shows_heat() {
            let by = tab.grouping().of_map();
            parts.truncate(if tab.table().filter_text().is_empty() { 1 } else { 2 });
            parts.push(match tab.heat().zoom() {
                HeatZoom::Fleet => (format!("heat map, by {}", by.name()), Role::Dim),
                HeatZoom::Group(group) => {
                    let group = group.as_deref().unwrap_or_else(|| by.nobody());
                    (format!("heat map of {group}"), Role::Accent)
                }
                HeatZoom::Node(_) => ("heat map of one node".to_owned(), Role::Accent),
            });
        } else {
            let mut groups = grouping_words(tab.grouping());
            // Another order is of the rows within their groups.
            let is_sorted = tab.table().sort.field.is_some() || tab.table().sort.descending;
            if is_sorted && tab.grouping() != GpuGrouping::Flat {
                groups = format!("{groups}, {ORDER}");
            }
            parts.push((groups, Role::Dim));
        }
        parts
    }

    fn position(&self, app: &App) -> Option<String> {
        let map = app.gpu_tab().heat().map().filter(|map| app.shows_heat() && map.pages > 1)?;
        let page = map.page_of(app.gpu_tab().heat().cursor()) + 1;
        Some(format!("page {page} of {}", map.pages))
    }
}

/// Dollars in their columns, then name, count, states as a bar and in words, what the group is.
fn draw_head(canvas: &mut Canvas<'_>, app: &App, group: &GpuGroup, placement: &Placement, y: u16) {
    let ctx = app.gpu_context();
    let sums = &group.sums;
    let bold = canvas.style(Role::Heading);
    let mut x = GUTTER;
    for placed in &placement.columns {
        let (role, text) = match GpuField::of(placed.field) {
            Some(GpuField::UsdPerHour) => (
                Role::Heading,
                ctx.symbols.or_unknown(sums.known_burn(), |v| format::grouped(v, 2)),
            ),
            Some(GpuField::WastedUsd) => (Role::Idle, sums.wasted_cell(&ctx)),
            Some(GpuField::WasteUsdPerHour) => {
                (Role::Idle, ctx.symbols.or_unknown(sums.known_waste(), |v| format::grouped(v, 2)))
            }
            _ => break,
        };
        let style = canvas.style(role);
        // Sums are wider than what they sum up: the blank before the column is theirs too.
        let end = placed.x + placed.width;
        canvas.put_right(end, y, end - x.saturating_sub(1), &text, style);
        x = end + 1;
    }
    let folded = app.gpu_tab().is_folded(group);
    let fold = if folded { canvas.glyph("▹", "+") } else { canvas.glyph("▾", "-") };
    let dim = canvas.style(Role::Dim);
    x = canvas.put(x, y, 1, fold, dim) + 1;
    x = canvas.put(x, y, 36, &group.label, bold) + 2;
    x = canvas.put(x, y, u16::MAX, &sums.words(), dim) + 2;
    let use_ = ctx.symbols.or_unknown(sums.efficiency(), |e| format::share(e, 0));
    let room = canvas.width().saturating_sub(x);
    if room > BAR + 8 {
        x = bar(canvas, group, x, y) + 1;
        x = canvas.put(x, y, u16::MAX, &use_, bold) + 2;
    }
    for (label, gpus) in sums.labels() {
        let text = format!("{} {}", format::count(gpus), label.plain());
        if columns(&text) >= usize::from(canvas.width().saturating_sub(x)) {
            return;
        }
        let style = canvas.style(words::role(label.state));
        x = canvas.put(x, y, u16::MAX, &text, style) + 2;
    }
    for note in &group.notes {
        if columns(note) >= usize::from(canvas.width().saturating_sub(x)) {
            return;
        }
        x = canvas.put(x, y, u16::MAX, note, dim) + 1;
    }
}

/// The states of a group, stacked; each has a look of its own without colours too.
fn bar(canvas: &mut Canvas<'_>, group: &GpuGroup, mut x: u16, y: u16) -> u16 {
    for (state, width) in group.sums.bar(BAR) {
        let style = canvas.style(words::role(state));
        let letter = words::letter(state).to_string();
        let glyph = match canvas.symbols() {
            Symbols::Unicode if canvas.has_colours() => "█",
            _ => &letter,
        };
        canvas.fill(x, y, width, glyph, style);
        x += width;
    }
    x
}
