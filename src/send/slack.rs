//! Slack: an incoming webhook, whose address is a secret.

use std::time::Duration;

use jiff::Timestamp;
use serde_json::{Value, json};

use super::error::{Retry, SendError, refusal};
use super::post::{JSON, Post, post};
use super::target;
use crate::domain::format;
use crate::source::http::{Answer, Http};
use crate::watch::message::{Message, MessageKind, Severity};
use crate::watch::sink::UrlFrom;

/// Most characters of a section; Slack takes 3,000.
const SECTION: usize = 2_900;
/// Most sections; Slack takes 50 blocks.
const SECTIONS: usize = 48;
/// Most characters of the text of a notification; Slack cuts it at 4,000.
const NOTICE: usize = 3_000;

/// Posts a message.
pub async fn send(
    http: &Http,
    url: &UrlFrom,
    allow_loopback: bool,
    timeout: Duration,
    message: &Message,
    now: Timestamp,
) -> Result<(), SendError> {
    let url = target::of(url, allow_loopback).await?;
    let body = body(message).to_string();
    let answer =
        post(http, "slack:post", Post { url, kind: JSON, body, headers: Vec::new() }, timeout)
            .await?;
    verdict(&answer, now)
}

/// Words of Slack for what does not change by itself.
const FINAL: [&str; 14] = [
    "action_prohibited",
    "channel_is_archived",
    "channel_not_found",
    "invalid_blocks",
    "invalid_blocks_format",
    "invalid_payload",
    "invalid_token",
    "missing_text_or_fallback_or_attachments",
    "no_active_hooks",
    "no_service",
    "no_team",
    "no_text",
    "team_disabled",
    "user_not_found",
];

/// What an answer means: `ok` is success and nothing else is, whatever its status.
fn verdict(answer: &Answer, now: Timestamp) -> Result<(), SendError> {
    let text = String::from_utf8_lossy(&answer.body);
    let text = text.trim();
    let json = || serde_json::from_str::<Value>(text).unwrap_or_default();
    if answer.is_success() && answer.is_whole && (text == "ok" || json()["ok"] == true) {
        return Ok(());
    }
    let json = json();
    let word = json["error"].as_str().unwrap_or(text);
    // Nothing else is repeated: who answers may not be Slack.
    let is_word = |c: char| c.is_ascii_lowercase() || c == '_';
    let word = Some(word).filter(|w| (3..=64).contains(&w.len()) && w.chars().all(is_word));
    let word = word.filter(|_| !(300..400).contains(&answer.status));
    let host = &answer.place.host;
    let Some(word) = word else {
        return Err(match answer.is_success() {
            false => refusal(answer, now),
            true => SendError::later(
                format!("{host} answered something else than `ok`"),
                "check that the address is that of an incoming webhook of Slack",
            ),
        });
    };
    let retry = match FINAL.contains(&word) {
        true => Retry::Never,
        // Of a success, whose word is an error, that is to wait.
        false => refusal(answer, now).retry,
    };
    let fix = match word {
        "channel_is_archived"
        | "channel_not_found"
        | "no_service"
        | "no_team"
        | "no_active_hooks"
        | "invalid_token" => "make a new incoming webhook and put its address in place",
        "action_prohibited" => "ask who runs the workspace to let the webhook post there",
        _ => "",
    };
    Err(SendError::new(&format!("{host} turned the message down: {word}"), fix, retry))
}

/// The message with blocks, and as a text for notifications.
fn body(message: &Message) -> Value {
    let title = escaped(&message.title);
    let mut texts = vec![format!("{} {}", sign(message), bold(&title))];
    texts.extend(sections(&message.lines));
    let blocks: Vec<Value> = texts
        .iter()
        .filter(|text| !text.is_empty())
        .map(|text| {
            // `verbatim`: no name in it becomes a mention, no word a link.
            json!({"type": "section", "text": {"type": "mrkdwn", "verbatim": true, "text": text}})
        })
        .collect();
    json!({
        "text": cut(&title, NOTICE),
        "blocks": blocks,
        "parse": "none",
        "link_names": false,
        "unfurl_links": false,
        "unfurl_media": false,
    })
}

/// A sign before the title.
fn sign(message: &Message) -> &'static str {
    match (message.kind, message.severity) {
        (MessageKind::Resolved, _) => ":white_check_mark:",
        (MessageKind::Test | MessageKind::Report, _) => ":information_source:",
        (_, Severity::Critical) => ":red_circle:",
        (_, Severity::Warning) => ":large_orange_circle:",
        (_, Severity::Info) => ":large_blue_circle:",
    }
}

/// In bold where nothing in it ends that.
fn bold(title: &str) -> String {
    let title = cut(title, SECTION - 40);
    if title.is_empty() || title.contains('*') { title } else { format!("*{title}*") }
}

/// Lines in sections, each within its limit; what does not fit is counted.
fn sections(lines: &[String]) -> Vec<String> {
    let mut out: Vec<String> = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        let line = cut(&escaped(line), SECTION);
        let is_full = out.len() == SECTIONS;
        match out.last_mut() {
            Some(last) if last.chars().count() + 1 + line.chars().count() <= SECTION => {
                last.push('\n');
                last.push_str(&line);
            }
            _ if is_full => {
                let left = format::counted(lines.len() - at, "more line", "more lines");
                out.push(format!("… {left}"));
                break;
            }
            _ => out.push(line),
        }
    }
    out
}

/// Text in which nothing is a mention, a link or a command of Slack's.
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

/// Escaped text in at most so many characters, with no half of an escape at its end.
fn cut(text: &str, most: usize) -> String {
    if text.chars().nth(most).is_none() {
        return text.to_owned();
    }
    let mut kept: String = text.chars().take(most.saturating_sub(1)).collect();
    if let Some(begun) = kept.rfind('&').filter(|at| !kept[*at..].contains(';')) {
        kept.truncate(begun);
    }
    kept + "…"
}

#[cfg(test)]
mod tests;
