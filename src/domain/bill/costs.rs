//! What instances, volumes, snapshots and buckets cost on a bill, and what of commitments nothing used, for the views of what runs.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::cube::{Bill, ResourceCell};
use super::month::Month;
use super::names::NameId;
use super::network_spend::NetworkSpend;
use super::rates::BilledRates;
use super::unit_cost::UnitCost;
use super::usd::Usd;
use super::words::Pricing;
use crate::domain::hash::FastMap;

/// What the newest bill says of what is seen live.
#[derive(Clone, Debug, PartialEq)]
pub struct NewestBill {
    /// What resources cost on it.
    pub costs: ResourceCosts,
    /// Rates that it shows.
    pub rates: BilledRates,
    /// What bytes and requests cost on it; `None` where that is not kept beside it.
    pub network: Option<NetworkSpend>,
    /// Unit costs by it and the bill of the month before; empty where none are configured.
    pub units: Vec<UnitCost>,
}

/// Net effective cost of instances, volumes, snapshots and buckets in one period, by their ids. Small beside the bill.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ResourceCosts {
    /// The period.
    pub period: Month,
    /// Last day of the month with use on the bill, from 1.
    pub last_day: u8,
    /// Costs by id, ordered by it.
    costs: Vec<(Arc<str>, Usd)>,
    /// Unused part of commitments and reserved capacity by id, ordered by it.
    unused: Vec<(Arc<str>, Usd)>,
}

impl ResourceCosts {
    /// Costs on one bill, of all its charges.
    pub fn of(bill: &Bill) -> Self {
        let mut costs: FastMap<&str, Usd> = FastMap::default();
        for cell in &bill.resources {
            let id = resource_id(bill.name(cell.resource));
            let is_bucket = || bill.kind(cell.key.kind).is_some_and(|kind| kind.is_s3(bill));
            let is_of_ec2 = ["i-", "vol-", "snap-"].iter().any(|of| id.starts_with(of));
            if is_of_ec2 || !id.is_empty() && is_bucket() {
                *costs.entry(id).or_default() += cell.sums.net;
            }
        }
        Self {
            period: bill.head.period,
            last_day: bill.head.last_day,
            costs: ordered(costs),
            unused: ordered(unused(bill)),
        }
    }

    /// Costs of several bills of one period added up; `None` without any.
    pub fn sum(all: impl IntoIterator<Item = Self>) -> Option<Self> {
        let mut all = all.into_iter();
        let mut sum = all.next()?;
        for other in all {
            sum.last_day = sum.last_day.max(other.last_day);
            sum.costs.extend(other.costs);
            sum.unused.extend(other.unused);
        }
        for costs in [&mut sum.costs, &mut sum.unused] {
            costs.sort_unstable();
            costs.dedup_by(|next, kept| {
                let is_same = next.0 == kept.0;
                if is_same {
                    kept.1 += next.1;
                }
                is_same
            });
        }
        Some(sum)
    }

    /// Cost of a resource, dollars; `None` where the bill does not name it.
    pub fn usd(&self, id: &str) -> Option<f64> {
        found(&self.costs, id)
    }

    /// What of a commitment nothing used, dollars; `None` where the bill does not name it. Of a capacity reservation the
    /// room that nothing ran in; `None` where something ran in all of it.
    pub fn unused_usd(&self, id: &str) -> Option<f64> {
        found(&self.unused, id)
    }
}

fn found(costs: &[(Arc<str>, Usd)], id: &str) -> Option<f64> {
    let at = costs.binary_search_by(|(known, _)| (**known).cmp(id)).ok()?;
    costs.get(at).map(|(_, usd)| usd.to_f64())
}

fn ordered(costs: FastMap<&str, Usd>) -> Vec<(Arc<str>, Usd)> {
    let mut costs: Vec<_> = costs.into_iter().map(|(id, usd)| (id.into(), usd)).collect();
    costs.sort_unstable();
    costs
}

/// Unused part of all commitments of a bill, 0 of those that were used whole; and of reserved capacity that was not.
fn unused(bill: &Bill) -> FastMap<&str, Usd> {
    let mut of: FastMap<NameId, Usd> = FastMap::default();
    for cell in bill.cells.iter().filter(|cell| !cell.key.commitment.is_none()) {
        let usd = of.entry(cell.key.commitment).or_default();
        if cell.key.pricing.is_unused() {
            *usd += cell.sums.net;
        }
    }
    let is_room = |cell: &&ResourceCell| {
        cell.key.pricing == Pricing::UnusedCapacity && cell.key.commitment.is_none()
    };
    let room = bill.resources.iter().filter(is_room);
    let of = of.into_iter().chain(room.map(|cell| (cell.resource, cell.sums.net)));
    let mut unused: FastMap<&str, Usd> = FastMap::default();
    for (id, usd) in of {
        *unused.entry(resource_id(bill.name(id))).or_default() += usd;
    }
    unused
}

/// The id by which live views know a resource that a bill names by its ARN: `i-…` of an instance, `vol-…` of a volume,
/// the name of a bucket. The ARN itself where live views have ARNs too, as of load balancers and SageMaker.
pub fn resource_id(resource: &str) -> &str {
    // arn:partition:service:region:account:name
    let mut parts = resource.splitn(6, ':');
    let (Some("arn"), Some(service), Some(name)) = (parts.next(), parts.nth(1), parts.nth(2))
    else {
        return resource;
    };
    let id = match service {
        "ec2" | "elasticfilesystem" | "fsx" | "savingsplans" => name.rsplit('/').next(),
        "s3" => name.split('/').next(),
        _ => None,
    };
    id.filter(|id| !id.is_empty()).unwrap_or(resource)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::bill::{
        BillBuilder, BillHead, Charge, Key, Line, NameId, OwnerId, PeriodState, Pricing, Sums,
        UsageKind,
    };
    use crate::domain::sample;

    #[test]
    fn ids_are_those_of_the_live_views() {
        for (name, id) in [
            ("arn:aws:ec2:us-east-1:111111111111:instance/i-0abc", "i-0abc"),
            ("arn:aws-cn:ec2:cn-north-1:111111111111:volume/vol-0abc", "vol-0abc"),
            ("arn:aws:ec2:us-east-1:111111111111:natgateway/nat-1", "nat-1"),
            ("arn:aws:s3:::datasets", "datasets"),
            ("arn:aws:s3:::datasets/a/b", "datasets"),
            (
                "arn:aws:sagemaker:us-east-1:1:endpoint/a",
                "arn:aws:sagemaker:us-east-1:1:endpoint/a",
            ),
            ("arn:aws:ec2:us-east-1:1:reserved-instances/f127bd27", "f127bd27"),
            ("arn:aws:savingsplans::1:savingsplan/0a1b", "0a1b"),
            ("arn:aws:ec2:us-east-1:1:", "arn:aws:ec2:us-east-1:1:"),
            ("arn:aws:ec2", "arn:aws:ec2"),
            ("i-0abc", "i-0abc"),
            ("datasets", "datasets"),
            ("", ""),
        ] {
            assert_eq!(resource_id(name), id, "{name}");
        }
    }

    /// Adds a line of use that costs so many cents.
    fn add(
        bill: &mut BillBuilder,
        service: &str,
        commitment: &str,
        resource: &str,
        pricing: Pricing,
        cents: u64,
    ) {
        let kind = UsageKind {
            service: bill.name(service.as_bytes()),
            service_code: bill.name(service.as_bytes()),
            usage_type: NameId::NONE,
            operation: NameId::NONE,
            family: NameId::NONE,
            unit: NameId::NONE,
            path: None,
        };
        let key = Key {
            account: NameId::NONE,
            region: NameId::NONE,
            kind: bill.kind(kind),
            charge: Charge::Usage,
            pricing,
            commitment: bill.name(commitment.as_bytes()),
            owner: OwnerId::default(),
        };
        let net = Usd::from_f64(cents as f64 / 100.0).unwrap();
        let sums = Sums { net, lines: 1, ..Sums::default() };
        let resource = bill.name(resource.as_bytes());
        bill.add(&Line { day: 3, key, resource, sums }).unwrap();
    }

    #[test]
    fn what_nothing_used_is_told_by_commitment_and_by_room() {
        let plan = "arn:aws:savingsplans::1:savingsplan/0a1b";
        let room = "arn:aws:ec2:us-east-1:1:capacity-reservation/cr-1";
        let mut bill = BillBuilder::new(vec![]);
        for (commitment, resource, pricing, cents) in [
            (plan, "i-1", Pricing::SavingsPlan, 5_000_u64),
            (plan, "", Pricing::UnusedCommitment, 1_200),
            ("ri-1", "i-2", Pricing::Reserved, 700),
            ("cr-block", "cr-block", Pricing::UnusedCapacity, 900),
            ("", room, Pricing::UnusedCapacity, 300),
            ("", "i-3", Pricing::OnDemand, 100),
        ] {
            add(&mut bill, "", commitment, resource, pricing, cents);
        }
        let costs = ResourceCosts::of(&bill.finish(sample::bill_head("2026-10")));
        let unused = ["0a1b", "ri-1", "cr-block", "cr-1", "i-3"].map(|id| costs.unused_usd(id));
        assert_eq!(unused, [Some(12.0), Some(0.0), Some(9.0), Some(3.0), None]);
    }

    #[test]
    fn costs_are_added_up_over_kinds_spellings_and_bills() {
        let mut bill = BillBuilder::new(vec![]);
        for (service, resource, cents) in [
            ("AmazonEC2", "arn:aws:ec2:us-east-1:1:instance/i-1", 1_025_u64),
            ("AmazonEC2", "i-1", 150),
            ("AmazonEC2", "arn:aws:ec2:us-east-1:1:natgateway/nat-1", 700),
            ("AmazonS3", "arn:aws:s3:::datasets", 300),
            ("AmazonS3", "", 9_900),
        ] {
            add(&mut bill, service, "", resource, Pricing::OnDemand, cents);
        }
        let bill = bill.finish(BillHead {
            state: PeriodState::Open,
            has_net: true,
            ..sample::bill_head("2026-10")
        });
        let one = ResourceCosts::of(&bill);
        assert_eq!((one.usd("i-1"), one.usd("datasets")), (Some(11.75), Some(3.0)));
        assert_eq!((one.usd("nat-1"), one.usd(""), one.last_day), (None, None, 3));
        assert_eq!(one.unused_usd("i-1"), None);
        let two = ResourceCosts::sum([one.clone(), one]).unwrap();
        assert_eq!((two.usd("i-1"), two.usd("i-2")), (Some(23.5), None));
        assert_eq!(ResourceCosts::sum([]), None);
    }
}
