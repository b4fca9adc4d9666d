//! What completes a filter at its end: names of fields, and the values that rows have.

use std::collections::BTreeMap;

use super::ViewContext;
use super::filter::{FieldRef, texts};
use super::rows::Rows;
use super::table_field::{FieldSpec, FieldTable};
use crate::query::{FieldName, Kind, Op, comparison, groups};

/// Most values that are offered.
const MAX_VALUES: usize = 200;

/// Operators that compare texts, longer signs before their beginnings.
const OPERATORS: [(&str, Op); 5] =
    [("==", Op::Eq), ("=", Op::Eq), ("!=", Op::Ne), ("!~", Op::NotContains), ("~", Op::Contains)];

/// Filters that begin with `text` and have its last word completed: the name of a field, behind an operator a value of one of
/// `rows` or one of the words that the field knows; what begins no name, as the value that it begins, with its field. Empty
/// where nothing fits.
pub fn complete(
    text: &str,
    table: &'static dyn FieldTable,
    rows: Option<&dyn Rows>,
    ctx: &ViewContext,
) -> Vec<String> {
    let (head, term) = text.split_at(text.len() - last_term(text).len());
    let Some(at) = term.find(['=', '~', '!', '<', '>']) else {
        let named = fields(term, table);
        let found = if named.is_empty() { having(term, table, rows, ctx) } else { named };
        return found.into_iter().map(|name| format!("{head}{name}")).collect();
    };
    let (name, rest) = term.split_at(at);
    let operator = OPERATORS.iter().find_map(|(sign, op)| Some((*op, rest.strip_prefix(*sign)?)));
    let Some((field, (op, value))) = FieldRef::resolve(name, table).zip(operator) else {
        return Vec::new();
    };
    // Of several values the last one is begun.
    let (listed, value) = match value.rsplit_once(',') {
        Some((listed, value)) if !listed.starts_with(['"', '\'']) => (Some(listed), value),
        _ => (None, value),
    };
    let begun = value.trim_start_matches(['"', '\'']).to_lowercase();
    let whole = |value: String| {
        let one = comparison(name, op, &value);
        let Some(listed) = listed else { return Some(format!("{head}{one}")) };
        // What has to be quoted is no part of a list.
        let before = one.strip_suffix(&value)?;
        Some(format!("{head}{before}{listed},{value}"))
    };
    let fitting = values(&field, &begun, rows, ctx).into_values();
    fitting.filter_map(whole).take(MAX_VALUES).collect()
}

/// An example of a filter of these rows: several texts of a field, and an amount.
pub fn example(table: &'static dyn FieldTable) -> String {
    let is_text = |field: &&FieldSpec| field.kind == Kind::Text;
    let named = table.find("name").filter(is_text);
    let text = named.or_else(|| table.screen_columns().into_iter().find(is_text));
    let text = text.map(|field| format!("{}=a,b", field.name));
    let dollars = table.find("$").map(|_| "$>10".to_owned());
    text.into_iter().chain(dollars).collect::<Vec<_>>().join(" or ")
}

/// Names of fields that begin with `begun`, an alias where the name does not; of a field of which only the heading begins so,
/// its name. With the operator of a text. The dollars come first where it begins a word for them.
fn fields(begun: &str, table: &'static dyn FieldTable) -> Vec<String> {
    let begun = begun.to_lowercase();
    let dollars = if <dyn FieldTable>::dollars_begin_with(&begun) { table.find("$") } else { None };
    let of = |field: &'static FieldSpec| {
        let by_heading = || {
            let heading = field.heading_as_name();
            let is_found = heading.starts_with(&begun) && table.find(&heading) == Some(field);
            (is_found || dollars == Some(field)).then_some(field.name)
        };
        let name = field.names().find(|name| name.starts_with(&begun)).or_else(by_heading)?;
        let is_text = matches!(field.kind, Kind::Text | Kind::Choice(_));
        Some(format!("{name}{}", if is_text { "=" } else { "" }))
    };
    let others = table.fields().iter().filter(|field| dollars != Some(*field));
    dollars.into_iter().chain(others).filter_map(of).collect()
}

/// Comparisons with the texts of rows that begin with `begun`: first those that are it, then in the order of the fields.
fn having(
    begun: &str,
    table: &'static dyn FieldTable,
    rows: Option<&dyn Rows>,
    ctx: &ViewContext,
) -> Vec<String> {
    let begun = begun.to_lowercase();
    let texts = table.fields().iter().filter(|field| field.kind == Kind::Text);
    let of = |field: &'static FieldSpec| {
        let told = |(folded, value): (String, String)| {
            (folded != begun, comparison(field.name, Op::Eq, &value))
        };
        let fitting = values(&FieldRef::Field(field), &begun, rows, ctx).into_iter();
        fitting.map(told).collect::<Vec<_>>()
    };
    let mut found: Vec<_> = texts.filter(|_| !begun.is_empty()).flat_map(of).collect();
    found.sort_by_key(|(is_longer, _)| *is_longer);
    found.into_iter().map(|(_, comparison)| comparison).take(MAX_VALUES).collect()
}

/// Words of a choice, or the texts that rows have in a field, which begin with `begun`, by their lower case; none for numbers
/// and times.
fn values(
    field: &FieldRef,
    begun: &str,
    rows: Option<&dyn Rows>,
    ctx: &ViewContext,
) -> BTreeMap<String, String> {
    let mut known = BTreeMap::new();
    match field.kind() {
        Kind::Choice(words) => {
            let taken = words.iter().copied().chain(groups(words));
            let words = taken.map(|word| (word.to_lowercase(), word.to_owned()));
            known.extend(words.filter(|(folded, _)| folded.starts_with(begun)));
        }
        Kind::Text => {
            let Some(rows) = rows else { return known };
            for row in 0..rows.len() as u32 {
                texts(field, rows, row, ctx, begun, &mut known);
            }
        }
        Kind::Number(_) | Kind::Time => {}
    }
    known
}

/// The last term of a filter, which is being typed.
pub fn last_term(text: &str) -> &str {
    &text[start_of_last(text)..]
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
    use crate::tabs::bill::picture::BillField;
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
    fn what_begins_no_name_is_completed_to_the_value_it_begins_with_its_field() {
        assert_eq!(completed("nlp"), ["team=nlp"]);
        assert_eq!(completed("gpu<5 and nlp"), ["gpu<5 and team=nlp"]);
    }

    #[test]
    fn a_heading_is_completed_to_the_name_of_its_field() {
        // WASTE/h and ENV: what begins so by name goes first, and no field comes twice.
        assert_eq!(completed("waste/"), ["waste_usd_per_hour"]);
        assert_eq!(completed("$/"), ["usd_per_hour"]);
        let gpus = complete("state=i", GpuField::table(), None, &ctx());
        assert_eq!(gpus, ["state=idle", "state=idle_in_job", "state=inefficient"]);
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
    fn the_dollars_come_before_what_only_begins_like_a_word_for_them() {
        let bill = |text| complete(text, BillField::table(), None, &ctx());
        assert_eq!(bill("cost"), ["effective_usd", "cost_center="]);
        assert_eq!(bill("cos"), ["effective_usd", "cost_center="]);
        assert_eq!(bill("co"), ["commitment=", "cost_center="]);
        assert_eq!(bill("price"), ["effective_usd"]);
        let parsed = Filter::parse(BillField::table(), "cost>100").unwrap();
        assert_eq!(parsed.to_string(), "effective_usd>100");
        assert_eq!(example(BillField::table()), "service=a,b or $>10");
        assert_eq!(example(Field::table()), "name=a,b or $>10");
    }

    #[test]
    fn of_several_values_the_last_one_is_completed() {
        let one = completed("team=nl");
        assert_eq!(one, ["team=nlp"]);
        assert_eq!(completed("gpu<5 and team=vision,nl"), ["gpu<5 and team=vision,nlp"]);
        for line in completed("name=a,") {
            assert!(Filter::parse(Field::table(), &line).is_ok(), "{line}");
        }
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
