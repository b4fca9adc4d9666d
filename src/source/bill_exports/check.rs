//! Whether all files that a manifest names are there, and none is newer than it.

use std::collections::HashMap;
use std::path::{Component, Path};

use jiff::SignedDuration;

use super::Part;
use super::error::ExportError;
use super::store::{Listing, Store, name, parent};

/// S3 tells times in whole seconds.
const GRAIN: SignedDuration = SignedDuration::from_secs(1);

/// The files that the manifest at `at` names by their keys. Err when one is missing, or was written after the manifest:
/// the export is being delivered, and its sums would be of two deliveries.
pub(super) async fn parts(
    store: &Store,
    at: &Part,
    keys: &[String],
) -> Result<Vec<Part>, ExportError> {
    let mut folders: HashMap<&str, Listing> = HashMap::new();
    let (mut parts, mut missing) = (Vec::with_capacity(keys.len()), Vec::new());
    for key in keys {
        let part = if store.is_local() {
            local(store, &at.path, key).await?
        } else {
            let folder = parent(key);
            if !folders.contains_key(folder) {
                folders.insert(folder, store.list(folder).await?);
            }
            folders[folder].files.iter().find(|file| file.path == *key).cloned()
        };
        match part {
            Some(part) => parts.push(part),
            None => missing.push(key.clone()),
        }
    }
    if !missing.is_empty() {
        return Err(ExportError::Missing { at: store.label(&at.path), files: missing });
    }
    // The times of copies are those of copying.
    let is_newer = |part: &&Part| match (part.written_at, at.written_at) {
        (Some(part), Some(manifest)) => part.duration_since(manifest) > GRAIN,
        _ => false,
    };
    match parts.iter().filter(|_| !store.is_local()).find(is_newer) {
        Some(part) => {
            let (at, file) = (store.label(&at.path), name(&part.path).to_owned());
            Err(ExportError::UnderWay { at, file })
        }
        None => Ok(parts),
    }
}

/// The file with this key in a copy of the bucket, or of a part of it, that holds the manifest as well: the longest end of
/// the key that leads to a file from a folder above the manifest.
async fn local(store: &Store, manifest: &str, key: &str) -> Result<Option<Part>, ExportError> {
    let relative = Path::new(key);
    if !relative.components().all(|part| matches!(part, Component::Normal(_))) {
        return Ok(None);
    }
    let folder = Path::new(manifest).parent().unwrap_or(Path::new(""));
    let absolute =
        std::fs::canonicalize(if folder.as_os_str().is_empty() { Path::new(".") } else { folder });
    let absolute = absolute.map_err(|e| store.failed(manifest, &e))?;
    let mut end = Some(relative);
    while let Some(path) = end.filter(|path| !path.as_os_str().is_empty()) {
        for above in absolute.ancestors() {
            let at = above.join(path);
            if at.is_file() {
                return store.file(&at.to_string_lossy()).await;
            }
        }
        let mut rest = path.components();
        rest.next();
        end = Some(rest.as_path());
    }
    Ok(None)
}
