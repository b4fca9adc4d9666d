//! Lines of a CSV file become batches.

use std::io::Read;

use super::batch::{BATCH, Batch, Wrong};
use super::error::{BillFileError, quoted};
use super::fields::Target;
use super::fold::Fold;
use super::layout::{Layout, Source, Use};
use super::maps::{self, Putting};
use super::open::{OpenFile, Teller};
use super::tags;
use crate::domain::records::{Record, RecordError, Records};

/// Bytes that are unpacked at a time.
const BLOCK: usize = 1 << 18;

/// Reads CSV with a header from `text` into `fold`; `done` tells the bytes of the file that were read.
pub(super) fn read(
    open: &OpenFile<'_>,
    text: impl Read,
    done: &dyn Fn() -> u64,
    fold: &mut Fold<'_>,
    teller: &mut Teller<'_>,
) -> Result<(), BillFileError> {
    let mut records = Records::new(text, BLOCK);
    let failed = |error: RecordError| match error {
        RecordError::Unreadable { .. } => open.damaged(error.to_string()),
        _ => open.beyond(error.to_string()),
    };
    let Some(header) = records.read().map_err(failed)? else { return Ok(()) };
    let names: Vec<String> =
        header.iter().map(|name| String::from_utf8_lossy(name).trim().to_owned()).collect();
    let layout = fold.layout(open, &names)?;
    let targets = all_targets(&layout, fold.tags());
    let mut lines = Lines { open, layout: &layout, columns: names.len() };
    let mut batch = fold.batch();
    loop {
        batch.begin(BATCH, targets.iter().copied());
        let mut rows = 0;
        while rows < BATCH {
            let Some(record) = records.read().map_err(failed)? else { break };
            if rows == 0 {
                batch.first_line = record.line;
            }
            lines.put(&record, rows, &mut batch, fold)?;
            rows += 1;
        }
        batch.rows = rows;
        fold.add(open, &layout, &batch)?;
        teller.tell(rows, done())?;
        if rows < BATCH {
            return Ok(());
        }
    }
}

/// All that the columns of a file may fill.
pub(super) fn all_targets(layout: &Layout, tags: usize) -> Vec<Target> {
    let mut targets = vec![];
    for source in &layout.sources {
        match source.r#use {
            Use::Value(target) => targets.push(target),
            Use::Map(kind) => targets.extend(maps::targets(kind, tags)),
        }
    }
    targets
}

struct Lines<'a> {
    open: &'a OpenFile<'a>,
    layout: &'a Layout,
    columns: usize,
}

impl Lines<'_> {
    fn put(
        &mut self,
        record: &Record<'_>,
        row: usize,
        batch: &mut Batch,
        fold: &Fold<'_>,
    ) -> Result<(), BillFileError> {
        if record.len() != self.columns {
            let (line, found, said) = (record.line, record.len(), self.columns);
            let why = format!("line {line} has {found} fields, the header has {said}");
            return Err(self.open.damaged(why));
        }
        let shared = fold.texts();
        let mut texts = shared.lock();
        for source in &self.layout.sources {
            let text = record.get(source.column).unwrap_or_default();
            let put = match source.r#use {
                Use::Value(target) => batch.put(row, target, text, &mut texts),
                Use::Map(kind) => fill_cell(
                    text,
                    row,
                    batch,
                    &mut |key| maps::entry(kind, key, fold.tag_keys()),
                    &mut |value| Ok(texts.number(value)?),
                ),
            };
            put.map_err(|wrong| refused(self.open, source, record.line, text, wrong))?;
        }
        Ok(())
    }
}

/// Puts the entries of a cell that holds several; `number` numbers their values.
pub(super) fn fill_cell(
    cell: &[u8],
    row: usize,
    batch: &mut Batch,
    entry: &mut dyn FnMut(&[u8]) -> Option<maps::Entry>,
    number: &mut dyn FnMut(&[u8]) -> Result<u32, Wrong>,
) -> Result<(), Wrong> {
    let mut putting = Putting::default();
    putting.begin(row);
    let mut failed = None;
    tags::entries(cell, &mut |key, value| {
        if let Some(entry) = entry(key) {
            match number(value) {
                Ok(number) => putting.put(entry, number, batch),
                Err(wrong) => failed = Some(wrong),
            }
        }
    });
    failed.map_or(Ok(()), Err)
}

/// Why a value of a file was not taken.
pub(super) fn refused(
    open: &OpenFile<'_>,
    source: &Source,
    line: u64,
    text: &[u8],
    wrong: Wrong,
) -> BillFileError {
    match wrong {
        Wrong::Value(wanted) => BillFileError::Value {
            file: open.name(),
            column: source.name.clone(),
            line,
            text: quoted(text),
            wanted,
        },
        Wrong::Beyond(beyond) => open.beyond(beyond.0),
    }
}
