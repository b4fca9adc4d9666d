//! Plan files on disk.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use super::exit::{CliError, Exit};
use crate::act::plan::PlanFileError;
use crate::act::plan::file::MAX_BYTES;
use crate::act::plan::storage::{AnyPlan, StoragePlanFile};

/// Reads a plan file of either kind, and its bytes.
pub fn read_any(path: &Path) -> Result<(AnyPlan, Vec<u8>), CliError> {
    let bytes = bytes(path).map_err(|e| match e.kind() {
        io::ErrorKind::NotFound => CliError::Usage(format!("there is no file {}", path.display())),
        _ => unreadable(path, &e),
    })?;
    let file = AnyPlan::parse(&bytes).map_err(|e| not_a_plan(path, &e))?;
    Ok((file, bytes))
}

/// Reads a plan file about storage.
pub fn read_storage(path: &Path) -> Result<StoragePlanFile, CliError> {
    match read_any(path)?.0 {
        AnyPlan::Storage(file) => Ok(file),
        AnyPlan::Instances(_) => Err(CliError::Usage(format!(
            "{} is a plan about instances; apply it with `burntop apply`",
            path.display()
        ))),
    }
}

/// At most one byte more than a plan file may have: enough to know that it is too large.
fn bytes(path: &Path) -> io::Result<Vec<u8>> {
    let file = File::open(path)?;
    // A pipe would be read once and could not be written back.
    if !file.metadata()?.is_file() {
        return Err(io::Error::other("it is no file"));
    }
    let mut bytes = Vec::new();
    file.take(MAX_BYTES as u64 + 1).read_to_end(&mut bytes)?;
    Ok(bytes)
}

fn unreadable(path: &Path, error: &io::Error) -> CliError {
    CliError::Failed {
        exit: Exit::Unreadable,
        message: format!("cannot read {}: {error}", path.display()),
    }
}

fn not_a_plan(path: &Path, error: &PlanFileError) -> CliError {
    CliError::Usage(format!("{} is no plan: {error}", path.display()))
}

fn unwritable(path: &Path, error: &io::Error) -> CliError {
    if error.kind() == io::ErrorKind::AlreadyExists {
        return CliError::Usage(format!("{} exists already; it stays as it is", path.display()));
    }
    let message = format!("cannot write {}: {error}", path.display());
    CliError::Failed { exit: Exit::Unreadable, message }
}

/// Writes a new file for its owner alone, whole or not at all. One that is there stays.
pub fn create(path: &Path, bytes: &[u8]) -> Result<(), CliError> {
    let unwritable = |e: &io::Error| unwritable(path, e);
    let beside = write_beside(path, bytes).map_err(|e| unwritable(&e))?;
    // Unlike a rename, a link replaces nothing.
    let linked = fs::hard_link(&beside, path);
    let _ = fs::remove_file(&beside);
    match linked {
        // Some file systems know no links.
        Err(e) if e.kind() != io::ErrorKind::AlreadyExists => {
            write_new(path, bytes).map_err(|e| unwritable(&e))
        }
        other => other.map_err(|e| unwritable(&e)),
    }
}

/// Replaces a file that still holds `old`, whole or not at all.
pub fn replace(path: &Path, old: &[u8], new: &[u8]) -> Result<(), CliError> {
    let unwritable = |e: &io::Error| unwritable(path, e);
    let beside = write_beside(path, new).map_err(|e| unwritable(&e))?;
    let replaced = bytes(path).and_then(|now| {
        if now == old {
            fs::rename(&beside, path)
        } else {
            Err(io::Error::other("it was changed meanwhile; look at it again"))
        }
    });
    if replaced.is_err() {
        let _ = fs::remove_file(&beside);
    }
    replaced.map_err(|e| unwritable(&e))
}

fn write_beside(path: &Path, bytes: &[u8]) -> io::Result<PathBuf> {
    let name = path.file_name().ok_or(io::ErrorKind::InvalidInput)?;
    let mut beside = std::ffi::OsString::from(".");
    beside.push(name);
    beside.push(format!(".{}", std::process::id()));
    let beside = path.with_file_name(beside);
    write_new(&beside, bytes)?;
    Ok(beside)
}

fn write_new(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut file = options.open(path)?;
    let written = file.write_all(bytes).and_then(|()| file.sync_all());
    if written.is_err() {
        // Half a plan is of no use, and in the way of the next try.
        let _ = fs::remove_file(path);
    }
    written
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_new_file_is_whole_private_and_never_over_another() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("p.json");
        create(&path, b"one").unwrap();
        let error = create(&path, b"two").unwrap_err();
        assert!(error.to_string().contains("exists already"), "{error}");
        assert_eq!(fs::read(&path).unwrap(), b"one");
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1, "nothing is left beside it");
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        }
    }

    #[test]
    fn what_was_changed_meanwhile_is_not_replaced() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("p.json");
        create(&path, b"one").unwrap();
        replace(&path, b"one", b"two").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"two");
        assert!(replace(&path, b"one", b"three").is_err());
        assert_eq!(fs::read(&path).unwrap(), b"two");
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1);
    }

    #[test]
    fn what_is_no_plan_says_why() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("p.json");
        let says = || read_any(&path).unwrap_err().to_string();
        assert!(says().contains("there is no file"));
        fs::write(&path, "{}").unwrap();
        assert!(says().contains("is no plan: missing field `plan`"), "{}", says());
        fs::write(&path, vec![b' '; MAX_BYTES + 9]).unwrap();
        assert!(says().contains("more than 8 MiB"), "{}", says());
        assert_eq!(read_any(dir.path()).unwrap_err().exit(), Exit::Unreadable, "a directory");
    }
}
