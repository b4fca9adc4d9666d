//! What one reading of a cluster found in its accounting, over many answers.

use std::collections::HashSet;
use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};

use super::super::error::{JobsFileError, LineError};
use super::super::note::JobNote;
use super::super::{ReadOptions, Reading, first_line};
use super::{Layout, Seen, SlurmSettings, rows, take};
use crate::domain::format::counted;
use crate::domain::jobs::{Attempt, JobState};

/// A job that started later than this before the controller was asked may not have been in its answer.
const JUST_STARTED: SignedDuration = SignedDuration::from_mins(2);

/// Attempts of one reading at most; the next reading goes on.
pub(super) const ATTEMPTS_AT_MOST: usize = 200_000;

/// Accounting of a cluster while it is read.
pub(super) struct Books {
    reading: Reading,
    seen: Seen,
}

/// Jobs that the controller knows.
pub(super) struct Living {
    /// Their raw ids.
    pub ids: HashSet<Arc<str>>,
    /// When it was asked, by its own clock.
    pub at: Timestamp,
}

impl Books {
    /// Nothing yet; `now` by the clock of the cluster.
    pub(super) fn new(now: Timestamp) -> Self {
        let options = ReadOptions { tz: None, now };
        Self { reading: Reading::new(&options), seen: Seen::default() }
    }

    /// Number of attempts so far.
    pub(super) fn len(&self) -> usize {
        self.reading.attempts.len()
    }

    /// Takes in a text of `sacct`; a head without rows is one. Err where it is no such text.
    pub(super) fn add_text(&mut self, text: &[u8]) -> Result<(), JobsFileError> {
        let mut from = std::io::BufReader::with_capacity(super::super::BUFFER, text);
        let head = first_line(&mut from)?;
        let layout = Layout::of(&head).ok_or(JobsFileError::NoColumn("State"))?;
        rows(from, &layout, &mut self.seen, &mut self.reading)
    }

    /// Takes in a row.
    pub(super) fn add_row(
        &mut self,
        number: u64,
        layout: &Layout,
        fields: Result<Vec<String>, LineError>,
    ) -> Result<(), JobsFileError> {
        take((number, fields), layout, &mut self.seen, &mut self.reading)
    }

    /// Attempts, and what is odd about them. `has_gpus` = GPUs are accounted for, `None` where only the rows can tell;
    /// `living` = `None` where the controller did not answer.
    pub(super) fn close(
        mut self,
        has_gpus: Option<bool>,
        living: Option<&Living>,
        settings: &SlurmSettings,
    ) -> (Vec<Attempt>, Vec<String>) {
        if has_gpus == Some(true) {
            let clusters = self.reading.attempts.views().map(|of| of.cluster.clone());
            self.seen.with_gpus.extend(clusters);
        }
        self.seen.finish(&mut self.reading);
        let file = self.reading.gathered();
        let mut attempts: Vec<Attempt> = file.attempts.attempts().collect();
        // Each answer has a part of the attempts of a job, and whole jobs again: of the rest nothing follows.
        let without_gpus = file.notes.iter().filter(|note| matches!(note, JobNote::NoGpus { .. }));
        let mut notes: Vec<String> = without_gpus.map(ToString::to_string).collect();
        if let Some(first) = file.failed.first() {
            notes.push(format!(
                "{} of the accounting could not be read, the first one because {}",
                counted(file.failed_count as usize, "row", "rows"),
                first.why
            ));
        }
        notes.extend(living.and_then(|living| doubt(&mut attempts, living)));
        for attempt in &mut attempts {
            if let Some(cluster) = &settings.cluster {
                attempt.id.cluster = cluster.clone();
            }
            attempt.region.clone_from(&settings.region);
        }
        (attempts, notes)
    }
}

/// Marks what runs by the books alone; returns a sentence where something does.
fn doubt(attempts: &mut [Attempt], living: &Living) -> Option<String> {
    let latest = living.at.checked_sub(JUST_STARTED).unwrap_or(living.at);
    let runs = |a: &&mut Attempt| a.state == JobState::Running && a.ended_at.is_none();
    let mut first = None;
    let mut count = 0_usize;
    for attempt in attempts.iter_mut().filter(runs) {
        let is_old = attempt.started_at.is_some_and(|at| at < latest);
        if is_old && !living.ids.contains(&attempt.id.raw) {
            attempt.state = JobState::Doubtful;
            first.get_or_insert_with(|| attempt.job.clone());
            count += 1;
        }
    }
    let first = first?;
    Some(format!(
        "{} by the accounting alone, {first} for one: the controller does not know them, and their \
         time is not counted; the site's administrator can end them",
        counted(count, "job runs", "jobs run")
    ))
}
