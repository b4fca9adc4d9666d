//! What the filter leaves of a list: how many rows, and their dollars.

use super::List;
use crate::view::{FieldRef, FieldSpec, Rows, Value, ViewContext};

/// Rows among which texts are looked for that the filter may have meant: it is done between a key and its frame.
const ROWS_AT_MOST: usize = 20_000;

/// Sums over the rows that pass the filter.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Filtered {
    /// Number of rows that pass.
    pub count: usize,
    /// Number of all rows.
    pub all: usize,
    /// Their dollars; `None` where the rows have none that add up, or none of them is known.
    pub dollars: Option<Dollars>,
}

/// Dollars of rows in the field that `$` names.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Dollars {
    /// The field, whose name and kind say per what they are.
    pub field: &'static FieldSpec,
    /// Of the rows that pass, without the unknown ones.
    pub usd: f64,
    /// Of all rows, without the unknown ones.
    pub all_usd: f64,
    /// Number of rows that pass whose dollars are not known.
    pub unknown: usize,
}

impl List {
    /// Sums over the rows that pass the filter in force; `None` without a filter.
    pub fn filtered(&self) -> Option<&Filtered> {
        self.filtered.as_ref().filter(|_| self.filter.is_some())
    }

    /// What the filter asks for and no row has, in a sentence; `None` where rows pass, and where each part of it fits some.
    pub fn unmatched(&self) -> Option<&str> {
        self.unmatched.as_deref()
    }

    /// What is worth knowing of the rows that pass the filter, in a sentence; `None` without a filter, and where nothing is.
    pub fn worth_knowing(&self) -> Option<&str> {
        self.worth_knowing.as_deref().filter(|_| self.filter.is_some())
    }

    /// Looks for it, where nothing passes.
    pub(super) fn find_unmatched(&self, ctx: &ViewContext) -> Option<String> {
        let (filter, rows) = (self.filter.as_ref()?, self.rows.as_ref()?);
        if !self.order.is_empty() || rows.is_empty() || rows.len() > ROWS_AT_MOST {
            return None;
        }
        let found = filter.unmatched(&**rows, ctx);
        Some(found.first()?.sentence(rows.table().nouns()[1]))
    }

    /// Makes the sums anew for the rows now shown, and what is worth knowing of them: drawing does not walk the rows.
    pub(super) fn sum_filter(&mut self, ctx: &ViewContext) {
        let rows = self.rows.as_ref().filter(|_| self.filter.is_some());
        self.worth_knowing = self.filter.as_ref().zip(rows).and_then(|(filter, rows)| {
            let compared = filter.fields().into_iter().filter_map(|of| match of {
                FieldRef::Field(field) => Some(*field),
                FieldRef::Tag(_) => None,
            });
            rows.of_filtered(&self.order, &compared.collect::<Vec<_>>())
        });
        self.filtered = rows.map(|rows| {
            let field = self.table.find("$").filter(|field| field.adds_up);
            let dollars = field.and_then(|field| dollars(&**rows, &self.order, field, ctx));
            Filtered { count: self.order.len(), all: rows.len(), dollars }
        });
    }

    /// Counts the marks on rows that the filter hides.
    pub(super) fn count_hidden_marks(&mut self) {
        let hides = self.filter.is_some() && !self.marks.is_empty();
        let is_marked = |row: &&u32| self.key(**row).is_some_and(|id| self.marks.contains_key(id));
        let seen = if hides { self.order.iter().filter(is_marked).count() } else { 0 };
        self.hidden_marks = if hides { self.marks.len().saturating_sub(seen) } else { 0 };
        self.sum_marks();
    }
}

fn dollars(
    rows: &dyn Rows,
    shown: &[u32],
    field: &'static FieldSpec,
    ctx: &ViewContext,
) -> Option<Dollars> {
    let of = |row: u32| match rows.value(row, field, ctx) {
        Value::Number(n) => Some(n),
        Value::Usd(usd) => Some(usd.to_f64()),
        _ => None,
    };
    let known: Vec<f64> = shown.iter().filter_map(|row| of(*row)).collect();
    let unknown = shown.len() - known.len();
    let all_usd = (0..rows.len() as u32).filter_map(of).sum();
    let usd = known.iter().sum();
    (!known.is_empty()).then_some(Dollars { field, usd, all_usd, unknown })
}
