//! Text of `sacct`, as `-P` or `--parsable` writes it, with any delimiter and any columns.
//!
//! Nothing is quoted in it. A delimiter or a line break in a name is mended where only one reading of the line makes
//! sense; otherwise the line fails. `docs/jobs.md` has the command.

mod books;
mod gres;
mod held;
mod jobstats;
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
use crate::domain::hash::FastMap;
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
    /// By cluster, jobs of which an attempt says that it was queued again.
    requeued: HashMap<Arc<str>, HashSet<Arc<str>>>,
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
            if told.was_requeued {
                seen.requeued.entry(cluster.clone()).or_default().insert(attempt.job.clone());
            }
            if told.tells_gpus {
                seen.with_gpus.insert(cluster);
            }
            reading.keep(attempt, &told.log)
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
        // Attempts of each job that was queued again.
        let mut attempts: FastMap<(&str, &str), u32> = FastMap::default();
        for of in reading.attempts.views() {
            let ran = of.state != JobState::Queued;
            if ran && !self.with_gpus.contains(of.cluster) && !without.contains(of.cluster) {
                without.push(of.cluster.clone());
            }
            if self.requeued.get(of.cluster).is_some_and(|jobs| jobs.contains(of.job)) {
                *attempts.entry((of.cluster, of.job)).or_default() += 1;
            }
        }
        let jobs = attempts.values().filter(|attempts| **attempts == 1).count() as u64;
        reading.attempts.forget_gpus(|cluster| !self.with_gpus.contains(cluster));
        reading.notes.extend(without.into_iter().map(|cluster| JobNote::NoGpus { cluster }));
        if jobs > 0 {
            reading.notes.push(JobNote::NoEarlierAttempts { jobs });
        }
    }
}
