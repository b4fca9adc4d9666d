//! The pieces of an inventory: found beside the manifest or brought here, verified, read, removed.

use std::collections::VecDeque;
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc};

use super::error::InventoryError;
use super::fetch::{Fetch, Place};
use super::manifest::{FileFormat, Manifest, PieceEntry};
use super::parquet::Trouble;
use super::rows::Making;
use super::{csv, parquet};
use crate::domain::SourceError;
use crate::source::objects::{Piece, Sink, Supply};

/// Pieces on this machine at a time beyond those being read: bounds the disk that is used.
const AHEAD: usize = 2;

/// Pieces that are read at a time at most; each is held on disk until it is read.
const READING: usize = 4;

/// Pieces of an inventory, as a [`Supply`] for a scan.
pub struct Pieces {
    manifest: Arc<Manifest>,
    making: Arc<Making>,
    queue: Queue,
}

enum Queue {
    /// Files beside the manifest; those that are not there come first, so that nothing is read in
    /// vain.
    Here(Mutex<VecDeque<(usize, Option<PathBuf>)>>),
    /// Files on their way.
    Coming(Mutex<mpsc::Receiver<Result<Fetched, InventoryError>>>),
}

/// A piece that was brought here.
struct Fetched {
    index: usize,
    file: Temporary,
    _room: OwnedSemaphorePermit,
}

impl Pieces {
    /// Pieces of `manifest` at `place`: local files as they are, remote ones downloaded ahead.
    pub(super) fn new(place: &Place, manifest: &Arc<Manifest>, making: Making) -> Self {
        let queue = match place {
            Place::Local(path) => {
                let found = manifest.pieces.iter().map(|p| local_path(path, &p.key)).enumerate();
                let (here, missing): (Vec<_>, Vec<_>) = found.partition(|(_, p)| p.is_some());
                Queue::Here(Mutex::new(missing.into_iter().chain(here).collect()))
            }
            Place::Remote { fetch, .. } => {
                let (sender, coming) = mpsc::channel(AHEAD);
                tokio::spawn(bring(fetch.clone(), manifest.clone(), sender));
                Queue::Coming(Mutex::new(coming))
            }
        };
        Self { manifest: manifest.clone(), making: Arc::new(making), queue }
    }

    fn piece(&self, index: usize, path: PathBuf, fetched: Option<Fetched>) -> Box<dyn Piece> {
        Box::new(OnePiece {
            manifest: self.manifest.clone(),
            making: self.making.clone(),
            index,
            path,
            _fetched: fetched,
        })
    }
}

impl Supply for Pieces {
    fn next(&self) -> Option<Result<Box<dyn Piece + '_>, SourceError>> {
        match &self.queue {
            Queue::Here(queue) => {
                let (index, path) =
                    queue.lock().unwrap_or_else(PoisonError::into_inner).pop_front()?;
                Some(match path {
                    Some(path) => Ok(self.piece(index, path, None)),
                    None => {
                        let piece = self.manifest.pieces[index].key.clone();
                        Err(InventoryError::Missing { piece }.into())
                    }
                })
            }
            Queue::Coming(coming) => {
                let got = coming.lock().unwrap_or_else(PoisonError::into_inner).blocking_recv()?;
                Some(match got {
                    Ok(fetched) => {
                        Ok(self.piece(fetched.index, fetched.file.0.clone(), Some(fetched)))
                    }
                    Err(error) => Err(error.into()),
                })
            }
        }
    }

    fn total_bytes(&self) -> Option<u64> {
        self.manifest.bytes()
    }
}

/// Brings the pieces here, one after the other, no more at a time than may lie here. Ends when
/// nobody takes them any more.
async fn bring(
    fetch: Arc<dyn Fetch>,
    manifest: Arc<Manifest>,
    to: mpsc::Sender<Result<Fetched, InventoryError>>,
) {
    let room = Arc::new(Semaphore::new(AHEAD + READING));
    for (index, entry) in manifest.pieces.iter().enumerate() {
        let Ok(permit) = room.clone().acquire_owned().await else { return };
        let got = tokio::select! {
            got = bring_one(&*fetch, entry) => got,
            () = to.closed() => return,
        };
        let got = got.map(|file| Fetched { index, file, _room: permit });
        if to.send(got).await.is_err() {
            return;
        }
    }
}

async fn bring_one(fetch: &dyn Fetch, entry: &PieceEntry) -> Result<Temporary, InventoryError> {
    let file = Temporary::new().map_err(|e| InventoryError::Unreadable {
        at: std::env::temp_dir().display().to_string(),
        why: crate::files::reason(&e),
        kind: crate::domain::ErrorKind::Other,
        fix: "set TMPDIR to a directory with room for a few pieces of the inventory".into(),
    })?;
    match fetch.download(&entry.key, &file.0).await? {
        Some(_) => Ok(file),
        None => Err(InventoryError::Missing { piece: entry.key.clone() }),
    }
}

/// A private file that is removed when it is no longer needed.
struct Temporary(PathBuf);

impl Temporary {
    fn new() -> std::io::Result<Self> {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        loop {
            let number = NEXT.fetch_add(1, Ordering::Relaxed);
            let name = format!("burntop-{}-{number}-{:08x}", std::process::id(), fastrand::u32(..));
            let path = std::env::temp_dir().join(name);
            match crate::files::create_new(&path) {
                Ok(_) => return Ok(Self(path)),
                Err(e) if e.kind() == std::io::ErrorKind::AlreadyExists => {}
                Err(e) => return Err(e),
            }
        }
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        // What cannot be removed now is in the directory for temporary files.
        let _ = fs::remove_file(&self.0);
    }
}

/// One piece, on this machine.
struct OnePiece {
    manifest: Arc<Manifest>,
    making: Arc<Making>,
    index: usize,
    path: PathBuf,
    _fetched: Option<Fetched>,
}

impl Piece for OnePiece {
    fn read(&mut self, sink: &mut Sink<'_>) -> Result<(), SourceError> {
        let entry = &self.manifest.pieces[self.index];
        let bytes = verify(&self.path, entry)?;
        let piece = || entry.key.clone();
        let schema = &self.manifest.schema;
        let read = match self.manifest.format {
            FileFormat::Csv => csv::read(&self.path, schema, &self.making, sink),
            FileFormat::Parquet => {
                parquet::guarded(|| parquet::read(&self.path, bytes, schema, &self.making, sink))
            }
        };
        read.map_err(|trouble| match trouble {
            Trouble::Schema(why) => {
                InventoryError::Schema { at: format!("piece {}", piece()), why }
            }
            Trouble::Damaged(why) => InventoryError::Damaged { piece: piece(), why },
            Trouble::Beyond(why) => InventoryError::Beyond { piece: piece(), why },
        })?;
        Ok(())
    }
}

/// Compares size and MD5 with the manifest, before any row counts; the size.
fn verify(path: &Path, entry: &PieceEntry) -> Result<u64, InventoryError> {
    let io = |e: std::io::Error| match e.kind() {
        std::io::ErrorKind::NotFound => InventoryError::Missing { piece: entry.key.clone() },
        _ => InventoryError::io(format!("piece {}", entry.key), &e),
    };
    let mut file = crate::files::named(path).map_err(io)?;
    let found = file.metadata().map_err(io)?.len();
    if let Some(expected) = entry.size.filter(|size| *size != found) {
        return Err(InventoryError::Size { piece: entry.key.clone(), expected, found });
    }
    let Some(expected) = entry.md5 else { return Ok(found) };
    let mut md5 = md5::Md5::default();
    let mut buffer = vec![0; 1 << 18];
    loop {
        let n = file.read(&mut buffer).map_err(io)?;
        if n == 0 {
            break;
        }
        md5::Digest::update(&mut md5, &buffer[..n]);
    }
    let digest: [u8; 16] = md5::Digest::finalize(md5).into();
    if digest != expected {
        return Err(InventoryError::Md5 { piece: entry.key.clone() });
    }
    Ok(found)
}

/// Path of the piece with this key for a local manifest: in a copy of the bucket that holds the manifest as well, in
/// `data/` beside the manifest, or right beside it. `None` when there is no such file.
pub(super) fn local_path(manifest: &Path, key: &str) -> Option<PathBuf> {
    let folder = manifest.parent().unwrap_or(Path::new(""));
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    // A key is a path below a folder and nothing else: no `..`, no root.
    let relative = Path::new(key);
    let plain = |c: std::path::Component<'_>| matches!(c, std::path::Component::Normal(_));
    if !relative.components().all(plain) {
        return None;
    }
    let name = relative.file_name()?;
    let absolute = fs::canonicalize(folder).unwrap_or_else(|_| folder.to_path_buf());
    let mirrored = absolute.ancestors().map(|above| above.join(relative));
    let beside = [folder.join("data").join(name), folder.join(name)];
    mirrored.chain(beside).find(|path| path.is_file())
}
