//! A local directory or mounted file system (checkpoint scratch, `FSx`) as a list of objects.
//!
//! Sizes are allocated blocks, not lengths: a mounted file system is billed by what it holds, and a
//! sparse file holds less than its length, a small one a whole block. The apparent size is summed
//! beside it.

use std::collections::HashSet;
use std::ffi::OsStr;
use std::fs::Metadata;
use std::ops::ControlFlow;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use walkdir::WalkDir;

use super::objects::{Piece, Sink, Supply};
use crate::domain::storage::{ObjectBatch, ObjectColumns, ObjectFlags, Tier};
use crate::domain::text::clean;
use crate::domain::{ErrorKind, SourceError};
use crate::files;

/// Rows of a batch.
const BATCH: usize = 1_024;

/// Most errors that are repeated in full; the others are counted.
const TOLD: usize = 5;

/// Bytes of a block in `st_blocks`, whatever the file system's own.
const BLOCK: u64 = 512;

/// A local directory, as a [`Supply`] of objects for a scan.
#[derive(Debug)]
pub struct LocalDir {
    root: PathBuf,
    prefix: Vec<u8>,
    now_ms: i64,
    taken: AtomicBool,
    seen: Seen,
}

/// Counts and errors of a walk through a directory.
#[derive(Debug, Default)]
struct Seen {
    apparent: AtomicU64,
    allocated: AtomicU64,
    hard_links: AtomicU64,
    links: AtomicU64,
    failed: AtomicU64,
    errors: Mutex<Vec<String>>,
}

impl LocalDir {
    /// Directory `root` at `now_ms` (ms since 1970); `prefix`, relative to it, limits the files. Err when `root` is no
    /// readable directory.
    pub fn new(root: impl Into<PathBuf>, prefix: &[u8], now_ms: i64) -> Result<Self, SourceError> {
        let root = root.into();
        let meta = std::fs::metadata(&root);
        let why = match meta {
            Ok(meta) if meta.is_dir() => None,
            Ok(_) => Some("it is no directory".to_owned()),
            Err(e) => Some(files::reason(&e)),
        };
        if let Some(why) = why {
            let message = format!("{}: {why}", root.display());
            return Err(SourceError::new(
                ErrorKind::Unavailable,
                "reading the directory",
                &message,
                "name a directory that this user may read",
            ));
        }
        Ok(Self {
            root,
            prefix: prefix.to_vec(),
            now_ms,
            taken: AtomicBool::new(false),
            seen: Seen::default(),
        })
    }

    /// Columns that a directory can provide.
    pub const COLUMNS: ObjectColumns = ObjectColumns {
        sizes: true,
        dates: true,
        classes: true,
        etags: false,
        versions: false,
        encryption: false,
        lock: false,
        replication: false,
    };

    /// Remarks after the reading, one sentence each.
    pub fn notes(&self) -> Vec<String> {
        let read = |n: &AtomicU64| n.load(Ordering::Relaxed);
        let seen = &self.seen;
        let mut notes = vec![format!(
            "sizes are allocated blocks ({} bytes), which is what a file system bills; the files' \
             lengths add up to {} bytes",
            read(&seen.allocated),
            read(&seen.apparent),
        )];
        let mut count = |n: u64, what: &str| {
            if n > 0 {
                notes.push(format!("{n} {what}"));
            }
        };
        count(read(&seen.hard_links), "further hard links of files that are counted once");
        count(read(&seen.links), "symbolic links not followed");
        count(read(&seen.failed), "entries that could not be read");
        notes
    }

    /// Why the reading is incomplete, one sentence; `None` when everything was read.
    pub fn partial(&self) -> Option<String> {
        let failed = self.seen.failed.load(Ordering::Relaxed);
        let told = self.seen.errors.lock().unwrap_or_else(PoisonError::into_inner);
        (failed > 0).then(|| {
            let more = failed - (told.len() as u64).min(failed);
            let others = if more > 0 { format!("; and {more} more") } else { String::new() };
            format!("{failed} entries could not be read: {}{others}", told.join("; "))
        })
    }

    fn fail(&self, error: &walkdir::Error) {
        self.seen.failed.fetch_add(1, Ordering::Relaxed);
        let mut told = self.seen.errors.lock().unwrap_or_else(PoisonError::into_inner);
        if told.len() < TOLD {
            let said = match (error.path(), error.io_error()) {
                (Some(path), Some(why)) => format!("{}: {}", path.display(), files::reason(why)),
                _ => error.to_string(),
            };
            told.push(clean(&said).into_owned());
        }
    }

    fn walk(&self, sink: &mut Sink<'_>) {
        let mut batch = ObjectBatch::default();
        // Device and inode of files with several names.
        let mut twice: HashSet<(u64, u64)> = HashSet::new();
        for entry in WalkDir::new(&self.root).follow_links(false) {
            let entry = match entry {
                Ok(entry) => entry,
                Err(error) => {
                    self.fail(&error);
                    continue;
                }
            };
            if entry.depth() == 0 || entry.file_type().is_dir() {
                continue;
            }
            if entry.file_type().is_symlink() {
                self.seen.links.fetch_add(1, Ordering::Relaxed);
                continue;
            }
            let key = key(entry.path(), &self.root);
            if !key.starts_with(&self.prefix) {
                continue;
            }
            let meta = match entry.metadata() {
                Ok(meta) => meta,
                Err(error) => {
                    self.fail(&error);
                    continue;
                }
            };
            if meta.nlink() > 1 && !twice.insert((meta.dev(), meta.ino())) {
                self.seen.hard_links.fetch_add(1, Ordering::Relaxed);
                continue;
            }
            self.push(&mut batch, &key, &meta);
            if batch.len() >= BATCH {
                let flow = sink(&batch, 0);
                batch.clear();
                if flow == ControlFlow::Break(()) {
                    return;
                }
            }
        }
        let _ = sink(&batch, 0);
    }

    fn push(&self, batch: &mut ObjectBatch, key: &[u8], meta: &Metadata) {
        let allocated = meta.blocks().saturating_mul(BLOCK);
        self.seen.allocated.fetch_add(allocated, Ordering::Relaxed);
        self.seen.apparent.fetch_add(meta.len(), Ordering::Relaxed);
        let modified =
            meta.mtime().saturating_mul(1_000).saturating_add(meta.mtime_nsec() / 1_000_000);
        // Unpacked archives keep old dates, which are no error; a day ahead is a wrong clock.
        let fine = (0..=self.now_ms.saturating_add(86_400_000)).contains(&modified);
        batch.keys.push(key);
        batch.sizes.push(allocated);
        batch.modified_ms.push(if fine { modified } else { i64::MIN });
        batch.tiers.push(Tier::File);
        batch.flags.push(ObjectFlags(if fine { 0 } else { ObjectFlags::BAD_DATE }));
    }
}

/// The path below the directory, bytes as the file system has them.
fn key(path: &Path, root: &Path) -> Vec<u8> {
    let relative = path.strip_prefix(root).unwrap_or(path);
    let parts: Vec<&[u8]> = relative.iter().map(OsStr::as_bytes).collect();
    parts.join(&b'/')
}

impl Supply for LocalDir {
    fn next(&self) -> Option<Result<Box<dyn Piece + '_>, SourceError>> {
        // One walk; a second thread would only make the disk seek.
        (!self.taken.swap(true, Ordering::Relaxed))
            .then(|| Ok(Box::new(Walk(self)) as Box<dyn Piece + '_>))
    }
}

struct Walk<'a>(&'a LocalDir);

impl Piece for Walk<'_> {
    fn read(&mut self, sink: &mut Sink<'_>) -> Result<(), SourceError> {
        self.0.walk(sink);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use super::*;

    fn read(dir: &LocalDir) -> Vec<(String, u64, Tier)> {
        let mut all = vec![];
        while let Some(piece) = dir.next() {
            piece
                .unwrap()
                .read(&mut |batch, _| {
                    for i in 0..batch.len() {
                        let key = String::from_utf8_lossy(batch.keys.get(i)).into_owned();
                        all.push((key, batch.sizes[i], batch.tiers[i]));
                    }
                    ControlFlow::Continue(())
                })
                .unwrap();
        }
        all.sort();
        all
    }

    #[test]
    fn files_count_once_and_links_are_not_followed() {
        let root = tempfile::tempdir().unwrap();
        let at = |name: &str| root.path().join(name);
        fs::create_dir_all(at("run/step-1")).unwrap();
        fs::write(at("run/step-1/a.pt"), vec![1; 10_000]).unwrap();
        fs::write(at("run/b"), b"x").unwrap();
        fs::hard_link(at("run/b"), at("run/b2")).unwrap();
        symlink(at("run"), at("loop")).unwrap();
        let now = 4_102_444_800_000;
        let dir = LocalDir::new(root.path(), b"", now).unwrap();
        let rows = read(&dir);
        assert_eq!(rows.len(), 2, "{rows:?}");
        assert!(rows.iter().any(|(k, ..)| k == "run/step-1/a.pt"));
        assert!(rows.iter().all(|(_, size, tier)| size % 512 == 0 && *tier == Tier::File));
        let notes = dir.notes();
        assert!(notes[0].ends_with("add up to 10001 bytes"), "{notes:?}");
        assert!(notes.contains(&"1 further hard links of files that are counted once".to_owned()));
        assert!(notes.contains(&"1 symbolic links not followed".to_owned()));
        assert_eq!(dir.partial(), None);
        let some = LocalDir::new(root.path(), b"run/step-", now).unwrap();
        assert_eq!(read(&some).len(), 1);
    }

    #[test]
    fn a_directory_that_cannot_be_read_leaves_the_others() {
        use std::os::unix::fs::PermissionsExt;
        let root = tempfile::tempdir().unwrap();
        fs::create_dir_all(root.path().join("closed")).unwrap();
        fs::write(root.path().join("open"), b"x").unwrap();
        let closed = root.path().join("closed");
        fs::set_permissions(&closed, fs::Permissions::from_mode(0o0)).unwrap();
        let is_root = fs::read_dir(&closed).is_ok();
        let dir = LocalDir::new(root.path(), b"", 4_102_444_800_000).unwrap();
        assert_eq!(read(&dir).len(), 1);
        // Root may read everything: then nothing failed.
        assert_eq!(dir.partial().is_none(), is_root);
        fs::set_permissions(&closed, fs::Permissions::from_mode(0o700)).unwrap();
    }

    #[test]
    fn names_of_files_are_told_clean() {
        use crate::domain::text::hostile::{TEXTS, said};
        let root = tempfile::tempdir().unwrap();
        for (i, text) in TEXTS.iter().enumerate() {
            let name = text.replace(['\0', '/'], "-");
            let path = root.path().join(name);
            fs::write(&path, b"x").unwrap();
            let error = LocalDir::new(&path, b"", 0).unwrap_err();
            said("localdir", &format!("{error:?}"));
            // The key itself stays as it is: files are found by it.
            let dir = LocalDir::new(root.path(), b"", 4_102_444_800_000).unwrap();
            assert_eq!(read(&dir).len(), i + 1);
            said("localdir", &format!("{:?} {:?}", dir.notes(), dir.partial()));
        }
    }

    #[test]
    fn what_is_no_directory_is_refused() {
        let error = LocalDir::new("/nowhere/at/all", b"", 0).unwrap_err();
        assert!(error.to_string().contains("/nowhere/at/all"), "{error}");
    }
}
