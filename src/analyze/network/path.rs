//! The paths of a report, and how much of a row the bill tells.

use crate::domain::bill::TransferPath;

/// Path by which bytes went, or requests.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum NetworkPath {
    /// To or from the internet.
    Internet,
    /// Between regions.
    InterRegion,
    /// Between availability zones of a region, and over public addresses within it.
    InterAz,
    /// Through a NAT gateway: its hours and bytes.
    Nat,
    /// Through an interface endpoint: its hours and bytes.
    Endpoint,
    /// Through a transit gateway: its hours and bytes.
    TransitGateway,
    /// Direct Connect: ports and bytes.
    DirectConnect,
    /// `CloudFront`, and what buckets send to it.
    Cdn,
    /// Requests to buckets.
    Requests,
    /// Everything else of the network: balancers, addresses, peering, DNS.
    Other,
}

impl NetworkPath {
    /// All of them, in the order of [`Self::WORDS`].
    #[cfg(test)]
    pub const ALL: [Self; 10] = [
        Self::Internet,
        Self::InterRegion,
        Self::InterAz,
        Self::Nat,
        Self::Endpoint,
        Self::TransitGateway,
        Self::DirectConnect,
        Self::Cdn,
        Self::Requests,
        Self::Other,
    ];

    /// Their words in JSON, CSV and filters.
    pub const WORDS: [&'static str; 10] = [
        "internet",
        "inter_region",
        "inter_az",
        "nat",
        "endpoint",
        "transit_gateway",
        "direct_connect",
        "cdn",
        "requests",
        "other",
    ];

    /// Word in JSON, CSV and filters.
    pub const fn word(self) -> &'static str {
        Self::WORDS[self as usize]
    }
}

impl From<TransferPath> for NetworkPath {
    fn from(path: TransferPath) -> Self {
        match path {
            TransferPath::Internet => Self::Internet,
            TransferPath::InterRegion => Self::InterRegion,
            TransferPath::InterAz => Self::InterAz,
            TransferPath::Nat => Self::Nat,
            TransferPath::Endpoint => Self::Endpoint,
            TransferPath::TransitGateway => Self::TransitGateway,
            TransferPath::DirectConnect => Self::DirectConnect,
            TransferPath::Cdn => Self::Cdn,
            TransferPath::Other => Self::Other,
        }
    }
}

/// How much of a row the bill itself tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Confidence {
    /// Path and avoidable part: usage type and resource tell them.
    High,
    /// The path; of the avoidable part it tells no more than an upper bound.
    UpTo,
    /// Not even the path for certain: the bill has no usage types, and an operation or a description told it.
    Low,
}

impl Confidence {
    /// Their words in JSON, CSV and filters.
    pub const WORDS: [&'static str; 3] = ["high", "up_to", "low"];

    /// Word in JSON, CSV and filters.
    pub const fn word(self) -> &'static str {
        Self::WORDS[self as usize]
    }
}
