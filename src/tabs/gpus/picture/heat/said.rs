//! Words of the heat map.

use std::sync::Arc;

use super::{HeatMap, HeatOrder};
use crate::fleet::GpuRow;
use crate::tabs::gpus::picture::GpuField;
use crate::tabs::gpus::picture::rollup::RollUp;
use crate::tabs::gpus::picture::words::Label;
use crate::view::{TableField, ViewContext, format};

impl HeatMap {
    /// One line on what the map omits or merges for lack of space, with `cell` being under the cursor; `None`
    /// where nothing.
    pub fn note(&self, cell: u32) -> Option<String> {
        let mut parts = Vec::new();
        if self.per_node {
            parts.push("one cell per node: the worst of its GPUs".to_owned());
        }
        if self.headless {
            parts.push("groups follow each other without headings".to_owned());
        }
        if self.pages > 1 {
            parts.push(format!("page {} of {}", self.page_of(cell) + 1, self.pages));
        }
        (!parts.is_empty()).then(|| parts.join(", "))
    }

    /// One line about the cell under the cursor; `None` without one.
    pub fn readout(
        &self,
        rows: &[Arc<GpuRow>],
        order: &HeatOrder,
        cell: u32,
        ctx: &ViewContext,
    ) -> Option<String> {
        let at = self.cells.get(cell as usize)?;
        let gpus = || self.rows_of(order, cell).iter().filter_map(|i| rows.get(*i as usize));
        let row = rows.get(at.row as usize)?;
        let parts = if self.per_node { node(row, gpus(), ctx) } else { gpu(row, ctx) };
        Some(parts.join(&format!(" {} ", ctx.symbols.separator())))
    }

    /// States on the map, as rows say them, with their GPU equivalents, the worst first: the legend of the hues.
    pub fn states(&self, order: &HeatOrder) -> Vec<(Label, f64)> {
        let mut sums = Label::all().map(|label| (label, 0.0)).collect::<Vec<_>>();
        let mut last = None;
        for cell in &self.cells {
            // The cells of a host are neighbours, and all of them are shown.
            if last.replace(cell.block) == Some(cell.block) {
                continue;
            }
            let Some(block) = order.blocks.get(cell.block as usize) else { continue };
            let facts = order.facts.get(block.from as usize..block.to as usize);
            for fact in facts.unwrap_or_default() {
                let of_label = sums.iter_mut().find(|(label, _)| *label == fact.label);
                of_label.into_iter().for_each(|(_, gpus)| *gpus += fact.gpus);
            }
        }
        sums.retain(|(_, gpus)| *gpus > 0.0);
        sums
    }
}

fn gpu(row: &GpuRow, ctx: &ViewContext) -> Vec<String> {
    let cell = |f: GpuField| f.cell(row, ctx);
    let mut parts = vec![
        format!("{} GPU {}", row.node.short_name(), cell(GpuField::GpuIndex)),
        row.model.to_string(),
    ];
    if row.sample.identity.mig.is_some() {
        parts.push(cell(GpuField::Mig));
    }
    let since = row.verdict.idle_since.map(|_| format!(" {}", cell(GpuField::IdleSince)));
    parts.push(cell(GpuField::State) + &since.unwrap_or_default());
    parts.push(format!("effective {}", cell(GpuField::Effective)));
    parts.push(ctx.symbols.or_unknown(row.usd_per_hour, format::usd_per_hour));
    if row.wasted_usd.is_some() {
        parts.push(format!("{} wasted", cell(GpuField::WastedUsd)));
    }
    parts.extend(row.team.as_deref().map(str::to_owned));
    parts.extend(row.sample.owner.words());
    parts
}

fn node<'a>(
    worst: &GpuRow,
    rows: impl Iterator<Item = &'a Arc<GpuRow>>,
    ctx: &ViewContext,
) -> Vec<String> {
    let sums = RollUp::of(rows.map(|r| &**r));
    let mut parts = vec![
        worst.node.short_name().to_owned(),
        format!("{}: {}", sums.words(), sums.state_words()),
        ctx.symbols.or_unknown(sums.known_burn(), format::usd_per_hour),
        format!("waste {}", ctx.symbols.or_unknown(sums.known_waste(), format::usd_per_hour)),
    ];
    if sums.wasted_usd > 0.0 {
        parts.push(format!("{} wasted", sums.wasted_cell(ctx)));
    }
    parts.extend(worst.team.as_deref().map(str::to_owned));
    parts
}
