//! What could be saved: lists of commitments, smaller sizes, Spot and idle resources behind the
//! overview, and their pages.

mod act;
#[cfg(test)]
pub(crate) mod fixture;
mod guide;
mod page;
mod rows;
#[cfg(test)]
mod scripts;

use std::sync::Arc;

use crate::app::{App, List, RowsStamp, Tab};
use crate::fleet::Savings;
pub use crate::tabs::savings::lists::SavingsList;
use crate::tabs::savings::picture::ResourceItem;
use crate::view::ViewContext;
pub use guide::GuideForm;
pub use page::SavingsPage;

/// State of the lists.
#[derive(Clone, Debug)]
pub struct SavingsTab {
    /// Which of its lists is shown; `None` for the overview.
    pub(crate) look: Option<SavingsList>,
    /// The lists, in the order of [`SavingsList::ALL`].
    lists: [List; SavingsList::ALL.len()],
    /// The guide.
    pub(crate) guide: GuideForm,
    /// The resources with their nets, made once per picture.
    pub(crate) items: Arc<[Arc<ResourceItem>]>,
    /// Version of the picture that `items` were made from; `None` before the first.
    pub(crate) items_of: Option<RowsStamp>,
}

impl Default for SavingsTab {
    fn default() -> Self {
        Self {
            look: None,
            lists: SavingsList::start(),
            guide: GuideForm::default(),
            items: Arc::default(),
            items_of: None,
        }
    }
}

impl SavingsTab {
    /// List on the first tab; `None` for the overview.
    pub fn look(&self) -> Option<SavingsList> {
        self.look
    }

    /// List on the first tab; the first list while the overview is shown.
    pub(crate) fn shown(&self) -> SavingsList {
        self.look.unwrap_or(SavingsList::Commitments)
    }

    /// One of the lists.
    pub fn list(&self, list: SavingsList) -> &List {
        &self.lists[list as usize]
    }

    /// One of the lists, mutable.
    pub(crate) fn list_mut(&mut self, list: SavingsList) -> &mut List {
        &mut self.lists[list as usize]
    }

    /// The resources with their nets.
    pub fn items(&self) -> &Arc<[Arc<ResourceItem>]> {
        &self.items
    }
}

impl App {
    /// State of the lists of what could be saved.
    pub fn savings_tab(&self) -> &SavingsTab {
        &self.tabs.savings
    }

    /// True where the first tab shows a list instead of the overview.
    pub fn is_on_savings(&self) -> bool {
        self.tab == Tab::Overview && self.tabs.savings.look.is_some()
    }

    /// True on a list, without a page above it, where there is a table to show.
    #[cfg(test)]
    pub fn shows_savings_table(&self) -> bool {
        self.pages.is_empty() && self.is_on_savings() && self.savings_rows_on_screen() > 0
    }

    /// Rows of the list on screen, before any filter.
    pub fn savings_rows_on_screen(&self) -> usize {
        self.tabs.savings.look.map_or(0, |list| (list.spec().source.len)(self))
    }

    /// What cells of the lists are rendered with.
    pub fn savings_context(&self) -> ViewContext {
        let ctx = self.view_context();
        let made = self.savings().and_then(|s| s.as_of);
        ViewContext { now: made.map_or(ctx.now, |at| at.max(ctx.now)), ..ctx }
    }

    /// Replaces the picture of savings by a newer one.
    pub(crate) fn on_savings(&mut self, savings: Arc<Savings>) {
        self.savings = Some(savings);
        let look = self.tabs.savings.look.filter(|_| self.is_on_savings());
        let lists = self.tabs.savings.lists.iter_mut().enumerate();
        lists
            .filter(|(at, _)| look.map(|list| list as usize) != Some(*at))
            .for_each(|(_, list)| list.release());
        self.fold_sources();
    }
}
