//! The Overview tab: what the fleet burns, how much of it is waste, what to do first.

mod draw;
pub mod pages;
pub mod picture;
pub mod screen;
#[cfg(test)]
mod scripts;
pub(crate) mod state;

use super::Tab;

/// The tab that this folder implements.
pub(crate) const TAB: Tab = Tab::Overview;
