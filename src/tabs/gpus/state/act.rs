//! What keys do on the GPUs tab.

use std::sync::Arc;

use super::GpuLook;
use crate::app::keymap::Action;
use crate::app::{App, Effect, Level, Notice, Page, Picture, alone, shown};
use crate::domain::{GpuHistory, GpuKey};
use crate::fleet::{GpuRow, Row};
use crate::report::Gpus;
use crate::tabs::gpus::TAB;
use crate::tabs::gpus::picture::heat::HeatStep;
use crate::tabs::gpus::picture::{GpuField, GpuGrouping, is_single_group};
use crate::view::Sort;

impl App {
    /// Applies an action of the tab's own context.
    pub(crate) fn act_on_gpus(&mut self, action: Action) {
        match action {
            Action::Group if self.tabs.gpus.look == GpuLook::Table => {
                self.sync_gpus();
                self.group_gpus(self.next_grouping());
            }
            Action::Group => self.look_at_gpus(GpuLook::Table),
            Action::Heat => self.turn_heat(),
            Action::FoldAll => {
                self.sync_gpus();
                self.tabs.gpus.fold_all();
            }
            Action::Distribution => self.open(Page::Distribution),
            Action::Missing => self.open(Page::Missing),
            _ => {}
        }
    }

    /// From the list to the map and back. The map has the groups of the list; where those would move its cells as states change
    /// it is by team, and says so.
    fn turn_heat(&mut self) {
        if self.tabs.gpus.look == GpuLook::Heat {
            self.look_at_gpus(GpuLook::Table);
            return;
        }
        self.look_at_gpus(GpuLook::Heat);
        let by = self.tabs.gpus.grouping();
        if by == GpuGrouping::State {
            let text = format!("the map is by team and host; the list stays by {}", by.name());
            self.say(Notice::new(Level::Info, text));
        }
    }

    /// The grouping after this one that tells something apart: a filter that leaves one team, or one model, has said it.
    pub(crate) fn next_grouping(&self) -> GpuGrouping {
        let table = &self.tabs.gpus.table;
        let mut next = self.tabs.gpus.grouping().next();
        if table.filter_text().is_empty() {
            return next;
        }
        while !matches!(next, GpuGrouping::Node | GpuGrouping::Flat)
            && is_single_group(self.gpu_rows(), table.order(), next)
        {
            next = next.next();
        }
        next
    }

    /// Groups the list by `grouping`.
    pub(crate) fn group_gpus(&mut self, grouping: GpuGrouping) {
        self.tabs.gpus.group_by(grouping);
        let text = match grouping {
            GpuGrouping::Flat => "not grouped".to_owned(),
            by => format!("grouped by {}", by.name()),
        };
        self.say(Notice::new(Level::Info, text));
    }

    /// Shows the list or the heat map; the cursor stays on its GPU.
    pub(crate) fn look_at_gpus(&mut self, look: GpuLook) {
        if self.tabs.gpus.look == look {
            return;
        }
        self.prepare();
        let row = self.current_gpu().or_else(|| self.first_of_group()).cloned();
        self.tabs.gpus.look = look;
        let Some(row) = row else { return };
        match look {
            GpuLook::Table => {
                self.tabs.gpus.table.go_to(&row.id);
            }
            GpuLook::Heat => self.tabs.gpus.heat.follow(&row),
        }
    }

    /// Goes to the tab and shows the list or the heat map.
    pub(crate) fn go_to_gpus(&mut self, look: GpuLook) {
        self.go_to_tab(TAB);
        self.tabs.gpus.look = look;
    }

    /// Opens the page of a GPU, and requests its history.
    pub(crate) fn open_gpu(&mut self, row: &Arc<GpuRow>) -> Vec<Effect> {
        self.open(Page::Gpu { id: row.id.clone(), key: row.key.clone(), history: None });
        vec![Effect::LoadGpuHistory { key: row.key.clone() }]
    }

    /// Stores a loaded history in the open page of its GPU.
    pub(crate) fn on_gpu_history(&mut self, of: &GpuKey, loaded: &Arc<GpuHistory>) {
        for opened in &mut self.pages {
            if let Page::Gpu { key, history, .. } = &mut opened.page
                && key == of
            {
                *history = Some(loaded.clone());
            }
        }
    }

    /// Applies `enter`: folds a heading, zooms into a cell, opens the page of a GPU.
    pub(crate) fn enter_gpus(&mut self) -> Vec<Effect> {
        if self.shows_heat() {
            return self.zoom_in();
        }
        self.prepare();
        if self.shows_gpu_table() && self.tabs.gpus.fold() {
            return Vec::new();
        }
        let Some(row) = self.current_gpu().cloned() else { return Vec::new() };
        self.tabs.gpus.table.choose();
        self.open_gpu(&row)
    }

    /// Opens the page of the next GPU below or above in the list; on the map of the neighbour.
    pub(crate) fn next_gpu(&mut self, below: bool) -> Vec<Effect> {
        let Some(Page::Gpu { id, .. }) = self.page().map(|o| &o.page) else { return Vec::new() };
        let id = id.clone();
        self.sync_gpus();
        let Some(fleet) = self.gpus().cloned() else { return Vec::new() };
        let order = self.tabs.gpus.table.shown_rows();
        let Some(at) = order.iter().position(|i| fleet.rows[*i as usize].id == id) else {
            return Vec::new();
        };
        let next = if below { at.checked_add(1) } else { at.checked_sub(1) };
        let Some(row) = next.and_then(|at| fleet.rows.get(*order.get(at)? as usize)) else {
            return Vec::new();
        };
        self.tabs.gpus.table.go_to(&row.id);
        self.tabs.gpus.heat.follow(row);
        self.open_gpu(row)
    }

    /// Applies a movement on the map; false for other actions.
    pub(crate) fn act_on_heat(&mut self, action: Action) -> bool {
        let (step, times) = match action {
            Action::Left => (HeatStep::Left, 1),
            Action::Right => (HeatStep::Right, 1),
            Action::Up => (HeatStep::Up, 1),
            Action::Down => (HeatStep::Down, 1),
            Action::Top => (HeatStep::First, 1),
            Action::Bottom => (HeatStep::Last, 1),
            Action::HalfDown => (HeatStep::NextGroup, 1),
            Action::HalfUp => (HeatStep::PreviousGroup, 1),
            Action::PageDown | Action::PageUp => {
                let area = self.tabs.gpus.heat.map().map(|map| map.area);
                let rows = area.map_or(1, |a| usize::from(a.height) * if a.halves { 2 } else { 1 });
                let down = action == Action::PageDown;
                (if down { HeatStep::Down } else { HeatStep::Up }, rows.max(1))
            }
            _ => return false,
        };
        self.step_heat(step, times);
        true
    }

    /// Goes one step back on the tab: out of a zoom, from the map to the list; false where there is none.
    pub(crate) fn back_on_gpus(&mut self) -> bool {
        if !self.shows_heat() {
            return false;
        }
        self.prepare();
        if self.zoom_out() {
            return true;
        }
        // A filter goes first, as everywhere.
        if self.tabs.gpus.table.filter_text().is_empty() {
            self.look_at_gpus(GpuLook::Table);
        } else if !self.tabs.gpus.table.cancel_range() {
            self.tabs.gpus.table.clear_filter();
        }
        true
    }

    /// Report of the GPUs of list and map, as filtered; `None` without any.
    pub(crate) fn gpu_picture(&self) -> Option<Picture> {
        let table = &self.tabs.gpus.table;
        let mut list = shown::<GpuField>(table, self.gpus_of()?);
        if table.sort == Sort::default() {
            // The order on screen holds still for the eye. A file has the one of the fleet, in which
            // `burntop gpus` prints.
            let mut order = table.order().to_vec();
            order.sort_unstable();
            let rows = table.rows()?;
            list.rows = order.into_iter().filter_map(|row| rows.get(row).cloned()).collect();
        }
        let fills = self.shows_gpu_table() || self.shows_heat();
        fills.then(|| Picture::new(list, self.gpu_context().now))
    }

    /// Id and report of the GPU that keys apply to, to be copied; `None` without one.
    pub(crate) fn current_gpu_picture(&self) -> Option<(Arc<str>, Picture)> {
        let id = self.current_gpu()?.id.clone();
        let picture = self.one_gpu(&id)?;
        Some((id, picture))
    }

    /// Report of one GPU; `None` where it is not there.
    pub(crate) fn one_gpu(&self, id: &str) -> Option<Picture> {
        let of = self.gpus_of()?;
        let row = of.gpus.rows.iter().find(|r| *r.id == *id)?.clone();
        Some(Picture::new(alone::<GpuField>(&row, of), self.gpu_context().now))
    }

    fn gpus_of(&self) -> Option<Gpus> {
        let fleet = self.shown().cloned().unwrap_or_default();
        Some(Gpus { gpus: self.gpus()?.clone(), fleet })
    }

    /// Instance ids of the marked GPUs, one per GPU.
    pub(crate) fn instances_of_marks(&self) -> impl Iterator<Item = &Arc<str>> {
        self.marked_gpus().map(|(_, instance)| instance)
    }

    /// Ids of the marked GPUs of an instance.
    pub(crate) fn marks_of_instance(&self, id: &Arc<str>) -> impl Iterator<Item = &Arc<str>> {
        self.marked_gpus().filter(move |(_, instance)| *instance == id).map(|(gpu, _)| gpu)
    }

    /// The marked GPUs that belong to an instance: the id of each, and that of its instance.
    fn marked_gpus(&self) -> impl Iterator<Item = (&Arc<str>, &Arc<str>)> {
        let table = &self.tabs.gpus.table;
        let marked = self.gpu_rows().iter().filter(|row| table.is_marked(&row.id));
        marked.filter_map(|row| Some((&row.id, &row.node.instance.as_ref()?.instance.id)))
    }

    /// Instance of the GPU that keys apply to, or of the host under a heading; `None` without one.
    pub(crate) fn instance_of_gpu(&self) -> Option<&Arc<Row>> {
        let of_node = self.tabs.gpus.grouping() == GpuGrouping::Node;
        let first = || self.first_of_group().filter(|_| of_node);
        self.current_gpu().or_else(first)?.node.instance.as_ref()
    }

    /// The first GPU of the group whose heading is under the cursor.
    fn first_of_group(&self) -> Option<&Arc<GpuRow>> {
        let tab = &self.tabs.gpus;
        let head = self.shows_gpu_table().then(|| tab.table.current_head()).flatten()?;
        let first = tab.groups().get(head as usize)?.rows.first()?;
        self.gpu_rows().get(*first as usize)
    }
}
