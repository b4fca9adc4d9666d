//! The page of the bill: the sums of the ladder that are no list by themselves, part by part, with where the rows of each
//! part stand.

use super::cut;
use super::ladder::{bill_label, target};
use crate::app::Role;
use crate::app::content::{Line, Target, wrap};
use crate::domain::HOURS_PER_MONTH;
use crate::fleet::PartKind;
use crate::fleet::savings::BillKind;
use crate::tabs::overview::picture::{LadderRow, Money, Overview};
use crate::tabs::overview::state::BillPage;
use crate::view::{ViewContext, format};

/// Columns of labels, and of dollars per hour and per month.
const LABEL: usize = 26;
const MONEY: usize = 14;

/// Lines of the page.
pub(crate) fn lines(
    overview: &Overview,
    page: BillPage,
    ctx: &ViewContext,
    width: usize,
) -> Vec<Line> {
    let ladder = &overview.ladder;
    let row = |role, mark: &'static str, label: &str, money: Option<Money>| {
        let hour = ctx.symbols.or_unknown(money.map(Money::shown), format::usd_per_hour);
        let month = money.map(|money| money.usd * HOURS_PER_MONTH);
        let month = ctx.symbols.or_unknown(month, format::usd_total);
        let label = cut(label, LABEL, ctx.symbols);
        let line = Line::new().column(Role::Idle, mark, 2).column(role, &label, LABEL);
        line.number(role, &hour, MONEY).number(Role::Dim, &month, MONEY)
    };
    let heading = |text: &'static str| {
        Line::new()
            .column(Role::Heading, text, 2 + LABEL)
            .number(Role::Dim, "USD per hour", MONEY)
            .number(Role::Dim, "a month", MONEY)
    };
    let mut lines = Vec::new();
    if page == BillPage::Whole {
        let list = overview.known_burn().map(|_| ladder.list());
        lines.push(heading("The bill is the sum of"));
        lines.push(row(Role::Text, "", "list price of what runs", list));
        lines.push(row(Role::Text, "", "what commitments change", ladder.change()));
        lines.push(row(Role::Text, "", "paid besides", Some(ladder.besides())));
        lines.push(row(Role::Heading, "", bill_label(ladder), Some(ladder.bill())));
        lines.push(Line::new());
        lines.push(heading("By what it is spent on"));
    } else {
        lines.push(heading("Paid besides is the sum of"));
    }
    for part in ladder.rows.iter().filter(|part| page.has(part.kind)) {
        let mark = if part.kind.is_waste() { "!" } else { "" };
        lines.push(row(Role::Text, mark, part.kind.label(), part.known_paid()));
        for text in wrap(&said(part), width.saturating_sub(4)) {
            lines.push(Line::of(Role::Dim, format!("    {text}")));
        }
    }
    if page == BillPage::Besides {
        lines.push(row(Role::Heading, "", "paid besides", Some(ladder.besides())));
    }
    lines
}

/// What a part is, how many things are in it, and where they are listed.
fn said(part: &LadderRow) -> String {
    let count = format::grouped(f64::from(part.count), 0);
    let unpriced = match part.unpriced {
        0 => String::new(),
        n => format!(", {n} of them without a price"),
    };
    format!("{count}{unpriced}: {}. Its rows: {}", what(part.kind), place(&target(part.kind)))
}

fn what(kind: BillKind) -> &'static str {
    match kind {
        BillKind::Instances(PartKind::Busy) => {
            "instances that work, and the working GPUs of partly idle ones"
        }
        BillKind::Instances(PartKind::Idle) => "instances whose verdict is idle",
        BillKind::Instances(PartKind::PartlyIdle) => {
            "the idle GPUs' share of partly idle instances: k of n GPUs are k ÷ n of the price"
        }
        BillKind::Instances(PartKind::Underused) => "instances far larger than their load",
        BillKind::Instances(PartKind::Unknown) => {
            "instances with too little data for a verdict: neither waste nor use"
        }
        BillKind::Instances(PartKind::TooNew) => "instances that run too short a time",
        BillKind::Instances(PartKind::Exempt) => "instances that are exempt by tag",
        BillKind::Instances(PartKind::Unjudged) => "instances that have no verdict yet",
        BillKind::UnusedCommitments => {
            "Reserved Instances, Savings Plans and Capacity Blocks in force that nothing uses now"
        }
        BillKind::UsedElsewhere => {
            "part of Capacity Blocks that AWS says is used by instances which were not read"
        }
        BillKind::EmptyCapacity => {
            "room of on-demand capacity reservations without an instance, billed like usage"
        }
        BillKind::IdleResources => {
            "what removing idle resources saves at list price; volumes of stopped instances count as storage"
        }
        BillKind::OtherResources => {
            "all other resources: in use, too new, exempt, and of unknown use"
        }
        BillKind::Storage => "buckets, volumes and snapshots, these at their upper bound",
        BillKind::Network => {
            "bytes and requests by the newest imported bill, without one live paths at list prices; hours of gateways are among resources"
        }
    }
}

/// Where a target leads, as one types or sees it.
fn place(target: &Target) -> String {
    match target {
        Target::Filtered(list, filter) => format!("{}, filter `{filter}`", place(list)),
        Target::Tab(tab) => format!("tab {} {}", tab.number(), tab.title()),
        Target::List(list) => format!("`:{}`", list.spec().list.name),
        // Parts of the bill lead to no others.
        _ => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tabs::overview::picture::overview;
    use crate::tabs::savings::picture::fixture::{denied, savings};
    use crate::view::fixture::{ctx, fleet};

    fn text(line: &Line) -> String {
        line.spans.iter().map(|span| &*span.text).collect()
    }

    /// Cents per hour of a line; `None` where it has none.
    fn cents(line: &Line) -> Option<i64> {
        let text = text(line);
        let amount = text.split_whitespace().find(|word| word.ends_with("/h"))?;
        let digits: String = amount.chars().filter(char::is_ascii_digit).collect();
        let sign = if amount.contains(['-', '−']) { -1 } else { 1 };
        digits.parse::<i64>().ok().map(|cents| sign * cents)
    }

    #[test]
    fn both_sums_are_those_of_the_parts_below() {
        for savings in [savings(), denied()] {
            let o = overview(&fleet(), &ctx()).with_savings(&savings);
            let whole: Vec<i64> =
                lines(&o, BillPage::Whole, &ctx(), 78).iter().filter_map(cents).collect();
            let bill = o.ladder.bill().cents;
            let steps = if o.ladder.change().is_some() { 3 } else { 2 };
            if steps == 3 {
                assert_eq!(whole[..steps].iter().sum::<i64>(), bill);
            }
            assert_eq!(whole[steps], bill);
            assert_eq!(whole[steps + 1..].iter().sum::<i64>(), bill);
            let besides: Vec<i64> =
                lines(&o, BillPage::Besides, &ctx(), 78).iter().filter_map(cents).collect();
            let (sum, parts) = besides.split_last().unwrap();
            assert_eq!((*sum, parts.iter().sum::<i64>()), (o.ladder.besides().cents, *sum));
        }
    }

    #[test]
    fn each_part_says_what_it_is_and_where_its_rows_are() {
        let o = overview(&fleet(), &ctx()).with_savings(&savings());
        let all: Vec<String> = lines(&o, BillPage::Whole, &ctx(), 300).iter().map(text).collect();
        let all = all.join("\n");
        for part in [
            "instances whose verdict is idle. Its rows: tab 3 Idle, filter `verdict=idle`",
            "nothing uses now. Its rows: `:commitments`, filter `not kind=capacity_reservation`",
        ] {
            assert!(all.contains(part), "{part}\n{all}");
        }
        assert_eq!(all.matches("Its rows: ").count(), o.ladder.rows.len());
        assert!(!all.contains("Its rows: \n"), "{all}");
    }
}
