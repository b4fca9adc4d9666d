//! Opening a database file: created private, recognised, migrated; set aside when unusable.

use std::fs::{self, File};
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use jiff::Timestamp;
use rusqlite::{Connection, ErrorCode, OpenFlags, TransactionBehavior};

use super::notice::Defect;
use super::schema::Schema;
use crate::files::{self, Cause};

/// How long a statement waits for another process before it gives up.
const BUSY_TIMEOUT: Duration = Duration::from_secs(5);

/// Attempts at opening a locked file, which share [`BUSY_TIMEOUT`].
const OPEN_TRIES: u32 = 20;

/// After a checkpoint the write-ahead log is cut to this size, bytes.
const JOURNAL_LIMIT: u32 = 16 << 20;

/// Pages held in memory, as SQLite's negative kibibytes: 1 MiB. Most rows are read once, at the start; what
/// is read again lies in the page cache of the system.
const PAGE_CACHE_KIB: i32 = -1024;

/// Meaning of an SQLite error for the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Trouble {
    /// The content is damaged or not ours.
    Broken,
    /// The disk is full, read-only or failing.
    NoDisk,
    /// Another process held the lock for longer than the time limit.
    Busy,
}

/// Classifies an SQLite error. Errors that concern neither disk nor lock (a missing table, a text in place of a number)
/// can only come from a file with other content than ours.
pub(super) fn trouble(error: &rusqlite::Error) -> Trouble {
    match error.sqlite_error_code() {
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => Trouble::Busy,
        Some(
            ErrorCode::DiskFull
            | ErrorCode::ReadOnly
            | ErrorCode::SystemIoFailure
            | ErrorCode::CannotOpen
            | ErrorCode::PermissionDenied
            | ErrorCode::OutOfMemory
            | ErrorCode::FileLockingProtocolFailed,
        ) => Trouble::NoDisk,
        _ => Trouble::Broken,
    }
}

/// Cause of an SQLite error, as far as the advice depends on it.
fn cause(error: &rusqlite::Error) -> Cause {
    match error.sqlite_error_code() {
        Some(ErrorCode::DiskFull) => Cause::Full,
        Some(ErrorCode::ReadOnly) => Cause::ReadOnly,
        Some(ErrorCode::CannotOpen | ErrorCode::PermissionDenied) => Cause::Denied,
        Some(ErrorCode::SystemIoFailure) => Cause::Failing,
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => Cause::Held,
        _ => Cause::Other,
    }
}

/// Why a file cannot be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Why {
    /// Message of the operating system or SQLite.
    pub text: String,
    /// Cause, from which the advice follows.
    pub cause: Cause,
}

impl From<rusqlite::Error> for Why {
    fn from(error: rusqlite::Error) -> Self {
        Self { text: error.to_string(), cause: cause(&error) }
    }
}

impl From<io::Error> for Why {
    fn from(error: io::Error) -> Self {
        Self { text: files::reason(&error), cause: Cause::of(&error) }
    }
}

impl From<Defect> for Why {
    fn from(why: Defect) -> Self {
        Self { text: format!("it {why}"), cause: Cause::Foreign }
    }
}

/// Why a database file could not be opened.
#[derive(Debug)]
pub(super) enum OpenError {
    /// The file exists and is unusable: to be set aside.
    Defect(Defect),
    /// Another process holds its lock.
    Busy(Why),
    /// The file cannot be opened at all: the cache stays in memory.
    Unavailable(Why),
}

impl From<rusqlite::Error> for OpenError {
    fn from(error: rusqlite::Error) -> Self {
        if error.sqlite_error_code() == Some(ErrorCode::NotADatabase) {
            return Self::Defect(Defect::NotSqlite);
        }
        match trouble(&error) {
            Trouble::Broken => Self::Defect(Defect::Damaged { detail: error.to_string() }),
            Trouble::Busy => Self::Busy(error.into()),
            Trouble::NoDisk => Self::Unavailable(error.into()),
        }
    }
}

impl From<io::Error> for OpenError {
    fn from(error: io::Error) -> Self {
        Self::Unavailable(error.into())
    }
}

/// A file that was renamed because it is unusable.
#[derive(Debug)]
pub(super) struct Aside {
    /// Path of the renamed file.
    pub moved_to: PathBuf,
    /// Defect of the file.
    pub why: Defect,
}

/// Identity of a file on its file system: device and inode.
pub(super) type FileId = (u64, u64);

/// Identity of the file at `path`; `None` when there is none.
pub(super) fn file_id(path: &Path) -> Option<FileId> {
    fs::symlink_metadata(path).ok().map(|m| (m.dev(), m.ino()))
}

/// Opens `path` for reading and writing; renames an unusable file and creates a new one. Err when the file can neither
/// be opened nor replaced.
pub(super) fn open_or_replace(
    path: &Path,
    schema: &Schema,
    now: Timestamp,
) -> Result<(Connection, Option<Aside>), Why> {
    let found = file_id(path);
    match open(path, schema, None) {
        Ok(conn) => Ok((conn, None)),
        Err(OpenError::Busy(why)) => Err(why),
        Err(OpenError::Unavailable(why)) if file_id(path) == found => Err(why),
        Err(OpenError::Defect(_) | OpenError::Unavailable(_)) => {
            // Another process may be replacing the same file, and between its renaming and its creating there
            // is none: under the lock, look again.
            let guard = lock_beside(path)?;
            match open(path, schema, Some(&guard)) {
                Ok(conn) => Ok((conn, None)),
                Err(OpenError::Busy(why) | OpenError::Unavailable(why)) => Err(why),
                Err(OpenError::Defect(why)) => {
                    let moved_to = set_aside(path, now)?;
                    reopen(path, schema, &guard).map(|conn| (conn, Some(Aside { moved_to, why })))
                }
            }
        }
    }
}

/// Replaces an open file that turned out to be damaged. `opened` is its identity: when another process has already
/// replaced it, the new file is opened. Err when no file can be opened.
pub(super) fn replace_damaged(
    path: &Path,
    schema: &Schema,
    opened: Option<FileId>,
    why: Defect,
    now: Timestamp,
) -> Result<(Connection, Option<Aside>), Why> {
    let guard = lock_beside(path)?;
    if opened.is_some() && file_id(path) == opened {
        let moved_to = set_aside(path, now)?;
        return reopen(path, schema, &guard).map(|conn| (conn, Some(Aside { moved_to, why })));
    }
    drop(guard);
    open_or_replace(path, schema, now)
}

fn reopen(path: &Path, schema: &Schema, guard: &File) -> Result<Connection, Why> {
    open(path, schema, Some(guard)).map_err(|e| match e {
        OpenError::Busy(why) | OpenError::Unavailable(why) => why,
        OpenError::Defect(why) => why.into(),
    })
}

/// Opens a database in memory with the tables of `schema`. Err when SQLite fails.
pub(super) fn open_in_memory(schema: &Schema) -> rusqlite::Result<Connection> {
    // The URI flag lets `ATTACH` open the file on disk read-only.
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE
        | OpenFlags::SQLITE_OPEN_URI
        | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let mut conn = Connection::open_in_memory_with_flags(flags)?;
    conn.pragma_update(None, "auto_vacuum", "INCREMENTAL")?;
    configure(&conn)?;
    migrate(&mut conn, schema)?;
    Ok(conn)
}

/// The files that SQLite may keep beside a database.
const SIDES: [&str; 3] = ["-wal", "-shm", "-journal"];

/// The path without links in its directory: SQLite is told to follow none, and means all of them.
/// A person may well have linked the directory.
fn unlinked(path: &Path) -> io::Result<PathBuf> {
    let dir = path.parent().filter(|d| !d.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let name = path.file_name().ok_or(io::ErrorKind::InvalidInput)?;
    Ok(fs::canonicalize(dir)?.join(name))
}

/// True when the files beside the one at `path` are ours, or not there.
fn check_sides(path: &Path) -> io::Result<()> {
    SIDES.iter().try_for_each(|side| files::check_own(&beside(path, side)).map(|_| ()))
}

/// Opens the file at `path` for reading only, without waiting for locks. Err for a missing file, a link, a file of
/// another user, or when SQLite fails.
pub(super) fn open_read_only(path: &Path) -> rusqlite::Result<Connection> {
    let refused = |_| rusqlite::Error::InvalidPath(path.to_owned());
    let path = unlinked(path).map_err(refused)?;
    files::own(&path).map_err(refused)?;
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY
        | OpenFlags::SQLITE_OPEN_NO_MUTEX
        | OpenFlags::SQLITE_OPEN_NOFOLLOW;
    if check_sides(&path).is_ok() {
        let conn = Connection::open_with_flags(&path, flags)?;
        conn.busy_timeout(Duration::ZERO)?;
        match conn.query_row("SELECT count(*) FROM sqlite_schema", [], |_| Ok(())) {
            Ok(()) => return Ok(conn),
            // A read-only directory cannot hold the WAL index: read the file as it lies there.
            Err(e) if trouble(&e) == Trouble::NoDisk => {}
            Err(e) => return Err(e),
        }
    }
    Connection::open_with_flags(uri(&path, "immutable=1"), flags | OpenFlags::SQLITE_OPEN_URI)
}

/// SQLite URI of `path` with the parameters `query`; `?`, `#` and `%` in the path are escaped.
pub(super) fn uri(path: &Path, query: &str) -> String {
    let path = path.to_string_lossy().replace('%', "%25").replace('?', "%3f").replace('#', "%23");
    format!("file:{path}?{query}")
}

/// Copies the readable rows of `tables` from the file at `path` into `conn`. Err when SQLite fails on `conn`.
pub(super) fn copy_from_file(
    conn: &Connection,
    path: &Path,
    schema: &Schema,
    tables: &[&str],
) -> rusqlite::Result<()> {
    let Ok(path) = unlinked(path).and_then(|path| files::own(&path).map(|_| path)) else {
        return Ok(());
    };
    // `mode=ro` sees the write-ahead log; a read-only directory allows only `immutable`.
    let modes: &[&str] =
        if check_sides(&path).is_ok() { &["mode=ro", "immutable=1"] } else { &["immutable=1"] };
    let attached = modes.iter().any(|mode| {
        let ready = conn.execute("ATTACH DATABASE ?1 AS old", [uri(&path, mode)]).is_ok();
        let readable = ready
            && conn.query_row("PRAGMA old.user_version", [], |r| r.get::<_, i32>(0))
                == Ok(schema.version());
        if ready && !readable {
            let _ = conn.execute_batch("DETACH DATABASE old");
        }
        readable
    });
    if attached {
        for table in tables {
            // A table that breaks half way leaves the others.
            let _ = conn.execute(
                &format!("INSERT OR REPLACE INTO main.{table} SELECT * FROM old.{table}"),
                [],
            );
        }
        conn.execute_batch("DETACH DATABASE old")?;
    }
    Ok(())
}

/// Opens the file at `path` for reading and writing, and creates it where missing. `guard`: the lock beside the file,
/// where the caller holds it. Err when it is unusable or out of reach; nothing is set aside.
pub(super) fn open(
    path: &Path,
    schema: &Schema,
    guard: Option<&File>,
) -> Result<Connection, OpenError> {
    if let Some(dir) = path.parent() {
        files::private_dir(dir)?;
    }
    let path = &unlinked(path)?;
    // Nobody may take a file that is being made for one that has lost its rows.
    let _made_alone = match guard {
        None if !schema.may_be_empty && !path.exists() => Some(lock_beside(path)?),
        _ => None,
    };
    let is_new = create_private(path)?;
    // Two processes that switch the same new file to WAL at the same instant can meet a lock that
    // SQLite refuses to wait for, so the waiting is done here, in steps.
    for _ in 1..OPEN_TRIES {
        match open_once(path, schema, is_new) {
            Err(OpenError::Busy(_)) => thread::sleep(Duration::from_millis(20)),
            other => return other,
        }
    }
    open_once(path, schema, is_new)
}

fn open_once(path: &Path, schema: &Schema, is_new: bool) -> Result<Connection, OpenError> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE
        | OpenFlags::SQLITE_OPEN_NO_MUTEX
        | OpenFlags::SQLITE_OPEN_NOFOLLOW;
    let mut conn = Connection::open_with_flags(path, flags)?;
    conn.busy_timeout(BUSY_TIMEOUT / OPEN_TRIES)?;
    let number = |name: &str| conn.pragma_query_value(None, name, |r| r.get::<_, i32>(0));
    // The first read: a foreign header, a truncated file and a bad schema page show here.
    let tables: i64 = conn.query_row("SELECT count(*) FROM sqlite_schema", [], |r| r.get(0))?;
    let (application_id, version) = (number("application_id")?, number("user_version")?);
    let fresh = application_id == 0 && version == 0 && tables == 0;
    if fresh && !is_new && !schema.may_be_empty {
        return Err(OpenError::Defect(Defect::Damaged { detail: "it is empty".into() }));
    }
    if !fresh && application_id != schema.application_id {
        return Err(OpenError::Defect(Defect::Foreign { application_id }));
    }
    if version > schema.version() {
        return Err(OpenError::Defect(Defect::FromFuture {
            found: version,
            known: schema.version(),
        }));
    }
    if conn.is_readonly("main")? {
        let text = "the file is read-only".to_owned();
        return Err(OpenError::Unavailable(Why { text, cause: Cause::ReadOnly }));
    }
    if fresh {
        // Must come before the first table; lets the file shrink after an eviction.
        conn.pragma_update(None, "auto_vacuum", "INCREMENTAL")?;
    }
    // Where WAL cannot be had (some network file systems) SQLite stays with its rollback journal.
    conn.pragma_update_and_check(None, "journal_mode", "WAL", |_| Ok(()))?;
    configure(&conn)?;
    migrate(&mut conn, schema)?;
    conn.busy_timeout(BUSY_TIMEOUT)?;
    Ok(conn)
}

fn configure(conn: &Connection) -> rusqlite::Result<()> {
    // In WAL, NORMAL survives a killed process; only a power cut may lose the last seconds.
    conn.pragma_update(None, "synchronous", "NORMAL")?;
    // A row that is replaced is deleted first, which the digest has to see.
    conn.pragma_update(None, "recursive_triggers", true)?;
    conn.pragma_update(None, "cache_size", PAGE_CACHE_KIB)?;
    // Nothing is spilled to a temporary file outside the private directory.
    conn.pragma_update(None, "temp_store", "MEMORY")?;
    conn.pragma_update_and_check(None, "journal_size_limit", JOURNAL_LIMIT, |_| Ok(()))?;
    conn.set_prepared_statement_cache_capacity(32);
    Ok(())
}

fn migrate(conn: &mut Connection, schema: &Schema) -> rusqlite::Result<()> {
    let version =
        |c: &Connection| c.pragma_query_value(None, "user_version", |r| r.get::<_, i32>(0));
    if version(conn)? == schema.version() {
        return Ok(());
    }
    let tx = conn.transaction_with_behavior(TransactionBehavior::Immediate)?;
    // Another process may have migrated while we waited for the lock.
    let done = usize::try_from(version(&tx)?).unwrap_or(0);
    for step in schema.migrations.iter().skip(done) {
        tx.execute_batch(step)?;
    }
    (schema.take_over)(&tx, i32::try_from(done).unwrap_or(i32::MAX))?;
    tx.pragma_update(None, "application_id", schema.application_id)?;
    tx.pragma_update(None, "user_version", schema.version())?;
    tx.commit()
}

/// Creates the file (0600) where missing, and makes it private where it is ours but open to others;
/// true when it was missing. SQLite gives its side files the mode of the main one. What is no file
/// of ours is refused before SQLite sees it.
fn create_private(path: &Path) -> io::Result<bool> {
    let is_new = match files::create_new(path) {
        Ok(_) => true,
        Err(e) if e.kind() == io::ErrorKind::AlreadyExists => {
            files::check_own(path)?;
            false
        }
        Err(e) => return Err(e),
    };
    check_sides(path)?;
    Ok(is_new)
}

/// Path of a side file of `path`, such as `-wal` or `-shm`.
pub(super) fn beside(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    name.into()
}

/// Holds `<path>.lock` while a file is replaced. The holder needs milliseconds.
fn lock_beside(path: &Path) -> io::Result<File> {
    let lock = files::update(&beside(path, ".lock"))?;
    files::lock(&lock)?;
    Ok(lock)
}

/// Suffix of the name of a file that was set aside.
const ASIDE: &str = ".broken-";

/// The first, by name, of the files that were set aside for `path`; `None` without any. Err when the directory cannot
/// be read.
pub(super) fn found_aside(path: &Path) -> io::Result<Option<PathBuf>> {
    let dir = path.parent().filter(|d| !d.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut head = path.file_name().unwrap_or_default().to_owned();
    head.push(ASIDE);
    let entries = match fs::read_dir(dir) {
        Err(e) if matches!(e.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
            return Ok(None);
        }
        other => other?,
    };
    let mut found = Vec::new();
    for entry in entries {
        let name = entry?.file_name();
        let is_side = SIDES.iter().any(|s| name.as_encoded_bytes().ends_with(s.as_bytes()));
        if name.as_encoded_bytes().starts_with(head.as_encoded_bytes()) && !is_side {
            found.push(dir.join(name));
        }
    }
    Ok(found.into_iter().min())
}

/// Renames the file and its side files to `<name>.broken-<unix seconds>`; never overwrites.
fn set_aside(path: &Path, now: Timestamp) -> io::Result<PathBuf> {
    let mut target = beside(path, &format!("{ASIDE}{}", now.as_second()));
    let mut n = 1;
    // A link that leads nowhere is a name that is taken as well.
    while fs::symlink_metadata(&target).is_ok() {
        target = beside(path, &format!("{ASIDE}{}.{n}", now.as_second()));
        n += 1;
    }
    // The side files first: a log left alone would be replayed into the new file.
    for side in SIDES {
        match fs::rename(beside(path, side), beside(&target, side)) {
            Err(e) if e.kind() != io::ErrorKind::NotFound => return Err(e),
            _ => {}
        }
    }
    fs::rename(path, &target)?;
    Ok(target)
}
