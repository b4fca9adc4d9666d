//! Mail, by SMTP. Not through a proxy: those of the environment are for HTTP.

mod mail;
#[cfg(test)]
mod peer;

use std::net::SocketAddr;
use std::time::Duration;

use lettre::transport::smtp::Error;
use lettre::transport::smtp::authentication::{Credentials, DEFAULT_MECHANISMS};
use lettre::transport::smtp::client::{
    AsyncSmtpConnection, Certificate, CertificateStore, TlsParameters,
};
use lettre::transport::smtp::extension::ClientId;
use tokio::time;

pub use self::mail::mailbox;
use super::error::SendError;
use super::secret;
use crate::domain::Secret;
use crate::domain::text::clean_to;
use crate::source::http::{Delivery, Forbidden, tls};
use crate::watch::message::Message;
use crate::watch::sink::{SecretFrom, SmtpTls};

/// Most characters of a server's words that are repeated.
const WORDS: usize = 160;

/// What of a sink says how mail is sent.
pub struct Smtp<'a> {
    pub host: &'a str,
    pub port: u16,
    pub tls: SmtpTls,
    pub login: Option<&'a (String, SecretFrom)>,
    pub from: &'a str,
    pub to: &'a [String],
    pub allow_loopback: bool,
    /// Certificates of the only authorities to trust, PEM; `None` = the system's.
    pub ca: Option<&'a [u8]>,
}

impl Smtp<'_> {
    /// Sends one mail to all recipients. One whom the server turns down keeps the mail from the others as well.
    pub async fn send(&self, timeout: Duration, message: &Message) -> Result<(), SendError> {
        self.check()?;
        let mail = mail::mail(self.from, self.to, message)?;
        let password = match self.login {
            Some((_, from)) => Some(secret::read(from).await?),
            None => None,
        };
        let talk = self.talk(&mail, password.as_ref(), timeout);
        time::timeout(timeout, talk).await.unwrap_or_else(|_| {
            Err(self.later(
                &format!("no answer within {} s", timeout.as_secs_f64()),
                "check host and port, and the network path",
            ))
        })
    }

    /// Checks what can be known without its password.
    ///
    /// # Errors
    /// A mailbox that is none, nobody to send to, mail in clear to another host.
    pub fn check(&self) -> Result<(), SendError> {
        mailbox(self.from)?;
        for address in self.to {
            mailbox(address)?;
        }
        let odd = |c: char| !(c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_' | ':'));
        if self.host.is_empty() || self.host.contains(odd) {
            return Err(SendError::never(
                "the mail server is no name of a host",
                "write it without a port",
            ));
        }
        if self.to.is_empty() {
            return Err(SendError::never("the mail has no recipient", "name one in `to`"));
        }
        match self.tls {
            SmtpTls::None if !self.allow_loopback => Err(self.never(
                "mail is sent in clear to this host alone, where that is allowed",
                "use starttls or wrapped; for this host set allow_loopback = true in this sink",
            )),
            _ => Ok(()),
        }
    }

    async fn addresses(&self) -> Result<Vec<SocketAddr>, SendError> {
        let delivery = Delivery { loopback: self.allow_loopback };
        let found = delivery.addresses(self.host, self.port).await.map_err(|error| {
            match Forbidden::of(&error) {
                Some(why) => self.never(
                    &format!("nothing is sent there: {why}"),
                    "give another mail server; where this host is meant, set allow_loopback = true in this sink",
                ),
                None => self.later("no address is known of it", "check its name, and DNS"),
            }
        })?;
        if self.tls == SmtpTls::None && !found.iter().all(|address| address.ip().is_loopback()) {
            return Err(
                self.never("mail is sent in clear to this host alone", "use starttls or wrapped")
            );
        }
        Ok(found)
    }

    async fn talk(
        &self,
        mail: &lettre::Message,
        password: Option<&Secret>,
        timeout: Duration,
    ) -> Result<(), SendError> {
        let addresses = self.addresses().await?;
        let hello = ClientId::default();
        let tls = match self.tls {
            SmtpTls::None => None,
            SmtpTls::Wrapped | SmtpTls::StartTls => Some(self.tls_parameters()?),
        };
        let wrapped = tls.clone().filter(|_| self.tls == SmtpTls::Wrapped);
        let connect = AsyncSmtpConnection::connect_tokio1(
            &addresses[..],
            Some(timeout),
            &hello,
            wrapped,
            None,
        );
        let mut connection = connect.await.map_err(|error| self.failed(&error, true))?;
        if let (SmtpTls::StartTls, Some(tls)) = (self.tls, tls) {
            if !connection.can_starttls() {
                connection.abort().await;
                return Err(self.never(
                    "it offers no STARTTLS, and nothing is sent in clear",
                    "use wrapped with the port for it, or a server that has STARTTLS",
                ));
            }
            connection.starttls(tls, &hello).await.map_err(|error| self.failed(&error, true))?;
        }
        if let (Some((user, _)), Some(password)) = (self.login, password) {
            let credentials = Credentials::new(user.clone(), password.reveal().to_owned());
            if let Err(error) = connection.auth(DEFAULT_MECHANISMS, &credentials).await {
                connection.abort().await;
                // What the server says to a password may be the password.
                return Err(self.failed(&error, false));
            }
        }
        let sent = connection.send(mail.envelope(), &mail.formatted()).await;
        let sent = sent.map_err(|error| self.failed(&error, true));
        if sent.is_ok() {
            // The mail is taken; how the server says goodbye does not matter.
            let _ = connection.quit().await;
        }
        sent.map(|_| ())
    }

    fn tls_parameters(&self) -> Result<TlsParameters, SendError> {
        let mut builder = TlsParameters::builder(self.host.to_owned());
        if let Some(pem) = self.ca {
            builder = builder.certificate_store(CertificateStore::None);
            let certificate = Certificate::from_pem(pem);
            builder = builder.add_root_certificate(certificate.map_err(|_| {
                self.never("the authorities to trust are no certificates (PEM)", "name others")
            })?);
        }
        builder.build().map_err(|_| {
            self.later("cannot set up TLS", "the system's certificates must be installed")
        })
    }

    /// The error of a command; `says` where the server's words may be repeated.
    fn failed(&self, error: &Error, says: bool) -> SendError {
        if let Some(wrong) = tls::find(error) {
            let (what, fix) = tls::words(wrong);
            return self.later(&format!("TLS: {what}"), fix);
        }
        if let Some(code) = error.status() {
            let words = std::error::Error::source(error).map(ToString::to_string);
            let words = words.filter(|words| says && !words.is_empty());
            let words =
                words.map(|words| format!(": {}", clean_to(&words, WORDS))).unwrap_or_default();
            let message = format!("refused with {code}{words}");
            let (kind, fix) = match u16::from(code) {
                530..=538 => (false, "check user and password of this sink"),
                550..=553 => (false, "check `from` and `to` of this sink"),
                code => (code < 500, "look at the log of the mail server"),
            };
            return if kind { self.later(&message, fix) } else { self.never(&message, fix) };
        }
        if error.is_client() {
            let fix =
                "use another mail server: it has to offer PLAIN or LOGIN where a user is given";
            return self.never("it takes no mail in this way", fix);
        }
        if error.is_response() {
            return self.later("its answer is none of a mail server", "check host, port and tls");
        }
        self.later(
            "the connection failed",
            "check host, port and firewalls, and that the server runs",
        )
    }

    fn later(&self, what: &str, fix: &str) -> SendError {
        SendError::later(format!("{}:{}: {what}", self.host, self.port), fix)
    }

    fn never(&self, what: &str, fix: &str) -> SendError {
        SendError::never(format!("{}:{}: {what}", self.host, self.port), fix)
    }
}

#[cfg(test)]
mod tests;
