//! What is odd about the lines of a period.

use std::sync::Arc;

use super::amounts::{self, Amounts};
use super::error::quoted;
use super::fields::{Amount, Target, Text};
use super::layout::Layout;
use super::rules::Meaning;
use super::texts::Texts;
use crate::domain::bill::{BillNote, Charge, Key, NameId, Usd};
use crate::domain::hash::FastMap;

/// Difference between fees and what they paid for that is no rounding, dollars.
const DIFFERS_FROM: f64 = 0.01;

/// Most commitments that are named as differing, the largest differences first.
const DIFFERING: usize = 20;

/// Amounts that lines need; others may be null.
const REQUIRED: [Amount; 5] = [
    Amount::Billed,
    Amount::Effective,
    Amount::PlanEffective,
    Amount::PlanCommitment,
    Amount::ReservationEffective,
];

/// Number of lines, and an amount of them.
type Count = (u64, Usd);

/// Counts of what is odd.
#[derive(Debug, Default)]
pub(super) struct Odd {
    /// Lines outside the period.
    pub outside: u64,
    /// Lines of use that are longer than a day, and others.
    pub long: u64,
    /// Lines of use that are of one day.
    pub short: u64,
    /// Lines with text that is not UTF-8.
    pub not_utf8: u64,
    nulls: [u64; Amount::COUNT],
    duplicates: Count,
    splits: Count,
    effective_zero: Count,
    purchase_effective: Count,
    words: FastMap<u32, u64>,
    /// Columns that lines of commitments need and the file lacks, and what is unknown for it.
    blind: Vec<(Amount, &'static str)>,
    /// FOCUS: fees of each commitment, and effective cost of what it paid for.
    commitments: FastMap<NameId, (Usd, Usd)>,
}

fn count(into: &mut Count, amount: Usd) {
    into.0 += 1;
    into.1 += amount;
}

impl Odd {
    /// Counts a row that divides the cost of another.
    pub fn add_split(&mut self, cost: Usd) {
        count(&mut self.splits, cost);
    }

    /// Counts a line whose id another one had.
    pub fn add_duplicate(&mut self, billed: Usd) {
        count(&mut self.duplicates, billed);
    }

    /// Counts a line whose type is none that is known, by the number of the word.
    pub fn add_word(&mut self, word: u32) {
        *self.words.entry(word).or_default() += 1;
    }

    /// Looks at a line.
    pub fn add(&mut self, layout: &Layout, key: &Key, meaning: Meaning, amounts: &Amounts) {
        if amounts.nulls != 0 {
            for (at, count) in self.nulls.iter_mut().enumerate() {
                *count += u64::from(amounts.nulls >> at & 1);
            }
        }
        if !layout.is_focus() {
            let blind = amounts::blind(meaning, layout, amounts);
            self.blind.extend(blind.filter(|blind| !self.blind.contains(blind)));
            return;
        }
        match key.charge {
            Charge::Usage => {
                if amounts.effective.is_zero() && !amounts.billed.is_zero() {
                    count(&mut self.effective_zero, amounts.billed);
                }
                if !key.commitment.is_none() {
                    self.commitments.entry(key.commitment).or_default().1 += amounts.effective;
                }
            }
            Charge::Purchase => {
                if !amounts.effective.is_zero() {
                    count(&mut self.purchase_effective, amounts.effective);
                }
                self.commitments.entry(key.commitment).or_default().0 += amounts.billed;
            }
            _ => {}
        }
    }

    /// What is odd, most important first; `name` gives the texts of the bill.
    pub fn notes(
        &self,
        layout: &Layout,
        texts: &Texts,
        name: &dyn Fn(NameId) -> Arc<str>,
    ) -> Vec<BillNote> {
        let mut notes = vec![];
        for amount in REQUIRED {
            let (column, lines) =
                (layout.name(Target::Amount(amount)).into(), self.nulls[amount as usize]);
            notes.extend((lines > 0).then_some(BillNote::NullAmounts { column, lines }));
        }
        let (lines, billed) = self.duplicates;
        notes.extend((lines > 0).then_some(BillNote::DuplicateIds { lines, billed }));
        let (lines, billed) = self.effective_zero;
        notes.extend((lines > 0).then_some(BillNote::EffectiveZero { lines, billed }));
        let (lines, effective) = self.purchase_effective;
        notes.extend((lines > 0).then_some(BillNote::PurchaseEffective { lines, effective }));
        notes.extend(self.differing(name));
        let mut words: Vec<_> = self.words.iter().collect();
        words.sort_unstable();
        let column: Arc<str> = layout.name(Target::Text(Text::Charge)).into();
        notes.extend(words.into_iter().map(|(word, lines)| BillNote::UnknownWord {
            column: column.clone(),
            word: quoted(texts.get(*word)).into(),
            lines: *lines,
        }));
        notes.extend(self.blind.iter().map(|(amount, unknown)| BillNote::ColumnMissing {
            column: layout.name(Target::Amount(*amount)).into(),
            unknown: (*unknown).into(),
        }));
        let lines = self.outside;
        notes.extend((lines > 0).then_some(BillNote::OutsidePeriod { lines }));
        let lines = self.long;
        notes.extend((lines > 0 && self.short > 0).then_some(BillNote::LongLines { lines }));
        let (lines, cost) = self.splits;
        notes.extend((lines > 0).then_some(BillNote::SplitRows { lines, cost }));
        let lines = self.not_utf8;
        notes.extend((lines > 0).then_some(BillNote::NotUtf8 { lines }));
        notes
    }

    /// Commitments whose fees differ from what they paid for.
    fn differing(&self, name: &dyn Fn(NameId) -> Arc<str>) -> Vec<BillNote> {
        let mut all: Vec<_> = self
            .commitments
            .iter()
            .map(|(id, (billed, effective))| (*id, *billed, *effective))
            .filter(|(_, billed, effective)| (*billed - *effective).to_f64().abs() > DIFFERS_FROM)
            .collect();
        all.sort_unstable_by_key(|(id, billed, effective)| {
            (std::cmp::Reverse((*billed - *effective).abs()), *id)
        });
        all.truncate(DIFFERING);
        let note = |(id, billed, effective)| BillNote::CommitmentDiffers {
            commitment: name(id),
            billed,
            effective,
        };
        all.into_iter().map(note).collect()
    }
}
