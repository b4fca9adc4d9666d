//! What a volume costs: size, IOPS, throughput.

use crate::analyze::storage::price::storage_usd;
use crate::domain::storage::{EbsPrices, Volume, VolumeKind};

/// IOPS that a gp3 volume has without paying more (EBS user guide, "General Purpose SSD volumes").
pub(super) const GP3_IOPS: u32 = 3000;
/// Throughput that a gp3 volume has without paying more, MiB/s (EBS user guide, "General Purpose SSD volumes").
pub(super) const GP3_MIBPS: u32 = 125;

/// What a volume costs, USD per month of 730 h.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct VolumeCost {
    /// Cost of the size, USD per month of 730 h.
    pub size: f64,
    /// Provisioned IOPS beyond what is included, USD per month.
    pub iops: f64,
    /// Provisioned throughput beyond what is included, USD per month.
    pub throughput: f64,
    /// True when that is not all: a magnetic volume is billed for its requests, too.
    pub is_least: bool,
}

impl VolumeCost {
    /// All of it.
    pub fn total(&self) -> f64 {
        self.size + self.iops + self.throughput
    }
}

/// What a volume costs; `None` when a price of it or its provisioned IOPS are not known. A gp3
/// volume of which the API does not tell IOPS or throughput has what is included.
pub fn volume_cost(volume: &Volume, prices: &EbsPrices) -> Option<VolumeCost> {
    let kind = prices.kind(volume.kind)?;
    let mut out = VolumeCost {
        size: kind.gib? * f64::from(volume.size_gib),
        iops: 0.0,
        throughput: 0.0,
        is_least: volume.kind == VolumeKind::Magnetic,
    };
    match volume.kind {
        VolumeKind::Gp3 => {
            let iops = volume.iops.unwrap_or(GP3_IOPS);
            let mibps = volume.throughput_mibps.unwrap_or(GP3_MIBPS);
            // What is included costs nothing, whether or not the rest has a price.
            if iops > GP3_IOPS {
                out.iops = storage_usd(&kind.iops, f64::from(iops))?;
            }
            if mibps > GP3_MIBPS {
                out.throughput = storage_usd(&kind.mibps, f64::from(mibps))?;
            }
        }
        VolumeKind::Io1 | VolumeKind::Io2 => {
            out.iops = storage_usd(&kind.iops, f64::from(volume.iops?))?;
        }
        _ => {}
    }
    Some(out)
}

/// Cost of a volume, USD per month of 730 h; `None` like [`volume_cost`].
pub fn volume_usd(volume: &Volume, prices: &EbsPrices) -> Option<f64> {
    volume_cost(volume, prices).map(|cost| cost.total())
}
