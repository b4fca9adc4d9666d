//! Sums over some GPUs, each with what it leaves out.

use crate::domain::GpuState;
use crate::fleet::GpuRow;
use crate::view::{ViewContext, format};

/// Sums over GPUs.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct RollUp {
    /// GPUs; slices count as one each.
    pub gpus: u32,
    /// GPU equivalents.
    pub equivalents: f64,
    /// What they burn, USD/h, as far as priced.
    pub usd_per_hour: f64,
    /// GPUs without a price.
    pub unpriced: u32,
    /// What is burned to effect, USD/h: price × effective use, of the priced GPUs whose use is
    /// known.
    pub effective_usd_per_hour: f64,
    /// What the priced GPUs burn whose use is known, USD/h.
    pub judged_usd_per_hour: f64,
    /// What buys nothing, USD/h, as far as known.
    pub waste_usd_per_hour: f64,
    /// GPUs of which it is known what they waste, nothing included.
    pub waste_known: u32,
    /// Dollars since the idle spells began.
    pub wasted_usd: f64,
    /// True when some of these are a lower bound: nobody looked before.
    pub wasted_at_least: bool,
    /// Idle GPUs whose dollars are not known.
    pub wasted_unknown: u32,
    /// Sum of effective use × GPU equivalents over GPUs whose use is known.
    pub effective: f64,
    /// GPU equivalents whose use is known.
    pub measured: f64,
    /// GPUs by state, in the order of [`GpuState::ALL`].
    pub by_state: [u32; GpuState::ALL.len()],
}

impl RollUp {
    /// Sums over `rows`.
    pub fn of<'a>(rows: impl IntoIterator<Item = &'a GpuRow>) -> Self {
        let mut sums = Self::default();
        rows.into_iter().for_each(|row| sums.add(row));
        sums
    }

    /// Takes a GPU in.
    pub fn add(&mut self, row: &GpuRow) {
        let effective = row.effective();
        self.gpus += 1;
        self.equivalents += row.equivalents;
        self.by_state[row.verdict.state as usize] += 1;
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

    /// The burn, USD/h; `None` when no GPU has a price.
    pub fn known_burn(&self) -> Option<f64> {
        (self.unpriced < self.gpus || self.gpus == 0).then_some(self.usd_per_hour)
    }

    /// What is burned to effect, USD/h; `None` when it is known of no GPU.
    pub fn known_effective_burn(&self) -> Option<f64> {
        (self.judged_usd_per_hour > 0.0).then_some(self.effective_usd_per_hour)
    }

    /// The waste, USD/h; `None` when it is known of no GPU.
    pub fn known_waste(&self) -> Option<f64> {
        (self.waste_known > 0).then_some(self.waste_usd_per_hour)
    }

    /// Dollars since the idle spells began; `None` when GPUs are idle and none has known dollars, or
    /// when it is known of no GPU what it wastes.
    pub fn known_wasted(&self) -> Option<f64> {
        let is_nothing = self.wasted_unknown == 0 && self.waste_known > 0;
        (self.wasted_usd > 0.0 || is_nothing).then_some(self.wasted_usd)
    }

    /// Them in a cell. As in the rows: a dash where no spell of idleness has cost anything, and a
    /// sign where they are a lower bound.
    pub fn wasted_cell(&self, ctx: &ViewContext) -> String {
        let wasted = self.known_wasted().filter(|usd| *usd > 0.0);
        let words = |usd| format::bound(format::usd_total(usd), self.wasted_at_least, ctx.symbols);
        ctx.symbols.or_unknown(wasted, words)
    }

    /// Mean effective use by GPU equivalents, 0–1; `None` when it is known of no GPU.
    pub fn efficiency(&self) -> Option<f64> {
        (self.measured > 0.0).then(|| self.effective / self.measured)
    }

    /// GPUs in `state`.
    pub fn count(&self, state: GpuState) -> u32 {
        self.by_state[state as usize]
    }

    /// The states that occur with their counts, worst first.
    pub fn states(&self) -> impl Iterator<Item = (GpuState, u32)> {
        GpuState::ALL.into_iter().zip(self.by_state).filter(|(_, n)| *n > 0)
    }

    /// A bar of `width` columns stacked by state, worst first: columns in proportion to the
    /// counts. A state that occurs has a column as long as there are columns for all that occur;
    /// else the worst have them. Empty without GPUs.
    pub fn bar(&self, width: u16) -> Vec<(GpuState, u16)> {
        let mut parts: Vec<(GpuState, u32, u16)> = self
            .states()
            .take(usize::from(width))
            .map(|(state, count)| (state, count, 1))
            .collect();
        let free = u32::from(width) - parts.len() as u32;
        if parts.is_empty() || free == 0 {
            return parts.into_iter().map(|(state, _, columns)| (state, columns)).collect();
        }
        // A column each, the rest to whoever is furthest from his share of all columns.
        for _ in 0..free {
            let lacks = |part: &(GpuState, u32, u16)| {
                f64::from(part.1) * f64::from(width) / f64::from(self.gpus) - f64::from(part.2)
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

    /// `12 held idle, 3 busy`: the states in words, worst first.
    pub fn state_words(&self) -> String {
        let words = self.states().map(|(state, n)| format!("{n} {}", super::words::plain(state)));
        words.collect::<Vec<_>>().join(", ")
    }
}
