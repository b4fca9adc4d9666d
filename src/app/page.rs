//! What fills the body: tabs, the pages that open above them, lists to choose from.

use std::sync::Arc;

use super::content::Line;
use super::screen::{Hints, Screen};
use super::{App, Effect};
use crate::domain::{GpuHistory, GpuKey, SeriesSet};
use crate::tabs::actions::screen::ActionsScreen;
use crate::tabs::bill::screen::BillScreen;
use crate::tabs::gpus::screen::GpuScreen;
use crate::tabs::idle::screen::IdleScreen;
use crate::tabs::jobs::screen::JobsScreen;
use crate::tabs::jobs::state::JobsPage;
use crate::tabs::network::screen::NetworkScreen;
use crate::tabs::network::state::NetworkPage;
use crate::tabs::overview::screen::OverviewScreen;
use crate::tabs::overview::state::BillPage;
use crate::tabs::savings::screen::SavingsScreen;
use crate::tabs::savings::state::SavingsPage;
use crate::tabs::storage::screen::StorageScreen;
use crate::tabs::storage::state::StoragePage;
use crate::tabs::teams::screen::TeamsScreen;
use crate::tabs::teams::state::TeamsPage;
use crate::tabs::whatif::screen::WhatIfScreen;
use crate::tabs::whatif::state::PlanPage;

/// A page above the tab; `esc` closes it.
#[derive(Clone, Debug)]
pub enum Page {
    /// Evidence for an instance's verdict.
    Why {
        /// Id of the instance.
        instance: Arc<str>,
        /// Series of the instance; `None` until loaded.
        series: Option<Arc<SeriesSet>>,
    },
    /// Details of a GPU.
    Gpu {
        /// Id of its row.
        id: Arc<str>,
        /// Key for loading its history.
        key: GpuKey,
        /// History of the GPU; `None` until loaded.
        history: Option<Arc<GpuHistory>>,
    },
    /// A page of the Storage tab.
    Storage(StoragePage),
    /// A page of a savings list.
    Savings(SavingsPage),
    /// Everything about a run of the audit log.
    Action {
        /// Id of the run.
        run: Arc<str>,
    },
    /// What the bill, or a part of it, is the sum of.
    Bill(BillPage),
    /// Where the bill on screen comes from, its sums, and what is odd about it.
    BillSource,
    /// A page of the Network tab.
    Network(NetworkPage),
    /// A page of the Teams tab.
    Teams(TeamsPage),
    /// A page of the Jobs tab.
    Jobs(JobsPage),
    /// Instance types for a model: the guide.
    Guide,
    /// A page of the What-if tab.
    WhatIf(PlanPage),
    /// Distribution of the GPUs' utilisation.
    Distribution,
    /// Instances with accelerators that report no telemetry, and what to do about it.
    Missing,
    /// Keys, commands, filter language.
    Help,
    /// The event log.
    Log,
    /// Cost of burntop's own calls.
    OwnCost,
    /// Action sheet, held by [`super::App::sheet`].
    Sheet,
}

impl Page {
    /// The screen that it belongs to; `None` for the pages of the cockpit itself.
    pub(super) fn screen(&self) -> Option<&'static dyn Screen> {
        Some(match self {
            Self::Why { .. } => &IdleScreen,
            Self::Gpu { .. } | Self::Distribution | Self::Missing => &GpuScreen,
            Self::Storage(_) => &StorageScreen,
            Self::Savings(_) | Self::Guide => &SavingsScreen,
            Self::Action { .. } => &ActionsScreen,
            Self::Bill(_) => &OverviewScreen,
            Self::BillSource => &BillScreen,
            Self::Network(_) => &NetworkScreen,
            Self::Teams(_) => &TeamsScreen,
            Self::Jobs(_) => &JobsScreen,
            Self::WhatIf(_) => &WhatIfScreen,
            Self::Help | Self::Log | Self::OwnCost | Self::Sheet => return None,
        })
    }

    /// Title above the body.
    pub fn title(&self) -> &'static str {
        match self {
            Self::Why { .. } => "Why",
            Self::Gpu { .. } => "GPU",
            Self::Storage(page) => page.title(),
            Self::Savings(page) => page.title(),
            Self::Action { .. } => "Action",
            Self::Bill(page) => page.title(),
            Self::BillSource => "About the bill",
            Self::Network(page) => page.title(),
            Self::Teams(page) => page.title(),
            Self::Jobs(page) => page.title(),
            Self::Guide => crate::tabs::savings::pages::GUIDE,
            Self::WhatIf(page) => page.title(),
            Self::Distribution => "Distribution",
            Self::Missing => "Telemetry missing",
            Self::Help => "Help",
            Self::Log => "Log",
            Self::OwnCost => "Own cost",
            Self::Sheet => "Act",
        }
    }
}

/// The page that a list opens of a row.
pub(crate) struct RowPage {
    /// Title of the page, shown above the body.
    pub(crate) title: &'static str,
    /// Makes the lines of the page for the row with an id, wrapped to a width in cells.
    pub(crate) lines: fn(&App, &Arc<str>, usize) -> Vec<Line>,
    /// Keys named in the footer while the page is open.
    pub(crate) hints: Hints,
}

/// A page with how far it is scrolled.
#[derive(Clone, Debug)]
pub struct Opened {
    /// The page.
    pub page: Page,
    /// Index of the first line on screen.
    pub scroll: usize,
}

/// A question in a box over the body. Two are equal when they are one and the same.
#[derive(Debug)]
pub struct Question {
    /// The title of the box.
    pub title: &'static str,
    /// Question, with the present values.
    pub text: fn(&App) -> String,
    /// The keys that the footer names.
    pub hints: Hints,
    /// Handles `enter`.
    pub(crate) go_on: fn(&mut App) -> Vec<Effect>,
    /// Handles `esc`.
    pub(crate) leave: fn(&mut App),
}

impl PartialEq for Question {
    fn eq(&self, other: &Self) -> bool {
        std::ptr::eq(self, other)
    }
}

/// A list in a box over the body, of which some entries are chosen. Two are equal when they are one and the same.
#[derive(Debug)]
pub struct Chooser {
    /// The title of the box.
    pub title: &'static str,
    /// Its entries: the text of each, and whether it is chosen.
    pub entries: fn(&App) -> Vec<(String, bool)>,
    /// The keys that the footer names.
    pub hints: Hints,
    /// Handles `space` on an entry: the box stays.
    pub(crate) toggle: fn(&mut App, usize) -> Vec<Effect>,
    /// Handles `enter` on an entry: the box is gone.
    pub(crate) take: fn(&mut App, usize) -> Vec<Effect>,
}

impl PartialEq for Chooser {
    fn eq(&self, other: &Self) -> bool {
        std::ptr::eq(self, other)
    }
}

/// A list or question above page and tab, which takes the keys.
#[derive(Clone, Debug, PartialEq)]
pub enum Popup {
    /// The column chooser.
    Columns {
        /// Index of the entry under the cursor.
        cursor: usize,
    },
    /// The preset chooser.
    Presets {
        /// Index of the entry under the cursor.
        cursor: usize,
    },
    /// Waits for the letter of the column to sort by.
    Sort,
    /// Waits for the value to filter by.
    Narrow {
        /// True = rows with the value go, false = the others do.
        not: bool,
        /// Index of the entry under the cursor.
        cursor: usize,
    },
    /// A question of a tab.
    Ask(&'static Question),
    /// A chooser of a tab.
    Choose {
        /// The chooser.
        of: &'static Chooser,
        /// Index of the entry under the cursor.
        cursor: usize,
    },
    /// A refresh that costs money.
    ConfirmRefresh {
        /// The cost, USD.
        usd: f64,
    },
}
