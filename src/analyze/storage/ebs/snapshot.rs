//! What a snapshot costs at most, and whether its archive is cheaper.

use crate::analyze::storage::price::DAYS_PER_MONTH;
use crate::domain::storage::{EbsPrices, GIB, Snapshot, SnapshotTier};

/// Days that an archived snapshot is billed for at least ("Archive Amazon EBS snapshots", EBS user
/// guide).
pub const ARCHIVE_DAYS: u32 = 90;

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

/// A snapshot in the archive, which stores all of it, instead of the standard tier, which stores
/// what is its own.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ArchiveOffer {
    /// USD per month where it is.
    pub standard_usd: f64,
    /// USD per month in the archive.
    pub archive_usd: f64,
    /// Full size over its own size: under [`Self::break_even`] the archive is cheaper.
    pub ratio: f64,
    /// The ratio at which both cost the same; 4 in us-east-1.
    pub break_even: f64,
    /// USD that are due at least: 90 days of the archive.
    pub least_usd: f64,
    /// USD for one restore, which takes up to 72 hours.
    pub restore_usd: f64,
}

impl ArchiveOffer {
    /// USD per month saved; below 0 where the archive is dearer.
    pub fn saves(&self) -> f64 {
        self.standard_usd - self.archive_usd
    }
}

/// Compares the archive for a snapshot of `full_gib` of which `own_gib` are its own (what deleting
/// it would free; blocks that others share stay in the standard tier and are billed there). `None`
/// without prices, or without an own size.
pub fn archive_offer(full_gib: f64, own_gib: f64, prices: &EbsPrices) -> Option<ArchiveOffer> {
    if own_gib <= 0.0 || full_gib <= 0.0 {
        return None;
    }
    let (standard, archive) = (prices.snapshot_gib?, prices.archive_gib?);
    Some(ArchiveOffer {
        standard_usd: standard * own_gib,
        archive_usd: archive * full_gib,
        ratio: full_gib / own_gib,
        break_even: standard / archive,
        least_usd: archive * full_gib * f64::from(ARCHIVE_DAYS) / DAYS_PER_MONTH,
        restore_usd: prices.archive_restore_gib? * full_gib,
    })
}
