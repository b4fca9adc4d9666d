//! Where alerts go, as a rules file says it. A secret itself never stands there: a file or a variable of the environment
//! has it, and it is read when it is used.

use std::path::PathBuf;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::body::Body;
use super::message::Severity;

/// Where a secret is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SecretFrom {
    /// A file; white space around its text does not count.
    File(PathBuf),
    /// A variable of the environment.
    Env(String),
}

/// An address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum UrlFrom {
    /// One without a secret in it.
    Plain(String),
    /// One that is a secret, as those of Slack are.
    Secret(SecretFrom),
}

/// The other request that tells the end of an alert, for servers that take it elsewhere than its beginning, as Opsgenie does.
#[derive(Clone, Debug, PartialEq)]
pub struct AtEnd {
    /// Its address, without a secret; `{{thread}}` in it stands for that of the message.
    pub url: String,
    /// What is posted there; `None` = what is posted at the beginning.
    pub body: Option<Body>,
}

/// How a mail server is talked to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SmtpTls {
    /// TLS from the first byte, port 465.
    Wrapped,
    /// STARTTLS, and nothing without it, port 587.
    #[default]
    #[serde(rename = "starttls")]
    StartTls,
    /// In clear: to this host alone.
    None,
}

/// Where and how.
#[derive(Clone, Debug, PartialEq)]
pub enum Destination {
    /// An incoming webhook of Slack.
    Slack {
        /// Its address.
        url: UrlFrom,
    },
    /// Any HTTP server that takes JSON by POST.
    Webhook {
        /// Its address.
        url: UrlFrom,
        /// What is posted; `None` = the message as JSON, `burntop/alert/1`.
        body: Option<Body>,
        /// Key of the signature `X-Burntop-Signature: sha256=…`; `None` = not signed.
        hmac: Option<SecretFrom>,
        /// What `{{secret}}` stands for in the body; `None` = the body has none.
        secret: Option<SecretFrom>,
        /// Further headers with where their values are.
        headers: Vec<(String, SecretFrom)>,
        /// Where and how the end of an alert is told; `None` = as its beginning.
        at_end: Option<AtEnd>,
    },
    /// A topic of Amazon SNS.
    Sns {
        /// ARN of the topic, which names its region.
        topic: String,
        /// AWS profile to publish with; `None` = the default credentials.
        profile: Option<String>,
    },
    /// Mail.
    Smtp {
        /// Host name of the server.
        host: String,
        /// Port.
        port: u16,
        /// Encryption.
        tls: SmtpTls,
        /// User with the place of the password; `None` = none are asked for.
        login: Option<(String, SecretFrom)>,
        /// Sender.
        from: String,
        /// Who gets it, one at least.
        to: Vec<String>,
    },
    /// JSON lines, `burntop/alert/1`, appended to a file.
    File {
        /// The file; it is made where there is none.
        path: PathBuf,
    },
    /// Text on standard output.
    Stdout,
}

/// A sink.
#[derive(Clone, Debug, PartialEq)]
pub struct Sink {
    /// Its name, unique in the file.
    pub name: String,
    /// Where it leads.
    pub to: Destination,
    /// Least severity that it takes.
    pub least: Severity,
    /// Time limit of one try.
    pub timeout: Duration,
    /// True where plain HTTP to this host is allowed, which the file says by `allow_loopback = true`.
    pub allow_loopback: bool,
}
