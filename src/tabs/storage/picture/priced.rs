//! What the bytes of runs and copies cost, and the order of such rows.

use std::sync::Arc;

use crate::analyze::storage::price::Rates;
use crate::domain::storage::{GIB, Tier};

/// USD per month of the bytes of each tier at `rates`; `None` without rates, or where one of the tiers
/// has none.
pub(super) fn priced<'a>(
    rates: Option<&Rates>,
    bytes: impl IntoIterator<Item = &'a (Tier, u64)>,
) -> Option<f64> {
    let usd = |(tier, bytes): &(_, u64)| Some(rates?.usd_per_gib(*tier)? * *bytes as f64 / GIB);
    bytes.into_iter().map(usd).sum()
}

/// The rows, most dollars first, then most bytes; those without a price last.
pub(super) fn dearest_first<R>(
    mut rows: Vec<R>,
    of: impl Fn(&R) -> (Option<f64>, u64),
) -> Vec<Arc<R>> {
    rows.sort_by(|a, b| {
        let ((usd_a, bytes_a), (usd_b, bytes_b)) = (of(a), of(b));
        let known = |usd: Option<f64>| usd.unwrap_or(-1.0);
        known(usd_b).total_cmp(&known(usd_a)).then(bytes_b.cmp(&bytes_a))
    });
    rows.into_iter().map(Arc::new).collect()
}
