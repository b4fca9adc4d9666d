//! How messages reach the sinks of a rules file.
//!
//! | file | holds |
//! |---|---|
//! | `slack`, `webhook`, `sns`, `smtp`, `file`, `stdout` | one kind of sink each |
//! | `target`, `post` | where HTTP may go, and one POST |
//! | `secret` | secrets, read where they are used |
//! | `signature` | the signature of a webhook |
//! | `plain` | a message as text |
//! | `error` | why a message was not taken, and whether it is sent again |
//! | `backoff` | when it is sent again |
//! | `dead_letters`, `json_lines` | what was given up, and the file that it is kept in |

pub mod backoff;
pub mod dead_letters;
mod error;
mod file;
pub mod json_lines;
mod plain;
mod post;
mod secret;
mod signature;
mod slack;
mod smtp;
mod sns;
mod stdout;
mod target;
#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;
mod webhook;

use std::io::Write;
use std::path::PathBuf;
use std::sync::OnceLock;
use std::time::Duration;

use jiff::Timestamp;

pub use self::error::{Retry, SendError};
use self::smtp::Smtp;
use self::webhook::Webhook;
use crate::source::http::{ClientTls, Delivery, Http, HttpSettings};
use crate::watch::message::Message;
use crate::watch::sink::{Destination, SecretFrom, Sink, UrlFrom};

/// Longest time for a connection with its TLS; the limit of a try holds as well.
const CONNECT: Duration = Duration::from_secs(10);

/// Longest time for what comes before a request: secrets are read, credentials found.
const BEFORE: Duration = Duration::from_secs(20);

/// What sends messages. It keeps no secrets: each is read when it is used.
pub struct Sender {
    now: fn() -> Timestamp,
    /// Certificates of the only authorities to trust, PEM; `None` = the system's.
    ca: Option<Vec<u8>>,
    /// HTTP clients: to this host or not, with the further authorities of AWS or not. Made when first needed.
    clients: [OnceLock<Result<Http, SendError>>; 4],
    accounts: sns::Accounts,
}

impl Sender {
    /// Sends by the system's certificates and the proxies of the environment.
    pub fn new() -> Self {
        Self {
            now: Timestamp::now,
            ca: None,
            clients: Default::default(),
            accounts: sns::Accounts::default(),
        }
    }

    /// Sends a message to a sink, once; whether the sink takes its severity is the caller's question. Sinks of the kind
    /// `stdout` write to `out`.
    ///
    /// # Errors
    /// The sink did not take it, or it is not known that it did. The error says whether it may be sent again; a server
    /// that knows the key of the message takes one that comes twice for one.
    pub async fn send(
        &self,
        sink: &Sink,
        message: &Message,
        out: &mut dyn Write,
    ) -> Result<(), SendError> {
        let whole = sink.timeout.saturating_add(BEFORE);
        tokio::time::timeout(whole, self.once(sink, message, out)).await.unwrap_or_else(|_| {
            let fix = "check the files and credentials that this sink names";
            Err(SendError::later(format!("not sent within {} s", whole.as_secs_f64()), fix))
        })
    }

    async fn once(
        &self,
        sink: &Sink,
        message: &Message,
        out: &mut dyn Write,
    ) -> Result<(), SendError> {
        let (here, timeout, now) = (sink.allow_loopback, sink.timeout, (self.now)());
        match &sink.to {
            Destination::Slack { url } => {
                slack::send(&self.http(here, false)?, url, here, timeout, message, now).await
            }
            Destination::Webhook { .. } => match webhook(sink) {
                Some(webhook) => {
                    webhook.send(&self.http(here, false)?, timeout, message, now).await
                }
                None => Ok(()),
            },
            Destination::Sns { topic, profile } => {
                let http = |here| self.http(here, true);
                let profile = profile.as_deref();
                sns::send(http, &self.accounts, topic, profile, timeout, message, now).await
            }
            Destination::Smtp { .. } => match smtp(sink, self.ca.as_deref()) {
                Some(smtp) => smtp.send(timeout, message).await,
                None => Ok(()),
            },
            Destination::File { path } => file::send(path, message).await,
            Destination::Stdout => stdout::send(out, message),
        }
    }

    /// The HTTP client: with addresses on this host or without, with `AWS_CA_BUNDLE` or without.
    fn http(&self, loopback: bool, aws: bool) -> Result<Http, SendError> {
        let made = || {
            let bundle = std::env::var_os("AWS_CA_BUNDLE").filter(|path| aws && !path.is_empty());
            Ok(Http::new(HttpSettings {
                connect: CONNECT,
                // Messages are rare: a connection kept would be one that the server has closed.
                idle_per_host: 0,
                more_ca_file: bundle.map(PathBuf::from),
                tls: ClientTls { ca: self.ca.clone(), ..ClientTls::default() },
                delivery: Some(Delivery { loopback }),
                ..HttpSettings::default()
            })?)
        };
        self.clients[usize::from(loopback) << 1 | usize::from(aws)].get_or_init(made).clone()
    }
}

/// Checks what can be known of a sink without sending and without its secrets.
///
/// # Errors
/// It would take no message: an address that nothing is sent to, a template without its secret, a topic that is none, a
/// mailbox that is none, mail in clear.
pub fn check(sink: &Sink) -> Result<(), SendError> {
    match &sink.to {
        Destination::Slack { url: UrlFrom::Plain(text) } => {
            target::checked(text, "the address", sink.allow_loopback).map(|_| ())
        }
        Destination::Sns { topic, .. } => sns::Topic::parse(topic).map(|_| ()),
        _ => {
            webhook(sink).map_or(Ok(()), |webhook| webhook.check())?;
            smtp(sink, None).map_or(Ok(()), |smtp| smtp.check())
        }
    }
}

/// What is wrong with a sink as far as it can be known without sending: what [`check`] finds, secrets that cannot be read
/// now, addresses in them that nothing is sent to.
pub fn check_secrets(sink: &Sink) -> Vec<SendError> {
    let (url, others): (Option<&UrlFrom>, Vec<&SecretFrom>) = match &sink.to {
        Destination::Slack { url } => (Some(url), Vec::new()),
        Destination::Webhook { url, hmac, secret, headers, .. } => {
            let values = headers.iter().map(|(_, from)| from);
            (Some(url), hmac.iter().chain(secret).chain(values).collect())
        }
        Destination::Smtp { login, .. } => (None, login.iter().map(|(_, from)| from).collect()),
        Destination::Sns { .. } | Destination::File { .. } | Destination::Stdout => {
            (None, Vec::new())
        }
    };
    let of_url = match url {
        Some(UrlFrom::Secret(from)) => secret::read_here(from).and_then(|text| {
            target::checked(text.reveal(), &secret::place(from), sink.allow_loopback).map(|_| ())
        }),
        _ => Ok(()),
    };
    let read = others.into_iter().map(|from| secret::read_here(from).map(|_| ()));
    [check(sink), of_url].into_iter().chain(read).filter_map(Result::err).collect()
}

/// The webhook that a sink is; `None` for another kind.
fn webhook(sink: &Sink) -> Option<Webhook<'_>> {
    let Destination::Webhook { url, body, hmac, secret, headers, at_end } = &sink.to else {
        return None;
    };
    Some(Webhook {
        url,
        body: body.as_ref(),
        hmac: hmac.as_ref(),
        secret: secret.as_ref(),
        headers,
        at_end: at_end.as_ref(),
        allow_loopback: sink.allow_loopback,
    })
}

/// The mail server that a sink is; `None` for another kind.
fn smtp<'a>(sink: &'a Sink, ca: Option<&'a [u8]>) -> Option<Smtp<'a>> {
    let Destination::Smtp { host, port, tls, login, from, to } = &sink.to else { return None };
    Some(Smtp {
        host,
        port: *port,
        tls: *tls,
        login: login.as_ref(),
        from,
        to,
        allow_loopback: sink.allow_loopback,
        ca,
    })
}
