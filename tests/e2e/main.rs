//! Whole programs in real pseudo-terminals: keys in, screen text out.

// Helpers of tests may fail a test the way tests do.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod aws;
mod cockpit;
mod demo;
mod emulators;
mod fault;
mod house;
mod outages;
mod pricing;
mod pty;
mod reports;
mod screens;
mod terminal;
mod world;
