//! Files of jobs: captures of real ones, invented ones, and such as mean harm.

mod captures;
mod files;
mod hostile;
mod wandb;

use super::{JobsFile, JobsFileError, LineError, ReadOptions, read};
use crate::domain::jobs::{Attempt, Cause, Gpus, JobState};
use jiff::tz::TimeZone;

/// The head of the small files of these tests.
const HEAD: &str = "id,attempt,start,end,gpus,status,exit";

fn options(tz: Option<&str>) -> ReadOptions {
    let tz = tz.map(|name| TimeZone::get(name).unwrap());
    ReadOptions { tz, now: "2026-11-28T00:00:00Z".parse().unwrap() }
}

fn read_text(text: impl AsRef<[u8]>) -> Result<JobsFile, JobsFileError> {
    read(text.as_ref(), &options(None))
}

/// Attempts of a file of which every line is read.
fn all(text: impl AsRef<[u8]>) -> Vec<Attempt> {
    let file = read_text(text).unwrap();
    assert_eq!(file.failed, []);
    file.attempts.attempts().collect()
}

/// The attempts with this name.
fn named<'a>(attempts: &'a [Attempt], name: &str) -> Vec<&'a Attempt> {
    attempts.iter().filter(|a| a.name.as_deref() == Some(name)).collect()
}

/// Why the lines of a file failed.
fn whys(text: impl AsRef<[u8]>) -> Vec<(u64, LineError)> {
    let good = b"good,,1795367776,1795367777,1,completed,\n";
    let text = [text.as_ref(), good].concat();
    read_text(text).unwrap().failed.into_iter().map(|f| (f.line, f.why)).collect()
}
