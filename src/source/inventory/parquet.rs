//! Pieces in Parquet. Only the columns that are needed are decoded, by the column readers and not
//! as Arrow text: a key is bytes, and one that is no UTF-8 must not stop a list.

use std::fs::File;
use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::Arc;

use parquet::column::reader::{ColumnReader, ColumnReaderImpl, get_column_reader};
use parquet::data_type::{
    BoolType, ByteArray, ByteArrayType, DataType, Int32Type, Int64Type, Int96, Int96Type,
};
use parquet::file::reader::{FileReader, RowGroupReader, SerializedFileReader};

use super::rows::{BATCH, KEY_AT_MOST, Making, Values, time_ms};
use super::schema::{Column, Kind, Schema, leaf};
use super::words::{Tiers, Words};
use crate::domain::storage::ObjectBatch;
use crate::source::objects::{Need, Sink};
use crate::source::parquet_pages::{
    Alive, Beyond, Limits, Numbered, Pages, Shape, check_columns, check_footer, check_rows, said,
};

/// An inventory has eighteen columns, and 1,000 groups of rows at most. Keys differ, and take more than a fourth of a
/// byte however they are packed.
const LIMITS: Limits =
    Limits { columns: 256, elements: 200_000, rows: (100_000, 4), alive: 128 << 20 };

/// Why a piece cannot be read.
pub(super) enum Trouble {
    /// The file's schema differs from the manifest.
    Schema(String),
    /// The file cannot be decoded.
    Damaged(String),
    /// The file exceeds a limit.
    Beyond(String),
}

impl From<parquet::errors::ParquetError> for Trouble {
    fn from(error: parquet::errors::ParquetError) -> Self {
        match error {
            parquet::errors::ParquetError::External(inner) if inner.is::<Beyond>() => {
                Self::Beyond(inner.to_string())
            }
            error => Self::Damaged(said(&error)),
        }
    }
}

/// Reads a piece of `bytes` bytes into `sink`. Err when it is damaged, has another schema, or exceeds a limit.
pub(super) fn read(
    path: &Path,
    bytes: u64,
    schema: &Schema,
    making: &Making,
    sink: &mut Sink<'_>,
) -> Result<(), Trouble> {
    let file = crate::files::named(path).map_err(|e| Trouble::Damaged(crate::files::reason(&e)))?;
    check_footer(&file, bytes, &LIMITS)?;
    let pages = Arc::new(file.try_clone().map_err(|e| Trouble::Damaged(crate::files::reason(&e)))?);
    let reader = SerializedFileReader::new(file)?;
    let meta = reader.metadata();
    check_rows(meta, bytes, &LIMITS)?;
    let descr = meta.file_metadata().schema_descr_ptr();
    let mut leaves = [None; Column::ALL.len()];
    for column in Column::ALL {
        let Some(place) = schema.place(column) else { continue };
        // All that the manifest names is checked, also what is not needed this time.
        let found = leaf(&descr, &schema.names[place], column).map_err(Trouble::Schema)?;
        leaves[column as usize] = is_needed(column, making.need).then_some(found);
    }
    check_columns(meta)?;
    let total = meta.file_metadata().num_rows().max(1) as u64;
    let mut batch = ObjectBatch::default();
    let (mut done, mut told) = (0u64, 0);
    for group in 0..meta.num_row_groups() {
        let group = reader.get_row_group(group)?;
        let mut columns = Columns::open(&*group, &leaves, &pages)?;
        let mut left = usize::try_from(group.metadata().num_rows()).unwrap_or(0);
        while left > 0 {
            let rows = left.min(BATCH);
            columns.fill(rows)?;
            columns.push(rows, making, &mut batch)?;
            left -= rows;
            done += rows as u64;
            // As if each row took the same room.
            let now = (u128::from(bytes) * u128::from(done) / u128::from(total)) as u64;
            let flow = sink(&batch, now.saturating_sub(told));
            told = now;
            batch.clear();
            if flow == ControlFlow::Break(()) {
                return Ok(());
            }
        }
    }
    Ok(())
}

/// Runs the decoder and turns a panic on malformed data into [`Trouble::Damaged`]. Err like `read`.
pub(super) fn guarded(read: impl FnOnce() -> Result<(), Trouble>) -> Result<(), Trouble> {
    catch_unwind(AssertUnwindSafe(read))
        .unwrap_or_else(|_| Err(Trouble::Damaged("the decoder gave up on it".into())))
}

fn is_needed(column: Column, need: Need) -> bool {
    if need.totals_only {
        return matches!(column, Column::Size | Column::StorageClass | Column::AccessTier);
    }
    match column {
        Column::Key
        | Column::Size
        | Column::LastModified
        | Column::StorageClass
        | Column::AccessTier
        | Column::IsLatest
        | Column::IsDeleteMarker => true,
        Column::Etag | Column::IsMultipart | Column::Encryption => need.etags,
        Column::VersionId => need.versions,
        Column::Replication | Column::LockUntil | Column::LegalHold => need.holds,
    }
}

/// A column of a row group, a batch of it at a time.
struct Leaf<T: DataType> {
    reader: ColumnReaderImpl<T>,
    /// Values that are there, without the nulls.
    values: Vec<T::T>,
    /// Which are there; empty for a column that is required.
    present: Vec<i16>,
    optional: bool,
    /// Next value, next row.
    at: (usize, usize),
}

impl<T: DataType> Leaf<T> {
    fn new(reader: ColumnReaderImpl<T>, optional: bool) -> Self {
        Self { reader, values: vec![], present: vec![], optional, at: (0, 0) }
    }

    fn fill(&mut self, rows: usize) -> Result<(), Trouble> {
        self.values.clear();
        self.present.clear();
        self.at = (0, 0);
        let mut read = 0;
        while read < rows {
            let present = self.optional.then_some(&mut self.present);
            let (more, ..) =
                self.reader.read_records(rows - read, present, None, &mut self.values)?;
            if more == 0 {
                return Err(Trouble::Damaged("a column has fewer rows than the file says".into()));
            }
            read += more;
        }
        Ok(())
    }

    /// The value of the next row.
    fn next(&mut self) -> Option<&T::T> {
        let (value, row) = self.at;
        self.at.1 += 1;
        if self.optional && self.present.get(row) != Some(&1) {
            return None;
        }
        self.at.0 += 1;
        self.values.get(value)
    }
}

/// A column of any type; `Absent` when the list has none or nobody needs it.
enum Any {
    Absent,
    Text(Leaf<ByteArrayType>),
    /// A column of few words, by their numbers.
    Word(Leaf<Int32Type>, Words),
    Bool(Leaf<BoolType>),
    Int(Leaf<Int64Type>),
    Time(Leaf<Int64Type>, i64),
    Int96(Leaf<Int96Type>),
}

impl Any {
    fn fill(&mut self, rows: usize) -> Result<(), Trouble> {
        match self {
            Self::Absent => Ok(()),
            Self::Text(leaf) => leaf.fill(rows),
            Self::Word(leaf, _) => leaf.fill(rows),
            Self::Bool(leaf) => leaf.fill(rows),
            Self::Int(leaf) | Self::Time(leaf, _) => leaf.fill(rows),
            Self::Int96(leaf) => leaf.fill(rows),
        }
    }

    fn text(&mut self) -> &[u8] {
        match self {
            Self::Text(leaf) => leaf.next().map_or(&[], ByteArray::data),
            Self::Word(leaf, words) => {
                let number = leaf.next().map_or(0, |number| *number as usize);
                words.word(number).as_bytes()
            }
            _ => &[],
        }
    }

    /// The number of the next row's word.
    #[inline]
    fn word(&mut self) -> usize {
        match self {
            Self::Word(leaf, _) => leaf.next().map_or(0, |number| *number as usize),
            _ => 0,
        }
    }

    fn truth(&mut self) -> Option<bool> {
        match self {
            Self::Bool(leaf) => leaf.next().copied(),
            _ => None,
        }
    }

    fn number(&mut self) -> Option<i64> {
        match self {
            Self::Int(leaf) => leaf.next().copied(),
            _ => None,
        }
    }

    fn time(&mut self) -> Option<i64> {
        match self {
            // Towards the past, as a clock that cuts off does.
            Self::Time(leaf, 1_000_000) => leaf.next().copied(),
            Self::Time(leaf, nanos) => leaf.next().map(|t| t.div_euclid(1_000_000 / *nanos)),
            Self::Int96(leaf) => leaf.next().map(Int96::to_millis),
            Self::Text(leaf) => leaf.next().and_then(|t| time_ms(t.data())),
            _ => None,
        }
    }
}

/// The needed columns of a row group, by [`Column`].
struct Columns {
    all: Vec<Any>,
    tiers: Tiers,
    alive: Arc<Alive>,
}

impl Columns {
    fn open(
        group: &dyn RowGroupReader,
        leaves: &[Option<(usize, Kind)>; Column::ALL.len()],
        file: &Arc<File>,
    ) -> Result<Self, Trouble> {
        let mut all = Vec::with_capacity(leaves.len());
        let alive = Arc::new(Alive::new(leaves.len(), &LIMITS));
        for (leaf, column) in leaves.iter().zip(Column::ALL) {
            let Some((i, kind)) = leaf else {
                all.push(Any::Absent);
                continue;
            };
            let meta = group.metadata().column(*i);
            let optional = meta.column_descr().max_def_level() > 0;
            let inner = group.get_column_page_reader(*i)?;
            let named = (format!("{column:?}"), column as usize);
            let pages = Pages::new(inner, file.clone(), meta, named, alive.clone());
            if let (Kind::Text, Some(words)) = (kind, Words::of(column)) {
                let shape = Shape::of(meta.column_descr());
                let numbers = Numbered::new(pages, words.clone(), shape);
                let reader = ColumnReaderImpl::new(shape.described()?, Box::new(numbers));
                all.push(Any::Word(Leaf::new(reader, optional), words));
                continue;
            }
            let reader = get_column_reader(meta.column_descr_ptr(), Box::new(pages));
            let any = match (reader, kind) {
                (ColumnReader::ByteArrayColumnReader(r), Kind::Text) => {
                    Any::Text(Leaf::new(r, optional))
                }
                (ColumnReader::BoolColumnReader(r), Kind::Bool) => {
                    Any::Bool(Leaf::new(r, optional))
                }
                (ColumnReader::Int64ColumnReader(r), Kind::Int) => Any::Int(Leaf::new(r, optional)),
                (ColumnReader::Int64ColumnReader(r), Kind::Time(unit)) => {
                    Any::Time(Leaf::new(r, optional), *unit)
                }
                (ColumnReader::Int96ColumnReader(r), Kind::Int96) => {
                    Any::Int96(Leaf::new(r, optional))
                }
                _ => return Err(Trouble::Schema("a row group has other types".into())),
            };
            all.push(any);
        }
        Ok(Self { all, tiers: Tiers::new(), alive })
    }

    fn fill(&mut self, rows: usize) -> Result<(), Trouble> {
        self.alive.begin();
        self.all.iter_mut().try_for_each(|column| column.fill(rows))
    }

    fn push(
        &mut self,
        rows: usize,
        making: &Making,
        batch: &mut ObjectBatch,
    ) -> Result<(), Trouble> {
        let [
            key,
            version,
            is_latest,
            is_marker,
            size,
            modified,
            etag,
            class,
            is_multipart,
            replication,
            encryption,
            lock_until,
            legal_hold,
            access_tier,
        ] = self.all.as_mut_slice()
        else {
            return Ok(());
        };
        if making.need.totals_only {
            let sizes = (0..rows).map(|_| size.number());
            let tiers = &self.tiers;
            making.push_totals(batch, sizes, || tiers.of(class.word(), access_tier.word()));
            return Ok(());
        }
        for _ in 0..rows {
            let name = key.text();
            if name.len() > KEY_AT_MOST {
                return Err(Trouble::Damaged(format!("a key of {} bytes", name.len())));
            }
            let wanted = making.wants(name);
            if wanted {
                batch.keys.push(name);
            }
            let values = Values {
                size: size.number(),
                modified_ms: modified.time(),
                is_latest: is_latest.truth(),
                is_marker: is_marker.truth(),
                is_multipart: is_multipart.truth(),
                etag: etag.text(),
                encryption: encryption.text(),
                replication: replication.text(),
                lock_until_ms: lock_until.time(),
                legal_hold: legal_hold.text(),
                version: version.text(),
            };
            values.check().map_err(Trouble::Beyond)?;
            let tier = self.tiers.of(class.word(), access_tier.word());
            if wanted {
                making.push(batch, tier, &values);
            }
        }
        Ok(())
    }
}
