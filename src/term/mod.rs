//! term.
