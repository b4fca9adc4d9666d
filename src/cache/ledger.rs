//! Storage of the own-cost ledger: a small file of its own beside the cache, one for all processes.
//!
//! Prices and the meaning of the figures are in [`crate::source::ledger`]; here are integers.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use jiff::civil::Date;
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};
use rusqlite::{Connection, OptionalExtension, TransactionBehavior, params};

use super::checksum::RowSum;
use super::file::{self, Aside, FileId, Trouble, Why};
use super::notice::{CacheNotice, Defect, LedgerTrouble, NoticeBoard};
use super::schema::LEDGER;
use crate::domain::Hour;
use crate::files::Cause;

/// After a failure the file is left alone for this long.
const RETRY_AFTER: SignedDuration = SignedDuration::from_secs(60);

/// How long a charge waits for another process. Charges take well under a millisecond, so whoever
/// holds the lock for longer has been stopped.
const BUSY_TIMEOUT: Duration = Duration::from_secs(2);

/// No figure of one charge is larger (a billion dollars), so that sums stay exact integers.
const LARGEST: u64 = 1_000_000_000_000_000;

/// Path of the ledger of the cache at `cache`: `ledger.db` in the same directory.
pub fn ledger_path(cache: &Path) -> PathBuf {
    let path = cache.with_file_name("ledger.db");
    // Whoever names the cache like that must not have the two eat each other.
    if path == cache { cache.with_file_name("own-cost-ledger.db") } else { path }
}

/// Charge for a billed call that is about to be made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LedgerCharge {
    /// Time of the call; its UTC day is charged.
    pub at: Timestamp,
    /// Name of the API, such as `GetMetricData`.
    pub api: &'static str,
    /// Number of billed units in the call.
    pub units: u64,
    /// Cost of the call, millionths of a dollar.
    pub micro_usd: u64,
    /// Cap of all processes together on this UTC day, millionths of a dollar.
    pub cap_micro_usd: u64,
}

/// Answer to a [`LedgerCharge`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reserved {
    /// Charged: the call may be made.
    Granted,
    /// Not charged: the day's total would exceed the cap.
    Refused {
        /// Amount spent on this day so far, millionths of a dollar.
        spent_micro_usd: u64,
    },
    /// Not charged: the amount spent is unknown, which counts as the whole cap.
    Unknown(LedgerTrouble),
}

/// Charges of one API on one day.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LedgerEntry {
    /// Name of the API; a newer version of burntop may have written a name that is unknown here.
    pub api: String,
    /// Number of calls.
    pub calls: u64,
    /// Number of billed units.
    pub units: u64,
    /// Cost of the calls, millionths of a dollar.
    pub micro_usd: u64,
}

/// Charges of one UTC day.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LedgerDay {
    /// UTC date.
    pub day: Date,
    /// Charges by API, sorted by name.
    pub entries: Vec<LedgerEntry>,
    /// False when no file can be made: the spending of other processes is missing.
    pub shared: bool,
    /// Why the amount may be incomplete; the cap counts as spent then. `None` when it is complete.
    pub trouble: Option<LedgerTrouble>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Amounts {
    calls: u64,
    units: u64,
    micro_usd: u64,
}

impl Amounts {
    fn add(&mut self, other: Self) {
        self.calls = self.calls.saturating_add(other.calls);
        self.units = self.units.saturating_add(other.units);
        self.micro_usd = self.micro_usd.saturating_add(other.micro_usd);
    }
}

/// Amounts by epoch day and API.
type Book = BTreeMap<(i32, String), Amounts>;

/// Open ledger on the cache's thread.
pub(super) struct LedgerStore {
    conn: Option<Connection>,
    /// `None` in memory.
    path: Option<PathBuf>,
    opened: Option<FileId>,
    board: Arc<NoticeBoard>,
    /// The day last read from the file, for when it cannot be read.
    last: Book,
    /// True where there is no file and none can be made: this process counts by itself.
    alone: bool,
    /// When the file last failed, and why.
    failed: Option<(Timestamp, LedgerTrouble)>,
}

impl LedgerStore {
    /// A ledger in memory, lost when the process ends.
    pub fn in_memory() -> Self {
        Self { conn: file::open_in_memory(&LEDGER).ok(), ..Self::closed(None, Arc::default()) }
    }

    /// Opens the ledger at `path`. While it cannot be used, only calls without cost are granted.
    pub fn open(path: PathBuf, now: Timestamp, board: Arc<NoticeBoard>) -> Self {
        let mut ledger = Self::closed(Some(path), board);
        ledger.connect(now);
        if let Some(trouble) = ledger.aside() {
            ledger.tell(trouble);
        }
        ledger
    }

    fn closed(path: Option<PathBuf>, board: Arc<NoticeBoard>) -> Self {
        Self {
            conn: None,
            path,
            opened: None,
            board,
            last: Book::new(),
            alone: false,
            failed: None,
        }
    }

    /// Charges unless the cap would be exceeded. Atomic across processes: the day's total is read and raised under the
    /// file's write lock. While the amount spent is unknown, only charges of 0 are granted.
    pub fn reserve(&mut self, charge: &LedgerCharge) -> Reserved {
        let day = Hour::containing(charge.at).day();
        let amounts = Amounts {
            calls: 1,
            units: charge.units.min(LARGEST),
            micro_usd: charge.micro_usd.min(LARGEST),
        };
        let fits = |spent: u64| {
            amounts.micro_usd == 0
                || spent.saturating_add(amounts.micro_usd) <= charge.cap_micro_usd
        };
        if let Some(trouble) = self.aside().filter(|_| amounts.micro_usd > 0) {
            return Reserved::Unknown(trouble);
        }
        let on_file = self.run(charge.at, |conn| {
            let tx = conn.transaction_with_behavior(TransactionBehavior::Immediate)?;
            let mut book = read(&tx, day)?;
            let spent = total(&book);
            if !fits(spent) {
                return Ok((Reserved::Refused { spent_micro_usd: spent }, book));
            }
            book.entry((day, charge.api.to_owned())).or_default().add(amounts);
            write(&tx, &book)?;
            tx.commit()?;
            Ok((Reserved::Granted, book))
        });
        match on_file {
            // It broke, and was replaced, right now: what was granted was on top of what is lost.
            Ok((answer, book)) => {
                self.last = book;
                match self.aside().filter(|_| amounts.micro_usd > 0) {
                    Some(trouble) => Reserved::Unknown(trouble),
                    None => answer,
                }
            }
            Err(_) if amounts.micro_usd == 0 => Reserved::Granted,
            Err(trouble) => Reserved::Unknown(trouble),
        }
    }

    /// Charges of the UTC day that contains `now`.
    pub fn day(&mut self, now: Timestamp) -> LedgerDay {
        let day = Hour::containing(now).day();
        let trouble = match self.run(now, |conn| read(conn, day)) {
            Ok(book) => {
                self.last = book;
                self.aside()
            }
            Err(trouble) => Some(trouble),
        };
        let of_day = self.last.iter().filter(|((of, _), _)| *of == day);
        let entries = of_day
            .map(|((_, api), a)| LedgerEntry {
                api: crate::domain::text::clean(api).into_owned(),
                calls: a.calls,
                units: a.units,
                micro_usd: a.micro_usd,
            })
            .collect();
        let (day, shared) = (now.to_zoned(TimeZone::UTC).date(), !self.alone);
        LedgerDay { day, entries, shared, trouble }
    }

    /// A ledger that was set aside and that nobody has taken away: what it held is not known.
    fn aside(&self) -> Option<LedgerTrouble> {
        let path = self.path.as_ref()?;
        match file::found_aside(path) {
            Ok(found) => found.map(LedgerTrouble::Aside),
            Err(error) => Some(self.out_of_reach(error.into())),
        }
    }

    fn out_of_reach(&self, why: Why) -> LedgerTrouble {
        let Why { text: why, cause } = why;
        LedgerTrouble::OutOfReach { file: self.path.clone().unwrap_or_default(), why, cause }
    }

    /// Runs `request` on the file.
    fn run<R>(
        &mut self,
        now: Timestamp,
        request: impl Fn(&mut Connection) -> rusqlite::Result<R>,
    ) -> Result<R, LedgerTrouble> {
        if let Some((at, trouble)) = &self.failed
            && now.duration_since(*at).abs() < RETRY_AFTER
        {
            return Err(trouble.clone());
        }
        self.failed = None;
        if self.conn.is_none() {
            self.connect(now);
        }
        let error = match self.conn.as_mut().map(&request) {
            Some(Ok(answer)) => return Ok(answer),
            Some(Err(error)) => error,
            None => return Err(self.why_not()),
        };
        if file::trouble(&error) == Trouble::Broken && !self.alone {
            self.replace(&error, now);
            if let Some(Ok(answer)) = self.conn.as_mut().map(&request) {
                return Ok(answer);
            }
        }
        if self.failed.is_none() {
            self.fail(now, error.into());
        }
        Err(self.why_not())
    }

    /// Why the last request failed.
    fn why_not(&self) -> LedgerTrouble {
        let closed = || Why { text: "it is closed".into(), cause: Cause::Other };
        self.failed.as_ref().map_or_else(|| self.out_of_reach(closed()), |(_, why)| why.clone())
    }

    fn connect(&mut self, now: Timestamp) {
        if let Some(path) = self.path.clone() {
            let opened = file::open_or_replace(&path, &LEDGER, now);
            self.adopt(&path, opened, now);
        }
    }

    fn replace(&mut self, error: &rusqlite::Error, now: Timestamp) {
        self.conn = None;
        if let Some(path) = self.path.clone() {
            let why = Defect::Damaged { detail: error.to_string() };
            let opened = file::replace_damaged(&path, &LEDGER, self.opened, why, now);
            self.adopt(&path, opened, now);
        }
    }

    fn adopt(
        &mut self,
        path: &Path,
        opened: Result<(Connection, Option<Aside>), Why>,
        now: Timestamp,
    ) {
        match opened {
            Ok((mut conn, aside)) => {
                if let Some(Aside { moved_to, why }) = aside {
                    let salvaged = salvage(&mut conn, &moved_to);
                    let file = path.to_path_buf();
                    self.board.post(CacheNotice::LedgerSetAside { file, moved_to, why, salvaged });
                }
                // Fails for a time-out out of range only.
                let _ = conn.busy_timeout(BUSY_TIMEOUT);
                self.opened = file::file_id(path);
                self.conn = Some(conn);
            }
            Err(why) if is_absent(path) => self.go_alone(why),
            Err(why) => self.fail(now, why),
        }
    }

    /// Counts in memory: nothing that was spent is on a file that cannot be read.
    fn go_alone(&mut self, why: Why) {
        self.conn = file::open_in_memory(&LEDGER).ok();
        self.alone = true;
        let (file, Why { text: why, cause }) = (self.path.clone().unwrap_or_default(), why);
        self.board.post(CacheNotice::LedgerInMemory { file, why, cause });
    }

    fn fail(&mut self, now: Timestamp, why: Why) {
        // Opened anew at the next try: a disk that came back may hold another file.
        self.conn = None;
        let trouble = self.out_of_reach(why);
        self.failed = Some((now, trouble.clone()));
        self.tell(trouble);
    }

    fn tell(&self, trouble: LedgerTrouble) {
        self.board.post(CacheNotice::Ledger { trouble });
    }
}

/// True when nothing lies at `path`, nor can.
fn is_absent(path: &Path) -> bool {
    let gone =
        |e: io::Error| matches!(e.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory);
    std::fs::symlink_metadata(path).is_err_and(gone)
}

fn total(book: &Book) -> u64 {
    book.values().fold(0, |sum, a| sum.saturating_add(a.micro_usd))
}

fn of_entry(day: i32, api: &str, a: Amounts) -> i64 {
    RowSum::new()
        .int(i64::from(day))
        .text(api)
        .int(a.calls as i64)
        .int(a.units as i64)
        .int(a.micro_usd as i64)
        .finish()
}

fn of_day(day: i32, entries: i64, micro_usd: u64) -> i64 {
    RowSum::new().int(i64::from(day)).int(entries).int(micro_usd as i64).finish()
}

/// Writes whole days, with what must be there of each.
fn write(conn: &Connection, book: &Book) -> rusqlite::Result<()> {
    let mut put = conn.prepare_cached(
        "INSERT OR REPLACE INTO entry (day, api, calls, units, micro_usd, checksum)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
    )?;
    let mut days: BTreeMap<i32, (i64, u64)> = BTreeMap::new();
    for ((day, api), a) in book {
        let sum = of_entry(*day, api, *a);
        put.execute(params![day, api, a.calls as i64, a.units as i64, a.micro_usd as i64, sum])?;
        let (entries, spent) = days.entry(*day).or_default();
        (*entries, *spent) = (*entries + 1, spent.saturating_add(a.micro_usd));
    }
    let mut seal = conn.prepare_cached(
        "INSERT OR REPLACE INTO day_total (day, entries, micro_usd, checksum)
         VALUES (?1, ?2, ?3, ?4)",
    )?;
    for (day, (entries, spent)) in days {
        seal.execute(params![day, entries, spent as i64, of_day(day, entries, spent)])?;
    }
    Ok(())
}

/// Reads a day. Anything that is not as it was written is an error: a figure, a row that is gone.
fn read(conn: &Connection, day: i32) -> rusqlite::Result<Book> {
    let mut entries = conn.prepare_cached(
        "SELECT day, api, calls, units, micro_usd, checksum FROM entry WHERE day = ?1",
    )?;
    let mut rows = entries.query([day])?;
    let mut book = Book::new();
    while let Some(r) = rows.next()? {
        let ((of, api), amounts) = row(r)?;
        if of != day || r.get::<_, i64>(5)? != of_entry(day, &api, amounts) {
            return Err(damaged());
        }
        book.insert((of, api), amounts);
    }
    let sealed: Option<(i64, i64, i64)> = conn
        .prepare_cached("SELECT entries, micro_usd, checksum FROM day_total WHERE day = ?1")?
        .query_row([day], |r| Ok((r.get(0)?, r.get(1)?, r.get(2)?)))
        .optional()?;
    let (count, spent) = (book.len() as i64, total(&book));
    let expected = (count, spent as i64, of_day(day, count, spent));
    match sealed {
        None if book.is_empty() => Ok(book),
        Some(sealed) if sealed == expected => Ok(book),
        _ => Err(damaged()),
    }
}

/// SQLite's error for a damaged page, used for a damaged row.
fn damaged() -> rusqlite::Error {
    let code = rusqlite::ffi::Error::new(rusqlite::ffi::SQLITE_CORRUPT);
    let text = "a row is not as it was written, or is gone";
    rusqlite::Error::SqliteFailure(code, Some(text.to_owned()))
}

fn row(r: &rusqlite::Row<'_>) -> rusqlite::Result<((i32, String), Amounts)> {
    // A negative figure can only be damage; it must not lift the cap.
    let amount = |i| r.get::<_, i64>(i).map(|n| u64::try_from(n).unwrap_or(0));
    let amounts = Amounts { calls: amount(2)?, units: amount(3)?, micro_usd: amount(4)? };
    Ok(((r.get(0)?, r.get(1)?), amounts))
}

/// Copies the entries of the first layout, which had no checksums, with new ones. `from` is the old layout. Err when
/// SQLite fails.
pub(super) fn take_over(conn: &Connection, from: i32) -> rusqlite::Result<()> {
    if from == 1 {
        let book: Book = conn
            .prepare("SELECT day, api, calls, units, micro_usd FROM entry_1")?
            .query_map([], row)?
            .collect::<rusqlite::Result<_>>()?;
        write(conn, &book)?;
    }
    // Of a new file it is empty.
    conn.execute_batch("DROP TABLE IF EXISTS entry_1")
}

/// Takes over what can be read of a file that was set aside; returns the number of entries.
fn salvage(into: &mut Connection, from: &Path) -> usize {
    let Ok(old) = file::open_read_only(from) else { return 0 };
    let mut book = Book::new();
    // From both ends up to the damage.
    for order in ["ASC", "DESC"] {
        let sql = format!(
            "SELECT day, api, calls, units, micro_usd FROM entry ORDER BY day {order}, api {order}"
        );
        let Ok(mut statement) = old.prepare(&sql) else { continue };
        let Ok(rows) = statement.query_map([], row) else { continue };
        book.extend(rows.map_while(Result::ok));
    }
    let added = into.transaction_with_behavior(TransactionBehavior::Immediate).and_then(|tx| {
        write(&tx, &book)?;
        tx.commit()
    });
    if added.is_ok() { book.len() } else { 0 }
}
