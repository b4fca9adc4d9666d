//! Storage through the bus, of an account that answers what a test tells it to.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::{Arc, Mutex};

use jiff::civil::Date;
use jiff::{SignedDuration, Timestamp};

use super::super::context::Told;
use super::super::readings::Outcome as Asking;
use super::super::tests::scripted::{self, ACCOUNT, Answer, REGION, Script, Scripted};
use super::super::{Account, Event, Outcome, Parts, Regions, once};
use super::board::{Board, Input};
use super::{Beside, StorageRead, StorageSettings};
use crate::analyze::idle::Preset;
use crate::cache::{Cache, OpenOptions, ScanKey};
use crate::domain::sample;
use crate::domain::storage::bucket::Fact;
use crate::domain::storage::{
    Bucket, IncompleteUploads, Lifecycle, ObjectBatch, ObjectLock, S3Prices, Scan, ScanOrigin,
    Snapshot, StoppedInstance, StorageFacts, Sums, Tier, TreeBuilder, Versioning, Volume,
    VolumeKind,
};
use crate::domain::{
    ErrorKind, HOURS_PER_MONTH, Provenance, Reading, Scope, SourceError, SourceId, SourceState,
    Tags,
};
use crate::fleet::savings::{Step, StepKind};
use crate::fleet::{Savings, StorageFleet};
use crate::source::provider::Page;
use crate::source::{
    BucketConfig, BucketList, Image, ListPlace, ListToken, ListWhat, Name, ObjectBytes, SizeMetric,
    SizePoints, SizeSeries, StorageSource, Upload,
};

const NOW: &str = "2026-11-21T03:07:00Z";

/// The storage of the moment.
#[derive(Clone, Default)]
struct Store {
    /// Name and region; `-` where the list does not say it.
    buckets: Vec<(&'static str, &'static str)>,
    /// Calls that fail, by their IAM action, of all or one bucket.
    fails: Vec<(&'static str, Option<&'static str>, ErrorKind)>,
    gone: Option<&'static str>,
    /// Series by bucket and storage type, with what they say of each day.
    series: Vec<(&'static str, &'static str, f64)>,
    rules: usize,
    /// True where no bucket keeps versions: what is deleted is freed.
    unversioned: bool,
    /// When its price list is of, where it has one.
    priced_at: Option<Timestamp>,
}

#[derive(Default)]
struct Asked {
    configs: Vec<String>,
    prices: Vec<String>,
    days: Vec<(usize, Range<Date>)>,
}

#[derive(Default)]
struct Played {
    store: Mutex<Store>,
    asked: Mutex<Asked>,
}

impl Played {
    fn new(store: Store) -> Arc<Self> {
        Arc::new(Self { store: Mutex::new(store), asked: Mutex::default() })
    }

    fn play(&self, change: impl FnOnce(&mut Store)) {
        change(&mut self.store.lock().unwrap());
    }

    fn check(&self, action: &'static str, bucket: Option<&str>) -> Result<(), SourceError> {
        let store = self.store.lock().unwrap();
        let hit = store.fails.iter().find(|(a, of, _)| {
            *a == action && (of.is_none() || bucket.is_some_and(|b| *of == Some(b)))
        });
        hit.map_or(Ok(()), |(_, _, kind)| Err(SourceError::new(*kind, action, "so it is", "fix")))
    }

    fn fact<T>(&self, action: &'static str, bucket: &Bucket, value: T) -> Fact<T> {
        self.check(action, Some(&bucket.name)).map(|()| value).map_err(Arc::new)
    }

    fn asked(&self) -> std::sync::MutexGuard<'_, Asked> {
        self.asked.lock().unwrap()
    }
}

#[async_trait::async_trait]
impl StorageSource for Played {
    fn label(&self) -> &'static str {
        "default"
    }

    async fn buckets(&self, account: &Arc<str>, _: &[Arc<str>]) -> Result<BucketList, SourceError> {
        self.check("s3:ListAllMyBuckets", None)?;
        let store = self.store.lock().unwrap();
        let bucket = |(name, region): &(&'static str, &'static str)| Bucket {
            scope: Scope::new(account.clone(), *region),
            name: (*name).into(),
            created_at: None,
            is_directory: false,
        };
        let buckets = store.buckets.iter().map(bucket).collect();
        Ok(BucketList { buckets, troubles: Vec::new() })
    }

    async fn region_of(&self, bucket: &str) -> Result<Arc<str>, SourceError> {
        self.check("s3:GetBucketLocation", Some(bucket))?;
        Ok("eu-west-1".into())
    }

    async fn config(&self, bucket: &Bucket) -> BucketConfig {
        self.asked().configs.push(bucket.name.to_string());
        let (rules, gone, versioning) = {
            let store = self.store.lock().unwrap();
            let versioning = if store.unversioned { Versioning::Off } else { Versioning::Enabled };
            (store.rules, store.gone == Some(&*bucket.name), versioning)
        };
        let rules = vec![crate::domain::storage::LifecycleRule::default(); rules];
        let lifecycle =
            (!rules.is_empty()).then(|| Arc::new(Lifecycle { rules, ..Lifecycle::default() }));
        let mut config = BucketConfig {
            tags: self.fact("s3:GetBucketTagging", bucket, Tags::default()),
            versioning: self.fact("s3:GetBucketVersioning", bucket, versioning),
            lifecycle: self.fact("s3:GetLifecycleConfiguration", bucket, lifecycle),
            lock: Ok(ObjectLock { enabled: false, default_days: None }),
            replicates: Ok(false),
            inventories: Ok(Vec::new()),
            request_metrics: Ok(None),
            gone,
        };
        if gone {
            let why = SourceError::new(ErrorKind::Unavailable, "s3:GetBucketTagging", "gone", "");
            config.tags = Err(Arc::new(why.clone()));
            config.versioning = Err(Arc::new(why));
        }
        config
    }

    async fn lifecycle(&self, _: &Arc<str>, _: &str) -> Result<Option<Lifecycle>, SourceError> {
        Ok(None)
    }

    async fn size_series(
        &self,
        _: &Arc<str>,
        _: Option<String>,
    ) -> Result<Page<SizeSeries>, SourceError> {
        self.check("cloudwatch:ListMetrics", None)?;
        let series = self.store.lock().unwrap().series.clone();
        let items = series.into_iter().map(|(bucket, dimension, _)| SizeSeries {
            bucket: bucket.into(),
            metric: match dimension {
                "AllStorageTypes" => SizeMetric::Objects,
                _ => SizeMetric::Bytes,
            },
            dimension: dimension.into(),
        });
        Ok(Page::last(items.collect()))
    }

    async fn size_data(
        &self,
        _: &Arc<str>,
        series: &[SizeSeries],
        days: Range<Date>,
    ) -> Result<Vec<SizePoints>, SourceError> {
        self.check("cloudwatch:GetMetricData", None)?;
        self.asked().days.push((series.len(), days.clone()));
        let known = self.store.lock().unwrap().series.clone();
        let last = days.end.yesterday().unwrap();
        Ok(series
            .iter()
            .enumerate()
            .map(|(query, s)| {
                let of = known.iter().find(|k| *k.0 == *s.bucket && *k.1 == *s.dimension).unwrap();
                let points = vec![(last.yesterday().unwrap(), of.2 / 2.0), (last, of.2)];
                SizePoints { query, points, complete: true }
            })
            .collect())
    }

    async fn volumes(
        &self,
        scope: &Scope,
        token: Option<String>,
    ) -> Result<Page<Volume>, SourceError> {
        self.check("ec2:DescribeVolumes", None)?;
        let id = if token.is_none() { "vol-1" } else { "vol-2" };
        let volume = Volume {
            scope: scope.clone(),
            id: id.into(),
            az: "a".into(),
            kind: VolumeKind::Gp2,
            ..sample::volume()
        };
        let next = token.is_none().then(|| "more".to_owned());
        Ok(Page::new(vec![volume], next))
    }

    async fn snapshots(
        &self,
        scope: &Scope,
        _: Option<String>,
    ) -> Result<Page<Snapshot>, SourceError> {
        self.check("ec2:DescribeSnapshots", None)?;
        let snapshot = Snapshot { scope: scope.clone(), volume_gib: 10, ..sample::snapshot() };
        Ok(Page::last(vec![snapshot]))
    }

    async fn images(&self, _: &Arc<str>, _: Option<String>) -> Result<Page<Image>, SourceError> {
        self.check("ec2:DescribeImages", None)?;
        let image = Image { id: "ami-1".into(), snapshots: vec!["snap-1".into()] };
        Ok(Page::last(vec![image]))
    }

    async fn stopped(
        &self,
        _: &Arc<str>,
        _: Option<String>,
    ) -> Result<Page<StoppedInstance>, SourceError> {
        self.check("ec2:DescribeInstances", None)?;
        Ok(Page::last(Vec::new()))
    }

    async fn objects(
        &self,
        _: ListPlace<'_>,
        _: ListWhat,
        _: Option<ListToken>,
        _: &mut ObjectBatch,
    ) -> Result<Option<ListToken>, SourceError> {
        Ok(None)
    }

    async fn names(
        &self,
        _: ListPlace<'_>,
        _: Option<ListToken>,
    ) -> Result<(Vec<Name>, Option<ListToken>), SourceError> {
        Ok((Vec::new(), None))
    }

    async fn uploads(
        &self,
        _: ListPlace<'_>,
        _: Option<ListToken>,
    ) -> Result<(Vec<Upload>, Option<ListToken>), SourceError> {
        Ok((Vec::new(), None))
    }

    async fn upload_bytes(&self, _: &Arc<str>, _: &str, _: &Upload) -> Result<u64, SourceError> {
        Ok(0)
    }

    async fn object(
        &self,
        _: &Arc<str>,
        _: &str,
        _: &str,
        _: Option<Range<u64>>,
    ) -> Result<ObjectBytes, SourceError> {
        Ok(ObjectBytes::default())
    }

    async fn s3_prices(&self, region: &str) -> Result<Option<S3Prices>, SourceError> {
        self.asked().prices.push(region.to_owned());
        self.check("pricing:GetProducts", None)?;
        let live = |at: &Timestamp| {
            let mut prices = S3Prices::unknown(region, Provenance::Live { at: *at });
            prices.monitoring_per_1000 = Some(7.0);
            prices
        };
        Ok(self.store.lock().unwrap().priced_at.as_ref().map(live))
    }
}

fn settings() -> StorageSettings {
    StorageSettings {
        buckets: StorageRead::Always,
        ebs: StorageRead::Always,
        beside: Beside::Nothing,
        ..StorageSettings::default()
    }
}

fn parts(played: &Arc<Played>, now: &str, cache: &Cache, settings: StorageSettings) -> Parts {
    let provider = Scripted::new(Script::new(vec![], Answer::Nothing));
    let mut parts = scripted::parts(&provider, now, Preset::Cautious, cache, false);
    parts.accounts =
        vec![Account { provider, storage: Some(played.clone()), regions: Regions::Enabled }];
    parts.settings.storage = settings;
    parts
}

async fn read(played: &Arc<Played>, now: &str, cache: &Cache) -> Outcome {
    once(parts(played, now, cache, settings())).await
}

fn cache() -> Cache {
    Cache::open(OpenOptions::in_memory(), NOW.parse().unwrap()).0
}

fn later(hours: i64) -> String {
    let now: Timestamp = NOW.parse().unwrap();
    (now + SignedDuration::from_hours(hours)).to_string()
}

fn reading(outcome: &Outcome, source: SourceId, region: &str) -> Reading {
    let scope = Scope::new(ACCOUNT, region);
    let mut all = outcome.storage.readings.iter();
    all.find(|r| r.source == source && r.scope == scope).cloned().unwrap()
}

fn two() -> Store {
    Store {
        buckets: vec![("data", REGION), ("far", "-")],
        series: vec![
            ("data", "StandardStorage", 1e12),
            ("data", "HolographicStorage", 5.0),
            ("data", "AllStorageTypes", 42.0),
        ],
        ..Store::default()
    }
}

#[tokio::test]
async fn buckets_are_read_each_in_its_region_with_sizes_volumes_and_prices() {
    let (played, cache) = (Played::new(two()), cache());
    let outcome = read(&played, NOW, &cache).await;
    let facts = &outcome.storage;
    let by_name: BTreeMap<&str, _> = facts.buckets.iter().map(|b| (&*b.bucket.name, b)).collect();
    assert_eq!(&*by_name["far"].bucket.scope.region, "eu-west-1");
    let data = by_name["data"];
    assert_eq!((&data.versioning, &data.lifecycle), (&Ok(Versioning::Enabled), &Ok(None)));
    let sizes = data.sizes.as_ref().unwrap();
    let tiers: Vec<_> = sizes.iter().map(|s| (&*s.storage_type, s.tier)).collect();
    assert_eq!(
        tiers,
        [("HolographicStorage", None), ("StandardStorage", Some(Tier::Standard))],
        "an unknown type is kept without a tier"
    );
    let yesterday: Date = "2026-11-20".parse().unwrap();
    assert_eq!(sizes[1].last(), Some((yesterday, 1e12)));
    assert_eq!(data.objects.as_ref().unwrap().as_ref().unwrap().last(), Some((yesterday, 42.0)));
    assert_eq!(by_name["far"].sizes, Ok(vec![]), "asked, and nothing there");
    assert!(facts.s3_prices.contains_key(REGION) && facts.ebs_prices.contains_key(REGION));
    let ebs = &facts.ebs[0];
    let ids: Vec<&str> = ebs.volumes.as_ref().unwrap().iter().map(|v| &*v.id).collect();
    assert_eq!(ids, ["vol-1", "vol-2"], "all pages");
    assert_eq!(&*ebs.snapshots.as_ref().unwrap()[0].images[0], "ami-1");
    for (source, region) in
        [(SourceId::S3, "-"), (SourceId::S3, REGION), (SourceId::S3, "eu-west-1")]
    {
        let r = reading(&outcome, source, region);
        assert!((r.state == SourceState::Live) && (r.coverage - 1.0).abs() < 1e-6, "{r:?}");
    }
    assert_eq!(reading(&outcome, SourceId::Ebs, REGION).state, SourceState::Live);
    assert!(outcome.fleet.rows.is_empty(), "nothing but storage was read");
}

#[tokio::test]
async fn fifteen_months_are_asked_for_once_and_then_the_tail_alone_and_all_is_charged() {
    let (played, cache) = (Played::new(two()), cache());
    read(&played, NOW, &cache).await;
    let first = played.asked().days.clone();
    let day = |text: &str| text.parse::<Date>().unwrap();
    assert_eq!(first, [(3, day("2025-08-23")..day("2026-11-21"))]);
    assert_eq!(day("2026-11-21").since(day("2025-08-23")).unwrap().get_days(), 455);
    // Within the day nothing is asked again.
    read(&played, &later(5), &cache).await;
    assert_eq!(played.asked().days.len(), 1);
    read(&played, &later(25), &cache).await;
    assert_eq!(played.asked().days[1], (3, day("2026-11-19")..day("2026-11-22")));
    let ledger = crate::source::ledger::Ledger::new(cache, 1_000_000);
    let mut spent = BTreeMap::new();
    for hours in [0, 24] {
        let at = NOW.parse::<Timestamp>().unwrap() + SignedDuration::from_hours(hours);
        for api in ledger.today(at).await.unwrap().apis {
            *spent.entry(api.name).or_insert(0) += api.units;
        }
    }
    assert_eq!(spent["cloudwatch:GetMetricData"], 6);
    // Three rounds: the list with one region of directory buckets; one location, later known; two
    // buckets of seven requests.
    assert_eq!((spent["s3:List*"], spent["s3:Get*"]), (6, 1 + 3 * 14));
}

#[tokio::test]
async fn a_denied_fact_keeps_its_last_value_and_the_reading_says_how_much_is_missing() {
    let (played, cache) = (Played::new(Store { rules: 2, ..two() }), cache());
    read(&played, NOW, &cache).await;
    let action = "s3:GetLifecycleConfiguration";
    played.play(|s| s.fails.push((action, Some("data"), ErrorKind::Denied)));
    let outcome = read(&played, &later(7), &cache).await;
    let data = &outcome.storage.buckets[0];
    assert_eq!(data.lifecycle.as_ref().unwrap().as_ref().unwrap().rules.len(), 2);
    let r = reading(&outcome, SourceId::S3, REGION);
    assert!(r.state == SourceState::Live && r.coverage < 1.0 && r.coverage > 0.5, "{r:?}");
    // Who never knew does not make anything up.
    let fresh = cache_of(&played).await;
    let data = &fresh.storage.buckets[0];
    assert_eq!(data.lifecycle.as_ref().unwrap_err().operation, action);
    assert_eq!(data.versioning, Ok(Versioning::Enabled), "isolated");
}

/// A first reading.
async fn cache_of(played: &Arc<Played>) -> Outcome {
    read(played, NOW, &cache()).await
}

#[tokio::test]
async fn a_list_that_is_denied_leaves_what_was_known_and_says_so() {
    let (played, cache) = (Played::new(two()), cache());
    read(&played, NOW, &cache).await;
    played.play(|s| s.fails.push(("s3:ListAllMyBuckets", None, ErrorKind::Denied)));
    let outcome = read(&played, &later(2), &cache).await;
    assert_eq!(outcome.storage.buckets.len(), 2);
    let r = reading(&outcome, SourceId::S3, "-");
    assert_eq!(r.state.word(), "denied");
    assert_eq!(r.taken_at, Some(NOW.parse().unwrap()), "the age of what is shown");
}

#[tokio::test]
async fn a_bucket_that_is_gone_keeps_nothing_old() {
    let (played, cache) = (Played::new(two()), cache());
    read(&played, NOW, &cache).await;
    played.play(|s| s.gone = Some("data"));
    let outcome = read(&played, &later(1), &cache).await;
    assert!(outcome.storage.buckets[0].tags.as_ref().unwrap_err().message.contains("gone"));
    played.play(|s| s.buckets.retain(|b| b.0 != "data"));
    let outcome = read(&played, &later(2), &cache).await;
    let names: Vec<&str> = outcome.storage.buckets.iter().map(|b| &*b.bucket.name).collect();
    assert_eq!(names, ["far"]);
}

#[tokio::test]
async fn a_failing_cloudwatch_hides_sizes_and_nothing_else() {
    let played = Played::new(two());
    played.play(|s| s.fails.push(("cloudwatch:ListMetrics", None, ErrorKind::Throttled)));
    let outcome = cache_of(&played).await;
    let data = &outcome.storage.buckets[0];
    assert_eq!(data.sizes.as_ref().unwrap_err().kind, ErrorKind::Throttled);
    assert_eq!(data.versioning, Ok(Versioning::Enabled));
}

#[tokio::test]
async fn a_failed_list_keeps_the_last_good_one_of_the_cache() {
    let (played, cache) = (Played::new(Store::default()), cache());
    let first = read(&played, NOW, &cache).await;
    played.play(|s| s.fails.push(("ec2:DescribeVolumes", None, ErrorKind::Throttled)));
    let outcome = read(&played, &later(1), &cache).await;
    let (old, new) = (&first.storage.ebs[0], &outcome.storage.ebs[0]);
    assert_eq!((&new.volumes, new.volumes.as_ref().unwrap().len()), (&old.volumes, 2));
    assert_eq!(new.taken_at, later(1).parse().unwrap(), "the other lists are new");
    // And so does the cache, for the next failure.
    let outcome = read(&played, &later(2), &cache).await;
    assert_eq!(outcome.storage.ebs[0].volumes, old.volumes);
    for action in ["ec2:DescribeSnapshots", "ec2:DescribeInstances", "ec2:DescribeImages"] {
        played.play(|s| s.fails.push((action, None, ErrorKind::Throttled)));
    }
    let outcome = read(&played, &later(3), &cache).await;
    let all = &outcome.storage.ebs[0];
    assert_eq!((&all.volumes, &all.snapshots), (&old.volumes, &old.snapshots));
    assert_eq!(all.taken_at, later(2).parse().unwrap(), "nothing of it is newer");
    // Which images there are decides what may be called an orphan: never the old number.
    assert!(all.images.is_err() && old.images == Ok(1));
}

#[tokio::test]
async fn a_look_that_changed_nothing_is_news_of_the_source_alone() {
    let (played, cache) = (Played::new(Store::default()), cache());
    read(&played, NOW, &cache).await;
    let shared = super::super::share(parts(&played, &later(1), &cache, settings())).0.shared;
    let selection = [("default".to_owned(), Regions::Enabled)];
    let mut board = super::keep::board(&shared, &selection).await;
    let (events, mut told) = tokio::sync::mpsc::channel(8);
    let mut publish = async |board: &mut Board| {
        board.publish(&shared, &events).await;
        let Some(Event::StorageFacts(facts)) = told.recv().await else { panic!() };
        facts
    };
    let first = publish(&mut board).await;
    assert_eq!((first.version, first.ebs.len()), (1, 1));
    // The same again, as a source sends it.
    let again = |change: fn(&mut Volume)| {
        let mut facts = (*first.ebs[0]).clone();
        facts.taken_at = later(1).parse().unwrap();
        for volume in facts.volumes.as_mut().unwrap() {
            let mut copy = (**volume).clone();
            change(&mut copy);
            *volume = Arc::new(copy);
        }
        Input::Ebs(Box::new(facts))
    };
    let source = |region: &str, outcome| {
        Input::Source(Told { source: SourceId::Ebs, scope: Scope::new(ACCOUNT, region), outcome })
    };
    board.take(source(REGION, Asking::Loading), &shared);
    board.take(again(|_| {}), &shared);
    board.take(source(REGION, Asking::Good { coverage: 1.0 }), &shared);
    let second = publish(&mut board).await;
    assert_eq!(second.version, 1, "no rows are made anew");
    assert_eq!(second.ebs[0].taken_at, later(1).parse().unwrap());
    let taken = |facts: &StorageFacts| facts.readings.iter().map(|r| r.taken_at).max().unwrap();
    assert!(taken(&second) > taken(&first), "the age is");
    let volumes = |facts: &StorageFacts| facts.ebs[0].volumes.clone().unwrap();
    let both = volumes(&first).into_iter().zip(volumes(&second));
    assert!(both.into_iter().all(|(old, new)| Arc::ptr_eq(&old, &new)));

    board.take(again(|v| v.size_gib += u32::from(&*v.id == "vol-2")), &shared);
    let third = publish(&mut board).await;
    assert_eq!((third.version, volumes(&third)[1].size_gib), (2, 101));
    assert!(Arc::ptr_eq(&volumes(&third)[0], &volumes(&first)[0]));
    // Of a source that has not answered yet sums say that they leave it out.
    board.take(source("eu-west-9", Asking::Loading), &shared);
    assert_eq!(publish(&mut board).await.version, 3);
}

#[test]
fn what_did_not_change_is_shared_with_what_is_held() {
    type Named = (Arc<str>, u32);
    let held: [Arc<Named>; 2] = [Arc::new(("a".into(), 1)), Arc::new(("b".into(), 1))];
    let mut new = Ok(vec![Arc::new(("b".into(), 1)), Arc::new(("a".into(), 2))]);
    super::board::reuse(&mut new, &Ok(held.to_vec()), |item| &item.0);
    let new = new.unwrap();
    assert!(Arc::ptr_eq(&new[0], &held[1]));
    assert_eq!((&*new[1].0, new[1].1), ("a", 2), "another is never taken for it");
}

#[tokio::test]
async fn without_images_nothing_is_said_of_who_uses_a_snapshot() {
    let played = Played::new(Store::default());
    played.play(|s| s.fails.push(("ec2:DescribeImages", None, ErrorKind::Denied)));
    let outcome = cache_of(&played).await;
    let ebs = &outcome.storage.ebs[0];
    assert!(ebs.images.is_err() && ebs.snapshots.as_ref().unwrap()[0].images.is_empty());
    let r = reading(&outcome, SourceId::Ebs, REGION);
    assert!(r.state == SourceState::Live && (r.coverage - 0.75).abs() < 1e-6, "{r:?}");
}

#[tokio::test]
async fn the_configuration_narrows_what_is_read_and_the_cap_stops_it() {
    let played = Played::new(two());
    let narrow = StorageSettings { exclude: vec!["da*".into()], ..settings() };
    let outcome = once(parts(&played, NOW, &cache(), narrow)).await;
    let names: Vec<&str> = outcome.storage.buckets.iter().map(|b| &*b.bucket.name).collect();
    assert_eq!((names, &played.asked().configs), (vec!["far"], &vec!["far".to_owned()]));
    let elsewhere = StorageSettings { regions: Some(vec![REGION.into()]), ..settings() };
    let outcome = once(parts(&played, NOW, &cache(), elsewhere)).await;
    let names: Vec<&str> = outcome.storage.buckets.iter().map(|b| &*b.bucket.name).collect();
    assert_eq!(names, ["data"]);

    let cache = cache();
    let mut capped = parts(&played, NOW, &cache, settings());
    capped.ledger = crate::source::ledger::Ledger::new(cache, 0);
    let outcome = once(capped).await;
    assert_eq!(reading(&outcome, SourceId::S3, "-").state.word(), "capped");
    assert!(outcome.storage.ebs[0].volumes.is_ok(), "what costs nothing is read");
}

#[tokio::test]
async fn offline_the_cache_answers_with_sizes_and_nobody_is_asked() {
    let (played, cache) = (Played::new(two()), cache());
    let live = read(&played, NOW, &cache).await;
    let asked = played.asked().configs.len();
    let mut offline = parts(&played, &later(3), &cache, settings());
    offline.settings.offline = true;
    let outcome = once(offline).await;
    assert_eq!(played.asked().configs.len(), asked);
    assert_eq!(outcome.storage.buckets, live.storage.buckets);
    assert_eq!(outcome.storage.ebs, live.storage.ebs);
    for r in &outcome.storage.readings {
        assert_eq!((&r.state, r.taken_at), (&SourceState::Cached, Some(NOW.parse().unwrap())));
    }
}

#[tokio::test]
async fn prices_of_the_price_list_are_kept_for_a_week_and_the_embedded_ones_stand_in() {
    let at: Timestamp = NOW.parse().unwrap();
    let (played, cache) = (Played::new(Store { priced_at: Some(at), ..two() }), cache());
    let live = |outcome: &Outcome, region: &str| {
        let prices = outcome.storage.s3_prices.get(region).cloned().unwrap();
        (prices.monitoring_per_1000, prices.provenance.clone())
    };
    let outcome = read(&played, NOW, &cache).await;
    assert_eq!(live(&outcome, REGION), (Some(7.0), Provenance::Live { at }));
    assert_eq!(live(&outcome, "eu-west-1"), (Some(7.0), Provenance::Live { at }));
    let mut asked = played.asked().prices.clone();
    asked.sort();
    assert_eq!(asked, ["eu-west-1", REGION], "each region once");
    // Within the week nobody is asked, nor is anybody offline; commands find them too.
    let outcome = read(&played, &later(24 * 6), &cache).await;
    assert_eq!((played.asked().prices.len(), live(&outcome, REGION).0), (2, Some(7.0)));
    let found = super::s3_prices(&cache, "eu-west-1", at).await.unwrap();
    assert_eq!(found.provenance, Provenance::Live { at });
    assert_eq!(super::bucket_region(&cache, "far", at).await.as_deref(), Some("eu-west-1"));
    read(&played, &later(24 * 7 + 1), &cache).await;
    assert_eq!(played.asked().prices.len(), 4);

    // A price list that fails leaves the embedded one, and the source's state alone.
    let denied = Played::new(two());
    denied.play(|s| s.fails.push(("pricing:GetProducts", None, ErrorKind::Denied)));
    let outcome = cache_of(&denied).await;
    assert!(matches!(live(&outcome, REGION).1, Provenance::Embedded { .. }));
    assert!((reading(&outcome, SourceId::S3, REGION).coverage - 1.0).abs() < 1e-6);
}

/// A scan of an empty list.
fn scan(bucket: &str) -> Scan {
    let at: Timestamp = NOW.parse().unwrap();
    Scan {
        bucket: bucket.into(),
        origin: ScanOrigin::Listing,
        listed_at: at,
        scanned_at: at,
        rows: 0,
        partial: None,
        notes: Vec::new(),
        tree: Arc::new(TreeBuilder::new(&Sums::default()).finish()),
        runs: None,
        duplicates: None,
    }
}

#[tokio::test]
async fn what_the_cache_holds_of_a_bucket_is_in_the_picture_and_nothing_of_others() {
    let (played, cache) = (Played::new(two()), cache());
    for bucket in ["data", "elsewhere"] {
        cache.put_scan(&ScanKey::of_listing(bucket), &scan(bucket)).await;
    }
    let uploads = IncompleteUploads { uploads: 3, ..IncompleteUploads::default() };
    super::put_uploads(&cache, "data", NOW.parse().unwrap(), &uploads).await;
    let outcome = read(&played, NOW, &cache).await;
    let names: Vec<&str> = outcome.storage.scans.iter().map(|s| &*s.bucket).collect();
    assert_eq!(names, ["data"]);
    assert_eq!(outcome.storage.buckets[0].uploads, Some(Ok(uploads)));
    assert_eq!(outcome.storage.buckets[1].uploads, None, "nobody asked");
}

#[tokio::test]
async fn a_cockpit_gets_scans_in_the_background() {
    let (played, cache) = (Played::new(two()), cache());
    cache.put_scan(&ScanKey::of_listing("data"), &scan("data")).await;
    let (events, mut told) = tokio::sync::mpsc::channel(64);
    let handle = super::super::start(parts(&played, NOW, &cache, settings()), events);
    handle.want_storage();
    let found = async {
        while let Some(event) = told.recv().await {
            if let Event::StorageFacts(facts) = event
                && facts.scan("data").is_some()
            {
                return true;
            }
        }
        false
    };
    let found = tokio::time::timeout(std::time::Duration::from_secs(30), found).await;
    handle.stop();
    assert_eq!(found, Ok(true));
}

/// What buckets save, USD per month, as the list and as the waterfall has it.
fn saved(storage: &StorageFleet, savings: &Savings) -> (f64, f64) {
    let listed = storage.buckets.iter().filter_map(|row| row.savings).sum();
    let steps = savings.waterfall.steps.iter();
    let step = steps.filter(|step| step.kind == StepKind::Storage).map(Step::saves);
    (listed, step.sum::<f64>() * HOURS_PER_MONTH)
}

#[tokio::test]
async fn what_a_run_of_checkpoints_saves_is_listed_and_summed_alike() {
    let store = Store { unversioned: true, ..two() };
    let (played, cache) = (Played::new(store), cache());
    let parts = |offline| {
        let buckets = StorageSettings { ebs: StorageRead::Never, ..settings() };
        let mut parts = parts(&played, NOW, &cache, buckets);
        parts.settings.savings.commitments = true;
        parts.settings.offline = offline;
        parts
    };
    let report = async |offline| {
        let outcome = once(parts(offline)).await;
        let (storage, savings) = outcome.pictures(NOW.parse().unwrap());
        saved(&storage, &savings)
    };
    let (before, summed) = report(false).await;
    assert!((before - summed).abs() < 1e-9, "{before} {summed}");
    // Somebody lists the bucket, as `storage checkpoints` does.
    let runs = Some(Arc::new(vec![crate::tabs::storage::picture::fixture::run()]));
    cache.put_scan(&ScanKey::of_listing("data"), &Scan { runs, ..scan("data") }).await;
    for offline in [true, false] {
        let (listed, summed) = report(offline).await;
        assert!(listed > before + 1.0 && (listed - summed).abs() < 1e-9, "{listed} {summed}");
    }
    // The cockpit, of what it shows last.
    let wanted = report(true).await;
    let (events, mut told) = tokio::sync::mpsc::channel(64);
    let handle = super::super::start(parts(true), events);
    let agree = async {
        let (mut storage, mut savings) = (None, None);
        while let Some(event) = told.recv().await {
            match event {
                Event::Storage(shown) => storage = Some(shown),
                Event::Savings(shown) => savings = Some(shown),
                _ => continue,
            }
            if let (Some(storage), Some(savings)) = (&storage, &savings) {
                let shown = saved(storage, savings);
                if (shown.0 - wanted.0).abs() < 1e-9 && (shown.1 - wanted.1).abs() < 1e-9 {
                    return true;
                }
            }
        }
        false
    };
    let agree = tokio::time::timeout(std::time::Duration::from_secs(30), agree).await;
    handle.stop();
    assert_eq!(agree, Ok(true));
}
