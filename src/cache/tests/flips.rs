//! Single flipped bytes of a cache: what was kept is read as it was written, or reported lost.

use std::fs;

use super::read_summary_sync;
use super::*;
use crate::cache::{BucketSize, GpuHours};
use crate::domain::{BurnStep, Burnt, FleetHour, GpuHour, GpuIdentity, Rung, SourceId};

const OTHERS: FactKind = FactKind::new("others", 3);

/// Everything that is read of a cache, each row with its name; `None` for a row that is not there.
type Rows = Vec<(String, Option<String>)>;

fn sites() -> Vec<Scope> {
    ["eu-west-1", "us-east-1", "us-west-2"].map(|r| Scope::new("123456789012", r)).into()
}

fn ids() -> Vec<Arc<str>> {
    (0..12).map(|n| format!("i-{n:02}").into()).collect()
}

/// The hour that runs at `now`.
fn running() -> i32 {
    Hour::containing(now()).0
}

/// Two days of an account that burns $3/h.
fn burn(account: &str) -> BurnStep {
    let rates = Arc::new(vec![(None, Burnt { usd: 3.0, ..Burnt::default() })]);
    let to_ms = i64::from(running() / 24) * 86_400_000;
    BurnStep { account: account.into(), from_ms: to_ms - 2 * 86_400_000, to_ms, rates }
}

async fn fill(cache: &Cache) {
    for (n, scope) in sites().iter().enumerate() {
        put_names_of(cache, scope, now(), &["one", "two", &"x".repeat(100 * n)]).await;
        cache.put(OTHERS, scope, now(), &(n as u64, 7.5_f64)).await;
        let size = |bucket: &str| BucketSize {
            bucket: bucket.into(),
            metric: "bytes".into(),
            dimension: "StandardStorage".into(),
            first_day: running() / 24 - 20,
            fetched_to: running() / 24,
            values: vec![1.5 + n as f64; 20],
        };
        cache.store_bucket_sizes(scope, vec![size("a"), size("b")]).await;
        let seen =
            [("p5.48xlarge".into(), 3_u64), ("g5.xlarge".into(), n as u64)].into_iter().collect();
        let hour =
            |back| FleetHour { hour: Hour(running() - back), scope: scope.clone(), looks: 2, seen };
        cache.add_fleet_hours(vec![hour(1)]).await;
        cache.add_burn(vec![burn(&scope.region)]).await;
    }
    let hours: Vec<f32> = (0..60).map(|h| if h % 7 == 0 { f32::NAN } else { h as f32 }).collect();
    let writes = ids().iter().map(|id| write(id, Signal::CpuMax, running() - 60, &hours)).collect();
    cache.store_series(writes).await;
    for hour in running() - 3..running() {
        let gpus = (0..3)
            .map(|n| GpuHour {
                identity: GpuIdentity {
                    uuid: Some(format!("GPU-{n}").into()),
                    ..GpuIdentity::default()
                }
                .into(),
                mean: 0.25,
                max: 0.5,
                samples: 60,
                rung: Rung::A,
            })
            .collect();
        let (source, origin) = (SourceId::Prometheus, "main".into());
        cache.store_gpu_hours(GpuHours { source, origin, hour: Hour(hour), gpus }.into()).await;
    }
    cache.put_summary("fleet", vec![7; 300]).await;
}

/// Reads every row by its key, as the program does.
async fn read(cache: &Cache) -> Rows {
    let mut rows = Rows::new();
    fn tell<T: std::fmt::Debug>(rows: &mut Rows, name: String, row: Option<T>) {
        rows.push((name, row.map(|r| format!("{r:?}"))));
    }
    for scope in sites() {
        let region = scope.region.clone();
        let row = cache.get::<Vec<String>>(NAMES, &scope, now()).await;
        tell(&mut rows, format!("names {region}"), row);
        let row = cache.get::<(u64, f64)>(OTHERS, &scope, now()).await;
        tell(&mut rows, format!("others {region}"), row);
        let sizes = cache.load_bucket_sizes(&scope, now()).await;
        for bucket in ["a", "b"] {
            let row = sizes.iter().find(|s| s.bucket == bucket);
            tell(&mut rows, format!("size {region} {bucket}"), row);
        }
        let name = format!("names {region} of all");
        let all = cache.all::<Vec<String>>(NAMES, now()).await;
        tell(&mut rows, name, all.into_iter().find(|(s, _)| *s == scope));
    }
    let window = range(running() - 60, running());
    let fetched = cache.fetched(ids()).await;
    let series = cache.load_series(ids(), window).await;
    for id in ids() {
        let key = (id.clone(), Signal::CpuMax);
        tell(&mut rows, format!("claim {id}"), fetched.get(&key));
        let row = series.get(&id).and_then(|set| set.get(Signal::CpuMax));
        tell(&mut rows, format!("series {id}"), row);
    }
    let window = range(running() - 9, running());
    let gpus = cache.load_gpu_hours(window).await;
    for hour in running() - 3..running() {
        for n in 0..3 {
            let name: Arc<str> = format!("GPU-{n}").into();
            let of_hour = gpus.iter().find(|g| g.hour.0 == hour);
            let row = of_hour
                .and_then(|g| g.gpus.iter().find(|g| g.identity.uuid.as_deref() == Some(&*name)));
            tell(&mut rows, format!("{name} {hour}"), row);
        }
    }
    let hours = cache.load_fleet_hours(window).await;
    for scope in sites() {
        let row = hours.iter().find(|h| h.scope == scope);
        tell(&mut rows, format!("fleet {}", scope.region), row);
    }
    let burnt = cache.load_burn(0).await;
    for scope in sites() {
        for back in 1..=2 {
            let row =
                burnt.iter().find(|b| b.account == scope.region && b.day == running() / 24 - back);
            tell(&mut rows, format!("burn {} {back}", scope.region), row);
        }
    }
    tell(&mut rows, "summary".into(), cache.summary("fleet").await);
    rows
}

mod hostile {
    use super::*;

    #[test]
    fn each_row_is_read_as_written_or_reported_lost() {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        runtime.block_on(async {
            let place = Place::new();
            let cache = place.open_quietly();
            fill(&cache).await;
            let written = read(&cache).await;
            assert_eq!(cache.take_notices(), []);
            cache.close().await;
            assert!(written.iter().all(|(name, row)| row.is_some() || panic!("{name}")));
            let whole = fs::read(&place.path).unwrap();
            // The bytes in use, and some that are not.
            let used: Vec<usize> =
                (0..whole.len()).filter(|at| whole[*at] != 0 || at % 61 == 0).collect();
            let (mut inputs, mut said, mut state) = (0, 0, 3_u64);
            for at in used.iter().copied().step_by((used.len() / 700).max(1)) {
                let mut bytes = whole.clone();
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                bytes[at] ^= 1 << (state >> 61);
                fs::write(&place.path, &bytes).unwrap();
                // What paints first says nothing, but never anything else.
                let first = read_summary_sync(&place.path, "fleet");
                assert!(first.is_none() || first == Some(vec![7; 300]), "byte {at}");
                let (cache, mut notices) = place.open();
                let found = read(&cache).await;
                cache.checked().await;
                notices.extend(cache.take_notices());
                cache.close().await;
                for ((name, was), (_, is)) in written.iter().zip(&found) {
                    let fine = is == was || (is.is_none() && !notices.is_empty());
                    assert!(fine, "byte {at}: {name}: {is:?} instead of {was:?}; {notices:?}");
                }
                inputs += 1;
                said += usize::from(!notices.is_empty());
                for name in place.files("cache.db") {
                    fs::remove_file(place.path.with_file_name(name)).unwrap();
                }
            }
            println!("hostile: flipped bytes of the cache ({said} said): {inputs} inputs");
            assert!(inputs >= 600 && said > 200, "{inputs} {said}");
        });
    }
}

/// What a process finds that only ever asks for what it knows: the check of each run says the rest.
#[tokio::test]
async fn rows_that_vanish_are_noticed_by_the_check_of_each_run() {
    for (table, which) in [
        ("fact", "kind = 'others'"),
        ("series", "instance = 'i-03'"),
        ("gpu_device", "id = 2"),
        ("gpu_hour", "hour % 3 = 0"),
        ("bucket_size", "bucket = 'a'"),
        ("fleet_hour", "region = 'us-east-1'"),
        ("burn_day", "day % 2 = 0"),
        ("summary", "kind = 'fleet'"),
    ] {
        let place = Place::new();
        let cache = place.open_quietly();
        fill(&cache).await;
        cache.close().await;
        // As a damaged page would have it: the rows are gone, and nothing of ours has seen it.
        let odd = rusqlite::Connection::open(&place.path).unwrap();
        odd.execute_batch(&format!("DROP TRIGGER {table}_out; DELETE FROM {table} WHERE {which};"))
            .unwrap();
        drop(odd);
        let (cache, mut notices) = place.open();
        cache.checked().await;
        notices.extend(cache.take_notices());
        let [CacheNotice::SetAside { why, .. }] = &notices[..] else {
            panic!("{table}: {notices:?}")
        };
        assert!(why.to_string().contains(&format!("rows of {table}")), "{why}");
        // What nobody could read again came along, as far as it was there.
        let seen = cache.load_fleet_hours(range(0, i32::MAX)).await.len();
        assert_eq!(seen, if table == "fleet_hour" { 2 } else { 3 });
        cache.close().await;
        place.open_quietly().close().await;
    }
}

/// A sound cache is found sound, whatever was done to it.
#[tokio::test]
async fn the_digest_follows_every_change() {
    let place = Place::new();
    for _ in 0..3 {
        let cache = place.open_quietly();
        fill(&cache).await;
        fill(&cache).await;
        let later = now() + jiff::SignedDuration::from_hours(1);
        assert!(cache.touch(NAMES, &sites()[0], now(), later).await);
        cache.maintain(later).await;
        cache.close().await;
    }
    let cache = place.open_quietly();
    cache.checked().await;
    assert!(cache.clear().await);
    cache.close().await;
    let cache = place.open_quietly();
    cache.checked().await;
    assert_eq!(cache.take_notices(), []);
}

#[tokio::test]
async fn a_day_that_is_claimed_and_gone_is_asked_for_again() {
    for odd in [
        "DELETE FROM chunk WHERE series = 3 AND day = (SELECT max(day) FROM chunk)",
        "UPDATE chunk SET data = zeroblob(96) WHERE series = 3",
        "UPDATE chunk SET day = day + 1 WHERE series = 3 AND day = (SELECT max(day) FROM chunk)",
        "UPDATE series SET fetched_from = fetched_from - 24 WHERE id = 3",
        "UPDATE series SET instance = 'i-ZZ' WHERE id = 3",
    ] {
        let place = Place::new();
        let cache = place.open_quietly();
        fill(&cache).await;
        cache.call(move |store| store.run(|c| c.execute_batch(odd)).unwrap()).await.unwrap();
        let window = range(running() - 60, running());
        let series = cache.load_series(ids(), window).await;
        // One that goes by another name is missed by the check alone.
        if !odd.contains("i-ZZ") {
            let notices = cache.take_notices();
            assert!(matches!(&notices[..], [CacheNotice::Lost { rows: 1, .. }]), "{notices:?}");
        }
        assert_eq!(series.len(), ids().len() - 1, "{odd}");
        assert_eq!(cache.fetched(ids()).await.len(), ids().len() - 1, "it is asked for again");
        let hours = vec![2.0; 60];
        cache.store_series(vec![write("i-02", Signal::CpuMax, running() - 60, &hours)]).await;
        assert_eq!(values(&cache, "i-02", Signal::CpuMax, window).await, vec![Some(2.0); 60]);
    }
}
