//! Many filters over the same rows: what they compare is read once.

use std::collections::hash_map::Entry;
use std::sync::Arc;

use jiff::Timestamp;

use super::{FieldRef, Filter, holds};
use crate::domain::hash::FastMap;
use crate::query::{Compare, Expr, Kind, Literal, Op, Operand, Term};
use crate::view::{FieldSpec, FieldTable, Rows, Value, ViewContext};

/// Rows of a list at one moment, with the values of each field that a filter has compared.
///
/// A value is read through a pointer, and some are calculated: that is most of what a filter costs. Where hundreds of
/// filters ask for a dozen fields, each is read once and compared as a column.
pub struct Columns {
    rows: Arc<dyn Rows>,
    ctx: ViewContext,
    /// By the place of the field in its table; `None` = compared row by row.
    read: FastMap<u16, Option<Column>>,
}

/// Values of a field in the order of the rows.
enum Column {
    /// NaN = unknown.
    Numbers(Vec<f64>),
    /// `None` = unknown.
    Times(Vec<Option<Timestamp>>),
    /// Each text once, and by row the place of its text; [`NO_TEXT`] = unknown.
    Texts { each: Vec<Box<str>>, of_rows: Vec<u32> },
}

const NO_TEXT: u32 = u32::MAX;

/// Most different texts of a column: what is different in every row (ids) is compared where it stands.
const MOST_TEXTS: usize = 4096;

impl Columns {
    /// Columns of these rows, none of them read yet.
    pub fn new(rows: Arc<dyn Rows>, ctx: ViewContext) -> Self {
        Self { rows, ctx, read: FastMap::default() }
    }

    /// Indices of the rows that match, in the rows' own order: what [`crate::view::table::select`] finds.
    pub fn select(&mut self, filter: &Filter) -> Vec<u32> {
        let all = 0..self.rows.len() as u32;
        if filter.is_empty() {
            return all.collect();
        }
        if !std::ptr::eq(self.rows.table().fields(), filter.table.fields()) {
            return Vec::new();
        }
        let holds = self.holds(&filter.expr, filter.table);
        all.zip(holds).filter_map(|(row, holds)| holds.then_some(row)).collect()
    }

    /// By row, whether the expression holds.
    fn holds(&mut self, expr: &Expr<Term<FieldRef>>, table: &'static dyn FieldTable) -> Vec<bool> {
        match expr {
            Expr::All => vec![true; self.rows.len()],
            Expr::Leaf(Term::Compare(compare)) => self.compare(compare),
            Expr::Leaf(_) => {
                let filter = Filter { table, expr: expr.clone() };
                let mut searcher = filter.searcher();
                let all = 0..self.rows.len() as u32;
                all.map(|row| searcher.matches(&*self.rows, row, &self.ctx)).collect()
            }
            Expr::Not(inner) => {
                let mut held = self.holds(inner, table);
                held.iter_mut().for_each(|holds| *holds = !*holds);
                held
            }
            Expr::And(parts) => self.joined(parts, table, true),
            Expr::Or(parts) => self.joined(parts, table, false),
        }
    }

    /// The same for several parts: where `all` of them hold, or any.
    fn joined(
        &mut self,
        parts: &[Expr<Term<FieldRef>>],
        table: &'static dyn FieldTable,
        all: bool,
    ) -> Vec<bool> {
        let mut held = vec![all; self.rows.len()];
        for part in parts {
            // Further parts decide nothing.
            if !held.contains(&all) {
                break;
            }
            for (held, more) in held.iter_mut().zip(self.holds(part, table)) {
                *held = if all { *held & more } else { *held | more };
            }
        }
        held
    }

    fn compare(&mut self, compare: &Compare<FieldRef>) -> Vec<bool> {
        let Self { rows, ctx, read } = self;
        let column = match &compare.field {
            FieldRef::Tag(_) => None,
            FieldRef::Field(field) => match read.entry(field.place) {
                Entry::Occupied(read) => read.into_mut().as_ref(),
                Entry::Vacant(free) => free.insert(Column::read(&**rows, field, ctx)).as_ref(),
            },
        };
        match column {
            None => {
                let all = 0..rows.len() as u32;
                all.map(|row| holds(compare, &**rows, row, ctx)).collect()
            }
            Some(Column::Numbers(have)) => numbers(compare, have),
            Some(Column::Times(have)) => {
                let holds = |at: &Option<_>| at.is_some_and(|at| compare.holds(Operand::Time(at)));
                have.iter().map(holds).collect()
            }
            Some(Column::Texts { each, of_rows }) => {
                let texts = each.iter().map(|text| Operand::Text(text));
                let held: Vec<bool> = texts.map(|text| compare.holds(text)).collect();
                let of_row = |text: &u32| held.get(*text as usize).copied().unwrap_or(false);
                of_rows.iter().map(of_row).collect()
            }
        }
    }
}

/// By number, whether the comparison holds.
fn numbers(compare: &Compare<FieldRef>, have: &[f64]) -> Vec<bool> {
    let Literal::Number(want) = &compare.value else { return vec![false; have.len()] };
    // The four that thresholds are written with have a loop of their own; NaN meets none of them.
    let want = want.value;
    match compare.op {
        Op::Lt => have.iter().map(|have| *have < want).collect(),
        Op::Le => have.iter().map(|have| *have <= want).collect(),
        Op::Gt => have.iter().map(|have| *have > want).collect(),
        Op::Ge => have.iter().map(|have| *have >= want).collect(),
        _ => have.iter().map(|have| compare.holds(Operand::Number(*have))).collect(),
    }
}

impl Column {
    /// Reads a column; `None` where rows have several texts in it, or too many have one of their own.
    fn read(rows: &dyn Rows, field: &FieldSpec, ctx: &ViewContext) -> Option<Self> {
        let values = (0..rows.len() as u32).map(|row| rows.value(row, field, ctx));
        match field.kind {
            Kind::Number(_) => {
                let number = |value| match value {
                    Value::Number(number) if number.is_finite() => number,
                    Value::Usd(usd) => usd.to_f64(),
                    _ => f64::NAN,
                };
                Some(Self::Numbers(values.map(number).collect()))
            }
            Kind::Time => {
                let time = |value| match value {
                    Value::Time(at) => Some(at),
                    _ => None,
                };
                Some(Self::Times(values.map(time).collect()))
            }
            Kind::Text | Kind::Choice(_) => {
                if (0..rows.len() as u32).any(|row| rows.several(row, field, &mut |_| {})) {
                    return None;
                }
                let (mut each, mut of_rows) = (Vec::<Box<str>>::new(), Vec::new());
                let mut places: FastMap<Box<str>, u32> = FastMap::default();
                for value in values {
                    let Value::Text(text) = value else {
                        of_rows.push(NO_TEXT);
                        continue;
                    };
                    let place = match places.get(&*text) {
                        Some(place) => *place,
                        None if each.len() == MOST_TEXTS => return None,
                        None => {
                            let place = each.len() as u32;
                            each.push((*text).into());
                            places.insert((*text).into(), place);
                            place
                        }
                    };
                    of_rows.push(place);
                }
                Some(Self::Texts { each, of_rows })
            }
        }
    }
}
