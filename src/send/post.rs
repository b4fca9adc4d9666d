//! One POST to a server, and what came of it.

use std::time::Duration;

use url::Url;

use super::error::SendError;
use crate::domain::Secret;
use crate::source::http::{Answer, Http, Limit, Request};

/// Most bytes of an answer that are read: words of a refusal, or nothing.
const ANSWER: usize = 64 << 10;

/// What is posted.
pub struct Post {
    /// Where to.
    pub url: Url,
    /// `Content-Type` of the body.
    pub kind: &'static str,
    /// The body.
    pub body: String,
    /// Further headers, never shown. Of two with one name the latter holds.
    pub headers: Vec<(String, Secret)>,
}

/// Content type of JSON.
pub const JSON: &str = "application/json";

/// Posts it once. Any status is an answer, with as much of its body as came.
///
/// # Errors
/// No answer in time, no connection, a header that cannot be sent, an address that nothing is sent to.
pub async fn post(
    http: &Http,
    operation: &'static str,
    post: Post,
    timeout: Duration,
) -> Result<Answer, SendError> {
    let mut headers = post.headers;
    headers.push(("Content-Type".to_owned(), Secret::new(post.kind)));
    let request = Request { url: post.url, form: Some(post.body), headers };
    Ok(http.send(operation, request, Limit { bytes: ANSWER, time: timeout }).await?)
}
