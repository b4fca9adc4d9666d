//! Recursive descent over the tokens.

use super::ast::{Compare, Expr, Op, Term};
use super::choice;
use super::kind::{FieldName, Kind, Unit};
use super::lex::{Keyword, Token, TokenKind, keyword, tokens};
use super::literal::{Literal, NumberLiteral, TextLiteral, TimeLiteral};
use super::strict;
use crate::domain::text::clean;

/// Longest filter that is read, bytes.
pub const MAX_BYTES: usize = 1024;

/// Highest nesting of parentheses and `not`.
pub const MAX_NESTING: usize = 32;

/// Words that a unit has at most: `$ 5 per day`.
const UNIT_WORDS: usize = 3;

/// Syntax error in a filter.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("column {column}: {message}")]
pub struct QueryError {
    /// Column of the error, in characters from 1; one past the end when something is missing there.
    pub column: usize,
    /// Message with the error and the correction; clean text.
    pub message: String,
}

impl QueryError {
    /// An error at `column`.
    pub(super) fn new(column: usize, message: impl Into<String>) -> Self {
        Self { column, message: message.into() }
    }
}

/// Parses a filter for viewing, over the fields of `names`: bare words are searched for.
///
/// # Errors
/// The text is too long, nested too deep, or no valid filter; an unknown field or a value of the wrong kind.
pub fn parse<F: FieldName>(text: &str, names: &F::Names) -> Result<Expr<Term<F>>, QueryError> {
    read(text, names, false)
}

/// Parses a filter that selects rows to act on: only comparisons and quoted text.
///
/// # Errors
/// Those of [`parse`]; further a bare word, quoted text below a `not`, a value that may have meant something else
/// (`env!=a,b`, `name~train-*`), and look-alike characters. The message says what to write.
pub fn parse_strict<F: FieldName>(
    text: &str,
    names: &F::Names,
) -> Result<Expr<Term<F>>, QueryError> {
    read(text, names, true)
}

fn read<F: FieldName>(
    text: &str,
    names: &F::Names,
    strict: bool,
) -> Result<Expr<Term<F>>, QueryError> {
    if text.len() > MAX_BYTES {
        let column = text.char_indices().take_while(|(i, _)| *i < MAX_BYTES).count() + 1;
        return Err(QueryError::new(column, format!("a filter ends at {MAX_BYTES} bytes")));
    }
    if strict {
        strict::characters(text)?;
    }
    let tokens = tokens(text)?;
    if tokens.is_empty() {
        return Ok(Expr::All);
    }
    let end = text.chars().count() + 1;
    let mut parser = Parser::<F> { tokens: &tokens, names, at: 0, end, strict, negations: 0 };
    let expr = parser.or(0)?;
    match parser.peek() {
        None => Ok(expr),
        Some(t) => Err(QueryError::new(t.column, "this `)` closes nothing")),
    }
}

struct Parser<'a, F: FieldName> {
    tokens: &'a [Token],
    names: &'a F::Names,
    at: usize,
    end: usize,
    /// True where the filter chooses what is acted on.
    strict: bool,
    /// How many `not` stand around what is read now.
    negations: usize,
}

impl<'a, F: FieldName> Parser<'a, F> {
    fn peek(&self) -> Option<&'a Token> {
        self.tokens.get(self.at)
    }

    fn peek_keyword(&self) -> Option<Keyword> {
        // A word in front of an operator is a field name, whatever it says.
        if matches!(self.tokens.get(self.at + 1), Some(Token { kind: TokenKind::Op(_), .. })) {
            return None;
        }
        match self.peek() {
            Some(Token { kind: TokenKind::Word(w), .. }) => keyword(w),
            _ => None,
        }
    }

    fn column(&self) -> usize {
        self.peek().map_or(self.end, |t| t.column)
    }

    fn or(&mut self, depth: usize) -> Result<Expr<Term<F>>, QueryError> {
        let mut parts = vec![self.and(depth)?];
        while self.peek_keyword() == Some(Keyword::Or) {
            self.at += 1;
            parts.push(self.and(depth)?);
        }
        Ok(Expr::or(parts))
    }

    fn and(&mut self, depth: usize) -> Result<Expr<Term<F>>, QueryError> {
        let mut parts = vec![self.unary(depth)?];
        loop {
            match (self.peek_keyword(), self.peek().map(|t| &t.kind)) {
                (Some(Keyword::Or), _) | (_, None | Some(TokenKind::Close)) => break,
                (Some(Keyword::And), _) => self.at += 1,
                _ => {}
            }
            parts.push(self.unary(depth)?);
        }
        Ok(Expr::and(parts))
    }

    fn unary(&mut self, depth: usize) -> Result<Expr<Term<F>>, QueryError> {
        let column = self.column();
        if depth > MAX_NESTING {
            let message = format!("more than {MAX_NESTING} levels of `(` and `not`");
            return Err(QueryError::new(column, message));
        }
        if self.peek_keyword() == Some(Keyword::Not) {
            self.at += 1;
            self.negations += 1;
            let inner = self.unary(depth + 1)?;
            self.negations -= 1;
            return Ok(Expr::Not(Box::new(inner)));
        }
        if matches!(self.peek(), Some(Token { kind: TokenKind::Open, .. })) {
            self.at += 1;
            let inner = self.or(depth + 1)?;
            if !matches!(self.peek(), Some(Token { kind: TokenKind::Close, .. })) {
                return Err(QueryError::new(column, "this `(` is never closed"));
            }
            self.at += 1;
            return Ok(inner);
        }
        self.term()
    }

    fn term(&mut self) -> Result<Expr<Term<F>>, QueryError> {
        const WANTED: &str = "a word or a comparison like gpu<5 is missing here";
        let column = self.column();
        if self.peek_keyword().is_some() {
            return Err(QueryError::new(column, WANTED));
        }
        let Some(token) = self.peek() else {
            return Err(QueryError::new(column, WANTED));
        };
        self.at += 1;
        let (name, quoted) = match &token.kind {
            TokenKind::Word(word) => (word, false),
            TokenKind::Quoted(text) => (text, true),
            TokenKind::Op(op) => {
                let message = format!("a field name must stand before `{}`", op.symbol());
                return Err(QueryError::new(column, message));
            }
            TokenKind::Open | TokenKind::Close => return Err(QueryError::new(column, WANTED)),
        };
        let Some(&Token { kind: TokenKind::Op(op), column: op_column }) = self.peek() else {
            return match (self.strict, quoted) {
                (false, true) => Ok(Expr::Leaf(Term::Phrase(name.clone()))),
                (false, false) => Ok(Expr::Leaf(Term::Fuzzy(name.clone()))),
                (true, true) => strict::quoted(name, column, self.negations > 0).map(Expr::Leaf),
                (true, false) => Err(strict::bare_word::<F>(name, self.names, column)),
            };
        };
        self.at += 1;
        let field = self.field(name, op, column)?;
        let value_column = self.column();
        let (value, bare) = match self.peek().map(|t| &t.kind) {
            Some(TokenKind::Word(value)) => (value, true),
            Some(TokenKind::Quoted(value)) => (value, false),
            _ => {
                let message = format!("a value must follow `{}`", op.symbol());
                return Err(QueryError::new(value_column, message));
            }
        };
        self.at += 1;
        let kind = field.kind();
        check_operator(&field, kind, op, op_column)?;
        if self.strict && is_text(&field) {
            strict::value(value, bare, op, value_column)?;
        }
        let with_unit;
        let value: &str = match (kind, bare) {
            (Kind::Number(unit), true) => {
                with_unit = self.with_unit(&field, unit, value)?;
                &with_unit
            }
            _ => value,
        };
        let is_list = bare && !self.strict && is_text(&field);
        let mut each: Vec<&str> =
            value.split(',').filter(|part| is_list && !part.is_empty()).collect();
        if each.is_empty() {
            each.push(value);
        }
        let parts = each.into_iter().map(|value| self.compare(&field, op, value, value_column));
        let parts = parts.collect::<Result<Vec<_>, _>>()?;
        Ok(match op {
            Op::Ne | Op::NotContains => Expr::and(parts),
            _ => Expr::or(parts),
        })
    }

    /// The field of a name that is compared. Err for a word that only stands for a field where a filter chooses what is acted on.
    fn field(&self, name: &str, op: Op, column: usize) -> Result<F, QueryError> {
        let field = F::resolve(name, self.names);
        // Texts have no order: what of that name has one is meant.
        if let Some(field) = field.as_ref().filter(|field| !is_text(*field) || !op.orders()) {
            return Ok(field.clone());
        }
        match F::by_word(name, self.names) {
            Some(meant) if self.strict => {
                Err(strict::no_name(name, &meant.to_string(), op, column))
            }
            Some(meant) => Ok(meant),
            None => field.ok_or_else(|| unknown_field::<F>(name, self.names, (op, column))),
        }
    }

    /// The comparison with one value.
    fn compare(
        &self,
        field: &F,
        op: Op,
        value: &str,
        column: usize,
    ) -> Result<Expr<Term<F>>, QueryError> {
        let kind = field.kind();
        let compare =
            |value| Expr::Leaf(Term::Compare(Compare { field: field.clone(), op, value }));
        if let (Kind::Choice(words), false) = (kind, self.strict) {
            // `idle` stands for `held_idle` and `unallocated_idle`.
            let parts: Vec<_> =
                choice::literals_of_group(value, words).into_iter().map(&compare).collect();
            match op {
                Op::Eq if !parts.is_empty() => return Ok(Expr::or(parts)),
                Op::Ne if !parts.is_empty() => return Ok(Expr::and(parts)),
                _ => {}
            }
        }
        let literal = match kind {
            Kind::Choice(words) if !op.searches() => {
                choice::literal(field, words, value, column, self.names, self.strict)
            }
            _ => literal(field, kind, value, column),
        };
        literal.map(compare)
    }

    /// A number with the words behind it that are its unit: `10 TB`, `3 days`, `$ 5`. Err for a word behind a bare number that may
    /// have been meant as its unit and is none.
    fn with_unit(&mut self, field: &F, unit: Unit, value: &str) -> Result<String, QueryError> {
        let words = self.words_behind();
        for count in (1..=words.len()).rev() {
            let whole = joined(value, &words[..count]);
            if let Some(whole) = whole.filter(|whole| NumberLiteral::parse(whole, unit).is_ok()) {
                self.at += count;
                return Ok(whole);
            }
        }
        let is_bare_number = value.chars().all(|c| c.is_ascii_digit() || matches!(c, '.' | ','));
        match words.first() {
            Some(word) if is_bare_number && unit != Unit::Count => {
                let (word, name) = (clean(word), field.to_string());
                let message = format!(
                    "`{word}` is no unit of `{}`: {}; to search for it write `and {word}`",
                    clean(&name),
                    unit.units()
                );
                Err(QueryError::new(self.column(), message))
            }
            _ => Ok(value.to_owned()),
        }
    }

    /// Bare words that come next, as many as a unit has at most; neither keywords nor fields of further comparisons.
    fn words_behind(&self) -> Vec<&'a str> {
        let rest = self.tokens.get(self.at..).unwrap_or_default();
        let mut words: Vec<&str> = Vec::new();
        for (at, token) in rest.iter().enumerate().take(UNIT_WORDS) {
            let compares = matches!(rest.get(at + 1), Some(Token { kind: TokenKind::Op(_), .. }));
            match &token.kind {
                TokenKind::Word(word) if !compares && keyword(word).is_none() => words.push(word),
                _ => break,
            }
        }
        words
    }
}

/// True for a field of texts.
fn is_text<F: FieldName>(field: &F) -> bool {
    matches!(field.kind(), Kind::Text | Kind::Choice(_))
}

/// A number and the words behind it as one word; `None` where two numbers would become one.
fn joined(value: &str, words: &[&str]) -> Option<String> {
    let is_number = |c: char| c.is_ascii_digit() || matches!(c, '.' | ',');
    let mut whole = value.to_owned();
    for word in words {
        if whole.ends_with(is_number) && word.starts_with(is_number) {
            return None;
        }
        whole.push_str(word);
    }
    Some(whole)
}

fn check_operator<F: FieldName>(
    field: &F,
    kind: Kind,
    op: Op,
    column: usize,
) -> Result<(), QueryError> {
    let (fits, are) = match kind {
        Kind::Text | Kind::Choice(_) => (!op.orders(), "text takes = != ~ !~"),
        Kind::Number(_) => (!op.searches(), "numbers take = != < <= > >="),
        Kind::Time => (!op.searches(), "times take = != < <= > >="),
    };
    if fits {
        return Ok(());
    }
    let message = format!("`{}` does not fit `{}`: {are}", op.symbol(), clean(&field.to_string()));
    Err(QueryError::new(column, message))
}

/// The value of a comparison that is no word of a choice.
fn literal<F: FieldName>(
    field: &F,
    kind: Kind,
    text: &str,
    column: usize,
) -> Result<Literal, QueryError> {
    let wanted = |what: String| {
        let message =
            format!("`{}` wants {what}, not `{}`", clean(&field.to_string()), clean(text));
        QueryError::new(column, message)
    };
    Ok(match kind {
        Kind::Text | Kind::Choice(_) => Literal::Text(TextLiteral::new(text)),
        Kind::Number(unit) => Literal::Number(NumberLiteral::parse(text, unit).map_err(wanted)?),
        Kind::Time => Literal::Time(TimeLiteral::parse(text).map_err(wanted)?),
    })
}

/// Characters of the names of fields that an error lists.
const NAMES_WIDTH: usize = 48;

fn unknown_field<F: FieldName>(
    name: &str,
    names: &F::Names,
    (op, column): (Op, usize),
) -> QueryError {
    let shown = clean(name);
    let is_tag = name.to_lowercase().starts_with("tag:");
    let sought = name.to_lowercase();
    // What is compared by size is no text.
    let has_order = |name: &&str| F::resolve(name, names).is_some_and(|field| !is_text(&field));
    let by_size = F::known(names).into_iter().filter(|name| op.orders() && has_order(name));
    let near = nearest(&sought, by_size)
        .or_else(|| nearest(&sought, F::known(names).into_iter()))
        .or_else(|| F::known(names).into_iter().find(|name| letters(name) == letters(&sought)));
    let message = match near {
        Some(near) => format!("no field `{shown}`; did you mean `{near}`?"),
        None if is_tag => format!("no field `{shown}`; a tag is written `tag:Key`"),
        None => format!(
            "no field `{shown}`; fields: {}; a tag is written `tag:Key`",
            first_names::<F>(names)
        ),
    };
    QueryError::new(column, message)
}

/// The first fields by their own names, as many as [`NAMES_WIDTH`] has room for.
fn first_names<F: FieldName>(names: &F::Names) -> String {
    let is_own = |name: &str| F::resolve(name, names).is_some_and(|of| of.to_string() == name);
    let mut listed = String::new();
    for name in F::known(names).into_iter().filter(|name| is_own(name)) {
        if !listed.is_empty() && listed.len() + 2 + name.len() > NAMES_WIDTH {
            listed.push_str(" …");
            break;
        }
        if !listed.is_empty() {
            listed.push_str(", ");
        }
        listed.push_str(name);
    }
    listed
}

/// The letters of a word in their order: those of a short one are easily swapped.
fn letters(word: &str) -> Vec<char> {
    let mut letters: Vec<char> = word.chars().collect();
    letters.sort_unstable();
    letters
}

/// The known word that `name` was most likely meant to be, if any is close.
pub(super) fn nearest(
    name: &str,
    known: impl Iterator<Item = &'static str>,
) -> Option<&'static str> {
    // Jaro–Winkler favours a common beginning, which is where people type right; 0.8 lets one or
    // two wrong letters through in words of this length.
    known
        .map(|k| (k, strsim::jaro_winkler(name, k)))
        .filter(|(_, likeness)| *likeness >= 0.8)
        .max_by(|a, b| a.1.total_cmp(&b.1))
        .map(|(k, _)| k)
}
