//! The Network tab in words: what stands above its lists, and its pages.

mod empty;
mod path;
mod paths;
mod strip;

pub use empty::empty;
pub use path::path;
pub use strip::strip;

use crate::app::App;
use crate::app::content::Line;
use crate::tabs::bill::pages::about;

/// Lines of the page about the bill.
pub fn source(app: &App, width: usize) -> Vec<Line> {
    let network = app.network();
    let heads = network.map_or(&[][..], |network| &network.heads);
    let unreadable = network.map_or(&[][..], |network| &network.unreadable);
    about(heads, unreadable, app.appearance().symbols, width)
}
