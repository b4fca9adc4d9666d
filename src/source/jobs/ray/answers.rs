//! What of the dashboard's answers is read.

use std::collections::{BTreeMap, HashMap};

use serde::{Deserialize, Deserializer, de::IgnoredAny};

use crate::domain::text::clean_to;

/// `/api/version`.
#[derive(Deserialize)]
pub(super) struct Version {
    #[serde(default)]
    pub ray_version: Option<String>,
}

/// A job, or what stands in the place of one.
#[derive(Deserialize)]
#[serde(untagged)]
pub(super) enum JobForm {
    Job(Box<Job>),
    Other(IgnoredAny),
}

impl JobForm {
    /// The job; `None` for something else.
    pub fn job(self) -> Option<Box<Job>> {
        match self {
            Self::Job(job) => Some(job),
            Self::Other(_) => None,
        }
    }
}

/// A job of `/api/jobs/`.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Job {
    /// Id of its driver, by which actors and tasks name it; `None` while there is none.
    pub job_id: Option<String>,
    /// Id of the submission; `None` for a driver that was not submitted.
    pub submission_id: Option<String>,
    pub status: Option<String>,
    pub entrypoint: Option<String>,
    pub message: Option<String>,
    pub start_time: Ms,
    pub end_time: Ms,
    /// What the user put beside it.
    pub metadata: Option<BTreeMap<String, Loose>>,
    pub runtime_env: Option<RuntimeEnv>,
    pub driver_exit_code: Option<i64>,
}

/// Environment of a job. It may hold secrets: only names of known labels are looked up.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct RuntimeEnv {
    pub env_vars: Option<BTreeMap<String, Loose>>,
}

/// A text; empty where there is something else in its place.
#[derive(Debug, Default)]
pub(super) struct Loose(pub String);

#[derive(Deserialize)]
#[serde(untagged)]
enum LooseForm {
    Text(String),
    Number(i64),
    Other(IgnoredAny),
}

impl<'de> Deserialize<'de> for Loose {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        Ok(Self(match LooseForm::deserialize(from)? {
            LooseForm::Text(text) => text,
            LooseForm::Number(number) => number.to_string(),
            LooseForm::Other(_) => String::new(),
        }))
    }
}

/// Milliseconds since 1970, whole or not; `None` for anything else, and for 0, which stands for none.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Ms(pub Option<i64>);

#[derive(Deserialize)]
#[serde(untagged)]
enum MsForm {
    Number(f64),
    Text(String),
    Other(IgnoredAny),
}

impl<'de> Deserialize<'de> for Ms {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let ms: Option<f64> = match MsForm::deserialize(from)? {
            MsForm::Number(ms) => Some(ms),
            MsForm::Text(text) => text.trim().parse().ok(),
            MsForm::Other(_) => None,
        };
        // 9e15 is beyond the year 9999 and still exact.
        Ok(Self(ms.filter(|ms| (1.0..9e15).contains(ms)).map(|ms| ms as i64)))
    }
}

/// Resources, of which GPUs count.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(from = "HashMap<String, Option<Amount>>")]
pub(super) struct Resources {
    gpu: Option<f64>,
}

#[derive(Clone, Copy, Deserialize)]
#[serde(untagged)]
enum Amount {
    Number(f64),
    Other(IgnoredAny),
}

impl From<HashMap<String, Option<Amount>>> for Resources {
    fn from(told: HashMap<String, Option<Amount>>) -> Self {
        let gpus = |amount: &Option<Amount>| match amount {
            Some(Amount::Number(gpus)) => Some(*gpus),
            Some(Amount::Other(_)) => Some(f64::NAN),
            None => None,
        };
        // Tasks in a placement group have `GPU_group_<id>` in its place, and the same again as `GPU_group_<bundle>_<id>` where they
        // name the bundle.
        let of_group = || {
            let named = told.iter().filter(|(name, _)| name.starts_with("GPU_group_"));
            named.filter_map(|(_, amount)| gpus(amount)).max_by(f64::total_cmp)
        };
        Self { gpu: told.get("GPU").and_then(gpus).or_else(of_group) }
    }
}

impl Resources {
    /// GPUs; `None` for none. What is no number of GPUs is `NaN`, which nothing is made of.
    pub fn gpus(self) -> Option<f64> {
        self.gpu.filter(|gpus| *gpus != 0.0)
    }
}

/// `/logical/actors`.
#[derive(Deserialize)]
pub(super) struct Actors {
    result: bool,
    #[serde(default)]
    msg: String,
    #[serde(default)]
    data: Option<ActorData>,
}

#[derive(Deserialize)]
struct ActorData {
    actors: HashMap<String, Actor>,
}

impl Actors {
    /// Actors by their id. Err with what the dashboard says.
    pub fn all(self) -> Result<HashMap<String, Actor>, String> {
        match self.data {
            Some(data) if self.result => Ok(data.actors),
            _ => Err(clean_to(&self.msg, 300).into_owned()),
        }
    }
}

/// An actor.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct Actor {
    pub job_id: String,
    pub name: Option<String>,
    pub state: String,
    pub start_time: Ms,
    pub end_time: Ms,
    pub required_resources: Resources,
    pub address: ActorAddress,
}

/// Where an actor is.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct ActorAddress {
    pub ip_address: String,
}

/// A list of the state API.
#[derive(Deserialize)]
pub(super) struct List<T> {
    result: bool,
    #[serde(default)]
    msg: Option<String>,
    data: Option<ListData<T>>,
}

#[derive(Deserialize)]
struct ListData<T> {
    result: ListRows<T>,
}

#[derive(Deserialize)]
struct ListRows<T> {
    #[serde(default)]
    total: usize,
    #[serde(default)]
    num_after_truncation: Option<usize>,
    result: Vec<T>,
}

impl<T> List<T> {
    /// The rows, and how many were left out. Err with what the dashboard says, `None` where that is nothing.
    pub fn rows(self) -> Result<(Vec<T>, usize), Option<String>> {
        let Some(data) = self.data.filter(|_| self.result) else {
            let said = self.msg.filter(|said| !said.trim().is_empty());
            return Err(said.map(|said| clean_to(said.trim(), 300).into_owned()));
        };
        let rows = data.result;
        let missing = rows.num_after_truncation.map_or(0, |kept| rows.total.saturating_sub(kept));
        Ok((rows.result, missing))
    }
}

/// `/api/v0/tasks`.
pub(super) type Tasks = Vec<Task>;
/// `/api/v0/nodes`.
pub(super) type Nodes = Vec<Node>;
/// `/api/v0/placement_groups`.
pub(super) type Groups = Vec<Group>;
/// `/api/v0/actors`.
pub(super) type ActorList = Vec<ActorRow>;

/// A task.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Task {
    #[serde(rename = "type")]
    pub kind: Option<String>,
    pub job_id: Option<String>,
    pub node_id: Option<String>,
    pub state: Option<String>,
    pub required_resources: Option<Resources>,
    pub placement_group_id: Option<String>,
    pub start_time_ms: Ms,
    pub end_time_ms: Ms,
}

/// A node.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Node {
    pub node_id: Option<String>,
    pub node_ip: Option<String>,
}

/// A placement group.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Group {
    pub placement_group_id: Option<String>,
    pub creator_job_id: Option<String>,
    pub state: Option<String>,
    pub bundles: Option<Vec<Bundle>>,
    pub stats: Option<GroupStats>,
}

/// A part of a placement group, on one node.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Bundle {
    pub unit_resources: Option<Resources>,
    pub node_id: Option<String>,
}

/// When a placement group was asked for, nanoseconds since 1970 as text, and how many microseconds later it was there.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct GroupStats {
    creation_request_received_ns: Loose,
    end_to_end_creation_latency_us: Loose,
}

impl GroupStats {
    /// When the group was there, milliseconds since 1970; `None` where it is not told.
    pub fn created_ms(&self) -> Option<i64> {
        let asked: i64 = self.creation_request_received_ns.0.parse().ok().filter(|ns| *ns > 0)?;
        let took: i64 = self.end_to_end_creation_latency_us.0.parse().ok().filter(|us| *us >= 0)?;
        (asked / 1_000_000).checked_add(took / 1_000)
    }
}

/// An actor, by the state API: what group it is in.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct ActorRow {
    actor_id: Option<String>,
    placement_group_id: Option<String>,
}

impl ActorRow {
    /// Id of the actor and of the group that it is in; `None` outside of groups.
    pub fn group(self) -> Option<(String, String)> {
        Some((self.actor_id?, self.placement_group_id?))
    }
}
