//! Which hosts are looked at closely: those of the page on screen, or of the map zoomed into one
//! host. Everywhere else the usual pace is enough.

use std::sync::Arc;

use crate::app::{App, Effect, Page};
use crate::tabs::gpus::picture::HeatZoom;
use crate::tabs::gpus::picture::group::node_id;

impl App {
    /// Asks for a closer look where what is looked at has changed.
    pub(crate) fn after_update_focus(&mut self, effects: &mut Vec<Effect>) {
        let wanted = self.wanted_focus();
        if wanted != self.tabs.gpus.focused {
            self.tabs.gpus.focused.clone_from(&wanted);
            effects.push(Effect::FocusGpus(wanted));
        }
    }

    fn wanted_focus(&self) -> Vec<Arc<str>> {
        match self.page().map(|o| &o.page) {
            Some(Page::Gpu { .. }) => {
                self.current_gpu().map(|row| Arc::from(node_id(row))).into_iter().collect()
            }
            None if self.shows_heat() => match self.tabs.gpus.heat.zoom() {
                HeatZoom::Node(id) => vec![id.clone()],
                _ => Vec::new(),
            },
            _ => Vec::new(),
        }
    }
}
