//! The table of GPUs: its order, its groups.

use std::sync::Arc;

use super::Gpus;
use crate::app::App;
use crate::app::table::{Heads, TableLine};
use crate::fleet::GpuRow;
use crate::view::ViewContext;
use crate::view::gpu::order::{REORDER_EVERY_S, Rank};
use crate::view::gpu::{GpuField, GpuGrouping, GroupLine, group, lines};

/// Columns that the trail of a GPU takes behind the last column, with the blank before it.
pub const TRAIL: u16 = 18;

/// Terminals from this width on have room for the trail.
const TRAIL_FROM: u16 = 140;

impl App {
    /// Columns of the table on screen: what stands behind it is taken off.
    pub fn table_width(&self) -> u16 {
        self.size.0 - self.trail_width()
    }

    /// Columns of the trail; 0 where there is no room, or none on this tab.
    pub fn trail_width(&self) -> u16 {
        let fits = self.shows_gpu_table() && self.size.0 >= TRAIL_FROM;
        if fits { TRAIL } else { 0 }
    }

    pub(in crate::app) fn sync_gpus(&mut self) {
        let ctx = self.gpu_context();
        if let Some(fleet) = self.gpus().cloned() {
            self.gpu_tab.sync(&fleet.rows, fleet.version, fleet.as_of, &ctx);
        }
    }
}

impl Gpus {
    fn sync(
        &mut self,
        rows: &[Arc<GpuRow>],
        version: u64,
        as_of: Option<jiff::Timestamp>,
        ctx: &ViewContext,
    ) {
        // The table is taken out while the rest of the tab arranges its rows.
        let mut table = std::mem::take(&mut self.table);
        table.imply(said_by_heads(self.grouping));
        let worst_first = table.sort.field.is_none() && !table.sort.descending;
        table.sync_arranged(rows, version, as_of, ctx, |order, untouched| {
            let long = |t: jiff::Timestamp| {
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
                let places = self.steady.order(&ranks, anew);
                *order = places.iter().filter_map(|p| order.get(*p as usize).copied()).collect();
            }
            self.arrange(rows, order, anew)
        });
        self.table = table;
    }

    /// Puts the rows into groups; `None` where they stand alone.
    fn arrange(&mut self, rows: &[Arc<GpuRow>], order: &[u32], anew: bool) -> Option<Heads> {
        if self.grouping == GpuGrouping::Flat {
            self.groups.clear();
            return None;
        }
        let mut groups = group(rows, order, self.grouping);
        let ranks: Vec<(Arc<str>, Rank)> =
            groups.iter().map(|g| (head_id(g.key.as_deref()), g.rank())).collect();
        let places = self.steady_groups.order(&ranks, anew);
        let mut sorted: Vec<_> = groups.drain(..).map(Some).collect();
        self.groups = places
            .iter()
            .filter_map(|p| sorted.get_mut(*p as usize).and_then(Option::take))
            .collect();
        let lines = lines(self.grouping, &self.groups, &self.folded)
            .into_iter()
            .map(|line| match line {
                GroupLine::Head(head) => TableLine::Head(head),
                GroupLine::Gpu(row) => TableLine::Row(row),
            })
            .collect();
        let ids = self.groups.iter().map(|g| head_id(g.key.as_deref())).collect();
        Some(Heads::new(lines, ids))
    }

    /// Groups by `grouping` from here on.
    pub(in crate::app) fn group_by(&mut self, grouping: GpuGrouping) {
        self.grouping = grouping;
        self.folded.clear();
        self.steady_groups.forget();
        self.table.rearrange();
    }

    /// Folds or unfolds the group under the cursor; false when there is none.
    pub(in crate::app) fn fold(&mut self) -> bool {
        let head = self.table.current_head().and_then(|head| self.groups.get(head as usize));
        let Some(key) = head.map(|group| group.key.clone()) else { return false };
        if !self.folded.remove(&key) {
            self.folded.insert(key);
        }
        self.table.choose();
        self.table.rearrange();
        true
    }

    /// Folds all groups, or unfolds them where all are folded.
    pub(in crate::app) fn fold_all(&mut self, rows: &[Arc<GpuRow>]) {
        let open = self.groups.iter().any(|g| !self.folded.contains(&g.key));
        self.folded.clear();
        if open {
            // The cursor goes to the heading of its row.
            if let Some(at) = self.head_above() {
                self.table.go(rows, at);
            }
            self.folded.extend(self.groups.iter().map(|g| g.key.clone()));
        }
        self.table.rearrange();
    }

    /// The line of the heading that the current line stands below.
    fn head_above(&self) -> Option<usize> {
        let is_head = |at: &usize| matches!(self.table.line(*at), Some(TableLine::Head(_)));
        (0..=self.table.cursor()).rev().find(is_head)
    }
}

/// What the heading of a group is known by.
fn head_id(key: Option<&str>) -> Arc<str> {
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
        GpuGrouping::Owner => Some(GpuField::Owner),
        GpuGrouping::Model => Some(GpuField::Model),
        // The word of the state carries the glyph and the colour.
        GpuGrouping::State | GpuGrouping::Flat => None,
    }
}

/// What burns for nothing first, then the worst states, then what burns most.
fn rank(row: &GpuRow) -> Rank {
    match row.wasted_usd.filter(|usd| *usd > 0.0) {
        Some(wasted) => Rank::by(Some(wasted)),
        None => Rank {
            class: 1 + row.verdict.state as u32,
            figure: row.usd_per_hour.unwrap_or(f64::NAN),
        },
    }
}
