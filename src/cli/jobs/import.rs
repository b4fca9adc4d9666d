//! `burntop jobs import`: files are read and kept, one after the other.

use std::io::Write;
use std::path::Path;
use std::sync::Arc;

use super::args::ImportArgs;
use super::log_tail;
use crate::cache::Jobs;
use crate::cli::exit::{CliError, Exit};
use crate::cli::invocation::Invocation;
use crate::cli::reports;
use crate::cli::session::can_import;
use crate::cli::tell::tell;
use crate::config::Env;
use crate::domain::format::counted;
use crate::domain::jobs::Attempt;
use crate::domain::text::clean;
use crate::files;
use crate::report::{ImportedFile, JobsImportReport};
use crate::source::jobs::{JobsFile, ReadOptions, read_file};

/// Imports jobs and prints what each file held. Fails for arguments that do not fit, and where nothing could be imported.
pub(super) fn run(
    args: &ImportArgs,
    invocation: &Invocation,
    env: &Env,
    out: &mut dyn Write,
) -> Result<Exit, CliError> {
    can_import(invocation, "jobs")?;
    let jobs = Jobs::beside(&invocation.cache_file()?);
    let options = ReadOptions { tz: args.tz.clone(), now: invocation.options.now() };
    let (mut files, mut failed) = (Vec::new(), Vec::new());
    for path in &args.files {
        match import(path, &jobs, &options, args.logs) {
            Ok(file) => files.push(file),
            Err(why) => failed.push(why),
        }
    }
    if files.is_empty() {
        return Err(CliError::Failed { exit: Exit::Unreadable, message: failed.join("\n") });
    }
    let report = JobsImportReport { files: &files, failed: &failed };
    reports::print(&report, invocation, &reports::context(invocation, env), out)?;
    failed.iter().for_each(tell);
    let is_whole = failed.is_empty() && files.iter().all(|file| file.failed_count == 0);
    Ok(if is_whole { Exit::Ok } else { Exit::Partial })
}

/// Reads a file and keeps its attempts. Err, one sentence, where nothing of it could be read or kept.
fn import(
    path: &Path,
    jobs: &Jobs,
    options: &ReadOptions,
    logs: bool,
) -> Result<ImportedFile, String> {
    let name = clean(&path.display().to_string()).into_owned();
    let mut read = read_file(path, options).map_err(|error| format!("{name}: {error}"))?;
    let mut notes: Vec<String> = read.notes.iter().map(ToString::to_string).collect();
    if logs {
        // Beside the file, where a path does not begin at the root.
        notes.extend(look_into_logs(&mut read, path.parent().unwrap_or(Path::new(""))));
    }
    jobs.put(read.attempts.attempts()).map_err(|error| error.to_string())?;
    Ok(ImportedFile {
        file: name,
        attempts: read.attempts.len() as u64,
        failed_lines: read.failed.iter().map(|line| (line.line, line.why.to_string())).collect(),
        failed_count: read.failed_count,
        notes,
    })
}

/// Gives attempts without a reason the one that their log tells; what of the logs could not be read, in a sentence.
fn look_into_logs(read: &mut JobsFile, beside: &Path) -> Option<String> {
    let (mut failed, mut first) = (0_usize, None);
    for (place, path) in &read.logs {
        match log_tail::reason(&beside.join(path)) {
            Ok(reason) => {
                let reason = reason.map(Arc::from);
                read.attempts.set(*place, Attempt { reason, ..read.attempts.get(*place) });
            }
            Err(error) => {
                failed += 1;
                let path = clean(&path.display().to_string()).into_owned();
                first.get_or_insert_with(|| format!("{path}: {}", files::reason(&error)));
            }
        }
    }
    let count = counted(failed, "log", "logs");
    first.map(|first| format!("{count} could not be read, the first one {first}"))
}
