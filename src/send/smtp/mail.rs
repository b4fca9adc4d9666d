//! A message as a mail.

use std::time::{Duration, SystemTime};

use lettre::message::header::{ContentType, HeaderName, HeaderValue};
use lettre::message::{Mailbox, MultiPart, SinglePart};

use super::super::error::SendError;
use super::super::plain;
use crate::domain::text::{clean_to, is_unsafe};
use crate::watch::message::{Message, Severity};

/// Most characters of a subject.
const SUBJECT: usize = 200;

/// A mailbox: `ops@example.com`, `GPU watch <watch@example.com>`.
///
/// # Errors
/// It is none; a domain without a full stop is one.
pub fn mailbox(text: &str) -> Result<Mailbox, SendError> {
    let parsed = if text.contains(is_unsafe) { None } else { text.parse::<Mailbox>().ok() };
    parsed.ok_or_else(|| {
        let fix = "write it as name@example.com, or as Name <name@example.com>";
        SendError::never(format!("`{}` is no mailbox", clean_to(text, 80)), fix)
    })
}

/// The mail. Its `Message-ID` follows from the key of the message, so that one that came twice is known to be the same;
/// `References` from its thread, so that an alert and its end stand together.
///
/// # Errors
/// A mailbox is none, or there is nobody to send to.
pub fn mail(from: &str, to: &[String], message: &Message) -> Result<lettre::Message, SendError> {
    let from = mailbox(from)?;
    let domain = from.email.domain().to_owned();
    let id = |name: &str| format!("<{}@{domain}>", word(name));
    let thread = id(&format!("thread-{}", message.thread));
    let at = Duration::from_secs(message.at.as_second().max(0) as u64);
    let mut mail = lettre::Message::builder()
        .from(from)
        .subject(clean_to(message.title.trim(), SUBJECT).into_owned())
        .date(SystemTime::UNIX_EPOCH + at)
        .message_id(Some(id(&message.key)))
        .in_reply_to(thread.clone())
        .references(thread)
        // No out-of-office notice comes back (RFC 3834).
        .raw_header(raw("Auto-Submitted", "auto-generated"));
    if message.severity == Severity::Critical {
        mail = mail.raw_header(raw("Importance", "high"));
    }
    for address in to {
        mail = mail.to(mailbox(address)?);
    }
    let text = SinglePart::builder().header(ContentType::TEXT_PLAIN).body(plain::text(message));
    let built = match &message.html {
        None => mail.singlepart(text),
        Some(html) => {
            let html = SinglePart::builder().header(ContentType::TEXT_HTML).body(html.clone());
            mail.multipart(MultiPart::alternative().singlepart(text).singlepart(html))
        }
    };
    built.map_err(|_| SendError::never("the mail has no recipient", "name one in `to`"))
}

/// What a message id may hold of a name.
fn word(name: &str) -> String {
    name.chars().filter(|c| c.is_ascii_alphanumeric() || *c == '-').take(100).collect()
}

fn raw(name: &'static str, value: &str) -> HeaderValue {
    HeaderValue::new(HeaderName::new_from_ascii_str(name), value.to_owned())
}
