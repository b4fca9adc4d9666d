//! The Network tab: its month, what the bills answered, and the lists.

mod act;
#[cfg(test)]
pub(crate) mod fixture;
mod rows;
#[cfg(test)]
mod scripts;

use std::sync::Arc;

use crate::app::{Answered, App, Asking, BillsQuestion, Effect, Level, List, Notice, RowsStamp};
use crate::domain::bill::Month;
use crate::tabs::network::TAB;
pub use crate::tabs::network::lists::NetworkList;
use crate::tabs::network::picture::{LivePaths, NetworkPicture, NetworkQuestion};

/// A page of the tab.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NetworkPage {
    /// Everything about a path.
    Path {
        /// Id of its row.
        id: Arc<str>,
    },
    /// Where the bill comes from, its sums, and what is odd about it.
    Source,
}

impl NetworkPage {
    /// Title of the page, shown above the body.
    pub fn title(&self) -> &'static str {
        match self {
            Self::Path { .. } => "Path",
            Self::Source => "About the bill",
        }
    }
}

/// State of the Network tab.
#[derive(Clone, Debug)]
pub struct NetworkTab {
    /// List on screen.
    look: NetworkList,
    /// Month; `None` for the newest one.
    period: Option<Month>,
    /// Month that the answer on screen was asked for.
    answered: Option<Month>,
    /// What the bills were asked, and what they answered.
    asking: Asking<NetworkQuestion, NetworkPicture>,
    /// Number of the answer, from 1; 0 before the first.
    version: u64,
    /// The lists, in the order of [`NetworkList::ALL`].
    lists: [List; NetworkList::ALL.len()],
    /// The paths without a bill, made once per picture of savings.
    live: LivePaths,
    /// Picture that they were made from; `None` before the first.
    live_of: Option<RowsStamp>,
}

impl Default for NetworkTab {
    fn default() -> Self {
        Self {
            look: NetworkList::Paths,
            period: None,
            answered: None,
            asking: Asking::default(),
            version: 0,
            lists: NetworkList::start(),
            live: LivePaths::default(),
            live_of: None,
        }
    }
}

impl NetworkTab {
    /// Which list is on screen: where no bill is kept, or none can be read, the one that needs none.
    pub fn look(&self) -> NetworkList {
        let has_bill = match self.asking.answer() {
            Some(network) => network.period.is_some(),
            None => self.asking.trouble().is_none(),
        };
        if has_bill || self.live.rows.is_empty() { self.look } else { NetworkList::Live }
    }

    /// The paths without a bill, as they were when the tab was on screen last.
    pub fn live(&self) -> &LivePaths {
        &self.live
    }

    /// One of the lists.
    pub fn list(&self, list: NetworkList) -> &List {
        &self.lists[list as usize]
    }

    /// One of the lists, mutable.
    pub(crate) fn list_mut(&mut self, list: NetworkList) -> &mut List {
        &mut self.lists[list as usize]
    }

    /// True while the picture on screen answers an earlier question than the last one.
    pub fn is_behind(&self) -> bool {
        self.asking.is_behind()
    }

    /// Why the bills cannot be read, one sentence; `None` while they can.
    pub(crate) fn trouble(&self) -> Option<&str> {
        self.asking.trouble()
    }
}

impl App {
    /// State of the Network tab.
    pub fn network_tab(&self) -> &NetworkTab {
        &self.tabs.network
    }

    /// What the bills answered last about the network; `None` before the first answer.
    pub fn network(&self) -> Option<&Arc<NetworkPicture>> {
        self.tabs.network.asking.answer()
    }

    /// True where a bill is kept that tells of the network.
    pub(crate) fn has_network(&self) -> bool {
        self.network().is_some_and(|network| network.period.is_some())
    }

    /// Asks the bills again when the tab is opened: another process may have imported some.
    pub(crate) fn read_network_again(&mut self) {
        if self.tab == TAB {
            self.tabs.network.asking.ask_again();
        }
    }

    /// Asks the bills for the month on screen, where that was not asked yet.
    pub(crate) fn after_update_network(&mut self, effects: &mut Vec<Effect>) {
        if self.tab != TAB {
            return;
        }
        let tab = &mut self.tabs.network;
        let asked = tab.asking.ask(NetworkQuestion { period: tab.period });
        effects.extend(asked.map(|question| Effect::ReadBills(BillsQuestion::Network(question))));
    }

    /// Takes an answer of the bills in. One to an earlier question is dropped.
    pub(crate) fn on_network(
        &mut self,
        question: NetworkQuestion,
        answer: Answered<NetworkPicture>,
    ) {
        let tab = &mut self.tabs.network;
        if !tab.asking.is_newest(&question) {
            return;
        }
        match answer {
            Ok(picture) => {
                let month = |of: &Arc<NetworkPicture>| of.period;
                if tab.asking.answer().map(month) != Some(month(&picture)) {
                    let of_bills = &mut tab.lists[..NetworkList::Live as usize];
                    of_bills.iter_mut().for_each(List::start_anew);
                }
                tab.version += 1;
                tab.answered = tab.period;
                tab.asking.take(picture);
            }
            Err(why) => {
                if let Some(why) = tab.asking.fail(why) {
                    tab.period = tab.answered;
                    self.say(Notice::new(Level::Warn, why));
                }
            }
        }
    }
}
