//! The list on screen, and the row that keys mean, as they are exported.

use std::sync::Arc;

use super::{SavingsList, SavingsPage};
use crate::app::{App, Page, Picture, Tab};
use crate::fleet::savings::MixedFleet;
use crate::report::SavedOf;
use crate::tabs::savings::picture::resource_items;

impl App {
    /// Brings rows and order of the list on screen up to date; costs nothing when nothing changed.
    pub(crate) fn sync_savings(&mut self) {
        let ctx = self.savings_context();
        let (Some(list), Some(savings)) = (self.tabs.savings.look, self.savings().cloned()) else {
            return;
        };
        let stamp = (savings.version, savings.as_of);
        let tab = &mut self.tabs.savings;
        if list == SavingsList::Resources && tab.items_of.replace(stamp) != Some(stamp) {
            tab.items = resource_items(&savings).into();
        }
        self.sync_list(&list.spec().list, &list.spec().source, stamp, &ctx);
    }

    /// The list on screen as a picture for export; `None` on the overview and before savings are known.
    pub(crate) fn savings_picture(&self) -> Option<Picture> {
        let (tab, now) = (&self.tabs.savings, self.savings_context().now);
        let list = tab.look?;
        (list.spec().source.shown)(self, tab.list(list), now)
    }

    /// Input of the reports of the lists; `None` before the first picture of savings.
    pub(crate) fn saved_of(&self) -> Option<SavedOf> {
        let fleet = self.shown().cloned().unwrap_or_default();
        Some(SavedOf::new(self.savings()?.clone(), &fleet))
    }

    /// Row that keys act on: that of the page, else that under the cursor of the list. `None` without one.
    pub(crate) fn current_saving(&self) -> Option<SavingsPage> {
        match self.page().map(|o| &o.page) {
            Some(Page::Savings(page)) => Some(page.clone()),
            Some(_) => None,
            None => {
                let list = self.tabs.savings.look.filter(|_| self.is_on_savings())?;
                let id = self.tabs.savings.list(list).current_id()?.clone();
                Some(SavingsPage { list, id })
            }
        }
    }

    /// Id and picture of that row with all fields, for copying; `None` without a row.
    pub(crate) fn current_saving_picture(&self) -> Option<(Arc<str>, Picture)> {
        let SavingsPage { list, id } = self.current_saving()?;
        let picture = (list.spec().source.alone)(self, &id, self.savings_context().now)?;
        Some((id, picture))
    }

    /// Instance that keys act on, on a list of instances or one of its pages; `None` elsewhere.
    pub(crate) fn instance_of_saving(&self) -> Option<Arc<str>> {
        let page = self.current_saving()?;
        page.list.spec().of_instances.then_some(page.id)
    }

    /// Mixed fleet that an instance belongs to; `None` for an instance in none.
    pub(crate) fn fleet_of_saving(&self, id: &Arc<str>) -> Option<&Arc<MixedFleet>> {
        self.savings()?.mixed_fleets.iter().find(|fleet| fleet.instances.contains(id))
    }

    /// The instances that are marked on a list of instances.
    pub(crate) fn instances_of_marked_savings(&self) -> Vec<&Arc<str>> {
        let tab = &self.tabs.savings;
        let list = tab.look.filter(|list| self.tab == Tab::Overview && list.spec().of_instances);
        list.map_or_else(Vec::new, |list| tab.list(list).marks().collect())
    }
}
