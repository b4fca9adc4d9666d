use super::*;
use crate::analyze::bill::fixture::{LineOf, bill_of, settings, usd};
use crate::analyze::bill::{BillKey, Category, breakdown};
use crate::view::fixture::ctx;
use crate::view::{Filter, Sort, TableField, Value, table};

fn rows(keys: &[BillKey]) -> std::sync::Arc<[std::sync::Arc<BillRow>]> {
    let bill = bill_of(
        "2026-10",
        &["team", "job"],
        &[
            LineOf { tags: &["web", "serve-1"], usd: "0.1", ..LineOf::default() },
            LineOf { tags: &["web", "serve-1"], usd: "0.2", day: 2, ..LineOf::default() },
            LineOf { usd: "-0.1", ..LineOf::default() },
        ],
    );
    bill_rows(&breakdown(&[bill], keys, &[], &settings()).unwrap())
}

#[test]
fn each_key_has_a_field_and_rows_have_the_fields_of_their_keys_and_the_amounts() {
    let tags = [BillKey::Tag("a".into()), BillKey::Tag("b".into())];
    for key in BillKey::ALL.into_iter().chain(tags.clone()) {
        let field = BillField::columns(std::slice::from_ref(&key))[0];
        assert_eq!(field.spec().name, key.word());
        assert!(
            field.is_of(std::slice::from_ref(&key))
                && ChangeField::columns(&[key])[0].is_of(&tags) == (field == BillField::Tag)
        );
    }
    let names = |keys: &[BillKey]| {
        BillField::columns(keys).iter().map(|f| f.spec().name).collect::<Vec<_>>()
    };
    assert_eq!(names(&tags)[..2], ["tag", "tag_2"]);
    let both = [BillKey::Team, BillKey::Category];
    assert_eq!(
        names(&both),
        ["team", "category", "effective_usd", "billed_usd", "list_usd", "share"]
    );
}

#[test]
fn amounts_are_exact_and_filters_and_order_take_them_as_numbers() {
    let rows = rows(&[BillKey::Team, BillKey::Tag("JOB".into())]);
    let (web, none) = (&rows[0], &rows[1]);
    assert_eq!(BillField::Effective.value(web, &ctx()), Value::Usd(usd("0.3")));
    assert_eq!(BillField::Effective.cell(web, &ctx()), "$0.30");
    assert_eq!(BillField::Tag.cell(web, &ctx()), "serve-1");
    assert_eq!(BillField::Team.value(none, &ctx()), Value::Unknown);
    assert_eq!(BillField::Day.value(web, &ctx()), Value::Unknown);
    let matching = |text: &str| {
        let filter = Filter::parse(BillField::table(), text).unwrap();
        let sort = Sort { field: Some(BillField::Effective.spec()), descending: false };
        table::chosen::<BillField>(&rows, Some(&filter), sort, &ctx()).len()
    };
    assert_eq!(matching("billed>0.29"), 1);
    assert_eq!(matching("tag:job=serve-1"), 1);
    assert_eq!(matching("$<0"), 1);
    assert_eq!(matching("serve"), 1);
}

#[test]
fn published_shares_stand_beside_the_categories_that_they_compare_to() {
    assert_eq!(published_shares(Category::Storage), "30–40%, 20%");
    assert_eq!(published_shares(Category::Training), "40%");
    assert_eq!(published_shares(Category::Fees), "");
}
