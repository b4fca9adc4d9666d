//! Scans of lists of objects: the tree, so that it opens again at once. One per list that was read
//! (bucket or path, and the digest of its manifest), compressed; the newest are kept.

use std::io::{Read, Write};
use std::sync::Arc;

use flate2::Compression;
use flate2::read::ZlibDecoder;
use flate2::write::ZlibEncoder;
use rusqlite::{Connection, OptionalExtension, params};

use super::checksum::checksum;
use super::decode::decode;
use super::facts::{self, FactKind};
use super::handle::Cache;
use super::notice::CacheNotice;
use super::store::Store;
use crate::domain::Scope;
use crate::domain::storage::Scan;

/// The layout changes whenever [`Scan`] or anything in it does.
const KIND: FactKind = FactKind::new("storage-scan", 1);

/// Scans kept.
const KEEP: u32 = 24;

/// Bytes that they may take together, compressed; the newest stays in any case.
const KEEP_BYTES: i64 = 128 << 20;

/// A tree is far smaller than this; more comes from a damaged file.
const UNPACKED_AT_MOST: u64 = 1 << 30;

/// Key of a scan: bucket and list.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ScanKey {
    /// Bucket, or the path of a directory.
    pub bucket: Arc<str>,
    /// Digest of this list among those of the bucket: the MD5 of the manifest.
    pub digest: Arc<str>,
}

impl ScanKey {
    /// Key of a listing of a bucket, which has no manifest; a new listing replaces the one before.
    pub fn of_listing(bucket: &str) -> Self {
        Self { bucket: bucket.into(), digest: "listing".into() }
    }

    fn scope(&self) -> Scope {
        Scope::new(self.bucket.clone(), self.digest.clone())
    }
}

/// A stored scan, not decoded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HeldScan {
    /// Bucket, or the path of a directory.
    pub bucket: Arc<str>,
    /// Bytes in the cache, compressed.
    pub packed_bytes: u64,
}

impl Cache {
    /// All stored scans, newest first.
    pub async fn scans_held(&self) -> Vec<HeldScan> {
        let rows = self
            .call(|store| {
                store.run(|conn| {
                    conn.prepare_cached(
                        "SELECT account, length(data) FROM fact WHERE kind = ?1 AND layout = ?2
                         ORDER BY taken_ms DESC, account, region",
                    )?
                    .query_map(params![KIND.name, KIND.layout], |r| {
                        let bytes: i64 = r.get(1)?;
                        Ok(HeldScan {
                            bucket: r.get::<_, String>(0)?.into(),
                            packed_bytes: u64::try_from(bytes).unwrap_or_default(),
                        })
                    })?
                    .collect::<rusqlite::Result<Vec<_>>>()
                })
            })
            .await;
        rows.flatten().unwrap_or_default()
    }

    /// Stores a scan; the oldest scans beyond number and size limits are deleted.
    pub async fn put_scan(&self, key: &ScanKey, scan: &Scan) {
        // Packed here, so that the one thread only does I/O.
        let Some(data) = pack(scan) else {
            self.post(CacheNotice::Dropped {
                file: self.path().to_path_buf(),
                why: format!("the scan of {} cannot be encoded", key.bucket),
            });
            return;
        };
        let (scope, at) = (key.scope(), scan.scanned_at);
        self.call(move |store| {
            store.run(|conn| {
                facts::put(conn, KIND, &scope, at, &data)?;
                evict(conn, &scope)
            });
        })
        .await;
    }

    /// Scan of one list; `None` when there is none, or it is damaged.
    pub async fn scan(&self, key: &ScanKey) -> Option<Scan> {
        let scope = key.scope();
        let raw = self.call(move |store| facts::read(store, KIND, &scope)).await??;
        unpack(&raw.data)
    }

    /// Newest scan of a bucket or path; `None` when there is none, or it is damaged.
    pub async fn newest_scan(&self, bucket: &str) -> Option<Scan> {
        let bucket: Arc<str> = bucket.into();
        let newest = move |store: &mut Store| {
            let digest = store.run(|conn| {
                conn.prepare_cached(
                    "SELECT region FROM fact WHERE kind = ?1 AND account = ?2 AND layout = ?3
                     ORDER BY taken_ms DESC, region LIMIT 1",
                )?
                .query_row(params![KIND.name, &*bucket, KIND.layout], |r| r.get::<_, String>(0))
                .optional()
            })??;
            facts::read(store, KIND, &Scope::new(bucket, digest))
        };
        let raw = self.call(newest).await??;
        unpack(&raw.data)
    }
}

/// Deletes all but the newest, and what is too much of these; `new` stays.
fn evict(conn: &Connection, new: &Scope) -> rusqlite::Result<()> {
    let mut rows = conn.prepare_cached(
        "SELECT account, region, length(data) FROM fact WHERE kind = ?1
         ORDER BY (account = ?2 AND region = ?3) DESC, taken_ms DESC",
    )?;
    let rows: Vec<(String, String, i64)> = rows
        .query_map(params![KIND.name, &*new.account, &*new.region], |r| {
            Ok((r.get(0)?, r.get(1)?, r.get(2)?))
        })?
        .collect::<Result<_, _>>()?;
    let mut bytes = 0;
    for (i, (account, region, size)) in rows.iter().enumerate() {
        bytes += size;
        if i > 0 && (i >= KEEP as usize || bytes > KEEP_BYTES) {
            conn.execute(
                "DELETE FROM fact WHERE kind = ?1 AND account = ?2 AND region = ?3",
                params![KIND.name, account, region],
            )?;
        }
    }
    Ok(())
}

/// Checksum, then the scan in zlib: SQLite does not notice damage inside a blob.
fn pack(scan: &Scan) -> Option<Vec<u8>> {
    let plain = postcard::to_stdvec(scan).ok()?;
    let mut packer = ZlibEncoder::new(vec![0; 8], Compression::fast());
    packer.write_all(&plain).ok()?;
    let mut data = packer.finish().ok()?;
    let sum = checksum(data.get(8..)?);
    data.get_mut(..8)?.copy_from_slice(&sum.to_le_bytes());
    Some(data)
}

fn unpack(data: &[u8]) -> Option<Scan> {
    let (sum, packed) = data.split_first_chunk::<8>()?;
    if checksum(packed) != i64::from_le_bytes(*sum) {
        return None;
    }
    let mut plain = Vec::new();
    ZlibDecoder::new(packed).take(UNPACKED_AT_MOST).read_to_end(&mut plain).ok()?;
    decode(&plain)
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;

    use super::*;
    use crate::cache::OpenOptions;
    use crate::domain::storage::tree::TreeBuilder;
    use crate::domain::storage::{ScanOrigin, Sums};

    fn scan(bucket: &str, second: i64) -> Scan {
        let at = Timestamp::from_second(1_795_000_000 + second).unwrap();
        Scan {
            bucket: bucket.into(),
            origin: ScanOrigin::Inventory("s3://i/manifest.json".into()),
            listed_at: at,
            scanned_at: at,
            rows: 7,
            partial: None,
            notes: vec!["n".into()],
            tree: Arc::new(TreeBuilder::new(&Sums { monitored: 3, ..Sums::default() }).finish()),
            runs: None,
            duplicates: None,
        }
    }

    fn key(bucket: &str, digest: &str) -> ScanKey {
        ScanKey { bucket: bucket.into(), digest: digest.into() }
    }

    #[tokio::test]
    async fn a_scan_comes_back_and_the_newest_of_a_bucket_is_found() {
        let now = Timestamp::from_second(1_795_000_100).unwrap();
        let (cache, _) = Cache::open(OpenOptions::in_memory(), now);
        assert_eq!(cache.newest_scan("b").await, None);
        cache.put_scan(&key("b", "1"), &scan("b", 1)).await;
        cache.put_scan(&key("b", "2"), &scan("b", 2)).await;
        cache.put_scan(&key("c", "1"), &scan("c", 9)).await;
        assert_eq!(cache.scan(&key("b", "1")).await, Some(scan("b", 1)));
        assert_eq!(cache.newest_scan("b").await, Some(scan("b", 2)));
        assert_eq!(cache.scan(&key("b", "3")).await, None);
        let held: Vec<_> = cache.scans_held().await.into_iter().map(|h| h.bucket).collect();
        assert_eq!(held, ["c".into(), "b".into(), Arc::<str>::from("b")], "the newest first");
        cache.close().await;
    }

    #[tokio::test]
    async fn the_oldest_go_first() {
        let now = Timestamp::from_second(1_795_000_100).unwrap();
        let (cache, _) = Cache::open(OpenOptions::in_memory(), now);
        for i in 0..KEEP + 3 {
            cache.put_scan(&key("b", &i.to_string()), &scan("b", i.into())).await;
        }
        for i in 0..KEEP + 3 {
            let there = cache.scan(&key("b", &i.to_string())).await.is_some();
            assert_eq!(there, i >= 3, "{i}");
        }
        cache.close().await;
    }

    #[test]
    fn damage_is_absence() {
        let whole = pack(&scan("b", 1)).unwrap();
        assert_eq!(unpack(&whole), Some(scan("b", 1)));
        for i in 0..whole.len() {
            let mut broken = whole.clone();
            broken[i] ^= 0x10;
            assert_eq!(unpack(&broken), None, "byte {i}");
            assert_eq!(unpack(&whole[..i]), None);
        }
    }
}
