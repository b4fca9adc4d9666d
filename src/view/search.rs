//! Bare and quoted words of a filter: text search in a row.

use nucleo_matcher::pattern::{Atom, AtomKind, CaseMatching, Normalization};
use nucleo_matcher::{Config, Matcher, Utf32Str};

use super::rows::Rows;
use super::table_field::FieldTable;
use crate::query::{TextLiteral, contains_folded};

/// Something to look for, prepared.
pub(super) struct Needle {
    kind: NeedleKind,
    /// Which of the table's [`FieldTable::shared_words`] match.
    shared: Vec<bool>,
}

enum NeedleKind {
    /// Characters that must occur in order.
    Fuzzy {
        /// The word in lower case, when it is ASCII.
        ascii: Option<Vec<u8>>,
        atom: Atom,
    },
    /// Text that must occur as it stands; in lower case.
    Phrase(String),
    /// The whole of a text, but for case.
    Exact(TextLiteral),
}

/// Buffers of a search, kept over many rows.
#[derive(Default)]
pub(super) struct Scratch {
    /// Made when first needed: its buffers take 135 kB.
    matcher: Option<Matcher>,
    chars: Vec<char>,
}

impl Needle {
    /// A bare word: its characters must occur in order in one text.
    pub(super) fn fuzzy(word: &str, table: &dyn FieldTable, scratch: &mut Scratch) -> Self {
        let (case, forms) = (CaseMatching::Ignore, Normalization::Smart);
        let atom = Atom::new(word, case, forms, AtomKind::Fuzzy, false);
        let ascii = word.is_ascii().then(|| word.to_ascii_lowercase().into_bytes());
        Self::new(NeedleKind::Fuzzy { ascii, atom }, table, scratch)
    }

    /// Quoted text: it must occur as it stands, but for case.
    pub(super) fn phrase(text: &str, table: &dyn FieldTable, scratch: &mut Scratch) -> Self {
        Self::new(NeedleKind::Phrase(text.to_lowercase()), table, scratch)
    }

    /// Quoted text of a strict filter: it must be one of the texts as a whole, but for case.
    pub(super) fn exact(text: &TextLiteral, table: &dyn FieldTable) -> Self {
        Self::new(NeedleKind::Exact(text.clone()), table, &mut Scratch::default())
    }

    fn new(kind: NeedleKind, table: &dyn FieldTable, scratch: &mut Scratch) -> Self {
        let mut is_in = |word: &str| kind.is_in(word, scratch);
        let shared = table.shared_words().iter().map(|[a, b]| is_in(a) || is_in(b)).collect();
        Self { kind, shared }
    }

    /// True when the needle is in one of the row's texts.
    pub(super) fn is_in(&self, rows: &dyn Rows, row: u32, scratch: &mut Scratch) -> bool {
        rows.shared_word(row).is_some_and(|at| self.shared.get(at) == Some(&true))
            || rows.any_text(row, &mut |text| self.kind.is_in(text, scratch))
    }
}

impl NeedleKind {
    fn is_in(&self, text: &str, scratch: &mut Scratch) -> bool {
        match self {
            Self::Phrase(folded) => contains_folded(text, folded),
            Self::Exact(whole) => whole.equals(text),
            // For ASCII a loop over bytes says the same in less time than it takes to set the
            // matcher up.
            Self::Fuzzy { ascii: Some(word), .. } if text.is_ascii() => {
                is_subsequence(word, text.as_bytes())
            }
            // The matcher knows graphemes, case folding and diacritics (`u` finds `ü`).
            Self::Fuzzy { atom, .. } => {
                let matcher = scratch.matcher.get_or_insert_with(|| Matcher::new(Config::DEFAULT));
                atom.score(Utf32Str::new(text, &mut scratch.chars), matcher).is_some()
            }
        }
    }
}

/// True when the bytes of `word` (lower case) occur in order in `text`.
fn is_subsequence(word: &[u8], text: &[u8]) -> bool {
    let mut rest = text.iter();
    word.iter().all(|w| rest.any(|b| b.to_ascii_lowercase() == *w))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::tabs::idle::picture::Field;
    use crate::view::TableField;

    fn fuzzy(word: &str, text: &str) -> bool {
        let mut scratch = Scratch::default();
        Needle::fuzzy(word, Field::table(), &mut scratch).kind.is_in(text, &mut scratch)
    }

    #[test]
    fn characters_in_order_ignoring_case_and_diacritics() {
        assert!(fuzzy("t7b", "Train-7B-old"));
        assert!(!fuzzy("b7t", "train-7b-old"));
        assert!(fuzzy("muller", "Müller"));
        assert!(fuzzy("数洗", "数据-清洗"));
        assert!(!fuzzy("ü", "muller"), "what is typed exactly is meant exactly");
    }

    proptest! {
        /// The short way for ASCII decides as the matcher does.
        #[test]
        fn the_byte_loop_agrees_with_the_matcher(word in "[a-cA-C-]{1,4}", text in "[a-dA-D-]{0,12}") {
            let (case, forms) = (CaseMatching::Ignore, Normalization::Smart);
            let atom = Atom::new(&word, case, forms, AtomKind::Fuzzy, false);
            let mut matcher = Matcher::new(Config::DEFAULT);
            let matched = atom.score(Utf32Str::new(&text, &mut Vec::new()), &mut matcher).is_some();
            prop_assert_eq!(fuzzy(&word, &text), matched);
        }
    }
}
