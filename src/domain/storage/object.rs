//! Objects in columns: what every source of object lists (inventory, listing, directory) hands to
//! every fold (tree, runs, duplicates, simulation).
//!
//! Keys are raw bytes, unescaped but **not** made safe: S3 allows any UTF-8, and a key must come
//! back unchanged to be acted on. What shows a key passes it through [`crate::domain::text`].

use super::tier::Tier;

/// A column of texts, one after the other.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TextColumn {
    /// End of each text in `bytes`; the first begins at 0.
    pub ends: Vec<u32>,
    /// The texts, concatenated.
    pub bytes: Vec<u8>,
}

impl TextColumn {
    /// Number of texts.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// True without any text.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// Text `i`; empty when there is none.
    pub fn get(&self, i: usize) -> &[u8] {
        let end = self.ends.get(i).copied().unwrap_or(0) as usize;
        let start = if i == 0 { 0 } else { self.ends.get(i - 1).copied().unwrap_or(0) as usize };
        self.bytes.get(start..end).unwrap_or_default()
    }

    /// Appends a text. All texts together must stay below 4 GiB.
    pub fn push(&mut self, text: &[u8]) {
        self.bytes.extend_from_slice(text);
        self.ends.push(self.bytes.len() as u32);
    }

    /// Empties the column and keeps its memory.
    pub fn clear(&mut self) {
        self.ends.clear();
        self.bytes.clear();
    }
}

/// Properties of an object version, one bit each.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct ObjectFlags(pub u16);

impl ObjectFlags {
    /// A noncurrent version.
    pub const NONCURRENT: u16 = 1;
    /// A delete marker, which has no bytes.
    pub const DELETE_MARKER: u16 = 1 << 1;
    /// Uploaded in several parts.
    pub const MULTIPART: u16 = 1 << 2;
    /// SSE-KMS, DSSE-KMS or SSE-C encryption: the `ETag` is no digest of the content.
    pub const OPAQUE_ETAG: u16 = 1 << 3;
    /// A replica made by replication.
    pub const REPLICA: u16 = 1 << 4;
    /// Under legal hold, or retained beyond the time of the list.
    pub const LOCKED: u16 = 1 << 5;
    /// Size missing, negative or over 50 TB, S3's limit: counts as 0 bytes.
    pub const BAD_SIZE: u16 = 1 << 6;
    /// Date missing, before 2006 or after the time of the list: the age is unknown.
    pub const BAD_DATE: u16 = 1 << 7;

    /// True when any bit of `bits` is set.
    pub fn any(self, bits: u16) -> bool {
        self.0 & bits != 0
    }

    /// True for a current object with content: neither noncurrent nor a delete marker.
    pub fn is_current(self) -> bool {
        !self.any(Self::NONCURRENT | Self::DELETE_MARKER)
    }
}

/// An `ETag`: the MD5 part and the number of parts. All zero when missing or not of this form.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Etag {
    /// MD5 in the tag: 32 hex digits as a number; 0 when missing.
    pub md5: u128,
    /// The number after the dash; 0 for an object uploaded in one piece.
    pub parts: u32,
}

impl Etag {
    /// Parses `"d41d8…"`, `d41d8…` or `d41d8…-7`, quotes or not; anything else is the empty tag.
    pub fn parse(text: &[u8]) -> Self {
        let text = text.strip_prefix(b"\"").unwrap_or(text);
        let text = text.strip_suffix(b"\"").unwrap_or(text);
        let Some((hex, rest)) = text.split_first_chunk::<32>() else { return Self::default() };
        let Some(md5) = hex_digits(hex) else { return Self::default() };
        let parts = match rest {
            [] => 0,
            [b'-', digits @ ..] => {
                let parsed = std::str::from_utf8(digits).ok().and_then(|d| d.parse().ok());
                match parsed {
                    Some(parts) if (1..=10_000).contains(&parts) => parts,
                    _ => return Self::default(),
                }
            }
            _ => return Self::default(),
        };
        Self { md5, parts }
    }

    /// True for a missing tag.
    pub fn is_empty(self) -> bool {
        self.md5 == 0
    }
}

/// The value of each byte as a hex digit; 16 for one that is none.
const HEX: [u8; 256] = {
    let mut values = [16; 256];
    let mut digit = 0;
    while digit < 16 {
        values[b"0123456789abcdef"[digit] as usize] = digit as u8;
        values[b"0123456789ABCDEF"[digit] as usize] = digit as u8;
        digit += 1;
    }
    values
};

/// 32 hex digits; `None` when one of them is none. By halves: shifting 128 bits for each digit takes
/// several times as long.
fn hex_digits(digits: &[u8; 32]) -> Option<u128> {
    let mut odd = 0;
    let mut half = |digits: &[u8]| {
        digits.iter().fold(0u64, |value, digit| {
            let digit = HEX[usize::from(*digit)];
            odd |= digit;
            value << 4 | u64::from(digit & 15)
        })
    };
    let (high, low) = (half(&digits[..16]), half(&digits[16..]));
    (odd < 16).then_some(u128::from(high) << 64 | u128::from(low))
}

/// Columns that a source of objects has. A missing column means unknown, never "no".
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "one answer per column")]
pub struct ObjectColumns {
    /// True when sizes are listed.
    pub sizes: bool,
    /// True when dates of modification are listed.
    pub dates: bool,
    /// True when storage classes are listed.
    pub classes: bool,
    /// True when `ETags` are listed.
    pub etags: bool,
    /// True when version ids are listed, and which version is current. Without, every row counts as current.
    pub versions: bool,
    /// True when the encryption status is listed. Without, no `ETag` is certain to be a digest.
    pub encryption: bool,
    /// True when Object Lock is listed.
    pub lock: bool,
    /// True when the replication status is listed.
    pub replication: bool,
}

/// A batch of a few thousand objects, in columns. All columns have the same length; only `etags` and `versions` are
/// empty when not requested or not in the source.
#[derive(Clone, Debug, Default)]
pub struct ObjectBatch {
    /// Keys, unescaped.
    pub keys: TextColumn,
    /// Sizes in bytes; 0 for delete markers and bad sizes.
    pub sizes: Vec<u64>,
    /// Time of the last change, ms since 1970 UTC; `i64::MIN` when unknown.
    pub modified_ms: Vec<i64>,
    /// Storage tier of each row, as S3 bills it.
    pub tiers: Vec<Tier>,
    /// Properties of each row.
    pub flags: Vec<ObjectFlags>,
    /// Parsed `ETags`, one per row; empty without that column.
    pub etags: Vec<Etag>,
    /// Version ids, one per row; empty without that column.
    pub versions: TextColumn,
}

impl ObjectBatch {
    /// Number of objects.
    pub fn len(&self) -> usize {
        self.sizes.len()
    }

    /// True without any object.
    pub fn is_empty(&self) -> bool {
        self.sizes.is_empty()
    }

    /// Empties all columns and keeps their memory.
    pub fn clear(&mut self) {
        self.keys.clear();
        self.sizes.clear();
        self.modified_ms.clear();
        self.tiers.clear();
        self.flags.clear();
        self.etags.clear();
        self.versions.clear();
    }
}
