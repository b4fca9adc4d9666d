//! The order of the lists, and their rows as they are exported.

use std::sync::Arc;

use super::{SavingsLook, SavingsPage, SavingsTab};
use crate::app::{App, Page, Picture, Tab, alone, shown};
use crate::fleet::savings::MixedFleet;
use crate::report::SavedOf;
use crate::tabs::savings::picture::{
    CommitmentField, ProposalField, ResourceField, SpotField, resource_items,
};
use crate::view::TableField;

impl App {
    /// Brings rows and order of the list on screen up to date; costs nothing when nothing changed.
    pub(crate) fn sync_savings(&mut self) {
        let ctx = self.savings_context();
        let Some(savings) = self.savings().cloned() else { return };
        let stamp = (savings.version, savings.as_of);
        let SavingsTab { look, lists, items, items_of, .. } = &mut self.tabs.savings;
        let list = &mut lists[look.list()];
        match look {
            SavingsLook::Overview => {}
            SavingsLook::Commitments => {
                list.sync(stamp, &ctx, || CommitmentField::part(savings, |of| &of.commitments));
            }
            SavingsLook::Proposals => {
                list.sync(stamp, &ctx, || ProposalField::part(savings, |of| &of.proposals));
            }
            SavingsLook::Spot => {
                list.sync(stamp, &ctx, || SpotField::part(savings, |of| &of.spot));
            }
            SavingsLook::Resources => {
                if *items_of != Some(stamp) {
                    *items = resource_items(&savings).into();
                    *items_of = Some(stamp);
                }
                list.sync(stamp, &ctx, || ResourceField::shared(items));
            }
        }
    }

    /// The list on screen, as it is exported.
    pub(crate) fn savings_picture(&self) -> Option<Picture> {
        let tab = &self.tabs.savings;
        let (list, of) = (tab.list(tab.look), self.saved_of()?);
        let now = self.savings_context().now;
        Some(match tab.look {
            SavingsLook::Overview => return None,
            SavingsLook::Commitments => Picture::new(shown::<CommitmentField>(list, of), now),
            SavingsLook::Proposals => Picture::new(shown::<ProposalField>(list, of), now),
            SavingsLook::Spot => Picture::new(shown::<SpotField>(list, of), now),
            SavingsLook::Resources => Picture::new(shown::<ResourceField>(list, of), now),
        })
    }

    fn saved_of(&self) -> Option<SavedOf> {
        let fleet = self.shown().cloned().unwrap_or_default();
        Some(SavedOf::new(self.savings()?.clone(), &fleet))
    }

    /// The row that keys mean: of the page, else under the cursor of the list.
    pub(crate) fn current_saving(&self) -> Option<SavingsPage> {
        match self.page().map(|o| &o.page) {
            Some(Page::Savings(page)) => return Some(page.clone()),
            Some(_) => return None,
            None if !self.is_on_savings() => return None,
            None => {}
        }
        let list = self.list();
        let id = list.rows()?.key(list.current_row()?)?.clone();
        Some(match self.tabs.savings.look {
            SavingsLook::Overview => return None,
            SavingsLook::Commitments => SavingsPage::Commitment(id),
            SavingsLook::Proposals => SavingsPage::Proposal(id),
            SavingsLook::Spot => SavingsPage::Spot(id),
            SavingsLook::Resources => SavingsPage::Resource(id),
        })
    }

    /// The same to copy, with all fields.
    pub(crate) fn current_saving_picture(&self) -> Option<(Arc<str>, Picture)> {
        let savings = self.savings()?;
        let page = self.current_saving()?;
        let (of, now) = (self.saved_of()?, self.savings_context().now);
        let picture = match &page {
            SavingsPage::Commitment(id) => {
                let row = savings.commitments.iter().find(|r| r.commitment.id == *id)?;
                Picture::new(alone::<CommitmentField>(row, of), now)
            }
            SavingsPage::Proposal(id) => {
                let row = savings.proposals.iter().find(|r| r.id == *id)?;
                Picture::new(alone::<ProposalField>(row, of), now)
            }
            SavingsPage::Spot(id) => {
                let row = savings.spot.iter().find(|r| r.id == *id)?;
                Picture::new(alone::<SpotField>(row, of), now)
            }
            SavingsPage::Resource(id) => {
                let item = self.tabs.savings.items.iter().find(|i| ResourceField::id(i) == id)?;
                Picture::new(alone::<ResourceField>(item, of), now)
            }
        };
        Some((page.id().clone(), picture))
    }

    /// The instance that keys mean on a list of instances or on one of its pages.
    pub(crate) fn instance_of_saving(&self) -> Option<Arc<str>> {
        match self.current_saving()? {
            SavingsPage::Proposal(id) | SavingsPage::Spot(id) => Some(id),
            SavingsPage::Commitment(_) | SavingsPage::Resource(_) => None,
        }
    }

    /// The mixed fleet that an instance belongs to.
    pub(crate) fn fleet_of_saving(&self, id: &Arc<str>) -> Option<&Arc<MixedFleet>> {
        self.savings()?.mixed_fleets.iter().find(|fleet| fleet.instances.contains(id))
    }

    /// The instances that are marked on a list of instances.
    pub(crate) fn instances_of_marked_savings(&self) -> Vec<&Arc<str>> {
        let tab = &self.tabs.savings;
        if self.tab != Tab::Overview {
            return Vec::new();
        }
        match tab.look {
            SavingsLook::Proposals | SavingsLook::Spot => tab.list(tab.look).marks().collect(),
            _ => Vec::new(),
        }
    }
}
