//! The open cache on its thread, and what happens when the file fails under way: a damaged file is
//! replaced, a full or failing disk is left for memory, and the request is tried once more.

use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use rusqlite::{Connection, ToSql};

use super::file::{self, FileId, Trouble, Why};
use super::handle::OpenOptions;
use super::ledger::{LedgerStore, ledger_path};
use super::notice::{CacheNotice, Defect, NoticeBoard};
use super::{burn_days, digest, fleet_hours, schema};
use crate::files::Cause;

/// The busy time-out after the first request that waited in vain.
const IMPATIENT: Duration = Duration::from_millis(500);

/// Storage of the rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Medium {
    /// The file, with its identity when it was opened; `None` when that is unknown.
    File(Option<FileId>),
    /// Memory, lost when the process ends.
    Memory,
}

/// State of the cache's thread: database, ledger and options.
pub(super) struct Store {
    conn: Option<Connection>,
    medium: Medium,
    options: OpenOptions,
    board: Arc<NoticeBoard>,
    /// Latest time that was passed in; names files that are set aside.
    now: Timestamp,
    /// A file that breaks again after it was replaced is given up for memory.
    replaced: bool,
    /// Whether every row is there was looked at.
    checked: bool,
    /// Requests that were dropped.
    dropped: u64,
    /// The own-cost ledger, in its own file.
    pub ledger: LedgerStore,
}

impl Store {
    /// Opens cache and ledger. Never fails; problems become notices on `board`.
    pub fn open(options: OpenOptions, now: Timestamp, board: Arc<NoticeBoard>) -> Self {
        let beside = || (!options.memory_only).then(|| ledger_path(&options.path));
        let ledger = match options.ledger.clone().or_else(beside) {
            Some(path) => LedgerStore::open(path, now, Arc::clone(&board)),
            None => LedgerStore::in_memory(),
        };
        let mut store = Self {
            conn: None,
            medium: Medium::Memory,
            options,
            board,
            now,
            replaced: false,
            checked: false,
            dropped: 0,
            ledger,
        };
        if store.options.memory_only {
            store.conn = file::open_in_memory(&schema::CACHE).ok();
        } else {
            match file::open_or_replace(&store.options.path, &schema::CACHE, now) {
                Ok(opened) => store.adopt(opened),
                Err(why) => store.go_to_memory(why),
            }
        }
        store
    }

    /// The options the cache was opened with.
    pub fn options(&self) -> &OpenOptions {
        &self.options
    }

    /// Present storage of the rows.
    pub fn medium(&self) -> Medium {
        self.medium
    }

    /// Number of requests dropped since the start.
    pub fn dropped(&self) -> u64 {
        self.dropped
    }

    /// Sets the present time, from a request.
    pub fn tell_time(&mut self, now: Timestamp) {
        self.now = now;
    }

    /// Puts up a notice for the user, unless its cause was reported before.
    pub fn post(&self, notice: CacheNotice) {
        self.board.post(notice);
    }

    /// Runs `request` on the database. When the file fails, moves to a new file or to memory and runs it again; `None`
    /// when that fails as well, or another process keeps the lock.
    pub fn run<R>(
        &mut self,
        request: impl Fn(&mut Connection) -> rusqlite::Result<R>,
    ) -> Option<R> {
        let error = match self.conn.as_mut().map(&request)? {
            Ok(answer) => return Some(answer),
            Err(error) => error,
        };
        match (file::trouble(&error), self.medium) {
            (Trouble::Busy, _) => {
                self.be_impatient();
                return self.drop_request(&error);
            }
            (Trouble::Broken, Medium::File(opened)) => self.replace(opened, &error),
            (Trouble::NoDisk, Medium::File(_)) => self.go_to_memory(error.into()),
            _ => return self.drop_request(&error),
        }
        match self.conn.as_mut().map(&request)? {
            Ok(answer) => Some(answer),
            Err(error) => self.drop_request(&error),
        }
    }

    /// True for the first call, when the rows are in a file that has to be checked.
    pub fn begin_check(&mut self) -> bool {
        let is_file = matches!(self.medium, Medium::File(_));
        is_file && !std::mem::replace(&mut self.checked, true)
    }

    /// Puts up a notice about `rows` damaged rows; none for 0.
    pub fn tell_lost(&self, what: &str, rows: usize) {
        if rows > 0 {
            let (file, what) = (self.options.path.clone(), what.to_owned());
            self.post(CacheNotice::Lost { file, what, rows });
        }
    }

    /// Drops damaged rows of `table` with a notice about `what` they held; `sql` deletes one row by its key.
    pub fn lost(&mut self, what: &str, table: &str, sql: &str, rows: &[&[&dyn ToSql]]) {
        if !rows.is_empty() {
            self.tell_lost(what, rows.len());
            self.run(|conn| digest::drop_damaged(conn, table, sql, rows));
        }
    }

    /// Notes lost rows like [`Store::lost`], given by row id.
    pub fn lost_rows(&mut self, what: &str, table: &str, ids: &[i64]) {
        let keys: Vec<[&dyn ToSql; 1]> = ids.iter().map(|id| [id as &dyn ToSql]).collect();
        let keys: Vec<&[&dyn ToSql]> = keys.iter().map(|key| &key[..]).collect();
        self.lost(what, table, &format!("DELETE FROM {table} WHERE rowid = ?1"), &keys);
    }

    /// Sets the open file aside as damaged and continues with an empty one.
    pub fn condemn(&mut self, detail: String) {
        if let Medium::File(opened) = self.medium {
            self.replace_with(opened, Defect::Damaged { detail });
        }
    }

    fn drop_request<R>(&mut self, error: &rusqlite::Error) -> Option<R> {
        self.dropped += 1;
        self.post(CacheNotice::Dropped { file: self.options.path.clone(), why: error.to_string() });
        None
    }

    /// Whoever held the lock for the whole time-out was stopped inside a transaction; waiting that
    /// long for each of the next requests as well would stall everything behind them.
    fn be_impatient(&self) {
        if let Some(conn) = &self.conn {
            // Fails for a time-out out of range only.
            let _ = conn.busy_timeout(IMPATIENT);
        }
    }

    fn replace(&mut self, opened: Option<FileId>, error: &rusqlite::Error) {
        self.replace_with(opened, Defect::Damaged { detail: error.to_string() });
    }

    fn replace_with(&mut self, opened: Option<FileId>, why: Defect) {
        // Closed first: the connection must not write to a file that has lost its name.
        self.conn = None;
        if self.replaced {
            let text = format!("it broke again: {why}");
            self.go_to_memory(Why { text, cause: Cause::Failing });
            return;
        }
        self.replaced = true;
        let path = self.options.path.clone();
        match file::replace_damaged(&path, &schema::CACHE, opened, why, self.now) {
            Ok(opened) => self.adopt(opened),
            Err(why) => self.go_to_memory(why),
        }
    }

    fn adopt(&mut self, (conn, aside): (Connection, Option<file::Aside>)) {
        self.conn = Some(conn);
        self.medium = Medium::File(file::file_id(&self.options.path));
        if let Some(file::Aside { moved_to, why }) = aside {
            // Nobody could tell them again.
            if let (Some(conn), Ok(old)) = (&self.conn, file::open_read_only(&moved_to)) {
                let _ = fleet_hours::salvage(conn, &old);
                let _ = burn_days::salvage(conn, &old);
            }
            let file = self.options.path.clone();
            self.post(CacheNotice::SetAside { file, moved_to, why });
        }
    }

    /// Goes on in memory with whatever can still be read from the file.
    fn go_to_memory(&mut self, why: Why) {
        let memory = file::open_in_memory(&schema::CACHE).ok();
        if let Some(conn) = &memory {
            let path = &self.options.path;
            // What cannot be copied is fetched again.
            let _ = file::copy_from_file(conn, path, &schema::CACHE, schema::CACHE_TABLES);
        }
        self.conn = memory;
        self.medium = Medium::Memory;
        let Why { text: why, cause } = why;
        self.post(CacheNotice::InMemory { file: self.options.path.clone(), why, cause });
    }
}
