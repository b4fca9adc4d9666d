//! collect.
