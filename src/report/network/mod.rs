//! Paths of the network, from bills.

mod cache;
#[cfg(test)]
mod tests;

use serde_json::{Value as Json, json};

use super::bill::{bill, named, oddities, usd};
use super::exact_json::exact;
use super::{BillsOf, List, ListField, sources};
use crate::analyze::network::{Confidence, FixSum};
use crate::domain::bill::BillFormat;
use crate::domain::{Reading, SourceId};
use crate::tabs::network::picture::{NetworkField, NetworkItem, NetworkSums};
use crate::view::{ViewContext, format, reasons};
pub use cache::{CacheOf, LogTold};

/// A line per fix: how many rows have it, what it avoids of them, what is done.
fn fixes(sums: &NetworkSums) -> Vec<String> {
    let line = |sum: &FixSum| {
        let much = reasons::network_avoided(sum.avoidable, sum.confidence);
        let of = much.map(|much| format!("{much} of ")).unwrap_or_default();
        let (rows, remedy) = (format::plural(sum.rows, "path"), &sum.remedy);
        format!("  {}: {of}{rows}; {}", remedy.word(), reasons::network_remedy(remedy))
    };
    sums.by_fix.iter().map(line).collect()
}

/// What the bills do not tell of paths.
fn doubts(list: &List<NetworkField>) -> Vec<String> {
    let is_low =
        |row: &&NetworkItem| row.of.live.is_none() && row.of.confidence() == Confidence::Low;
    let low = list.each().filter(is_low).count();
    let low = (low > 0).then(|| {
        format!(
            "! {} told by an operation or a description alone (confidence low): no fix is named",
            format::counted(low, "path is", "paths are")
        )
    });
    let without = |format| list.of.bills.iter().any(|bill| bill.format == format);
    let focus = without(BillFormat::Focus12).then(|| {
        "! FOCUS 1.2 of AWS has no usage types; CUR 2.0 and FOCUS 1.0 tell more of paths".to_owned()
    });
    let asked = without(BillFormat::CostExplorer).then(|| {
        "! Cost Explorer tells usage types without accounts, regions and resources".to_owned()
    });
    low.into_iter().chain(focus).chain(asked).collect()
}

impl ListField for NetworkField {
    type Of = BillsOf;

    const VIEW: &'static str = "network";

    // Of a bill no source was read.
    const SOURCES: &'static [SourceId] = sources::NETWORK;

    const IDENTITY: &'static [Self] = &[
        Self::Path,
        Self::From,
        Self::To,
        Self::Account,
        Self::Resource,
        Self::Service,
        Self::Purpose,
    ];

    fn readings(of: &BillsOf) -> &[Reading] {
        of.live.as_deref().unwrap_or_default()
    }

    fn basis(of: &BillsOf) -> String {
        if of.live.is_some() {
            return reasons::NETWORK_LIVE.to_owned();
        }
        let before = match &of.before[..] {
            [] => String::new(),
            before => format!("; trend since the bill of {}", named(before)),
        };
        format!(
            "effective USD of the bill of {}, exact: its category network, and requests to buckets, \
             which `burntop bill anatomy` has in storage; each line has one fix at most{before}",
            named(&of.bills)
        )
    }

    fn beside(list: &List<Self>, _: &ViewContext) -> Vec<(&'static str, Json)> {
        let total = NetworkSums::of(list.each());
        let total = json!({
            "usd_per_month": exact(total.network + total.requests),
            "network_usd_per_month": exact(total.network),
            "requests_usd_per_month": exact(total.requests),
            "avoidable_usd_per_month": exact(total.avoidable),
        });
        let source = if list.of.live.is_some() { "live" } else { "bill" };
        vec![
            ("source", source.into()),
            ("bills", list.of.bills.iter().map(bill).collect()),
            ("total", total),
        ]
    }

    fn notes(list: &List<Self>, _: &ViewContext) -> Vec<String> {
        let total = NetworkSums::of(list.each());
        let sum = format!(
            "total: {} = network {}, requests {}; avoidable up to {}",
            usd(total.network + total.requests),
            usd(total.network),
            usd(total.requests),
            usd(total.avoidable)
        );
        let unpriced = (total.unpriced > 0).then(|| {
            let is = format::counted(total.unpriced, "path has", "paths have");
            format!("! {is} no known price, and the total leaves them out")
        });
        let mut notes = vec![sum];
        notes.extend(unpriced);
        notes.extend(fixes(&total));
        notes.extend(doubts(list));
        notes.extend(oddities(&list.of));
        notes
    }
}
