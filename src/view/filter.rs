//! A parsed filter bound to the fields of the fleet.

use std::fmt;
use std::sync::Arc;

use nucleo_matcher::pattern::{Atom, AtomKind, CaseMatching, Normalization};
use nucleo_matcher::{Config, Matcher, Utf32Str};

use super::ViewContext;
use super::field::Field;
use super::field_table::FIELDS;
use super::field_value::Value;
use super::verdict;
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
        let mut fuzzy = false;
        let expr = self.expr.map(&mut |term| match term {
            Term::Fuzzy(word) => {
                fuzzy = true;
                let kind = AtomKind::Fuzzy;
                let (case, forms) = (CaseMatching::Ignore, Normalization::Smart);
                Leaf::Fuzzy(Atom::new(word, case, forms, kind, false))
            }
            Term::Phrase(text) => Leaf::Phrase(text.to_lowercase()),
            Term::Compare(compare) => Leaf::Compare(compare),
        });
        // The matcher's buffers are 135 kB; a filter without words does without.
        let matcher = fuzzy.then(|| Matcher::new(Config::DEFAULT));
        Searcher { expr, matcher, buffer: Vec::new() }
    }
}

impl fmt::Display for Filter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.expr)
    }
}

enum Leaf<'f> {
    Fuzzy(Atom),
    Phrase(String),
    Compare(&'f Compare<FieldRef>),
}

/// A filter with the buffers to run it.
pub struct Searcher<'f> {
    expr: Expr<Leaf<'f>>,
    matcher: Option<Matcher>,
    buffer: Vec<char>,
}

impl Searcher<'_> {
    /// True when `row` matches.
    pub fn matches(&mut self, row: &Row, ctx: &ViewContext) -> bool {
        let Self { expr, matcher, buffer } = self;
        expr.holds(&mut |leaf| match leaf {
            Leaf::Fuzzy(atom) => matcher.as_mut().is_some_and(|matcher| {
                any_text(row, ctx, |text| {
                    atom.score(Utf32Str::new(text, buffer), matcher).is_some()
                })
            }),
            Leaf::Phrase(folded) => any_text(row, ctx, |text| query::contains_folded(text, folded)),
            Leaf::Compare(compare) => holds(compare, row, ctx),
        })
    }
}

/// True when `found` holds for a text that a bare word is looked for in.
fn any_text(row: &Row, ctx: &ViewContext, mut found: impl FnMut(&str) -> bool) -> bool {
    FIELDS.iter().filter(|s| s.searched).any(|spec| match spec.field {
        Field::Verdict => row
            .verdict
            .as_ref()
            .is_some_and(|v| found(verdict::word(v.kind)) || found(v.kind.name())),
        Field::Owner => row.instance.owners.iter().any(|o| found(&o.name) || found(o.kind.word())),
        field => match field.value(row, ctx) {
            Value::Text(text) => found(&text),
            _ => false,
        },
    })
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
