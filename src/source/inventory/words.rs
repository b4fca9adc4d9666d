//! Columns of few words, the same over and over: the class of storage, the status of encryption.
//! A word is looked at once for each dictionary and not once for each row: a page of texts becomes
//! one of numbers before the decoder sees it, and what the decoder hands out is numbers.
//!
//! Dictionaries that change from group to group of rows and pages without one need no care of their
//! own: a word has the same number in all of them.

use std::sync::Arc;

use parquet::basic::{Encoding, Repetition, Type as Physical};
use parquet::column::page::{Page, PageMetadata, PageReader};
use parquet::errors::{ParquetError, Result};
use parquet::schema::types::{ColumnDescPtr, ColumnDescriptor, ColumnPath, Type};

use super::schema::Column;
use crate::domain::storage::{StorageClass, Tier};

/// Word for all words beyond those that are kept.
const OTHER: &str = "?";

/// Known values of a column, by number. The first is empty: that of a row without a value.
#[derive(Clone, Debug)]
pub(super) struct Words(Vec<&'static str>);

impl Words {
    /// Known values of a column; `None` for a column whose values differ from row to row.
    pub fn of(column: Column) -> Option<Self> {
        let mut words = vec![""];
        match column {
            Column::StorageClass => words.extend(StorageClass::ALL.map(StorageClass::api)),
            Column::AccessTier => words.extend(Tier::ACCESS_TIERS.map(|(name, _)| name)),
            Column::Replication => words.push("REPLICA"),
            Column::Encryption => words.extend(["SSE-S3", "NOT-SSE"]),
            Column::LegalHold => words.extend(["On", "ON", "on", "oN"]),
            _ => return None,
        }
        Some(Self(words))
    }

    /// Count of numbers, with the one for all other values.
    pub fn len(&self) -> usize {
        self.0.len() + 1
    }

    /// The number of a text.
    fn number(&self, text: &[u8]) -> i32 {
        let known = self.0.iter().position(|word| word.as_bytes() == text);
        known.unwrap_or(self.0.len()) as i32
    }

    /// Value of a number.
    pub fn word(&self, number: usize) -> &'static str {
        self.0.get(number).copied().unwrap_or(OTHER)
    }

    /// The numbers of the texts that stand one after the other, each behind its length; of at most
    /// `most`. Ends before a text that is cut off: the decoder misses it then.
    fn numbers(&self, mut texts: &[u8], most: usize, into: &mut Vec<u8>) {
        // Rows that follow each other have the same word.
        let mut last: (&[u8], i32) = (b"", 0);
        for _ in 0..most {
            let Some((length, rest)) = texts.split_first_chunk::<4>() else { return };
            let length = u32::from_le_bytes(*length) as usize;
            let Some((text, rest)) = rest.split_at_checked(length) else { return };
            if text != last.0 {
                last = (text, self.number(text));
            }
            into.extend_from_slice(&last.1.to_le_bytes());
            texts = rest;
        }
    }
}

/// Tier for each pair of storage class and access tier, by number.
#[derive(Debug)]
pub(super) struct Tiers {
    accesses: usize,
    tiers: Vec<Tier>,
}

impl Tiers {
    /// Table of all pairs.
    pub fn new() -> Self {
        let of = |column| Words::of(column).unwrap_or(Words(vec![""]));
        let (classes, accesses) = (of(Column::StorageClass), of(Column::AccessTier));
        let each = |class: usize| {
            let class = classes.word(class);
            let accesses = &accesses;
            (0..accesses.len()).map(move |access| Tier::of_object(class, accesses.word(access)))
        };
        Self { accesses: accesses.len(), tiers: (0..classes.len()).flat_map(each).collect() }
    }

    /// Tier of a row, by the numbers of its class and access tier.
    #[inline]
    pub fn of(&self, class: usize, access: usize) -> Tier {
        self.tiers.get(class * self.accesses + access).copied().unwrap_or(Tier::Unknown)
    }
}

/// Parquet descriptor of the number column that replaces a text column. Err when Parquet refuses it.
pub(super) fn described(optional: bool) -> Result<ColumnDescPtr> {
    let repetition = if optional { Repetition::OPTIONAL } else { Repetition::REQUIRED };
    let numbers = Type::primitive_type_builder("word", Physical::INT32)
        .with_repetition(repetition)
        .build()?;
    let path = ColumnPath::new(vec!["word".to_owned()]);
    Ok(Arc::new(ColumnDescriptor::new(Arc::new(numbers), i16::from(optional), 0, path)))
}

/// Pages of a text column, converted to pages of numbers.
pub(super) struct Numbered<P> {
    pages: P,
    words: Words,
    optional: bool,
}

impl<P: PageReader> Numbered<P> {
    /// Converts the pages of `pages` with the numbers of `words`.
    pub fn new(pages: P, words: Words, optional: bool) -> Self {
        Self { pages, words, optional }
    }

    fn numbered(&self, mut page: Page) -> Result<Page> {
        match &mut page {
            Page::DictionaryPage { buf, num_values, .. } => {
                *buf = self.behind(buf, 0, *num_values)?.into();
            }
            // What is told by a dictionary has its numbers from there.
            Page::DataPage { encoding, .. } | Page::DataPageV2 { encoding, .. }
                if matches!(encoding, Encoding::RLE_DICTIONARY | Encoding::PLAIN_DICTIONARY) => {}
            Page::DataPage { buf, num_values, encoding, def_level_encoding, .. }
                if *encoding == Encoding::PLAIN =>
            {
                let levels = self.levels(buf, *num_values, *def_level_encoding)?;
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
    fn behind(&self, page: &[u8], levels: usize, most: u32) -> Result<Vec<u8>> {
        let (levels, texts) = page.split_at_checked(levels).ok_or_else(cut_off)?;
        // A text has four bytes at least, and a number has four.
        let mut numbers = Vec::with_capacity(levels.len() + texts.len().min(most as usize * 4));
        numbers.extend_from_slice(levels);
        self.words.numbers(texts, most as usize, &mut numbers);
        Ok(numbers)
    }

    /// Bytes of the levels before the texts of a page of the first version.
    fn levels(&self, page: &[u8], values: u32, encoding: Encoding) -> Result<usize> {
        if !self.optional {
            return Ok(0);
        }
        if encoding == Encoding::RLE {
            let length = page.first_chunk::<4>().ok_or_else(cut_off)?;
            return Ok((u32::from_le_bytes(*length) as usize).saturating_add(4));
        }
        // The old form: a bit for each value.
        Ok(values.div_ceil(8) as usize)
    }
}

fn cut_off() -> ParquetError {
    ParquetError::EOF("the levels of a page are cut off".to_owned())
}

impl<P: PageReader> PageReader for Numbered<P> {
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

impl<P: PageReader> Iterator for Numbered<P> {
    type Item = Result<Page>;

    fn next(&mut self) -> Option<Self::Item> {
        self.get_next_page().transpose()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::VecDeque;

    use parquet::column::reader::ColumnReaderImpl;
    use parquet::data_type::{ByteArray, ByteArrayType, DataType, Int32Type};
    use proptest::prelude::*;

    use super::*;

    /// Pages from memory.
    struct Kept(VecDeque<Page>);

    impl PageReader for Kept {
        fn get_next_page(&mut self) -> Result<Option<Page>> {
            Ok(self.0.pop_front())
        }

        fn peek_next_page(&mut self) -> Result<Option<PageMetadata>> {
            Ok(None)
        }

        fn skip_next_page(&mut self) -> Result<()> {
            self.get_next_page().map(drop)
        }
    }

    impl Iterator for Kept {
        type Item = Result<Page>;

        fn next(&mut self) -> Option<Self::Item> {
            self.get_next_page().transpose()
        }
    }

    const TEXTS: [&[u8]; 10] = [
        b"STANDARD",
        b"GLACIER",
        b"",
        b"STANDARD_IA",
        b"standard",
        b"?",
        b"\xff\xfe",
        b"DEEP_ARCHIVE",
        b"A_CLASS_OF_LATER",
        b"INTELLIGENT_TIERING",
    ];

    fn plain(texts: impl Iterator<Item = &'static [u8]>) -> Vec<u8> {
        texts.flat_map(|t| [&(t.len() as u32).to_le_bytes()[..], t].concat()).collect()
    }

    /// Runs of one value each, as levels and places in a dictionary are written.
    fn runs(values: impl Iterator<Item = u8>) -> Vec<u8> {
        values.flat_map(|value| [2, value]).collect()
    }

    /// How a page is written.
    #[derive(Clone, Debug)]
    struct Spec {
        second_version: bool,
        by_dictionary: bool,
        /// Another dictionary before it, which begins with this text.
        dictionary: Option<usize>,
        rows: Vec<Option<usize>>,
    }

    fn pages(specs: &[Spec], optional: bool) -> VecDeque<Page> {
        let (mut pages, mut first) = (VecDeque::new(), None);
        for spec in specs {
            let turned = spec.dictionary.or(first.is_none().then_some(0));
            if let Some(turn) = turned.filter(|_| spec.by_dictionary) {
                first = Some(turn);
                pages.push_back(Page::DictionaryPage {
                    buf: plain((0..TEXTS.len()).map(|i| TEXTS[(i + turn) % TEXTS.len()])).into(),
                    num_values: TEXTS.len() as u32,
                    encoding: Encoding::PLAIN,
                    is_sorted: false,
                });
            }
            let rows: Vec<Option<usize>> =
                spec.rows.iter().map(|row| if optional { *row } else { row.or(Some(3)) }).collect();
            let there = || rows.iter().flatten();
            let (encoding, values) = if spec.by_dictionary {
                let turn = TEXTS.len() - first.unwrap_or(0) % TEXTS.len();
                let places = there().map(|text| ((text + turn) % TEXTS.len()) as u8);
                (Encoding::RLE_DICTIONARY, [vec![8], runs(places)].concat())
            } else {
                (Encoding::PLAIN, plain(there().map(|text| TEXTS[*text])))
            };
            let levels = runs(rows.iter().map(|row| u8::from(row.is_some())));
            let levels = if optional { levels } else { vec![] };
            let length = levels.len() as u32;
            pages.push_back(if spec.second_version {
                Page::DataPageV2 {
                    buf: [levels, values].concat().into(),
                    num_values: rows.len() as u32,
                    encoding,
                    num_nulls: (rows.len() - there().count()) as u32,
                    num_rows: rows.len() as u32,
                    def_levels_byte_len: length,
                    rep_levels_byte_len: 0,
                    is_compressed: false,
                    statistics: None,
                }
            } else {
                let prefix = if optional { length.to_le_bytes().to_vec() } else { vec![] };
                Page::DataPage {
                    buf: [prefix, levels, values].concat().into(),
                    num_values: rows.len() as u32,
                    encoding,
                    def_level_encoding: Encoding::RLE,
                    rep_level_encoding: Encoding::RLE,
                    statistics: None,
                }
            });
        }
        pages
    }

    /// All rows of a column, some at a time.
    fn rows<T: DataType>(
        pages: impl PageReader + 'static,
        described: ColumnDescPtr,
        at_once: usize,
    ) -> Result<Vec<Option<T::T>>> {
        let optional = described.max_def_level() > 0;
        let mut reader = ColumnReaderImpl::<T>::new(described, Box::new(pages));
        let mut all = vec![];
        loop {
            let (mut levels, mut values) = (vec![], vec![]);
            let read = reader.read_records(at_once, Some(&mut levels), None, &mut values)?.0;
            if read == 0 {
                return Ok(all);
            }
            let mut values = values.into_iter();
            let is_there = |row: usize| !optional || levels[row] == 1;
            all.extend((0..read).map(|row| values.next_if(is_there(row))));
        }
    }

    trait NextIf: Iterator {
        fn next_if(&mut self, wanted: bool) -> Option<Self::Item> {
            if wanted { self.next() } else { None }
        }
    }

    impl<I: Iterator> NextIf for I {}

    fn texts(optional: bool) -> ColumnDescPtr {
        let repetition = if optional { Repetition::OPTIONAL } else { Repetition::REQUIRED };
        let builder = Type::primitive_type_builder("class", Physical::BYTE_ARRAY);
        let texts = builder.with_repetition(repetition).build().unwrap();
        let path = ColumnPath::new(vec!["class".to_owned()]);
        Arc::new(ColumnDescriptor::new(Arc::new(texts), i16::from(optional), 0, path))
    }

    fn numbers(pages: VecDeque<Page>, optional: bool, at_once: usize) -> Result<Vec<Option<i32>>> {
        let words = Words::of(Column::StorageClass).unwrap();
        let pages = Numbered::new(Kept(pages), words, optional);
        rows::<Int32Type>(pages, described(optional).unwrap(), at_once)
    }

    fn spec() -> impl Strategy<Value = Spec> {
        let rows = prop::collection::vec(prop::option::weighted(0.8, 0..TEXTS.len()), 1..40);
        let dictionary = prop::option::weighted(0.05, 0..TEXTS.len());
        (any::<bool>(), any::<bool>(), dictionary, rows).prop_map(
            |(second_version, by_dictionary, dictionary, rows)| Spec {
                second_version,
                by_dictionary,
                dictionary,
                rows,
            },
        )
    }

    proptest! {
        /// Any dictionary, pages without one between others, rows without a value, both versions of
        /// pages, a second dictionary, which is refused: the decoder of texts, row by row, says the
        /// same.
        #[test]
        fn numbers_are_those_of_the_texts_row_by_row(
            specs in prop::collection::vec(spec(), 1..8),
            optional: bool,
            at_once in 1usize..50,
        ) {
            let words = Words::of(Column::StorageClass).unwrap();
            let of_texts =
                rows::<ByteArrayType>(Kept(pages(&specs, optional)), texts(optional), 7).ok();
            let number = |text: &Option<ByteArray>| text.as_ref().map(|t| words.number(t.data()));
            let expected: Option<Vec<_>> = of_texts.map(|texts| texts.iter().map(number).collect());
            let found = numbers(pages(&specs, optional), optional, at_once).ok();
            prop_assert_eq!(found, expected);
        }

        /// Pages that are cut off or that say they hold more: an error or what the decoder of texts
        /// makes of them, never rows that are not there.
        #[test]
        fn a_page_that_is_cut_off_is_no_other_page(
            spec in spec(),
            cut in any::<prop::sample::Index>(),
            more in 0u32..3,
        ) {
            let mut cut_off = pages(std::slice::from_ref(&spec), true);
            if let Some(Page::DataPage { buf, num_values, .. } | Page::DataPageV2 { buf, num_values, .. }) =
                cut_off.back_mut()
            {
                *buf = buf.slice(..cut.index(buf.len()));
                *num_values += more;
            }
            let guarded = |read: &dyn Fn() -> Result<usize>| {
                std::panic::catch_unwind(std::panic::AssertUnwindSafe(read)).ok().and_then(Result::ok)
            };
            let of_texts =
                guarded(&|| rows::<ByteArrayType>(Kept(cut_off.clone()), texts(true), 64).map(|r| r.len()));
            let found = guarded(&|| numbers(cut_off.clone(), true, 64).map(|r| r.len()));
            prop_assert_eq!(found, of_texts);
        }
    }

    #[test]
    fn other_encodings_of_texts_are_refused() {
        for encoding in [Encoding::DELTA_BINARY_PACKED, Encoding::BYTE_STREAM_SPLIT, Encoding::RLE]
        {
            let page = Page::DataPage {
                buf: vec![0; 64].into(),
                num_values: 4,
                encoding,
                def_level_encoding: Encoding::RLE,
                rep_level_encoding: Encoding::RLE,
                statistics: None,
            };
            let error = numbers([page].into(), false, 4).unwrap_err();
            assert!(error.to_string().contains("encoded as"), "{error}");
        }
    }

    #[test]
    fn a_tier_by_numbers_is_the_tier_by_words() {
        let of = |column| Words::of(column).unwrap();
        let (classes, accesses) = (of(Column::StorageClass), of(Column::AccessTier));
        let tiers = Tiers::new();
        let mut seen = std::collections::BTreeSet::new();
        let named = StorageClass::ALL.map(StorageClass::api).into_iter();
        for class in named.chain(["", "?", "standard", "A_CLASS_OF_LATER"]) {
            let known = Tier::ACCESS_TIERS.map(|(name, _)| name).into_iter();
            for access in known.chain(["", "?", "FREQUENT", "infrequent"]) {
                let number = |words: &Words, text: &str| words.number(text.as_bytes()) as usize;
                let found = tiers.of(number(&classes, class), number(&accesses, access));
                assert_eq!(found, Tier::of_object(class, access), "{class} {access}");
                seen.insert(found);
            }
        }
        // All but those that are no class of an inventory.
        assert_eq!(seen.len(), Tier::COUNT - 1);
    }
}
