//! burntop: top for the money a GPU fleet burns.
//!
//! See `docs/architecture.md` for the house and its rules: which folder may use which.

pub mod act;
pub mod analyze;
pub mod app;
pub mod bus;
pub mod cache;
pub mod cli;
pub mod config;
pub mod doctor;
pub mod domain;
pub mod files;
pub mod fleet;
pub mod query;
pub mod report;
pub(crate) mod runtime;
pub mod source;
pub mod tabs;
pub mod term;
pub mod ui;
pub mod version;
pub mod view;
pub mod whatif;
