//! From what the user named to a manifest: the manifest itself, or the newest complete snapshot
//! under a directory or prefix.

use std::fs;
use std::io::Read;
use std::path::Path;
use std::sync::Arc;

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use futures_util::stream::{self, StreamExt};

use super::Inventory;
use super::error::InventoryError;
use super::fetch::{Entry, Place};
use super::manifest::{MANIFEST_AT_MOST, Manifest, hex, md5_of};
use super::pieces::local_path;

/// Snapshots that are looked at before giving up: more than a year of weeks.
const SNAPSHOTS: usize = 60;

/// Levels of a prefix under which snapshots are looked for:
/// `destination/source-bucket/inventory-id/2026-11-20T01-00Z/`.
const LEVELS: usize = 3;

/// Names of folders looked into on the way at most.
const FOLDERS: usize = 1_000;

/// Questions to S3 at a time.
const AT_ONCE: usize = 16;

/// Opens the inventory at `place`: a manifest (any name that ends with `.json`), or a directory or prefix, of which the
/// newest complete snapshot is used: its manifest matches the checksum, and all its pieces exist. The notes name
/// snapshots that were passed over. Err when nothing complete is found, there are several inventories, or it cannot be
/// read.
pub async fn open(place: &Place) -> Result<Inventory, InventoryError> {
    let is_manifest = match place {
        Place::Local(path) => !path.is_dir(),
        Place::Remote { key, .. } => key.as_bytes().ends_with(b".json"),
    };
    if is_manifest {
        let manifest = read(place).await?;
        let notes = notes(&manifest);
        return Ok(Inventory { manifest: Arc::new(manifest), place: place.clone(), notes });
    }
    if let Some(own) = child(place, "manifest.json").found().await? {
        let manifest = read(&own).await?;
        let notes = notes(&manifest);
        return Ok(Inventory { manifest: Arc::new(manifest), place: own, notes });
    }
    newest(place).await
}

fn notes(manifest: &Manifest) -> Vec<String> {
    let mut notes = manifest.schema.notes();
    let unsure = manifest.pieces.iter().filter(|p| p.md5.is_none()).count();
    if unsure > 0 {
        notes.push(format!("{unsure} pieces without an MD5 in the manifest: not verified"));
    }
    notes
}

async fn newest(place: &Place) -> Result<Inventory, InventoryError> {
    let mut snapshots = snapshots(place).await?;
    // By their names, which are times; the newest first.
    snapshots.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.label().cmp(&b.0.label())));
    let mut parents: Vec<String> = snapshots.iter().map(|(p, _)| parent(&p.label())).collect();
    parents.sort();
    parents.dedup();
    if parents.len() > 1 {
        return Err(InventoryError::Several { at: place.label(), found: parents });
    }
    let mut seen = Vec::new();
    for (snapshot, time) in snapshots.into_iter().take(SNAPSHOTS) {
        let at = child(&snapshot, "manifest.json");
        let complete = match at.clone().found().await? {
            None => Err("no manifest yet".to_owned()),
            Some(at) => match read(&at).await {
                Ok(manifest) => match missing(&at, &manifest).await? {
                    None => Ok(manifest),
                    Some(why) => Err(why),
                },
                // What concerns the whole inventory is not better in an older snapshot.
                Err(
                    error @ (InventoryError::Format { .. } | InventoryError::Unreadable { .. }),
                ) => {
                    return Err(error);
                }
                Err(error) => Err(error.to_string()),
            },
        };
        match complete {
            Ok(manifest) => {
                let mut notes = notes(&manifest);
                notes.extend(seen.iter().map(|why| format!("passed over the snapshot {why}")));
                return Ok(Inventory { manifest: Arc::new(manifest), place: at, notes });
            }
            Err(why) => seen.push(format!("{time}: {why}")),
        }
    }
    Err(InventoryError::NoSnapshot { at: place.label(), seen })
}

/// What a snapshot lacks, in words; `None` when it is complete.
async fn missing(at: &Place, manifest: &Manifest) -> Result<Option<String>, InventoryError> {
    // Boxed and gathered: a stream of borrowing closures cannot go to another thread.
    let looks: Vec<BoxFuture<'_, _>> = manifest
        .pieces
        .iter()
        .map(|piece| async move { (piece, there(at, &piece.key).await) }.boxed())
        .collect();
    let mut answers = stream::iter(looks).buffered(AT_ONCE);
    while let Some((piece, found)) = answers.next().await {
        match (found?, piece.size) {
            (None, _) => return Ok(Some(format!("piece {} is missing", piece.key))),
            (Some(found), Some(said)) if found != said => {
                return Ok(Some(format!("piece {} has {found} of {said} bytes", piece.key)));
            }
            _ => {}
        }
    }
    Ok(None)
}

/// Bytes of a piece that is there.
async fn there(at: &Place, piece: &str) -> Result<Option<u64>, InventoryError> {
    match at {
        Place::Local(path) => Ok(local_path(path, piece).and_then(|p| size(&p))),
        Place::Remote { fetch, .. } => fetch.size(piece).await,
    }
}

fn size(path: &Path) -> Option<u64> {
    fs::metadata(path).ok().filter(fs::Metadata::is_file).map(|m| m.len())
}

/// Reads a manifest, and its checksum where one lies beside it.
async fn read(place: &Place) -> Result<Manifest, InventoryError> {
    let at = place.label();
    let Some(bytes) = get(place, MANIFEST_AT_MOST).await? else {
        return Err(InventoryError::Unreadable {
            at,
            why: "there is nothing".into(),
            kind: crate::domain::ErrorKind::Unavailable,
            fix: "name the manifest.json that S3 delivered, or a prefix of inventories".into(),
        });
    };
    let manifest = Manifest::parse(&bytes, &at)?;
    if let Some(sum) = get(&sibling(place, "manifest.checksum"), 1 << 10).await? {
        let said = String::from_utf8_lossy(&sum).trim().to_ascii_lowercase();
        // Samples and copies have a manifest of another name beside one checksum.
        if at.ends_with("manifest.json") && said != hex(&md5_of(&bytes)) {
            return Err(InventoryError::ManifestChecksum { at });
        }
    }
    Ok(manifest)
}

async fn get(place: &Place, at_most: u64) -> Result<Option<Vec<u8>>, InventoryError> {
    match place {
        Place::Remote { key, fetch, .. } => fetch.get(key, at_most).await,
        Place::Local(path) => {
            let file = match crate::files::named(path) {
                Ok(file) => file,
                Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Ok(None),
                Err(e) => return Err(InventoryError::io(place.label(), &e)),
            };
            let mut bytes = Vec::new();
            let read = file.take(at_most + 1).read_to_end(&mut bytes);
            read.map_err(|e| InventoryError::io(place.label(), &e))?;
            if bytes.len() as u64 > at_most {
                let why = format!("it is larger than {at_most} bytes");
                return Err(InventoryError::Manifest { at: place.label(), why });
            }
            Ok(Some(bytes))
        }
    }
}

impl Place {
    /// Itself when a file or object lies there.
    async fn found(self) -> Result<Option<Self>, InventoryError> {
        let there = match &self {
            Self::Local(path) => path.is_file(),
            Self::Remote { key, fetch, .. } => fetch.size(key).await?.is_some(),
        };
        Ok(there.then_some(self))
    }
}

fn child(place: &Place, name: &str) -> Place {
    match place {
        Place::Local(path) => Place::Local(path.join(name.trim_end_matches('/'))),
        Place::Remote { bucket, key, fetch } => {
            let slash = if key.is_empty() || key.ends_with('/') { "" } else { "/" };
            let key = format!("{key}{slash}{name}");
            Place::Remote { bucket: bucket.clone(), key, fetch: fetch.clone() }
        }
    }
}

fn sibling(place: &Place, name: &str) -> Place {
    match place {
        Place::Local(path) => Place::Local(path.with_file_name(name)),
        Place::Remote { bucket, key, fetch } => {
            let folder = key.rfind('/').map_or("", |i| &key[..=i]);
            let key = format!("{folder}{name}");
            Place::Remote { bucket: bucket.clone(), key, fetch: fetch.clone() }
        }
    }
}

fn parent(label: &str) -> String {
    let label = label.trim_end_matches('/');
    label.rfind('/').map_or(label, |i| &label[..i]).to_owned()
}

async fn folders(place: &Place) -> Result<Vec<String>, InventoryError> {
    match place {
        Place::Remote { key, fetch, .. } => {
            let slash = if key.is_empty() || key.ends_with('/') { "" } else { "/" };
            let entries = fetch.entries(&format!("{key}{slash}")).await?;
            let folder = |entry| match entry {
                Entry::Folder(name) => Some(name),
                Entry::File { .. } => None,
            };
            Ok(entries.into_iter().filter_map(folder).collect())
        }
        Place::Local(path) => {
            let entries = fs::read_dir(path).map_err(|e| InventoryError::io(place.label(), &e))?;
            let names = entries.flatten().filter(|e| e.path().is_dir());
            Ok(names.map(|e| format!("{}/", e.file_name().to_string_lossy())).collect())
        }
    }
}

/// All folders named like a time under `place`, with their names.
async fn snapshots(place: &Place) -> Result<Vec<(Place, String)>, InventoryError> {
    let mut level = vec![place.clone()];
    let mut found = Vec::new();
    for _ in 0..LEVELS {
        let mut below = Vec::new();
        for at in level.iter().take(FOLDERS) {
            for name in folders(at).await? {
                let place = child(at, &name);
                let name = name.trim_end_matches('/').to_owned();
                if is_time(&name) {
                    found.push((place, name));
                } else if name != "data" && name != "hive" {
                    below.push(place);
                }
            }
        }
        if !found.is_empty() {
            break;
        }
        level = below;
    }
    Ok(found)
}

/// `2026-11-20T01-00Z`.
fn is_time(name: &str) -> bool {
    let pattern = "dddd-dd-ddTdd-ddZ";
    name.len() == pattern.len()
        && name.bytes().zip(pattern.bytes()).all(|(b, p)| match p {
            b'd' => b.is_ascii_digit(),
            p => b == p,
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn snapshots_are_named_like_times() {
        assert!(is_time("2026-11-20T01-00Z"));
        for no in
            ["2026-11-20", "2026-11-20T01:00Z", "data", "2026-11-20T01-00Zx", "é026-11-20T01-00"]
        {
            assert!(!is_time(no), "{no}");
        }
    }

    #[test]
    fn places_are_joined() {
        let place = Place::Local("/a/b/manifest.json".into());
        assert_eq!(sibling(&place, "manifest.checksum").label(), "/a/b/manifest.checksum");
        assert_eq!(child(&Place::Local("/a".into()), "x/").label(), "/a/x");
        assert_eq!(parent("s3://b/p/2026/"), "s3://b/p");
    }
}
