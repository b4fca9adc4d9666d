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
        } else if $app.tab == $crate::app::Tab::Storage {
            on_storage_table!($app, |$table, $rows| $do)
        } else if $app.is_on_savings() {
            on_savings_table!($app, |$table, $rows| $do)
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
        } else if $app.tab() == $crate::app::Tab::Storage {
            $crate::app::of_storage_table!($app, |$table| $do)
        } else if $app.is_on_savings() {
            $crate::app::of_savings_table!($app, |$table| $do)
        } else {
            let $table = $app.table();
            $do
        }
    };
}

/// The table of the list of storage on screen, and its rows.
macro_rules! on_storage_table {
    ($app:expr, |$table:ident, $rows:ident| $do:expr) => {{
        use $crate::app::StorageLook;
        macro_rules! of {
            ($held:expr, $which:ident) => {{
                let held = $held;
                let $rows = &held[..];
                let $table = &mut $app.storage_tab.$which;
                let _ = $rows;
                $do
            }};
        }
        match $app.storage_tab.look() {
            StorageLook::Buckets => {
                let fleet = $app.storage().cloned().unwrap_or_default();
                of!(&fleet.buckets, buckets)
            }
            StorageLook::Explorer => {
                let explorer = $app.storage_tab.explorer();
                let rows = explorer.map(|e| e.here().rows.clone()).unwrap_or_default();
                of!(&rows, prefixes)
            }
            StorageLook::Findings => of!($app.storage_tab.rows().findings.clone(), findings),
            StorageLook::Blocks => of!($app.storage_tab.rows().blocks.clone(), blocks),
            StorageLook::Runs => of!($app.storage_tab.rows().runs.clone(), runs),
            StorageLook::Copies => of!($app.storage_tab.rows().copies.clone(), copies),
        }
    }};
}

/// As [`on_storage_table`], to look at.
macro_rules! of_storage_table {
    ($app:expr, |$table:ident| $do:expr) => {{
        use $crate::app::StorageLook;
        macro_rules! of {
            ($which:ident) => {{
                let $table = $app.storage_tab().$which();
                $do
            }};
        }
        match $app.storage_tab().look() {
            StorageLook::Buckets => of!(buckets),
            StorageLook::Explorer => of!(prefixes),
            StorageLook::Findings => of!(findings),
            StorageLook::Blocks => of!(blocks),
            StorageLook::Runs => of!(runs),
            StorageLook::Copies => of!(copies),
        }
    }};
}

/// The table of the list of savings on screen, and its rows.
macro_rules! on_savings_table {
    ($app:expr, |$table:ident, $rows:ident| $do:expr) => {{
        use $crate::app::SavingsLook;
        let savings = $app.savings().cloned().unwrap_or_default();
        macro_rules! of {
            ($held:expr, $which:ident) => {{
                let $rows = &$held[..];
                let $table = &mut $app.savings_tab.$which;
                let _ = $rows;
                $do
            }};
        }
        match $app.savings_tab.look() {
            SavingsLook::Overview | SavingsLook::Commitments => {
                of!(savings.commitments, commitments)
            }
            SavingsLook::Proposals => of!(savings.proposals, proposals),
            SavingsLook::Spot => of!(savings.spot, spot),
            SavingsLook::Resources => {
                let items = $app.savings_tab.items().clone();
                of!(items, resources)
            }
        }
    }};
}

/// As [`on_savings_table`], to look at.
macro_rules! of_savings_table {
    ($app:expr, |$table:ident| $do:expr) => {{
        use $crate::app::SavingsLook;
        macro_rules! of {
            ($which:ident) => {{
                let $table = $app.savings_tab().$which();
                $do
            }};
        }
        match $app.savings_tab().look() {
            SavingsLook::Overview | SavingsLook::Commitments => of!(commitments),
            SavingsLook::Proposals => of!(proposals),
            SavingsLook::Spot => of!(spot),
            SavingsLook::Resources => of!(resources),
        }
    }};
}

pub(crate) use of_savings_table;
pub(crate) use of_storage_table;
pub(crate) use of_table;
