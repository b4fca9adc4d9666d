//! Dollars of findings, against sums done by hand at the list prices of us-east-1.

use super::*;
use crate::analyze::storage::lifecycle::parse;
use crate::analyze::storage::price::fixture::virginia;
use crate::analyze::storage::{Fold, ListInfo, TreeFold, TreeLimits};
use crate::domain::storage::{ObjectBatch, ObjectColumns, ObjectFlags, Tier};

const DAY: i64 = 86_400_000;
const GIB: u64 = 1 << 30;
const LISTED: i64 = 20_463 * DAY;

/// A tree of objects: key, how many, bytes of each, age in days, bits.
fn tree(objects: &[(&str, u32, u64, i64, u16)]) -> PrefixTree {
    let columns = ObjectColumns { versions: true, ..ObjectColumns::default() };
    let info = ListInfo { bucket: "b".into(), listed_ms: LISTED, columns };
    let mut batch = ObjectBatch::default();
    for (key, count, bytes, age, flags) in objects {
        for i in 0..*count {
            batch.keys.push(format!("{key}{i}").as_bytes());
            batch.sizes.push(*bytes);
            batch.modified_ms.push(LISTED - age * DAY);
            batch.tiers.push(Tier::Standard);
            batch.flags.push(ObjectFlags(*flags));
        }
    }
    let mut fold = TreeFold::new(&info, TreeLimits::default());
    fold.take(&batch);
    fold.finish()
}

/// The dollars of a code in a policy; outer `None` when it is not found.
fn usd(policy: &str, tree: &PrefixTree, code: Code, ctx: LintContext<'_>) -> Option<Option<f64>> {
    let parsed = parse(policy.as_bytes()).unwrap();
    let prices = virginia();
    let ctx = LintContext { sizes: Some(Sizes { tree, prices: &prices }), ..ctx };
    let found = lint(&parsed.lifecycle, &parsed.remarks, &ctx);
    found.iter().find(|f| f.code == code).map(|f| f.usd_per_month)
}

fn near(have: Option<Option<f64>>, want: f64) {
    let have = have.expect("no such finding").expect("no dollars");
    assert!((have - want).abs() <= want.abs() * 1e-9 + 1e-12, "{have} instead of {want}");
}

fn one(prefix: &str, rest: &str) -> String {
    format!(
        r#"{{"TransitionDefaultMinimumObjectSize":"varies_by_storage_class","Rules":[{{"ID":"r","Status":"Enabled","Filter":{{"Prefix":"{prefix}"}},{rest}}}]}}"#
    )
}

fn to(days: i64, class: &str) -> String {
    format!(r#""Transitions":[{{"Days":{days},"StorageClass":"{class}"}}]"#)
}

#[test]
fn weekly_reads_of_ia_and_monthly_reads_of_instant_retrieval() {
    let tree = tree(&[("data/x", 10, 100 * GIB, 400, 0)]);
    let reads = |n| LintContext { reads_per_month: Some(n), ..LintContext::default() };
    let ia = one("data/", &to(30, "STANDARD_IA"));
    // 1,000 GiB: 0.0125 and 4.3 x 0.01 instead of 0.023.
    near(usd(&ia, &tree, Code::IaReadTooOften, reads(4.3)), 32.5);
    assert_eq!(usd(&ia, &tree, Code::IaReadTooOften, reads(1.04)), None);
    let gir = one("data/", &to(30, "GLACIER_IR"));
    near(usd(&gir, &tree, Code::GirReadTooOften, reads(1.0)), 1000.0 * (0.004 + 0.03 - 0.023));
    // Of what is not old enough nothing has moved.
    let late = one("data/", &to(730, "STANDARD_IA"));
    near(usd(&late, &tree, Code::IaReadTooOften, reads(4.3)), 0.0);
}

#[test]
fn expirations_say_what_they_free() {
    let tree =
        tree(&[("experiments/x", 1, 100 * GIB, 400, 0), ("experiments/y", 1, 50 * GIB, 9, 0)]);
    let policy = one("experiments/", r#""Expiration":{"Days":180}"#);
    near(usd(&policy, &tree, Code::BlindExpiration, LintContext::default()), -2.3);
    let enabled = LintContext { versioning: Some(Versioning::Enabled), ..LintContext::default() };
    near(usd(&policy, &tree, Code::VersionsStay, enabled), 2.3);
}

#[test]
fn small_objects_cost_more_in_the_archive() {
    let tree = tree(&[("small/x", 1_000, 16 << 10, 400, 0)]);
    let policy = one("small/", &to(30, "GLACIER"));
    let kib = 1024.0 / GIB as f64;
    let before = 16.0 * kib * 0.023;
    let after = (16.0 + 32.0) * kib * 0.0036 + 8.0 * kib * 0.023;
    let want = 1_000.0 * (after - before + 0.03 / 1000.0 / 24.0);
    near(usd(&policy, &tree, Code::SmallObjects, LintContext::default()), want);
    // IA does not take them, so that nothing is lost.
    let ia = one("small/", &to(30, "STANDARD_IA"));
    assert_eq!(usd(&ia, &tree, Code::SmallObjects, LintContext::default()), None);
}

#[test]
fn a_move_that_ends_before_it_is_paid_back() {
    let size = 200 << 10;
    let tree = tree(&[("logs/x", 1_000, size, 10, 0)]);
    let policy = one("logs/", &format!(r#"{},"Expiration":{{"Days":120}}"#, to(30, "GLACIER_IR")));
    let months = 90.0 / (730.0 / 24.0);
    let gib = size as f64 / GIB as f64;
    let loss = 0.02 / 1000.0 - gib * (0.023 - 0.004) * months;
    let per_month = 1_000.0 / (120.0 / (730.0 / 24.0));
    near(usd(&policy, &tree, Code::NeverPaysBack, LintContext::default()), loss * per_month);
    let large = self::tree(&[("logs/x", 10, GIB, 10, 0)]);
    assert_eq!(usd(&policy, &large, Code::NeverPaysBack, LintContext::default()), None);
}

#[test]
fn what_is_in_the_list_decides() {
    let tree =
        tree(&[("checkpoints/x", 2, GIB, 40, ObjectFlags::NONCURRENT), ("data/x", 2, GIB, 40, 0)]);
    let ctx = LintContext { versioning: Some(Versioning::Enabled), ..LintContext::default() };
    let old = r#""NoncurrentVersionExpiration":{"NoncurrentDays":30}"#;
    // Here steps are overwritten after all.
    assert_eq!(usd(&one("checkpoints/", old), &tree, Code::NoncurrentUseless, ctx), None);
    assert_eq!(usd(&one("nowhere/", old), &tree, Code::MatchesNothing, ctx), Some(None));
    assert_eq!(usd(&one("dat", old), &tree, Code::MatchesNothing, ctx), None);
    assert_eq!(usd(&one("dot", old), &tree, Code::MatchesNothing, ctx), Some(None));
}
