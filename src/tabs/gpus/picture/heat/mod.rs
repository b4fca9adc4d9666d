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

/// Part of the fleet that the heat map shows.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum HeatZoom {
    /// All GPUs, by the groups of the order.
    #[default]
    Fleet,
    /// GPUs of one group, by host; `None` = GPUs without one.
    Group(Option<Arc<str>>),
    /// GPUs of one host, by [`super::group::node_id`].
    Node(Arc<str>),
}

/// What one cell of the heat map represents.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum HeatUnit {
    /// A GPU while all fit, else a host.
    #[default]
    Auto,
    /// A GPU; what does not fit is on further pages.
    Gpu,
    /// A host.
    Node,
}

/// Size of the heat map's area.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HeatArea {
    /// Width in columns.
    pub width: u16,
    /// Height in lines.
    pub height: u16,
    /// True with half blocks, two cells above each other in a character; false with one letter per cell.
    pub halves: bool,
}

impl HeatArea {
    /// Rows of cells in a line.
    fn rows_per_line(self) -> u32 {
        if self.halves { 2 } else { 1 }
    }
}

/// A cell of the heat map.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HeatCell {
    /// Column of the cell.
    pub x: u16,
    /// Row of cells from the top of the first page; with half blocks a line has two.
    pub y: u32,
    /// True when it fills a whole line with half blocks: the only GPU of its host.
    pub tall: bool,
    /// Index in the fleet's rows of the GPU, or of the worst GPU of the host.
    pub row: u32,
    /// Number of GPUs that it represents.
    pub gpus: u32,
    /// State of the GPU, or the worst state on the host.
    pub state: GpuState,
    /// Waste of all its GPUs, USD/h; `None` = not known.
    pub waste: Option<f32>,
    /// Brightness, 0–7 by [`Scale`]: 0 = no waste; `None` = waste not known.
    pub level: Option<u8>,
    /// Index of the host in the order's blocks.
    pub block: u32,
}

/// Text on the heat map: heading of a group, or name of a host.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HeatLabel {
    /// Column of the text.
    pub x: u16,
    /// Line from the top of the first page.
    pub line: u32,
    /// Columns that it may take.
    pub width: u16,
    /// The text, not truncated.
    pub text: Arc<str>,
    /// True for the heading of a section.
    pub is_head: bool,
}

/// Heat map: cells and labels with their positions.
#[derive(Clone, Debug, PartialEq)]
pub struct HeatMap {
    /// Area that it was laid out for.
    pub area: HeatArea,
    /// Cells, in the order of group, host, GPU.
    pub cells: Vec<HeatCell>,
    /// Labels, from the top.
    pub labels: Vec<HeatLabel>,
    /// Dollars by brightness.
    pub scale: Scale,
    /// True when a cell is a host.
    pub per_node: bool,
    /// True when groups have no headings for lack of space.
    pub headless: bool,
    /// Number of pages of `area.height` lines; 0 without cells.
    pub pages: u32,
    /// Index into `cells` for each place, row by row; [`NO_CELL`] where there is none.
    grid: Vec<u32>,
    /// First cell of each section, for jumps from group to group.
    sections: Vec<u32>,
}

/// No cell here.
const NO_CELL: u32 = u32::MAX;

impl HeatMap {
    /// Lays out the part of `order` that `zoom` selects.
    pub fn of(order: &HeatOrder, zoom: &HeatZoom, area: HeatArea, unit: HeatUnit) -> Self {
        layout::layout(order, zoom, area, unit)
    }

    /// The cell at a column and a row of cells from the top of the first page; `None` without one.
    pub fn at(&self, x: u16, y: u32) -> Option<&HeatCell> {
        self.cells.get(self.index_at(x, y)? as usize)
    }

    /// Index of the cell at a position; `None` without one.
    pub fn index_at(&self, x: u16, y: u32) -> Option<u32> {
        if x >= self.area.width {
            return None;
        }
        let place = y as usize * usize::from(self.area.width) + usize::from(x);
        self.grid.get(place).copied().filter(|i| *i != NO_CELL)
    }

    /// Index of the cell of a GPU, or of its host; `row` = index in the fleet's rows. `None` where it is not on
    /// the map.
    pub fn index_of(&self, order: &HeatOrder, row: u32) -> Option<u32> {
        let own = |c: &HeatCell| {
            if self.per_node { order.rows_of(c.block).contains(&row) } else { c.row == row }
        };
        self.cells.iter().position(own).map(|i| i as u32)
    }

    /// Page that a cell is on, from 0.
    pub fn page_of(&self, cell: u32) -> u32 {
        let rows = u32::from(self.area.height.max(1)) * self.area.rows_per_line();
        self.cells.get(cell as usize).map_or(0, |c| c.y / rows)
    }

    /// GPUs of a cell, as indices in the fleet's rows.
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
