//! The error of a source: what was tried, on what, what went wrong, and what the user can do.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::address::without_secrets;
use super::text;

/// Kind of failure; decides the label in the header and whether a retry can help.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ErrorKind {
    /// No credentials anywhere in the chain.
    NoCredentials,
    /// Credentials exist and have expired (a session, an SSO token).
    Expired,
    /// The caller lacks the permission.
    Denied,
    /// The service throttled the request.
    Throttled,
    /// No answer within the timeout.
    Timeout,
    /// Could not connect, or the connection broke.
    Network,
    /// The clocks of this machine and the service differ too much for signed requests.
    ClockSkew,
    /// The answer could not be parsed or contradicts itself.
    Malformed,
    /// Our own daily cap on billed calls is reached.
    OwnCostCap,
    /// Not available: a service without this operation, a region not enabled.
    Unavailable,
    /// Anything else. A call that was to change something may have taken effect.
    Other,
    /// The service refused the request (wrong state, protected instance, unknown id, quota): nothing was carried out,
    /// and the same request will be refused again.
    Refused,
}

impl ErrorKind {
    /// Label for the header, such as `denied` or `throttled`.
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

    /// True when an automatic retry can help.
    pub fn is_transient(self) -> bool {
        matches!(
            self,
            Self::Throttled | Self::Timeout | Self::Network | Self::Malformed | Self::Other
        )
    }

    /// True when a reading is retried before it is due: the failure is transient, or a new login ends it.
    pub fn may_pass(self) -> bool {
        self.is_transient() || matches!(self, Self::Expired | Self::NoCredentials)
    }
}

/// A failure of a source. All text is clean.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[error("{operation}: {message}")]
pub struct SourceError {
    /// Kind of failure.
    pub kind: ErrorKind,
    /// Operation that failed, as IAM names it: `ec2:DescribeInstances`.
    pub operation: String,
    /// What went wrong, in one line.
    pub message: String,
    /// What the user can do about it, one sentence; empty when there is no advice.
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
    /// Builds an error; texts are cleaned, and secrets are removed from URLs in them.
    pub fn new(kind: ErrorKind, operation: &str, message: &str, fix: &str) -> Self {
        let clean = |t: &str| text::clean(&without_secrets(t)).into_owned();
        Self { kind, operation: clean(operation), message: clean(message), fix: clean(fix) }
    }

    /// What was tried, what went wrong, and what can be done about it.
    pub fn with_fix(&self) -> String {
        with_fix(self, &self.fix)
    }
}
