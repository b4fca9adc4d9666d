//! Paths of the network, from bills.

mod cache;
#[cfg(test)]
mod tests;

use serde_json::{Value as Json, json};

use super::bill::{bill, named, oddities, usd};
use super::exact_json::exact;
use super::{BillsOf, List, ListField};
use crate::analyze::network::{Confidence, FixSum, NetworkPath, by_fix};
use crate::domain::bill::{BillFormat, Usd};
use crate::domain::{Reading, SourceId};
use crate::tabs::network::picture::{NetworkField, NetworkItem};
use crate::view::{ViewContext, format, reasons};
pub use cache::{CacheOf, LogTold};

/// Sums over the rows of a list.
#[derive(Default)]
struct Total {
    network: Usd,
    requests: Usd,
    avoidable: Usd,
}

impl Total {
    fn of<'a>(rows: impl Iterator<Item = &'a NetworkItem>) -> Self {
        rows.fold(Self::default(), |mut total, row| {
            match row.of.key.path {
                NetworkPath::Requests => total.requests += row.of.usd,
                _ => total.network += row.of.usd,
            }
            total.avoidable += row.of.avoidable().unwrap_or_default();
            total
        })
    }
}

/// A line per fix: how many rows have it, what it avoids of them, what is done.
fn fixes(list: &List<NetworkField>) -> Vec<String> {
    let line = |sum: FixSum| {
        let much = reasons::network_avoided(sum.avoidable, sum.confidence);
        let of = much.map(|much| format!("{much} of ")).unwrap_or_default();
        let (rows, remedy) = (format::plural(sum.rows, "path"), &sum.remedy);
        format!("  {}: {of}{rows}; {}", remedy.word(), reasons::network_remedy(remedy))
    };
    by_fix(list.each().map(|row| &row.of)).into_iter().map(line).collect()
}

/// What the bills do not tell of paths.
fn doubts(list: &List<NetworkField>) -> Vec<String> {
    let low = list.each().filter(|row| row.of.confidence() == Confidence::Low).count();
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

    const SOURCES: &'static [SourceId] = &[];

    const IDENTITY: &'static [Self] = &[
        Self::Path,
        Self::From,
        Self::To,
        Self::Account,
        Self::Resource,
        Self::Service,
        Self::Purpose,
    ];

    fn readings(_: &BillsOf) -> &[Reading] {
        &[]
    }

    fn basis(of: &BillsOf) -> String {
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
        let total = Total::of(list.each());
        let total = json!({
            "usd_per_month": exact(total.network + total.requests),
            "network_usd_per_month": exact(total.network),
            "requests_usd_per_month": exact(total.requests),
            "avoidable_usd_per_month": exact(total.avoidable),
        });
        vec![("bills", list.of.bills.iter().map(bill).collect()), ("total", total)]
    }

    fn notes(list: &List<Self>, _: &ViewContext) -> Vec<String> {
        let total = Total::of(list.each());
        let sum = format!(
            "total: {} = network {}, requests {}; avoidable up to {}",
            usd(total.network + total.requests),
            usd(total.network),
            usd(total.requests),
            usd(total.avoidable)
        );
        let mut notes = vec![sum];
        notes.extend(fixes(list));
        notes.extend(doubts(list));
        notes.extend(oddities(&list.of));
        notes
    }
}
