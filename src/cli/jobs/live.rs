//! Configured sources are read before jobs are shown.

use std::time::Duration;

use crate::bus::{kept_readings, read_jobs};
use crate::cli::exit::CliError;
use crate::cli::invocation::Invocation;
use crate::cli::job_sources::job_settings;
use crate::cli::tell::tell;
use crate::config::Env;
use crate::domain::{Reading, SourceState};

/// How long all sources together may take; what came by then is kept, and the next run goes on.
pub(crate) const READ_WITHIN: Duration = Duration::from_mins(1);

/// Reads every configured source and keeps what it says; offline nobody is asked. Returns how each was read last; what is odd is
/// printed to standard error. Fails where the configuration of one cannot be used.
pub(super) fn read(invocation: &Invocation, env: &Env) -> Result<Vec<Reading>, CliError> {
    let settings = job_settings(invocation, env)?;
    if settings.sources.is_empty() {
        return Ok(Vec::new());
    }
    if invocation.options.offline {
        return Ok(kept_readings(&settings));
    }
    let runtime =
        tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    let now = invocation.options.now();
    let outcomes = runtime.block_on(read_jobs(&settings, now, READ_WITHIN));
    runtime.shutdown_background();
    for outcome in &outcomes {
        let reading = &outcome.reading;
        for note in &outcome.notes {
            tell(format_args!("{} {}: {note}", reading.source.word(), reading.scope.account));
        }
    }
    Ok(outcomes.into_iter().map(|outcome| outcome.reading).collect())
}

/// The same for those who show what is kept of jobs in another way: true where nothing is missing.
pub(in crate::cli) fn read_whole(invocation: &Invocation, env: &Env) -> Result<bool, CliError> {
    Ok(read(invocation, env)?.iter().all(is_whole))
}

/// True for a source that was read at some time.
pub(super) fn has_answered(reading: &Reading) -> bool {
    reading.taken_at.is_some() && reading.failed().is_none()
}

/// True for a source of which nothing is missing that was asked for.
pub(super) fn is_whole(reading: &Reading) -> bool {
    match reading.state {
        SourceState::Failed(_) => false,
        SourceState::Cached | SourceState::Loading | SourceState::Live => reading.coverage >= 1.0,
    }
}
