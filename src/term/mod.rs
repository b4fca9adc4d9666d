//! Owning the terminal. It is asked nothing, ever: what it can do comes from the environment
//! ([`detect`]).

mod canvas;
pub mod decode;
pub mod detect;
mod encode;
mod osc52;

pub use canvas::Canvas;
pub use osc52::{MAX_BYTES as MAX_COPY_BYTES, TooLong, osc52};
