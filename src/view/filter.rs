//! A parsed filter bound to the fields of the fleet.

use std::fmt;
use std::sync::Arc;

use super::ViewContext;
use super::field::Field;
use super::field_table::FIELDS;
use super::field_value::Value;
use super::search::{Needle, Scratch};
use crate::fleet::Row;
use crate::query::{self, Compare, Expr, FieldName, Kind, Operand, QueryError, Term};

/// What a comparison may name: a field of the table or a tag, `tag:Key`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FieldRef {
    /// A field of the table.
    Field(Field),
    /// The tag with exactly this key.
    Tag(Arc<str>),
}

impl fmt::Display for FieldRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Field(field) => f.write_str(field.spec().name),
            Self::Tag(key) => write!(f, "tag:{key}"),
        }
    }
}

impl FieldName for FieldRef {
    fn resolve(name: &str) -> Option<Self> {
        match name.split_at_checked(4) {
            Some((prefix, key)) if prefix.eq_ignore_ascii_case("tag:") && !key.is_empty() => {
                Some(Self::Tag(key.into()))
            }
            _ => Field::from_name(name).map(Self::Field),
        }
    }

    fn kind(&self) -> Kind {
        match self {
            Self::Field(field) => field.spec().kind,
            Self::Tag(_) => Kind::Text,
        }
    }

    fn known() -> Vec<&'static str> {
        FIELDS
            .iter()
            .flat_map(|s| std::iter::once(s.name).chain(s.aliases.iter().copied()))
            .collect()
    }
}

/// A filter over fleet rows. Its `Display` is the canonical form: full field names, explicit
/// `and`, only the parentheses that are needed.
#[derive(Clone, Debug, PartialEq)]
pub struct Filter {
    expr: Expr<Term<FieldRef>>,
}

impl Filter {
    /// Parses a filter; see [`crate::query`] for the language. Empty text matches every row.
    pub fn parse(text: &str) -> Result<Self, QueryError> {
        Ok(Self { expr: query::parse(text)? })
    }

    /// True when every row matches.
    pub fn is_empty(&self) -> bool {
        self.expr == Expr::All
    }

    /// True when `row` matches. For many rows use [`Filter::searcher`], which keeps its buffers.
    pub fn matches(&self, row: &Row, ctx: &ViewContext) -> bool {
        self.searcher().matches(row, ctx)
    }

    /// The filter made ready to run over many rows.
    pub fn searcher(&self) -> Searcher<'_> {
        let mut scratch = Scratch::default();
        let expr = self.expr.map(&mut |term| match term {
            Term::Fuzzy(word) => Leaf::Text(Needle::fuzzy(word, &mut scratch)),
            Term::Phrase(text) => Leaf::Text(Needle::phrase(text, &mut scratch)),
            Term::Compare(compare) => Leaf::Compare(compare),
        });
        Searcher { expr, scratch }
    }
}

impl fmt::Display for Filter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.expr)
    }
}

enum Leaf<'f> {
    Text(Needle),
    Compare(&'f Compare<FieldRef>),
}

/// A filter with the buffers to run it.
pub struct Searcher<'f> {
    expr: Expr<Leaf<'f>>,
    scratch: Scratch,
}

impl Searcher<'_> {
    /// True when `row` matches.
    pub fn matches(&mut self, row: &Row, ctx: &ViewContext) -> bool {
        let Self { expr, scratch } = self;
        expr.holds(&mut |leaf| match leaf {
            Leaf::Text(needle) => needle.is_in(row, scratch),
            Leaf::Compare(compare) => holds(compare, row, ctx),
        })
    }
}

fn holds(compare: &Compare<FieldRef>, row: &Row, ctx: &ViewContext) -> bool {
    match &compare.field {
        FieldRef::Tag(key) => {
            compare.holds(row.instance.tags.get(key).map_or(Operand::Unknown, Operand::Text))
        }
        FieldRef::Field(Field::Owner) => {
            compare.holds_any(row.instance.owners.iter().flat_map(|o| [o.kind.word(), &*o.name]))
        }
        FieldRef::Field(field) => compare.holds(match &field.value(row, ctx) {
            Value::Unknown => Operand::Unknown,
            Value::Text(text) => Operand::Text(text),
            Value::Number(n) => Operand::Number(*n),
            Value::Time(t) => Operand::Time(*t),
        }),
    }
}
