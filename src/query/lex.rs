//! Text to tokens. Columns count characters from 1.

use super::ast::Op;
use super::parse::QueryError;

/// A token and its column.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Token {
    /// Column of its first character, counted from 1.
    pub(super) column: usize,
    /// Kind of token.
    pub(super) kind: TokenKind,
}

/// Kind of a token, with its text.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum TokenKind {
    Open,
    Close,
    Op(Op),
    Word(String),
    Quoted(String),
}

fn starts_op(c: char, next: Option<char>) -> bool {
    matches!(c, '=' | '<' | '>' | '~') || (c == '!' && matches!(next, Some('=' | '~')))
}

/// True when `text` parses as one bare word (a term or a field name).
pub(super) fn is_plain_word(text: &str) -> bool {
    let mut chars = text.chars().peekable();
    let mut first = true;
    while let Some(c) = chars.next() {
        if c.is_whitespace()
            || matches!(c, '(' | ')')
            || (first && matches!(c, '"' | '\'' | '!'))
            || starts_op(c, chars.peek().copied())
        {
            return false;
        }
        first = false;
    }
    !first && keyword(text).is_none()
}

/// True when `text` parses as one bare value after an operator.
pub(super) fn is_plain_value(text: &str) -> bool {
    let Some(first) = text.chars().next() else { return false };
    !matches!(first, '"' | '\'' | '=' | '<' | '>' | '~' | '!')
        && !text.chars().any(|c| c.is_whitespace() || matches!(c, '(' | ')'))
}

/// Reserved words of the grammar.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Keyword {
    And,
    Or,
    Not,
}

/// Reserved word that `word` is, ignoring case; `None` for any other word.
pub(super) fn keyword(word: &str) -> Option<Keyword> {
    [("and", Keyword::And), ("or", Keyword::Or), ("not", Keyword::Not)]
        .into_iter()
        .find(|(name, _)| word.eq_ignore_ascii_case(name))
        .map(|(_, k)| k)
}

/// Splits `text` into tokens. Err for an unclosed quote and for a lone `!`.
pub(super) fn tokens(text: &str) -> Result<Vec<Token>, QueryError> {
    let chars: Vec<char> = text.chars().collect();
    let mut out: Vec<Token> = Vec::new();
    let mut i = 0;
    while let Some(&c) = chars.get(i) {
        let column = i + 1;
        let after_op = matches!(out.last(), Some(Token { kind: TokenKind::Op(_), .. }));
        let next = chars.get(i + 1).copied();
        let kind = match c {
            _ if c.is_whitespace() => {
                i += 1;
                continue;
            }
            '(' | ')' => {
                i += 1;
                if c == '(' { TokenKind::Open } else { TokenKind::Close }
            }
            '"' | '\'' => TokenKind::Quoted(quoted(&chars, &mut i)?),
            _ if !after_op && starts_op(c, next) => {
                let (op, len) = match (c, next) {
                    ('<', Some('=')) => (Op::Le, 2),
                    ('<', _) => (Op::Lt, 1),
                    ('>', Some('=')) => (Op::Ge, 2),
                    ('>', _) => (Op::Gt, 1),
                    ('!', Some('~')) => (Op::NotContains, 2),
                    ('!', _) => (Op::Ne, 2),
                    ('~', _) => (Op::Contains, 1),
                    // `==` is what half of the world writes for `=`.
                    (_, Some('=')) => (Op::Eq, 2),
                    _ => (Op::Eq, 1),
                };
                i += len;
                TokenKind::Op(op)
            }
            '!' if !after_op => {
                return Err(QueryError::new(column, "`!` stands for nothing here; write `not`"));
            }
            _ => {
                let start = i;
                while let Some(&c) = chars.get(i) {
                    let ends = c.is_whitespace()
                        || matches!(c, '(' | ')')
                        || (!after_op && starts_op(c, chars.get(i + 1).copied()));
                    if ends {
                        break;
                    }
                    i += 1;
                }
                TokenKind::Word(chars[start..i].iter().collect())
            }
        };
        out.push(Token { column, kind });
    }
    Ok(out)
}

/// The text between the quote at `*i` and its partner; a backslash takes the next character as it
/// is. Leaves `*i` behind the closing quote.
fn quoted(chars: &[char], i: &mut usize) -> Result<String, QueryError> {
    let open = *i;
    let quote = chars[open];
    let mut text = String::new();
    *i += 1;
    while let Some(&c) = chars.get(*i) {
        *i += 1;
        match c {
            _ if c == quote => return Ok(text),
            '\\' => match chars.get(*i) {
                Some(&escaped) => {
                    text.push(escaped);
                    *i += 1;
                }
                None => break,
            },
            _ => text.push(c),
        }
    }
    Err(QueryError::new(open + 1, "this quote has no end"))
}
