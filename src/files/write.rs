//! New files, whole files, locks.

use std::fs::{self, DirBuilder, File, OpenOptions, Permissions, TryLockError};
use std::io::{self, Write as _};
use std::os::unix::fs::{
    DirBuilderExt as _, MetadataExt as _, OpenOptionsExt as _, PermissionsExt as _,
};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use super::cause::Refused;

/// How often a lock is tried, and for how long in all.
const PACE: Duration = Duration::from_millis(10);
const TRIES: u32 = 500;

/// Names tried for a file that is only there for a moment.
const NAMES: u32 = 8;

/// Creates a directory and its parents with mode 0700; an existing one is left unchanged. Err when it cannot be
/// created.
pub fn private_dir(path: &Path) -> io::Result<()> {
    if path.as_os_str().is_empty() {
        return Ok(());
    }
    DirBuilder::new().recursive(true).mode(0o700).create(path)
}

/// Creates a file with mode 0600. Err when anything exists at `path`, even a dangling link, or it cannot be created.
pub fn create_new(path: &Path) -> io::Result<File> {
    OpenOptions::new().write(true).create_new(true).mode(0o600).open(path)
}

/// Creates a file with `bytes`, whole or not at all, synced to disk. Err when anything exists at `path`, or it cannot
/// be written.
pub fn create_whole(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let beside = write_beside(path, bytes, None)?;
    // Unlike a rename, a link replaces nothing.
    let linked = fs::hard_link(&beside, path);
    let _ = fs::remove_file(&beside);
    match linked {
        // Some file systems know no links.
        Err(e) if e.kind() != io::ErrorKind::AlreadyExists => {
            fill(path, create_new(path)?, bytes, None)
        }
        other => other,
    }
}

/// Replaces a file of burntop's own with `bytes`, whole or not at all, synced to disk. Err when `path` is not a regular
/// file of this user (a link is not replaced: its readers would keep the old file), or it cannot be written.
pub fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    replace_as(path, bytes, None)
}

/// Replaces a file like [`replace`], with mode 0644 whatever the umask: its readers are other users.
pub fn replace_for_others(path: &Path, bytes: &[u8]) -> io::Result<()> {
    replace_as(path, bytes, Some(0o644))
}

fn replace_as(path: &Path, bytes: &[u8], mode: Option<u32>) -> io::Result<()> {
    match fs::symlink_metadata(path) {
        Err(e) if e.kind() == io::ErrorKind::NotFound => {}
        Err(e) => return Err(e),
        Ok(there) if there.is_symlink() => return Err(Refused::Link.into()),
        Ok(there) if !there.is_file() => return Err(Refused::NotAFile.into()),
        Ok(there) if there.uid() != rustix::process::geteuid().as_raw() => {
            return Err(Refused::Owner.into());
        }
        Ok(_) => {}
    }
    let beside = write_beside(path, bytes, mode)?;
    let renamed = fs::rename(&beside, path);
    if renamed.is_err() {
        let _ = fs::remove_file(&beside);
    }
    renamed
}

/// Writes a new file in the same folder, with a mode other than 0600 where one is named.
fn write_beside(path: &Path, bytes: &[u8], mode: Option<u32>) -> io::Result<PathBuf> {
    let name = path.file_name().ok_or(io::ErrorKind::InvalidInput)?;
    let mut tries = 0;
    loop {
        let mut beside = std::ffi::OsString::from(".");
        beside.push(name);
        beside.push(format!(".{:08x}", fastrand::u32(..)));
        let beside = path.with_file_name(beside);
        match create_new(&beside) {
            Err(e) if e.kind() == io::ErrorKind::AlreadyExists && tries < NAMES => tries += 1,
            Err(e) => return Err(e),
            Ok(file) => return fill(&beside, file, bytes, mode).map(|()| beside),
        }
    }
}

fn fill(path: &Path, mut file: File, bytes: &[u8], mode: Option<u32>) -> io::Result<()> {
    // By what is open: nothing else can have taken its place.
    let allow = |file: &File| match mode {
        Some(mode) => file.set_permissions(Permissions::from_mode(mode)),
        None => Ok(()),
    };
    let written = file.write_all(bytes).and_then(|()| allow(&file)).and_then(|()| file.sync_all());
    if written.is_err() {
        // Half a file is of no use, and in the way of the next try.
        let _ = fs::remove_file(path);
    }
    written
}

/// Locks an open file or directory. Err when another process keeps the lock for five seconds, or locking fails.
pub fn lock(file: &File) -> io::Result<()> {
    lock_in(file, TRIES)
}

/// Locks like [`lock`], with `tries` attempts, 10 ms apart. Err after the last one.
pub(super) fn lock_in(file: &File, tries: u32) -> io::Result<()> {
    for _ in 0..tries {
        match file.try_lock() {
            Ok(()) => return Ok(()),
            Err(TryLockError::WouldBlock) => thread::sleep(PACE),
            Err(TryLockError::Error(e)) => return Err(e),
        }
    }
    Err(Refused::Held.into())
}
