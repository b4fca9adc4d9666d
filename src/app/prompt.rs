//! The line where one types: a filter, a command, a name.

use super::deed::Deed;
use super::input::LineEdit;

/// Purpose of a prompt.
#[derive(Clone, Debug)]
pub enum PromptKind {
    /// A filter, applied while typing.
    Filter {
        /// Filter before the prompt was opened; `esc` restores it.
        before: String,
    },
    /// A command.
    Command,
    /// The name of a view to save.
    SaveView,
    /// Text for a tab.
    Own {
        /// Text that a tab asks for.
        label: String,
        /// Receives the text; an error keeps the prompt open.
        take: Deed,
    },
}

/// The prompt: one line being typed.
#[derive(Clone, Debug)]
pub struct Prompt {
    /// Purpose of the prompt.
    pub kind: PromptKind,
    /// Text with cursor.
    pub line: LineEdit,
    /// Error in the text; `None` where it can be used.
    pub error: Option<PromptError>,
    /// Whole lines that complete it, shown above.
    pub completions: Vec<String>,
    /// Index of the completion in the line; `None` where none is.
    pub chosen: Option<usize>,
}

/// Error in typed text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PromptError {
    /// Column in characters, from 1; `None` where it has no place.
    pub column: Option<usize>,
    /// Message, one line.
    pub message: String,
}

impl Prompt {
    /// A prompt with `text` in it.
    pub fn new(kind: PromptKind, text: &str) -> Self {
        Self { kind, line: LineEdit::new(text), error: None, completions: Vec::new(), chosen: None }
    }

    /// A prompt with `proposed` behind `text`: what is typed takes the place of the proposal.
    pub fn proposing(kind: PromptKind, text: &str, proposed: &str) -> Self {
        Self { line: LineEdit::proposing(text, proposed), ..Self::new(kind, "") }
    }

    /// Label before the text.
    pub fn label(&self) -> &str {
        match &self.kind {
            PromptKind::Filter { .. } => "/ ",
            PromptKind::Command => ":",
            PromptKind::SaveView => "save view as: ",
            PromptKind::Own { label, .. } => label,
        }
    }

    /// Replaces the line by the next or previous completion.
    pub fn complete(&mut self, forward: bool) {
        let count = self.completions.len();
        if count == 0 {
            return;
        }
        let next = match (self.chosen, forward) {
            (None, true) => 0,
            (None, false) => count - 1,
            (Some(i), true) => (i + 1) % count,
            (Some(i), false) => (i + count - 1) % count,
        };
        self.line.set(&self.completions[next]);
        self.chosen = Some(next);
    }
}
