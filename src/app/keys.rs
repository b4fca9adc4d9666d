//! Keys: from the key through the keymap to the action, and what each action does.

use super::jump::How;
use super::keymap::{Action, Context, Key};
use super::screen::PAGE_CONTEXTS;
use super::sheet::Sheet;
use super::{App, Effect, Level, Notice, Page, Popup, Prompt, PromptKind, Screen, Tab, turned};
use crate::tabs::idle::picture::message;

/// Lines that a wheel step moves.
pub(super) const WHEEL: isize = 3;

impl App {
    /// Contexts whose keys are in force.
    pub fn contexts(&self) -> &'static [Context] {
        if self.prompt.is_some() {
            return &[Context::Text, Context::Any];
        }
        if self.dialog().is_some() && self.popup.is_none() {
            return &[Context::Text, Context::Any];
        }
        match &self.popup {
            Some(Popup::Columns { .. } | Popup::Choose { .. }) => {
                &[Context::Columns, Context::Move, Context::Any]
            }
            Some(_) => &[Context::Move, Context::Any],
            None => self.contexts_of_body(),
        }
    }

    /// Contexts whose keys are in force where nothing is asked.
    fn contexts_of_body(&self) -> &'static [Context] {
        match self.page() {
            Some(opened) => self.contexts_of_page(&opened.page),
            None if self.shows_welcome() => {
                &[Context::Welcome, Context::Main, Context::Move, Context::Any]
            }
            None => self.screen().contexts(self),
        }
    }

    /// Action of a key where nothing is asked: its own in what is on screen, else that of lines.
    pub(super) fn action_in_body(&self, key: Key) -> Option<Action> {
        let own = self.keymap.lookup(key, self.contexts_of_body());
        let of_lines = || self.keymap.lookup(key, &[Context::Lines]);
        own.or_else(|| if self.shows_lines() { of_lines() } else { None })
    }

    /// Action of a key; `None` where it has none.
    fn action_of(&self, key: Key) -> Option<Action> {
        let is_asked = self.prompt.is_some() || self.popup.is_some() || self.dialog().is_some();
        if is_asked {
            return self.keymap.lookup(key, self.contexts());
        }
        self.action_in_body(key)
    }

    /// Contexts whose keys are in force on a page.
    fn contexts_of_page(&self, page: &Page) -> &'static [Context] {
        match page {
            Page::Help => &[Context::Help, Context::Main, Context::Move, Context::Any],
            Page::Sheet if self.sheet.is_some() => {
                &[Context::Sheet, Context::Main, Context::Move, Context::Any]
            }
            page => page.screen().map_or(PAGE_CONTEXTS, |of| of.page_contexts(page)),
        }
    }

    /// Contexts of what the help stands above: a page, else the tab.
    pub(super) fn contexts_below_help(&self) -> &'static [Context] {
        match self.page_below_help() {
            Some(page) => self.contexts_of_page(page),
            None => self.screen().contexts(self),
        }
    }

    /// The page that the help stands above; `None` where that is a tab.
    pub(super) fn page_below_help(&self) -> Option<&Page> {
        let mut below = self.pages.iter().rev().map(|opened| &opened.page);
        below.find(|page| !matches!(page, Page::Help))
    }

    pub(super) fn on_key(&mut self, key: Key) -> Vec<Effect> {
        self.notice = None;
        let quit_asked = std::mem::take(&mut self.quit_asked);
        if self.prompt.is_none() && self.popup.is_none() && self.dialog().is_some() {
            return self.on_key_in_dialog(key);
        }
        if self.prompt.is_none() && self.popup.is_some() && self.finds(key) {
            return self.find_in_popup(key);
        }
        // A letter after `s` names a column, whatever else it means.
        if self.popup == Some(Popup::Sort)
            && let Some(letter) = key.text()
        {
            self.popup = None;
            self.sort_by_letter(letter);
            return Vec::new();
        }
        if let Some(&Popup::Narrow { not, .. }) = self.popup.as_ref()
            && self.prompt.is_none()
            && let Some(at) = key.text().and_then(|letter| self.choice_by(letter))
        {
            self.narrow_to(at, not);
            return Vec::new();
        }
        if let Some(action) = self.action_of(key) {
            self.act(action, quit_asked)
        } else {
            if let (Some(prompt), Some(c)) = (&mut self.prompt, key.text()) {
                prompt.line.insert(c.encode_utf8(&mut [0; 4]));
                self.typed();
            } else if self.popup.is_none() && !self.shows_table() && self.is_drawn_by_screen() {
                self.say_what_is_missing(key);
            }
            Vec::new()
        }
    }

    /// Does what an action means here; `quit_asked` = the key before asked to quit.
    pub(super) fn act(&mut self, action: Action, quit_asked: bool) -> Vec<Effect> {
        match action {
            // A process that sleeps could neither see nor write down what its calls did.
            Action::Suspend if self.sheet.as_ref().is_some_and(Sheet::is_running) => {
                self.say(Notice::new(Level::Warn, "not while something runs: wait for its end"));
                return Vec::new();
            }
            Action::Suspend => return vec![Effect::Suspend],
            Action::Redraw => return vec![Effect::Redraw],
            Action::Quit | Action::Interrupt => return self.quit(quit_asked),
            _ => {}
        }
        if self.prompt.is_some() {
            return self.act_in_prompt(action);
        }
        if self.popup.is_some() {
            return self.act_in_popup(action);
        }
        // Where lines fill the body there is neither a list to filter nor an input to go to.
        let action = match action {
            Action::Filter | Action::FindInput if self.shows_lines() => Action::FindText,
            action => action,
        };
        if self.on_sheet()
            && let Some(effects) = self.act_on_sheet(action)
        {
            return effects;
        }
        let first = match self.page_with_screen() {
            Some((_, of)) => of.act_on_page(self, action),
            None if self.pages.is_empty() => self.screen().act_first(self, action),
            None => None,
        };
        if let Some(effects) = first {
            return effects;
        }
        match action {
            Action::Act => return self.open_sheet(None),
            Action::NextTab | Action::PreviousTab => self.turn_tab(action == Action::NextTab),
            Action::Help => self.toggle_page(Page::Help),
            Action::SearchHelp => self.search_help(),
            Action::AllHelp => self.turn_help(),
            Action::FindText => self.open_find_words(),
            Action::FindNext | Action::FindPrevious => {
                self.find_again(action == Action::FindNext);
            }
            Action::Log => self.toggle_page(Page::Log),
            Action::OwnCost => self.toggle_page(Page::OwnCost),
            Action::Command => self.prompt = Some(Prompt::new(PromptKind::Command, "")),
            Action::Refresh => return self.refresh(),
            Action::Freeze => self.toggle_freeze(),
            Action::Preset => self.open_presets(),
            Action::Export => self.open_export(),
            Action::CopyId => return self.copy_id(),
            Action::CopyRow => return self.copy_row(),
            Action::CopyMessage => return self.copy_message(),
            Action::Mouse => {
                self.mouse = !self.mouse;
                return vec![Effect::SetMouse(self.mouse)];
            }
            Action::Demo => return vec![Effect::SwitchToDemo],
            Action::Back => self.back(),
            Action::Enter => return self.enter(),
            _ => {
                let context = action.spec().context;
                if let Some(screen) = crate::tabs::screens().find(|s| s.key() == Some(action)) {
                    return screen.open(self);
                }
                // Of screens that share a context the one that is on acts.
                let first = std::iter::once(self.screen() as &dyn Screen);
                let mut screens = first.chain(crate::tabs::screens());
                if let Some(screen) = screens.find(|s| s.owns().contains(&context)) {
                    if action.turns_lists() {
                        return self.go_by(How::Turn, |app| screen.act(app, action));
                    }
                    return screen.act(self, action);
                }
                if self.shows_table() {
                    self.act_in_table(action);
                } else {
                    self.scroll(action);
                }
            }
        }
        Vec::new()
    }

    fn toggle_page(&mut self, page: Page) {
        let open = self
            .page()
            .is_some_and(|o| std::mem::discriminant(&o.page) == std::mem::discriminant(&page));
        if open {
            self.pages.pop();
        } else {
            self.open(page);
        }
    }

    fn back(&mut self) {
        self.forget_found();
        if self.back_in_help() || self.come_back() || self.pages.pop().is_some() {
            return;
        }
        if self.shows_table() && !self.list().has_range() && self.list_mut().widen() {
            return;
        }
        if self.screen().back(self) {
            return;
        }
        if self.shows_table() && !self.list_mut().cancel_range() {
            self.list_mut().clear_filter();
        }
    }

    /// Acts on Enter: on the page on top, else on the tab.
    pub(crate) fn enter(&mut self) -> Vec<Effect> {
        self.prepare();
        match self.page_with_screen() {
            Some((_, of)) => of.enter_page(self),
            None if self.pages.is_empty() => self.screen().enter(self),
            None => Vec::new(),
        }
    }

    fn turn_tab(&mut self, forward: bool) {
        let tabs: Vec<Tab> = Tab::all().collect();
        self.go_to_tab(turned(&tabs, self.tab, forward));
    }

    fn page_height(&self) -> isize {
        let body = self.inner_layout().map_or(1, |l| l.body_height);
        let lines = if self.shows_table() { body.saturating_sub(1) } else { body };
        isize::try_from(lines.max(1)).unwrap_or(1)
    }

    /// Number of lines that a movement covers, negative = up; `None` for other actions.
    pub(crate) fn distance(&self, action: Action) -> Option<isize> {
        let page = self.page_height();
        Some(match action {
            Action::Down => 1,
            Action::Up => -1,
            Action::HalfDown => (page / 2).max(1),
            Action::HalfUp => -(page / 2).max(1),
            Action::PageDown => page,
            Action::PageUp => -page,
            // Far enough for any list; stepping stops at the ends.
            Action::Top => -(isize::MAX / 2),
            Action::Bottom => isize::MAX / 2,
            _ => return None,
        })
    }

    fn act_in_table(&mut self, action: Action) {
        self.sync_table();
        if let Some(lines) = self.distance(action) {
            self.list_mut().step(lines);
            return;
        }
        match action {
            Action::Filter => self.open_filter(),
            Action::OnlyThis | Action::NotThis => self.narrow(action == Action::NotThis),
            Action::Sort => self.popup = Some(Popup::Sort),
            Action::Columns => self.popup = Some(Popup::Columns { cursor: 0 }),
            Action::SaveView => self.prompt = Some(Prompt::new(PromptKind::SaveView, "")),
            _ => {
                let width = self.table_width();
                self.list_mut().act(action, width);
            }
        }
    }

    /// The export command, ready to be sent or changed.
    pub(crate) fn open_export(&mut self) {
        let screen = self.screen();
        let format = screen.export_format();
        let name = screen.check_export(self, format).and_then(|()| {
            let picture = self.picture().ok_or("there is nothing here to export")?;
            Ok(self.export_name(&picture, format))
        });
        match name {
            Ok(name) => {
                let text = format!("export {} ", format.name());
                self.prompt = Some(Prompt::proposing(PromptKind::Command, &text, &name));
            }
            Err(why) => self.say(Notice::new(Level::Warn, why)),
        }
    }

    fn copy_id(&mut self) -> Vec<Effect> {
        self.prepare();
        let Some((name, text)) = self.screen_in_front().and_then(|of| of.id_to_copy(self)) else {
            self.say(Notice::new(Level::Warn, "there is no instance here to copy"));
            return Vec::new();
        };
        // Whether the terminal takes it cannot be known.
        self.say(Notice::new(Level::Info, format!("sent {name} to the terminal's clipboard")));
        vec![Effect::Copy(text)]
    }

    fn copy_message(&mut self) -> Vec<Effect> {
        self.prepare();
        let ctx = self.view_context();
        let text = self.current_row().and_then(|row| {
            let gpus = self.gpus().map(|gpus| &**gpus);
            Some((row.ask_with(gpus), message(row, gpus, self.preset(), &ctx)?))
        });
        let Some((ask, text)) = text else {
            let why = "there is no idle instance here to write about";
            self.say(Notice::new(Level::Warn, why));
            return Vec::new();
        };
        let to = match ask {
            Some(ask) => format!("copied a message for {} to the terminal's clipboard", ask.name),
            None => {
                "copied a message to the terminal's clipboard; nobody is named for it".to_owned()
            }
        };
        self.say(Notice::new(Level::Info, to));
        vec![Effect::Copy(text)]
    }

    fn copy_row(&mut self) -> Vec<Effect> {
        self.prepare();
        let Some((id, picture)) = self.screen_in_front().and_then(|of| of.row_to_copy(self)) else {
            self.say(Notice::new(Level::Warn, "there is no instance here to copy"));
            return Vec::new();
        };
        let text = format!("sent {id} as JSON to the terminal's clipboard");
        self.say(Notice::new(Level::Info, text));
        vec![Effect::CopyRows(picture)]
    }
}
