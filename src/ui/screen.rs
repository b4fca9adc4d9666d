//! How a screen looks beyond its texts.

use super::canvas::Canvas;
use crate::app::{App, Layout, Role, Screen};

/// What a screen draws itself. Everything has a default: a screen of text alone draws nothing.
pub trait Draw: Screen {
    /// Draws the body; asked only where [`Screen::is_drawn`] says so.
    fn draw(&self, _canvas: &mut Canvas<'_>, _app: &App, _layout: &Layout) {}

    /// What stands right of the tabs while the body is drawn: the most important first.
    fn state(&self, _app: &App) -> Vec<(String, Role)> {
        Vec::new()
    }

    /// What is said of the dollars of marked rows, with a blank before it.
    fn marks_basis(&self, _app: &App) -> &'static str {
        ""
    }

    /// Where in the body one is, where it is neither a table nor lines.
    fn position(&self, _app: &App) -> Option<String> {
        None
    }
}
