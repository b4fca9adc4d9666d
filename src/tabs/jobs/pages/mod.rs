//! The Jobs tab in words: what stands above its lists, and its pages.

mod attempt;
mod empty;
mod message;
mod messages;
mod replay;
mod row;
mod scaling;
mod settings;
mod shell;
mod stop;
mod strip;
mod timeline;

pub use attempt::attempt;
pub use empty::empty;
pub use message::message;
pub use messages::messages;
pub use row::row;
pub use stop::{can_be_stopped, stop_command};
pub use strip::strip;
