//! Facts and the summary: round trips, layouts, clocks.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use jiff::SignedDuration;

use super::read_summary_sync;
use super::*;
use crate::domain::{Provenance, TypeSpec, text};

#[tokio::test]
async fn a_fact_survives_reopening() {
    let place = Place::new();
    let cache = place.open_quietly();
    assert_eq!(names(&cache).await, None);
    put_names(&cache, &["a", "b"]).await;
    put_names(&cache, &["c"]).await;
    cache.close().await;

    let cache = place.open_quietly();
    let stored = cache.get::<Vec<String>>(NAMES, &scope(), now()).await.unwrap();
    assert_eq!(stored.value, ["c"]);
    assert_eq!(stored.taken_at, Some(now()));
    // Times are kept to the millisecond.
    let later = now() + SignedDuration::from_millis(1);
    put_names_of(&cache, &scope(), later, &["d"]).await;
    let stored = cache.get::<Vec<String>>(NAMES, &scope(), later).await.unwrap();
    assert_eq!(stored.taken_at, Some(later));
    // The date alone says the same.
    assert_eq!(cache.taken_at(NAMES, &scope(), later).await, Some(later));
    assert_eq!(cache.taken_at(FactKind { layout: 2, ..NAMES }, &scope(), later).await, None);
    let region = Scope::new("123456789012", "us-west-2");
    assert_eq!(cache.taken_at(NAMES, &region, later).await, None);
    assert_eq!(cache.stats().await.facts[0].count, 1);
}

#[tokio::test]
async fn what_was_found_unchanged_is_dated_anew() {
    let place = Place::new();
    let cache = place.open_quietly();
    let later = now() + SignedDuration::from_mins(1);
    assert!(!cache.touch(NAMES, &scope(), now(), later).await, "there is nothing yet");
    put_names(&cache, &["a"]).await;
    assert!(cache.touch(NAMES, &scope(), now(), later).await);
    let stored = cache.get::<Vec<String>>(NAMES, &scope(), later).await.unwrap();
    assert_eq!((stored.value, stored.taken_at), (vec!["a".to_owned()], Some(later)));

    // Another process has put something else meanwhile: its date is not ours to change.
    let other = later + SignedDuration::from_secs(1);
    put_names_of(&cache, &scope(), other, &["b"]).await;
    let much_later = later + SignedDuration::from_mins(1);
    assert!(!cache.touch(NAMES, &scope(), later, much_later).await);
    let stored = cache.get::<Vec<String>>(NAMES, &scope(), much_later).await.unwrap();
    assert_eq!(stored.taken_at, Some(other));
}

#[tokio::test]
async fn all_facts_of_a_kind_come_in_order_of_scopes() {
    let place = Place::new();
    let cache = place.open_quietly();
    let other = FactKind::new("other", 1);
    for (account, region) in [("2", "eu-west-1"), ("1", "us-east-1"), ("1", "eu-west-1")] {
        let scope = Scope::new(account, region);
        cache.put(NAMES, &scope, now(), &format!("{account}{region}")).await;
        cache.put(other, &scope, now(), &1_u8).await;
    }
    let all = cache.all::<String>(NAMES, now()).await;
    let scopes: Vec<String> = all.iter().map(|(s, _)| s.to_string()).collect();
    assert_eq!(scopes, ["1/eu-west-1", "1/us-east-1", "2/eu-west-1"]);
    assert_eq!(all[2].1.value, "2eu-west-1");
}

#[tokio::test]
async fn another_layout_or_other_bytes_are_absent() {
    let place = Place::new();
    let cache = place.open_quietly();
    cache.put(NAMES, &scope(), now(), &(1_u32, 2_u32)).await;
    assert!(cache.get::<(u32, u32)>(NAMES, &scope(), now()).await.is_some());
    let next = FactKind { layout: 2, ..NAMES };
    assert!(cache.get::<(u32, u32)>(next, &scope(), now()).await.is_none(), "another layout");
    assert!(cache.get::<u32>(NAMES, &scope(), now()).await.is_none(), "bytes left over");
    assert!(cache.get::<[u32; 3]>(NAMES, &scope(), now()).await.is_none(), "bytes missing");
    assert!(cache.all::<Vec<String>>(NAMES, now()).await.is_empty(), "another type");
    assert_eq!(cache.take_notices(), []);
    let region = Scope::new("123456789012", "us-west-2");
    assert!(cache.get::<(u32, u32)>(NAMES, &region, now()).await.is_none(), "another scope");
}

#[tokio::test]
async fn what_claims_to_be_from_the_future_has_no_age() {
    let place = Place::new();
    let cache = place.open_quietly();
    let ttl = SignedDuration::from_hours(1);

    let slightly = now() + SignedDuration::from_mins(4);
    put_names_of(&cache, &scope(), slightly, &["a"]).await;
    let stored = cache.get::<Vec<String>>(NAMES, &scope(), now()).await.unwrap();
    assert_eq!(stored.taken_at, Some(now()), "two clocks may differ a little");
    assert!(stored.is_fresh(now(), ttl));
    assert!(!stored.is_fresh(now() + ttl, ttl), "an hour old is no longer under an hour old");
    assert_eq!(cache.take_notices(), []);

    let far = now() + SignedDuration::from_mins(6);
    put_names_of(&cache, &scope(), far, &["a"]).await;
    for _ in 0..2 {
        let stored = cache.get::<Vec<String>>(NAMES, &scope(), now()).await.unwrap();
        assert_eq!(stored.value, ["a"]);
        assert_eq!(stored.taken_at, None);
        assert_eq!(cache.taken_at(NAMES, &scope(), now()).await, None);
        assert!(!stored.is_fresh(now(), SignedDuration::MAX));
    }
    let notices = cache.take_notices();
    let what = "names".to_owned();
    assert_eq!(notices, [CacheNotice::FromFuture { what, claimed: far }], "told once");
}

#[tokio::test]
async fn domain_types_are_encodable() {
    let place = Place::new();
    let cache = place.open_quietly();
    let spec = TypeSpec {
        name: "p4d.24xlarge".into(),
        vcpus: 96,
        memory_mib: 1_179_648,
        accelerator: None,
        instance_store_gb: 8_000,
        network: "400 Gigabit".into(),
        provenance: Provenance::Live { at: now() },
    };
    cache.put(NAMES, &scope(), now(), &vec![spec.clone()]).await;
    let back = cache.get::<Vec<TypeSpec>>(NAMES, &scope(), now()).await.unwrap();
    assert_eq!(back.value, [spec]);
}

#[tokio::test]
async fn the_summary_is_read_without_the_thread() {
    let place = Place::new();
    assert_eq!(read_summary_sync(&place.path, "fleet"), None, "no file yet");
    assert!(!place.path.exists(), "reading creates nothing");
    let cache = place.open_quietly();
    assert_eq!(read_summary_sync(&place.path, "fleet"), None, "no summary yet");
    let bytes: Vec<u8> = (0..200_000_u32).map(|n| (n % 251) as u8).collect();
    cache.put_summary("fleet", bytes.clone()).await;
    assert_eq!(read_summary_sync(&place.path, "fleet"), Some(bytes.clone()), "while open");
    assert_eq!(read_summary_sync(&place.path, "other"), None);
    cache.close().await;
    assert_eq!(read_summary_sync(&place.path, "fleet"), Some(bytes), "after closing");
}

#[tokio::test]
async fn a_bad_summary_is_none() {
    let place = Place::new();
    let cache = place.open_quietly();
    cache.put_summary("fleet", b"what paints first".to_vec()).await;
    cache.close().await;

    // One bit of the text flipped, which SQLite does not notice.
    let mut file = fs::read(&place.path).unwrap();
    let found = file.windows(4).position(|w| w == b"what").unwrap();
    file[found] ^= 1;
    fs::write(&place.path, &file).unwrap();
    assert_eq!(read_summary_sync(&place.path, "fleet"), None);

    for content in [&b""[..], b"short", &[0xff; 8192], &file[..5000]] {
        fs::write(&place.path, content).unwrap();
        assert_eq!(read_summary_sync(&place.path, "fleet"), None, "{} bytes", content.len());
    }
}

#[tokio::test]
async fn files_are_private() {
    let place = Place::new();
    let cache = place.open_quietly();
    put_names(&cache, &["a"]).await;
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(place.path.parent().unwrap()), 0o700);
    let files = place.files("");
    assert_eq!(
        files,
        [
            "cache.db",
            "cache.db-shm",
            "cache.db-wal",
            "ledger.db",
            "ledger.db-shm",
            "ledger.db-wal",
            "ledger.db.lock"
        ],
        "the ledger is made under its lock"
    );
    for name in &files {
        assert_eq!(mode(&place.path.with_file_name(name)), 0o600, "{name}");
    }
    cache.close().await;

    fs::set_permissions(&place.path, fs::Permissions::from_mode(0o644)).unwrap();
    let _cache = place.open_quietly();
    assert_eq!(mode(&place.path), 0o600, "made private again");
}

#[tokio::test]
async fn in_memory_touches_no_file() {
    let place = Place::new();
    let options = OpenOptions { memory_only: true, ..place.options() };
    let (cache, notices) = Cache::open(options, now());
    assert_eq!(notices, []);
    put_names(&cache, &["a"]).await;
    assert_eq!(names(&cache).await.unwrap(), ["a"]);
    assert!(cache.stats().await.memory_only);
    assert!(!place.path.parent().unwrap().exists());
}

#[tokio::test]
async fn a_closed_cache_answers_nothing() {
    let place = Place::new();
    let cache = place.open_quietly();
    put_names(&cache, &["a"]).await;
    cache.clone().close().await;
    assert_eq!(names(&cache).await, None);
    assert!(cache.fetched(vec!["i-1".into()]).await.is_empty());
    assert!(!cache.clear().await);
    assert_eq!(place.files("-wal"), [""; 0], "the logs went back into the files");
}

#[test]
fn notices_are_clean_text() {
    let notice = CacheNotice::InMemory {
        file: "/tmp/\u{1b}[2J/cache.db".into(),
        why: "disk full".into(),
        cause: crate::files::Cause::Full,
    };
    assert_eq!(
        notice.message(),
        "the cache /tmp/\u{FFFD}[2J/cache.db cannot be written (disk full); burntop goes on in memory"
    );
    assert!(!notice.message().chars().any(text::is_unsafe));
    assert!(!notice.fix().is_empty());
}
