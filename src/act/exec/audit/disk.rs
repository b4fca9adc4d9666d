//! File operations of the log, as a trait, so that tests can lose power.

/// An operation on the log file that failed.
#[derive(Debug, thiserror::Error)]
#[error("audit log: {what}: {}", crate::files::reason(error))]
pub struct DiskError {
    /// Operation that was tried, as messages name it.
    pub what: &'static str,
    /// Error of the operating system.
    #[source]
    pub error: std::io::Error,
}

impl DiskError {
    pub(super) fn new(what: &'static str, error: impl Into<std::io::Error>) -> Self {
        Self { what, error: error.into() }
    }
}

/// Proof that a run is alive: released when it is dropped and when the process dies, however it
/// dies.
pub trait Lease: Send + Sync {}

/// What is on disk, seen while nobody else can write. `&[u8]` is one, for disks in memory.
pub trait Stored {
    /// Size of the file, bytes.
    fn size(&self) -> u64;

    /// The last `bytes` bytes; all of them when there are fewer. A log grows for years, and
    /// appending to it must not read it whole.
    fn last(&self, bytes: u64) -> Result<Vec<u8>, DiskError>;
}

impl Stored for &[u8] {
    fn size(&self) -> u64 {
        self.len() as u64
    }

    fn last(&self, bytes: u64) -> Result<Vec<u8>, DiskError> {
        let bytes = usize::try_from(bytes).unwrap_or(usize::MAX);
        Ok(self[self.len().saturating_sub(bytes)..].to_vec())
    }
}

/// An append-only file, shared by processes.
pub trait Disk: Send + Sync {
    /// Runs `make` once while nobody else can write, with what is on disk then; what it returns is
    /// appended and fsynced. When this returns `Ok`, the bytes survive a crash. When it returns an
    /// error, none, some or all of them may be there, and may or may not survive. Nothing is
    /// written or fsynced when `make` returns nothing.
    fn append(&self, make: &mut dyn FnMut(&dyn Stored) -> Vec<u8>) -> Result<(), DiskError>;

    /// Everything on disk; never half of what another is appending.
    fn read(&self) -> Result<Vec<u8>, DiskError>;

    /// The last `most` bytes on disk, whole otherwise, and how many before them were left out; never
    /// half of what another is appending.
    fn last(&self, most: u64) -> Result<(Vec<u8>, u64), DiskError> {
        let mut bytes = self.read()?;
        let most = usize::try_from(most).unwrap_or(usize::MAX);
        let left_out = bytes.len().saturating_sub(most);
        bytes.drain(..left_out);
        Ok((bytes, left_out as u64))
    }

    /// Announces a run that is now alive. Taken before the run's first line is written.
    fn lease(&self, run: &str) -> Result<Box<dyn Lease>, DiskError>;

    /// True while the run's lease is held by a living process. A run that never had one is dead.
    fn is_alive(&self, run: &str) -> Result<bool, DiskError>;
}
