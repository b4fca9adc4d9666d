//! Upper bound of what a snapshot costs.

use crate::domain::storage::{EbsPrices, GIB, Snapshot, SnapshotTier};

/// What a snapshot costs **at most**, USD per month: its full size, or the size of its volume where
/// that is not known, at the price of its tier. Archived ones cost that, others less as far as they
/// share blocks. `None` without a price.
pub fn snapshot_at_most_usd(snapshot: &Snapshot, prices: &EbsPrices) -> Option<f64> {
    let usd = match snapshot.tier {
        SnapshotTier::Standard => prices.snapshot_gib?,
        SnapshotTier::Archive => prices.archive_gib?,
    };
    Some(usd * full_gib(snapshot))
}

/// Full size in GiB, at most.
pub(super) fn full_gib(snapshot: &Snapshot) -> f64 {
    let volume = f64::from(snapshot.volume_gib);
    // A size beyond that of the volume cannot be; the volume's own then says more.
    snapshot.full_bytes.map_or(volume, |bytes| (bytes as f64 / GIB).min(volume.max(1.0)))
}
