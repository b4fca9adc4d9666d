//! Network paths of a bill.

use serde::{Deserialize, Serialize};

use super::line_columns as line;
use super::usage_region::split_regions;
use crate::domain::sql;

/// Network path whose bytes, hours or requests a line charges.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum TransferPath {
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
    /// `CloudFront`.
    Cdn,
    /// Other paths: peering, VPN, load balancers, accelerators.
    Other,
}

/// What a usage type begins with behind the codes of its regions, and its path. The first that fits counts.
const BY_USAGE_TYPE: &[(&str, TransferPath)] = &[
    ("DataTransfer-Regional-", TransferPath::InterAz),
    ("DataTransfer-xAZ-", TransferPath::InterAz),
    ("DataTransfer-Out-", TransferPath::Internet),
    ("DataTransfer-In-", TransferPath::Internet),
    ("AWS-Out-", TransferPath::InterRegion),
    ("AWS-In-", TransferPath::InterRegion),
    ("S3RTC-Out-", TransferPath::InterRegion),
    ("S3RTC-In-", TransferPath::InterRegion),
    ("CloudFront-", TransferPath::Cdn),
    ("NatGateway-", TransferPath::Nat),
    ("VpcEndpoint-", TransferPath::Endpoint),
    ("TransitGateway-", TransferPath::TransitGateway),
    ("DataXfer-Out:dc.", TransferPath::DirectConnect),
    ("DataXfer-In:dc.", TransferPath::DirectConnect),
    ("C3DataTransfer-", TransferPath::Other),
    ("VpcPeering-", TransferPath::Other),
    ("VPN-Usage-", TransferPath::Other),
    ("ClientVPN-", TransferPath::Other),
    ("LoadBalancerUsage", TransferPath::Other),
    ("LCUUsage", TransferPath::Other),
    ("PublicIPv4:", TransferPath::Other),
    ("ElasticIP:", TransferPath::Other),
];

/// Services all of whose lines are of one path, by their codes.
const BY_SERVICE: [(&str, TransferPath); 3] = [
    ("AmazonCloudFront", TransferPath::Cdn),
    ("AWSDirectConnect", TransferPath::DirectConnect),
    ("AWSGlobalAccelerator", TransferPath::Other),
];

/// Product families of CUR that are network by themselves.
const FAMILIES: [&str; 2] = ["Data Transfer", "Networking"];

/// Codes of regions with their hyphens, two at most, as [`split_regions`] passes them: `AWS-` is none.
const REGIONS: &str =
    "^(([A-Z]{2}[0-9]{0,2}|[A-Z]{3}[0-9]{1,2}|[B-Z][A-Z]{2}|A[A-VX-Z][A-Z]|AW[A-RT-Z])-){0,2}";

/// What a description contains, in lower case, and its path, for bills without usage types. The first that fits counts.
const BY_DESCRIPTION: &[(&str, TransferPath)] = &[
    ("nat gateway", TransferPath::Nat),
    ("vpc endpoint", TransferPath::Endpoint),
    ("transit gateway", TransferPath::TransitGateway),
    ("direct connect", TransferPath::DirectConnect),
    ("cloudfront", TransferPath::Cdn),
    ("regional data transfer", TransferPath::InterAz),
    ("data transfer to ", TransferPath::InterRegion),
    ("data transfer from ", TransferPath::InterRegion),
    ("data transfer out", TransferPath::Internet),
    ("data transfer in", TransferPath::Internet),
];

/// What an operation begins with, and its path, for bills without usage types.
const BY_OPERATION: &[(&str, TransferPath)] = &[
    ("InterZone", TransferPath::InterAz),
    ("PublicIP", TransferPath::InterAz),
    ("NatGateway", TransferPath::Nat),
    ("VpcEndpoint", TransferPath::Endpoint),
    ("TransitGateway", TransferPath::TransitGateway),
];

impl TransferPath {
    /// Path of a line by what the bill says of it; each text may be empty. `None` for what is no network.
    ///
    /// `usage_type` decides where the bill has one, such as `USE1-USW2-AWS-Out-Bytes`; operation and description
    /// only where it has none.
    pub fn of(
        usage_type: &str,
        operation: &str,
        family: &str,
        service_code: &str,
        description: &str,
    ) -> Option<Self> {
        if let Some((_, path)) = BY_SERVICE.iter().find(|(code, _)| *code == service_code) {
            return Some(*path);
        }
        let (_, what) = split_regions(usage_type);
        if let Some((_, path)) = BY_USAGE_TYPE.iter().find(|(begin, _)| what.starts_with(begin)) {
            return Some(*path);
        }
        if usage_type.is_empty() {
            let by_operation = BY_OPERATION.iter().find(|(begin, _)| operation.starts_with(begin));
            if let Some((_, path)) = by_operation {
                return Some(*path);
            }
            let text = description.to_ascii_lowercase();
            if let Some((_, path)) = BY_DESCRIPTION.iter().find(|(part, _)| text.contains(part)) {
                return Some(*path);
            }
        }
        FAMILIES.contains(&family).then_some(Self::Other)
    }

    /// SQL of [`line::METER`]: the usage type without the codes of regions that it begins with.
    pub fn sql_meter() -> String {
        format!("regexp_replace({}, '{REGIONS}', '')", line::USAGE_TYPE)
    }

    /// SQL condition on [`mod@line`] that is true where [`Self::of`] finds a path.
    pub fn sql_condition() -> String {
        let begins = |column, table: &[(&'static str, Self)]| {
            sql::begins_with_any(column, &table.iter().map(|(text, _)| *text).collect::<Vec<_>>())
        };
        let described: Vec<&str> = BY_DESCRIPTION.iter().map(|(part, _)| *part).collect();
        let untyped = [
            begins(line::OPERATION, BY_OPERATION),
            sql::holds_any(&format!("lower({})", line::DESCRIPTION), &described),
        ];
        sql::any(&[
            sql::is_one_of(line::SERVICE_CODE, &BY_SERVICE.map(|(code, _)| code)),
            begins(line::METER, BY_USAGE_TYPE),
            sql::all(&[format!("{} = ''", line::USAGE_TYPE), sql::any(&untyped)]),
            sql::is_one_of(line::FAMILY, &FAMILIES),
        ])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use TransferPath::*;

    #[test]
    fn usage_types_are_told_by_what_stands_behind_their_regions() {
        for (usage_type, path) in [
            ("DataTransfer-Out-Bytes", Some(Internet)),
            ("USW2-DataTransfer-In-Bytes", Some(Internet)),
            ("USE1-LAX1-DataTransfer-Out-Bytes", Some(Internet)),
            ("USE1-SAE1-AWS-Out-Bytes", Some(InterRegion)),
            ("EU-AWS-Out-Bytes", Some(InterRegion)),
            ("EUC1-EU-AWS-In-ABytes-T1", Some(InterRegion)),
            ("APN1-APN2-S3RTC-Out-Bytes", Some(InterRegion)),
            ("DataTransfer-Regional-Bytes", Some(InterAz)),
            ("USE1-DataTransfer-xAZ-In-Bytes", Some(InterAz)),
            ("EUC1-NatGateway-Hours", Some(Nat)),
            ("VpcEndpoint-Bytes", Some(Endpoint)),
            ("USE2-TransitGateway-Bytes", Some(TransitGateway)),
            ("USE1-DataXfer-Out:dc.3", Some(DirectConnect)),
            ("USE1-CloudFront-Out-Bytes", Some(Cdn)),
            ("USW2-LoadBalancerUsage", Some(Other)),
            ("BoxUsage:p5.48xlarge", None),
            ("USE1-MyDataTransfer-Out-Bytes", None),
            ("Requests-Tier1", None),
            ("", None),
        ] {
            assert_eq!(TransferPath::of(usage_type, "", "", "AmazonEC2", ""), path, "{usage_type}");
        }
        let edge = TransferPath::of("EU-DataTransfer-Out-Bytes", "", "", "AmazonCloudFront", "");
        assert_eq!(edge, Some(Cdn));
        assert_eq!(TransferPath::of("Bandwidth", "", "Networking", "", ""), Some(Other));
    }

    #[test]
    fn descriptions_decide_only_without_a_usage_type() {
        let to = "$0.02 per GB - US East data transfer to South America (Sao Paulo)";
        assert_eq!(TransferPath::of("", "", "Networking", "", to), Some(InterRegion));
        assert_eq!(TransferPath::of("BoxUsage", "", "", "", to), None);
        let out = "$0.09 per GB - first 10 TB / month data transfer out";
        assert_eq!(TransferPath::of("", "", "", "", out), Some(Internet));
        assert_eq!(TransferPath::of("", "InterZone-Out", "", "", out), Some(InterAz));
    }
}
