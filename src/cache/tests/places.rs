//! What can lie where the cache, its side files, its lock and the ledger belong.

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::Path;

use super::read_summary_sync;
use super::*;
use crate::cache::ledger_path;

fn pipe(path: &Path) {
    let mode = rustix::fs::Mode::from_raw_mode(0o644);
    rustix::fs::mknodat(rustix::fs::CWD, path, rustix::fs::FileType::Fifo, mode, 0).unwrap();
}

/// Puts a thing at `path`; what links lead to is `target`.
fn put(thing: &str, path: &Path, target: &Path) {
    match thing {
        "link" => symlink(target, path).unwrap(),
        "dangling" => symlink(target.with_extension("nowhere"), path).unwrap(),
        "loop" => symlink(path, path).unwrap(),
        "pipe" => pipe(path),
        "directory" => fs::create_dir(path).unwrap(),
        _ => symlink("/dev/zero", path).unwrap(),
    }
}

const THINGS: [&str; 6] = ["link", "dangling", "loop", "pipe", "directory", "device"];

#[tokio::test]
async fn the_cache_follows_no_link_and_changes_no_mode_of_another_file() {
    let elsewhere = Place::new();
    let cache = elsewhere.open_quietly();
    put_names(&cache, &["theirs"]).await;
    cache.close().await;
    fs::set_permissions(&elsewhere.path, fs::Permissions::from_mode(0o644)).unwrap();
    let before = fs::read(&elsewhere.path).unwrap();
    let place = Place::new();
    fs::create_dir_all(place.path.parent().unwrap()).unwrap();
    symlink(&elsewhere.path, &place.path).unwrap();
    let (cache, notices) = place.open();
    let [notice @ CacheNotice::InMemory { why, .. }] = &notices[..] else { panic!("{notices:?}") };
    assert!(why.contains("symbolic link"), "{why}");
    assert!(notice.fix().contains("link") && !notice.fix().contains("free"), "{}", notice.fix());
    assert_eq!(names(&cache).await, None, "nothing is read through it either");
    put_names(&cache, &["ours"]).await;
    cache.close().await;
    assert_eq!(fs::read(&elsewhere.path).unwrap(), before);
    let mode = fs::metadata(&elsewhere.path).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o644, "no mode was changed through the link");
    assert_eq!(read_summary_sync(&place.path, "fleet"), None);
}

#[tokio::test]
async fn a_directory_that_a_person_linked_serves() {
    let place = Place::new();
    let real = place.path.parent().unwrap().with_file_name("elsewhere");
    fs::create_dir_all(&real).unwrap();
    symlink(&real, place.path.parent().unwrap()).unwrap();
    let cache = place.open_quietly();
    put_names(&cache, &["a"]).await;
    cache.put_summary("fleet", vec![1]).await;
    cache.close().await;
    assert_eq!(read_summary_sync(&place.path, "fleet"), Some(vec![1]));
    assert_eq!(names(&place.open_quietly()).await.unwrap(), ["a"]);
    let mode = |name: &str| fs::metadata(real.join(name)).unwrap().permissions().mode() & 0o777;
    assert_eq!((mode("cache.db"), mode("ledger.db")), (0o600, 0o600));
}

mod hostile {
    use super::*;

    #[tokio::test]
    async fn whatever_lies_in_their_place_nothing_hangs_and_nothing_of_others_is_touched() {
        let mut inputs = 0;
        for side in ["", "-wal", "-shm", "-journal", ".lock"] {
            for of_ledger in [false, true] {
                for thing in THINGS {
                    let place = Place::new();
                    let cache = place.open_quietly();
                    put_names(&cache, &["kept"]).await;
                    cache.close().await;
                    let target = place.path.with_file_name("target");
                    fs::write(&target, "precious").unwrap();
                    fs::set_permissions(&target, fs::Permissions::from_mode(0o644)).unwrap();
                    let file =
                        if of_ledger { ledger_path(&place.path) } else { place.path.clone() };
                    let mut path = file.clone().into_os_string();
                    path.push(side);
                    let path = PathBuf::from(path);
                    let _ = fs::remove_file(&path);
                    put(thing, &path, &target);
                    let (cache, notices) = place.open();
                    // A lock is asked for only where something has to be replaced.
                    assert!(!notices.is_empty() || side == ".lock", "{side} {thing} {of_ledger}");
                    let _ = names(&cache).await;
                    let _ = cache.ledger_day(now()).await;
                    cache.close().await;
                    let _ = read_summary_sync(&place.path, "fleet");
                    let what = format!("{side} {thing} {of_ledger}");
                    assert_eq!(fs::read(&target).unwrap(), b"precious", "{what}");
                    let mode = fs::metadata(&target).unwrap().permissions().mode() & 0o777;
                    assert_eq!(mode, 0o644, "{what}");
                    assert!(!target.with_extension("nowhere").exists(), "{what}");
                    let there = fs::symlink_metadata(&path).unwrap();
                    assert!(!there.is_file(), "{what}: it stays where it is");
                    inputs += 1;
                }
            }
        }
        // Beside a broken file, where the lock is needed.
        for thing in THINGS {
            let place = Place::new();
            fs::create_dir_all(place.path.parent().unwrap()).unwrap();
            fs::write(&place.path, "not a database").unwrap();
            let target = place.path.with_file_name("target");
            fs::write(&target, "precious").unwrap();
            put(thing, &place.path.with_file_name("cache.db.lock"), &target);
            let (cache, notices) = place.open();
            assert!(matches!(notices[..], [CacheNotice::InMemory { .. }]), "{thing} {notices:?}");
            cache.close().await;
            assert_eq!(fs::read(&target).unwrap(), b"precious");
            inputs += 1;
        }
        println!("hostile: places of cache and ledger: {inputs} inputs");
        assert!(inputs >= 66, "{inputs}");
    }
}
