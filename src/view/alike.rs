//! A row's value as a filter: the rows that have it too, and those that do not.

use std::borrow::Cow;

use super::ViewContext;
use super::rows::Rows;
use super::table_field::FieldSpec;
use super::value::Value;
use crate::query::{Kind, Op, comparison};

/// Most texts of one field that are offered, where a row has several.
const MAX_TEXTS: usize = 8;

/// The two filters that a value makes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Alike {
    /// Field of the value.
    pub field: &'static FieldSpec,
    /// False where the row has no known value there.
    pub is_known: bool,
    /// Filter that holds for the rows with the value, or without a known one like this row.
    pub same: String,
    /// Filter that holds for all other rows.
    pub other: String,
}

/// Filters by what a row has in a field of texts, one per text; where it has none, one by that. Empty for fields of numbers
/// and times, which are compared by size.
pub fn alike(
    rows: &dyn Rows,
    row: u32,
    field: &'static FieldSpec,
    ctx: &ViewContext,
) -> Vec<Alike> {
    if !matches!(field.kind, Kind::Text | Kind::Choice(_)) {
        return Vec::new();
    }
    let mut texts: Vec<String> = Vec::new();
    let several = rows.several(row, field, &mut |all| {
        texts.extend(all.take(MAX_TEXTS).map(Cow::into_owned));
    });
    if let (false, Value::Text(text)) = (several, rows.value(row, field, ctx)) {
        texts.push(text.into_owned());
    }
    if texts.is_empty() {
        // Every known text holds the empty one, and no comparison holds for an unknown one.
        let known = comparison(field.name, Op::Contains, "");
        return vec![Alike { field, is_known: false, same: format!("not {known}"), other: known }];
    }
    let filters = |text: &String| {
        let same = comparison(field.name, Op::Eq, text);
        // Not `!=`, which rows without a known value would fail.
        Alike { field, is_known: true, other: format!("not {same}"), same }
    };
    texts.iter().map(filters).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tabs::idle::picture::Field;
    use crate::view::fixture::{ctx, fleet};
    use crate::view::{Filter, Sort, TableField, table};

    fn chosen(rows: &dyn Rows, filter: &str) -> Vec<u32> {
        let parsed = Filter::parse(Field::table(), filter);
        let filter = parsed.unwrap_or_else(|e| panic!("{filter}: {e}"));
        table::select(rows, Some(&filter), Sort::default(), &ctx())
    }

    /// Texts that a row has in a field, read without the language; in lower case, as filters compare.
    fn texts(rows: &dyn Rows, row: u32, field: &'static FieldSpec) -> Vec<String> {
        let mut all = Vec::new();
        if !rows.several(row, field, &mut |texts| all.extend(texts.map(|t| t.to_lowercase())))
            && let Value::Text(text) = rows.value(row, field, &ctx())
        {
            all.push(text.to_lowercase());
        }
        all
    }

    #[test]
    fn every_value_of_every_row_keeps_its_like_and_drops_it_the_other_way() {
        let fleet = fleet();
        let rows = Field::rows(&fleet.rows);
        let all: Vec<u32> = (0..rows.len() as u32).collect();
        let (mut known, mut unknown) = (0, 0);
        for field in Field::specs() {
            for row in &all {
                let has = texts(&rows, *row, field);
                for filters in alike(&rows, *row, field, &ctx()) {
                    let same = chosen(&rows, &filters.same);
                    assert!(same.contains(row), "{}", filters.same);
                    let other = chosen(&rows, &filters.other);
                    assert!(!other.contains(row), "{}", filters.other);
                    let mut both: Vec<u32> = same.iter().chain(&other).copied().collect();
                    both.sort_unstable();
                    assert_eq!(both, all, "each row is in one of them: {}", filters.same);
                    let by_hand = |of: &u32| {
                        let texts = texts(&rows, *of, field);
                        if has.is_empty() {
                            texts.is_empty()
                        } else {
                            texts.iter().any(|text| has.contains(text))
                        }
                    };
                    if has.len() < 2 {
                        let by_hand: Vec<u32> = all.iter().copied().filter(by_hand).collect();
                        assert_eq!(same, by_hand, "{}", filters.same);
                    }
                    *(if filters.is_known { &mut known } else { &mut unknown }) += 1;
                }
            }
        }
        assert!(known > 50 && unknown > 5, "{known} {unknown}");
    }

    #[test]
    fn sizes_and_times_make_no_filter() {
        let fleet = fleet();
        let rows = Field::rows(&fleet.rows);
        for field in [Field::UsdPerHour, Field::IdleSince, Field::Gpu] {
            assert_eq!(alike(&rows, 0, field.spec(), &ctx()), []);
        }
    }
}
