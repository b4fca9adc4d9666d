//! Columns of texts, read as numbers: a page of texts becomes one of numbers before the decoder sees
//! it. A text that is kept in a dictionary is looked at once for each dictionary, and not once for
//! each row.

use std::sync::Arc;

use parquet::basic::{Encoding, Repetition, Type as Physical};
use parquet::column::page::{Page, PageMetadata, PageReader};
use parquet::errors::{ParquetError, Result};
use parquet::schema::types::{ColumnDescPtr, ColumnDescriptor, ColumnPath, Type};

/// Gives texts their numbers.
pub(in crate::source) trait Numbering: Send + 'static {
    /// Number of a text, the same each time. Err when no further text can be kept.
    fn number(&mut self, text: &[u8]) -> Result<i32>;

    /// Numbers of texts that stand one after the other, each behind its length, appended to `into` as little-endian
    /// bytes; of at most `most`. Ends before a text that is cut off: the decoder misses it then.
    fn numbers(&mut self, mut texts: &[u8], most: usize, into: &mut Vec<u8>) -> Result<()> {
        // Rows that follow each other often have the same text.
        let mut last: Option<(&[u8], i32)> = None;
        for _ in 0..most {
            let Some((length, rest)) = texts.split_first_chunk::<4>() else { break };
            let length = u32::from_le_bytes(*length) as usize;
            let Some((text, rest)) = rest.split_at_checked(length) else { break };
            let number = match last {
                Some((same, number)) if same == text => number,
                _ => self.number(text)?,
            };
            last = Some((text, number));
            into.extend_from_slice(&number.to_le_bytes());
            texts = rest;
        }
        Ok(())
    }
}

/// Levels of a column: how many of its ancestors and itself may be null, and may repeat.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::source) struct Shape {
    /// Definition level of a value that is there; 0 for a required column.
    pub definition: i16,
    /// Largest repetition level; 0 where each row has one value.
    pub repetition: i16,
}

impl Shape {
    /// Levels of a column.
    pub fn of(column: &ColumnDescriptor) -> Self {
        Self { definition: column.max_def_level(), repetition: column.max_rep_level() }
    }

    /// Descriptor of the column of numbers that replaces a column of texts. Err when Parquet refuses it.
    pub fn described(self) -> Result<ColumnDescPtr> {
        let optional = self.definition > 0;
        let repetition = if optional { Repetition::OPTIONAL } else { Repetition::REQUIRED };
        let numbers = Type::primitive_type_builder("number", Physical::INT32)
            .with_repetition(repetition)
            .build()?;
        let path = ColumnPath::new(vec!["number".to_owned()]);
        let (definition, repeated) = (self.definition, self.repetition);
        Ok(Arc::new(ColumnDescriptor::new(Arc::new(numbers), definition, repeated, path)))
    }
}

/// Pages of a column of texts, converted to pages of numbers.
pub(in crate::source) struct Numbered<P, N> {
    pages: P,
    numbering: N,
    shape: Shape,
}

impl<P: PageReader, N: Numbering> Numbered<P, N> {
    /// Converts `pages`, of a column with the levels of `shape`, by the numbers of `numbering`.
    pub fn new(pages: P, numbering: N, shape: Shape) -> Self {
        Self { pages, numbering, shape }
    }

    fn numbered(&mut self, mut page: Page) -> Result<Page> {
        match &mut page {
            Page::DictionaryPage { buf, num_values, .. } => {
                *buf = self.behind(buf, 0, *num_values)?.into();
            }
            // What is told by a dictionary has its numbers from there.
            Page::DataPage { encoding, .. } | Page::DataPageV2 { encoding, .. }
                if matches!(encoding, Encoding::RLE_DICTIONARY | Encoding::PLAIN_DICTIONARY) => {}
            Page::DataPage {
                buf,
                num_values,
                encoding,
                def_level_encoding,
                rep_level_encoding,
                ..
            } if *encoding == Encoding::PLAIN => {
                let shape = self.shape;
                let before = [
                    (shape.repetition, *rep_level_encoding),
                    (shape.definition, *def_level_encoding),
                ];
                let mut levels = 0;
                for (most, encoding) in before {
                    let rest = buf.get(levels..).ok_or_else(cut_off)?;
                    levels = levels.saturating_add(level_bytes(rest, *num_values, most, encoding)?);
                }
                *buf = self.behind(buf, levels, *num_values)?.into();
            }
            Page::DataPageV2 {
                buf,
                num_values,
                encoding,
                def_levels_byte_len,
                rep_levels_byte_len,
                ..
            } if *encoding == Encoding::PLAIN => {
                let levels = def_levels_byte_len.saturating_add(*rep_levels_byte_len);
                *buf = self.behind(buf, levels as usize, *num_values)?.into();
            }
            Page::DataPage { encoding, .. } | Page::DataPageV2 { encoding, .. } => {
                return Err(ParquetError::NYI(format!("texts that are encoded as {encoding}")));
            }
        }
        Ok(page)
    }

    /// The first `levels` bytes, and the numbers of the texts behind them.
    fn behind(&mut self, page: &[u8], levels: usize, most: u32) -> Result<Vec<u8>> {
        let (levels, texts) = page.split_at_checked(levels).ok_or_else(cut_off)?;
        // A text has four bytes at least, and a number has four.
        let mut numbers = Vec::with_capacity(levels.len() + texts.len().min(most as usize * 4));
        numbers.extend_from_slice(levels);
        self.numbering.numbers(texts, most as usize, &mut numbers)?;
        Ok(numbers)
    }
}

/// Bytes of the levels, `most` at most, that a page of the first version begins with.
fn level_bytes(page: &[u8], values: u32, most: i16, encoding: Encoding) -> Result<usize> {
    if most == 0 {
        return Ok(0);
    }
    if encoding == Encoding::RLE {
        let length = page.first_chunk::<4>().ok_or_else(cut_off)?;
        return Ok((u32::from_le_bytes(*length) as usize).saturating_add(4));
    }
    // The old form: as many bits for each value as the largest level takes.
    let bits = u64::from(values) * u64::from(i16::BITS - most.leading_zeros());
    Ok(usize::try_from(bits.div_ceil(8)).unwrap_or(usize::MAX))
}

fn cut_off() -> ParquetError {
    ParquetError::EOF("the levels of a page are cut off".to_owned())
}

impl<P: PageReader, N: Numbering> PageReader for Numbered<P, N> {
    fn get_next_page(&mut self) -> Result<Option<Page>> {
        let page = self.pages.get_next_page()?;
        page.map(|page| self.numbered(page)).transpose()
    }

    fn peek_next_page(&mut self) -> Result<Option<PageMetadata>> {
        self.pages.peek_next_page()
    }

    fn skip_next_page(&mut self) -> Result<()> {
        self.pages.skip_next_page()
    }
}

impl<P: PageReader, N: Numbering> Iterator for Numbered<P, N> {
    type Item = Result<Page>;

    fn next(&mut self) -> Option<Self::Item> {
        self.get_next_page().transpose()
    }
}
