//! The GPUs tab: its table, its heat map, its pages.

mod act;
mod focus;
mod heat;
mod table;

#[cfg(test)]
pub(crate) mod fixture;
#[cfg(test)]
mod scripts;

use std::collections::HashSet;
use std::sync::Arc;

use jiff::Timestamp;

use super::{App, Layout, Tab, Table};
use crate::domain::SourceId;
use crate::fleet::GpuRow;
use crate::fleet::gpu::GpuFleet;
use crate::view::ViewContext;
use crate::view::gpu::{BlindPanel, GpuField, GpuGroup, GpuGrouping, Pulse, Steady, blind, pulse};
pub use heat::{Heat, legend_lines};
pub use table::TRAIL;

/// What fills the tab.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum GpuLook {
    /// A line per GPU.
    #[default]
    Table,
    /// A cell per GPU.
    Heat,
}

/// State of the GPUs tab.
#[derive(Clone, Debug, Default)]
pub struct Gpus {
    /// The table.
    pub(super) table: Table<GpuField>,
    /// What its rows are grouped by.
    grouping: GpuGrouping,
    /// Groups whose rows are not shown.
    folded: HashSet<Option<Arc<str>>>,
    /// The groups, in the order of their headings.
    groups: Vec<GpuGroup>,
    /// The order in which rows and groups were last shown.
    steady: Steady,
    steady_groups: Steady,
    /// When that order was last made anew.
    ordered_at: Option<Timestamp>,
    look: GpuLook,
    heat: Heat,
    /// What the strip above table and map says, and what it was made from.
    said: Option<(Stamp, Said)>,
    /// The hosts that are looked at closely.
    focused: Vec<Arc<str>>,
}

/// What tells one picture of the GPUs from another: version, moment of the join, and the moment
/// that spans are measured to.
type Stamp = (u64, Option<Timestamp>, Timestamp);

/// What is said of all GPUs together.
#[derive(Clone, Debug)]
pub struct Said {
    /// Sums and ages.
    pub pulse: Pulse,
    /// What is not seen.
    pub blind: BlindPanel,
    /// True when CloudWatch alone tells of the GPUs.
    pub only_cloudwatch: bool,
}

impl Gpus {
    /// The table of GPUs.
    pub fn table(&self) -> &Table<GpuField> {
        &self.table
    }

    /// What the rows are grouped by.
    pub fn grouping(&self) -> GpuGrouping {
        self.grouping
    }

    /// The groups, in the order of their headings.
    pub fn groups(&self) -> &[GpuGroup] {
        &self.groups
    }

    /// True when the rows of a group are not shown.
    pub fn is_folded(&self, group: &GpuGroup) -> bool {
        self.folded.contains(&group.key)
    }

    /// The heat map.
    pub fn heat(&self) -> &Heat {
        &self.heat
    }

    /// What fills the tab.
    pub fn look(&self) -> GpuLook {
        self.look
    }

    /// What is said of all GPUs together; `None` before any were read.
    pub fn said(&self) -> Option<&Said> {
        self.said.as_ref().map(|(_, said)| said)
    }
}

impl App {
    /// The tabs that there is something to show in, in the order of their numbers.
    pub fn tabs(&self) -> impl Iterator<Item = Tab> {
        let gpus = self.has_gpus();
        let storage = self.has_storage();
        let whatif = self.has_whatif();
        Tab::ALL.into_iter().filter(move |tab| match tab {
            Tab::Gpus => gpus,
            Tab::Storage => storage,
            Tab::WhatIf => whatif,
            Tab::Overview | Tab::Idle => true,
        })
    }

    /// True when there is telemetry of GPUs, or an instance that has some.
    pub fn has_gpus(&self) -> bool {
        let told = self.gpus().is_some_and(|g| !g.rows.is_empty() || !g.blind.is_empty());
        told || self.shown().is_some_and(|f| f.totals.gpus > 0.0)
    }

    /// State of the GPUs tab.
    pub fn gpu_tab(&self) -> &Gpus {
        &self.gpu_tab
    }

    /// What cells of GPUs are rendered with: spans are measured to the minute, or to the moment of
    /// the join where that is later.
    pub fn gpu_context(&self) -> ViewContext {
        let ctx = self.view_context();
        let joined = self.gpus().and_then(|g| g.as_of);
        ViewContext { now: joined.map_or(ctx.now, |at| at.max(ctx.now)), ..ctx }
    }

    /// What the cells of the table on screen are rendered with.
    pub fn table_context(&self) -> ViewContext {
        match self.tab {
            Tab::Gpus => self.gpu_context(),
            Tab::Storage => self.storage_context(),
            Tab::Overview if self.is_on_savings() => self.savings_context(),
            Tab::Overview | Tab::Idle | Tab::WhatIf => self.view_context(),
        }
    }

    /// The rows of the GPUs on screen.
    pub fn gpu_rows(&self) -> &[Arc<GpuRow>] {
        self.gpus().map_or(&[], |g| &g.rows)
    }

    /// The GPU that keys mean: of the page, under the cursor of the table or of the map.
    pub fn current_gpu(&self) -> Option<&Arc<GpuRow>> {
        use super::Page;
        match self.page().map(|o| &o.page) {
            Some(Page::Gpu { id, .. }) => self.gpu_rows().iter().find(|r| r.id == *id),
            Some(_) => None,
            None if self.tab != Tab::Gpus => None,
            None if self.gpu_tab.look == GpuLook::Heat => {
                self.gpu_rows().get(self.gpu_tab.heat.cell()?.row as usize)
            }
            None => self.gpu_tab.table.current(self.gpu_rows()),
        }
    }

    /// True when the heat map fills the body.
    pub fn shows_heat(&self) -> bool {
        self.fills_gpus() && self.gpu_tab.look == GpuLook::Heat
    }

    /// True when the table of GPUs fills the body.
    pub fn shows_gpu_table(&self) -> bool {
        self.fills_gpus() && self.gpu_tab.look == GpuLook::Table
    }

    /// True on the GPUs tab, without a page above it, as long as there are GPUs: those of a host
    /// need no cloud account.
    fn fills_gpus(&self) -> bool {
        self.pages.is_empty() && self.tab == Tab::Gpus && !self.gpu_rows().is_empty()
    }

    /// The lines above table and map.
    pub fn strip(&self) -> Vec<super::content::Line> {
        let shown = self.fills_gpus().then(|| self.layout()).flatten();
        let Some(layout) = shown else { return Vec::new() };
        let mut lines = super::content::gpus::strip(self, usize::from(layout.width) - 2);
        // What the tab is for keeps most of the room.
        let most = match self.gpu_tab.look {
            GpuLook::Table => usize::from(layout.body_height.saturating_sub(3) / 3),
            GpuLook::Heat => usize::from(layout.body_height > 5),
        };
        lines.truncate(most);
        lines
    }

    /// The frame with the strip taken off the body.
    pub fn inner_layout(&self) -> Option<Layout> {
        let layout = self.layout()?;
        let strip = self.strip().len() as u16;
        Some(Layout {
            body_top: layout.body_top + strip,
            body_height: layout.body_height - strip,
            ..layout
        })
    }

    /// Other GPUs from here on: what is known of the old ones goes.
    pub(super) fn forget_gpus(&mut self) {
        let focused = std::mem::take(&mut self.gpu_tab.focused);
        self.gpus = None;
        self.gpu_tab = Gpus { focused, ..Gpus::default() };
        if self.tab == Tab::Gpus {
            self.tab = Tab::Overview;
        }
    }

    /// Takes a picture of the GPUs in.
    pub(super) fn on_gpus(&mut self, gpus: Arc<GpuFleet>) {
        // Behind a frozen picture nothing changes.
        self.dirty = self.frozen.is_none();
        self.gpus = Some(gpus);
        self.set_deadline();
    }

    fn gpu_stamp(&self) -> Option<Stamp> {
        let gpus = self.gpus()?;
        Some((gpus.version, gpus.as_of, self.gpu_context().now))
    }

    /// Sums up the GPUs, once for each picture of them.
    pub(super) fn sum_up_gpus(&mut self) {
        let stamp = self.gpu_stamp();
        if self.gpu_tab.said.as_ref().map(|(of, _)| *of) == stamp {
            return;
        }
        let ctx = self.gpu_context();
        let said = stamp.zip(self.gpus()).map(|(stamp, gpus)| {
            let mut told = gpus.rows.iter().flat_map(|row| &row.told).peekable();
            let any = told.peek().is_some();
            let only_cloudwatch = any && told.all(|t| t.source == SourceId::CloudWatchGpu);
            let pulse = pulse(gpus, &ctx);
            (stamp, Said { pulse, blind: blind(gpus), only_cloudwatch })
        });
        self.gpu_tab.said = said;
    }
}
