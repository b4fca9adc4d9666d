//! Reading a tape.

use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::path::{Path, PathBuf};

use flate2::bufread::MultiGzDecoder;

use super::entry::Entry;

/// The longest line that is read, bytes: an inventory of tens of thousands of instances.
const LONGEST: u64 = 256 << 20;

/// Why a tape cannot be played.
#[derive(Debug, thiserror::Error)]
pub enum TapeError {
    /// The file cannot be opened.
    #[error("cannot read the tape {}: {source}", path.display())]
    Open {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// There is nothing on it, or it is no tape.
    #[error("{} is no tape of burntop's: {why}", path.display())]
    NoTape {
        /// The file.
        path: PathBuf,
        /// Why.
        why: String,
    },
}

/// The entries of a tape, in the order they came. What a crash or a full disk left half written at
/// the end is left out; an entry of a newer burntop, that this one does not know, is skipped.
pub fn read(path: &Path) -> Result<impl Iterator<Item = Entry> + use<>, TapeError> {
    let file =
        File::open(path).map_err(|source| TapeError::Open { path: path.to_owned(), source })?;
    let mut entries = Entries {
        lines: BufReader::with_capacity(1 << 16, MultiGzDecoder::new(BufReader::new(file))),
        line: Vec::new(),
        ended: false,
    };
    let no_tape = |why: &str| TapeError::NoTape { path: path.to_owned(), why: why.to_owned() };
    let first = match entries.next_line() {
        Ok(Some(line)) => serde_json::from_slice::<Entry>(line)
            .map_err(|_| no_tape("its first line is no reading"))?,
        Ok(None) => return Err(no_tape("it is empty")),
        Err(error) => return Err(no_tape(&error.to_string())),
    };
    Ok(std::iter::once(first).chain(entries))
}

struct Entries {
    lines: BufReader<MultiGzDecoder<BufReader<File>>>,
    line: Vec<u8>,
    ended: bool,
}

impl Entries {
    /// The next whole line; `None` at the end, and where the rest is torn.
    fn next_line(&mut self) -> io::Result<Option<&[u8]>> {
        use io::Read as _;
        self.line.clear();
        let read = self.lines.by_ref().take(LONGEST).read_until(b'\n', &mut self.line)?;
        let whole = read > 0 && self.line.last() == Some(&b'\n');
        Ok(whole.then_some(self.line.as_slice()))
    }
}

impl Iterator for Entries {
    type Item = Entry;

    fn next(&mut self) -> Option<Entry> {
        while !self.ended {
            match self.next_line() {
                Ok(Some(line)) => {
                    if let Ok(entry) = serde_json::from_slice(line) {
                        return Some(entry);
                    }
                }
                // Torn: what comes after a broken member cannot be told from noise.
                Ok(None) | Err(_) => self.ended = true,
            }
        }
        None
    }
}
