//! What a kind of line says of the network: path, ends, and what its quantity counts.

use std::sync::Arc;

use super::path::NetworkPath;
use crate::domain::bill::{
    Bill, BillFormat, TransferPath, UsageKind, region_of_code, split_regions,
};
use crate::domain::storage::GIB;

/// Bytes of a GB of a bill: prices have their steps at 10,240 and 51,200 GB.
pub const GB: f64 = GIB;

/// End of a path outside of AWS.
pub const INTERNET: &str = "internet";

/// End of a path at the edge.
const CDN: &str = "cdn";

/// What a kind of line says of the network.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Meaning {
    /// The path.
    pub path: NetworkPath,
    /// True where the usage type tells the path; false where an operation or a description does.
    pub is_told: bool,
    /// What the lines are for, as far as fixes differ by it.
    pub purpose: Purpose,
    /// What the quantity counts; `None` for what no row sums.
    pub meter: Option<Meter>,
    /// Where the bytes are counted besides.
    pub channel: Channel,
    /// Codes that the usage type begins with.
    codes: [Option<Arc<str>>; 2],
    /// True for what comes in from elsewhere.
    is_in: bool,
}

/// What lines between regions, or of requests, are for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Purpose {
    /// Objects that are read.
    Read,
    /// Copies that replication rules make.
    Replication,
    /// Anything else.
    #[default]
    Other,
}

impl Purpose {
    /// Their words in JSON, CSV and filters.
    pub const WORDS: [&'static str; 3] = ["read", "replication", "other"];

    /// Word in JSON, CSV and filters.
    pub const fn word(self) -> &'static str {
        Self::WORDS[self as usize]
    }
}

/// What a quantity counts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Meter {
    /// Bytes, so many per unit.
    Bytes(f64),
    /// Hours.
    Hours,
    /// Requests.
    Requests,
}

/// By how many lines the same bytes are counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Channel {
    /// By this one alone.
    Alone,
    /// By one of the sender and one of the receiver.
    Side(Side, Layer),
}

/// Whose line it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Side {
    /// The sender's.
    Out,
    /// The receiver's.
    In,
    /// Either; not said.
    Either,
}

/// Lines of one layer count bytes that those of the other count again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Layer {
    /// What has the price of the path.
    Priced,
    /// What counts the same bytes once more: `xAZ` at no price, `S3RTC` at the fee for replication in time.
    Twin,
}

/// Ends of a path: region, `internet`, `cdn`, or a code as the bill has it; `None` where not said.
pub(super) type Ends = (Option<Arc<str>>, Option<Arc<str>>);

impl Meaning {
    /// Meaning of a kind of the category network.
    pub(super) fn of_network(bill: &Bill, kind: &UsageKind) -> Self {
        let usage_type = bill.name(kind.usage_type);
        let (operation, code) = (bill.name(kind.operation), bill.name(kind.service_code));
        let (codes, rest) = split_regions(usage_type);
        let by_usage_type = TransferPath::of(usage_type, "", "", code, "");
        let path = by_usage_type.or(kind.path).map_or(NetworkPath::Other, NetworkPath::from);
        // FOCUS 1.2 has the meter of the SKU in place of the usage type.
        let has_types = bill.head.format != BillFormat::Focus12 && !usage_type.is_empty();
        let is_told = by_usage_type.is_some() || has_types && matches!(path, NetworkPath::Other);
        let side = side(rest, operation);
        let channel = match path {
            NetworkPath::InterAz if rest.starts_with("DataTransfer-xAZ-") => {
                Channel::Side(side, Layer::Twin)
            }
            NetworkPath::InterRegion if rest.starts_with("S3RTC-") => {
                Channel::Side(side, Layer::Twin)
            }
            NetworkPath::InterAz | NetworkPath::InterRegion => Channel::Side(side, Layer::Priced),
            _ => Channel::Alone,
        };
        Self {
            path,
            is_told,
            purpose: match path {
                NetworkPath::InterRegion => purpose(rest, operation),
                _ => Purpose::Other,
            },
            meter: meter(bill.name(kind.unit)),
            channel,
            codes: codes.map(|code| code.map(Arc::from)),
            is_in: if is_told { rest.contains("-In-") } else { side == Side::In },
        }
    }

    /// Meaning of a kind of requests to buckets; `None` for any other kind.
    pub(super) fn of_requests(bill: &Bill, kind: &UsageKind) -> Option<Self> {
        let (codes, rest) = split_regions(bill.name(kind.usage_type));
        (rest.starts_with("Requests-") && kind.is_s3(bill)).then(|| Self {
            path: NetworkPath::Requests,
            is_told: true,
            purpose: match bill.name(kind.operation) {
                "GetObject" => Purpose::Read,
                _ => Purpose::Other,
            },
            meter: Some(Meter::Requests),
            channel: Channel::Alone,
            codes: codes.map(|code| code.map(Arc::from)),
            is_in: false,
        })
    }

    /// Ends of the path of a line with this region; `None` for the region of a line that says none.
    pub(super) fn ends(&self, region: Option<&Arc<str>>) -> Ends {
        let region_of =
            |code: &Arc<str>| region_of_code(code).map_or_else(|| code.clone(), Arc::from);
        let first = self.codes[0].as_ref().map(region_of);
        // Usage types of us-east-1 may have no code.
        let untold = || (self.is_told && first.is_none()).then(|| Arc::from("us-east-1"));
        let here = region.cloned().or_else(|| first.clone()).or_else(untold);
        let direct = |a, b| if self.is_in { (b, a) } else { (a, b) };
        match self.path {
            NetworkPath::Internet if self.is_told => direct(here, Some(INTERNET.into())),
            NetworkPath::InterAz => (here.clone(), here),
            NetworkPath::InterRegion => match (&self.codes, first) {
                ([_, Some(there)], first) => direct(first, Some(region_of(there))),
                ([Some(_), None], Some(first)) if here.as_ref() == Some(&first) => {
                    let known = region.is_some();
                    let home = Some(Arc::from("us-east-1"));
                    if known { direct(here, None) } else { direct(home, Some(first)) }
                }
                ([Some(_), None], Some(first)) => direct(here, Some(first)),
                _ => direct(here, None),
            },
            NetworkPath::Cdn => match &self.codes[0] {
                // The edge bills by continent.
                Some(edge) if region.is_none() || region_of_code(edge).is_none() => {
                    (Some(edge.clone()), Some(INTERNET.into()))
                }
                _ => (here, Some(CDN.into())),
            },
            _ => (here, None),
        }
    }
}

fn side(rest: &str, operation: &str) -> Side {
    let is_sided = ["AWS-", "S3RTC-", "DataTransfer-xAZ-"].iter().any(|w| rest.starts_with(w));
    if is_sided && rest.contains("-Out-") || !is_sided && operation.ends_with("-Out") {
        Side::Out
    } else if is_sided && rest.contains("-In-") || !is_sided && operation.ends_with("-In") {
        Side::In
    } else {
        Side::Either
    }
}

fn purpose(rest: &str, operation: &str) -> Purpose {
    if rest.starts_with("S3RTC-") || operation.contains("Replicat") {
        Purpose::Replication
    } else if operation == "GetObject" {
        Purpose::Read
    } else {
        Purpose::Other
    }
}

/// What a unit counts; `None` for units that no row sums.
fn meter(unit: &str) -> Option<Meter> {
    const UNITS: [(&[&str], Meter); 7] = [
        (&["gb", "gib", "gigabyte", "gigabytes"], Meter::Bytes(GB)),
        (&["tb", "tib", "terabyte", "terabytes"], Meter::Bytes(GB * 1024.0)),
        (&["mb", "mib", "megabyte", "megabytes"], Meter::Bytes(GB / 1024.0)),
        (&["byte", "bytes"], Meter::Bytes(1.0)),
        (&["hr", "hrs", "hour", "hours"], Meter::Hours),
        (&["request", "requests"], Meter::Requests),
        (&["kb", "kib", "kilobyte", "kilobytes"], Meter::Bytes(1024.0)),
    ];
    let fits = |names: &[&str]| names.iter().any(|name| name.eq_ignore_ascii_case(unit));
    UNITS.iter().find(|(names, _)| fits(names)).map(|(_, meter)| *meter)
}
