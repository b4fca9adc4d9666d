//! The Bill tab: what was really paid, for what and by whom, and what of it was waste.

mod commands;
mod draw;
mod lists;
pub mod pages;
pub mod picture;
pub mod screen;
pub mod state;

use super::Tab;

/// The Bill tab.
pub(crate) const TAB: Tab = Tab::Bill;
