//! Data events of `CloudTrail`. They tell bytes, not sizes of objects.

use std::borrow::Cow;

use jiff::Timestamp;
use serde::Deserialize;

use super::error::LineError;
use super::event::{ObjectTold, Other, Told};
use super::s3::wrong;
use crate::domain::json::why_no_json;
use crate::domain::object_reads::OBJECT_AT_MOST;
use crate::domain::text::clean;

/// Events after which an object is another one.
const WRITES: [&str; 5] =
    ["PutObject", "CopyObject", "CompleteMultipartUpload", "DeleteObject", "PostObject"];

/// What is read of an event.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Event<'a> {
    #[serde(borrow, default)]
    event_source: Cow<'a, str>,
    #[serde(borrow, default)]
    event_name: Cow<'a, str>,
    #[serde(borrow, default)]
    event_time: Cow<'a, str>,
    #[serde(borrow, default, rename = "sourceIPAddress")]
    source_ip_address: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    error_code: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    request_parameters: Option<Parameters<'a>>,
    #[serde(default)]
    additional_event_data: Option<Additional>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Parameters<'a> {
    #[serde(borrow, default)]
    bucket_name: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    key: Option<Cow<'a, str>>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Additional {
    #[serde(default)]
    bytes_transferred_out: Option<f64>,
}

/// The event in a text. Err for what is none.
pub(super) fn event(text: &[u8]) -> Result<Event<'_>, LineError> {
    serde_json::from_slice(text).map_err(|e| LineError::Json(clean(&why_no_json(&e)).into_owned()))
}

impl Event<'_> {
    /// What it tells. Err where it lacks something.
    pub fn told(&self) -> Result<Told<'_>, LineError> {
        if self.event_name.is_empty() {
            return Err(LineError::Short("eventName"));
        }
        let is_s3 =
            self.event_source.starts_with("s3.") || self.event_source.starts_with("s3express.");
        let is_read = self.event_name == "GetObject";
        if !is_s3 || !(is_read || WRITES.contains(&&*self.event_name)) {
            let is_head = is_s3 && self.event_name == "HeadObject";
            return Ok(Told::Other(if is_head { Other::Head } else { Other::Request }));
        }
        if self.error_code.is_some() {
            return Ok(Told::Other(if is_read { Other::Unsuccessful } else { Other::Request }));
        }
        let at: Timestamp =
            self.event_time.parse().map_err(|_| wrong("eventTime", self.event_time.as_bytes()))?;
        let parameters = self.request_parameters.as_ref();
        let part = |text: Option<&Cow<'_, str>>| text.map_or(0, |text| text.len());
        let (bucket, key) = (
            parameters.and_then(|of| of.bucket_name.as_ref()),
            parameters.and_then(|of| of.key.as_ref()),
        );
        if part(bucket) == 0 || part(key) == 0 {
            return Err(LineError::Short(if part(bucket) == 0 { "bucketName" } else { "key" }));
        }
        let sent = self.additional_event_data.as_ref().and_then(|data| data.bytes_transferred_out);
        let bytes = match sent {
            None if is_read => return Err(LineError::Short("bytesTransferredOut")),
            None => 0,
            Some(sent) if (0.0..=OBJECT_AT_MOST as f64).contains(&sent) => sent as u64,
            Some(sent) => return Err(wrong("bytesTransferredOut", sent.to_string().as_bytes())),
        };
        let object = ObjectTold {
            at: at.as_millisecond(),
            bucket: bucket.map_or(b"", |text| text.as_bytes()),
            key: key.map_or(b"", |text| text.as_bytes()),
            reader: self.source_ip_address.as_ref().map_or(b"-", |text| text.as_bytes()),
            bytes,
            size: None,
        };
        Ok(if is_read { Told::Read(object) } else { Told::Written(object) })
    }
}
