//! The GPUs tab: what every GPU does and what it costs.

mod commands;
pub mod draw;
pub mod pages;
pub mod picture;
pub mod screen;
pub mod state;

use super::Tab;

/// The tab that this folder implements.
pub(crate) const TAB: Tab = Tab::Gpus;
