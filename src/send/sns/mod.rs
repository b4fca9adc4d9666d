//! Amazon SNS: `Publish` by its Query protocol, signed with Signature Version 4.

mod account;
mod topic;

use std::time::{Duration, SystemTime};

use aws_credential_types::Credentials;
use aws_sigv4::http_request::{SignableBody, SignableRequest, SigningSettings, sign};
use aws_sigv4::sign::v4;
use jiff::Timestamp;
use serde_json::{Map, Value};
use url::{Url, form_urlencoded};

use self::account::Account;
pub use self::account::Accounts;
pub use self::topic::Topic;
use super::error::{Retry, SendError, refusal};
use super::plain;
use super::post::{Post, post};
use super::target;
use crate::domain::Secret;
use crate::source::http::{Answer, FORM, Http};
use crate::watch::body::alert_json;
use crate::watch::message::Message;

/// Most characters of a subject: SNS takes fewer than 100, ASCII alone.
const SUBJECT: usize = 99;
/// Most bytes of a message with all its forms; SNS takes 256 KiB with the attributes.
const LARGEST: usize = 240 << 10;
/// Most bytes of the text by itself.
const TEXT: usize = 100 << 10;

/// Publishes a message. Plain HTTP to this host is allowed as well where the AWS settings name it as the endpoint.
pub async fn send(
    http: impl Fn(bool) -> Result<Http, SendError>,
    accounts: &Accounts,
    topic: &str,
    profile: Option<&str>,
    timeout: Duration,
    message: &Message,
    now: Timestamp,
) -> Result<(), SendError> {
    let topic = Topic::parse(topic)?;
    let account = accounts.of(profile, &topic).await?;
    publish(&http(account.is_own)?, &account, &topic, timeout, message, now).await
}

async fn publish(
    http: &Http,
    account: &Account,
    topic: &Topic<'_>,
    timeout: Duration,
    message: &Message,
    now: Timestamp,
) -> Result<(), SendError> {
    let url = target::checked(&account.endpoint, "the endpoint of SNS", account.is_own)?;
    let body = form(topic, message);
    let headers = signed(&url, &body, &account.credentials, topic.region, now).map_err(|what| {
        SendError::later(format!("the message cannot be signed: {what}"), "check the credentials")
    })?;
    let answer =
        post(http, "sns:Publish", Post { url, kind: FORM, body, headers }, timeout).await?;
    verdict(&answer, now)
}

/// Codes of refusals that pass: credentials that are renewed, a pace that is too fast, SNS itself.
const PASSING: [&str; 8] = [
    "ExpiredToken",
    "InternalError",
    "InternalFailure",
    "RequestExpired",
    "ServiceUnavailable",
    "Throttl",
    "TooManyRequests",
    "KMSThrottl",
];

fn verdict(answer: &Answer, now: Timestamp) -> Result<(), SendError> {
    if answer.is_success() {
        return Ok(());
    }
    let text = String::from_utf8_lossy(&answer.body);
    let code = text.split_once("<Code>").and_then(|(_, rest)| rest.split_once("</Code>"));
    let is_code = |code: &&str| {
        (1..=64).contains(&code.len())
            && code.chars().all(|c| c.is_ascii_alphanumeric() || c == '.')
    };
    let by_status = refusal(answer, now);
    let Some(code) = code.map(|(code, _)| code).filter(is_code) else { return Err(by_status) };
    let retry = match by_status.retry {
        Retry::Never if PASSING.iter().any(|passing| code.starts_with(passing)) => {
            Retry::After(None)
        }
        retry => retry,
    };
    let fix = match code {
        "AuthorizationError" | "AccessDenied" => "allow sns:Publish on the topic",
        "NotFound" => "check the topic: account, region and name",
        code if code.starts_with("KMS") => "let this principal use the key of the topic",
        "InvalidClientTokenId" | "SignatureDoesNotMatch" => {
            "check the credentials, and the clock of this machine"
        }
        code if code.starts_with("ExpiredToken") => "log in again",
        _ => "",
    };
    let host = &answer.place.host;
    Err(SendError::new(&format!("{host} refused sns:Publish: {code}"), fix, retry))
}

/// Body of the request.
fn form(topic: &Topic<'_>, message: &Message) -> String {
    let mut form = form_urlencoded::Serializer::new(String::new());
    form.append_pair("Action", "Publish")
        .append_pair("Version", "2010-03-31")
        .append_pair("TopicArn", topic.arn)
        .append_pair("Subject", &subject(&message.title))
        .append_pair("MessageStructure", "json")
        .append_pair("Message", &by_protocol(message));
    for (at, (name, value)) in attributes(message).into_iter().enumerate() {
        let entry = format!("MessageAttributes.entry.{}", at + 1);
        form.append_pair(&format!("{entry}.Name"), name)
            .append_pair(&format!("{entry}.Value.DataType"), "String")
            .append_pair(&format!("{entry}.Value.StringValue"), &value);
    }
    if topic.is_fifo() {
        form.append_pair("MessageDeduplicationId", &message.key)
            .append_pair("MessageGroupId", &message.thread);
    }
    form.finish()
}

/// The message for each kind of subscriber: text for people, `burntop/alert/1` for programs, which is left out where it
/// would be too large.
fn by_protocol(message: &Message) -> String {
    let mut text = plain::text(message);
    let most = text.floor_char_boundary(TEXT);
    text.truncate(most);
    let text = if text.trim().is_empty() { "burntop".to_owned() } else { text };
    let mut all = Map::from_iter([("default".to_owned(), Value::from(text.clone()))]);
    let json = alert_json(message);
    for protocol in ["sqs", "lambda", "http", "https", "firehose"] {
        all.insert(protocol.to_owned(), Value::from(&*json));
    }
    let whole = Value::Object(all).to_string();
    if whole.len() <= LARGEST { whole } else { serde_json::json!({"default": text}).to_string() }
}

/// What subscriptions may filter by; a value that is not known is left out.
fn attributes(message: &Message) -> Vec<(&'static str, String)> {
    let one = match &message.alerts[..] {
        [alert] if message.more == 0 => Some(alert),
        _ => None,
    };
    let known = |text: String| Some(text).filter(|text| !text.is_empty());
    let all = [
        ("severity", Some(message.severity.word().to_owned())),
        ("kind", Some(message.kind.word().to_owned())),
        ("rule", one.and_then(|alert| known(alert.rule.clone()))),
        ("team", one.and_then(|alert| known(alert.team.clone()?))),
    ];
    all.into_iter().filter_map(|(name, value)| Some((name, value?))).collect()
}

/// A title as SNS takes it for a subject: ASCII, on one line, beginning with a letter, a digit or a punctuation mark.
fn subject(title: &str) -> String {
    let plain = |c: char| if matches!(c, ' '..='~') { c } else { '?' };
    let subject: String = title.trim().chars().map(plain).take(SUBJECT).collect();
    if subject.is_empty() { "burntop".to_owned() } else { subject }
}

/// The headers of an AWS signature.
fn signed(
    url: &Url,
    body: &str,
    credentials: &Credentials,
    region: &str,
    now: Timestamp,
) -> Result<Vec<(String, Secret)>, String> {
    let identity = credentials.clone().into();
    let params = v4::SigningParams::builder()
        .identity(&identity)
        .region(region)
        .name("sns")
        .time(SystemTime::from(now))
        .settings(SigningSettings::default())
        .build()
        .map_err(|e| e.to_string())?
        .into();
    let signable = SignableRequest::new(
        "POST",
        url.as_str(),
        [("content-type", FORM)].into_iter(),
        SignableBody::Bytes(body.as_bytes()),
    )
    .map_err(|e| e.to_string())?;
    let (instructions, _) = sign(signable, &params).map_err(|e| e.to_string())?.into_parts();
    Ok(instructions.headers().map(|(name, value)| (name.to_owned(), Secret::new(value))).collect())
}

#[cfg(test)]
mod tests;
