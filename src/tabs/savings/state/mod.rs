//! What could be saved: lists of commitments, smaller sizes, Spot and idle resources behind the
//! overview, and their pages.

mod act;
#[cfg(test)]
pub(crate) mod fixture;
mod guide;
mod look;
mod page;
mod rows;
#[cfg(test)]
mod scripts;

use std::sync::Arc;

use crate::app::{App, List, RowsStamp, Tab};
use crate::fleet::Savings;
use crate::tabs::savings::picture::{
    CommitmentField, ProposalField, ResourceField, ResourceItem, SpotField,
};
use crate::view::ViewContext;
pub use guide::GuideForm;
pub use look::SavingsLook;
pub use page::SavingsPage;

/// State of the lists.
#[derive(Clone, Debug)]
pub struct SavingsTab {
    /// Which of its lists is shown.
    pub(crate) look: SavingsLook,
    /// The lists, in the order of [`SavingsLook::ALL`] behind the overview.
    lists: [List; 4],
    /// The guide.
    pub(crate) guide: GuideForm,
    /// The resources with their nets, made once per picture.
    pub(crate) items: Arc<[Arc<ResourceItem>]>,
    /// Which picture they were made from.
    pub(crate) items_of: Option<RowsStamp>,
}

impl Default for SavingsTab {
    fn default() -> Self {
        Self {
            look: SavingsLook::default(),
            lists: [
                List::of::<CommitmentField>(),
                List::of::<ProposalField>(),
                List::of::<SpotField>(),
                List::of::<ResourceField>(),
            ],
            guide: GuideForm::default(),
            items: Arc::default(),
            items_of: None,
        }
    }
}

impl SavingsTab {
    /// What the first tab shows.
    pub fn look(&self) -> SavingsLook {
        self.look
    }

    /// One of the lists; the first for the overview.
    pub fn list(&self, look: SavingsLook) -> &List {
        &self.lists[look.list()]
    }

    /// The same, to change it.
    pub(crate) fn list_mut(&mut self, look: SavingsLook) -> &mut List {
        &mut self.lists[look.list()]
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
        self.tab == Tab::Overview && self.tabs.savings.look != SavingsLook::Overview
    }

    /// True on a list, without a page above it, where there is a table to show.
    #[cfg(test)]
    pub fn shows_savings_table(&self) -> bool {
        self.pages.is_empty() && self.is_on_savings() && self.savings_rows_on_screen() > 0
    }

    /// Rows of the list on screen, before any filter.
    pub fn savings_rows_on_screen(&self) -> usize {
        let Some(savings) = self.savings() else { return 0 };
        match self.tabs.savings.look {
            SavingsLook::Overview => 0,
            SavingsLook::Commitments => savings.commitments.len(),
            SavingsLook::Proposals => savings.proposals.len(),
            SavingsLook::Spot => savings.spot.len(),
            SavingsLook::Resources => savings.resources.len(),
        }
    }

    /// What cells of the lists are rendered with.
    pub fn savings_context(&self) -> ViewContext {
        let ctx = self.view_context();
        let made = self.savings().and_then(|s| s.as_of);
        ViewContext { now: made.map_or(ctx.now, |at| at.max(ctx.now)), ..ctx }
    }

    /// Takes a picture of what could be saved in.
    pub(crate) fn on_savings(&mut self, savings: Arc<Savings>) {
        self.savings = Some(savings);
        let on_screen = self.is_on_savings().then(|| self.tabs.savings.look.list());
        let lists = self.tabs.savings.lists.iter_mut().enumerate();
        lists.filter(|(at, _)| Some(*at) != on_screen).for_each(|(_, list)| list.release());
        self.fold_sources();
    }
}
