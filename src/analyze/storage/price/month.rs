//! What a set of objects costs per month.

use super::rates::Rates;
use crate::domain::storage::sums::SMALL_OBJECT;
use crate::domain::storage::{GIB, Sums, Tier};

/// Bytes of index that every archived object is billed for at the rate of its tier: 32 KiB
/// ("S3 storage classes", Amazon S3 pricing).
pub const ARCHIVE_INDEX: u64 = 32 << 10;

/// Bytes of name and metadata that every archived object is billed for at the rate of Standard:
/// 8 KiB (same source).
pub const ARCHIVE_NAME: u64 = 8 << 10;

/// True for tiers that bill an object under 128 KiB as 128 KiB: Standard-IA, One Zone-IA, Glacier
/// Instant Retrieval.
pub fn has_minimum_size(tier: Tier) -> bool {
    matches!(tier, Tier::StandardIa | Tier::OnezoneIa | Tier::GlacierIr)
}

/// True for tiers that bill 32 KiB at their rate and 8 KiB at that of Standard with every object.
pub fn has_archive_overhead(tier: Tier) -> bool {
    matches!(tier, Tier::Glacier | Tier::DeepArchive | Tier::ItArchive | Tier::ItDeepArchive)
}

/// Bytes that one object of `size` is billed for at its own tier's rate: its size, at least the
/// minimum, with the archive's index.
pub fn billed_bytes(tier: Tier, size: u64) -> u64 {
    if has_minimum_size(tier) {
        size.max(SMALL_OBJECT)
    } else if has_archive_overhead(tier) {
        size.saturating_add(ARCHIVE_INDEX)
    } else {
        size
    }
}

/// Dollars per month that buy no content.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Overheads {
    /// Small objects billed as 128 KiB.
    pub padding_usd: f64,
    /// Index of archived objects, USD per month at the archive's rate.
    pub index_usd: f64,
    /// Names of archived objects, at Standard's rate.
    pub names_usd: f64,
    /// Intelligent-Tiering watching objects.
    pub monitoring_usd: f64,
}

/// What a set of objects costs per month of 730 h at list price.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Monthly {
    /// USD per month of everything that has a price; `None` when there is something and nothing of
    /// it has one. It leaves out [`Self::unpriced_bytes`]: show the two together.
    pub usd: Option<f64>,
    /// Bytes of which no price is known.
    pub unpriced_bytes: u64,
    /// Objects of which no price is known.
    pub unpriced_objects: u64,
    /// Monitored objects whose monitoring has no known price.
    pub unpriced_monitoring: u64,
    /// USD per month by [`Tier::index`]: content, padding and archive overheads of its objects.
    /// `None` for a tier that holds objects and has no price; 0 for one that holds none.
    pub by_tier: [Option<f64>; Tier::COUNT],
    /// Part of `usd` that buys no content.
    pub overheads: Overheads,
}

impl Monthly {
    /// The whole cost, when everything has a price.
    pub fn exact(&self) -> Option<f64> {
        self.usd.filter(|_| self.unpriced_objects == 0 && self.unpriced_monitoring == 0)
    }
}

/// Dollars of one tier's objects: content, padding, index, names.
fn parts(tier: Tier, objects: u64, bytes: u64, padding: u64, rates: &Rates) -> Option<[f64; 4]> {
    let rate = rates.usd_per_gib(tier)? / GIB;
    let mut out = [bytes as f64 * rate, 0.0, 0.0, 0.0];
    if has_minimum_size(tier) {
        out[1] = padding as f64 * rate;
    }
    if has_archive_overhead(tier) {
        let standard = rates.usd_per_gib(Tier::Standard)? / GIB;
        out[2] = objects as f64 * ARCHIVE_INDEX as f64 * rate;
        out[3] = objects as f64 * ARCHIVE_NAME as f64 * standard;
    }
    Some(out)
}

/// What objects cost per month. Noncurrent versions are in the sums and cost as much; delete markers
/// cost nothing. Linear: the parts of a set add up to the set.
pub fn monthly(sums: &Sums, rates: &Rates) -> Monthly {
    let mut out = Monthly { by_tier: [Some(0.0); Tier::COUNT], ..Monthly::default() };
    let (mut usd, mut priced_objects) = (0.0, 0);
    for tier in Tier::ALL {
        let t = tier.index();
        let (objects, bytes) = (sums.objects[t], sums.bytes[t]);
        if objects == 0 && bytes == 0 {
            continue;
        }
        let Some(parts) = parts(tier, objects, bytes, sums.padding[t], rates) else {
            out.by_tier[t] = None;
            out.unpriced_bytes += bytes;
            out.unpriced_objects += objects;
            continue;
        };
        let sum: f64 = parts.iter().sum();
        out.by_tier[t] = Some(sum);
        out.overheads.padding_usd += parts[1];
        out.overheads.index_usd += parts[2];
        out.overheads.names_usd += parts[3];
        usd += sum;
        priced_objects += objects.max(1);
    }
    if sums.monitored > 0 {
        match rates.monitoring_usd {
            Some(each) => {
                out.overheads.monitoring_usd = each * sums.monitored as f64;
                usd += out.overheads.monitoring_usd;
            }
            None => out.unpriced_monitoring = sums.monitored,
        }
    }
    let is_unknown = priced_objects == 0 && (out.unpriced_objects > 0 || out.unpriced_bytes > 0);
    out.usd = (!is_unknown).then_some(usd);
    out
}

/// What one object costs per month, overheads and monitoring included; `None` when a price of it is
/// not known.
pub fn object_monthly(tier: Tier, size: u64, rates: &Rates) -> Option<f64> {
    let parts = parts(tier, 1, size, SMALL_OBJECT.saturating_sub(size), rates)?;
    let is_monitored = size >= SMALL_OBJECT
        && tier.class() == Some(crate::domain::storage::StorageClass::IntelligentTiering);
    let monitoring = if is_monitored { rates.monitoring_usd? } else { 0.0 };
    Some(parts.iter().sum::<f64>() + monitoring)
}
