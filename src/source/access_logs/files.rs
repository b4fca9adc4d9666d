//! Files and folders, packed or not.

use std::fs::File;
use std::io::{self, BufReader, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use flate2::read::MultiGzDecoder;
use walkdir::WalkDir;

use super::FILES_AT_MOST;
use super::error::FileError;
use crate::domain::text::clean;
use crate::files;

/// Levels of folders that are looked into.
const LEVELS: usize = 16;

/// Bytes of a packed file that are read at a time.
const BLOCK: usize = 1 << 18;

/// Folders of `CloudTrail` that hold sums of files, no events.
const DIGESTS: &str = "CloudTrail-Digest";

/// The name of a file in messages, clean.
pub(super) fn name(path: &Path) -> Arc<str> {
    clean(&path.display().to_string()).into()
}

/// All files below these paths, those of a folder in the order of their names, which begin with their times where AWS delivers
/// them; and what could not be listed. Links in folders are not followed.
pub(super) fn all(paths: &[PathBuf]) -> (Vec<PathBuf>, Vec<(Arc<str>, FileError)>) {
    let (mut found, mut failed) = (Vec::new(), Vec::new());
    for path in paths {
        if !path.is_dir() {
            found.push(path.clone());
            continue;
        }
        let mut folder = Vec::new();
        let walk = WalkDir::new(path).follow_links(false).max_depth(LEVELS).into_iter();
        for entry in walk.filter_entry(|entry| entry.file_name() != DIGESTS) {
            match entry {
                Ok(entry) if entry.file_type().is_file() => folder.push(entry.into_path()),
                Ok(_) => {}
                Err(error) => {
                    let at = name(error.path().unwrap_or(path));
                    let why = error
                        .io_error()
                        .map_or_else(|| "its folders go in a circle".to_owned(), files::explain);
                    failed.push((at, FileError::Unreadable(why)));
                }
            }
            if found.len() + folder.len() > FILES_AT_MOST {
                failed.push((name(path), FileError::Many));
                folder.pop();
                break;
            }
        }
        folder.sort_by(|a, b| a.file_name().cmp(&b.file_name()).then_with(|| a.cmp(b)));
        found.append(&mut folder);
    }
    (found, failed)
}

/// Opens a file, unpacking it where it is packed.
pub(super) fn open(path: &Path) -> Result<Box<dyn Read>, FileError> {
    let unreadable = |error: io::Error| FileError::Unreadable(files::explain(&error));
    let mut file: File = files::named(path).map_err(unreadable)?;
    let mut head = Vec::new();
    (&file).take(2).read_to_end(&mut head).map_err(unreadable)?;
    file.seek(SeekFrom::Start(0)).map_err(unreadable)?;
    Ok(match head[..] {
        [0x1f, 0x8b] => Box::new(MultiGzDecoder::new(BufReader::with_capacity(BLOCK, file))),
        _ => Box::new(file),
    })
}
