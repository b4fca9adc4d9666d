//! A cluster by slurmrestd, where there is no shell: the same rows as text has, from JSON.
//!
//! What it answers depends on its parameters in odd ways, so exactly these are sent: both ends of one hour, duplicates, no
//! steps, and no truncation, by which start and end of each job would be those of the hour. 22.05 knows neither of the last two
//! words, and fails with them; it does both by itself.

mod answers;
mod jobs;
mod present;
#[cfg(test)]
mod tests;
mod token;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use jiff::{SignedDuration, Timestamp};
use serde::de::IgnoredAny;
use serde::{Deserialize, de::DeserializeOwned};
use tokio::sync::OnceCell;

use self::answers::{Errors, Spoken};
pub use self::token::Token;
use super::books::{ATTEMPTS_AT_MOST, Books, Living};
use super::{SlurmSettings, held};
use crate::domain::format::span;
use crate::domain::jobs::JobSource;
use crate::domain::{Address, ErrorKind, Secret, SourceError};
use crate::source::http::{Expect, Http, HttpSettings, Limit, Request, parse};
use crate::source::jobs::live::{JobWindow, JobsName, JobsRead, LiveJobs};

/// Operation of all calls, for messages.
pub(super) const OPERATION: &str = "slurm:rest";

/// Versions of the interface, the best first: those of which answers were seen, then those between them.
const VERSIONS: [u16; 8] = [45, 42, 41, 40, 38, 44, 43, 39];

/// The version that knows few parameters and tells no errors by its status.
const OLD: u16 = 38;

/// Most bytes of an answer: 11,000 jobs in one hour.
const ANSWER_AT_MOST: usize = 64 << 20;

/// Seconds of a request.
const HOUR: i64 = 3_600;

/// Time that one reading spends on the past; the next one goes on.
const BUDGET: Duration = Duration::from_secs(40);

/// A token that ends sooner is said.
const SOON: SignedDuration = SignedDuration::from_hours(1);

/// slurmrestd as a source.
pub struct SlurmRest {
    name: JobsName,
    settings: SlurmSettings,
    url: Address,
    token: Token,
    http: Http,
    paths: OnceCell<Paths>,
    /// True where GPUs are accounted for; `None` where it could not be asked.
    has_gpus: OnceCell<Option<bool>>,
}

/// Paths of the version that is used.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Paths {
    version: u16,
    jobs: String,
    tres: Option<String>,
    live_jobs: Option<String>,
    nodes: Option<String>,
}

impl Paths {
    /// The paths of the best version in an index; `None` where it names none that is known.
    fn of<'a>(known: impl Iterator<Item = &'a String> + Clone) -> Option<Self> {
        let find = |version: u16, part: &str, what: &str| {
            let path = format!("/{part}/v0.0.{version}/{what}");
            known.clone().find(|known| known.trim_end_matches('/') == path).cloned()
        };
        VERSIONS.into_iter().find_map(|version| {
            let jobs = find(version, "slurmdb", "jobs")?;
            Some(Self {
                version,
                jobs,
                tres: find(version, "slurmdb", "tres"),
                live_jobs: find(version, "slurm", "jobs"),
                nodes: find(version, "slurm", "nodes"),
            })
        })
    }
}

/// `/openapi/v3`, of which the paths count.
#[derive(Deserialize)]
#[allow(clippy::zero_sized_map_values, reason = "values are read over, whatever they are")]
struct Index {
    paths: BTreeMap<String, IgnoredAny>,
}

impl SlurmRest {
    /// A source without connections. Err where the settings of HTTP cannot be used.
    pub fn new(
        settings: SlurmSettings,
        url: Address,
        token: Token,
        ca_file: Option<PathBuf>,
    ) -> Result<Self, SourceError> {
        let name = JobsName { kind: JobSource::Slurm, name: settings.name.clone() };
        let http = Http::new(HttpSettings { ca_file, ..HttpSettings::default() })?;
        let (paths, has_gpus) = (OnceCell::new(), OnceCell::new());
        Ok(Self { name, settings, url, token, http, paths, has_gpus })
    }

    /// What a path answers. Err for every failure, also one that comes with status 200.
    async fn ask<T: DeserializeOwned + Spoken>(
        &self,
        path: &str,
        query: &str,
        token: &Secret,
    ) -> Result<T, SourceError> {
        let base = self.url.reveal().trim_end_matches('/');
        let url = parse(OPERATION, &format!("{base}{path}{query}"))?;
        let mut headers = vec![("X-SLURM-USER-TOKEN".to_owned(), token.clone())];
        // 22.05 wants the name beside the token, where it stands too.
        if let Some(user) = token::user(token) {
            headers.push(("X-SLURM-USER-NAME".to_owned(), Secret::new(user)));
        }
        let limit = Limit { bytes: ANSWER_AT_MOST, time: self.settings.timeout };
        let answer = self.http.send(OPERATION, Request { url, form: None, headers }, limit).await?;
        let place = answer.place.clone();
        // Failures have a status of 401, 500, 502, 511, or 200, and say in the body what they are.
        let errors: Option<Errors> = serde_json::from_slice(&answer.body).ok();
        let is_nothing = errors.as_ref().is_some_and(Errors::is_nothing_found);
        let error = errors.and_then(|errors| errors.first(&place, token));
        if let Some(error) = error.filter(|_| !is_nothing) {
            return Err(error);
        }
        if matches!(answer.status, 401 | 403) {
            return Err(token::refused(&place, token));
        }
        let answer = if is_nothing { answer } else { answer.checked(Expect::Json)? };
        serde_json::from_slice(&answer.body).map_err(|error| {
            let why = format!("the answer is no JSON as slurmrestd writes it: {error}");
            let fix = "check that the address is that of slurmrestd; burntop tries again by itself";
            place.error(ErrorKind::Malformed, &why, fix)
        })
    }

    async fn paths(&self, token: &Secret) -> Result<&Paths, SourceError> {
        let ask = async {
            let index: Index = self.ask("/openapi/v3", "", token).await?;
            Paths::of(index.paths.keys()).ok_or_else(|| {
                let why = "slurmrestd offers no version of the accounting that burntop knows";
                let fix = "start it with `-s openapi/slurmdbd,openapi/slurmctld`; versions from \
                           v0.0.38 on are read";
                SourceError::new(ErrorKind::Unavailable, OPERATION, why, fix)
            })
        };
        self.paths.get_or_try_init(|| ask).await
    }

    /// Reads the accounting between two moments, an hour a request; up to when it got.
    async fn past(
        &self,
        books: &mut Books,
        (from, to): (i64, i64),
        paths: &Paths,
        token: &Secret,
    ) -> Result<i64, SourceError> {
        let (began, mut at) = (Instant::now(), from);
        while at < to && began.elapsed() < BUDGET && books.len() < ATTEMPTS_AT_MOST {
            let end = to.min(at.saturating_add(HOUR));
            let more = match paths.version {
                OLD => "",
                _ => "&show_duplicates=true&disable_truncate_usage_time=true",
            };
            let query = format!("?start_time=uts{at}&end_time=uts{end}&skip_steps=true{more}");
            let answer: jobs::Jobs = self.ask(&paths.jobs, &query, token).await?;
            answer.into_books(books).map_err(|error| {
                SourceError::new(ErrorKind::Malformed, OPERATION, &error.to_string(), "")
            })?;
            at = end;
        }
        Ok(at)
    }

    async fn has_gpus(&self, paths: &Paths, token: &Secret) -> Option<bool> {
        let ask = async {
            let path = paths.tres.as_deref().ok_or(())?;
            let answer: answers::TresList = self.ask(path, "", token).await.map_err(drop)?;
            Ok::<_, ()>(Some(answer.has_gpus()))
        };
        self.has_gpus.get_or_try_init(|| ask).await.copied().unwrap_or_default()
    }
}

#[async_trait::async_trait]
impl LiveJobs for SlurmRest {
    fn name(&self) -> &JobsName {
        &self.name
    }

    async fn read(&self, window: &JobWindow) -> Result<JobsRead, SourceError> {
        let now = window.until;
        let mut read = JobsRead::default();
        let token = self.token.read().await?;
        if let Some(ends) = token::ends(&token) {
            if ends <= now {
                return Err(token::expired(ends));
            }
            let left = ends.duration_since(now);
            if left < SOON {
                read.notes.push(format!(
                    "the token for slurmrestd ends in {}; {}",
                    span(left.as_secs()),
                    token::RENEW
                ));
            }
        }
        let paths = self.paths(&token).await?;
        if paths.version == OLD {
            read.notes.push(
                "slurmrestd of 22.05 tells no exit codes: why a job failed is unknown, and one \
                 whose step failed counts as completed; `ssh` instead of `slurmrestd` tells both"
                    .to_owned(),
            );
        }
        let has_gpus = self.has_gpus(paths, &token).await;
        // The controller first: what ends meanwhile is known to it, and what starts is young.
        let mut present = None;
        if let Some(path) = &paths.live_jobs {
            match self.ask::<present::LiveList>(path, "", &token).await {
                Ok(list) => {
                    let version = list.version().map(crate::domain::text::clean);
                    read.about = version.map(|version| format!("Slurm {version}"));
                    present = Some(list);
                }
                Err(error) => read.refusal = Some(error),
            }
        }
        let living = present.as_ref().map(|list| Living { ids: list.ids(), at: now });

        let mut books = Books::new(now);
        let ends = (window.since.as_second(), now.as_second());
        let reached = self.past(&mut books, ends, paths, &token).await?;
        if reached < ends.1 {
            read.complete_until = Timestamp::from_second(reached).ok();
        }
        let (attempts, notes) = books.close(has_gpus, living.as_ref(), &self.settings);
        read.notes.extend(notes);
        let own = attempts.first().map(|attempt| attempt.id.cluster.clone());
        let own = own.or_else(|| present.as_ref().and_then(present::LiveList::cluster));
        read.attempts = attempts;

        let cluster = self.settings.cluster.clone().or(own);
        if let (Some(cluster), Some(list), Some(path)) = (cluster, present, &paths.nodes) {
            match self.ask::<present::NodeList>(path, "", &token).await {
                Ok(nodes) => {
                    let (nodes, jobs) = (nodes.records(), list.held());
                    read.events = held::events(&nodes, &cluster, now);
                    let joined = held::joined(&nodes, Some(&jobs), &cluster, &self.settings, now);
                    (read.nodes, read.holders) = (joined.0, Some(joined.1));
                }
                Err(error) => read.refusal = Some(error),
            }
        }
        Ok(read)
    }
}

/// Name of a cluster as it came, clean; `None` for none.
fn cluster_name(name: &str) -> Option<Arc<str>> {
    let name = crate::domain::text::clean(name.trim());
    (!name.is_empty()).then(|| name.into())
}
