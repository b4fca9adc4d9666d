//! How the Bill tab looks: a table of the list on screen.

#[cfg(test)]
mod golden;

use super::screen::BillScreen;
use crate::app::{App, Role};
use crate::ui::{Draw, table_state};

impl Draw for BillScreen {
    fn state(&self, app: &App) -> Vec<(String, Role)> {
        table_state(app.list(), app.bill_rows_on_screen(), app.bill_tab().look().spec().order)
    }
}
