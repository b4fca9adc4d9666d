//! Rows of what a cache would save.

use std::sync::Arc;

use crate::analyze::network::cache::{CacheRow, Pattern};
use crate::domain::object_reads::ReadsBy;
use crate::view::table_field::{field_table, fields};
use crate::view::{TableField, Value, ViewContext, format, reasons};

/// Reads of a group, with what a cache would save.
#[derive(Clone, Debug, PartialEq)]
pub struct CacheItem {
    /// Prefix or reader; unique among the rows of a list.
    pub id: Arc<str>,
    /// Whether it is a reader.
    pub is_reader: bool,
    /// What to do, in a sentence; empty where only flows tell of it.
    pub why: String,
    /// The reads.
    pub of: CacheRow,
}

/// Rows in their order.
pub fn cache_items(rows: Vec<CacheRow>, by: ReadsBy) -> Arc<[Arc<CacheItem>]> {
    let item = |of: CacheRow| {
        let why = of.advice.as_ref().map(reasons::cache_advice).unwrap_or_default();
        let (id, is_reader) = (Arc::clone(&of.name), by == ReadsBy::Reader);
        Arc::new(CacheItem { id, is_reader, why, of })
    };
    rows.into_iter().map(item).collect()
}

field_table! {
    /// A field of reads that a cache would save.
    pub enum CacheField => FIELDS {
        Prefix text "prefix" [] "PREFIX" 24 key wide by('p') "Bucket and the first levels of the key; none of the whole log.";
        Reader text "reader" [] "READER" 15 wide by('r')
            "Address that the bytes went to; all behind a NAT gateway or a proxy share one.";
        Requests number(Count) "requests" [] "REQUESTS" 10 by('q')
            "Requests that read objects, or parts of them, and succeeded; none where only flows tell of it.";
        Read number(Bytes) "read_bytes" ["read", "bytes"] "READ" 9 by('b') "Bytes sent.";
        Distinct number(Bytes) "distinct_bytes" ["distinct"] "DISTINCT" 9 by('d') "Bytes of what was read at least once.";
        Pattern choice(Pattern::WORDS) "pattern" [] "PATTERN" 8 by('t')
            "How objects are read again: once = not, loop = in one order, shuffled = rounds in new orders, local = soon, random = in no order.";
        Cache number(Bytes) "cache_bytes" ["cache"] "CACHE" 8 by('c')
            "Size of the cache: as chosen, else the smallest with nearly all hits of the largest; none where no cache has any.";
        Hits number(Percent) "hit_bytes_ratio" ["hits"] "HITS" 6 by('h') "Share of the bytes that this cache has.";
        Saved number(Usd) "saved_usd_per_month" ["saved", "$"] "SAVED" 11 unit("$") by('v')
            "What the path would not charge any more in a month, before the price of the cache; none where its price is not known.";
        Gp3 number(Usd) "gp3_usd_per_month" ["gp3"] "GP3" 10 unit("$") "What the cache costs a month as a gp3 volume.";
        Lustre number(Usd) "lustre_usd_per_month" ["lustre"] "LUSTRE" 10 unit("$")
            "What it costs a month in FSx for Lustre (scratch, SSD), whose smallest file system has 1,200 GiB.";
        Pinned number(Percent) "pinned_bytes_ratio" ["pinned"] "PINNED" 6
            "Share of the bytes that a fixed part of the objects has in such a cache, whatever their order.";
        Why text "why" [] "WHY" 40 wide "What to do, in a sentence.";
    }
}

use CacheField as F;

impl TableField for CacheField {
    type Row = CacheItem;

    const NOUNS: [&'static str; 2] = ["row", "rows"];

    const SCREEN_COLUMNS: &'static [Self] =
        &[F::Prefix, F::Requests, F::Read, F::Distinct, F::Pattern, F::Cache, F::Hits, F::Saved];
    const DROPPED_FIRST: &'static [Self] = &[F::Requests, F::Distinct, F::Pattern];

    fields!(FIELDS);

    fn value<'a>(self, row: &'a CacheItem, _: &ViewContext) -> Value<'a> {
        let (of, reads) = (&row.of, &row.of.reads);
        let percent = |share: Option<f64>| Value::number(share.map(|share| share * 100.0));
        match self {
            F::Prefix if row.is_reader => Value::Unknown,
            F::Reader if !row.is_reader => Value::Unknown,
            F::Prefix | F::Reader => Value::text(&row.id),
            F::Requests => Value::number(reads.requests.map(|requests| requests as f64)),
            F::Read => Value::Number(reads.read_bytes as f64),
            F::Distinct => Value::number(reads.distinct_bytes.map(f64::round)),
            F::Pattern => Value::maybe(reads.pattern.map(Pattern::word)),
            F::Cache => Value::number(of.point.map(|point| point.cache_bytes as f64)),
            // Nothing where no cache has any; unknown where only flows tell of it.
            F::Hits => percent(reads.requests.map(|_| of.hit_bytes_ratio())),
            F::Saved => Value::number(of.saving.usd_per_month),
            F::Gp3 => Value::number(of.gp3_usd),
            F::Lustre => Value::number(of.lustre_usd),
            F::Pinned => percent(of.pinned_bytes_ratio),
            F::Why => Value::text(&row.why),
        }
    }

    fn cell(self, row: &CacheItem, ctx: &ViewContext) -> String {
        match (self, self.value(row, ctx)) {
            (F::Read | F::Distinct | F::Cache, Value::Number(bytes)) => format::bytes_binary(bytes),
            (F::Saved | F::Gp3 | F::Lustre, Value::Number(usd)) => format::usd_spent(usd),
            (_, value) => value.shown(self.spec().kind, ctx),
        }
    }

    fn id(row: &CacheItem) -> &Arc<str> {
        &row.id
    }

    fn usd_per_hour(_: &CacheItem) -> Option<f64> {
        None
    }

    fn any_text(row: &CacheItem, mut holds: impl FnMut(&str) -> bool) -> bool {
        holds(&row.id) || holds(&row.why)
    }
}
