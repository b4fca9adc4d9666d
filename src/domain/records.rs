//! Records of a CSV file that somebody else wrote, one at a time and bounded: a record of any length
//! can stand in a few packed megabytes, and is refused before it is in memory.

use std::io::{self, BufRead, BufReader, Read};

use csv_core::{ReadRecordResult, Reader};

use super::text::without_errno;

/// Longest record that is read: 1 MiB, the sum of its fields. Records of bills and inventories take a few thousand
/// bytes.
pub const RECORD_AT_MOST: usize = 1 << 20;

/// Largest number of fields in a record: bills with many tags have some hundreds.
pub const FIELDS_AT_MOST: usize = 4_096;

/// Room for a record before it has to grow, bytes and fields.
const ROOM: (usize, usize) = (4_096, 64);

/// Why a CSV file is not read further. None of its records count then: sums over a part would be wrong.
#[derive(Debug, thiserror::Error)]
pub enum RecordError {
    /// A record is too long, or nothing closes its quote.
    #[error(
        "the record that begins in line {line} is longer than {} MiB, the most that is read; look \
         for a quote that nothing closes",
        RECORD_AT_MOST >> 20
    )]
    Long {
        /// Line in which the record begins, from 1.
        line: u64,
    },
    /// A record has too many fields.
    #[error(
        "the record that begins in line {line} has more than {FIELDS_AT_MOST} fields, the most \
         that are read; export fewer columns"
    )]
    Wide {
        /// Line in which the record begins, from 1.
        line: u64,
    },
    /// The reader failed: a truncated file, or damaged compression.
    #[error("after line {line}: {}", why_unreadable(source))]
    Unreadable {
        /// Line in which the last complete record begins, from 1.
        line: u64,
        /// Error of the reader.
        source: io::Error,
    },
}

/// What an error of reading means: packed files that are cut or damaged are told by kinds that files do not have.
fn why_unreadable(error: &io::Error) -> String {
    use io::ErrorKind::{InvalidData, InvalidInput, UnexpectedEof};
    match error.kind() {
        UnexpectedEof | InvalidData | InvalidInput => {
            format!("the packed file is cut or damaged ({error})")
        }
        _ => without_errno(&error.to_string()).to_owned(),
    }
}

/// Reader of the records in a CSV file, with any number of fields each; a header is a record.
pub struct Records<R> {
    source: BufReader<R>,
    core: Reader,
    text: Vec<u8>,
    ends: Vec<usize>,
}

/// A record of a CSV file: its unquoted fields.
#[derive(Clone, Copy, Debug)]
pub struct Record<'a> {
    /// Line in which the record begins, from 1.
    pub line: u64,
    text: &'a [u8],
    ends: &'a [usize],
}

impl<'a> Record<'a> {
    /// Number of fields.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// A field, unquoted; `None` beyond the last.
    pub fn get(&self, field: usize) -> Option<&'a [u8]> {
        let end = *self.ends.get(field)?;
        let start = field.checked_sub(1).and_then(|before| self.ends.get(before)).copied();
        self.text.get(start.unwrap_or(0)..end)
    }

    /// All fields, unquoted, in their order.
    pub fn iter(&self) -> impl Iterator<Item = &'a [u8]> + use<'a> {
        let record = *self;
        (0..record.len()).filter_map(move |field| record.get(field))
    }
}

impl<R: Read> Records<R> {
    /// Reads from `source` in blocks of `buffer` bytes.
    pub fn new(source: R, buffer: usize) -> Self {
        let source = BufReader::with_capacity(buffer, source);
        Self { source, core: Reader::new(), text: vec![0; ROOM.0], ends: vec![0; ROOM.1] }
    }

    /// The next record; `None` after the last.
    ///
    /// # Errors
    /// The record exceeds a limit, or the source cannot be read. Nothing after it is read.
    pub fn read(&mut self) -> Result<Option<Record<'_>>, RecordError> {
        let (mut line, mut text, mut ends) = (self.core.line(), 0, 0);
        let mut has_begun = false;
        loop {
            let input = match self.source.fill_buf() {
                Ok(input) => input,
                Err(e) if e.kind() == io::ErrorKind::Interrupted => continue,
                Err(source) => return Err(RecordError::Unreadable { line, source }),
            };
            // The second half of a line's end, and empty lines, are none of the record's.
            let before = input.iter().take_while(|b| matches!(b, b'\r' | b'\n')).count();
            let input = if has_begun || before == 0 { input } else { &input[..before] };
            let (result, read, written, ended) =
                self.core.read_record(input, &mut self.text[text..], &mut self.ends[ends..]);
            self.source.consume(read);
            text += written;
            ends += ended;
            if !has_begun && before > 0 {
                line = self.core.line();
                continue;
            }
            has_begun = true;
            match result {
                ReadRecordResult::InputEmpty => {}
                ReadRecordResult::OutputFull => {
                    if !grow(&mut self.text, RECORD_AT_MOST) {
                        return Err(RecordError::Long { line });
                    }
                }
                ReadRecordResult::OutputEndsFull => {
                    if !grow(&mut self.ends, FIELDS_AT_MOST) {
                        return Err(RecordError::Wide { line });
                    }
                }
                ReadRecordResult::Record => {
                    let (text, ends) = (&self.text[..text], &self.ends[..ends]);
                    return Ok(Some(Record { line, text, ends }));
                }
                ReadRecordResult::End => return Ok(None),
            }
        }
    }
}

/// Twice the room, `most` at most; false where there is no more.
fn grow<T: Copy + Default>(room: &mut Vec<T>, most: usize) -> bool {
    let wider = (room.len() * 2).min(most);
    let grows = wider > room.len();
    room.resize(wider, T::default());
    grows
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn all(text: &[u8], buffer: usize) -> Vec<(u64, Vec<Vec<u8>>)> {
        let mut records = Records::new(text, buffer);
        let mut out = vec![];
        while let Some(record) = records.read().unwrap() {
            out.push((record.line, record.iter().map(<[u8]>::to_vec).collect()));
        }
        out
    }

    #[test]
    fn fields_are_unquoted_and_lines_counted() {
        let text = "\u{FEFF}a,b\n\"x,\"\"y\nz\",\"\"\n\nlast,".as_bytes();
        let want: Vec<(u64, Vec<&[u8]>)> =
            vec![(1, vec![b"a", b"b"]), (2, vec![b"x,\"y\nz", b""]), (5, vec![b"last", b""])];
        let found = all(text, 4);
        assert_eq!(found.len(), want.len());
        for ((line, fields), (want_line, want)) in found.iter().zip(want) {
            assert_eq!((*line, fields.iter().map(Vec::as_slice).collect()), (want_line, want));
        }
        assert!(all(b"", 4).is_empty() && all(b"\n\n", 4).is_empty());
        for buffer in 3..9 {
            let lines = all(b"a\r\nb\r\n\r\n\"c\r\nc\"\r\nd", buffer);
            let lines: Vec<u64> = lines.iter().map(|(line, _)| *line).collect();
            assert_eq!(lines, [1, 2, 4, 6], "{buffer}");
        }
    }

    #[test]
    fn a_record_at_the_limit_is_read_and_one_beyond_it_is_not() {
        let fields = vec!["x"; FIELDS_AT_MOST].join(",");
        assert_eq!(all(fields.as_bytes(), 1 << 16)[0].1.len(), FIELDS_AT_MOST);
        let wide = format!("a\n{fields},x\n");
        let mut records = Records::new(wide.as_bytes(), 1 << 16);
        records.read().unwrap();
        assert!(matches!(records.read(), Err(RecordError::Wide { line: 2 })));
        let longest = "x".repeat(RECORD_AT_MOST);
        assert_eq!(all(longest.as_bytes(), 1 << 16)[0].1[0].len(), RECORD_AT_MOST);
        let long = format!("a\n\"{longest}\nx\"\n");
        let mut records = Records::new(long.as_bytes(), 1 << 16);
        records.read().unwrap();
        assert!(matches!(records.read(), Err(RecordError::Long { line: 2 })));
    }

    proptest! {
        /// The bounded reader and the csv crate's agree on whatever they are given.
        #[test]
        fn any_bytes_are_read_as_the_csv_crate_reads_them(
            text in prop::collection::vec(prop::sample::select(b"ab,\"\n\r ".to_vec()), 0..80),
            buffer in 3_usize..20,
        ) {
            let mut reader = csv::ReaderBuilder::new()
                .has_headers(false)
                .flexible(true)
                .from_reader(&text[..]);
            let want: Vec<Vec<Vec<u8>>> = reader
                .byte_records()
                .map(|r| r.unwrap().iter().map(<[u8]>::to_vec).collect())
                .collect();
            let found: Vec<_> = all(&text, buffer).into_iter().map(|(_, fields)| fields).collect();
            prop_assert_eq!(found, want);
        }
    }

    /// Files that unpack to far more than they are.
    mod hostile {
        use super::*;

        /// `times` times `unit`, without its being anywhere as a whole.
        struct Flood {
            unit: &'static [u8],
            left: usize,
            at: usize,
        }

        impl Read for Flood {
            fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
                let n = to.len().min(self.left);
                for byte in &mut to[..n] {
                    *byte = self.unit[self.at % self.unit.len()];
                    self.at += 1;
                }
                self.left -= n;
                Ok(n)
            }
        }

        #[test]
        fn no_record_takes_more_than_its_limit_whatever_stands_in_it() {
            const BYTES: usize = 4 << 20;
            let units: [&[u8]; 12] = [
                b"x", b",", b"\"", b"\"\"", b"\"x", b"\"\n", b"\"\"\"", b"x,", b"\"\",", b"\r",
                b" \t", b"\"x\" ",
            ];
            let mut inputs = 0;
            for unit in units {
                for first in [&b""[..], b"\"", b"a,b\n\"", b"a,b\n"] {
                    let flood = Flood { unit, left: BYTES, at: 0 };
                    let mut records = Records::new(first.chain(flood), 1 << 16);
                    let measured =
                        allocation_counter::measure(|| while let Ok(Some(_)) = records.read() {});
                    let most = 2 * (RECORD_AT_MOST + 8 * FIELDS_AT_MOST) as u64;
                    assert!(measured.bytes_max <= most, "{unit:?}: {}", measured.bytes_max);
                    inputs += 1;
                }
            }
            assert_eq!(inputs, 48);
            println!("hostile: records: {inputs} inputs");
        }
    }
}
