//! The Storage tab in words: the strip above the tables, and its pages.

mod bucket;
mod empty;
mod lifecycle;
mod overview;
pub(crate) mod parts;
pub(crate) mod strip;
mod things;
mod tiers;

pub use empty::empty;
pub use overview::overview;
pub use strip::strip;

use crate::app::content::Line;
use crate::app::{App, StoragePage};

/// The lines of a page of the tab.
pub fn page(app: &App, page: &StoragePage, width: usize) -> Vec<Line> {
    match page {
        StoragePage::Bucket(name) => bucket::lines(app, name, width),
        StoragePage::Block(id) => things::block(app, id, width),
        StoragePage::Finding(id) => things::finding(app, id, width),
        StoragePage::Run(id) => things::run(app, id, width),
        StoragePage::Copy(id) => things::copy(app, id, width),
        StoragePage::Tiers(subject) => tiers::lines(app, subject, width),
        StoragePage::Lifecycle(name) => lifecycle::lines(app, name, width),
    }
}
