//! Rows of buckets: how large, in which tiers, at what price.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;

use jiff::Timestamp;
use jiff::civil::Date;

use super::rates::BothRates;
use crate::analyze::storage::price::{DAYS_PER_MONTH, Rates, Volumes, monthly};
use crate::domain::storage::{
    BucketFacts, DailySeries, GIB, PrefixTree, Scan, ScanOrigin, StorageFacts, Sums, Tier,
};
use crate::domain::{Scope, TagKeys, Tags, text};
use crate::fleet::storage::{BucketKind, BucketRow, Growth, SizedBy, TierShare};

/// Days by which the series of a bucket may end apart from each other: one that ended earlier is of
/// a tier that has become empty.
const ENDS_APART: i32 = 2;

/// Days over which growth is measured, where the history has them.
const GROWTH_DAYS: i32 = 30;

/// A row without dollars, and what it adds to the volume of its account.
pub(super) struct Sized {
    pub(super) row: BucketRow,
    pub(super) volumes: Volumes,
    /// The sums of a list, where the size comes from it: priced object by object.
    sums: Option<Sums>,
}

/// Rows of all buckets that were listed, and of what only a list of objects is known.
pub(super) fn sized(
    facts: &StorageFacts,
    scans: &BTreeMap<Arc<str>, Arc<Scan>>,
    tag_keys: &TagKeys,
) -> Vec<Sized> {
    let of_facts = facts.buckets.iter().map(|f| {
        let scan = scans.get(&f.bucket.name).map(|s| &**s);
        of_bucket(f, scan, tag_keys)
    });
    let known = |name: &Arc<str>| facts.buckets.iter().any(|f| f.bucket.name == *name);
    let of_scans = scans.iter().filter(|(name, _)| !known(name)).map(|(_, scan)| of_scan(scan));
    of_facts.chain(of_scans).collect()
}

fn of_bucket(facts: &Arc<BucketFacts>, scan: Option<&Scan>, tag_keys: &TagKeys) -> Sized {
    let kind =
        if facts.bucket.is_directory { BucketKind::DirectoryBucket } else { BucketKind::Bucket };
    let mut row = empty(&facts.bucket.name, kind, facts.bucket.scope.clone());
    if let Ok(tags) = &facts.tags {
        tag(&mut row, tags, tag_keys);
    }
    row.facts = Some(facts.clone());
    row.growth = facts.sizes.as_ref().ok().and_then(|s| growth(s));
    let objects = facts.objects.as_ref().ok().and_then(|o| o.as_ref()?.last());
    row.objects = objects.map(|(_, n)| n.max(0.0) as u64);
    let sizes = facts.sizes.as_ref().ok().and_then(|s| newest(s));
    let Some((day, tiers)) = sizes else {
        return match scan {
            Some(scan) => with_scan(row, scan),
            None => Sized { row, volumes: Volumes::default(), sums: None },
        };
    };
    let mut volumes = Volumes::default();
    for (tier, bytes) in &tiers {
        volumes.add_gib(*tier, *bytes as f64 / GIB);
    }
    row.sized_by = Some(SizedBy::CloudWatch(day));
    row.bytes = Some(tiers.iter().map(|t| t.1).sum());
    row.tiers = shares(tiers);
    row.last_write = scan.and_then(last_write);
    Sized { row, volumes, sums: None }
}

fn of_scan(scan: &Scan) -> Sized {
    let is_directory = matches!(scan.origin, ScanOrigin::Directory(_));
    let kind = if is_directory { BucketKind::Directory } else { BucketKind::Bucket };
    with_scan(empty(&scan.bucket, kind, Scope::new("-", "-")), scan)
}

/// Size and tiers from a list. One that was cut short says at least, not how much: no size.
fn with_scan(mut row: BucketRow, scan: &Scan) -> Sized {
    row.last_write = last_write(scan);
    if scan.partial.is_some() {
        return Sized { row, volumes: Volumes::default(), sums: None };
    }
    let sums = scan.tree.sums(PrefixTree::ROOT);
    row.sized_by = Some(SizedBy::List(scan.listed_at));
    row.bytes = Some(sums.all_bytes());
    row.objects = Some(sums.all_objects() + sums.delete_markers);
    row.tiers = shares(Tier::ALL.map(|t| (t, sums.bytes[t.index()])).to_vec());
    Sized { row, volumes: Volumes::of(&sums), sums: Some(sums) }
}

fn last_write(scan: &Scan) -> Option<Timestamp> {
    let ms = scan.tree.sums(PrefixTree::ROOT).newest_ms;
    (scan.partial.is_none() && ms != i64::MIN)
        .then(|| Timestamp::from_millisecond(ms).ok())
        .flatten()
}

fn empty(name: &Arc<str>, kind: BucketKind, scope: Scope) -> BucketRow {
    BucketRow {
        name: clean_name(name),
        kind,
        scope,
        facts: None,
        team: None,
        project: None,
        environment: None,
        cost_center: None,
        sized_by: None,
        bytes: None,
        objects: None,
        tiers: Vec::new(),
        usd_per_month: None,
        billed_usd: None,
        unpriced_bytes: 0,
        growth: None,
        last_write: None,
        findings: Vec::new(),
        savings: None,
        estimate: None,
    }
}

/// The name as it may be shown.
pub(super) fn clean_name(name: &Arc<str>) -> Arc<str> {
    match text::clean(name) {
        Cow::Borrowed(_) => name.clone(),
        Cow::Owned(clean) => clean.into(),
    }
}

fn tag(row: &mut BucketRow, tags: &Tags, keys: &TagKeys) {
    row.team = tags.find(&keys.team).cloned();
    row.project = tags.find(&keys.project).cloned();
    row.environment = tags.find(&keys.environment).cloned();
    row.cost_center = tags.find(&keys.cost_center).cloned();
}

fn shares(tiers: Vec<(Tier, u64)>) -> Vec<TierShare> {
    let some = tiers.into_iter().filter(|(_, bytes)| *bytes > 0);
    some.map(|(tier, bytes)| TierShare { tier, bytes, usd_per_month: None }).collect()
}

/// False for a series that ended so long before `day` that nothing is left in its tier.
pub(super) fn is_current(series: &DailySeries, day: Date) -> bool {
    series.last().is_some_and(|(at, _)| ends_near(at, day))
}

fn ends_near(at: Date, day: Date) -> bool {
    at.until(day).map_or(i32::MAX, |span| span.get_days()) <= ENDS_APART
}

/// The newest day that CloudWatch told, and the bytes of each tier on it, in the order of the tiers;
/// overheads count to the tier they are billed in. `None` without any point.
fn newest(series: &[DailySeries]) -> Option<(Date, Vec<(Tier, u64)>)> {
    let day = series.iter().filter_map(|s| s.last().map(|p| p.0)).max()?;
    let mut bytes = [0u64; Tier::COUNT];
    for one in series {
        let Some((at, value)) = one.last() else { continue };
        if ends_near(at, day) {
            bytes[one.tier.unwrap_or(Tier::Unknown).index()] += value.max(0.0) as u64;
        }
    }
    Some((day, Tier::ALL.map(|t| (t, bytes[t.index()])).to_vec()))
}

/// The slope between the newest day and the day about a month before it, content and overheads.
fn growth(series: &[DailySeries]) -> Option<Growth> {
    let mut days: BTreeMap<Date, f64> = BTreeMap::new();
    for (day, bytes) in series.iter().flat_map(|s| &s.points) {
        *days.entry(*day).or_default() += bytes;
    }
    let (last, now) = days.iter().next_back()?;
    let apart = |day: &Date| day.until(*last).map_or(0, |span| span.get_days());
    let (_, (first, before)) =
        days.iter().map(|p| ((apart(p.0) - GROWTH_DAYS).abs(), p)).min_by_key(|p| p.0)?;
    let days = apart(first);
    (days > 0).then(|| Growth {
        bytes_per_month: (now - before) / f64::from(days) * DAYS_PER_MONTH,
        usd_per_month: None,
        days: days.unsigned_abs(),
    })
}

/// The row with its dollars.
pub(super) fn priced(sized: Sized, rates: &BothRates) -> BucketRow {
    let Sized { mut row, sums, .. } = sized;
    let Some(rates) = rates.blended(&row.scope) else {
        row.unpriced_bytes = row.bytes.unwrap_or(0);
        return row;
    };
    match &sums {
        Some(sums) => price_sums(&mut row, sums, rates),
        None => price_bytes(&mut row, rates),
    }
    let per_byte = row.usd_per_month.zip(row.bytes.filter(|b| *b > 0 && row.unpriced_bytes == 0));
    if let (Some(growth), Some((usd, bytes))) = (&mut row.growth, per_byte) {
        growth.usd_per_month = Some(growth.bytes_per_month * usd / bytes as f64);
    }
    row
}

/// Prices a bucket by CloudWatch's sizes, which are billed bytes with padding and overheads.
fn price_bytes(row: &mut BucketRow, rates: &Rates) {
    let mut sum = None;
    for share in &mut row.tiers {
        let rate = rates.usd_per_gib(share.tier);
        share.usd_per_month = rate.map(|usd| usd * share.bytes as f64 / GIB);
        match share.usd_per_month {
            Some(usd) => sum = Some(sum.unwrap_or(0.0) + usd),
            None => row.unpriced_bytes += share.bytes,
        }
    }
    row.usd_per_month = if row.bytes == Some(0) { Some(0.0) } else { sum };
}

/// Prices a bucket by a list of objects; padding, overheads and monitoring are added.
fn price_sums(row: &mut BucketRow, sums: &Sums, rates: &Rates) {
    let month = monthly(sums, rates);
    for share in &mut row.tiers {
        share.usd_per_month = month.by_tier[share.tier.index()];
    }
    row.usd_per_month = month.usd;
    row.unpriced_bytes = month.unpriced_bytes;
}
