//! Storage of the demo behind the same [`StorageSource`] as a real account's: buckets, their daily
//! sizes, the objects of a list, inventories as S3 delivers them, volumes and snapshots.
//!
//! Everything is a function of seed and moment. What a list shows, what an inventory holds and
//! what CloudWatch adds up are made from the same rows (`objects`), so that they agree but for
//! what is planted: parts of uploads that no list shows.

mod delivery;
mod objects;
mod prices;
mod rules;
mod runs;
mod sizes;
mod table;
#[cfg(test)]
mod tests;
pub(super) mod volumes;

use std::collections::HashMap;
use std::ops::Range;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use jiff::Timestamp;
use jiff::civil::Date;

use self::delivery::{Delivery, day_of, midnight_s};
use self::objects::{Row, tail};
use self::sizes::Sums;
#[cfg(test)]
pub use self::table::planted;
use self::table::{Content, Planted};
#[cfg(test)]
pub use self::volumes::{KEPT, LOOSE};
use super::calendar;
use super::places::{ACCOUNTS, Account, BUCKET_REGIONS};
use super::provider::DemoProvider;
use crate::domain::storage::bucket::InventoryConfig;
use crate::domain::storage::facts::StoppedInstance;
use crate::domain::storage::prices::{EbsPrices, S3Prices};
use crate::domain::storage::{
    Bucket, Lifecycle, ObjectBatch, ObjectFlags, ObjectLock, Snapshot, Volume,
};
use crate::domain::{ErrorKind, Hour, InstanceState, Scope, SourceError, Tags, intern};
use crate::source::storage::{
    BucketConfig, BucketList, Image, ListPlace, ListToken, ListWhat, Name, ObjectBytes, SizeMetric,
    SizePoints, SizeSeries, StorageSource, Upload,
};
use crate::source::{Page, storage_prices};

/// Rows of a page of a list.
const PAGE: usize = 1_000;

/// Days of snapshots of an inventory that are still there.
const SNAPSHOTS: usize = 2;

/// Buckets with an inventory beside those of machine learning: the largest ones, so that the first page has some that a list
/// tells of.
const LISTED: [&str; 2] = ["video-raw", "old-experiments-2023"];

/// Inventories by bucket and day.
type Deliveries = HashMap<(Arc<str>, Date), Arc<Delivery>>;

/// A bucket on one day.
pub(super) struct Stored {
    /// Name of the bucket.
    pub name: Arc<str>,
    /// Region code.
    pub region: &'static str,
    /// Its tags.
    pub tags: Tags,
    /// Bytes by CloudWatch's `StorageType`.
    pub bytes: Vec<(Arc<str>, u64)>,
    /// Number of objects.
    pub objects: u64,
}

/// S3 prices of a region: the list of the binary, else the demo's.
pub(super) fn s3_list(region: &str) -> Option<S3Prices> {
    storage_prices::s3(region).or_else(|| prices::s3(region))
}

/// Prices of volumes and snapshots in a region: the list of the binary, else the demo's.
pub(super) fn ebs_list(region: &str) -> Option<EbsPrices> {
    storage_prices::ebs(region).or_else(|| prices::ebs(region))
}

/// Storage of one account of the demo.
pub(super) struct DemoStorage {
    provider: Arc<DemoProvider>,
    buckets: OnceLock<Vec<Held>>,
    delivered: Mutex<Deliveries>,
}

/// A bucket with what lies in it.
struct Held {
    name: Arc<str>,
    planted: Planted,
    rows: OnceLock<Vec<Row>>,
    sums: OnceLock<Sums>,
}

impl Held {
    /// What the table has of it, on a day of reckoning.
    fn rows(&self) -> &[Row] {
        self.rows.get_or_init(|| objects::rows(&self.planted))
    }

    fn sums(&self) -> &Sums {
        self.sums.get_or_init(|| Sums::of(&self.planted, self.rows(), 1.0))
    }

    fn region(&self) -> &'static str {
        BUCKET_REGIONS.get(self.planted.region).copied().unwrap_or("us-east-1")
    }

    fn has_inventory(&self) -> bool {
        use Content::{Artifacts, Checkpoints, Datasets};
        matches!(self.planted.content, Checkpoints | Datasets | Artifacts)
            || LISTED.contains(&&*self.planted.name)
    }
}

/// What a bucket of the demo is called: its name in the table, and an end that tells the demos of
/// different seeds apart, as the names of all buckets of the world have to differ.
fn name_of(key: u64, planted: &str) -> Arc<str> {
    format!("acme-{planted}-{}", tail(&key.to_string(), 4)).into()
}

impl DemoStorage {
    /// Storage of the account of `provider`.
    pub fn new(provider: Arc<DemoProvider>) -> Self {
        Self { provider, buckets: OnceLock::new(), delivered: Mutex::default() }
    }

    fn account(&self) -> &'static Account {
        self.provider.account
    }

    fn number(&self) -> usize {
        ACCOUNTS.iter().position(|a| a.id == self.account().id).unwrap_or(0)
    }

    fn held(&self) -> &[Held] {
        self.buckets.get_or_init(|| {
            let (fleet, number) = (self.provider.fleet, self.number());
            table::buckets(fleet)
                .into_iter()
                .filter(|planted| planted.account == number)
                .map(|planted| Held {
                    name: name_of(fleet.key(), &planted.name),
                    planted,
                    rows: OnceLock::new(),
                    sums: OnceLock::new(),
                })
                .collect()
        })
    }

    fn find(&self, bucket: &str, operation: &str) -> Result<&Held, SourceError> {
        self.held().iter().find(|held| *held.name == *bucket).ok_or_else(|| {
            let message = format!("NoSuchBucket: {bucket} does not exist in this account");
            SourceError::new(ErrorKind::Refused, operation, &message, "check the name")
        })
    }

    /// A bucket that lets itself be read.
    fn open(&self, bucket: &str, operation: &str) -> Result<&Held, SourceError> {
        let held = self.find(bucket, operation)?;
        if held.planted.denied { Err(denied(operation)) } else { Ok(held) }
    }

    /// Where the inventories of the account are delivered.
    fn inventories(&self) -> Option<&Held> {
        self.held().iter().find(|held| held.planted.content == Content::Inventories)
    }

    fn delivery(&self, of: &Held, destination: &str, day: Date) -> Arc<Delivery> {
        let key = (of.name.clone(), day);
        let mut delivered = self.delivered.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = delivered.get(&key) {
            return known.clone();
        }
        let rows = sizes::grown(&of.planted, of.rows(), day, self.reckoned());
        let made = Arc::new(delivery::deliver(&of.name, destination, &rows, day));
        delivered.insert(key, made.clone());
        made
    }

    /// Keys of the inventory bucket and how to get what lies there: a delivery and which of its
    /// three files.
    fn inventory_keys(&self) -> Vec<(String, &Held, Date, Part)> {
        let newest = delivery::newest(self.provider.now());
        let mut days = vec![newest];
        while days.len() < SNAPSHOTS {
            let Some(before) = days.last().and_then(|d| d.yesterday().ok()) else { break };
            days.push(before);
        }
        let mut keys = Vec::new();
        for held in self.held().iter().filter(|h| h.has_inventory()) {
            for day in &days {
                let folder = delivery::folder(&held.name, *day);
                keys.push((format!("{folder}manifest.json"), held, *day, Part::Manifest));
                keys.push((format!("{folder}manifest.checksum"), held, *day, Part::Checksum));
                keys.push((delivery::piece_key(&held.name, *day), held, *day, Part::Piece));
            }
        }
        keys.sort_by(|a, b| a.0.cmp(&b.0));
        keys
    }

    /// The rows of a bucket; those of the inventory bucket are made from what is delivered there.
    fn rows_of(&self, held: &Held) -> Vec<Row> {
        let today = day_of(self.provider.now());
        if held.planted.content != Content::Inventories {
            return sizes::grown(&held.planted, held.rows(), today, self.reckoned());
        }
        let row = |(key, of, day, part): (String, &Held, Date, Part)| {
            let delivery = self.delivery(of, &held.name, day);
            let age_s = midnight_s(today) - midnight_s(day) - 2 * 3_600;
            Row::new(key, part.of(&delivery).len() as u64, age_s)
        };
        self.inventory_keys().into_iter().map(row).collect()
    }

    /// The account's buckets as CloudWatch measures them on days that are over, by day; without those that did not exist.
    /// Objects of one bucket at a time are in memory.
    pub(super) fn stored(mut self, days: &[Date]) -> Vec<Vec<Stored>> {
        let (today, reckoned) = (day_of(self.provider.now()), self.reckoned());
        let stored = |held: &Held, tags: &Tags, day: Date| {
            let dates = (day, today, reckoned);
            let mut stored = Stored {
                name: held.name.clone(),
                region: held.region(),
                tags: tags.clone(),
                bytes: Vec::new(),
                objects: 0,
            };
            for series in held.sums().series(&held.planted, &held.name) {
                let value = held.sums().value(&held.planted, held.rows(), &series, dates);
                let Some(value) = value.map(|v| v as u64) else { continue };
                match series.metric {
                    SizeMetric::Bytes => stored.bytes.push((series.dimension, value)),
                    SizeMetric::Objects => stored.objects = value,
                    SizeMetric::Reads | SizeMetric::Downloads => {}
                }
            }
            stored
        };
        self.held();
        let mut by_day: Vec<Vec<Stored>> = days.iter().map(|_| Vec::new()).collect();
        for held in self.buckets.take().unwrap_or_default() {
            let tags = self.tags(&held.planted);
            for (all, day) in by_day.iter_mut().zip(days) {
                if held.planted.created <= *day {
                    all.push(stored(&held, &tags, *day));
                }
            }
        }
        by_day
    }

    /// The last day of reckoning; it counts from its midnight.
    fn reckoned(&self) -> Date {
        let tonight = Hour((Hour::containing(self.provider.now()).day() + 1) * 24 - 1);
        day_of(calendar::reckoned(tonight).start())
    }

    fn midnight_ms(&self) -> i64 {
        midnight_s(day_of(self.provider.now())) * 1000
    }
}

/// The files of a delivery.
#[derive(Clone, Copy)]
enum Part {
    Manifest,
    Checksum,
    Piece,
}

impl Part {
    fn of(self, delivery: &Delivery) -> &[u8] {
        match self {
            Self::Manifest => &delivery.manifest,
            Self::Checksum => &delivery.checksum,
            Self::Piece => &delivery.piece,
        }
    }
}

fn denied(operation: &str) -> SourceError {
    let message = "AccessDenied: a policy of the bucket denies it";
    SourceError::new(ErrorKind::Denied, operation, message, "ask the owner of the bucket")
}

/// The number at which a page begins.
fn start_of(token: Option<&str>, operation: &str) -> Result<usize, SourceError> {
    token.map_or(Ok(0), |t| {
        t.parse().map_err(|_| {
            SourceError::new(ErrorKind::Refused, operation, "invalid pagination token", "")
        })
    })
}

/// Page of a list that is at hand.
fn page<T>(all: Vec<T>, token: Option<&str>, operation: &str) -> Result<Page<T>, SourceError> {
    let from = start_of(token, operation)?;
    let more = all.len() > from + PAGE;
    let items = all.into_iter().skip(from).take(PAGE).collect();
    Ok(Page::new(items, more.then(|| (from + PAGE).to_string())))
}

fn token_at(at: usize) -> ListToken {
    ListToken { at: at.to_string(), id: None }
}

#[async_trait::async_trait]
impl StorageSource for DemoStorage {
    fn label(&self) -> &str {
        self.account().label
    }

    async fn buckets(
        &self,
        account: &Arc<str>,
        _directory_regions: &[Arc<str>],
    ) -> Result<BucketList, SourceError> {
        let bucket = |held: &Held| Bucket {
            scope: Scope::new(account.clone(), intern::shared(held.region())),
            name: held.name.clone(),
            created_at: Timestamp::from_second(midnight_s(held.planted.created) + 34_000).ok(),
            is_directory: false,
        };
        let buckets = self.held().iter().map(bucket).collect();
        Ok(BucketList { buckets, troubles: Vec::new() })
    }

    async fn region_of(&self, bucket: &str) -> Result<Arc<str>, SourceError> {
        Ok(intern::shared(self.find(bucket, "s3:ListBucket")?.region()))
    }

    async fn config(&self, bucket: &Bucket) -> BucketConfig {
        let Ok(held) = self.find(&bucket.name, "s3:ListBucket") else {
            return BucketConfig { gone: true, ..refused("s3:GetBucketTagging", &bucket.name) };
        };
        if held.planted.denied {
            return refused("s3:GetBucketTagging", &bucket.name);
        }
        let p = &held.planted;
        let destination = self.inventories().filter(|_| held.has_inventory());
        let inventory = destination.map(|to| InventoryConfig {
            id: delivery::ID.into(),
            location: format!("s3://{}/{}/{}", to.name, held.name, delivery::ID).into(),
            format: "CSV".into(),
            enabled: true,
        });
        BucketConfig {
            tags: Ok(self.tags(p)),
            versioning: Ok(p.versioning),
            lifecycle: Ok(rules::lifecycle(p.rules).map(Arc::new)),
            lock: Ok(ObjectLock { enabled: p.locked, default_days: p.locked.then_some(365) }),
            replicates: Ok(p.replicates),
            inventories: Ok(inventory.into_iter().collect()),
            request_metrics: Ok(p.reads.then(|| sizes::READS_FILTER.into())),
            gone: false,
        }
    }

    async fn lifecycle(
        &self,
        _region: &Arc<str>,
        bucket: &str,
    ) -> Result<Option<Lifecycle>, SourceError> {
        let held = self.open(bucket, "s3:GetLifecycleConfiguration")?;
        Ok(rules::lifecycle(held.planted.rules))
    }

    async fn size_series(
        &self,
        region: &Arc<str>,
        token: Option<String>,
    ) -> Result<Page<SizeSeries>, SourceError> {
        let here = self.held().iter().filter(|held| *held.region() == **region);
        let all = here.flat_map(|held| held.sums().series(&held.planted, &held.name)).collect();
        page(all, token.as_deref(), "cloudwatch:ListMetrics")
    }

    async fn size_data(
        &self,
        region: &Arc<str>,
        series: &[SizeSeries],
        days: Range<Date>,
    ) -> Result<Vec<SizePoints>, SourceError> {
        let (today, reckoned) = (day_of(self.provider.now()), self.reckoned());
        let value = |held: &Held, asked: &SizeSeries, day: Date| {
            held.sums().value(&held.planted, held.rows(), asked, (day, today, reckoned))
        };
        let points = |(query, asked): (usize, &SizeSeries)| {
            let held = self.held().iter().find(|h| h.name == asked.bucket);
            let held = held.filter(|h| *h.region() == **region);
            let mut points = Vec::new();
            let mut day = days.start;
            while day < days.end {
                let value = held.and_then(|h| value(h, asked, day));
                points.extend(value.map(|v| (day, v)));
                let Ok(next) = day.tomorrow() else { break };
                day = next;
            }
            SizePoints { query, points, complete: true }
        };
        Ok(series.iter().enumerate().map(points).collect())
    }

    async fn volumes(
        &self,
        scope: &Scope,
        token: Option<String>,
    ) -> Result<Page<Volume>, SourceError> {
        let now = self.provider.now();
        let mut all = volumes::loose(scope, now);
        for (profile, instance) in self.provider.here(&scope.region, now) {
            all.extend(volumes::of_instance(&profile, &instance));
        }
        page(all, token.as_deref(), "ec2:DescribeVolumes")
    }

    async fn snapshots(
        &self,
        scope: &Scope,
        token: Option<String>,
    ) -> Result<Page<Snapshot>, SourceError> {
        let now = self.provider.now();
        let mut all = volumes::kept(scope, now);
        for (profile, instance) in self.provider.here(&scope.region, now) {
            let volumes = volumes::of_instance(&profile, &instance);
            all.extend(volumes.iter().filter_map(|v| volumes::backup(v, now)));
        }
        page(all, token.as_deref(), "ec2:DescribeSnapshots")
    }

    async fn images(
        &self,
        region: &Arc<str>,
        token: Option<String>,
    ) -> Result<Page<Image>, SourceError> {
        page(volumes::images(self.number(), region), token.as_deref(), "ec2:DescribeImages")
    }

    async fn stopped(
        &self,
        region: &Arc<str>,
        token: Option<String>,
    ) -> Result<Page<StoppedInstance>, SourceError> {
        let now = self.provider.now();
        let all = self
            .provider
            .here(region, now)
            .into_iter()
            .filter(|(_, i)| i.state == InstanceState::Stopped)
            .map(|(profile, i)| StoppedInstance {
                since: volumes::stopped_since(&profile, &i, now),
                id: i.id,
                name: i.name,
            })
            .collect();
        page(all, token.as_deref(), "ec2:DescribeInstances")
    }

    async fn objects(
        &self,
        at: ListPlace<'_>,
        what: ListWhat,
        token: Option<ListToken>,
        into: &mut ObjectBatch,
    ) -> Result<Option<ListToken>, SourceError> {
        const OPERATION: &str = "s3:ListBucket";
        let held = self.open(at.bucket, OPERATION)?;
        let from = start_of(token.as_ref().map(|t| &*t.at), OPERATION)?;
        let rows = self.rows_of(held);
        let shown = |row: &&Row| {
            row.key.starts_with(at.prefix)
                && (what == ListWhat::Versions || ObjectFlags(row.flags).is_current())
        };
        let mut rest = rows.iter().filter(shown).skip(from);
        let midnight = self.midnight_ms();
        for row in rest.by_ref().take(PAGE) {
            row.push(into, midnight);
        }
        Ok(rest.next().map(|_| token_at(from + PAGE)))
    }

    async fn names(
        &self,
        at: ListPlace<'_>,
        token: Option<ListToken>,
    ) -> Result<(Vec<Name>, Option<ListToken>), SourceError> {
        const OPERATION: &str = "s3:ListBucket";
        let held = self.open(at.bucket, OPERATION)?;
        let from = start_of(token.as_ref().map(|t| &*t.at), OPERATION)?;
        let midnight = self.midnight_ms();
        let mut names: Vec<Name> = Vec::new();
        for row in self.rows_of(held).iter().filter(|r| ObjectFlags(r.flags).is_current()) {
            let Some(below) = row.key.strip_prefix(at.prefix) else { continue };
            let name = match below.find('/') {
                Some(slash) => Name::Prefix(row.key[..=at.prefix.len() + slash].into()),
                None => Name::Object {
                    key: row.key.clone().into_bytes(),
                    bytes: row.size,
                    modified: Timestamp::from_millisecond(row.modified_ms(midnight)).ok(),
                },
            };
            // Rows come in the order of their keys.
            if names.last() != Some(&name) {
                names.push(name);
            }
        }
        let more = names.len() > from + PAGE;
        let names = names.into_iter().skip(from).take(PAGE).collect();
        Ok((names, more.then(|| token_at(from + PAGE))))
    }

    async fn uploads(
        &self,
        at: ListPlace<'_>,
        token: Option<ListToken>,
    ) -> Result<(Vec<Upload>, Option<ListToken>), SourceError> {
        const OPERATION: &str = "s3:ListBucketMultipartUploads";
        let held = self.open(at.bucket, OPERATION)?;
        let from = start_of(token.as_ref().map(|t| &*t.at), OPERATION)?;
        let midnight = self.midnight_ms();
        let upload = |n: u32| {
            let key = format!("uploads/never-completed-{n:04}.bin");
            // From one to forty days old.
            let age_ms = i64::from(1 + n * 7 % 40) * 86_400_000;
            Upload {
                id: tail(&key, 32),
                key: key.into_bytes(),
                begun: Timestamp::from_millisecond(midnight - age_ms).ok(),
            }
        };
        let all: Vec<Upload> = (0..held.planted.uploads.0)
            .map(upload)
            .filter(|u| u.key.starts_with(at.prefix.as_bytes()))
            .collect();
        let more = all.len() > from + PAGE;
        let uploads = all.into_iter().skip(from).take(PAGE).collect();
        Ok((uploads, more.then(|| token_at(from + PAGE))))
    }

    async fn upload_bytes(
        &self,
        _region: &Arc<str>,
        bucket: &str,
        _upload: &Upload,
    ) -> Result<u64, SourceError> {
        let held = self.open(bucket, "s3:ListMultipartUploadParts")?;
        Ok(u64::from(held.planted.uploads.1) << 30)
    }

    async fn object(
        &self,
        _region: &Arc<str>,
        bucket: &str,
        key: &str,
        range: Option<Range<u64>>,
    ) -> Result<ObjectBytes, SourceError> {
        const OPERATION: &str = "s3:GetObject";
        let held = self.open(bucket, OPERATION)?;
        let nothing = || {
            let message = format!("NoSuchKey: {key} does not exist");
            SourceError::new(ErrorKind::Refused, OPERATION, &message, "")
        };
        if held.planted.content != Content::Inventories {
            // The demo knows how large its objects are, and not what is in them.
            return Err(nothing());
        }
        let (_, of, day, part) =
            self.inventory_keys().into_iter().find(|(k, ..)| k == key).ok_or_else(nothing)?;
        let delivery = self.delivery(of, &held.name, day);
        let whole = part.of(&delivery);
        let total = whole.len() as u64;
        let range = range.unwrap_or(0..total);
        let from = usize::try_from(range.start.min(total)).unwrap_or(whole.len());
        let to = usize::try_from(range.end.min(total)).unwrap_or(whole.len());
        Ok(ObjectBytes {
            bytes: whole.get(from..to).unwrap_or_default().to_vec(),
            total: Some(total),
            etag: tail(key, 32),
        })
    }

    async fn s3_prices(&self, region: &str) -> Result<Option<S3Prices>, SourceError> {
        Ok(prices::s3(region))
    }

    async fn ebs_prices(&self, region: &str) -> Result<Option<EbsPrices>, SourceError> {
        Ok(prices::ebs(region))
    }
}

impl DemoStorage {
    fn tags(&self, planted: &Planted) -> Tags {
        let team = planted.name.split('-').next().unwrap_or_default();
        let [team_key, _, environment_key, _] = self.account().tag_keys;
        let mut tags = vec![
            (team_key.to_owned(), team.to_owned()),
            (environment_key.to_owned(), self.account().environments[0].to_owned()),
        ];
        if planted.rules == table::Rules::Terraform {
            tags.push(("ManagedBy".to_owned(), "terraform".to_owned()));
        }
        Tags::from_raw(tags)
    }
}

/// The configuration of a bucket that may not be asked.
fn refused(operation: &str, bucket: &str) -> BucketConfig {
    let error = || {
        let message = format!("AccessDenied: {bucket}: a policy of the bucket denies it");
        let fix = "ask the owner of the bucket";
        Arc::new(SourceError::new(ErrorKind::Denied, operation, &message, fix))
    };
    BucketConfig {
        tags: Err(error()),
        versioning: Err(error()),
        lifecycle: Err(error()),
        lock: Err(error()),
        replicates: Err(error()),
        inventories: Err(error()),
        request_metrics: Err(error()),
        gone: false,
    }
}
