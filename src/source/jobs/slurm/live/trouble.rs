//! What Slurm's programs say when they fail, in words with something to do.

use std::io;
use std::time::Duration;

use crate::domain::format::span;
use crate::domain::{ErrorKind, SourceError, text};
use crate::files;
use crate::source::ssh::error::{self as of_ssh, Ended};

/// A call, for messages.
#[derive(Clone, Copy, Debug)]
pub(super) struct Called<'a> {
    /// The program.
    pub program: &'static str,
    /// The host; `None` for this one.
    pub host: Option<&'a str>,
}

impl Called<'_> {
    fn error(&self, kind: ErrorKind, message: &str, fix: &str) -> SourceError {
        let operation = format!("slurm:{}", self.program);
        let message = match self.host {
            None => message.to_owned(),
            Some(host) => format!("{host}: {message}"),
        };
        SourceError::new(kind, &operation, &message, fix)
    }
}

/// Something said, its kind, and what it means.
type Known = (&'static [&'static str], ErrorKind, &'static str, &'static str);

/// The first that fits counts; words without case.
const KNOWN: [Known; 6] = [
    (
        &[
            "accounting storage is disabled",
            "slurmdbd is not enabled",
            "not running a supported accounting_storage",
        ],
        ErrorKind::Unavailable,
        "the cluster keeps no accounting",
        "set AccountingStorageType=accounting_storage/slurmdbd, or import jobs from files",
    ),
    (
        &["access/permission denied", "permission denied", "invalid user", "only slurm"],
        ErrorKind::Denied,
        "Slurm does not let this user see it",
        "ask for the rights of an operator: `sacctmgr modify user NAME set adminlevel=operator`",
    ),
    (
        &["munge", "authentication"],
        ErrorKind::Denied,
        "Slurm does not know who asks",
        "see whether munge runs on that host with the key of the cluster",
    ),
    (
        &["slurmdbd", "database", "sending persistinit", "persistent connection"],
        ErrorKind::Network,
        "slurmdbd does not answer",
        "see whether slurmdbd and its database run; burntop tries again by itself",
    ),
    (
        &[
            "unable to contact slurm controller",
            "slurm_load",
            "connection refused",
            "socket timed out",
        ],
        ErrorKind::Network,
        "slurmctld does not answer",
        "see whether slurmctld runs; burntop tries again by itself",
    ),
    (
        &["slurm.conf", "could not establish a configuration source", "fetch_config"],
        ErrorKind::Unavailable,
        "Slurm's configuration is not found",
        "name a host that belongs to the cluster, or set SLURM_CONF there",
    ),
];

/// Exit status of a shell that does not find a program, and of ssh that fails itself.
const NOT_FOUND: i32 = 127;
const OF_SSH: i32 = 255;

/// Words of the error for an answer that is too long, by which [`is_too_long`] knows it.
const TOO_LONG: &str = "prints more than";

/// What a missing program takes.
const INSTALL: &str = "set `bin` of this source to the directory of Slurm's programs, such as \
                       /opt/slurm/bin, or name a host that has them";

/// Error that explains why a call ended.
pub(super) fn explain(called: &Called<'_>, ended: &Ended) -> SourceError {
    if called.host.is_some() && ended.code == Some(OF_SSH) {
        return of_ssh::explain(ended);
    }
    let said = ended.said.to_lowercase();
    let not_there = ["command not found", ": not found", "no such file or directory"];
    let is_missing = ended.code == Some(NOT_FOUND)
        || ended.code == Some(126) && not_there.iter().any(|words| said.contains(words));
    if is_missing {
        let message = format!("{} is not there", called.program);
        return called.error(ErrorKind::Unavailable, &message, INSTALL);
    }
    let fits = |known: &&Known| known.0.iter().any(|words| said.contains(words));
    let line = ended.said.lines().map(str::trim).find(|line| !line.is_empty());
    let line = line.map(|line| text::clean(line).into_owned());
    if let Some((_, kind, message, fix)) = KNOWN.iter().find(fits) {
        let message = format!("{message} ({})", line.unwrap_or_default());
        return called.error(*kind, &message, fix);
    }
    let message = match (line, ended.code) {
        (Some(line), _) => line,
        (None, Some(code)) => format!("{} ended with status {code}", called.program),
        (None, None) => format!("{} was ended by a signal", called.program),
    };
    called.error(ErrorKind::Other, &message, "")
}

/// Error for a program that cannot be started here.
pub(super) fn not_started(called: &Called<'_>, error: &io::Error) -> SourceError {
    if error.kind() == io::ErrorKind::NotFound {
        let message = format!("{} is not there", called.program);
        return called.error(ErrorKind::Unavailable, &message, INSTALL);
    }
    let message = format!("{} cannot be started: {}", called.program, files::reason(error));
    called.error(ErrorKind::Unavailable, &message, "")
}

/// Error for a call that took too long.
pub(super) fn late(called: &Called<'_>, limit: Duration) -> SourceError {
    let limit = span(i64::try_from(limit.as_secs()).unwrap_or(i64::MAX));
    let message = format!("{} did not answer within {limit}", called.program);
    let fix = "see how long it takes by hand, and raise `timeout_s` of this source";
    called.error(ErrorKind::Timeout, &message, fix)
}

/// Error for an answer of more than `most` bytes.
pub(super) fn too_long(called: &Called<'_>, most: usize) -> SourceError {
    let message =
        format!("{} {TOO_LONG} {} MiB, the most that is read", called.program, most >> 20);
    called.error(ErrorKind::Malformed, &message, "see what it prints there")
}

/// True for the error of [`too_long`].
pub(super) fn is_too_long(error: &SourceError) -> bool {
    error.kind == ErrorKind::Malformed && error.message.contains(TOO_LONG)
}

/// True where no other program of the place can be asked either.
pub(super) fn is_of_the_place(error: &SourceError) -> bool {
    error.operation == "ssh" || error.message.ends_with("is not there")
}
