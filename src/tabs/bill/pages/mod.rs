//! The Bill tab in words: what stands above its lists, and its page.

mod anatomy;
mod bars;
mod causes;
mod empty;
mod month;
mod source;
mod strip;

pub use empty::empty;
pub use source::source;
pub use strip::{strip, strip_height};
