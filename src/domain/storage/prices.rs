//! What S3 and EBS cost in a region.

use serde::{Deserialize, Serialize};

use super::tier::Tier;
use super::volume::VolumeKind;
use crate::domain::Provenance;

/// Price from a stored volume on.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct VolumeStep {
    /// Volume from which the price holds, GiB stored in the month by the whole organization.
    pub from_gib: f64,
    /// Price from that volume on, USD per GiB-month.
    pub usd: f64,
}

/// Prices of one tier. `None` is an unknown price: what needs it is unknown as well.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TierPrices {
    /// Storage prices by ascending volume; empty when unknown.
    pub storage: Vec<VolumeStep>,
    /// USD per 1,000 PUT, COPY, POST and LIST requests.
    pub put_per_1000: Option<f64>,
    /// USD per 1,000 GET and other requests.
    pub get_per_1000: Option<f64>,
    /// USD per 1,000 objects that lifecycle rules move into the tier.
    pub transition_per_1000: Option<f64>,
    /// USD per GiB retrieved (standard speed).
    pub retrieval_per_gib: Option<f64>,
    /// USD per 1,000 restore requests (standard speed).
    pub restore_per_1000: Option<f64>,
}

/// S3 prices of one region.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct S3Prices {
    /// AWS region code, such as `us-east-1`.
    pub region: String,
    /// Prices by [`Tier::index`]; `Tier::File` and `Tier::Unknown` stay empty.
    pub tiers: Vec<TierPrices>,
    /// Intelligent-Tiering: USD per 1,000 monitored objects and month; `None` when unknown.
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
    /// False when the figure was not found in a price list of AWS, or in one derived from it.
    pub is_confirmed: bool,
    /// The note, one sentence.
    pub says: String,
}

impl S3Prices {
    /// Unknown prices of a region.
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
    /// USD per provisioned GiB-month; `None` when unknown.
    pub gib: Option<f64>,
    /// USD per provisioned IOPS-month by ascending IOPS: `from_gib` is the IOPS from which the price holds, and
    /// included IOPS are a first step of 0. Empty for types without provisioned IOPS.
    pub iops: Vec<VolumeStep>,
    /// USD per MiB/s-month of throughput, by ascending throughput like `iops`; empty for types without provisioned
    /// throughput.
    pub mibps: Vec<VolumeStep>,
}

/// The prices of volumes and snapshots in a region.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EbsPrices {
    /// AWS region code, such as `us-east-1`.
    pub region: String,
    /// Prices by volume type; a type that is not listed has no known price.
    pub kinds: Vec<(VolumeKind, VolumePrices)>,
    /// Snapshots: USD per GiB-month stored (incremental); `None` when unknown.
    pub snapshot_gib: Option<f64>,
    /// Archived snapshots: USD per GiB-month of the full size; `None` when unknown.
    pub archive_gib: Option<f64>,
    /// USD per GiB restored from the archive; `None` when unknown.
    pub archive_restore_gib: Option<f64>,
    /// Source of the prices. For a list in the binary, the date of its oldest confirmed row.
    pub provenance: Provenance,
    /// Notes on single prices that have another source or are unconfirmed.
    #[serde(default)]
    pub notes: Vec<PriceNote>,
}

impl EbsPrices {
    /// Unknown prices of a region.
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
