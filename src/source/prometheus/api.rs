//! The HTTP API of the server: requests in its flavour, answers or errors, and restraint when it
//! is slow.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime};

use aws_credential_types::provider::{ProvideCredentials, SharedCredentialsProvider};
use serde::Deserialize;
use tokio::sync::Semaphore;

use super::bill::Bill;
use super::json::{self, Head, Label, Point};
use super::{Flavour, Settings, sign};
use crate::domain::{ErrorKind, SourceError};
use crate::source::http::{
    self, Answer, Auth, Expect, Http, HttpSettings, Limit, Place, Request, encode_form,
};

/// Heavy queries at once: the server has other users.
const AT_ONCE: usize = 2;
/// The longest answer read: 16,000 GPUs with all labels are 10 MB. Three may be held at once.
const MAX_BYTES: usize = 24 << 20;
/// The longest list of names, and the longest words about the server itself.
const MAX_NAMES: usize = 1 << 20;
/// The longest pause after a server was slow.
const MAX_PAUSE: Duration = Duration::from_mins(5);

/// Client of one server.
pub(super) struct Api {
    http: Http,
    base: String,
    name: Arc<str>,
    flavour: Flavour,
    timeout: Duration,
    credentials: Option<SharedCredentialsProvider>,
    slots: Semaphore,
    pace: Mutex<Pace>,
    /// Bill of the queries; `None` where they cost nothing.
    bill: Option<Bill>,
}

/// Recent behaviour of the server.
#[derive(Debug)]
struct Pace {
    first: Duration,
    pause: Duration,
    /// When it was slow, and until when it is left alone.
    slow: Option<(Instant, Instant)>,
}

/// An unparsed answer to a query.
#[derive(Debug)]
pub(super) struct Body {
    answer: Answer,
    name: Arc<str>,
}

impl Body {
    /// Parses the answer; `sink` gets the series.
    ///
    /// # Errors
    /// A malformed answer, or an error of the server.
    pub(super) fn read(
        &self,
        sink: &mut dyn FnMut(&[Label<'_>], &[Point]),
    ) -> Result<Head, SourceError> {
        let head = json::read(&self.answer.body, sink).map_err(|e| {
            let error = self.answer.place.error(
                ErrorKind::Malformed,
                &format!("unreadable answer: {e}"),
                "check that the address is that of the Prometheus HTTP API",
            );
            named(&self.name, error)
        })?;
        if head.status == "success" {
            return Ok(head);
        }
        let status = self.answer.status;
        Err(named(&self.name, refused(status, &head, &self.answer.place)))
    }
}

/// Build information of a server.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct BuildInfo {
    /// Version, clean text; empty when not reported.
    pub version: String,
}

#[derive(Deserialize)]
struct Told<T> {
    data: T,
}

impl Api {
    /// Client for the server of `settings`. Err for an invalid URL or header.
    pub(super) fn new(settings: &Settings) -> Result<Self, SourceError> {
        let mut headers = Vec::new();
        if let Some(tenant) = &settings.tenant {
            headers.push(("X-Scope-OrgID".to_owned(), crate::domain::Secret::new(&**tenant)));
        }
        let (auth, credentials) = match &settings.flavour {
            Flavour::Amazon { credentials, .. } => (Auth::None, Some(credentials.clone())),
            _ => (settings.auth.clone(), None),
        };
        let http = Http::new(HttpSettings {
            ca_file: settings.ca_file.clone(),
            auth,
            headers,
            proxy: settings.proxy,
            ..HttpSettings::default()
        })?;
        Ok(Self {
            http,
            base: base(&settings.url, &settings.flavour)?,
            name: Arc::clone(&settings.name),
            flavour: settings.flavour.clone(),
            timeout: Duration::from_secs(u64::from(settings.timeout_s.max(1))),
            credentials,
            slots: Semaphore::new(AT_ONCE),
            pace: Mutex::new(Pace {
                first: Duration::from_secs(u64::from(settings.every_s.max(1))).min(MAX_PAUSE),
                pause: Duration::ZERO,
                slow: None,
            }),
            bill: match &settings.flavour {
                Flavour::Amazon { .. } => settings.ledger.clone().map(Bill::new),
                _ => None,
            },
        })
    }

    /// Instant query, at present or at the Unix time `at` (s). Err when the server refuses, is too slow or cannot be
    /// reached, or the cap on own cost is reached.
    pub(super) async fn query(&self, text: &str, at: Option<i64>) -> Result<Body, SourceError> {
        let at = at.map(|t| t.to_string());
        let mut form = vec![("query", text)];
        form.extend(at.as_deref().map(|at| ("time", at)));
        self.post("prometheus:query", "query", text, form).await
    }

    /// Range query between two Unix times with a step, all in seconds. Err as for an instant query.
    pub(super) async fn range(
        &self,
        text: &str,
        from: i64,
        to: i64,
        step: u32,
    ) -> Result<Body, SourceError> {
        // The same question of a longer time processes more.
        let asked = format!("{text} {} {step}", to.saturating_sub(from));
        let (from, to, step) = (from.to_string(), to.to_string(), step.to_string());
        let form = vec![("query", text), ("start", &from), ("end", &to), ("step", &step)];
        self.post("prometheus:query_range", "query_range", &asked, form).await
    }

    /// Metric names with series matching `selector` between two Unix times (s). Err when the server does not answer.
    pub(super) async fn names(
        &self,
        selector: &str,
        from: i64,
        to: i64,
    ) -> Result<Vec<String>, SourceError> {
        let (from, to) = (from.to_string(), to.to_string());
        let pairs = [("match[]", selector), ("start", from.as_str()), ("end", to.as_str())];
        let path = format!("label/__name__/values?{}", encode_form(&pairs));
        self.get("prometheus:label_values", &path).await
    }

    /// Build information. Err when the server does not answer or does not offer it.
    pub(super) async fn build_info(&self) -> Result<BuildInfo, SourceError> {
        let mut info: BuildInfo = self.get("prometheus:buildinfo", "status/buildinfo").await?;
        info.version = crate::domain::text::clean(&info.version).into_owned();
        Ok(info)
    }

    async fn get<T: for<'de> Deserialize<'de>>(
        &self,
        operation: &'static str,
        path: &str,
    ) -> Result<T, SourceError> {
        let answer = self.send(operation, path, None, MAX_NAMES).await?;
        let told: Told<T> = serde_json::from_slice(&answer.body).map_err(|e| {
            let fix = "check that the address is that of the Prometheus HTTP API";
            let message = format!("unreadable answer: {e}");
            named(&self.name, answer.place.error(ErrorKind::Malformed, &message, fix))
        })?;
        Ok(told.data)
    }

    /// Asks. `asked` names the question, by which is known what it costs.
    async fn post(
        &self,
        operation: &'static str,
        path: &str,
        asked: &str,
        mut form: Vec<(&str, &str)>,
    ) -> Result<Body, SourceError> {
        let timeout = format!("{}s", self.timeout.as_secs());
        form.push(("timeout", &timeout));
        if matches!(self.flavour, Flavour::Thanos) {
            form.extend([("dedup", "true"), ("partial_response", "true")]);
        }
        let Some(bill) = &self.bill else {
            let answer = self.send(operation, path, Some(encode_form(&form)), MAX_BYTES).await?;
            return Ok(Body { answer, name: Arc::clone(&self.name) });
        };
        form.push(("stats", "all"));
        // What is not sent is not charged.
        self.may(operation, Instant::now())?;
        let charged = bill.charge(asked).await.map_err(|e| named(&self.name, e))?;
        let answer = self.send(operation, path, Some(encode_form(&form)), MAX_BYTES).await?;
        bill.book_difference(asked, charged, &answer.body).await;
        Ok(Body { answer, name: Arc::clone(&self.name) })
    }

    async fn send(
        &self,
        operation: &'static str,
        path: &str,
        form: Option<String>,
        most: usize,
    ) -> Result<Answer, SourceError> {
        // The semaphore is never closed.
        let _slot = self.slots.acquire().await.ok();
        let asked = Instant::now();
        self.may(operation, asked)?;
        let outcome = self.send_now(operation, path, form, most).await;
        let outcome = outcome.map_err(|e| named(&self.name, e));
        self.learn(asked, outcome.as_ref().err());
        outcome
    }

    async fn send_now(
        &self,
        operation: &'static str,
        path: &str,
        form: Option<String>,
        most: usize,
    ) -> Result<Answer, SourceError> {
        let url = http::parse(operation, &format!("{}/api/v1/{path}", self.base))?;
        let place = Place::new(operation, &url);
        let mut request = Request { url, form, headers: Vec::new() };
        if let (Some(provider), Flavour::Amazon { region, .. }) = (&self.credentials, &self.flavour)
        {
            let fix = "renew the AWS credentials of this source (`aws sso login`), or its profile";
            let wrong = |message: &str| place.error(ErrorKind::NoCredentials, message, fix);
            let credentials = provider
                .provide_credentials()
                .await
                .map_err(|_| wrong("no AWS credentials to sign with"))?;
            sign::add(&mut request, credentials, region, SystemTime::now())
                .map_err(|e| wrong(&format!("cannot sign: {e}")))?;
        }
        // The server is to give up first, and to say so.
        let limit = Limit { bytes: most, time: self.timeout + Duration::from_secs(2) };
        let answer = self.http.send(operation, request, limit).await?;
        if !answer.is_success() && !answer.is_html() {
            // Errors of the API are JSON with words of their own.
            let head = json::read(&answer.body, &mut |_, _| {}).unwrap_or_default();
            if !head.error.is_empty() {
                return Err(refused(answer.status, &head, &place));
            }
        }
        answer.checked(Expect::Json)
    }

    /// An error while the server is left alone.
    fn may(&self, operation: &'static str, now: Instant) -> Result<(), SourceError> {
        let pace = self.pace.lock().unwrap_or_else(PoisonError::into_inner);
        match pace.slow {
            Some((_, until)) if now < until => {
                let wait = (until - now).as_secs().max(1);
                Err(SourceError::new(
                    ErrorKind::Throttled,
                    operation,
                    &format!("{}: server slow, asked again in {wait} s", self.name),
                    "give it more memory or fewer queries, add recording rules, or raise every_s",
                ))
            }
            _ => Ok(()),
        }
    }

    /// A slow server is left alone for twice as long each time, an answer ends that.
    fn learn(&self, asked: Instant, error: Option<&SourceError>) {
        let mut pace = self.pace.lock().unwrap_or_else(PoisonError::into_inner);
        let now = Instant::now();
        match error.map(|e| e.kind) {
            // Two queries that were in flight together count once.
            _ if pace.slow.is_some_and(|(since, _)| asked < since) => {}
            Some(ErrorKind::Throttled | ErrorKind::Timeout) => {
                pace.pause = (pace.pause * 2).clamp(pace.first, MAX_PAUSE);
                pace.slow = Some((now, now + pace.pause));
            }
            None => {
                pace.slow = None;
                pace.pause = Duration::ZERO;
            }
            _ => {}
        }
    }
}

/// The address before `/api/v1`.
fn base(url: &str, flavour: &Flavour) -> Result<String, SourceError> {
    let parsed = http::parse("prometheus:query", url)?;
    let origin = parsed.origin().ascii_serialization();
    let path = parsed.path().trim_end_matches('/');
    let path = path.strip_suffix("/api/v1").unwrap_or(path);
    let path =
        if matches!(flavour, Flavour::Mimir) && path.is_empty() { "/prometheus" } else { path };
    Ok(format!("{origin}{path}"))
}

fn named(name: &str, mut error: SourceError) -> SourceError {
    if !error.message.starts_with(name) {
        error.message = format!("{name}: {}", error.message);
    }
    error
}

/// The longest message taken over from a server.
const MAX_WORDS: usize = 300;

/// What the API calls an error.
fn refused(status: u16, head: &Head, place: &Place) -> SourceError {
    let slow = "burntop asks less often until it answers in time";
    let (kind, fix) = match (head.error_type.as_str(), status) {
        ("timeout" | "canceled", _) => (ErrorKind::Timeout, slow),
        ("unavailable" | "too_many_requests", _) | (_, 429) => (ErrorKind::Throttled, slow),
        (_, 401 | 403) => (ErrorKind::Denied, "check the tenant, the token and what they may read"),
        ("bad_data" | "execution" | "not_found", _) | (_, 400 | 422) => (
            ErrorKind::Refused,
            "check the matchers of this source; a limit of the server's stands in the message",
        ),
        (_, 503) => (ErrorKind::Throttled, slow),
        (_, 504) => (ErrorKind::Timeout, slow),
        _ => (ErrorKind::Other, "look at the server's log; burntop tries again by itself"),
    };
    let words: String = head.error.chars().take(MAX_WORDS).collect();
    place.error(kind, &words, fix)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_lose_and_gain_what_their_flavour_wants() {
        let of = |url: &str, flavour: &Flavour| base(url, flavour).unwrap();
        assert_eq!(of("http://p:9090/", &Flavour::Prometheus), "http://p:9090");
        assert_eq!(of("http://p/api/v1", &Flavour::Prometheus), "http://p");
        assert_eq!(of("http://m:8080", &Flavour::Mimir), "http://m:8080/prometheus");
        assert_eq!(of("http://m/cortex", &Flavour::Mimir), "http://m/cortex");
        let cluster = "http://vm:8481/select/0/prometheus";
        assert_eq!(of(cluster, &Flavour::VictoriaMetrics), cluster);
    }
}
