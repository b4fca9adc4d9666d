//! Rows of a Parquet file become batches. Only the columns that are needed are decoded: shared texts as numbers, each
//! entry of a dictionary once.

use std::fs::File;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use parquet::basic::Type as Physical;
use parquet::errors::ParquetError;
use parquet::file::metadata::ParquetMetaData;
use parquet::file::reader::{FileReader, RowGroupReader, SerializedFileReader};

use super::batch::BATCH;
use super::columns::{Column, Decoder, Map};
use super::csv::all_targets;
use super::decode::{self, Leaf, Meaning, Plain};
use super::error::BillFileError;
use super::fields::Target;
use super::fold::Fold;
use super::layout::{Layout, Source, Use};
use super::open::{OpenFile, Teller};
use super::tags::MapKind;
use super::texts::{Presence, SharedTexts};
use crate::domain::text::clean;
use crate::source::parquet_pages::{
    Alive, Beyond, Limits, Pages, Shape, check_columns, check_footer, check_rows, said,
};

/// Bills have some hundred columns, more with many tags. Rows of one month repeat each other, and take a fraction of a
/// byte in a column, but not in all of them.
const LIMITS: Limits =
    Limits { columns: 4_096, elements: 1_000_000, rows: (1_000_000, 16), alive: 192 << 20 };

/// Why reading ends: at the file, or at what is in it.
enum Trouble {
    Parquet(ParquetError),
    Bill(BillFileError),
}

impl From<ParquetError> for Trouble {
    fn from(error: ParquetError) -> Self {
        Self::Parquet(error)
    }
}

impl From<BillFileError> for Trouble {
    fn from(error: BillFileError) -> Self {
        Self::Bill(error)
    }
}

/// Reads a Parquet file into `fold`.
pub(super) fn read(
    open: &OpenFile<'_>,
    fold: &mut Fold<'_>,
    teller: &mut Teller<'_>,
) -> Result<(), BillFileError> {
    // The decoder panics at some damaged pages.
    let read = catch_unwind(AssertUnwindSafe(|| groups(open, fold, teller)));
    match read {
        Ok(Ok(())) => Ok(()),
        Ok(Err(Trouble::Bill(error))) => Err(error),
        Ok(Err(Trouble::Parquet(ParquetError::External(inner)))) if inner.is::<Beyond>() => {
            Err(open.beyond(clean(&inner.to_string())))
        }
        Ok(Err(Trouble::Parquet(error))) => Err(open.damaged(clean(&said(&error)))),
        Err(_) => Err(open.damaged("the decoder gave up on it")),
    }
}

fn groups(
    open: &OpenFile<'_>,
    fold: &mut Fold<'_>,
    teller: &mut Teller<'_>,
) -> Result<(), Trouble> {
    check_footer(&open.file, open.bytes, &LIMITS)?;
    let pages = open.file.try_clone().map_err(ParquetError::from)?;
    let reader = SerializedFileReader::new(open.file.try_clone().map_err(ParquetError::from)?)?;
    let meta = reader.metadata();
    check_rows(meta, open.bytes, &LIMITS)?;
    check_columns(meta)?;
    let names = root_names(meta);
    let layout = fold.layout(open, &names)?;
    let leaves = leaves(meta, names.len());
    let targets = all_targets(&layout, fold.tags());
    let mut batch = fold.batch();
    let total = meta.file_metadata().num_rows().max(1).unsigned_abs();
    let file = FileOf { open, layout: &layout, leaves: &leaves, pages: Arc::new(pages) };
    let mut done = 0_u64;
    for group in 0..meta.num_row_groups() {
        let group = reader.get_row_group(group)?;
        let (mut columns, alive) = file.columns(&*group, fold)?;
        let mut left = usize::try_from(group.metadata().num_rows()).unwrap_or(0);
        while left > 0 {
            let rows = left.min(BATCH);
            batch.begin(rows, targets.iter().copied());
            batch.first_line = done + 1;
            alive.begin();
            for column in &mut columns {
                column.fill(rows)?;
                column.put(open, &mut batch, fold)?;
            }
            fold.add(open, &layout, &batch)?;
            left -= rows;
            done += rows as u64;
            // As if each row took the same room.
            let bytes = u128::from(open.bytes) * u128::from(done) / u128::from(total);
            teller.tell(rows, bytes as u64)?;
        }
    }
    Ok(())
}

/// Names of the columns, nested ones as one.
fn root_names(meta: &ParquetMetaData) -> Vec<String> {
    let fields = meta.file_metadata().schema_descr().root_schema().get_fields();
    fields.iter().map(|field| field.name().to_owned()).collect()
}

/// Leaves of each column.
fn leaves(meta: &ParquetMetaData, columns: usize) -> Vec<Vec<usize>> {
    let descr = meta.file_metadata().schema_descr();
    let mut leaves = vec![vec![]; columns];
    for leaf in 0..descr.num_columns() {
        if let Some(column) = leaves.get_mut(descr.get_column_root_idx(leaf)) {
            column.push(leaf);
        }
    }
    leaves
}

struct FileOf<'a> {
    open: &'a OpenFile<'a>,
    layout: &'a Layout,
    /// Leaves of each column.
    leaves: &'a [Vec<usize>],
    pages: Arc<File>,
}

impl<'a> FileOf<'a> {
    /// The needed columns of a group of rows.
    fn columns(
        &self,
        group: &dyn RowGroupReader,
        fold: &Fold<'_>,
    ) -> Result<(Vec<Column<'a>>, Arc<Alive>), Trouble> {
        let count = group.metadata().num_columns();
        let alive = Arc::new(Alive::new(count, &LIMITS));
        let mut columns = vec![];
        for source in &self.layout.sources {
            let leaves = self.leaves.get(source.column).map_or(&[][..], |leaves| leaves);
            let decoder = match (source.r#use, leaves) {
                (_, leaves) if leaves.iter().any(|leaf| *leaf >= count) => {
                    let words = "a group of rows has other columns than the file";
                    return Err(ParquetError::General(words.into()).into());
                }
                (Use::Value(target), [leaf]) => {
                    self.value(group, source, target, *leaf, &alive, fold)?
                }
                (Use::Map(kind), [leaf]) => {
                    let described = group.metadata().column(*leaf).column_descr_ptr();
                    let pages = self.pages(group, source, *leaf, &alive)?;
                    let is_text = decode::meaning(&described) == Meaning::Text
                        && described.max_rep_level() == 0;
                    match Plain::new(pages, &described).filter(|_| is_text) {
                        Some(plain) => Some(Decoder::Cells(plain, kind)),
                        // A column without any value is of some type.
                        None if decode::meaning(&described) == Meaning::Null => None,
                        None => return Err(self.odd(source, "no map", "a map of texts").into()),
                    }
                }
                (Use::Map(kind), [keys, values]) => {
                    Some(self.map(group, source, kind, [*keys, *values], &alive)?)
                }
                _ => return Err(self.odd(source, "nested", "one value per row").into()),
            };
            columns.extend(decoder.map(|decoder| Column { source, decoder }));
        }
        Ok((columns, alive))
    }

    fn odd(&self, source: &Source, found: &str, wanted: &'static str) -> BillFileError {
        let (file, column) = (self.open.name(), source.name.clone());
        BillFileError::Type { file, column, found: found.into(), wanted }
    }

    fn pages(
        &self,
        group: &dyn RowGroupReader,
        source: &Source,
        leaf: usize,
        alive: &Arc<Alive>,
    ) -> Result<Pages, Trouble> {
        let inner = group.get_column_page_reader(leaf)?;
        let meta = group.metadata().column(leaf);
        let named = (source.name.clone(), leaf);
        Ok(Pages::new(inner, self.pages.clone(), meta, named, alive.clone()))
    }

    fn value(
        &self,
        group: &dyn RowGroupReader,
        source: &Source,
        target: Target,
        leaf: usize,
        alive: &Arc<Alive>,
        fold: &Fold<'_>,
    ) -> Result<Option<Decoder>, Trouble> {
        let described = group.metadata().column(leaf).column_descr_ptr();
        let (meaning, physical) = (decode::meaning(&described), described.physical_type());
        let wanted = if described.max_rep_level() > 0 {
            Some("one value per row")
        } else {
            decode::wanted(target, meaning, physical)
        };
        if let Some(wanted) = wanted {
            let found = format!("{physical}").to_lowercase();
            return Err(self.odd(source, &found, wanted).into());
        }
        if meaning == Meaning::Null {
            return Ok(None);
        }
        let pages = self.pages(group, source, leaf, alive)?;
        let shape = Shape::of(&described);
        let is_text = physical == Physical::BYTE_ARRAY && meaning == Meaning::Text;
        Ok(match target {
            Target::Text(_) | Target::Tag(_) if is_text => {
                Some(Decoder::Numbers(Leaf::numbered(pages, fold.texts(), shape)?, target))
            }
            Target::SplitParent if is_text => {
                Some(Decoder::Numbers(Leaf::numbered(pages, Presence, shape)?, target))
            }
            _ => Plain::new(pages, &described).map(|p| Decoder::Plain(p, target, meaning)),
        })
    }

    fn map(
        &self,
        group: &dyn RowGroupReader,
        source: &Source,
        kind: MapKind,
        leaves: [usize; 2],
        alive: &Arc<Alive>,
    ) -> Result<Decoder, Trouble> {
        let texts = [SharedTexts::default(), SharedTexts::default()];
        let mut opened = vec![];
        for (leaf, texts) in leaves.into_iter().zip(&texts) {
            let described = group.metadata().column(leaf).column_descr_ptr();
            if decode::meaning(&described) != Meaning::Text || described.max_rep_level() != 1 {
                return Err(self.odd(source, "nested otherwise", "a map of texts").into());
            }
            let pages = self.pages(group, source, leaf, alive)?;
            opened.push(Leaf::numbered(pages, texts.clone(), Shape::of(&described))?);
        }
        let [key_texts, value_texts] = texts;
        let (Some(values), Some(keys)) = (opened.pop(), opened.pop()) else {
            return Err(self.odd(source, "no map", "a map of texts").into());
        };
        let map = Map::new(kind, (keys, key_texts), (values, value_texts));
        Ok(Decoder::Map(Box::new(map)))
    }
}
