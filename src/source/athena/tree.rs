//! Rows of [`sums`](super::sql::Table::sums) become the tree that the local fold makes.

use std::collections::BTreeMap;

use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::TimeZone;

use super::service::Row;
use super::sql::Layout;
use crate::domain::storage::sums::{AGE_BINS, SIZE_BINS, SMALL_OBJECT, size_bin};
use crate::domain::storage::tree::{NodeKind, TreeBuilder};
use crate::domain::storage::{NodeId, PrefixTree, StorageClass, Sums, Tier};

/// Error: a result row has another form than the query asks for.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("row {row} of the result has no {column}: {value:?}")]
pub struct BadRow {
    /// Number of the row, from 1.
    pub row: usize,
    /// Name of the column.
    pub column: &'static str,
    /// Value of the column; `None` for NULL or a missing column.
    pub value: Option<String>,
}

/// Prefix tree of all rows, one node per prefix down to the requested levels. Err for a row with a missing or malformed
/// value.
pub fn tree(rows: &[Row], layout: Layout) -> Result<PrefixTree, BadRow> {
    let mut own: BTreeMap<Vec<u8>, Sums> = BTreeMap::new();
    for (i, row) in rows.iter().enumerate() {
        let read = Reader { row: i + 1, cells: row };
        let mut prefix = read.text(0, "prefix")?.into_bytes();
        if layout == Layout::Csv {
            prefix = unescaped(&prefix);
        }
        own.entry(prefix).or_default().add(&read.sums()?);
    }
    Ok(build(&own))
}

/// Adds up what lies above, and lays children side by side, most bytes first.
fn build(own: &BTreeMap<Vec<u8>, Sums>) -> PrefixTree {
    let mut totals: BTreeMap<&[u8], Sums> = BTreeMap::new();
    totals.insert(b"", Sums::default());
    for (prefix, sums) in own {
        totals.entry(b"").or_default().add(sums);
        for slash in memchr::memchr_iter(b'/', prefix) {
            totals.entry(&prefix[..=slash]).or_default().add(sums);
        }
    }
    let mut children: BTreeMap<&[u8], Vec<&[u8]>> = BTreeMap::new();
    for prefix in totals.keys().filter(|p| !p.is_empty()) {
        let above = memchr::memrchr(b'/', &prefix[..prefix.len() - 1]).map_or(0, |i| i + 1);
        children.entry(&prefix[..above]).or_default().push(prefix);
    }
    let bytes = |p: &&[u8]| totals.get(p).map_or(0, Sums::all_bytes);
    children.values_mut().for_each(|c| c.sort_by_key(|p| (std::cmp::Reverse(bytes(p)), *p)));
    let root = totals.get(&b""[..]).cloned().unwrap_or_default();
    let mut builder = TreeBuilder::new(&root);
    let mut level: Vec<(NodeId, &[u8])> = vec![(PrefixTree::ROOT, b"")];
    while !level.is_empty() {
        let mut next = Vec::new();
        for (parent, prefix) in level {
            for child in children.get(prefix).into_iter().flatten() {
                let Some(sums) = totals.get(child) else { continue };
                let name = &child[prefix.len()..];
                let id = builder.child(parent, name, NodeKind::Prefix, sums);
                next.extend(id.map(|id| (id, *child)));
            }
        }
        level = next;
    }
    builder.finish()
}

struct Reader<'a> {
    row: usize,
    cells: &'a Row,
}

impl Reader<'_> {
    fn bad(&self, i: usize, column: &'static str) -> BadRow {
        BadRow { row: self.row, column, value: self.cells.get(i).cloned().flatten() }
    }

    fn text(&self, i: usize, column: &'static str) -> Result<String, BadRow> {
        self.cells.get(i).cloned().flatten().ok_or_else(|| self.bad(i, column))
    }

    fn number<N: std::str::FromStr>(&self, i: usize, column: &'static str) -> Result<N, BadRow> {
        self.text(i, column)?.parse().map_err(|_| self.bad(i, column))
    }

    /// A moment, ms since 1970; `None` for NULL.
    fn moment(&self, i: usize, column: &'static str) -> Result<Option<i64>, BadRow> {
        let Some(text) = self.cells.get(i).and_then(Option::as_deref) else { return Ok(None) };
        let ms = moment(text).ok_or_else(|| self.bad(i, column))?;
        Ok(Some(ms))
    }

    fn sums(&self) -> Result<Sums, BadRow> {
        let mut sums = Sums::default();
        let objects: u64 = self.number(8, "objects")?;
        let bytes: u64 = self.number(9, "bytes")?;
        if self.number::<u8>(5, "bad")? > 0 {
            sums.malformed = objects;
        }
        if self.number::<u8>(4, "marker")? > 0 {
            sums.delete_markers = objects;
            return Ok(sums);
        }
        let class = self.text(1, "class")?;
        let tier = Tier::of_object(&class, &self.text(2, "access_tier")?);
        let t = tier.index();
        sums.objects[t] = objects;
        sums.bytes[t] = bytes;
        let bin: usize = self.number(6, "size_bin")?;
        if bin >= SIZE_BINS {
            return Err(self.bad(6, "size_bin"));
        }
        sums.size_objects[bin] = objects;
        sums.size_bytes[bin] = bytes;
        // The smallest billed size is a bound of the bins.
        if bin < size_bin(SMALL_OBJECT) {
            sums.padding[t] = (objects * SMALL_OBJECT).saturating_sub(bytes);
        } else if tier.class() == Some(StorageClass::IntelligentTiering) {
            sums.monitored = objects;
        }
        if self.number::<u8>(3, "noncurrent")? > 0 {
            sums.noncurrent_objects = objects;
            sums.noncurrent_bytes = bytes;
        }
        let age: i64 = self.number(7, "age_bin")?;
        if let Ok(age) = usize::try_from(age) {
            if age >= AGE_BINS {
                return Err(self.bad(7, "age_bin"));
            }
            sums.age_bytes[age] = bytes;
        }
        if let Some(ms) = self.moment(10, "newest")? {
            sums.newest_ms = ms;
        }
        if let Some(ms) = self.moment(11, "oldest")? {
            sums.oldest_ms = ms;
        }
        Ok(sums)
    }
}

/// `2026-11-20 01:00:00.000`, as Trino and `DuckDB` write it, in UTC.
fn moment(text: &str) -> Option<i64> {
    let text = text.trim_end_matches("+00").trim_end_matches(" UTC");
    let at: DateTime = text.parse().ok()?;
    let at: Timestamp = at.to_zoned(TimeZone::UTC).ok()?.timestamp();
    Some(at.as_millisecond())
}

/// Undoes the URL encoding of keys in CSV: `+` is a blank. What is no escape stays as it is.
fn unescaped(text: &[u8]) -> Vec<u8> {
    let blanks: Vec<u8> = text.iter().map(|b| if *b == b'+' { b' ' } else { *b }).collect();
    percent_encoding::percent_decode(&blanks).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(cells: [&str; 12]) -> Row {
        cells.map(|c| (c != "NULL").then(|| c.to_owned())).into()
    }

    const DAY: &str = "2026-11-20 01:00:00.000";

    #[test]
    fn rows_become_the_sums_that_counting_objects_gives() {
        let rows = [
            row([
                "a/b/",
                "STANDARD",
                "",
                "0",
                "0",
                "0",
                "0",
                "2",
                "3",
                "300",
                DAY,
                "2026-11-10 01:00:00+00",
            ]),
            row([
                "a/c+d%2B/",
                "INTELLIGENT_TIERING",
                "INFREQUENT",
                "0",
                "0",
                "0",
                "5",
                "0",
                "2",
                "1000000",
                DAY,
                DAY,
            ]),
            row([
                "a/",
                "STANDARD_IA",
                "",
                "1",
                "0",
                "0",
                "3",
                "9",
                "1",
                "100000",
                "2020-01-01 00:00:00",
                "2020-01-01 00:00:00",
            ]),
            row(["", "", "", "0", "0", "1", "0", "-1", "1", "0", "NULL", "NULL"]),
            row(["", "STANDARD", "", "0", "1", "0", "0", "0", "4", "0", DAY, DAY]),
        ];
        let tree = tree(&rows, Layout::Csv).unwrap();
        let root = tree.sums(PrefixTree::ROOT);
        assert_eq!((root.all_objects(), root.all_bytes()), (7, 1_100_300));
        assert_eq!((root.delete_markers, root.malformed, root.noncurrent_bytes), (4, 1, 100_000));
        assert_eq!(root.padding[Tier::Standard.index()], 4 * SMALL_OBJECT - 300);
        assert_eq!(root.padding[Tier::StandardIa.index()], SMALL_OBJECT - 100_000);
        assert_eq!((root.monitored, root.bytes[Tier::ItInfrequent.index()]), (2, 1_000_000));
        assert_eq!(root.age_bytes.iter().sum::<u64>(), 1_100_300);
        assert_eq!(root.newest_ms, 1_795_136_400_000);
        let a = tree.children(PrefixTree::ROOT).next().unwrap();
        let names: Vec<_> = tree.children(a).map(|c| tree.name(c).to_vec()).collect();
        assert_eq!(names, [&b"c d+/"[..], b"b/"]);
        assert_eq!(tree.sums(a).all_objects(), 6);
    }

    #[test]
    fn what_is_no_row_is_refused() {
        let good = ["a/", "STANDARD", "", "0", "0", "0", "0", "0", "1", "1", DAY, DAY];
        for (i, bad) in [(0, "NULL"), (6, "12"), (7, "10"), (8, "-1"), (9, "x"), (10, "yesterday")]
        {
            let mut cells = good;
            cells[i] = bad;
            assert!(tree(&[row(cells)], Layout::Parquet).is_err(), "{i}");
        }
        assert!(tree(&[vec![]], Layout::Parquet).is_err());
        assert!(tree(&[], Layout::Parquet).unwrap().len() == 1);
    }
}
