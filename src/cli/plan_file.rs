//! Plan files on disk.

use std::io::{self, Read as _};
use std::path::Path;

use super::exit::{CliError, Exit};
use super::named_file::unreadable;
use crate::act::plan::PlanFileError;
use crate::act::plan::file::MAX_BYTES;
use crate::act::plan::storage::{AnyPlan, StoragePlanFile};
use crate::files;

/// Reads a plan file of either kind, with its bytes. Fails where it cannot be read or is no plan.
pub fn read_any(path: &Path) -> Result<(AnyPlan, Vec<u8>), CliError> {
    let bytes = bytes(path).map_err(|e| unreadable(path, &e))?;
    let file = AnyPlan::parse(&bytes).map_err(|e| not_a_plan(path, &e))?;
    Ok((file, bytes))
}

/// Reads a plan file about storage. Err where it cannot be read, or is a plan of another kind.
pub fn read_storage(path: &Path) -> Result<StoragePlanFile, CliError> {
    match read_any(path)?.0 {
        AnyPlan::Storage(file) => Ok(file),
        AnyPlan::Instances(_) => Err(CliError::Usage(format!(
            "{} is a plan about instances; apply it with `burntop apply`",
            path.display()
        ))),
    }
}

/// At most one byte more than a plan file may have: enough to know that it is too large. A pipe
/// would be read once and could not be written back: it is refused.
fn bytes(path: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    files::named(path)?.take(MAX_BYTES as u64 + 1).read_to_end(&mut bytes)?;
    Ok(bytes)
}

fn not_a_plan(path: &Path, error: &PlanFileError) -> CliError {
    CliError::Usage(format!("{} is no plan: {error}", path.display()))
}

fn unwritable(path: &Path, error: &io::Error) -> CliError {
    if error.kind() == io::ErrorKind::AlreadyExists {
        return CliError::Usage(format!("{} exists already; it stays as it is", path.display()));
    }
    let message = format!("cannot write {}: {}", path.display(), files::explain(error));
    CliError::Failed { exit: Exit::Unreadable, message }
}

/// Creates a file readable by its owner alone, completely or not at all. Fails where the file exists.
pub fn create(path: &Path, bytes: &[u8]) -> Result<(), CliError> {
    files::create_whole(path, bytes).map_err(|e| unwritable(path, &e))
}

/// Replaces a file that still contains `old`, completely or not at all. Fails where it has changed, or is a
/// link, whose target would not be updated.
pub fn replace(path: &Path, old: &[u8], new: &[u8]) -> Result<(), CliError> {
    let replaced = bytes(path).and_then(|now| {
        if now == old {
            files::replace(path, new)
        } else {
            Err(io::Error::other("it was changed meanwhile; look at it again"))
        }
    });
    replaced.map_err(|e| unwritable(path, &e))
}

#[cfg(test)]
mod tests {
    use std::fs;

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
        assert_eq!(read_any(&path).unwrap_err().exit(), Exit::Unreadable);
        fs::write(&path, "{}").unwrap();
        assert!(says().contains("`plan` is missing"), "{}", says());
        fs::write(&path, vec![b' '; MAX_BYTES + 9]).unwrap();
        assert!(says().contains("more than 8 MiB"), "{}", says());
        assert_eq!(read_any(dir.path()).unwrap_err().exit(), Exit::Unreadable, "a directory");
    }

    mod hostile {
        use std::os::unix::fs::symlink;

        use super::*;

        #[test]
        fn no_plan_is_written_through_or_over_what_lies_there_and_none_is_waited_for() {
            let mut inputs = 0;
            for thing in ["link", "dangling", "loop", "pipe", "directory", "device"] {
                let dir = tempfile::tempdir().unwrap();
                let (path, target) = (dir.path().join("p.json"), dir.path().join("target"));
                fs::write(&target, "old").unwrap();
                match thing {
                    "link" => symlink(&target, &path).unwrap(),
                    "dangling" => symlink(dir.path().join("nowhere"), &path).unwrap(),
                    "loop" => symlink(&path, &path).unwrap(),
                    "pipe" => {
                        let mode = rustix::fs::Mode::from_raw_mode(0o600);
                        let kind = rustix::fs::FileType::Fifo;
                        rustix::fs::mknodat(rustix::fs::CWD, &path, kind, mode, 0).unwrap();
                    }
                    "directory" => fs::create_dir(&path).unwrap(),
                    _ => symlink("/dev/zero", &path).unwrap(),
                }
                let before = fs::symlink_metadata(&path).unwrap().file_type();
                create(&path, b"new").unwrap_err();
                let error = replace(&path, b"old", b"new").unwrap_err().to_string();
                if thing == "link" {
                    assert!(error.contains("symbolic link"), "{error}");
                    assert!(error.contains("name the file itself"), "{error}");
                }
                if thing != "link" {
                    read_any(&path).unwrap_err();
                }
                assert_eq!(fs::symlink_metadata(&path).unwrap().file_type(), before, "{thing}");
                assert_eq!(fs::read(&target).unwrap(), b"old", "{thing}");
                assert!(!dir.path().join("nowhere").exists());
                inputs += 3;
            }
            println!("hostile: places of plans: {inputs} inputs");
            assert!(inputs >= 18);
        }
    }
}
