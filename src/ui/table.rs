//! The table of instances: the heading and the visible rows, nothing else.

use ratatui::style::{Modifier, Style};

use super::canvas::Canvas;
use super::text;
use crate::app::content::reading;
use crate::app::content::why::verdict_role;
use crate::app::{App, GUTTER, Layout, Placed, Placement, Popup, Role, Staleness, behind};
use crate::domain::VerdictKind;
use crate::fleet::Row;
use crate::view::{Align, Field, ViewContext};

/// Draws heading and rows; `layout` has room for at least one line.
pub fn draw(canvas: &mut Canvas<'_>, app: &App, layout: &Layout) {
    let placement = app.table().placement(layout.width);
    let mut y = layout.body_top;
    let end = y + layout.body_height;
    // Where only one line is left, it is for a row.
    if layout.body_height > 1 {
        heading(canvas, app, &placement, y);
        y += 1;
    }
    let fleet = match app.shown() {
        Some(fleet) if !app.is_empty() => fleet,
        _ => {
            let lines = reading::lines(app, usize::from(layout.width.saturating_sub(2)));
            for (line, y) in lines.iter().zip(y..end) {
                text::put(canvas, line, y);
            }
            return;
        }
    };
    if app.table().order().is_empty() {
        let way_out = if app.prompt().is_some() { "" } else { " esc removes it." };
        let text = format!("None of {} instances matches the filter.{way_out}", fleet.rows.len());
        let style = canvas.style(Role::Dim);
        canvas.put(1, y, u16::MAX, &text, style);
        return;
    }
    let ctx = app.view_context();
    let range = app.table().range(fleet);
    let visible = app.table().order().iter().enumerate().skip(app.table().top());
    for ((line, index), y) in visible.zip(y..end) {
        let Some(row) = fleet.rows.get(*index as usize) else { continue };
        let look = Look {
            cursor: match app.popup() {
                _ if line != app.table().cursor() => Cursor::Elsewhere,
                None | Some(Popup::Sort) => Cursor::Here,
                Some(_) => Cursor::BehindBox,
            },
            marked: app.table().is_marked(&row.instance.id),
            in_range: range.is_some_and(|(a, b)| (a..=b).contains(&line)),
            stale: app.sources().staleness(&row.instance.scope),
        };
        draw_row(canvas, row, &placement, look, &ctx, y);
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
struct Look {
    cursor: Cursor,
    marked: bool,
    in_range: bool,
    stale: Staleness,
}

fn heading(canvas: &mut Canvas<'_>, app: &App, placement: &Placement, y: u16) {
    let sort = app.table().sort;
    let style = canvas.style(Role::Heading);
    for placed in &placement.columns {
        let spec = placed.field.spec();
        let x = match spec.align {
            Align::Left => placed.x,
            Align::Right => {
                let text = crate::app::content::columns(spec.header);
                (placed.x + placed.width).saturating_sub(u16::try_from(text).unwrap_or(0))
            }
        };
        let end = canvas.put(x, y, placed.x + placed.width - x, spec.header, style);
        if let Some(at) = letter(placed.field) {
            canvas.tint(x + at, y, 1, Style::new().add_modifier(Modifier::UNDERLINED));
        }
        if sort.field == Some(placed.field) {
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
fn letter(field: Field) -> Option<u16> {
    let spec = field.spec();
    let key = spec.sort_key?;
    let at = spec.header.chars().position(|c| c.to_ascii_lowercase() == key)?;
    u16::try_from(at).ok()
}

fn draw_row(
    canvas: &mut Canvas<'_>,
    row: &Row,
    placement: &Placement,
    look: Look,
    ctx: &ViewContext,
    y: u16,
) {
    if look.cursor == Cursor::Here {
        let marker = canvas.glyph("▸", ">");
        let style = canvas.style(Role::Accent);
        canvas.put(0, y, 1, marker, style);
    }
    if look.marked {
        let mark = canvas.glyph("•", "*");
        let style = canvas.style(Role::Marked);
        canvas.put(1, y, 1, mark, style);
    }
    for placed in &placement.columns {
        cell(canvas, row, *placed, look, ctx, y);
    }
    if look.in_range {
        let style = canvas.style(Role::Marked);
        canvas.tint(GUTTER, y, u16::MAX - GUTTER, style);
    }
    if look.cursor != Cursor::Elsewhere {
        let style = canvas.style(Role::Selected);
        canvas.tint(0, y, u16::MAX, style);
    }
}

fn cell(canvas: &mut Canvas<'_>, row: &Row, placed: Placed, look: Look, ctx: &ViewContext, y: u16) {
    let field = placed.field;
    let old = behind(field, row.instance.lifecycle).iter().any(|s| look.stale.has(*s));
    let role = if old { Role::Dim } else { role(field, row) };
    let style = canvas.style(role);
    let text = field.cell(row, ctx);
    match field.spec().align {
        Align::Left => {
            canvas.put(placed.x, y, placed.width, &text, style);
        }
        Align::Right => {
            let end = placed.x + placed.width;
            let x = canvas.put_right(end, y, placed.width, &text, style);
            // What is not known is not old either.
            if old && text != ctx.symbols.unknown() {
                canvas.put(x.saturating_sub(1), y, 1, "~", style);
            }
        }
    }
}

/// Few cells have a colour: each change of colour is bytes over SSH.
fn role(field: Field, row: &Row) -> Role {
    let kind = row.verdict.as_ref().map(|v| v.kind);
    match (field, kind) {
        (Field::Verdict, Some(kind)) => verdict_role(kind),
        (
            Field::WastedUsd | Field::WasteUsdPerHour,
            Some(VerdictKind::Idle | VerdictKind::Partial),
        ) => Role::Idle,
        _ if !row.instance.state.is_billed() => Role::Dim,
        _ => Role::Text,
    }
}
