//! A page of text: the visible lines, the one under the cursor marked.

use super::canvas::Canvas;
use crate::app::{App, Layout, Role};

pub fn draw(canvas: &mut Canvas<'_>, app: &App, layout: &Layout) {
    let (lines, scroll, cursor) = app.text_body();
    let rows = layout.body_top..layout.body_top + layout.body_height;
    for ((at, line), y) in lines.iter().enumerate().skip(scroll).zip(rows) {
        let mut x = 1;
        for span in &line.spans {
            let style = canvas.style(span.role);
            let room = canvas.width().saturating_sub(1).saturating_sub(x);
            x = canvas.put(x, y, room, &span.text, style);
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
