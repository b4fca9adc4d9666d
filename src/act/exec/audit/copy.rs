//! A second place for the log, so that whoever can change this machine's disk cannot change both.

use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};

use crate::domain::{ErrorKind, SourceError};
use crate::files::{self, Cause};

/// A second place for the audit log, written after each run. A copy that fails is a warning and
/// stops nothing.
#[async_trait::async_trait]
pub trait AuditCopy: Send + Sync {
    /// Path or address of the copy, for messages.
    fn place(&self) -> String;

    /// Takes the log as it is at the end of `run`. The lines that the run saw written start at
    /// byte `since`: its own, and those of others at the same time.
    async fn copy(&self, run: &str, log: &[u8], since: usize) -> Result<(), SourceError>;
}

/// A copy in a directory, one file per machine: `<machine>.audit.jsonl`.
#[derive(Clone, Debug)]
pub struct DirectoryCopy {
    path: PathBuf,
}

impl DirectoryCopy {
    /// The copy of the log of `machine` in `dir`.
    pub fn new(dir: &Path, machine: &str) -> Self {
        let plain = |c: char| if c.is_ascii_alphanumeric() || c == '-' { c } else { '_' };
        let machine: String = machine.chars().map(plain).take(100).collect();
        Self { path: dir.join(format!("{machine}.audit.jsonl")) }
    }

    fn update(&self, log: &[u8]) -> io::Result<()> {
        if let Some(dir) = self.path.parent() {
            files::private_dir(dir)?;
        }
        let mut file = files::append(&self.path)?;
        files::lock(&file)?;
        let mut there = Vec::new();
        file.read_to_end(&mut there)?;
        let Some(new) = log.strip_prefix(there.as_slice()) else {
            // Another run may have copied more than we know of.
            if there.starts_with(log) {
                return Ok(());
            }
            return Err(io::Error::other(
                "the copy is not a beginning of the log: one of the two was changed or replaced",
            ));
        };
        file.write_all(new)?;
        file.sync_all()
    }
}

#[async_trait::async_trait]
impl AuditCopy for DirectoryCopy {
    fn place(&self) -> String {
        self.path.display().to_string()
    }

    async fn copy(&self, _: &str, log: &[u8], _: usize) -> Result<(), SourceError> {
        self.update(log).map_err(|e| {
            let fix = format!("{}; the log itself is complete", Cause::of(&e).advice());
            SourceError::new(ErrorKind::Other, "audit copy", &e.to_string(), &fix)
        })
    }
}
