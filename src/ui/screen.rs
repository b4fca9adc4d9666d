//! How a screen looks beyond its texts.

use super::canvas::Canvas;
use super::table;
use crate::app::{App, Layout, Placement, Role, Screen};

/// What a screen draws itself. Everything has a default: the table of its list, and nothing beside it.
pub trait Draw: Screen {
    /// Draws the body below the strip; asked only where [`Screen::is_drawn`] says so.
    fn draw(&self, canvas: &mut Canvas<'_>, app: &App, layout: &Layout) {
        table::draw(canvas, app, self, self.list(app), layout);
    }

    /// Draws the heading of a group of rows.
    fn head(&self, _: &mut Canvas<'_>, _: &App, _head: u32, _: &Placement, _y: u16) {}

    /// Draws what stands behind the last column of a row.
    fn tail(&self, _: &mut Canvas<'_>, _: &App, _row: u32, _y: u16) {}

    /// Texts on the right of the tabs while the body is drawn, most important first.
    fn state(&self, _app: &App) -> Vec<(String, Role)> {
        Vec::new()
    }

    /// Basis of the dollars of marked rows, with a leading blank; empty without one.
    fn marks_basis(&self, _app: &App) -> &'static str {
        ""
    }

    /// Position in a body that is neither a table nor lines of text; `None` without one.
    fn position(&self, _app: &App) -> Option<String> {
        None
    }
}
