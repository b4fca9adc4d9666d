//! The GPUs tab: its table, its heat map, its pages.

mod act;
mod focus;
mod heat;
mod table;

#[cfg(test)]
pub(crate) mod fixture;
#[cfg(test)]
mod scripts;

use std::sync::Arc;

use jiff::Timestamp;

use crate::app::{App, List};
use crate::domain::SourceId;
use crate::fleet::GpuRow;
use crate::fleet::gpu::GpuFleet;
use crate::tabs::gpus::TAB;
use crate::tabs::gpus::picture::{
    BlindPanel, GpuField, GpuGroup, GpuGrouping, Pulse, blind, pulse,
};
use crate::tabs::overview::picture::{GpuUse, Measures, is_joined};
use crate::view::ViewContext;
pub use heat::{Heat, legend_lines};
use table::Groups;
pub use table::TRAIL;

/// Form in which the GPUs tab shows its GPUs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum GpuLook {
    /// A list with one line per GPU.
    #[default]
    Table,
    /// A heat map with one cell per GPU.
    Heat,
}

/// State of the GPUs tab.
#[derive(Clone, Debug)]
pub struct Gpus {
    /// The list.
    pub(crate) table: List,
    /// The groups of its rows.
    groups: Groups,
    /// List or heat map.
    pub(crate) look: GpuLook,
    heat: Heat,
    /// Text of the strip, and the input that it was made from.
    said: Option<(Stamp, Said)>,
    /// Hosts that are read more often.
    pub(crate) focused: Vec<Arc<str>>,
}

impl Default for Gpus {
    fn default() -> Self {
        Self {
            table: List::of::<GpuField>(),
            groups: Groups::default(),
            look: GpuLook::default(),
            heat: Heat::default(),
            said: None,
            focused: Vec::new(),
        }
    }
}

/// What tells one picture of the GPUs from another: version, moment of the join, the moment that spans are measured to, and the
/// version of the instances.
type Stamp = (u64, Option<Timestamp>, Timestamp, Option<u64>);

/// Summary of all GPUs.
#[derive(Clone, Debug)]
pub struct Said {
    /// Sums and ages.
    pub pulse: Pulse,
    /// Missing telemetry.
    pub blind: BlindPanel,
    /// True when CloudWatch is the only source.
    pub only_cloudwatch: bool,
}

impl Gpus {
    /// Resets the tab, except for the hosts that are read more often.
    pub(crate) fn forget(&mut self) {
        let focused = std::mem::take(&mut self.focused);
        *self = Self { focused, ..Self::default() };
    }

    /// List of GPUs.
    pub fn table(&self) -> &List {
        &self.table
    }

    /// Field that the list is grouped by.
    pub fn grouping(&self) -> GpuGrouping {
        self.groups.by
    }

    /// Groups, in the order of their headings.
    pub fn groups(&self) -> &[GpuGroup] {
        &self.groups.all
    }

    /// True when the rows of a group are hidden.
    pub fn is_folded(&self, group: &GpuGroup) -> bool {
        self.groups.folded.contains(&group.key)
    }

    /// The heat map.
    pub fn heat(&self) -> &Heat {
        &self.heat
    }

    /// List or heat map.
    pub fn look(&self) -> GpuLook {
        self.look
    }

    /// Summary of all GPUs; `None` before any were read.
    pub fn said(&self) -> Option<&Said> {
        self.said.as_ref().map(|(_, said)| said)
    }
}

impl App {
    /// State of the GPUs tab.
    pub fn gpu_tab(&self) -> &Gpus {
        &self.tabs.gpus
    }

    /// Context that cells of GPUs are formatted with: spans are measured to the minute, or to the time of the
    /// join where that is later.
    pub fn gpu_context(&self) -> ViewContext {
        let ctx = self.view_context();
        let joined = self.gpus().and_then(|g| g.as_of);
        ViewContext { now: joined.map_or(ctx.now, |at| at.max(ctx.now)), ..ctx }
    }

    /// GPUs on screen.
    pub fn gpu_rows(&self) -> &[Arc<GpuRow>] {
        self.gpus().map_or(&[], |g| &g.rows)
    }

    /// GPU that keys apply to: that of the page, or under the cursor of list or map; `None` without one.
    pub fn current_gpu(&self) -> Option<&Arc<GpuRow>> {
        use crate::app::Page;
        match self.page().map(|o| &o.page) {
            Some(Page::Gpu { id, .. }) => self.gpu_rows().iter().find(|r| r.id == *id),
            Some(_) => None,
            None if self.tab != TAB => None,
            None if self.tabs.gpus.look == GpuLook::Heat => {
                self.gpu_rows().get(self.tabs.gpus.heat.cell()?.row as usize)
            }
            None => self.tabs.gpus.table.current(),
        }
    }

    /// True when the heat map fills the body.
    pub fn shows_heat(&self) -> bool {
        self.fills_gpus() && self.tabs.gpus.look == GpuLook::Heat
    }

    /// True when the list of GPUs fills the body.
    pub fn shows_gpu_table(&self) -> bool {
        self.fills_gpus() && self.tabs.gpus.look == GpuLook::Table
    }

    /// True on the GPUs tab, without a page above it, as long as there are GPUs: those of a host
    /// need no cloud account.
    fn fills_gpus(&self) -> bool {
        self.pages.is_empty() && self.tab == TAB && !self.gpu_rows().is_empty()
    }

    /// Stores new GPUs.
    pub(crate) fn on_gpus(&mut self, gpus: Arc<GpuFleet>) {
        self.gpus = Some(gpus);
        self.foresee_again();
        if self.tab != TAB {
            self.tabs.gpus.table.release();
        }
        self.set_deadline();
    }

    fn gpu_stamp(&self) -> Option<Stamp> {
        let gpus = self.gpus()?;
        let instances = self.shown().map(|fleet| fleet.version);
        Some((gpus.version, gpus.as_of, self.gpu_context().now, instances))
    }

    /// Summarises the GPUs, once per picture of them.
    pub(crate) fn sum_up_gpus(&mut self) {
        let stamp = self.gpu_stamp();
        if self.tabs.gpus.said.as_ref().map(|(of, _)| *of) == stamp {
            return;
        }
        let ctx = self.gpu_context();
        let said = stamp.zip(self.gpus()).map(|(stamp, gpus)| {
            let mut told = gpus.rows.iter().flat_map(|row| &row.told).peekable();
            let any = told.peek().is_some();
            let only_cloudwatch = any && told.all(|t| t.source == SourceId::CloudWatchGpu);
            let is_read = self.sources().progress.waiting == 0;
            let joined = self.shown().filter(|fleet| is_read && is_joined(fleet, gpus));
            let measures = joined.and_then(|fleet| Measures::of(fleet, gpus));
            let unseen = measures.map_or(0.0, |all| all.live[GpuUse::Unseen as usize]);
            let pulse = Pulse { unseen, ..pulse(gpus, &ctx) };
            (stamp, Said { pulse, blind: blind(gpus), only_cloudwatch })
        });
        self.tabs.gpus.said = said;
    }
}
