//! The Network tab: where bytes went, what that cost, and which part of it need not be.

mod commands;
mod draw;
mod lists;
pub mod pages;
pub mod picture;
pub mod screen;
pub mod state;

use super::Tab;

/// The Network tab.
pub(crate) const TAB: Tab = Tab::Network;
