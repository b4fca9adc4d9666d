//! The dialog of the action sheet, over the body.

use super::canvas::Canvas;
use super::footer::keys_of_box;
use super::popup::outline;
use super::text;
use crate::app::content::sheet::dialog::FRAME;
use crate::app::{App, Layout, Role};

/// Draws the dialog of the action sheet; returns the cell of the terminal's cursor, `None` without one.
pub fn draw(canvas: &mut Canvas<'_>, app: &App, layout: &Layout) -> Option<(u16, u16)> {
    let dialog = app.dialog_box()?;
    let narrow = |n: usize| u16::try_from(n).unwrap_or(u16::MAX);
    if !dialog.fits {
        for y in layout.body_top..layout.body_top + layout.body_height {
            canvas.blank(0, y, layout.width);
        }
        let style = canvas.style(Role::Warn);
        let text = "window too small for the dialog; esc";
        canvas.put(0, layout.body_top, layout.width, text, style);
        return None;
    }
    let width = narrow(dialog.width + FRAME).min(layout.width);
    let height = narrow(dialog.lines.len() + 2).min(layout.body_height);
    let x = (layout.width - width) / 2;
    let y = layout.body_top + (layout.body_height - height) / 2;
    for row in 0..height {
        canvas.blank(x, y + row, width);
    }
    outline(canvas, (x, y, width, height), &dialog.title, &keys_of_box(app));
    for (line, row) in dialog.lines.iter().zip(y + 1..) {
        text::put_at(canvas, line, (x + 2, row), width.saturating_sub(4));
    }
    dialog.caret.map(|(column, line)| {
        let column = narrow(column).min(width.saturating_sub(4));
        (x + 2 + column, y + 1 + narrow(line))
    })
}
