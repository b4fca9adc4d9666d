//! Moving through text: a page, or the lines of a tab of which some lead somewhere.

use super::App;
use super::keymap::Action;

impl App {
    /// Moves through a page of text, or through the findings of the overview.
    pub(super) fn scroll(&mut self, action: Action) {
        match action {
            Action::Top if self.pages.is_empty() => {
                self.text_cursor = 0;
                self.text_scroll = 0;
            }
            Action::Bottom if self.pages.is_empty() => {
                self.text_cursor = self.findings().saturating_sub(1);
                self.text_scroll = self.last_scroll();
                self.take_nearest(self.body.lines.len());
            }
            _ => {
                if let Some(lines) = self.distance(action) {
                    self.scroll_by(lines);
                }
            }
        }
    }

    /// Moves by `lines`, negative = up. By one the cursor goes from finding to finding; by more the text itself
    /// moves, so that none of it is passed over, and the cursor goes along.
    pub(super) fn scroll_by(&mut self, lines: isize) {
        let last = self.last_scroll();
        if let Some(opened) = self.pages.last_mut() {
            opened.scroll = opened.scroll.saturating_add_signed(lines).min(last);
        } else if lines.unsigned_abs() == 1 {
            self.step_finding(lines);
        } else {
            self.move_text(lines);
        }
    }

    /// Puts the cursor on the next finding; before the first, behind the last, where none is in sight and where the
    /// next one is more than a screen away, the text moves by a line.
    fn step_finding(&mut self, step: isize) {
        let end = if step > 0 { self.findings().saturating_sub(1) } else { 0 };
        let (cursor, top) = (self.text_cursor, self.text_scroll);
        if cursor != end && self.finding_in_sight().is_some() {
            self.text_cursor = cursor.saturating_add_signed(step);
            self.show_finding();
            if self.text_scroll.abs_diff(top) <= self.body_height() {
                return;
            }
            (self.text_cursor, self.text_scroll) = (cursor, top);
        }
        self.move_text(step);
    }

    /// Moves the text by `lines`, and the cursor by as many, as far as a line in sight leads somewhere.
    fn move_text(&mut self, lines: isize) {
        let line = self.finding_in_sight().unwrap_or(self.text_scroll);
        let last = self.last_scroll();
        self.text_scroll = self.text_scroll.saturating_add_signed(lines).min(last);
        self.take_nearest(line.saturating_add_signed(lines));
    }

    /// Puts the cursor on the line nearest to `line` that leads somewhere and is in sight; where none is, it stays.
    pub(super) fn take_nearest(&mut self, line: usize) {
        let seen = self.text_scroll..self.text_scroll + self.body_height();
        let lines = self.body.lines.iter().enumerate();
        let leading = lines.filter(|(_, of)| of.target.is_some()).map(|(at, _)| at);
        let in_sight = leading.enumerate().filter(|(_, at)| seen.contains(at));
        if let Some((number, _)) = in_sight.min_by_key(|(_, at)| at.abs_diff(line)) {
            self.text_cursor = number;
        }
    }
}
