//! Values of a piece become rows of a batch: what is missing or cannot be is flagged, never guessed.

use crate::domain::storage::object::Etag;
use crate::domain::storage::{ObjectBatch, ObjectFlags, Tier};
use crate::source::objects::Need;

/// Rows per batch: enough to make a call cheap, few enough for the processor's cache.
pub(super) const BATCH: usize = 4_096;

/// The largest object that S3 takes, 50 TB, in the binary reading; more is no size.
const SIZE_AT_MOST: i64 = 50 << 40;

/// S3 opened on 14 March 2006; 2006-01-01T00:00:00Z in ms.
const DATE_AT_LEAST: i64 = 1_136_073_600_000;

/// A list takes hours to make, and what is written meanwhile may be in it: a day after the moment of
/// the list a date is one from the future.
const DATE_SLACK: i64 = 86_400_000;

/// Longest key that is read, bytes. S3 allows 1,024.
pub(super) const KEY_AT_MOST: usize = 8_192;

/// The longest version id of S3 is 1,024 bytes.
const VERSION_AT_MOST: usize = 1_024;

/// Settings for building batches from a list.
#[derive(Clone, Debug)]
pub(super) struct Making {
    /// Time of the list, ms since 1970: later dates are invalid.
    pub listed_ms: i64,
    /// Columns that are needed.
    pub need: Need,
    /// Prefix of the wanted keys; empty for all.
    pub prefix: Vec<u8>,
    /// True when the list has sizes; otherwise a missing size is no defect of a row.
    pub has_sizes: bool,
    /// True when the list has dates; otherwise a missing date is no defect of a row.
    pub has_dates: bool,
}

/// Values of a row that decide its flags; empty text and `None` mean missing.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Values<'a> {
    /// Size, bytes.
    pub size: Option<i64>,
    /// Time of the last change, ms since 1970.
    pub modified_ms: Option<i64>,
    /// True for the current version.
    pub is_latest: Option<bool>,
    /// True for a delete marker.
    pub is_marker: Option<bool>,
    /// True for an object uploaded in parts.
    pub is_multipart: Option<bool>,
    /// `ETag`, quotes allowed.
    pub etag: &'a [u8],
    /// Encryption status, such as `SSE-KMS`.
    pub encryption: &'a [u8],
    /// Replication status, such as `REPLICA`.
    pub replication: &'a [u8],
    /// End of the Object Lock retention, ms since 1970.
    pub lock_until_ms: Option<i64>,
    /// Legal hold status, `ON` or `OFF`.
    pub legal_hold: &'a [u8],
    /// Version id.
    pub version: &'a [u8],
}

impl Values<'_> {
    /// Err for an oversized version id, the only text of a row besides the key that is kept.
    pub fn check(&self) -> Result<(), String> {
        match self.version.len() {
            0..=VERSION_AT_MOST => Ok(()),
            length => Err(format!("a version id of {length} bytes")),
        }
    }
}

impl Making {
    /// True when a key begins with the wanted prefix.
    pub fn wants(&self, key: &[u8]) -> bool {
        key.starts_with(&self.prefix)
    }

    /// Bytes of an object, and what is to be said of them.
    #[inline]
    fn size(&self, size: Option<i64>) -> (u64, u16) {
        match size {
            Some(size @ 0..=SIZE_AT_MOST) => (size as u64, 0),
            _ if self.has_sizes => (0, ObjectFlags::BAD_SIZE),
            _ => (0, 0),
        }
    }

    /// Appends rows of which only sizes and tiers are needed.
    pub fn push_totals(
        &self,
        batch: &mut ObjectBatch,
        sizes: impl ExactSizeIterator<Item = Option<i64>>,
        mut tier: impl FnMut() -> Tier,
    ) {
        let rows = batch.len() + sizes.len();
        batch.keys.ends.resize(rows, batch.keys.bytes.len() as u32);
        batch.modified_ms.resize(rows, i64::MIN);
        batch.tiers.resize_with(rows, &mut tier);
        batch.sizes.reserve(sizes.len());
        batch.flags.reserve(sizes.len());
        for size in sizes {
            let (size, flags) = self.size(size);
            batch.sizes.push(size);
            batch.flags.push(ObjectFlags(flags));
        }
    }

    /// Appends a row except its key.
    pub fn push(&self, batch: &mut ObjectBatch, tier: Tier, values: &Values<'_>) {
        let mut flags = 0;
        let mut set = |bit, on| {
            if on {
                flags |= bit;
            }
        };
        let is_marker = values.is_marker == Some(true);
        set(ObjectFlags::DELETE_MARKER, is_marker);
        set(ObjectFlags::NONCURRENT, values.is_latest == Some(false));
        let (size, bad_size) = if is_marker { (0, 0) } else { self.size(values.size) };
        set(bad_size, true);
        let latest = self.listed_ms.saturating_add(DATE_SLACK);
        let modified_ms = match values.modified_ms {
            Some(ms) if (DATE_AT_LEAST..=latest).contains(&ms) => ms,
            _ => {
                set(ObjectFlags::BAD_DATE, self.has_dates);
                i64::MIN
            }
        };
        if self.need.etags {
            let etag = Etag::parse(values.etag);
            set(ObjectFlags::MULTIPART, values.is_multipart == Some(true) || etag.parts > 0);
            // What is not said to be unencrypted or SSE-S3 may be anything.
            let digest = matches!(values.encryption, b"SSE-S3" | b"NOT-SSE");
            set(ObjectFlags::OPAQUE_ETAG, !digest);
            batch.etags.push(etag);
        }
        if self.need.holds {
            set(ObjectFlags::REPLICA, values.replication == b"REPLICA");
            let held = values.legal_hold.eq_ignore_ascii_case(b"on")
                || values.lock_until_ms.is_some_and(|ms| ms > self.listed_ms);
            set(ObjectFlags::LOCKED, held);
        }
        if self.need.versions {
            batch.versions.push(values.version);
        }
        batch.sizes.push(size);
        batch.modified_ms.push(modified_ms);
        batch.tiers.push(tier);
        batch.flags.push(ObjectFlags(flags));
    }
}

/// Time in ms since 1970 of a text like `2026-11-19T02:00:00.000Z`; `None` for any other text.
pub(super) fn time_ms(text: &[u8]) -> Option<i64> {
    let text = std::str::from_utf8(text).ok()?;
    text.parse::<jiff::Timestamp>().ok().map(jiff::Timestamp::as_millisecond)
}

/// Value of the text `true` or `false`; `None` for any other text.
pub(super) fn truth(text: &[u8]) -> Option<bool> {
    match text {
        b"true" | b"TRUE" | b"True" => Some(true),
        b"false" | b"FALSE" | b"False" => Some(false),
        _ => None,
    }
}

/// Appends the URL-decoded key to `out`: `+` is a space, and invalid escapes stay as they are.
pub(super) fn unescape(text: &[u8], out: &mut Vec<u8>) {
    let mut rest = text;
    while let Some(at) = memchr::memchr2(b'%', b'+', rest) {
        out.extend_from_slice(&rest[..at]);
        let digit = |i: usize| rest.get(at + i).and_then(|b| char::from(*b).to_digit(16));
        let (byte, used) = match (rest[at], digit(1), digit(2)) {
            (b'+', ..) => (b' ', 1),
            (_, Some(high), Some(low)) => ((high << 4 | low) as u8, 3),
            _ => (b'%', 1),
        };
        out.push(byte);
        rest = &rest[at + used..];
    }
    out.extend_from_slice(rest);
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn row(values: Values<'_>) -> (u64, i64, u16) {
        let making = Making {
            listed_ms: 1_795_136_400_000,
            need: Need::ALL,
            prefix: vec![],
            has_sizes: true,
            has_dates: true,
        };
        let mut batch = ObjectBatch::default();
        making.push(&mut batch, Tier::Standard, &values);
        (batch.sizes[0], batch.modified_ms[0], batch.flags[0].0)
    }

    #[test]
    fn what_cannot_be_is_flagged() {
        let good = Values {
            size: Some(5),
            modified_ms: Some(1_795_000_000_000),
            encryption: b"SSE-S3",
            ..Values::default()
        };
        assert_eq!(row(good), (5, 1_795_000_000_000, 0));
        for size in [None, Some(-1), Some(i64::MIN), Some(SIZE_AT_MOST + 1), Some(i64::MAX)] {
            let (bytes, _, flags) = row(Values { size, ..good });
            assert_eq!((bytes, flags), (0, ObjectFlags::BAD_SIZE), "{size:?}");
        }
        assert_eq!(row(Values { size: Some(SIZE_AT_MOST), ..good }).2, 0);
        let listed = 1_795_136_400_000;
        for ms in [None, Some(0), Some(-5), Some(DATE_AT_LEAST - 1), Some(i64::MAX)] {
            let (_, date, flags) = row(Values { modified_ms: ms, ..good });
            assert_eq!((date, flags), (i64::MIN, ObjectFlags::BAD_DATE), "{ms:?}");
        }
        assert_eq!(row(Values { modified_ms: Some(listed + DATE_SLACK), ..good }).2, 0);
        assert_eq!(
            row(Values { modified_ms: Some(listed + DATE_SLACK + 1), ..good }).2,
            ObjectFlags::BAD_DATE
        );
        // A delete marker has no size, and that is right.
        let marker = Values { size: None, is_marker: Some(true), is_latest: Some(true), ..good };
        assert_eq!(row(marker).2, ObjectFlags::DELETE_MARKER);
    }

    #[test]
    fn what_holds_an_object_is_seen() {
        let good = Values {
            size: Some(5),
            modified_ms: Some(1_795_000_000_000),
            encryption: b"SSE-S3",
            ..Values::default()
        };
        let flags = |v| row(v).2;
        assert_eq!(flags(Values { legal_hold: b"On", ..good }), ObjectFlags::LOCKED);
        assert_eq!(flags(Values { legal_hold: b"Off", ..good }), 0);
        let until = |ms| Values { lock_until_ms: Some(ms), ..good };
        assert_eq!(flags(until(1_795_136_400_001)), ObjectFlags::LOCKED);
        assert_eq!(flags(until(1_795_136_400_000)), 0);
        assert_eq!(flags(Values { replication: b"REPLICA", ..good }), ObjectFlags::REPLICA);
        assert_eq!(flags(Values { replication: b"COMPLETED", ..good }), 0);
        assert_eq!(flags(Values { is_latest: Some(false), ..good }), ObjectFlags::NONCURRENT);
        for encryption in [b"SSE-KMS".as_slice(), b"DSSE-KMS", b"SSE-C", b""] {
            assert_eq!(flags(Values { encryption, ..good }), ObjectFlags::OPAQUE_ETAG);
        }
        let etag = b"ebd28b454bcaa8a7d2fd011a253e036b-90";
        assert_eq!(flags(Values { etag, ..good }), ObjectFlags::MULTIPART);
    }

    #[test]
    fn escapes_are_undone_and_others_left() {
        let plain = |text: &[u8]| {
            let mut out = vec![];
            unescape(text, &mut out);
            out
        };
        assert_eq!(plain(b"a+b%2Bc%25/%C3%BC"), "a b+c%/ü".as_bytes());
        assert_eq!(plain(b"100%"), b"100%");
        assert_eq!(plain(b"%zz%4"), b"%zz%4");
        assert_eq!(plain(b"%FF"), [0xff]);
    }

    proptest! {
        #[test]
        fn what_is_escaped_comes_back(key in prop::collection::vec(any::<u8>(), 0..60)) {
            let escaped = percent_encoding::percent_encode(&key, percent_encoding::NON_ALPHANUMERIC);
            let mut out = vec![];
            unescape(escaped.to_string().replace("%20", "+").as_bytes(), &mut out);
            prop_assert_eq!(out, key);
        }

        #[test]
        fn any_text_is_survived(text in prop::collection::vec(any::<u8>(), 0..60)) {
            unescape(&text, &mut vec![]);
            let _ = (time_ms(&text), truth(&text));
        }
    }
}
