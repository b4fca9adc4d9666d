//! SHA-256 in hexadecimal.

use std::fmt::Write as _;

use serde::Serialize;
use sha2::{Digest, Sha256};

/// SHA-256 of `bytes`, 64 lower-case hexadecimal digits.
pub fn sha256_hex(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().fold(String::with_capacity(64), |mut out, byte| {
        // Writing to a string cannot fail.
        let _ = write!(out, "{byte:02x}");
        out
    })
}

/// SHA-256 over `plan` as compact JSON, 64 lower-case hexadecimal digits: what an approval is for.
/// Plans that differ in anything differ in it.
pub(super) fn plan_hash(plan: &impl Serialize) -> String {
    // A plan holds no map with other than string keys and no value that JSON lacks; should
    // serialisation fail all the same, no approval can match the empty hash.
    serde_json::to_vec(plan).map_or_else(|_| String::new(), |bytes| sha256_hex(&bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_published_vectors() {
        // FIPS 180-2, appendix B.1, and the empty message.
        assert_eq!(
            sha256_hex(b"abc"),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
        );
        assert_eq!(
            sha256_hex(b""),
            "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
        );
    }
}
