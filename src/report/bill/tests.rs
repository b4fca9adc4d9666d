use std::sync::Arc;

use super::*;
use crate::analyze::bill::anomalies::{AnomalySettings, by_provider};
use crate::analyze::bill::fixture::{LineOf, bill_of, settings};
use crate::analyze::bill::reconcile::{Cause, ReconcileDay};
use crate::analyze::bill::{Measured, anatomy, breakdown, changes};
use crate::domain::bill::{Bill, Charge, Pricing};
use crate::report::{Format, Report, write};
use crate::tabs::bill::picture::{
    AnomalyField, ReconcileField, anatomy_rows, anomaly_rows, bill_rows, changed_rows,
    reconcile_rows,
};
use crate::view::fixture::ctx;

fn bill_of_month(period: &str, gpu: &str) -> Arc<Bill> {
    let ec2 = LineOf {
        service: "Amazon Elastic Compute Cloud",
        usage_type: "BoxUsage:p5.48xlarge",
        resource: "i-1",
        tags: &["pretrain"],
        quantity: 24.0,
        ..LineOf::default()
    };
    let tax = LineOf { day: 0, service: "Tax", charge: Charge::Tax, usd: "12.3456789012", ..ec2 };
    let unused = LineOf { pricing: Pricing::UnusedCommitment, usd: "100.1", resource: "", ..ec2 };
    let s3 = LineOf { usd: "0.1", ..LineOf::default() };
    bill_of(
        period,
        &["team"],
        &[LineOf { usd: gpu, ..ec2 }, unused, s3, LineOf { usd: "0.2", day: 2, ..s3 }, tax],
    )
}

fn at_80() -> ViewContext {
    ViewContext { width: Some(80), ..ctx() }
}

fn all(report: &dyn Report) -> String {
    let formats = [Format::Table, Format::Csv, Format::Json, Format::Md];
    formats.map(|format| write(report, format, &at_80())).join("\n")
}

fn by(keys: &[BillKey]) -> List<BillField> {
    let bill = bill_of_month("2026-10", "1320.96");
    let found = breakdown(std::slice::from_ref(&bill), keys, &[], &settings()).unwrap();
    let of = BillsOf { keys: keys.into(), bills: vec![bill.head.clone()], ..BillsOf::default() };
    List::of(bill_rows(&found).to_vec(), None, of)
}

#[test]
fn sums_by_key_in_every_format() {
    insta::assert_snapshot!(all(&by(&[BillKey::Service])));
}

#[test]
fn sums_by_two_keys_as_a_table() {
    let list = by(&[BillKey::Team, BillKey::Category]);
    insta::assert_snapshot!(write(&list, Format::Table, &at_80()));
}

#[test]
fn the_anatomy_in_every_format() {
    let bill = bill_of_month("2026-10", "1320.96");
    let found = anatomy(std::slice::from_ref(&bill), &settings(), &Measured::default());
    let of = BillsOf { bills: vec![bill.head.clone()], ..BillsOf::default() };
    insta::assert_snapshot!(all(&List::<AnatomyField>::of(
        anatomy_rows(&found).to_vec(),
        None,
        of
    )));
}

#[test]
fn what_changed_in_every_format() {
    let before = bill_of_month("2026-09", "1000");
    let after = bill_of_month("2026-10", "1320.96");
    let keys = [BillKey::Service];
    let found =
        changes(std::slice::from_ref(&before), std::slice::from_ref(&after), &keys, &settings())
            .unwrap();
    let of = BillsOf {
        keys: keys[..].into(),
        bills: vec![after.head.clone()],
        before: vec![before.head.clone()],
        is_measured: false,
        live: None,
    };
    insta::assert_snapshot!(all(&List::<ChangeField>::of(changed_rows(&found).to_vec(), None, of)));
}

/// A bill of the days 1 to `last`, $100 each, on one of them more.
fn days(period: &str, last: u8, odd: (u8, &'static str)) -> Arc<Bill> {
    let even = LineOf {
        service: "Amazon Elastic Compute Cloud",
        usage_type: "BoxUsage:p5.48xlarge",
        resource: "i-1",
        tags: &["pretrain"],
        usd: "100",
        ..LineOf::default()
    };
    let mut lines: Vec<LineOf> = (1..=last).map(|day| LineOf { day, ..even }).collect();
    lines.push(LineOf { day: odd.0, usd: odd.1, resource: "i-2", ..even });
    bill_of(period, &["team"], &lines)
}

#[test]
fn anomalies_in_every_format() {
    let (before, bill) = (days("2026-09", 30, (1, "0")), days("2026-10", 31, (12, "900.125")));
    let settings = AnomalySettings { tag: Some("team".into()), ..AnomalySettings::default() };
    let found = by_provider(&[before.clone(), bill.clone()], bill.head.period, &settings);
    let of = BillsOf {
        keys: [BillKey::Tag("team".into())].into(),
        bills: vec![bill.head.clone()],
        before: vec![before.head.clone()],
        ..BillsOf::default()
    };
    let rows = anomaly_rows(found, &settings);
    assert_eq!(rows.len(), 1);
    insta::assert_snapshot!(all(&List::<AnomalyField>::of(rows.to_vec(), None, of)));
}

#[test]
fn the_bill_beside_live_burn_in_every_format() {
    let bill = days("2026-10", 2, (1, "3.5"));
    let usd = |text: &str| Usd::parse(text.as_bytes()).unwrap();
    let day = |day, live: Option<&str>, billed, explained: &[(Cause, &str)]| ReconcileDay {
        day: bill.head.period.day(day),
        live: live.map(usd),
        bill: usd(billed),
        explained: explained.iter().map(|(cause, of)| (cause.clone(), usd(of))).collect(),
    };
    let service = || Cause::OtherUse("Amazon Simple Storage Service".into());
    let found = vec![
        day(
            1,
            Some("120"),
            "103.5",
            &[
                (Cause::Commitments, "-20.123456789"),
                (service(), "3.5"),
                (Cause::Unexplained, "0.123456789"),
            ],
        ),
        day(2, None, "100", &[(Cause::NotSeen, "96"), (service(), "4")]),
    ];
    let of = BillsOf { bills: vec![bill.head.clone()], ..BillsOf::default() };
    let list = List::<ReconcileField>::of(reconcile_rows(found).to_vec(), None, of);
    insta::assert_snapshot!(all(&list));
}

#[test]
fn lists_without_rows_say_what_is_missing() {
    let bill = days("2026-10", 2, (1, "3.5"));
    let of = BillsOf { bills: vec![bill.head.clone()], ..BillsOf::default() };
    let anomalies = List::<AnomalyField>::of(vec![], None, of.clone());
    let text = write(&anomalies, Format::Table, &at_80());
    assert!(text.contains("0 anomalies") && text.contains("no month before it is kept"), "{text}");
    let text = write(&List::<ReconcileField>::of(vec![], None, of), Format::Table, &at_80());
    assert!(text.contains("nobody looked at live burn"), "{text}");
}

#[test]
fn a_filter_is_summed_alone_and_amounts_have_all_their_digits() {
    let mut list = by(&[BillKey::Service]);
    list.rows.retain(|row| row.keyed.values[0].as_deref() != Some("Amazon Elastic Compute Cloud"));
    let json = write(&list, Format::Json, &ctx());
    assert!(json.contains("\"effective_usd\": 12.6456789012,"), "{json}");
    assert!(json.contains("\"effective_usd\": 0.3,"), "{json}");
    assert!(!json.contains("\"resource\""), "{json}");
}
