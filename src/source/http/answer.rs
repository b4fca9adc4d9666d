//! What came back, read within its bounds.

use reqwest::Response;
use reqwest::header::{CONTENT_TYPE, LOCATION, RETRY_AFTER};

use super::error::{self, Place};
use super::{Limit, Url};
use crate::domain::{ErrorKind, SourceError};

/// Expected kind of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Expect {
    /// A JSON object.
    Json,
    /// Text, such as a page of metrics.
    Text,
}

/// An HTTP answer of any status.
#[derive(Clone, Debug)]
pub struct Answer {
    /// HTTP status code.
    pub status: u16,
    /// Decompressed body.
    pub body: Vec<u8>,
    /// `Content-Type`, lower case; empty when there is none.
    pub content_type: String,
    /// Target of a redirect that was not followed, without its query; empty without one.
    pub location: String,
    /// `Retry-After`: seconds or a date; empty without one.
    pub retry_after: String,
    /// False where a part of the body is missing, which only clients that deliver take.
    pub is_whole: bool,
    /// Operation and host, for messages.
    pub place: Place,
}

impl Answer {
    /// True for a status of 200–299.
    pub fn is_success(&self) -> bool {
        (200..300).contains(&self.status)
    }

    /// True when the body is a web page (of a login or a proxy), which no metric server sends.
    pub fn is_html(&self) -> bool {
        self.content_type.starts_with("text/html") || self.body.trim_ascii_start().starts_with(b"<")
    }

    /// This answer, when it is usable.
    ///
    /// # Errors
    /// A status other than success; a web page.
    pub fn checked(self, expect: Expect) -> Result<Self, SourceError> {
        if !self.is_success() {
            return Err(error::from_status(self.status, &self.location, &self.place));
        }
        if self.is_html() {
            let wanted = match expect {
                Expect::Json => "JSON",
                Expect::Text => "metrics",
            };
            return Err(self.place.error(
                ErrorKind::Malformed,
                &format!("a web page came instead of {wanted}"),
                "check the address: a login page or a proxy may stand before it",
            ));
        }
        Ok(self)
    }
}

/// Reads a response to its end. Err when it breaks off or exceeds `limit`; with `parts` that is an answer which is not
/// whole.
pub(super) async fn read(
    mut response: Response,
    place: Place,
    limit: Limit,
    parts: bool,
) -> Result<Answer, SourceError> {
    let header = |name| response.headers().get(name).and_then(|v| v.to_str().ok());
    let content_type = header(CONTENT_TYPE).unwrap_or_default().to_ascii_lowercase();
    let retry_after = header(RETRY_AFTER).unwrap_or_default().to_owned();
    let location = header(LOCATION).and_then(|to| response.url().join(to).ok());
    let location = location.as_ref().map(shown).unwrap_or_default();
    let status = response.status().as_u16();
    // The length a server announces is not believed further than this.
    let announced = response.content_length().unwrap_or(0).min(1 << 20) as usize;
    let mut body = Vec::with_capacity(announced.min(limit.bytes));
    let mut is_whole = true;
    loop {
        match response.chunk().await {
            Ok(None) => break,
            Ok(Some(part)) if body.len() + part.len() <= limit.bytes => {
                body.extend_from_slice(&part);
            }
            Ok(Some(_)) if !parts => return Err(too_large(&place, limit)),
            Err(error) if !parts => return Err(error::from_http(error, &place, limit)),
            _ => {
                is_whole = false;
                break;
            }
        }
    }
    Ok(Answer { status, body, content_type, location, retry_after, is_whole, place })
}

fn too_large(place: &Place, limit: Limit) -> SourceError {
    let bound = if limit.bytes >= 1 << 20 {
        format!("{} MiB", limit.bytes >> 20)
    } else {
        format!("{} bytes", limit.bytes)
    };
    place.error(
        ErrorKind::Malformed,
        &format!("the answer is larger than {bound}"),
        "narrow what is asked for, or check that the address is that of the server that is meant",
    )
}

/// An address without its query, user and password.
fn shown(url: &Url) -> String {
    format!("{}{}", url.origin().ascii_serialization(), url.path())
}
