//! Sums of what a rule's filter covers.

use super::Sizes;
use crate::analyze::storage::price::{Rates, Volumes};
use crate::domain::storage::sums::AGE_BOUNDS;
use crate::domain::storage::tree::NodeKind;
use crate::domain::storage::{GIB, LifecycleRule, PrefixTree, Sums, Tier};

/// Number of the size bins under 128 KiB.
pub(super) const SMALL_BINS: usize = 4;

/// Sums of all keys that begin with `prefix`; `None` where the tree was pruned too far to say.
pub(super) fn under(tree: &PrefixTree, prefix: &str) -> Option<Sums> {
    let bytes = prefix.as_bytes();
    let cut = memchr::memrchr(b'/', bytes).map_or(0, |i| i + 1);
    let (dir, partial) = bytes.split_at(cut);
    let Some(node) = tree.find(dir) else { return is_absent(tree, dir).then(Sums::default) };
    if partial.is_empty() {
        return Some(tree.sums(node));
    }
    let mut out = Sums::default();
    for child in tree.children(node) {
        match tree.kind(child) {
            // Some of them may begin with it.
            NodeKind::Rest => return None,
            _ if tree.name(child).starts_with(partial) => out.add(&tree.sums(child)),
            _ => {}
        }
    }
    Some(out)
}

/// True when a directory is surely not in the tree: where its path ends nothing was pruned.
fn is_absent(tree: &PrefixTree, dir: &[u8]) -> bool {
    let slashes = memchr::memchr_iter(b'/', dir).map(|i| i + 1);
    let deepest = slashes.rev().find_map(|end| tree.find(&dir[..end]));
    let at = deepest.unwrap_or(PrefixTree::ROOT);
    !tree.children(at).any(|child| tree.kind(child) == NodeKind::Rest)
}

/// What a rule covers, priced; `None` without sizes, or with a filter that they cannot answer.
pub(super) struct Covered {
    pub(super) sums: Sums,
    pub(super) rates: Rates,
}

pub(super) fn covered(rule: &LifecycleRule, sizes: Option<Sizes<'_>>) -> Option<Covered> {
    let sizes = sizes?;
    if !rule.filter.tags.is_empty() || rule.filter.has_size() {
        return None;
    }
    let sums = under(sizes.tree, rule.filter.prefix())?;
    // What is freed or moved comes off the last step of the volume price.
    let volumes = Volumes::of(&sizes.tree.sums(PrefixTree::ROOT));
    Some(Covered { sums, rates: Rates::marginal(sizes.prices, &volumes) })
}

impl Covered {
    /// Share of the bytes that is at least `days` old, 0–1, rounded down to the bins of age.
    pub(super) fn aged(&self, days: i64) -> f64 {
        let total: u64 = self.sums.age_bytes.iter().sum();
        if total == 0 {
            return 0.0;
        }
        // Bin 0 begins at 0, bin i at bound i - 1.
        let first = match days {
            ..=0 => 0,
            d => AGE_BOUNDS.partition_point(|b| i64::from(*b) < d) + 1,
        };
        let old: u64 = self.sums.age_bytes.iter().skip(first).sum();
        old as f64 / total as f64
    }

    /// GiB in Standard that are at least `days` old.
    pub(super) fn standard_gib(&self, days: i64) -> f64 {
        self.sums.bytes[Tier::Standard.index()] as f64 / GIB * self.aged(days)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ages_are_rounded_down_to_bins() {
        // 10 bytes of each bin: [0,1) [1,7) [7,14) [14,30) [30,60) [60,90) [90,180) [180,365) …
        let sums = Sums { age_bytes: [10; crate::domain::storage::AGE_BINS], ..Sums::default() };
        let rates = Rates::marginal(
            &crate::analyze::storage::price::fixture::virginia(),
            &Volumes::default(),
        );
        let covered = Covered { sums, rates };
        for (days, bins) in [(0, 10.0), (1, 9.0), (2, 8.0), (30, 6.0), (31, 5.0), (9999, 0.0)] {
            assert!((covered.aged(days) - bins / 10.0).abs() < 1e-12, "{days}");
        }
    }
}
