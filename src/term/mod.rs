//! Owning the terminal. It is asked nothing, ever: what it can do comes from the environment
//! ([`detect`]).

pub mod decode;
pub mod detect;
mod osc52;

pub use osc52::{MAX_BYTES as MAX_COPY_BYTES, TooLong, osc52};
