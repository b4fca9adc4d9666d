//! Configured sources are read before jobs are shown.

use std::sync::Arc;
use std::time::Duration;

use crate::bus::{kept_readings, read_jobs};
use crate::cli::exit::CliError;
use crate::cli::invocation::Invocation;
use crate::cli::job_sources::{is_billed, job_settings};
use crate::cli::session::with_cache;
use crate::config::Env;
use crate::domain::{Reading, SourceId, SourceState};

/// How long all sources together may take; what came by then is kept, and the next run goes on.
pub(crate) const READ_WITHIN: Duration = Duration::from_mins(1);

/// How configured sources of jobs were read.
#[derive(Clone, Debug, Default)]
pub(in crate::cli) struct SourcesRead {
    /// Each source.
    pub readings: Arc<[Reading]>,
    /// What is odd, a sentence each.
    pub notes: Vec<String>,
}

impl SourcesRead {
    /// Sources of which something is missing that was asked for. What telemetry tells of nodes was not: it is used where it is there.
    pub fn missing(&self) -> impl Iterator<Item = &Reading> {
        let is_asked = |of: &&Reading| of.source != SourceId::Prometheus && !is_whole(of);
        self.readings.iter().filter(is_asked)
    }
}

/// Reads every configured source and keeps what it says; offline nobody is asked. Fails where the configuration of one cannot be
/// used.
pub(in crate::cli) fn read(invocation: &Invocation, env: &Env) -> Result<SourcesRead, CliError> {
    let settings = job_settings(invocation, env, None)?;
    if settings.is_empty() {
        return Ok(SourcesRead::default());
    }
    if invocation.options.offline {
        return Ok(SourcesRead { readings: kept_readings(&settings).into(), notes: Vec::new() });
    }
    let now = invocation.options.now();
    let outcomes = if is_billed(&invocation.config) {
        with_cache(invocation, async |cache| {
            let ledger = invocation.ledger(cache);
            let settings = job_settings(invocation, env, Some(&ledger))?;
            Ok(read_jobs(&settings, now, READ_WITHIN).await)
        })?
    } else {
        let runtime =
            tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
        let outcomes = runtime.block_on(read_jobs(&settings, now, READ_WITHIN));
        runtime.shutdown_background();
        outcomes
    };
    let mut notes = Vec::new();
    for outcome in &outcomes {
        let reading = &outcome.reading;
        let (source, name) = (reading.source.word(), &reading.scope.account);
        notes.extend(outcome.notes.iter().map(|note| format!("{source} {name}: {note}")));
    }
    let readings = outcomes.into_iter().map(|outcome| outcome.reading).collect();
    Ok(SourcesRead { readings, notes })
}

/// True for a source of jobs that was read at some time; what tells of nodes alone is none.
pub(super) fn has_answered(reading: &Reading) -> bool {
    let is_of_jobs = !matches!(reading.source, SourceId::Prometheus | SourceId::Ec2);
    is_of_jobs && reading.taken_at.is_some() && reading.failed().is_none()
}

/// True for a source of which nothing is missing that was asked for.
pub(super) fn is_whole(reading: &Reading) -> bool {
    match reading.state {
        SourceState::Failed(_) => false,
        SourceState::Cached | SourceState::Loading | SourceState::Live => reading.coverage >= 1.0,
    }
}
