//! The named queries, in the subset of SQL that Trino (Athena's engine) and `DuckDB` share: one text,
//! run by Athena and checked by `DuckDB` in the tests.
//!
//! What an engine does differently is left out: no `date_diff` (Trino counts whole days, `DuckDB`
//! midnights), no `url_decode` (keys of CSV are unescaped afterwards), no map or array functions.
//! Ages are comparisons with moments that are written into the text.

use std::fmt::Write;

use jiff::Timestamp;

use crate::domain::sql::quoted;
use crate::domain::storage::sums::{AGE_BOUNDS, SIZE_BOUNDS};

/// Levels of prefixes at most: each level is at most one column's worth of result rows.
pub const LEVELS_AT_MOST: u16 = 32;

/// S3's largest object, 50 TB, in the binary reading; more is no size.
const SIZE_AT_MOST: i64 = 50 << 40;

/// S3 opened in 2006; earlier dates cannot be.
const OLDEST: &str = "2006-01-01 00:00:00.000";

/// Format of the inventory files in S3.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layout {
    /// Columns have types, keys are raw.
    Parquet,
    /// All columns are text, and keys are URL-encoded.
    Csv,
}

/// Optional columns of an inventory: true for those it has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "one answer per column")]
pub struct Columns {
    /// Column `size`.
    pub size: bool,
    /// Column `last_modified_date`.
    pub modified: bool,
    /// Column `e_tag`.
    pub etag: bool,
    /// Column `storage_class`.
    pub class: bool,
    /// Column `intelligent_tiering_access_tier`.
    pub access_tier: bool,
    /// Column `is_latest`.
    pub latest: bool,
    /// Column `is_delete_marker`.
    pub marker: bool,
    /// Column `encryption_status`.
    pub encryption: bool,
    /// Column `replication_status`.
    pub replication: bool,
}

/// An inventory as an SQL table.
#[derive(Clone, Debug, PartialEq)]
pub struct Table {
    /// Name `database.table`, which needs no quotes.
    pub name: String,
    /// Format of its files.
    pub layout: Layout,
    /// Columns of the inventory.
    pub columns: Columns,
    /// Time of the inventory.
    pub listed_at: Timestamp,
}

impl Table {
    /// SQL for sums by prefix down to `levels` levels: one row per prefix of exactly that depth (or less, for objects
    /// higher up), tier, state, size bin and age bin. Columns: `prefix`, `class`, `access_tier`, `noncurrent`,
    /// `marker`, `bad`, `size_bin`, `age_bin`, `objects`, `bytes`, `newest`, `oldest`.
    pub fn sums(&self, levels: u16, prefix: &str) -> String {
        format!(
            "{rows}\nSELECT prefix, class, access_tier, noncurrent, marker, bad, size_bin, age_bin,\n\
             \x20 count(*) AS objects, sum(size) AS bytes,\n\
             \x20 CAST(max(modified) AS VARCHAR) AS newest, CAST(min(modified) AS VARCHAR) AS \
             oldest\nFROM (SELECT regexp_extract(key, '^([^/]*/){{0,{levels}}}') AS prefix, class, \
             access_tier,\n\
             \x20 noncurrent, marker, CASE WHEN bad_size OR bad_date THEN 1 ELSE 0 END AS bad,\n\
             \x20 {size_bin} AS size_bin,\n\
             \x20 CASE WHEN bad_date OR modified IS NULL THEN -1 ELSE {age_bin} END AS age_bin, size,\n\
             \x20 CASE WHEN bad_date THEN NULL ELSE modified END AS modified FROM objects) AS binned\n\
             GROUP BY prefix, class, access_tier, noncurrent, marker, bad, size_bin, age_bin",
            rows = self.objects(prefix),
            levels = levels.min(LEVELS_AT_MOST),
            size_bin = size_bin(),
            age_bin = self.age_bin(),
        )
    }

    /// SQL for totals of duplicates by `ETag` and size, levels A and B. Columns: `level`, `groups_found`,
    /// `extra_objects`, `extra_bytes`. `None` when the list has no `ETags`.
    pub fn duplicate_levels(&self, prefix: &str) -> Option<String> {
        Some(format!(
            "{classes}\nSELECT level, count(*) AS groups_found, sum(n - 1) AS extra_objects,\n\
             \x20 sum((n - 1) * size) AS extra_bytes\n\
             FROM (SELECT level, etag, size, count(*) AS n FROM candidates\n\
             \x20 GROUP BY level, etag, size) AS classes\nWHERE n > 1 GROUP BY level ORDER BY level",
            classes = self.candidates(prefix)?,
        ))
    }

    /// SQL for directories with duplicates, most bytes first, at most `limit`. The original of each class of equal
    /// objects is in the directory with the oldest object (then first by name). Columns: `level`, `dir_a`, `dir_b`,
    /// `class`, `access_tier`, `objects`, `bytes`. `None` when the list has no `ETags`.
    pub fn duplicate_dirs(&self, prefix: &str, limit: u32) -> Option<String> {
        Some(format!(
            "{candidates},\n\
             ages AS (SELECT dir AS aged, min(modified) AS oldest FROM candidates GROUP BY dir),\n\
             ranked AS (SELECT level, dir, class, access_tier, size,\n\
             \x20 first_value(dir) OVER equal AS dir_a, row_number() OVER equal AS place\n\
             \x20 FROM candidates JOIN ages ON dir = aged\n\
             \x20 WINDOW equal AS (PARTITION BY level, etag, size ORDER BY oldest, dir, modified, key))\n\
             SELECT level, dir_a, dir AS dir_b, class, access_tier, count(*) AS objects, sum(size) AS \
             bytes\n\
             FROM ranked WHERE place > 1 GROUP BY level, dir_a, dir, class, access_tier\n\
             ORDER BY 7 DESC, 2, 3, 1, 4, 5 LIMIT {limit}",
            candidates = self.candidates(prefix)?,
        ))
    }

    /// Objects whose `ETags` can be compared.
    fn candidates(&self, prefix: &str) -> Option<String> {
        self.columns.etag.then(|| {
            format!(
                "{rows},\n\
                 candidates AS (SELECT key, size, etag, class, access_tier, modified,\n\
                 \x20 coalesce(regexp_extract(key, '^([^/]*/)*'), '') AS dir,\n\
                 \x20 CASE WHEN etag LIKE '%-%' THEN 'B' ELSE 'A' END AS level FROM objects\n\
                 \x20 WHERE size > 0 AND noncurrent = 0 AND marker = 0 AND NOT bad_size AND etag <> ''\n\
                 \x20 AND NOT opaque AND NOT replica)",
                rows = self.objects(prefix)
            )
        })
    }

    /// The normalising part, the only one that depends on the layout: `WITH objects AS (…)`.
    fn objects(&self, prefix: &str) -> String {
        let has = self.columns;
        let text = |on: bool, name: &str| {
            if on { format!("coalesce({name}, '')") } else { "''".to_owned() }
        };
        let is = |on: bool, name: &str, value: &str| match (on, self.layout) {
            (false, _) => "FALSE".to_owned(),
            (true, Layout::Parquet) => format!("coalesce({name} = {value}, FALSE)"),
            (true, Layout::Csv) => format!("coalesce(lower({name}) = '{value}', FALSE)"),
        };
        let size = match (has.size, self.layout) {
            (false, _) => "CAST(NULL AS BIGINT)",
            (true, Layout::Parquet) => "size",
            (true, Layout::Csv) => "TRY_CAST(size AS BIGINT)",
        };
        let modified = match (has.modified, self.layout) {
            (false, _) => "CAST(NULL AS TIMESTAMP)",
            (true, Layout::Parquet) => "last_modified_date",
            // 2026-11-19T02:00:00.000Z
            (true, Layout::Csv) => {
                "TRY_CAST(replace(replace(last_modified_date, 'T', ' '), 'Z', '') AS TIMESTAMP)"
            }
        };
        let marker = is(has.marker, "is_delete_marker", "true");
        // A list may hold what was written while it was made, a day at most.
        let newest = self.moment(-1);
        let bad_size = if has.size {
            format!(
                "NOT marker_row AND (raw_size IS NULL OR raw_size < 0 OR raw_size > {SIZE_AT_MOST})"
            )
        } else {
            "FALSE".to_owned()
        };
        let bad_date = if has.modified {
            format!(
                "(raw_modified IS NULL OR raw_modified < TIMESTAMP '{OLDEST}' OR raw_modified > {newest})"
            )
        } else {
            "FALSE".to_owned()
        };
        let key = match self.layout {
            Layout::Parquet => "key",
            Layout::Csv => "replace(replace(key, '%2F', '/'), '%2f', '/')",
        };
        let begins = match (prefix, self.layout) {
            ("", _) => "TRUE".to_owned(),
            (_, Layout::Parquet) => begins("key", prefix),
            (_, Layout::Csv) => begins(key, &escaped(prefix)),
        };
        format!(
            "WITH raw_objects AS (SELECT {key} AS key, {size} AS raw_size, {modified} AS raw_modified,\n\
             \x20 {class} AS class, {access} AS access_tier, replace({etag}, '\"', '') AS etag,\n\
             \x20 CASE WHEN {noncurrent} THEN 1 ELSE 0 END AS noncurrent, {marker} AS marker_row,\n\
             \x20 {opaque} AS opaque, {replica} AS replica\n\
             \x20 FROM {table} AS inventory_rows WHERE {begins}),\n\
             objects AS (SELECT key, class, access_tier, etag, noncurrent, opaque, replica,\n\
             \x20 CASE WHEN marker_row THEN 1 ELSE 0 END AS marker,\n\
             \x20 {bad_size} AS bad_size, {bad_date} AS bad_date, raw_modified AS modified,\n\
             \x20 CASE WHEN marker_row OR raw_size IS NULL OR raw_size < 0 OR raw_size > {SIZE_AT_MOST}\n\
             \x20 THEN 0 ELSE raw_size END AS size FROM raw_objects)",
            class = text(has.class, "storage_class"),
            access = text(has.access_tier, "intelligent_tiering_access_tier"),
            etag = text(has.etag, "e_tag"),
            noncurrent = is(has.latest, "is_latest", "false"),
            opaque = if has.encryption {
                "coalesce(encryption_status, '') NOT IN ('SSE-S3', 'NOT-SSE')"
            } else {
                "FALSE"
            },
            replica = if has.replication {
                "coalesce(replication_status, '') = 'REPLICA'"
            } else {
                "FALSE"
            },
            table = self.name,
        )
    }

    /// A moment so many days before the list, as a literal.
    fn moment(&self, days: i64) -> String {
        let ms = self.listed_at.as_millisecond().saturating_sub(days * 86_400_000);
        let at = Timestamp::from_millisecond(ms).unwrap_or(self.listed_at);
        format!("TIMESTAMP '{}'", at.strftime("%Y-%m-%d %H:%M:%S.%3f"))
    }

    fn age_bin(&self) -> String {
        let mut out = "CASE".to_owned();
        for (bin, days) in AGE_BOUNDS.iter().enumerate() {
            // Younger than so many days: later than that moment.
            let _ = write!(out, " WHEN modified > {} THEN {bin}", self.moment(i64::from(*days)));
        }
        let _ = write!(out, " ELSE {} END", AGE_BOUNDS.len());
        out
    }
}

fn size_bin() -> String {
    let mut out = "CASE".to_owned();
    for (bin, bound) in SIZE_BOUNDS.iter().enumerate() {
        let _ = write!(out, " WHEN size < {bound} THEN {bin}");
    }
    let _ = write!(out, " ELSE {} END", SIZE_BOUNDS.len());
    out
}

/// `LIKE` would take `_` and `%` of a prefix for wildcards.
fn begins(key: &str, prefix: &str) -> String {
    format!("substr({key}, 1, {}) = {}", prefix.chars().count(), quoted(prefix))
}

/// A prefix as keys of CSV have it: all but letters, digits, `-._*/` escaped, a blank as `+`.
fn escaped(prefix: &str) -> String {
    let mut out = String::new();
    for b in prefix.bytes() {
        match b {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'*' | b'/' => {
                out.push(char::from(b));
            }
            b' ' => out.push('+'),
            _ => {
                let _ = write!(out, "%{b:02X}");
            }
        }
    }
    out
}
