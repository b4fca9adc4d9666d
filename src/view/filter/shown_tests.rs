//! What a cell shows is what a filter takes, in every list.

use std::collections::BTreeSet;

use crate::app::{App, lists};
use crate::query::{Kind, Op, comparison};
use crate::tabs;
use crate::view::{Filter, Value};

/// What a cockpit is started over, by the size of its screen.
type Start = fn((u16, u16)) -> App;

const STARTS: [Start; 8] = [
    crate::app::fixture::app,
    tabs::savings::state::fixture::app,
    tabs::storage::state::fixture::app,
    tabs::gpus::state::fixture::app,
    tabs::bill::state::fixture::app,
    tabs::teams::state::fixture::app,
    tabs::network::state::fixture::app,
    tabs::jobs::state::fixture::app,
];

/// The word of a cell without the sign or bar before it; `None` where it begins with a count: `2 rules`, `5/8 idle`.
fn word(cell: &str) -> Option<&str> {
    let word = cell.trim_start_matches(|c: char| !c.is_alphanumeric());
    (!word.starts_with(|c: char| c.is_ascii_digit())).then_some(word)
}

#[test]
fn the_word_that_a_cell_of_a_choice_shows_finds_its_row() {
    let mut fields = BTreeSet::new();
    for start in STARTS {
        let mut app = start((200, 50));
        for spec in lists() {
            (spec.show)(&mut app);
            app.prepare();
            let list = (spec.list)(&app);
            let Some(rows) = list.rows() else { continue };
            let ctx = app.table_context();
            for field in list.table().fields() {
                if !matches!(field.kind, Kind::Choice(_)) {
                    continue;
                }
                for row in 0..rows.len() as u32 {
                    if !matches!(rows.value(row, field, &ctx), Value::Text(_)) {
                        continue;
                    }
                    let cell = rows.cell(row, field, &ctx).unwrap().text;
                    let Some(word) = word(&cell) else { continue };
                    let text = comparison(field.name, Op::Eq, word);
                    let filter = Filter::parse(list.table(), &text)
                        .unwrap_or_else(|e| panic!("{}: {text}: {e}", spec.name));
                    let finds = filter.searcher().matches(&**rows, row, &ctx);
                    assert!(finds, "{}: {text} of {cell}", spec.name);
                    fields.insert((spec.name, field.name));
                }
            }
        }
    }
    for one in [("idle", "verdict"), ("gpus", "state"), ("buckets", "tiers")] {
        assert!(fields.contains(&one), "{one:?} of {fields:?}");
    }
    assert!(fields.len() > 20, "{fields:?}");
}

#[test]
fn labels_that_differ_from_their_words_are_taken_and_others_told() {
    use crate::tabs::gpus::picture::GpuField;
    use crate::tabs::idle::picture::Field;
    use crate::tabs::savings::picture::ResourceField;
    use crate::view::TableField;
    let read = |table, text| Filter::parse(table, text).map(|filter| filter.to_string());
    assert_eq!(read(GpuField::table(), "state=unallocated"), Ok("state=unallocated_idle".into()));
    assert_eq!(read(Field::table(), "verdict=\"partly idle\""), Ok("verdict=partial".into()));
    let pattern = read(ResourceField::table(), "pattern=\"office hours only\"");
    assert_eq!(pattern, Ok("pattern=office_hours".into()));
    let error = read(GpuField::table(), "state=ilde").unwrap_err();
    assert_eq!(error.message, "`state` has no `ilde`; did you mean `idle`?");
}

#[test]
fn a_bare_word_that_another_field_has_as_a_choice_is_told_with_that_field() {
    use crate::tabs::idle::picture::Field;
    use crate::tabs::jobs::picture::JobField;
    use crate::view::TableField;
    let of = |table, text| Filter::parse(table, text).unwrap().remark();
    let searched = |word: &str| format!("`{word}` is searched for in all texts");
    let idle = format!("{}; did you mean `verdict=idle`?", searched("idle"));
    assert_eq!(of(Field::table(), "env=dev and idle"), Some(idle));
    let failed = format!("{}; did you mean `state=failed`?", searched("failed"));
    assert_eq!(of(JobField::table(), "team=nlp failed"), Some(failed));
    // A word that no field knows, and one of the field itself.
    let whole = format!("{}; as part of the value: team=\"a b\"", searched("b"));
    assert_eq!(of(Field::table(), "team=a b"), Some(whole));
    assert_eq!(of(Field::table(), "verdict=busy idle"), Some(searched("idle")));
    // The name of a field, with its value behind it.
    let team = format!("{}; did you mean `team=nlp`?", searched("team"));
    assert_eq!(of(Field::table(), "team nlp"), Some(team));
    assert_eq!(of(Field::table(), "nlp team"), None);
}
