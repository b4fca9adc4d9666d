//! Columns that a filter brings along or keeps, so that each row says why it passes.

use super::List;
use crate::view::complete::last_term;
use crate::view::filter::FieldRef;
use crate::view::{FieldSpec, FieldTable, ViewContext};

/// Rows that are looked at: it is done between a key and its frame.
const ROWS_AT_MOST: usize = 300;

/// Rows of which one field is looked at.
const ROWS_OF_ONE_FIELD: usize = 20_000;

/// Most columns that a filter brings, or keeps.
const MOST: usize = 2;

/// Shortest word that brings a column, bytes: shorter ones are still being typed, and are found everywhere.
const SHORTEST_WORD: usize = 3;

impl List {
    /// Finds the columns that the filter is about and that nobody chose: fields it compares in which rows differ, and the ones
    /// that have the words it searches for where no column has them. Finds as well what such a word may have meant, and which
    /// of the chosen columns the filter is about.
    pub(super) fn find_what_is_meant(&mut self, ctx: &ViewContext) {
        self.guests.clear();
        self.kept.clear();
        self.meant = None;
        let (Some(filter), Some(rows)) = (&self.filter, &self.rows) else { return };
        let pass = &self.order[..self.order.len().min(ROWS_AT_MOST)];
        let differs = |field: &FieldSpec| {
            let mut cells = pass.iter().filter_map(|row| rows.cell(*row, field, ctx));
            let first = cells.next();
            cells.any(|cell| first.as_ref().is_some_and(|first| first.text != cell.text))
        };
        let mut compared: Vec<&'static FieldSpec> = Vec::new();
        for of in filter.fields() {
            if let FieldRef::Field(field) = of
                && !compared.contains(field)
            {
                compared.push(*field);
            }
        }
        let (chosen, others): (Vec<_>, Vec<_>) =
            compared.into_iter().partition(|field| self.columns.contains(field));
        let mut guests: Vec<_> =
            others.into_iter().filter(|field| differs(field)).take(MOST).collect();
        let shown: Vec<_> = guests.iter().chain(&self.columns).copied().collect();
        let found = filter.found(&**rows, pass, &shown, ctx);
        // The name of a field that is being typed is searched for as well: columns do not jump for it.
        let last = last_term(&self.filter_text);
        let is_name = |word: &str| word == last && begins_name(self.table, word);
        let is_told = |word: &str| word.len() >= SHORTEST_WORD && !is_name(word);
        let words: Vec<_> = found.iter().filter(|of| is_told(&of.word)).collect();
        for of in &words {
            let beside = of.beside.filter(|field| !guests.contains(field));
            guests.extend(beside.filter(|_| guests.len() < MOST));
        }
        let mut kept = guests.clone();
        let chosen = chosen.into_iter().filter(|field| differs(field)).take(MOST);
        for field in chosen.chain(words.iter().filter_map(|of| of.within)) {
            if kept.len() < MOST && !kept.contains(&field) {
                kept.push(field);
            }
        }
        let meant = found.iter().find_map(|of| {
            let whole = of.whole.as_ref()?;
            Some(format!("`{}` is searched for in all texts; only these: {whole}", of.word))
        });
        let few = rows.len() <= ROWS_OF_ONE_FIELD;
        let left_out = || few.then(|| filter.left_out(&**rows, ctx)).flatten();
        self.meant = meant.or_else(left_out);
        self.guests = guests;
        self.kept = kept;
    }
}

/// True where a name of a field begins with `word`, in any case.
fn begins_name(table: &'static dyn FieldTable, word: &str) -> bool {
    let word = word.to_lowercase();
    table.fields().iter().any(|field| field.names().any(|name| name.starts_with(&word)))
}
