//! Each way of opening against each thing that can lie there.

use std::os::unix::fs::FileTypeExt as _;
use std::os::unix::net::UnixListener;

use super::*;

/// What can lie where a file of ours belongs.
const THINGS: [&str; 8] = [
    "link",
    "dangling",
    "loop",
    "link to a pipe",
    "pipe",
    "directory",
    "socket",
    "link to a device",
];

/// Puts the thing at `path`; the target of links is `target`, which lies beside it.
fn put(thing: &str, path: &Path, target: &Path) {
    fs::write(target, "precious").unwrap();
    fs::set_permissions(target, fs::Permissions::from_mode(0o644)).unwrap();
    let pipe = |at: &Path| {
        let mode = rustix::fs::Mode::from_raw_mode(0o644);
        let kind = rustix::fs::FileType::Fifo;
        rustix::fs::mknodat(rustix::fs::CWD, at, kind, mode, 0).unwrap();
    };
    match thing {
        "link" => symlink(target, path).unwrap(),
        "dangling" => symlink(path.with_extension("nowhere"), path).unwrap(),
        "loop" => symlink(path, path).unwrap(),
        "link to a pipe" => {
            let at = path.with_extension("pipe");
            pipe(&at);
            symlink(at, path).unwrap();
        }
        "pipe" => pipe(path),
        "directory" => fs::create_dir(path).unwrap(),
        "socket" => drop(UnixListener::bind(path).unwrap()),
        _ => symlink("/dev/zero", path).unwrap(),
    }
}

/// What lies there, as far as a careless opening would have changed it.
fn seen(path: &Path, target: &Path) -> (u32, bool, Vec<u8>, u32, bool) {
    let there = fs::symlink_metadata(path).unwrap();
    let made = fs::symlink_metadata(path.with_extension("nowhere")).is_ok();
    (
        there.permissions().mode(),
        there.file_type().is_fifo(),
        fs::read(target).unwrap(),
        mode(target),
        made,
    )
}

type Try = fn(&Path) -> io::Result<()>;

#[test]
fn nothing_of_ours_is_opened_through_what_lies_in_its_place() {
    let ways: [(&str, Try); 9] = [
        ("append", |p| append(p).map(drop)),
        ("update", |p| update(p).map(drop)),
        ("create_new", |p| create_new(p).map(drop)),
        ("create_whole", |p| create_whole(p, b"new")),
        ("replace", |p| replace(p, b"new")),
        ("own", |p| own(p).map(drop)),
        ("read_own", |p| read_own(p, 99).map(drop)),
        ("check_own", |p| check_own(p).map(drop)),
        ("append twice", |p| append(p).and_then(|_| append(p)).map(drop)),
    ];
    let mut inputs = 0;
    for (way, open) in ways {
        for thing in THINGS {
            let dir = tempfile::tempdir().unwrap();
            let (path, target) = (dir.path().join("ours"), dir.path().join("target"));
            put(thing, &path, &target);
            let before = seen(&path, &target);
            let there = fs::read_dir(dir.path()).unwrap().count();
            let error = open(&path).expect_err(&format!("{way} {thing}"));
            assert_eq!(seen(&path, &target), before, "{way} {thing}: {error}");
            assert_eq!(fs::read_dir(dir.path()).unwrap().count(), there, "{way} {thing}");
            let expected: &[Cause] = match (way, thing) {
                ("create_new" | "create_whole", _) => &[Cause::Exists],
                (_, "pipe" | "directory" | "socket") => &[Cause::NotAFile],
                _ => &[Cause::Link],
            };
            assert!(expected.contains(&Cause::of(&error)), "{way} {thing}: {error}");
            inputs += 1;
        }
    }
    println!("hostile: files of ours: {inputs} inputs");
    assert!(inputs >= 72);
}

#[test]
fn what_a_person_names_is_read_where_it_is_a_file_and_never_waited_for() {
    let ways: [(&str, Try); 3] = [
        ("named", |p| named(p).map(drop)),
        ("read_named", |p| read_named(p, 99).map(drop)),
        ("read_config", |p| read_config(p, 99).map(drop)),
    ];
    let mut inputs = 0;
    for (way, open) in ways {
        for thing in THINGS {
            let dir = tempfile::tempdir().unwrap();
            let (path, target) = (dir.path().join("named"), dir.path().join("target"));
            put(thing, &path, &target);
            let before = seen(&path, &target);
            let cause = open(&path).map_err(|e| Cause::of(&e)).err();
            let expected = match thing {
                "link" => None,
                "dangling" => Some(Cause::Missing),
                "loop" => Some(Cause::Link),
                _ => Some(Cause::NotAFile),
            };
            assert_eq!(cause, expected, "{way} {thing}");
            assert_eq!(seen(&path, &target), before, "{way} {thing}");
            inputs += 1;
        }
        let dir = tempfile::tempdir().unwrap();
        let large = dir.path().join("large");
        fs::File::create(&large).unwrap().set_len(1 << 40).unwrap();
        let read = if way == "named" { Ok(()) } else { open(&large).map_err(|e| Cause::of(&e)) };
        assert!(way == "named" || read == Err(Cause::TooLarge), "{way}");
        inputs += 1;
    }
    println!("hostile: files that are named: {inputs} inputs");
    assert!(inputs >= 27);
}

#[test]
fn a_full_disk_is_named_as_one() {
    use io::Write as _;
    let mut full = fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let error = full.write_all(b"x").unwrap_err();
    assert_eq!(Cause::of(&error), Cause::Full);
    println!("hostile: full disks: 1 inputs");
}
