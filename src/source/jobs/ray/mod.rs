//! Jobs of a Ray cluster, by its dashboard: the jobs API, actors, tasks and placement groups.
//!
//! Ray tells no GPU time of a job; it is the sum over what held GPUs for it (`held`). States are claims: Ray runs on nodes that
//! are of others. A head that is gone takes its history along, so what was read is kept.

mod answers;
mod held;
mod job;
#[cfg(test)]
mod tests;

use std::collections::{HashMap, HashSet};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use serde::de::DeserializeOwned;

use self::answers::{ActorList, Actors, Groups, Job, List, Nodes, Tasks, Version};
use self::held::Holds;
use self::job::Cluster;
use crate::domain::format::counted;
use crate::domain::jobs::JobSource;
use crate::domain::{Address, ErrorKind, SourceError, text};
use crate::source::http::{Auth, Expect, Http, HttpSettings, Limit};
use crate::source::jobs::live::{JobWindow, JobsName, JobsRead, LiveJobs};

/// Operation of all calls, for messages.
const OPERATION: &str = "ray:dashboard";

/// Most bytes of an answer: 10,000 tasks have 20 MiB.
const ANSWER_AT_MOST: usize = 64 << 20;

/// Rows of a list of states, the most that the dashboard gives.
const ROWS: usize = 10_000;

/// Jobs of one reading.
const JOBS_AT_MOST: usize = 200_000;

/// Clocks may differ so much; what lies further in the future is no time.
const AHEAD: SignedDuration = SignedDuration::from_mins(10);

/// How a cluster is reached.
#[derive(Clone, Debug)]
pub struct RaySettings {
    /// Name of the source and of the cluster, clean.
    pub name: Arc<str>,
    /// Address of the dashboard.
    pub url: Address,
    /// Credentials; a file with them is read anew with each request.
    pub auth: Auth,
    /// Why configured credentials are not there; `None` where they are, and where none are configured.
    pub missing: Option<SourceError>,
    /// Certificates to trust instead of the system's.
    pub ca_file: Option<PathBuf>,
    /// Region of its nodes.
    pub region: Option<Arc<str>>,
    /// True where its nodes are jobs of a scheduler that is read too: these hold the GPUs.
    pub nested: bool,
    /// Time limit of a request.
    pub timeout: Duration,
}

/// A Ray cluster as a source.
pub struct RayCluster {
    name: JobsName,
    settings: RaySettings,
    http: Http,
}

impl RayCluster {
    /// A source without connections. Err where the settings of HTTP cannot be used.
    pub fn new(settings: RaySettings) -> Result<Self, SourceError> {
        let name = JobsName { kind: JobSource::Ray, name: settings.name.clone() };
        let http = Http::new(HttpSettings {
            ca_file: settings.ca_file.clone(),
            auth: settings.auth.clone(),
            ..HttpSettings::default()
        })?;
        Ok(Self { name, settings, http })
    }

    /// What a path answers. Err for every failure.
    async fn ask<T: DeserializeOwned>(&self, path: &str) -> Result<T, SourceError> {
        let url = format!("{}{path}", self.settings.url.reveal().trim_end_matches('/'));
        let limit = Limit { bytes: ANSWER_AT_MOST, time: self.settings.timeout };
        let answer = self.http.get(OPERATION, &url, limit).await?;
        let place = answer.place.clone();
        if answer.status == 401 && self.settings.auth != Auth::None {
            let why = "the token is not accepted: it has ended, or is of another cluster";
            let fix = "put a new one where the configuration says; a file is read anew with each \
                       request";
            return Err(place.error(ErrorKind::Denied, why, fix));
        }
        let answer = answer.checked(Expect::Json)?;
        serde_json::from_slice(&answer.body).map_err(|error| {
            let why = format!("the answer is no JSON as Ray's dashboard writes it: {error}");
            let fix =
                "check that the address is that of the dashboard; burntop tries again by itself";
            place.error(ErrorKind::Malformed, &why, fix)
        })
    }

    /// A list of the state API, and how many of its rows were left out. Err also where it says that it failed.
    async fn list<T: DeserializeOwned>(&self, what: &str) -> Result<(Vec<T>, usize), SourceError> {
        let path = format!("/api/v0/{what}detail=1&limit={ROWS}");
        let list: List<T> = self.ask(&path).await?;
        list.rows().map_err(|why| {
            let why = match why {
                Some(why) => format!("the list of {} failed: {why}", name_of(what)),
                None => format!("the list of {} failed", name_of(what)),
            };
            let fix = "see the log of the dashboard; burntop tries again by itself";
            SourceError::new(ErrorKind::Other, OPERATION, &why, fix)
        })
    }

    /// What held GPUs, up to `now`. Err where a part of it cannot be read: then nobody knows how many.
    async fn holds(&self, now: Timestamp, notes: &mut Vec<String>) -> Result<Holds, SourceError> {
        let actors: Actors = self.ask("/logical/actors").await?;
        let actors = actors.all().map_err(|why| {
            let why = format!("the list of actors failed: {why}");
            SourceError::new(ErrorKind::Other, OPERATION, &why, "see the log of the dashboard")
        })?;
        // Tasks of actors hold nothing of their own, and are most.
        let of_functions =
            "tasks?filter_keys=type&filter_predicates=%3D&filter_values=NORMAL_TASK&";
        let (tasks, missing): (Tasks, usize) = self.list(of_functions).await?;
        if missing > 0 {
            notes.push(format!(
                "{} of functions are not told: GPU time of tasks is a lower bound",
                counted(missing, "task", "tasks")
            ));
        }
        let (nodes, _): (Nodes, usize) = self.list("nodes?").await?;
        let (groups, missing): (Groups, usize) = self.list("placement_groups?").await?;
        if missing > 0 {
            notes.push(format!(
                "{} not told: GPU time of what they reserve is a lower bound",
                counted(missing, "placement group is", "placement groups are")
            ));
        }
        // Who is inside of a group is told by another list.
        let mut grouped = HashMap::new();
        if groups.iter().any(held::holds_gpus) {
            let (list, missing): (ActorList, usize) = self.list("actors?").await?;
            if missing > 0 {
                let actors = counted(missing, "actor is", "actors are");
                let why = format!("{actors} not told, and may be inside of a placement group");
                let fix = "a head that is started anew forgets actors that are dead";
                return Err(SourceError::new(ErrorKind::Unavailable, OPERATION, &why, fix));
            }
            grouped = list.into_iter().filter_map(answers::ActorRow::group).collect();
        }
        Ok(Holds::of(&actors, &tasks, &nodes, &groups, &grouped, now))
    }
}

fn name_of(what: &str) -> &str {
    what.split('?').next().unwrap_or_default()
}

#[async_trait::async_trait]
impl LiveJobs for RayCluster {
    fn name(&self) -> &JobsName {
        &self.name
    }

    async fn read(&self, window: &JobWindow) -> Result<JobsRead, SourceError> {
        if let Some(error) = &self.settings.missing {
            return Err(error.clone());
        }
        let now = window.until;
        let jobs: Vec<answers::JobForm> = self.ask("/api/jobs/").await?;
        let mut read = JobsRead::default();
        let holds = if self.settings.nested {
            None
        } else {
            match self.holds(now, &mut read.notes).await {
                Ok(holds) => Some(holds),
                Err(error) => {
                    read.refusal = Some(error);
                    None
                }
            }
        };
        let cluster = Cluster {
            name: &self.name.name,
            region: self.settings.region.as_ref(),
            holds: holds.as_ref(),
            now,
            latest: now.checked_add(AHEAD).unwrap_or(now),
        };
        let (mut unreadable, mut mistimed, mut unknown, mut untold) = (0, 0, 0, 0);
        let mut ids = HashSet::new();
        for form in jobs.into_iter().take(JOBS_AT_MOST) {
            let told: Option<Box<Job>> = form.job();
            let Some(found) = told.and_then(|job| cluster.attempt(&job)) else {
                unreadable += 1;
                continue;
            };
            let attempt = found.attempt;
            // One that ended before the window was read before, and its actors may be forgotten since.
            let is_past = attempt.ended_at.is_some_and(|at| at < window.since);
            if is_past || !ids.insert(attempt.id.clone()) {
                continue;
            }
            mistimed += usize::from(found.is_mistimed);
            unknown += usize::from(found.is_unknown);
            untold += usize::from(found.is_untold);
            read.attempts.push(attempt);
        }
        let mut note = |count: usize, one: &str, many: &str| {
            if count > 0 {
                read.notes.push(counted(count, one, many));
            }
        };
        note(unreadable, "job could not be read", "jobs could not be read");
        note(
            mistimed,
            "job has a time in the future or ends before it starts: its times are left out",
            "jobs have a time in the future or end before they start: their times are left out",
        );
        note(unknown, "job has a state that is not known", "jobs have states that are not known");
        note(
            untold,
            "job had a task or actor with GPUs whose start or end is not told: its GPUs are unknown",
            "jobs had tasks or actors with GPUs whose start or end is not told: their GPUs are unknown",
        );
        let version: Result<Version, SourceError> = self.ask("/api/version").await;
        read.about = version
            .ok()
            .and_then(|version| version.ray_version)
            .map(|version| format!("Ray {}", text::clean_to(&version, 40)));
        Ok(read)
    }
}
