//! Keys: from the key through the keymap to the action, and what each action does.

use super::content::Target;
use super::keymap::{Action, Context, Key};
use super::savings::SavingsLook;
use super::sheet::Sheet;
use super::{App, Effect, Level, Notice, Page, Picture, Popup, Prompt, PromptKind, Tab};
use crate::view::Field;

/// Lines that a wheel step moves.
pub(super) const WHEEL: isize = 3;

impl App {
    /// The contexts whose keys are in force.
    pub fn contexts(&self) -> &'static [Context] {
        if self.prompt.is_some() {
            return &[Context::Text, Context::Any];
        }
        if self.dialog().is_some() && self.popup.is_none() {
            return &[Context::Text, Context::Any];
        }
        match &self.popup {
            Some(Popup::Columns { .. }) => &[Context::Columns, Context::Move, Context::Any],
            Some(_) => &[Context::Move, Context::Any],
            None if self.on_guide() => {
                &[Context::WhatIf, Context::Main, Context::Move, Context::Any]
            }
            None if self.on_sheet() => {
                &[Context::Sheet, Context::Main, Context::Move, Context::Any]
            }
            None if self.shows_gpu_table() || self.shows_heat() => {
                &[Context::Gpus, Context::Table, Context::Main, Context::Move, Context::Any]
            }
            None if self.pages.is_empty() && self.tab == Tab::Gpus => {
                &[Context::Gpus, Context::Main, Context::Move, Context::Any]
            }
            None if self.shows_whatif() => {
                &[Context::WhatIf, Context::Main, Context::Move, Context::Any]
            }
            None if self.shows_storage_table() => {
                &[Context::Storage, Context::Table, Context::Main, Context::Move, Context::Any]
            }
            None if self.on_storage_page()
                || (self.pages.is_empty() && self.tab == Tab::Storage) =>
            {
                &[Context::Storage, Context::Main, Context::Move, Context::Any]
            }
            None if self.shows_savings_table() || (self.shows_table() && self.tab == Tab::Idle) => {
                &[Context::Savings, Context::Table, Context::Main, Context::Move, Context::Any]
            }
            None if self.shows_table() => {
                &[Context::Table, Context::Main, Context::Move, Context::Any]
            }
            None if self.pages.is_empty() && self.no_credentials().is_some() => {
                &[Context::Welcome, Context::Main, Context::Move, Context::Any]
            }
            None if self.pages.is_empty() && self.tab == Tab::Overview => {
                &[Context::Savings, Context::Main, Context::Move, Context::Any]
            }
            None => &[Context::Main, Context::Move, Context::Any],
        }
    }

    pub(super) fn on_key(&mut self, key: Key) -> Vec<Effect> {
        self.notice = None;
        let quit_asked = std::mem::take(&mut self.quit_asked);
        if self.prompt.is_none() && self.popup.is_none() && self.dialog().is_some() {
            return self.on_key_in_dialog(key);
        }
        // A letter after `s` names a column, whatever else it means.
        if self.popup == Some(Popup::Sort)
            && let Some(letter) = key.text()
        {
            self.popup = None;
            self.sort_by_letter(letter);
            return Vec::new();
        }
        if let Some(action) = self.keymap.lookup(key, self.contexts()) {
            self.act(action, quit_asked)
        } else {
            if let (Some(prompt), Some(c)) = (&mut self.prompt, key.text()) {
                prompt.line.insert(c.encode_utf8(&mut [0; 4]));
                self.typed();
            } else if self.shows_whatif() && self.popup.is_none() {
                self.say_what_is_missing(key);
            }
            Vec::new()
        }
    }

    fn act(&mut self, action: Action, quit_asked: bool) -> Vec<Effect> {
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
        if self.on_sheet()
            && let Some(effects) = self.act_on_sheet(action)
        {
            return effects;
        }
        if self.on_guide()
            && let Some(effects) = self.act_on_guide(action)
        {
            return effects;
        }
        if self.shows_whatif()
            && let Some(effects) = self.act_on_whatif(action)
        {
            return effects;
        }
        match action {
            Action::Act => return self.open_sheet(None),
            Action::TabOverview => self.go_to_savings(SavingsLook::Overview),
            Action::TabGpus => self.go_to_gpus(self.gpu_tab.look()),
            Action::TabIdle => self.go_to_tab(Tab::Idle),
            Action::TabStorage => self.go_to_storage(self.storage_tab.look()),
            Action::TabWhatIf => return self.want_whatif(),
            Action::NextTab | Action::PreviousTab => self.turn_tab(action == Action::NextTab),
            Action::Help => self.toggle_page(Page::Help),
            Action::Log => self.toggle_page(Page::Log),
            Action::OwnCost => self.toggle_page(Page::OwnCost),
            Action::Command => self.prompt = Some(Prompt::new(PromptKind::Command, "")),
            Action::Refresh => return self.refresh(),
            Action::Freeze => self.toggle_freeze(),
            Action::Preset => self.open_presets(),
            Action::Export => self.open_export(),
            Action::CopyId => return self.copy_id(),
            Action::CopyRow => return self.copy_row(),
            Action::Mouse => {
                self.mouse = !self.mouse;
                return vec![Effect::SetMouse(self.mouse)];
            }
            Action::Demo => return vec![Effect::SwitchToDemo],
            Action::Back => self.back(),
            Action::Enter => return self.enter(),
            Action::Group
            | Action::Heat
            | Action::FoldAll
            | Action::Distribution
            | Action::Missing => self.act_on_gpus(action),
            Action::NextList
            | Action::PreviousList
            | Action::Details
            | Action::Tiers
            | Action::MoreReads
            | Action::LessReads
            | Action::SetReads
            | Action::LifecycleRules
            | Action::ListObjects => return self.act_on_storage(action),
            Action::NextSavings | Action::PreviousSavings => self.act_on_savings(action),
            Action::Filter if self.shows_heat() => self.open_filter(),
            _ if self.shows_heat() => self.act_on_heat(action),
            _ if self.shows_table() => self.act_in_table(action),
            Action::Left | Action::Right => {
                let next = action == Action::Right;
                return match self.page().map(|o| &o.page) {
                    Some(Page::Gpu { .. }) => self.next_gpu(next),
                    Some(Page::Savings(_)) => {
                        self.next_saving(next);
                        Vec::new()
                    }
                    _ => self.next_why(next),
                };
            }
            _ => self.scroll(action),
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
        if self.pages.pop().is_some() {
            return;
        }
        if self.back_on_gpus() || self.back_on_storage() || self.back_on_savings() {
            return;
        }
        if (self.shows_table() || self.shows_heat())
            && !on_table!(self, |table, rows| table.cancel_range())
        {
            on_table!(self, |table, rows| table.clear_filter());
        }
    }

    pub(super) fn enter(&mut self) -> Vec<Effect> {
        self.prepare();
        if self.on_storage_page() {
            return self.enter_storage_page();
        }
        if matches!(self.page().map(|o| &o.page), Some(Page::Savings(_))) {
            return self.enter_savings_page();
        }
        if !self.pages.is_empty() {
            return Vec::new();
        }
        if self.is_on_savings() {
            return self.enter_savings();
        }
        if self.tab == Tab::Storage {
            return self.enter_storage();
        }
        if self.tab == Tab::Gpus {
            return self.enter_gpus();
        }
        if !self.shows_table() {
            let at = self.finding_in_sight();
            let target = at.and_then(|at| self.body.lines.get(at)?.target.clone());
            return target.map(|t| self.go_to_target(t)).unwrap_or_default();
        }
        let Some(id) = self.current_row().map(|row| row.instance.id.clone()) else {
            return Vec::new();
        };
        self.table.choose();
        self.open_why(id)
    }

    pub(super) fn go_to_target(&mut self, target: Target) -> Vec<Effect> {
        match target {
            Target::Instance(instance) => self.open_why(instance),
            Target::WhatIf => self.go_to_whatif(None),
            Target::Tab(Tab::Storage) => {
                self.go_to_storage(self.storage_tab.look());
                Vec::new()
            }
            Target::Tab(tab) => {
                self.go_to_tab(tab);
                Vec::new()
            }
            Target::List(look) => {
                self.go_to_savings(look);
                Vec::new()
            }
            Target::Saving(page) => {
                self.go_to_saving(page);
                Vec::new()
            }
            Target::Storage(subject) => {
                self.go_to_subject(&subject);
                Vec::new()
            }
            Target::Gpus => {
                self.go_to_gpus(self.gpu_tab.look());
                Vec::new()
            }
        }
    }

    fn turn_tab(&mut self, forward: bool) {
        let tabs: Vec<Tab> = self.tabs().collect();
        let at = tabs.iter().position(|tab| *tab == self.tab).unwrap_or(0);
        let step = if forward { 1 } else { tabs.len() - 1 };
        self.go_to_tab(tabs[(at + step) % tabs.len()]);
    }

    /// On a why page: the page of the row above or below in the table.
    fn next_why(&mut self, below: bool) -> Vec<Effect> {
        let Some(Page::Why { instance, .. }) = self.page().map(|o| &o.page) else {
            return Vec::new();
        };
        let instance = instance.clone();
        self.sync_table();
        let Some(fleet) = self.shown().cloned() else { return Vec::new() };
        if !self.table.go_to(&fleet.rows, &instance) {
            return Vec::new();
        }
        let before = self.table.cursor();
        self.table.step(&fleet.rows, if below { 1 } else { -1 });
        match self.table.current(&fleet.rows) {
            Some(row) if self.table.cursor() != before => {
                let id = row.instance.id.clone();
                self.open_why(id)
            }
            _ => Vec::new(),
        }
    }

    fn page_height(&self) -> isize {
        let body = self.table_layout().map_or(1, |l| l.body_height);
        let lines = if self.shows_table() { body.saturating_sub(1) } else { body };
        isize::try_from(lines.max(1)).unwrap_or(1)
    }

    /// The lines that a movement goes by; `None` for what is no movement.
    pub(super) fn distance(&self, action: Action) -> Option<isize> {
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
            on_table!(self, |table, rows| table.step(rows, lines));
            return;
        }
        match action {
            Action::Filter => self.open_filter(),
            Action::Sort => self.popup = Some(Popup::Sort),
            Action::Columns => self.popup = Some(Popup::Columns { cursor: 0 }),
            Action::SaveView => self.prompt = Some(Prompt::new(PromptKind::SaveView, "")),
            _ => {
                let width = self.table_width();
                on_table!(self, |table, rows| table.act(rows, action, width));
            }
        }
    }

    /// Moves through a page of text, or through the findings of the overview.
    fn scroll(&mut self, action: Action) {
        match action {
            Action::Top if self.pages.is_empty() => {
                self.finding = 0;
                self.overview_scroll = 0;
            }
            Action::Bottom if self.pages.is_empty() => {
                self.finding = self.findings().saturating_sub(1);
                self.overview_scroll = self.last_scroll();
            }
            _ => {
                if let Some(lines) = self.distance(action) {
                    self.scroll_by(lines);
                }
            }
        }
    }

    /// The cursor goes from finding to finding; before the first, behind the last and where none
    /// is in sight, the page itself moves.
    pub(super) fn scroll_by(&mut self, lines: isize) {
        let last = self.last_scroll();
        if let Some(opened) = self.pages.last_mut() {
            opened.scroll = opened.scroll.saturating_add_signed(lines).min(last);
            return;
        }
        let end = if lines > 0 { self.findings().saturating_sub(1) } else { 0 };
        if self.finding == end || self.finding_in_sight().is_none() {
            self.overview_scroll = self.overview_scroll.saturating_add_signed(lines).min(last);
            return;
        }
        let to = self.finding.saturating_add_signed(lines);
        self.finding = if lines > 0 { to.min(end) } else { to };
        self.show_finding();
    }

    /// The export command, ready to be sent or changed.
    fn open_export(&mut self) {
        if self.tab == Tab::WhatIf {
            if let Err(why) = self.check_plan_export(super::ExportFormat::Md) {
                self.say(Notice::new(Level::Warn, why));
                return;
            }
            let text = format!("export md {}", self.plan_name(super::ExportFormat::Md));
            self.prompt = Some(Prompt::new(PromptKind::Command, &text));
            return;
        }
        if self.picture().is_none() {
            self.say(Notice::new(Level::Warn, "there is nothing here to export"));
            return;
        }
        let text = format!("export csv {}", self.export_name(super::ExportFormat::Csv));
        self.prompt = Some(Prompt::new(PromptKind::Command, &text));
    }

    fn copy_id(&mut self) -> Vec<Effect> {
        self.prepare();
        if let Some(effects) = self.copy_saving_id() {
            return effects;
        }
        let gpu = self.current_gpu().map(|row| row.id.to_string());
        let id = gpu.or_else(|| self.current_row().map(|r| r.instance.id.to_string()));
        let Some(id) = id else {
            self.say(Notice::new(Level::Warn, "there is no instance here to copy"));
            return Vec::new();
        };
        // Whether the terminal takes it cannot be known.
        self.say(Notice::new(Level::Info, format!("sent {id} to the terminal's clipboard")));
        vec![Effect::Copy(id)]
    }

    fn copy_row(&mut self) -> Vec<Effect> {
        self.prepare();
        if let Some(effects) = self.copy_saving() {
            return effects;
        }
        if let Some((id, gpus)) = self.current_gpu_picture() {
            let fleet = self.shown().cloned().unwrap_or_default();
            let text = format!("sent {id} as JSON to the terminal's clipboard");
            self.say(Notice::new(Level::Info, text));
            let empty = Picture::of("gpus", fleet, self.gpu_context().now);
            return vec![Effect::CopyRows(Picture { gpus: Some(gpus), ..empty })];
        }
        let found = self.shown().zip(self.current_row()).and_then(|(fleet, row)| {
            let at = fleet.rows.iter().position(|r| r.instance.id == row.instance.id)?;
            Some((fleet.clone(), u32::try_from(at).ok()?, row.instance.id.to_string()))
        });
        let Some((fleet, at, id)) = found else {
            self.say(Notice::new(Level::Warn, "there is no instance here to copy"));
            return Vec::new();
        };
        self.say(Notice::new(
            Level::Info,
            format!("sent {id} as JSON to the terminal's clipboard"),
        ));
        let empty = Picture::of("idle", fleet, self.view_context().now);
        let columns = Field::ALL.to_vec();
        vec![Effect::CopyRows(Picture { rows: vec![at], columns, ..empty })]
    }
}
