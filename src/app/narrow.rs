//! "Only this" and "not this": the value under the cursor becomes a part of the filter.

use super::keymap::Action;
use super::list::Choice;
use super::{App, Level, Notice, Popup};

impl App {
    /// Values of the row under the cursor to filter by.
    pub fn choices(&self) -> Vec<Choice> {
        self.list().choices(&self.table_context())
    }

    /// Index of the value that a letter takes; `None` without one.
    pub(super) fn choice_by(&self, letter: char) -> Option<usize> {
        let letter = letter.to_ascii_lowercase();
        self.choices().iter().position(|choice| choice.letter == Some(letter))
    }

    /// Filters by the value in the column sorted by, or asks by which one.
    pub(super) fn narrow(&mut self, not: bool) {
        let ctx = self.table_context();
        if let Some(value) = self.list().value_sorted_by(&ctx) {
            self.narrow_by(if not { &value.other } else { &value.same });
        } else if self.choices().is_empty() {
            self.say(Notice::new(Level::Warn, "there is no value here to filter by"));
        } else {
            self.popup = Some(Popup::Narrow { not, cursor: 0 });
        }
    }

    /// Filters by the value number `at` of the row under the cursor.
    pub(super) fn narrow_to(&mut self, at: usize, not: bool) {
        self.popup = None;
        if let Some(choice) = self.choices().get(at) {
            self.narrow_by(choice.filter(not));
        }
    }

    fn narrow_by(&mut self, condition: &str) {
        if let Err(error) = self.list_mut().narrow(condition) {
            self.say(Notice::new(Level::Warn, format!("not filtered by this value: {error}")));
            return;
        }
        let text = self.list().filter_text().to_owned();
        self.filter_history.push(&text);
        let key = self.keymap.keys(Action::Back).first();
        let back = key.map_or_else(String::new, |key| format!("; {key} takes it back"));
        self.say(Notice::new(Level::Info, format!("filtered by {condition}{back}")));
    }
}
