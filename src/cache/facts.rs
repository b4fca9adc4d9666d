//! Facts: the newest typed value of a kind about a scope, with the time it was taken.

use jiff::{SignedDuration, Timestamp};
use rusqlite::{Connection, OptionalExtension, ToSql, TransactionBehavior, params};
use serde::de::DeserializeOwned;

use super::digest::of_fact;
use super::notice::{CacheNotice, NoticeBoard};
use super::store::Store;
use crate::domain::text::clean;
use crate::domain::{Scope, is_due};

/// A value dated later than this after now was not written by a clock that agrees with ours.
const CLOCK_TOLERANCE: SignedDuration = SignedDuration::from_mins(5);

/// Kind of a fact. The encoding is not self-describing, so `layout` must change whenever the stored type changes;
/// values of another layout are absent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct FactKind {
    /// Name in the file, for example `inventory`.
    pub name: &'static str,
    /// Version of the encoding of the stored type.
    pub layout: u16,
}

impl FactKind {
    /// A kind with its layout number.
    pub const fn new(name: &'static str, layout: u16) -> Self {
        Self { name, layout }
    }
}

/// A cached value with the time it was taken.
#[derive(Clone, Debug, PartialEq)]
pub struct Stored<T> {
    /// Time when it was taken; `None` for a time more than five minutes after now, so that its age is unknown.
    pub taken_at: Option<Timestamp>,
    /// The cached value.
    pub value: T,
}

impl<T> Stored<T> {
    /// True when the value is known to be younger than `ttl`.
    pub fn is_fresh(&self, now: Timestamp, ttl: SignedDuration) -> bool {
        !is_due(self.taken_at, ttl, now)
    }
}

/// A fact as stored, not decoded yet.
#[derive(Debug)]
pub(super) struct RawFact {
    taken_ms: i64,
    /// Encoded value.
    pub(super) data: Vec<u8>,
}

impl RawFact {
    /// This fact without its value, for callers that need only the time.
    pub fn date_alone(self) -> Self {
        Self { data: Vec::new(), ..self }
    }

    /// Decodes the value of layout `kind`. `None` for malformed bytes, bytes left over, and impossible dates.
    pub fn decode<T: DeserializeOwned>(
        &self,
        kind: FactKind,
        now: Timestamp,
        board: &NoticeBoard,
    ) -> Option<Stored<T>> {
        let value = super::decode(&self.data)?;
        let claimed = Timestamp::from_millisecond(self.taken_ms).ok()?;
        let taken_at = if claimed.duration_since(now) > CLOCK_TOLERANCE {
            board.post(CacheNotice::FromFuture { what: kind.name.into(), claimed });
            None
        } else {
            Some(claimed.min(now))
        };
        Some(Stored { taken_at, value })
    }
}

/// Stores a value in place of the previous one. Err when SQLite fails.
pub(super) fn put(
    conn: &Connection,
    kind: FactKind,
    scope: &Scope,
    taken_at: Timestamp,
    data: &[u8],
) -> rusqlite::Result<()> {
    let (account, region, taken_ms) = (&*scope.account, &*scope.region, taken_at.as_millisecond());
    let sum = of_fact(kind.name, account, region, kind.layout.into(), taken_ms, data);
    conn.prepare_cached(
        "INSERT INTO fact (kind, account, region, layout, taken_ms, checksum, data)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
         ON CONFLICT DO UPDATE SET layout = excluded.layout, taken_ms = excluded.taken_ms,
             checksum = excluded.checksum, data = excluded.data",
    )?
    .execute(params![kind.name, account, region, kind.layout, taken_ms, sum, data])?;
    Ok(())
}

/// Updates the time of a value that was taken at `before`; false when the stored one has another time. Err when SQLite
/// fails.
pub(super) fn touch(
    conn: &mut Connection,
    kind: FactKind,
    scope: &Scope,
    before: Timestamp,
    taken_at: Timestamp,
) -> rusqlite::Result<bool> {
    let tx = conn.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let raw = match get(&tx, kind, scope)? {
        Read::Whole(raw) if raw.taken_ms == before.as_millisecond() => raw,
        _ => return Ok(false),
    };
    put(&tx, kind, scope, taken_at, &raw.data)?;
    tx.commit()?;
    Ok(true)
}

/// Result of reading a row with a checksum.
#[derive(Debug)]
pub(super) enum Read<T> {
    /// The row matches its checksum.
    Whole(T),
    /// The row does not match its checksum.
    Damaged,
    /// There is no such row.
    Absent,
}

/// Reads a row: account, region, layout, date, checksum, data.
fn raw(kind: &str, r: &rusqlite::Row<'_>) -> rusqlite::Result<Option<(Scope, i64, RawFact)>> {
    // A value of another type is damage too.
    let (Ok(account), Ok(region), Ok(layout), Ok(taken_ms), Ok(sum), Ok(data)) = (
        r.get_ref(0)?.as_str(),
        r.get_ref(1)?.as_str(),
        r.get_ref(2)?.as_i64(),
        r.get_ref(3)?.as_i64(),
        r.get_ref(4)?.as_i64(),
        r.get_ref(5)?.as_blob(),
    ) else {
        return Ok(None);
    };
    let whole = sum == of_fact(kind, account, region, layout, taken_ms, data);
    let scope = || Scope::new(&*clean(account), &*clean(region));
    let found = || (scope(), layout, RawFact { taken_ms, data: data.to_vec() });
    Ok(whole.then(found))
}

/// Reads the fact of `kind` about `scope`; one of another layout is absent. Err when SQLite fails.
pub(super) fn get(
    conn: &Connection,
    kind: FactKind,
    scope: &Scope,
) -> rusqlite::Result<Read<RawFact>> {
    let found = conn
        .prepare_cached(
            "SELECT account, region, layout, taken_ms, checksum, data FROM fact
             WHERE kind = ?1 AND account = ?2 AND region = ?3",
        )?
        .query_row(params![kind.name, &*scope.account, &*scope.region], |r| raw(kind.name, r))
        .optional()?;
    Ok(match found {
        None => Read::Absent,
        Some(Some((of, layout, raw))) if of == *scope => {
            if layout == i64::from(kind.layout) {
                Read::Whole(raw)
            } else {
                Read::Absent
            }
        }
        Some(_) => Read::Damaged,
    })
}

/// Reads the fact of `kind` about `scope`; a damaged one is dropped with a notice. `None` when absent.
pub(super) fn read(store: &mut Store, kind: FactKind, scope: &Scope) -> Option<RawFact> {
    match store.run(|conn| get(conn, kind, scope))? {
        Read::Whole(raw) => Some(raw),
        Read::Absent => None,
        Read::Damaged => {
            let key: &[&dyn ToSql] = &[&kind.name, &&*scope.account, &&*scope.region];
            let sql = "DELETE FROM fact WHERE kind = ?1 AND account = ?2 AND region = ?3";
            store.lost(kind.name, "fact", sql, &[key]);
            None
        }
    }
}

/// Reads all facts of a kind; damaged ones are dropped with a notice. `None` when the database fails.
pub(super) fn all(store: &mut Store, kind: FactKind) -> Option<Vec<(Scope, RawFact)>> {
    let (whole, damaged) = store.run(|conn| {
        let mut all = conn.prepare_cached(
            "SELECT account, region, layout, taken_ms, checksum, data, rowid FROM fact
             WHERE kind = ?1 ORDER BY account, region",
        )?;
        let mut rows = all.query([kind.name])?;
        let (mut whole, mut damaged): (Vec<_>, Vec<i64>) = (Vec::new(), Vec::new());
        while let Some(r) = rows.next()? {
            match raw(kind.name, r)? {
                Some((scope, layout, raw)) if layout == i64::from(kind.layout) => {
                    whole.push((scope, raw));
                }
                Some(_) => {}
                None => damaged.push(r.get(6)?),
            }
        }
        Ok((whole, damaged))
    })?;
    store.lost_rows(kind.name, "fact", &damaged);
    Some(whole)
}
