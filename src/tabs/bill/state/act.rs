//! What keys do on the Bill tab.

use std::sync::Arc;

use super::{BillList, kept_period, turned_period};
use crate::analyze::bill::{BillKey, Only};
use crate::app::keymap::Action;
use crate::app::screen::Hints;
use crate::app::{App, Level, Notice, Page, turned};
use crate::domain::bill::Month;
use crate::tabs::bill::TAB;
use crate::tabs::bill::picture::{
    AnatomyItem, AnomalyRow, BillRow, ChangedRow, Keyed, ReconcileRow,
};
use crate::tabs::network::TAB as NETWORK;
use crate::tabs::teams::TAB as TEAMS;

impl App {
    /// Shows a list of the tab.
    pub(crate) fn go_to_bill(&mut self, look: BillList) {
        self.go_to_tab(TAB);
        self.look_at_bill(look);
    }

    fn look_at_bill(&mut self, look: BillList) {
        self.tabs.bill.way.look = look;
        self.sync_bill();
    }

    /// Shows the bill of a month, on the Network and Teams tabs what they make of it; a month without one changes nothing.
    pub(crate) fn go_to_period(&mut self, period: Month) {
        if self.tab == NETWORK {
            return self.go_to_network_period(period);
        }
        if self.tab == TEAMS {
            return self.go_to_teams_period(period);
        }
        if self.tab != TAB {
            self.go_to_tab(TAB);
        }
        match kept_period(self.bill_periods(), period) {
            Ok(period) => self.tabs.bill.way.period = Some(period),
            Err(why) => self.say(why),
        }
    }

    /// The keys that the footer names.
    pub(crate) fn bill_hints(&self) -> Hints {
        if self.bill().is_none_or(|bill| bill.period.is_none()) {
            return &[(Action::Refresh, ""), (Action::Command, ""), (Action::NextTab, "")];
        }
        self.tabs.bill.look().spec().hints
    }

    /// Handles a key of the tab.
    pub(crate) fn act_on_bill(&mut self, action: Action) {
        if self.bill().is_none_or(|bill| bill.period.is_none()) {
            return;
        }
        let look = self.tabs.bill.look();
        match action {
            Action::BillSource if !self.pages.is_empty() => drop(self.pages.pop()),
            Action::BillSource => self.open(Page::BillSource),
            _ if !self.pages.is_empty() => {}
            Action::NextBillList | Action::PreviousBillList => {
                self.look_at_bill(turned(&BillList::ALL, look, action == Action::NextBillList));
            }
            Action::BillChanges if look == BillList::Changes => {
                self.look_at_bill(BillList::Breakdown);
            }
            Action::BillChanges => self.look_at_bill(BillList::Changes),
            Action::BillKeys => self.choose_bill_keys(),
            Action::BillOut if self.leave_bill_row() => {}
            Action::BillOut => self.say(Notice::new(Level::Info, "this is the whole bill")),
            Action::EarlierPeriod => self.turn_period(false),
            Action::LaterPeriod => self.turn_period(true),
            _ => {}
        }
    }

    fn turn_period(&mut self, later: bool) {
        let Some(bill) = self.bill() else { return };
        let now = self.tabs.bill.way.period.or(bill.period);
        match turned_period(&bill.periods, now, later) {
            Ok(period) => self.tabs.bill.way.period = Some(period),
            Err(why) => self.say(why),
        }
    }

    /// Handles `enter`: into the row under the cursor.
    pub(crate) fn enter_bill(&mut self) {
        // The rows on screen are of another level.
        if self.tabs.bill.is_behind() {
            return;
        }
        self.sync_bill();
        let Some(row) = self.current_bill_row().cloned() else { return };
        let of = self.bill_row_is_of().unwrap_or_default();
        let has_resources = self.bill().is_some_and(|b| b.heads.iter().any(|h| h.has_resources));
        if of.is_empty() || !self.tabs.bill.way.enter(row, of, has_resources) {
            self.say(Notice::new(Level::Info, "nothing is below it"));
        }
    }

    /// What the row under the cursor is of; `None` without a row.
    fn bill_row_is_of(&self) -> Option<Vec<Only>> {
        let tab = &self.tabs.bill;
        let list = tab.list(tab.look());
        let Keyed { keys, values, .. } = match tab.look() {
            BillList::Breakdown => &list.current::<BillRow>()?.keyed,
            BillList::Changes => &list.current::<ChangedRow>()?.keyed,
            BillList::Anatomy => {
                let value = Some(list.current::<AnatomyItem>()?.id.clone());
                return Some(vec![Only { key: BillKey::Category, value }]);
            }
            BillList::Anomalies => return Some(list.current::<AnomalyRow>()?.only()),
            BillList::LiveBurn => {
                let value = Some(list.current::<ReconcileRow>()?.id.clone());
                return Some(vec![Only { key: BillKey::Day, value }]);
            }
        };
        let only = |(key, value): (&BillKey, &Option<Arc<str>>)| Only {
            key: key.clone(),
            value: value.clone(),
        };
        Some(keys.iter().zip(values).map(only).collect())
    }

    /// Goes one level up; false on the first one.
    fn leave_bill_row(&mut self) -> bool {
        let Some(row) = self.tabs.bill.way.leave() else { return false };
        self.tabs.bill.came_from = Some(row);
        true
    }

    /// One step back on the tab; false when there is none.
    pub(crate) fn back_on_bill(&mut self) -> bool {
        let tab = &self.tabs.bill;
        if !self.pages.is_empty() || !tab.list(tab.look()).filter_text().is_empty() {
            return false;
        }
        if tab.look() != BillList::Breakdown {
            self.look_at_bill(BillList::Breakdown);
            return true;
        }
        self.leave_bill_row()
    }
}
