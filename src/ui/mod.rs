//! Drawing: what [`App`] holds becomes cells. Nothing is decided here but looks.

pub(crate) mod canvas;
mod dialog;
mod footer;
mod header;
mod lines;
mod popup;
mod screen;
pub(crate) mod table;
pub(crate) mod text;
pub mod theme;

#[cfg(test)]
mod budget;
#[cfg(test)]
pub(crate) mod golden;

use ratatui::Frame;

use crate::app::{App, HintPlace, Layout, MINIMUM, Role};
use crate::tabs;
use canvas::Canvas;

pub(crate) use lines::table_state;
pub use screen::Draw;

/// Draws the cockpit. Only visible rows are formatted; below the size [`MINIMUM`] one line shows the size that is
/// needed.
pub fn draw(frame: &mut Frame<'_>, app: &mut App) {
    let area = frame.area();
    app.fit((area.width, area.height));
    app.prepare();
    let appearance = app.appearance();
    let mut canvas = Canvas::new(frame.buffer_mut(), appearance);
    let Some(layout) = app.layout() else {
        let text = format!("{}x{} < {}x{}", area.width, area.height, MINIMUM.0, MINIMUM.1);
        let style = canvas.style(Role::Text);
        canvas.put(0, 0, u16::MAX, &text, style);
        return;
    };
    let (cursor, hints) = draw_frame(&mut canvas, app, &layout);
    app.keep_hints(hints);
    if let Some(cursor) = cursor {
        frame.set_cursor_position(cursor);
    }
}

/// Draws all of it; returns the cell of the terminal's cursor, `None` without one, and where keys stand in the footer.
fn draw_frame(
    canvas: &mut Canvas<'_>,
    app: &App,
    layout: &Layout,
) -> (Option<(u16, u16)>, Vec<HintPlace>) {
    if let Some(y) = layout.header {
        header::draw(canvas, app, y);
    }
    if let Some(y) = layout.tabs {
        lines::tabs(canvas, app, y);
    }
    if let Some(y) = layout.burn {
        lines::burn(canvas, app, y);
    }
    if let Some(y) = layout.upper_rule {
        lines::upper_rule(canvas, app, y);
    }
    if let Some(inner) = app.inner_layout().filter(|_| app.is_drawn_by_screen()) {
        for (line, y) in app.strip().iter().zip(layout.body_top..) {
            text::put(canvas, line, y);
        }
        tabs::screen_on(app).draw(canvas, app, &inner);
    } else {
        text::draw(canvas, app, layout);
    }
    popup::draw(canvas, app, layout);
    let caret = dialog::draw(canvas, app, layout);
    if let Some(y) = layout.lower_rule {
        lines::lower_rule(canvas, app, layout, y);
    }
    let (cursor, hints) = footer::draw(canvas, app, layout);
    (cursor.or(caret), hints)
}
