//! Which runs are alive: a locked file for each, `run-<id>.lock`, beside the log. The lock goes
//! with the process, however it dies.

use std::io;
use std::os::fd::OwnedFd;
use std::path::Path;

use rustix::fs::{AtFlags, FlockOperation, Mode, OFlags};
use rustix::io::Errno;

use super::disk::Lease;
use super::file::{entries, is_at, lock};

/// Longest id of a run.
const MAX_ID: usize = 64;

/// A lease that is held.
pub(super) struct Held {
    dir: OwnedFd,
    name: String,
    _locked: OwnedFd,
}

impl Lease for Held {}

impl Drop for Held {
    fn drop(&mut self) {
        // Removed while it is locked. What cannot be removed is swept up by a later run.
        let _ = rustix::fs::unlinkat(&self.dir, &self.name, AtFlags::empty());
    }
}

/// The file of a run; `None` for an id that none of ours can have: ids are read from a file, and
/// must not lead to another directory.
fn name(run: &str) -> Option<String> {
    let fine = |c: char| c.is_ascii_alphanumeric() || c == '-';
    let sane = !run.is_empty() && run.len() <= MAX_ID && run.chars().all(fine);
    sane.then(|| format!("run-{run}.lock"))
}

fn flags() -> OFlags {
    OFlags::RDWR | OFlags::NOFOLLOW | OFlags::CLOEXEC | OFlags::NONBLOCK
}

/// Takes the lease of a run.
pub(super) fn take(dir: OwnedFd, run: &str) -> io::Result<Held> {
    let name = name(run).ok_or_else(|| io::Error::other("not the id of a run"))?;
    loop {
        let flags = flags() | OFlags::CREATE;
        let file = rustix::fs::openat(&dir, &name, flags, Mode::from_raw_mode(0o600))?;
        lock(&file, FlockOperation::NonBlockingLockExclusive)?;
        // Somebody may have swept it up between the two calls, while nobody held it.
        if is_at(&dir, &name, &file)? {
            return Ok(Held { dir, name, _locked: file });
        }
    }
}

/// True while somebody holds the lease of a run. Removes the file of a dead one.
pub(super) fn is_held(dir: &OwnedFd, run: &str) -> io::Result<bool> {
    name(run).map_or(Ok(false), |name| test(dir, &name))
}

fn test(dir: &OwnedFd, name: &str) -> io::Result<bool> {
    let file = match rustix::fs::openat(dir, name, flags(), Mode::empty()) {
        Ok(file) => file,
        Err(Errno::NOENT) => return Ok(false),
        Err(e) => return Err(e.into()),
    };
    loop {
        match rustix::fs::flock(&file, FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => break,
            Err(Errno::WOULDBLOCK) => return Ok(true),
            Err(Errno::INTR) => {}
            Err(e) => return Err(e.into()),
        }
    }
    if is_at(dir, name, &file)? {
        let _ = rustix::fs::unlinkat(dir, name, AtFlags::empty());
    }
    Ok(false)
}

/// Removes the files of dead runs, as far as it can.
pub(super) fn sweep(dir: &OwnedFd, path: &Path) {
    let is_lease =
        |n: &String| n.strip_prefix("run-").is_some_and(|n| n.strip_suffix(".lock").is_some());
    for name in entries(path).filter(is_lease) {
        let _ = test(dir, &name);
    }
}
