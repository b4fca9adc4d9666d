//! Server access logs of S3: fields separated by blanks, of which some are in brackets or quotes.
//!
//! After the size of the object nothing is read: fields that are missing at the end, and those that are added there, change
//! nothing.

use memchr::{memchr, memchr_iter};

use super::error::LineError;
use super::event::{ObjectTold, Other, Told};
use super::moment::moment;
use crate::domain::object_reads::OBJECT_AT_MOST;
use crate::domain::text::clean_to;

/// Characters of a field that a message repeats.
const SAID: usize = 40;

/// Operations that read objects.
const READS: [&[u8]; 2] = [b"REST.GET.OBJECT", b"WEBSITE.GET.OBJECT"];

/// Operations after which an object is another one.
const WRITES: [&[u8]; 7] = [
    b"REST.PUT.OBJECT",
    b"REST.POST.OBJECT",
    b"REST.POST.UPLOAD",
    b"REST.COPY.OBJECT",
    b"REST.DELETE.OBJECT",
    b"BATCH.DELETE.OBJECT",
    b"S3.EXPIRE.OBJECT",
];

/// What a line tells. Err for one that has not the fields it needs.
pub(super) fn told(line: &[u8]) -> Result<Told<'_>, LineError> {
    let mut fields = Fields(line);
    fields.word("bucket_owner")?;
    let bucket = fields.word("bucket")?;
    let time = fields.bracketed()?;
    let at = moment(time).ok_or_else(|| wrong("time", time))?;
    let reader = fields.word("remote_ip")?;
    fields.word("requester")?;
    fields.word("request_id")?;
    let operation = fields.word("operation")?;
    let key = fields.word("key")?;
    let is_read = READS.contains(&operation);
    if !is_read && !WRITES.contains(&operation) {
        let is_head = operation.ends_with(b".HEAD.OBJECT");
        return Ok(Told::Other(if is_head { Other::Head } else { Other::Request }));
    }
    fields.request()?;
    let status = fields.word("http_status")?;
    let is_fine = match status {
        [b'2', b'0'..=b'9', b'0'..=b'9'] => true,
        [b'1'..=b'9', b'0'..=b'9', b'0'..=b'9'] => false,
        // What S3 does by itself has no status.
        b"-" => !is_read,
        _ => return Err(wrong("http_status", status)),
    };
    if !is_fine {
        return Ok(Told::Other(if is_read { Other::Unsuccessful } else { Other::Request }));
    }
    let object = ObjectTold { at, bucket, key, reader, bytes: 0, size: None };
    if !is_read {
        return Ok(Told::Written(object));
    }
    fields.word("error_code")?;
    let sent = fields.word("bytes_sent")?;
    let bytes = match sent {
        // Nothing, as S3 writes it.
        b"-" => 0,
        sent => bytes(sent).ok_or_else(|| wrong("bytes_sent", sent))?,
    };
    let size = match fields.word("object_size") {
        Err(_) | Ok(b"-") => None,
        Ok(size) => Some(self::bytes(size).ok_or_else(|| wrong("object_size", size))?),
    };
    Ok(Told::Read(ObjectTold { bytes, size, ..object }))
}

/// Whether the line begins as one of these logs does.
pub(super) fn is_one(line: &[u8]) -> bool {
    let mut fields = Fields(line);
    fields.word("").is_ok()
        && fields.word("").is_ok()
        && fields.bracketed().is_ok_and(|time| moment(time).is_some())
}

/// A number of bytes; `None` for what is none that fits.
pub(super) fn bytes(text: &[u8]) -> Option<u64> {
    if text.is_empty() || text.len() > 15 {
        return None;
    }
    let add = |number: u64, digit: &u8| {
        digit.is_ascii_digit().then(|| number * 10 + u64::from(digit - b'0'))
    };
    text.iter().try_fold(0, add).filter(|bytes| *bytes <= OBJECT_AT_MOST)
}

pub(super) fn wrong(field: &'static str, text: &[u8]) -> LineError {
    let text = String::from_utf8_lossy(text);
    LineError::Field { field, text: format!("`{}`", clean_to(&text, SAID)) }
}

/// What is left of a line.
struct Fields<'a>(&'a [u8]);

impl<'a> Fields<'a> {
    /// The field up to the next blank.
    fn word(&mut self, field: &'static str) -> Result<&'a [u8], LineError> {
        let end = memchr(b' ', self.0).unwrap_or(self.0.len());
        let (word, rest) = self.0.split_at(end);
        if word.is_empty() {
            return Err(LineError::Short(field));
        }
        self.0 = rest.get(1..).unwrap_or_default();
        Ok(word)
    }

    /// The time, without its brackets.
    fn bracketed(&mut self) -> Result<&'a [u8], LineError> {
        let inner = self.0.strip_prefix(b"[").ok_or(LineError::Short("time"))?;
        let end = memchr(b']', inner).ok_or(LineError::Short("time"))?;
        self.0 = inner.get(end + 2..).unwrap_or_default();
        Ok(&inner[..end])
    }

    /// Passes over the request, which is in quotes, or is `-`. Clients may put quotes in it: the one that ends it has a blank
    /// and a status behind it.
    fn request(&mut self) -> Result<(), LineError> {
        let Some(inner) = self.0.strip_prefix(b"\"") else {
            return self.word("request_uri").map(drop);
        };
        let is_end = |at: &usize| {
            let is_escaped =
                inner[..*at].iter().rev().take_while(|byte| **byte == b'\\').count() % 2 == 1;
            let is_status = match &inner[at + 1..] {
                [b' ', b'-', rest @ ..] => rest.first().is_none_or(|byte| *byte == b' '),
                [b' ', a, b, c, rest @ ..] => {
                    [a, b, c].into_iter().all(u8::is_ascii_digit)
                        && rest.first().is_none_or(|byte| *byte == b' ')
                }
                _ => false,
            };
            is_status && !is_escaped
        };
        let end = memchr_iter(b'"', inner).find(is_end).ok_or(LineError::Quote)?;
        self.0 = inner.get(end + 2..).unwrap_or_default();
        Ok(())
    }
}
