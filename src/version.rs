//! Which burntop this is.

/// Version, commit and its date: `0.1.0 (c3caa3c1f0 2026-11-22)`. A build with uncommitted changes says so, and a
/// build for development or without a repository says that instead of a commit.
pub const VERSION: &str = concat!(env!("CARGO_PKG_VERSION"), " (", env!("BURNTOP_BUILD"), ")");
