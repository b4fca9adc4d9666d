//! Facts: the newest typed value of a kind about a scope, with the time it was taken.

use jiff::{SignedDuration, Timestamp};
use rusqlite::{Connection, OptionalExtension, params};
use serde::de::DeserializeOwned;

use super::notice::{CacheNotice, NoticeBoard};
use crate::domain::Scope;

/// A value dated later than this after now was not written by a clock that agrees with ours.
const CLOCK_TOLERANCE: SignedDuration = SignedDuration::from_mins(5);

/// A kind of fact. The encoding is not self-describing, so `layout` must change whenever the type
/// that is stored changes; values of another layout are absent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct FactKind {
    /// Name in the file, for example `inventory`.
    pub name: &'static str,
    /// Number of the type's layout.
    pub layout: u16,
}

impl FactKind {
    /// A kind with its layout number.
    pub const fn new(name: &'static str, layout: u16) -> Self {
        Self { name, layout }
    }
}

/// A value from the cache.
#[derive(Clone, Debug, PartialEq)]
pub struct Stored<T> {
    /// When it was taken; `None` when it claims to be from the future (more than five minutes
    /// after now), so that its age is unknown.
    pub taken_at: Option<Timestamp>,
    /// The value.
    pub value: T,
}

impl<T> Stored<T> {
    /// True when the value is known to be younger than `ttl`.
    pub fn is_fresh(&self, now: Timestamp, ttl: SignedDuration) -> bool {
        self.taken_at.is_some_and(|at| now.duration_since(at) < ttl)
    }
}

/// A row before it is decoded.
#[derive(Debug)]
pub(super) struct RawFact {
    taken_ms: i64,
    data: Vec<u8>,
}

impl RawFact {
    /// Decodes the value. Undecodable bytes, bytes left over and impossible dates are absent.
    pub fn decode<T: DeserializeOwned>(
        &self,
        kind: FactKind,
        now: Timestamp,
        board: &NoticeBoard,
    ) -> Option<Stored<T>> {
        let (value, []) = postcard::take_from_bytes(&self.data).ok()? else {
            return None;
        };
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

/// Keeps a value in place of the one before.
pub(super) fn put(
    conn: &Connection,
    kind: FactKind,
    scope: &Scope,
    taken_at: Timestamp,
    data: &[u8],
) -> rusqlite::Result<()> {
    conn.prepare_cached(
        "INSERT INTO fact (kind, account, region, layout, taken_ms, data)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6)
         ON CONFLICT DO UPDATE SET
             layout = excluded.layout, taken_ms = excluded.taken_ms, data = excluded.data",
    )?
    .execute(params![
        kind.name,
        &*scope.account,
        &*scope.region,
        kind.layout,
        taken_at.as_millisecond(),
        data
    ])?;
    Ok(())
}

/// Dates the value anew that was taken at `before`; false when there is none.
pub(super) fn touch(
    conn: &Connection,
    kind: FactKind,
    scope: &Scope,
    before: Timestamp,
    taken_at: Timestamp,
) -> rusqlite::Result<bool> {
    let rows = conn
        .prepare_cached(
            "UPDATE fact SET taken_ms = ?6
             WHERE kind = ?1 AND account = ?2 AND region = ?3 AND layout = ?4 AND taken_ms = ?5",
        )?
        .execute(params![
            kind.name,
            &*scope.account,
            &*scope.region,
            kind.layout,
            before.as_millisecond(),
            taken_at.as_millisecond()
        ])?;
    Ok(rows > 0)
}

/// Reads one value.
pub(super) fn get(
    conn: &Connection,
    kind: FactKind,
    scope: &Scope,
) -> rusqlite::Result<Option<RawFact>> {
    conn.prepare_cached(
        "SELECT taken_ms, data FROM fact
         WHERE kind = ?1 AND account = ?2 AND region = ?3 AND layout = ?4",
    )?
    .query_row(params![kind.name, &*scope.account, &*scope.region, kind.layout], |r| {
        Ok(RawFact { taken_ms: r.get(0)?, data: r.get(1)? })
    })
    .optional()
}

/// Reads all values of a kind.
pub(super) fn all(conn: &Connection, kind: FactKind) -> rusqlite::Result<Vec<(Scope, RawFact)>> {
    conn.prepare_cached(
        "SELECT account, region, taken_ms, data FROM fact
         WHERE kind = ?1 AND layout = ?2 ORDER BY account, region",
    )?
    .query_map(params![kind.name, kind.layout], |r| {
        let scope = Scope::new(r.get::<_, String>(0)?, r.get::<_, String>(1)?);
        Ok((scope, RawFact { taken_ms: r.get(2)?, data: r.get(3)? }))
    })?
    .collect()
}
