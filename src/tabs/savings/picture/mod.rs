//! View models of what could be saved: the tables of commitments, smaller sizes, Spot, and resources
//! that are no instances.
//!
//! One table of fields per kind of row, shared by screen, reports and filter. Net, what the bill
//! falls by, stands beside gross, what the list price promises; where net is not known it says so.

mod commitment;
#[cfg(test)]
pub(crate) mod fixture;
mod guide;
mod model;
mod proposal;
mod resource;
mod spot;
#[cfg(test)]
mod tests;
pub mod words;

pub use commitment::CommitmentField;
pub use guide::{GuideRow, guide_number, guide_rows, guide_set, guide_step};
pub use model::ModelField;
pub use proposal::ProposalField;
pub use resource::{ResourceField, ResourceItem, is_idle, resource_items};
pub use spot::SpotField;
