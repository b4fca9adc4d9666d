//! The lists behind the Overview: commitments, smaller sizes, Spot, resources that idle.

mod commands;
pub mod draw;
mod lists;
pub mod pages;
pub mod picture;
pub mod screen;
pub mod state;
