//! The files of a delivery on this machine: as they lie here, or downloaded into a folder that goes away again.

use std::path::{Path, PathBuf};

use futures_util::future::{BoxFuture, FutureExt as _};
use futures_util::stream::{self, StreamExt as _};

use super::error::ExportError;
use super::store::{Store, name};
use super::{Delivery, Part};
use crate::domain::{ErrorKind, SourceError};
use crate::source::inventory::Place;

/// Downloads at a time.
const AT_ONCE: usize = 3;

/// Files of a delivery on this machine. Downloaded ones are removed when it is dropped.
#[derive(Debug)]
pub struct Brought {
    /// Paths, in the order of [`Delivery::parts`].
    pub files: Vec<PathBuf>,
    folder: Option<Folder>,
}

impl Brought {
    /// A message about these files, with the names by which the user knows them.
    pub fn in_words(&self, store: &Store, delivery: &Delivery, message: &str) -> String {
        if self.folder.is_none() {
            return message.to_owned();
        }
        self.files.iter().zip(&delivery.parts).fold(message.to_owned(), |message, (file, part)| {
            message.replace(&*file.to_string_lossy(), &store.label(&part.path))
        })
    }
}

impl Delivery {
    /// Bytes of all files.
    pub fn bytes(&self) -> u64 {
        self.parts.iter().map(|part| part.bytes).sum()
    }

    /// Brings the files here; `progress` gets the bytes brought so far after each file. Err when one cannot be brought, or
    /// is not as it was listed.
    pub async fn bring(
        &self,
        store: &Store,
        progress: &mut (dyn FnMut(u64) + Send),
    ) -> Result<Brought, ExportError> {
        let Place::Remote { .. } = store.0 else {
            let files = self.parts.iter().map(|part| PathBuf::from(&part.path)).collect();
            return Ok(Brought { files, folder: None });
        };
        let folder = Folder::new().map_err(|e| no_room(&e))?;
        // Boxed and gathered: a stream of borrowing closures cannot go to another thread.
        let downloads: Vec<BoxFuture<'_, _>> = self
            .parts
            .iter()
            .enumerate()
            .map(|(at, part)| {
                download(store, part, folder.0.join(format!("{at}-{}", name(&part.path)))).boxed()
            })
            .collect();
        let mut coming = stream::iter(downloads).buffered(AT_ONCE);
        let (mut files, mut bytes) = (Vec::with_capacity(self.parts.len()), 0);
        while let Some(file) = coming.next().await {
            let (file, size) = file?;
            files.push(file);
            bytes += size;
            progress(bytes);
        }
        Ok(Brought { files, folder: Some(folder) })
    }
}

async fn download(store: &Store, part: &Part, to: PathBuf) -> Result<(PathBuf, u64), ExportError> {
    let Place::Remote { fetch, .. } = &store.0 else { return Ok((to, 0)) };
    crate::files::create_new(&to).map_err(|e| no_room(&e))?;
    match fetch.download(&part.path, &to).await? {
        Some(size) if size == part.bytes => Ok((to, size)),
        // Replaced, or gone, since it was listed.
        _ => {
            let at = "the list of files".to_owned();
            Err(ExportError::UnderWay { at, file: store.label(&part.path) })
        }
    }
}

fn no_room(error: &std::io::Error) -> ExportError {
    let at = std::env::temp_dir();
    let message = format!("{}: {}", at.display(), crate::files::reason(error));
    let fix = "set TMPDIR to a directory with room for the files of one billing period";
    ExportError::Unreadable(SourceError::new(ErrorKind::Other, "reading the bill", &message, fix))
}

/// A private folder that is removed with all in it.
#[derive(Debug)]
struct Folder(PathBuf);

impl Folder {
    fn new() -> std::io::Result<Self> {
        let name = format!("burntop-bill-{}-{:016x}", std::process::id(), fastrand::u64(..));
        let path = std::env::temp_dir().join(name);
        crate::files::private_dir(&path)?;
        Ok(Self(path))
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // What cannot be removed now is in the directory for temporary files.
        let _ = std::fs::remove_dir_all(Path::new(&self.0));
    }
}
