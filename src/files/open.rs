//! Opening and reading.

use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{self, Read as _};
use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt as _, PermissionsExt as _};
use std::path::Path;

use rustix::fs::OFlags;
use rustix::io::Errno;

use super::cause::Refused;

/// A pipe without a writer, or a terminal, does not hold us up.
const NEVER_WAIT: OFlags = OFlags::NONBLOCK.union(OFlags::NOCTTY);

fn open(path: &Path, options: &OpenOptions, own: bool) -> io::Result<File> {
    let file = options.open(path).map_err(|e| match e.raw_os_error() {
        // Without following, a link is all that this can be.
        Some(raw) if own && raw == Errno::LOOP.raw_os_error() => Refused::Link.into(),
        _ => e,
    })?;
    if !file.metadata()?.is_file() {
        return Err(Refused::NotAFile.into());
    }
    Ok(file)
}

fn flags(options: &mut OpenOptions, more: OFlags) -> &OpenOptions {
    options.custom_flags((NEVER_WAIT | more).bits() as i32)
}

/// Refuses what is there and is no regular file: opening some devices does something.
fn look(found: io::Result<Metadata>) -> io::Result<()> {
    match found {
        Ok(there) if there.is_symlink() => Err(Refused::Link.into()),
        Ok(there) if !there.is_file() => Err(Refused::NotAFile.into()),
        Ok(_) => Ok(()),
        Err(e) => Err(e),
    }
}

/// Opens a file that the user named, for reading; links are followed. Err when it cannot be opened or is no regular
/// file.
pub fn named(path: &Path) -> io::Result<File> {
    look(fs::metadata(path))?;
    open(path, flags(OpenOptions::new().read(true), OFlags::empty()), false)
}

/// Opens a file of burntop's own for reading, never through a link. Err when it cannot be opened, is a link or no
/// regular file.
pub fn own(path: &Path) -> io::Result<File> {
    look(fs::symlink_metadata(path))?;
    open(path, flags(OpenOptions::new().read(true), OFlags::NOFOLLOW), true)
}

/// Opens a file of burntop's own for reading and appending, created when missing. Err for a link, no regular file,
/// another user's file, or when it cannot be opened.
pub fn append(path: &Path) -> io::Result<File> {
    ours(path, OpenOptions::new().read(true).append(true).create(true))
}

/// Opens a file of burntop's own for reading and writing, created when missing, content unchanged. Err for a link, no
/// regular file, another user's file, or when it cannot be opened.
pub fn update(path: &Path) -> io::Result<File> {
    ours(path, OpenOptions::new().read(true).write(true).create(true).truncate(false))
}

fn ours(path: &Path, options: &mut OpenOptions) -> io::Result<File> {
    match look(fs::symlink_metadata(path)) {
        Err(e) if e.kind() != io::ErrorKind::NotFound => return Err(e),
        _ => {}
    }
    let file = open(path, flags(options.mode(0o600), OFlags::NOFOLLOW), true)?;
    let there = file.metadata()?;
    if there.uid() != rustix::process::geteuid().as_raw() {
        return Err(Refused::Owner.into());
    }
    if there.mode() & 0o077 != 0 {
        // By what is open, so that nothing else can have taken its place.
        file.set_permissions(fs::Permissions::from_mode(0o600))?;
    }
    Ok(file)
}

/// Checks that `path` is a regular file of this user or does not exist; true when it exists. Removes the rights of
/// others. Err for anything else at `path`.
pub fn check_own(path: &Path) -> io::Result<bool> {
    let there = match fs::symlink_metadata(path) {
        Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(false),
        other => other?,
    };
    // Closing any descriptor of a file drops the locks that this process holds on it, those of SQLite too: a file
    // that is private already is not opened.
    let foreign = there.uid() != rustix::process::geteuid().as_raw();
    let shared = there.mode() & 0o077 != 0;
    look(Ok(there))?;
    if !foreign && !shared {
        return Ok(true);
    }
    // On a disk that can only be read nothing can be made private either.
    match ours(path, OpenOptions::new().read(true)) {
        Err(e) if e.kind() == io::ErrorKind::ReadOnlyFilesystem => Ok(true),
        // It went since: SQLite removes the files beside a database while others open it.
        Err(e) if e.kind() == io::ErrorKind::NotFound => Ok(false),
        other => other.map(|_| true),
    }
}

fn bytes(file: File, limit: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    file.take(limit.saturating_add(1)).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > limit {
        return Err(Refused::TooLarge { limit }.into());
    }
    Ok(bytes)
}

/// Reads a file that the user named. Err when it cannot be read, is no regular file, or is larger than `limit` bytes.
pub fn read_named(path: &Path, limit: u64) -> io::Result<Vec<u8>> {
    bytes(named(path)?, limit)
}

/// Reads a file of burntop's own. Err when it cannot be read, is a link, or is larger than `limit` bytes.
pub fn read_own(path: &Path, limit: u64) -> io::Result<Vec<u8>> {
    bytes(own(path)?, limit)
}

/// Reads a configuration. It may be a link, as in managed dotfiles, if the target belongs to this user or root and
/// others cannot change it. Err otherwise, when it cannot be read, or is larger than `limit` bytes.
pub fn read_config(path: &Path, limit: u64) -> io::Result<Vec<u8>> {
    let file = named(path)?;
    if fs::symlink_metadata(path)?.is_symlink() {
        let there = file.metadata()?;
        if ![0, rustix::process::geteuid().as_raw()].contains(&there.uid()) {
            return Err(Refused::Owner.into());
        }
        if there.mode() & 0o002 != 0 {
            return Err(Refused::Shared.into());
        }
    }
    bytes(file, limit)
}
