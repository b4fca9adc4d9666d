//! The `burntop` binary.

fn main() {}
