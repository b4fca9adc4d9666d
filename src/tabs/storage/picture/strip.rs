//! The steps of a run on one line, oldest first: what is kept, what would go, what nothing may
//! drop, what is incomplete.

use std::collections::BTreeSet;

use crate::analyze::storage::checkpoints::RunPlan;
use crate::domain::storage::Run;
use crate::view::Symbols;

/// What a cell of the strip shows. Where several steps share a cell, what stays covers what goes,
/// and what is incomplete covers all.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Mark {
    /// All steps of the cell would be dropped.
    Dropped,
    /// There, without a plan.
    Present,
    /// Kept by the policy.
    Kept,
    /// Held back by what is never touched.
    Blocked,
    /// Incomplete.
    Incomplete,
}

impl Mark {
    /// All marks, in the order of a legend.
    pub const ALL: [Self; 5] =
        [Self::Kept, Self::Dropped, Self::Blocked, Self::Incomplete, Self::Present];

    /// Glyph of the mark, one column wide.
    pub fn glyph(self, symbols: Symbols) -> char {
        match (symbols, self) {
            (Symbols::Unicode, Self::Dropped) => '·',
            (Symbols::Unicode, Self::Present) => '■',
            (Symbols::Unicode, Self::Kept) => '█',
            (Symbols::Unicode, Self::Blocked) => '▒',
            (Symbols::Ascii, Self::Dropped) => '.',
            (Symbols::Ascii, Self::Present) => 'o',
            (Symbols::Ascii, Self::Kept) => '#',
            (Symbols::Ascii, Self::Blocked) => '=',
            (_, Self::Incomplete) => '?',
        }
    }

    /// Label of the mark in a legend.
    pub fn word(self) -> &'static str {
        match self {
            Self::Dropped => "dropped",
            Self::Present => "there",
            Self::Kept => "kept",
            Self::Blocked => "never touched",
            Self::Incomplete => "incomplete",
        }
    }
}

/// The marks of a run in at most `width` cells: a cell per step, or several steps per cell. Without
/// a plan the strip shows what is there.
pub fn marks(run: &Run, plan: Option<&RunPlan>, width: usize) -> Vec<Mark> {
    let width = width.min(run.steps.len());
    if width == 0 {
        return Vec::new();
    }
    let kept: BTreeSet<u64> = plan.iter().flat_map(|p| p.keep.iter().copied()).collect();
    let dropped: BTreeSet<u64> = plan.iter().flat_map(|p| p.drop.iter().copied()).collect();
    let mut cells = vec![None::<Mark>; width];
    for (i, step) in run.steps.iter().enumerate() {
        let mark = if !step.complete {
            Mark::Incomplete
        } else if plan.is_none() {
            Mark::Present
        } else if kept.contains(&step.step) {
            Mark::Kept
        } else if dropped.contains(&step.step) {
            Mark::Dropped
        } else {
            Mark::Blocked
        };
        // i < steps.len(), so that the quotient is below the width.
        if let Some(cell) = cells.get_mut(i * width / run.steps.len()) {
            *cell = (*cell).max(Some(mark));
        }
    }
    cells.into_iter().flatten().collect()
}

/// The strip as text.
pub fn strip(run: &Run, plan: Option<&RunPlan>, width: usize, symbols: Symbols) -> String {
    marks(run, plan, width).into_iter().map(|mark| mark.glyph(symbols)).collect()
}

/// What the glyphs mean: `█ kept  · dropped …`.
pub fn legend(symbols: Symbols, has_plan: bool) -> String {
    let shown = Mark::ALL.into_iter().filter(|m| match m {
        Mark::Incomplete => true,
        Mark::Present => !has_plan,
        Mark::Kept | Mark::Dropped | Mark::Blocked => has_plan,
    });
    let parts: Vec<String> = shown.map(|m| format!("{} {}", m.glyph(symbols), m.word())).collect();
    parts.join("  ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analyze::storage::checkpoints::{Blocked, Reason};
    use crate::domain::storage::{Family, Step};

    fn run(steps: u64, incomplete: &[u64]) -> Run {
        let step = |step| Step {
            step,
            prefix: format!("r/checkpoint-{step}/"),
            bytes: 1,
            objects: 1,
            complete: !incomplete.contains(&step),
            newest_ms: 0,
            tiers: Vec::new(),
            metric: None,
            held: false,
        };
        Run {
            prefix: "r/".into(),
            family: Family::HfTrainer,
            steps: (1..=steps).map(step).collect(),
            bytes: steps,
            confidence: 1.0,
            active: false,
            interval_s: None,
            pointers: Vec::new(),
            pointed: Vec::new(),
            metric: None,
        }
    }

    fn plan(keep: &[u64], drop: &[u64], blocked: &[u64]) -> RunPlan {
        RunPlan {
            prefix: "r/".into(),
            keep: keep.to_vec(),
            drop: drop.to_vec(),
            blocked: blocked
                .iter()
                .map(|step| Blocked { step: *step, reason: Reason::LatestComplete })
                .collect(),
            bytes: 0,
            bytes_dropped: 0,
            objects_dropped: 0,
            bytes_freed: None,
            usd_per_month: None,
            usd_per_month_dropped: None,
            usd_per_month_now: None,
            early_delete_usd: None,
            delete_requests: 0,
            largest_gap: None,
            has_no_metric: false,
        }
    }

    #[test]
    fn a_cell_per_step_where_there_is_room() {
        let run = run(6, &[6]);
        let plan = plan(&[3, 6], &[1, 2, 4], &[5]);
        assert_eq!(strip(&run, Some(&plan), 40, Symbols::Unicode), "··█·▒?");
        assert_eq!(strip(&run, Some(&plan), 40, Symbols::Ascii), "..#.=?");
        assert_eq!(strip(&run, None, 40, Symbols::Ascii), "ooooo?");
        assert_eq!(strip(&run, None, 0, Symbols::Ascii), "");
    }

    #[test]
    fn what_stays_covers_what_goes_in_a_narrow_strip() {
        let run = run(100, &[]);
        let drop: Vec<u64> = (1..=100).filter(|s| s % 25 != 0).collect();
        let plan = plan(&[25, 50, 75, 100], &drop, &[]);
        assert_eq!(strip(&run, Some(&plan), 20, Symbols::Ascii), "....#....#....#....#");
        for width in 1..120 {
            let strip = strip(&run, Some(&plan), width, Symbols::Ascii);
            assert_eq!(strip.len(), width.min(100));
            assert_eq!(strip.matches('#').count(), width.min(4), "{width}");
        }
    }

    #[test]
    fn legends_name_what_is_shown() {
        assert_eq!(
            legend(Symbols::Ascii, true),
            "# kept  . dropped  = never touched  ? incomplete"
        );
        assert_eq!(legend(Symbols::Ascii, false), "? incomplete  o there");
    }
}
