//! Lines of a file as columns, some thousand at a time.

use std::hash::BuildHasher;

use super::fields::{Amount, Moment, Target, Text};
use super::texts::{TEXT_AT_MOST, Texts};
use super::time;
use crate::domain::bill::Usd;
use crate::domain::hash::FastHasher;
use crate::source::parquet_pages::Beyond;

/// Lines of a batch at most.
pub(super) const BATCH: usize = 4_096;

/// Moment that is not said.
const NO_MOMENT: i64 = i64::MIN;

/// Lines, column by column. A column that a file does not have has no values.
#[derive(Debug, Default)]
pub(super) struct Batch {
    /// Number of lines.
    pub rows: usize,
    /// Line of the file, or row of it, that the batch begins with, from 1.
    pub first_line: u64,
    texts: [Vec<u32>; Text::COUNT],
    tags: Vec<Vec<u32>>,
    amounts: [Vec<Option<Usd>>; Amount::COUNT],
    moments: [Vec<i64>; Moment::COUNT],
    quantities: Vec<f64>,
    splits: Vec<u32>,
    /// Bytes of all resources, and the range of each line's.
    resource_bytes: Vec<u8>,
    resources: Vec<(u32, u32)>,
    ids: Vec<u64>,
    hasher: FastHasher,
}

/// Why a value cannot be taken.
#[derive(Debug)]
pub(super) enum Wrong {
    /// It is not what its column holds: this.
    Value(&'static str),
    /// It is too much.
    Beyond(Beyond),
}

impl From<Beyond> for Wrong {
    fn from(beyond: Beyond) -> Self {
        Self::Beyond(beyond)
    }
}

impl Batch {
    /// A batch for `tags` chosen tags, whose ids are hashed by `hasher`.
    pub fn new(tags: usize, hasher: FastHasher) -> Self {
        Self { tags: vec![vec![]; tags], hasher, ..Self::default() }
    }

    /// Empties it and makes room for `rows` lines of the columns in `targets`.
    pub fn begin(&mut self, rows: usize, targets: impl Iterator<Item = Target>) {
        fn fresh<T: Copy>(column: &mut Vec<T>, rows: usize, value: T) {
            column.clear();
            column.resize(rows, value);
        }
        self.rows = rows;
        self.resource_bytes.clear();
        for target in targets {
            match target {
                Target::Text(text) => fresh(&mut self.texts[text as usize], rows, 0),
                Target::Tag(tag) => {
                    if let Some(column) = self.tags.get_mut(tag) {
                        fresh(column, rows, 0);
                    }
                }
                Target::Amount(amount) => fresh(&mut self.amounts[amount as usize], rows, None),
                Target::Moment(at) => fresh(&mut self.moments[at as usize], rows, NO_MOMENT),
                Target::Quantity => fresh(&mut self.quantities, rows, f64::NAN),
                Target::SplitParent => fresh(&mut self.splits, rows, 0),
                Target::Resource => fresh(&mut self.resources, rows, (0, 0)),
                Target::LineId | Target::Interval => fresh(&mut self.ids, rows, 0),
            }
        }
    }

    /// Puts a value as text. Err for a text that is not what the column holds.
    pub fn put(
        &mut self,
        row: usize,
        target: Target,
        text: &[u8],
        texts: &mut Texts,
    ) -> Result<(), Wrong> {
        if text.is_empty() {
            return Ok(());
        }
        match target {
            Target::Text(_) | Target::Tag(_) => {
                let number = texts.number(text)?;
                self.fill_number(row, target, number);
            }
            Target::SplitParent => self.fill_number(row, target, 1),
            Target::Amount(_) => {
                let amount = Usd::parse(text.trim_ascii()).ok_or(Wrong::Value("amount"))?;
                self.fill_amount(row, target, amount);
            }
            Target::Quantity => {
                let number = std::str::from_utf8(text).ok().and_then(|t| t.trim().parse().ok());
                self.fill_quantity(row, number.ok_or(Wrong::Value("number"))?);
            }
            Target::Moment(_) => {
                let at = time::read(text).ok_or(Wrong::Value("moment"))?;
                self.fill_moment(row, target, at);
            }
            Target::Resource => {
                let text = &text[..text.len().min(TEXT_AT_MOST)];
                let start = self.resource_bytes.len() as u32;
                self.resource_bytes.extend_from_slice(text);
                set(&mut self.resources, row, (start, start + text.len() as u32));
            }
            Target::LineId => set(&mut self.ids, row, self.hasher.hash_one(text)),
            Target::Interval => {
                // Without an id an interval tells nothing.
                let id = self.ids.get(row).copied().filter(|id| *id != 0);
                let both = id.map(|id| id.rotate_left(29) ^ self.hasher.hash_one(text));
                if let Some(both) = both {
                    set(&mut self.ids, row, both);
                }
            }
        }
        Ok(())
    }

    /// Puts the number of a text, or of whether there is one, where there is none yet.
    pub fn fill_number(&mut self, row: usize, target: Target, number: u32) {
        let column = match target {
            Target::Text(text) => &mut self.texts[text as usize],
            Target::Tag(tag) => match self.tags.get_mut(tag) {
                Some(column) => column,
                None => return,
            },
            Target::SplitParent => &mut self.splits,
            _ => return,
        };
        if let Some(value) = column.get_mut(row).filter(|value| **value == 0) {
            *value = number;
        }
    }

    /// Puts the number of a tag's value in place of another.
    pub fn replace_tag(&mut self, row: usize, tag: usize, number: u32) {
        if let Some(column) = self.tags.get_mut(tag) {
            set(column, row, number);
        }
    }

    /// Puts an amount.
    pub fn fill_amount(&mut self, row: usize, target: Target, amount: Usd) {
        if let Target::Amount(column) = target {
            set(&mut self.amounts[column as usize], row, Some(amount));
        }
    }

    /// Puts a quantity where there is none yet. What is no number counts as none.
    pub fn fill_quantity(&mut self, row: usize, quantity: f64) {
        let slot = self.quantities.get_mut(row).filter(|q| q.is_nan());
        if let Some(slot) = slot.filter(|_| quantity.is_finite()) {
            *slot = quantity;
        }
    }

    /// Puts a moment, ms since 1970.
    pub fn fill_moment(&mut self, row: usize, target: Target, at: i64) {
        if let Target::Moment(column) = target {
            set(&mut self.moments[column as usize], row, at);
        }
    }

    /// Number of a text; 0 for none.
    #[inline]
    pub fn text(&self, text: Text, row: usize) -> u32 {
        self.texts[text as usize].get(row).copied().unwrap_or(0)
    }

    /// Appends the numbers of all texts and tags of a line.
    #[inline]
    pub fn numbers(&self, row: usize, into: &mut Vec<u32>) {
        let all = self.texts.iter().chain(&self.tags);
        into.extend(all.map(|column| column.get(row).copied().unwrap_or(0)));
    }

    /// An amount; `None` for null and for a column that the file does not have.
    #[inline]
    pub fn amount(&self, amount: Amount, row: usize) -> Option<Usd> {
        self.amounts[amount as usize].get(row).copied().flatten()
    }

    /// A moment, ms since 1970; `None` where it is not said.
    #[inline]
    pub fn moment(&self, moment: Moment, row: usize) -> Option<i64> {
        self.moments[moment as usize].get(row).copied().filter(|at| *at != NO_MOMENT)
    }

    /// Quantity; 0 where it is not said.
    #[inline]
    pub fn quantity(&self, row: usize) -> f64 {
        self.quantities.get(row).copied().filter(|q| !q.is_nan()).unwrap_or(0.0)
    }

    /// Resource; empty where it is not said.
    #[inline]
    pub fn resource(&self, row: usize) -> &[u8] {
        let (start, end) = self.resources.get(row).copied().unwrap_or_default();
        self.resource_bytes.get(start as usize..end as usize).unwrap_or_default()
    }

    /// Hash of the line's id and interval; `None` without an id.
    #[inline]
    pub fn id(&self, row: usize) -> Option<u64> {
        self.ids.get(row).copied().filter(|id| *id != 0)
    }

    /// True for a row that divides the cost of another.
    #[inline]
    pub fn is_split(&self, row: usize) -> bool {
        self.splits.get(row).is_some_and(|split| *split != 0)
    }
}

fn set<T>(column: &mut [T], row: usize, value: T) {
    if let Some(slot) = column.get_mut(row) {
        *slot = value;
    }
}
