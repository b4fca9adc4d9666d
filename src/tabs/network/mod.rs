//! Network: where bytes went, what that cost, and which part of it need not be.

pub mod picture;
