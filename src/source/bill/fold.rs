//! Batches of lines into bills, one per period.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::ReadOptions;
use super::batch::Batch;
use super::error::{BillFileError, named, quoted};
use super::fields::{Moment, Target, Text};
use super::layout::{Layout, Misfit, is_focus};
use super::open::OpenFile;
use super::slot::{Refusal, Slot};
use super::texts::SharedTexts;
use crate::domain::bill::{Bill, BillHead, BillNote, Month, PeriodState, Sums};
use crate::domain::hash::{FastHasher, FastSet};

/// Ids of lines that are remembered.
const IDS_AT_MOST: usize = 4_000_000;

/// Periods in the files of a delivery at most.
const PERIODS_AT_MOST: usize = 60;

/// Columns of a file that name a column when it is no bill.
const FIRST_COLUMNS: usize = 5;

/// Folds the lines of a delivery into bills.
pub(super) struct Fold<'a> {
    options: &'a ReadOptions,
    texts: SharedTexts,
    /// Of the last file.
    layout: Option<Layout>,
    missing: Vec<(String, &'static str)>,
    has_net: bool,
    slots: Vec<Slot>,
    /// Begin of the period of the last line, and its slot.
    last: Option<(i64, usize)>,
    /// Hashes ids, the same in all files.
    hasher: FastHasher,
    ids: FastSet<u64>,
    unchecked_ids: bool,
    has_dollars: bool,
}

impl<'a> Fold<'a> {
    /// No lines yet.
    pub fn new(options: &'a ReadOptions) -> Self {
        Self {
            options,
            texts: SharedTexts::default(),
            layout: None,
            missing: vec![],
            has_net: false,
            slots: vec![],
            last: None,
            hasher: FastHasher::default(),
            ids: FastSet::default(),
            unchecked_ids: false,
            has_dollars: false,
        }
    }

    /// A batch for the lines of any file of the delivery.
    pub fn batch(&self) -> Batch {
        Batch::new(self.tags(), self.hasher.clone())
    }

    /// Texts of all files.
    pub fn texts(&self) -> SharedTexts {
        self.texts.clone()
    }

    /// Chosen tag keys.
    pub fn tag_keys(&self) -> &'a [Arc<str>] {
        &self.options.tag_keys
    }

    /// Number of chosen tag keys.
    pub const fn tags(&self) -> usize {
        self.options.tag_keys.len()
    }

    /// Meaning of a file's columns. Err where they are no bill, lack what sums need, or are of another format than those
    /// of the files before.
    pub fn layout(
        &mut self,
        open: &OpenFile<'_>,
        names: &[String],
    ) -> Result<Layout, BillFileError> {
        let layout = Layout::of(names, self.tag_keys()).map_err(|misfit| match misfit {
            Misfit::Unknown => {
                let first: Vec<_> =
                    names.iter().take(FIRST_COLUMNS).map(|n| quoted(n.as_bytes())).collect();
                BillFileError::NotABill { file: open.name(), columns: first.join(", ") }
            }
            Misfit::Missing(format, columns) => {
                BillFileError::MissingColumns { file: open.name(), format, columns }
            }
        })?;
        if let Some(before) = self.layout.as_ref().map(|l| l.format).filter(|f| *f != layout.format)
        {
            let (file, format) = (open.name(), layout.format);
            return Err(BillFileError::Formats { file, format, before });
        }
        for missing in &layout.missing {
            if !self.missing.contains(missing) {
                self.missing.push(missing.clone());
            }
        }
        self.has_net |= layout.has_net();
        self.layout = Some(layout.clone());
        Ok(layout)
    }

    /// Adds the lines of a batch. Err for the first thing that would make a sum wrong.
    pub fn add(
        &mut self,
        open: &OpenFile<'_>,
        layout: &Layout,
        batch: &Batch,
    ) -> Result<(), BillFileError> {
        let texts = self.texts.clone();
        let texts = texts.lock();
        for row in 0..batch.rows {
            let at = self.slot(open, layout, batch, row)?;
            let slot = &mut self.slots[at];
            if batch.is_split(row) {
                slot.add_split(batch, row);
                continue;
            }
            if let Some(id) = batch.id(row) {
                if self.ids.len() < IDS_AT_MOST {
                    if !self.ids.insert(id) {
                        slot.add_duplicate(batch, row);
                    }
                } else if self.ids.contains(&id) {
                    slot.add_duplicate(batch, row);
                } else {
                    self.unchecked_ids = true;
                }
            }
            slot.add(layout, &texts, batch, row).map_err(|refusal| match refusal {
                Refusal::Currency(currency) => BillFileError::Currency {
                    file: open.name(),
                    column: layout.name(Target::Text(Text::Currency)),
                    currency: quoted(&currency),
                    mixed: self.has_dollars,
                },
                Refusal::Build(source) => BillFileError::TooLarge { file: open.name(), source },
            })?;
            self.has_dollars |= batch.text(Text::Currency, row) != 0;
        }
        Ok(())
    }

    /// Place of the slot that a line belongs to.
    fn slot(
        &mut self,
        open: &OpenFile<'_>,
        layout: &Layout,
        batch: &Batch,
        row: usize,
    ) -> Result<usize, BillFileError> {
        if self.options.fixed_period.is_some() && !self.slots.is_empty() {
            return Ok(0);
        }
        let period = if let Some(period) = self.options.fixed_period {
            period
        } else {
            let said = batch.moment(Moment::Period, row);
            let said = said.or_else(|| batch.moment(Moment::Start, row));
            if let Some((_, at)) = self.last.filter(|(begin, _)| Some(*begin) == said) {
                return Ok(at);
            }
            let at = said.and_then(|ms| jiff::Timestamp::from_millisecond(ms).ok());
            let Some(at) = at else {
                let column = layout.name(Target::Moment(Moment::Period));
                return Err(BillFileError::NoPeriod { file: open.name(), column });
            };
            Month::at(at)
        };
        let found = self.slots.iter().position(|slot| slot.period == period);
        let at = match found {
            Some(at) => at,
            None if self.slots.len() >= PERIODS_AT_MOST => {
                let why = format!("it has lines of more than {PERIODS_AT_MOST} months");
                return Err(open.beyond(why));
            }
            None => {
                self.slots.push(Slot::new(period, self.tag_keys()));
                self.slots.len() - 1
            }
        };
        if let Some(begin) = batch.moment(Moment::Period, row) {
            self.last = Some((begin, at));
        }
        Ok(at)
    }

    /// The bills, oldest first. Err without any line.
    pub fn finish(self, files: &[PathBuf]) -> Result<Vec<Bill>, BillFileError> {
        let file = files.first().map_or_else(String::new, |path| named(Path::new(path)));
        let Some(layout) = self.layout.filter(|_| self.slots.iter().any(|s| s.lines() > 0)) else {
            return Err(BillFileError::NoLines { file });
        };
        let texts = self.texts.lock();
        let mut bills = vec![];
        for mut slot in self.slots {
            slot.add_unused()
                .map_err(|source| BillFileError::TooLarge { file: file.clone(), source })?;
            let mut notes = slot.notes(&layout, &texts);
            notes.extend(self.missing.iter().map(|(column, unknown)| BillNote::ColumnMissing {
                column: column.as_str().into(),
                unknown: (*unknown).into(),
            }));
            if self.unchecked_ids {
                let checked = IDS_AT_MOST as u64;
                notes.push(BillNote::DuplicatesUnchecked { checked });
            }
            let (provider, payer) = slot.provider_and_payer();
            let head = BillHead {
                export: self.options.export.clone(),
                format: layout.format,
                provider: if is_focus(layout.format) { provider } else { "AWS".into() },
                payer,
                period: slot.period,
                state: state(self.options, &slot),
                lines: 0,
                total: Sums::default(),
                has_net: self.has_net,
                has_resources: false,
                has_days: false,
                resources_folded: 0,
                last_day: 0,
                written_at: self.options.written_at,
                read_at: self.options.now,
                notes,
            };
            let mut bill = slot.finish(head);
            if bill.head.resources_folded > 0 {
                let resources = bill.head.resources_folded;
                bill.head.notes.push(BillNote::ResourcesFolded { resources });
            }
            bills.push(bill);
        }
        bills.sort_by_key(|bill| bill.head.period);
        Ok(bills)
    }
}

fn state(options: &ReadOptions, slot: &Slot) -> PeriodState {
    let written = options.written_at.unwrap_or(options.now).min(options.now);
    PeriodState::of(slot.period, options.now, written, slot.is_invoiced)
}
