//! Columns of a group of rows, put into batches.

use parquet::data_type::Int32Type;
use parquet::errors::ParquetError;

use super::batch::{Batch, Wrong};
use super::csv::{fill_cell, refused};
use super::decode::{self, Leaf, Meaning, Plain};
use super::error::BillFileError;
use super::fields::Target;
use super::fold::Fold;
use super::layout::Source;
use super::maps::{self, Entry, Putting};
use super::open::OpenFile;
use super::tags::MapKind;
use super::texts::SharedTexts;
use crate::domain::bill::Usd;

/// Number that was not looked up yet.
const UNKNOWN: u32 = u32::MAX;

/// A column of a group of rows.
pub(super) struct Column<'a> {
    /// What it is read for.
    pub source: &'a Source,
    /// How it is decoded.
    pub decoder: Decoder,
}

/// How a column is decoded.
pub(super) enum Decoder {
    /// Texts as numbers.
    Numbers(Leaf<Int32Type>, Target),
    /// One value per row.
    Plain(Plain, Target, Meaning),
    /// Texts that hold several entries.
    Cells(Plain, MapKind),
    /// A map.
    Map(Box<Map>),
}

/// A map of texts.
pub(super) struct Map {
    kind: MapKind,
    keys: Leaf<Int32Type>,
    values: Leaf<Int32Type>,
    key_texts: SharedTexts,
    value_texts: SharedTexts,
    /// What the entries fill, by the number of their key; the outer `None` is not looked up yet.
    entries: Vec<Option<Option<Entry>>>,
    /// Number among the texts of all files, by the number of the value.
    numbers: Vec<u32>,
}

impl Column<'_> {
    /// Reads the next `rows` rows.
    pub fn fill(&mut self, rows: usize) -> Result<(), ParquetError> {
        match &mut self.decoder {
            Decoder::Numbers(leaf, _) => leaf.fill(rows),
            Decoder::Plain(plain, ..) | Decoder::Cells(plain, _) => plain.fill(rows),
            Decoder::Map(map) => {
                map.keys.fill(rows)?;
                map.values.fill(rows)
            }
        }
    }

    /// Puts what was read into a batch.
    pub fn put(
        &mut self,
        open: &OpenFile<'_>,
        batch: &mut Batch,
        fold: &Fold<'_>,
    ) -> Result<(), BillFileError> {
        let (source, first) = (self.source, batch.first_line);
        let wrong = |row: usize, text: &[u8], wrong: Wrong| {
            refused(open, source, first + row as u64, text, wrong)
        };
        match &mut self.decoder {
            Decoder::Numbers(leaf, target) => leaf.each(|row, number| {
                batch.fill_number(row, *target, number.cast_unsigned());
                Ok(())
            }),
            Decoder::Plain(plain, target, meaning) => {
                fill_plain(plain, *target, *meaning, batch, fold, &wrong)
            }
            Decoder::Cells(Plain::Bytes(leaf), kind) => {
                let texts = fold.texts();
                let mut texts = texts.lock();
                leaf.each(|row, cell| {
                    let mut entry = |key: &[u8]| maps::entry(*kind, key, fold.tag_keys());
                    let mut number = |value: &[u8]| Ok(texts.number(value)?);
                    fill_cell(cell.data(), row, batch, &mut entry, &mut number)
                        .map_err(|e| wrong(row, cell.data(), e))
                })
            }
            Decoder::Cells(..) => Ok(()),
            Decoder::Map(map) => map.put(batch, fold).map_err(|e| wrong(0, b"", e)),
        }
    }
}

impl Map {
    /// Map of the entries that `keys` and `values` tell, as numbers of these texts.
    pub fn new(
        kind: MapKind,
        (keys, key_texts): (Leaf<Int32Type>, SharedTexts),
        (values, value_texts): (Leaf<Int32Type>, SharedTexts),
    ) -> Self {
        let (entries, numbers) = (vec![], vec![]);
        Self { kind, keys, values, key_texts, value_texts, entries, numbers }
    }

    fn put(&mut self, batch: &mut Batch, fold: &Fold<'_>) -> Result<(), Wrong> {
        let (texts, key_texts) = (fold.texts(), self.key_texts.lock());
        let value_texts = self.value_texts.lock();
        let mut texts = texts.lock();
        self.entries.resize(key_texts.len(), None);
        self.numbers.resize(value_texts.len(), UNKNOWN);
        let mut putting = Putting::default();
        let mut last = None;
        for ((row, key), (_, value)) in self.keys.entries().zip(self.values.entries()) {
            if last != Some(row) {
                putting.begin(row);
                last = Some(row);
            }
            let (Some(key), Some(value)) = (key, value) else { continue };
            let (key, value) = (key.cast_unsigned(), value.cast_unsigned());
            let Some(entry) = self.entries.get_mut(key as usize) else { continue };
            let look = || maps::entry(self.kind, key_texts.get(key), fold.tag_keys());
            let Some(entry) = *entry.get_or_insert_with(look) else { continue };
            let Some(number) = self.numbers.get_mut(value as usize) else { continue };
            if *number == UNKNOWN {
                *number = texts.number(value_texts.get(value))?;
            }
            putting.put(entry, *number, batch);
        }
        Ok(())
    }
}

/// Puts the values of a column of numbers, or of bytes that are no shared text.
fn fill_plain(
    plain: &Plain,
    target: Target,
    meaning: Meaning,
    batch: &mut Batch,
    fold: &Fold<'_>,
    wrong: &dyn Fn(usize, &[u8], Wrong) -> BillFileError,
) -> Result<(), BillFileError> {
    let texts = fold.texts();
    let mut texts = texts.lock();
    let mut bytes = |row, bytes: &[u8], batch: &mut Batch| match meaning {
        Meaning::Decimal(scale) => match (target, decode::decimal(bytes, scale)) {
            (_, None) => Err(wrong(row, b"", Wrong::Value("amount"))),
            (Target::Quantity, Some(amount)) => {
                batch.fill_quantity(row, amount.to_f64());
                Ok(())
            }
            (_, Some(amount)) => {
                batch.fill_amount(row, target, amount);
                Ok(())
            }
        },
        _ => batch.put(row, target, bytes, &mut texts).map_err(|e| wrong(row, bytes, e)),
    };
    let mut whole = |row: usize, whole: i64, batch: &mut Batch| match meaning {
        Meaning::Moment(per_ms) => {
            batch.fill_moment(row, target, decode::moment_ms(whole, per_ms));
            Ok(())
        }
        Meaning::Decimal(_) => bytes(row, &whole.to_be_bytes(), batch),
        // Accounts and amounts that other software took for numbers.
        _ => bytes(row, whole.to_string().as_bytes(), batch),
    };
    let double = |row: usize, number: f64, batch: &mut Batch| {
        // What is no number at all is a null of other software.
        if number.is_nan() {
            return Ok(());
        }
        if target == Target::Quantity {
            batch.fill_quantity(row, number);
            return Ok(());
        }
        let amount = Usd::from_f64(number);
        let refused = || wrong(row, number.to_string().as_bytes(), Wrong::Value("amount"));
        batch.fill_amount(row, target, amount.ok_or_else(refused)?);
        Ok(())
    };
    match plain {
        Plain::Int32(leaf) => leaf.each(|row, value| whole(row, i64::from(*value), batch)),
        Plain::Int64(leaf) => leaf.each(|row, value| whole(row, *value, batch)),
        Plain::Bytes(leaf) => leaf.each(|row, value| bytes(row, value.data(), batch)),
        Plain::Fixed(leaf) => leaf.each(|row, value| bytes(row, value.data(), batch)),
        Plain::Double(leaf) => leaf.each(|row, value| double(row, *value, batch)),
        // Its shortest decimal is not that of the longer number.
        Plain::Float(leaf) => leaf
            .each(|row, value| double(row, value.to_string().parse().unwrap_or(f64::NAN), batch)),
        Plain::Int96(leaf) => leaf.each(|row, value| {
            batch.fill_moment(row, target, decode::int96_ms(value));
            Ok(())
        }),
    }
}
