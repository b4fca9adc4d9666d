//! The ledger's file: caps, days, other processes, damage.

use std::fs;

use jiff::SignedDuration;
use rusqlite::Connection;

use super::*;
use crate::cache::{Defect, LedgerCharge, LedgerDay, Reserved, ledger_path};

fn charge(micro_usd: u64, cap: u64) -> LedgerCharge {
    LedgerCharge { at: now(), api: "a", units: 3, micro_usd, cap_micro_usd: cap }
}

async fn spent(cache: &Cache) -> u64 {
    cache.ledger_day(now()).await.unwrap().entries.iter().map(|e| e.micro_usd).sum()
}

#[tokio::test]
async fn charges_add_up_until_the_cap() {
    let place = Place::new();
    let cache = place.open_quietly();
    assert_eq!(cache.ledger_reserve(charge(60, 100)).await, Some(Reserved::Granted));
    let refused = Reserved::Refused { spent_micro_usd: 60 };
    assert_eq!(cache.ledger_reserve(charge(41, 100)).await, Some(refused));
    assert_eq!(cache.ledger_reserve(charge(40, 100)).await, Some(Reserved::Granted), "to the cap");
    let refused = Reserved::Refused { spent_micro_usd: 100 };
    assert_eq!(cache.ledger_reserve(charge(1, 100)).await, Some(refused));
    assert_eq!(cache.ledger_reserve(charge(0, 100)).await, Some(Reserved::Granted), "free");
    assert_eq!(cache.ledger_reserve(charge(1, 0)).await, Some(refused), "a cap of nothing");
    cache.close().await;

    let cache = place.open_quietly();
    let day = cache.ledger_day(now()).await.unwrap();
    assert_eq!(day.day.to_string(), "2026-07-15");
    assert!(day.shared);
    let [entry] = &day.entries[..] else { panic!("{day:?}") };
    assert_eq!((entry.calls, entry.units, entry.micro_usd), (3, 9, 100), "refused ones left out");
}

#[tokio::test]
async fn a_cache_in_memory_can_keep_its_ledger_on_disk() {
    let place = Place::new();
    let ledger = Some(ledger_path(&place.path));
    let options = || OpenOptions { memory_only: true, ledger: ledger.clone(), ..place.options() };
    for (already, answer) in
        [(0, Reserved::Granted), (60, Reserved::Refused { spent_micro_usd: 60 })]
    {
        let (cache, notices) = Cache::open(options(), now());
        assert_eq!(notices, []);
        assert_eq!(spent(&cache).await, already);
        assert_eq!(cache.ledger_reserve(charge(60, 100)).await, Some(answer));
        cache.close().await;
    }
    assert_eq!(place.files("cache"), [""; 0], "the cache itself stays in memory");
}

#[tokio::test]
async fn days_are_utc_and_apart() {
    let place = Place::new();
    let cache = place.open_quietly();
    let midnight: Timestamp = "2026-07-16T00:00:00Z".parse().unwrap();
    let before = LedgerCharge { at: midnight - SignedDuration::from_nanos(1), ..charge(70, 100) };
    let after = LedgerCharge { at: midnight, ..charge(80, 100) };
    assert_eq!(cache.ledger_reserve(before).await, Some(Reserved::Granted));
    assert_eq!(cache.ledger_reserve(after).await, Some(Reserved::Granted), "a new day, a new cap");
    assert_eq!(spent(&cache).await, 70);
    assert_eq!(cache.ledger_day(midnight).await.unwrap().entries[0].micro_usd, 80);
}

#[tokio::test]
async fn handles_cannot_pass_the_cap_together() {
    let place = Place::new();
    let mut tasks = tokio::task::JoinSet::new();
    for _ in 0..4 {
        let cache = place.open_quietly();
        tasks.spawn(async move {
            let mut granted = 0;
            for _ in 0..50 {
                if cache.ledger_reserve(charge(7, 700)).await == Some(Reserved::Granted) {
                    granted += 1;
                }
            }
            assert_eq!(cache.take_notices(), []);
            granted
        });
    }
    let granted: u64 = tasks.join_all().await.into_iter().sum();
    assert_eq!(granted, 100, "200 were asked for, 100 fit");
    assert_eq!(spent(&place.open_quietly()).await, 700);
}

#[tokio::test]
async fn a_damaged_cache_does_not_touch_the_ledger() {
    let place = Place::new();
    let cache = place.open_quietly();
    cache.ledger_reserve(charge(60, 100)).await;
    cache.close().await;
    fs::write(&place.path, b"not a database").unwrap();
    let (cache, notices) = place.open();
    assert!(matches!(notices[..], [CacheNotice::SetAside { .. }]));
    assert_eq!(spent(&cache).await, 60);
}

#[tokio::test]
async fn a_ledger_from_the_future_is_taken_over() {
    let place = Place::new();
    let cache = place.open_quietly();
    put_names(&cache, &["kept"]).await;
    cache.ledger_reserve(charge(60, 100)).await;
    cache.close().await;
    let newer = Connection::open(ledger_path(&place.path)).unwrap();
    newer
        .execute_batch("ALTER TABLE entry ADD COLUMN account TEXT; PRAGMA user_version = 9")
        .unwrap();
    drop(newer);
    let (cache, notices) = place.open();
    let [CacheNotice::LedgerSetAside { why, salvaged: 1, .. }] = &notices[..] else {
        panic!("{notices:?}");
    };
    assert!(matches!(why, Defect::FromFuture { found: 9, known: 1 }));
    assert_eq!(spent(&cache).await, 60);
    assert_eq!(names(&cache).await.unwrap(), ["kept"], "the cache is not concerned");
}

#[tokio::test]
async fn a_damaged_ledger_gives_what_it_can() {
    let place = Place::new();
    let cache = place.open_quietly();
    for day in 0..400 {
        let at = now() - SignedDuration::from_hours(24 * day);
        for api in ["a", "b", "c", "d", "e"] {
            cache.ledger_reserve(LedgerCharge { at, api, ..charge(60, 1_000) }).await;
        }
    }
    cache.close().await;
    // A leaf in the middle of the table is overwritten; the newest days lie elsewhere.
    let path = ledger_path(&place.path);
    let mut file = fs::read(&path).unwrap();
    let pages = file.len() / 4096;
    assert!(pages > 8, "{pages}");
    let middle = pages / 2 * 4096;
    file[middle..middle + 4096].fill(0x5a);
    fs::write(&path, file).unwrap();

    let cache = place.open_quietly();
    let mut at = now();
    let mut days = Vec::new();
    while days.len() < 400 {
        days.push(cache.ledger_day(at).await.unwrap());
        at -= SignedDuration::from_hours(24);
    }
    let notices = cache.take_notices();
    let [CacheNotice::LedgerSetAside { salvaged, .. }] = &notices[..] else {
        panic!("{notices:?}");
    };
    assert!((1_000..2_000).contains(salvaged), "{salvaged} of 2,000");
    let count = |d: &LedgerDay| d.entries.len();
    assert_eq!((count(&days[0]), count(&days[399])), (5, 5), "both ends survive");
    assert!(days.iter().flat_map(|d| &d.entries).all(|e| e.micro_usd == 60), "nothing twice");
}

#[tokio::test]
async fn without_a_disk_this_process_still_keeps_its_cap() {
    let place = Place::new();
    fs::create_dir_all(ledger_path(&place.path)).unwrap();
    let (cache, notices) = place.open();
    assert!(matches!(&notices[..], [CacheNotice::LedgerInMemory { .. }]), "{notices:?}");
    assert_eq!(cache.ledger_reserve(charge(60, 100)).await, Some(Reserved::Granted));
    let refused = Reserved::Refused { spent_micro_usd: 60 };
    assert_eq!(cache.ledger_reserve(charge(60, 100)).await, Some(refused));
    let day = cache.ledger_day(now()).await.unwrap();
    assert!(!day.shared);
    assert_eq!(day.entries[0].micro_usd, 60);

    // The disk comes back: what was counted meanwhile goes there.
    fs::remove_dir(ledger_path(&place.path)).unwrap();
    let later = now() + SignedDuration::from_secs(61);
    let day = cache.ledger_day(later).await.unwrap();
    assert!(day.shared);
    assert_eq!(day.entries[0].micro_usd, 60);
    assert_eq!(cache.take_notices(), [], "told once");
    cache.close().await;
    assert_eq!(spent(&place.open_quietly()).await, 60);
}

#[tokio::test]
async fn a_lock_that_is_not_given_back() {
    let place = Place::new();
    let cache = place.open_quietly();
    cache.ledger_reserve(charge(60, 100)).await;
    // Another program keeps the write lock, as a stopped burntop would.
    let holder = Connection::open(ledger_path(&place.path)).unwrap();
    holder.execute_batch("BEGIN IMMEDIATE").unwrap();
    let refused = Reserved::Refused { spent_micro_usd: 60 };
    assert_eq!(
        cache.ledger_reserve(charge(50, 100)).await,
        Some(refused),
        "what was on the file counts"
    );
    assert_eq!(cache.ledger_reserve(charge(30, 100)).await, Some(Reserved::Granted));
    assert!(matches!(cache.take_notices()[..], [CacheNotice::LedgerInMemory { .. }]));
    holder.execute_batch("COMMIT").unwrap();
    drop(holder);
    let later = LedgerCharge { at: now() + SignedDuration::from_secs(61), ..charge(10, 100) };
    assert_eq!(cache.ledger_reserve(later).await, Some(Reserved::Granted));
    let entry = cache.ledger_day(now()).await.unwrap().entries.remove(0);
    assert_eq!((entry.calls, entry.micro_usd), (3, 100));
}

#[test]
fn the_ledger_never_lies_on_the_cache() {
    assert_eq!(ledger_path("/c/cache.db".as_ref()), PathBuf::from("/c/ledger.db"));
    assert_eq!(ledger_path("/c/ledger.db".as_ref()), PathBuf::from("/c/own-cost-ledger.db"));
}
