//! Lists to choose from and questions: the column chooser, the presets, the letter to sort by, the
//! value to filter by, the refresh that costs money.

use super::keymap::Action;
use super::{App, Effect, Level, Notice, Popup};

impl App {
    pub(super) fn open_presets(&mut self) {
        let cursor = self.presets.iter().position(|p| p.0 == self.preset).unwrap_or(0);
        self.popup = Some(Popup::Presets { cursor });
    }

    pub(super) fn sort_by_letter(&mut self, letter: char) {
        if !self.list_mut().sort_by_letter(letter) {
            self.say(Notice::new(Level::Warn, format!("no column sorts by `{letter}`")));
        }
    }

    pub(super) fn act_in_popup(&mut self, action: Action) -> Vec<Effect> {
        let step = self.distance(action);
        let entries = match &self.popup {
            Some(Popup::Columns { .. }) => self.list().table().fields().len(),
            Some(Popup::Choose { of, .. }) => (of.entries)(self).len(),
            Some(Popup::Narrow { .. }) => self.choices().len(),
            _ => self.presets.len(),
        };
        let Some(popup) = &mut self.popup else { return Vec::new() };
        if let (
            Popup::Columns { cursor }
            | Popup::Presets { cursor }
            | Popup::Narrow { cursor, .. }
            | Popup::Choose { cursor, .. },
            Some(lines),
        ) = (&mut *popup, step)
        {
            *cursor = cursor.saturating_add_signed(lines).min(entries.saturating_sub(1));
            return Vec::new();
        }
        let popup = popup.clone();
        match (popup, action) {
            (Popup::Presets { cursor }, Action::Enter) => {
                self.popup = None;
                if let Some((name, _)) = self.presets.get(cursor).cloned() {
                    return self.set_preset(name);
                }
            }
            (Popup::ConfirmRefresh { .. }, Action::Enter) => {
                self.popup = None;
                return self.read_again(true);
            }
            (Popup::Ask(question), Action::Enter) => {
                self.popup = None;
                return (question.go_on)(self);
            }
            (Popup::Ask(question), Action::Back) => {
                self.popup = None;
                (question.leave)(self);
            }
            (Popup::Narrow { not, cursor }, Action::Enter) => self.narrow_to(cursor, not),
            (Popup::Choose { of, cursor }, Action::Enter) => {
                self.popup = None;
                return (of.take)(self, cursor);
            }
            (Popup::Choose { of, cursor }, Action::ToggleColumn) => {
                return (of.toggle)(self, cursor);
            }
            (Popup::Columns { .. }, Action::Enter) | (_, Action::Back) => self.popup = None,
            (Popup::Columns { cursor }, action) => {
                let cursor = self.list_mut().change_columns(cursor, action);
                self.popup = Some(Popup::Columns { cursor });
            }
            _ => {}
        }
        Vec::new()
    }
}
