//! Words of a choice: those of the field, the groups that several of them end in, and what another word may have meant.

use super::kind::FieldName;
use super::literal::{Literal, TextLiteral};
use super::parse::{QueryError, nearest};
use crate::domain::text::clean;

/// A word of a choice in the form in which choices are compared.
fn folded(text: &str) -> String {
    text.to_lowercase().replace(['-', ' '], "_")
}

/// True when `words` has this one, which is folded.
fn has(words: &[&str], sought: &str) -> bool {
    words.iter().any(|word| folded(word) == sought)
}

/// The words of which `text` is the group: those that end in it, as `held_idle` and `unallocated_idle` in `idle`. None
/// where it is one of the words itself.
fn group(text: &str, words: &[&'static str]) -> Vec<&'static str> {
    let folded = folded(text);
    if has(words, &folded) {
        return Vec::new();
    }
    let end = format!("_{folded}");
    words.iter().copied().filter(|word| word.replace('-', "_").ends_with(&end)).collect()
}

/// Literals of the words of which `text` is the group.
pub(super) fn literals_of_group(text: &str, words: &[&'static str]) -> Vec<Literal> {
    group(text, words).into_iter().map(|word| Literal::Text(TextLiteral::new(word))).collect()
}

/// Words that a choice takes beside its own: each stands for the several that end in it.
pub fn groups(words: &[&'static str]) -> Vec<&'static str> {
    let mut found: Vec<&'static str> = Vec::new();
    for word in words.iter().copied() {
        for (at, _) in word.match_indices(['_', '-']) {
            let end: &'static str = &word[at + 1..];
            if !end.is_empty() && !found.contains(&end) && group(end, words).len() > 1 {
                found.push(end);
            }
        }
    }
    found
}

/// The literal of a word of a choice. Fails with what was most likely meant: a word of this field goes before one of another
/// that is no nearer. Groups are no words where a filter is `strict`.
pub(super) fn literal<F: FieldName>(
    field: &F,
    words: &'static [&'static str],
    text: &str,
    column: usize,
    names: &F::Names,
    strict: bool,
) -> Result<Literal, QueryError> {
    let sought = folded(text);
    let word_of = |sought: &str| words.iter().find(|word| folded(word) == sought);
    // The word itself, else the one that is shown under another label.
    let labelled = || {
        let labels = F::labels(names).into_iter().filter(|[label, _]| folded(label) == sought);
        labels.map(|[_, word]| folded(word)).find_map(|word| word_of(&word))
    };
    if let Some(word) = word_of(&sought).or_else(labelled) {
        return Ok(Literal::Text(TextLiteral::new(word)));
    }
    let name = field.to_string();
    let (name, typed) = (clean(&name), clean(text));
    let instead = |meant: &str| {
        let message = format!("`{name}` has no `{typed}`; did you mean {meant}?");
        QueryError::new(column, message)
    };
    let of_group = group(text, words);
    if !of_group.is_empty() {
        let each: Vec<String> = of_group.iter().map(|word| format!("`{word}`")).collect();
        return Err(instead(&each.join(" or ")));
    }
    let mut accepted = words.to_vec();
    if !strict {
        accepted.extend(groups(words));
    }
    let wanted = format!("`{name}` wants one of {}, not `{typed}`", accepted.join(", "));
    // What helps stands first: the end of a line may not be seen.
    let elsewhere = |word: &str, other: &F| {
        QueryError::new(column, format!("try `{other}={}`: {wanted}", clean(word)))
    };
    let others = F::choices(names);
    if let Some((other, _)) = others.iter().find(|(_, words)| has(words, &sought)) {
        return Err(elsewhere(text, other));
    }
    if let Some(near) = nearest(&sought, accepted.iter().copied()) {
        return Err(instead(&format!("`{near}`")));
    }
    // A short word is near to many of the long ones that it does not begin.
    let is_alike = |word: &&str| word.starts_with(&*sought) || sought.len() * 2 >= word.len();
    let near = others.iter().find_map(|(of, words)| {
        Some((of, nearest(&sought, words.iter().copied()).filter(is_alike)?))
    });
    Err(match near {
        Some((other, word)) => elsewhere(word, other),
        None => QueryError::new(column, wanted),
    })
}
