//! What is kept of a configuration before another one is put: the document as it was, and the plan
//! that takes the change back.

use std::fs::OpenOptions;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use jiff::SignedDuration;

use crate::act::plan::storage::{StorageDraft, StoragePlan, StoragePlanFile, StorageUndo};
use crate::domain::storage::LifecycleSeen;
use jiff::Timestamp;

/// How long an undo file holds: as long as any plan can.
const VALID_FOR: SignedDuration = SignedDuration::from_hours(168);

/// A directory for them, private to its owner.
#[derive(Clone, Debug)]
pub struct Backups {
    dir: PathBuf,
}

impl Backups {
    /// In `dir`, which is made when something is first kept.
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
        let mut builder = std::fs::DirBuilder::new();
        builder.recursive(true);
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        builder.create(&self.dir)?;
        let backup = self.dir.join(format!("{bucket}-{run}.backup.xml"));
        let undo = self.dir.join(format!("{bucket}-{run}.undo.json"));
        write(&backup, seen.document.as_bytes())?;
        let file = StoragePlanFile { plan: back, approvals: Vec::new() };
        write(&undo, file.to_text().as_bytes())?;
        // The names as well have to survive a crash.
        std::fs::File::open(&self.dir)?.sync_all()?;
        let shown = |path: &Path| crate::domain::text::clean(&path.to_string_lossy()).into_owned();
        Ok(StorageUndo::Lifecycle { bucket, file: shown(&undo), backup: shown(&backup) })
    }
}

fn write(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut file = match options.open(path) {
        // A second attempt of the same run on the same document keeps what the first one kept.
        Err(e) if e.kind() == io::ErrorKind::AlreadyExists => return Ok(()),
        other => other?,
    };
    file.write_all(bytes)?;
    file.sync_all()
}
