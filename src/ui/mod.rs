//! Drawing: what [`App`] holds becomes cells. Nothing is decided here but looks.

mod canvas;
mod dialog;
mod footer;
mod gpus;
mod header;
mod instances;
mod lines;
mod popup;
mod savings;
mod storage;
mod table;
mod text;
pub mod theme;
mod whatif;

#[cfg(test)]
mod budget;
#[cfg(test)]
mod golden;

use ratatui::Frame;

use crate::app::{App, Layout, MINIMUM, Role};
use canvas::Canvas;

pub use crate::app::ColorDepth;

/// Draws the cockpit. Only what is visible is formatted; sizes below [`MINIMUM`] get one line that
/// says what is needed.
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
    if let Some(cursor) = draw_frame(&mut canvas, app, &layout) {
        frame.set_cursor_position(cursor);
    }
}

fn draw_frame(canvas: &mut Canvas<'_>, app: &App, layout: &Layout) -> Option<(u16, u16)> {
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
    if app.shows_gpu_table() || app.shows_heat() {
        gpus::draw(canvas, app, layout);
    } else if app.shows_whatif() {
        whatif::draw(canvas, app);
    } else if app.shows_storage_table() {
        storage::draw(canvas, app, layout);
    } else if app.shows_savings_table() {
        savings::draw(canvas, app, layout);
    } else if app.shows_table() {
        let rows = app.shown().filter(|_| !app.is_empty()).map(|f| &*f.rows);
        table::draw(canvas, app, app.table(), rows, layout);
    } else {
        text::draw(canvas, app, layout);
    }
    popup::draw(canvas, app, layout);
    let caret = dialog::draw(canvas, app, layout);
    if let Some(y) = layout.lower_rule {
        lines::lower_rule(canvas, app, layout, y);
    }
    footer::draw(canvas, app, layout).or(caret)
}
