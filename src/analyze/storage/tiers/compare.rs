//! All options side by side, and the best for as long as one looks ahead.

use super::curve::{Curve, Target, curve};
use super::waterfall::is_instant;
use super::{Cohort, Question};
use crate::domain::storage::StorageClass::{
    DeepArchive, Glacier, GlacierIr, IntelligentTiering, OnezoneIa, StandardIa,
};
use crate::domain::storage::Tier;

/// Horizons for which the best option is given, months, as far as the comparison reaches.
pub const HORIZONS: [u16; 6] = [1, 3, 6, 12, 24, 36];

/// Options in the order in which they are shown.
const TARGETS: [Target; 7] = [
    Target::Stay,
    Target::Class(StandardIa),
    Target::Class(OnezoneIa),
    Target::Class(IntelligentTiering),
    Target::Class(GlacierIr),
    Target::Class(Glacier),
    Target::Class(DeepArchive),
];

/// The cheapest option over a horizon, fees included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Best {
    /// Months looked ahead.
    pub horizon_months: u16,
    /// The cheapest of all options.
    pub target: Target,
    /// The cheapest of the options that give up nothing: read within milliseconds, several availability zones.
    pub instant: Target,
}

/// Cost of all options side by side.
#[derive(Clone, Debug, PartialEq)]
pub struct Comparison {
    /// One curve per option, [`Target::Stay`] first.
    pub curves: Vec<Curve>,
    /// The cheapest option per horizon; empty where the price of staying is not known.
    pub best: Vec<Best>,
    /// Bytes in no curve: of an unknown class, or of a file system.
    pub unpriced_bytes: f64,
}

impl Comparison {
    /// The curve of staying; `None` where there is none.
    pub fn stay(&self) -> Option<&Curve> {
        self.curve(Target::Stay)
    }

    /// The curve of an option; `None` where there is none.
    pub fn curve(&self, target: Target) -> Option<&Curve> {
        self.curves.iter().find(|c| c.target == target)
    }

    /// Largest cumulative loss of an option against staying, USD, 0 or negative; `None` where not known.
    pub fn valley_usd(&self, target: Target) -> Option<f64> {
        let saved = self.saved(target)?;
        Some(saved.into_iter().fold(0.0, f64::min))
    }

    /// First month (from 1) from whose end on an option stays ahead of staying, within the horizon; `None` when
    /// it does not, or saves nothing.
    pub fn payback_month(&self, target: Target) -> Option<u16> {
        let saved = self.saved(target)?;
        let last_loss = saved.iter().rposition(|usd| *usd < -CENT_PART);
        let month = last_loss.map_or(0, |i| i + 1);
        let gains = saved.last().is_some_and(|usd| *usd > CENT_PART);
        (gains && month < saved.len()).then_some(month as u16 + 1)
    }

    /// USD saved against staying by the end of a month (from 1); `None` beyond the horizon or where not known.
    pub fn saved_by(&self, target: Target, month: u16) -> Option<f64> {
        self.saved(target)?.get(usize::from(month).checked_sub(1)?).copied()
    }

    /// USD saved against staying by the end of each month; `None` where a price is not known.
    pub fn saved(&self, target: Target) -> Option<Vec<f64>> {
        self.curve(target)?.saved(self.stay()?)
    }
}

/// Difference up to which sums count as equal, USD: the error of rounding.
const CENT_PART: f64 = 1e-6;

/// Compares all options.
pub fn compare(question: &Question<'_>) -> Comparison {
    let is_priced = |c: &&Cohort| {
        let steps = question.prices.tier(c.tier).map_or(&[][..], |t| &t.storage);
        !matches!(c.tier, Tier::File | Tier::Unknown) && !steps.is_empty()
    };
    let cohorts: Vec<Cohort> = question.cohorts.iter().filter(is_priced).copied().collect();
    let all: f64 = question.cohorts.iter().map(|c| c.bytes).sum();
    let priced: f64 = cohorts.iter().map(|c| c.bytes).sum();
    let question =
        Question { cohorts: &cohorts, months: question.months.max(1), ..question.clone() };
    let mut curves: Vec<Curve> = TARGETS.iter().map(|target| curve(*target, &question)).collect();
    if cohorts.is_empty() && all > 0.0 {
        // Nothing of it has a price: that is not 0.
        for curve in &mut curves {
            curve.monthly = None;
        }
    }
    let mut out = Comparison { curves, best: Vec::new(), unpriced_bytes: (all - priced).max(0.0) };
    let mut horizons: Vec<u16> = HORIZONS.into_iter().filter(|m| *m <= question.months).collect();
    if !horizons.contains(&question.months) {
        horizons.push(question.months);
    }
    out.best = horizons.into_iter().filter_map(|months| best(&out, months)).collect();
    out
}

fn best(all: &Comparison, horizon_months: u16) -> Option<Best> {
    // Staying when nothing has a price would be no advice but an empty hand.
    all.saved_by(Target::Stay, horizon_months)?;
    let among = |may: fn(Target) -> bool| {
        let mut best = (Target::Stay, CENT_PART);
        for target in TARGETS.into_iter().filter(|t| may(*t)) {
            if let Some(saved) = all.saved_by(target, horizon_months)
                && saved > best.1
            {
                best = (target, saved);
            }
        }
        best.0
    };
    Some(Best {
        horizon_months,
        target: among(|_| true),
        instant: among(|t| match t {
            Target::Stay => true,
            Target::Class(class) => is_instant(class) && class != OnezoneIa,
        }),
    })
}
