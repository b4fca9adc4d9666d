//! Which rows are shown, in which order.

use std::borrow::Cow;

use super::ViewContext;
use super::field::Field;
use super::field_value::{Value, compare_text, verdict_rank};
use super::filter::Filter;
use crate::fleet::{Fleet, Row};

/// The order of a table.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Sort {
    /// The field to sort by; `None` for the fleet's own order, worst first.
    pub field: Option<Field>,
    /// Largest first; for the fleet's own order, best first.
    pub descending: bool,
}

impl Sort {
    /// The order that the first press of a field's sort key gives.
    pub fn by(field: Field) -> Self {
        Self { field: Some(field), descending: field.spec().descending_first }
    }
}

/// Indices into `fleet.rows` of the rows that match, in order. Ties keep the fleet's order; what
/// is not known comes last in either direction.
///
/// Values are taken once per row and sorted as plain keys; no cell is formatted.
pub fn select(fleet: &Fleet, filter: Option<&Filter>, sort: Sort, ctx: &ViewContext) -> Vec<u32> {
    let all = 0..fleet.rows.len() as u32;
    let mut shown: Vec<u32> = match filter.filter(|f| !f.is_empty()) {
        None => all.collect(),
        Some(filter) => {
            let mut searcher = filter.searcher();
            all.filter(|i| searcher.matches(&fleet.rows[*i as usize], ctx)).collect()
        }
    };
    match sort.field {
        None if sort.descending => shown.reverse(),
        None => {}
        Some(field) => order(fleet, &mut shown, field, sort.descending, ctx),
    }
    shown
}

/// A sort key that compares as one integer: what is not known is the largest, in either direction.
type Key = u128;
const UNKNOWN: Key = Key::MAX;

fn order(fleet: &Fleet, shown: &mut Vec<u32>, field: Field, descending: bool, ctx: &ViewContext) {
    let turn = |key: Key| if descending { UNKNOWN - 1 - key } else { key };
    let mut texts: Vec<Cow<'_, str>> = Vec::new();
    let mut keyed: Vec<(Key, u32, u32)> = Vec::with_capacity(shown.len());
    for &index in &*shown {
        let row: &Row = &fleet.rows[index as usize];
        let mut text_at = 0;
        let key = if field == Field::Verdict {
            row.verdict.as_ref().map_or(UNKNOWN, |v| turn(verdict_rank(v.kind) as Key))
        } else {
            match field.value(row, ctx) {
                Value::Unknown => UNKNOWN,
                Value::Number(n) => turn(Key::from(ordered_bits(n))),
                Value::Time(t) => {
                    turn((t.as_nanosecond() as Key).wrapping_add(1 << 100) & (UNKNOWN >> 1))
                }
                Value::Text(text) => {
                    let key = turn(prefix(&text));
                    text_at = texts.len() as u32;
                    texts.push(text);
                    key
                }
            }
        };
        keyed.push((key, text_at, index));
    }
    // Indices are unique and ascend in the fleet's order, so that an unstable sort is stable.
    keyed.sort_unstable_by(|a, b| {
        a.0.cmp(&b.0)
            .then_with(|| {
                if texts.is_empty() || a.0 == UNKNOWN {
                    return std::cmp::Ordering::Equal;
                }
                let ordering = compare_text(&texts[a.1 as usize], &texts[b.1 as usize]);
                if descending { ordering.reverse() } else { ordering }
            })
            .then_with(|| a.2.cmp(&b.2))
    });
    shown.clear();
    shown.extend(keyed.iter().map(|k| k.2));
}

/// The bits of `number` in an order that is the numbers' own.
fn ordered_bits(number: f64) -> u64 {
    let bits = number.to_bits();
    if bits >> 63 == 0 { bits | 1 << 63 } else { !bits }
}

/// The first 15 bytes in lower case, as a number; 15, so that no text reaches [`UNKNOWN`].
fn prefix(text: &str) -> Key {
    let mut key = 0;
    let bytes = text.as_bytes();
    for i in 0..15 {
        key = key << 8 | Key::from(bytes.get(i).map_or(0, u8::to_ascii_lowercase));
    }
    key
}
