//! Costs of a line as SQL, by the types of CUR's line items and the rule of each.

use super::super::amounts::{AWS_PLACES, Effective, UnusedBy, is_unlisted, made};
use super::super::fields::{Amount, Text};
use super::super::layout::Layout;
use super::super::rules::{LINE_TYPES, LineType, Rule, Told};
use super::{amount_name, text_name};
use crate::domain::bill::{Charge, line_columns as line};
use crate::domain::sql::{any, case, is_one_of, quoted};

/// Column with the type of a line item.
pub(super) const LINE_TYPE: &str = text_name(Text::Charge);

/// True for a line of a type of CUR.
fn is_of(of: &LineType) -> String {
    match of.told {
        Told::Is(word) => is_one_of(LINE_TYPE, &[word]),
        Told::OfReservation(word) => {
            let reservation = text_name(Text::Reservation);
            format!("{} AND {reservation} <> ''", is_one_of(LINE_TYPE, &[word]))
        }
        Told::Ends(end) => format!("{LINE_TYPE} LIKE '%{end}'"),
    }
}

/// True for a line of any of these types.
pub(super) fn is_any_of(types: &[&LineType]) -> String {
    let (mut words, mut conditions) = (vec![], vec![]);
    for of in types {
        match of.told {
            Told::Is(word) => words.push(word),
            _ => conditions.push(is_of(of)),
        }
    }
    if !words.is_empty() {
        conditions.insert(0, is_one_of(LINE_TYPE, &words));
    }
    any(&conditions)
}

/// Types by what `value` makes of them, those with the same value together, in the order of the first of them; without
/// those of which it makes nothing.
pub(super) fn by_value<T: PartialEq>(value: impl Fn(&LineType) -> Option<T>) -> Vec<(String, T)> {
    let mut groups: Vec<(Vec<&LineType>, T)> = vec![];
    for of in LINE_TYPES {
        let Some(value) = value(of) else { continue };
        match groups.iter_mut().find(|(_, other)| *other == value) {
            Some((types, _)) => types.push(of),
            None => groups.push((vec![of], value)),
        }
    }
    groups.into_iter().map(|(types, value)| (is_any_of(&types), value)).collect()
}

/// Effective cost, and that net of private discounts.
pub(super) fn effective(layout: &Layout) -> (String, String) {
    let billed = amount_name(Amount::Billed);
    let net_billed = amount_name(Amount::NetBilled);
    let costs = |rule: Rule| match made(rule, layout).0 {
        Effective::Billed => {
            (format!("coalesce({billed}, 0)"), format!("coalesce({net_billed}, {billed}, 0)"))
        }
        Effective::Nothing => ("0".to_owned(), "0".to_owned()),
        Effective::Column(column, net) => {
            let column = amount_name(column);
            let net = net.map_or_else(String::new, |net| format!("{}, ", amount_name(net)));
            (format!("coalesce({column}, 0)"), format!("coalesce({net}{column}, 0)"))
        }
    };
    if layout.is_focus() {
        return costs(Rule::Said);
    }
    let (billed, net) = costs(Rule::AsBilled);
    let other = |of: &LineType| {
        let is_other = made(of.rule, layout).0 != Effective::Billed;
        is_other.then(|| costs(of.rule))
    };
    let whens = by_value(|of| other(of).map(|(effective, _)| effective));
    let net_whens = by_value(|of| other(of).map(|(_, net)| net));
    (case(&whens, &billed, 4), case(&net_whens, &net, 4))
}

/// Cost at list prices; NULL where it is not said.
pub(super) fn list(layout: &Layout) -> String {
    let list = amount_name(Amount::List);
    let said = if layout.has(Amount::ListRate) {
        let rate = amount_name(Amount::ListRate);
        let product = format!("CAST({rate} AS DOUBLE) * quantity");
        format!("coalesce({list}, CAST(CAST({product} AS VARCHAR) AS DECIMAL(38,18)))")
    } else {
        list.to_owned()
    };
    // By what it charges for, or by its type alone.
    let purchase = quoted(Charge::Purchase.word());
    let mut whens = vec![(format!("{} = {purchase}", line::CHARGE), "0".to_owned())];
    if !layout.is_focus() {
        let is_other =
            |of: &LineType| of.charge != Charge::Purchase && is_unlisted(of.charge, of.rule);
        whens.extend(by_value(|of| is_other(of).then(|| "0".to_owned())));
    }
    case(&whens, &said, 4)
}

/// What of a commitment nothing used, and that net of private discounts; `None` where no line says it.
pub(super) fn unused(layout: &Layout) -> Option<(String, String)> {
    let or_0 = |amount: Amount| format!("coalesce({}, 0)", amount_name(amount));
    let costs = |of: &LineType| match made(of.rule, layout).1 {
        UnusedBy::None | UnusedBy::Rest => None,
        UnusedBy::Plan => {
            let rest = format!("{} - {}", or_0(Amount::PlanCommitment), or_0(Amount::PlanUsed));
            let rest = format!("CAST(round({rest}, {AWS_PLACES}) AS DECIMAL(38,18))");
            Some((rest.clone(), rest))
        }
        UnusedBy::Reservation => {
            let [upfront, recurring] =
                [Amount::NetUnusedUpfront, Amount::NetUnusedRecurring].map(amount_name);
            let said =
                format!("{} + {}", or_0(Amount::UnusedUpfront), or_0(Amount::UnusedRecurring));
            let net =
                format!("coalesce({upfront} + coalesce({recurring}, 0), {recurring}, {said})");
            Some((said, net))
        }
    };
    let whens = by_value(|of| costs(of).map(|(unused, _)| unused));
    let net_whens = by_value(|of| costs(of).map(|(_, net)| net));
    (!layout.is_focus()).then(|| (case(&whens, "0", 4), case(&net_whens, "0", 4)))
}
