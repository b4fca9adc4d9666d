//! The mouse: click on a tab, a heading, a row; the wheel.

use crossterm::event::{MouseButton, MouseEvent, MouseEventKind};

use super::keys::WHEEL;
use super::{App, Effect, Tab};

impl App {
    pub(super) fn on_mouse(&mut self, event: MouseEvent) -> Vec<Effect> {
        if self.prompt.is_some() || self.popup.is_some() || self.dialog().is_some() {
            return Vec::new();
        }
        match event.kind {
            MouseEventKind::ScrollDown => self.wheel(WHEEL),
            MouseEventKind::ScrollUp => self.wheel(-WHEEL),
            MouseEventKind::Down(MouseButton::Left) => {
                return self.click(event.column, event.row);
            }
            _ => {}
        }
        Vec::new()
    }

    fn wheel(&mut self, lines: isize) {
        if self.shows_table() {
            self.sync_table();
            if let Some(fleet) = self.shown().cloned() {
                self.table.step(&fleet.rows, lines);
            }
        } else {
            self.scroll_by(lines);
        }
    }

    fn click(&mut self, x: u16, y: u16) -> Vec<Effect> {
        let Some(layout) = self.layout() else { return Vec::new() };
        if layout.tabs == Some(y) {
            if let Some(tab) = tab_at(x) {
                self.go_to_tab(tab);
            }
            return Vec::new();
        }
        let Some(line) = y.checked_sub(layout.body_top).filter(|l| *l < layout.body_height) else {
            return Vec::new();
        };
        if !self.shows_table() {
            return self.click_text(usize::from(line));
        }
        if line == 0 {
            self.table.sort_by_heading(x, layout.width);
            return Vec::new();
        }
        self.prepare();
        let Some(fleet) = self.shown().cloned() else { return Vec::new() };
        let at = self.table.top() + usize::from(line) - 1;
        if at >= self.table.order().len() {
            return Vec::new();
        }
        // The second click on a row goes in.
        if at == self.table.cursor() {
            return match self.table.current(&fleet.rows) {
                Some(row) => self.open_why(row.instance.id.clone()),
                None => Vec::new(),
            };
        }
        self.table.go(&fleet.rows, at);
        Vec::new()
    }

    fn click_text(&mut self, line: usize) -> Vec<Effect> {
        self.prepare();
        let (lines, scroll, _) = self.text_body();
        match lines.get(scroll + line).and_then(|l| l.target.clone()) {
            Some(instance) => self.open_why(instance),
            None => Vec::new(),
        }
    }
}

/// The tabs' line: one blank, then number, blank, title, two blanks for each.
pub fn tab_label(tab: Tab) -> String {
    format!("{} {}", tab.number(), tab.title())
}

fn tab_at(x: u16) -> Option<Tab> {
    let mut left = 1;
    Tab::ALL.into_iter().find(|tab| {
        let right = left + tab_label(*tab).len() as u16;
        let hit = (left..right).contains(&x);
        left = right + 2;
        hit
    })
}
