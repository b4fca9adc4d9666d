//! The rows of the lists, and the row that keys mean.

use std::sync::Arc;

use super::{NetworkList, NetworkPage};
use crate::app::{App, Page, Picture, RowsStamp};
use crate::report::BillsOf;
use crate::tabs::network::picture::{LivePaths, NetworkItem};

impl App {
    /// Rows of the list on screen, before any filter.
    pub fn network_rows_on_screen(&self) -> usize {
        (self.tabs.network.look().spec().source.len)(self)
    }

    /// Brings rows and order of the list on screen up to date; costs nothing when nothing changed.
    pub(crate) fn sync_network(&mut self) {
        if let Some(savings) = self.savings().cloned() {
            let stamp: RowsStamp = (savings.version, savings.as_of);
            let tab = &mut self.tabs.network;
            if tab.live_of.replace(stamp) != Some(stamp) {
                tab.live = LivePaths::of(&savings.paths);
            }
        }
        let look = self.tabs.network.look();
        let stamp = match look {
            NetworkList::Live => self.tabs.network.live_of,
            _ => self.network().map(|_| (self.tabs.network.version, None)),
        };
        let Some(stamp) = stamp else { return };
        let (ctx, spec) = (self.view_context(), look.spec());
        self.sync_list(&spec.list, &spec.source, stamp, &ctx);
    }

    /// What the reports of the lists are of; `None` before there are bills.
    pub(crate) fn network_of(&self) -> Option<BillsOf> {
        let network = self.network()?;
        let (bills, before) = (network.heads.clone(), network.before.clone());
        Some(BillsOf { bills, before, ..BillsOf::default() })
    }

    /// What the report of the paths without a bill is of; `None` before anything of the account is known.
    pub(crate) fn network_live_of(&self) -> Option<BillsOf> {
        let live = Some(self.saved_of()?.readings);
        Some(BillsOf { live, ..BillsOf::default() })
    }

    /// The list on screen as a picture for export; `None` before there is anything to list.
    pub(crate) fn network_list_picture(&self) -> Option<Picture> {
        let tab = &self.tabs.network;
        let look = tab.look();
        (look.spec().source.shown)(self, tab.list(look), self.view_context().now)
    }

    /// Id of the path whose page is open, else of the one under the cursor; `None` without one.
    pub(crate) fn current_path_id(&self) -> Option<&Arc<str>> {
        match self.page().map(|opened| &opened.page) {
            Some(Page::Network(NetworkPage::Path { id })) => Some(id),
            Some(_) => None,
            None => {
                let tab = &self.tabs.network;
                tab.list(tab.look()).current_id()
            }
        }
    }

    /// The path of this id; `None` where neither the bill on screen nor the account has one.
    pub(crate) fn network_path(&self, id: &str) -> Option<&Arc<NetworkItem>> {
        let rows = match self.tabs.network.look() {
            NetworkList::Live => &self.tabs.network.live.rows,
            _ => &self.network()?.rows,
        };
        rows.iter().find(|row| *row.id == *id)
    }

    /// What the path is known by, to be copied: its resource, else its ends. On its page the command that avoids it, where
    /// there is one.
    pub(crate) fn path_to_copy(&self) -> Option<(String, String)> {
        let path = self.network_path(self.current_path_id()?)?;
        if let Some(command) = path.command.as_ref().filter(|_| !self.pages.is_empty()) {
            return Some(("the command".to_owned(), command.clone()));
        }
        Some(match &path.of.key.resource {
            Some(resource) => (resource.to_string(), resource.to_string()),
            None => ("the path".to_owned(), path.id.to_string()),
        })
    }

    /// Id and picture with all fields of the path; `None` without one.
    pub(crate) fn path_row_to_copy(&self) -> Option<(Arc<str>, Picture)> {
        let id = self.current_path_id()?.clone();
        let source = &self.tabs.network.look().spec().source;
        let picture = (source.alone)(self, &id, self.view_context().now)?;
        Some((id, picture))
    }
}
