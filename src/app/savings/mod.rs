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

use jiff::Timestamp;

use super::command::Fields;
use super::{App, Layout, Picture, Tab, Table};
use crate::fleet::Savings;
use crate::view::savings::{
    CommitmentField, ProposalField, ResourceField, ResourceItem, SpotField,
};
use crate::view::{Filter, TableField, ViewContext};
pub use guide::GuideForm;
pub use look::SavingsLook;
pub use page::{SavingsPage, SavingsRows};

/// State of the lists.
#[derive(Clone, Debug, Default)]
pub struct SavingsTab {
    pub(super) look: SavingsLook,
    pub(super) commitments: Table<CommitmentField>,
    pub(super) proposals: Table<ProposalField>,
    pub(super) spot: Table<SpotField>,
    pub(super) resources: Table<ResourceField>,
    /// The guide.
    pub(super) guide: GuideForm,
    /// The resources with their nets, made once per picture.
    pub(super) items: Arc<[Arc<ResourceItem>]>,
    /// Which picture they were made from.
    pub(super) items_of: Option<(u64, Option<Timestamp>)>,
}

impl SavingsTab {
    /// What the first tab shows.
    pub fn look(&self) -> SavingsLook {
        self.look
    }

    /// The table of commitments.
    pub fn commitments(&self) -> &Table<CommitmentField> {
        &self.commitments
    }

    /// The table of proposals.
    pub fn proposals(&self) -> &Table<ProposalField> {
        &self.proposals
    }

    /// The table of Spot candidates.
    pub fn spot(&self) -> &Table<SpotField> {
        &self.spot
    }

    /// The table of resources.
    pub fn resources(&self) -> &Table<ResourceField> {
        &self.resources
    }

    /// The resources with their nets.
    pub fn items(&self) -> &Arc<[Arc<ResourceItem>]> {
        &self.items
    }
}

impl App {
    /// State of the lists of what could be saved.
    pub fn savings_tab(&self) -> &SavingsTab {
        &self.savings_tab
    }

    /// What could be saved, as on screen; `None` before it was worked out.
    pub fn savings(&self) -> Option<&Arc<Savings>> {
        self.frozen.as_ref().map_or(self.savings.as_ref(), |f| f.savings.as_ref())
    }

    /// True where the first tab shows a list instead of the overview.
    pub fn is_on_savings(&self) -> bool {
        self.tab == Tab::Overview && self.savings_tab.look != SavingsLook::Overview
    }

    /// True on a list, without a page above it, where there is a table to show.
    pub fn shows_savings_table(&self) -> bool {
        self.pages.is_empty() && self.is_on_savings() && self.savings_rows_on_screen() > 0
    }

    /// Rows of the list on screen, before any filter.
    pub fn savings_rows_on_screen(&self) -> usize {
        let Some(savings) = self.savings() else { return 0 };
        match self.savings_tab.look {
            SavingsLook::Overview => 0,
            SavingsLook::Commitments => savings.commitments.len(),
            SavingsLook::Proposals => savings.proposals.len(),
            SavingsLook::Spot => savings.spot.len(),
            SavingsLook::Resources => savings.resources.len(),
        }
    }

    /// The lines above the table of a list.
    pub fn savings_strip(&self) -> Vec<super::content::Line> {
        let shown = self.shows_savings_table().then(|| self.layout()).flatten();
        let Some(layout) = shown else { return Vec::new() };
        let mut lines = super::content::savings::strip(self, usize::from(layout.width) - 2);
        lines.truncate(usize::from(layout.body_height.saturating_sub(3) / 3));
        lines
    }

    /// The frame with the strip taken off the body.
    pub fn savings_layout(&self) -> Option<Layout> {
        let layout = self.layout()?;
        let strip = self.savings_strip().len() as u16;
        Some(Layout {
            body_top: layout.body_top + strip,
            body_height: layout.body_height - strip,
            ..layout
        })
    }

    /// What cells of the lists are rendered with.
    pub fn savings_context(&self) -> ViewContext {
        let ctx = self.view_context();
        let made = self.savings().and_then(|s| s.as_of);
        ViewContext { now: made.map_or(ctx.now, |at| at.max(ctx.now)), ..ctx }
    }

    /// Takes a picture of what could be saved in.
    pub(super) fn on_savings(&mut self, savings: Arc<Savings>) {
        // Behind a frozen picture nothing changes.
        self.dirty = self.frozen.is_none();
        self.savings = Some(savings);
        self.fold_sources();
    }

    /// Other accounts from here on: what is known of the old ones goes.
    pub(super) fn forget_savings(&mut self) {
        self.savings = None;
        self.savings_tab = SavingsTab::default();
    }

    /// The fields of the list on screen.
    pub(super) fn savings_fields(&self) -> Fields {
        match self.savings_tab.look {
            SavingsLook::Overview => Fields::of::<crate::view::Field>(),
            SavingsLook::Commitments => Fields::of::<CommitmentField>(),
            SavingsLook::Proposals => Fields::of::<ProposalField>(),
            SavingsLook::Spot => Fields::of::<SpotField>(),
            SavingsLook::Resources => Fields::of::<ResourceField>(),
        }
    }

    /// Says what is wrong with a filter of the list on screen.
    pub(super) fn check_savings_filter(&self, text: &str) -> Result<(), String> {
        fn check<F: TableField>(text: &str) -> Result<(), String> {
            Filter::<F>::parse(text).map(|_| ()).map_err(|e| e.to_string())
        }
        match self.savings_tab.look {
            SavingsLook::Overview => check::<crate::view::Field>(text),
            SavingsLook::Commitments => check::<CommitmentField>(text),
            SavingsLook::Proposals => check::<ProposalField>(text),
            SavingsLook::Spot => check::<SpotField>(text),
            SavingsLook::Resources => check::<ResourceField>(text),
        }
    }

    /// Rows of a list as a picture to export.
    pub(super) fn picture_of_savings(&self, rows: SavingsRows) -> Picture {
        let fleet = self.shown().cloned().unwrap_or_default();
        let empty = Picture::of(rows.view(), fleet, self.savings_context().now);
        let filter = super::of_table!(self, |table| table.filter_text()).to_owned();
        Picture { filter, savings: Some(rows), ..empty }
    }
}
