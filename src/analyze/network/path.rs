//! The paths of a report, and how much of a row the bill tells.

use serde::{Deserialize, Serialize};

use crate::domain::bill::{TransferPath, words};

words! {
    /// Path by which bytes went, or requests.
    NetworkPath {
        /// To or from the internet.
        Internet = "internet",
        /// Between regions.
        InterRegion = "inter_region",
        /// Between availability zones of a region, and over public addresses within it.
        InterAz = "inter_az",
        /// Through a NAT gateway: its hours and bytes.
        Nat = "nat",
        /// Through an interface endpoint: its hours and bytes.
        Endpoint = "endpoint",
        /// Through a transit gateway: its hours and bytes.
        TransitGateway = "transit_gateway",
        /// Direct Connect: ports and bytes.
        DirectConnect = "direct_connect",
        /// `CloudFront`, and what buckets send to it.
        Cdn = "cdn",
        /// Requests to buckets.
        Requests = "requests",
        /// Everything else of the network: balancers, addresses, peering, DNS.
        Other = "other",
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

words! {
    /// How much of a row the bill itself tells.
    Confidence {
        /// Path and avoidable part: usage type and resource tell them.
        High = "high",
        /// The path; of the avoidable part it tells no more than an upper bound.
        UpTo = "up_to",
        /// Not even the path for certain: the bill has no usage types, and an operation or a description told it.
        Low = "low",
    }
}
