//! Imported bills come back as they were put, or not at all.

use std::fs;
use std::path::Path;

use proptest::prelude::*;
use rusqlite::Connection;

use crate::cache::{BesideBill, Bills, BillsError};
use crate::domain::bill::{
    Bill, BillBuilder, BillFormat, BillHead, BillNote, BilledRate, Charge, Key, Line, Month,
    NameId, NetworkSpend, NewestBill, OwnerId, PeriodState, Pricing, ResourceCosts, Sums,
    UsageKind, Usd,
};
use crate::domain::sample;
use crate::domain::{Platform, Provenance, Scope, Tenancy};

fn month(text: &str) -> Month {
    text.parse().unwrap()
}

/// A bill with one line per amount, each of its own account.
fn bill(export: &str, period: &str, cents: &[i32]) -> Bill {
    let mut builder = BillBuilder::new(vec!["team".into()]);
    for (at, cents) in cents.iter().enumerate() {
        let service = builder.name(b"Amazon EC2");
        let none = NameId::default();
        let kind = builder.kind(UsageKind {
            service,
            service_code: none,
            usage_type: none,
            operation: none,
            family: none,
            unit: none,
            path: None,
        });
        let account = builder.name(format!("{at:012}").as_bytes());
        let resource = builder.name(format!("i-{at}").as_bytes());
        let team = builder.name(b"nlp");
        let owner = if at % 2 == 0 { builder.owner(&[team]) } else { OwnerId::default() };
        let key = Key {
            account,
            region: none,
            kind,
            charge: Charge::Usage,
            pricing: Pricing::OnDemand,
            commitment: none,
            owner,
        };
        let usd = Usd::from_decimal(i128::from(*cents), 2).unwrap();
        let sums = Sums { billed: usd, effective: usd, net: usd, lines: 1, ..Sums::default() };
        builder.add(&Line { day: (at % 32) as u8, key, resource, sums }).unwrap();
    }
    builder.finish(BillHead {
        export: export.into(),
        format: BillFormat::Focus12,
        payer: "111111111111".into(),
        state: PeriodState::Open,
        has_resources: true,
        has_days: true,
        read_at: "2026-11-20T00:00:00Z".parse().unwrap(),
        notes: vec![BillNote::NotUtf8 { lines: 2 }],
        ..sample::bill_head(period)
    })
}

/// A rate of as many dollars as the bill has lines.
fn rates(bill: &Bill) -> BesideBill {
    let rate = BilledRate {
        instance_type: "p5.48xlarge".into(),
        account: "111111111111".into(),
        region: "us-east-1".into(),
        usd_per_hour: bill.head.lines as f64,
    };
    BesideBill { rates: vec![rate], network: None }
}

fn at(dir: &Path) -> Bills {
    Bills::beside(&dir.join("burntop.db"))
}

#[test]
fn looking_for_bills_makes_no_file() {
    let dir = tempfile::tempdir().unwrap();
    let bills = at(dir.path());
    assert_eq!(bills.heads().unwrap().heads, []);
    assert_eq!(bills.delivered("a", "d").unwrap(), []);
    assert_eq!(bills.size(), None);
    let absent = bills.bill("a", month("2026-10")).unwrap_err();
    assert!(absent.to_string().contains("bill import"), "{absent}");
    assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 0);
}

#[test]
fn a_cache_of_the_same_name_is_not_the_bills() {
    assert_ne!(Bills::beside(Path::new("/c/bills.db")).path(), Path::new("/c/bills.db"));
}

#[test]
fn a_period_is_replaced_and_others_stay() {
    let dir = tempfile::tempdir().unwrap();
    let bills = at(dir.path());
    let (september, october) = (bill("a", "2026-09", &[100]), bill("a", "2026-10", &[200, -5]));
    bills.put(&[september.clone(), october], "first", rates).unwrap();
    let newer = bill("a", "2026-10", &[300]);
    bills.put(std::slice::from_ref(&newer), "second", rates).unwrap();
    bills.put(&[bill("b", "2026-10", &[1])], "second", rates).unwrap();
    assert_eq!(bills.bill("a", month("2026-09")).unwrap(), september);
    assert_eq!(bills.bill("a", month("2026-10")).unwrap(), newer);
    assert_eq!(bills.delivered("a", "second").unwrap(), std::slice::from_ref(&newer.head));
    assert_eq!(bills.delivered("a", "third").unwrap(), []);
    let kept = bills.heads().unwrap();
    let names: Vec<_> = kept.heads.iter().map(|h| format!("{} {}", h.export, h.period)).collect();
    assert_eq!(names, ["a 2026-09", "a 2026-10", "b 2026-10"]);
    assert!(bills.size().unwrap() > 0);
}

#[test]
fn the_newest_bill_tells_costs_and_the_newest_with_enough_days_rates() {
    let dir = tempfile::tempdir().unwrap();
    let bills = at(dir.path());
    assert_eq!(bills.newest().unwrap(), None);
    let newest = || {
        let NewestBill { costs, rates: told, .. } = bills.newest().unwrap().unwrap();
        let scope = Scope::new("111111111111", "us-east-1");
        let rate = told.rate(&scope, "p5.48xlarge", Platform::Linux, Tenancy::Shared).unwrap();
        (costs.usd("i-1"), rate.usd_per_hour, rate.provenance)
    };
    let told_by = |period| Provenance::Bill { period: month(period) };
    bills.put(&[bill("a", "2026-10", &[10; 4])], "d", rates).unwrap();
    assert_eq!(newest(), (Some(0.1), 4.0, told_by("2026-10")));
    bills.put(&[bill("a", "2026-11", &[20; 3])], "d", rates).unwrap();
    assert_eq!(newest(), (Some(0.2), 4.0, told_by("2026-10")), "two days tell no rate yet");
    bills.put(&[bill("a", "2026-11", &[30; 5])], "e", rates).unwrap();
    assert_eq!(newest(), (Some(0.3), 5.0, told_by("2026-11")));
}

/// The same, with what the network costs.
fn with_network(bill: &Bill) -> BesideBill {
    let network = NetworkSpend {
        period: bill.head.period,
        days: bill.head.last_day,
        usd: bill.head.total.effective,
        paths: 1,
        fixes: Vec::new(),
        unknown: 0,
    };
    BesideBill { network: Some(network), ..rates(bill) }
}

#[test]
fn what_the_network_costs_is_told_where_it_is_kept() {
    let dir = tempfile::tempdir().unwrap();
    let bills = at(dir.path());
    let network = || bills.newest().unwrap().unwrap().network.map(|spend| spend.usd.to_string());
    bills.put(&[bill("a", "2026-10", &[100; 4])], "d", with_network).unwrap();
    assert_eq!(network().as_deref(), Some("4"));
    bills.put(&[bill("a", "2026-10", &[50; 4])], "e", rates).unwrap();
    assert_eq!(network(), None);
}

#[test]
fn a_bill_that_was_kept_before_the_network_was_tells_costs_and_rates() {
    let dir = tempfile::tempdir().unwrap();
    let bills = at(dir.path());
    bills.put(&[bill("a", "2026-10", &[10; 4])], "d", with_network).unwrap();
    // As the version before wrote it: two parts.
    let of = bills.bill("a", month("2026-10")).unwrap();
    let old = crate::cache::bills::deflated(&(ResourceCosts::of(&of), rates(&of).rates)).unwrap();
    let sum = crate::cache::bills::blob_sum("a", "2026-10", &old);
    let conn = Connection::open(bills.path()).unwrap();
    conn.execute("UPDATE bill SET costs = ?1, costs_checksum = ?2", (&old, sum)).unwrap();
    let told = bills.newest().unwrap().unwrap();
    assert_eq!((told.costs.usd("i-1"), told.network), (Some(0.1), None));
}

#[test]
fn an_import_killed_half_way_leaves_the_bill_before_it() {
    let dir = tempfile::tempdir().unwrap();
    let bills = at(dir.path());
    let before = bill("a", "2026-10", &[100, 200]);
    bills.put(std::slice::from_ref(&before), "first", rates).unwrap();
    // What lies on the disk when a process dies in the middle of its transaction.
    let conn = Connection::open(bills.path()).unwrap();
    conn.execute_batch("PRAGMA cache_size = 1; PRAGMA cache_spill = 1; BEGIN IMMEDIATE").unwrap();
    conn.execute("UPDATE bill SET bill = randomblob(2000000), digest = 'second'", []).unwrap();
    let dead = tempfile::tempdir().unwrap();
    for entry in fs::read_dir(dir.path()).unwrap().flatten() {
        fs::copy(entry.path(), dead.path().join(entry.file_name())).unwrap();
    }
    let left = at(dead.path());
    assert_eq!(left.bill("a", month("2026-10")).unwrap(), before);
    assert_eq!(left.delivered("a", "first").unwrap().len(), 1);
    // And those who look meanwhile see it as well.
    assert_eq!(bills.bill("a", month("2026-10")).unwrap(), before);
}

#[test]
fn what_is_not_as_it_was_written_is_said_and_never_shown() {
    let dir = tempfile::tempdir().unwrap();
    let bills = at(dir.path());
    let of = |export: &str| bills.bill(export, month("2026-10"));
    for (export, change) in [
        ("head", "UPDATE bill SET head = substr(head, 1, 20) WHERE export = 'head'"),
        ("digest", "UPDATE bill SET digest = 'x' WHERE export = 'digest'"),
        ("cells", "UPDATE bill SET bill = zeroblob(9) WHERE export = 'cells'"),
        ("layout", "UPDATE bill SET layout = 99 WHERE export = 'layout'"),
        ("period", "UPDATE bill SET export = 'moved' WHERE export = 'period'"),
    ] {
        bills.put(&[bill(export, "2026-10", &[100])], "d", rates).unwrap();
        Connection::open(bills.path()).unwrap().execute_batch(change).unwrap();
    }
    bills.put(&[bill("whole", "2026-10", &[100])], "d", rates).unwrap();
    let kept = bills.heads().unwrap();
    // Damage of the cells alone is found when they are read.
    let names: Vec<_> = kept.heads.iter().map(|h| &*h.export).collect();
    assert_eq!(names, ["cells", "whole"]);
    assert_eq!(kept.unreadable.len(), 4);
    for export in ["head", "digest", "cells", "layout", "moved"] {
        let error = of(export).unwrap_err();
        assert!(error.to_string().contains("import it again"), "{export}: {error}");
        assert_eq!(matches!(error, BillsError::OtherLayout { .. }), export == "layout");
    }
    assert!(of("whole").is_ok());
    assert_eq!(bills.delivered("head", "d").unwrap(), []);
    // It is imported again, and is whole again.
    bills.put(&[bill("head", "2026-10", &[7])], "d", rates).unwrap();
    assert!(of("head").is_ok());
}

#[test]
fn a_file_that_is_none_stays_as_it_is() {
    let dir = tempfile::tempdir().unwrap();
    let bills = at(dir.path());
    fs::write(bills.path(), vec![7; 5000]).unwrap();
    let put = bills.put(&[bill("a", "2026-10", &[1])], "d", rates).unwrap_err();
    for error in [bills.heads().unwrap_err(), put] {
        assert!(error.to_string().contains("move it away"), "{error}");
    }
    assert_eq!(fs::read(bills.path()).unwrap(), vec![7; 5000]);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn what_is_put_is_read(cents in proptest::collection::vec(any::<i32>(), 0..60)) {
        let dir = tempfile::tempdir().unwrap();
        let bills = at(dir.path());
        let all = [bill("a", "2026-09", &cents), bill("a", "2026-10", &[5])];
        bills.put(&all, "d", rates).unwrap();
        prop_assert_eq!(&bills.bill("a", month("2026-09")).unwrap(), &all[0]);
        prop_assert_eq!(bills.heads().unwrap().heads, all.map(|bill| bill.head));
    }
}
