//! `burntop storage buckets`: one row per bucket, by dollars per month.

use std::sync::Arc;

use serde_json::{Map, Value as Json, json};

use super::{List, ListField, json, sources};
use crate::domain::storage::StorageFinding;
use crate::domain::{Provenance, Reading, SourceError, SourceId};
use crate::fleet::StorageFleet;
use crate::fleet::storage::{BucketRow, StorageTotals};
use crate::tabs::storage::picture::{BucketField, words};
use crate::view::{ViewContext, format, reasons};

impl ListField for BucketField {
    type Of = Arc<StorageFleet>;

    const VIEW: &'static str = "storage-buckets";

    const IDENTITY: &'static [Self] = &[Self::Name, Self::Account, Self::Region];

    fn basis(of: &Self::Of) -> String {
        basis(of.s3_prices.values().map(|prices| &prices.provenance))
    }

    const SOURCES: &'static [SourceId] = sources::BUCKETS;

    fn readings(of: &Self::Of) -> &[Reading] {
        &of.readings
    }

    fn more(row: &BucketRow, _: &Self::Of) -> Vec<(&'static str, Json)> {
        let tiers: Map<String, Json> = row
            .tiers
            .iter()
            .map(|t| {
                let usd = json::number(t.usd_per_month);
                (t.tier.word().to_owned(), json!({ "bytes": t.bytes, "usd_per_month": usd }))
            })
            .collect();
        // Without a size nothing is known of the tiers, which is not the same as none.
        let tiers = if row.bytes.is_some() { Json::Object(tiers) } else { Json::Null };
        vec![
            ("tiers", tiers),
            ("findings", row.findings.iter().map(|f| finding(f)).collect()),
            ("unread", Json::Array(unread(row))),
        ]
    }

    fn notes(list: &List<Self>, ctx: &ViewContext) -> Vec<String> {
        let dot = ctx.symbols.separator();
        let sum = |of: fn(&BucketRow) -> Option<f64>| {
            let known: Vec<f64> = list.each().filter_map(of).collect();
            (list.rows.is_empty() || !known.is_empty()).then(|| known.iter().sum::<f64>())
        };
        let count = |of: fn(&BucketRow) -> bool| list.each().filter(|r| of(r)).count();
        let mut left_out = Vec::new();
        for (n, what) in [
            (count(|r| r.bytes.is_none()), "of unknown size"),
            (count(|r| r.bytes.is_some() && r.usd_per_month.is_none()), "without a price"),
            (count(|r| r.usd_per_month.is_some() && r.unpriced_bytes > 0), "priced in part"),
        ] {
            if n > 0 {
                left_out.push(format!("{} {what}", format::count(n as f64)));
            }
        }
        let left_out = match left_out.as_slice() {
            [] => String::new(),
            parts => format!(" {dot} left out: {}", parts.join(", ")),
        };
        let known = |sum: Option<f64>, words: fn(f64) -> String| ctx.symbols.or_unknown(sum, words);
        let totals = StorageTotals::of(list.each(), [].iter(), [].iter());
        let mut out = vec![format!(
            "{} of {} buckets {dot} {} {dot} {} per month {dot} {}{left_out}",
            format::count(list.rows.len() as f64),
            format::count(list.of.buckets.len() as f64),
            known(sum(|r| r.bytes.map(|b| b as f64)), words::size),
            known(sum(|r| r.usd_per_month), words::usd),
            words::saved(&totals, " per month"),
        )];
        out.extend(words::estimated(&totals, " per month"));
        let unread = list.each().filter(|r| !unread(r).is_empty()).count();
        if unread > 0 {
            out.push(format!(
                "! {} could not be read in full; `--format json` says what and why",
                format::plural(unread, "bucket"),
            ));
        }
        out
    }
}

/// What the figures mean, one sentence.
pub(super) fn basis<'a>(prices: impl Iterator<Item = &'a Provenance>) -> String {
    let mut lists: Vec<String> = prices
        .map(|who| match who {
            Provenance::Live { .. } => "live price list".to_owned(),
            Provenance::Embedded { date } => format!("built-in list of {date}"),
            Provenance::Demo => "invented prices of the demo".to_owned(),
            Provenance::Configured => "configured prices".to_owned(),
            Provenance::Bill { period } => format!("bill of {period}"),
        })
        .collect();
    lists.sort();
    lists.dedup();
    let lists = if lists.is_empty() { "no prices known".to_owned() } else { lists.join(", ") };
    format!(
        "USD per month of 730 h for storing at list price ({lists}), a GB is a GiB, volume steps \
         per account and region; requests, retrieval and transfer are not in it"
    )
}

/// A finding as JSON states it.
pub(super) fn finding(f: &StorageFinding) -> Json {
    json!({
        "kind": f.kind.word(),
        "bytes": f.bytes,
        "usd_per_month": json::number(f.usd_per_month),
        "effort": words::effort(f.effort),
        "risk": words::risk_of(f),
        "message": reasons::storage(&f.reason),
        "fix": reasons::storage_fix(&f.reason),
    })
}

/// Facts of a bucket that could not be read, with reasons.
fn unread(row: &BucketRow) -> Vec<Json> {
    let Some(facts) = &row.facts else { return Vec::new() };
    let failed: [(&str, Option<&SourceError>); 8] = [
        ("tags", facts.tags.as_ref().err().map(|e| &**e)),
        ("versioning", facts.versioning.as_ref().err().map(|e| &**e)),
        ("lifecycle", facts.lifecycle.as_ref().err().map(|e| &**e)),
        ("lock", facts.lock.as_ref().err().map(|e| &**e)),
        ("replicates", facts.replicates.as_ref().err().map(|e| &**e)),
        ("inventories", facts.inventories.as_ref().err().map(|e| &**e)),
        ("bytes", facts.sizes.as_ref().err().map(|e| &**e)),
        ("objects", facts.objects.as_ref().err().map(|e| &**e)),
    ];
    failed
        .into_iter()
        .filter_map(|(fact, error)| {
            let error = error?;
            let state = json::snake(error.kind.word());
            let message = error.to_string();
            Some(json!({ "fact": fact, "state": state, "message": message, "fix": error.advice() }))
        })
        .collect()
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::tabs::storage::picture::fixture::fleet;
    use crate::view::fixture::ctx;

    /// The same storage where no finding has a price.
    pub(in crate::report) fn without_dollars(mut fleet: StorageFleet) -> StorageFleet {
        let blind = |findings: &mut Vec<Arc<StorageFinding>>, savings: &mut Option<f64>| {
            findings.iter_mut().for_each(|f| Arc::make_mut(f).usd_per_month = None);
            *savings = None;
        };
        for row in fleet.buckets.iter_mut().map(Arc::make_mut) {
            blind(&mut row.findings, &mut row.savings);
        }
        for row in fleet.volumes.iter_mut().map(Arc::make_mut) {
            blind(&mut row.findings, &mut row.savings);
        }
        for row in fleet.snapshots.iter_mut().map(Arc::make_mut) {
            blind(&mut row.findings, &mut row.savings);
        }
        fleet
    }

    fn notes(fleet: StorageFleet, chosen: fn(&BucketRow) -> bool) -> String {
        let rows = fleet.buckets.iter().filter(|r| chosen(r)).cloned().collect();
        BucketField::notes(&List::of(rows, None, Arc::new(fleet)), &ctx()).join("\n")
    }

    #[test]
    fn what_findings_without_a_price_save_is_not_known() {
        let lit = notes(fleet(), |_| true);
        assert!(lit.contains(" findings save at least $"), "{lit}");
        let dark = notes(without_dollars(fleet()), |_| true);
        assert!(dark.contains(" findings would save is not known"), "{dark}");
        assert!(!dark.contains("save at least"), "{dark}");
        let none = notes(fleet(), |r| r.findings.is_empty());
        assert!(none.contains(" nothing found"), "{none}");
    }
}
