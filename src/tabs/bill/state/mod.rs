//! The Bill tab: the way into the bill, what the bills answered, and the lists.

mod act;
mod choose;
#[cfg(test)]
pub(crate) mod fixture;
mod period;
mod rows;
#[cfg(test)]
mod scripts;
mod way;

use std::sync::Arc;

use crate::analyze::bill::BillKey;
use crate::app::{Answered, App, Asking, BillsQuestion, Effect, Level as Severity, List, Notice};
use crate::domain::bill::Month;
use crate::tabs::bill::TAB;
pub use crate::tabs::bill::lists::BillList;
use crate::tabs::bill::picture::{BillPicture, BillQuestion};
pub(crate) use choose::keys_of;
pub(crate) use period::{kept_period, period_of, turned_period};
pub(crate) use rows::Rows;
pub(crate) use way::Way;

/// State of the Bill tab.
#[derive(Clone, Debug)]
pub struct BillTab {
    /// Where in the bill the user is.
    pub(crate) way: Way,
    /// The way that the picture on screen is of.
    answered: Way,
    /// The lists, in the order of [`BillList::ALL`].
    lists: [List; BillList::ALL.len()],
    /// What the bills were asked, and what they answered.
    pub(crate) asking: Asking<BillQuestion, BillPicture>,
    /// The rows that are made from the answer.
    pub(crate) rows: Rows,
    /// Row that a level was gone into from, for the cursor when that level is back on screen; `None` for none.
    came_from: Option<Arc<str>>,
}

impl Default for BillTab {
    fn default() -> Self {
        Self {
            way: Way::default(),
            answered: Way::default(),
            lists: BillList::start(),
            asking: Asking::default(),
            rows: Rows::default(),
            came_from: None,
        }
    }
}

impl BillTab {
    /// Which list is on screen.
    pub fn look(&self) -> BillList {
        self.way.look
    }

    /// One of the lists.
    pub fn list(&self, list: BillList) -> &List {
        &self.lists[list as usize]
    }

    /// One of the lists, mutable.
    pub(crate) fn list_mut(&mut self, list: BillList) -> &mut List {
        &mut self.lists[list as usize]
    }

    /// True while the picture on screen answers an earlier question than the last one.
    pub fn is_behind(&self) -> bool {
        self.asking.is_behind()
    }
}

impl App {
    /// State of the Bill tab.
    pub fn bill_tab(&self) -> &BillTab {
        &self.tabs.bill
    }

    /// What the bills answered last; `None` before the first answer.
    pub fn bill(&self) -> Option<&Arc<BillPicture>> {
        self.tabs.bill.asking.answer()
    }

    /// Keys by which the bill can be broken down; empty before the first answer.
    pub(crate) fn bill_keys(&self) -> &[BillKey] {
        self.bill().map_or(&[], |bill| &bill.keys)
    }

    /// Names of [`Self::bill_keys`].
    pub(crate) fn bill_key_names(&self) -> Vec<String> {
        self.bill_keys().iter().map(BillKey::name).collect()
    }

    /// Months of which a bill is kept, first one first.
    pub(crate) fn bill_periods(&self) -> &[Month] {
        self.bill().map_or(&[], |bill| &bill.periods)
    }

    /// Asks the bills again when the tab is opened: another process may have imported some.
    pub(crate) fn read_bills_again(&mut self) {
        if self.tab == TAB {
            self.tabs.bill.asking.ask_again();
        }
    }

    /// Asks the bills for what the way leads to, where that was not asked yet.
    pub(crate) fn after_update_bill(&mut self, effects: &mut Vec<Effect>) {
        if self.tab != TAB {
            return;
        }
        let tab = &mut self.tabs.bill;
        let asked = tab.asking.ask(tab.way.question());
        effects.extend(asked.map(|question| Effect::ReadBills(BillsQuestion::Bill(question))));
    }

    /// Takes an answer of the bills in. One to an earlier question is dropped; where there is none, the way goes back to
    /// what is on screen.
    pub(crate) fn on_bills(&mut self, question: &BillQuestion, answer: Answered<BillPicture>) {
        let tab = &mut self.tabs.bill;
        if !tab.asking.is_newest(question) {
            return;
        }
        match answer {
            Ok(picture) => tab.take(picture),
            Err(why) => {
                if let Some(why) = tab.asking.fail(why) {
                    tab.way = tab.answered.clone();
                    self.say(Notice::new(Severity::Warn, why));
                }
            }
        }
    }
}
