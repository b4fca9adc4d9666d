//! One code for the tables of all tabs.

/// Does the same to the table of the tab on screen and its rows, whatever its rows are. What the
/// tables of different rows have in common is a trait with types of its own, which no pointer can
/// stand for: the code is compiled once per kind of row instead.
macro_rules! on_table {
    ($app:expr, |$table:ident, $rows:ident| $do:expr) => {
        if $app.tab == $crate::app::Tab::Gpus {
            let fleet = $app.gpus().cloned().unwrap_or_default();
            let $rows = &fleet.rows[..];
            let $table = &mut $app.gpu_tab.table;
            // Not everything that is done to a table looks at its rows.
            let _ = $rows;
            $do
        } else {
            let fleet = $app.shown().cloned().unwrap_or_default();
            let $rows = &fleet.rows[..];
            let $table = &mut $app.table;
            let _ = $rows;
            $do
        }
    };
}

/// As [`on_table`], to look at.
macro_rules! of_table {
    ($app:expr, |$table:ident| $do:expr) => {
        if $app.tab() == $crate::app::Tab::Gpus {
            let $table = $app.gpu_tab().table();
            $do
        } else {
            let $table = $app.table();
            $do
        }
    };
}

pub(crate) use of_table;
