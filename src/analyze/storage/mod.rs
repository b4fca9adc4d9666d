//! Storage, analysed: prices, tiers, lifecycle, checkpoints, duplicates, findings.
//!
//! What has to look at every object is a [`Fold`] over batches, so that one pass over a list feeds
//! all of them, on as many threads as there are, in memory that does not grow with the list.

pub mod checkpoints;
pub mod duplicates;
pub mod ebs;
pub mod findings;
mod fold;
pub mod forecast;
pub mod lifecycle;
pub mod picture;
pub mod price;
pub mod tiers;
mod tree;

pub use fold::{Fold, ListInfo};
pub use picture::{PictureInput, picture};
pub use tree::{TreeFold, TreeLimits};
