//! Bad files and bad disks.

use std::fs;

use rusqlite::Connection;

use super::read_summary_sync;
use super::*;
use crate::cache::notice::Defect;

/// Fills a cache with some of everything and closes it.
async fn populated(place: &Place) {
    let cache = place.open_quietly();
    put_names(&cache, &["kept"]).await;
    cache.put_summary("fleet", b"summary".to_vec()).await;
    let hours = vec![1.0; 24 * 14];
    let writes =
        (0..300).map(|n| write(&format!("i-{n}"), Signal::CpuMax, 480_000, &hours)).collect();
    cache.store_series(writes).await;
    cache.close().await;
}

/// Overwrites the first page of the table of chunks; whatever does not look at series works on.
fn damage_the_chunks(place: &Place) {
    let conn = Connection::open(&place.path).unwrap();
    let root = "SELECT rootpage FROM sqlite_schema WHERE name = 'chunk'";
    let page: usize = conn.query_row(root, [], |r| r.get::<_, u32>(0)).unwrap() as usize;
    drop(conn);
    let mut file = fs::read(&place.path).unwrap();
    file[(page - 1) * 4096..page * 4096].fill(0x5a);
    fs::write(&place.path, file).unwrap();
}

/// Opens a bad file: it must be set aside for the reason `why` accepts, whole, and the new cache
/// must work and keep what it is given.
async fn is_set_aside(place: &Place, why: impl Fn(&Defect) -> bool) {
    let before = fs::read(&place.path).unwrap();
    let (cache, notices) = place.open();
    let [CacheNotice::SetAside { file, moved_to, why: defect }] = &notices[..] else {
        panic!("{notices:?}");
    };
    assert!(why(defect), "{defect:?}");
    assert_eq!(file, &place.path);
    let name = format!("cache.db.broken-{}", now().as_second());
    assert!(moved_to.to_str().unwrap().contains(&name), "{}", moved_to.display());
    assert_eq!(fs::read(moved_to).unwrap(), before, "set aside as it was");
    assert_eq!(names(&cache).await, None);
    put_names(&cache, &["new"]).await;
    cache.close().await;
    let cache = place.open_quietly();
    assert_eq!(names(&cache).await.unwrap(), ["new"]);
    cache.close().await;
}

#[tokio::test]
async fn a_file_that_is_not_a_database() {
    let place = Place::new();
    fs::create_dir_all(place.path.parent().unwrap()).unwrap();
    for content in [&b"not a database"[..], b"SQLite format 3", &vec![0xa5; 20_000]] {
        fs::write(&place.path, content).unwrap();
        is_set_aside(&place, |d| *d == Defect::NotSqlite).await;
    }
    assert_eq!(place.files("cache.db.broken").len(), 3, "none overwrote another");
}

#[tokio::test]
async fn an_empty_file_is_a_new_cache() {
    let place = Place::new();
    fs::create_dir_all(place.path.parent().unwrap()).unwrap();
    fs::write(&place.path, b"").unwrap();
    let cache = place.open_quietly();
    put_names(&cache, &["a"]).await;
    assert_eq!(names(&cache).await.unwrap(), ["a"]);
}

#[tokio::test]
async fn a_broken_header() {
    let place = Place::new();
    populated(&place).await;
    let mut file = fs::read(&place.path).unwrap();
    file[..16].fill(0);
    fs::write(&place.path, file).unwrap();
    is_set_aside(&place, |d| *d == Defect::NotSqlite).await;
}

#[tokio::test]
async fn a_truncated_file() {
    let place = Place::new();
    populated(&place).await;
    let file = fs::read(&place.path).unwrap();
    fs::write(&place.path, &file[..file.len() / 2]).unwrap();
    is_set_aside(&place, |d| matches!(d, Defect::Damaged { .. })).await;
}

#[tokio::test]
async fn another_programs_database() {
    let place = Place::new();
    fs::create_dir_all(place.path.parent().unwrap()).unwrap();
    let other = Connection::open(&place.path).unwrap();
    other.execute_batch("CREATE TABLE photos (id INTEGER); INSERT INTO photos VALUES (1)").unwrap();
    drop(other);
    is_set_aside(&place, |d| *d == Defect::Foreign { application_id: 0 }).await;

    let aside = place.path.with_file_name(&place.files("broken")[0]);
    let other = Connection::open(aside).unwrap();
    let photos: i64 = other.query_row("SELECT count(*) FROM photos", [], |r| r.get(0)).unwrap();
    assert_eq!(photos, 1);
}

#[tokio::test]
async fn a_newer_layout() {
    let place = Place::new();
    populated(&place).await;
    let newer = Connection::open(&place.path).unwrap();
    newer.pragma_update(None, "user_version", 99).unwrap();
    drop(newer);
    assert_eq!(read_summary_sync(&place.path, "fleet"), None);
    is_set_aside(&place, |d| matches!(d, Defect::FromFuture { found: 99, .. })).await;
}

#[tokio::test]
async fn tables_of_ours_that_are_missing() {
    let place = Place::new();
    populated(&place).await;
    let odd = Connection::open(&place.path).unwrap();
    odd.execute_batch("DROP TABLE fact").unwrap();
    drop(odd);
    let cache = place.open_quietly();
    assert_eq!(names(&cache).await, None);
    assert!(matches!(cache.take_notices()[..], [CacheNotice::SetAside { .. }]));
    put_names(&cache, &["new"]).await;
    assert_eq!(names(&cache).await.unwrap(), ["new"]);
}

#[tokio::test]
async fn damage_in_the_middle_is_met_by_a_read() {
    let place = Place::new();
    populated(&place).await;
    damage_the_chunks(&place);
    let cache = place.open_quietly();
    let ids: Vec<Arc<str>> = vec!["i-1".into()];
    assert!(cache.load_series(ids.clone(), range(480_000, 480_024)).await.is_empty());
    let notices = cache.take_notices();
    assert!(
        matches!(&notices[..], [CacheNotice::SetAside { why: Defect::Damaged { .. }, .. }]),
        "{notices:?}"
    );
    cache.store_series(vec![write("i-1", Signal::CpuMax, 480_000, &[2.0])]).await;
    assert_eq!(values(&cache, "i-1", Signal::CpuMax, range(480_000, 480_001)).await, [Some(2.0)]);
    assert_eq!(cache.take_notices(), []);
    assert!(!cache.stats().await.memory_only);
}

#[tokio::test]
async fn damage_that_no_read_meets_is_met_by_the_check_of_each_run() {
    let place = Place::new();
    populated(&place).await;
    let cache = place.open_quietly();
    cache.maintain(now()).await;
    assert_eq!(cache.take_notices(), [], "a sound file passes");
    cache.close().await;

    // Two indexes claim the same page, which nothing notices that does not search by them.
    let odd = Connection::open(&place.path).unwrap();
    odd.execute_batch(
        "PRAGMA writable_schema = ON;
         UPDATE sqlite_schema SET rootpage =
             (SELECT rootpage FROM sqlite_schema WHERE name = 'sqlite_autoindex_summary_1')
         WHERE name = 'sqlite_autoindex_fact_1';",
    )
    .unwrap();
    drop(odd);
    let (cache, mut notices) = place.open();
    cache.checked().await;
    notices.extend(cache.take_notices());
    let [CacheNotice::SetAside { moved_to, .. }] = &notices[..] else { panic!("{notices:?}") };
    let name = format!("cache.db.broken-{}", now().as_second());
    assert!(moved_to.ends_with(name), "dated with the time it was told");
}

#[tokio::test]
async fn two_handles_meet_the_same_damage() {
    let place = Place::new();
    populated(&place).await;
    damage_the_chunks(&place);
    let (one, two) = (place.open_quietly(), place.open_quietly());
    let ids: Vec<Arc<str>> = vec!["i-1".into()];
    let day = range(480_000, 480_024);
    assert!(one.load_series(ids.clone(), day).await.is_empty());
    put_names(&one, &["new"]).await;
    assert!(two.load_series(ids, day).await.is_empty());
    assert_eq!(names(&two).await.unwrap(), ["new"], "the second joins the file of the first");
    assert!(matches!(one.take_notices()[..], [CacheNotice::SetAside { .. }]));
    assert_eq!(two.take_notices(), [], "set aside once");
    assert!(!two.stats().await.memory_only);
}

#[tokio::test]
async fn no_directory_can_be_made() {
    let place = Place::new();
    fs::write(place.path.parent().unwrap(), b"a file where the directory should be").unwrap();
    let (cache, notices) = place.open();
    assert!(
        matches!(
            &notices[..],
            [CacheNotice::LedgerInMemory { .. }, CacheNotice::InMemory { file, .. }]
                if *file == place.path
        ),
        "{notices:?}"
    );
    put_names(&cache, &["a"]).await;
    assert_eq!(names(&cache).await.unwrap(), ["a"]);
    assert!(cache.stats().await.memory_only);
    assert_eq!(read_summary_sync(&place.path, "fleet"), None);
}

#[tokio::test]
async fn a_directory_where_the_file_should_be() {
    let place = Place::new();
    fs::create_dir_all(&place.path).unwrap();
    let (cache, notices) = place.open();
    assert!(matches!(&notices[..], [CacheNotice::InMemory { .. }]), "{notices:?}");
    put_names(&cache, &["a"]).await;
    assert_eq!(names(&cache).await.unwrap(), ["a"]);
    assert!(place.path.is_dir(), "nothing of it was touched");
}

#[tokio::test]
async fn a_file_that_can_only_be_read_fills_the_memory() {
    let place = Place::new();
    populated(&place).await;
    // SQLite can then create no log, as on a read-only disk.
    fs::create_dir(place.path.with_file_name("cache.db-wal")).unwrap();
    let (cache, notices) = place.open();
    assert!(matches!(&notices[..], [CacheNotice::InMemory { .. }]), "{notices:?}");
    assert_eq!(names(&cache).await.unwrap(), ["kept"]);
    let id: Arc<str> = "i-299".into();
    let sets = cache.load_series(vec![Arc::clone(&id)], range(480_000, 480_336)).await;
    assert_eq!(sets[&id].get(Signal::CpuMax).unwrap().got(range(480_000, 480_336)), 336);
    put_names(&cache, &["newer"]).await;
    assert_eq!(names(&cache).await.unwrap(), ["newer"]);
}

#[tokio::test]
async fn a_disk_that_fills_up_under_way() {
    let place = Place::new();
    let cache = place.open_quietly();
    put_names(&cache, &["before"]).await;
    // SQLite answers SQLITE_FULL when the file may not grow, as it does when the disk is full.
    sql(&cache, "PRAGMA max_page_count = 1").await;
    let hours = vec![1.0; 24 * 14];
    for n in 0..300 {
        cache.store_series(vec![write(&format!("i-{n}"), Signal::CpuMax, 480_000, &hours)]).await;
    }
    let notices = cache.take_notices();
    let [CacheNotice::InMemory { why, .. }] = &notices[..] else { panic!("{notices:?}") };
    assert!(why.contains("full"), "{why}");
    assert_eq!(names(&cache).await.unwrap(), ["before"], "what was on disk came along");
    for id in ["i-0", "i-299"] {
        let all = values(&cache, id, Signal::CpuMax, range(480_000, 480_336)).await;
        assert!(all.iter().all(|v| *v == Some(1.0)), "nothing was dropped");
    }
    let stats = cache.stats().await;
    assert!(stats.memory_only);
    assert_eq!(stats.dropped, 0);
    cache.close().await;
    let cache = place.open_quietly();
    assert_eq!(names(&cache).await.unwrap(), ["before"], "the file is whole");
}

#[tokio::test]
async fn a_disk_that_turns_read_only_under_way() {
    let place = Place::new();
    let cache = place.open_quietly();
    put_names(&cache, &["before"]).await;
    sql(&cache, "PRAGMA query_only = ON").await;
    put_names(&cache, &["after"]).await;
    assert_eq!(names(&cache).await.unwrap(), ["after"]);
    assert!(matches!(cache.take_notices()[..], [CacheNotice::InMemory { .. }]));
}

#[tokio::test]
async fn even_memory_may_refuse() {
    let (cache, _) = Cache::open(OpenOptions::in_memory(), now());
    sql(&cache, "PRAGMA max_page_count = 1").await;
    cache.put(NAMES, &scope(), now(), &vec![0_u8; 100_000]).await;
    cache.put(NAMES, &scope(), now(), &vec![0_u8; 100_000]).await;
    assert_eq!(cache.stats().await.dropped, 2);
    assert!(matches!(cache.take_notices()[..], [CacheNotice::Dropped { .. }]), "told once");
    assert_eq!(names(&cache).await, None);
}
