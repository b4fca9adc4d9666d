//! A table: the heading and the visible rows, nothing else.

use std::ops::Range;

use ratatui::style::{Modifier, Style};

use super::canvas::Canvas;
use super::{Draw, text};
use crate::app::content::{reading, wrap};
use crate::app::{App, GUTTER, Layout, List, Placed, Placement, Popup, Role, TableLine};
use crate::domain::SourceSet;
use crate::view::{Align, FieldSpec, Rows, Sort, ViewContext};

/// Draws the heading where there is room for it; the lines that are left for the rows.
fn draw_heading(
    canvas: &mut Canvas<'_>,
    list: &List,
    placement: &Placement,
    layout: &Layout,
) -> Range<u16> {
    let (top, end) = (layout.body_top, layout.body_top + layout.body_height);
    // Where only one line is left, it is for a row.
    if layout.body_height < 2 {
        return top..end;
    }
    heading(canvas, list.sort, placement, top);
    top + 1..end
}

/// Draws the heading and, while there are no rows, the progress of reading; `layout` has at least one line.
pub fn draw_reading(canvas: &mut Canvas<'_>, app: &App, list: &List, layout: &Layout) {
    let placement = list.placement(app.table_width());
    let room = draw_heading(canvas, list, &placement, layout);
    let lines = reading::lines(app, usize::from(layout.width.saturating_sub(2)));
    for (line, y) in lines.iter().zip(room) {
        text::put(canvas, line, y);
    }
}

/// Draws heading and rows of the list of a screen; `layout` has room for at least one line.
pub fn draw(
    canvas: &mut Canvas<'_>,
    app: &App,
    screen: &(impl Draw + ?Sized),
    list: &List,
    layout: &Layout,
) {
    let placement = list.placement(app.table_width());
    let room = draw_heading(canvas, list, &placement, layout);
    let Some(rows) = list.rows() else { return };
    if list.order().is_empty() {
        let way_out = if app.prompt().is_some() { "" } else { " esc removes it." };
        let text = format!(
            "None of {} {} matches the filter.{way_out}",
            rows.len(),
            rows.table().nouns()[1]
        );
        let style = canvas.style(Role::Dim);
        canvas.put(1, room.start, u16::MAX, &text, style);
        if let Some(why) = list.unmatched().filter(|_| room.len() > 1) {
            let why = wrap(why, usize::from(layout.width.saturating_sub(2)));
            for (line, y) in why.iter().zip(room.skip(1)) {
                canvas.put(1, y, u16::MAX, line, style);
            }
        }
        return;
    }
    let ctx = app.table_context();
    let range = list.range();
    for (line, y) in (list.top()..list.lines()).zip(room) {
        let cursor = match app.popup() {
            _ if line != list.cursor() => Cursor::Elsewhere,
            None | Some(Popup::Sort) => Cursor::Here,
            Some(_) => Cursor::BehindBox,
        };
        let row = match list.line(line) {
            Some(TableLine::Row(row)) => row,
            Some(TableLine::Head(head)) => {
                screen.head(canvas, app, head, &placement, y);
                pointer(canvas, cursor, y);
                continue;
            }
            None => continue,
        };
        let state = RowState {
            cursor,
            marked: rows.key(row).is_some_and(|id| list.is_marked(id)),
            in_range: range.is_some_and(|(a, b)| (a..=b).contains(&line)),
            behind: app.sources().behind(&rows.origin(row), app.intervals(), ctx.now),
        };
        screen.tail(canvas, app, row, y);
        draw_row(canvas, &**rows, row, &placement, state, &ctx, y);
    }
}

/// Whether the cursor is on a row, and whether the keys go there or to a box above the table.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Cursor {
    Elsewhere,
    Here,
    BehindBox,
}

/// How a row differs from others.
#[derive(Clone, Copy)]
// Four independent facts, not a state machine.
#[allow(clippy::struct_excessive_bools)]
struct RowState {
    cursor: Cursor,
    marked: bool,
    in_range: bool,
    /// The sources that are behind where it comes from.
    behind: SourceSet,
}

fn heading(canvas: &mut Canvas<'_>, sort: Sort, placement: &Placement, y: u16) {
    let style = canvas.style(Role::Heading);
    for placed in &placement.columns {
        let spec = placed.field;
        let x = match spec.align {
            Align::Left => placed.x,
            Align::Right => {
                let text = crate::app::content::columns(spec.header);
                (placed.x + placed.width).saturating_sub(u16::try_from(text).unwrap_or(0))
            }
        };
        let end = canvas.put(x, y, placed.x + placed.width - x, spec.header, style);
        if let Some(at) = letter(spec) {
            canvas.tint(x + at, y, 1, Style::new().add_modifier(Modifier::UNDERLINED));
        }
        if sort.field == Some(spec) {
            let arrow =
                if sort.descending { canvas.glyph("▼", "v") } else { canvas.glyph("▲", "^") };
            // The blank beside the heading is always free.
            let at = if spec.align == Align::Right { x.saturating_sub(1) } else { end };
            canvas.put(at, y, 1, arrow, style);
        }
    }
    let dim = canvas.style(Role::Dim);
    if placement.hidden_left > 0 {
        let glyph = canvas.glyph("‹", "<");
        canvas.put(0, y, 1, glyph, dim);
    }
    if placement.hidden_right > 0 {
        let glyph = canvas.glyph("›", ">");
        canvas.put(canvas.width().saturating_sub(1), y, 1, glyph, dim);
    }
}

/// Where in its heading the letter stands that sorts by the field.
fn letter(spec: &FieldSpec) -> Option<u16> {
    let key = spec.sort_key?;
    let at = spec.header.chars().position(|c| c.to_ascii_lowercase() == key)?;
    u16::try_from(at).ok()
}

fn draw_row(
    canvas: &mut Canvas<'_>,
    rows: &dyn Rows,
    row: u32,
    placement: &Placement,
    state: RowState,
    ctx: &ViewContext,
    y: u16,
) {
    if state.marked || state.in_range {
        let range = canvas.glyph("│", "|");
        let mark = if state.marked { canvas.glyph("•", "*") } else { range };
        let style = canvas.style(Role::Marked);
        canvas.put(1, y, 1, mark, style);
    }
    for placed in &placement.columns {
        cell(canvas, rows, row, *placed, state, ctx, y);
    }
    if state.in_range {
        let style = canvas.style(Role::Marked);
        canvas.tint(GUTTER, y, u16::MAX - GUTTER, style);
    }
    pointer(canvas, state.cursor, y);
}

/// Shows that the cursor is on this line.
fn pointer(canvas: &mut Canvas<'_>, cursor: Cursor, y: u16) {
    if cursor == Cursor::Here {
        let marker = canvas.glyph("▸", ">");
        let style = canvas.style(Role::Accent);
        canvas.put(0, y, 1, marker, style);
    }
    if cursor != Cursor::Elsewhere {
        let style = canvas.style(Role::Selected);
        canvas.tint(0, y, u16::MAX, style);
    }
}

fn cell(
    canvas: &mut Canvas<'_>,
    rows: &dyn Rows,
    row: u32,
    placed: Placed,
    state: RowState,
    ctx: &ViewContext,
    y: u16,
) {
    let Some(cell) = rows.cell(row, placed.field, ctx) else { return };
    let old = cell.rests_on.meets(state.behind);
    let style = canvas.style(if old { Role::Dim } else { cell.role });
    match placed.field.align {
        Align::Left => {
            canvas.put(placed.x, y, placed.width, &cell.text, style);
        }
        Align::Right => {
            let end = placed.x + placed.width;
            let x = canvas.put_right(end, y, placed.width, &cell.text, style);
            // What is not known is not old either.
            if old && cell.text != ctx.symbols.unknown() {
                canvas.put(x.saturating_sub(1), y, 1, "~", style);
            }
        }
    }
}
