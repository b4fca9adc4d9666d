//! Volumes and snapshots: what they cost, and what is found wrong with them.
//!
//! A snapshot stores what changed since the one before and shares the rest; EC2 does not say how
//! much is its own. What it costs is therefore said as *at most*.

mod findings;
mod gp3;
mod snapshot;
mod volume;

pub use findings::{Holder, SnapshotCase, VolumeCase, of_snapshot, of_volume};
#[cfg(test)]
pub use gp3::gp3_offer;
pub use gp3::gp3_parity;
pub use snapshot::snapshot_at_most_usd;
#[cfg(test)]
pub use volume::volume_cost;
pub use volume::volume_usd;

#[cfg(test)]
mod tests;
