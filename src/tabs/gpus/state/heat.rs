//! The heat map: zoom, cursor, and the map as it was last laid out.

use std::sync::Arc;

use jiff::Timestamp;

use super::GpuLook;
use super::table::head_id;
use crate::app::{App, Appearance, ColorDepth, Effect, Layout, ThemeName};
use crate::fleet::GpuRow;
use crate::tabs::gpus::picture::group::node_id;
use crate::tabs::gpus::picture::heat::{HeatArea, HeatCell, HeatStep};
use crate::tabs::gpus::picture::order::Rank;
use crate::tabs::gpus::picture::{
    GpuGrouping, HeatMap, HeatOrder, HeatUnit, HeatZoom, Steady, group,
};
use crate::view::Symbols;

/// Version and moment of the picture, number of GPUs shown, their filter, the grouping of the map.
type MadeFrom = (u64, Option<Timestamp>, usize, String, GpuGrouping);

/// State of the heat map: zoom, cursor, layout.
#[derive(Clone, Debug, Default)]
pub struct Heat {
    zoom: HeatZoom,
    order: HeatOrder,
    /// The order in which the groups were last shown.
    groups: Steady,
    map: Option<HeatMap>,
    /// Input that `order` was made from.
    made_from: Option<MadeFrom>,
    /// Input that `map` was made from besides the order.
    laid_out: Option<(HeatZoom, HeatArea)>,
    /// Index of the cell under the cursor.
    cell: u32,
    /// The GPU under the cursor: the cursor follows it.
    cursor: Option<Arc<str>>,
}

impl Heat {
    /// The heat map as laid out; `None` before it was.
    pub fn map(&self) -> Option<&HeatMap> {
        self.map.as_ref()
    }

    /// GPUs in the order of the map.
    pub fn order(&self) -> &HeatOrder {
        &self.order
    }

    /// Index of the cell under the cursor.
    pub fn cursor(&self) -> u32 {
        self.cell
    }

    /// Cell under the cursor; `None` without cells.
    pub fn cell(&self) -> Option<&HeatCell> {
        self.map.as_ref()?.cells.get(self.cell as usize)
    }

    /// Part of the fleet that it shows.
    pub fn zoom(&self) -> &HeatZoom {
        &self.zoom
    }

    /// First line on screen, a multiple of the page height.
    pub fn top(&self) -> u32 {
        let Some(map) = &self.map else { return 0 };
        map.page_of(self.cell) * u32::from(map.area.height)
    }

    /// The cursor goes to a GPU, as soon as the map is laid out.
    pub(super) fn follow(&mut self, row: &GpuRow) {
        self.cursor = Some(row.id.clone());
        self.laid_out = None;
    }

    fn put(&mut self, cell: u32, rows: &[Arc<GpuRow>]) {
        self.cell = cell;
        self.cursor = self.cell().and_then(|c| rows.get(c.row as usize)).map(|row| row.id.clone());
    }
}

/// True where the map has half blocks: with enough colours for hue and brightness. Else it has letters.
pub fn in_halves(appearance: Appearance) -> bool {
    appearance.symbols == Symbols::Unicode
        && appearance.depth >= ColorDepth::Ansi256
        && matches!(appearance.theme, ThemeName::Dark | ThemeName::Light)
}

/// Number of lines for read-out, states and dollars below the map, for a body of `body` lines.
pub fn legend_lines(body: u16) -> u16 {
    match body {
        0..=2 => 0,
        3..=5 => 1,
        6..=8 => 2,
        _ => 3,
    }
}

impl App {
    /// Area of the map in this layout.
    pub fn heat_area(&self, layout: &Layout) -> HeatArea {
        HeatArea {
            // To the edges: a node of eight GPUs takes four columns.
            width: layout.width,
            height: layout.body_height - legend_lines(layout.body_height),
            halves: in_halves(self.appearance),
        }
    }

    /// Updates the map after changes of data, filter, zoom or area.
    pub(crate) fn sync_heat(&mut self) {
        let Some(layout) = self.inner_layout() else { return };
        let area = self.heat_area(&layout);
        let Some(fleet) = self.gpus().cloned() else { return };
        let shown = self.tabs.gpus.table.order();
        let filter = self.tabs.gpus.table.filter_text();
        let by = self.tabs.gpus.grouping().of_map();
        let made_from = (fleet.version, fleet.as_of, shown.len(), filter.to_owned(), by);
        let heat = &mut self.tabs.gpus.heat;
        let fresh = heat.made_from.as_ref() != Some(&made_from);
        if fresh {
            // A group of the former grouping is none of this one.
            if heat.made_from.as_ref().is_some_and(|(.., former)| *former != by)
                && matches!(heat.zoom, HeatZoom::Group(_))
            {
                heat.zoom = HeatZoom::Fleet;
            }
            if heat.made_from.as_ref().is_some_and(|(.., former)| *former != by) {
                heat.groups.forget();
            }
            let shown = self.tabs.gpus.table.order();
            // As in the list: the most wasted first, and none moves for a difference that does not matter.
            let groups = group(&fleet.rows, shown, by);
            let ranks: Vec<(Arc<str>, Rank)> =
                groups.iter().map(|group| (head_id(group.key.as_deref()), group.rank())).collect();
            let places = heat.groups.order(&ranks, false);
            let first: Vec<_> = places
                .iter()
                .filter_map(|at| Some(groups.get(*at as usize)?.key.clone()))
                .collect();
            heat.order = HeatOrder::of(&fleet.rows, shown, by, &first);
            heat.made_from = Some(made_from);
        }
        let laid_out = (heat.zoom.clone(), area);
        if !fresh && heat.laid_out.as_ref() == Some(&laid_out) {
            return;
        }
        let mut map = HeatMap::of(&heat.order, &heat.zoom, area, HeatUnit::Auto);
        if map.cells.is_empty() && heat.zoom != HeatZoom::Fleet && !heat.order.is_empty() {
            // What was zoomed into is gone, or filtered away.
            heat.zoom = HeatZoom::Fleet;
            map = HeatMap::of(&heat.order, &heat.zoom, area, HeatUnit::Auto);
        }
        let row = heat.cursor.as_ref().and_then(|id| fleet.rows.iter().position(|r| r.id == *id));
        let at = row.and_then(|row| map.index_of(&heat.order, row as u32));
        let last = (map.cells.len() as u32).saturating_sub(1);
        heat.map = Some(map);
        heat.laid_out = Some((heat.zoom.clone(), area));
        heat.put(at.unwrap_or(heat.cell.min(last)), &fleet.rows);
    }

    /// Moves the cursor of the map `times` steps.
    pub(crate) fn step_heat(&mut self, step: HeatStep, times: usize) {
        self.prepare();
        let Some(fleet) = self.gpus().cloned() else { return };
        let heat = &mut self.tabs.gpus.heat;
        let Some(map) = &heat.map else { return };
        let mut cell = heat.cell;
        for _ in 0..times {
            let next = map.step(cell, step);
            if next == cell {
                break;
            }
            cell = next;
        }
        heat.put(cell, &fleet.rows);
    }

    /// Moves the cursor to the cell at a position of the screen; returns whether it was there already, `None`
    /// without a cell.
    pub(crate) fn click_heat(&mut self, x: u16, line: u16) -> Option<bool> {
        let fleet = self.gpus().cloned()?;
        let heat = &mut self.tabs.gpus.heat;
        let map = heat.map.as_ref()?;
        let line = heat.top() + u32::from(line);
        let at = if map.area.halves {
            let pair = [map.index_at(x, line * 2), map.index_at(x, line * 2 + 1)];
            // Of the two in a character the one under the cursor, else the upper one.
            pair.into_iter().flatten().find(|i| *i == heat.cell).or(pair[0]).or(pair[1])
        } else {
            map.index_at(x, line)
        }?;
        let again = at == heat.cell;
        heat.put(at, &fleet.rows);
        Some(again)
    }

    /// Key of the group of the map that the GPU under the cursor is in; `None` without either.
    fn group_here(&self) -> Option<Arc<str>> {
        let by = self.tabs.gpus.grouping().of_map();
        by.key(self.current_gpu()?).map(|key| Arc::from(&*key))
    }

    /// Zooms in: from the fleet to a group, to a host, to the page of a GPU.
    pub(crate) fn zoom_in(&mut self) -> Vec<Effect> {
        self.prepare();
        let Some(row) = self.current_gpu().cloned() else { return Vec::new() };
        let group = self.group_here();
        let heat = &mut self.tabs.gpus.heat;
        heat.zoom = match &heat.zoom {
            HeatZoom::Fleet => HeatZoom::Group(group),
            HeatZoom::Group(_) => HeatZoom::Node(node_id(&row).into()),
            HeatZoom::Node(_) => return self.open_gpu(&row),
        };
        Vec::new()
    }

    /// Steps from the list of GPUs to what is on screen: 0 = the list, 1 = the map of the fleet, 3 = that of a node.
    pub(crate) fn gpu_level(&self) -> usize {
        match (self.tabs.gpus.look, &self.tabs.gpus.heat.zoom) {
            (GpuLook::Table, _) => 0,
            (GpuLook::Heat, HeatZoom::Fleet) => 1,
            (GpuLook::Heat, HeatZoom::Group(_)) => 2,
            (GpuLook::Heat, HeatZoom::Node(_)) => 3,
        }
    }

    /// Zooms out by one step; false where the whole fleet is shown.
    pub(crate) fn zoom_out(&mut self) -> bool {
        let group = self.group_here();
        let heat = &mut self.tabs.gpus.heat;
        heat.zoom = match &heat.zoom {
            HeatZoom::Fleet => return false,
            HeatZoom::Group(_) => HeatZoom::Fleet,
            HeatZoom::Node(_) => HeatZoom::Group(group),
        };
        true
    }
}
