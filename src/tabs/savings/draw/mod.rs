//! How the lists of what could be saved look: a table of the list on screen.

#[cfg(test)]
mod golden;

use super::screen::SavingsScreen;
use crate::app::{App, Role};
use crate::ui::{Draw, table_state};

impl Draw for SavingsScreen {
    fn state(&self, app: &App) -> Vec<(String, Role)> {
        table_state(app.list(), app.savings_rows_on_screen(), "most dollars first")
    }
}
