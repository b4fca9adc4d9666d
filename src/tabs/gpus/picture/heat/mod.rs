//! The heat map: a cell per GPU, for thousands of them on one screen.
//!
//! Hue is the state, brightness the dollars wasted per hour. Drawn with half blocks a character
//! holds two GPUs, so that a host of eight takes 4 × 1 characters; without colours a letter per GPU
//! stands for the state. What is shown follows in three steps: [`HeatOrder`] (once per picture of
//! the fleet), [`HeatMap::of`] (once per picture and size of the area), and moves of the cursor.

mod layout;
mod moves;
mod order;
mod said;
mod scale;

pub use moves::HeatStep;
pub use order::HeatOrder;
pub use scale::{LEVELS, Scale};

use std::sync::Arc;

use crate::domain::GpuState;

/// What part of the fleet the map shows.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum HeatZoom {
    /// Everything, by team.
    #[default]
    Fleet,
    /// The GPUs of one team, by host; `None` for those without a team.
    Team(Option<Arc<str>>),
    /// The GPUs of one host, by [`super::group::node_id`].
    Node(Arc<str>),
}

/// What a cell stands for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum HeatUnit {
    /// A GPU as long as all fit, else a host.
    #[default]
    Auto,
    /// A GPU; what does not fit is on further pages.
    Gpu,
    /// A host.
    Node,
}

/// The room for a map.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HeatArea {
    /// Columns.
    pub width: u16,
    /// Lines.
    pub height: u16,
    /// True with half blocks, two cells above each other in a character; false with a letter per
    /// cell.
    pub halves: bool,
}

impl HeatArea {
    /// Rows of cells in a line.
    fn rows_per_line(self) -> u32 {
        if self.halves { 2 } else { 1 }
    }
}

/// A cell.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HeatCell {
    /// Column.
    pub x: u16,
    /// Row of cells from the top of the first page: two rows per line with half blocks.
    pub y: u32,
    /// True when it fills the whole line with half blocks: a GPU that is alone on its host.
    pub tall: bool,
    /// The GPU, or the worst one of the host: index into the fleet's rows.
    pub row: u32,
    /// GPUs it stands for.
    pub gpus: u32,
    /// State of the GPU; the worst state on the host.
    pub state: GpuState,
    /// What is wasted, USD/h, by all GPUs it stands for; `None` when not known.
    pub waste: Option<f32>,
    /// Brightness, 0–7 by [`Scale`]: 0 when nothing is wasted; `None` when it is not known.
    pub level: Option<u8>,
    /// The host: index into the order's blocks.
    pub block: u32,
}

/// Text on the map: a team's heading, a host's name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HeatLabel {
    /// Column.
    pub x: u16,
    /// Line from the top of the first page.
    pub line: u32,
    /// Columns it may take.
    pub width: u16,
    /// The text, not cut.
    pub text: Arc<str>,
    /// True for the heading of a section.
    pub is_head: bool,
}

/// Cells and labels in their places.
#[derive(Clone, Debug, PartialEq)]
pub struct HeatMap {
    /// The room it was made for.
    pub area: HeatArea,
    /// The cells, in the order team, host, GPU.
    pub cells: Vec<HeatCell>,
    /// The labels, from the top.
    pub labels: Vec<HeatLabel>,
    /// What a brightness stands for.
    pub scale: Scale,
    /// True when a cell is a host.
    pub per_node: bool,
    /// True when teams follow each other without headings, for want of room.
    pub headless: bool,
    /// Pages of `area.height` lines; 1 when everything is in sight, 0 when there is nothing.
    pub pages: u32,
    /// Index into `cells` for each place, row by row; [`NO_CELL`] where there is none.
    grid: Vec<u32>,
    /// First cell of each section, for jumps from team to team.
    sections: Vec<u32>,
}

/// No cell here.
const NO_CELL: u32 = u32::MAX;

impl HeatMap {
    /// The map of the part of `order` that `zoom` shows.
    pub fn of(order: &HeatOrder, zoom: &HeatZoom, area: HeatArea, unit: HeatUnit) -> Self {
        layout::layout(order, zoom, area, unit)
    }

    /// The cell at a place: column, and row of cells from the top of the first page.
    pub fn at(&self, x: u16, y: u32) -> Option<&HeatCell> {
        self.cells.get(self.index_at(x, y)? as usize)
    }

    /// The index of the cell at a place.
    pub fn index_at(&self, x: u16, y: u32) -> Option<u32> {
        if x >= self.area.width {
            return None;
        }
        let place = y as usize * usize::from(self.area.width) + usize::from(x);
        self.grid.get(place).copied().filter(|i| *i != NO_CELL)
    }

    /// The cell of a GPU (index into the fleet's rows): its own, or its host's.
    pub fn index_of(&self, order: &HeatOrder, row: u32) -> Option<u32> {
        let own = |c: &HeatCell| {
            if self.per_node { order.rows_of(c.block).contains(&row) } else { c.row == row }
        };
        self.cells.iter().position(own).map(|i| i as u32)
    }

    /// The page that a cell is on, from 0.
    pub fn page_of(&self, cell: u32) -> u32 {
        let rows = u32::from(self.area.height.max(1)) * self.area.rows_per_line();
        self.cells.get(cell as usize).map_or(0, |c| c.y / rows)
    }

    /// The GPUs of a cell, as indices into the fleet's rows.
    pub fn rows_of<'a>(&'a self, order: &'a HeatOrder, cell: u32) -> &'a [u32] {
        match self.cells.get(cell as usize) {
            Some(c) if self.per_node => order.rows_of(c.block),
            Some(c) => std::slice::from_ref(&c.row),
            None => &[],
        }
    }
}

#[cfg(test)]
mod tests;
