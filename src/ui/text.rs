//! A page of text: the visible lines, the one under the cursor marked.

use super::canvas::Canvas;
use crate::app::content::Line;
use crate::app::{App, Layout, Role};

/// Draws a line into row `y`; returns the column after it.
pub fn put(canvas: &mut Canvas<'_>, line: &Line, y: u16) -> u16 {
    let room = canvas.width().saturating_sub(2);
    put_at(canvas, line, (1, y), room)
}

/// Draws a line into `room` columns from `(x, y)` on; returns the column after it.
pub fn put_at(canvas: &mut Canvas<'_>, line: &Line, (mut x, y): (u16, u16), room: u16) -> u16 {
    let end = x.saturating_add(room);
    for span in &line.spans {
        let style = canvas.style(span.role);
        x = canvas.put(x, y, end.saturating_sub(x), &span.text, style);
    }
    x
}

/// Draws the visible lines of a text page; the one that words were found in last is told apart.
pub fn draw(canvas: &mut Canvas<'_>, app: &App, layout: &Layout) {
    let (lines, scroll, cursor) = app.text_body();
    let found = app.found_line();
    let rows = layout.body_top..layout.body_top + layout.body_height;
    for ((at, line), y) in lines.iter().enumerate().skip(scroll).zip(rows) {
        let x = put(canvas, line, y);
        if found == Some(at) {
            let (marker, style) = (canvas.glyph("›", "/"), canvas.style(Role::Marked));
            canvas.put(0, y, 1, marker, style);
            canvas.tint(1, y, x.saturating_sub(1), style);
        }
        if cursor == Some(at) {
            let marker = canvas.glyph("▸", ">");
            let style = canvas.style(Role::Accent);
            canvas.put(0, y, 1, marker, style);
            let selected = canvas.style(Role::Selected);
            canvas.tint(0, y, x, selected);
        }
    }
}
