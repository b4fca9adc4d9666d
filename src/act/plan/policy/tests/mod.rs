//! The engine: a table of lives, properties, and a month against a machine written another way.

mod lives;
mod month;
mod properties;
mod scene;
