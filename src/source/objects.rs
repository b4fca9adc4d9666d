//! A list of objects that is read in pieces: what an inventory, a listing and a directory have in
//! common. Who reads takes the next piece, on as many threads as there are, until there is none.

use std::ops::ControlFlow;

use crate::domain::SourceError;
use crate::domain::storage::ObjectBatch;

/// Columns needed besides keys, sizes, dates and classes. Other columns are not decoded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "one answer per column")]
pub struct Need {
    /// `ETags`, and the flags [`crate::domain::storage::ObjectFlags::MULTIPART`] and `OPAQUE_ETAG`.
    pub etags: bool,
    /// Version ids, and which version is current.
    pub versions: bool,
    /// Holds on objects: the flags `LOCKED` and `REPLICA`.
    pub holds: bool,
    /// Only sizes and classes: keys are empty, dates and versions unknown.
    pub totals_only: bool,
}

impl Need {
    /// Every column.
    pub const ALL: Self = Self { etags: true, versions: true, holds: true, totals_only: false };

    /// Only sizes and classes.
    pub const TOTALS: Self =
        Self { etags: false, versions: false, holds: false, totals_only: true };

    /// Columns that either needs.
    #[must_use]
    pub fn or(self, other: Self) -> Self {
        Self {
            etags: self.etags || other.etags,
            versions: self.versions || other.versions,
            holds: self.holds || other.holds,
            totals_only: self.totals_only && other.totals_only,
        }
    }
}

/// Receiver of batches, each with the number of bytes read since the previous one (for progress).
/// [`ControlFlow::Break`] ends the reading.
pub type Sink<'a> = dyn FnMut(&ObjectBatch, u64) -> ControlFlow<()> + 'a;

/// A piece of a list of objects.
pub trait Piece: Send {
    /// Reads the piece into `sink`. Err when it cannot be read to its end; batches passed on before count, and the
    /// result is partial.
    fn read(&mut self, sink: &mut Sink<'_>) -> Result<(), SourceError>;
}

/// A list of objects as a supply of pieces.
pub trait Supply: Send + Sync {
    /// The next piece, for this caller alone; `None` after the last. Blocks while a piece is being fetched. Err when it
    /// cannot be fetched.
    fn next(&self) -> Option<Result<Box<dyn Piece + '_>, SourceError>>;

    /// Size of all pieces, bytes; `None` when unknown.
    fn total_bytes(&self) -> Option<u64> {
        None
    }
}
