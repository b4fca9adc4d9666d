//! Anomalies, and the bill beside live burn.

use serde_json::{Value as Json, json};

use super::{BillsOf, beside, bill, exact, named, oddities, of_bills, usd};
use crate::analyze::bill::anomalies::AnomalyKind;
use crate::analyze::bill::reconcile::Cause;
use crate::domain::bill::Usd;
use crate::domain::{Reading, SourceId};
use crate::report::{List, ListField};
use crate::tabs::bill::picture::{
    AnomalyField, AnomalyRow, ReconcileField, ReconcileRow, dollars_by_cause, in_words,
};
use crate::view::{ViewContext, format, reasons};

/// Causes that are said below a table.
const CAUSES_SAID: usize = 8;

fn anomaly_basis(of: &BillsOf) -> String {
    let before = match &of.before[..] {
        [] => String::new(),
        before => format!("; what is usual also from the bill of {}", named(before)),
    };
    format!(
        "effective USD by day of the bill of {}, beside the 28 days before each day{before}; charges \
         of a whole period have no day",
        named(&of.bills)
    )
}

fn reconcile_basis(of: &BillsOf) -> String {
    format!(
        "effective USD by day of the bill of {}, beside live burn: hours of instances × list price \
         (Spot: its price, private prices where configured) while burntop looked",
        named(&of.bills)
    )
}

/// A line per bill whose use has no days.
fn without_days(of: &BillsOf) -> impl Iterator<Item = String> {
    let bills = of.before.iter().chain(&of.bills).filter(|bill| !bill.has_days);
    bills.map(|bill| {
        format!("! {} {}: its use is not told by day; it is left out", bill.period, bill.export)
    })
}

impl ListField for AnomalyField {
    of_bills!("bill-anomalies", anomaly_basis);

    const IDENTITY: &'static [Self] = &[Self::Since, Self::Kind, Self::Key];

    fn is_of(self, of: &BillsOf) -> bool {
        self != Self::Tag || !of.keys.is_empty()
    }

    fn more(row: &AnomalyRow, _: &BillsOf) -> Vec<(&'static str, Json)> {
        let resource = |(id, usd): &(std::sync::Arc<str>, Usd)| json!({ "id": id, "effective_usd": exact(*usd) });
        vec![("resources", row.of.resources.iter().map(resource).collect())]
    }

    fn beside(list: &List<Self>, _: &ViewContext) -> Vec<(&'static str, Json)> {
        let difference: Usd = list.each().map(|row| row.of.difference()).sum();
        let total = json!({ "anomalies": list.rows.len(), "difference_usd": exact(difference) });
        let mut beside = beside(&list.of, total);
        beside.push(("bills_before", list.of.before.iter().map(bill).collect()));
        beside
    }

    fn notes(list: &List<Self>, _: &ViewContext) -> Vec<String> {
        let is_there = |kind: &AnomalyKind| list.each().any(|row| row.of.kind == *kind);
        let words = |kind| format!("{}: {}", AnomalyKind::word(kind), reasons::bill_anomaly(kind));
        let kinds = AnomalyKind::ALL.into_iter().filter(is_there).map(words);
        let found = format::counted(list.rows.len(), "anomaly", "anomalies");
        let alone = list.of.before.is_empty().then(|| {
            "no month before it is kept: nothing tells what is usual in its first weeks".to_owned()
        });
        std::iter::once(found)
            .chain(kinds)
            .chain(alone)
            .chain(without_days(&list.of))
            .chain(oddities(&list.of))
            .collect()
    }
}

/// Causes with their dollars.
fn causes(all: &[(Cause, Usd)]) -> Json {
    let cause = |(cause, usd): &(Cause, Usd)| json!({ "why": cause.word(), "of": cause.of(), "usd": exact(*usd) });
    all.iter().map(cause).collect()
}

/// Live burn of all days; `None` where nobody looked.
fn live(list: &List<ReconcileField>) -> Option<Usd> {
    let mut live = list.each().filter_map(|row| row.of.live).peekable();
    live.peek()?;
    Some(live.sum())
}

impl ListField for ReconcileField {
    of_bills!("bill-reconcile", reconcile_basis);

    const IDENTITY: &'static [Self] = &[Self::Day];

    fn more(row: &ReconcileRow, _: &BillsOf) -> Vec<(&'static str, Json)> {
        vec![("explained", causes(&row.of.explained))]
    }

    fn beside(list: &List<Self>, _: &ViewContext) -> Vec<(&'static str, Json)> {
        let billed: Usd = list.each().map(|row| row.of.bill).sum();
        let total = json!({
            "live_usd": live(list).map(exact),
            "bill_usd": exact(billed),
            "explained": causes(&dollars_by_cause(list.each())),
        });
        beside(&list.of, total)
    }

    fn notes(list: &List<Self>, _: &ViewContext) -> Vec<String> {
        let mut notes = Vec::new();
        if let Some(live) = live(list) {
            let billed: Usd = list.each().map(|row| row.of.bill).sum();
            notes.push(format!("total: live {}, bill {}", usd(live), usd(billed)));
            let all = dollars_by_cause(list.each());
            let said = all.iter().take(CAUSES_SAID).map(|(cause, usd)| in_words(cause, *usd));
            notes.extend(said.map(|cause| format!("  {cause}")));
            if let Some((_, rest)) =
                all.split_at_checked(CAUSES_SAID).filter(|(_, r)| !r.is_empty())
            {
                let rest_usd: Usd = rest.iter().map(|(_, usd)| *usd).sum();
                let rest_usd = format::usd_signed(rest_usd.to_f64(), format::usd);
                let causes = format::plural(rest.len(), "further cause");
                notes.push(format!("  {rest_usd} {causes}, which JSON has"));
            }
        } else {
            notes.push(
                "nobody looked at live burn in this period: burntop writes it down while it runs"
                    .into(),
            );
        }
        notes.extend(without_days(&list.of));
        notes.extend(oddities(&list.of));
        notes
    }
}
