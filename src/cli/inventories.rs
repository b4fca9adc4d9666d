//! From a bucket to its newest inventory: what the configuration names, else what the bucket itself
//! has configured.

use std::collections::BTreeMap;
use std::sync::Arc;

use jiff::Timestamp;

use super::accounts::Reach;
use super::invocation::Invocation;
use crate::cache::Cache;
use crate::domain::storage::Bucket;
use crate::domain::text::clean;
use crate::domain::{ErrorKind, Scope, SourceError};
use crate::source::StorageSource;
use crate::source::inventory::{self, Inventory, Place, s3_uri};
use crate::source::inventory_s3::StorageFetch;
use crate::source::ledger::{BilledApi, Ledger};
use crate::source::storage::BucketConfig;

/// Requests that one reading of a bucket's settings takes.
const LOOK: u64 = 7;

/// Finds lists of objects; charges billed requests.
#[derive(Clone)]
pub struct Finder {
    /// Storage of the run's accounts.
    pub sources: Vec<Arc<dyn StorageSource>>,
    /// Ledger that requests are charged to; `None` where they are free (the demo).
    pub ledger: Option<Ledger>,
    /// `[storage] inventories` of the configuration: place of the inventory by bucket.
    pub configured: BTreeMap<String, String>,
}

/// The account that may read a bucket.
#[derive(Clone)]
pub struct Owner {
    /// Storage of that account.
    pub source: Arc<dyn StorageSource>,
    /// Region of the bucket.
    pub region: Arc<str>,
}

impl Finder {
    /// A finder for the accounts of a run.
    pub fn of(invocation: &Invocation, cache: &Cache) -> Self {
        let is_billed = invocation.options.demo.is_none();
        Self {
            sources: invocation.reaches().iter().filter_map(Reach::storage).collect(),
            ledger: is_billed.then(|| invocation.ledger(cache)),
            // Those of the configuration are of real buckets.
            configured: match is_billed {
                true => invocation.config.storage.inventories.clone(),
                false => BTreeMap::new(),
            },
        }
    }

    /// Charges `units` requests before they are made. Fails where the daily cap is reached.
    pub async fn charge(&self, api: BilledApi, units: u64) -> Result<(), SourceError> {
        let Some(ledger) = &self.ledger else { return Ok(()) };
        let charged = ledger.charge(api, units, Timestamp::now()).await;
        charged.map_err(|refused| refused.error(api.name()))
    }

    /// The first account that may read the bucket. Fails with the first refusal where none may.
    pub async fn owner(&self, bucket: &str) -> Result<Owner, SourceError> {
        let mut refused = None;
        for source in &self.sources {
            self.charge(BilledApi::S3Get, 1).await?;
            match source.region_of(bucket).await {
                Ok(region) => return Ok(Owner { source: source.clone(), region }),
                Err(error) => refused = refused.or(Some(error)),
            }
        }
        Err(refused.unwrap_or_else(|| {
            let fix = "name a profile with --profile, or copy the inventory and give its path";
            SourceError::new(ErrorKind::NoCredentials, "reading the bucket", "no account", fix)
        }))
    }

    /// Configuration of the bucket, facts that could not be read included. Fails where the cap is reached.
    pub async fn config(&self, bucket: &str, owner: &Owner) -> Result<BucketConfig, SourceError> {
        self.charge(BilledApi::S3Get, LOOK).await?;
        let asked = Bucket {
            scope: Scope::new("-", owner.region.clone()),
            name: bucket.into(),
            created_at: None,
            is_directory: is_directory(bucket),
        };
        Ok(owner.source.config(&asked).await)
    }

    /// The place named by `s3://…` or a path. Fails where no account may read the bucket.
    pub async fn place(&self, named: &str) -> Result<Place, SourceError> {
        let Some((bucket, key)) = s3_uri(named) else { return Ok(Place::Local(named.into())) };
        let Owner { source, region } = self.owner(bucket).await?;
        let ledger = self.ledger.clone();
        let fetch =
            StorageFetch { source, region, bucket: bucket.into(), ledger, now: Timestamp::now };
        let (bucket, key) = (bucket.to_owned(), key.to_owned());
        Ok(Place::Remote { bucket, key, fetch: Arc::new(fetch) })
    }

    /// Opens the inventory at `s3://…` or a path, of `bucket` where it is given. Fails where there is no
    /// complete one.
    pub async fn open(&self, named: &str, bucket: Option<&str>) -> Result<Inventory, SourceError> {
        let place = self.place(named).await?;
        let inventory = inventory::open(&place).await.map_err(SourceError::from)?;
        let of = &inventory.manifest.bucket;
        match bucket {
            Some(bucket) if bucket != of => {
                let message =
                    format!("the inventory is of {}, not of {}", clean(of), clean(bucket));
                let fix = "name an inventory of this bucket";
                Err(SourceError::new(ErrorKind::Refused, "reading the inventory", &message, fix))
            }
            _ => Ok(inventory),
        }
    }

    /// The newest complete inventory of a bucket: at the configured place, else where the bucket's own
    /// configuration delivers one. Fails with all errors on the way; with none where there was no place to try.
    pub async fn of_bucket(&self, bucket: &str) -> Result<Inventory, Vec<SourceError>> {
        let mut failed = Vec::new();
        if let Some(named) = self.configured.get(bucket) {
            match self.open(named, Some(bucket)).await {
                Ok(found) => return Ok(found),
                Err(error) => failed.push(error),
            }
        }
        let looked = match self.owner(bucket).await {
            Ok(owner) => self.config(bucket, &owner).await,
            Err(error) => Err(error),
        };
        let configs = match looked.map(|config| config.inventories) {
            Ok(Ok(configs)) => configs,
            Ok(Err(error)) => {
                failed.push((*error).clone());
                return Err(failed);
            }
            Err(error) => {
                failed.push(error);
                return Err(failed);
            }
        };
        for config in configs.iter().filter(|c| c.enabled) {
            if &*config.format == "ORC" {
                let message = format!("inventory {} is ORC, which is not read", clean(&config.id));
                let fix = "deliver CSV or Parquet";
                let kind = ErrorKind::Refused;
                failed.push(SourceError::new(kind, "reading the inventory", &message, fix));
                continue;
            }
            match self.open(&config.location, Some(bucket)).await {
                Ok(found) => return Ok(found),
                Err(error) => failed.push(error),
            }
        }
        Err(failed)
    }
}

/// True for names of directory buckets, Express One Zone (S3 User Guide, "Directory bucket naming rules").
pub fn is_directory(bucket: &str) -> bool {
    bucket.ends_with("--x-s3")
}

#[cfg(test)]
pub(crate) mod tests {
    use std::io::Write as _;

    use flate2::Compression;
    use flate2::write::GzEncoder;
    use md5::{Digest as _, Md5};

    use super::*;
    use crate::domain::storage::bucket::InventoryConfig;
    use crate::source::memory::Memory;

    fn md5(bytes: &[u8]) -> String {
        Md5::digest(bytes).iter().map(|b| format!("{b:02x}")).collect()
    }

    /// Delivers an inventory of `bucket` with these rows (key, bytes) into the bucket `inv`.
    pub fn deliver(memory: &mut Memory, bucket: &str, at: &str, rows: &[(&str, u64)]) {
        let mut piece = GzEncoder::new(Vec::new(), Compression::fast());
        for (key, bytes) in rows {
            writeln!(piece, "\"{bucket}\",\"{key}\",\"{bytes}\",\"2026-11-01T00:00:00.000Z\"")
                .unwrap();
        }
        let piece = piece.finish().unwrap();
        let data = format!("{bucket}/daily/data/{at}.csv.gz");
        let manifest = format!(
            r#"{{"sourceBucket":"{bucket}","destinationBucket":"arn:aws:s3:::inv","version":"2016-11-30",
            "creationTimestamp":"1795000000000","fileFormat":"CSV",
            "fileSchema":"Bucket, Key, Size, LastModifiedDate",
            "files":[{{"key":"{data}","size":{},"MD5checksum":"{}"}}]}}"#,
            piece.len(),
            md5(&piece)
        );
        let folder = format!("{bucket}/daily/{at}");
        memory.put("inv", &data, piece);
        let sum = format!("{}\n", md5(manifest.as_bytes()));
        memory.put("inv", &format!("{folder}/manifest.json"), manifest.into_bytes());
        memory.put("inv", &format!("{folder}/manifest.checksum"), sum.into_bytes());
    }

    fn config(format: &str, location: &str) -> InventoryConfig {
        InventoryConfig {
            id: "daily".into(),
            location: location.into(),
            format: format.into(),
            enabled: true,
        }
    }

    /// An owner with an inventory of `data`.
    pub fn delivered() -> Memory {
        let mut memory = Memory::default();
        memory.make("data");
        deliver(&mut memory, "data", "2026-11-19T01-00Z", &[("old", 1)]);
        deliver(&mut memory, "data", "2026-11-20T01-00Z", &[("run/a", 5), ("run/b", 7)]);
        let configs = vec![config("ORC", "s3://inv/orc"), config("CSV", "s3://inv/data/daily")];
        memory.inventories.insert("data".into(), configs);
        memory
    }

    fn finder(memory: Memory) -> Finder {
        Finder { sources: vec![Arc::new(memory)], ledger: None, configured: BTreeMap::new() }
    }

    fn words(failed: &[SourceError]) -> String {
        failed.iter().map(|e| format!("{e}; ")).collect()
    }

    #[tokio::test]
    async fn the_newest_inventory_of_a_bucket_is_found_where_it_is_delivered() {
        let found = finder(delivered()).of_bucket("data").await.unwrap();
        assert!(found.place.label().ends_with("2026-11-20T01-00Z/manifest.json"));
        assert_eq!(found.manifest.bucket, "data");
    }

    #[tokio::test]
    async fn the_configuration_comes_first_and_what_fails_there_is_told() {
        let old = "s3://inv/data/daily/2026-11-19T01-00Z/manifest.json";
        let mut named = finder(delivered());
        named.configured.insert("data".into(), old.into());
        let found = named.of_bucket("data").await.unwrap();
        assert_eq!(found.place.label(), old);
        // One that is not there: the bucket's own still is.
        named.configured.insert("data".into(), "s3://inv/nothing/manifest.json".into());
        let found = named.of_bucket("data").await.unwrap();
        assert!(found.place.label().contains("2026-11-20"));
        // One of another bucket is not taken for it.
        let mut memory = delivered();
        memory.make("other");
        let mut named = finder(memory);
        named.configured.insert("other".into(), "s3://inv/data/daily".into());
        let failed = named.of_bucket("other").await.unwrap_err();
        assert!(words(&failed).contains("of data, not of other"), "{failed:?}");
    }

    #[tokio::test]
    async fn what_is_in_the_way_is_said() {
        let mut memory = Memory::default();
        memory.make("bare");
        assert_eq!(finder(memory).of_bucket("bare").await.unwrap_err(), []);
        let failed = finder(Memory::default()).of_bucket("gone").await.unwrap_err();
        assert!(words(&failed).contains("gone"), "{failed:?}");
        let mut denied = delivered();
        denied.deny("s3:GetObject");
        let failed = finder(denied).of_bucket("data").await.unwrap_err();
        assert_eq!(failed.last().unwrap().kind, ErrorKind::Denied);
        assert!(words(&failed).contains("ORC"), "{failed:?}");
        let mut denied = delivered();
        denied.deny("s3:GetInventoryConfiguration");
        let failed = finder(denied).of_bucket("data").await.unwrap_err();
        assert_eq!(failed[0].operation, "s3:GetInventoryConfiguration");
    }
}
