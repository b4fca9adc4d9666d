//! The order of the lists, and their rows as they are exported.

use std::sync::Arc;

use super::{SavingsLook, SavingsPage, SavingsRows};
use crate::app::{App, Page, Tab, Table};
use crate::fleet::savings::MixedFleet;
use crate::view::TableField;
use crate::view::savings::{
    CommitmentField, ProposalField, ResourceField, SpotField, resource_items,
};

impl App {
    /// Brings rows and order of the list on screen up to date; costs nothing when nothing changed.
    pub(in crate::app) fn sync_savings(&mut self) {
        let ctx = self.savings_context();
        let Some(savings) = self.savings().cloned() else { return };
        let tab = &mut self.savings_tab;
        let (version, as_of) = (savings.version, savings.as_of);
        match tab.look {
            SavingsLook::Overview => {}
            SavingsLook::Commitments => {
                tab.commitments.sync(&savings.commitments, version, as_of, &ctx);
            }
            SavingsLook::Proposals => tab.proposals.sync(&savings.proposals, version, as_of, &ctx),
            SavingsLook::Spot => tab.spot.sync(&savings.spot, version, as_of, &ctx),
            SavingsLook::Resources => {
                if tab.items_of != Some((version, as_of)) {
                    tab.items = resource_items(&savings).into();
                    tab.items_of = Some((version, as_of));
                }
                let items = tab.items.clone();
                tab.resources.sync(&items, version, as_of, &ctx);
            }
        }
    }

    /// The rows on screen, in their order, with their columns.
    pub(in crate::app) fn savings_picture(&self) -> Option<SavingsRows> {
        fn of<F: TableField>(rows: &[Arc<F::Row>], table: &Table<F>) -> (Vec<Arc<F::Row>>, Vec<F>) {
            let shown = table.order().iter().filter_map(|i| rows.get(*i as usize).cloned());
            (shown.collect(), table.columns().to_vec())
        }
        let (tab, savings) = (&self.savings_tab, self.savings()?);
        Some(match tab.look {
            SavingsLook::Overview => return None,
            SavingsLook::Commitments => {
                let (rows, columns) = of(&savings.commitments, &tab.commitments);
                SavingsRows::Commitments(rows, columns)
            }
            SavingsLook::Proposals => {
                let (rows, columns) = of(&savings.proposals, &tab.proposals);
                SavingsRows::Proposals(rows, columns)
            }
            SavingsLook::Spot => {
                let (rows, columns) = of(&savings.spot, &tab.spot);
                SavingsRows::Spot(rows, columns)
            }
            SavingsLook::Resources => {
                let (rows, columns) = of(&tab.items, &tab.resources);
                SavingsRows::Resources(rows, columns)
            }
        })
    }

    /// The row that keys mean: of the page, else under the cursor of the list.
    pub(in crate::app) fn current_saving(&self) -> Option<SavingsPage> {
        match self.page().map(|o| &o.page) {
            Some(Page::Savings(page)) => return Some(page.clone()),
            Some(_) => return None,
            None if !self.is_on_savings() => return None,
            None => {}
        }
        let (tab, savings) = (&self.savings_tab, self.savings()?);
        Some(match tab.look {
            SavingsLook::Overview => return None,
            SavingsLook::Commitments => {
                let row = tab.commitments.current(&savings.commitments)?;
                SavingsPage::Commitment(row.commitment.id.clone())
            }
            SavingsLook::Proposals => {
                SavingsPage::Proposal(tab.proposals.current(&savings.proposals)?.id.clone())
            }
            SavingsLook::Spot => SavingsPage::Spot(tab.spot.current(&savings.spot)?.id.clone()),
            SavingsLook::Resources => {
                SavingsPage::Resource(ResourceField::id(tab.resources.current(&tab.items)?).clone())
            }
        })
    }

    /// The same as rows to copy, with all fields.
    pub(in crate::app) fn current_saving_rows(&self) -> Option<(Arc<str>, SavingsRows)> {
        let savings = self.savings()?;
        let page = self.current_saving()?;
        let id = page.id().clone();
        let rows = match &page {
            SavingsPage::Commitment(id) => {
                let row = savings.commitments.iter().find(|r| r.commitment.id == *id)?;
                SavingsRows::Commitments(vec![row.clone()], CommitmentField::ALL.to_vec())
            }
            SavingsPage::Proposal(id) => {
                let row = savings.proposals.iter().find(|r| r.id == *id)?;
                SavingsRows::Proposals(vec![row.clone()], ProposalField::ALL.to_vec())
            }
            SavingsPage::Spot(id) => {
                let row = savings.spot.iter().find(|r| r.id == *id)?;
                SavingsRows::Spot(vec![row.clone()], SpotField::ALL.to_vec())
            }
            SavingsPage::Resource(id) => {
                let item = self.savings_tab.items.iter().find(|i| ResourceField::id(i) == id)?;
                SavingsRows::Resources(vec![item.clone()], ResourceField::ALL.to_vec())
            }
        };
        Some((id, rows))
    }

    /// The instance that keys mean on a list of instances or on one of its pages.
    pub(in crate::app) fn instance_of_saving(&self) -> Option<Arc<str>> {
        match self.current_saving()? {
            SavingsPage::Proposal(id) | SavingsPage::Spot(id) => Some(id),
            SavingsPage::Commitment(_) | SavingsPage::Resource(_) => None,
        }
    }

    /// The mixed fleet that an instance belongs to.
    pub(in crate::app) fn fleet_of_saving(&self, id: &Arc<str>) -> Option<&Arc<MixedFleet>> {
        self.savings()?.mixed_fleets.iter().find(|fleet| fleet.instances.contains(id))
    }

    /// The instances that are marked on a list of instances.
    pub(in crate::app) fn instances_of_marked_savings(&self) -> Vec<&Arc<str>> {
        let tab = &self.savings_tab;
        if self.tab != Tab::Overview {
            return Vec::new();
        }
        match tab.look {
            SavingsLook::Proposals => tab.proposals.marks().collect(),
            SavingsLook::Spot => tab.spot.marks().collect(),
            _ => Vec::new(),
        }
    }
}
