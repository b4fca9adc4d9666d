//! The Bill tab in words: what stands above its lists, and its page.

mod anatomy;
mod bars;
mod causes;
mod empty;
mod month;
mod source;
mod strip;

pub(crate) use anatomy::bar;
pub use empty::empty;
pub(crate) use empty::ways_to_a_bill;
pub(crate) use month::{provenance, wrapped};
pub(crate) use source::about;
pub use source::source;
pub use strip::{strip, strip_height};
