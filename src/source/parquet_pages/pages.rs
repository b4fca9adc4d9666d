//! The limits of a Parquet file. The decoder makes room for whatever a footer or the header of a
//! page says, so each is looked at first; and what is alive of a file at any time is counted.

use std::fs::File;
use std::io::Read;
use std::os::unix::fs::FileExt;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use flate2::read::MultiGzDecoder;
use parquet::basic::Compression;
use parquet::column::page::{Page, PageMetadata, PageReader};
use parquet::errors::{ParquetError, Result};
use parquet::file::metadata::{ColumnChunkMetaData, ParquetMetaData, RowGroupMetaData};

use super::thrift::{Thrift, Wrong, is_list, is_struct};

/// The largest page, bytes, packed or unpacked. Writers make pages of about 1 MiB.
const PAGE_AT_MOST: usize = 64 << 20;

/// The largest dictionary, bytes unpacked, and its most values. Writers stop at about 1 MiB.
const DICTIONARY_AT_MOST: (usize, usize) = (16 << 20, 1 << 20);

/// The longest header of a page, bytes: its statistics may hold two keys.
const HEADER_AT_MOST: usize = 64 << 10;

/// The longest footer, bytes.
const FOOTER_AT_MOST: usize = 16 << 20;

/// Limits of a kind of file.
#[derive(Clone, Copy, Debug)]
pub(in crate::source) struct Limits {
    /// The most columns, nested ones included.
    pub columns: u64,
    /// The most elements of all lists of a footer: some eight per column and group of rows.
    pub elements: usize,
    /// The most rows: so many, and so many for each byte of the file.
    pub rows: (u64, u64),
    /// Most bytes that are unpacked at a time: pages and dictionaries of all columns.
    pub alive: usize,
}

/// Room that a value of a dictionary takes beside its bytes.
const VALUE_ROOM: usize = 32;

/// Reason for not reading a piece further: it exceeds a limit.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(in crate::source) struct Beyond(pub String);

impl From<Beyond> for ParquetError {
    fn from(beyond: Beyond) -> Self {
        Self::External(Box::new(beyond))
    }
}

fn beyond(words: impl Into<String>) -> ParquetError {
    Beyond(words.into()).into()
}

/// Checks the footer of a file of `bytes` bytes before the decoder reads it. Err for a missing or excessive footer.
pub(in crate::source) fn check_footer(file: &File, bytes: u64, limits: &Limits) -> Result<()> {
    let mut tail = [0; 8];
    let Some(start) = bytes.checked_sub(8) else { return Err(eof("it has no footer")) };
    file.read_exact_at(&mut tail, start)?;
    let [a, b, c, d, ..] = tail;
    let length = u32::from_le_bytes([a, b, c, d]) as usize;
    let Some(start) = start.checked_sub(length as u64) else {
        return Err(eof("its footer is longer than the file"));
    };
    if length > FOOTER_AT_MOST {
        let most = FOOTER_AT_MOST >> 20;
        return Err(beyond(format!("its footer has {length} bytes, at most {most} MiB are read")));
    }
    let mut footer = vec![0; length];
    file.read_exact_at(&mut footer, start)?;
    let mut thrift = Thrift::new(&footer, limits.elements);
    let mut columns = 0;
    let walked = thrift.fields(0, &mut |thrift, id, kind| {
        // The second field of the footer is the schema.
        if id != 2 || !is_list(kind) {
            return Ok(false);
        }
        let (kind, length) = thrift.list()?;
        columns = length;
        thrift.pass_list(kind, length, 1)?;
        Ok(true)
    });
    match walked {
        Err(Wrong::Long) => {
            let most = limits.elements;
            Err(beyond(format!("the lists of its footer have more than {most} elements")))
        }
        Err(_) => Err(ParquetError::General("its footer is none".into())),
        Ok(()) if columns > limits.columns => {
            let most = limits.columns;
            Err(beyond(format!("it has {columns} columns, at most {most} are read")))
        }
        Ok(()) => Ok(()),
    }
}

/// Err for a file of `bytes` bytes that claims more rows than could be packed into it.
pub(in crate::source) fn check_rows(
    meta: &ParquetMetaData,
    bytes: u64,
    limits: &Limits,
) -> Result<()> {
    let rows = meta.row_groups().iter().map(RowGroupMetaData::num_rows);
    let rows = rows.fold(0_u64, |sum, rows| sum.saturating_add(rows.max(0).unsigned_abs()));
    let most = bytes.saturating_mul(limits.rows.1).saturating_add(limits.rows.0);
    if rows > most {
        return Err(beyond(format!("it says that it has {rows} rows in {bytes} bytes")));
    }
    Ok(())
}

/// Err for a footer whose columns lie nowhere: the decoder takes it at its word.
pub(in crate::source) fn check_columns(meta: &ParquetMetaData) -> Result<()> {
    for column in meta.row_groups().iter().flat_map(RowGroupMetaData::columns) {
        let starts = [Some(column.data_page_offset()), column.dictionary_page_offset()];
        let lies = |n: i64| n < 0;
        if starts.into_iter().flatten().any(lies) || lies(column.compressed_size()) {
            let words = "the footer names columns that lie nowhere";
            return Err(ParquetError::General(words.into()));
        }
    }
    Ok(())
}

/// What the library says, without the name that it gives itself.
pub(in crate::source) fn said(error: &ParquetError) -> String {
    let said = error.to_string();
    let names = ["Parquet error: ", "EOF: ", "NYI: ", "External: "];
    names.iter().find_map(|name| said.strip_prefix(name)).unwrap_or(&said).to_owned()
}

fn eof(words: &str) -> ParquetError {
    ParquetError::EOF(words.to_owned())
}

/// Live memory of a group of rows, bytes.
#[derive(Debug)]
pub(in crate::source) struct Alive {
    /// Since the batch began, what it began with included: its values may be parts of all of these.
    batch: AtomicUsize,
    /// The dictionary and the page of each column.
    columns: Box<[AtomicUsize]>,
    at_most: usize,
}

impl Alive {
    /// Counts for `columns` columns.
    pub fn new(columns: usize, limits: &Limits) -> Self {
        let columns = (0..columns).map(|_| AtomicUsize::new(0)).collect();
        Self { batch: AtomicUsize::new(0), columns, at_most: limits.alive }
    }

    /// Starts a batch: of the previous batch only the newest page of each column stays alive.
    pub fn begin(&self) {
        let now = self.columns.iter().map(|c| c.load(Ordering::Relaxed)).sum();
        self.batch.store(now, Ordering::Relaxed);
    }
}

/// Pages of a column in a group of rows, each checked before it is decompressed.
pub(in crate::source) struct Pages {
    inner: Box<dyn PageReader>,
    file: Arc<File>,
    /// Where the next page begins, and the bytes from there to the end of the column.
    at: u64,
    left: u64,
    packed_by_gzip: bool,
    is_text: bool,
    name: String,
    column: usize,
    dictionary: usize,
    alive: Arc<Alive>,
}

/// What of the header of a page is looked at.
#[derive(Clone, Copy, Debug, Default)]
struct Header {
    kind: i32,
    unpacked: i32,
    packed: i32,
    values: i32,
    encoding: i32,
    /// Bytes before the packed ones, of the second version of pages.
    levels: i64,
}

/// An index and a dictionary among the kinds of pages.
const INDEX: i32 = 1;
const DICTIONARY: i32 = 2;

/// Encodings of text whose lengths are a list that can be longer than the page by any factor.
const DELTAS: [i32; 2] = [6, 7];

impl Pages {
    /// Pages that `inner` reads from `file` at the location in `meta`, of the column that messages call `name`; their
    /// memory counts as that of number `column` in `alive`.
    pub fn new(
        inner: Box<dyn PageReader>,
        file: Arc<File>,
        meta: &ColumnChunkMetaData,
        (name, column): (String, usize),
        alive: Arc<Alive>,
    ) -> Self {
        let (at, left) = meta.byte_range();
        let packed_by_gzip = matches!(meta.compression(), Compression::GZIP(_));
        let is_text = meta.column_type() == parquet::basic::Type::BYTE_ARRAY;
        Self { inner, file, at, left, packed_by_gzip, is_text, name, column, dictionary: 0, alive }
    }

    /// Looks at the header of the next page, and passes it.
    fn check(&mut self) -> Result<()> {
        while self.left > 0 {
            let (header, length) = self.header()?;
            let size = |bytes: i32| usize::try_from(bytes).map_err(|_| eof("a page of no size"));
            let (unpacked, packed) = (size(header.unpacked)?, size(header.packed)?);
            if unpacked.max(packed) > PAGE_AT_MOST {
                let (bytes, most) = (unpacked.max(packed), PAGE_AT_MOST >> 20);
                return Err(self.beyond(&format!("a page of {bytes} bytes, at most {most} MiB")));
            }
            let values = size(header.values)?;
            let (most, most_values) = DICTIONARY_AT_MOST;
            if header.kind == DICTIONARY && (unpacked > most || values > most_values) {
                return Err(self.beyond(&format!(
                    "a dictionary of {values} values and {unpacked} bytes, at most {most_values} and \
                     {} MiB",
                    most >> 20
                )));
            }
            if self.is_text && DELTAS.contains(&header.encoding) {
                return Err(self.beyond("texts that are encoded as differences, which"));
            }
            if self.packed_by_gzip {
                self.check_unpacked(&header, self.at + length, packed, unpacked)?;
            }
            let all = length + packed as u64;
            self.at += all;
            self.left =
                self.left.checked_sub(all).ok_or_else(|| eof("a page beyond its column"))?;
            if header.kind != INDEX {
                break;
            }
        }
        Ok(())
    }

    fn beyond(&self, what: &str) -> ParquetError {
        beyond(format!("its column {} has {what} are read", self.name))
    }

    fn header(&self) -> Result<(Header, u64)> {
        let mut room = 512;
        loop {
            let mut bytes = vec![0; room];
            let read = self.file.read_at(&mut bytes, self.at)?;
            bytes.truncate(read);
            let mut thrift = Thrift::new(&bytes, HEADER_AT_MOST);
            match header(&mut thrift) {
                Ok(header) => return Ok((header, (read - thrift.rest().len()) as u64)),
                // The file may give less than it was asked for; at its end it gives nothing.
                Err(Wrong::Ends) if read > 0 && room < HEADER_AT_MOST => room *= 2,
                Err(Wrong::Ends) if room >= HEADER_AT_MOST => {
                    return Err(self.beyond("a header of a page that is longer than all that"));
                }
                Err(_) => return Err(ParquetError::General("the header of a page is none".into())),
            }
        }
    }

    /// Unpacks a page into nothing, up to the size it says: the decoder of gzip does not heed it.
    fn check_unpacked(
        &self,
        header: &Header,
        at: u64,
        packed: usize,
        unpacked: usize,
    ) -> Result<()> {
        let mut bytes = vec![0; packed];
        self.file.read_exact_at(&mut bytes, at)?;
        let levels = usize::try_from(header.levels).unwrap_or(usize::MAX);
        let most = unpacked.saturating_sub(levels) as u64;
        let text = MultiGzDecoder::new(bytes.get(levels..).unwrap_or_default());
        // What is damaged, the decoder will find as well.
        let read = std::io::copy(&mut text.take(most + 1), &mut std::io::sink()).unwrap_or(0);
        if read > most {
            return Err(self.beyond(&format!(
                "a page that unpacks to more than the {unpacked} bytes of its header, no more than which"
            )));
        }
        Ok(())
    }
}

fn header(thrift: &mut Thrift<'_>) -> std::result::Result<Header, Wrong> {
    let mut header = Header::default();
    thrift.fields(0, &mut |thrift, id, kind| {
        let whole = |thrift: &mut Thrift<'_>| match kind {
            5 => thrift.int(),
            _ => Err(Wrong::Odd),
        };
        match id {
            1 => header.kind = whole(thrift)?,
            2 => header.unpacked = whole(thrift)?,
            3 => header.packed = whole(thrift)?,
            5 | 7 | 8 if is_struct(kind) => {
                // The encoding of the second version of pages stands in another place.
                let encoding = if id == 8 { 4 } else { 2 };
                thrift.fields(1, &mut |thrift, inner, kind| {
                    if kind != 5 {
                        return Ok(false);
                    }
                    match inner {
                        1 => header.values = header.values.max(thrift.int()?),
                        n if n == encoding => header.encoding = thrift.int()?,
                        5 | 6 if id == 8 => header.levels += i64::from(thrift.int()?),
                        _ => return Ok(false),
                    }
                    Ok(true)
                })?;
            }
            _ => return Ok(false),
        }
        Ok(true)
    })?;
    Ok(header)
}

impl PageReader for Pages {
    fn get_next_page(&mut self) -> Result<Option<Page>> {
        self.check()?;
        let Some(page) = self.inner.get_next_page()? else { return Ok(None) };
        let mut bytes = page.buffer().len();
        if page.is_dictionary_page() {
            bytes += page.num_values() as usize * VALUE_ROOM;
            self.dictionary = bytes;
        }
        let now = self.dictionary + if page.is_dictionary_page() { 0 } else { bytes };
        if let Some(column) = self.alive.columns.get(self.column) {
            column.store(now, Ordering::Relaxed);
        }
        if self.alive.batch.fetch_add(bytes, Ordering::Relaxed) + bytes > self.alive.at_most {
            let most = self.alive.at_most >> 20;
            return Err(self.beyond(&format!("the page with which more than {most} MiB at a time")));
        }
        Ok(Some(page))
    }

    fn peek_next_page(&mut self) -> Result<Option<PageMetadata>> {
        self.inner.peek_next_page()
    }

    /// Nothing here skips, and a page that is skipped is one that is not looked at.
    fn skip_next_page(&mut self) -> Result<()> {
        self.get_next_page().map(drop)
    }
}

impl Iterator for Pages {
    type Item = Result<Page>;

    fn next(&mut self) -> Option<Self::Item> {
        self.get_next_page().transpose()
    }
}
