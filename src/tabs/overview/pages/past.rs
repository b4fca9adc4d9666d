//! What changed since yesterday and since the last run, on the Overview.

use crate::app::App;
use crate::app::Role;
use crate::app::content::{Line, wrap};
use crate::tabs::overview::picture::since;
use crate::view::ViewContext;

/// A block of its own; nothing where nothing is known of the past.
pub(super) fn lines(app: &App, ctx: &ViewContext, width: usize) -> Vec<Line> {
    let said = app.burn_past().map(|past| since(past, ctx)).unwrap_or_default();
    said.iter()
        .flat_map(|sentence| wrap(sentence, width))
        .map(|part| Line::of(Role::Text, part))
        .collect()
}
