//! Numbers as text: [`super::format`].

pub use super::format::{dollars, grouped};
