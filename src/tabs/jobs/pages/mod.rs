//! The Jobs tab in words: what stands above its lists, and its pages.

mod attempt;
mod empty;
mod row;
mod strip;
mod timeline;

pub use attempt::attempt;
pub use empty::empty;
pub use row::row;
pub use strip::strip;
