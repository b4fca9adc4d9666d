//! How the list of actions looks: a table.

#[cfg(test)]
mod golden;

use super::screen::ActionsScreen;
use crate::app::{App, Role};
use crate::ui::{Draw, table_state};

impl Draw for ActionsScreen {
    fn state(&self, app: &App) -> Vec<(String, Role)> {
        table_state(app.list(), app.action_rows(), "newest first")
    }
}
