//! A small fleet with traps, for tests.
