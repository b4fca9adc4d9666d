//! What a source says when it fails: what, on what, and what the user can do.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::address::without_secrets;
use super::text;

/// The kind of trouble, from which the header's word and the retry policy follow.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ErrorKind {
    /// No credentials anywhere in the chain.
    NoCredentials,
    /// Credentials were there and have expired (a session, an SSO token).
    Expired,
    /// The caller may not do this.
    Denied,
    /// The service asked us to slow down.
    Throttled,
    /// No answer in time.
    Timeout,
    /// Could not connect, or the connection broke.
    Network,
    /// This machine's clock and the service's differ too much for signatures.
    ClockSkew,
    /// The answer made no sense.
    Malformed,
    /// Our own daily cap on billed calls is reached.
    OwnCostCap,
    /// Not available: a service without this operation, a region not enabled.
    Unavailable,
    /// Anything else; of a call that changes something: it may have happened.
    Other,
    /// The service turned the request down (a wrong state, a protected instance, an unknown id, a
    /// quota): it was not carried out, and the same request will be turned down again.
    Refused,
}

impl ErrorKind {
    /// One word for the header: `denied`, `throttled`.
    pub fn word(self) -> &'static str {
        match self {
            Self::NoCredentials => "no credentials",
            Self::Expired => "expired",
            Self::Denied => "denied",
            Self::Throttled => "throttled",
            Self::Timeout => "timeout",
            Self::Network => "unreachable",
            Self::ClockSkew => "clock skew",
            Self::Malformed => "malformed",
            Self::OwnCostCap => "capped",
            Self::Unavailable => "unavailable",
            Self::Other => "error",
            Self::Refused => "refused",
        }
    }

    /// True when trying again by itself can help.
    pub fn is_transient(self) -> bool {
        matches!(
            self,
            Self::Throttled | Self::Timeout | Self::Network | Self::Malformed | Self::Other
        )
    }

    /// True when a reading is tried again before it is due: the trouble passes by itself, or somebody
    /// logs in again.
    pub fn may_pass(self) -> bool {
        self.is_transient() || matches!(self, Self::Expired | Self::NoCredentials)
    }
}

/// A failure of a source. All text is clean.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[error("{operation}: {message}")]
pub struct SourceError {
    /// The kind of trouble.
    pub kind: ErrorKind,
    /// What was tried, as IAM names it: `ec2:DescribeInstances`.
    pub operation: String,
    /// What went wrong, one line.
    pub message: String,
    /// What the user can do about it, one sentence; empty when nothing sensible can be said.
    pub fix: String,
}

/// What went wrong and, behind a semicolon, what can be done about it; `fix` may be empty.
pub fn with_fix(message: impl fmt::Display, fix: &str) -> String {
    match fix {
        "" => message.to_string(),
        fix => format!("{message}; {fix}"),
    }
}

impl SourceError {
    /// Builds an error; the texts are cleaned, and addresses in them lose what may be secret.
    pub fn new(kind: ErrorKind, operation: &str, message: &str, fix: &str) -> Self {
        let clean = |t: &str| text::clean(&without_secrets(t)).into_owned();
        Self { kind, operation: clean(operation), message: clean(message), fix: clean(fix) }
    }

    /// What was tried, what went wrong, and what can be done about it.
    pub fn with_fix(&self) -> String {
        with_fix(self, &self.fix)
    }
}
