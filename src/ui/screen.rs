//! How a screen looks beyond its texts.

use super::canvas::Canvas;
use crate::app::{App, Layout, Role, Screen};

/// Drawing of a tab's screen beyond its texts. Every method has a default: a screen of text alone draws nothing.
pub trait Draw: Screen {
    /// Draws the body; called only when [`Screen::is_drawn`] is true.
    fn draw(&self, _canvas: &mut Canvas<'_>, _app: &App, _layout: &Layout) {}

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
