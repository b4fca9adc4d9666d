//! A list of objects that is read in pieces: what an inventory, a listing and a directory have in
//! common. Who reads takes the next piece, on as many threads as there are, until there is none.

use std::ops::ControlFlow;

use crate::domain::SourceError;
use crate::domain::storage::ObjectBatch;

/// What a list is asked for besides keys, sizes, dates and classes. What is not needed is not
/// decoded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "one answer per column")]
pub struct Need {
    /// `ETags`, and the flags [`crate::domain::storage::ObjectFlags::MULTIPART`] and `OPAQUE_ETAG`.
    pub etags: bool,
    /// Version ids.
    pub versions: bool,
    /// What keeps an object from being deleted: the flags `LOCKED` and `REPLICA`.
    pub holds: bool,
    /// Sizes and classes alone: keys are empty, no date and no version is known. For sums that need
    /// no more.
    pub totals_only: bool,
}

impl Need {
    /// Everything.
    pub const ALL: Self = Self { etags: true, versions: true, holds: true, totals_only: false };

    /// Sizes and classes alone.
    pub const TOTALS: Self =
        Self { etags: false, versions: false, holds: false, totals_only: true };

    /// What either needs.
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

/// Takes a batch, and the bytes of the piece that were read since the one before (for progress).
/// [`ControlFlow::Break`] ends the reading.
pub type Sink<'a> = dyn FnMut(&ObjectBatch, u64) -> ControlFlow<()> + 'a;

/// A piece of a list.
pub trait Piece: Send {
    /// Reads it. An error may come after some batches were given out: what was given out counts,
    /// and the result is partial.
    fn read(&mut self, sink: &mut Sink<'_>) -> Result<(), SourceError>;
}

/// A list of objects as a supply of pieces.
pub trait Supply: Send + Sync {
    /// The next piece, which is then the caller's; `None` after the last. Blocks while a piece is on
    /// its way.
    fn next(&self) -> Option<Result<Box<dyn Piece + '_>, SourceError>>;

    /// Bytes of all pieces, where that is known.
    fn total_bytes(&self) -> Option<u64> {
        None
    }
}
