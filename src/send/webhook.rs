//! Any HTTP server that takes JSON by POST; every status of 200–299 is success.

use std::time::Duration;

use jiff::Timestamp;
use url::Url;

use super::error::{SendError, refusal};
use super::post::{JSON, Post, post};
use super::{secret, signature, target};
use crate::domain::Secret;
use crate::source::http::Http;
use crate::watch::body::{Body, alert_json};
use crate::watch::message::{Message, MessageKind};
use crate::watch::sink::{AtEnd, SecretFrom, UrlFrom};

/// Header with the key of the message, by which a server knows one that it has already.
const IDEMPOTENCY: &str = "Idempotency-Key";

/// Headers that are not the user's to set.
const OURS: [&str; 12] = [
    "host",
    "content-type",
    "content-length",
    "content-encoding",
    "transfer-encoding",
    "connection",
    "expect",
    "te",
    "upgrade",
    "idempotency-key",
    "x-burntop-signature",
    "x-burntop-timestamp",
];

/// What of a sink says how it is posted.
pub struct Webhook<'a> {
    pub url: &'a UrlFrom,
    pub body: Option<&'a Body>,
    pub hmac: Option<&'a SecretFrom>,
    pub secret: Option<&'a SecretFrom>,
    pub headers: &'a [(String, SecretFrom)],
    pub at_end: Option<&'a AtEnd>,
    pub allow_loopback: bool,
}

impl Webhook<'_> {
    /// Posts a message.
    pub async fn send(
        &self,
        http: &Http,
        timeout: Duration,
        message: &Message,
        now: Timestamp,
    ) -> Result<(), SendError> {
        self.check()?;
        let at_end = self.at_end.filter(|_| message.kind == MessageKind::Resolved);
        let (url, own) = match at_end {
            Some(end) => (self.end_url(end, &message.thread)?, end.body.as_ref()),
            None => (target::of(self.url, self.allow_loopback).await?, None),
        };
        let body = match own.or(self.body) {
            None => alert_json(message),
            Some(template) => {
                let from = self.secret.filter(|_| template.needs_secret());
                let secret = match from {
                    Some(from) => Some(secret::read(from).await?),
                    None => None,
                };
                template.render(message, secret.as_ref().map(Secret::reveal))
            }
        };
        let mut headers = Vec::new();
        for (name, from) in self.headers {
            headers.push((name.clone(), secret::read(from).await?));
        }
        headers.push((IDEMPOTENCY.to_owned(), Secret::new(&*message.key)));
        if let Some(key) = self.hmac {
            let signed = signature::headers(&secret::read(key).await?, now, &body);
            headers.extend(signed.map(|(name, value)| (name.to_owned(), Secret::new(value))));
        }
        let answer =
            post(http, "webhook:post", Post { url, kind: JSON, body, headers }, timeout).await?;
        if answer.is_success() { Ok(()) } else { Err(refusal(&answer, now)) }
    }

    /// Checks what can be known without its secrets.
    ///
    /// # Errors
    /// An address that nothing is sent to, a template with a place for a secret and no secret, a header that is not the
    /// user's to set.
    pub fn check(&self) -> Result<(), SendError> {
        if let UrlFrom::Plain(text) = self.url {
            target::checked(text, "the address", self.allow_loopback)?;
        }
        if let Some(end) = self.at_end {
            self.end_url(end, "0")?;
        }
        let bodies = [self.body, self.at_end.and_then(|end| end.body.as_ref())];
        if self.secret.is_none() && bodies.into_iter().flatten().any(Body::needs_secret) {
            return Err(SendError::never(
                "the template has a place for a secret, and the sink names none",
                "name it by secret_file or secret_env",
            ));
        }
        let ours = |name: &str| OURS.iter().any(|own| own.eq_ignore_ascii_case(name));
        match self.headers.iter().find(|(name, _)| ours(name)) {
            Some((name, _)) => Err(SendError::never(
                format!("the header {name} is set by burntop"),
                "leave it out of the headers of this sink",
            )),
            None => Ok(()),
        }
    }

    fn end_url(&self, end: &AtEnd, thread: &str) -> Result<Url, SendError> {
        let url = end.url.replace("{{thread}}", thread);
        if url.contains("{{") {
            return Err(SendError::never(
                "the address at the end has a name that is not known there",
                "only {{thread}} can stand in it",
            ));
        }
        target::checked(&url, "the address at the end", self.allow_loopback)
    }
}

#[cfg(test)]
mod tests;
