//! A list that nothing knows but its table of fields does what lists do.

use std::sync::Arc;

use super::{Dollars, Filtered, List, Marked};
use crate::app::Action;
use crate::view::fixture::ctx;
use crate::view::table_field::{field_table, fields};
use crate::view::{TableField, Value, ViewContext};

field_table! {
    /// The fields of a row that no tab has.
    pub enum Disk => DISKS {
        Name text "name" [] "NAME" 6 by('n') "";
        Full number(Percent) "full" ["used"] "FULL" 6 by('f') "";
        Cost number(UsdPerHour) "cost" ["$"] "$/h" 6 "";
    }
}

pub struct DiskRow {
    name: Arc<str>,
    percent_full: Option<f64>,
    usd_per_hour: Option<f64>,
}

impl TableField for Disk {
    type Row = DiskRow;

    const NOUNS: [&'static str; 2] = ["disk", "disks"];
    const SCREEN_COLUMNS: &'static [Self] = &[Self::Name, Self::Full, Self::Cost];
    const DROPPED_FIRST: &'static [Self] = &[Self::Full];

    fields!(DISKS);

    fn value<'a>(self, row: &'a DiskRow, _: &ViewContext) -> Value<'a> {
        match self {
            Self::Name => Value::text(&row.name),
            Self::Full => Value::number(row.percent_full),
            Self::Cost => Value::number(row.usd_per_hour),
        }
    }

    fn id(row: &DiskRow) -> &Arc<str> {
        &row.name
    }

    fn usd_per_hour(row: &DiskRow) -> Option<f64> {
        row.usd_per_hour
    }

    fn any_text(row: &DiskRow, mut holds: impl FnMut(&str) -> bool) -> bool {
        holds(&row.name)
    }
}

fn disk((name, percent_full, usd_per_hour): (&str, f64, f64)) -> Arc<DiskRow> {
    let known = |n: f64| n.is_finite().then_some(n);
    let (percent_full, usd_per_hour) = (known(percent_full), known(usd_per_hour));
    Arc::new(DiskRow { name: name.into(), percent_full, usd_per_hour })
}

const ROWS: [(&str, f64, f64); 4] =
    [("root", 40.0, 0.25), ("data", 90.0, 1.0), ("logs", f64::NAN, 0.5), ("spare", 5.0, f64::NAN)];

/// Brings the list up to date with `rows`, of the picture `version`; what it shows afterwards.
fn sync(list: &mut List, version: u64, rows: &[(&str, f64, f64)]) -> Vec<String> {
    let rows: Arc<[_]> = rows.iter().copied().map(disk).collect();
    list.sync((version, None), &ctx(), || Disk::shared(&rows));
    list.shown::<DiskRow>().iter().map(|row| row.name.to_string()).collect()
}

fn here(list: &List) -> String {
    list.current::<DiskRow>().unwrap().name.to_string()
}

#[test]
fn a_list_filters_and_sorts_by_its_table_of_fields_alone() {
    let mut list = List::of::<Disk>();
    assert_eq!(sync(&mut list, 1, &ROWS), ["root", "data", "logs", "spare"]);
    assert!(list.sort_by_letter('F') && !list.sort_by_letter('x'));
    assert_eq!(sync(&mut list, 1, &ROWS), ["data", "root", "spare", "logs"]);
    assert!(list.sort_by_letter('f'));
    assert_eq!(sync(&mut list, 1, &ROWS), ["spare", "root", "data", "logs"]);
    list.filter_by("used>10% or lgs").unwrap();
    assert_eq!(sync(&mut list, 1, &ROWS), ["root", "data", "logs"]);
    let error = list.filter_by("ful>10").unwrap_err();
    assert!(error.message.contains("did you mean `full`?"), "{error}");
    assert_eq!(list.filter_text(), "used>10% or lgs");
    list.clear_filter();
    list.sort_by_name(Some("name"), Some(true));
    assert_eq!(sync(&mut list, 1, &ROWS), ["spare", "root", "logs", "data"]);
}

#[test]
fn cursor_and_marks_stay_on_their_rows_when_data_change() {
    let mut list = List::of::<Disk>();
    sync(&mut list, 1, &ROWS);
    list.step(1);
    list.act(Action::Mark, 80);
    list.act(Action::Mark, 80);
    assert_eq!(here(&list), "spare");
    let both = Marked { count: 2, usd_per_hour: 1.5, ..Marked::default() };
    assert_eq!(list.marked(), Some(both));
    let newer = [("spare", 5.0, 2.0), ("new", 1.0, 1.0), ("data", 91.0, f64::NAN)];
    assert_eq!(sync(&mut list, 2, &newer), ["spare", "new", "data"]);
    assert_eq!(here(&list), "spare");
    assert_eq!(list.marked(), Some(Marked { count: 1, unpriced: 1, ..Marked::default() }));
    // A list that was not on the screen knows its place again.
    list.step(2);
    list.release();
    assert!(list.current::<DiskRow>().is_none() && list.lines() == 0);
    assert_eq!(sync(&mut list, 2, &newer), ["spare", "new", "data"]);
    assert_eq!(here(&list), "data");
    assert!(list.is_marked(&"data".into()));
}

#[test]
fn a_filter_brings_the_columns_that_say_why_rows_pass() {
    let mut list = List::with_columns(Disk::table(), vec![Disk::Name.spec()]);
    let mut shown = |filter: &str| {
        list.filter_by(filter).unwrap();
        sync(&mut list, 1, &ROWS);
        let placed = list.placement(80).columns.into_iter();
        placed.map(|column| column.field.name).collect::<Vec<_>>()
    };
    assert_eq!(shown("full>10"), ["full", "name"]);
    assert_eq!(
        shown("full>10 and name~a and cost>0"),
        ["name"],
        "one row: it says it in no column"
    );
    assert_eq!(shown("full>1 or cost>0"), ["full", "cost", "name"]);
    assert_eq!(shown(""), ["name"]);
    assert_eq!(shown("name~a"), ["name"], "it is there");
    // Nobody chose them: neither the chooser nor a saved view has them.
    list.filter_by("full>10").unwrap();
    sync(&mut list, 1, &ROWS);
    assert_eq!(list.columns(), [Disk::Name.spec()]);
    assert_eq!(list.view("a").columns, ["name"]);
}

#[test]
fn a_word_brings_the_column_that_has_it_and_is_told_as_a_comparison() {
    use crate::tabs::idle::picture::Field;
    let fleet = crate::view::fixture::fleet();
    let mut list = List::with_columns(Field::table(), vec![Field::Name.spec()]);
    list.filter_by("nlp").unwrap();
    list.sync((1, None), &ctx(), || Field::shared(&fleet.rows.clone().into()));
    let placed = list.placement(80).columns;
    assert_eq!(placed[0].field, Field::Team.spec());
    let remark = list.remark().unwrap();
    assert!(remark.ends_with("; only these: team=nlp"), "{remark}");
    // While `project` is typed a value of `env` is no reason to move the columns.
    let mut first = |filter: &str| {
        list.filter_by(filter).unwrap();
        list.sync((1, None), &ctx(), || Field::shared(&fleet.rows.clone().into()));
        list.placement(80).columns[0].field
    };
    assert_eq!(first("prod"), Field::Environment.spec());
    assert_eq!(first("pro"), Field::Name.spec());
}

#[test]
fn a_chosen_column_that_the_filter_is_about_is_left_out_after_others() {
    use crate::tabs::idle::picture::Field;
    let fleet = crate::view::fixture::fleet();
    let mut list = List::of::<Field>();
    let mut shows = |filter: &str, field: Field| {
        list.filter_by(filter).unwrap();
        list.sync((1, None), &ctx(), || Field::shared(&fleet.rows.clone().into()));
        let columns = list.placement(80).columns;
        assert!(columns.iter().any(|column| column.field == Field::Name.spec()), "{filter}");
        columns.iter().any(|column| column.field == field.spec())
    };
    assert!(!shows("", Field::Cpu) && shows("cpu>1", Field::Cpu));
    assert!(!shows("", Field::InstanceType) && shows("xlarge", Field::InstanceType));
}

#[test]
fn columns_are_chosen_moved_and_placed_by_their_table() {
    let mut list = List::of::<Disk>();
    assert_eq!(list.columns_of::<Disk>(), Disk::SCREEN_COLUMNS);
    let placed = |list: &List, width| {
        let columns = list.placement(width).columns;
        columns.iter().map(|c| c.field.name).collect::<Vec<_>>()
    };
    assert_eq!(placed(&list, 80), ["name", "full", "cost"]);
    assert_eq!(placed(&list, 17), ["name", "cost"], "what may go first went first");
    assert_eq!(list.change_columns(0, Action::ColumnDown), 1);
    assert_eq!(list.change_columns(2, Action::ToggleColumn), 2);
    assert_eq!(placed(&list, 80), ["full", "name"]);
    list.show_columns(&["COST", "no such column", "used"]);
    assert_eq!(placed(&list, 80), ["cost", "full"]);
    list.sort_by_heading(4, 80);
    assert_eq!(list.sort.field, Some(Disk::Cost.spec()));
}

#[test]
fn a_saved_view_looks_at_another_list_the_same_way() {
    let mut list = List::of::<Disk>();
    list.filter_by("full>10%").unwrap();
    list.sort_by_name(Some("cost"), None);
    list.show_columns(&["cost", "name"]);
    let view = list.view("mine");
    let mut other = List::of::<Disk>();
    other.look_as(&view).unwrap();
    assert_eq!(sync(&mut other, 1, &ROWS), ["data", "root"]);
    assert_eq!(other.columns_of::<Disk>(), [Disk::Cost, Disk::Name]);
    assert_eq!(other.view("mine"), view);
}

#[test]
fn a_filter_sums_what_it_leaves_and_counts_the_marks_that_it_hides() {
    let mut list = List::of::<Disk>();
    sync(&mut list, 1, &ROWS);
    assert_eq!(list.filtered(), None);
    list.act(Action::Mark, 80);
    list.act(Action::Mark, 80);
    list.filter_by("full>50% or not full>=0%").unwrap();
    assert_eq!(sync(&mut list, 1, &ROWS), ["data", "logs"]);
    // 1.00 + 0.50 of 0.25 + 1.00 + 0.50; of the fourth nobody knows the price.
    let field = Disk::Cost.spec();
    let dollars = Some(Dollars { field, usd: 1.5, all_usd: 1.75, unknown: 0 });
    assert_eq!(list.filtered(), Some(&Filtered { count: 2, all: 4, dollars }));
    let marked = list.marked().unwrap();
    assert_eq!((marked.count, marked.hidden, marked.usd_per_hour), (2, 1, 1.25));
    // A mark on what is seen hides nothing more.
    list.go(1);
    list.act(Action::Mark, 80);
    assert_eq!(list.marked().map(|marked| (marked.count, marked.hidden)), Some((3, 1)));
    list.filter_by("name=spare").unwrap();
    sync(&mut list, 1, &ROWS);
    assert_eq!(list.filtered(), Some(&Filtered { count: 1, all: 4, dollars: None }));
    assert_eq!(list.marked().map(|marked| marked.hidden), Some(3));
    list.clear_filter();
    sync(&mut list, 1, &ROWS);
    assert_eq!(list.filtered(), None);
    assert_eq!(list.marked().map(|marked| marked.hidden), Some(0));
}

#[test]
fn the_choices_of_a_row_have_a_letter_each_and_need_a_row() {
    let mut list = List::of::<Disk>();
    assert_eq!(list.choices(&ctx()), []);
    sync(&mut list, 1, &ROWS);
    list.show_columns(&["full"]);
    let choices = list.choices(&ctx());
    let labels: Vec<String> = choices.iter().map(|choice| choice.label(true)).collect();
    assert_eq!(labels, ["n  not name=root"], "sizes are no choice");
    list.narrow("name=nothing").unwrap();
    sync(&mut list, 1, &ROWS);
    assert_eq!(list.choices(&ctx()), []);
    assert!(list.widen() && !list.widen());
}

#[test]
fn a_filter_that_would_be_too_long_stays_as_it_was() {
    let mut list = List::of::<Disk>();
    list.narrow("name=root").unwrap();
    let long = format!("name={}", "x".repeat(2_000));
    assert!(list.narrow(&long).is_err());
    assert_eq!(list.filter_text(), "name=root");
    assert!(list.widen());
    assert_eq!(list.filter_text(), "");
}

proptest::proptest! {
    /// Quotes, keywords, operators, brackets, blanks: whatever a name is.
    #[test]
    fn the_value_of_any_row_keeps_it_and_the_opposite_drops_it(
        name in "[a-zA-Z\"'\\\\()=<>~! ]{1,12}|and|OR|not|\\PC{1,12}",
        before in proptest::sample::select(vec!["", "full>=0", "full>=0 or full<0", "not full<0"]),
    ) {
        let rows = [(name.as_str(), 40.0, 0.25), ("another disk than that", 40.0, 1.0)];
        let mut list = List::of::<Disk>();
        list.filter_by(before).unwrap();
        sync(&mut list, 1, &rows);
        let value = list.choices(&ctx()).remove(0);
        list.narrow(value.filter(false)).unwrap();
        proptest::prop_assert_eq!(sync(&mut list, 1, &rows), [name.clone()]);
        proptest::prop_assert!(list.widen());
        list.narrow(value.filter(true)).unwrap();
        proptest::prop_assert_eq!(sync(&mut list, 1, &rows), ["another disk than that"]);
        proptest::prop_assert!(list.widen());
        proptest::prop_assert_eq!(list.filter_text(), before);
    }
}

#[test]
fn a_filter_of_other_rows_chooses_none() {
    let rows: Vec<_> = ROWS.into_iter().map(disk).collect();
    let filter = crate::tabs::idle::picture::Field::table();
    let filter = crate::view::Filter::parse(filter, "not name=root").unwrap();
    let all = Disk::rows(&rows);
    assert!((0..4).all(|row| !filter.searcher().matches(&all, row, &ctx())));
}
