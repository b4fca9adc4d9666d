//! Text of `sacct`, as `-P` or `--parsable` writes it, with any delimiter and any columns.
//!
//! Nothing is quoted in it. A delimiter or a line break in a name is mended where only one reading of the line makes
//! sense; otherwise the line fails. `docs/jobs.md` has the command.

mod books;
mod gres;
mod held;
mod layout;
mod live;
mod nodes;
mod rest;
mod row;
mod split;
mod tres;

use std::collections::{HashMap, HashSet};
use std::io::BufRead;
use std::sync::Arc;
use std::time::Duration;

use super::Reading;
use super::error::{JobsFileError, LineError};
use super::lines::Lines;
use super::note::JobNote;
use crate::domain::jobs::JobState;
pub(super) use layout::Layout;
pub use live::{Place, SlurmPrograms};
pub use rest::{SlurmRest, Token};
use row::Row;
use split::Joined;

/// Settings of a live source of one cluster, however it is reached.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SlurmSettings {
    /// Configured name of the source, clean.
    pub name: Arc<str>,
    /// Name of the cluster in place of Slurm's own; `None` = Slurm's own.
    pub cluster: Option<Arc<str>>,
    /// Region of the nodes; `None` = unknown.
    pub region: Option<Arc<str>>,
    /// Time limit of one request.
    pub timeout: Duration,
}

impl SlurmSettings {
    /// With a minute for each request.
    pub fn new(name: &str) -> Self {
        let timeout = Duration::from_mins(1);
        Self { name: name.into(), cluster: None, region: None, timeout }
    }
}

/// Reads the rows after the head.
pub(super) fn read(
    from: impl BufRead,
    layout: &Layout,
    reading: &mut Reading,
) -> Result<(), JobsFileError> {
    let mut seen = Seen::default();
    rows(from, layout, &mut seen, reading)?;
    seen.finish(reading);
    Ok(())
}

/// Reads the rows after the head; what all texts tell together is [`Seen::finish`]'s.
fn rows(
    from: impl BufRead,
    layout: &Layout,
    seen: &mut Seen,
    reading: &mut Reading,
) -> Result<(), JobsFileError> {
    let mut lines = Lines::new(from);
    let mut joined = Joined::new(layout);
    let mut is_head = true;
    while let Some((line, text)) = lines.next()? {
        let text = match text {
            Ok(text) => text,
            Err(why) => {
                reading.fail(line, why);
                continue;
            }
        };
        if is_head {
            is_head = text.trim().is_empty();
            continue;
        }
        for found in joined.add(line, text) {
            take(found, layout, seen, reading)?;
        }
    }
    for found in joined.rest() {
        take(found, layout, seen, reading)?;
    }
    Ok(())
}

/// What all rows of a file tell together.
#[derive(Default)]
struct Seen {
    /// Clusters of which a row tells GPUs.
    with_gpus: HashSet<Arc<str>>,
    /// Number of attempts of each job, and whether one of them says that it was queued again.
    jobs: HashMap<(Arc<str>, Arc<str>), (u32, bool)>,
}

fn take(
    (line, fields): (u64, Result<Vec<String>, LineError>),
    layout: &Layout,
    seen: &mut Seen,
    reading: &mut Reading,
) -> Result<(), JobsFileError> {
    let fields = match fields {
        Ok(fields) => fields,
        Err(why) => {
            reading.fail(line, why);
            return Ok(());
        }
    };
    let row = Row::new(layout, &fields);
    if row.is_step() {
        reading.steps += 1;
        return Ok(());
    }
    match row.attempt(&reading.clock) {
        Ok((attempt, told)) => {
            let cluster = attempt.id.cluster.clone();
            let job = seen.jobs.entry((cluster.clone(), attempt.job.clone())).or_default();
            job.0 += 1;
            job.1 |= told.was_requeued;
            if told.tells_gpus {
                seen.with_gpus.insert(cluster);
            }
            reading.log(&attempt, &told.log);
            reading.keep(attempt)
        }
        Err(why) => {
            reading.fail(line, why);
            Ok(())
        }
    }
}

impl Seen {
    /// Where no row of a cluster tells GPUs, they are not accounted: unknown, not 0.
    fn finish(self, reading: &mut Reading) {
        let mut without: Vec<Arc<str>> = Vec::new();
        for attempt in &mut reading.attempts {
            let cluster = &attempt.id.cluster;
            if self.with_gpus.contains(cluster) {
                continue;
            }
            attempt.gpus = None;
            if attempt.state != JobState::Queued && !without.contains(cluster) {
                without.push(cluster.clone());
            }
        }
        let notes = without.into_iter().map(|cluster| JobNote::NoGpus { cluster });
        reading.notes.extend(notes);
        let alone = self.jobs.values().filter(|(attempts, requeued)| *attempts == 1 && *requeued);
        let jobs = alone.count() as u64;
        if jobs > 0 {
            reading.notes.push(JobNote::NoEarlierAttempts { jobs });
        }
    }
}
