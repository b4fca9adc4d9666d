//! Objects so small that they are billed as more than they are.

use super::{BucketCase, LEAST_USD};
use crate::analyze::storage::price::monthly;
use crate::domain::storage::sums::SMALL_OBJECT;
use crate::domain::storage::{
    Effort, FindingKind, FindingReason, PrefixTree, Risk, SIZE_BINS, StorageFinding, size_bin,
};

/// Finds objects that are small for their class; `None` without any. Dollars are for what is billed and holds nothing
/// (padding to 128 KiB, index and names of archived objects); packing the objects into larger ones saves all but a rest
/// of it.
pub(super) fn find(case: BucketCase<'_>) -> Option<StorageFinding> {
    let sums = case.scan?.tree.sums(PrefixTree::ROOT);
    let overheads = monthly(&sums, case.rates?).overheads;
    let usd = overheads.padding_usd + overheads.index_usd + overheads.names_usd;
    if usd < LEAST_USD {
        return None;
    }
    let small: u64 = sums.size_objects[..size_bin(SMALL_OBJECT).min(SIZE_BINS)].iter().sum();
    let bytes: u64 = sums.padding.iter().sum();
    Some(
        case.finding(FindingKind::SmallObjects, Effort::Medium, Risk::Low)
            .bytes(Some(bytes))
            .usd(Some(usd))
            .because(FindingReason::SmallObjects(small)),
    )
}
