//! Bills for tests.

use std::sync::Arc;

use proptest::prelude::*;

use super::settings::BillSettings;
use crate::domain::TagKeys;
use crate::domain::bill::{
    Bill, BillBuilder, Charge, Key, Line, NameId, Pricing, Sums, TransferPath, UsageKind, Usd,
};
use crate::domain::sample;

/// A line of a bill.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LineOf<'a> {
    pub(crate) day: u8,
    pub(crate) account: &'a str,
    pub(crate) region: &'a str,
    pub(crate) service: &'a str,
    pub(crate) usage_type: &'a str,
    pub(crate) operation: &'a str,
    pub(crate) unit: &'a str,
    pub(crate) family: &'a str,
    pub(crate) path: Option<TransferPath>,
    pub(crate) charge: Charge,
    pub(crate) pricing: Pricing,
    pub(crate) resource: &'a str,
    pub(crate) tags: &'a [&'a str],
    /// Billed, effective, list and net cost, US dollars.
    pub(crate) usd: &'a str,
    pub(crate) quantity: f64,
}

impl Default for LineOf<'_> {
    fn default() -> Self {
        Self {
            day: 1,
            account: "111111111111",
            region: "us-east-1",
            service: "Amazon Simple Storage Service",
            usage_type: "TimedStorage-ByteHrs",
            operation: "",
            unit: "",
            family: "",
            path: None,
            charge: Charge::Usage,
            pricing: Pricing::OnDemand,
            resource: "",
            tags: &[],
            usd: "1",
            quantity: 1.0,
        }
    }
}

/// Values of tags that generated lines have.
static TAGS: [[&str; 2]; 3] = [["", ""], ["pretrain", "x"], ["web", "serve-1"]];

/// An amount in US dollars.
pub(crate) fn usd(text: &str) -> Usd {
    Usd::parse(text.as_bytes()).unwrap_or_else(|| panic!("{text}"))
}

/// Settings by which `team=pretrain` is training, `job=serve-*` serving.
pub(crate) fn settings() -> BillSettings {
    let tag = |text: &str| text.parse().unwrap();
    BillSettings::new(&TagKeys::default(), vec![tag("team=pretrain")], vec![tag("job=serve-*")])
}

/// A closed bill of a period with these lines.
pub(crate) fn bill_of(period: &str, tag_keys: &[&str], lines: &[LineOf<'_>]) -> Arc<Bill> {
    let mut bill = BillBuilder::new(tag_keys.iter().map(|key| Arc::from(*key)).collect());
    for line in lines {
        add(&mut bill, line);
    }
    let head = sample::bill_head(period);
    Arc::new(bill.finish(head))
}

fn add(bill: &mut BillBuilder, line: &LineOf<'_>) {
    let kind = UsageKind {
        service: bill.name(line.service.as_bytes()),
        service_code: NameId::NONE,
        usage_type: bill.name(line.usage_type.as_bytes()),
        operation: bill.name(line.operation.as_bytes()),
        family: bill.name(line.family.as_bytes()),
        unit: bill.name(line.unit.as_bytes()),
        path: line.path,
    };
    let tags: Vec<NameId> = line.tags.iter().map(|tag| bill.name(tag.as_bytes())).collect();
    let key = Key {
        account: bill.name(line.account.as_bytes()),
        region: bill.name(line.region.as_bytes()),
        kind: bill.kind(kind),
        charge: line.charge,
        pricing: line.pricing,
        commitment: NameId::NONE,
        owner: bill.owner(&tags),
    };
    let cost = usd(line.usd);
    let sums = Sums {
        billed: cost,
        effective: cost,
        list: cost,
        net: cost,
        quantity: line.quantity,
        lines: 1,
        without_list: 0,
    };
    let resource = bill.name(line.resource.as_bytes());
    bill.add(&Line { day: line.day, key, resource, sums }).unwrap();
}

/// Indexes and amounts that a generated line is made of.
type AnyLine = ((u8, usize, usize, usize), (usize, usize, usize, i64), u32);

/// One to three bills of two months with any lines, of accounts, services and resources that recur.
pub(crate) fn any_bills() -> impl Strategy<Value = Vec<Arc<Bill>>> {
    let line = (
        (0_u8..29, 0_usize..3, 0_usize..4, 0_usize..9),
        (0_usize..7, 0_usize..5, 0_usize..3, -1_000_000_000_000_i64..1_000_000_000_000),
        0_u32..5,
    );
    let bill = (0_usize..2, proptest::collection::vec(line, 0..40));
    proptest::collection::vec(bill, 1..4).prop_map(|bills| {
        let bill = |(month, lines): (usize, Vec<AnyLine>)| {
            let mut amounts = Vec::new();
            for ((day, account, service, charge), (pricing, resource, tags, units), quantity) in
                lines
            {
                amounts.push((day, account, service, charge, pricing, resource, tags, quantity, {
                    format!("{units}e-10")
                }));
            }
            let lines: Vec<LineOf<'_>> = amounts
                .iter()
                .map(|(day, account, service, charge, pricing, resource, tags, quantity, usd)| {
                    LineOf {
                        day: *day,
                        account: ["", "1", "2"][*account],
                        region: ["", "us-east-1", "eu-west-1"][*account],
                        service: ["Amazon SageMaker", "Amazon Elastic Compute Cloud", "X", ""]
                            [*service],
                        usage_type: ["Train:ml.p5", "EBS:VolumeUsage", "", "Host:ml.g5"][*service],
                        charge: Charge::ALL[*charge],
                        pricing: Pricing::ALL[*pricing],
                        resource: ["", "i-1", "i-2", "arn:aws:s3:::b", "vol-1"][*resource],
                        tags: &TAGS[*tags],
                        usd,
                        quantity: f64::from(*quantity),
                        ..LineOf::default()
                    }
                })
                .collect();
            bill_of(["2026-09", "2026-10"][month], &["team", "job"], &lines)
        };
        bills.into_iter().map(bill).collect()
    })
}
