//! GPUs in the order of the map: group, host, index. Within a group it depends on who they are alone, so that cells
//! hold still while states change.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::Arc;

use crate::fleet::GpuRow;
use crate::tabs::gpus::picture::group::{GpuGrouping, node_id};
use crate::tabs::gpus::picture::words::Label;

/// Facts about a GPU that the map is made of.
#[derive(Clone, Copy, Debug)]
pub(super) struct Fact {
    pub(super) label: Label,
    /// GPU equivalents.
    pub(super) gpus: f64,
    /// USD/h; NaN when not known.
    pub(super) waste: f32,
}

/// The GPUs of one group on one host.
#[derive(Clone, Debug)]
pub(super) struct Block {
    /// Index of its first GPU; its GPUs are neighbours in the rows.
    pub(super) from: u32,
    pub(super) to: u32,
    /// Key of the group; `None` for GPUs without one.
    pub(super) group: Option<Arc<str>>,
    pub(super) name: Arc<str>,
    pub(super) id: Arc<str>,
}

/// The first GPU of a group on a host.
struct First<'a> {
    row: &'a GpuRow,
    group: Option<Cow<'a, str>>,
}

/// GPUs by group, host and index.
#[derive(Clone, Debug, Default)]
pub struct HeatOrder {
    /// What groups have in common.
    pub(super) by: GpuGrouping,
    /// Indices into the fleet's rows.
    rows: Vec<u32>,
    /// In the order of `rows`.
    pub(super) facts: Vec<Fact>,
    /// In the order group, name, id.
    pub(super) blocks: Vec<Block>,
    /// `3`, or `3 gi1` for a slice, in the order of `rows`: what tells GPUs of a host apart.
    index: Vec<(Option<u16>, Option<u32>)>,
}

impl HeatOrder {
    /// Orders the GPUs `shown` (indices in `rows`), of a list that is grouped by `by`: see [`GpuGrouping::of_map`]. Groups come
    /// in the order of the keys in `first`, then those that it has not by name, GPUs without one last.
    pub fn of(
        rows: &[Arc<GpuRow>],
        shown: &[u32],
        by: GpuGrouping,
        first: &[Option<Arc<str>>],
    ) -> Self {
        let by = by.of_map();
        // Hosts and teams are shared between rows: an address costs less than a text. What is equal
        // behind different addresses is joined below.
        let mut by_team: HashMap<(usize, usize), u32> = HashMap::new();
        let mut by_key: HashMap<(usize, Option<Cow<'_, str>>), u32> = HashMap::new();
        let mut firsts: Vec<First<'_>> = Vec::new();
        let mut of_row: Vec<(u32, u32)> = Vec::with_capacity(shown.len());
        for index in shown {
            let Some(row) = rows.get(*index as usize) else { continue };
            let (node, next) = (Arc::as_ptr(&row.node).addr(), firsts.len() as u32);
            let place = if by == GpuGrouping::Team {
                let team = row.team.as_ref().map_or(0, |t| t.as_ptr().addr());
                *by_team.entry((node, team)).or_insert(next)
            } else {
                *by_key.entry((node, by.key(row))).or_insert(next)
            };
            if place == next {
                firsts.push(First { row, group: by.key(row) });
            }
            of_row.push((place, *index));
        }
        let (blocks, block_of) = blocks(&firsts, first);
        let mut order = Self { by, blocks, ..Self::default() };
        order.fill(rows, &of_row, &block_of);
        order
    }

    /// Number of GPUs.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// True without GPUs.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// The GPUs of a block, as indices into the fleet's rows.
    pub(super) fn rows_of(&self, block: u32) -> &[u32] {
        let block = self.blocks.get(block as usize);
        block.and_then(|b| self.rows.get(b.from as usize..b.to as usize)).unwrap_or_default()
    }

    /// The GPU at a place of the order, as an index into the fleet's rows.
    pub(super) fn row(&self, at: u32) -> u32 {
        self.rows[at as usize]
    }

    /// `GPU 3`, `GPU 3 gi1` for the GPU at a place of the order.
    pub(super) fn gpu_words(&self, at: u32) -> String {
        match self.index[at as usize] {
            (Some(index), None) => format!("GPU {index}"),
            (Some(index), Some(slice)) => format!("GPU {index} gi{slice}"),
            (None, Some(slice)) => format!("slice gi{slice}"),
            (None, None) => "GPU".to_owned(),
        }
    }

    /// Counts the rows into their blocks and sorts each block by index.
    fn fill(&mut self, rows: &[Arc<GpuRow>], of_row: &[(u32, u32)], block_of: &[u32]) {
        for (first, _) in of_row {
            self.blocks[block_of[*first as usize] as usize].to += 1;
        }
        let mut from = 0;
        for block in &mut self.blocks {
            let count = block.to;
            (block.from, block.to) = (from, from);
            from += count;
        }
        let mut keyed = vec![(None, None, 0u32); of_row.len()];
        for (first, index) in of_row {
            let block = &mut self.blocks[block_of[*first as usize] as usize];
            let row = &rows[*index as usize];
            let slice = row.key.gpu_instance;
            keyed[block.to as usize] = (row.sample.identity.index, slice, *index);
            block.to += 1;
        }
        for block in &self.blocks {
            keyed[block.from as usize..block.to as usize].sort_unstable_by(|a, b| {
                // Equal indices: by id, which does not change from picture to picture.
                let id = |i: u32| &rows[i as usize].id;
                (a.0, a.1).cmp(&(b.0, b.1)).then_with(|| id(a.2).cmp(id(b.2)))
            });
        }
        self.facts = keyed.iter().map(|k| fact(&rows[k.2 as usize])).collect();
        self.rows = keyed.iter().map(|k| k.2).collect();
        self.index = keyed.iter().map(|k| (k.0, k.1)).collect();
    }
}

fn fact(row: &GpuRow) -> Fact {
    let waste = row.waste_usd_per_hour.filter(|w| w.is_finite());
    let waste = waste.map_or(f32::NAN, |w| w as f32);
    Fact { label: Label::of(row), gpus: row.equivalents, waste }
}

/// Empty blocks in their order, and the block of each of `firsts`: by the place of their group in `order`, those that it has
/// not after them by name, those without a group last.
fn blocks(firsts: &[First<'_>], order: &[Option<Arc<str>>]) -> (Vec<Block>, Vec<u32>) {
    let places: HashMap<Option<&str>, usize> =
        order.iter().enumerate().map(|(place, key)| (key.as_deref(), place)).collect();
    let key = |i: usize| {
        let First { row, group } = &firsts[i];
        let group = group.as_deref();
        let place = places.get(&group).copied().unwrap_or(usize::MAX);
        (place, group.is_none(), group, &*row.node.name, node_id(row))
    };
    let mut sorted: Vec<usize> = (0..firsts.len()).collect();
    sorted.sort_unstable_by(|a, b| key(*a).cmp(&key(*b)));
    let mut blocks: Vec<Block> = Vec::with_capacity(sorted.len());
    let mut block_of = vec![0; firsts.len()];
    let mut last = None;
    for i in sorted {
        if last.is_none_or(|l| key(l) != key(i)) {
            let First { row, group } = &firsts[i];
            blocks.push(Block {
                from: 0,
                to: 0,
                group: group.as_deref().map(Arc::from),
                name: row.node.short_name().into(),
                id: row
                    .node
                    .instance
                    .as_ref()
                    .map_or_else(|| row.node.name.clone(), |r| r.instance.id.clone()),
            });
        }
        last = Some(i);
        block_of[i] = blocks.len() as u32 - 1;
    }
    (blocks, block_of)
}
