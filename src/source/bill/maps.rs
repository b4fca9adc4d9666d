//! Entries of maps that are looked at: tags, cost categories, attributes of the product.

use std::sync::Arc;

use super::batch::Batch;
use super::fields::{Target, Text};
use super::tags::{self, MapKind};

/// Attributes of a product that are looked at.
pub(super) const PRODUCT: &[(&str, Text)] =
    &[("product_name", Text::Service), ("region_code", Text::Region), ("region", Text::Region)];

/// What an entry of a map fills.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Entry {
    target: Target,
    exact: bool,
}

/// What entries with this key fill; `None` for those that are not looked at.
pub(super) fn entry(kind: MapKind, key: &[u8], tag_keys: &[Arc<str>]) -> Option<Entry> {
    let key = std::str::from_utf8(key).ok()?;
    if kind == MapKind::Product {
        let (_, text) = PRODUCT.iter().find(|(name, _)| *name == key)?;
        return Some(Entry { target: Target::Text(*text), exact: true });
    }
    let found = tags::of_key(kind, key, tag_keys)?;
    Some(Entry { target: Target::Tag(found.tag), exact: found.exact })
}

/// All that entries of a map may fill.
pub(super) fn targets(kind: MapKind, tags: usize) -> Vec<Target> {
    match kind {
        MapKind::Product => PRODUCT.iter().map(|(_, text)| Target::Text(*text)).collect(),
        MapKind::Tags | MapKind::Categories => (0..tags).map(Target::Tag).collect(),
    }
}

/// Puts the entries of one line: of two spellings of a tag the exact one counts, then the first.
#[derive(Debug, Default)]
pub(super) struct Putting {
    row: usize,
    /// Tags that have a value of their exact spelling.
    exact: Vec<usize>,
}

impl Putting {
    /// Goes to a line.
    pub fn begin(&mut self, row: usize) {
        self.row = row;
        self.exact.clear();
    }

    /// Puts the number of a value; 0, of an empty one, counts as none.
    pub fn put(&mut self, entry: Entry, number: u32, batch: &mut Batch) {
        if number == 0 {
            return;
        }
        match entry.target {
            Target::Tag(tag) if entry.exact && !self.exact.contains(&tag) => {
                self.exact.push(tag);
                batch.replace_tag(self.row, tag, number);
            }
            target => batch.fill_number(self.row, target, number),
        }
    }
}
