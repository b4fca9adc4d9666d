//! The join against calculations made another way.

use std::sync::Arc;

use proptest::prelude::*;

use crate::analyze::storage::price::storage_usd;
use crate::analyze::storage::{PictureInput, picture};
use crate::domain::storage::{GIB, StorageFacts, Tier};
use crate::domain::{ErrorKind, SourceError, TagKeys};
use crate::fleet::storage::{BucketKind, SizedBy, StorageFleet, VolumeRow, VolumeUse};
use crate::tabs::storage::picture::fixture::{
    bucket, facts, fleet, fleet_of, gib, scan, series, sums, tree,
};
use crate::view::fixture::instance;

const TIB: f64 = 1_099_511_627_776.0;

/// Only these buckets, by name and terabytes of Standard.
fn only(facts: &mut StorageFacts, buckets: &[(&str, f64)]) {
    facts.ebs.clear();
    facts.scans.clear();
    facts.buckets = buckets
        .iter()
        .map(|(name, tib)| {
            let sizes = vec![series("StandardStorage", Tier::Standard, tib * TIB, tib * TIB, 40)];
            Arc::new(bucket(name, "", Ok(sizes)))
        })
        .collect();
}

fn near(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-9 * a.abs().max(b.abs()).max(1.0)
}

#[test]
fn buckets_of_an_account_climb_the_volume_steps_together() {
    let fleet = fleet_of(|f| only(f, &[("large", 60.0), ("small", 10.0)]));
    // By hand: 70 TiB are 71,680 GiB, of which the first 51,200 cost more.
    let whole = 51_200.0 * 0.023 + (71_680.0 - 51_200.0) * 0.022;
    assert!(near(fleet.totals.buckets.usd_per_month, whole));
    let usd = |name: &str| fleet.bucket(name).unwrap().usd_per_month.unwrap();
    assert!(near(usd("large"), whole * 6.0 / 7.0), "{}", usd("large"));
    assert!(near(usd("small"), whole / 7.0));
    assert_eq!(fleet.buckets[0].name.as_ref(), "large", "costliest first");
}

#[test]
fn what_has_no_price_or_size_is_not_0() {
    let fleet = fleet_of(|f| {
        only(f, &[("priced", 1.0), ("elsewhere", 2.0)]);
        let other = Arc::make_mut(&mut f.buckets[1]);
        other.bucket.scope.region = "mars-1".into();
        let error = SourceError::new(ErrorKind::Denied, "cloudwatch:GetMetricData", "no", "ask");
        let mut closed = bucket("closed", "", Err(Arc::new(error)));
        closed.objects = Ok(None);
        f.buckets.push(Arc::new(closed));
    });
    let elsewhere = fleet.bucket("elsewhere").unwrap();
    assert_eq!(elsewhere.usd_per_month, None);
    assert_eq!(elsewhere.unpriced_bytes, (2.0 * TIB) as u64);
    let closed = fleet.bucket("closed").unwrap();
    assert_eq!((closed.bytes, closed.usd_per_month, closed.sized_by), (None, None, None));
    let t = &fleet.totals;
    assert_eq!((t.buckets.count, t.buckets.unpriced, t.unsized_buckets), (3, 2, 1));
    assert!(near(t.buckets.usd_per_month, 1024.0 * 0.023));
}

#[test]
fn a_series_that_ended_earlier_is_of_a_tier_that_is_empty_now() {
    let fleet = fleet_of(|f| {
        only(f, &[("moved", 1.0)]);
        let mut gone = series("StandardIAStorage", Tier::StandardIa, TIB, TIB, 40);
        gone.points.truncate(20);
        let moved = Arc::make_mut(&mut f.buckets[0]);
        moved.sizes.as_mut().unwrap().push(gone);
    });
    let row = fleet.bucket("moved").unwrap();
    assert_eq!(row.bytes, Some(TIB as u64));
    assert_eq!(row.tiers.iter().map(|t| t.tier).collect::<Vec<_>>(), [Tier::Standard]);
}

#[test]
fn growth_is_the_slope_of_the_last_month() {
    let fleet = fleet_of(|f| {
        only(f, &[("grows", 1.0)]);
        // 390 GiB in 39 days are 10 a day.
        let sizes = series("StandardStorage", Tier::Standard, 0.0, 390.0 * GIB, 40);
        Arc::make_mut(&mut f.buckets[0]).sizes = Ok(vec![sizes]);
    });
    let growth = fleet.bucket("grows").unwrap().growth.unwrap();
    assert_eq!(growth.days, 30);
    let a_month = 10.0 * 730.0 / 24.0;
    assert!((growth.bytes_per_month / GIB - a_month).abs() < 1e-6, "{growth:?}");
    assert!((growth.usd_per_month.unwrap() - a_month * 0.023).abs() < 1e-6);
}

#[test]
fn a_list_alone_makes_a_row_and_a_partial_one_says_no_size() {
    let facts_only = |partial: Option<String>| {
        fleet_of(|f| {
            only(f, &[]);
            let parts = [("a/", sums(1_000, 1 << 20, Tier::Standard, 9))];
            let mut list = scan("foreign", tree(&parts, &[]));
            list.partial = partial;
            f.scans = vec![Arc::new(list)];
        })
    };
    let whole = facts_only(None);
    let row = whole.bucket("foreign").unwrap();
    assert_eq!((row.kind, row.bytes), (BucketKind::Bucket, Some(1_000 << 20)));
    assert!(matches!(row.sized_by, Some(SizedBy::List(_))));
    assert_eq!(row.usd_per_month, None, "nobody knows its region");
    let cut = facts_only(Some("cancelled".into()));
    assert_eq!(cut.bucket("foreign").unwrap().bytes, None);
}

#[test]
fn volumes_are_only_called_unused_where_that_is_known() {
    let used = |fleet: &StorageFleet, n: u32| fleet.volume(&format!("vol-{n:017x}")).unwrap().used;
    let known = fleet();
    assert_eq!(
        [1, 2, 3, 4].map(|n| used(&known, n)),
        [VolumeUse::Unattached, VolumeUse::InUse, VolumeUse::Stopped, VolumeUse::InUse]
    );
    let unknown = fleet_of(|f| {
        let error = SourceError::new(ErrorKind::Denied, "ec2:DescribeInstances", "no", "ask");
        Arc::make_mut(&mut f.ebs[0]).stopped = Err(Arc::new(error));
    });
    assert_eq!(used(&unknown, 3), VolumeUse::Unknown);
    let found = &unknown.volume("vol-00000000000000003").unwrap().findings;
    assert!(found.iter().all(|f| f.kind.word() == "gp2"), "{found:?}");
    // 1,000 GiB of gp2 at 0.10; io2 has no price here.
    assert_eq!(known.volume("vol-00000000000000003").unwrap().usd_per_month, Some(100.0));
    assert_eq!(known.volume("vol-00000000000000004").unwrap().usd_per_month, None);
    assert_eq!(known.totals.volumes.unpriced, 1);
}

#[test]
fn an_exempt_instance_keeps_its_volumes() {
    let facts = facts();
    let found = |tags: &[(&str, &str)]| {
        let instances = [Arc::new(instance("i-0bbb", "p3.8xlarge", tags))];
        let now = facts.ebs[0].taken_at;
        let tag_keys = TagKeys::default();
        let input = PictureInput {
            billed: None,
            before: None,
            version: 1,
            now,
            facts: &facts,
            instances: &instances,
            tag_keys: &tag_keys,
        };
        let row = picture(&input).volume("vol-00000000000000003").unwrap().clone();
        let kinds: Vec<_> = row.findings.iter().map(|f| f.kind.word()).collect();
        (kinds, row.savings, row.used)
    };
    // Stopped for 45 days; as gp3 it would cost less in any case.
    let (kinds, savings, used) = found(&[]);
    assert_eq!((kinds, savings), (vec!["stopped_instance_volume", "gp2"], Some(100.0)));
    let (kinds, less, still) = found(&[("burntop:exempt", "true")]);
    assert_eq!((kinds, still), (vec!["gp2"], used));
    assert!(less < savings, "{less:?}");
}

#[test]
fn savings_do_not_add_up_what_overlaps() {
    let fleet = fleet();
    let mut sum = 0.0;
    for row in &fleet.buckets {
        let by_finding = row.findings.iter().filter_map(|f| f.usd_per_month);
        let most = by_finding.clone().fold(0.0, f64::max);
        let all: f64 = by_finding.sum();
        if let Some(savings) = row.savings {
            assert!(savings >= most.min(row.usd_per_month.unwrap()) - 1e-9, "{}", row.name);
            assert!(savings <= all + 1e-9 && savings <= row.usd_per_month.unwrap() + 1e-9);
            sum += savings;
        }
    }
    for row in &fleet.volumes {
        sum += row.savings.unwrap_or(0.0);
    }
    for row in &fleet.snapshots {
        sum += row.savings.unwrap_or(0.0);
    }
    assert!(near(fleet.totals.savings, sum));
    let usd: Vec<f64> = fleet.findings.iter().filter_map(|f| f.usd_per_month).collect();
    assert!(usd.windows(2).all(|w| w[0] >= w[1]), "ranked: {usd:?}");
    assert_eq!(usd.len(), fleet.totals.priced_findings as usize);
}

#[test]
fn tags_name_the_team() {
    let fleet = fleet();
    assert_eq!(fleet.bucket("datasets").unwrap().team.as_deref(), Some("vision"));
    assert_eq!(fleet.bucket("closed").unwrap().team, None);
    assert_eq!(facts().buckets.len() + 1, fleet.buckets.len(), "the directory is a row too");
}

proptest! {
    /// However an account's bytes are cut into buckets, they cost what the account is billed.
    #[test]
    fn buckets_add_up_to_the_account(sizes in proptest::collection::vec(0.0f64..300.0, 1..12)) {
        let names: Vec<String> = (0..sizes.len()).map(|i| format!("b{i}")).collect();
        let buckets: Vec<(&str, f64)> =
            names.iter().map(String::as_str).zip(sizes.iter().copied()).collect();
        let fleet = fleet_of(|f| only(f, &buckets));
        let bytes: u64 = fleet.buckets.iter().filter_map(|b| b.bytes).sum();
        let steps = &fleet.s3_prices["us-east-1"].tier(Tier::Standard).unwrap().storage;
        let billed = storage_usd(steps, gib(bytes)).unwrap();
        let shown: f64 = fleet.buckets.iter().filter_map(|b| b.usd_per_month).sum();
        prop_assert!((billed - shown).abs() < 1e-6 * billed.max(1.0), "{} {}", billed, shown);
        prop_assert!((fleet.totals.buckets.usd_per_month - shown).abs() < 1e-6);
    }
}

#[test]
fn rows_that_are_as_they_were_are_those_of_the_picture_before() {
    let (mut facts, tag_keys) = (facts(), TagKeys::default());
    let made = |facts: &StorageFacts, before: Option<&StorageFleet>| {
        let (now, instances) = (facts.ebs[0].taken_at, &[]);
        let tag_keys = &tag_keys;
        let version = facts.version;
        picture(&PictureInput { version, now, facts, instances, tag_keys, billed: None, before })
    };
    let old = made(&facts, None);
    let again = made(&facts, Some(&old));
    assert!(again.volumes.iter().zip(&old.volumes).all(|(new, old)| Arc::ptr_eq(new, old)));
    assert!(again.snapshots.iter().zip(&old.snapshots).all(|(new, old)| Arc::ptr_eq(new, old)));
    assert!(old.volumes.len() > 1 && !old.snapshots.is_empty());

    // One of them grows: it is another row, and what it says is what it would say without a picture before.
    let volumes = Arc::make_mut(&mut facts.ebs[0]).volumes.as_mut().unwrap();
    let id = volumes[0].id.clone();
    Arc::make_mut(&mut volumes[0]).size_gib += 1000;
    let new = made(&facts, Some(&old));
    let same = |row: &&Arc<VolumeRow>| old.volumes.iter().any(|old| Arc::ptr_eq(old, row));
    let others: Vec<_> = new.volumes.iter().filter(|row| !same(row)).collect();
    assert_eq!(others.iter().map(|row| &row.volume.id).collect::<Vec<_>>(), [&id]);
    assert_eq!(new, made(&facts, None));
}
