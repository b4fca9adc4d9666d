//! The line where one types: a filter, a command, a name.

use super::deed::Deed;
use super::input::LineEdit;

/// What is being typed.
#[derive(Clone, Debug)]
pub enum PromptKind {
    /// A filter, applied while typing.
    Filter {
        /// The filter from before, which `esc` restores.
        before: String,
    },
    /// A command.
    Command,
    /// The name of a view to save.
    SaveView,
    /// Something that a tab asks for.
    Own {
        /// What stands before the text; clean text.
        label: String,
        /// What is done with it; an error leaves the line open.
        take: Deed,
    },
}

/// The line being typed.
#[derive(Clone, Debug)]
pub struct Prompt {
    /// What it is.
    pub kind: PromptKind,
    /// The text.
    pub line: LineEdit,
    /// What is wrong with it.
    pub error: Option<PromptError>,
    /// Whole lines that would complete it; shown above.
    pub completions: Vec<String>,
    /// Which of them stands in the line.
    pub chosen: Option<usize>,
}

/// What is wrong with the text, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PromptError {
    /// Column of the text, counted from 1, in characters.
    pub column: Option<usize>,
    /// What is wrong.
    pub message: String,
}

impl Prompt {
    /// A line with `text` in it.
    pub fn new(kind: PromptKind, text: &str) -> Self {
        Self { kind, line: LineEdit::new(text), error: None, completions: Vec::new(), chosen: None }
    }

    /// What stands before the text.
    pub fn label(&self) -> &str {
        match &self.kind {
            PromptKind::Filter { .. } => "/ ",
            PromptKind::Command => ":",
            PromptKind::SaveView => "save view as: ",
            PromptKind::Own { label, .. } => label,
        }
    }

    /// Puts the next (or previous) completion into the line.
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
