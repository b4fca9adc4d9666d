//! From HTTP's failures to what burntop says.

use std::error::Error;

use super::{Forbidden, Limit, Url, tls};
use crate::domain::{ErrorKind, SourceError};
use crate::source::causes::{chain, root};

/// Operation and host of a call, for messages. Never holds a path, a query or credentials.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// Operation, such as `prometheus:query`.
    pub operation: &'static str,
    /// `host:port` of the server.
    pub host: String,
}

impl std::fmt::Display for Place {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.host)
    }
}

impl Place {
    /// Place of a call to `url`.
    pub fn new(operation: &'static str, url: &Url) -> Self {
        let host = url.host_str().unwrap_or_default();
        let host = match url.port() {
            Some(port) => format!("{host}:{port}"),
            None => host.to_owned(),
        };
        Self { operation, host }
    }

    /// Error of a call at this place.
    pub fn error(&self, kind: ErrorKind, message: &str, fix: &str) -> SourceError {
        SourceError::new(kind, self.operation, &format!("{}: {message}", self.host), fix)
    }
}

/// Error of a call without an answer.
pub(super) fn from_http(error: reqwest::Error, place: &Place, limit: Limit) -> SourceError {
    // The address may hold a query.
    let error = error.without_url();
    let cause = root(&error);
    if let Some(why) = chain(&error).find_map(Forbidden::of) {
        return forbidden(why, place);
    }
    if error.is_timeout() {
        let message = if error.is_connect() {
            "no connection in time".to_owned()
        } else {
            format!("no answer within {} s", limit.time.as_secs_f64())
        };
        let fix = "check the address and the network path; burntop tries again by itself";
        return place.error(ErrorKind::Timeout, &message, fix);
    }
    if let Some(wrong) = tls::find(&error) {
        let (what, fix) = tls::words(wrong);
        return place.error(ErrorKind::Network, &format!("TLS: {what}"), fix);
    }
    if error.is_connect() {
        let fix = "check the address, DNS, firewalls, and that the server runs";
        return place.error(ErrorKind::Network, &format!("cannot connect: {cause}"), fix);
    }
    let again = "burntop tries again by itself";
    let io = chain(&error).any(<dyn Error>::is::<std::io::Error>);
    let broken = ["end of file before message", "connection closed", "connection reset"];
    if broken.iter().any(|words| cause.contains(words)) {
        let message = "the connection broke in the middle of the answer";
        return place.error(ErrorKind::Network, message, again);
    }
    if error.is_decode() || cause.contains("invalid HTTP") || cause.contains("parse") {
        let fix = "check that the address is that of the server that is meant";
        return place.error(ErrorKind::Malformed, &format!("unreadable answer: {cause}"), fix);
    }
    let kind = if io || error.is_body() { ErrorKind::Network } else { ErrorKind::Other };
    place.error(kind, &cause, again)
}

/// Error of a message to an address to which nothing is delivered.
pub(super) fn forbidden(why: Forbidden, place: &Place) -> SourceError {
    let fix = "give the address of the server that is meant; one on this host has to be allowed";
    place.error(ErrorKind::Refused, &format!("nothing is sent there: {why}"), fix)
}

/// Error for a status other than success.
pub(super) fn from_status(status: u16, location: &str, place: &Place) -> SourceError {
    let (kind, message, fix) = match status {
        300..=399 => (
            ErrorKind::Unavailable,
            format!("redirects to {location}"),
            "give the address it leads to; burntop follows no redirect to another host",
        ),
        401 => (
            ErrorKind::Denied,
            "wants credentials (HTTP 401)".to_owned(),
            "give a token or a user with a password file",
        ),
        403 => (
            ErrorKind::Denied,
            "may not be read with these credentials (HTTP 403)".to_owned(),
            "check the token, the tenant and what they may read",
        ),
        404 | 405 | 501 => (
            ErrorKind::Unavailable,
            format!("nothing of this kind here (HTTP {status})"),
            "check the path of the address: some servers want a prefix such as /prometheus",
        ),
        408 | 504 => (
            ErrorKind::Timeout,
            format!("took too long (HTTP {status})"),
            "burntop asks less often until it answers in time",
        ),
        429 | 503 => (
            ErrorKind::Throttled,
            format!("asks to slow down (HTTP {status})"),
            "burntop asks less often until it answers again",
        ),
        400..=499 => (
            ErrorKind::Refused,
            format!("turned the request down (HTTP {status})"),
            "check the address and the settings of this source",
        ),
        _ => (
            ErrorKind::Other,
            format!("failed (HTTP {status})"),
            "look at the server's log; burntop tries again by itself",
        ),
    };
    place.error(kind, &message, fix)
}
