//! A file of what was imported, beside the cache: `cache clear` leaves it, as what it was made of may be gone.

use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::Connection;

use super::file::{self, OpenError, Why};
use super::schema::Schema;
use crate::domain::text::clean;
use crate::files::Cause;

/// How long a request waits for another process: an import writes for a second or two.
const BUSY_TIMEOUT: Duration = Duration::from_secs(10);

/// Why such a file cannot be opened, read or written.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the imported {what} {} cannot be used ({why}): {advice}", .file.display())]
pub struct ImportedError {
    /// What is in it, a plural such as `bills`.
    what: &'static str,
    /// Path of the file.
    file: PathBuf,
    /// Message of the system or SQLite.
    why: String,
    /// What the user can do, one sentence.
    advice: String,
}

/// The file. Each request opens it anew and blocks: for threads other than the screen's.
#[derive(Clone, Debug)]
pub(super) struct Imported {
    what: &'static str,
    schema: &'static Schema,
    path: PathBuf,
}

impl Imported {
    /// The file of `what`, a plural, beside the cache at `cache`: `what.db` in the same directory. Opens nothing.
    pub(super) fn beside(cache: &Path, what: &'static str, schema: &'static Schema) -> Self {
        let path = cache.with_file_name(format!("{what}.db"));
        // Whoever names the cache like that must not have the two eat each other.
        let path = match path == cache {
            true => cache.with_file_name(format!("imported-{what}.db")),
            false => path,
        };
        Self { what, schema, path }
    }

    /// Path of the file.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Runs `request` on the file; `None` where there is no file yet.
    pub(super) fn read<R>(
        &self,
        request: impl FnOnce(&Connection) -> rusqlite::Result<R>,
    ) -> Result<Option<R>, ImportedError> {
        if !self.path.exists() {
            return Ok(None);
        }
        let run = || {
            let conn = file::open_read_only(&self.path)?;
            conn.busy_timeout(BUSY_TIMEOUT)?;
            let version: i32 = conn.pragma_query_value(None, "user_version", |row| row.get(0))?;
            // A file that another process has only just made.
            if version == 0 { Ok(None) } else { request(&conn).map(Some) }
        };
        run().map_err(|error: rusqlite::Error| self.unusable(error.into()))
    }

    /// Runs `request` on the file, which is made where there is none.
    pub(super) fn write<R>(
        &self,
        request: impl FnOnce(&mut Connection) -> rusqlite::Result<R>,
    ) -> Result<R, ImportedError> {
        let mut conn = file::open(&self.path, self.schema, None).map_err(|error| match error {
            OpenError::Defect(why) => self.unusable(why.into()),
            OpenError::Busy(why) | OpenError::Unavailable(why) => {
                self.failed(&why.text, why.cause.advice().to_owned())
            }
        })?;
        let run = conn.busy_timeout(BUSY_TIMEOUT).and_then(|()| request(&mut conn));
        run.map_err(|error| self.unusable(error.into()))
    }

    /// An error with its reason and what the user can do.
    pub(super) fn failed(&self, why: &str, advice: String) -> ImportedError {
        let (what, file) = (self.what, self.path.clone());
        ImportedError { what, file, why: clean(why).into_owned(), advice }
    }

    fn unusable(&self, why: Why) -> ImportedError {
        let advice = match why.cause {
            Cause::Other | Cause::Foreign => {
                format!("move it away, and import the {} again", self.what)
            }
            cause => cause.advice().to_owned(),
        };
        self.failed(&why.text, advice)
    }
}
