//! Logs of every format, good and bad.

mod bad;
mod good;

use std::io::Write as _;

use flate2::Compression;
use flate2::write::GzEncoder;

use super::*;
use crate::domain::object_reads::ReadKind;

/// The owner of the buckets.
const OWNER: &str = "79a59df900b949e55d96a1e698fbacedfd6e09d98eacf8f8d5218e7cd47ef2be";

/// What follows the size of the object.
const REST: &str = r#"7 6 "-" "aws-sdk/1 (a "b" c)" - s9lzHYrFp76ZVxRcpX9+5cjAnEH2ROuNkd2BHfIa6UkFVdtjf5mKR3/eTPFvsiP/XV/VLi31234= SigV4 ECDHE-RSA-AES128-GCM-SHA256 AuthHeader corpus.s3.us-west-1.amazonaws.com TLSV1.2 - - us-east-1"#;

/// A line of a server access log.
fn line(time: &str, ip: &str, operation: &str, key: &str, rest: &str) -> String {
    format!(
        "{OWNER} corpus [{time}] {ip} arn:aws:sts::111122223333:assumed-role/train/i-1 3E57427F3EXAMPLE {operation} {key} \
         \"GET /corpus/{key} HTTP/1.1\" {rest} {REST}\n"
    )
}

/// A read of a whole object of 100 bytes at a second of a minute.
fn get(second: u32, key: &str) -> String {
    line(
        &format!("06/Feb/2026:00:00:{second:02} +0000"),
        "10.0.0.1",
        "REST.GET.OBJECT",
        key,
        "200 - 100 100",
    )
}

fn read_text(text: impl Into<String>, by: ReadsBy) -> (Vec<ReadEvent>, LogReads) {
    let mut events = Vec::new();
    let log = Log::Text("test.log".into(), text.into());
    let reads = read(log, by, &mut |event| events.push(*event));
    (events, reads)
}

/// Reads what lies below a folder.
fn read_folder(folder: &std::path::Path) -> (Vec<ReadEvent>, LogReads) {
    let mut events = Vec::new();
    let log = Log::Paths(vec![folder.to_owned()]);
    let reads = read(log, ReadsBy::All, &mut |event| events.push(*event));
    (events, reads)
}

fn packed(text: &str) -> Vec<u8> {
    let mut packer = GzEncoder::new(Vec::new(), Compression::default());
    packer.write_all(text.as_bytes()).unwrap();
    packer.finish().unwrap()
}
