//! The filter narrowed by the value under the cursor, and widened again, step by step.

use super::List;
use crate::query::QueryError;
use crate::view::alike::{Alike, alike};
use crate::view::{Filter, ViewContext};

/// Steps that can be taken back.
const MAX_STEPS: usize = 64;

/// Letters that move in a list to choose from.
const MOVING: [char; 2] = ['j', 'k'];

/// A value of the row under the cursor to filter by.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choice {
    /// Letter that takes it, that of the column where it sorts by one; `None` where all are given away.
    pub letter: Option<char>,
    /// Filters by it.
    pub alike: Alike,
}

impl Choice {
    /// Its filter; `not` = the one by which rows with the value go.
    pub fn filter(&self, not: bool) -> &str {
        if not { &self.alike.other } else { &self.alike.same }
    }

    /// Letter and filter, as the list to choose from shows them; in words where there is no value.
    pub fn label(&self, not: bool) -> String {
        let letter = self.letter.unwrap_or(' ');
        match (self.alike.is_known, not) {
            (true, _) => format!("{letter}  {}", self.filter(not)),
            (false, false) => format!("{letter}  {} not known", self.alike.field.name),
            (false, true) => format!("{letter}  {} known", self.alike.field.name),
        }
    }
}

impl List {
    /// Values of the row under the cursor to filter by: of the columns first, then what is known beside them. Empty
    /// without a row.
    pub fn choices(&self, ctx: &ViewContext) -> Vec<Choice> {
        let (Some(rows), Some(row)) = (&self.rows, self.current_row()) else { return Vec::new() };
        let fields = self.table.fields();
        let columns: Vec<_> = self.guests.iter().chain(&self.columns).copied().collect();
        let hidden = fields.iter().filter(|field| !columns.contains(field));
        let columns = columns.iter().flat_map(|field| alike(&**rows, row, field, ctx));
        let hidden = hidden.flat_map(|field| alike(&**rows, row, field, ctx));
        let reserved: Vec<char> = fields.iter().filter_map(|f| f.sort_key).chain(MOVING).collect();
        let mut given: Vec<char> = Vec::new();
        let mut choices = Vec::new();
        for alike in columns.chain(hidden.filter(|alike| alike.is_known)) {
            let own = alike.field.sort_key.filter(|key| !given.contains(key));
            let named = alike.field.name.chars().filter(char::is_ascii_alphanumeric);
            let mut free = named.chain('a'..='z').chain('0'..='9');
            let letter = own.or_else(|| free.find(|c| !reserved.contains(c) && !given.contains(c)));
            given.extend(letter);
            choices.push(Choice { letter, alike });
        }
        choices
    }

    /// Filters by the row's value in the field that the list is sorted by; `None` where that field has no texts, or
    /// several in this row, and where the filter compares with it already.
    pub fn value_sorted_by(&self, ctx: &ViewContext) -> Option<Alike> {
        let (rows, row) = (self.rows.as_ref()?, self.current_row()?);
        let mut values = alike(&**rows, row, self.sort.field?, ctx);
        let value = values.pop().filter(|_| values.is_empty())?;
        let same = Filter::parse(self.table, &value.same).ok()?;
        let is_new = self.filter.as_ref().is_none_or(|filter| !filter.includes(&same));
        is_new.then_some(value)
    }

    /// Adds a condition to the filter in force; [`List::widen`] takes it back. Fails, and changes nothing, where the
    /// filter becomes too long.
    pub fn narrow(&mut self, condition: &str) -> Result<(), QueryError> {
        let before = self.filter_text.clone();
        let text = match &self.filter {
            None => condition.to_owned(),
            Some(filter) if filter.is_either() => format!("({before}) and {condition}"),
            Some(_) => format!("{before} and {condition}"),
        };
        let mut steps = std::mem::take(&mut self.former_filters);
        let narrowed = self.filter_by(&text);
        if narrowed.is_ok() {
            steps.push(before);
            let surplus = steps.len().saturating_sub(MAX_STEPS);
            steps.drain(..surplus);
        }
        self.former_filters = steps;
        narrowed
    }

    /// Takes the last condition back; false where the filter was not narrowed.
    pub fn widen(&mut self) -> bool {
        let Some(before) = self.former_filters.pop() else { return false };
        let steps = std::mem::take(&mut self.former_filters);
        if self.filter_by(&before).is_err() {
            self.clear_filter();
        }
        self.former_filters = steps;
        true
    }
}
