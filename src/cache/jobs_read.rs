//! Attempts of jobs from their file: rows are read by one thread, and decoded by others beside it.

use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;

use rusqlite::{Connection, Row};

use super::decode::decode;
use super::jobs::{ATTEMPTS_AT_MOST, LAYOUT, checksum, columns};
use crate::domain::jobs::{Attempt, Packed};

/// Threads that decode.
const DECODERS: usize = 2;
/// Rows that are decoded at once: enough that what repeats among them is much of them.
const ROWS: usize = 8_192;
/// Pieces on their way: each decoder works at one while another waits for it.
const PIECES: usize = 2 * DECODERS;

/// Attempts, and the number of those that cannot be read: damaged, or written by another version of burntop.
#[derive(Debug, Default)]
pub(super) struct Read {
    /// Attempts, by their identity.
    pub attempts: Packed,
    /// Number of those that cannot be read.
    pub unreadable: u64,
}

/// Some rows as they lie in the file.
#[derive(Debug, Default)]
struct Piece {
    /// Texts and blobs of the rows, one after the other.
    bytes: Vec<u8>,
    rows: Vec<Raw>,
}

/// A row: how long its four texts and its blob are, and its numbers.
#[derive(Clone, Copy, Debug)]
struct Raw {
    lens: [usize; 5],
    layout: i64,
    over: i64,
    sum: i64,
}

/// All attempts. Err when SQLite says so.
pub(super) fn attempts(conn: &Connection) -> rusqlite::Result<Read> {
    let sql = "SELECT source, cluster, raw, key, attempt, layout, over, checksum FROM attempt
               ORDER BY source, cluster, raw, key LIMIT ?1";
    let mut statement = conn.prepare(sql)?;
    let mut rows = statement.query([ATTEMPTS_AT_MOST as i64])?;
    thread::scope(|scope| {
        let start = |_| {
            let (to, pieces) = sync_channel::<Piece>(PIECES);
            let (done, from) = sync_channel::<Read>(PIECES);
            scope.spawn(move || decode_each(pieces, &done));
            (to, from)
        };
        let decoders: [(SyncSender<Piece>, Receiver<Read>); DECODERS] = std::array::from_fn(start);
        let mut all = Read::default();
        // Piece by piece in turn, so that they come back in their order.
        let (mut sent, mut taken) = (0, 0);
        let mut take = |taken: usize| {
            // A decoder that is gone ends the reading when the scope joins it.
            let Ok(read) = decoders[taken % DECODERS].1.recv() else { return };
            all.attempts.append(read.attempts);
            all.unreadable += read.unreadable;
        };
        loop {
            let mut piece = Piece::default();
            while piece.rows.len() < ROWS
                && let Some(row) = rows.next()?
            {
                piece.add(row)?;
            }
            if piece.rows.is_empty() {
                break;
            }
            if sent - taken == PIECES {
                take(taken);
                taken += 1;
            }
            let _ = decoders[sent % DECODERS].0.send(piece);
            sent += 1;
        }
        (taken..sent).for_each(take);
        Ok(all)
    })
}

fn decode_each(pieces: Receiver<Piece>, done: &SyncSender<Read>) {
    for piece in pieces {
        if done.send(piece.decoded()).is_err() {
            return;
        }
    }
}

impl Piece {
    fn add(&mut self, row: &Row<'_>) -> rusqlite::Result<()> {
        let mut lens = [0; 5];
        for (at, len) in lens.iter_mut().enumerate() {
            let value = row.get_ref(at)?;
            let bytes = if at < 4 { value.as_str()?.as_bytes() } else { value.as_blob()? };
            self.bytes.extend_from_slice(bytes);
            *len = bytes.len();
        }
        self.rows.push(Raw { lens, layout: row.get(5)?, over: row.get(6)?, sum: row.get(7)? });
        Ok(())
    }

    fn decoded(&self) -> Read {
        let mut read = Read::default();
        let mut rest = &self.bytes[..];
        for row in &self.rows {
            let mut next = |len: usize| {
                let (bytes, left) = rest.split_at(len);
                rest = left;
                bytes
            };
            let [source, cluster, raw, key, blob] = row.lens.map(&mut next);
            let id =
                [source, cluster, raw, key].map(|text| str::from_utf8(text).unwrap_or_default());
            let is_whole = row.layout == LAYOUT && row.sum == checksum(id, row.over, blob);
            let attempt = is_whole.then(|| decode::<Attempt>(blob)).flatten();
            match attempt.filter(|attempt| columns(&attempt.id) == id) {
                Some(attempt) => read.attempts.push(attempt),
                None => read.unreadable += 1,
            }
        }
        read
    }
}
