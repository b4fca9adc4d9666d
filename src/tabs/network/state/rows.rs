//! The rows of the lists, and the row that keys mean.

use std::sync::Arc;

use super::NetworkPage;
use crate::app::{App, Page, Picture, RowsStamp};
use crate::report::BillsOf;
use crate::tabs::network::picture::NetworkItem;

impl App {
    /// Rows of the list on screen, before any filter.
    pub fn network_rows_on_screen(&self) -> usize {
        (self.tabs.network.look.spec().source.len)(self)
    }

    /// Brings rows and order of the list on screen up to date; costs nothing when nothing changed.
    pub(crate) fn sync_network(&mut self) {
        if self.network().is_none() {
            return;
        }
        let ctx = self.view_context();
        let spec = self.tabs.network.look.spec();
        let stamp: RowsStamp = (self.tabs.network.version, None);
        self.sync_list(&spec.list, &spec.source, stamp, &ctx);
    }

    /// What the reports of the lists are of; `None` before there are bills.
    pub(crate) fn network_of(&self) -> Option<BillsOf> {
        let network = self.network()?;
        let (bills, before) = (network.heads.clone(), network.before.clone());
        Some(BillsOf { bills, before, ..BillsOf::default() })
    }

    /// The list on screen as a picture for export; `None` before there are bills.
    pub(crate) fn network_list_picture(&self) -> Option<Picture> {
        let tab = &self.tabs.network;
        (tab.look.spec().source.shown)(self, tab.list(tab.look), self.view_context().now)
    }

    /// Id of the path whose page is open, else of the one under the cursor; `None` without one.
    pub(crate) fn current_path_id(&self) -> Option<&Arc<str>> {
        match self.page().map(|opened| &opened.page) {
            Some(Page::Network(NetworkPage::Path { id })) => Some(id),
            Some(_) => None,
            None => {
                let tab = &self.tabs.network;
                tab.list(tab.look).current_id()
            }
        }
    }

    /// The path of this id; `None` where the bill on screen has none.
    pub(crate) fn network_path(&self, id: &str) -> Option<&Arc<NetworkItem>> {
        self.network()?.rows.iter().find(|row| *row.id == *id)
    }

    /// What the path is known by, to be copied: its resource, else its ends.
    pub(crate) fn path_to_copy(&self) -> Option<(String, String)> {
        let path = self.network_path(self.current_path_id()?)?;
        Some(match &path.of.key.resource {
            Some(resource) => (resource.to_string(), resource.to_string()),
            None => ("the path".to_owned(), path.id.to_string()),
        })
    }

    /// Id and picture with all fields of the path; `None` without one.
    pub(crate) fn path_row_to_copy(&self) -> Option<(Arc<str>, Picture)> {
        let id = self.current_path_id()?.clone();
        let source = &self.tabs.network.look.spec().source;
        let picture = (source.alone)(self, &id, self.view_context().now)?;
        Some((id, picture))
    }
}
