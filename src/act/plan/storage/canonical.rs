//! What decides whether two lifecycle configurations are the same, and what is kept of one.

use crate::analyze::storage::lifecycle::print;
use crate::domain::storage::Lifecycle;

/// SHA-256 of the canonical form of a configuration (`print::canonical`), 64 hexadecimal digits.
/// `None`, a bucket without a configuration, has a hash of its own.
pub fn lifecycle_hash(lifecycle: Option<&Lifecycle>) -> String {
    print::sha256_of(lifecycle)
}

/// A configuration as a text to keep, for a bucket whose own document S3 did not give.
pub fn backup_text(lifecycle: &Lifecycle) -> String {
    let xml = print::xml(lifecycle);
    xml.unwrap_or_else(|_| serde_json::to_string_pretty(lifecycle).unwrap_or_default())
}
