//! What was used: the service and the unit that it counts.

use serde::{Deserialize, Serialize};

use super::TransferPath;
use super::cube::Bill;
use super::names::NameId;

/// What a line is about, without whose it is and where: the same for thousands of lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct UsageKind {
    /// Name of the service, such as "Amazon Elastic Compute Cloud"; the code where the bill has no name.
    pub service: NameId,
    /// Code of the service, such as `AmazonEC2`; empty where the bill has none.
    pub service_code: NameId,
    /// Usage type, such as `USW2-BoxUsage:p5.48xlarge`; FOCUS 1.2: the SKU's meter. Empty where the bill has none.
    pub usage_type: NameId,
    /// Operation, such as `RunInstances`; empty where the bill has none.
    pub operation: NameId,
    /// Product family of CUR, or service category of FOCUS; empty where the bill has none.
    pub family: NameId,
    /// Unit of the quantity, such as `Hrs`; empty where the bill has none.
    pub unit: NameId,
    /// Network path whose bytes or hours it counts; `None` for what is no network.
    pub path: Option<TransferPath>,
}

/// The word and the instance type of a usage type that means running hours, `[REGION-]WORD:TYPE` with `BoxUsage`,
/// `SpotUsage` or `DedicatedUsage`; `None` for any other. EMR and others have such types as well as EC2.
pub fn running_type(usage_type: &str) -> Option<(&str, &str)> {
    let (what, instance_type) = usage_type.split_once(':')?;
    let word = what.rsplit('-').next().unwrap_or(what);
    let runs = matches!(word, "BoxUsage" | "SpotUsage" | "DedicatedUsage");
    (runs && instance_type.contains('.')).then_some((word, instance_type))
}

impl UsageKind {
    /// True for what S3 charges.
    pub fn is_s3(&self, bill: &Bill) -> bool {
        bill.name(self.service_code).starts_with("AmazonS3")
            || bill.name(self.service) == "Amazon Simple Storage Service"
    }
}

/// Number of a [`UsageKind`] of a bill.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct KindId(pub(super) u32);
