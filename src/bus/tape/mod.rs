//! Tapes: everything that the sources said, in the order it came, in a file. Played again, a tape
//! goes through the whole program as if the sources were there: incidents, demonstrations, tests.
//!
//! A tape is a sequence of gzip members, each a run of JSON lines (`Entry`), so that `zcat` reads
//! it and a new recording is appended to an old one. A member is written in one go; what a crash
//! left half written at the end is not read. No credential is ever on a tape: sources hand over
//! typed facts, and none of them is one.

mod clock;
mod entry;
mod player;
mod reader;
mod recorder;
mod tap;
#[cfg(test)]
mod tests;

#[cfg(test)]
pub use entry::{Entry, Said, SourceSaid};
pub use player::Tape;
pub use reader::TapeError;
#[cfg(test)]
pub use reader::read;
#[cfg(test)]
pub use recorder::RecordError;
pub use recorder::{Recorder, Recording};
pub(super) use tap::{Played, Tap};
