//! burntop: top for the money a GPU fleet burns.
//!
//! The program is [`run`]; nothing here is meant for other programs. See `docs/architecture.md` for the house and
//! its rules: which folder may use which.

// What other files may use says what it is; `missing_docs` asks that only of what leaves the crate (clippy.toml).
#![cfg_attr(not(test), warn(clippy::missing_docs_in_private_items))]

pub(crate) mod act;
pub(crate) mod analyze;
pub(crate) mod app;
pub(crate) mod bus;
pub(crate) mod cache;
pub(crate) mod cli;
pub(crate) mod config;
pub(crate) mod doctor;
pub(crate) mod domain;
pub(crate) mod files;
pub(crate) mod fleet;
#[cfg(test)]
mod limits;
#[doc(hidden)]
#[allow(missing_docs)]
pub mod parts;
pub(crate) mod query;
pub(crate) mod report;
pub(crate) mod runtime;
pub(crate) mod send;
pub(crate) mod source;
pub(crate) mod tabs;
pub(crate) mod term;
pub(crate) mod ui;
pub(crate) mod version;
pub(crate) mod view;
pub(crate) mod watch;
pub(crate) mod whatif;

pub use cli::{fleet, run};
