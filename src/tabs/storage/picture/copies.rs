//! The fields of a pair of prefixes that hold the same.

use std::sync::Arc;

use super::priced::{dearest_first, priced};
use super::words;
use crate::analyze::storage::price::Rates;
use crate::domain::storage::PrefixPair;
use crate::domain::text::clean;
use crate::fleet::StorageFleet;
use crate::view::table_field::{field_table, fields};
use crate::view::{Role, TableField, Value, ViewContext};

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

/// Rows for all pairs of copies in a fleet's lists; `rates` gives the marginal rates of a bucket, `None` without
/// prices.
pub fn copy_rows<'a>(
    fleet: &StorageFleet,
    rates: impl Fn(&str) -> Option<&'a Rates>,
) -> Vec<Arc<CopyRow>> {
    let mut out = Vec::new();
    for (bucket, scan) in &fleet.scans {
        let rates = rates(bucket);
        for pair in scan.duplicates.iter().flat_map(|d| d.iter()) {
            let (a, b) = (clean(&pair.prefix_a), clean(&pair.prefix_b));
            out.push(CopyRow {
                id: format!("{bucket} {a} {b} {}", pair.confidence.word()).into(),
                bucket: bucket.clone(),
                prefix_a: a.into(),
                prefix_b: b.into(),
                usd_per_month: priced(rates, &pair.tiers),
                pair: pair.clone(),
            });
        }
    }
    dearest_first(out, |r| (r.usd_per_month, r.pair.bytes))
}

const LEVELS: [&str; 4] = ["A", "B", "C", "D"];

field_table! {
    /// A field of a pair of copies.
    pub enum CopyField => FIELDS {
        UsdPerMonth number(Usd) "usd_per_month" ["$", "usd"] "$/MO" 8 apart by('m')
            "What deleting the copy would save per month of 730 h, at its class and the account's last volume step.";
        Confidence choice(LEVELS) "confidence" ["sure"] "SURE" 4 by('s')
            "A same digest, B same digest of parts, C same names and sizes, D same size alone.";
        Bytes number(Bytes) "bytes" ["size"] "SIZE" 8 by('z')
            "Bytes that are in both, counted once.";
        Objects number(Count) "objects" ["count"] "COUNT" 7 by('c') "Objects that are in both.";
        BInA number(Percent) "containment_b_in_a" ["b_in_a"] "B IN A" 6 by('b')
            "Share of the copy's bytes that the original has as well.";
        AInB number(Percent) "containment_a_in_b" ["a_in_b"] "A IN B" 6 by('a')
            "Share of the original's bytes that the copy has as well.";
        Bucket text "bucket" [] "BUCKET" 16 "The bucket of both.";
        PrefixA text "prefix_a" ["original"] "ORIGINAL" 20 key wide by('o') "The older of the two.";
        PrefixB text "prefix_b" ["copy"] "COPY" 20 key wide by('y') "The newer of the two.";
    }
}

use CopyField as F;

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

    fields!(FIELDS);

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
            (F::Objects, Value::Number(n)) => words::count(n),
            (_, value) => words::cell(value, self.spec().kind, ctx),
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
