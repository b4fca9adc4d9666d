//! The GPUs tab: what every GPU does and what it costs.

mod commands;
pub mod draw;
pub mod pages;
pub mod picture;
pub mod screen;
pub mod state;

use super::Tab;

/// Which of the tabs it is.
pub(crate) const TAB: Tab = Tab::Gpus;
