//! Files of this machine or of a bucket, behind one face.

use std::fs;
use std::io::Read;
use std::path::Path;

use jiff::Timestamp;

use super::Part;
use super::error::ExportError;
use crate::domain::{ErrorKind, SourceError};
use crate::source::inventory::{Entry, Place};

/// A place with files: those of this machine by their paths, those of a bucket by their keys.
#[derive(Clone, Debug)]
pub struct Store(pub Place);

/// What lies directly in a folder.
#[derive(Debug, Default)]
pub(super) struct Listing {
    /// Paths of folders, without `/` at their ends, ordered.
    pub folders: Vec<String>,
    /// Files, ordered by path.
    pub files: Vec<Part>,
}

impl Store {
    /// Path, or key without `/` at its end, of the place.
    pub(super) fn root(&self) -> String {
        match &self.0 {
            Place::Local(path) => path.to_string_lossy().into_owned(),
            Place::Remote { key, .. } => key.trim_end_matches('/').to_owned(),
        }
    }

    /// True for files of this machine.
    pub(super) const fn is_local(&self) -> bool {
        matches!(self.0, Place::Local(_))
    }

    /// Path or URL of a file or folder, for messages.
    pub fn label(&self, path: &str) -> String {
        match &self.0 {
            Place::Local(_) => path.to_owned(),
            Place::Remote { bucket, .. } => format!("s3://{bucket}/{path}"),
        }
    }

    /// The file at `path`; `None` where there is none. Err when it cannot be looked at.
    pub(super) async fn file(&self, path: &str) -> Result<Option<Part>, ExportError> {
        match &self.0 {
            Place::Local(_) => match fs::metadata(path) {
                Ok(found) if found.is_file() => Ok(Some(local(path.to_owned(), &found))),
                Ok(_) => Ok(None),
                Err(e) if e.kind() == std::io::ErrorKind::NotFound => Ok(None),
                Err(e) => Err(self.failed(path, &e)),
            },
            // A folder is told by one request; its bucket may have many more.
            Place::Remote { fetch, .. } if path.is_empty() || fetch.size(path).await?.is_none() => {
                Ok(None)
            }
            Place::Remote { .. } => {
                let beside = self.list(parent(path)).await?;
                Ok(beside.files.into_iter().find(|file| file.path == path))
            }
        }
    }

    /// What lies directly in the folder at `path`. Err when it cannot be listed.
    pub(super) async fn list(&self, path: &str) -> Result<Listing, ExportError> {
        let mut listing = Listing::default();
        match &self.0 {
            Place::Local(_) => {
                let at = if path.is_empty() { "." } else { path };
                for entry in fs::read_dir(at).map_err(|e| self.failed(path, &e))? {
                    let entry = entry.map_err(|e| self.failed(path, &e))?;
                    let name = Path::new(path).join(entry.file_name());
                    let name = name.to_string_lossy().into_owned();
                    // Follows links, as whoever named the folder means what lies at their ends.
                    match fs::metadata(entry.path()) {
                        Ok(found) if found.is_dir() => listing.folders.push(name),
                        Ok(found) if found.is_file() => listing.files.push(local(name, &found)),
                        _ => {}
                    }
                }
            }
            Place::Remote { fetch, .. } => {
                let prefix = if path.is_empty() { String::new() } else { format!("{path}/") };
                for entry in fetch.entries(&prefix).await? {
                    match entry {
                        Entry::Folder(name) => {
                            listing.folders.push(format!("{prefix}{}", name.trim_end_matches('/')));
                        }
                        Entry::File { name, bytes, modified } => listing.files.push(Part {
                            path: format!("{prefix}{name}"),
                            bytes,
                            written_at: modified,
                        }),
                    }
                }
            }
        }
        listing.folders.sort();
        listing.files.sort_by(|a, b| a.path.cmp(&b.path));
        Ok(listing)
    }

    /// A small file as a whole; `None` where there is none. Err when it is larger than `at_most` bytes, or cannot be read.
    pub(super) async fn get(
        &self,
        path: &str,
        at_most: u64,
    ) -> Result<Option<Vec<u8>>, ExportError> {
        let bytes = match &self.0 {
            Place::Remote { fetch, .. } => return Ok(fetch.get(path, at_most).await?),
            Place::Local(_) => {
                let mut bytes = Vec::new();
                match crate::files::named(Path::new(path)) {
                    Ok(file) => file.take(at_most + 1).read_to_end(&mut bytes).map(|_| bytes),
                    Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Ok(None),
                    Err(e) => Err(e),
                }
            }
        };
        let bytes = bytes.map_err(|e| self.failed(path, &e))?;
        if bytes.len() as u64 > at_most {
            let why = format!("it is larger than {at_most} bytes");
            return Err(ExportError::Manifest { at: self.label(path), why });
        }
        Ok(Some(bytes))
    }

    /// Error for a file or folder of this machine that cannot be read.
    pub(super) fn failed(&self, path: &str, error: &std::io::Error) -> ExportError {
        let kind = match error.kind() {
            std::io::ErrorKind::PermissionDenied => ErrorKind::Denied,
            std::io::ErrorKind::NotFound => ErrorKind::Unavailable,
            _ => ErrorKind::Other,
        };
        let message = format!("{}: {}", self.label(path), crate::files::reason(error));
        let fix = "check the path and its permissions";
        ExportError::Unreadable(SourceError::new(kind, "reading the bill", &message, fix))
    }
}

fn local(path: String, found: &fs::Metadata) -> Part {
    let written_at = found.modified().ok().and_then(|at| Timestamp::try_from(at).ok());
    Part { path, bytes: found.len(), written_at }
}

/// Folder of a path, without `/` at its end; empty for one without.
pub(super) fn parent(path: &str) -> &str {
    path.rfind('/').map_or("", |at| &path[..at])
}

/// Last part of a path.
pub(super) fn name(path: &str) -> &str {
    path.rfind('/').map_or(path, |at| &path[at + 1..])
}
