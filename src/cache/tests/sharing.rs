//! Several handles and several processes on one file.

use std::process::{Command, Stdio};
use std::{env, fs, thread};

use super::read_summary_sync;
use super::*;
use crate::cache::{LedgerCharge, Reserved};
use crate::domain::{BurnStep, Burnt};

const CPU: Signal = Signal::CpuMean;

/// Set for the child process; its value is the path of the cache.
const CHILD: &str = "BURNTOP_TEST_CACHE";

fn block_on<R>(work: impl Future<Output = R>) -> R {
    tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(work)
}

/// Writes 40 series of its own in small transactions, and reads in between.
async fn work(cache: &Cache, name: &str) {
    for n in 0..40_u8 {
        let id = format!("{name}-{n}");
        cache.store_series(vec![write(&id, CPU, 480_000, &[f32::from(n); 48])]).await;
        cache.store_series(vec![write("shared", CPU, 480_000 + i32::from(n), &[1.0])]).await;
        put_names(cache, &[name]).await;
        cache.put_summary("fleet", name.as_bytes().repeat(1_000)).await;
        assert!(names(cache).await.is_some());
    }
}

async fn check(cache: &Cache, name: &str) {
    for n in 0..40_u8 {
        let all = values(cache, &format!("{name}-{n}"), CPU, range(480_000, 480_048)).await;
        assert!(all.iter().all(|v| *v == Some(f32::from(n))), "{name}-{n}");
    }
    let shared = values(cache, "shared", CPU, range(480_000, 480_040)).await;
    assert!(shared.iter().all(|v| *v == Some(1.0)));
}

#[test]
fn two_cockpits_in_two_threads() {
    let place = Place::new();
    thread::scope(|scope| {
        for name in ["one", "two"] {
            let place = &place;
            scope.spawn(move || {
                let cache = place.open_quietly();
                block_on(work(&cache, name));
                assert_eq!(cache.take_notices(), [], "nobody was locked out");
            });
        }
    });
    let cache = place.open_quietly();
    block_on(async {
        check(&cache, "one").await;
        check(&cache, "two").await;
        assert_eq!(cache.stats().await.series, 81);
    });
    let summary = read_summary_sync(&place.path, "fleet").unwrap();
    assert!(summary == b"one".repeat(1_000) || summary == b"two".repeat(1_000));
}

#[test]
fn many_open_a_new_file_at_once() {
    for _ in 0..5 {
        let place = Place::new();
        thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    let cache = place.open_quietly();
                    assert!(!block_on(cache.stats()).memory_only);
                });
            }
        });
        assert_eq!(place.files("broken"), [""; 0]);
    }
}

#[test]
fn many_meet_a_bad_file_at_once() {
    // For a moment the name leads nowhere; a round meets it by chance only.
    for _ in 0..20 {
        let place = Place::new();
        fs::create_dir_all(place.path.parent().unwrap()).unwrap();
        fs::write(&place.path, vec![0xa5; 20_000]).unwrap();
        thread::scope(|scope| {
            for n in 0..8 {
                let place = &place;
                scope.spawn(move || {
                    let (cache, notices) = place.open();
                    block_on(cache.store_series(vec![write(
                        &format!("i-{n}"),
                        CPU,
                        480_000,
                        &[1.0],
                    )]));
                    assert!(
                        !notices.iter().any(|n| matches!(n, CacheNotice::InMemory { .. })),
                        "{notices:?}"
                    );
                });
            }
        });
        assert_eq!(
            place.files("cache.db.broken"),
            [format!("cache.db.broken-{}", now().as_second())]
        );
        let cache = place.open_quietly();
        assert_eq!(block_on(cache.stats()).series, 8, "all went on with the same new file");
    }
}

/// Starts this test binary again as another burntop process that runs [`as_another_process`].
fn another_process(place: &Place, job: &str) -> Command {
    let mut command = Command::new(env::current_exe().unwrap());
    command
        .args(["cache::tests::sharing::as_another_process", "--exact", "--nocapture"])
        .env(CHILD, &place.path)
        .env("BURNTOP_TEST_JOB", job)
        .stdout(Stdio::null());
    command
}

/// Not a test by itself: the work of the other process. Without one it has nothing to do.
#[test]
fn as_another_process() {
    let (Some(path), Ok(job)) = (env::var_os(CHILD), env::var("BURNTOP_TEST_JOB")) else {
        return;
    };
    let (cache, notices) = Cache::open(OpenOptions::new(path), now());
    assert_eq!(notices, []);
    block_on(async {
        if job == "die" {
            put_names(&cache, &["before"]).await;
            cache.put_summary("fleet", b"before".to_vec()).await;
            cache.add_burn(vec![burn(0, 1)]).await;
            // Dies inside a transaction, with everything so far only in the log.
            cache
                .call(|store| {
                    store.run(|c| {
                        c.execute_batch(
                            "BEGIN IMMEDIATE; DELETE FROM fact; DELETE FROM burn_day;
                             INSERT INTO meta VALUES ('half', 1);",
                        )?;
                        std::process::abort();
                        #[allow(unreachable_code)]
                        Ok(())
                    })
                })
                .await;
        }
        work(&cache, "child").await;
        for _ in 0..100 {
            cache.ledger_reserve(charge()).await.unwrap();
        }
        assert_eq!(cache.take_notices(), []);
    });
}

/// An account that burns $1/h, from so many hours before now to that many.
fn burn(from: i64, to: i64) -> BurnStep {
    let hour = 3_600_000;
    let start = now().as_millisecond() - 5 * hour;
    let rates = Arc::new(vec![(None, Burnt { usd: 1.0, ..Burnt::default() })]);
    let account = "123456789012".into();
    BurnStep { account, from_ms: start + from * hour, to_ms: start + to * hour, rates }
}

fn charge() -> LedgerCharge {
    LedgerCharge { at: now(), api: "a", units: 1, micro_usd: 10, cap_micro_usd: 1_500 }
}

#[test]
fn two_cockpits_in_two_processes() {
    let place = Place::new();
    let mut child = another_process(&place, "work").spawn().unwrap();
    let cache = place.open_quietly();
    block_on(async {
        work(&cache, "parent").await;
        for _ in 0..100 {
            assert!(cache.ledger_reserve(charge()).await.is_some());
        }
    });
    assert!(child.wait().unwrap().success());
    block_on(async {
        assert_eq!(cache.take_notices(), []);
        check(&cache, "parent").await;
        check(&cache, "child").await;
        let day = cache.ledger_day(now()).await.unwrap();
        assert_eq!(day.entries[0].micro_usd, 1_500, "exactly the cap, together");
        let refused = Reserved::Refused { spent_micro_usd: 1_500 };
        assert_eq!(cache.ledger_reserve(charge()).await, Some(refused));
    });
}

#[test]
fn a_process_killed_inside_a_transaction_leaves_the_state_before_it() {
    let place = Place::new();
    let status = another_process(&place, "die").stderr(Stdio::null()).status().unwrap();
    assert!(!status.success());
    assert_eq!(place.files("cache.db-wal"), ["cache.db-wal"], "it did not close the file");
    assert_eq!(read_summary_sync(&place.path, "fleet").unwrap(), b"before");
    let cache = place.open_quietly();
    block_on(async {
        assert_eq!(names(&cache).await.unwrap(), ["before"]);
        put_names(&cache, &["after"]).await;
        assert_eq!(names(&cache).await.unwrap(), ["after"]);
        // Of the burn what was written before, whole; what is seen now adds to it.
        let usd =
            async || -> f64 { cache.load_burn(0).await.iter().map(|day| day.all().usd).sum() };
        assert!((usd().await - 1.0).abs() < 1e-9);
        cache.add_burn(vec![burn(0, 3)]).await;
        assert!((usd().await - 3.0).abs() < 1e-9);
    });
    assert_eq!(cache.take_notices(), []);
}

#[test]
fn a_handle_dropped_without_closing_loses_nothing() {
    let place = Place::new();
    let cache = place.open_quietly();
    block_on(put_names(&cache, &["a"]));
    drop(cache);
    let cache = place.open_quietly();
    assert_eq!(block_on(names(&cache)).unwrap(), ["a"]);
}

#[test]
fn a_stopped_cockpit_that_holds_the_lock_stops_nobody_for_ever() {
    let place = Place::new();
    let cache = place.open_quietly();
    block_on(put_names(&cache, &["before"]));
    let holder = rusqlite::Connection::open(&place.path).unwrap();
    holder.execute_batch("BEGIN IMMEDIATE").unwrap();
    // Shorter than the time-out that a user waits, to keep the test quick.
    block_on(sql(&cache, "PRAGMA busy_timeout = 50"));
    block_on(put_names(&cache, &["dropped"]));
    assert_eq!(block_on(names(&cache)).unwrap(), ["before"], "reading goes on");
    assert_eq!(block_on(cache.stats()).dropped, 1);
    assert!(matches!(cache.take_notices()[..], [CacheNotice::Dropped { .. }]));
    holder.execute_batch("COMMIT").unwrap();
    block_on(put_names(&cache, &["after"]));
    assert_eq!(block_on(names(&cache)).unwrap(), ["after"], "and so does writing");
    assert!(!block_on(cache.stats()).memory_only);
}
