//! Every file of ours against everything that can lie in its place.

mod hostile;

use std::fs;
use std::io;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};
use std::thread;

use super::*;

fn mode(path: &Path) -> u32 {
    fs::symlink_metadata(path).unwrap().permissions().mode() & 0o777
}

#[test]
fn what_is_made_is_for_its_owner_alone() {
    let dir = tempfile::tempdir().unwrap();
    let deep = dir.path().join("a/b");
    private_dir(&deep).unwrap();
    assert_eq!((mode(&deep), mode(&dir.path().join("a"))), (0o700, 0o700));
    let at = |name: &str| deep.join(name);
    create_new(&at("new")).unwrap();
    create_whole(&at("whole"), b"x").unwrap();
    replace(&at("replaced"), b"x").unwrap();
    append(&at("appended")).unwrap();
    update(&at("updated")).unwrap();
    for name in ["new", "whole", "replaced", "appended", "updated"] {
        assert_eq!(mode(&at(name)), 0o600, "{name}");
    }
    assert_eq!(fs::read_dir(&deep).unwrap().count(), 5, "nothing is left beside them");
}

#[test]
fn a_file_of_ours_that_others_could_read_is_made_private() {
    let dir = tempfile::tempdir().unwrap();
    for (n, open) in [append as fn(&Path) -> io::Result<fs::File>, update].iter().enumerate() {
        let path = dir.path().join(n.to_string());
        fs::write(&path, "old").unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o644)).unwrap();
        open(&path).unwrap();
        assert_eq!(mode(&path), 0o600);
        assert_eq!(fs::read(&path).unwrap(), b"old");
    }
    let path = dir.path().join("checked");
    fs::write(&path, "").unwrap();
    assert!(check_own(&path).unwrap());
    assert_eq!(mode(&path), 0o600);
    assert!(!check_own(&dir.path().join("none")).unwrap());
}

#[test]
fn a_file_that_comes_and_goes_is_there_or_not_and_never_an_error() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("cache.db-journal");
    thread::scope(|scope| {
        let other = scope.spawn(|| {
            for _ in 0..20_000 {
                create_new(&path).unwrap();
                fs::remove_file(&path).unwrap();
            }
        });
        while !other.is_finished() {
            check_own(&path).unwrap();
        }
    });
}

#[test]
fn a_whole_file_is_never_over_another() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("x");
    create_whole(&path, b"one").unwrap();
    assert_eq!(create_whole(&path, b"two").unwrap_err().kind(), io::ErrorKind::AlreadyExists);
    assert_eq!(fs::read(&path).unwrap(), b"one");
    replace(&path, b"three").unwrap();
    assert_eq!(read_own(&path, 5).unwrap(), b"three");
    assert_eq!(Cause::of(&read_own(&path, 4).unwrap_err()), Cause::TooLarge);
    assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1);
}

#[test]
fn a_configuration_may_be_a_link_to_what_nobody_else_can_change() {
    let dir = tempfile::tempdir().unwrap();
    let (real, link) = (dir.path().join("dotfiles.toml"), dir.path().join("config.toml"));
    fs::write(&real, "regions = 'all'").unwrap();
    symlink(&real, &link).unwrap();
    for (bits, fine) in [(0o600, true), (0o644, true), (0o664, true), (0o666, false)] {
        fs::set_permissions(&real, fs::Permissions::from_mode(bits)).unwrap();
        let read = read_config(&link, 99);
        assert_eq!(read.is_ok(), fine, "{bits:o}: {read:?}");
        assert_eq!(mode(&real), bits, "reading changes nothing");
    }
    assert_eq!(Cause::of(&read_config(&link, 99).unwrap_err()), Cause::Shared);
    if rustix::process::geteuid().is_root() {
        std::os::unix::fs::chown(&real, Some(12_345), None).unwrap();
        fs::set_permissions(&real, fs::Permissions::from_mode(0o600)).unwrap();
        assert_eq!(Cause::of(&read_config(&link, 99).unwrap_err()), Cause::Owner);
    }
}

#[test]
fn a_lock_that_is_held_is_not_waited_for_without_end() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("x.lock");
    let holder = update(&path).unwrap();
    lock(&holder).unwrap();
    let error = write::lock_in(&update(&path).unwrap(), 2).unwrap_err();
    assert_eq!(Cause::of(&error), Cause::Held);
    drop(holder);
    lock(&update(&path).unwrap()).unwrap();
}

#[test]
fn the_advice_fits_the_cause() {
    use rustix::io::Errno;
    for (errno, cause, word) in [
        (Errno::LOOP, Cause::Link, "link"),
        (Errno::ACCESS, Cause::Denied, "right"),
        (Errno::PERM, Cause::Denied, "right"),
        (Errno::NOSPC, Cause::Full, "free space"),
        (Errno::DQUOT, Cause::Full, "quota"),
        (Errno::ROFS, Cause::ReadOnly, "can only be read"),
        (Errno::NOENT, Cause::Missing, "check the name"),
        (Errno::NOTDIR, Cause::NotADirectory, "check the path"),
        (Errno::ISDIR, Cause::Directory, "name a file"),
        (Errno::EXIST, Cause::Exists, "name a new file"),
        (Errno::MFILE, Cause::TooManyOpen, "ulimit"),
        (Errno::NFILE, Cause::TooManyOpen, "ulimit"),
        (Errno::FBIG, Cause::TooLarge, "smaller"),
        (Errno::NXIO, Cause::NotAFile, "regular file"),
        (Errno::IO, Cause::Failing, "disk fails"),
        (Errno::NAMETOOLONG, Cause::Other, "see what the system said"),
    ] {
        let error = io::Error::from(errno);
        assert_eq!(Cause::of(&error), cause, "{errno:?}");
        assert!(explain(&error).contains(word), "{}", explain(&error));
    }
    for (refused, cause, word) in [
        (Refused::Link, Cause::Link, "move the link away"),
        (Refused::NotAFile, Cause::NotAFile, "regular file"),
        (Refused::Owner, Cause::Owner, "chown"),
        (Refused::Shared, Cause::Shared, "chmod go-w"),
        (Refused::TooLarge { limit: 7 }, Cause::TooLarge, "larger than 7 bytes"),
        (Refused::Foreign, Cause::Foreign, "another file"),
        (Refused::Held, Cause::Held, "end the process"),
    ] {
        let error = io::Error::from(refused);
        assert_eq!(Cause::of(&error), cause);
        assert!(explain(&error).contains(word), "{}", explain(&error));
    }
    // Only a full disk is freed.
    for cause in [Cause::Link, Cause::Owner, Cause::Shared, Cause::Denied, Cause::NotAFile] {
        assert!(!cause.advice().contains("free"), "{}", cause.advice());
    }
}

#[test]
fn every_file_is_opened_here() {
    // Where a file is opened by other means, and why that is safe.
    const ELSEWHERE: &[(&str, &str)] = &[
        ("act/exec/audit/file.rs", "by openat, below a directory that it holds open"),
        ("act/exec/audit/lease.rs", "by openat, below a directory that it holds open"),
        ("act/exec/operator/run.rs", "the kernel's own file"),
        ("cli/acting.rs", "the kernel's own file"),
        ("cli/whatif/store.rs", "the directory, to lock it"),
        ("config/views.rs", "the directory, to lock it"),
        ("act/exec/storage/backup.rs", "the directory, to sync it"),
        ("source/nvml/process.rs", "the kernel's own files"),
        ("source/nvml/host.rs", "the kernel's own files"),
        ("term/tty.rs", "the terminal"),
    ];
    const OPENS: &[&str] = &[
        "File::open(",
        "File::create(",
        "OpenOptions::new()",
        "fs::write(",
        "fs::read(",
        "fs::read_to_string(",
        "fs::create_dir",
        "DirBuilder::new()",
        "rustix::fs::open",
        "set_permissions(",
    ];
    fn walk(dir: &Path, out: &mut Vec<PathBuf>) {
        for entry in fs::read_dir(dir).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_stem().unwrap().to_string_lossy().into_owned();
            let is_test = name == "tests" || name.ends_with("_tests") || name == "fixture";
            match path.is_dir() {
                _ if is_test => {}
                true => walk(&path, out),
                false => out.push(path),
            }
        }
    }
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut sources = Vec::new();
    walk(&src, &mut sources);
    assert!(sources.len() > 400, "the walk found only {} files", sources.len());
    let mut found = Vec::new();
    for path in sources {
        let name = path.strip_prefix(&src).unwrap().to_str().unwrap().to_owned();
        if name.starts_with("files/") || ELSEWHERE.iter().any(|(file, _)| *file == name) {
            continue;
        }
        let text = fs::read_to_string(&path).unwrap();
        let shipped = text.split("#[cfg(test)]").next().unwrap_or_default();
        // Options of the cache have the same name; they open nothing.
        let shipped = shipped
            .replace("crate::cache::OpenOptions", "")
            .replace("None => OpenOptions::new(path)", "");
        let code = shipped.lines().filter(|line| !line.trim_start().starts_with("//"));
        let own_options = shipped.contains("use crate::cache::{");
        for line in code {
            for open in OPENS {
                let is_cache = own_options && line.contains("OpenOptions::new(path)");
                if line.contains(open) && !is_cache {
                    found.push(format!("{name}: {}", line.trim()));
                }
            }
        }
    }
    assert_eq!(found, Vec::<String>::new());
}
