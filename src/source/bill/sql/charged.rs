//! What each line charges for, and its costs, by the rules of the fold.

use std::sync::Arc;

use super::super::amounts::{UnusedBy, made};
use super::super::fields::{Amount, Text};
use super::super::layout::Layout;
use super::super::rules::{
    CATEGORIES, CORRECTION, LINE_TYPES, LineType, SUPPORT_CODES, SUPPORT_NAME,
};
use super::super::slot::DAY_AT_MOST_HOURS;
use super::costs::{LINE_TYPE, by_value, effective, is_any_of, list, unused};
use super::{amount_name, text_name};
use crate::domain::bill::{Charge, Month, TransferPath, line_columns as line};
use crate::domain::sql::{all, any, begins, case, holds, is_one_of, quoted};

/// `typed AS (…), charged AS (…), …, lines AS (…)` over `named`: lines with the columns of `kept`, tags and costs.
pub(super) fn expressions(
    layout: &Layout,
    kept: &[&str],
    tags: &[usize],
    tag_keys: &[Arc<str>],
    period: Month,
) -> String {
    let has = |column| kept.contains(&column);
    let is_made = |column: &str| {
        [line::DAY, line::CHARGE, line::IS_NETWORK, line::LINE_ITEMS, line::WITHOUT_LIST]
            .contains(&column)
    };
    let plain = kept.iter().filter(|column| !is_made(column)).map(|column| (*column).to_owned());
    let plain = plain.chain(tags.iter().map(|tag| line::tag(&tag_keys[*tag])));
    let mut groups: Vec<String> = plain.collect();
    let mut typed = vec!["*".to_owned(), format!("{} AS {}", charge(layout), line::CHARGE)];
    if has(line::IS_NETWORK) {
        typed.push(format!("{} AS {}", TransferPath::sql_meter(), line::METER));
    }
    let pool = (!layout.is_focus()).then(|| pool(layout)).flatten();
    if pool.is_some() && !has(line::COMMITMENT) {
        groups.push(line::COMMITMENT.to_owned());
    }
    let mut charged = [groups.clone(), vec![line::CHARGE.to_owned()]].concat();
    let mut put = |value: &str, name: &str| charged.push(format!("{value} AS {name}"));
    if has(line::DAY) || pool.is_some() {
        put(&day(period), line::DAY);
        groups.push(line::DAY.to_owned());
    }
    let is_use = format!("{} = {}", line::CHARGE, quoted(Charge::Usage.word()));
    if has(line::IS_NETWORK) {
        let fits = TransferPath::sql_condition().replace(" OR ", "\n      OR ");
        put(&format!("{is_use} AND {fits}"), line::IS_NETWORK);
        groups.push(line::IS_NETWORK.to_owned());
    }
    put(&format!("coalesce({}, 0)", amount_name(Amount::Billed)), "billed");
    let (effective, net) = effective(layout);
    put(&effective, "effective");
    put(&list(layout), "list");
    put(&net, "net");
    let unused = unused(layout);
    if let Some((unused, net)) = &unused {
        put(unused, "unused");
        put(net, "net_unused");
    }
    if let Some(pool) = &pool {
        put(&pool.part, "pool");
        put(
            &format!("CASE WHEN {} THEN NULL ELSE {} END", pool.is_of_period, line::DAY),
            "pool_day",
        );
    }
    let without_list = format!("CASE WHEN {is_use} AND list IS NULL THEN 1 ELSE 0 END");
    let mut lines = groups.clone();
    if pool.is_some() {
        // Over the whole period fees and use leave a rest that has no day.
        let day = format!(
            "CASE WHEN part = 1 AND pool = 'fee' THEN pool_day ELSE {0} END AS {0}",
            line::DAY
        );
        lines
            .iter_mut()
            .filter(|column| **column == line::DAY)
            .for_each(|column| column.clone_from(&day));
    }
    let counts = match &pool {
        Some(_) => [line::LINE_ITEMS.to_owned(), line::WITHOUT_LIST.to_owned()],
        None => ["1".to_owned(), without_list.clone()],
    };
    let rest = |name: &str| match &pool {
        Some(_) => format!("{name} + pool_rest"),
        None => name.to_owned(),
    };
    for (whole, rest, name) in [
        (line::CHARGE, quoted(Charge::Usage.word()), line::CHARGE),
        ("billed", "0".to_owned(), "billed"),
        ("effective", rest("unused"), "effective"),
        ("list", "0".to_owned(), "list"),
        ("net", rest("net_unused"), "net"),
        (&*counts[0], "0".to_owned(), line::LINE_ITEMS),
        (&*counts[1], "0".to_owned(), line::WITHOUT_LIST),
    ] {
        let value = match unused {
            Some(_) => format!("CASE WHEN part = 0 THEN {whole} ELSE {rest} END"),
            None => whole.to_owned(),
        };
        lines.push(if value == name { value } else { format!("{value} AS {name}") });
    }
    // A fee of a commitment is two lines: the purchase, and what of it nothing used. Not by UNION, which would read the
    // table twice.
    let parts = " CROSS JOIN (VALUES (0), (1)) AS parts(part)\n  WHERE part = 0";
    let from = match (&unused, &pool) {
        (None, _) => "charged".to_owned(),
        (Some(_), None) => format!("charged{parts} OR unused <> 0 OR net_unused <> 0"),
        (Some(_), Some(_)) => {
            format!("rested{parts} OR {} <> 0 OR {} <> 0", rest("unused"), rest("net_unused"))
        }
    };
    let mut all = vec![table("typed", &typed, "named"), table("charged", &charged, "typed")];
    if pool.is_some() {
        all.extend(pooled(&groups, &without_list));
    }
    all.push(table("lines", &lines, &from));
    all.join(",\n")
}

fn table(name: &str, columns: &[String], from: &str) -> String {
    format!("{name} AS (\n  SELECT\n    {}\n  FROM {from}\n)", columns.join(",\n    "))
}

/// How fees that do not say their unused part are told, and what they cover.
struct Pool {
    /// `fee`, `covered`, or nothing.
    part: String,
    /// True where fees and use are compared over the whole period.
    is_of_period: String,
}

/// `None` where the table says of all fees what of them nothing used.
fn pool(layout: &Layout) -> Option<Pool> {
    let of = |fits: &dyn Fn(&LineType) -> bool| {
        is_any_of(&LINE_TYPES.iter().filter(|of| fits(of)).collect::<Vec<_>>())
    };
    let is_fee = |of: &LineType| made(of.rule, layout).1 == UnusedBy::Rest;
    if !LINE_TYPES.iter().any(is_fee) {
        return None;
    }
    let whens = [(of(&is_fee), quoted("fee")), (of(&|of| of.rule.is_covered()), quoted("covered"))];
    let is_of_period = of(&|of| of.rule.is_of_period());
    Some(Pool { part: case(&whens, "''", 4), is_of_period })
}

/// Sums by all that is asked for, then what their fees less the cost of what they cover leave. Sums first, for windows
/// over all lines are too large.
fn pooled(groups: &[String], without_list: &str) -> [String; 2] {
    let groups = [groups, &[line::CHARGE, "pool", "pool_day"].map(str::to_owned)].concat();
    let mut columns = groups.clone();
    for cost in ["billed", "effective", "list", "net", "unused", "net_unused"] {
        columns.push(format!("sum({cost}) AS {cost}"));
    }
    columns.push(format!("count(*) AS {}", line::LINE_ITEMS));
    columns.push(format!("sum({without_list}) AS {}", line::WITHOUT_LIST));
    let places: Vec<String> = (1..=groups.len()).map(|place| place.to_string()).collect();
    let pooled = table("pooled", &columns, &format!("charged\n  GROUP BY {}", places.join(", ")));
    let over = |part: &str, cost: &str| {
        let of_pool = format!("PARTITION BY {}, pool_day", line::COMMITMENT);
        format!("sum(CASE WHEN pool = '{part}' THEN {cost} ELSE 0 END) OVER ({of_pool})")
    };
    let order = format!(
        "row_number() OVER (PARTITION BY {}, pool_day, pool ORDER BY {})",
        line::COMMITMENT,
        groups.join(", ")
    );
    let rest =
        format!("greatest({}\n      - {}, 0)", over("fee", "billed"), over("covered", "effective"));
    let rest = format!(
        "CASE WHEN pool = 'fee' AND {order} = 1\n      THEN {rest} ELSE 0 END AS pool_rest"
    );
    [pooled, table("rested", &["*".to_owned(), rest], "pooled")]
}

/// Day of a line; NULL for one that is longer than a day, and outside the period.
fn day(period: Month) -> String {
    let moment = |of: Month| format!("TIMESTAMP '{} 00:00:00'", of.first());
    let (begin, end) = (moment(period), moment(period.plus(1)));
    let inside = format!("starts >= {begin} AND starts < {end}");
    let long = format!("coalesce(ends > starts + INTERVAL '{DAY_AT_MOST_HOURS}' HOUR, FALSE)");
    format!(
        "CASE WHEN {inside}\n      AND NOT {long}\n      THEN substr(CAST(starts AS VARCHAR), 1, 10) END"
    )
}

/// True for AWS Support.
fn support() -> String {
    let code = line::SERVICE_CODE;
    let codes = SUPPORT_CODES.map(|(begin, part)| all(&[begins(code, begin), holds(code, part)]));
    let name = all(&[format!("{code} = ''"), begins(line::SERVICE, SUPPORT_NAME)]);
    let mut conditions = codes.to_vec();
    conditions.push(name);
    any(&conditions)
}

fn charge(layout: &Layout) -> String {
    let whens = if layout.is_focus() { focus_charges() } else { cur_charges() };
    let whens: Vec<_> =
        whens.into_iter().map(|(when, charge)| (when, quoted(charge.word()))).collect();
    case(&whens, &quoted(Charge::Usage.word()), 4)
}

/// What lines of CUR charge for. Those whose support has to be told come last: no line fits them and another type, but
/// for fees of reservations, which come before.
fn cur_charges() -> Vec<(String, Charge)> {
    let last: Vec<&LineType> = LINE_TYPES.iter().filter(|of| of.may_be_support()).collect();
    let mut whens = by_value(|of| (!of.may_be_support()).then_some(of.charge));
    whens.push((all(&[is_any_of(&last), support()]), Charge::Support));
    let others = |of: &LineType| of.may_be_support() && of.charge != Charge::Usage;
    whens.extend(by_value(|of| others(of).then_some(of.charge)));
    whens
}

/// Category of charges of FOCUS that are of one of `wanted`, before corrections, support and commitments are told.
fn is_category(wanted: &[Charge]) -> String {
    let words = CATEGORIES.iter().filter(|(_, charge)| wanted.contains(charge));
    let words: Vec<&str> = words.map(|(word, _)| *word).collect();
    is_one_of(&format!("lower({LINE_TYPE})"), &words)
}

/// What lines of FOCUS charge for.
fn focus_charges() -> Vec<(String, Charge)> {
    let either = is_category(&[Charge::Usage, Charge::Fee]);
    let class = format!("lower({})", text_name(Text::ChargeClass));
    let pays = format!("{} <> ''", line::COMMITMENT);
    let mut whens = vec![
        (all(&[either.clone(), is_one_of(&class, &[CORRECTION])]), Charge::Adjustment),
        (all(&[either, support()]), Charge::Support),
        (all(&[is_category(&[Charge::Fee]), pays]), Charge::Purchase),
    ];
    let others = CATEGORIES.iter().filter(|(_, charge)| *charge != Charge::Usage);
    whens.extend(others.map(|(_, charge)| (is_category(&[*charge]), *charge)));
    whens
}
