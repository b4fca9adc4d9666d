//! The fields of a pair of prefixes that hold the same.

use std::sync::Arc;

use super::spec::{by, choice, field_enum, fields, number, text, wide};
use super::words;
use crate::analyze::storage::price::Rates;
use crate::domain::storage::{GIB, PrefixPair};
use crate::domain::text::clean;
use crate::fleet::StorageFleet;
use crate::query::Unit;
use crate::view::{FieldSpec, Role, TableField, Value, ViewContext};

field_enum! {
    /// A field of a pair of copies.
    CopyField { UsdPerMonth, Confidence, Bytes, Objects, BInA, AInB, Bucket, PrefixA, PrefixB }
}

/// A pair of prefixes, one a copy of the other as far as it is contained in it.
#[derive(Clone, Debug, PartialEq)]
pub struct CopyRow {
    /// Bucket and both prefixes.
    pub id: Arc<str>,
    /// The bucket.
    pub bucket: Arc<str>,
    /// The original; clean text.
    pub prefix_a: Arc<str>,
    /// The copy; clean text.
    pub prefix_b: Arc<str>,
    /// USD per month that deleting the copy saves at its tiers' rates; `None` without a price.
    pub usd_per_month: Option<f64>,
    /// The pair.
    pub pair: PrefixPair,
}

/// The rows of all pairs of a fleet's lists; `rates` gives the marginal rates of a bucket.
pub fn copy_rows<'a>(
    fleet: &StorageFleet,
    rates: impl Fn(&str) -> Option<&'a Rates>,
) -> Vec<Arc<CopyRow>> {
    let mut out = Vec::new();
    for (bucket, scan) in &fleet.scans {
        let rates = rates(bucket);
        for pair in scan.duplicates.iter().flat_map(|d| d.iter()) {
            let of =
                |(tier, bytes): &(_, u64)| Some(rates?.usd_per_gib(*tier)? * *bytes as f64 / GIB);
            let usd = pair.tiers.iter().map(of).sum::<Option<f64>>();
            let (a, b) = (clean(&pair.prefix_a), clean(&pair.prefix_b));
            out.push(CopyRow {
                id: format!("{bucket} {a} {b} {}", pair.confidence.word()).into(),
                bucket: bucket.clone(),
                prefix_a: a.into(),
                prefix_b: b.into(),
                usd_per_month: usd,
                pair: pair.clone(),
            });
        }
    }
    out.sort_by(|a, b| {
        let usd = |r: &CopyRow| r.usd_per_month.unwrap_or(-1.0);
        usd(b).total_cmp(&usd(a)).then_with(|| b.pair.bytes.cmp(&a.pair.bytes))
    });
    out.into_iter().map(Arc::new).collect()
}

const LEVELS: [&str; 4] = ["A", "B", "C", "D"];

use CopyField as F;

static FIELDS: [FieldSpec; F::ALL.len()] = [
    by(
        'm',
        number!(
            F::UsdPerMonth,
            "usd_per_month",
            &["$", "usd"],
            "$/MO",
            8,
            Unit::Usd,
            "What deleting the copy would save per month of 730 h, at its class and the account's last volume step.",
        ),
    ),
    by(
        's',
        choice!(
            F::Confidence,
            "confidence",
            &["sure"],
            "SURE",
            4,
            &LEVELS,
            "A same digest, B same digest of parts, C same names and sizes, D same size alone.",
        ),
    ),
    by(
        'z',
        number!(
            F::Bytes,
            "bytes",
            &["size"],
            "SIZE",
            8,
            Unit::Bytes,
            "Bytes that are in both, counted once.",
        ),
    ),
    by(
        'c',
        number!(
            F::Objects,
            "objects",
            &["count"],
            "COUNT",
            7,
            Unit::Count,
            "Objects that are in both.",
        ),
    ),
    by(
        'b',
        number!(
            F::BInA,
            "containment_b_in_a",
            &["b_in_a"],
            "B IN A",
            6,
            Unit::Percent,
            "Share of the copy's bytes that the original has as well.",
        ),
    ),
    by(
        'a',
        number!(
            F::AInB,
            "containment_a_in_b",
            &["a_in_b"],
            "A IN B",
            6,
            Unit::Percent,
            "Share of the original's bytes that the copy has as well.",
        ),
    ),
    text!(F::Bucket, "bucket", &[], "BUCKET", 16, "The bucket of both."),
    wide(by(
        'o',
        text!(F::PrefixA, "prefix_a", &["original"], "ORIGINAL", 20, "The older of the two."),
    )),
    wide(by('y', text!(F::PrefixB, "prefix_b", &["copy"], "COPY", 20, "The newer of the two."))),
];

impl TableField for CopyField {
    type Row = CopyRow;

    const NOUNS: [&'static str; 2] = ["pair", "pairs"];

    const SCREEN_COLUMNS: &'static [Self] = &[
        F::UsdPerMonth,
        F::Confidence,
        F::Bytes,
        F::Objects,
        F::BInA,
        F::AInB,
        F::PrefixB,
        F::PrefixA,
    ];
    const DROPPED_FIRST: &'static [Self] = &[F::Objects, F::AInB, F::BInA];

    fields!(CopyField);

    fn value<'a>(self, row: &'a CopyRow, _: &ViewContext) -> Value<'a> {
        let pair = &row.pair;
        match self {
            F::UsdPerMonth => Value::number(row.usd_per_month),
            F::Confidence => Value::text(pair.confidence.word()),
            F::Bytes => Value::Number(pair.bytes as f64),
            F::Objects => Value::Number(pair.objects as f64),
            F::BInA => Value::number(Some(pair.containment_b_in_a * 100.0)),
            F::AInB => Value::number(Some(pair.containment_a_in_b * 100.0)),
            F::Bucket => Value::text(&row.bucket),
            F::PrefixA => Value::text(&row.prefix_a),
            F::PrefixB => Value::text(&row.prefix_b),
        }
    }

    fn role(self, row: &CopyRow) -> Role {
        match self {
            F::UsdPerMonth if row.usd_per_month.is_some() => Role::Idle,
            _ => Role::Text,
        }
    }

    fn cell(self, row: &CopyRow, ctx: &ViewContext) -> String {
        match (self, self.value(row, ctx)) {
            (F::UsdPerMonth, Value::Number(usd)) => words::usd(usd),
            (F::Bytes, Value::Number(bytes)) => words::size(bytes),
            (F::Objects, Value::Number(n)) => words::count(n),
            (_, value) => value.shown(self.spec().kind, ctx),
        }
    }

    fn id(row: &CopyRow) -> &Arc<str> {
        &row.id
    }

    fn usd_per_hour(row: &CopyRow) -> Option<f64> {
        row.usd_per_month.map(|usd| usd / crate::domain::HOURS_PER_MONTH)
    }

    fn any_text(row: &CopyRow, mut holds: impl FnMut(&str) -> bool) -> bool {
        holds(&row.prefix_a) || holds(&row.prefix_b) || holds(&row.bucket)
    }
}
