//! Jobs of the accounting as JSON has them, made into rows of the text: what a row means is said once.

use serde::Deserialize;

use super::super::Layout;
use super::super::books::Books;
use super::answers::{Number, Resource, Spoken, Text, Words};
use crate::source::jobs::error::{JobsFileError, LineError};
use crate::source::jobs::status;

/// Columns of the rows, in the order of [`Job::fields`].
const COLUMNS: [&str; 25] = [
    "Cluster",
    "JobIDRaw",
    "JobID",
    "JobName",
    "User",
    "Account",
    "Partition",
    "State",
    "ExitCode",
    "DerivedExitCode",
    "Submit",
    "Eligible",
    "Start",
    "End",
    "ElapsedRaw",
    "Suspended",
    "TimelimitRaw",
    "AllocTRES",
    "ReqTRES",
    "NNodes",
    "NodeList",
    "Comment",
    "AdminComment",
    "WCKey",
    "Reason",
];

/// `/slurmdb/…/jobs/`.
#[derive(Deserialize)]
pub(super) struct Jobs {
    jobs: Vec<Job>,
}

impl Spoken for Jobs {}

impl Jobs {
    /// Puts the jobs into the books.
    pub(super) fn into_books(self, books: &mut Books) -> Result<(), JobsFileError> {
        let layout = Layout::of_columns(&COLUMNS);
        for (place, job) in self.jobs.into_iter().enumerate() {
            books.add_row(place as u64 + 1, &layout, job.fields())?;
        }
        Ok(())
    }
}

/// A job; of what is not known nothing is asked.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Job {
    cluster: Text,
    job_id: Number,
    array: Array,
    het: Het,
    name: Text,
    user: Text,
    association: Association,
    account: Text,
    partition: Text,
    state: State,
    exit_code: Exit,
    derived_exit_code: Exit,
    time: Time,
    tres: Tres,
    allocation_nodes: Number,
    nodes: Text,
    comment: Comment,
    wckey: WcKey,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Array {
    job_id: Number,
    task_id: Number,
    /// Tasks that wait, as a number of bits: `0x3FF` for 0 to 9.
    task: Text,
    limits: ArrayLimits,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct ArrayLimits {
    max: ArrayMax,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct ArrayMax {
    running: ArrayRunning,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct ArrayRunning {
    /// Tasks that may run at once; 0 = as many as fit.
    tasks: Number,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Het {
    job_id: Number,
    job_offset: Number,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Association {
    user: Text,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct State {
    current: Words,
    reason: Text,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Exit {
    return_code: Number,
    signal: Signal,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Signal {
    /// v0.0.38 has `signal_id`.
    #[serde(alias = "signal_id")]
    id: Number,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Time {
    submission: Number,
    eligible: Number,
    start: Number,
    end: Number,
    elapsed: Number,
    suspended: Number,
    limit: Number,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Tres {
    allocated: Vec<Resource>,
    requested: Vec<Resource>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Comment {
    job: Text,
    administrator: Text,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct WcKey {
    wckey: Text,
}

impl Job {
    /// The fields of a row. Err without an id.
    fn fields(self) -> Result<Vec<String>, LineError> {
        let raw = self.job_id.positive().ok_or(LineError::Empty("job_id"))?;
        let user = if self.user.0.is_empty() { self.association.user.0 } else { self.user.0 };
        let state = state(&self.state.current);
        let suspended = self.time.suspended.positive().unwrap_or_default();
        let id = match (self.het.job_id.positive(), self.het.job_offset.whole()) {
            (Some(first), Some(offset)) => format!("{first}+{offset}"),
            _ => match (self.array.job_id.positive(), self.array.task_id.whole()) {
                (Some(array), Some(task)) => format!("{array}_{task}"),
                (Some(array), None) if !self.array.task.0.is_empty() => {
                    let most = self.array.limits.max.running.tasks.positive();
                    let most = most.map_or(String::new(), |most| format!("%{most}"));
                    format!("{array}_[{}{most}]", tasks(&self.array.task.0))
                }
                _ => raw.to_string(),
            },
        };
        Ok(vec![
            self.cluster.0,
            raw.to_string(),
            id,
            self.name.0,
            user,
            self.account.0,
            self.partition.0,
            state.clone(),
            self.exit_code.column(),
            self.derived_exit_code.column(),
            self.time.submission.column(),
            self.time.eligible.column(),
            // Who was cancelled while waiting has the time of that for its start.
            if self.allocation_nodes.whole() == Some(0) {
                String::new()
            } else {
                self.time.start.column()
            },
            // Truncation ends what runs with the window.
            if status::state(&state).is_over() { self.time.end.column() } else { String::new() },
            self.time.elapsed.column(),
            format!("{:02}:{:02}:{:02}", suspended / 3_600, suspended / 60 % 60, suspended % 60),
            self.time.limit.column(),
            list(&self.tres.allocated),
            list(&self.tres.requested),
            self.allocation_nodes.column(),
            self.nodes.0,
            self.comment.job.0,
            self.comment.administrator.0,
            self.wckey.wckey.0,
            self.state.reason.0,
        ])
    }
}

/// The state among the words: a flag beside it tells more, as of `["PENDING", "REQUEUED"]`, which is an attempt that was put back.
fn state(words: &Words) -> String {
    let tells = ["REQUEUED", "SPECIAL_EXIT"];
    let flag = words.0.iter().skip(1).find(|word| tells.contains(&word.as_str()));
    flag.or_else(|| words.0.first()).cloned().unwrap_or_default()
}

/// Bits that are read of a number of tasks: the most tasks that Slurm's default allows.
const TASKS_AT_MOST: usize = 1_001;

/// Tasks as the text has them, `0-9,12`, of their bits; what is no such number stays as it is.
fn tasks(text: &str) -> String {
    let Some(digits) = text.strip_prefix("0x").filter(|hex| hex.len() * 4 <= TASKS_AT_MOST) else {
        return text.to_owned();
    };
    let bits: Option<Vec<u32>> = digits.chars().rev().map(|c| c.to_digit(16)).collect();
    let Some(bits) = bits else { return text.to_owned() };
    let is_set = |task: usize| bits.get(task / 4).is_some_and(|four| four >> (task % 4) & 1 == 1);
    let mut ranges = Vec::new();
    let mut task = 0;
    while task < bits.len() * 4 {
        if is_set(task) {
            let first = task;
            while is_set(task + 1) {
                task += 1;
            }
            ranges.push(if first == task { format!("{task}") } else { format!("{first}-{task}") });
        }
        task += 1;
    }
    ranges.join(",")
}

impl Exit {
    /// As `sacct` has it, `1:0`; empty where it is not told.
    fn column(&self) -> String {
        let (code, signal) = (self.return_code.whole(), self.signal.id.whole());
        match (code, signal) {
            (None, None) => String::new(),
            (code, signal) => {
                format!("{}:{}", code.unwrap_or_default(), signal.unwrap_or_default())
            }
        }
    }
}

/// Resources as `sacct` has them: `cpu=16,gres/gpu:h100=8,mem=100M`. Energy below 0 is none.
fn list(all: &[Resource]) -> String {
    let one = |resource: &Resource| {
        let count = resource.count.whole().filter(|count| *count >= 0)?;
        let kind = &resource.kind.0;
        let name = match resource.name.0.as_str() {
            "" => kind.clone(),
            name => format!("{kind}/{name}"),
        };
        let unit = if kind == "mem" { "M" } else { "" };
        Some(format!("{name}={count}{unit}"))
    };
    all.iter().filter_map(one).collect::<Vec<_>>().join(",")
}
