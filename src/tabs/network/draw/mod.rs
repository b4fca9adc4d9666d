//! How the Network tab looks: a table of the list on screen.

#[cfg(test)]
mod golden;

use super::screen::NetworkScreen;
use crate::app::{App, Role};
use crate::ui::{Draw, table_state};

impl Draw for NetworkScreen {
    fn state(&self, app: &App) -> Vec<(String, Role)> {
        let order = app.network_tab().look().spec().order;
        table_state(app.list(), app.network_rows_on_screen(), order)
    }
}
