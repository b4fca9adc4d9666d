//! The table of GPUs: its order, its groups.

use std::collections::HashSet;
use std::sync::Arc;

use jiff::Timestamp;

use super::Gpus;
use crate::app::App;
use crate::app::list::{Heads, TableLine};
use crate::fleet::GpuRow;
use crate::fleet::gpu::GpuFleet;
use crate::tabs::gpus::picture::order::{REORDER_EVERY_S, Rank};
use crate::tabs::gpus::picture::{
    GpuField, GpuGroup, GpuGrouping, GroupLine, Steady, group, lines,
};
use crate::view::{TableField, ViewContext};

/// Columns of a GPU's sparkline behind the last column, with the blank before it.
pub const TRAIL: u16 = 18;

/// Terminals from this width on have room for the trail.
const TRAIL_FROM: u16 = 140;

impl App {
    /// Columns left for the list on screen.
    pub fn table_width(&self) -> u16 {
        self.size.0 - self.trail_width()
    }

    /// Columns of the sparklines; 0 where there is no space, or none on this tab.
    pub fn trail_width(&self) -> u16 {
        let fits = self.shows_gpu_table() && self.size.0 >= TRAIL_FROM;
        if fits { TRAIL } else { 0 }
    }

    /// Updates rows and groups from the newest GPUs.
    pub(crate) fn sync_gpus(&mut self) {
        let ctx = self.gpu_context();
        if let Some(fleet) = self.gpus().cloned() {
            self.tabs.gpus.sync(&fleet, &ctx);
        }
    }
}

/// The groups of the rows, and the order in which rows and groups were last shown.
#[derive(Clone, Debug, Default)]
pub(super) struct Groups {
    /// Grouping of the rows.
    pub(super) by: GpuGrouping,
    /// Groups whose rows are not shown.
    pub(super) folded: HashSet<Option<Arc<str>>>,
    /// The groups, in the order of their headings.
    pub(super) all: Vec<GpuGroup>,
    steady_rows: Steady,
    steady: Steady,
    /// When the order was last made anew.
    ordered_at: Option<Timestamp>,
}

impl Groups {
    /// Orders the rows, worst first where `worst_first`, and puts them into groups; headings where
    /// they do not stand alone. Where it is `untouched`, the order may be made anew.
    fn order(
        &mut self,
        fleet: &GpuFleet,
        order: &mut Vec<u32>,
        worst_first: bool,
        untouched: bool,
    ) -> Option<Heads> {
        let (rows, as_of) = (&fleet.rows, fleet.as_of);
        let long = |t: Timestamp| {
            as_of.is_none_or(|now| now.duration_since(t).as_secs() >= REORDER_EVERY_S)
        };
        let anew = untouched && self.ordered_at.is_none_or(long);
        if anew {
            self.ordered_at = as_of;
        }
        if worst_first {
            let ranks: Vec<(Arc<str>, Rank)> = order
                .iter()
                .filter_map(|i| rows.get(*i as usize))
                .map(|row| (row.id.clone(), rank(row)))
                .collect();
            let places = self.steady_rows.order(&ranks, anew);
            *order = places.iter().filter_map(|p| order.get(*p as usize).copied()).collect();
        }
        self.arrange(rows, order, anew)
    }

    /// Puts the rows into groups; `None` where they stand alone.
    fn arrange(&mut self, rows: &[Arc<GpuRow>], order: &[u32], anew: bool) -> Option<Heads> {
        if self.by == GpuGrouping::Flat {
            self.all.clear();
            return None;
        }
        let mut groups = group(rows, order, self.by);
        let ranks: Vec<(Arc<str>, Rank)> =
            groups.iter().map(|g| (head_id(g.key.as_deref()), g.rank())).collect();
        let places = self.steady.order(&ranks, anew);
        let mut sorted: Vec<_> = groups.drain(..).map(Some).collect();
        self.all = places
            .iter()
            .filter_map(|p| sorted.get_mut(*p as usize).and_then(Option::take))
            .collect();
        let lines = lines(self.by, &self.all, &self.folded)
            .into_iter()
            .map(|line| match line {
                GroupLine::Head(head) => TableLine::Head(head),
                GroupLine::Gpu(row) => TableLine::Row(row),
            })
            .collect();
        let ids = self.all.iter().map(|g| head_id(g.key.as_deref())).collect();
        Some(Heads::new(lines, ids))
    }
}

impl Gpus {
    fn sync(&mut self, fleet: &Arc<GpuFleet>, ctx: &ViewContext) {
        let Self { table, groups, .. } = self;
        table.imply(said_by_heads(groups.by).map(TableField::spec));
        let worst_first = table.sort.field.is_none() && !table.sort.descending;
        let rows = || GpuField::part(fleet.clone(), |fleet| &fleet.rows);
        table.sync_arranged((fleet.version, fleet.as_of), ctx, rows, |order, untouched| {
            groups.order(fleet, order, worst_first, untouched)
        });
    }

    /// Groups by `grouping` from now on.
    pub(crate) fn group_by(&mut self, grouping: GpuGrouping) {
        self.groups.by = grouping;
        self.groups.folded.clear();
        self.groups.steady.forget();
        self.table.rearrange();
    }

    /// Folds or unfolds the group under the cursor; false without one.
    pub(crate) fn fold(&mut self) -> bool {
        let head = self.table.current_head().and_then(|head| self.groups.all.get(head as usize));
        let Some(key) = head.map(|group| group.key.clone()) else { return false };
        if !self.groups.folded.remove(&key) {
            self.groups.folded.insert(key);
        }
        self.table.choose();
        self.table.rearrange();
        true
    }

    /// Folds all groups; unfolds them where all are folded.
    pub(crate) fn fold_all(&mut self) {
        let Groups { all, folded, .. } = &self.groups;
        let open = all.iter().any(|g| !folded.contains(&g.key));
        self.groups.folded.clear();
        if open {
            // The cursor goes to the heading of its row.
            if let Some(at) = self.head_above() {
                self.table.go(at);
            }
            self.groups.folded.extend(self.groups.all.iter().map(|g| g.key.clone()));
        }
        self.table.rearrange();
    }

    /// The line of the heading that the current line stands below.
    fn head_above(&self) -> Option<usize> {
        let is_head = |at: &usize| matches!(self.table.line(*at), Some(TableLine::Head(_)));
        (0..=self.table.cursor()).rev().find(is_head)
    }
}

/// Id of the heading of a group.
pub(super) fn head_id(key: Option<&str>) -> Arc<str> {
    match key {
        Some(key) => format!("group {key}").into(),
        None => "no group".into(),
    }
}

/// The field that the headings of a grouping say.
fn said_by_heads(grouping: GpuGrouping) -> Option<GpuField> {
    match grouping {
        GpuGrouping::Node => Some(GpuField::Node),
        GpuGrouping::Team => Some(GpuField::Team),
        // The column of owners has their jobs as well.
        GpuGrouping::Owner => Some(GpuField::User),
        GpuGrouping::Job => Some(GpuField::Owner),
        GpuGrouping::Model => Some(GpuField::Model),
        // The word of the state carries the glyph and the colour.
        GpuGrouping::State | GpuGrouping::Flat => None,
    }
}

/// Order of rows: most waste first, then the worst states, then the highest burn.
fn rank(row: &GpuRow) -> Rank {
    match row.wasted_usd.filter(|usd| *usd > 0.0) {
        Some(wasted) => Rank::by(Some(wasted)),
        None => Rank {
            class: 1 + row.verdict.state as u32,
            figure: row.usd_per_hour.unwrap_or(f64::NAN),
        },
    }
}
