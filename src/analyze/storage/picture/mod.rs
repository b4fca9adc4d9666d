//! The join of everything known of storage into one [`StorageFleet`]: facts × sizes × prices × tags
//! × lists of objects → rows, findings, sums.

mod ages;
mod block;
mod bucket;
mod estimate;
mod rates;
mod savings;
#[cfg(test)]
mod tests;

pub use rates::{BothRates, blended_rates, marginal_rates};

use std::collections::BTreeMap;
use std::sync::Arc;

use jiff::Timestamp;

use super::findings::{BucketCase, of_bucket};
use crate::domain::bill::ResourceCosts;
use crate::domain::storage::{Scan, StorageFacts, StorageFinding};
use crate::domain::{Instance, TagKeys, arcs};
use crate::fleet::storage::{BucketRow, SnapshotRow, StorageFleet, StorageTotals, VolumeRow};

/// Input of the join of storage.
#[derive(Clone, Copy, Debug)]
pub struct PictureInput<'a> {
    /// Version of the result.
    pub version: u64,
    /// The present moment.
    pub now: Timestamp,
    /// Everything read of storage.
    pub facts: &'a StorageFacts,
    /// Instances, as far as they are known: whose volumes are whose.
    pub instances: &'a [Arc<Instance>],
    /// Tag keys that mean team, project, environment, cost center.
    pub tag_keys: &'a TagKeys,
    /// What resources cost on the newest bill; `None` without one.
    pub billed: Option<&'a ResourceCosts>,
    /// The picture before this one: rows that are as they were are shared with it. `None` for the first.
    pub before: Option<&'a StorageFleet>,
}

/// Joins everything. Volume steps are counted per account and region, and every byte is shown at
/// the blended rate, so that buckets add up to the whole; findings save at the marginal rate.
pub fn picture(input: &PictureInput<'_>) -> StorageFleet {
    let facts = input.facts;
    let scans = newest_scans(facts);
    let sized = bucket::sized(facts, &scans, input.tag_keys);
    let rates = BothRates::of(&sized, &facts.s3_prices);
    let mut buckets: Vec<BucketRow> = Vec::with_capacity(sized.len());
    for sized in sized {
        let others = rates.others(&sized.row.scope, &sized.volumes);
        let mut row = bucket::priced(sized, &rates);
        let case = BucketCase {
            row: &row,
            scan: scans.get(&row.name).map(|s| &**s),
            rates: rates.marginal(&row.scope),
            prices: facts.s3_prices.get(&row.scope.region).map(|p| &**p),
            others: others.as_ref(),
            now: input.now,
        };
        let estimate = estimate::of_bucket(&case);
        let found = ranked(of_bucket(case));
        row.savings = savings::of_bucket(&found, row.usd_per_month);
        row.findings = found;
        row.estimate = estimate;
        row.billed_usd = input.billed.and_then(|billed| billed.usd(&row.name));
        buckets.push(row);
    }
    let (mut volumes, mut snapshots) = block::rows(input);
    sort_by_money(&mut buckets, |r| r.usd_per_month, |r| r.name.clone());
    sort_by_money(&mut volumes, |r| r.usd_per_month, |r| r.volume.id.clone());
    sort_by_money(&mut snapshots, |r| r.usd_per_month_at_most, |r| r.snapshot.id.clone());

    let buckets = arcs(buckets);
    let totals = StorageTotals::of(
        buckets.iter().map(|row| &**row),
        volumes.iter().map(|row| &**row),
        snapshots.iter().map(|row| &**row),
    );
    let findings = all_findings(&buckets, &volumes, &snapshots);
    StorageFleet {
        version: input.version,
        as_of: Some(input.now),
        buckets,
        volumes,
        snapshots,
        findings,
        scans,
        totals,
        rates: rates.cards(),
        s3_prices: facts.s3_prices.clone(),
        ebs_priced_by: facts
            .ebs_prices
            .iter()
            .map(|(region, prices)| (region.clone(), prices.provenance.clone()))
            .collect(),
        readings: facts.readings.clone(),
    }
}

/// The newest list of each bucket or directory, by the name that rows have.
fn newest_scans(facts: &StorageFacts) -> BTreeMap<Arc<str>, Arc<Scan>> {
    let mut out: BTreeMap<Arc<str>, Arc<Scan>> = BTreeMap::new();
    for scan in &facts.scans {
        let name = bucket::clean_name(&scan.bucket);
        if out.get(&name).is_none_or(|old| old.listed_at < scan.listed_at) {
            out.insert(name, scan.clone());
        }
    }
    out
}

/// Most dollars first, what has none after them, then by kind.
fn ranked(mut findings: Vec<StorageFinding>) -> Vec<Arc<StorageFinding>> {
    findings.sort_by(by_money);
    arcs(findings)
}

fn by_money(a: &StorageFinding, b: &StorageFinding) -> std::cmp::Ordering {
    descending(a.usd_per_month, b.usd_per_month).then_with(|| a.kind.cmp(&b.kind))
}

/// Most first, unknown last.
fn descending(a: Option<f64>, b: Option<f64>) -> std::cmp::Ordering {
    match (a, b) {
        (Some(a), Some(b)) => b.total_cmp(&a),
        (a, b) => b.is_some().cmp(&a.is_some()),
    }
}

fn sort_by_money<R>(rows: &mut [R], usd: impl Fn(&R) -> Option<f64>, id: impl Fn(&R) -> Arc<str>) {
    rows.sort_by(|a, b| descending(usd(a), usd(b)).then_with(|| id(a).cmp(&id(b))));
}

fn all_findings(
    buckets: &[Arc<BucketRow>],
    volumes: &[Arc<VolumeRow>],
    snapshots: &[Arc<SnapshotRow>],
) -> Vec<Arc<StorageFinding>> {
    let mut out: Vec<Arc<StorageFinding>> = buckets
        .iter()
        .flat_map(|r| &r.findings)
        .chain(volumes.iter().flat_map(|r| &r.findings))
        .chain(snapshots.iter().flat_map(|r| &r.findings))
        .cloned()
        .collect();
    out.sort_by(|a, b| by_money(a, b));
    out
}
