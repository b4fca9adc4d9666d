//! `manifest.json`: what an inventory is of, its schema and its pieces.

use serde::Deserialize;

use super::error::InventoryError;
use super::schema::Schema;
use crate::domain::text;

/// Largest manifest that is read, bytes. A manifest has some hundred bytes per piece; the largest known has 516 pieces.
pub(crate) const MANIFEST_AT_MOST: u64 = 32 << 20;

/// Format of the pieces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileFormat {
    /// CSV in gzip, without a header, keys URL-encoded.
    Csv,
    /// Parquet, keys verbatim.
    Parquet,
}

/// A piece in the manifest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PieceEntry {
    /// Key of the piece in the destination bucket.
    pub key: String,
    /// Size, bytes; `None` when the manifest does not state it.
    pub size: Option<u64>,
    /// MD5 digest; `None` when the manifest does not state it.
    pub md5: Option<[u8; 16]>,
}

/// A validated manifest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Manifest {
    /// Bucket that was listed.
    pub bucket: String,
    /// Start of the listing, ms since 1970.
    pub created_ms: i64,
    /// Format of the pieces.
    pub format: FileFormat,
    /// Columns of the pieces.
    pub schema: Schema,
    /// Pieces of the inventory.
    pub pieces: Vec<PieceEntry>,
    /// MD5 of the manifest in 32 hex digits: the key of a cached scan.
    pub digest: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Wire {
    source_bucket: String,
    creation_timestamp: serde_json::Value,
    file_format: String,
    file_schema: String,
    files: Vec<WireFile>,
}

#[derive(Deserialize)]
struct WireFile {
    key: String,
    size: Option<u64>,
    #[serde(rename = "MD5checksum")]
    md5: Option<String>,
}

impl Manifest {
    /// Parses a manifest; `at` is its location for messages. Err when it is invalid, or of an unsupported format.
    pub fn parse(bytes: &[u8], at: &str) -> Result<Self, InventoryError> {
        let wrong = |why: String| InventoryError::Manifest { at: at.to_owned(), why };
        let wire: Wire = serde_json::from_slice(bytes)
            .map_err(|e| wrong(crate::domain::json::why_no_json(&e)))?;
        if !text::is_id(&wire.source_bucket) {
            return Err(wrong("sourceBucket is no name of a bucket".into()));
        }
        let created_ms = match &wire.creation_timestamp {
            serde_json::Value::String(text) => text.trim().parse().ok(),
            other => other.as_i64(),
        };
        let created_ms = created_ms
            .filter(|ms| jiff::Timestamp::from_millisecond(*ms).is_ok())
            .ok_or_else(|| wrong("creationTimestamp is no time in milliseconds".into()))?;
        let format = match wire.file_format.to_ascii_uppercase().as_str() {
            "CSV" => FileFormat::Csv,
            "PARQUET" => FileFormat::Parquet,
            _ => {
                return Err(InventoryError::Format { at: at.to_owned(), format: wire.file_format });
            }
        };
        let schema = Schema::parse(&wire.file_schema, format)
            .map_err(|why| InventoryError::Schema { at: at.to_owned(), why })?;
        let mut pieces = Vec::with_capacity(wire.files.len());
        for file in wire.files {
            let md5 = match file.md5.as_deref().filter(|t| !t.is_empty()) {
                None => None,
                Some(text) => Some(
                    hex16(text)
                        .ok_or_else(|| wrong(format!("the MD5checksum of {} is none", file.key)))?,
                ),
            };
            pieces.push(PieceEntry { key: file.key, size: file.size, md5 });
        }
        Ok(Self {
            bucket: wire.source_bucket,
            created_ms,
            format,
            schema,
            pieces,
            digest: hex(&md5_of(bytes)),
        })
    }

    /// Size of all pieces, bytes; `None` when one is unknown.
    pub fn bytes(&self) -> Option<u64> {
        self.pieces.iter().map(|p| p.size).sum()
    }
}

/// MD5 digest of `bytes`.
pub(super) fn md5_of(bytes: &[u8]) -> [u8; 16] {
    use md5::{Digest, Md5};
    Md5::digest(bytes).into()
}

/// Lower-case hex digits of a digest.
pub(super) fn hex(bytes: &[u8; 16]) -> String {
    format!("{:032x}", u128::from_be_bytes(*bytes))
}

/// Digest with these 32 hex digits; `None` for any other text.
pub(super) fn hex16(text: &str) -> Option<[u8; 16]> {
    let plain = text.len() == 32 && text.bytes().all(|b| b.is_ascii_hexdigit());
    plain.then(|| u128::from_str_radix(text, 16).ok().map(u128::to_be_bytes)).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::SourceError;
    use crate::domain::text::hostile::{TEXTS, said};

    #[test]
    fn no_error_of_a_manifest_is_unclean() {
        let fine = serde_json::json!({
            "sourceBucket": "b", "creationTimestamp": "1700000000000", "fileFormat": "CSV",
            "fileSchema": "Bucket, Key, Size", "files": [{"key": "k", "size": 1}],
        });
        assert!(Manifest::parse(fine.to_string().as_bytes(), "at").is_ok(), "{fine}");
        for text in TEXTS {
            let places = ["/sourceBucket", "/creationTimestamp", "/fileFormat", "/fileSchema"];
            for place in places.into_iter().chain(["/files/0/MD5checksum", "/files/0/size"]) {
                let mut bad = fine.clone();
                bad["files"][0]["MD5checksum"] = serde_json::json!("");
                *bad.pointer_mut(place).unwrap() = serde_json::json!(text);
                let read = Manifest::parse(bad.to_string().as_bytes(), text);
                if let Err(error) = read.map_err(SourceError::from) {
                    said("inventory", &format!("{error:?}"));
                } else {
                    // Markup is no harm to a name.
                    assert!(place == "/sourceBucket" && text::is_id(text), "{place} {text:?}");
                }
            }
        }
    }
}
