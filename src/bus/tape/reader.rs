//! Reading a tape.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use flate2::bufread::MultiGzDecoder;
use jiff::Timestamp;
use serde::Deserialize;

use super::entry::{Entry, Said, SourceSaid};
use crate::domain::cleaned::Cleaned;
use crate::domain::{ErrorKind, HostTrouble, Scope, SourceError, SourceId, Sweep, text};
use crate::files;

/// The longest line that is read, bytes: an inventory of tens of thousands of instances.
const LONGEST: u64 = 64 << 20;

/// The most values in a line: those of 16,000 GPUs are a million. Each takes more in memory than in
/// the line.
const VALUES_AT_MOST: usize = 4_000_000;

/// Most sources that are reported when the rest of a tape is not played.
const SOURCES_AT_MOST: usize = 10_000;

/// Why a tape cannot be played.
#[derive(Debug, thiserror::Error)]
pub enum TapeError {
    /// The file cannot be opened.
    #[error("cannot read the tape {}: {}", path.display(), files::explain(source))]
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
/// the end is left out; an entry of a newer burntop, that this one does not know, is skipped. At an
/// entry beyond the limits the tape ends, and every source that spoke on it has failed there: what
/// it shows is not whole.
pub fn read(path: &Path) -> Result<impl Iterator<Item = Entry> + use<>, TapeError> {
    let file =
        files::named(path).map_err(|source| TapeError::Open { path: path.to_owned(), source })?;
    let mut entries = Entries::of(file);
    let no_tape = |why: &str| TapeError::NoTape { path: path.to_owned(), why: why.to_owned() };
    let first = match entries.next_line() {
        Ok(Line::Whole) => {
            entry(&entries.line).ok_or_else(|| no_tape("its first line is no reading"))?
        }
        Ok(Line::Ended) => return Err(no_tape("it is empty")),
        Ok(Line::Beyond) => return Err(no_tape(&beyond())),
        Err(error) => return Err(no_tape(&text::clean(&error.to_string()))),
    };
    entries.note(&first);
    Ok(std::iter::once(first).chain(entries))
}

/// What a line says, every text in it clean: a tape may come from anybody. `None` for what is no
/// entry.
fn entry(line: &[u8]) -> Option<Entry> {
    let mut from = serde_json::Deserializer::from_slice(line);
    let entry = Entry::deserialize(Cleaned::new(&mut from)).ok()?;
    from.end().ok()?;
    Some(entry)
}

fn beyond() -> String {
    format!(
        "an entry of more than {} MiB or {VALUES_AT_MOST} values, the most that is read",
        LONGEST >> 20
    )
}

/// Next line of a tape.
enum Line {
    /// A whole line, in [`Entries::line`].
    Whole,
    /// The end, or a torn rest.
    Ended,
    /// A line that is not read.
    Beyond,
}

struct Entries {
    lines: BufReader<MultiGzDecoder<BufReader<File>>>,
    line: Vec<u8>,
    /// The moment of the last entry.
    at: Timestamp,
    /// The sources that spoke so far, and those of GPUs, with their names.
    spoke: BTreeSet<(SourceId, Scope)>,
    swept: BTreeSet<(SourceId, Arc<str>)>,
    /// Entries played after the end.
    rest: Option<std::vec::IntoIter<Entry>>,
}

/// True when every byte of `file` belongs to a tape: nothing in front of it, nothing torn at its end.
/// An empty file is a tape on which nothing is yet.
pub(super) fn is_whole_tape(file: File) -> io::Result<bool> {
    if file.metadata()?.len() == 0 {
        return Ok(true);
    }
    let mut entries = Entries::of(file);
    match entries.next_line() {
        Ok(Line::Whole) if entry(&entries.line).is_some() => {}
        _ => return Ok(false),
    }
    loop {
        match entries.next_line() {
            Ok(Line::Whole) => {}
            // Nothing of a line was left.
            Ok(Line::Ended) => return Ok(entries.line.is_empty()),
            Ok(Line::Beyond) | Err(_) => return Ok(false),
        }
    }
}

impl Entries {
    fn of(file: File) -> Self {
        Self {
            lines: BufReader::with_capacity(1 << 16, MultiGzDecoder::new(BufReader::new(file))),
            line: Vec::new(),
            at: Timestamp::UNIX_EPOCH,
            spoke: BTreeSet::new(),
            swept: BTreeSet::new(),
            rest: None,
        }
    }

    fn next_line(&mut self) -> io::Result<Line> {
        use io::Read as _;
        self.line.clear();
        let read = self.lines.by_ref().take(LONGEST + 1).read_until(b'\n', &mut self.line)?;
        if read as u64 > LONGEST
            || memchr::memchr2_iter(b',', b':', &self.line).count() > VALUES_AT_MOST
        {
            return Ok(Line::Beyond);
        }
        let whole = read > 0 && self.line.last() == Some(&b'\n');
        Ok(if whole { Line::Whole } else { Line::Ended })
    }

    fn note(&mut self, entry: &Entry) {
        self.at = entry.at;
        if self.spoke.len() + self.swept.len() >= SOURCES_AT_MOST {
            return;
        }
        match &entry.said {
            Said::Source { source, scope, .. } => {
                self.spoke.insert((*source, scope.clone()));
            }
            Said::Sweep { sweep } => {
                self.swept.insert((sweep.source, sweep.origin.clone()));
            }
            _ => {}
        }
    }

    /// The failures with which a tape ends that is not played further.
    fn failures(&mut self) -> std::vec::IntoIter<Entry> {
        let error = Arc::new(SourceError::new(
            ErrorKind::Malformed,
            "tape",
            &format!("the tape is played up to here: {}", beyond()),
            "what follows is not shown; record it anew with this burntop",
        ));
        let at = self.at;
        let failed = std::mem::take(&mut self.spoke).into_iter().map(|(source, scope)| {
            Said::Source { source, scope, outcome: SourceSaid::Bad(Arc::clone(&error)) }
        });
        let unswept = std::mem::take(&mut self.swept).into_iter().map(|(source, origin)| {
            let troubles = vec![HostTrouble { host: "tape".into(), error: Arc::clone(&error) }];
            let sweep = Sweep {
                source,
                origin,
                taken_at: at,
                samples: Vec::new(),
                asked: 1,
                answered: 0,
                troubles,
                // The GPUs are not gone: nobody knows.
                partial: true,
            };
            Said::Sweep { sweep: Arc::new(sweep) }
        });
        let said: Vec<Entry> = failed.chain(unswept).map(|said| Entry { at, said }).collect();
        said.into_iter()
    }
}

impl Iterator for Entries {
    type Item = Entry;

    fn next(&mut self) -> Option<Entry> {
        loop {
            if let Some(rest) = &mut self.rest {
                return rest.next();
            }
            match self.next_line() {
                Ok(Line::Whole) => {
                    if let Some(entry) = entry(&self.line) {
                        self.note(&entry);
                        return Some(entry);
                    }
                }
                Ok(Line::Beyond) => {
                    tracing::warn!(why = beyond(), "the tape is not played further");
                    self.rest = Some(self.failures());
                }
                // Torn: what comes after a broken member cannot be told from noise.
                Ok(Line::Ended) | Err(_) => self.rest = Some(Vec::new().into_iter()),
            }
        }
    }
}
