//! Names with a `*` in them, compared ignoring ASCII case.

use std::sync::Arc;

/// A name in which each `*` stands for any text, also none. Compared ignoring ASCII case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pattern {
    text: Arc<str>,
    /// What stands between the stars; one part where there is no star.
    parts: Vec<Box<[u8]>>,
}

impl Pattern {
    /// From a text; any text is a pattern.
    pub fn new(text: &str) -> Self {
        Self {
            text: text.into(),
            parts: text.split('*').map(|part| part.as_bytes().into()).collect(),
        }
    }

    /// As it was written.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// True for a name that it matches.
    pub fn matches(&self, name: &str) -> bool {
        let name = name.as_bytes();
        let Some((first, rest)) = self.parts.split_first() else { return false };
        let Some((last, middle)) = rest.split_last() else {
            return name.eq_ignore_ascii_case(first);
        };
        let begins = name.get(..first.len()).is_some_and(|begin| begin.eq_ignore_ascii_case(first));
        if !begins || name.len() < first.len() + last.len() {
            return false;
        }
        let (body, end) = name.split_at(name.len() - last.len());
        if !end.eq_ignore_ascii_case(last) {
            return false;
        }
        let mut body = body.get(first.len()..).unwrap_or_default();
        middle.iter().all(|part| match place(body, part) {
            Some(at) => {
                body = body.get(at + part.len()..).unwrap_or_default();
                true
            }
            None => false,
        })
    }

    /// True where every name that `other` matches is matched by this pattern too, as far as a look at the two tells:
    /// `nlp-*` covers `nlp-train-*` and `nlp-1`.
    pub fn covers(&self, other: &Self) -> bool {
        // Each star of the other as a letter that no name has: this pattern then has to match it by its own stars.
        self.matches(&other.text.replace('*', "\u{1}"))
    }

    /// True where some name may match both: one covers the other, or their stars may stand for what the other has.
    pub fn overlaps(&self, other: &Self) -> bool {
        if self.covers(other) || other.covers(self) {
            return true;
        }
        let ends = |of: &Self| {
            let (first, last) = (of.parts.first().cloned(), of.parts.last().cloned());
            (first.unwrap_or_default(), last.unwrap_or_default())
        };
        if self.parts.len() < 2 || other.parts.len() < 2 {
            return false;
        }
        let ((a_first, a_last), (b_first, b_last)) = (ends(self), ends(other));
        let short = a_first.len().min(b_first.len());
        let tail = a_last.len().min(b_last.len());
        a_first[..short].eq_ignore_ascii_case(&b_first[..short])
            && a_last[a_last.len() - tail..].eq_ignore_ascii_case(&b_last[b_last.len() - tail..])
    }
}

/// First place of `part` in `text`, ignoring ASCII case.
fn place(text: &[u8], part: &[u8]) -> Option<usize> {
    if part.is_empty() {
        return Some(0);
    }
    text.windows(part.len()).position(|window| window.eq_ignore_ascii_case(part))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stars_stand_for_any_text_and_case_does_not_matter() {
        for (pattern, name, matches) in [
            ("nlp-*", "NLP-train-1", true),
            ("nlp-*", "nlp-", true),
            ("nlp-*", "xnlp-1", false),
            ("*-prod", "web-PROD", true),
            ("a*b*c", "aXbXc", true),
            ("a*b*c", "acb", false),
            ("a*a", "a", false),
            ("exact", "Exact", true),
            ("exact", "exactly", false),
            ("*", "", true),
            ("*é*", "caf\u{e9}s", true),
        ] {
            assert_eq!(Pattern::new(pattern).matches(name), matches, "{pattern} {name}");
        }
    }

    #[test]
    fn a_pattern_covers_what_it_matches_whatever_stands_for_the_star() {
        let of = Pattern::new;
        assert!(of("nlp-*").covers(&of("nlp-train-*")) && of("*").covers(&of("x")));
        assert!(!of("nlp-train-*").covers(&of("nlp-*")));
        assert!(of("a*").overlaps(&of("*b")) && of("nlp-*").overlaps(&of("nlp-train-*")));
        assert!(!of("nlp-*").overlaps(&of("vision-*")) && !of("a*x").overlaps(&of("a*y")));
        assert!(!of("a").overlaps(&of("b")));
    }
}
