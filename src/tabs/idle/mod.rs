//! The Idle tab: every instance with its verdict, and why.

pub mod draw;
pub mod pages;
pub mod picture;
pub mod screen;

use super::Tab;

/// The tab that this folder implements.
pub(crate) const TAB: Tab = Tab::Idle;
