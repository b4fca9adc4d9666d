//! How the Jobs tab looks: a table of the list on screen.

#[cfg(test)]
mod golden;

use super::screen::JobsScreen;
use crate::app::{App, Role};
use crate::ui::{Draw, table_state};

impl Draw for JobsScreen {
    fn state(&self, app: &App) -> Vec<(String, Role)> {
        let order = app.jobs_tab().look().spec().order;
        table_state(app.list(), app.jobs_rows_on_screen(), order)
    }
}
