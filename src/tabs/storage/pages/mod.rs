//! The Storage tab in words: the strip above the tables, and its pages.

pub(super) mod bucket;
mod empty;
mod lifecycle;
mod overview;
pub(crate) mod parts;
pub(crate) mod strip;
pub(super) mod things;
mod tiers;

pub use empty::empty;
pub use overview::overview;
pub(crate) use overview::unread;
pub use strip::strip;
pub(super) use tiers::rule_to_copy;

use crate::app::content::Line;
use crate::app::{App, StoragePage};

/// The lines of a page of the tab.
pub fn page(app: &App, page: &StoragePage, width: usize) -> Vec<Line> {
    match page {
        StoragePage::Row(list, id) => {
            list.spec().page.as_ref().map_or_else(Vec::new, |page| (page.lines)(app, id, width))
        }
        StoragePage::Tiers(subject) => tiers::lines(app, subject, width),
        StoragePage::Lifecycle(name) => lifecycle::lines(app, name, width),
    }
}
