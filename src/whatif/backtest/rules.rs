//! The fixed rules that others buy by.

use super::replay::{Past, Policy};
use crate::whatif::optimum::Usage;

/// The rule of the vendors' recommenders: the commitment that would have cost least over the last days.
#[derive(Clone, Copy, Debug)]
pub struct LookBack {
    /// Length of the look-back, days.
    pub days: usize,
}

impl Policy for LookBack {
    fn name(&self) -> &'static str {
        match self.days {
            7 => "lookback_7d",
            30 => "lookback_30d",
            60 => "lookback_60d",
            _ => "lookback",
        }
    }

    fn wanted(&mut self, past: &Past<'_>) -> f64 {
        Usage::new(past.last_days(self.days)).level(past.setting.break_even())
    }
}

/// A share of the average units over the last 30 days.
#[derive(Clone, Copy, Debug)]
pub struct PartOfAverage {
    /// The share, 0.7 = 70%.
    pub part: f64,
}

impl Policy for PartOfAverage {
    fn name(&self) -> &'static str {
        "average_70"
    }

    fn wanted(&mut self, past: &Past<'_>) -> f64 {
        let usage = Usage::new(past.last_days(30));
        if usage.hours() == 0 { 0.0 } else { self.part * usage.total() / usage.hours() as f64 }
    }
}

/// Never buys.
#[derive(Clone, Copy, Debug)]
pub struct Nothing;

impl Policy for Nothing {
    fn name(&self) -> &'static str {
        "nothing"
    }

    fn wanted(&mut self, _past: &Past<'_>) -> f64 {
        0.0
    }
}

/// Wang, Li and Liang's deterministic rule (arXiv 1305.5608) without a usage price (α = 0): reserve
/// a unit when the on-demand hours that it would have served within the last term have cost as much
/// as the reservation. Twice the cost of hindsight at most.
#[derive(Clone, Debug, Default)]
pub struct WangLiLiang {
    /// Units that count as reserved, by hour: bought ones for their term, and for the term before.
    reserved: Vec<f64>,
}

impl Policy for WangLiLiang {
    fn name(&self) -> &'static str {
        "wang_li_liang"
    }

    fn wanted(&mut self, past: &Past<'_>) -> f64 {
        let term = past.setting.term_weeks * crate::whatif::HOURS_PER_WEEK;
        let now = past.hours.len();
        self.reserved.resize((now + term).max(self.reserved.len()), 0.0);
        let from = now.saturating_sub(term);
        let open: Vec<f64> = past.hours[from..]
            .iter()
            .zip(&self.reserved[from..now])
            .map(|(units, reserved)| (units - reserved).max(0.0))
            .collect();
        let usage = Usage::new(&open);
        if usage.hours() == 0 {
            return 0.0;
        }
        // The hours of a whole term, of which there may not have been so many yet.
        let share = past.setting.break_even() * term as f64 / usage.hours() as f64;
        let more = usage.level(share).ceil();
        if more > 0.0 {
            self.reserved[from..now + term].iter_mut().for_each(|units| *units += more);
        }
        past.held_now() + more
    }
}
