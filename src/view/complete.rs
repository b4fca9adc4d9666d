//! What completes a filter at its end: names of fields, and the values that rows have.

use std::collections::BTreeMap;

use super::ViewContext;
use super::filter::{FieldRef, texts};
use super::rows::Rows;
use super::table_field::FieldTable;
use crate::query::{FieldName, Kind, Op, comparison, groups};

/// Most values that are offered.
const MAX_VALUES: usize = 200;

/// Operators that compare texts, longer signs before their beginnings.
const OPERATORS: [(&str, Op); 5] =
    [("==", Op::Eq), ("=", Op::Eq), ("!=", Op::Ne), ("!~", Op::NotContains), ("~", Op::Contains)];

/// Filters that begin with `text` and have its last word completed: the name of a field, behind an operator a value of one of
/// `rows` or one of the words that the field knows. Empty where nothing fits.
pub fn complete(
    text: &str,
    table: &'static dyn FieldTable,
    rows: Option<&dyn Rows>,
    ctx: &ViewContext,
) -> Vec<String> {
    let (head, term) = text.split_at(start_of_last(text));
    let Some(at) = term.find(['=', '~', '!', '<', '>']) else {
        return fields(term, table).map(|name| format!("{head}{name}")).collect();
    };
    let (name, rest) = term.split_at(at);
    let operator = OPERATORS.iter().find_map(|(sign, op)| Some((*op, rest.strip_prefix(*sign)?)));
    let Some((field, (op, value))) = FieldRef::resolve(name, table).zip(operator) else {
        return Vec::new();
    };
    let begun = value.trim_start_matches(['"', '\'']).to_lowercase();
    let values = values(&field, rows, ctx).into_iter();
    let fitting = values.filter(|(folded, _)| folded.starts_with(&begun)).take(MAX_VALUES);
    fitting.map(|(_, value)| format!("{head}{}", comparison(name, op, &value))).collect()
}

/// Names of fields that begin with `begun`, an alias where the name does not; of a field of which only the heading begins so,
/// its name. With the operator of a text.
fn fields(begun: &str, table: &'static dyn FieldTable) -> impl Iterator<Item = String> {
    let begun = begun.to_lowercase();
    table.fields().iter().filter_map(move |field| {
        let by_heading = || {
            let heading = field.heading_as_name();
            let is_found = heading.starts_with(&begun) && table.find(&heading) == Some(field);
            is_found.then_some(field.name)
        };
        let name = field.names().find(|name| name.starts_with(&begun)).or_else(by_heading)?;
        let is_text = matches!(field.kind, Kind::Text | Kind::Choice(_));
        Some(format!("{name}{}", if is_text { "=" } else { "" }))
    })
}

/// Words of a choice, or the texts that rows have in a field, by their lower case; none for numbers and times.
fn values(
    field: &FieldRef,
    rows: Option<&dyn Rows>,
    ctx: &ViewContext,
) -> BTreeMap<String, String> {
    let mut known = BTreeMap::new();
    match field.kind() {
        Kind::Choice(words) => {
            let taken = words.iter().copied().chain(groups(words));
            known.extend(taken.map(|word| (word.to_lowercase(), word.to_owned())));
        }
        Kind::Text => {
            let Some(rows) = rows else { return known };
            for row in 0..rows.len() as u32 {
                texts(field, rows, row, ctx, &mut known);
            }
        }
        Kind::Number(_) | Kind::Time => {}
    }
    known
}

/// Index of the byte where the last term begins: behind the last blank or parenthesis that is not in quotes.
fn start_of_last(text: &str) -> usize {
    let (mut start, mut quote, mut escaped) = (0, None, false);
    for (at, c) in text.char_indices() {
        match quote {
            Some(_) if escaped => escaped = false,
            Some(_) if c == '\\' => escaped = true,
            Some(open) if c == open => quote = None,
            Some(_) => {}
            None if c.is_whitespace() || matches!(c, '(' | ')') => start = at + c.len_utf8(),
            None if matches!(c, '"' | '\'')
                && (at == start || text[..at].ends_with(['=', '~'])) =>
            {
                quote = Some(c);
            }
            None => {}
        }
    }
    start
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tabs::gpus::picture::GpuField;
    use crate::tabs::idle::picture::Field;
    use crate::view::fixture::{ctx, fleet};
    use crate::view::{Filter, TableField};

    fn completed(text: &str) -> Vec<String> {
        let fleet = fleet();
        complete(text, Field::table(), Some(&Field::rows(&fleet.rows)), &ctx())
    }

    #[test]
    fn names_of_fields_are_completed_with_the_operator_of_a_text() {
        assert_eq!(completed("tea"), ["team="]);
        assert_eq!(completed("gpu<5 and (not TEA"), ["gpu<5 and (not team="]);
        // An alias, where no name begins like this.
        assert_eq!(completed("stag"), ["stage="]);
        assert_eq!(completed("wasted_u"), ["wasted_usd"]);
        assert_eq!(completed("no_such"), [""; 0]);
        assert_eq!(completed("").len(), Field::specs().len());
    }

    #[test]
    fn a_heading_is_completed_to_the_name_of_its_field() {
        // WASTE/h and ENV: what begins so by name goes first, and no field comes twice.
        assert_eq!(completed("waste/"), ["waste_usd_per_hour"]);
        assert_eq!(completed("$/"), ["usd_per_hour"]);
        let gpus = complete("state=i", GpuField::table(), None, &ctx());
        assert_eq!(gpus, ["state=idle", "state=inefficient"]);
    }

    #[test]
    fn values_are_those_that_rows_have_and_words_of_a_choice() {
        let fleet = fleet();
        let mut teams: Vec<String> =
            fleet.rows.iter().filter_map(|r| r.team.as_deref()).map(str::to_lowercase).collect();
        teams.sort();
        teams.dedup();
        let offered = completed("team=");
        assert_eq!(offered.len(), teams.len());
        for (line, team) in offered.iter().zip(&teams) {
            assert!(line.to_lowercase().contains(team.as_str()), "{line} {team}");
            assert!(Filter::parse(Field::table(), line).is_ok(), "{line}");
        }
        assert_eq!(completed("verdict!=unk"), ["verdict!=unknown"]);
        assert_eq!(completed("team=no-such-team"), [""; 0]);
        // Sizes and moments have no values to choose from.
        assert_eq!(completed("gpu=1"), [""; 0]);
        assert_eq!(completed("gpu<"), [""; 0]);
        assert_eq!(completed("no_such=a"), [""; 0]);
    }

    #[test]
    fn blanks_in_quotes_end_no_term() {
        assert_eq!(start_of_last("a b=\"c d"), 2);
        assert_eq!(start_of_last("name='x' y"), 9);
        assert_eq!(start_of_last("name=o'neil z"), 12);
        assert_eq!(start_of_last(r#"name="a\" b"#), 0);
    }

    proptest::proptest! {
        #[test]
        fn any_text_is_completed_without_harm(text in "[a-z=~!<>\"'()\\\\ é]{0,24}") {
            for line in completed(&text) {
                let head = &text[..start_of_last(&text)];
                proptest::prop_assert!(line.starts_with(head));
            }
        }
    }
}
