//! What decides whether two lifecycle configurations are the same, and what is kept of one.

use crate::analyze::storage::lifecycle::print;
use crate::domain::storage::Lifecycle;

/// SHA-256 of the canonical form (`print::canonical`). A bucket without a configuration has a
/// hash of its own.
pub fn lifecycle_hash(lifecycle: Option<&Lifecycle>) -> String {
    print::sha256_of(lifecycle)
}

/// A configuration as a text to keep, where S3's own document is not at hand.
pub fn backup_text(lifecycle: &Lifecycle) -> String {
    let xml = print::xml(lifecycle);
    xml.unwrap_or_else(|_| serde_json::to_string_pretty(lifecycle).unwrap_or_default())
}
