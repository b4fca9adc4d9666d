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
            self.list_mut().step(lines);
        } else if !self.is_drawn_by_screen() || !self.screen().wheel(self, lines) {
            self.scroll_by(lines);
        }
    }

    fn click(&mut self, x: u16, y: u16) -> Vec<Effect> {
        let Some(layout) = self.layout() else { return Vec::new() };
        if layout.tabs == Some(y) {
            if let Some(tab) = self.tab_at(x) {
                self.go_to_tab(tab);
            }
            return Vec::new();
        }
        self.prepare();
        let Some(layout) = self.inner_layout() else { return Vec::new() };
        let Some(line) = y.checked_sub(layout.body_top).filter(|l| *l < layout.body_height) else {
            return Vec::new();
        };
        if self.is_drawn_by_screen()
            && let Some(effects) = self.screen().click(self, (x, y), line)
        {
            return effects;
        }
        if !self.shows_table() {
            return self.click_text(usize::from(line));
        }
        let width = self.table_width();
        if line == 0 {
            self.list_mut().sort_by_heading(x, width);
            return Vec::new();
        }
        let at = self.list().top() + usize::from(line) - 1;
        let list = self.list();
        if at >= list.lines() {
            return Vec::new();
        }
        // The second click on a row goes in.
        if at == list.cursor() {
            return self.enter();
        }
        self.list_mut().go(at);
        Vec::new()
    }

    fn click_text(&mut self, line: usize) -> Vec<Effect> {
        self.prepare();
        let (lines, scroll, _) = self.text_body();
        match lines.get(scroll + line).and_then(|l| l.target.clone()) {
            Some(target) => self.go_to_target(target),
            None => Vec::new(),
        }
    }

    fn tab_at(&self, x: u16) -> Option<Tab> {
        let mut left = 1;
        self.tabs().find(|tab| {
            let right = left + tab_label(*tab).len() as u16;
            let hit = (left..right).contains(&x);
            left = right + tab_gap(self.size.0);
            hit
        })
    }
}

/// Width of the terminal from which two blanks stand between tabs instead of one, columns.
const WIDE_BAR: u16 = 86;

/// Blanks between two tabs in the tab bar of a terminal of `width` columns.
pub fn tab_gap(width: u16) -> u16 {
    if width < WIDE_BAR { 1 } else { 2 }
}

/// Text of a tab in the tab bar: its number, a blank, its title.
pub fn tab_label(tab: Tab) -> String {
    format!("{} {}", tab.number(), tab.title())
}
