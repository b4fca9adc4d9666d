//! S3 Inventories of the demo as S3 delivers them: manifest, checksum, and a piece of CSV in gzip.

use std::io::Write as _;

use flate2::{Compression, GzBuilder};
use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use md5::{Digest, Md5};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::json;

use super::objects::Row;
use crate::domain::storage::{ObjectFlags, Tier};

/// Id of every inventory in the demo.
pub const ID: &str = "daily";

/// Hours after midnight at which the list is of, and at which it has been delivered.
const LISTED_H: i64 = 1;
const DELIVERED_H: i64 = 3;

/// Columns, in their order.
const SCHEMA: &str = "Bucket, Key, VersionId, IsLatest, IsDeleteMarker, Size, LastModifiedDate, \
                      ETag, StorageClass, IsMultipartUploaded, ReplicationStatus, \
                      EncryptionStatus, ObjectLockRetainUntilDate, ObjectLockMode, \
                      ObjectLockLegalHoldStatus, IntelligentTieringAccessTier";

/// What stays as it is in an escaped key; a blank becomes `+` afterwards.
const PLAIN: AsciiSet =
    NON_ALPHANUMERIC.remove(b'/').remove(b'-').remove(b'_').remove(b'.').remove(b'~');

/// Files of one day's inventory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Delivery {
    /// Content of `manifest.json`.
    pub manifest: Vec<u8>,
    /// Content of `manifest.checksum`.
    pub checksum: Vec<u8>,
    /// Content of the piece, CSV in gzip.
    pub piece: Vec<u8>,
}

/// Newest day whose inventory is delivered at `now`.
pub fn newest(now: Timestamp) -> Date {
    let today = day_of(now);
    let is_there = now.as_second() >= midnight_s(today) + DELIVERED_H * 3_600;
    if is_there { today } else { today.yesterday().unwrap_or(today) }
}

/// UTC day of `now`.
pub fn day_of(now: Timestamp) -> Date {
    now.to_zoned(TimeZone::UTC).date()
}

/// Midnight of a day (UTC), seconds since 1970.
pub fn midnight_s(day: Date) -> i64 {
    day.to_zoned(TimeZone::UTC).map_or(0, |t| t.timestamp().as_second())
}

/// Prefix of a snapshot: `bucket/daily/2026-11-20T01-00Z/`.
pub fn folder(bucket: &str, day: Date) -> String {
    format!("{bucket}/{ID}/{day}T{LISTED_H:02}-00Z/")
}

/// Key of the piece of a snapshot.
pub fn piece_key(bucket: &str, day: Date) -> String {
    format!("{bucket}/{ID}/data/{day}.csv.gz")
}

/// Inventory of a bucket on a day; `destination` is the bucket that it is delivered to.
pub fn deliver(bucket: &str, destination: &str, rows: &[Row], day: Date) -> Delivery {
    let midnight = midnight_s(day);
    let piece = zipped(bucket, rows, midnight);
    let created_ms = (midnight + LISTED_H * 3_600) * 1000;
    let manifest = json!({
        "sourceBucket": bucket,
        "destinationBucket": format!("arn:aws:s3:::{destination}"),
        "version": "2016-11-30",
        "creationTimestamp": created_ms.to_string(),
        "fileFormat": "CSV",
        "fileSchema": SCHEMA,
        "files": [{
            "key": piece_key(bucket, day),
            "size": piece.len(),
            "MD5checksum": hex_md5(&piece),
        }],
    });
    let manifest = format!("{manifest:#}\n").into_bytes();
    Delivery { checksum: hex_md5(&manifest).into_bytes(), manifest, piece }
}

fn hex_md5(bytes: &[u8]) -> String {
    Md5::digest(bytes).iter().fold(String::new(), |text, byte| text + &format!("{byte:02x}"))
}

fn zipped(bucket: &str, rows: &[Row], midnight_s: i64) -> Vec<u8> {
    let mut zip = GzBuilder::new().write(Vec::new(), Compression::fast());
    let mut line = String::new();
    for row in rows {
        line.clear();
        write_row(&mut line, bucket, row, midnight_s);
        // Into memory: it cannot fail.
        let written = zip.write_all(line.as_bytes());
        debug_assert!(written.is_ok());
    }
    zip.finish().unwrap_or_default()
}

fn write_row(line: &mut String, bucket: &str, row: &Row, midnight_s: i64) {
    let has = |bit: u16| row.bits().any(bit);
    let moment = |s: i64| Timestamp::from_second(s).unwrap_or(Timestamp::UNIX_EPOCH);
    let is_marker = has(ObjectFlags::DELETE_MARKER);
    let etag = row.etag();
    let key = utf8_percent_encode(&row.key, &PLAIN).to_string().replace("%20", "+");
    let tier = if row.tier == Tier::ItFrequent { "FREQUENT" } else { "" };
    let class = row.tier.class().map_or("", |class| class.api());
    let fields = [
        bucket.to_owned(),
        key,
        row.version.clone(),
        (!has(ObjectFlags::NONCURRENT)).to_string(),
        is_marker.to_string(),
        if is_marker { String::new() } else { row.size.to_string() },
        moment(midnight_s - row.age_s).strftime("%Y-%m-%dT%H:%M:%S.000Z").to_string(),
        match (is_marker, etag.parts) {
            (true, _) => String::new(),
            (false, 0) => format!("{:032x}", etag.md5),
            (false, parts) => format!("{:032x}-{parts}", etag.md5),
        },
        class.to_owned(),
        has(ObjectFlags::MULTIPART).to_string(),
        if has(ObjectFlags::REPLICA) { "REPLICA" } else { "" }.to_owned(),
        if has(ObjectFlags::OPAQUE_ETAG) { "SSE-KMS" } else { "SSE-S3" }.to_owned(),
        if has(ObjectFlags::LOCKED) {
            moment(midnight_s + 365 * 86_400).strftime("%Y-%m-%dT%H:%M:%S.000Z").to_string()
        } else {
            String::new()
        },
        if has(ObjectFlags::LOCKED) { "COMPLIANCE" } else { "" }.to_owned(),
        String::new(),
        tier.to_owned(),
    ];
    for (i, field) in fields.iter().enumerate() {
        line.push_str(if i == 0 { "\"" } else { ",\"" });
        line.push_str(field);
        line.push('"');
    }
    line.push('\n');
}
