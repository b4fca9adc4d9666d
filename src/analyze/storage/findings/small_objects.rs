//! Objects so small that they are billed as more than they are.

use super::{BucketCase, LEAST_USD};
use crate::analyze::storage::price::monthly;
use crate::domain::storage::sums::SMALL_OBJECT;
use crate::domain::storage::{
    Effort, FindingKind, PrefixTree, Risk, SIZE_BINS, StorageFinding, size_bin,
};

/// Dollars of what is billed and holds nothing: padding to 128 KiB, index and names of archived
/// objects. Packing the objects into larger ones saves it all but for a rest.
pub(super) fn find(case: BucketCase<'_>) -> Option<StorageFinding> {
    let sums = case.scan?.tree.sums(PrefixTree::ROOT);
    let overheads = monthly(&sums, case.rates?).overheads;
    let usd = overheads.padding_usd + overheads.index_usd + overheads.names_usd;
    if usd < LEAST_USD {
        return None;
    }
    let small: u64 = sums.size_objects[..size_bin(SMALL_OBJECT).min(SIZE_BINS)].iter().sum();
    let bytes: u64 = sums.padding.iter().sum();
    let says = format!(
        "{small} objects are under 128 KiB; the minimum size of their class and the index of \
         archived objects cost more than the objects."
    );
    Some(
        case.finding(FindingKind::SmallObjects, Effort::Medium, Risk::Low)
            .bytes(Some(bytes))
            .usd(Some(usd))
            .says(says, "Pack small objects into larger ones, or keep them in Standard."),
    )
}
