//! What S3 and EBS cost in a region.

use serde::{Deserialize, Serialize};

use super::tier::Tier;
use super::volume::VolumeKind;
use crate::domain::Provenance;

/// Dollars per GiB-month from a volume on.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct VolumeStep {
    /// Volume from which the price holds, GiB of the month in the whole organisation.
    pub from_gib: f64,
    /// Price from that volume on, USD per GiB-month.
    pub usd: f64,
}

/// Prices of one tier. `None` is an unknown price: what needs it is unknown as well.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TierPrices {
    /// Storage prices by ascending volume; empty when unknown.
    pub storage: Vec<VolumeStep>,
    /// USD per 1,000 PUT, COPY, POST, LIST.
    pub put_per_1000: Option<f64>,
    /// USD per 1,000 GET and other requests.
    pub get_per_1000: Option<f64>,
    /// USD per 1,000 objects moved into it by lifecycle.
    pub transition_per_1000: Option<f64>,
    /// USD per GiB read back (standard speed).
    pub retrieval_per_gib: Option<f64>,
    /// USD per 1,000 restore requests (standard speed).
    pub restore_per_1000: Option<f64>,
}

/// S3 prices of one region.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct S3Prices {
    /// AWS region code, such as `us-east-1`.
    pub region: String,
    /// By [`Tier::index`]; `Tier::File` and `Tier::Unknown` stay empty.
    pub tiers: Vec<TierPrices>,
    /// Intelligent-Tiering: USD per 1,000 monitored objects and month.
    pub monitoring_per_1000: Option<f64>,
    /// Source of the prices. For a list in the binary, the date of its oldest confirmed row.
    pub provenance: Provenance,
    /// Notes on single prices that have another source or are unconfirmed.
    #[serde(default)]
    pub notes: Vec<PriceNote>,
}

/// Note on one price that has another source than the others, or that is unconfirmed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PriceNote {
    /// Tier or volume kind, then the name of the price: `glacier_ir put_per_1000`.
    pub price: String,
    /// Source of the price.
    pub provenance: Provenance,
    /// False when the figure was not found in a price list of AWS or one made from it.
    pub is_confirmed: bool,
    /// The note, one sentence.
    pub says: String,
}

impl S3Prices {
    /// Prices of a region of which nothing is known.
    pub fn unknown(region: &str, provenance: Provenance) -> Self {
        Self {
            region: region.to_owned(),
            tiers: vec![TierPrices::default(); Tier::COUNT],
            monitoring_per_1000: None,
            provenance,
            notes: Vec::new(),
        }
    }

    /// Prices of a tier; `None` for an incomplete list.
    pub fn tier(&self, tier: Tier) -> Option<&TierPrices> {
        self.tiers.get(tier.index())
    }
}

/// Prices of one volume kind. `None` and empty lists are unknown prices.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct VolumePrices {
    /// USD per provisioned GiB-month.
    pub gib: Option<f64>,
    /// USD per provisioned IOPS-month, ascending: `from_gib` is the IOPS from which it holds, and
    /// what is included begins with a step of 0. Empty for kinds that sell none.
    pub iops: Vec<VolumeStep>,
    /// USD per MiB/s-month of throughput, ascending, as with `iops`; empty for kinds that sell none.
    pub mibps: Vec<VolumeStep>,
}

/// The prices of volumes and snapshots in a region.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EbsPrices {
    /// AWS region code, such as `us-east-1`.
    pub region: String,
    /// By kind; one that is not in it has no known price.
    pub kinds: Vec<(VolumeKind, VolumePrices)>,
    /// Snapshots: USD per GiB-month stored (incremental).
    pub snapshot_gib: Option<f64>,
    /// Archived snapshots: USD per GiB-month of the full size.
    pub archive_gib: Option<f64>,
    /// USD per GiB restored from the archive.
    pub archive_restore_gib: Option<f64>,
    /// Source of the prices. For a list in the binary, the date of its oldest confirmed row.
    pub provenance: Provenance,
    /// Notes on single prices that have another source or are unconfirmed.
    #[serde(default)]
    pub notes: Vec<PriceNote>,
}

impl EbsPrices {
    /// Prices of a region of which nothing is known.
    pub fn unknown(region: &str, provenance: Provenance) -> Self {
        Self {
            region: region.to_owned(),
            kinds: Vec::new(),
            snapshot_gib: None,
            archive_gib: None,
            archive_restore_gib: None,
            provenance,
            notes: Vec::new(),
        }
    }

    /// Prices of a volume kind; `None` when unknown.
    pub fn kind(&self, kind: VolumeKind) -> Option<&VolumePrices> {
        self.kinds.iter().find(|(k, _)| *k == kind).map(|(_, prices)| prices)
    }
}
