//! What is shown of the audit log: one row per run.

mod field;
mod row;

pub use field::ActionField;
pub use row::{ActionCounts, ActionRow, ActionTarget, ActionsPicture};
