//! Bills: sums by key, the anatomy, what changed between two periods, anomalies, the bill beside live burn.

mod days;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use serde_json::{Value as Json, json};

use super::exact_json::exact;
use super::{List, ListField};
use crate::analyze::bill::{BillKey, Change, PUBLISHED, same_days};
use crate::domain::bill::{BillHead, Sums, Usd};
use crate::domain::{Reading, SourceId};
use crate::tabs::bill::picture::{AnatomyField, BillField, ChangeField, list_known};
use crate::view::{ViewContext, format, reasons};

/// Bills that rows are made of.
#[derive(Clone, Debug, Default)]
pub struct BillsOf {
    /// Keys that sums are made by.
    pub keys: Arc<[BillKey]>,
    /// The bills; of what changed those of the second period.
    pub bills: Vec<BillHead>,
    /// Of what changed the bills of the first period; of anomalies those that tell what is usual.
    pub before: Vec<BillHead>,
    /// True where it was measured what resources did.
    pub is_measured: bool,
    /// Readings of the sources, where rows are of what was read live and of no bill; `None` of bills.
    pub live: Option<Vec<Reading>>,
}

/// Period, state, export, format and age of bills.
pub(super) fn named(bills: &[BillHead]) -> String {
    let one = |bill: &BillHead| {
        let written = bill.written_at.map(|at| format!(", written {}", at.strftime("%F %H:%M")));
        format!(
            "{} ({}, {} {}{})",
            bill.period,
            bill.state.word(),
            bill.export,
            bill.format.word(),
            written.unwrap_or_default()
        )
    };
    bills.iter().map(one).collect::<Vec<_>>().join(" and ")
}

fn basis(of: &BillsOf) -> String {
    let before = match &of.before[..] {
        [] => String::new(),
        before => match same_days(&of.bills, &of.keys) {
            None => format!(" after that of {}", named(before)),
            Some(day) => format!(" after that of {}, days 1 to {day} of both", named(before)),
        },
    };
    format!(
        "USD of the bill of {}{before}, exact; effective = commitments spread over what they cover, \
         list = public on-demand prices",
        named(&of.bills)
    )
}

pub(super) fn bill(bill: &BillHead) -> Json {
    json!({
        "export": bill.export,
        "format": bill.format.word(),
        "provider": bill.provider,
        "period": bill.period.to_string(),
        "state": bill.state.word(),
        "written_at": bill.written_at.map(|at| at.to_string()),
        "read_at": bill.read_at.to_string(),
        "line_items": bill.lines,
    })
}

/// Members beside the rows that all lists of bills have.
fn beside(of: &BillsOf, total: Json) -> Vec<(&'static str, Json)> {
    vec![
        ("by", of.keys.iter().map(|key| json!(key.name())).collect()),
        ("bills", of.bills.iter().map(bill).collect()),
        ("total", total),
    ]
}

/// What is odd about the bills, a line each.
pub(super) fn oddities(of: &BillsOf) -> impl Iterator<Item = String> {
    let bills = of.before.iter().chain(&of.bills);
    bills.flat_map(|bill| {
        let note =
            |note| format!("! {} {}: {}", bill.period, bill.export, reasons::bill_note(note));
        bill.notes.iter().map(note)
    })
}

pub(super) fn usd(amount: Usd) -> String {
    format::usd(amount.to_f64())
}

/// What lists of bills say alike; `keyed` where their rows have keys.
macro_rules! of_bills {
    ($view:literal, keyed) => {
        of_bills!($view, basis);

        const IDENTITY: &'static [Self] = &[
            Self::Category,
            Self::Service,
            Self::Account,
            Self::Region,
            Self::UsageType,
            Self::Resource,
            Self::Day,
            Self::Charge,
            Self::Pricing,
            Self::Commitment,
            Self::Team,
            Self::Project,
            Self::Environment,
            Self::CostCenter,
            Self::Tag,
            Self::Tag2,
        ];

        fn is_of(self, of: &BillsOf) -> bool {
            Self::is_of(self, &of.keys)
        }

        fn columns_of(of: &BillsOf) -> Option<Vec<Self>> {
            Some(Self::columns(&of.keys))
        }
    };
    ($view:literal, $basis:ident) => {
        type Of = BillsOf;

        const VIEW: &'static str = $view;

        const SOURCES: &'static [SourceId] = &[];

        fn readings(_: &BillsOf) -> &[Reading] {
            &[]
        }

        fn basis(of: &BillsOf) -> String {
            $basis(of)
        }
    };
}

use of_bills;

impl ListField for BillField {
    of_bills!("bill", keyed);

    fn beside(list: &List<Self>, _: &ViewContext) -> Vec<(&'static str, Json)> {
        let total: Sums = list.each().map(|row| &row.sums).sum();
        let total = json!({
            "billed_usd": exact(total.billed),
            "effective_usd": exact(total.effective),
            "list_usd": list_known(&total).map(exact),
            "net_usd": exact(total.net),
            "line_items": total.lines,
        });
        beside(&list.of, total)
    }

    fn notes(list: &List<Self>, _: &ViewContext) -> Vec<String> {
        let total: Sums = list.each().map(|row| &row.sums).sum();
        let listed = match list_known(&total) {
            None => "no list prices".to_owned(),
            Some(listed) if total.without_list == 0 => format!("list {}", usd(listed)),
            Some(listed) => format!(
                "list {} without {} that say none",
                usd(listed),
                format::counted(total.without_list as usize, "line", "lines")
            ),
        };
        let (effective, billed) = (usd(total.effective), usd(total.billed));
        let sum = format!("total: effective {effective}, billed {billed}, {listed}");
        std::iter::once(sum).chain(oddities(&list.of)).collect()
    }
}

impl ListField for ChangeField {
    of_bills!("bill-changes", keyed);

    fn beside(list: &List<Self>, _: &ViewContext) -> Vec<(&'static str, Json)> {
        let total = changed(list);
        let total = json!({
            "before_usd": exact(total.before),
            "after_usd": exact(total.after),
            "difference_usd": exact(total.difference()),
            "price_usd": exact(total.price),
            "usage_usd": exact(total.usage),
            "new_usd": exact(total.new),
            "gone_usd": exact(total.gone),
        });
        let mut beside = beside(&list.of, total);
        beside.push(("bills_before", list.of.before.iter().map(bill).collect()));
        beside
    }

    fn notes(list: &List<Self>, _: &ViewContext) -> Vec<String> {
        let total = changed(list);
        let signed = |amount: Usd| format::usd_signed(amount.to_f64(), format::usd);
        let sum = format!(
            "total: {} to {}, {} = price {}, usage {}, new {}, gone {}",
            usd(total.before),
            usd(total.after),
            signed(total.difference()),
            signed(total.price),
            signed(total.usage),
            signed(total.new),
            signed(total.gone),
        );
        std::iter::once(sum).chain(oddities(&list.of)).collect()
    }
}

/// Sum of the rows.
fn changed(list: &List<ChangeField>) -> Change {
    list.each().fold(Change::default(), |mut sum, row| {
        sum += &row.change;
        sum
    })
}

impl ListField for AnatomyField {
    of_bills!("bill-anatomy", basis);

    const IDENTITY: &'static [Self] = &[Self::Category];

    fn beside(list: &List<Self>, _: &ViewContext) -> Vec<(&'static str, Json)> {
        let sum = |of: fn(&crate::analyze::bill::AnatomyRow) -> Usd| -> Usd {
            list.each().map(|item| of(&item.row)).sum()
        };
        let total = json!({
            "effective_usd": exact(sum(|row| row.effective)),
            "productive_usd": list.of.is_measured.then(|| exact(sum(|row| row.productive))),
            "wasted_usd": exact(sum(|row| row.wasted)),
            "unknown_usd": exact(sum(|row| row.unknown)),
        });
        let mut beside = beside(&list.of, total);
        beside.push(("published", published()));
        beside
    }

    fn notes(list: &List<Self>, _: &ViewContext) -> Vec<String> {
        let total: Usd = list.each().map(|item| item.row.effective).sum();
        let wasted: Usd = list.each().map(|item| item.row.wasted).sum();
        let not_judged: Usd = list.each().map(|item| item.row.not_judged()).sum();
        let credits: Usd = list.each().map(|item| item.row.credited()).sum();
        let mut sum = format!(
            "total: effective {}, wasted at least {}; {} was not judged, which is not waste",
            usd(total),
            usd(wasted),
            usd(not_judged)
        );
        if !credits.is_zero() {
            sum.push_str(&format!("; credits and refunds took {} off", usd(credits)));
        }
        let others = PUBLISHED.map(|published| published.source).join(", ");
        let others = format!("others: {others}");
        [sum, others].into_iter().chain(oddities(&list.of)).collect()
    }
}

/// Shares that others published.
fn published() -> Json {
    let share = |share: &crate::analyze::bill::PublishedShare| {
        json!({
            "part": share.part,
            "category": share.category.map(crate::analyze::bill::Category::word),
            "share": [share.share.0, share.share.1],
            "wasted_share": share.wasted,
        })
    };
    PUBLISHED
        .iter()
        .map(|published| {
            let shares: Json = published.shares.iter().map(share).collect();
            json!({ "source": published.source, "shares": shares })
        })
        .collect()
}
