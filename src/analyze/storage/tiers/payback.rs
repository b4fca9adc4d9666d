//! One object moved on its own: whether its size is worth the fee.

use crate::analyze::storage::price::{Rates, Volumes, object_monthly, transition_usd};
use crate::domain::storage::{S3Prices, StorageClass, Tier};

/// What moving one object costs and saves.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SmallMove {
    /// USD once.
    pub fee: f64,
    /// USD per month; below 0 when the other class is dearer for this size.
    pub saves: f64,
}

impl SmallMove {
    /// Months until the fee has come back; `None` for never.
    pub fn payback_months(&self) -> Option<f64> {
        (self.saves > 0.0).then(|| self.fee / self.saves)
    }
}

/// One object of `size` bytes that moves from a tier to a class by lifecycle and is not read, at the
/// first step of each price: 128 KiB minimum, archive overheads and monitoring included. `None` when
/// a price is not known. Of Intelligent-Tiering it takes the tier in which it comes to rest.
pub fn moved_alone(
    prices: &S3Prices,
    from: Tier,
    to: StorageClass,
    size: u64,
) -> Option<SmallMove> {
    let rates = Rates::blended(prices, &Volumes::default());
    let to_tier = match to {
        StorageClass::IntelligentTiering if size >= crate::domain::storage::sums::SMALL_OBJECT => {
            Tier::ItArchiveInstant
        }
        other => Tier::of(other),
    };
    Some(SmallMove {
        fee: transition_usd(prices, Tier::of(to), 1.0)?,
        saves: object_monthly(from, size, &rates)? - object_monthly(to_tier, size, &rates)?,
    })
}
