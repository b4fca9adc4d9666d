//! The bytes of a line: how its hash is put on, and how it is checked.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::entry::{Body, Line};
use crate::act::plan::sha256_hex;

/// The hash "before" the first line.
pub(super) const ORIGIN: &str = "0000000000000000000000000000000000000000000000000000000000000000";

/// Text before the hash in a line.
const BEFORE: &[u8] = b",\"hash\":\"";
const BEHIND: &[u8] = b"\"}";

#[derive(Serialize)]
struct Unsealed<'a> {
    seq: u64,
    at: Timestamp,
    prev: &'a str,
    body: &'a Body,
}

/// Makes a line and its bytes, without a newline.
pub(super) fn seal(
    seq: u64,
    at: Timestamp,
    prev: &str,
    body: Body,
) -> Result<(Vec<u8>, Line), serde_json::Error> {
    let mut bytes = serde_json::to_vec(&Unsealed { seq, at, prev, body: &body })?;
    let hash = sha256_hex(&bytes);
    bytes.pop();
    bytes.extend_from_slice(BEFORE);
    bytes.extend_from_slice(hash.as_bytes());
    bytes.extend_from_slice(BEHIND);
    Ok((bytes, Line { seq, at, prev: prev.to_owned(), body, hash }))
}

/// A line as far as the chain needs to know it; what it says may be of a newer version.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Head {
    /// Number of the line, counted from 1.
    pub seq: u64,
    /// Hash of the line before.
    pub prev: String,
    /// Hash of this line that the line holds.
    pub hash: String,
    /// True when that is the hash of these bytes.
    pub holds: bool,
    /// Length and hash of the torn bytes that it accounts for; `None` for any other line.
    pub recovered: Option<(u64, String)>,
}

#[derive(Deserialize)]
struct AnyLine {
    seq: u64,
    #[serde(rename = "at")]
    _at: Timestamp,
    prev: String,
    body: AnyBody,
    hash: String,
}

#[derive(Deserialize)]
struct AnyBody {
    kind: String,
    #[serde(default)]
    bytes: Option<serde_json::Value>,
    #[serde(default)]
    sha256: Option<serde_json::Value>,
}

/// Reads the bytes of a line; `None` when they are none.
pub(super) fn open(bytes: &[u8]) -> Option<Head> {
    let line: AnyLine = serde_json::from_slice(bytes).ok()?;
    let holds = unsealed(bytes, &line.hash).is_some_and(|u| sha256_hex(&u) == line.hash);
    let recovered = match (line.body.kind.as_str(), line.body.bytes, line.body.sha256) {
        ("recovered", Some(bytes), Some(serde_json::Value::String(sha256))) => {
            bytes.as_u64().map(|bytes| (bytes, sha256))
        }
        _ => None,
    };
    Some(Head { seq: line.seq, prev: line.prev, hash: line.hash, holds, recovered })
}

/// The bytes that were hashed. Taken from the line as it stands: what is parsed and written anew
/// need not be the same bytes.
fn unsealed(bytes: &[u8], hash: &str) -> Option<Vec<u8>> {
    let rest = bytes.strip_suffix(BEHIND)?.strip_suffix(hash.as_bytes())?.strip_suffix(BEFORE)?;
    Some([rest, b"}"].concat())
}
