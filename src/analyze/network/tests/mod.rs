//! Paths of bills: small ones calculated by hand, any, and those of files.

mod any;
mod files;
mod fixes;
mod paths;

use std::sync::Arc;

use super::*;
use crate::analyze::bill::fixture::{LineOf, bill_of, settings};
use crate::domain::bill::TransferPath;

const EC2: &str = "Amazon Elastic Compute Cloud";
const S3: &str = "Amazon Simple Storage Service";
const VPC: &str = "Amazon Virtual Private Cloud";

/// A line of a service: usage type, operation, quantity with its unit, US dollars.
fn line<'a>(
    service: &'a str,
    (usage_type, operation): (&'a str, &'a str),
    (quantity, unit): (f64, &'a str),
    usd: &'a str,
) -> LineOf<'a> {
    let path = TransferPath::of(usage_type, operation, "", "", "");
    LineOf { service, usage_type, operation, unit, path, usd, quantity, ..LineOf::default() }
}

/// GB of transfer.
fn gb<'a>(service: &'a str, what: (&'a str, &'a str), quantity: f64, usd: &'a str) -> LineOf<'a> {
    line(service, what, (quantity, "GB"), usd)
}

/// Rows of a bill with these lines.
fn rows(lines: &[LineOf<'_>]) -> Vec<NetworkRow> {
    network(&[bill_of("2026-10", &["team", "job"], lines)], &[], &settings()).rows
}

/// Bytes of rows in GB, of a path.
fn all_gb(rows: &[NetworkRow], path: NetworkPath) -> f64 {
    let of_path = rows.iter().filter(|row| row.key.path == path);
    of_path.filter_map(|row| row.bytes).sum::<f64>() / GB
}

fn near(a: f64, b: f64) -> bool {
    (a - b).abs() < 1e-9 * b.abs().max(1.0)
}
