//! The cursor on the map.

use super::HeatMap;

/// A movement of the cursor on the heat map.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HeatStep {
    /// To the next cell on the left in the same row.
    Left,
    /// To the next cell on the left, in the current row.
    Right,
    /// To the next cell on the right, in the current row.
    Up,
    /// To the nearest cell of the next row below.
    Down,
    /// To the first cell of the next group.
    NextGroup,
    /// To the first cell of this group, or of the one before.
    PreviousGroup,
    /// To the first cell.
    First,
    /// To the last cell.
    Last,
}

impl HeatMap {
    /// Index of the cell that a movement from `cell` leads to; `cell` itself where there is none.
    pub fn step(&self, cell: u32, step: HeatStep) -> u32 {
        let last = (self.cells.len() as u32).saturating_sub(1);
        let cell = cell.min(last);
        let Some(here) = self.cells.get(cell as usize) else { return 0 };
        let height = if here.tall { 2 } else { 1 };
        match step {
            HeatStep::Left => {
                (0..here.x).rev().find_map(|x| self.index_at(x, here.y)).unwrap_or(cell)
            }
            HeatStep::Right => (here.x.saturating_add(1)..self.area.width)
                .find_map(|x| self.index_at(x, here.y))
                .unwrap_or(cell),
            HeatStep::Up => (0..here.y).rev().find_map(|y| self.nearest(here.x, y)).unwrap_or(cell),
            HeatStep::Down => {
                let rows = self.grid.len() / usize::from(self.area.width.max(1));
                let below = here.y + height..rows as u32;
                below.into_iter().find_map(|y| self.nearest(here.x, y)).unwrap_or(cell)
            }
            HeatStep::NextGroup => {
                self.sections.iter().copied().find(|first| *first > cell).unwrap_or(cell)
            }
            HeatStep::PreviousGroup => {
                self.sections.iter().rev().copied().find(|first| *first < cell).unwrap_or(cell)
            }
            HeatStep::First => 0,
            HeatStep::Last => last,
        }
    }

    /// The cell of row `y` that is nearest to column `x`.
    fn nearest(&self, x: u16, y: u32) -> Option<u32> {
        (0..self.area.width).find_map(|off| {
            let left = x.checked_sub(off).and_then(|x| self.index_at(x, y));
            left.or_else(|| self.index_at(x.checked_add(off)?, y))
        })
    }
}
