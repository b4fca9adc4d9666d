//! A parsed filter bound to the fields of a table.

use std::fmt;
use std::sync::Arc;

use super::ViewContext;
use super::field::Field;
use super::search::{Needle, Scratch};
use super::table_field::TableField;
use super::value::Value;
use crate::query::{self, Compare, Expr, FieldName, Kind, Operand, QueryError, Term};

/// What a comparison may name: a field of the table or a tag, `tag:Key`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FieldRef<F = Field> {
    /// A field of the table.
    Field(F),
    /// The tag with exactly this key.
    Tag(Arc<str>),
}

impl<F: TableField> fmt::Display for FieldRef<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Field(field) => f.write_str(field.spec().name),
            Self::Tag(key) => write!(f, "tag:{key}"),
        }
    }
}

impl<F: TableField> FieldName for FieldRef<F> {
    fn resolve(name: &str) -> Option<Self> {
        match name.split_at_checked(4) {
            Some((prefix, key)) if prefix.eq_ignore_ascii_case("tag:") && !key.is_empty() => {
                Some(Self::Tag(key.into()))
            }
            _ => F::from_name(name).map(Self::Field),
        }
    }

    fn kind(&self) -> Kind {
        match self {
            Self::Field(field) => field.spec().kind,
            Self::Tag(_) => Kind::Text,
        }
    }

    fn known() -> Vec<&'static str> {
        F::all().iter().flat_map(|f| f.names()).collect()
    }
}

/// A filter over the rows of a table. Its `Display` is the canonical form: full field names, explicit
/// `and`, only the parentheses that are needed.
#[derive(Clone, Debug, PartialEq)]
pub struct Filter<F = Field> {
    expr: Expr<Term<FieldRef<F>>>,
}

impl<F: TableField> Filter<F> {
    /// Parses a filter; see [`crate::query`] for the language. Empty text matches every row.
    pub fn parse(text: &str) -> Result<Self, QueryError> {
        Ok(Self { expr: query::parse(text)? })
    }

    /// True when every row matches.
    pub fn is_empty(&self) -> bool {
        self.expr == Expr::All
    }

    /// True when `row` matches. For many rows use [`Filter::searcher`], which keeps its buffers.
    pub fn matches(&self, row: &F::Row, ctx: &ViewContext) -> bool {
        self.searcher().matches(row, ctx)
    }

    /// The filter made ready to run over many rows.
    pub fn searcher(&self) -> Searcher<'_, F> {
        let mut scratch = Scratch::default();
        let expr = self.expr.map(&mut |term| match term {
            Term::Fuzzy(word) => Leaf::Text(Needle::fuzzy::<F>(word, &mut scratch)),
            Term::Phrase(text) => Leaf::Text(Needle::phrase::<F>(text, &mut scratch)),
            Term::Compare(compare) => Leaf::Compare(compare),
        });
        Searcher { expr, scratch }
    }
}

impl<F: TableField> fmt::Display for Filter<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.expr)
    }
}

enum Leaf<'f, F> {
    Text(Needle),
    Compare(&'f Compare<FieldRef<F>>),
}

/// A filter with the buffers to run it.
pub struct Searcher<'f, F = Field> {
    expr: Expr<Leaf<'f, F>>,
    scratch: Scratch,
}

impl<F: TableField> Searcher<'_, F> {
    /// True when `row` matches.
    pub fn matches(&mut self, row: &F::Row, ctx: &ViewContext) -> bool {
        let Self { expr, scratch } = self;
        expr.holds(&mut |leaf| match leaf {
            Leaf::Text(needle) => needle.is_in::<F>(row, scratch),
            Leaf::Compare(compare) => holds(compare, row, ctx),
        })
    }
}

fn holds<F: TableField>(compare: &Compare<FieldRef<F>>, row: &F::Row, ctx: &ViewContext) -> bool {
    match &compare.field {
        FieldRef::Tag(key) => {
            compare.holds(F::tag(row, key).map_or(Operand::Unknown, Operand::Text))
        }
        FieldRef::Field(field) => match field.several(row) {
            Some(texts) => compare.holds_any(texts),
            None => compare.holds(match &field.value(row, ctx) {
                Value::Unknown => Operand::Unknown,
                Value::Text(text) => Operand::Text(text),
                Value::Number(n) => Operand::Number(*n),
                Value::Time(t) => Operand::Time(*t),
            }),
        },
    }
}
