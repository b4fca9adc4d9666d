//! The ledger's file: caps, days, other processes, damage.

use std::fs;

use jiff::SignedDuration;
use rusqlite::Connection;

use super::*;
use crate::cache::ledger::LedgerDay;
use crate::cache::ledger::LedgerStore;
use crate::cache::notice::Defect;
use crate::cache::{LedgerCharge, LedgerTrouble, Reserved, ledger_path, schema};
use crate::files::Cause;

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
    assert_eq!(cache.ledger_reserve(charge(1, 100)).await, Some(refused.clone()));
    assert_eq!(cache.ledger_reserve(charge(0, 100)).await, Some(Reserved::Granted), "free");
    assert_eq!(cache.ledger_reserve(charge(1, 0)).await, Some(refused), "a cap of nothing");
    cache.close().await;

    let cache = place.open_quietly();
    let day = cache.ledger_day(now()).await.unwrap();
    assert_eq!(day.day.to_string(), "2026-07-15");
    assert_eq!(day.trouble, None);
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

/// Refused because nobody knows what was spent.
fn is_unknown(answer: Option<Reserved>) -> bool {
    matches!(answer, Some(Reserved::Unknown(_)))
}

/// The cap counts as spent, in this process and the next, until the file that was set aside is gone.
async fn rests_until_mended(place: &Place, cache: Cache, at: Timestamp) {
    let small = || LedgerCharge { at, ..charge(1, 1_000_000) };
    let mut aside = place.files("ledger.db.broken-");
    aside.retain(|name| !name.ends_with("-wal") && !name.ends_with("-shm"));
    let [aside] = &aside[..] else { panic!("{aside:?}") };
    let aside = place.path.with_file_name(aside);
    let says = |answer| match answer {
        Some(Reserved::Unknown(LedgerTrouble::Aside(file))) => file == aside,
        _ => false,
    };
    assert!(says(cache.ledger_reserve(small()).await));
    let free = LedgerCharge { at, ..charge(0, 1_000_000) };
    assert_eq!(cache.ledger_reserve(free).await, Some(Reserved::Granted), "free");
    let day = cache.ledger_day(at).await.unwrap();
    assert_eq!(day.trouble, Some(LedgerTrouble::Aside(aside.clone())));
    cache.close().await;

    let (cache, notices) = place.open();
    let [CacheNotice::Ledger { trouble: LedgerTrouble::Aside(named) }] = &notices[..] else {
        panic!("{notices:?}");
    };
    assert_eq!(named, &aside);
    assert!(notices[0].message().contains("broken-") && notices[0].fix().contains("delete"));
    assert!(says(cache.ledger_reserve(small()).await), "the next process as well");
    let tomorrow = at + SignedDuration::from_hours(24);
    let later = LedgerCharge { at: tomorrow, ..charge(1, 1_000_000) };
    assert!(says(cache.ledger_reserve(later).await), "until it is mended by hand");
    fs::remove_file(&aside).unwrap();
    assert_eq!(cache.ledger_reserve(small()).await, Some(Reserved::Granted), "mended");
    assert_eq!(cache.ledger_day(at).await.unwrap().trouble, None);
}

#[tokio::test]
async fn a_ledger_from_the_future_counts_as_spent_until_it_is_mended_by_hand() {
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
    let [CacheNotice::LedgerSetAside { why, salvaged: 1, .. }, ..] = &notices[..] else {
        panic!("{notices:?}");
    };
    assert!(matches!(why, Defect::FromFuture { found: 9, known: 2 }));
    assert_eq!(spent(&cache).await, 60, "what can be read is shown");
    assert_eq!(names(&cache).await.unwrap(), ["kept"], "the cache is not concerned");
    rests_until_mended(&place, cache, now()).await;
}

#[tokio::test]
async fn a_broken_ledger_set_aside_does_not_restart_the_days_cap() {
    for content in [&b"not a database"[..], b"", &[0; 4096], &[0xa5; 9_000]] {
        let place = Place::new();
        let cache = place.open_quietly();
        cache.ledger_reserve(charge(60, 100)).await;
        cache.close().await;
        fs::write(ledger_path(&place.path), content).unwrap();
        let (cache, notices) = place.open();
        assert!(matches!(notices[0], CacheNotice::LedgerSetAside { .. }), "{notices:?}");
        rests_until_mended(&place, cache, now()).await;
    }
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
    let conn = Connection::open(&path).unwrap();
    let leaf: u32 = conn
        .query_row("SELECT rootpage FROM sqlite_schema WHERE name = 'entry'", [], |r| r.get(0))
        .unwrap();
    drop(conn);
    let mut file = fs::read(&path).unwrap();
    // The root of the table names its leaves; its first child holds the oldest days.
    let root = (leaf as usize - 1) * 4096;
    let cells = usize::from(u16::from_be_bytes([file[root + 3], file[root + 4]]));
    assert!(cells > 4, "{cells}");
    let pointer = root + 12 + cells / 2 * 2;
    let cell = root + usize::from(u16::from_be_bytes([file[pointer], file[pointer + 1]]));
    let child = u32::from_be_bytes(file[cell..cell + 4].try_into().unwrap()) as usize;
    file[(child - 1) * 4096..child * 4096].fill(0x5a);
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
    assert!(days[399].trouble.is_some());
    rests_until_mended(&place, cache, now()).await;
}

#[tokio::test]
async fn what_cannot_be_counted_on_file_is_not_granted() {
    let place = Place::new();
    fs::create_dir_all(ledger_path(&place.path)).unwrap();
    let (cache, notices) = place.open();
    let [CacheNotice::Ledger { trouble }] = &notices[..] else { panic!("{notices:?}") };
    assert!(matches!(trouble, LedgerTrouble::OutOfReach { cause: Cause::NotAFile, .. }));
    assert!(trouble.to_string().contains("ledger.db") && trouble.fix().contains("regular file"));
    assert!(is_unknown(cache.ledger_reserve(charge(60, 100)).await));
    assert!(is_unknown(cache.ledger_reserve(charge(1, 100)).await));
    assert_eq!(cache.ledger_reserve(charge(0, 100)).await, Some(Reserved::Granted), "free");
    assert!(cache.ledger_day(now()).await.unwrap().trouble.is_some());

    // The disk comes back.
    fs::remove_dir(ledger_path(&place.path)).unwrap();
    let later = LedgerCharge { at: now() + SignedDuration::from_secs(61), ..charge(60, 100) };
    assert_eq!(cache.ledger_reserve(later).await, Some(Reserved::Granted));
    assert_eq!(cache.ledger_day(now()).await.unwrap().trouble, None);
    assert_eq!(cache.take_notices(), [], "told once");
    cache.close().await;
    assert_eq!(spent(&place.open_quietly()).await, 60);
}

#[tokio::test]
async fn a_lock_that_is_not_given_back_counts_as_spent() {
    let place = Place::new();
    let cache = place.open_quietly();
    cache.ledger_reserve(charge(60, 100)).await;
    // Another program keeps the write lock, as a stopped burntop would.
    let holder = Connection::open(ledger_path(&place.path)).unwrap();
    holder.execute_batch("BEGIN IMMEDIATE").unwrap();
    assert!(is_unknown(cache.ledger_reserve(charge(50, 100)).await));
    assert!(is_unknown(cache.ledger_reserve(charge(30, 100)).await));
    let notices = cache.take_notices();
    let [CacheNotice::Ledger { trouble }] = &notices[..] else { panic!("{notices:?}") };
    assert!(trouble.fix().contains("process that holds it"), "{}", trouble.fix());
    holder.execute_batch("COMMIT").unwrap();
    drop(holder);
    let later = LedgerCharge { at: now() + SignedDuration::from_secs(61), ..charge(40, 100) };
    assert_eq!(cache.ledger_reserve(later).await, Some(Reserved::Granted));
    let entry = cache.ledger_day(now()).await.unwrap().entries.remove(0);
    assert_eq!((entry.calls, entry.micro_usd), (2, 100));
    assert!(place.files("broken").is_empty(), "a lock breaks nothing");
}

#[tokio::test]
async fn a_ledger_of_the_first_layout_keeps_what_was_spent() {
    let place = Place::new();
    let path = ledger_path(&place.path);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    let old = Connection::open(&path).unwrap();
    old.execute_batch(schema::LEDGER.migrations[0]).unwrap();
    let day = Hour::containing(now()).day();
    old.execute("INSERT INTO entry VALUES (?1, 'a', 3, 9, 60)", [day]).unwrap();
    old.pragma_update(None, "application_id", schema::LEDGER.application_id).unwrap();
    old.pragma_update(None, "user_version", 1).unwrap();
    drop(old);
    let cache = place.open_quietly();
    assert_eq!(spent(&cache).await, 60);
    let refused = Reserved::Refused { spent_micro_usd: 60 };
    assert_eq!(cache.ledger_reserve(charge(41, 100)).await, Some(refused));
    assert_eq!(cache.ledger_reserve(charge(40, 100)).await, Some(Reserved::Granted));
}

#[tokio::test]
async fn a_ledger_that_is_a_link_counts_nothing_and_leaves_what_it_leads_to() {
    let place = Place::new();
    let elsewhere = Place::new();
    elsewhere.open_quietly().close().await;
    let (link, target) = (ledger_path(&place.path), ledger_path(&elsewhere.path));
    fs::create_dir_all(link.parent().unwrap()).unwrap();
    std::os::unix::fs::symlink(&target, &link).unwrap();
    let before = fs::read(&target).unwrap();
    let (cache, notices) = place.open();
    let [CacheNotice::Ledger { trouble }] = &notices[..] else { panic!("{notices:?}") };
    assert!(matches!(trouble, LedgerTrouble::OutOfReach { cause: Cause::Link, .. }), "{trouble}");
    assert!(is_unknown(cache.ledger_reserve(charge(1, 100)).await));
    cache.close().await;
    assert_eq!(fs::read(&target).unwrap(), before);
}

/// The next of a fixed sequence of numbers.
fn next(state: &mut u64) -> usize {
    *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    (*state >> 33) as usize
}

mod hostile {
    use super::*;

    #[test]
    fn no_flipped_byte_of_the_ledger_lowers_what_was_spent_unsaid() {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let place = Place::new();
        runtime.block_on(async {
            let cache = place.open_quietly();
            for (n, api) in ["a", "b", "ce:*", "cloudwatch:GetMetricData"].into_iter().enumerate() {
                cache.ledger_reserve(LedgerCharge { api, ..charge(60 + n as u64, 1_000) }).await;
            }
            cache.close().await;
        });
        let path = ledger_path(&place.path);
        let whole = fs::read(&path).unwrap();
        let total = 60 + 61 + 62 + 63;
        // Every byte that is in use, and some that are not.
        let mut state = 7;
        let used: Vec<usize> =
            (0..whole.len()).filter(|at| whole[*at] != 0 || at % 97 == 0).collect();
        let used = used.iter().copied().step_by((used.len() / 610).max(1));
        let (mut inputs, mut said, mut wrong) = (0, 0, Vec::new());
        for at in used {
            let mut bytes = whole.clone();
            bytes[at] ^= 1 << (next(&mut state) % 8);
            fs::write(&path, &bytes).unwrap();
            let mut store = LedgerStore::open(path.clone(), now(), Arc::default());
            let day = store.day(now());
            let spent: u64 = day.entries.iter().map(|e| e.micro_usd).sum();
            let answer = store.reserve(&charge(1_000 - total + 1, 1_000));
            drop(store);
            if spent != total && day.trouble.is_none() || answer == Reserved::Granted {
                wrong.push((at, spent, answer));
            }
            said += usize::from(day.trouble.is_some());
            inputs += 1;
            for name in place.files("ledger.db") {
                fs::remove_file(place.path.with_file_name(name)).unwrap();
            }
        }
        assert_eq!(wrong, []);
        println!("hostile: flipped bytes of the ledger ({said} said): {inputs} inputs");
        assert!(inputs >= 600, "{inputs}");
        assert!(said > 50, "{said}");
    }
}

#[test]
fn the_ledger_never_lies_on_the_cache() {
    assert_eq!(ledger_path("/c/cache.db".as_ref()), PathBuf::from("/c/ledger.db"));
    assert_eq!(ledger_path("/c/ledger.db".as_ref()), PathBuf::from("/c/own-cost-ledger.db"));
}
