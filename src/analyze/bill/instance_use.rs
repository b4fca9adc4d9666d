//! Which lines of a bill are hours of EC2 instances.

use std::sync::Arc;

use crate::domain::bill::{Bill, KindId, UsageKind, running_type};

/// Hours of instances of a type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct InstanceUse {
    /// Instance type, such as `p5.48xlarge`.
    pub instance_type: Arc<str>,
    /// True for on-demand prices of Linux on shared hardware, as far as usage type and operation tell.
    pub is_plain: bool,
}

/// The kinds of use of a bill that are hours of instances.
#[derive(Debug)]
pub(super) struct InstanceKinds(Vec<Option<InstanceUse>>);

impl InstanceKinds {
    /// From all kinds of a bill.
    pub(super) fn of(bill: &Bill) -> Self {
        Self(bill.kinds().iter().map(|kind| instance_use(bill, kind)).collect())
    }

    /// `None` for what is no hour of an instance.
    pub(super) fn get(&self, kind: KindId) -> Option<&InstanceUse> {
        self.0.get(Bill::kind_index(kind)).and_then(Option::as_ref)
    }
}

/// Of EC2 alone: EMR has `BoxUsage` too.
fn instance_use(bill: &Bill, kind: &UsageKind) -> Option<InstanceUse> {
    let service = bill.name(kind.service);
    let is_ec2 = [bill.name(kind.service_code), service].contains(&"AmazonEC2")
        || service.starts_with("Amazon Elastic Compute Cloud");
    let (word, instance_type) = running_type(bill.name(kind.usage_type)).filter(|_| is_ec2)?;
    Some(InstanceUse {
        instance_type: instance_type.into(),
        is_plain: word == "BoxUsage" && bill.name(kind.operation) == "RunInstances",
    })
}
