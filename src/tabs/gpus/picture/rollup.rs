//! Sums over some GPUs, each with what it leaves out.

use super::words::Label;
use crate::domain::GpuState;
use crate::fleet::GpuRow;
use crate::view::{ViewContext, format};

/// Sums over a set of GPUs.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct RollUp {
    /// Number of rows: GPUs, and MIG slices, which count as one each.
    pub rows: u32,
    /// GPU equivalents: GPUs as AWS sells them, with parts of one as fractions.
    pub equivalents: f64,
    /// Number of MIG slices among the rows.
    pub slices: u32,
    /// GPU equivalents of these slices.
    pub sliced: f64,
    /// Burn of the priced GPUs, USD/h.
    pub usd_per_hour: f64,
    /// Number of GPUs without a price.
    pub unpriced: u32,
    /// Effective burn, USD/h: price × effective use, over priced GPUs of known use.
    pub effective_usd_per_hour: f64,
    /// Burn of the priced GPUs of known use, USD/h: the base of `effective_usd_per_hour`.
    pub judged_usd_per_hour: f64,
    /// Waste, USD/h, as far as known.
    pub waste_usd_per_hour: f64,
    /// Number of GPUs whose waste is known, 0 included.
    pub waste_known: u32,
    /// Dollars wasted since the idle spells began, as far as known.
    pub wasted_usd: f64,
    /// True when `wasted_usd` includes lower bounds: spells that may have begun before they were observed.
    pub wasted_at_least: bool,
    /// Number of idle GPUs whose dollars are not known.
    pub wasted_unknown: u32,
    /// Sum of effective use (0–1) × GPU equivalents, over GPUs of known use.
    pub effective: f64,
    /// GPU equivalents of known use: the base of `effective`.
    pub measured: f64,
    /// Number of rows by state, in the order of [`GpuState::ALL`].
    pub by_state: [u32; GpuState::ALL.len()],
    /// GPU equivalents by state, in the same order.
    pub gpus_by_state: [f64; GpuState::ALL.len()],
    /// GPU equivalents of the unallocated ones that a job has by its scheduler.
    pub in_job: f64,
}

impl RollUp {
    /// Sums over `rows`.
    pub fn of<'a>(rows: impl IntoIterator<Item = &'a GpuRow>) -> Self {
        let mut sums = Self::default();
        rows.into_iter().for_each(|row| sums.add(row));
        sums
    }

    /// Adds one GPU.
    pub fn add(&mut self, row: &GpuRow) {
        let effective = row.effective();
        self.rows += 1;
        self.equivalents += row.equivalents;
        if row.key.gpu_instance.is_some() {
            self.slices += 1;
            self.sliced += row.equivalents;
        }
        self.by_state[row.verdict.state as usize] += 1;
        self.gpus_by_state[row.verdict.state as usize] += row.equivalents;
        if Label::of(row).in_job {
            self.in_job += row.equivalents;
        }
        match row.usd_per_hour {
            Some(usd) => {
                self.usd_per_hour += usd;
                if let Some(effective) = effective {
                    self.effective_usd_per_hour += usd * effective;
                    self.judged_usd_per_hour += usd;
                }
            }
            None => self.unpriced += 1,
        }
        if let Some(usd) = row.waste_usd_per_hour {
            self.waste_usd_per_hour += usd;
            self.waste_known += 1;
        }
        match row.wasted_usd {
            Some(usd) => {
                self.wasted_usd += usd;
                self.wasted_at_least |= row.wasted_at_least();
            }
            None => self.wasted_unknown += u32::from(row.verdict.state.is_idle()),
        }
        if let Some(effective) = effective {
            self.effective += effective * row.equivalents;
            self.measured += row.equivalents;
        }
    }

    /// Burn, USD/h; `None` when no GPU has a price.
    pub fn known_burn(&self) -> Option<f64> {
        (self.unpriced < self.rows || self.rows == 0).then_some(self.usd_per_hour)
    }

    /// Effective burn, USD/h; `None` when it is known for no GPU.
    pub fn known_effective_burn(&self) -> Option<f64> {
        (self.judged_usd_per_hour > 0.0).then_some(self.effective_usd_per_hour)
    }

    /// Waste, USD/h; `None` when it is known for no GPU.
    pub fn known_waste(&self) -> Option<f64> {
        (self.waste_known > 0).then_some(self.waste_usd_per_hour)
    }

    /// Dollars wasted since the idle spells began; `None` when GPUs are idle and none has known dollars, or
    /// when the waste is known for no GPU.
    pub fn known_wasted(&self) -> Option<f64> {
        let is_nothing = self.wasted_unknown == 0 && self.waste_known > 0;
        (self.wasted_usd > 0.0 || is_nothing).then_some(self.wasted_usd)
    }

    /// Cell with the dollars wasted. As in the rows: a dash where no idle spell has cost anything, and a sign where
    /// they are a lower bound.
    pub fn wasted_cell(&self, ctx: &ViewContext) -> String {
        let wasted = self.known_wasted().filter(|usd| *usd > 0.0);
        let words = |usd| format::bound(format::usd_total(usd), self.wasted_at_least, ctx.symbols);
        ctx.symbols.or_unknown(wasted, words)
    }

    /// Mean effective use by GPU equivalents, 0–1; `None` when it is known of no GPU.
    pub fn efficiency(&self) -> Option<f64> {
        (self.measured > 0.0).then(|| self.effective / self.measured)
    }

    /// Number of rows in `state`.
    pub fn count(&self, state: GpuState) -> u32 {
        self.by_state[state as usize]
    }

    /// GPU equivalents in `state`.
    pub fn gpus_in(&self, state: GpuState) -> f64 {
        self.gpus_by_state[state as usize]
    }

    /// States that occur with their GPU equivalents, the worst first.
    pub fn states(&self) -> impl Iterator<Item = (GpuState, f64)> {
        GpuState::ALL.into_iter().zip(self.gpus_by_state).filter(|(_, gpus)| *gpus > 0.0)
    }

    /// What the rows say of their states, with their GPU equivalents, the worst first.
    pub fn labels(&self) -> impl Iterator<Item = (Label, f64)> {
        let of = move |label: Label| match label.state {
            _ if label.in_job => self.in_job,
            GpuState::UnallocatedIdle => self.gpus_in(label.state) - self.in_job,
            state => self.gpus_in(state),
        };
        // What is left of fractions that are taken from their sum is nothing.
        Label::all().map(move |label| (label, of(label))).filter(|(_, gpus)| *gpus > 1e-9)
    }

    /// Number with noun, slices told apart: `8 GPUs`, `24 slices of 8 GPUs`, `16 GPUs, 8 of them in 24 slices`.
    pub fn words(&self) -> String {
        super::words::gpus(self.equivalents, self.slices, self.sliced)
    }

    /// Stacked bar of `width` columns, in proportion to the GPU equivalents by state, the worst state first. Each state
    /// that occurs has at least one column while there are enough; else the worst have them. Empty without
    /// GPUs.
    pub fn bar(&self, width: u16) -> Vec<(GpuState, u16)> {
        let mut parts: Vec<(GpuState, f64, u16)> =
            self.states().take(usize::from(width)).map(|(state, gpus)| (state, gpus, 1)).collect();
        let free = u32::from(width) - parts.len() as u32;
        if parts.is_empty() || free == 0 {
            return parts.into_iter().map(|(state, _, columns)| (state, columns)).collect();
        }
        // A column each, the rest to whoever is furthest from his share of all columns.
        for _ in 0..free {
            let lacks = |part: &(GpuState, f64, u16)| {
                part.1 * f64::from(width) / self.equivalents - f64::from(part.2)
            };
            let most = (0..parts.len()).max_by(|a, b| {
                // Equal ones: the worse state, which stands first.
                lacks(&parts[*a]).total_cmp(&lacks(&parts[*b])).then(b.cmp(a))
            });
            if let Some(part) = most.and_then(|i| parts.get_mut(i)) {
                part.2 += 1;
            }
        }
        parts.into_iter().map(|(state, _, columns)| (state, columns)).collect()
    }

    /// GPU equivalents by what their rows say, the worst first: `12 held idle, 3 busy`.
    pub fn state_words(&self) -> String {
        let words = self.labels().map(|(label, gpus)| label.counted(gpus));
        words.collect::<Vec<_>>().join(", ")
    }
}
