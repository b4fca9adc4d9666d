//! What a filter may not say where it chooses what is acted on: each rule refuses what could take in
//! more than was meant.

use super::ast::{Op, Term};
use super::kind::FieldName;
use super::literal::TextLiteral;
use super::parse::QueryError;
use crate::domain::text::{clean, is_unsafe};

/// Signs that look like those of the language, typographic quotes among them. Unquoted, each would
/// silently become a part of a value: `env!=“prod”` would take in production.
const LOOK_ALIKES: &str =
    "“”„‟«»‘’‚‛‹›″′＂＇´｀（）［］｛｝＝≠≡≈≔﹦＜＞≤≥⩽⩾≦≧‹›〈〉⟨⟩～∼˜〜∽！ǃ¬＆｜¦∣∧∨＊∗，､、；：";

/// Err for invisible characters, and for words that mix alphabets.
pub(super) fn characters(text: &str) -> Result<(), QueryError> {
    let mut word: Option<Alphabet> = None;
    for (at, c) in text.chars().enumerate() {
        let column = at + 1;
        if is_unsafe(c) || is_invisible(c) {
            let code = u32::from(c);
            let message = format!("U+{code:04X} cannot be seen; take it out");
            return Err(QueryError::new(column, message));
        }
        word = match (word, Alphabet::of(c)) {
            (_, None) if !c.is_alphanumeric() => None,
            (Some(one), Some(other)) if one != other => {
                let message = format!("`{c}` is a letter of another alphabet than those before it");
                return Err(QueryError::new(column, message));
            }
            (before, now) => now.or(before),
        };
    }
    Ok(())
}

/// Space that is not the plain one, and what takes no room of its own.
fn is_invisible(c: char) -> bool {
    (c.is_whitespace() && c != ' ')
        || matches!(c,
            '\u{AD}'
            | '\u{34F}'
            | '\u{115F}'
            | '\u{1160}'
            | '\u{17B4}'
            | '\u{17B5}'
            | '\u{180B}'..='\u{180F}'
            | '\u{2800}'
            | '\u{3164}'
            | '\u{FE00}'..='\u{FE0F}'
            | '\u{FFA0}'
            | '\u{FFFC}'
            | '\u{FFFD}'
            | '\u{1D173}'..='\u{1D17A}'
            | '\u{E0100}'..='\u{E01EF}')
}

/// Alphabets whose letters pass for one another.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Alphabet {
    Latin,
    Greek,
    Cyrillic,
    Armenian,
    Cherokee,
    /// Latin letters and digits in another dress: fullwidth, mathematical, circled.
    Dressed,
}

impl Alphabet {
    fn of(c: char) -> Option<Self> {
        Some(match c {
            'a'..='z' | 'A'..='Z' | '\u{C0}'..='\u{24F}' => Self::Latin,
            '\u{370}'..='\u{3FF}' => Self::Greek,
            '\u{400}'..='\u{52F}' => Self::Cyrillic,
            '\u{530}'..='\u{58F}' => Self::Armenian,
            '\u{13A0}'..='\u{13FF}' | '\u{AB70}'..='\u{ABBF}' => Self::Cherokee,
            '\u{2100}'..='\u{214F}'
            | '\u{2460}'..='\u{24FF}'
            | '\u{FF01}'..='\u{FF5E}'
            | '\u{1D400}'..='\u{1D7FF}'
            | '\u{1F130}'..='\u{1F189}' => Self::Dressed,
            _ => return None,
        })
    }
}

/// Error for a bare word, which suggests what to write instead.
pub(super) fn bare_word<F: FieldName>(word: &str, names: &F::Names, column: usize) -> QueryError {
    let word = clean(word);
    let mut instead: Vec<String> = Vec::new();
    if word.chars().all(may_stand_bare) {
        let fields = [("env", "="), ("name", "~")].into_iter();
        let known = fields.filter(|(name, _)| F::resolve(name, names).is_some());
        instead.extend(known.map(|(name, op)| format!("`{name}{op}{word}`")));
        instead.push(format!("`\"{word}\"` for a text that is exactly this"));
    } else {
        instead.push("a comparison like `gpu<5`, or a whole text in quotes".to_owned());
    }
    let message = format!(
        "`{word}` alone is a search, which takes in more than it says; what is acted on is chosen \
         by comparisons: write {}",
        instead.join(", or ")
    );
    QueryError::new(column, message)
}

/// Error for a word that stands for a field when it is looked for and is not its name.
pub(super) fn no_name(word: &str, field: &str, op: Op, column: usize) -> QueryError {
    let (word, field, op) = (clean(word), clean(field), op.symbol());
    let message = format!(
        "`{word}` only stands for `{field}`; what is acted on is chosen by the field's own name: \
         write `{field}{op}…`"
    );
    QueryError::new(column, message)
}

/// Term for quoted text: the whole text must match. Err for empty quotes, and below a `not`.
pub(super) fn quoted<F>(text: &str, column: usize, negated: bool) -> Result<Term<F>, QueryError> {
    if text.trim().is_empty() {
        return Err(QueryError::new(column, "there is nothing in these quotes"));
    }
    if negated {
        let message = "quoted text below `not` leaves out exactly that text and takes in whatever \
                       only holds it; write a comparison like `name!~…` or `env!=…`";
        return Err(QueryError::new(column, message));
    }
    Ok(Term::Exact(TextLiteral::new(text)))
}

/// Err for a value that may have meant more than plain text (a list, a pattern); `bare` = written without quotes.
pub(super) fn value(value: &str, bare: bool, op: Op, column: usize) -> Result<(), QueryError> {
    if op.searches() && value.trim().is_empty() {
        return Err(QueryError::new(column, "every text holds an empty one"));
    }
    match value.chars().find(|c| bare && !may_stand_bare(*c)) {
        None => Ok(()),
        Some(c) => {
            let message = format!(
                "`{c}` is no sign of a value here: there are no lists, wildcards or patterns. \
                 Several are written `env=a or env=b`; a value that holds it stands in quotes"
            );
            Err(QueryError::new(column, message))
        }
    }
}

/// Letters and digits of every script, and the signs of names, ids, ARNs and addresses.
fn may_stand_bare(c: char) -> bool {
    !LOOK_ALIKES.contains(c) && (c.is_alphanumeric() || "-_.:/@+".contains(c))
}
