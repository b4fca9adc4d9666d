//! The tabs: everything of a tab is in its folder.
//!
//! Of each tab `picture` says what is shown, from what analysis found, for the screen and for
//! reports alike; `state` remembers what the user chose and does what keys ask for; `screen` answers
//! the cockpit's questions; `pages` are its texts; `draw` alone knows about cells.

pub mod actions;
pub mod bill;
pub mod gpus;
pub mod idle;
pub mod jobs;
pub mod network;
pub mod overview;
pub mod savings;
pub mod storage;
pub mod teams;
pub mod whatif;

use crate::app::{App, List, Screen};
use crate::ui::Draw;

/// The tabs, in the order of their numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tab {
    /// Overview: burn, waste, and what to do first.
    Overview,
    /// GPUs: what each does and costs.
    Gpus,
    /// Every instance with its verdict.
    Idle,
    /// Buckets, prefixes, volumes.
    Storage,
    /// Where bytes went, and what that cost.
    Network,
    /// Whose the dollars are, and what they may be.
    Teams,
    /// Plans of what to buy, over many futures.
    WhatIf,
    /// What was really paid, for what and by whom.
    Bill,
    /// What runs cost, and what failed ones took.
    Jobs,
}

/// A tab as the bar above the body shows it.
struct TabSpec {
    tab: Tab,
    /// Number of the tab, which is also its key; kept for ever.
    number: u8,
    title: &'static str,
    screen: &'static dyn Draw,
}

/// One row per tab, in the order of [`Tab`].
static TABS: [TabSpec; 9] = [
    TabSpec {
        tab: Tab::Overview,
        number: 1,
        title: "Overview",
        screen: &overview::screen::OverviewScreen,
    },
    TabSpec { tab: Tab::Gpus, number: 2, title: "GPUs", screen: &gpus::screen::GpuScreen },
    TabSpec { tab: Tab::Idle, number: 3, title: "Idle", screen: &idle::screen::IdleScreen },
    TabSpec {
        tab: Tab::Storage,
        number: 4,
        title: "Storage",
        screen: &storage::screen::StorageScreen,
    },
    TabSpec {
        tab: Tab::Network,
        number: 5,
        title: "Network",
        screen: &network::screen::NetworkScreen,
    },
    TabSpec { tab: Tab::Teams, number: 6, title: "Teams", screen: &teams::screen::TeamsScreen },
    TabSpec {
        tab: Tab::WhatIf,
        number: 7,
        title: "What-if",
        screen: &whatif::screen::WhatIfScreen,
    },
    TabSpec { tab: Tab::Bill, number: 8, title: "Bill", screen: &bill::screen::BillScreen },
    TabSpec { tab: Tab::Jobs, number: 9, title: "Jobs", screen: &jobs::screen::JobsScreen },
];

/// The lists behind tabs, or over them: where one is on, the first of those here fills the body instead of the tab.
static BEHIND: [&dyn Draw; 2] = [&actions::screen::ActionsScreen, &savings::screen::SavingsScreen];

impl Tab {
    /// All tabs.
    pub fn all() -> impl DoubleEndedIterator<Item = Self> {
        TABS.iter().map(|spec| spec.tab)
    }

    /// Number of the tab, which is also its key.
    pub fn number(self) -> u8 {
        TABS[self as usize].number
    }

    /// Name of the tab in the tab bar.
    pub fn title(self) -> &'static str {
        TABS[self as usize].title
    }

    /// Screen that fills the body of the tab.
    pub fn screen(self) -> &'static dyn Draw {
        TABS[self as usize].screen
    }
}

/// State of each tab, and of the lists behind the first one.
#[derive(Clone, Debug)]
pub(crate) struct TabStates {
    /// Overview.
    pub(crate) overview: overview::state::Overviews,
    /// GPUs.
    pub(crate) gpus: gpus::state::Gpus,
    /// Idle: its list.
    pub(crate) idle: List,
    /// Storage.
    pub(crate) storage: storage::state::Storage,
    /// Network.
    pub(crate) network: network::state::NetworkTab,
    /// Teams.
    pub(crate) teams: teams::state::TeamsTab,
    /// State of the lists of savings.
    pub(crate) savings: savings::state::SavingsTab,
    /// The list of actions, which lies over any of them.
    pub(crate) actions: actions::state::ActionsTab,
    /// State of the What-if tab.
    pub(crate) whatif: whatif::state::WhatIf,
    /// Bill.
    pub(crate) bill: bill::state::BillTab,
    /// Jobs.
    pub(crate) jobs: jobs::state::JobsTab,
}

impl Default for TabStates {
    fn default() -> Self {
        Self {
            overview: overview::state::Overviews::default(),
            gpus: gpus::state::Gpus::default(),
            idle: List::of::<idle::picture::Field>(),
            storage: storage::state::Storage::default(),
            network: network::state::NetworkTab::default(),
            teams: teams::state::TeamsTab::default(),
            savings: savings::state::SavingsTab::default(),
            actions: actions::state::ActionsTab::default(),
            whatif: whatif::state::WhatIf::default(),
            bill: bill::state::BillTab::default(),
            jobs: jobs::state::JobsTab::default(),
        }
    }
}

/// All screens: those of the tabs, then those behind them.
pub fn screens() -> impl Iterator<Item = &'static dyn Screen> {
    let behind = BEHIND.iter().map(|screen| *screen as &dyn Screen);
    Tab::all().map(|tab| tab.screen() as &dyn Screen).chain(behind)
}

/// Screen that fills the body, or would without a page.
pub fn screen_on(app: &App) -> &'static dyn Draw {
    let behind = BEHIND.iter().find(|screen| screen.is_on(app));
    behind.copied().unwrap_or_else(|| app.tab().screen())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_has_each_tab_at_its_place_with_its_own_number_and_name() {
        for (at, spec) in TABS.iter().enumerate() {
            assert_eq!(spec.tab as usize, at);
            assert_eq!(spec.screen.tab(), spec.tab);
        }
        assert!(TABS.is_sorted_by(|a, b| a.number < b.number && a.title != b.title));
    }

    #[test]
    fn keys_of_lists_mean_a_list_of_the_screen_that_is_on() {
        let app = crate::app::fixture::app((120, 30));
        for screen in screens().filter(|screen| !screen.lists().is_empty()) {
            let mut own = screen.lists().into_iter().map(|spec| (spec.list)(&app));
            let is_own = own.any(|list| std::ptr::eq(list, screen.list(&app)));
            assert!(is_own, "{:?}", screen.lists()[0]);
        }
    }
}
