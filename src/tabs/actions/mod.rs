//! What burntop did, from the audit log: a list that can be opened from everywhere, and a page of each run.

mod commands;
mod draw;
mod lists;
pub mod pages;
pub mod picture;
pub mod screen;
pub mod state;
