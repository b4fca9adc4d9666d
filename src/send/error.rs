//! Why a message was not taken, and whether it may be sent again.

use std::fmt;
use std::time::Duration;

use jiff::Timestamp;

use crate::domain::address::without_secrets;
use crate::domain::error::with_fix;
use crate::domain::text::clean;
use crate::domain::{ErrorKind, SourceError};
use crate::source::http::Answer;

/// Whether a message that was not taken is sent again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Retry {
    /// Yes; not before this time is over where the server asked for one.
    After(Option<Duration>),
    /// No: it would be turned down again.
    Never,
}

/// A message that was not taken. The texts are clean and hold neither secrets nor paths of addresses, which are secrets
/// at some servers.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct SendError {
    /// What went wrong, on what, one line.
    pub message: String,
    /// What the user can do about it, one sentence; empty when there is no advice.
    pub fix: String,
    /// Whether it is sent again.
    pub retry: Retry,
}

impl SendError {
    /// An error after which the same message would be turned down again.
    pub fn never(message: impl fmt::Display, fix: &str) -> Self {
        Self::new(&message.to_string(), fix, Retry::Never)
    }

    /// An error that may pass.
    pub fn later(message: impl fmt::Display, fix: &str) -> Self {
        Self::new(&message.to_string(), fix, Retry::After(None))
    }

    /// An error; its texts are cleaned.
    pub fn new(message: &str, fix: &str, retry: Retry) -> Self {
        let clean = |text: &str| clean(&without_secrets(text)).into_owned();
        Self { message: clean(message), fix: clean(fix), retry }
    }

    /// What went wrong and, behind a semicolon, what can be done about it.
    pub fn with_fix(&self) -> String {
        with_fix(self, &self.fix)
    }
}

/// A call without an answer.
impl From<SourceError> for SendError {
    fn from(error: SourceError) -> Self {
        let retry = match error.kind {
            kind if kind.is_transient() => Retry::After(None),
            ErrorKind::Unavailable | ErrorKind::ClockSkew | ErrorKind::Expired => {
                Retry::After(None)
            }
            _ => Retry::Never,
        };
        Self::new(&error.message, error.advice(), retry)
    }
}

/// The error that an answer other than success is. Nothing of its body is in it.
pub fn refusal(answer: &Answer, now: Timestamp) -> SendError {
    let host = &answer.place.host;
    let wait = Retry::After(retry_after(&answer.retry_after, now));
    let (what, fix, retry) = match answer.status {
        300..=399 => (
            format!("redirects to {} and took nothing", host_of(&answer.location)),
            "give the address it leads to: no redirect is followed",
            Retry::Never,
        ),
        401 => {
            ("wants other credentials".to_owned(), "check the secret of this sink", Retry::Never)
        }
        403 => (
            "lets nothing in with this secret".to_owned(),
            "check the secret of this sink",
            Retry::Never,
        ),
        404 | 405 | 410 => (
            "has nothing that takes messages at this address".to_owned(),
            "check the address: it may have been taken back",
            Retry::Never,
        ),
        413 => {
            ("finds the message too large".to_owned(), "send less with a template", Retry::Never)
        }
        408 | 425 | 429 => ("asks to wait".to_owned(), "", wait),
        400..=499 => (
            "turned the message down".to_owned(),
            "check what is posted: the body of this sink, its headers and its signature",
            Retry::Never,
        ),
        _ => ("failed".to_owned(), "look at the log of the server", wait),
    };
    SendError::new(&format!("{host} {what} (HTTP {})", answer.status), fix, retry)
}

/// Host and port of an address; `another address` for what is none.
fn host_of(location: &str) -> String {
    let place = location.split_once("://").map(|(_, rest)| rest).unwrap_or_default();
    let host = place.split(['/', '?', '#']).next().unwrap_or_default();
    if host.is_empty() { "another address".to_owned() } else { host.to_owned() }
}

/// Time to wait by a `Retry-After`, seconds or a date; `None` without one, or for what is none.
fn retry_after(text: &str, now: Timestamp) -> Option<Duration> {
    let text = text.trim();
    if text.bytes().all(|byte| byte.is_ascii_digit()) {
        return text.parse().ok().map(Duration::from_secs);
    }
    let at = jiff::fmt::rfc2822::parse(text).ok()?.timestamp();
    Some(Duration::from_secs(at.as_second().saturating_sub(now.as_second()).max(0) as u64))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_time_to_wait_is_in_seconds_or_until_a_date() {
        let now: Timestamp = "1994-11-06T08:48:37Z".parse().unwrap();
        let seconds = |text: &str| retry_after(text, now).map(|wait| wait.as_secs());
        assert_eq!(seconds("30"), Some(30));
        assert_eq!(seconds(" 0 "), Some(0));
        assert_eq!(seconds("Sun, 06 Nov 1994 08:49:37 GMT"), Some(60));
        assert_eq!(seconds("Sun, 06 Nov 1994 08:00:00 GMT"), Some(0), "a date that is over");
        for none in ["", "soon", "-5", "1.5", "99999999999999999999999", "Sun, 99 Nov 1994"] {
            assert_eq!(seconds(none), None, "{none}");
        }
    }

    #[test]
    fn of_a_redirect_only_the_host_is_told() {
        assert_eq!(host_of("https://login.example:8443/a/s3cr3t"), "login.example:8443");
        assert_eq!(host_of(""), "another address");
    }

    #[test]
    fn texts_are_clean_and_hold_no_query() {
        let error = SendError::never("a\u{1b}[2J https://h/?token=s3cr3t", "b\nc");
        assert!(!format!("{error:?}").contains("s3cr3t"));
        assert_eq!(error.fix, "b\u{fffd}c");
        assert!(!error.message.contains('\u{1b}'));
    }
}
