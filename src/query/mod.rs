//! The filter language: one line of text becomes a typed expression.
//!
//! ```text
//! filter  = [ or ]
//! or      = and { "or" and }
//! and     = unary { [ "and" ] unary }
//! unary   = "not" unary | "(" or ")" | term
//! term    = word                    fuzzy search
//!         | "quoted words"          plain search, as written
//!         | field op value
//! op      = "=" "!=" "<" "<=" ">" ">=" "~" (contains) "!~"
//! value   = word { "," word }       of a text any of them
//!         | word { word }           of a number its unit: 10 TB, 3 days
//!         | "quoted words"          one text, as written
//! ```
//!
//! Values are typed by their field: `$10/h`, `$7300/mo` (a month is 730 h), `5%`, `2MB/d`, `16GiB`,
//! `3d12h`, `2026-01-31`. Text is compared without regard to case. A value that is not known
//! satisfies no comparison, neither `=` nor `!=`; `not x=y` is the plain negation and so does hold
//! for it. `=` on an amount holds at the precision that was typed (`$=21.96` finds 21.957642),
//! the order operators are exact.
//!
//! Where words are searched is the caller's business: `view` looks into the texts of a row (names,
//! ids, tags' values, verdict), not into its numbers, which comparisons are for.
//!
//! Where a filter chooses what is acted on, it is read by [`parse_strict`]: comparisons and quoted
//! text alone, and quoted text is the whole of a text there. Fields are named by their own names, see
//! [`FieldName::by_word`]. What such a filter chooses is never
//! more than what [`parse()`] finds with the same words.
//!
//! The language knows no field by name: [`FieldName`] is implemented where the fields live.

mod ast;
mod choice;
mod kind;
mod lex;
mod literal;
mod parse;
mod strict;

pub use ast::{Compare, Expr, Op, Operand, Term, comparison};
pub use choice::groups;
pub use kind::{FieldName, Kind, Unit};
pub use literal::{Literal, TextLiteral};
pub(crate) use literal::{begins_folded, contains_folded};
pub use parse::{QueryError, parse, parse_strict};

#[cfg(test)]
mod tests;
