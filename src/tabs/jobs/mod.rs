//! The Jobs tab: what each run cost, what failed ones took, who holds GPUs that do nothing for a job.

mod commands;
mod draw;
mod lists;
pub mod pages;
pub mod picture;
pub mod screen;
pub mod state;

use super::Tab;

/// The Jobs tab.
pub(crate) const TAB: Tab = Tab::Jobs;
