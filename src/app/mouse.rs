//! The mouse: click on a tab, a heading, a row; the wheel.

use crossterm::event::{MouseButton, MouseEvent, MouseEventKind};

use super::content::columns;
use super::keys::WHEEL;
use super::{Action, App, Effect, Tab};

/// A key in the footer: its first column, the column behind it, and what it does.
pub type HintPlace = (u16, u16, Action);

impl App {
    /// Notes where keys stand in the footer, as they were drawn.
    pub fn keep_hints(&mut self, hints: Vec<HintPlace>) {
        self.hints = hints;
    }

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
            // What its key does: a tab may read something first.
            return self.tab_at(x).map(|tab| tab.screen().open(self)).unwrap_or_default();
        }
        if layout.footer == y {
            let hit = |hint: &&HintPlace| (hint.0..hint.1).contains(&x);
            let action = self.hints.iter().find(hit).map(|hint| hint.2);
            return action.map(|action| self.act(action, false)).unwrap_or_default();
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
        let hit = self.tab_labels().into_iter().find(|(_, label)| {
            let right = left + label.len() as u16;
            let hit = (left..right).contains(&x);
            left = right + tab_gap(self.size.0);
            hit
        });
        hit.map(|(tab, _)| tab)
    }

    /// Title behind the tabs: of the page on screen, or of what lies over the tab; `None` without one.
    pub fn title(&self) -> Option<&'static str> {
        self.page().map(|opened| opened.page.title()).or_else(|| self.screen().title())
    }

    /// The tabs in the bar with their texts. Where the width is too small for all of them and what stands behind them, the
    /// title of a page or the filter of a list, only the one that is on has its name, the others their numbers.
    pub fn tab_labels(&self) -> Vec<(Tab, String)> {
        let (width, gap) = (usize::from(self.size.0), usize::from(tab_gap(self.size.0)));
        let all: usize = Tab::all().map(|tab| tab_label(tab).len() + gap).sum();
        // A title stands behind a sign and a blank.
        let title = self.title().map_or(0, |title| 2 + columns(title) + gap);
        let needed = 1 + all - gap + title + self.filter_room();
        let is_short = needed > width;
        let label = |tab: Tab| match is_short && tab != self.tab {
            true => tab.number().to_string(),
            false => tab_label(tab),
        };
        Tab::all().map(|tab| (tab, label(tab))).collect()
    }

    /// Columns that the filter of the list on screen needs in the bar, with the number of rows that it leaves; 0 without one.
    fn filter_room(&self) -> usize {
        let filter = if self.is_drawn_by_screen() { self.list().filter_text() } else { "" };
        if filter.is_empty() { 0 } else { columns(filter) + FILTER_ROOM }
    }
}

/// Room beside the text of a filter in the bar: its sign, blanks, and `9,999 of 10,000`.
const FILTER_ROOM: usize = 22;

/// Width of the terminal from which two blanks stand between tabs instead of one, columns.
const WIDE_BAR: u16 = 86;

/// Blanks between two tabs in the tab bar of a terminal of `width` columns.
pub fn tab_gap(width: u16) -> u16 {
    if width < WIDE_BAR { 1 } else { 2 }
}

/// Text of a tab in the tab bar: its number, a blank, its title.
fn tab_label(tab: Tab) -> String {
    format!("{} {}", tab.number(), tab.title())
}

#[cfg(test)]
mod tests {
    use crossterm::event::{KeyModifiers, MouseButton, MouseEvent, MouseEventKind};

    use crate::app::fixture::{app, press};
    use crate::app::{App, Msg, tab_gap};
    use crate::tabs::Tab;

    fn click(app: &mut App, column: u16, row: u16) {
        let kind = MouseEventKind::Down(MouseButton::Left);
        let event = MouseEvent { kind, column, row, modifiers: KeyModifiers::NONE };
        app.update(Msg::Mouse(event));
    }

    #[test]
    fn every_tab_is_in_the_bar_and_where_a_page_needs_the_room_by_its_number() {
        // The names with their numbers take 77 columns.
        let mut app = app((80, 24));
        let texts = |app: &App| -> Vec<String> {
            app.tab_labels().into_iter().map(|(_, label)| label).collect()
        };
        assert_eq!(texts(&app).len(), Tab::all().count());
        assert!(texts(&app).contains(&"7 What-if".to_owned()));
        press(&mut app, "3!");
        assert_eq!(texts(&app), ["1", "2", "3 Idle", "4", "5", "6", "7", "8", "9"]);
        press(&mut app, "!");
        assert!(texts(&app).contains(&"9 Jobs".to_owned()));
        // What a filter hides must show.
        press(&mut app, "/idle<enter>");
        assert_eq!(texts(&app), ["1", "2", "3 Idle", "4", "5", "6", "7", "8", "9"]);
        press(&mut app, "<esc>");
        assert!(texts(&app).contains(&"9 Jobs".to_owned()));
    }

    #[test]
    fn a_click_on_a_key_of_the_footer_does_what_the_key_does() {
        let mut app = app((120, 30));
        press(&mut app, "3");
        let mut terminal =
            ratatui::Terminal::new(ratatui::backend::TestBackend::new(120, 30)).unwrap();
        terminal.draw(|frame| crate::ui::draw(frame, &mut app)).unwrap();
        let (left, right, action) = app.hints[0];
        assert_eq!((left, action), (1, crate::app::Action::Filter));
        let y = app.layout().unwrap().footer;
        click(&mut app, right, y);
        assert!(app.prompt().is_none(), "beside it");
        click(&mut app, right - 1, y);
        assert!(matches!(app.prompt().unwrap().kind, crate::app::PromptKind::Filter { .. }));
    }

    #[test]
    fn a_click_goes_to_the_tab_that_is_drawn_there() {
        for (size, keys) in [((80, 24), ""), ((200, 50), ""), ((80, 24), "3!"), ((40, 24), "")] {
            for (at, tab) in Tab::all().enumerate() {
                let mut app = app(size);
                press(&mut app, keys);
                let gap = usize::from(tab_gap(size.0));
                let labels = app.tab_labels();
                let left = 1 + labels[..at].iter().map(|(_, l)| l.len() + gap).sum::<usize>();
                let y = app.layout().unwrap().tabs.unwrap();
                click(&mut app, left as u16, y);
                assert_eq!(app.tab(), tab, "{size:?} {keys}");
            }
        }
    }
}
