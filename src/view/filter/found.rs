//! In which fields the words of a filter are found: why a row passes that does not show the word.

use super::{FieldRef, Filter, affirmed};
use crate::query::{Kind, Op, Term, comparison, contains_folded};
use crate::view::{FieldSpec, FieldTable, Rows, Value, ViewContext};

/// Words of a filter that are looked for.
const WORDS_AT_MOST: usize = 4;

/// Where a word that is searched for is found among rows that pass.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// The word, as typed.
    pub word: String,
    /// Field that has the word in the most of those rows in which no shown field has it as it stands; `None` without one.
    pub beside: Option<&'static FieldSpec>,
    /// Shown field that has the word in the most of those rows; `None` where none has it.
    pub within: Option<&'static FieldSpec>,
    /// Comparison with the word as the whole text of a field, of the field that has it in the most rows; `None` where no row
    /// has it so.
    pub whole: Option<String>,
}

impl Filter {
    /// Where each of the first words that are searched for is found among the rows `pass`, which are to be few: all their
    /// texts are looked at. `shown` are the fields that a reader sees.
    pub fn found(
        &self,
        rows: &dyn Rows,
        pass: &[u32],
        shown: &[&'static FieldSpec],
        ctx: &ViewContext,
    ) -> Vec<Found> {
        let mut terms = Vec::new();
        affirmed(&self.expr, &mut terms);
        let word = |term: &Term<FieldRef>| match term {
            Term::Fuzzy(word) | Term::Phrase(word) => {
                Some(found(word, self.table, (rows, pass), shown, ctx))
            }
            _ => None,
        };
        terms.into_iter().filter_map(word).take(WORDS_AT_MOST).collect()
    }
}

fn found(
    word: &str,
    table: &'static dyn FieldTable,
    (rows, pass): (&dyn Rows, &[u32]),
    shown: &[&'static FieldSpec],
    ctx: &ViewContext,
) -> Found {
    let is_text = |field: &&FieldSpec| matches!(field.kind, Kind::Text | Kind::Choice(_));
    let fields: Vec<&'static FieldSpec> = table.fields().iter().filter(is_text).collect();
    let folded = word.to_lowercase();
    // By field: the rows that have the word there and in no shown field, those that have it there and the field is shown, and
    // those of which it is the whole text.
    let [mut unseen, mut seen, mut wholes] = [(); 3].map(|()| vec![0_usize; fields.len()]);
    for row in pass {
        let mut having = Vec::new();
        for (at, field) in fields.iter().enumerate() {
            let (mut has, mut is_whole) = (false, false);
            let mut look = |text: &str| {
                let here = contains_folded(text, &folded);
                has |= here;
                is_whole |= here && text.to_lowercase() == folded;
            };
            let several = rows.several(*row, field, &mut |all| all.for_each(|text| look(&text)));
            if let (false, Value::Text(text)) = (several, rows.value(*row, field, ctx)) {
                look(&text);
            }
            wholes[at] += usize::from(is_whole);
            if has {
                having.push(at);
            }
        }
        let (within, beside): (Vec<usize>, Vec<usize>) =
            having.into_iter().partition(|at| shown.contains(&fields[*at]));
        if within.is_empty() {
            beside.iter().for_each(|at| unseen[*at] += 1);
        }
        within.iter().for_each(|at| seen[*at] += 1);
    }
    let most = |counts: &[usize]| {
        // Of equals the first, where `max_by_key` takes the last.
        let having = (0..fields.len()).rev().filter(|at| counts[*at] > 0);
        having.max_by_key(|at| counts[*at]).map(|at| fields[at])
    };
    let whole = most(&wholes).map(|field| comparison(field.name, Op::Eq, word));
    Found { word: word.to_owned(), beside: most(&unseen), within: most(&seen), whole }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tabs::idle::picture::{Field, SCREEN_COLUMNS};
    use crate::view::TableField;
    use crate::view::fixture::{ctx, fleet};

    fn found(filter: &str, shown: &[Field]) -> Vec<Found> {
        let fleet = fleet();
        let rows = Field::rows(&fleet.rows);
        let all: Vec<u32> = (0..rows.len() as u32).collect();
        let shown: Vec<_> = shown.iter().map(|field| field.spec()).collect();
        Filter::parse(Field::table(), filter).unwrap().found(&rows, &all, &shown, &ctx())
    }

    #[test]
    fn a_word_is_told_with_the_field_that_has_it_and_is_not_shown() {
        let nlp = found("nlp", SCREEN_COLUMNS);
        let whole = Some("team=nlp".to_owned());
        let within = Some(Field::Team.spec());
        assert_eq!(nlp, [Found { word: "nlp".into(), beside: None, within, whole: whole.clone() }]);
        let hidden = found("NLP", &[Field::UsdPerHour, Field::Name]);
        assert_eq!(hidden[0].beside, Some(Field::Team.spec()));
        assert_eq!(hidden[0].whole.as_deref(), Some("team=NLP"));
        assert_eq!(found("\"nlp\"", SCREEN_COLUMNS)[0].whole, whole);
    }

    #[test]
    fn what_no_field_has_as_a_whole_is_told_with_none() {
        let part = found("nl", SCREEN_COLUMNS);
        assert_eq!(part[0].whole, None);
        assert_eq!(found("team=nlp and not nlp", SCREEN_COLUMNS), [], "denied words find nothing");
    }

    #[test]
    fn of_a_filter_of_many_words_the_first_are_looked_for() {
        assert_eq!(found("ab bc cd de ef fg", SCREEN_COLUMNS).len(), WORDS_AT_MOST);
    }
}
