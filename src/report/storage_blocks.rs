//! `burntop storage ebs`: volumes and snapshots, by dollars per month.

use std::sync::Arc;

use serde_json::{Value as Json, json};

use super::storage_buckets::{basis, finding};
use super::{List, ListField, sources};
use crate::domain::{HOURS_PER_MONTH, Reading, SourceId};
use crate::fleet::StorageFleet;
use crate::fleet::storage::StorageTotals;
use crate::tabs::storage::picture::{BlockField, BlockRow, words};
use crate::view::{TableField, ViewContext, format};

impl ListField for BlockField {
    type Of = Arc<StorageFleet>;

    const VIEW: &'static str = "storage-ebs";

    const IDENTITY: &'static [Self] = &[Self::Id, Self::Account, Self::Region];

    fn basis(of: &Self::Of) -> String {
        basis(of.ebs_priced_by.values())
            + "; a snapshot costs at most what is shown: what it shares with its neighbours is billed \
               once"
    }

    const SOURCES: &'static [SourceId] = sources::BLOCKS;

    fn readings(of: &Self::Of) -> &[Reading] {
        &of.readings
    }

    fn more(row: &BlockRow, _: &Self::Of) -> Vec<(&'static str, Json)> {
        vec![
            ("findings", row.findings().iter().map(|f| finding(f)).collect()),
            ("usd_is_at_most", json!(matches!(row, BlockRow::Snapshot(_)))),
        ]
    }

    fn notes(list: &List<Self>, ctx: &ViewContext) -> Vec<String> {
        let dot = ctx.symbols.separator();
        let usd = |r: &&BlockRow| BlockField::usd_per_hour(r).map(|usd| usd * HOURS_PER_MONTH);
        let is_volume = |r: &&BlockRow| matches!(r, BlockRow::Volume(_));
        let (volumes, snapshots): (Vec<&BlockRow>, Vec<&BlockRow>) =
            list.each().partition(is_volume);
        let sum = |rows: &[&BlockRow]| {
            let known: Vec<f64> = rows.iter().filter_map(usd).collect();
            let any = rows.is_empty() || !known.is_empty();
            ctx.symbols.or_unknown(any.then(|| known.iter().sum::<f64>()), words::usd)
        };
        let unpriced = list.each().filter(|r| usd(r).is_none()).count();
        let left_out = match unpriced {
            0 => String::new(),
            n => format!(" {dot} left out: {} without a price", format::count(n as f64)),
        };
        let found = StorageTotals::of(
            [].iter(),
            list.each().filter_map(BlockRow::volume),
            list.each().filter_map(BlockRow::snapshot),
        );
        vec![format!(
            "{} {} {} per month {dot} {} {} at most {} per month {dot} {}{left_out}",
            format::count(volumes.len() as f64),
            format::noun(volumes.len(), "volume"),
            sum(&volumes),
            format::count(snapshots.len() as f64),
            format::noun(snapshots.len(), "snapshot"),
            sum(&snapshots),
            words::saved(&found, " per month"),
        )]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::storage_buckets::tests::without_dollars;
    use crate::tabs::storage::picture::block_rows;
    use crate::tabs::storage::picture::fixture::fleet;
    use crate::view::fixture::ctx;

    fn notes(fleet: StorageFleet, chosen: fn(&BlockRow) -> bool) -> String {
        let rows = block_rows(&fleet).into_iter().filter(|r| chosen(r)).collect();
        BlockField::notes(&List::of(rows, None, Arc::new(fleet)), &ctx()).join("\n")
    }

    #[test]
    fn what_findings_save_is_a_bound_a_guess_or_not_known() {
        let volumes = notes(fleet(), |r| r.volume().is_some());
        assert!(volumes.contains(" findings save at least $"), "{volumes}");
        // A snapshot costs at most what is known of it.
        let all = notes(fleet(), |_| true);
        assert!(all.contains(" findings save about $"), "{all}");
        let dark = notes(without_dollars(fleet()), |_| true);
        assert!(dark.contains(" findings would save is not known"), "{dark}");
        assert!(!dark.contains("save at least $0.00"), "{dark}");
    }
}
