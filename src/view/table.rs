//! Which rows are shown, in which order.

use std::borrow::Cow;
use std::sync::Arc;

use super::ViewContext;
use super::filter::Filter;
use super::rows::Rows;
use super::table_field::{FieldSpec, TableField};
use super::value::Value;

/// Order of a list.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sort {
    /// Field to sort by; `None` = the rows' own order, worst first.
    pub field: Option<&'static FieldSpec>,
    /// True = largest first; for the rows' own order, best first.
    pub descending: bool,
}

impl Sort {
    /// Order after the first press of a field's sort key.
    pub fn by(field: &'static FieldSpec) -> Self {
        Self { field: Some(field), descending: field.descending_first }
    }
}

/// Indices of the matching rows, in order. Ties keep the rows' own order; unknown values come last in either
/// direction.
///
/// Values are taken once per row and sorted as plain keys; no cell is formatted.
pub fn select(rows: &dyn Rows, filter: Option<&Filter>, sort: Sort, ctx: &ViewContext) -> Vec<u32> {
    let all = 0..rows.len() as u32;
    let mut shown: Vec<u32> = match filter.filter(|f| !f.is_empty()) {
        None => all.collect(),
        Some(filter) => {
            let mut searcher = filter.searcher();
            all.filter(|row| searcher.matches(rows, *row, ctx)).collect()
        }
    };
    match sort.field {
        None if sort.descending => shown.reverse(),
        None => {}
        Some(field) => order(rows, &mut shown, field, sort.descending, ctx),
    }
    shown
}

/// A sort key that compares as one integer: what is not known is the largest, in either direction.
type Key = u128;
const UNKNOWN: Key = Key::MAX;

fn order(
    rows: &dyn Rows,
    shown: &mut Vec<u32>,
    field: &FieldSpec,
    descending: bool,
    ctx: &ViewContext,
) {
    let turn = |key: Key| if descending { UNKNOWN - 1 - key } else { key };
    let mut texts: Vec<Cow<'_, str>> = Vec::new();
    let mut keyed: Vec<Keyed> = Vec::with_capacity(shown.len());
    rows.ranked(shown, field, ctx, &mut |index, value| {
        let mut text = NO_TEXT;
        let key = match value {
            Value::Unknown => UNKNOWN,
            Value::Number(n) => turn(Key::from(ordered_bits(n))),
            Value::Usd(usd) => turn(Key::from(ordered_bits(usd.to_f64()))),
            // Nanoseconds since the epoch fit into 96 bits with a sign.
            Value::Time(t) => turn((t.as_nanosecond() + (1 << 96)) as Key),
            Value::Text(value) => {
                text = texts.len() as u32;
                texts.push(value);
                turn(piece(&texts[text as usize], 0))
            }
        };
        keyed.push(Keyed { key, index, text });
    });
    sort(&mut keyed, &texts, 0, &turn);
    shown.clear();
    shown.extend(keyed.iter().map(|k| k.index));
}

/// What is sorted: integers only.
struct Keyed {
    key: Key,
    /// Index into the rows; unique, so that an unstable sort is stable.
    index: u32,
    /// Index into the texts, or [`NO_TEXT`].
    text: u32,
}

const NO_TEXT: u32 = u32::MAX;

/// Sorts by key. Rows whose texts agree in the piece at `from` are sorted by the next piece, and
/// so on: texts are read once per piece instead of once per comparison.
fn sort(keyed: &mut [Keyed], texts: &[Cow<'_, str>], from: usize, turn: &impl Fn(Key) -> Key) {
    keyed.sort_unstable_by_key(|k| (k.key, k.index));
    let next = from + PIECE;
    for run in keyed.chunk_by_mut(|a, b| a.key == b.key) {
        let goes_on = |k: &Keyed| texts.get(k.text as usize).is_some_and(|t| t.len() > next);
        if run.len() > 1 && run.iter().any(goes_on) {
            for k in &mut *run {
                k.key = texts.get(k.text as usize).map_or(UNKNOWN, |t| turn(piece(t, next)));
            }
            sort(run, texts, next, turn);
        }
    }
}

/// The bits of `number` in an order that is the numbers' own.
fn ordered_bits(number: f64) -> u64 {
    let bits = number.to_bits();
    if bits >> 63 == 0 { bits | 1 << 63 } else { !bits }
}

/// Bytes of text in a key; one less than fit, so that no text reaches [`UNKNOWN`].
const PIECE: usize = 15;

/// The bytes of `text` from `from` on, in lower case, as a number.
fn piece(text: &str, from: usize) -> Key {
    let bytes = text.as_bytes().get(from..).unwrap_or_default();
    let mut block = [0; 16];
    for (slot, byte) in block[1..].iter_mut().zip(bytes) {
        *slot = byte.to_ascii_lowercase();
    }
    Key::from_be_bytes(block)
}

/// Rows sorted by fields, the first one first; rows that are equal keep their order.
pub fn sorted<F: TableField>(
    rows: Vec<Arc<F::Row>>,
    sorts: &[Sort],
    ctx: &ViewContext,
) -> Vec<Arc<F::Row>> {
    // The last field is sorted by first.
    sorts.iter().rev().fold(rows, |rows, sort| chosen::<F>(&rows, None, *sort, ctx))
}

/// Rows that match, sorted.
pub fn chosen<F: TableField>(
    rows: &[Arc<F::Row>],
    filter: Option<&Filter>,
    sort: Sort,
    ctx: &ViewContext,
) -> Vec<Arc<F::Row>> {
    let chosen = select(&F::rows(rows), filter, sort, ctx);
    chosen.into_iter().filter_map(|i| rows.get(i as usize).cloned()).collect()
}
