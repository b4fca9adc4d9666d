//! The heat map: two GPUs in a character where there are colours enough, else a letter each.

use ratatui::style::{Modifier, Style};

use crate::app::content::columns;
use crate::app::{App, Layout, Role, legend_lines};
use crate::domain::GpuState;
use crate::tabs::gpus::picture::heat::HeatCell;
use crate::tabs::gpus::picture::words::Label;
use crate::tabs::gpus::picture::{HeatMap, words};
use crate::ui::canvas::Canvas;
use crate::view::{Symbols, format};

/// Draws the heat map with read-out and legend below it.
pub fn draw(canvas: &mut Canvas<'_>, app: &App, layout: &Layout) {
    let heat = app.gpu_tab().heat();
    let Some(map) = heat.map() else { return };
    if map.cells.is_empty() {
        let style = canvas.style(Role::Dim);
        let text = "No GPU matches the filter. esc removes it.";
        canvas.put(1, layout.body_top, u16::MAX, text, style);
        return;
    }
    cells(canvas, map, heat.top(), heat.cursor(), layout);
    labels(canvas, map, heat.top(), layout);
    below(canvas, app, map, layout);
}

/// The margin of the text below the map; the map itself has none.
const MARGIN: u16 = 1;

fn cells(canvas: &mut Canvas<'_>, map: &HeatMap, top: u32, cursor: u32, layout: &Layout) {
    for line in 0..map.area.height {
        let y = layout.body_top + line;
        let row = top + u32::from(line);
        for x in 0..map.area.width {
            if !map.area.halves {
                if let Some(at) = map.index_at(x, row) {
                    letter(canvas, &map.cells[at as usize], at == cursor, x, y);
                }
                continue;
            }
            let pair = [map.index_at(x, row * 2), map.index_at(x, row * 2 + 1)];
            if pair != [None, None] {
                halves(canvas, map, pair, cursor, x, y);
            }
        }
    }
}

/// Two cells above each other: the upper one is the character, the lower one its ground.
fn halves(
    canvas: &mut Canvas<'_>,
    map: &HeatMap,
    pair: [Option<u32>; 2],
    cursor: u32,
    x: u16,
    y: u16,
) {
    let colour = |at: Option<u32>| {
        let cell = &map.cells[at? as usize];
        let here = at == Some(cursor);
        Some(if here { canvas.heat_cursor() } else { canvas.heat(cell.state, cell.level) })
    };
    let (glyph, style) = match (colour(pair[0]), colour(pair[1])) {
        (Some(upper), Some(lower)) => ("▀", Style::new().fg(upper).bg(lower)),
        (Some(upper), None) => ("▀", Style::new().fg(upper)),
        (None, Some(lower)) => ("▄", Style::new().fg(lower)),
        (None, None) => return,
    };
    canvas.fill(x, y, 1, glyph, style);
}

/// The letter of a state; bold for what wastes much, dim for what wastes nothing.
fn letter(canvas: &mut Canvas<'_>, cell: &HeatCell, is_cursor: bool, x: u16, y: u16) {
    let mut style = canvas.style(words::role(cell.state));
    match cell.level {
        Some(5..) => style = style.add_modifier(Modifier::BOLD),
        Some(0) => style = style.remove_modifier(Modifier::BOLD),
        _ => {}
    }
    if is_cursor {
        style = style.add_modifier(Modifier::REVERSED);
    }
    let mut buffer = [0; 4];
    canvas.fill(x, y, 1, words::letter(cell.state).encode_utf8(&mut buffer), style);
}

fn labels(canvas: &mut Canvas<'_>, map: &HeatMap, top: u32, layout: &Layout) {
    let end = top + u32::from(map.area.height);
    for label in map.labels.iter().filter(|l| (top..end).contains(&l.line)) {
        let style = canvas.style(if label.is_head { Role::Heading } else { Role::Dim });
        let y = layout.body_top + (label.line - top) as u16;
        canvas.put(label.x, y, label.width, &label.text, style);
    }
}

/// What is under the cursor, the states, the dollars: as many lines as there are.
fn below(canvas: &mut Canvas<'_>, app: &App, map: &HeatMap, layout: &Layout) {
    let lines = legend_lines(layout.body_height);
    let mut y = layout.body_top + layout.body_height - lines;
    let heat = app.gpu_tab().heat();
    let width = canvas.width();
    if lines > 0 {
        let ctx = app.gpu_context();
        let readout = map.readout(app.gpu_rows(), heat.order(), heat.cursor(), &ctx);
        let style = canvas.style(Role::Heading);
        canvas.put(MARGIN, y, width - 2, &readout.unwrap_or_default(), style);
        y += 1;
    }
    if lines > 1 {
        states(canvas, app, map, y);
        y += 1;
    }
    if lines > 2 {
        dollars(canvas, map, heat.cursor(), y);
    }
}

fn states(canvas: &mut Canvas<'_>, app: &App, map: &HeatMap, y: u16) {
    let dim = canvas.style(Role::Dim);
    let mut x = MARGIN;
    let states = map.states(app.gpu_tab().heat().order());
    let texts = |word: fn(Label) -> &'static str| -> Vec<String> {
        let text =
            |(label, gpus): &(Label, f64)| format!("{} {}", format::count(*gpus), word(*label));
        states.iter().map(text).collect()
    };
    let mut said = texts(Label::plain);
    let mut gap = 2;
    let needed = said.iter().map(|text| columns(text) + 4).sum::<usize>();
    if usize::from(MARGIN) + needed > usize::from(canvas.width()) + 2 {
        said = texts(Label::short);
        gap = 1;
    }
    for ((label, _), text) in states.iter().zip(said) {
        let state = label.state;
        let needed = columns(&text) + 1 + usize::from(gap > 1);
        if usize::from(x) + needed > usize::from(canvas.width()) {
            break;
        }
        if map.area.halves {
            let style = Style::new().fg(canvas.heat(state, Some(7)));
            canvas.fill(x, y, 1, "█", style);
        } else {
            let style = canvas.style(words::role(state));
            let mut buffer = [0; 4];
            canvas.fill(x, y, 1, words::letter(state).encode_utf8(&mut buffer), style);
        }
        x = canvas.put(x + gap, y, u16::MAX, &text, dim) + gap;
    }
}

/// What a brightness stands for, and what the map leaves out.
fn dollars(canvas: &mut Canvas<'_>, map: &HeatMap, cursor: u32, y: u16) {
    let dim = canvas.style(Role::Dim);
    let mut x = MARGIN;
    if map.area.halves {
        x = canvas.put(x, y, u16::MAX, "wasted $/h", dim) + 2;
        for (level, text) in map.scale.legend() {
            if usize::from(x) + columns(&text) + 3 > usize::from(canvas.width()) {
                break;
            }
            let shade = Style::new().fg(canvas.heat(GpuState::HeldIdle, Some(level)));
            canvas.fill(x, y, 1, "█", shade);
            x = canvas.put(x + 1, y, u16::MAX, &text, dim) + 2;
        }
    } else {
        let from = map.scale.legend().get(5).map(|(_, text)| format::dollars(text.clone()));
        let from = from.unwrap_or_default();
        let sign = if canvas.symbols() == Symbols::Ascii { ">=" } else { "≥" };
        x = canvas.put(x, y, u16::MAX, &format!("bold: wastes {sign} {from}/h"), dim) + 1;
    }
    if let Some(note) = map.note(cursor) {
        let style = canvas.style(Role::Warn);
        let room = canvas.width().saturating_sub(x + 2);
        x = canvas.put(x + 1, y, room, &note, style) + 1;
    }
    // A host of one GPU alone fills a character.
    let cell = if map.per_node { "nodes" } else { "GPUs" };
    let scale = format!("up to 2 {cell} a character");
    if map.area.halves && usize::from(x) + 2 + columns(&scale) <= usize::from(canvas.width()) {
        canvas.put(x + 1, y, u16::MAX, &scale, dim);
    }
}
