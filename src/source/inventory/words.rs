//! Columns of few words, the same over and over: the class of storage, the status of encryption.
//! Their texts are numbered while they are read: a word has the same number in all dictionaries and pages.

use parquet::errors::Result;

use super::schema::Column;
use crate::domain::storage::{StorageClass, Tier};
use crate::source::parquet_pages::Numbering;

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
    fn number_of(&self, text: &[u8]) -> i32 {
        let known = self.0.iter().position(|word| word.as_bytes() == text);
        known.unwrap_or(self.0.len()) as i32
    }

    /// Value of a number.
    pub fn word(&self, number: usize) -> &'static str {
        self.0.get(number).copied().unwrap_or(OTHER)
    }
}

impl Numbering for Words {
    fn number(&mut self, text: &[u8]) -> Result<i32> {
        Ok(self.number_of(text))
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

#[cfg(test)]
mod tests {
    use std::collections::VecDeque;
    use std::sync::Arc;

    use parquet::basic::{Encoding, Repetition, Type as Physical};
    use parquet::column::page::{Page, PageMetadata, PageReader};
    use parquet::column::reader::ColumnReaderImpl;
    use parquet::data_type::{ByteArray, ByteArrayType, DataType, Int32Type};
    use parquet::schema::types::{ColumnDescPtr, ColumnDescriptor, ColumnPath, Type};
    use proptest::prelude::*;

    use super::*;
    use crate::source::parquet_pages::{Numbered, Shape};

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
        let shape = Shape { definition: i16::from(optional), repetition: 0 };
        let pages = Numbered::new(Kept(pages), words, shape);
        rows::<Int32Type>(pages, shape.described().unwrap(), at_once)
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
            let number = |text: &Option<ByteArray>| text.as_ref().map(|t| words.number_of(t.data()));
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
                let number = |words: &Words, text: &str| words.number_of(text.as_bytes()) as usize;
                let found = tiers.of(number(&classes, class), number(&accesses, access));
                assert_eq!(found, Tier::of_object(class, access), "{class} {access}");
                seen.insert(found);
            }
        }
        // All but those that are no class of an inventory.
        assert_eq!(seen.len(), Tier::COUNT - 1);
    }
}
