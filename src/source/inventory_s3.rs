//! An inventory in S3: its manifest and pieces by the reads of a [`StorageSource`], each charged
//! before it is made.

use std::io::Write;
use std::path::Path;
use std::sync::Arc;

use async_trait::async_trait;
use jiff::Timestamp;

use super::inventory::{Entry, Fetch, InventoryError};
use super::ledger::{BilledApi, Ledger};
use super::pages::Pages;
use super::storage::{ListPlace, Name, StorageSource};
use crate::domain::SourceError;

/// Bytes asked for at a time: a broken connection costs no more than this.
const RANGE: u64 = 32 << 20;

/// Reader of the objects in one bucket, through a [`StorageSource`].
#[derive(Clone)]
pub struct StorageFetch {
    /// Source of the objects.
    pub source: Arc<dyn StorageSource>,
    /// Region of the bucket.
    pub region: Arc<str>,
    /// Bucket name.
    pub bucket: Arc<str>,
    /// Ledger for the requests; `None` when they cost nothing.
    pub ledger: Option<Ledger>,
    /// Clock, for the day of the ledger.
    pub now: fn() -> Timestamp,
}

impl StorageFetch {
    fn failed(&self, key: &str, error: SourceError) -> InventoryError {
        InventoryError::Unreadable {
            at: format!("s3://{}/{key}", self.bucket),
            why: error.message,
            kind: error.kind,
            fix: error.fix,
        }
    }

    async fn charge(&self, api: BilledApi, key: &str) -> Result<(), InventoryError> {
        let Some(ledger) = &self.ledger else { return Ok(()) };
        ledger.charge(api, 1, (self.now)()).await.map_err(|refused| InventoryError::Unreadable {
            at: format!("s3://{}/{key}", self.bucket),
            why: refused.to_string(),
            kind: crate::domain::ErrorKind::OwnCostCap,
            fix: refused.fix().into(),
        })
    }

    async fn names(&self, prefix: &str) -> Result<Vec<Name>, InventoryError> {
        let at = ListPlace { region: &self.region, bucket: &self.bucket, prefix };
        let mut all = Vec::new();
        let mut pages = Pages::of("s3:ListBucket", &self.region);
        while let Some(token) = pages.ask() {
            self.charge(BilledApi::S3List, prefix).await?;
            let page = self.source.names(at, token).await;
            let (names, next) = page.map_err(|e| self.failed(prefix, e))?;
            all.extend(names);
            pages.follow(next).map_err(|e| self.failed(prefix, e))?;
        }
        Ok(all)
    }
}

#[async_trait]
impl Fetch for StorageFetch {
    async fn get(&self, key: &str, at_most: u64) -> Result<Option<Vec<u8>>, InventoryError> {
        let Some(size) = self.size(key).await? else { return Ok(None) };
        if size > at_most {
            return Err(InventoryError::Manifest {
                at: format!("s3://{}/{key}", self.bucket),
                why: format!("it is larger than {at_most} bytes"),
            });
        }
        self.charge(BilledApi::S3Get, key).await?;
        // No more than was looked at, should it grow meanwhile; a range of nothing is none.
        let range = (size > 0).then_some(0..size);
        let got = self.source.object(&self.region, &self.bucket, key, range).await;
        Ok(Some(got.map_err(|e| self.failed(key, e))?.bytes))
    }

    async fn size(&self, key: &str) -> Result<Option<u64>, InventoryError> {
        // One page from this key on: a HEAD tells "not there" from "not allowed" only with the
        // permission to list.
        self.charge(BilledApi::S3List, key).await?;
        let at = ListPlace { region: &self.region, bucket: &self.bucket, prefix: key };
        let (names, _) = self.source.names(at, None).await.map_err(|e| self.failed(key, e))?;
        Ok(names.into_iter().find_map(|name| match name {
            Name::Object { key: found, bytes, .. } if found == key.as_bytes() => Some(bytes),
            _ => None,
        }))
    }

    async fn download(&self, key: &str, to: &Path) -> Result<Option<u64>, InventoryError> {
        let Some(size) = self.size(key).await? else { return Ok(None) };
        let io = |e: std::io::Error| InventoryError::Unreadable {
            at: to.display().to_string(),
            why: e.to_string(),
            kind: crate::domain::ErrorKind::Other,
            fix: "set TMPDIR to a directory with room for a few of these files".into(),
        };
        let mut file = crate::files::update(to).map_err(io)?;
        let (mut done, mut etag) = (0, None);
        while done < size {
            self.charge(BilledApi::S3Get, key).await?;
            let range = done..(done + RANGE).min(size);
            let got = self.source.object(&self.region, &self.bucket, key, Some(range)).await;
            let got = got.map_err(|e| self.failed(key, e))?;
            if got.bytes.is_empty() || etag.get_or_insert_with(|| got.etag.clone()) != &got.etag {
                return Err(InventoryError::Damaged {
                    piece: key.to_owned(),
                    why: "it was replaced while it was read".into(),
                });
            }
            file.write_all(&got.bytes).map_err(io)?;
            done += got.bytes.len() as u64;
        }
        Ok(Some(done))
    }

    async fn entries(&self, prefix: &str) -> Result<Vec<Entry>, InventoryError> {
        let below =
            |path: Vec<u8>| String::from_utf8(path).ok()?.strip_prefix(prefix).map(str::to_owned);
        let entry = |name| match name {
            Name::Prefix(path) => below(path).map(Entry::Folder),
            Name::Object { key, bytes, modified } => {
                // The prefix itself, as consoles make it to show a folder.
                let name = below(key).filter(|name| !name.is_empty())?;
                Some(Entry::File { name, bytes, modified })
            }
        };
        Ok(self.names(prefix).await?.into_iter().filter_map(entry).collect())
    }
}
