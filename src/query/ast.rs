//! The expression, its text form and its evaluation.

use std::fmt;

use jiff::Timestamp;

use super::lex::{is_plain_value, is_plain_word};
use super::literal::{Literal, TextLiteral};

/// A filter as a tree over leaves of type `T`.
#[derive(Clone, Debug, PartialEq)]
pub enum Expr<T> {
    /// The empty filter: everything matches.
    All,
    /// A term.
    Leaf(T),
    /// Negation of the inner expression.
    Not(Box<Self>),
    /// Conjunction of at least two parts, none of which is an `And`.
    And(Vec<Self>),
    /// Disjunction of at least two parts, none of which is an `Or`.
    Or(Vec<Self>),
}

impl<T> Expr<T> {
    /// Conjunction of `parts`, with nested `And`s flattened.
    pub(super) fn and(parts: Vec<Self>) -> Self {
        let mut flat = Vec::with_capacity(parts.len());
        for part in parts {
            match part {
                Self::And(inner) => flat.extend(inner),
                other => flat.push(other),
            }
        }
        if flat.len() == 1 { flat.swap_remove(0) } else { Self::And(flat) }
    }

    /// Disjunction of `parts`, with nested `Or`s flattened.
    pub(super) fn or(parts: Vec<Self>) -> Self {
        let mut flat = Vec::with_capacity(parts.len());
        for part in parts {
            match part {
                Self::Or(inner) => flat.extend(inner),
                other => flat.push(other),
            }
        }
        if flat.len() == 1 { flat.swap_remove(0) } else { Self::Or(flat) }
    }

    /// Evaluates the expression; `leaf` evaluates a term.
    pub fn holds(&self, leaf: &mut impl FnMut(&T) -> bool) -> bool {
        match self {
            Self::All => true,
            Self::Leaf(t) => leaf(t),
            Self::Not(inner) => !inner.holds(leaf),
            Self::And(parts) => parts.iter().all(|p| p.holds(leaf)),
            Self::Or(parts) => parts.iter().any(|p| p.holds(leaf)),
        }
    }

    /// Maps the leaves with `f` and keeps the tree.
    pub fn map<'a, U>(&'a self, f: &mut impl FnMut(&'a T) -> U) -> Expr<U> {
        match self {
            Self::All => Expr::All,
            Self::Leaf(t) => Expr::Leaf(f(t)),
            Self::Not(inner) => Expr::Not(Box::new(inner.map(f))),
            Self::And(parts) => Expr::And(parts.iter().map(|p| p.map(f)).collect()),
            Self::Or(parts) => Expr::Or(parts.iter().map(|p| p.map(f)).collect()),
        }
    }
}

/// A term of a parsed filter; `F` names a field.
#[derive(Clone, Debug, PartialEq)]
pub enum Term<F> {
    /// Bare word: fuzzy search.
    Fuzzy(String),
    /// Quoted text: substring search, ignoring case.
    Phrase(String),
    /// Quoted text in a strict filter: equal to a whole text, ignoring case.
    Exact(TextLiteral),
    /// Comparison of a field with a value.
    Compare(Compare<F>),
}

/// Comparison `field op value`.
#[derive(Clone, Debug, PartialEq)]
pub struct Compare<F> {
    /// Field on the left side.
    pub field: F,
    /// Operator, one that the field's kind allows.
    pub op: Op,
    /// Value on the right side, typed by the field's kind.
    pub value: Literal,
}

/// Comparison operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Op {
    /// Equal, `=`.
    Eq,
    /// Not equal, `!=`.
    Ne,
    /// Less, `<`.
    Lt,
    /// Less or equal, `<=`.
    Le,
    /// Greater, `>`.
    Gt,
    /// Greater or equal, `>=`.
    Ge,
    /// Contains the text, `~`.
    Contains,
    /// Does not contain the text, `!~`.
    NotContains,
}

impl Op {
    /// The operator as written in a filter.
    pub fn symbol(self) -> &'static str {
        match self {
            Self::Eq => "=",
            Self::Ne => "!=",
            Self::Lt => "<",
            Self::Le => "<=",
            Self::Gt => ">",
            Self::Ge => ">=",
            Self::Contains => "~",
            Self::NotContains => "!~",
        }
    }

    /// True for `<`, `<=`, `>` and `>=`.
    pub fn orders(self) -> bool {
        matches!(self, Self::Lt | Self::Le | Self::Gt | Self::Ge)
    }

    /// True for `~` and `!~`.
    pub fn searches(self) -> bool {
        matches!(self, Self::Contains | Self::NotContains)
    }
}

/// Value of a field in one row, for a comparison.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Operand<'a> {
    /// Unknown: no comparison holds.
    Unknown,
    /// Text of a text or choice field.
    Text(&'a str),
    /// A quantity, in the field's unit.
    Number(f64),
    /// Point in time.
    Time(Timestamp),
}

impl<F> Compare<F> {
    /// True when the comparison holds for `operand`. False for an unknown operand, and for one
    /// of another type than the literal.
    pub fn holds(&self, operand: Operand<'_>) -> bool {
        match (&self.value, operand) {
            (Literal::Text(want), Operand::Text(have)) => match self.op {
                Op::Eq => want.equals(have),
                Op::Ne => !want.equals(have),
                Op::Contains => want.is_in(have),
                Op::NotContains => !want.is_in(have),
                _ => false,
            },
            (Literal::Number(want), Operand::Number(have)) if have.is_finite() => match self.op {
                Op::Eq => want.equals(have),
                Op::Ne => !want.equals(have),
                Op::Lt => have < want.value,
                Op::Le => have <= want.value,
                Op::Gt => have > want.value,
                Op::Ge => have >= want.value,
                _ => false,
            },
            (Literal::Time(want), Operand::Time(have)) => match self.op {
                Op::Eq => want.from <= have && have < want.to,
                Op::Ne => have < want.from || want.to <= have,
                Op::Lt => have < want.from,
                Op::Le => have < want.to,
                Op::Gt => have >= want.to,
                Op::Ge => have >= want.from,
                _ => false,
            },
            _ => false,
        }
    }

    /// The same for a field with several texts (the owners of an instance): `=` and `~` hold when
    /// they hold for any, `!=` and `!~` when they hold for all. False without any text.
    pub fn holds_any<T: AsRef<str>>(&self, texts: impl IntoIterator<Item = T>) -> bool {
        let negative = matches!(self.op, Op::Ne | Op::NotContains);
        let mut seen = false;
        for text in texts {
            seen = true;
            let holds = self.holds(Operand::Text(text.as_ref()));
            if holds != negative {
                return holds;
            }
        }
        seen && negative
    }
}

impl<F: fmt::Display> fmt::Display for Expr<Term<F>> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let list = |f: &mut fmt::Formatter<'_>, parts: &[Self], word: &str, below_and: bool| {
            for (i, part) in parts.iter().enumerate() {
                if i > 0 {
                    write!(f, " {word} ")?;
                }
                if below_and && matches!(part, Self::Or(_)) {
                    write!(f, "({part})")?;
                } else {
                    write!(f, "{part}")?;
                }
            }
            Ok(())
        };
        match self {
            Self::All => Ok(()),
            Self::Leaf(term) => write!(f, "{term}"),
            Self::Not(inner) if matches!(**inner, Self::And(_) | Self::Or(_)) => {
                write!(f, "not ({inner})")
            }
            Self::Not(inner) => write!(f, "not {inner}"),
            Self::And(parts) => list(f, parts, "and", true),
            Self::Or(parts) => list(f, parts, "or", false),
        }
    }
}

impl<F: fmt::Display> fmt::Display for Term<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Fuzzy(word) => f.write_str(word),
            Self::Phrase(text) => f.write_str(&quoted(text)),
            Self::Exact(text) => f.write_str(&quoted(text.as_written())),
            Self::Compare(c) => {
                f.write_str(&comparison(&c.field.to_string(), c.op, c.value.as_written()))
            }
        }
    }
}

/// Text of a comparison, with quotes where the language asks for them: it is parsed as `field`, `op` and `value` again.
pub fn comparison(field: &str, op: Op, value: &str) -> String {
    let field = if is_plain_word(field) { field.to_owned() } else { quoted(field) };
    // Several texts are written with commas; of what is compared by size they group thousands.
    let is_plain = is_plain_value(value) && (op.orders() || !value.contains(','));
    let value = if is_plain { value.to_owned() } else { quoted(value) };
    format!("{field}{}{value}", op.symbol())
}

fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        if matches!(c, '"' | '\\') {
            out.push('\\');
        }
        out.push(c);
    }
    out.push('"');
    out
}
