//! Storage of the own-cost ledger: a small file of its own beside the cache, one for all processes.
//!
//! Prices and the meaning of the figures are in [`crate::source::ledger`]; here are integers.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use jiff::civil::Date;
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};
use rusqlite::{Connection, TransactionBehavior, params};

use super::file::{self, Aside, FileId, Trouble};
use super::notice::{CacheNotice, Defect, NoticeBoard};
use super::schema::LEDGER;
use crate::domain::Hour;

/// After a failure the file is left alone for this long.
const RETRY_AFTER: SignedDuration = SignedDuration::from_secs(60);

/// How long a charge waits for another process. Charges take well under a millisecond, so whoever
/// holds the lock for longer has been stopped.
const BUSY_TIMEOUT: Duration = Duration::from_secs(2);

/// No figure of one charge is larger (a billion dollars), so that sums stay exact integers.
const LARGEST: u64 = 1_000_000_000_000_000;

/// The ledger file that belongs to the cache at `cache`: `ledger.db` in the same directory.
pub fn ledger_path(cache: &Path) -> PathBuf {
    let path = cache.with_file_name("ledger.db");
    // Whoever names the cache like that must not have the two eat each other.
    if path == cache { cache.with_file_name("own-cost-ledger.db") } else { path }
}

/// A billed call about to be made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LedgerCharge {
    /// When; its UTC day is charged.
    pub at: Timestamp,
    /// Name of the API.
    pub api: &'static str,
    /// Billed units of the call.
    pub units: u64,
    /// Its cost, millionths of a dollar.
    pub micro_usd: u64,
    /// What all processes together may spend on this UTC day, millionths of a dollar.
    pub cap_micro_usd: u64,
}

/// The answer to a [`LedgerCharge`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reserved {
    /// Counted; make the call.
    Granted,
    /// Not counted: the day's total would pass the cap.
    Refused {
        /// What the day has cost so far, millionths of a dollar.
        spent_micro_usd: u64,
    },
}

/// What one API was charged on one day.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LedgerEntry {
    /// Name of the API; a newer burntop may have written one that this one does not know.
    pub api: String,
    /// Calls.
    pub calls: u64,
    /// Billed units.
    pub units: u64,
    /// Cost, millionths of a dollar.
    pub micro_usd: u64,
}

/// The ledger of one UTC day.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LedgerDay {
    /// The day.
    pub day: Date,
    /// By API, in the order of their names.
    pub entries: Vec<LedgerEntry>,
    /// False when the file cannot be reached and other processes' spending since then is unknown.
    pub shared: bool,
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

/// The open ledger on the cache's thread.
pub(super) struct LedgerStore {
    conn: Option<Connection>,
    /// `None` in memory.
    path: Option<PathBuf>,
    opened: Option<FileId>,
    board: Arc<NoticeBoard>,
    /// Charges granted while the file could not be written; they go there when it can.
    pending: Book,
    /// The day last read from the file, for when it cannot be read.
    last: Book,
    /// When the file last failed.
    failed_at: Option<Timestamp>,
}

impl LedgerStore {
    /// A ledger that dies with the process.
    pub fn in_memory() -> Self {
        Self { conn: file::open_in_memory(&LEDGER).ok(), ..Self::closed(None, Arc::default()) }
    }

    /// The ledger at `path`; counts in this process alone when that fails.
    pub fn open(path: PathBuf, now: Timestamp, board: Arc<NoticeBoard>) -> Self {
        let mut ledger = Self::closed(Some(path), board);
        ledger.connect(now);
        ledger
    }

    fn closed(path: Option<PathBuf>, board: Arc<NoticeBoard>) -> Self {
        Self {
            conn: None,
            path,
            opened: None,
            board,
            pending: Book::new(),
            last: Book::new(),
            failed_at: None,
        }
    }

    /// Counts the charge unless it would pass the cap. Atomic across processes: the day's total
    /// is read and raised under the file's write lock.
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
        let pending = std::mem::take(&mut self.pending);
        let on_file = self.run(charge.at, |conn| {
            let tx = conn.transaction_with_behavior(TransactionBehavior::Immediate)?;
            add(&tx, &pending)?;
            let spent = total(&read(&tx, day)?);
            let granted = fits(spent);
            if granted {
                add(&tx, &Book::from([((day, charge.api.to_owned()), amounts)]))?;
            }
            let book = read(&tx, day)?;
            tx.commit()?;
            let answer = if granted {
                Reserved::Granted
            } else {
                Reserved::Refused { spent_micro_usd: spent }
            };
            Ok((answer, book))
        });
        if let Some((answer, book)) = on_file {
            self.last = book;
            return answer;
        }
        self.pending = pending;
        let spent = total(&self.known(day));
        if fits(spent) {
            self.pending.entry((day, charge.api.to_owned())).or_default().add(amounts);
            Reserved::Granted
        } else {
            Reserved::Refused { spent_micro_usd: spent }
        }
    }

    /// The UTC day that contains `now`.
    pub fn day(&mut self, now: Timestamp) -> LedgerDay {
        let day = Hour::containing(now).day();
        let pending = std::mem::take(&mut self.pending);
        let on_file = self.run(now, |conn| {
            if !pending.is_empty() {
                let tx = conn.transaction_with_behavior(TransactionBehavior::Immediate)?;
                add(&tx, &pending)?;
                tx.commit()?;
            }
            read(conn, day)
        });
        let shared = on_file.is_some();
        match on_file {
            Some(book) => self.last = book,
            None => self.pending = pending,
        }
        let entries = self
            .known(day)
            .into_iter()
            .map(|((_, api), a)| LedgerEntry {
                api,
                calls: a.calls,
                units: a.units,
                micro_usd: a.micro_usd,
            })
            .collect();
        LedgerDay { day: now.to_zoned(TimeZone::UTC).date(), entries, shared }
    }

    /// What this process knows of `day` without asking the file.
    fn known(&self, day: i32) -> Book {
        let mut book = Book::new();
        for (key, amounts) in self.last.iter().chain(&self.pending).filter(|(k, _)| k.0 == day) {
            book.entry(key.clone()).or_default().add(*amounts);
        }
        book
    }

    /// Runs `request` on the file; `None` when it cannot be had now.
    fn run<R>(
        &mut self,
        now: Timestamp,
        request: impl Fn(&mut Connection) -> rusqlite::Result<R>,
    ) -> Option<R> {
        if self.failed_at.is_some_and(|t| now.duration_since(t).abs() < RETRY_AFTER) {
            return None;
        }
        if self.conn.is_none() {
            self.connect(now);
        }
        let error = match request(self.conn.as_mut()?) {
            Ok(answer) => {
                self.failed_at = None;
                return Some(answer);
            }
            Err(error) => error,
        };
        if file::trouble(&error) == Trouble::Broken {
            self.replace(&error, now);
            if let Some(Ok(answer)) = self.conn.as_mut().map(&request) {
                return Some(answer);
            }
        }
        self.fail(now, error.to_string());
        None
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
        opened: Result<(Connection, Option<Aside>), String>,
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
            Err(why) => self.fail(now, why),
        }
    }

    fn fail(&mut self, now: Timestamp, why: String) {
        // Opened anew at the next try: a disk that came back may hold another file.
        self.conn = None;
        self.failed_at = Some(now);
        let file = self.path.clone().unwrap_or_default();
        self.board.post(CacheNotice::LedgerInMemory { file, why });
    }
}

fn total(book: &Book) -> u64 {
    book.values().fold(0, |sum, a| sum.saturating_add(a.micro_usd))
}

/// Raises the entries in the file.
fn add(conn: &Connection, book: &Book) -> rusqlite::Result<()> {
    let mut upsert = conn.prepare_cached(
        "INSERT INTO entry (day, api, calls, units, micro_usd) VALUES (?1, ?2, ?3, ?4, ?5)
         ON CONFLICT DO UPDATE SET calls = calls + excluded.calls,
             units = units + excluded.units, micro_usd = micro_usd + excluded.micro_usd",
    )?;
    for ((day, api), a) in book {
        upsert.execute(params![day, api, a.calls as i64, a.units as i64, a.micro_usd as i64])?;
    }
    Ok(())
}

fn read(conn: &Connection, day: i32) -> rusqlite::Result<Book> {
    conn.prepare_cached("SELECT day, api, calls, units, micro_usd FROM entry WHERE day = ?1")?
        .query_map([day], row)?
        .collect()
}

fn row(r: &rusqlite::Row<'_>) -> rusqlite::Result<((i32, String), Amounts)> {
    // A negative figure can only be damage; it must not lift the cap.
    let amount = |i| r.get::<_, i64>(i).map(|n| u64::try_from(n).unwrap_or(0));
    let amounts = Amounts { calls: amount(2)?, units: amount(3)?, micro_usd: amount(4)? };
    Ok(((r.get(0)?, r.get(1)?), amounts))
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
        add(&tx, &book)?;
        tx.commit()
    });
    if added.is_ok() { book.len() } else { 0 }
}
