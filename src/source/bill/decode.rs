//! Columns of a group of rows, decoded some thousand rows at a time.

use parquet::basic::{ConvertedType, LogicalType, TimeUnit, Type as Physical};
use parquet::column::page::PageReader;
use parquet::column::reader::get_column_reader;
use parquet::column::reader::{ColumnReaderImpl, get_typed_column_reader};
use parquet::data_type::{
    ByteArrayType, DataType, DoubleType, FixedLenByteArrayType, FloatType, Int32Type, Int64Type,
    Int96, Int96Type,
};
use parquet::errors::{ParquetError, Result};
use parquet::schema::types::ColumnDescPtr;

use super::fields::Target;
use super::time::DAY_MS;
use crate::domain::bill::Usd;
use crate::source::parquet_pages::{Numbered, Numbering, Shape};

/// Values of a column, without nulls, and which rows have them.
pub(super) struct Leaf<T: DataType> {
    reader: ColumnReaderImpl<T>,
    shape: Shape,
    values: Vec<T::T>,
    definitions: Vec<i16>,
    repetitions: Vec<i16>,
}

impl Leaf<Int32Type> {
    /// A column of texts, read as the numbers that `numbering` gives them.
    pub fn numbered(
        pages: impl PageReader + 'static,
        numbering: impl Numbering,
        shape: Shape,
    ) -> Result<Self> {
        let pages = Numbered::new(pages, numbering, shape);
        Ok(Self::of(ColumnReaderImpl::new(shape.described()?, Box::new(pages)), shape))
    }
}

impl<T: DataType> Leaf<T> {
    fn of(reader: ColumnReaderImpl<T>, shape: Shape) -> Self {
        Self { reader, shape, values: vec![], definitions: vec![], repetitions: vec![] }
    }

    /// A column of its own type.
    fn new(pages: impl PageReader + 'static, described: &ColumnDescPtr) -> Self {
        let shape = Shape::of(described);
        let reader = get_column_reader(described.clone(), Box::new(pages));
        Self::of(get_typed_column_reader(reader), shape)
    }

    /// Reads the next `rows` rows. Err when there are fewer, and for damaged pages.
    pub fn fill(&mut self, rows: usize) -> Result<()> {
        self.values.clear();
        self.definitions.clear();
        self.repetitions.clear();
        let mut read = 0;
        while read < rows {
            let definitions = (self.shape.definition > 0).then_some(&mut self.definitions);
            let repetitions = (self.shape.repetition > 0).then_some(&mut self.repetitions);
            let (more, ..) = self.reader.read_records(
                rows - read,
                definitions,
                repetitions,
                &mut self.values,
            )?;
            if more == 0 {
                let words = "a column has fewer rows than the file says";
                return Err(ParquetError::General(words.into()));
            }
            read += more;
        }
        Ok(())
    }

    /// Calls `each` with the row and value of all values; of a column without repetitions.
    pub fn each<E>(
        &self,
        mut each: impl FnMut(usize, &T::T) -> std::result::Result<(), E>,
    ) -> std::result::Result<(), E> {
        if self.shape.definition == 0 {
            return self.values.iter().enumerate().try_for_each(|(row, value)| each(row, value));
        }
        let there = self.definitions.iter().enumerate();
        let there = there.filter(|(_, level)| **level == self.shape.definition);
        there.zip(&self.values).try_for_each(|((row, _), value)| each(row, value))
    }

    /// Entries of a column that repeats: the row of each, and its value or null.
    pub fn entries(&self) -> impl Iterator<Item = (usize, Option<&T::T>)> {
        let mut values = self.values.iter();
        let mut rows = 0;
        self.definitions.iter().zip(&self.repetitions).map(move |(definition, repetition)| {
            rows += usize::from(*repetition == 0);
            let is_there = *definition == self.shape.definition;
            (rows.saturating_sub(1), if is_there { values.next() } else { None })
        })
    }
}

/// A column of numbers or bytes that are no shared text.
pub(super) enum Plain {
    /// Texts, and decimals of any length.
    Bytes(Leaf<ByteArrayType>),
    /// Decimals of one length.
    Fixed(Leaf<FixedLenByteArrayType>),
    /// Binary numbers.
    Double(Leaf<DoubleType>),
    /// Short binary numbers.
    Float(Leaf<FloatType>),
    /// Whole numbers, decimals, days.
    Int32(Leaf<Int32Type>),
    /// Whole numbers, decimals, moments.
    Int64(Leaf<Int64Type>),
    /// Moments of older writers.
    Int96(Leaf<Int96Type>),
}

impl Plain {
    /// A column by its physical type; `None` for one of truths.
    pub fn new(pages: impl PageReader + 'static, described: &ColumnDescPtr) -> Option<Self> {
        Some(match described.physical_type() {
            Physical::BYTE_ARRAY => Self::Bytes(Leaf::new(pages, described)),
            Physical::FIXED_LEN_BYTE_ARRAY => Self::Fixed(Leaf::new(pages, described)),
            Physical::DOUBLE => Self::Double(Leaf::new(pages, described)),
            Physical::FLOAT => Self::Float(Leaf::new(pages, described)),
            Physical::INT32 => Self::Int32(Leaf::new(pages, described)),
            Physical::INT64 => Self::Int64(Leaf::new(pages, described)),
            Physical::INT96 => Self::Int96(Leaf::new(pages, described)),
            Physical::BOOLEAN => return None,
        })
    }

    /// Reads the next `rows` rows.
    pub fn fill(&mut self, rows: usize) -> Result<()> {
        match self {
            Self::Bytes(leaf) => leaf.fill(rows),
            Self::Fixed(leaf) => leaf.fill(rows),
            Self::Double(leaf) => leaf.fill(rows),
            Self::Float(leaf) => leaf.fill(rows),
            Self::Int32(leaf) => leaf.fill(rows),
            Self::Int64(leaf) => leaf.fill(rows),
            Self::Int96(leaf) => leaf.fill(rows),
        }
    }
}

/// What the values of a column are, by its logical type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Meaning {
    /// Texts.
    Text,
    /// Numbers.
    Number,
    /// Decimals with that many places.
    Decimal(i8),
    /// Moments: units per millisecond, or milliseconds per unit where negative.
    Moment(i64),
    /// Nothing at all: all rows are null.
    Null,
}

/// What the values of a column are.
pub(super) fn meaning(described: &ColumnDescPtr) -> Meaning {
    match (described.logical_type_ref(), described.converted_type()) {
        (Some(LogicalType::Unknown), _) => Meaning::Null,
        (Some(LogicalType::Decimal { .. }), _) | (_, ConvertedType::DECIMAL) => {
            // A scale that is none fits no amount, and is refused with its value.
            Meaning::Decimal(i8::try_from(described.type_scale()).unwrap_or(i8::MAX))
        }
        (Some(LogicalType::Timestamp(time)), _) => Meaning::Moment(match time.unit {
            TimeUnit::MILLIS => 1,
            TimeUnit::MICROS => 1_000,
            TimeUnit::NANOS => 1_000_000,
        }),
        (_, ConvertedType::TIMESTAMP_MILLIS) => Meaning::Moment(1),
        (_, ConvertedType::TIMESTAMP_MICROS) => Meaning::Moment(1_000),
        (Some(LogicalType::Date), _) | (_, ConvertedType::DATE) => Meaning::Moment(-DAY_MS),
        _ => match described.physical_type() {
            Physical::BYTE_ARRAY => Meaning::Text,
            Physical::INT96 => Meaning::Moment(1),
            _ => Meaning::Number,
        },
    }
}

/// What a column that fills `target` should hold, where it does not; `None` where it does.
pub(super) fn wanted(target: Target, meaning: Meaning, physical: Physical) -> Option<&'static str> {
    let is_whole = matches!(physical, Physical::INT32 | Physical::INT64);
    let fits = match target {
        Target::Amount(_) | Target::Quantity => !matches!(meaning, Meaning::Moment(_)),
        Target::Moment(_) => matches!(meaning, Meaning::Moment(_) | Meaning::Text),
        _ => meaning == Meaning::Text || meaning == Meaning::Number && is_whole,
    };
    if fits && physical != Physical::BOOLEAN || meaning == Meaning::Null {
        return None;
    }
    Some(match target {
        Target::Amount(_) => "amounts",
        Target::Quantity => "numbers",
        Target::Moment(_) => "moments",
        _ => "texts",
    })
}

/// Milliseconds since 1970 of a moment in units of `per_ms`, see [`Meaning::Moment`]; towards the past.
pub(super) const fn moment_ms(at: i64, per_ms: i64) -> i64 {
    if per_ms < 0 { at.saturating_mul(-per_ms) } else { at.div_euclid(per_ms) }
}

/// Milliseconds since 1970 of a moment of older writers.
pub(super) fn int96_ms(at: &Int96) -> i64 {
    at.to_millis()
}

/// Amount of a decimal, whose whole number stands in `bytes`, the highest first. `None` for one that is too large.
pub(super) fn decimal(bytes: &[u8], scale: i8) -> Option<Usd> {
    let (first, rest) = bytes.split_first()?;
    if bytes.len() > 16 {
        return None;
    }
    let start = i128::from(first.cast_signed());
    let whole = rest.iter().fold(start, |whole, byte| whole << 8 | i128::from(*byte));
    Usd::from_decimal(whole, scale)
}
