//! Runs of an MLflow tracking server, by its REST API 2.0.
//!
//! A tracker tells what a run was for and does not decide of it: an uncaught exception may end as FINISHED, and what was killed stays
//! RUNNING. So states are claims, and where a run names the job of a scheduler, that job counts. What a run held is
//! unknown: its time may have gaps of days, and four ranks log four runs of one job.

mod answers;
mod run;
#[cfg(test)]
mod tests;

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use jiff::Timestamp;
use serde::Serialize;
use serde::de::DeserializeOwned;
use tokio::sync::OnceCell;

use self::answers::{Experiments, Runs};
use self::run::Found;
use crate::domain::jobs::JobSource;
use crate::domain::{Address, ErrorKind, Secret, SourceError, text};
use crate::source::http::{Auth, Expect, Http, HttpSettings, Limit, Request, parse};
use crate::source::jobs::live::{JobWindow, JobsName, JobsRead, LiveJobs};

/// Operations, for messages.
const RUNS: &str = "mlflow:runs/search";
const EXPERIMENTS: &str = "mlflow:experiments/search";

/// Most bytes of an answer: a page of 1,000 runs has 2 MiB, with many metrics 20.
const ANSWER_AT_MOST: usize = 64 << 20;

/// Runs, and experiments, of a page.
const PAGE: usize = 1_000;

/// Experiments that one request names.
const EXPERIMENTS_AT_ONCE: usize = 200;

/// Pages of experiments that are read.
const EXPERIMENT_PAGES: usize = 20;

/// Runs of one reading; the next one goes on.
const RUNS_AT_MOST: usize = 200_000;

/// Time that one reading takes; the next one goes on.
const BUDGET: Duration = Duration::from_secs(40);

/// How a tracking server is reached, and what of it is read.
#[derive(Clone, Debug)]
pub struct MlFlowSettings {
    /// Name of the source, clean.
    pub name: Arc<str>,
    /// Address of the tracking server.
    pub url: Address,
    /// Credentials; a file with them is read anew with each request.
    pub auth: Auth,
    /// Why configured credentials are not there; `None` where they are, and where none are configured.
    pub missing: Option<SourceError>,
    /// Certificates to trust instead of the system's.
    pub ca_file: Option<PathBuf>,
    /// Names of the experiments that are read, a `*` at the end stands for any rest; empty = all.
    pub experiments: Vec<String>,
    /// Time limit of a request.
    pub timeout: Duration,
}

/// A tracking server as a source.
pub struct MlFlow {
    name: JobsName,
    settings: MlFlowSettings,
    http: Http,
    /// Its version; `None` where it does not tell.
    version: OnceCell<Option<String>>,
}

/// What of a server is asked in one reading.
struct Asked<'a> {
    server: &'a MlFlow,
    began: Instant,
}

/// A request for runs.
#[derive(Serialize)]
struct SearchRuns<'a> {
    experiment_ids: &'a [Arc<str>],
    filter: &'a str,
    max_results: usize,
    order_by: [&'static str; 1],
    #[serde(skip_serializing_if = "Option::is_none")]
    page_token: Option<String>,
}

/// A request for experiments.
#[derive(Serialize)]
struct SearchExperiments {
    max_results: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    page_token: Option<String>,
}

/// How far a search got.
enum Reached {
    /// To its end.
    End,
    /// Not to its end: to runs that ended then, `None` = to none; with the failure that ended it, `None` = there was no time
    /// or room for more.
    Until(Option<Timestamp>, Option<SourceError>),
}

impl MlFlow {
    /// A source without connections. Err where the settings of HTTP cannot be used.
    pub fn new(settings: MlFlowSettings) -> Result<Self, SourceError> {
        let name = JobsName { kind: JobSource::MlFlow, name: settings.name.clone() };
        // Without this type it answers 400.
        let json = ("Content-Type".to_owned(), Secret::new("application/json"));
        let http = Http::new(HttpSettings {
            ca_file: settings.ca_file.clone(),
            auth: settings.auth.clone(),
            headers: vec![json],
            ..HttpSettings::default()
        })?;
        Ok(Self { name, settings, http, version: OnceCell::new() })
    }

    fn url(&self, path: &str) -> String {
        format!("{}{path}", self.settings.url.reveal().trim_end_matches('/'))
    }

    /// What a search answers. Err for every failure.
    async fn search<T: DeserializeOwned>(
        &self,
        operation: &'static str,
        what: &str,
        question: &impl Serialize,
    ) -> Result<T, SourceError> {
        let url = parse(operation, &self.url(&format!("/api/2.0/mlflow/{what}/search")))?;
        let body = serde_json::to_string(question).map_err(|error| {
            SourceError::new(ErrorKind::Other, operation, &error.to_string(), "")
        })?;
        let limit = Limit { bytes: ANSWER_AT_MOST, time: self.settings.timeout };
        let request = Request { url, form: Some(body), headers: Vec::new() };
        let answer = self.http.send(operation, request, limit).await?;
        let place = answer.place.clone();
        if answer.status == 401 && self.settings.auth != Auth::None {
            let why = "the credentials are not accepted: they have ended, or are of another server";
            let fix = "put a new token or password where the configuration says; a file is read anew \
                       with each request";
            return Err(place.error(ErrorKind::Denied, why, fix));
        }
        let answer = answer.checked(Expect::Json)?;
        serde_json::from_slice(&answer.body).map_err(|error| {
            let why = format!("the answer is no JSON as MLflow writes it: {error}");
            let fix = "check that the address is that of the tracking server; burntop tries again by \
                       itself";
            place.error(ErrorKind::Malformed, &why, fix)
        })
    }

    /// Ids of the experiments that are read, with what is known of each; true where the server has more than are read.
    async fn experiments(&self) -> Result<(HashMap<Arc<str>, run::Experiment>, bool), SourceError> {
        let mut found = HashMap::new();
        let mut page_token: Option<String> = None;
        for _ in 0..EXPERIMENT_PAGES {
            let question = SearchExperiments { max_results: PAGE, page_token: page_token.clone() };
            let page: Experiments = self.search(EXPERIMENTS, "experiments", &question).await?;
            for of in page.experiments.into_iter().flatten() {
                let Some(id) = of.id().filter(|id| text::is_id(id)) else { continue };
                if fits(&self.settings.experiments, &of.name.0) {
                    found.insert(id.into(), run::Experiment::of(&of));
                }
            }
            let next = page.next_page_token.filter(|token| !token.is_empty());
            // One that gives the same page again has no end.
            if next.is_none() || next == page_token {
                return Ok((found, false));
            }
            page_token = next;
        }
        Ok((found, true))
    }

    async fn version(&self) -> Option<String> {
        let ask = async {
            let limit = Limit { bytes: 1 << 10, time: Duration::from_secs(5) };
            let url = self.url("/version");
            let answer = self.http.get("mlflow:version", &url, limit).await.ok()?;
            // It is sent as a page of HTML, and is none.
            let told = answer.is_success().then_some(answer.body)?;
            let version = String::from_utf8(told).ok()?;
            let version = version.trim();
            let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '+');
            let is_one = !version.is_empty() && version.len() <= 40 && version.chars().all(plain);
            is_one.then(|| format!("MLflow {version}"))
        };
        self.version.get_or_init(|| ask).await.clone()
    }
}

impl Asked<'_> {
    /// Every run that fits a filter, page by page, the first ended first.
    async fn runs(&self, ids: &[Arc<str>], filter: &str, found: &mut Found<'_>) -> Reached {
        let (mut page_token, mut reached) = (None, None);
        loop {
            if self.began.elapsed() >= BUDGET || found.len() >= RUNS_AT_MOST {
                return Reached::Until(reached, None);
            }
            let question = SearchRuns {
                experiment_ids: ids,
                filter,
                max_results: PAGE,
                order_by: ["attributes.end_time ASC"],
                page_token: page_token.clone(),
            };
            let page: Runs = match self.server.search(RUNS, "runs", &question).await {
                Ok(page) => page,
                Err(error) => return Reached::Until(reached, Some(error)),
            };
            found.pages += 1;
            for run in page.runs.into_iter().flatten() {
                reached = found.add(run).or(reached);
            }
            let next = page.next_page_token.filter(|token| !token.is_empty());
            if next.is_none() || next == page_token {
                return Reached::End;
            }
            page_token = next;
        }
    }
}

#[async_trait::async_trait]
impl LiveJobs for MlFlow {
    fn name(&self) -> &JobsName {
        &self.name
    }

    async fn read(&self, window: &JobWindow) -> Result<JobsRead, SourceError> {
        if let Some(error) = &self.settings.missing {
            return Err(error.clone());
        }
        let (experiments, has_more) = self.experiments().await?;
        let mut ids: Vec<Arc<str>> = experiments.keys().cloned().collect();
        ids.sort_unstable();
        let mut found = Found::new(self.name.name.clone(), &experiments, window.until);
        let asked = Asked { server: self, began: Instant::now() };
        let ended = format!("attributes.end_time > {}", window.since.as_millisecond());
        let open = ["attributes.status = 'RUNNING'", "attributes.status = 'SCHEDULED'"];
        let (mut complete_until, mut troubles) = (None::<Timestamp>, Vec::new());
        for ids in ids.chunks(EXPERIMENTS_AT_ONCE) {
            for filter in open.into_iter().chain([&*ended]) {
                let Reached::Until(until, error) = asked.runs(ids, filter, &mut found).await else {
                    continue;
                };
                // What runs is asked for again as a whole.
                if filter == ended {
                    let until = until.unwrap_or(window.since);
                    complete_until = Some(complete_until.map_or(until, |known| known.min(until)));
                }
                troubles.extend(error);
            }
        }
        if found.pages == 0
            && let Some(error) = troubles.first()
        {
            return Err(error.clone());
        }
        let (attempts, mut notes) = found.close();
        if has_more {
            let most = EXPERIMENT_PAGES * PAGE;
            notes.push(format!(
                "the server has more than {most} experiments: the others are not read"
            ));
        } else if ids.is_empty() && !self.settings.experiments.is_empty() {
            notes.push("no experiment has one of the names that `experiments` lists".to_owned());
        }
        let mut troubles = troubles.into_iter();
        let refusal = troubles.next();
        // The first is the refusal; others are told beside it.
        notes.extend(troubles.map(|error| error.with_fix()));
        notes.dedup();
        notes.truncate(JobsRead::NOTES_AT_MOST);
        let about = self.version().await;
        Ok(JobsRead { about, attempts, notes, complete_until, refusal, ..JobsRead::default() })
    }
}

/// True where one of the patterns means a name; without patterns every name is meant.
fn fits(patterns: &[String], name: &str) -> bool {
    let fits = |pattern: &String| match pattern.strip_suffix('*') {
        Some(start) => name.starts_with(start),
        None => name == pattern,
    };
    patterns.is_empty() || patterns.iter().any(fits)
}
