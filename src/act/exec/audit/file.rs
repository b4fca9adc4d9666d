//! The log as a file: `audit.jsonl`, private, in a directory of its own.

use std::fs::File;
use std::io::{self, Read as _, Write as _};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::fs::FileExt as _;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use rustix::fs::{AtFlags, FileType, FlockOperation, Mode, OFlags};
use rustix::io::Errno;

use super::disk::{Disk, DiskError, Lease, Stored};
use super::lease;
use crate::files::{self, Refused};

/// The file's name.
const NAME: &str = "audit.jsonl";

/// How long an append waits for another process. One takes an fsync, milliseconds; whoever holds
/// the lock for longer has been stopped.
const PATIENCE: Duration = Duration::from_secs(10);

/// How often the lock is tried.
const PACE: Duration = Duration::from_millis(5);

/// The log in a directory: the file 0600, the directory made 0700. Neither may be a symbolic link,
/// belong to another user or be writable by others: who can write to the log can rewrite it whole.
#[derive(Clone, Debug)]
pub struct FileDisk {
    dir: PathBuf,
}

impl FileDisk {
    /// The log in `dir`, which is made when something is first written.
    pub fn new(dir: impl Into<PathBuf>) -> Self {
        Self { dir: dir.into() }
    }

    /// Where the file is, or will be.
    pub fn path(&self) -> PathBuf {
        self.dir.join(NAME)
    }

    /// The directory, if it is there; made when asked for.
    fn directory(&self, make: bool) -> Result<Option<OwnedFd>, DiskError> {
        if make {
            let made = files::private_dir(&self.dir);
            made.map_err(|e| DiskError::new("making its directory", e))?;
        }
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let dir = match rustix::fs::open(&self.dir, flags, Mode::empty()) {
            Ok(dir) => dir,
            Err(Errno::NOENT) => return Ok(None),
            Err(e) => return Err(DiskError::new("opening its directory", e)),
        };
        check(&dir, FileType::Directory).map_err(|e| DiskError::new("its directory", e))?;
        Ok(Some(dir))
    }

    /// The file, locked; opened anew when it was replaced while we waited for the lock.
    fn locked(dir: &OwnedFd, writing: bool) -> Result<Option<File>, DiskError> {
        let mut flags = OFlags::NOFOLLOW | OFlags::CLOEXEC | OFlags::NONBLOCK;
        flags |=
            if writing { OFlags::RDWR | OFlags::APPEND | OFlags::CREATE } else { OFlags::RDONLY };
        let (how, what) = if writing {
            (FlockOperation::NonBlockingLockExclusive, "opening it for appending")
        } else {
            (FlockOperation::NonBlockingLockShared, "opening it")
        };
        loop {
            let file = match rustix::fs::openat(dir, NAME, flags, Mode::from_raw_mode(0o600)) {
                Ok(file) => file,
                Err(Errno::NOENT) if !writing => return Ok(None),
                Err(e) => return Err(DiskError::new(what, e)),
            };
            check(&file, FileType::RegularFile).map_err(|e| DiskError::new("the file", e))?;
            lock(&file, how).map_err(|e| DiskError::new("locking it", e))?;
            if is_at(dir, NAME, &file).map_err(|e| DiskError::new(what, e))? {
                return Ok(Some(file.into()));
            }
        }
    }
}

impl Disk for FileDisk {
    fn append(&self, make: &mut dyn FnMut(&dyn Stored) -> Vec<u8>) -> Result<(), DiskError> {
        let missing = || DiskError::new("opening it", io::Error::from(io::ErrorKind::NotFound));
        let dir = self.directory(true)?.ok_or_else(missing)?;
        let mut file = Self::locked(&dir, true)?.ok_or_else(missing)?;
        let size = file.metadata().map_err(|e| DiskError::new("looking at it", e))?.len();
        let bytes = make(&OnFile { file: &file, size });
        if bytes.is_empty() {
            return Ok(());
        }
        file.write_all(&bytes).map_err(|e| DiskError::new("writing", e))?;
        file.sync_all().map_err(|e| DiskError::new("syncing to disk", e))?;
        // A file whose name is not on disk is lost with the power. Whoever made it may have died
        // before this.
        if size == 0 {
            sync(&dir).map_err(|e| DiskError::new("syncing its directory to disk", e))?;
        }
        Ok(())
    }

    fn read(&self) -> Result<Vec<u8>, DiskError> {
        let Some(dir) = self.directory(false)? else { return Ok(Vec::new()) };
        let Some(mut file) = Self::locked(&dir, false)? else { return Ok(Vec::new()) };
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).map_err(|e| DiskError::new("reading", e))?;
        Ok(bytes)
    }

    fn last(&self, most: u64) -> Result<(Vec<u8>, u64), DiskError> {
        let Some(dir) = self.directory(false)? else { return Ok((Vec::new(), 0)) };
        let Some(file) = Self::locked(&dir, false)? else { return Ok((Vec::new(), 0)) };
        let size = file.metadata().map_err(|e| DiskError::new("looking at it", e))?.len();
        let bytes = OnFile { file: &file, size }.last(most)?;
        Ok((bytes, size.saturating_sub(most)))
    }

    fn lease(&self, run: &str) -> Result<Box<dyn Lease>, DiskError> {
        let missing =
            || DiskError::new("announcing a run", io::Error::from(io::ErrorKind::NotFound));
        let dir = self.directory(true)?.ok_or_else(missing)?;
        lease::sweep(&dir, &self.dir);
        let held = lease::take(dir, run).map_err(|e| DiskError::new("announcing a run", e))?;
        Ok(Box::new(held))
    }

    fn is_alive(&self, run: &str) -> Result<bool, DiskError> {
        let Some(dir) = self.directory(false)? else { return Ok(false) };
        lease::is_held(&dir, run).map_err(|e| DiskError::new("asking whether a run is alive", e))
    }
}

/// What is on disk while the lock is held.
struct OnFile<'a> {
    file: &'a File,
    size: u64,
}

impl Stored for OnFile<'_> {
    fn size(&self) -> u64 {
        self.size
    }

    fn last(&self, bytes: u64) -> Result<Vec<u8>, DiskError> {
        let bytes = bytes.min(self.size);
        let mut out = vec![0; usize::try_from(bytes).unwrap_or(usize::MAX)];
        let read = self.file.read_exact_at(&mut out, self.size - bytes);
        read.map_err(|e| DiskError::new("reading its end", e))?;
        Ok(out)
    }
}

/// Refuses what is not a `kind` of ours that we alone can write; hides it from others.
fn check(fd: &OwnedFd, kind: FileType) -> io::Result<()> {
    let stat = rustix::fs::fstat(fd)?;
    if FileType::from_raw_mode(stat.st_mode) != kind {
        return Err(Refused::NotAFile.into());
    }
    if stat.st_uid != rustix::process::geteuid().as_raw() {
        return Err(Refused::Owner.into());
    }
    let mode = Mode::from_raw_mode(stat.st_mode);
    if mode.intersects(Mode::WGRP | Mode::WOTH) {
        return Err(Refused::Shared.into());
    }
    if kind == FileType::RegularFile && mode.intersects(Mode::RWXG | Mode::RWXO) {
        rustix::fs::fchmod(fd, Mode::RUSR | Mode::WUSR)?;
    }
    Ok(())
}

/// Takes a lock of `fd`, waiting at most [`PATIENCE`].
pub(super) fn lock(fd: impl AsFd, how: FlockOperation) -> io::Result<()> {
    let start = Instant::now();
    loop {
        match rustix::fs::flock(&fd, how) {
            Ok(()) => return Ok(()),
            Err(Errno::INTR) => {}
            Err(Errno::WOULDBLOCK) if start.elapsed() < PATIENCE => thread::sleep(PACE),
            Err(Errno::WOULDBLOCK) => {
                return Err(Refused::Held.into());
            }
            Err(e) => return Err(e.into()),
        }
    }
}

/// True when `name` in `dir` still is `file`.
pub(super) fn is_at(dir: &OwnedFd, name: &str, file: &OwnedFd) -> io::Result<bool> {
    let ours = rustix::fs::fstat(file)?;
    match rustix::fs::statat(dir, name, AtFlags::SYMLINK_NOFOLLOW) {
        Ok(there) => Ok((there.st_dev, there.st_ino) == (ours.st_dev, ours.st_ino)),
        Err(Errno::NOENT) => Ok(false),
        Err(e) => Err(e.into()),
    }
}

/// Makes the names in a directory survive a crash.
fn sync(dir: &OwnedFd) -> io::Result<()> {
    match rustix::fs::fsync(dir) {
        // Some file systems cannot, and keep names safe by themselves.
        Ok(()) | Err(Errno::INVAL) => Ok(()),
        Err(e) => Err(e.into()),
    }
}

/// The directory part of the type, for whoever lists it.
pub(super) fn entries(dir: &Path) -> impl Iterator<Item = String> {
    let entries = std::fs::read_dir(dir).into_iter().flatten().flatten();
    entries.filter_map(|e| e.file_name().into_string().ok())
}
