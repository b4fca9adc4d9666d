//! A gp2 volume as a gp3 volume with the performance that it has.

use super::volume::{GP3_IOPS, GP3_MIBPS, volume_usd};
use crate::domain::storage::{EbsPrices, Volume, VolumeKind};

/// A gp2 volume as gp3 that does what the gp2 does without burst credits.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Gp3Offer {
    /// IOPS to ask for.
    pub iops: u32,
    /// Throughput to ask for, MiB/s.
    pub throughput_mibps: u32,
    /// What it costs as gp2, USD per month.
    pub gp2_usd: f64,
    /// What it would cost as gp3 with those, USD per month.
    pub gp3_usd: f64,
}

impl Gp3Offer {
    /// USD per month saved; below 0 where gp3 would be dearer.
    pub fn saves(&self) -> f64 {
        self.gp2_usd - self.gp3_usd
    }
}

/// IOPS that a gp2 volume of a size always has: 3 per GiB, at least 100, at most 16,000 ("General
/// Purpose SSD volumes", EBS user guide). Small ones burst to 3,000, which every gp3 has.
fn gp2_iops(size_gib: u32) -> u32 {
    size_gib.saturating_mul(3).clamp(100, 16_000)
}

/// Throughput that a gp2 volume always has, MiB/s: its IOPS at 256 KiB each, at most 128 up to
/// 170 GiB and 250 above (same source).
fn gp2_mibps(size_gib: u32, iops: u32) -> u32 {
    let most = if size_gib <= 170 { 128 } else { 250 };
    iops.div_ceil(4).min(most)
}

/// IOPS and MiB/s that a gp3 volume has to be given to be no slower than gp2 of that size at all
/// times: never less than the 3,000 IOPS and 125 MiB/s that every gp3 has.
pub fn gp3_parity(size_gib: u32) -> (u32, u32) {
    let own = gp2_iops(size_gib);
    (own.max(GP3_IOPS), gp2_mibps(size_gib, own).max(GP3_MIBPS))
}

/// What a gp2 volume would be as gp3; `None` for other kinds, and where a price is not known.
pub fn gp3_offer(volume: &Volume, prices: &EbsPrices) -> Option<Gp3Offer> {
    if volume.kind != VolumeKind::Gp2 {
        return None;
    }
    let (iops, throughput_mibps) = gp3_parity(volume.size_gib);
    let wanted = Volume {
        kind: VolumeKind::Gp3,
        iops: Some(iops),
        throughput_mibps: Some(throughput_mibps),
        ..volume.clone()
    };
    Some(Gp3Offer {
        iops,
        throughput_mibps,
        gp2_usd: volume_usd(volume, prices)?,
        gp3_usd: volume_usd(&wanted, prices)?,
    })
}
