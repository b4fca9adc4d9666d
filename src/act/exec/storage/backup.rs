//! What is kept of a configuration before another one is put: the document as it was, and the plan
//! that takes the change back.

use std::io;
use std::path::{Path, PathBuf};

use jiff::SignedDuration;

use crate::act::plan::storage::{StorageDraft, StoragePlan, StoragePlanFile, StorageUndo};
use crate::domain::storage::LifecycleSeen;
use crate::files::{self, Refused};
use jiff::Timestamp;

/// How long an undo file holds: as long as any plan can.
const VALID_FOR: SignedDuration = SignedDuration::from_hours(168);

/// No configuration or plan is larger, bytes.
const LARGEST: u64 = 16 << 20;

/// Directory of former lifecycle configurations and undo files, private to its owner.
#[derive(Clone, Debug)]
pub struct Backups {
    dir: PathBuf,
}

impl Backups {
    /// Backups in `dir`, which is made when the first one is written.
    pub fn new(dir: impl Into<PathBuf>) -> Self {
        Self { dir: dir.into() }
    }

    /// Keeps what is needed to take `plan` back, on disk before this returns. Nothing is written
    /// over.
    pub(super) fn keep(
        &self,
        plan: &StoragePlan,
        seen: &LifecycleSeen,
        run: &str,
        now: Timestamp,
    ) -> io::Result<StorageUndo> {
        let justification = format!("undoes plan {}", plan.id());
        let draft = StorageDraft { justification: &justification, valid_for: VALID_FOR, now };
        let back = plan.reversed(&draft).ok_or_else(|| io::Error::other("no way back"))?;
        let bucket = back.items.first().map(|i| i.id().clone()).unwrap_or_default();
        files::private_dir(&self.dir)?;
        let backup = self.dir.join(format!("{bucket}-{run}.backup.xml"));
        let undo = self.dir.join(format!("{bucket}-{run}.undo.json"));
        let document = seen.document.as_bytes();
        write(&backup, document, |there| there == document)?;
        let file = StoragePlanFile { plan: back, approvals: Vec::new() };
        write(&undo, file.to_text().as_bytes(), |there| {
            StoragePlanFile::parse(there).is_ok_and(|old| old.plan.items == file.plan.items)
        })?;
        // The names as well have to survive a crash.
        std::fs::File::open(&self.dir)?.sync_all()?;
        let shown = |path: &Path| crate::domain::text::clean(&path.to_string_lossy()).into_owned();
        Ok(StorageUndo::Lifecycle { bucket, file: shown(&undo), backup: shown(&backup) })
    }
}

/// Keeps `bytes` in a new file. A second attempt of the same run finds the first one's, which counts
/// if it still `serves`: half a file, a link or somebody else's is no way back.
fn write(path: &Path, bytes: &[u8], serves: impl Fn(&[u8]) -> bool) -> io::Result<()> {
    match files::create_whole(path, bytes) {
        Err(e) if e.kind() == io::ErrorKind::AlreadyExists => {
            if serves(&files::read_own(path, LARGEST)?) {
                Ok(())
            } else {
                Err(Refused::Foreign.into())
            }
        }
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::{PermissionsExt as _, symlink};

    use super::*;

    #[test]
    fn what_lies_there_already_counts_only_if_it_serves() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("b.backup.xml");
        let keep = |path: &Path| write(path, b"whole", |there| there == b"whole");
        keep(&path).unwrap();
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        keep(&path).unwrap();
        // Half of one, as a crash or a full disk leaves it, is no way back.
        fs::write(&path, "who").unwrap();
        assert!(keep(&path).is_err());
        assert_eq!(fs::read(&path).unwrap(), b"who", "it stays as it is");
        let link = dir.path().join("link");
        fs::write(&path, "whole").unwrap();
        symlink(&path, &link).unwrap();
        assert!(keep(&link).is_err(), "nor is a link, whatever it leads to");
    }
}
