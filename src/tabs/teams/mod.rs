//! The Teams tab: whose the money is, what it may be, and what one prediction costs.

mod commands;
mod draw;
mod lists;
pub mod pages;
pub mod picture;
pub mod screen;
pub mod state;

use super::Tab;

/// The Teams tab.
pub(crate) const TAB: Tab = Tab::Teams;
