//! The last word: a question whose focus is Cancel, a phrase to be typed, a reason to be written.

use super::standing::Standing;
use crate::act::plan::{Answer, Challenge};
use crate::app::input::LineEdit;
use crate::app::keymap::Action;

/// Element of the dialog that has the focus.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// Input for the phrase to type.
    Phrase,
    /// Input for the justification that production needs.
    Justification,
    /// Button that leaves everything unchanged.
    Cancel,
    /// Button that confirms.
    Go,
}

/// The confirmation dialog.
#[derive(Clone, Debug)]
pub struct Dialog {
    challenge: Challenge,
    phrase: LineEdit,
    justification: LineEdit,
    focus: Place,
    error: Option<String>,
    pub(super) standing: Standing,
}

/// Result of a key in the dialog.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reply {
    /// The dialog stays open.
    Stay,
    /// Cancelled.
    Cancel,
    /// Confirmed, with the user's answer.
    Answer(Answer),
}

impl Dialog {
    /// A dialog for `challenge`, with the focus where `enter` changes nothing.
    pub fn new(challenge: Challenge) -> Self {
        let focus = if challenge.typed.is_empty() { Place::Cancel } else { Place::Phrase };
        Self {
            challenge,
            phrase: LineEdit::default(),
            justification: LineEdit::default(),
            focus,
            error: None,
            standing: Standing::default(),
        }
    }

    /// What must be typed to confirm.
    pub fn challenge(&self) -> &Challenge {
        &self.challenge
    }

    /// Element that has the focus.
    pub fn focus(&self) -> Place {
        self.focus
    }

    /// Phrase typed so far.
    pub fn phrase(&self) -> &LineEdit {
        &self.phrase
    }

    /// Justification typed so far.
    pub fn justification(&self) -> &LineEdit {
        &self.justification
    }

    /// What is missing for a confirmation; `None` where nothing is known to be.
    pub fn error(&self) -> Option<&str> {
        self.error.as_deref()
    }

    /// The answer is not good; the focus goes to what is missing.
    pub(super) fn refuse(&mut self, error: String, place: Place) {
        self.error = Some(error);
        self.focus = place;
    }

    /// Elements of the dialog, in the order of `tab`.
    pub fn places(&self) -> Vec<Place> {
        let mut places = Vec::new();
        if !self.challenge.typed.is_empty() {
            places.push(Place::Phrase);
        }
        if self.challenge.justification {
            places.push(Place::Justification);
        }
        places.push(Place::Cancel);
        // A phrase is the button where there is one: nothing else can be pressed by accident.
        if self.challenge.typed.is_empty() {
            places.push(Place::Go);
        }
        places
    }

    fn go(&mut self, forward: bool) {
        let places = self.places();
        let at = places.iter().position(|p| *p == self.focus).unwrap_or(0);
        let by = if forward { 1 } else { places.len() - 1 };
        self.focus = places[(at + by) % places.len()];
    }

    fn line(&mut self) -> Option<&mut LineEdit> {
        match self.focus {
            Place::Phrase => Some(&mut self.phrase),
            Place::Justification => Some(&mut self.justification),
            Place::Cancel | Place::Go => None,
        }
    }

    /// Types a character where one can type.
    pub(super) fn type_in(&mut self, c: char) {
        if let Some(line) = self.line() {
            line.insert(c.encode_utf8(&mut [0; 4]));
            self.error = None;
        }
    }

    /// Takes pasted text as a reason only: a phrase is typed to slow down, and a clipboard does
    /// not.
    pub(super) fn paste(&mut self, text: &str) {
        match self.focus {
            Place::Justification => {
                self.justification.insert(text);
                self.error = None;
            }
            Place::Phrase => self.error = Some("type it; pasted text does not count here".into()),
            Place::Cancel | Place::Go => {}
        }
    }

    /// Does what a key of the text context means.
    pub(super) fn act(&mut self, action: Action) -> Reply {
        match action {
            Action::Cancel => return Reply::Cancel,
            Action::Accept => return self.accept(),
            Action::Complete | Action::HistoryForward => self.go(true),
            Action::CompleteBack | Action::HistoryBack => self.go(false),
            Action::TextRight if self.line().is_none() => self.go(true),
            Action::TextLeft if self.line().is_none() => self.go(false),
            edit => {
                if self.line().is_some_and(|line| line.apply(edit)) {
                    self.error = None;
                }
            }
        }
        Reply::Stay
    }

    fn accept(&mut self) -> Reply {
        match self.focus {
            Place::Cancel => Reply::Cancel,
            // Without a phrase, going on takes two steps: to the button, and onto it.
            Place::Justification if self.challenge.typed.is_empty() => {
                self.focus = Place::Cancel;
                Reply::Stay
            }
            Place::Phrase | Place::Justification | Place::Go => Reply::Answer(Answer {
                typed: self.phrase.text().to_owned(),
                justification: self.justification.text().to_owned(),
            }),
        }
    }
}
