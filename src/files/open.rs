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

/// Opens for reading what a person named. A link is followed; at its end lies a regular file.
pub fn named(path: &Path) -> io::Result<File> {
    look(fs::metadata(path))?;
    open(path, flags(OpenOptions::new().read(true), OFlags::empty()), false)
}

/// Opens for reading a file of ours, never through a link.
pub fn own(path: &Path) -> io::Result<File> {
    look(fs::symlink_metadata(path))?;
    open(path, flags(OpenOptions::new().read(true), OFlags::NOFOLLOW), true)
}

/// Opens a file of ours for reading and appending; made when missing.
pub fn append(path: &Path) -> io::Result<File> {
    ours(path, OpenOptions::new().read(true).append(true).create(true))
}

/// Opens a file of ours for reading and writing, as it is; made when missing.
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

/// What lies at `path` may serve as a file of ours: it is a regular file of this user, or nothing.
/// True when it is there. Made private where it is open to others.
pub fn check_own(path: &Path) -> io::Result<bool> {
    match look(fs::symlink_metadata(path)) {
        Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(false),
        other => other?,
    }
    // On a disk that can only be read nothing can be made private either.
    match ours(path, OpenOptions::new().read(true)) {
        Err(e) if e.kind() == io::ErrorKind::ReadOnlyFilesystem => Ok(true),
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

/// Reads what a person named; `limit` in bytes.
pub fn read_named(path: &Path, limit: u64) -> io::Result<Vec<u8>> {
    bytes(named(path)?, limit)
}

/// Reads a file of ours; `limit` in bytes.
pub fn read_own(path: &Path, limit: u64) -> io::Result<Vec<u8>> {
    bytes(own(path)?, limit)
}

/// Reads a configuration. It may be a link, as those who keep their dotfiles elsewhere have it, as
/// long as what lies at its end is this user's or root's, and nobody else can change it.
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
