//! Slurm's generic resources of a node: `gpu:h100:4(IDX:0-3)`.

use std::sync::Arc;

use crate::domain::jobs::Gpus;

/// GPUs of one node that are read at most: a node of a cloud has 16.
const INDEXES_AT_MOST: usize = 1_024;

/// GPUs of a node, or of a job on a node.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct NodeGpus {
    /// Number of GPUs.
    pub count: u32,
    /// Their indexes, ascending; `None` where they are not told.
    pub indexes: Option<Arc<[u16]>>,
}

impl NodeGpus {
    /// As a number of GPUs.
    pub(super) fn gpus(&self) -> Gpus {
        Gpus::whole(self.count)
    }
}

/// The GPUs in a list of resources, of all models together; `None` where the list names none.
pub(super) fn gpus(list: &str) -> Option<NodeGpus> {
    let mut all: Option<NodeGpus> = None;
    for part in outside_parentheses(list) {
        let Some(one) = of_part(part.trim()) else { continue };
        let sum = all.get_or_insert_with(|| NodeGpus { count: 0, indexes: Some(Arc::default()) });
        sum.count = sum.count.saturating_add(one.count);
        sum.indexes = match (sum.indexes.take(), one.indexes) {
            (Some(these), Some(those)) => {
                let mut both: Vec<u16> = these.iter().chain(those.iter()).copied().collect();
                both.sort_unstable();
                both.dedup();
                Some(both.into())
            }
            (Some(these), None) if one.count == 0 => Some(these),
            _ => None,
        };
    }
    // Indexes that do not agree with the number lead to the wrong GPU.
    if let Some(all) = &mut all {
        let agrees = |indexes: &Arc<[u16]>| indexes.len() == all.count as usize;
        all.indexes = all.indexes.take().filter(agrees);
    }
    all
}

/// The list at its commas outside of parentheses.
fn outside_parentheses(list: &str) -> impl Iterator<Item = &str> {
    let mut depth = 0_u32;
    list.split(move |c| {
        match c {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        c == ',' && depth == 0
    })
}

/// GPUs of `gpu:h100:4(IDX:0-3)`; `None` for another resource.
fn of_part(part: &str) -> Option<NodeGpus> {
    let (name, beside) = part.split_once('(').unwrap_or((part, ""));
    let name = name.strip_prefix("gres/").or_else(|| name.strip_prefix("gres:")).unwrap_or(name);
    let mut parts = name.split(':');
    if parts.next() != Some("gpu") {
        return None;
    }
    let count = match parts.next_back() {
        None => 1,
        Some(last) => last.parse().ok()?,
    };
    let indexes = beside.strip_prefix("IDX:").and_then(|rest| indexes(rest.trim_end_matches(')')));
    Some(NodeGpus { count, indexes })
}

/// Numbers of `0-3,7`; `None` for anything else.
fn indexes(text: &str) -> Option<Arc<[u16]>> {
    let mut all: Vec<u16> = Vec::new();
    for range in text.split(',') {
        let (from, to) = range.split_once('-').unwrap_or((range, range));
        let (from, to): (u16, u16) = (from.trim().parse().ok()?, to.trim().parse().ok()?);
        if to < from || all.len() + usize::from(to - from) >= INDEXES_AT_MOST {
            return None;
        }
        all.extend(from..=to);
    }
    all.sort_unstable();
    all.dedup();
    Some(all.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(list: &str) -> Option<(u32, Option<Vec<u16>>)> {
        gpus(list).map(|gpus| (gpus.count, gpus.indexes.map(|indexes| indexes.to_vec())))
    }

    #[test]
    fn gpus_of_all_models_are_counted_and_others_are_not() {
        assert_eq!(of("gpu:h100:4(IDX:0-3)"), Some((4, Some(vec![0, 1, 2, 3]))));
        assert_eq!(of("gpu:2(IDX:5,7)"), Some((2, Some(vec![5, 7]))));
        assert_eq!(of("gpu:h100:0(IDX:N/A)"), Some((0, Some(vec![]))));
        assert_eq!(of("gpu:h100:8(S:0-1)"), Some((8, None)));
        assert_eq!(of("gres/gpu:h100:4"), Some((4, None)));
        assert_eq!(of("gpu:a:1(IDX:0),shard:0,gpu:b:2(IDX:1-2)"), Some((3, Some(vec![0, 1, 2]))));
        for none in ["", "(null)", "shard:4", "gpu:h100:x"] {
            assert_eq!(of(none), None, "{none}");
        }
    }

    #[test]
    fn indexes_that_contradict_the_number_are_unknown() {
        for odd in ["gpu:4(IDX:0-2)", "gpu:2(IDX:3-1)", "gpu:2(IDX:0-65535)", "gpu:1(IDX:x)"] {
            assert_eq!(of(odd).and_then(|(_, indexes)| indexes), None, "{odd}");
        }
    }
}
