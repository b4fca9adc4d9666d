//! Rows of a list behind one pointer, whatever they are.

use std::any::Any;
use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;

use super::ViewContext;
use super::role::Role;
use super::table_field::{FieldSpec, FieldTable, Origin, TableField};
use super::value::Value;
use crate::domain::SourceSet;

/// Shared, immutable rows that a list shows, filters, sorts and exports, by index. An index or field outside
/// the list has no value.
pub trait Rows: Send + Sync {
    /// Fields of the rows.
    fn table(&self) -> &'static dyn FieldTable;

    /// Number of rows.
    fn len(&self) -> usize;

    /// True without rows.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The row itself, an `Arc` of the list's row type, to be downcast; `None` outside the list.
    fn row(&self, row: u32) -> Option<&dyn Any>;

    /// Key of the row, see [`TableField::id`]; `None` outside the list.
    fn key(&self, row: u32) -> Option<&Arc<str>>;

    /// Cost of the row, USD/h, see [`TableField::usd_per_hour`].
    fn usd_per_hour(&self, row: u32) -> Option<f64>;

    /// Value of the tag with exactly this key, see [`TableField::tag`].
    fn tag(&self, row: u32, key: &str) -> Option<&str>;

    /// Value of a field, see [`TableField::value`].
    fn value(&self, row: u32, field: &FieldSpec, ctx: &ViewContext) -> Value<'_>;

    /// The cell of a row under a field; `None` for a row or field of another list.
    fn cell(&self, row: u32, field: &FieldSpec, ctx: &ViewContext) -> Option<Cell>;

    /// See [`TableField::origin`].
    fn origin(&self, row: u32) -> Origin<'_>;

    /// Hands [`TableField::ranked`] of each of `which` to `take`, in their order: one call for a whole column.
    fn ranked<'a>(
        &'a self,
        which: &[u32],
        field: &FieldSpec,
        ctx: &ViewContext,
        take: &mut dyn FnMut(u32, Value<'a>),
    );

    /// Passes the texts of a field that has several per row to `look`; false for other fields.
    fn several(&self, row: u32, field: &FieldSpec, look: LookAtTexts<'_>) -> bool;

    /// True when any text of the row satisfies `holds`, see [`TableField::any_text`].
    fn any_text(&self, row: u32, holds: &mut dyn FnMut(&str) -> bool) -> bool;

    /// Index of the row's shared word, see [`TableField::shared_word`].
    fn shared_word(&self, row: u32) -> Option<usize>;

    /// What is worth knowing of these of the rows, see [`TableField::of_filtered`].
    fn of_filtered(&self, which: &[u32], compared: &[&FieldSpec]) -> Option<String>;
}

/// Cell of a row under a field.
#[derive(Clone, Debug)]
pub struct Cell {
    /// See [`TableField::cell`].
    pub text: String,
    /// See [`TableField::role`].
    pub role: Role,
    /// See [`TableField::rests_on`].
    pub rests_on: SourceSet,
}

/// What is done with the texts of a field.
pub type LookAtTexts<'a> = &'a mut dyn FnMut(&mut dyn Iterator<Item = Cow<'_, str>>);

impl fmt::Debug for dyn Rows {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} rows", self.len())
    }
}

impl dyn Rows {
    /// The row, downcast to `R`; `None` outside the list, or where its rows are of another type.
    pub fn get<R: 'static>(&self, row: u32) -> Option<&Arc<R>> {
        self.row(row)?.downcast_ref()
    }
}

/// Rows held by `H`, with fields of type `F`, as [`Rows`].
pub struct RowsOf<F, H> {
    held: H,
    fields: PhantomData<F>,
}

impl<F, H> RowsOf<F, H> {
    pub(super) fn new(held: H) -> Self {
        Self { held, fields: PhantomData }
    }
}

impl<F: TableField, H: AsRef<[Arc<F::Row>]>> RowsOf<F, H> {
    fn at(&self, row: u32) -> Option<&Arc<F::Row>> {
        self.held.as_ref().get(row as usize)
    }

    fn both(&self, row: u32, field: &FieldSpec) -> Option<(F, &F::Row)> {
        Some((F::of(field)?, self.at(row)?))
    }
}

impl<F: TableField, H: AsRef<[Arc<F::Row>]> + Send + Sync> Rows for RowsOf<F, H> {
    fn table(&self) -> &'static dyn FieldTable {
        F::table()
    }

    fn len(&self) -> usize {
        self.held.as_ref().len()
    }

    fn row(&self, row: u32) -> Option<&dyn Any> {
        self.at(row).map(|row| row as &dyn Any)
    }

    fn key(&self, row: u32) -> Option<&Arc<str>> {
        self.at(row).map(|row| F::id(row))
    }

    fn usd_per_hour(&self, row: u32) -> Option<f64> {
        F::usd_per_hour(self.at(row)?)
    }

    fn tag(&self, row: u32, key: &str) -> Option<&str> {
        F::tag(self.at(row)?, key)
    }

    fn value(&self, row: u32, field: &FieldSpec, ctx: &ViewContext) -> Value<'_> {
        self.both(row, field).map_or(Value::Unknown, |(field, row)| field.value(row, ctx))
    }

    fn cell(&self, row: u32, field: &FieldSpec, ctx: &ViewContext) -> Option<Cell> {
        let (field, row) = self.both(row, field)?;
        let (role, rests_on) = (field.role(row), field.rests_on(row));
        Some(Cell { text: field.cell(row, ctx), role, rests_on })
    }

    fn origin(&self, row: u32) -> Origin<'_> {
        self.at(row).map_or_else(Origin::default, |row| F::origin(row))
    }

    fn ranked<'a>(
        &'a self,
        which: &[u32],
        field: &FieldSpec,
        ctx: &ViewContext,
        take: &mut dyn FnMut(u32, Value<'a>),
    ) {
        let (field, rows) = (F::of(field), self.held.as_ref());
        for &row in which {
            let both = field.zip(rows.get(row as usize));
            take(row, both.map_or(Value::Unknown, |(field, row)| field.ranked(row, ctx)));
        }
    }

    fn several(&self, row: u32, field: &FieldSpec, look: LookAtTexts<'_>) -> bool {
        let texts = self.both(row, field).and_then(|(field, row)| field.several(row));
        texts.map(|mut texts| look(&mut texts)).is_some()
    }

    fn any_text(&self, row: u32, holds: &mut dyn FnMut(&str) -> bool) -> bool {
        self.at(row).is_some_and(|row| F::any_text(row, holds))
    }

    fn shared_word(&self, row: u32) -> Option<usize> {
        F::shared_word(self.at(row)?)
    }

    fn of_filtered(&self, which: &[u32], compared: &[&FieldSpec]) -> Option<String> {
        F::of_filtered(which.iter().filter_map(|row| self.at(*row)).map(|row| &**row), compared)
    }
}

/// The rows that are a part of a picture.
pub(super) struct Part<T, R> {
    of: Arc<T>,
    part: fn(&T) -> &[Arc<R>],
}

impl<T, R> Part<T, R> {
    pub(super) fn new(of: Arc<T>, part: fn(&T) -> &[Arc<R>]) -> Self {
        Self { of, part }
    }
}

impl<T, R> AsRef<[Arc<R>]> for Part<T, R> {
    fn as_ref(&self) -> &[Arc<R>] {
        (self.part)(&self.of)
    }
}
