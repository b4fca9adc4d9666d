//! The lists behind the Overview: commitments, smaller sizes, Spot, resources that idle.

pub mod draw;
pub mod pages;
pub mod picture;
pub mod screen;
pub mod state;
