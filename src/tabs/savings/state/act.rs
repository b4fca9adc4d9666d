//! What keys do on the lists.

use super::{SavingsList, SavingsPage};
use crate::analyze::spot::asg_cli_input;
use crate::app::keymap::Action;
use crate::app::{App, Effect, Level, Notice, Page, Tab, turned};

impl App {
    /// Shows a list, or the overview.
    pub(crate) fn go_to_savings(&mut self, look: impl Into<Option<SavingsList>>) {
        self.go_to_tab(Tab::Overview);
        self.look_at_savings(look.into());
    }

    /// Changes the list on screen; `None` for the overview.
    pub(crate) fn look_at_savings(&mut self, look: Option<SavingsList>) {
        self.tabs.savings.look = look;
        self.sync_savings();
    }

    /// What a key does that belongs to the lists: the next one, round and round, with the guide behind the last. From the
    /// list of idle instances it goes to what else idles.
    pub(crate) fn act_on_savings(&mut self, action: Action) {
        if !self.pages.is_empty() {
            return;
        }
        if self.savings().is_none() {
            let text = "what could be saved is not worked out yet";
            self.say(Notice::new(Level::Info, text));
            return;
        }
        if self.tab == Tab::Idle {
            self.go_to_savings(SavingsList::Resources);
            return;
        }
        let all: Vec<_> = std::iter::once(None).chain(SavingsList::ALL.map(Some)).collect();
        let forward = action == Action::NextSavings;
        let look = self.tabs.savings.look;
        let beside_guide = if forward { all.last() } else { all.first() };
        if beside_guide == Some(&look) {
            self.open_guide();
            return;
        }
        self.look_at_savings(turned(&all, look, forward));
    }

    /// Handles `enter` on a list.
    pub(crate) fn enter_savings(&mut self) -> Vec<Effect> {
        self.sync_savings();
        let Some(page) = self.current_saving() else { return Vec::new() };
        self.list_mut().choose();
        self.open(Page::Savings(page));
        Vec::new()
    }

    /// Opens the page of a row above its list, with the cursor on the row.
    pub(crate) fn open_saving(&mut self, page: SavingsPage) {
        self.go_to_savings(page.list);
        self.list_mut().go_to(&page.id);
        self.open(Page::Savings(page));
    }

    /// What `enter` does on a page of a list: of an instance, the page that says why.
    pub(crate) fn enter_savings_page(&mut self) -> Vec<Effect> {
        let Some(id) = self.instance_of_saving() else { return Vec::new() };
        let known = self.shown().is_some_and(|f| f.rows.iter().any(|r| r.instance.id == id));
        if known { self.open_why(id) } else { Vec::new() }
    }

    /// One step back on the lists; false when there is none.
    pub(crate) fn back_on_savings(&mut self) -> bool {
        if !self.is_on_savings() || !self.pages.is_empty() {
            return false;
        }
        let list = self.list();
        let is_plain = list.filter_text().is_empty() && !list.has_range();
        if is_plain {
            self.look_at_savings(None);
        }
        is_plain
    }

    /// On a page: the page of the row above or below in the list.
    pub(crate) fn next_saving(&mut self, below: bool) {
        let Some(page) = self.current_saving() else { return };
        self.sync_savings();
        if self.list_mut().go_beside(&page.id, below).is_none() {
            return;
        }
        let pages = std::mem::take(&mut self.pages);
        let next = self.current_saving();
        self.pages = pages;
        if let Some(next) = next {
            self.open(Page::Savings(next));
        }
    }

    /// What the row is known by; on the page of a Spot candidate, the policy of its fleet where there
    /// is one.
    pub(crate) fn saving_to_copy(&self) -> Option<(String, String)> {
        let current = self.current_saving()?;
        // On the page that shows it, the policy is what one wants to take along.
        if current.list == SavingsList::Spot
            && !self.pages.is_empty()
            && let Some(fleet) = self.fleet_of_saving(&current.id)
            && let Some(policy) = asg_cli_input(fleet)
        {
            return Some(("the Auto Scaling group's policy".to_owned(), format!("{policy:#}")));
        }
        let id = current.id.to_string();
        Some((id.clone(), id))
    }
}
