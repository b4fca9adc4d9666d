//! What keys do on the Network tab.

use std::sync::Arc;

use super::{NetworkList, NetworkPage};
use crate::app::keymap::Action;
use crate::app::screen::Hints;
use crate::app::{App, Effect, Filled, Level, Notice, Page, turned};
use crate::domain::bill::Month;
use crate::fleet::savings::PathKind;
use crate::tabs::bill::state::{kept_period, turned_period};
use crate::tabs::network::TAB;
use crate::tabs::network::picture::{NetworkItem, calculator, to_a_month};

/// The keys that the footer names where no bill is kept.
const LIVE_ALONE: Hints = &[
    (Action::Enter, "details"),
    (Action::NetworkWhatIf, ""),
    (Action::Filter, ""),
    (Action::Sort, ""),
    (Action::Export, ""),
    (Action::Refresh, "look for a bill"),
];

impl App {
    /// Shows a list of the tab.
    pub(crate) fn go_to_network(&mut self, look: NetworkList) {
        self.go_to_tab(TAB);
        self.look_at_network(look);
    }

    fn look_at_network(&mut self, look: NetworkList) {
        self.tabs.network.look = look;
        self.sync_network();
    }

    /// The keys that the footer names.
    pub(crate) fn network_hints(&self) -> Hints {
        match self.tabs.network.look() {
            NetworkList::Live if !self.has_network() => LIVE_ALONE,
            look if self.has_network() => look.spec().hints,
            _ => &[(Action::Refresh, ""), (Action::Command, ""), (Action::NextTab, "")],
        }
    }

    /// Handles a key of the tab.
    pub(crate) fn act_on_network(&mut self, action: Action) -> Vec<Effect> {
        let is_live = self.tabs.network.look() == NetworkList::Live;
        if !self.has_network() && !is_live {
            return Vec::new();
        }
        match action {
            Action::NetworkWhatIf => return self.fill_network_calculator(),
            Action::BillSource if !self.pages.is_empty() => drop(self.pages.pop()),
            Action::BillSource => self.open(Page::Network(NetworkPage::Source)),
            _ if !self.pages.is_empty() => {}
            Action::NextBillList | Action::PreviousBillList => {
                let forward = action == Action::NextBillList;
                self.look_at_network(turned(&NetworkList::ALL, self.tabs.network.look(), forward));
            }
            Action::EarlierPeriod | Action::LaterPeriod if is_live => {
                self.say(Notice::new(Level::Info, "live paths are of now, and have no months"));
            }
            Action::EarlierPeriod => self.turn_network_period(false),
            Action::LaterPeriod => self.turn_network_period(true),
            _ => {}
        }
        Vec::new()
    }

    fn turn_network_period(&mut self, later: bool) {
        let Some(network) = self.network() else { return };
        let now = self.tabs.network.period.or(network.period);
        match turned_period(&network.periods, now, later) {
            Ok(period) => self.tabs.network.period = Some(period),
            Err(why) => self.say(why),
        }
    }

    /// Shows the network of a month; a month without a bill changes nothing.
    pub(crate) fn go_to_network_period(&mut self, period: Month) {
        let periods = self.network().map_or(&[][..], |network| &network.periods);
        match kept_period(periods, period) {
            Ok(period) => self.tabs.network.period = Some(period),
            Err(why) => self.say(why),
        }
    }

    /// Fills the network calculator of What-if from the paths on screen: those of the bill, or those without one.
    fn fill_network_calculator(&mut self) -> Vec<Effect> {
        let tab = &self.tabs.network;
        let found = match tab.look() {
            NetworkList::Live => {
                // A month of 730 h as it is.
                let rows = tab.live.rows.iter().map(|row| &**row);
                calculator(rows, 1.0).map(|of| (of, Vec::new()))
            }
            _ => self.network().and_then(|network| {
                let rows = network.rows.iter().map(|row| &**row);
                let scale = to_a_month(&network.heads)?;
                Some((calculator(rows, scale)?, network.heads.clone()))
            }),
        };
        let Some((of, heads)) = found else {
            let text = "no path has bytes and a price that the calculator knows";
            self.say(Notice::new(Level::Warn, text));
            return Vec::new();
        };
        self.calculate(Filled::Network { of, heads })
    }

    /// Handles `enter`: everything about the path under the cursor.
    pub(crate) fn enter_network(&mut self) {
        self.sync_network();
        if let Some(id) = self.current_path_id().cloned() {
            self.open_path(id);
        }
    }

    /// Shows the page of what a path without a bill leads through, by its id, above the list of such paths.
    pub(crate) fn open_live_path(&mut self, id: &str, kind: PathKind) {
        self.go_to_network(NetworkList::Live);
        let is_it = |row: &&Arc<NetworkItem>| {
            row.of.live.as_ref().is_some_and(|live| *live.id == *id && live.kind == kind)
        };
        let Some(row) = self.tabs.network.live.rows.iter().find(is_it) else { return };
        let id = row.id.clone();
        self.tabs.network.list_mut(NetworkList::Live).go_to(&id);
        self.open_path(id);
    }

    fn open_path(&mut self, id: Arc<str>) {
        self.open(Page::Network(NetworkPage::Path { id }));
    }

    /// The page of the next path of the list, or of the previous one.
    pub(crate) fn next_path(&mut self, below: bool) {
        let Some(id) = self.current_path_id().cloned() else { return };
        self.sync_network();
        let look = self.tabs.network.look();
        if let Some(next) = self.tabs.network.list_mut(look).go_beside(&id, below) {
            self.pages.pop();
            self.open_path(next);
        }
    }

    /// One step back on the tab; false when there is none.
    pub(crate) fn back_on_network(&mut self) -> bool {
        let (tab, look) = (&self.tabs.network, self.tabs.network.look());
        let has_filter = !tab.list(look).filter_text().is_empty();
        let is_first = look == NetworkList::Paths || !self.has_network();
        if !self.pages.is_empty() || has_filter || is_first {
            return false;
        }
        self.look_at_network(NetworkList::Paths);
        true
    }
}
