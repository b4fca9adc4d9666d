//! Volumes and snapshots: what they cost, and what is found wrong with them.
//!
//! A snapshot stores what changed since the one before and shares the rest; EC2 does not say how
//! much is its own. What it costs is therefore said as *at most*.

mod findings;
mod gp3;
mod snapshot;
mod volume;

pub use findings::{
    Holder, OLD_DAYS, SnapshotCase, VolumeCase, is_managed, of_snapshot, of_volume,
};
pub use gp3::{Gp3Offer, gp3_offer, gp3_parity};
pub use snapshot::snapshot_at_most_usd;
pub use volume::{VolumeCost, volume_cost, volume_usd};

#[cfg(test)]
mod tests;
