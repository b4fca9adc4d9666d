//! What bills say beside the network: what buckets hold and serve, what endpoints cost.

use std::borrow::Borrow;
use std::sync::Arc;

use super::NetworkRow;
use super::meaning::{GB, Purpose};
use super::path::NetworkPath;
use crate::analyze::bill::{Item, items};
use crate::domain::bill::{
    Bill, BillHead, Charge, UsageKind, Usd, region_of_code, resource_id, split_regions,
};
use crate::domain::hash::{FastMap, FastSet};

/// What fixes rest on besides their row.
#[derive(Default)]
pub(super) struct Facts {
    /// Regions in which S3 or `DynamoDB` was used: what a gateway endpoint leads to.
    pub with_gateway_services: FastSet<Arc<str>>,
    /// Buckets by their names.
    pub buckets: FastMap<Arc<str>, Bucket>,
    /// US dollars for what is read from a bucket out of other regions, by bucket and region.
    pub readers: FastMap<Arc<str>, FastMap<Option<Arc<str>>, f64>>,
    /// Billed price of interface endpoints by region: of an hour, of a GB, US dollars.
    pub endpoints: FastMap<Arc<str>, (f64, f64)>,
}

/// What the lines of a bucket tell.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Bucket {
    /// GB stored, the mean of the days that are billed.
    pub stored_gb: f64,
    /// What storing them costs a month, US dollars.
    pub stored_usd: f64,
    /// Bytes that went out, whereto ever.
    pub read_bytes: f64,
    /// True where what went out within the region is among them: many bills leave it out, as it costs nothing.
    pub has_reads_within: bool,
}

impl Facts {
    /// Of bills and the rows made of them.
    pub(super) fn of<B: Borrow<Bill>>(bills: &[B], rows: &[NetworkRow]) -> Self {
        let mut facts = Self::default();
        for bill in bills {
            facts.add(bill.borrow());
        }
        let mut sums: FastMap<Arc<str>, [f64; 4]> = FastMap::default();
        for row in rows.iter().filter(|row| row.key.path == NetworkPath::Endpoint && row.is_told) {
            if let Some(region) = &row.key.from {
                let sum = sums.entry(region.clone()).or_default();
                sum[0] += (row.usd - row.bytes_usd).to_f64();
                sum[1] += row.hours.unwrap_or_default();
                sum[2] += row.bytes_usd.to_f64();
                sum[3] += row.bytes.unwrap_or_default() / GB;
            }
        }
        let is_read = |row: &&NetworkRow| {
            row.key.path == NetworkPath::InterRegion && row.key.purpose == Purpose::Read
        };
        for row in rows.iter().filter(is_read) {
            if let Some(bucket) = row.key.resource.as_ref()
                && row.usd > Usd::ZERO
            {
                let regions = facts.readers.entry(bucket.clone()).or_default();
                *regions.entry(row.key.to.clone()).or_default() += row.usd.to_f64();
            }
        }
        let is_known = |[hours_usd, hours, gb_usd, gb]: &[f64; 4]| {
            [hours_usd, hours, gb_usd, gb].into_iter().all(|sum| *sum > 0.0)
        };
        facts.endpoints = sums
            .into_iter()
            .filter(|(_, sum)| is_known(sum))
            .map(|(region, [hours_usd, hours, gb_usd, gb])| {
                (region, (hours_usd / hours, gb_usd / gb))
            })
            .collect();
        facts
    }

    fn add(&mut self, bill: &Bill) {
        let month = f64::from(bill.head.period.days()) / f64::from(days(&bill.head));
        for item in items(bill, true) {
            let Some(kind) = bill.kind(item.key.kind).filter(|_| item.key.charge == Charge::Usage)
            else {
                continue;
            };
            let is_s3 = kind.is_s3(bill);
            if (is_s3 || is_dynamodb(bill, kind))
                && let Some(region) = region(bill, kind, &item)
            {
                self.with_gateway_services.insert(region);
            }
            if !is_s3 || item.resource.is_none() {
                continue;
            }
            let (_, rest) = split_regions(bill.name(kind.usage_type));
            let unit = bill.name(kind.unit);
            let name = resource_id(bill.name(item.resource));
            let is_out = || OUT.iter().any(|begin| rest.starts_with(begin));
            if rest.starts_with("TimedStorage-") && unit.eq_ignore_ascii_case("GB-Mo") {
                let bucket = self.bucket(name);
                bucket.stored_gb += item.sums.quantity.max(0.0) * month;
                bucket.stored_usd += item.sums.effective.to_f64() * month;
            } else if unit.eq_ignore_ascii_case("GB") && is_out() {
                let bucket = self.bucket(name);
                bucket.read_bytes += item.sums.quantity.max(0.0) * GB;
                bucket.has_reads_within |= rest.starts_with(WITHIN);
            }
        }
    }

    fn bucket(&mut self, name: &str) -> &mut Bucket {
        self.buckets.entry(name.into()).or_default()
    }
}

/// What goes from a bucket to where it is read in its region.
const WITHIN: &str = "C3DataTransfer-Out-";

/// What goes out of a bucket.
const OUT: [&str; 4] = [WITHIN, "DataTransfer-Out-", "AWS-Out-", "CloudFront-Out-"];

/// Region of a line: as the bill says it, else by its usage type; `None` where neither does.
fn region(bill: &Bill, kind: &UsageKind, item: &Item<'_>) -> Option<Arc<str>> {
    bill.shared_name(item.key.region).cloned().or_else(|| {
        let usage_type = bill.name(kind.usage_type);
        let ([code, _], _) = split_regions(usage_type);
        match code {
            Some(code) => region_of_code(code).map(Arc::from),
            // Usage types of us-east-1 may have no code.
            None => (!usage_type.is_empty()).then(|| "us-east-1".into()),
        }
    })
}

fn is_dynamodb(bill: &Bill, kind: &UsageKind) -> bool {
    bill.name(kind.service_code) == "AmazonDynamoDB" || bill.name(kind.service) == "Amazon DynamoDB"
}

/// Days of the period that a bill tells of: all of them where it does not tell days.
pub(super) fn days(head: &BillHead) -> u8 {
    let all = head.period.days();
    if head.has_days && head.last_day > 0 { head.last_day.min(all) } else { all }
}
