//! Values of keys, as SQL over lines.

use super::super::category::Category;
use super::super::category_table::{Class, class_sql};
use super::super::column::tag_keys;
use super::super::keys::BillKey;
use super::super::settings::{BillSettings, TagIs};
use crate::domain::bill::{Charge, line_columns as line};
use crate::domain::sql::{all, any, begins, case, is_one_of, quoted};

const CLASS: &str = "class";

/// `classed AS (…)`: lines with what their kind of use is for, before tags are asked.
pub(super) fn classed() -> String {
    let class = class_sql(|class| quoted(word(class)));
    format!("classed AS (\n  SELECT\n    *,\n    {class} AS {CLASS}\n  FROM lines\n)")
}

const CLASSES: [Class; 7] = [
    Class::Compute,
    Class::Training,
    Class::Serving,
    Class::Storage,
    Class::Network,
    Class::Operations,
    Class::Fees,
];

/// Word of a class: that of its category.
const fn word(class: Class) -> &'static str {
    Category::of_class(class).word()
}

/// Value of a key; NULL where the bill does not say it.
pub(super) fn expression(
    key: &BillKey,
    settings: &BillSettings,
    has_tag: &dyn Fn(&str) -> bool,
) -> String {
    let or_null = |column: &str| format!("NULLIF({column}, '')");
    match key {
        BillKey::Category => category(settings, has_tag),
        BillKey::Service => or_null(line::SERVICE),
        BillKey::Account => or_null(line::ACCOUNT),
        BillKey::Region => or_null(line::REGION),
        BillKey::UsageType => or_null(line::USAGE_TYPE),
        BillKey::Resource => or_null(line::RESOURCE),
        BillKey::Commitment => or_null(line::COMMITMENT),
        BillKey::Day => line::DAY.to_owned(),
        BillKey::Charge | BillKey::Pricing => line::CHARGE.to_owned(),
        key => {
            let there = tag_keys(key, settings).iter().filter(|key| has_tag(key));
            let values: Vec<String> = there.map(|key| or_null(&line::tag(key))).collect();
            match &values[..] {
                [] => "CAST(NULL AS VARCHAR)".to_owned(),
                [one] => one.clone(),
                all => format!("coalesce({})", all.join(", ")),
            }
        }
    }
}

fn category(settings: &BillSettings, has_tag: &dyn Fn(&str) -> bool) -> String {
    let mut whens = vec![];
    for of in Category::ALL {
        let charges = Charge::ALL.into_iter().filter(|c| Category::of_charge(*c) == Some(of));
        let charges: Vec<&str> = charges.map(Charge::word).collect();
        if !charges.is_empty() {
            whens.push((is_one_of(line::CHARGE, &charges), quoted(of.word())));
        }
    }
    let asks: Vec<&str> = CLASSES.into_iter().filter(|c| c.asks_tags()).map(word).collect();
    for (tags, of) in
        [(&settings.training, Category::Training), (&settings.serving, Category::Serving)]
    {
        let there = tags.iter().filter(|tag| has_tag(&tag.key));
        let conditions: Vec<String> = there.map(matches).collect();
        if !conditions.is_empty() {
            let asked = all(&[is_one_of(CLASS, &asks), any(&conditions)]);
            whens.push((asked, quoted(of.word())));
        }
    }
    case(&whens, CLASS, 2)
}

/// True where a line has a tag with a value that matches.
fn matches(tag: &TagIs) -> String {
    let column = line::tag(&tag.key);
    let value = tag.value.to_ascii_lowercase();
    match value.strip_suffix('*') {
        Some("") => format!("{column} <> ''"),
        Some(prefix) => begins(&format!("lower({column})"), prefix),
        None => is_one_of(&format!("lower({column})"), &[&value]),
    }
}
