//! How the Teams tab looks: a table of the list on screen.

#[cfg(test)]
mod golden;

use super::screen::TeamsScreen;
use crate::app::{App, Role};
use crate::ui::{Draw, table_state};

impl Draw for TeamsScreen {
    fn state(&self, app: &App) -> Vec<(String, Role)> {
        let order = app.teams_tab().look().spec().order;
        table_state(app.list(), app.teams_rows_on_screen(), order)
    }
}
