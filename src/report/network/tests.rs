use std::sync::Arc;

use super::*;
use crate::analyze::bill::fixture::{LineOf, bill_of, settings};
use crate::analyze::network::{NetworkPath, live, network};
use crate::domain::bill::{Bill, TransferPath};
use crate::report::{Format, Report, write};
use crate::tabs::network::picture::{fixture, network_rows};
use crate::view::fixture::ctx;

/// A month with a path of each kind that has a fix, and one of each that has none.
fn month(period: &str, nat_usd: &str) -> Arc<Bill> {
    let line = |service, usage_type, operation, (quantity, unit), usd| LineOf {
        service,
        usage_type,
        operation,
        unit,
        quantity,
        usd,
        day: 30,
        path: TransferPath::of(usage_type, operation, "", "", ""),
        ..LineOf::default()
    };
    let (ec2, s3) = ("Amazon Elastic Compute Cloud", "Amazon Simple Storage Service");
    let of = |resource, line| LineOf { resource, ..line };
    let gb = |quantity| (quantity, "GB");
    bill_of(
        period,
        &[],
        &[
            of("nat-1", line(ec2, "NatGateway-Bytes", "NatGateway", gb(1_000.0), nat_usd)),
            of("nat-1", line(ec2, "NatGateway-Hours", "NatGateway", (720.0, "Hrs"), "32.4")),
            of("nat-2", line(ec2, "EU-NatGateway-Hours", "NatGateway", (720.0, "Hrs"), "34.56")),
            of("corpus", line(s3, "USE1-USW2-AWS-Out-Bytes", "GetObject", gb(5_000.0), "100")),
            of("corpus", line(s3, "TimedStorage-ByteHrs", "", (2_500.0, "GB-Mo"), "57.5")),
            of("corpus", line(s3, "Requests-Tier2", "GetObject", (1e6, "Requests"), "0.4")),
            line(ec2, "DataTransfer-Regional-Bytes", "InterZone-Out", gb(300.0), "3.000000001"),
            line(ec2, "DataTransfer-Regional-Bytes", "InterZone-In", gb(300.0), "3"),
            line(ec2, "DataTransfer-Out-Bytes", "RunInstances", gb(200.0), "18"),
            line("Amazon Route 53", "DNS-Queries", "", (1e6, "Queries"), "0.4"),
            LineOf {
                path: Some(TransferPath::Nat),
                ..line("Acme", "", "NatGateway", gb(1.0), "0.1")
            },
        ],
    )
}

fn paths() -> List<NetworkField> {
    let (before, bill) = (month("2026-09", "30"), month("2026-10", "45"));
    let of = BillsOf {
        bills: vec![bill.head.clone()],
        before: vec![before.head.clone()],
        ..BillsOf::default()
    };
    let rows = network_rows(network(&[bill], &[before], &settings()));
    List::of(rows.to_vec(), None, of)
}

fn at_80() -> ViewContext {
    ViewContext { width: Some(80), ..ctx() }
}

#[test]
fn paths_in_every_format() {
    let formats = [Format::Table, Format::Csv, Format::Json, Format::Md];
    let all = formats.map(|format| write(&paths(), format, &at_80())).join("\n");
    insta::assert_snapshot!(all);
}

fn live_paths() -> List<NetworkField> {
    let of = BillsOf { live: Some(Vec::new()), ..BillsOf::default() };
    List::of(network_rows(live::paths(&fixture::live())).to_vec(), None, of)
}

#[test]
fn live_paths_in_every_format_say_that_they_are_estimates_and_what_has_no_price() {
    let formats = [Format::Table, Format::Csv, Format::Json, Format::Md];
    let all = formats.map(|format| write(&live_paths(), format, &at_80())).join("\n");
    insta::assert_snapshot!(all);
}

#[test]
fn every_column_of_paths() {
    let list = List { columns: NetworkField::ALL.to_vec(), is_exact: true, ..paths() };
    insta::assert_snapshot!(write(&list, Format::Table, &ctx()));
}

#[test]
fn a_filter_is_summed_alone_and_amounts_have_all_their_digits() {
    let mut list = paths();
    list.rows.retain(|row| row.of.key.path == NetworkPath::InterAz);
    let json = write(&list, Format::Json, &ctx());
    assert!(json.contains("\"usd_per_month\": 6.000000001,"), "{json}");
    assert!(list.notes(&ctx()).text().starts_with("total: $6.00 = network $6.00, requests $0.00"));
}
