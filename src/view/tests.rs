//! Cells, filter and order on the fixture fleet.

use std::cmp::Ordering;

use super::fixture::{ascii, ctx, fleet, index};
use super::*;
use crate::domain::VerdictKind;
use crate::fleet::{Fleet, Row};
use crate::tabs::idle::picture::Field;

fn ids(fleet: &Fleet, filter: &str, sort: Sort) -> Vec<String> {
    let filter = Filter::parse(Field::table(), filter).unwrap_or_else(|e| panic!("{filter}: {e}"));
    let shown = table::select(&Field::rows(&fleet.rows), Some(&filter), sort, &ctx());
    if sort == Sort::default() {
        let rows = Field::shared(&fleet.rows.as_slice().into());
        let mut columns = filter::Columns::new(rows, ctx());
        // Once reads the columns, the second time they are there.
        for _ in 0..2 {
            assert_eq!(columns.select(&filter), shown, "{filter}");
        }
    }
    shown.into_iter().map(|i| fleet.rows[i as usize].instance.id[2..4].to_owned()).collect()
}

fn found(filter: &str) -> String {
    let mut ids = ids(&fleet(), filter, Sort::default());
    ids.sort();
    ids.join(" ")
}

fn cells(id: &str, ctx: &ViewContext) -> String {
    let fleet = fleet();
    let row = &fleet.rows[index(&fleet, id)];
    crate::tabs::idle::picture::DEFAULT_COLUMNS
        .iter()
        .map(|f| f.cell(row, ctx))
        .collect::<Vec<_>>()
        .join(" | ")
}

#[test]
fn cells_of_every_kind_of_row() {
    let rows = [
        (
            "i-0a1idle",
            "21.96 | 21.96 | $1,844 | ○ IDLE | 3d12h | 0% | 3% | 2.1 MB | 100% | nlp | train-7b-old | p4d.24xlarge",
        ),
        (
            "i-0b2part",
            "55.04 | 34.40 | $826 | ◐ 5/8 idle | 1d | 38% | 3% | 4.2 GB | 99% | vision | eval-sweep | p5.48xlarge",
        ),
        (
            "i-0c3unkn",
            "16.29 | – | – | ? UNKNOWN | – | – | 64% | – | 12% | – | notebook-17 | g5.48xlarge",
        ),
        (
            "i-0f6lic",
            "– | – | – | ○ IDLE | 2d | 0% | 3% | 2.1 MB | 100% | vision | render | g6.xlarge",
        ),
        ("i-1a7new", "0.80 | – | – | · too new | – | – | 3% | 2.1 MB | 100% | nlp | – | g6.xlarge"),
        ("i-1c9stop", "0.00 | – | – | – stopped | – | – | – | – | – | nlp | parked | p4d.24xlarge"),
        ("i-1d0late", "– | – | – | – not judged | – | – | – | – | – | core | mystery | x99.metal"),
    ];
    for (id, want) in rows {
        assert_eq!(cells(id, &ctx()), want, "{id}");
    }
}

#[test]
fn ascii_cells_are_ascii() {
    let fleet = fleet();
    for row in fleet.rows.iter().filter(|r| r.instance.name.is_ascii()) {
        for field in Field::ALL {
            let cell = field.cell(row, &ascii());
            assert!(
                cell.is_ascii() || field.spec().kind == crate::query::Kind::Text,
                "{}: {cell}",
                field.spec().name
            );
        }
    }
    assert_eq!(
        Field::Verdict.cell(&fleet.rows[index(&fleet, "i-0b2part")], &ascii()),
        "% 5/8 idle"
    );
    assert_eq!(Field::WastedUsd.cell(&fleet.rows[index(&fleet, "i-0c3unkn")], &ascii()), "-");
}

#[test]
fn verdict_words_are_distinct_and_one_column_glyphs() {
    use unicode_width::UnicodeWidthStr;
    for symbols in [Symbols::Unicode, Symbols::Ascii] {
        for (i, kind) in VerdictKind::ALL.into_iter().enumerate() {
            assert_eq!(symbols.verdict(kind).width(), 1);
            assert_eq!(crate::tabs::idle::picture::field_table::VERDICTS[i], kind.name());
            for other in &VerdictKind::ALL[i + 1..] {
                assert_ne!(symbols.verdict(kind), symbols.verdict(*other));
                assert_ne!(verdict::word(kind), verdict::word(*other));
            }
        }
    }
}

#[test]
fn filters_find_what_they_say() {
    let cases = [
        ("gpu<5 and $>10/h and team=nlp", "0a"),
        ("idle>3d or verdict=unknown", "0a 0c"),
        ("not env=prod", "0b 0c 0e 0f 1a 1b 1c 1d 1e"),
        ("env!=prod", "0c"),
        ("team=nlp", "0a 0d 1a 1c"),
        ("verdict=too-new or verdict=exempt", "1a 1b"),
        ("not verdict~e", "0b 0c 0d 1c 1d 1e"),
        ("$=21.96", "0a 1b"),
        ("not $>=0", "0f 1d"),
        ("state=stopped", "1c"),
        ("lifecycle=spot region=eu-west-1", "0d"),
        ("lifecycle=on_demand gpus=8 verdict=partial", "0b"),
        ("idle_gpus>=5", "0a 0b"),
        ("coverage<90%", "0c"),
        ("tag:CostCenter=42", "0a"),
        ("tag:costcenter=42", ""),
        ("not tag:team~\"\"", "0c 0d"),
        ("owner=asg", "0b"),
        ("owner=sweep", "0b"),
        ("waste>$0", "0a 0b"),
        ("wasted>=$826 wasted<1k", ""),
        ("wasted>$825 wasted<1k", "0b"),
        ("net>1GB/d", "0b"),
        ("memory>1TiB", "0a 0b 0c 0d 0e 1b 1c"),
        ("age<1d", "1a"),
        ("launched>=2026-03-14", "1a"),
        ("basis~live", "0d"),
        ("model=L4 vcpus=4", "0f 1a 1e"),
        // Bare words: fuzzy over the texts of a row; quoted: as they stand.
        ("ntbk", "0c"),
        ("\"note\"", "0c"),
        ("\"ntbk\"", ""),
        ("数据", "0d"),
        ("sweep idle", "0b"),
        ("i-1c9", "1c"),
        ("", "0a 0b 0c 0d 0e 0f 1a 1b 1c 1d 1e"),
    ];
    for (filter, want) in cases {
        assert_eq!(found(filter), want, "{filter}");
    }
}

#[test]
fn a_filter_matches_one_row_as_it_selects_many() {
    let fleet = fleet();
    for text in ["gpu<5", "sweep", "\"a|b\"", "not team=nlp", "owner=asg or wasted>0"] {
        let filter = Filter::parse(Field::table(), text).unwrap();
        let rows = Field::rows(&fleet.rows);
        let selected = table::select(&rows, Some(&filter), Sort::default(), &ctx());
        for row in 0..fleet.rows.len() as u32 {
            let alone = filter.searcher().matches(&rows, row, &ctx());
            assert_eq!(alone, selected.contains(&row), "{text}");
        }
    }
}

#[test]
fn errors_of_the_bound_language_suggest_names_and_aliases() {
    let message = |text: &str| Filter::parse(Field::table(), text).unwrap_err().to_string();
    assert_eq!(
        message("enviroment=x"),
        "column 1: no field `enviroment`; did you mean `environment`?"
    );
    assert_eq!(message("a verdikt=x"), "column 3: no field `verdikt`; did you mean `verdict`?");
    assert_eq!(message("verdict=ilde"), "column 9: `verdict` has no `ilde`; did you mean `idle`?");
    assert_eq!(message("tag:=x"), "column 1: no field `tag:`; a tag is written `tag:Key`");
}

#[test]
fn the_canonical_form_uses_full_names() {
    let canonical = |text: &str| Filter::parse(Field::table(), text).unwrap().to_string();
    assert_eq!(
        canonical("ENV=prod $>5 TAG:Key=v"),
        "environment=prod and usd_per_hour>5 and tag:Key=v"
    );
}

#[test]
fn order_is_stable_and_unknown_comes_last_either_way() {
    let fleet = fleet();
    let all = |field: Option<Field>, descending| {
        let field = field.map(Field::spec);
        ids(&fleet, "", Sort { field, descending }).join(" ")
    };
    let own = all(None, false);
    assert_eq!(own.split(' ').rev().collect::<Vec<_>>().join(" "), all(None, true));
    assert!(own.starts_with("0b 0a"), "costliest waste first: {own}");

    assert_eq!(
        all(Some(Field::WastedUsd), true).split(' ').take(2).collect::<Vec<_>>(),
        ["0a", "0b"]
    );
    assert_eq!(
        all(Some(Field::WastedUsd), false).split(' ').take(2).collect::<Vec<_>>(),
        ["0b", "0a"]
    );
    for descending in [false, true] {
        let order = all(Some(Field::UsdPerHour), descending);
        assert!(order.ends_with("0f 1d"), "{order}");
    }
    let names = all(Some(Field::Name), false);
    assert_eq!(names, "0e 1b 0b 1d 0c 1c 0f 1e 0a 0d 1a", "without regard to case, – last");
    let verdicts = all(Some(Field::Verdict), false);
    assert_eq!(&verdicts[..11], "0a 0f 0b 0e", "worst first: {verdicts}");
}

/// Ascending order of two rows by a field, with what is not known last; verdicts worst first, text
/// without regard to ASCII case.
fn compare(field: Field, a: &Row, b: &Row) -> Ordering {
    let folded = |text: &str| text.to_ascii_lowercase().into_bytes();
    match (field.ranked(a, &ctx()), field.ranked(b, &ctx())) {
        (Value::Unknown, Value::Unknown) => Ordering::Equal,
        (Value::Unknown, _) => Ordering::Greater,
        (_, Value::Unknown) => Ordering::Less,
        (Value::Number(x), Value::Number(y)) => x.total_cmp(&y),
        (Value::Time(x), Value::Time(y)) => x.cmp(&y),
        (Value::Text(x), Value::Text(y)) => folded(&x).cmp(&folded(&y)),
        _ => panic!("{field:?} has values of one kind"),
    }
}

/// The order of `select` is the order of `compare`, with ties in the fleet's order.
#[test]
fn select_agrees_with_compare() {
    let fleet = fleet();
    for field in Field::ALL {
        for descending in [false, true] {
            let sort = Sort { field: Some(field.spec()), descending };
            let got = table::select(&Field::rows(&fleet.rows), None, sort, &ctx());
            let mut want: Vec<u32> = (0..fleet.rows.len() as u32).collect();
            want.sort_by(|a, b| {
                let (a, b) = (&fleet.rows[*a as usize], &fleet.rows[*b as usize]);
                let known = |r| !field.value(r, &ctx()).is_unknown();
                match compare(field, a, b) {
                    o if descending && known(a) && known(b) => o.reverse(),
                    o => o,
                }
            });
            assert_eq!(got, want, "{} {descending}", field.spec().name);
        }
    }
}

#[test]
fn long_common_beginnings_still_sort() {
    let mut fleet = fleet();
    let name = |i: usize| format!("a-common-beginning-of-names-{}", 9 - i % 7);
    for (i, row) in fleet.rows.iter_mut().enumerate() {
        let row = std::sync::Arc::make_mut(row);
        std::sync::Arc::make_mut(&mut row.instance).name = name(i).into();
    }
    for descending in [false, true] {
        let sort = Sort { field: Some(Field::Name.spec()), descending };
        let order = table::select(&Field::rows(&fleet.rows), None, sort, &ctx());
        for pair in order.windows(2) {
            let key = |i: u32| (name(i as usize), i);
            let (a, b) = (key(pair[0]), key(pair[1]));
            let by_name = if descending { b.0.cmp(&a.0) } else { a.0.cmp(&b.0) };
            assert_eq!(by_name.then(a.1.cmp(&b.1)), Ordering::Less);
        }
    }
}
