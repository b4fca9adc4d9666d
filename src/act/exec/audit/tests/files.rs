//! The log as a real file.

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::Path;
use std::sync::Arc;
use std::thread;

use super::*;
use crate::act::exec::audit::{
    AuditCopy as _, AuditError, DirectoryCopy, Disk as _, DiskError, FileDisk,
};

struct Place {
    _root: tempfile::TempDir,
    disk: FileDisk,
    journal: Journal,
}

fn place() -> Place {
    let root = tempfile::tempdir().unwrap();
    let disk = FileDisk::new(root.path().join("state/audit"));
    Place { _root: root, journal: Journal::new(Arc::new(disk.clone())), disk }
}

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().permissions().mode() & 0o777
}

fn set_mode(path: &Path, mode: u32) {
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
}

fn refusal(place: &Place) -> String {
    match place.journal.append(now(), body(0)) {
        Err(AuditError::Disk(error)) => error.to_string(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn file_and_directory_are_private() {
    let place = place();
    assert_eq!(place.journal.read().unwrap(), [], "reading makes nothing");
    assert!(!place.disk.path().exists());
    place.journal.append(now(), body(0)).unwrap();
    assert_eq!(mode(&place.disk.path()), 0o600);
    assert_eq!(mode(place.disk.path().parent().unwrap()), 0o700);
    let _lease = place.journal.lease("abc").unwrap();
    assert_eq!(mode(&place.disk.path().with_file_name("run-abc.lock")), 0o600);
    set_mode(&place.disk.path(), 0o644);
    place.journal.append(now(), body(1)).unwrap();
    assert_eq!(mode(&place.disk.path()), 0o600, "hidden again");
    assert!(place.journal.verify().unwrap().holds());
}

#[test]
fn what_others_can_write_is_refused() {
    let place = place();
    place.journal.append(now(), body(0)).unwrap();
    let (file, dir) = (place.disk.path(), place.disk.path().parent().unwrap().to_owned());
    set_mode(&file, 0o620);
    assert!(refusal(&place).contains("others can write to it"));
    assert!(place.journal.read().is_err());
    set_mode(&file, 0o600);
    set_mode(&dir, 0o702);
    assert!(refusal(&place).contains("others can write to it"));
    set_mode(&dir, 0o700);
    assert_eq!(place.journal.append(now(), body(1)).unwrap().seq, 2);
}

#[test]
fn symbolic_links_are_not_followed() {
    let place = place();
    place.journal.append(now(), body(0)).unwrap();
    let (file, dir) = (place.disk.path(), place.disk.path().parent().unwrap().to_owned());
    let elsewhere = dir.with_file_name("elsewhere");
    fs::rename(&file, &elsewhere).unwrap();
    symlink(&elsewhere, &file).unwrap();
    let before = fs::read(&elsewhere).unwrap();
    refusal(&place);
    assert_eq!(fs::read(&elsewhere).unwrap(), before);
    fs::remove_file(&file).unwrap();
    let other = dir.with_file_name("other");
    fs::rename(&dir, &other).unwrap();
    symlink(&other, &dir).unwrap();
    refusal(&place);
}

#[test]
fn something_else_in_its_place_is_refused() {
    let place = place();
    fs::create_dir_all(place.disk.path()).unwrap();
    refusal(&place);
    fs::remove_dir(place.disk.path()).unwrap();
    let fifo = rustix::fs::mknodat(
        rustix::fs::CWD,
        place.disk.path(),
        rustix::fs::FileType::Fifo,
        0o600.into(),
        0,
    );
    if fifo.is_ok() {
        assert!(place.journal.read().is_err(), "and nobody waits for its other end");
    }
}

/// What a person is told who wants something done, with what to do about it.
fn told(place: &Place) -> String {
    place.journal.append(now(), body(0)).unwrap_err().to_string()
}

#[test]
fn the_advice_fits_the_cause() {
    type Damage = fn(&Path);
    let damages: [(&str, Damage, &str); 5] = [
        (
            "link",
            |file| symlink(file.with_extension("elsewhere"), file).unwrap(),
            "move the link away",
        ),
        ("directory", |file| fs::create_dir(file).unwrap(), "directory"),
        (
            "mode",
            |file| {
                fs::write(file, "").unwrap();
                set_mode(file, 0o622);
            },
            "chmod go-w",
        ),
        ("directory's mode", |file| set_mode(file.parent().unwrap(), 0o777), "chmod go-w"),
        (
            "pipe",
            |file| {
                let kind = rustix::fs::FileType::Fifo;
                rustix::fs::mknodat(rustix::fs::CWD, file, kind, 0o600.into(), 0).unwrap();
            },
            "regular file",
        ),
    ];
    for (what, damage, advice) in damages {
        let place = place();
        drop(place.journal.lease("abc").unwrap());
        damage(&place.disk.path());
        let said = told(&place);
        assert!(said.contains(advice), "{what}: {said}");
        assert!(!said.contains("free"), "{what}: {said}");
        assert!(said.contains("nothing is done without an audit log"), "{said}");
    }
    let full = std::io::Error::from(rustix::io::Errno::NOSPC);
    let full = AuditError::from(DiskError { what: "writing", error: full }).to_string();
    assert!(full.contains("free space"), "{full}");
}

#[tokio::test]
async fn a_copy_is_made_through_no_link_and_waits_for_no_pipe() {
    let place = place();
    place.journal.append(now(), body(0)).unwrap();
    let log = fs::read(place.disk.path()).unwrap();
    for thing in ["link", "dangling", "pipe", "directory", "device"] {
        let dir = tempfile::tempdir().unwrap();
        let (path, target) = (dir.path().join("box.audit.jsonl"), dir.path().join("target"));
        fs::write(&target, "").unwrap();
        set_mode(&target, 0o644);
        match thing {
            "link" => symlink(&target, &path).unwrap(),
            "dangling" => symlink(dir.path().join("nowhere"), &path).unwrap(),
            "pipe" => {
                let kind = rustix::fs::FileType::Fifo;
                rustix::fs::mknodat(rustix::fs::CWD, &path, kind, 0o600.into(), 0).unwrap();
            }
            "directory" => fs::create_dir(&path).unwrap(),
            _ => symlink("/dev/zero", &path).unwrap(),
        }
        let error = DirectoryCopy::new(dir.path(), "box").copy("r", &log, 0).await.unwrap_err();
        assert!(!error.fix.contains("free") && error.fix.contains("the log itself"), "{error}");
        assert_eq!((fs::read(&target).unwrap(), mode(&target)), (Vec::new(), 0o644), "{thing}");
        assert!(!dir.path().join("nowhere").exists());
    }
}

#[test]
fn writers_at_the_same_time_keep_one_chain() {
    let place = place();
    thread::scope(|scope| {
        for writer in 0..4 {
            let disk = place.disk.clone();
            scope.spawn(move || {
                let journal = Journal::new(Arc::new(disk));
                for n in 0..25 {
                    journal.append(now(), body(writer * 100 + n)).unwrap();
                    assert!(journal.verify().unwrap().holds());
                }
            });
        }
    });
    let chain = place.journal.verify().unwrap();
    assert_eq!((chain.lines, chain.problems), (100, Vec::new()));
}

#[test]
fn a_log_that_was_moved_aside_is_begun_anew() {
    let place = place();
    place.journal.append(now(), body(0)).unwrap();
    fs::rename(place.disk.path(), place.disk.path().with_file_name("audit.old")).unwrap();
    assert_eq!(place.journal.append(now(), body(1)).unwrap().seq, 1);
    assert!(place.journal.verify().unwrap().holds());
}

#[test]
fn a_run_is_alive_as_long_as_its_lease() {
    let place = place();
    assert!(!place.journal.is_alive("a1").unwrap(), "never announced");
    let lease = place.journal.lease("a1").unwrap();
    assert!(place.journal.is_alive("a1").unwrap());
    assert!(!place.journal.is_alive("a2").unwrap());
    drop(lease);
    assert!(!place.journal.is_alive("a1").unwrap());
    let dir = place.disk.path().parent().unwrap().to_owned();
    assert_eq!(fs::read_dir(&dir).unwrap().count(), 0, "nothing is left behind");
    // As a killed process leaves it: the file without the lock.
    fs::write(dir.join("run-dead.lock"), "").unwrap();
    assert!(!place.journal.is_alive("dead").unwrap());
    assert!(!dir.join("run-dead.lock").exists());
    fs::write(dir.join("run-dead2.lock"), "").unwrap();
    let _lease = place.journal.lease("a3").unwrap();
    assert!(!dir.join("run-dead2.lock").exists(), "swept by the next run");
    assert!(place.journal.is_alive("a3").unwrap());
}

#[test]
fn the_id_of_a_run_leads_nowhere_else() {
    let place = place();
    let _lease = place.journal.lease("ok").unwrap();
    for id in ["", "../ok", "a/b", ".", "x\0y", &"a".repeat(65)] {
        assert!(place.disk.lease(id).is_err(), "{id:?}");
        assert!(!place.disk.is_alive(id).unwrap(), "{id:?}");
    }
}

#[tokio::test]
async fn a_copy_gets_what_is_new_and_notices_what_was_changed() {
    let root = tempfile::tempdir().unwrap();
    let copy = DirectoryCopy::new(&root.path().join("copies"), "gpu/../box");
    let file = root.path().join("copies/gpu____box.audit.jsonl");
    assert_eq!(copy.place(), file.display().to_string());
    let (short, long) = (log(1), log(3));
    copy.copy("r1", &short, 0).await.unwrap();
    assert_eq!(fs::read(&file).unwrap(), short);
    assert_eq!(mode(&file), 0o600);
    copy.copy("r2", &long, short.len()).await.unwrap();
    copy.copy("r1", &short, 0).await.unwrap();
    assert_eq!(fs::read(&file).unwrap(), long, "a late copy takes nothing away");
    let mut changed = log(4);
    changed[5] ^= 1;
    let error = copy.copy("r3", &changed, 0).await.unwrap_err();
    assert!(error.message.contains("changed or replaced"), "{error}");
    assert_eq!(fs::read(&file).unwrap(), long);
}
