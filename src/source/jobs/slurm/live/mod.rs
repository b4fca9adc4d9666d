//! A cluster by Slurm's own programs, on this host or over ssh: `sacct` for what ran, `squeue` and `scontrol` for what is.
//!
//! `sacct` is asked an hour at a time, and longer stretches where little ran: its answers stay small, and so does what the
//! database has to do for them. Nothing is ever changed: of `sacctmgr` nothing is run.

mod config;
mod program;
mod show;
#[cfg(test)]
mod tests;
mod trouble;

use std::collections::HashSet;
use std::sync::Arc;
use std::time::{Duration, Instant};

use jiff::Timestamp;
use tokio::sync::OnceCell;

use self::config::ClusterConfig;
pub use self::program::Place;
use self::program::Programs;
use super::SlurmSettings;
use super::books::{ATTEMPTS_AT_MOST, Books, Living};
use super::held;
use crate::domain::format::span;
use crate::domain::jobs::JobSource;
use crate::domain::{ErrorKind, SourceError};
use crate::source::jobs::live::{JobWindow, JobsName, JobsRead, LiveJobs};

/// Columns that are read, where `sacct` knows them.
const COLUMNS: [&str; 26] = [
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
    "Restarts",
    "Reason",
];

/// Those without which nothing can be read.
const NEEDED: [&str; 2] = ["JobIDRaw", "State"];

/// Most bytes of an answer of `sacct`: 170,000 rows.
const SACCT_AT_MOST: usize = 64 << 20;

/// Most bytes of a list of the controller: some 20,000 jobs.
const LIST_AT_MOST: usize = 32 << 20;

/// Most bytes of a short answer.
const SHORT: usize = 1 << 20;

/// Time that one reading spends on the past; the next one goes on.
const BUDGET: Duration = Duration::from_secs(40);

/// Seconds of the first stretch, of the longest, and of the shortest one.
const STRETCH: (i64, i64, i64) = (3_600, 86_400, 60);

/// Bytes of an answer below which the next stretch is twice as long.
const LITTLE: usize = 1 << 20;

/// Clocks that differ by more than this are said, seconds.
const CLOCKS: i64 = 60;

/// Slurm's programs as a source.
pub struct SlurmPrograms {
    name: JobsName,
    settings: SlurmSettings,
    programs: Programs,
    /// Columns that `sacct` knows of [`COLUMNS`].
    columns: OnceCell<String>,
}

impl SlurmPrograms {
    /// The programs at a place, in the directory `bin`; without one those of the PATH. Starts nothing. `bin` is a plain path.
    pub fn new(settings: SlurmSettings, place: Place, bin: Option<String>) -> Self {
        let name = JobsName { kind: JobSource::Slurm, name: settings.name.clone() };
        let programs = Programs { place, bin, time: settings.timeout };
        Self { name, settings, programs, columns: OnceCell::new() }
    }

    /// Columns to ask for, as `-o` takes them.
    async fn columns(&self) -> Result<&str, SourceError> {
        let ask = async {
            let known = self.programs.text("sacct", &["--helpformat"], SHORT).await?;
            let known: HashSet<String> =
                known.split_whitespace().map(str::to_ascii_lowercase).collect();
            let has = |name: &str| known.contains(&name.to_ascii_lowercase());
            if !NEEDED.iter().all(|name| has(name)) {
                let fix =
                    "see what `sacct --helpformat` prints there; burntop reads Slurm from 20.11 on";
                let why = "sacct names none of the columns that are needed";
                return Err(SourceError::new(ErrorKind::Malformed, "slurm:sacct", why, fix));
            }
            let columns: Vec<&str> = COLUMNS.iter().copied().filter(|name| has(name)).collect();
            Ok(columns.join(","))
        };
        self.columns.get_or_try_init(|| ask).await.map(String::as_str)
    }

    /// Reads the accounting of a window, by the clock of the cluster; up to when it got.
    async fn past(&self, books: &mut Books, from: i64, to: i64) -> Result<i64, SourceError> {
        let columns = self.columns().await?;
        let (began, mut at) = (Instant::now(), from);
        let (mut stretch, longest, shortest) = STRETCH;
        while at < to && began.elapsed() < BUDGET && books.len() < ATTEMPTS_AT_MOST {
            let end = to.min(at.saturating_add(stretch));
            let (start_word, end_word) = (format!("uts{at}"), format!("uts{end}"));
            let arguments = [
                "-a",
                "-X",
                "-D",
                "-P",
                "--delimiter=\u{1f}",
                "-S",
                &start_word,
                "-E",
                &end_word,
                "-o",
                columns,
            ];
            let answer = self.programs.bytes("sacct", &arguments, SACCT_AT_MOST).await;
            let text = match answer {
                Err(error) if trouble::is_too_long(&error) && stretch > shortest => {
                    stretch = (stretch / 4).max(shortest);
                    continue;
                }
                answer => answer?,
            };
            books.add_text(&text).map_err(|error| {
                let fix = "see what `sacct -a -X -D -P` prints there, and whether a login script prints too";
                SourceError::new(ErrorKind::Malformed, "slurm:sacct", &error.to_string(), fix)
            })?;
            if text.len() < LITTLE {
                stretch = (stretch * 2).min(longest);
            }
            at = end;
        }
        Ok(at)
    }

    /// Raw ids of all jobs that the controller knows.
    async fn living(&self, at: Timestamp) -> Result<Living, SourceError> {
        let arguments = ["-a", "-h", "-r", "-t", "all", "-o", "%A"];
        let text = self.programs.text("squeue", &arguments, LIST_AT_MOST).await?;
        let ids = text.lines().map(str::trim).filter(|id| !id.is_empty()).map(Arc::from).collect();
        Ok(Living { ids, at })
    }
}

#[async_trait::async_trait]
impl LiveJobs for SlurmPrograms {
    fn name(&self) -> &JobsName {
        &self.name
    }

    async fn read(&self, window: &JobWindow) -> Result<JobsRead, SourceError> {
        let mut read = JobsRead::default();
        let asked = Instant::now();
        let config = match self.programs.text("scontrol", &["show", "config"], SHORT).await {
            Ok(text) => Some(ClusterConfig::of(&text)),
            // Without the host or its programs there is nothing else to ask.
            Err(error) if trouble::is_of_the_place(&error) => return Err(error),
            Err(error) => {
                read.refusal = Some(error);
                None
            }
        };
        let took = i64::try_from(asked.elapsed().as_secs()).unwrap_or_default();
        let theirs = config.as_ref().and_then(|config| config.now);
        let ahead = theirs.map_or(0, |now| now - (window.until.as_second() + took));
        if ahead.abs() > CLOCKS {
            let which = if ahead > 0 { "ahead of" } else { "behind" };
            read.notes.push(format!(
                "the clock of the cluster is {} {which} this host's: times are by the cluster's",
                span(ahead.abs())
            ));
        }
        let ahead = if ahead.abs() > CLOCKS { ahead } else { 0 };
        let now = Timestamp::from_second(window.until.as_second() + ahead).unwrap_or(window.until);
        let version = config.as_ref().and_then(|config| config.version.as_ref());
        read.about = version.map(|version| format!("Slurm {version}"));
        if config.as_ref().is_some_and(|config| config.is_private) {
            read.notes.push(
                "PrivateData keeps the jobs of others from this user: what is read may be its own \
                 jobs alone; an operator of Slurm sees all"
                    .to_owned(),
            );
        }
        let mut living = None;
        if config.is_some() {
            match self.living(now).await {
                Ok(found) => living = Some(found),
                Err(error) => read.refusal = Some(error),
            }
        }

        let mut books = Books::new(now);
        let (from, to) = (window.since.as_second() + ahead, now.as_second());
        let reached = self.past(&mut books, from, to).await?;
        if reached < to {
            read.complete_until = Timestamp::from_second(reached - ahead).ok();
        }
        let has_gpus = config.as_ref().and_then(|config| config.has_gpus);
        let (attempts, notes) = books.close(has_gpus, living.as_ref(), &self.settings);
        read.notes.extend(notes);

        let told = config.and_then(|config| config.cluster);
        let cluster = self.settings.cluster.clone().or(told);
        let cluster = cluster.or_else(|| attempts.first().map(|a| a.id.cluster.clone()));
        read.attempts = attempts;
        if let (Some(cluster), Some(_)) = (cluster, &living) {
            self.present(&mut read, &cluster, now).await;
        }
        Ok(read)
    }
}

impl SlurmPrograms {
    /// Nodes, and who holds their GPUs. What cannot be had is a refusal.
    async fn present(&self, read: &mut JobsRead, cluster: &Arc<str>, now: Timestamp) {
        let nodes = self.programs.text("scontrol", &["show", "node", "-d"], LIST_AT_MOST).await;
        let nodes = match nodes {
            Ok(text) => show::nodes(&text),
            Err(error) => {
                read.refusal = Some(error);
                return;
            }
        };
        let jobs = self.programs.text("scontrol", &["show", "job", "-d"], LIST_AT_MOST).await;
        let held = jobs.map(|text| show::held(&text));
        let held = held.map_err(|error| read.refusal = Some(error)).ok();
        read.events = held::events(&nodes, cluster, now);
        let (nodes, holders) = held::joined(&nodes, held.as_deref(), cluster, &self.settings, now);
        (read.nodes, read.holders) = (nodes, held.is_some().then_some(holders));
    }
}
