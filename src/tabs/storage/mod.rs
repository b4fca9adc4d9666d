//! The Storage tab: buckets, prefixes, volumes, what keeping them costs.

mod commands;
pub mod draw;
mod lists;
pub mod pages;
pub mod picture;
pub mod screen;
pub mod state;

use super::Tab;

/// The Storage tab.
pub(crate) const TAB: Tab = Tab::Storage;
