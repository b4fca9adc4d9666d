//! How the Idle tab looks: the table of instances.

use super::screen::IdleScreen;
use crate::app::{Action, App, Layout, Role};
use crate::tabs::savings::pages::elsewhere;
use crate::ui::canvas::Canvas;
use crate::ui::{Draw, table, table_state};

impl Draw for IdleScreen {
    fn draw(&self, canvas: &mut Canvas<'_>, app: &App, layout: &Layout) {
        if app.is_empty() {
            table::draw_reading(canvas, app, app.table(), layout);
        } else {
            table::draw(canvas, app, self, app.table(), layout);
        }
    }

    /// As for any table, with the preset, and with what idles and is no instance.
    fn state(&self, app: &App) -> Vec<(String, Role)> {
        let Some(fleet) = app.shown() else { return Vec::new() };
        let all = fleet.totals.instances as usize;
        let mut parts = table_state(app.table(), all, "worst first");
        parts.push((app.preset().to_owned(), Role::Dim));
        let key = app.keymap().keys(Action::NextSavings).first();
        if let Some((text, key)) = app.savings().and_then(|s| elsewhere(s)).zip(key) {
            parts.push((format!("{text} ({key})"), Role::Idle));
        }
        parts
    }

    /// What marks burn is at list price, also where commitments pay for a part of it.
    fn marks_basis(&self, app: &App) -> &'static str {
        let held = app.shown().is_some_and(|fleet| fleet.book.holdings.is_some());
        if held { " gross" } else { "" }
    }
}
