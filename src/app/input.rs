//! One line of text with a cursor, and the history behind it.

use unicode_segmentation::UnicodeSegmentation;

use super::keymap::Action;

/// The longest line that can be typed, in bytes: a bound for pasted text.
const MAX_BYTES: usize = 1024;

/// One line of text being edited. The cursor is before a grapheme cluster or at the end.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LineEdit {
    text: String,
    /// Byte offset, always on a grapheme boundary.
    cursor: usize,
    /// Byte offset from which on the text is a proposal that typed text takes the place of; `None` = none, or it was edited.
    proposed: Option<usize>,
}

impl LineEdit {
    /// A line with the cursor at its end.
    pub fn new(text: &str) -> Self {
        let mut line = Self::default();
        line.insert(text);
        line
    }

    /// A line with `proposed` behind `text`, the cursor at its end: what is typed takes the place of the proposal, and any
    /// other edit goes on with it.
    pub fn proposing(text: &str, proposed: &str) -> Self {
        let mut line = Self::new(text);
        let from = line.text.len();
        line.insert(proposed);
        line.proposed = Some(from).filter(|from| *from < line.text.len());
        line
    }

    /// The proposal, which typed text takes the place of; `None` where there is none any more.
    pub fn proposal(&self) -> Option<&str> {
        self.text.get(self.proposed?..)
    }

    /// The text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The text before the cursor.
    pub fn before(&self) -> &str {
        &self.text[..self.cursor]
    }

    /// Replaces the text; the cursor goes to its end.
    pub fn set(&mut self, text: &str) {
        *self = Self::new(text);
    }

    /// Inserts `text` at the cursor. Control and bidirectional characters become spaces (a pasted line break
    /// must not end the input); what exceeds the limit is dropped.
    pub fn insert(&mut self, text: &str) {
        if let Some(from) = self.proposed.take_if(|_| !text.is_empty()) {
            self.delete(from, self.text.len());
        }
        for c in text.chars() {
            let c = if crate::domain::text::is_unsafe(c) { ' ' } else { c };
            if self.text.len() + c.len_utf8() > MAX_BYTES {
                break;
            }
            self.text.insert(self.cursor, c);
            self.cursor += c.len_utf8();
        }
        self.snap();
    }

    /// Moves the cursor to the next boundary: an edit may have joined what stands around it.
    fn snap(&mut self) {
        self.cursor = self
            .text
            .grapheme_indices(true)
            .map(|(i, _)| i)
            .find(|i| *i >= self.cursor)
            .unwrap_or(self.text.len());
    }

    /// Applies an editing action; false where the action does not edit.
    pub fn apply(&mut self, action: Action) -> bool {
        match action {
            Action::TextLeft => self.cursor = self.previous(),
            Action::TextRight => self.cursor = self.next(),
            Action::TextStart => self.cursor = 0,
            Action::TextEnd => self.cursor = self.text.len(),
            Action::Backspace => self.delete(self.previous(), self.cursor),
            Action::Delete => self.delete(self.cursor, self.next()),
            Action::KillWord => self.delete(self.word_start(), self.cursor),
            Action::KillStart => self.delete(0, self.cursor),
            Action::KillEnd => self.delete(self.cursor, self.text.len()),
            _ => return false,
        }
        self.proposed = None;
        true
    }

    fn delete(&mut self, from: usize, to: usize) {
        self.text.replace_range(from..to, "");
        self.cursor = from;
        self.snap();
    }

    fn previous(&self) -> usize {
        self.before().grapheme_indices(true).next_back().map_or(0, |(i, _)| i)
    }

    fn next(&self) -> usize {
        self.text[self.cursor..]
            .graphemes(true)
            .next()
            .map_or(self.cursor, |g| self.cursor + g.len())
    }

    fn word_start(&self) -> usize {
        let trimmed = self.before().trim_end();
        trimmed
            .rfind(char::is_whitespace)
            .map_or(0, |i| i + trimmed[i..].chars().next().map_or(0, char::len_utf8))
    }
}

/// Texts entered before, oldest first, with the position of the user in them.
#[derive(Clone, Debug, Default)]
pub struct History {
    entries: Vec<String>,
    /// Index of the entry shown; `None` = the line being typed.
    at: Option<usize>,
    draft: String,
}

impl History {
    /// Entries kept.
    const MAX: usize = 50;

    /// Adds a text at the end and leaves the history; an equal earlier text moves there.
    pub fn push(&mut self, text: &str) {
        self.at = None;
        if text.trim().is_empty() {
            return;
        }
        self.entries.retain(|e| e != text);
        self.entries.push(text.to_owned());
        if self.entries.len() > Self::MAX {
            self.entries.remove(0);
        }
    }

    /// Leaves the history without adding.
    pub fn leave(&mut self) {
        self.at = None;
    }

    /// Replaces the line by the previous text.
    pub fn back(&mut self, line: &mut LineEdit) {
        let at = match self.at {
            None => {
                line.text().clone_into(&mut self.draft);
                self.entries.len().checked_sub(1)
            }
            Some(at) => Some(at.saturating_sub(1)),
        };
        if let Some(entry) = at.and_then(|i| self.entries.get(i)) {
            line.set(entry);
            self.at = at;
        }
    }

    /// Replaces the line by the next text, after the last one by what was being typed.
    pub fn forward(&mut self, line: &mut LineEdit) {
        let Some(at) = self.at else { return };
        if let Some(entry) = self.entries.get(at + 1) {
            line.set(entry);
            self.at = Some(at + 1);
        } else {
            line.set(&self.draft);
            self.at = None;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn editing_goes_by_grapheme() {
        let mut line = LineEdit::new("a🇩🇪e\u{301}");
        line.apply(Action::Backspace);
        assert_eq!(line.text(), "a🇩🇪");
        line.apply(Action::TextLeft);
        assert_eq!(line.before(), "a");
        line.insert("x");
        assert_eq!((line.text(), line.before()), ("ax🇩🇪", "ax"));
        line.apply(Action::Delete);
        assert_eq!(line.text(), "ax");
        line.apply(Action::Delete);
        assert_eq!(line.text(), "ax");
    }

    #[test]
    fn words_and_ends() {
        let mut line = LineEdit::new("gpu<5 and  team=nlp ");
        line.apply(Action::KillWord);
        assert_eq!(line.text(), "gpu<5 and  ");
        line.apply(Action::KillWord);
        assert_eq!(line.text(), "gpu<5 ");
        line.apply(Action::TextStart);
        line.apply(Action::TextRight);
        line.apply(Action::KillEnd);
        assert_eq!(line.text(), "g");
        line.apply(Action::KillStart);
        assert_eq!(line.text(), "");
        assert!(!line.apply(Action::Down));
    }

    #[test]
    fn what_is_typed_takes_the_place_of_a_proposal_and_an_edit_goes_on_with_it() {
        let proposed = || LineEdit::proposing("export md ", "plan-base.md");
        let mut line = proposed();
        assert_eq!(
            (line.text(), line.proposal()),
            ("export md plan-base.md", Some("plan-base.md"))
        );
        line.insert("q");
        line.insert("3");
        assert_eq!(
            (line.text(), line.before(), line.proposal()),
            ("export md q3", "export md q3", None)
        );
        let mut line = proposed();
        line.apply(Action::Backspace);
        line.insert("x");
        assert_eq!((line.text(), line.proposal()), ("export md plan-base.mx", None));
        let mut line = proposed();
        line.apply(Action::TextStart);
        line.insert("!");
        assert_eq!(line.text(), "!export md plan-base.md");
        // Nothing proposed is nothing to replace, and text from elsewhere is none.
        assert_eq!(LineEdit::proposing("a", "").proposal(), None);
        let mut line = proposed();
        line.set("other");
        line.insert("s");
        assert_eq!(line.text(), "others");
    }

    #[test]
    fn pasted_controls_become_spaces_and_length_is_bounded() {
        let mut line = LineEdit::new("a\r\nb\u{1b}[2J");
        assert_eq!(line.text(), "a  b [2J");
        line.insert(&"é".repeat(10_000));
        assert!(line.text().len() <= MAX_BYTES);
    }

    #[test]
    fn history_keeps_the_draft() {
        let mut history = History::default();
        for entry in ["one", "two", "one", " "] {
            history.push(entry);
        }
        let mut line = LineEdit::new("dra");
        history.back(&mut line);
        assert_eq!(line.text(), "one");
        history.back(&mut line);
        history.back(&mut line);
        assert_eq!(line.text(), "two");
        history.forward(&mut line);
        history.forward(&mut line);
        assert_eq!(line.text(), "dra");
    }

    proptest::proptest! {
        #[test]
        fn any_typing_keeps_the_cursor_on_a_boundary(
            steps in proptest::collection::vec((0u8..10, ".{0,3}"), 0..40)
        ) {
            const EDITS: [Action; 9] = [
                Action::TextLeft, Action::TextRight, Action::TextStart, Action::TextEnd,
                Action::Backspace, Action::Delete, Action::KillWord, Action::KillStart,
                Action::KillEnd,
            ];
            let mut line = LineEdit::proposing("a ", "b");
            for (step, text) in steps {
                match EDITS.get(usize::from(step)) {
                    Some(edit) => { line.apply(*edit); }
                    None => line.insert(&text),
                }
                let boundary = line.text.grapheme_indices(true).any(|(i, _)| i == line.cursor)
                    || line.cursor == line.text.len();
                proptest::prop_assert!(boundary);
            }
        }
    }
}
