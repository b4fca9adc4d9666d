//! What would avoid a part of a row, and what that costs itself. A row has one fix at most, and a line is in one row: no
//! line is avoided twice.

use super::NetworkRow;
use super::facts::{Bucket, Facts};
use super::meaning::{GB, INTERNET, Purpose};
use super::path::{Confidence, NetworkPath};
use crate::domain::bill::Usd;

/// Price of an interface endpoint where the bill has none of the region, US dollars per hour and zone and per GB: AWS
/// `PrivateLink`, us-east-1, first petabyte.
const ENDPOINT_USD: (f64, f64) = (0.01, 0.01);

/// Mean size of what a request reads below which objects are small, bytes.
const SMALL: f64 = 1024.0 * 1024.0;

/// Size to which small objects are packed, bytes: of the 8 to 16 MB that AWS names for byte-range requests the lower one
/// (S3 User Guide, "Performance guidelines for Amazon S3").
const PACKED: f64 = 8.0 * 1024.0 * 1024.0;

/// Below this nothing is worth a fix: a cent.
const LEAST: f64 = 0.01;

/// What avoids a part of a row.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Remedy {
    /// A gateway endpoint for S3 and `DynamoDB`, in place of the NAT gateway.
    GatewayEndpoint,
    /// An interface endpoint, in place of the NAT gateway.
    InterfaceEndpoint {
        /// Bytes a month from which it is cheaper.
        pays_from_bytes: f64,
    },
    /// The fleet and the bucket that it reads in one region.
    CoLocation,
    /// Replication rules for what needs a copy alone.
    ReplicationRules,
    /// The fleet, and what it talks to, in one zone.
    OneZone,
    /// Compression of what is sent.
    Compression,
    /// Small objects packed into larger ones.
    PackObjects {
        /// Mean size of what a request reads, bytes.
        mean_bytes: f64,
    },
    /// Deletion of a gateway or endpoint through which nothing went.
    DeleteIdle,
    /// A retention for logs that are kept for ever.
    LogRetention,
}

impl Remedy {
    /// The words in JSON, CSV and filters.
    pub const WORDS: [&'static str; 9] = [
        "gateway_endpoint",
        "interface_endpoint",
        "co_location",
        "replication_rules",
        "one_zone",
        "compression",
        "pack_objects",
        "delete_idle",
        "log_retention",
    ];

    /// Word in JSON, CSV and filters.
    pub const fn word(&self) -> &'static str {
        Self::WORDS[self.place()]
    }

    /// Place among [`Self::WORDS`].
    pub const fn place(&self) -> usize {
        match self {
            Self::GatewayEndpoint => 0,
            Self::InterfaceEndpoint { .. } => 1,
            Self::CoLocation => 2,
            Self::ReplicationRules => 3,
            Self::OneZone => 4,
            Self::Compression => 5,
            Self::PackObjects { .. } => 6,
            Self::DeleteIdle => 7,
            Self::LogRetention => 8,
        }
    }
}

/// A fix of a row.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Fix {
    /// What is done.
    pub remedy: Remedy,
    /// What it avoids, US dollars per month, after `own_usd`; never more than the row costs. `None` where the bill does not
    /// tell how much.
    pub avoidable: Option<Usd>,
    /// Whether that is what is avoided, or an upper bound.
    pub confidence: Confidence,
    /// What the fix costs each month, US dollars; 0 = nothing, `None` = not known.
    pub own_usd: Option<Usd>,
    /// What it costs once, US dollars; 0 = nothing, `None` = not known.
    pub once_usd: Option<Usd>,
}

impl Fix {
    /// One that costs nothing.
    const fn free(remedy: Remedy, avoidable: Usd, confidence: Confidence) -> Self {
        let free = Some(Usd::ZERO);
        Self { remedy, avoidable: Some(avoidable), confidence, own_usd: free, once_usd: free }
    }

    /// Months until what it costs once is paid back; `None` where that, or what is avoided, is not known.
    pub fn pay_back_months(&self) -> Option<f64> {
        let (once, avoidable) = (self.once_usd?.to_f64(), self.avoidable?.to_f64());
        (avoidable > 0.0).then(|| once / avoidable)
    }
}

/// The fix of a row; `None` where nothing is known that would avoid a cent of it, and where its path is not certain.
pub(super) fn fix(row: &NetworkRow, facts: &Facts) -> Option<Fix> {
    let is_worth = |usd: Usd| usd.to_f64() >= LEAST;
    let found = if row.is_told && is_worth(row.usd) { found(row, facts) } else { None };
    found.filter(|fix| fix.avoidable.is_none_or(is_worth))
}

fn found(row: &NetworkRow, facts: &Facts) -> Option<Fix> {
    let key = &row.key;
    // A discount in a line of its own may leave less than the bytes cost.
    let of_bytes = row.bytes_usd.min(row.usd);
    let is_idle = || {
        let has_hours = row.hours.is_some_and(|hours| hours > 0.0);
        key.resource.is_some() && has_hours && row.bytes.unwrap_or_default() <= 0.0
    };
    match key.path {
        NetworkPath::Nat | NetworkPath::Endpoint if is_idle() => {
            Some(Fix::free(Remedy::DeleteIdle, row.usd, Confidence::High))
        }
        _ if of_bytes <= Usd::ZERO && key.path != NetworkPath::Requests => None,
        NetworkPath::Nat => {
            let region = key.from.as_ref();
            if region.is_some_and(|region| facts.with_gateway_services.contains(region)) {
                return Some(Fix::free(Remedy::GatewayEndpoint, of_bytes, Confidence::UpTo));
            }
            let price = region.and_then(|region| facts.endpoints.get(region));
            interface_endpoint(row, of_bytes, *price.unwrap_or(&ENDPOINT_USD))
        }
        NetworkPath::InterRegion if key.purpose == Purpose::Replication => {
            Some(Fix::free(Remedy::ReplicationRules, of_bytes, Confidence::UpTo))
        }
        NetworkPath::InterRegion => co_location(row, of_bytes, facts),
        NetworkPath::InterAz => Some(Fix::free(Remedy::OneZone, of_bytes, Confidence::UpTo)),
        NetworkPath::Internet if key.to.as_deref() == Some(INTERNET) => Some(Fix {
            remedy: Remedy::Compression,
            avoidable: None,
            confidence: Confidence::UpTo,
            own_usd: None,
            once_usd: None,
        }),
        NetworkPath::Requests => pack_objects(row, facts.buckets.get(key.resource.as_ref()?)?),
        _ => None,
    }
}

/// An interface endpoint in each zone that has a NAT gateway; `None` where it would cost more than it avoids.
fn interface_endpoint(row: &NetworkRow, of_bytes: Usd, (hour, gb): (f64, f64)) -> Option<Fix> {
    let (bytes, hours) = (row.bytes?, row.hours?);
    let saved_per_gb = row.usd_per_gb()? - gb;
    let own = exact(hours * hour + bytes / GB * gb)?;
    let avoidable = of_bytes - own;
    (saved_per_gb > 0.0 && avoidable > Usd::ZERO).then(|| Fix {
        remedy: Remedy::InterfaceEndpoint { pays_from_bytes: hours * hour / saved_per_gb * GB },
        avoidable: Some(avoidable),
        confidence: Confidence::UpTo,
        own_usd: Some(own),
        once_usd: Some(Usd::ZERO),
    })
}

/// The bucket moves to its readers, or they to it: what is stored goes over the path once more. Where several regions read it,
/// each needs a copy, which is stored each month. `None` where that costs more than it avoids.
fn co_location(row: &NetworkRow, of_bytes: Usd, facts: &Facts) -> Option<Fix> {
    let name = row.key.resource.as_ref();
    let bucket = name.and_then(|name| facts.buckets.get(name));
    let regions = name.and_then(|name| facts.readers.get(name));
    // Of a bucket whose path several accounts pay for, each has its part of the price.
    let part = || {
        let all = regions?.get(&row.key.to)?;
        Some((row.usd.to_f64() / all).clamp(0.0, 1.0))
    };
    let stored = || Some((bucket.filter(|bucket| bucket.stored_gb > 0.0)?, part()?));
    let once_usd =
        stored().and_then(|(bucket, part)| exact(bucket.stored_gb * row.usd_per_gb()? * part));
    let needs_copies = regions.is_some_and(|regions| regions.len() > 1);
    let own_usd = if needs_copies {
        stored().and_then(|(bucket, part)| exact(bucket.stored_usd * part))
    } else {
        Some(Usd::ZERO)
    };
    let avoidable = of_bytes - own_usd.unwrap_or_default();
    let is_told = bucket.is_some() && row.key.purpose == Purpose::Read && !needs_copies;
    (avoidable > Usd::ZERO).then_some(Fix {
        remedy: Remedy::CoLocation,
        avoidable: Some(avoidable.min(of_bytes)),
        confidence: if is_told { Confidence::High } else { Confidence::UpTo },
        own_usd,
        once_usd,
    })
}

/// Objects of [`PACKED`] bytes in place of small ones: so many fewer requests read the same. `None` where the bill does not
/// tell all that a bucket serves, and where what a request reads is not small.
fn pack_objects(row: &NetworkRow, bucket: &Bucket) -> Option<Fix> {
    let mean_bytes = bucket.read_bytes / row.reads?;
    let is_small = mean_bytes > 0.0 && mean_bytes < SMALL;
    (bucket.has_reads_within && is_small).then(|| {
        let avoidable = exact(row.reads_usd.to_f64() * (1.0 - mean_bytes / PACKED));
        Fix {
            remedy: Remedy::PackObjects { mean_bytes },
            avoidable: avoidable.map(|usd| usd.min(row.usd)),
            confidence: Confidence::UpTo,
            own_usd: Some(Usd::ZERO),
            once_usd: None,
        }
    })
}

/// An estimate as dollars, to ten places as bills have them.
pub(super) fn exact(usd: f64) -> Option<Usd> {
    Usd::from_f64((usd * 1e10).round() / 1e10)
}
