//! The Network tab in words: what stands above its lists, and its pages.

mod empty;
mod path;
mod paths;
mod strip;

pub use empty::empty;
pub use path::path;
pub use strip::strip;

use crate::app::content::Line;
use crate::app::{App, Role};
use crate::tabs::bill::pages::about;
use crate::tabs::network::lists::NetworkList;
use crate::tabs::storage::pages::parts::{heading, paragraph};
use crate::view::reasons;

/// Lines of the page about the bill; of paths without one, about what they rest on.
pub fn source(app: &App, width: usize) -> Vec<Line> {
    if app.network_tab().look() == NetworkList::Live {
        let mut lines = Vec::new();
        heading("Read of the account", &mut lines);
        paragraph(Role::Text, &format!("{}.", reasons::NETWORK_LIVE), width, &mut lines);
        return lines;
    }
    let network = app.network();
    let heads = network.map_or(&[][..], |network| &network.heads);
    let unreadable = network.map_or(&[][..], |network| &network.unreadable);
    about(heads, unreadable, app.appearance().symbols, width)
}
