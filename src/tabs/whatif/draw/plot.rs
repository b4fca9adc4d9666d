//! A plot in cells: areas and lines, axes, marks, the cursor.

use super::glyphs::{self, Mode};
use crate::app::content::columns;
use crate::app::{Area, Role};
use crate::tabs::whatif::picture::chart::{Ink, Place, Plot};
use crate::ui::canvas::Canvas;

/// The fewest columns and rows that a plot makes sense in, axes included.
const LEAST: (u16, u16) = (18, 4);

/// Draws a plot with its axes; a message where the area is too small.
pub fn draw(canvas: &mut Canvas<'_>, plot: &Plot, mode: Mode, area: Area) {
    if area.width < LEAST.0 || area.height < LEAST.1 {
        let style = canvas.style(Role::Dim);
        let text = "The chart needs more room: z gives it.";
        canvas.put(area.x, area.y, area.width, text, style);
        return;
    }
    let inner = axes(canvas, plot, area);
    let raster = Raster::of(plot, mode, inner);
    raster.draw(canvas, mode, inner);
    letters(canvas, plot, inner);
    cursor(canvas, plot, inner);
    marks(canvas, plot, inner);
}

/// Draws the axes with their ends; returns what is left for the plot.
fn axes(canvas: &mut Canvas<'_>, plot: &Plot, area: Area) -> Area {
    let dim = canvas.style(Role::Dim);
    let rows = area.height - 1;
    let show = |part: f64| (plot.y.show)(plot.y.at(part));
    let mut labels = vec![(0, show(1.0)), (rows - 1, show(0.0))];
    if rows >= 5 {
        // At the middle row, so that label and row agree.
        let middle = rows / 2;
        let part = 1.0 - f64::from(middle) / f64::from(rows - 1);
        labels.push((middle, show(part)));
    }
    let wide = labels.iter().map(|(_, text)| columns(text)).max().unwrap_or(0);
    let margin = u16::try_from(wide).unwrap_or(u16::MAX).min(area.width / 3);
    for (row, text) in &labels {
        canvas.put_right(area.x + margin, area.y + row, margin, text, dim);
    }
    let bar = canvas.glyph("│", "|");
    for y in area.y..area.y + rows {
        canvas.fill(area.x + margin, y, 1, bar, dim);
    }
    let inner =
        Area { x: area.x + margin + 1, y: area.y, width: area.width - margin - 1, height: rows };
    let y = area.y + rows;
    let low = (plot.x.show)(plot.x.low);
    let high = format!("{} {}", (plot.x.show)(plot.x.high), plot.x.name);
    let end = canvas.put(inner.x, y, inner.width / 2, &low, dim);
    let room = (inner.x + inner.width).saturating_sub(end + 1);
    let needed = u16::try_from(columns(&high)).unwrap_or(u16::MAX);
    if needed <= room {
        canvas.put_right(inner.x + inner.width, y, room, &high, dim);
    }
    inner
}

/// What is at each point: nothing, or an ink, as an area or a line.
struct Raster {
    points: Vec<Option<(Ink, bool)>>,
    /// Points across and down.
    size: (usize, usize),
}

impl Raster {
    fn of(plot: &Plot, mode: Mode, area: Area) -> Self {
        let (across, down) = mode.points();
        let size = (usize::from(area.width) * across, usize::from(area.height) * down);
        let mut raster = Self { points: vec![None; size.0 * size.1], size };
        let x_of = |column: usize| plot.x.at((column as f64 + 0.5) / size.0 as f64);
        for column in 0..size.0 {
            for band in &plot.bands {
                let Some((low, high)) = band.at(x_of(column)) else { continue };
                let (from, to) = (raster.row(plot, high), raster.row(plot, low));
                for row in from..to {
                    raster.put(column, row, (band.ink, false));
                }
            }
        }
        for trace in &plot.traces {
            let mut before: Option<usize> = None;
            for column in 0..size.0 {
                let value = trace.at(x_of(column)).filter(|v| v.is_finite());
                let part = value.map(|v| plot.y.part(v)).filter(|p| (-0.01..=1.01).contains(p));
                let Some(part) = part else {
                    before = None;
                    continue;
                };
                let row = (((1.0 - part) * size.1 as f64) as usize).min(size.1 - 1);
                // What lies between two columns belongs to the line.
                let from = before
                    .map_or(row, |b| if b < row { b + 1 } else { b.max(1) - usize::from(b > row) });
                // Edges let through what they lie on.
                let shows = mode == Mode::Braille || trace.ink != Ink::Edge || column % 2 == 0;
                for row in (from.min(row)..=from.max(row)).filter(|_| shows) {
                    raster.put(column, row, (trace.ink, true));
                }
                before = Some(row);
            }
        }
        raster
    }

    /// The row that a value begins in, counted from the top.
    fn row(&self, plot: &Plot, value: f64) -> usize {
        let part = plot.y.part(value);
        if part.is_nan() {
            return self.size.1;
        }
        let row = ((1.0 - part.clamp(0.0, 1.0)) * self.size.1 as f64).round();
        (row as usize).min(self.size.1)
    }

    fn put(&mut self, column: usize, row: usize, ink: (Ink, bool)) {
        if let Some(point) = self.points.get_mut(row * self.size.0 + column) {
            *point = Some(ink);
        }
    }

    fn draw(&self, canvas: &mut Canvas<'_>, mode: Mode, area: Area) {
        let (across, down) = mode.points();
        for y in 0..area.height {
            for x in 0..area.width {
                let place = (usize::from(x) * across, usize::from(y) * down);
                let Some((ink, is_line)) = self.chief(place, (across, down)) else { continue };
                let style = canvas.style(glyphs::role(ink));
                let mut buffer = [0; 4];
                let glyph = if mode == Mode::Braille {
                    let dots = self.dots(place, is_line);
                    let cell = char::from_u32(0x2800 | dots).filter(|_| dots > 0);
                    cell.unwrap_or(' ').encode_utf8(&mut buffer)
                } else {
                    glyphs::glyph(ink, mode)
                };
                canvas.fill(area.x + x, area.y + y, 1, glyph, style);
            }
        }
    }

    /// Ink that a cell shows: that of a line, else of the area that fills most of it.
    fn chief(&self, (x, y): (usize, usize), (across, down): (usize, usize)) -> Option<(Ink, bool)> {
        let mut counts = [0usize; Ink::ALL.len()];
        let mut line = None;
        for row in y..y + down {
            for point in &self.points[row * self.size.0 + x..][..across] {
                match point {
                    Some((ink, true)) => line = Some(*ink),
                    Some((ink, false)) => counts[*ink as usize] += 1,
                    None => {}
                }
            }
        }
        if let Some(ink) = line {
            return Some((ink, true));
        }
        let (at, count) = counts.iter().enumerate().max_by_key(|(_, count)| **count)?;
        let enough = if across > 1 { *count > 0 } else { count * 2 >= across * down };
        enough.then(|| (Ink::ALL[at], false))
    }

    /// The dots of a cell as bits of U+2800; of lines alone, where one passes.
    fn dots(&self, (x, y): (usize, usize), is_line: bool) -> u32 {
        const BITS: [[u32; 2]; 4] = [[0x01, 0x08], [0x02, 0x10], [0x04, 0x20], [0x40, 0x80]];
        let mut dots = 0;
        for (row, bits) in BITS.iter().enumerate() {
            for (column, bit) in bits.iter().enumerate() {
                let (x, y) = (x + column, y + row);
                let on = match self.points[y * self.size.0 + x] {
                    Some((ink, true)) => glyphs::grain(ink, x, y),
                    Some((ink, false)) => !is_line && glyphs::grain(ink, x, y),
                    None => false,
                };
                if on {
                    dots |= bit;
                }
            }
        }
        dots
    }
}

/// The cell of a part of an axis.
fn cell(part: f64, length: u16) -> Option<u16> {
    if !(-0.001..=1.001).contains(&part) || length == 0 {
        return None;
    }
    Some(((part * f64::from(length)) as u16).min(length - 1))
}

/// A letter in the middle of each area, where it is highest.
fn letters(canvas: &mut Canvas<'_>, plot: &Plot, area: Area) {
    for band in plot.bands.iter().filter(|b| b.letter != ' ') {
        let thick = |p: &&[f64; 3]| p[2] - p[1];
        let Some(widest) = band.points.iter().max_by(|a, b| thick(a).total_cmp(&thick(b))) else {
            continue;
        };
        // Of those as high as the highest, the middle one.
        let same: Vec<&[f64; 3]> =
            band.points.iter().filter(|p| thick(p) >= thick(&widest) * 0.98).collect();
        let Some([x, low, high]) = same.get(same.len() / 2) else { continue };
        let tall = (high - low) / (plot.y.high - plot.y.low) * f64::from(area.height);
        let (Some(column), Some(row)) = (
            cell(plot.x.part(*x), area.width),
            cell(1.0 - plot.y.part(f64::midpoint(*low, *high)), area.height),
        ) else {
            continue;
        };
        if tall >= 1.5 {
            let style = canvas.style(glyphs::role(band.ink));
            let style = style.add_modifier(ratatui::style::Modifier::REVERSED);
            canvas.put(
                area.x + column,
                area.y + row,
                1,
                band.letter.encode_utf8(&mut [0; 4]),
                style,
            );
        }
    }
}

/// Marks with their labels; labels that would stand on one another go to the next free row.
fn marks(canvas: &mut Canvas<'_>, plot: &Plot, area: Area) {
    let (across, upright) = canvas.glyph(("━", "┃"), ("=", "|"));
    let (left, up) = canvas.glyph(("◂", "▴"), ("<", "^"));
    let mut used = vec![false; usize::from(area.height)];
    for mark in &plot.marks {
        let style = canvas.style(glyphs::role(mark.ink));
        let label = u16::try_from(columns(&mark.label)).unwrap_or(u16::MAX);
        let room = area.width.saturating_sub(2);
        match mark.place {
            Place::Y(value) => {
                let Some(row) = cell(1.0 - plot.y.part(value), area.height) else { continue };
                if mark.tick {
                    canvas.put(area.x + area.width - 1, area.y + row, 1, left, style);
                } else {
                    canvas.fill(area.x, area.y + row, area.width, across, style);
                }
                let Some(row) = free(&mut used, row) else { continue };
                let end = area.x + area.width - 1;
                put_label(
                    canvas,
                    mark,
                    (end.saturating_sub(label.min(room)), area.y + row),
                    label.min(room),
                );
            }
            Place::X(value) => {
                let Some(column) = cell(plot.x.part(value), area.width) else { continue };
                let bottom = area.y + area.height - 1;
                if mark.tick {
                    canvas.put(area.x + column, bottom, 1, up, style);
                } else {
                    for y in area.y..=bottom {
                        canvas.fill(area.x + column, y, 1, upright, style);
                    }
                }
                let wanted = if mark.tick { area.height - 1 } else { 0 };
                let Some(row) = free(&mut used, wanted) else { continue };
                // To the right of its place where there is room, else to the left, else over it: what is cut says nothing.
                let label = label.min(area.width);
                let left = if column + 1 + label <= area.width {
                    column + 1
                } else if label <= column {
                    column - label
                } else {
                    area.width - label
                };
                put_label(canvas, mark, (area.x + left, area.y + row), label);
            }
        }
    }
}

fn put_label(
    canvas: &mut Canvas<'_>,
    mark: &crate::tabs::whatif::picture::chart::Mark,
    (x, y): (u16, u16),
    room: u16,
) {
    let style = canvas.style(glyphs::role(mark.ink));
    canvas.put(x, y, room, &mark.label, style);
}

/// The nearest row to `wanted` that no label stands in.
fn free(used: &mut [bool], wanted: u16) -> Option<u16> {
    let wanted = usize::from(wanted);
    let row = (0..used.len())
        .flat_map(|away| [wanted.checked_sub(away), wanted.checked_add(away)])
        .flatten()
        .find(|row| used.get(*row) == Some(&false))?;
    used[row] = true;
    u16::try_from(row).ok()
}

/// The cursor: a thin line of which every second cell shows what is behind it.
fn cursor(canvas: &mut Canvas<'_>, plot: &Plot, area: Area) {
    let style = canvas.style(Role::Accent);
    let (across, upright) = canvas.glyph(("┄", "┆"), ("-", ":"));
    match plot.cursor {
        Some(Place::X(value)) => {
            let Some(column) = cell(plot.x.part(value), area.width) else { return };
            for y in (area.y..area.y + area.height).step_by(2) {
                canvas.fill(area.x + column, y, 1, upright, style);
            }
        }
        Some(Place::Y(value)) => {
            let Some(row) = cell(1.0 - plot.y.part(value), area.height) else { return };
            for x in (area.x..area.x + area.width).step_by(2) {
                canvas.fill(x, area.y + row, 1, across, style);
            }
        }
        None => {}
    }
}
