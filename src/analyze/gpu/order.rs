//! Order of the rows of GPUs.

use std::sync::Arc;

use crate::fleet::GpuRow;

/// Costliest waste first, then worst state, then costliest, then by id.
pub(super) fn worst_first(rows: &mut Vec<Arc<GpuRow>>) {
    // What is compared lies side by side: rows lie all over the memory, and most are busy, cost
    // the same and differ in their id alone, by its first 16 bytes (`GPU-` and 12 digits).
    let start = |id: &str| {
        let mut bytes = [0; 16];
        bytes.iter_mut().zip(id.bytes()).for_each(|(to, from)| *to = from);
        u128::from_be_bytes(bytes)
    };
    let mut keyed: Vec<_> = rows
        .drain(..)
        .map(|r| {
            let or_zero = |usd: Option<f64>| usd.unwrap_or(0.0);
            let (waste, burn) = (or_zero(r.waste_usd_per_hour), or_zero(r.usd_per_hour));
            (waste, r.verdict.state, burn, start(&r.id), r)
        })
        .collect();
    keyed.sort_unstable_by(|a, b| {
        (b.0.total_cmp(&a.0))
            .then_with(|| a.1.cmp(&b.1))
            .then_with(|| b.2.total_cmp(&a.2))
            .then_with(|| a.3.cmp(&b.3))
            .then_with(|| a.4.id.cmp(&b.4.id))
    });
    rows.extend(keyed.into_iter().map(|k| k.4));
}
