//! View models of a bill: the tables of sums by key, of the anatomy, of what changed, of anomalies and of the bill beside
//! live burn; and what the bills answer to a question of the tab.
//!
//! One table of fields per kind of row, shared by screen, reports and filter.

mod anatomy;
mod anomalies;
mod answer;
mod breakdown;
mod changes;
#[cfg(test)]
pub(crate) mod fixture;
mod keyed;
mod reconcile;
#[cfg(test)]
mod tests;

pub use anatomy::{AnatomyField, AnatomyItem, anatomy_rows, published_shares};
pub use anomalies::{AnomalyField, AnomalyRow, anomaly_rows};
pub use answer::{
    BillBooks, BillPicture, BillQuestion, BillRows, BillSummary, BillView, period_of,
};
pub use breakdown::{BillField, BillRow, bill_rows};
pub use changes::{ChangeField, ChangedRow, changed_rows};
pub use keyed::{Keyed, list_known};
pub use reconcile::{ReconcileField, ReconcileRow, dollars_by_cause, in_words, reconcile_rows};
