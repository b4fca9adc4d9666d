//! Buckets in regions where nothing runs, while GPUs run in another: who reads them pays for the way.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::super::meaning::GB;
use crate::analyze::savings::SavingsInput;
use crate::domain::InstanceState;
use crate::fleet::savings::{PathAdvice, PathKind, PathRow};
use crate::fleet::storage::BucketRow;

/// Size from which a bucket is worth a row: 100 GiB, of which one reading costs 2 dollars.
const LEAST_BYTES: u64 = 100 << 30;

/// Price of a GB from us-east-1 to another region, USD, and between it and us-east-2, which is nearer (Amazon EC2 on-demand
/// pricing: data transfer). From other regions it differs and is not embedded.
const USD_PER_GB: f64 = 0.02;
const USD_PER_GB_NEAR: f64 = 0.01;

/// A row per bucket.
pub(super) fn rows(input: &SavingsInput<'_>) -> Vec<PathRow> {
    let Some(storage) = input.storage else { return Vec::new() };
    let mut inhabited: BTreeSet<&str> = BTreeSet::new();
    let mut devices: BTreeMap<&Arc<str>, u32> = BTreeMap::new();
    for row in &input.fleet.rows {
        let region = &row.instance.scope.region;
        // What is stopped now may have read yesterday.
        inhabited.insert(region);
        let is_running = row.instance.state == InstanceState::Running;
        let spec = row.spec.as_ref().filter(|_| is_running);
        *devices.entry(region).or_default() += spec.map_or(0, |spec| spec.devices());
    }
    let most = devices.into_iter().filter(|(_, n)| *n > 0).max_by_key(|(region, n)| (*n, *region));
    let Some((fleet, devices)) = most else { return Vec::new() };
    let is_far = |bucket: &&Arc<BucketRow>| {
        let region = &*bucket.scope.region;
        region != "-"
            && !inhabited.contains(region)
            && bucket.bytes.is_some_and(|bytes| bytes >= LEAST_BYTES)
    };
    storage.buckets.iter().filter(is_far).map(|bucket| row(bucket, fleet, devices)).collect()
}

/// How often it is read request metrics tell, where they are on; not by whom, so that it is an upper bound. Without them
/// there are no dollars a month.
fn row(bucket: &BucketRow, fleet: &Arc<str>, devices: u32) -> PathRow {
    let per_gb = usd_per_gb(&bucket.scope.region, fleet);
    let usd = |bytes: f64| per_gb.map(|usd| bytes / GB * usd);
    let bytes = bucket.facts.as_ref().and_then(|facts| facts.downloaded_per_month);
    PathRow {
        id: bucket.name.clone(),
        name: bucket.name.clone(),
        kind: PathKind::FarBucket,
        scope: bucket.scope.clone(),
        to: Some(fleet.clone()),
        team: bucket.team.clone(),
        hours: None,
        bytes,
        bytes_usd: bytes.and_then(usd),
        usd: bytes.and_then(usd),
        at_most_usd: None,
        price_of: None,
        avoidable_usd: bytes.and_then(usd),
        once_usd: bucket.bytes.and_then(|bytes| usd(bytes as f64)),
        advice: PathAdvice::MoveTogether { devices },
    }
}

/// Price of a GB between regions, USD; `None` where it is not embedded.
fn usd_per_gb(from: &str, to: &str) -> Option<f64> {
    match (from, to) {
        ("us-east-1", "us-east-2") | ("us-east-2", "us-east-1") => Some(USD_PER_GB_NEAR),
        ("us-east-1", _) => Some(USD_PER_GB),
        _ => None,
    }
}
