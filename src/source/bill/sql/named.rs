//! Columns of a table under names of their own: texts without blanks and never NULL, amounts as decimals of 18 places.

use super::super::fields::{Amount, Moment, Target, Text, snake, squash};
use super::super::layout::{Source, Use};
use super::super::maps::PRODUCT;
use super::super::tags::{CATEGORY, MapKind};
use super::{BillTable, NotInSql, amount_name, moment_name, text_name};
use crate::domain::bill::line_columns as line;
use crate::domain::sql::{column, names, quoted};

/// Stands between the keys of a map when they are one text: no key has it.
const SEPARATOR: &str = "chr(31)";

/// A column, as text, without blanks; NULL where it is empty.
fn text(name: &str) -> String {
    format!("NULLIF(trim(CAST({} AS VARCHAR)), '')", column(name))
}

/// An amount. Binary numbers become text first: the shortest decimal that reads back as them.
fn amount(name: &str) -> String {
    format!("CAST({} AS DECIMAL(38,18))", text(name))
}

fn moment(name: &str) -> String {
    // 2026-10-01T00:00:00Z and 2026-10-01 00:00:00.000
    let cut = format!("substr(CAST({} AS VARCHAR), 1, 19)", column(name));
    format!("CAST(NULLIF(replace(replace({cut}, 'T', ' '), 'Z', ''), '') AS TIMESTAMP)")
}

/// Value of a map; NULL where it has no such key.
fn entry(map: &str, keys: &str, key: &str) -> String {
    let map = column(map);
    let place = format!("NULLIF(array_position({keys}, {}), 0)", quoted(key));
    format!("NULLIF(trim(map_values({map})[{place}]), '')")
}

/// Keys of a map in lower case, a column of the rows.
fn lower_keys(map: &str) -> String {
    column(&format!("{}_keys", map.to_ascii_lowercase()))
}

/// Values of a map under a key as written, in another case, and as tables spell it.
fn tag_entries(map: &str, key: &str) -> Vec<String> {
    let lower = key.to_ascii_lowercase();
    let table: String =
        lower.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
    let snake = snake(key).replace(['-', ':', '.'], "_");
    let exact = [key.to_owned(), format!("user:{key}"), format!("user_{key}")];
    let own = format!("map_keys({})", column(map));
    let mut out: Vec<String> = exact.iter().map(|key| entry(map, &own, key)).collect();
    let mut others: Vec<String> = vec![];
    for spelling in [lower, table, snake, squash(key)] {
        for key in [spelling.clone(), format!("user:{spelling}"), format!("user_{spelling}")] {
            if !others.contains(&key) {
                others.push(key);
            }
        }
    }
    out.extend(others.iter().map(|key| entry(map, &lower_keys(map), key)));
    out
}

/// The first that is not empty, in lines of their own; `otherwise` where all are.
fn first(all: &[String], otherwise: Option<&str>) -> String {
    let all: Vec<&str> = all.iter().map(String::as_str).chain(otherwise).collect();
    match all[..] {
        [] => "CAST(NULL AS VARCHAR)".to_owned(),
        [one] => one.to_owned(),
        [one, other] => format!("coalesce({one}, {other})"),
        _ => format!("coalesce({})", all.join(",\n      ")),
    }
}

/// `WITH bill_rows AS (…), named AS (…)`: the rows of the period, and those columns that `charged` names.
pub(super) fn expressions(
    table: &BillTable,
    tags: &[usize],
    charged: &str,
) -> Result<String, NotInSql> {
    let layout = &table.layout;
    let of = |target: Target| -> Vec<&str> {
        let of_target = |source: &&Source| source.r#use == Use::Value(target);
        layout.sources.iter().filter(of_target).map(|source| &*source.name).collect()
    };
    let maps = |wanted: MapKind| {
        let of_kind = move |source: &&Source| source.r#use == Use::Map(wanted);
        layout.sources.iter().filter(of_kind).map(|source| &*source.name)
    };
    let mut columns: Vec<String> = vec![];
    let mut put = |value: String, name: &str| columns.push(format!("    {value} AS {name}"));
    for known in Text::ALL.iter().filter(|known| names(charged, text_name(**known))) {
        let mut all: Vec<String> = of(Target::Text(*known)).into_iter().map(text).collect();
        for (key, _) in PRODUCT.iter().filter(|(_, text)| text == known) {
            for map in maps(MapKind::Product) {
                let map = table.map(map)?;
                all.push(entry(map, &format!("map_keys({})", column(map)), key));
            }
        }
        match known {
            Text::Service => all.extend(of(Target::Text(Text::ServiceCode)).into_iter().map(text)),
            Text::Commitment => {
                all.extend(of(Target::Text(Text::Reservation)).into_iter().map(text));
            }
            _ => {}
        }
        let or = |otherwise| first(&all, Some(otherwise));
        let value = match known {
            // Global services have no region.
            Text::Region => {
                format!("regexp_replace({}, '^[Gg][Ll][Oo][Bb][Aa][Ll]$', '')", or("''"))
            }
            Text::Currency => format!("upper({})", or("'USD'")),
            _ => or("''"),
        };
        put(value, text_name(*known));
    }
    if names(charged, line::RESOURCE) {
        let all: Vec<String> = of(Target::Resource).into_iter().map(text).collect();
        put(first(&all, Some("''")), line::RESOURCE);
    }
    for tag in tags {
        let key = &table.tag_keys[*tag];
        let mut all = vec![];
        for source in &layout.sources {
            match source.r#use {
                Use::Value(Target::Tag(of)) if of == *tag => all.push(text(&source.name)),
                Use::Map(kind) => {
                    let category = key.strip_prefix(CATEGORY);
                    let key = match kind {
                        MapKind::Product => continue,
                        MapKind::Tags if category.is_none() => &**key,
                        MapKind::Categories => match category {
                            Some(name) => name,
                            None => continue,
                        },
                        MapKind::Tags => continue,
                    };
                    all.extend(tag_entries(table.map(&source.name)?, key));
                }
                Use::Value(_) => {}
            }
        }
        put(first(&all, Some("''")), &line::tag(key));
    }
    for known in Amount::ALL.iter().filter(|known| names(charged, amount_name(**known))) {
        let column = of(Target::Amount(*known)).first().map(|name| amount(name));
        put(
            column.unwrap_or_else(|| "CAST(NULL AS DECIMAL(38,18))".to_owned()),
            amount_name(*known),
        );
    }
    if names(charged, "quantity") {
        let all: Vec<String> = of(Target::Quantity)
            .into_iter()
            .map(|name| format!("CAST({} AS DOUBLE)", text(name)))
            .collect();
        put(first(&all, Some("0")), "quantity");
    }
    for known in Moment::ALL.iter().filter(|known| names(charged, moment_name(**known))) {
        let column = of(Target::Moment(*known)).first().map(|name| moment(name));
        put(column.unwrap_or_else(|| "CAST(NULL AS TIMESTAMP)".to_owned()), moment_name(*known));
    }
    let columns = columns.join(",\n");
    Ok(format!("{}\nnamed AS (\n  SELECT\n{columns}\n  FROM bill_rows\n)", rows(table, &columns)))
}

/// `WITH bill_rows AS (…),`: the rows of the period that divide no other one's cost, with the keys of maps in lower case.
fn rows(table: &BillTable, named: &str) -> String {
    let mut keys = String::new();
    let mut conditions = table.partitions.clone();
    let mut moments = vec![];
    for source in &table.layout.sources {
        match source.r#use {
            Use::Map(_) if names(named, &lower_keys(&source.name)) => {
                let map = column(&source.name);
                let all = format!("lower(concat_ws({SEPARATOR}, map_keys({map})))");
                keys +=
                    &format!(",\n    split({all}, {SEPARATOR}) AS {}", lower_keys(&source.name));
            }
            Use::Value(Target::SplitParent) => {
                // Parts of other rows.
                conditions.push(format!("{} IS NULL", text(&source.name)));
            }
            Use::Value(Target::Moment(moment @ (Moment::Period | Moment::Start))) => {
                moments.push((moment as u8, text(&source.name)));
            }
            _ => {}
        }
    }
    moments.sort();
    let moments: Vec<String> = moments.into_iter().map(|(_, text)| text).collect();
    let month = quoted(&table.period.to_string());
    let begin = match &moments[..] {
        [one] => one.clone(),
        all => format!("coalesce({})", all.join(", ")),
    };
    conditions.push(format!("substr({begin}, 1, 7) = {month}"));
    let conditions = conditions.join("\n    AND ");
    let name = &table.name;
    format!(
        "WITH bill_rows AS (\n  SELECT *{keys}\n  FROM {name} AS bill_table\n  WHERE {conditions}\n),"
    )
}
