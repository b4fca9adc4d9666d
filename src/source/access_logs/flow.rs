//! Flow logs of a VPC. Their head names the columns; they tell bytes by service and address, and no objects.

use super::error::{FileError, LineError};
use super::event::{Other, Told};
use super::s3::wrong;

/// Most bytes of one flow: more than any interface sends in ten minutes.
const FLOW_AT_MOST: u64 = 1 << 50;

/// Places of the columns that are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Columns {
    service: usize,
    reader: usize,
    bytes: usize,
    start: usize,
    /// `None` where the log does not tell it.
    pub direction: Option<usize>,
    action: Option<usize>,
    number: usize,
}

/// Whether a line is the head of a flow log.
pub(super) fn is_head(line: &[u8]) -> bool {
    let is_name = |word: &[u8]| {
        word.iter()
            .all(|byte| byte.is_ascii_lowercase() || matches!(byte, b'-' | b'_' | b'0'..=b'9'))
    };
    let mut words = line.split(|byte| *byte == b' ').filter(|word| !word.is_empty());
    words.clone().count() > 3 && words.clone().all(is_name) && words.any(|word| word == b"bytes")
}

impl Columns {
    /// Those of a head. Err where one is missing.
    pub fn of(head: &[u8]) -> Result<Self, FileError> {
        let words: Vec<&[u8]> =
            head.split(|byte| *byte == b' ').filter(|word| !word.is_empty()).collect();
        let place = |name: &[u8]| {
            let is_it = |word: &&[u8]| {
                word.len() == name.len()
                    && word.iter().zip(name).all(|(a, b)| a == b || (*a == b'_' && *b == b'-'))
            };
            words.iter().position(is_it)
        };
        let needed = |name: &'static str| place(name.as_bytes()).ok_or(FileError::NoColumn(name));
        Ok(Self {
            service: needed("pkt-src-aws-service")?,
            reader: place(b"pkt-dstaddr").map_or_else(|| needed("dstaddr"), Ok)?,
            bytes: needed("bytes")?,
            start: needed("start")?,
            direction: place(b"flow-direction"),
            action: place(b"action"),
            number: words.len(),
        })
    }

    /// What a line tells. Err for one that has not the fields of the head.
    pub fn told<'a>(&self, line: &'a [u8]) -> Result<Told<'a>, LineError> {
        let mut found = 0;
        let [mut service, mut reader, mut bytes, mut start] = [&b"-"[..]; 4];
        let (mut direction, mut action) = (&b"ingress"[..], &b"ACCEPT"[..]);
        for (place, word) in
            line.split(|byte| *byte == b' ').filter(|word| !word.is_empty()).enumerate()
        {
            found = place + 1;
            let wanted = [
                (Some(self.service), &mut service),
                (Some(self.reader), &mut reader),
                (Some(self.bytes), &mut bytes),
                (Some(self.start), &mut start),
                (self.direction, &mut direction),
                (self.action, &mut action),
            ];
            for (of, field) in wanted {
                if of == Some(place) {
                    *field = word;
                }
            }
        }
        if found != self.number {
            return Err(LineError::Fields { found, wanted: self.number });
        }
        let is_one = service == b"S3" && direction == b"ingress" && action != b"REJECT";
        // A line without data has `-` for what it would tell.
        if !is_one || bytes == b"-" {
            return Ok(Told::Other(Other::Flow));
        }
        let number = |field: &'static str, text: &[u8], most: u64| {
            let number = std::str::from_utf8(text).ok().and_then(|text| text.parse().ok());
            number.filter(|number| *number <= most).ok_or_else(|| wrong(field, text))
        };
        Ok(Told::Flow {
            // Later than the year 6000 no log begins.
            at: number("start", start, 1 << 37)? as i64 * 1_000,
            reader,
            bytes: number("bytes", bytes, FLOW_AT_MOST)?,
        })
    }
}
