//! Messages in, effects out.

use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};

use super::keymap::Key;
use super::{App, BillsAnswer, Effect, Level, LogEntry, Mode, Msg, Notice, Page, Popup, Tab};
use crate::fleet::Fleet;

impl App {
    /// Handles a message, and returns the effects to carry out. Never waits.
    pub fn update(&mut self, msg: Msg) -> Vec<Effect> {
        if let Msg::Now(now) = msg {
            self.set_now(now);
            return Vec::new();
        }
        // Never taken back: what an earlier message changed is still to be drawn.
        self.dirty |= self.shows(&msg);
        let mut effects = self.take(msg);
        self.after_update_sheet();
        for screen in crate::tabs::screens() {
            screen.after_update(self, &mut effects);
        }
        effects
    }

    /// True unless a message changes nothing on screen: the release of a key, or a picture behind a
    /// frozen one.
    fn shows(&self, msg: &Msg) -> bool {
        match msg {
            Msg::Key(event) => !event.is_release(),
            Msg::Gpus(_) | Msg::Storage(_) | Msg::Savings(_) => !self.is_frozen(),
            _ => true,
        }
    }

    fn take(&mut self, msg: Msg) -> Vec<Effect> {
        match msg {
            Msg::Key(event) if event.is_release() => Vec::new(),
            Msg::Key(event) => {
                let effects = self.on_key(Key::of(event));
                self.count_key_of_run();
                effects
            }
            Msg::Mouse(event) => self.on_mouse(event),
            Msg::Paste(text) => {
                self.on_paste(&text);
                Vec::new()
            }
            Msg::Resize(width, height) => {
                self.size = (width, height);
                self.dialog_gone();
                Vec::new()
            }
            Msg::Fleet(fleet) => self.on_fleet(fleet),
            Msg::Gpus(gpus) => {
                self.on_gpus(gpus);
                Vec::new()
            }
            Msg::Storage(fleet) => {
                self.on_storage(fleet);
                Vec::new()
            }
            Msg::Savings(savings) => {
                self.on_savings(savings);
                Vec::new()
            }
            Msg::Listing(listing) => {
                self.on_listing(listing);
                Vec::new()
            }
            Msg::GpuHistory { key, history } => {
                self.on_gpu_history(&key, &history);
                Vec::new()
            }
            Msg::Series { instance, series } => {
                self.on_series(&instance, &series);
                Vec::new()
            }
            Msg::BurnPast(past) => {
                self.burn_past = Some(past);
                Vec::new()
            }
            Msg::LookedBack { preset, day } => {
                self.looked_back = Some((preset, day));
                Vec::new()
            }
            Msg::OwnCost(cost) => {
                self.own_cost = Some(cost);
                Vec::new()
            }
            Msg::RefreshCost(usd) => {
                self.refresh_usd = usd;
                Vec::new()
            }
            Msg::Preset { name, missing_usd } => {
                self.preset = name;
                self.missing_usd = missing_usd;
                Vec::new()
            }
            Msg::Log(entry) => {
                self.on_log(entry);
                Vec::new()
            }
            Msg::Notice(notice) => {
                self.say(notice);
                Vec::new()
            }
            Msg::Accounts(accounts) => {
                self.accounts = accounts;
                // One account that answers is enough, whoever was first.
                self.no_credentials = None;
                Vec::new()
            }
            Msg::NoCredentials { message } => {
                self.no_credentials = Some(message);
                Vec::new()
            }
            Msg::Mode(mode) => {
                self.on_mode(mode);
                Vec::new()
            }
            Msg::Rules(rules) => {
                self.rules = rules;
                self.foresee_again();
                Vec::new()
            }
            Msg::Preflighted(checked) => {
                self.on_preflighted(checked);
                self.set_deadline();
                Vec::new()
            }
            Msg::NotPreflighted { plan, why } => {
                self.on_not_preflighted(&plan, why);
                Vec::new()
            }
            Msg::Acting(progress) => {
                self.on_acting(&progress);
                Vec::new()
            }
            Msg::Acted(ended) => {
                self.read_actions_again();
                self.on_acted(ended);
                Vec::new()
            }
            Msg::Demand { demand, scenario } => self.on_demand(demand, scenario),
            Msg::NoDemand(why) => {
                self.on_no_demand(why);
                Vec::new()
            }
            Msg::Planned(planned) => self.on_planned(planned),
            Msg::Scenario { slot, scenario } => self.on_scenario(slot, scenario),
            Msg::Bills(BillsAnswer::Bill(question, answer)) => {
                self.on_bills(&question, answer);
                Vec::new()
            }
            Msg::Bills(BillsAnswer::Network(question, answer)) => {
                self.on_network(question, answer);
                Vec::new()
            }
            Msg::Bills(BillsAnswer::Teams(question, answer)) => {
                self.on_teams(question, answer);
                Vec::new()
            }
            Msg::Jobs(question, answer) => {
                self.on_jobs(&question, answer);
                Vec::new()
            }
            Msg::Actions(round, answer) => {
                self.on_actions(round, answer);
                Vec::new()
            }
            Msg::JobSources { has_news } => {
                self.on_job_sources(has_news);
                Vec::new()
            }
            Msg::Scenarios(names) => {
                self.on_scenarios(names);
                Vec::new()
            }
            Msg::Now(_) => Vec::new(),
        }
    }

    /// Until the deadline a tick changes nothing and allocates nothing. A clock that was set back
    /// by more than a minute makes all ages anew.
    fn set_now(&mut self, now: Timestamp) {
        let set_back = now.saturating_add(SignedDuration::from_mins(1)).unwrap_or(now) < self.now;
        self.now = now;
        if set_back || self.deadline.is_some_and(|d| now >= d) {
            self.after_update_sheet();
            self.tell_time();
            self.dirty = true;
        }
    }

    fn on_fleet(&mut self, fleet: Arc<Fleet>) -> Vec<Effect> {
        if fleet.rows.is_empty() && self.no_credentials.is_some() && self.mode == Mode::Live {
            // Nothing was read: the page that says why stays.
            self.take_fleet(fleet);
            return Vec::new();
        }
        self.no_credentials = None;
        self.from_cache = false;
        let before = self.why_verdict();
        self.take_fleet(fleet);
        self.explain_anew(before.as_ref())
    }

    fn on_log(&mut self, entry: LogEntry) {
        if self.log.len() == Self::LOG_MAX {
            self.log.pop_front();
        }
        self.log.push_back(entry);
    }

    /// Other data from here on: what is known of the old ones goes.
    fn on_mode(&mut self, mode: Mode) {
        self.mode = mode;
        self.no_credentials = None;
        self.fleet = None;
        for screen in crate::tabs::screens() {
            screen.forget(self);
        }
        self.frozen = None;
        self.accounts.clear();
        self.rules = Arc::default();
        self.extent = super::Extent::default();
        self.pages.clear();
        self.jumps.clear();
        self.popup = None;
        self.own_cost = None;
        self.missing_usd = None;
        self.burn_past = None;
        self.looked_back = None;
        self.fold_sources();
    }

    /// Shows a message above the footer, and keeps it for the page of events: there it can be read when the next key has
    /// taken it away.
    pub(crate) fn say(&mut self, notice: Notice) {
        if self.said.len() == Self::SAID_MAX {
            self.said.pop_front();
        }
        let (level, message) = (notice.level, notice.text.clone());
        let (source, scope, fix) = (None, None, String::new());
        self.said.push_back(LogEntry { at: self.now, level, source, scope, message, fix });
        self.notice = Some(notice);
    }

    /// Takes the message above the footer away: what it told of is over.
    pub(crate) fn unsay(&mut self) {
        self.notice = None;
    }

    /// Opens a page above the others; an open page of the same kind is closed.
    pub(crate) fn open(&mut self, page: Page) {
        self.popup = None;
        // The same page twice would need two steps back.
        let same =
            |o: &super::Opened| std::mem::discriminant(&o.page) == std::mem::discriminant(&page);
        self.pages.retain(|o| !same(o));
        if matches!(page, Page::Help) {
            self.help = super::content::help::HelpView::default();
        }
        self.pages.push(super::Opened { page, scroll: 0 });
    }

    /// Shows a tab and closes the pages above it.
    pub(crate) fn go_to_tab(&mut self, tab: Tab) {
        self.tab = tab;
        self.jumps.clear();
        self.close_pages();
        if self.stays_on_tab {
            return;
        }
        for screen in crate::tabs::screens() {
            screen.on_tab_change(self);
        }
    }

    /// Closes all pages and questions above the tab.
    pub(crate) fn close_pages(&mut self) {
        self.pages.clear();
        self.popup = None;
    }

    pub(super) fn toggle_freeze(&mut self) {
        self.frozen = if self.is_frozen() {
            None
        } else {
            let (fleet, gpus) = (self.fleet.clone(), self.gpus.clone());
            let (storage, savings) = (self.storage.clone(), self.savings.clone());
            Some(super::Frozen { fleet, gpus, storage, savings, at: self.now, minute: self.minute })
        };
        self.set_deadline();
    }

    /// Asks for everything anew, what the preset lacked included.
    pub(super) fn read_again(&mut self, force: bool) -> Vec<Effect> {
        self.missing_usd = None;
        self.say(Notice::new(Level::Info, "reading again"));
        vec![Effect::Refresh { force }]
    }

    /// Reads again; where that costs money, asks first.
    pub(super) fn refresh(&mut self) -> Vec<Effect> {
        match self.refresh_usd {
            Some(usd) if usd > 0.0 => {
                self.popup = Some(Popup::ConfirmRefresh { usd });
                Vec::new()
            }
            _ => self.read_again(false),
        }
    }
}

#[cfg(test)]
mod tests {
    use crossterm::event::{KeyCode, KeyEvent, KeyEventKind, KeyModifiers};

    use super::*;
    use crate::app::fixture::{app, fleet, press};
    use crate::domain::{ErrorKind, Reading, SourceError, SourceId, SourceState};
    use crate::fleet::{GpuFleet, Savings, StorageFleet};

    #[test]
    fn what_is_to_be_drawn_stays_so_whatever_comes_next() {
        let mut key = KeyEvent::new(KeyCode::Char('x'), KeyModifiers::NONE);
        key.kind = KeyEventKind::Release;
        let quiet: [fn(KeyEvent) -> Msg; 4] = [
            Msg::Key,
            |_| Msg::Gpus(Arc::new(GpuFleet::default())),
            |_| Msg::Storage(Arc::new(StorageFleet::default())),
            |_| Msg::Savings(Arc::new(Savings::default())),
        ];
        for msg in quiet {
            let mut app = app((80, 24));
            press(&mut app, "f");
            app.mark_drawn();
            app.update(msg(key));
            assert!(!app.is_dirty(), "nothing of it is on screen");
            app.update(Msg::Notice(Notice::new(Level::Error, "not written")));
            app.update(msg(key));
            assert!(app.is_dirty(), "a notice waits to be drawn");
        }
    }

    #[test]
    fn each_scope_of_a_source_counts_once_whoever_tells_of_it() {
        let mut app = app((80, 24));
        let error = SourceError::new(ErrorKind::Denied, "s3:ListAllMyBuckets", "no", "allow it");
        let failed = Reading {
            source: SourceId::S3,
            scope: crate::domain::Scope::new("123456789012", "-"),
            taken_at: None,
            coverage: 1.0,
            state: SourceState::Failed(Arc::new(error)),
        };
        let told = || vec![failed.clone()];
        app.update(Msg::Fleet(Arc::new(Fleet { readings: told(), ..fleet() })));
        app.update(Msg::Storage(Arc::new(StorageFleet { readings: told(), ..Default::default() })));
        app.update(Msg::Savings(Arc::new(Savings { readings: told(), ..Savings::default() })));
        let counted = |s: &crate::app::SourceStatus| (s.source, s.scopes, s.failed);
        let all: Vec<_> = app.sources().by_source.iter().map(counted).collect();
        assert_eq!(all, [(SourceId::S3, 1, 1)]);
    }
}
