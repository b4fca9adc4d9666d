//! Bills of files, against sums that were made of the same files without burntop.

use std::ops::ControlFlow;
use std::path::Path;

use super::*;
use crate::analyze::bill::{Category, Measured, anatomy};
use crate::domain::bill::Bill;
use crate::source::bill::{ReadOptions, read};

fn read_one(name: &str) -> Arc<Bill> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/bill").join(name);
    let options = ReadOptions {
        export: "test".into(),
        tag_keys: vec![],
        written_at: None,
        now: "2026-11-26T00:00:00Z".parse().unwrap(),
        fixed_period: None,
    };
    let mut bills = read(&[path], &options, &mut |_| ControlFlow::Continue(())).unwrap();
    Arc::new(bills.remove(0))
}

/// Paths of a bill: word, dollars, GB.
fn sums(name: &str) -> Vec<(&'static str, String, f64)> {
    let bill = read_one(name);
    let found = network(std::slice::from_ref(&bill), &[], &settings());
    let anatomy = anatomy(&[bill], &settings(), &Measured::default());
    assert_eq!(anatomy.rows[Category::Network as usize].effective, found.network, "{name}");
    let of = |path: NetworkPath| {
        let rows: Vec<_> = found.rows.iter().filter(|row| row.key.path == path).collect();
        let usd: Usd = rows.iter().map(|row| row.usd).sum();
        let bytes: f64 = rows.iter().filter_map(|row| row.bytes).sum();
        (!rows.is_empty()).then(|| (path.word(), usd.to_string(), bytes / GB))
    };
    NetworkPath::ALL.into_iter().filter_map(of).collect()
}

fn assert_sums(name: &str, wanted: &[(&'static str, &str, f64)]) {
    let found = sums(name);
    assert_eq!(found.len(), wanted.len(), "{found:?}");
    for ((path, usd, gb), (wanted_path, wanted_usd, wanted_gb)) in found.iter().zip(wanted) {
        assert_eq!((path, &**usd), (wanted_path, *wanted_usd), "{name}");
        assert!(near(*gb, *wanted_gb), "{name}: {path} {gb} is not {wanted_gb}");
    }
}

/// Lines of use by usage type and operation, added up by Python's `csv` and `decimal`: of `*-Regional-Bytes` the larger of
/// the GB of `InterZone-In` and `-Out` per region and half of what has no side, or that of `xAZ-In` and `-Out` where it is
/// more; between regions the larger of `-Out-` and `-In-` per pair; of all others all. Dollars of all lines.
#[test]
fn totals_by_path_of_a_real_bill_are_those_of_its_lines() {
    assert_sums(
        "cur1-legacy-aws-anonymous-1281.csv",
        &[
            ("internet", "0", 24.282_925_737_2),
            ("inter_region", "0.0000676821", 0.004_423_732_6),
            ("inter_az", "0", 0.003_047_964_1),
            ("requests", "1.21109852", 0.0),
        ],
    );
}

/// What the lines of use of the invented month add up to, in the same way.
const SYNTHETIC: [(&str, &str, f64); 8] = [
    ("internet", "829.93905162", 9_221.545_018),
    ("inter_region", "1772.47452188", 101_066.495_059),
    ("inter_az", "12683.13332083", 637_570.536_868),
    ("nat", "12296.1260916", 271_104.467_854),
    ("endpoint", "212.46978773", 21_246.978_773),
    ("direct_connect", "255.06950234", 12_753.475_117),
    ("cdn", "0", 28_267.388_567),
    ("requests", "2180.2716036", 0.0),
];

#[test]
fn totals_by_path_of_an_invented_month_are_those_of_its_lines_in_every_format_with_usage_types() {
    for name in
        ["synthetic-cur1.csv.gz", "synthetic-cur2.parquet", "synthetic-focus-1.0-aws.parquet"]
    {
        assert_sums(name, &SYNTHETIC);
    }
}

/// Its meters are written like usage types here.
#[test]
fn meters_that_read_like_usage_types_tell_paths_as_well() {
    assert_sums("synthetic-focus-1.2-aws.parquet", &SYNTHETIC);
}
