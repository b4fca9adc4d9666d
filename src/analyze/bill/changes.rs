//! What changed between two periods, and why: price, usage, new, gone.

use std::ops::AddAssign;
use std::sync::Arc;

use super::breakdown::{BreakdownError, check};
use super::column::{Column, Group, Item, grouped, values};
use super::keys::BillKey;
use super::settings::BillSettings;
use crate::domain::bill::{Bill, BillHead, Charge, PeriodState, Sums, Usd};
use crate::domain::hash::{FastMap, FastSet};

/// Effective costs of two periods, and the parts of their difference: `after - before = price + usage + new + gone`
/// exactly, in US dollars.
///
/// Within a row, use of the same service, usage type, operation, unit, region and kind of charge is compared. With cost
/// `e` and quantity `q` before (0) and after (1), usage is `e0 (q1 ÷ q0 - 1)` and price the rest, `e1 - e0 q1 ÷ q0`: the
/// price-volume split with the new quantity on the price. A move from the on-demand price to a commitment or to a
/// private rate is thus a price. What has no quantity, or is in one of the periods alone, is usage.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Change {
    /// Effective cost before.
    pub before: Usd,
    /// Effective cost after.
    pub after: Usd,
    /// Difference because a unit costs another amount.
    pub price: Usd,
    /// Difference because more or less was used.
    pub usage: Usd,
    /// Cost of rows that were not there before.
    pub new: Usd,
    /// Cost of rows that are no longer there, negative.
    pub gone: Usd,
}

impl Change {
    /// The difference, after - before.
    pub fn difference(&self) -> Usd {
        self.after - self.before
    }
}

impl AddAssign<&Self> for Change {
    fn add_assign(&mut self, other: &Self) {
        self.before += other.before;
        self.after += other.after;
        self.price += other.price;
        self.usage += other.usage;
        self.new += other.new;
        self.gone += other.gone;
    }
}

/// What changed, by keys. The rows add up to `total` exactly.
#[derive(Clone, Debug, PartialEq)]
pub struct Changes {
    /// The keys, as asked for.
    pub keys: Vec<BillKey>,
    /// One row per combination of values, largest difference first, whatever its sign.
    pub rows: Vec<ChangeRow>,
    /// All rows.
    pub total: Change,
}

/// What changed in one combination of values.
#[derive(Clone, Debug, PartialEq)]
pub struct ChangeRow {
    /// One value per key; `None` where the bill does not say it.
    pub values: Vec<Option<Arc<str>>>,
    /// The change.
    pub change: Change,
}

type Values = Vec<Option<Arc<str>>>;

/// Service, usage type, operation, unit, region, kind of charge.
type Unit = [Option<Arc<str>>; 6];

/// What was used of a unit.
#[derive(Clone, Copy, Default)]
struct Used {
    effective: Usd,
    quantity: f64,
    is_there: bool,
}

/// Last day of the month up to which both periods are compared: that of the later one while it is open, whose days to come
/// would all be gone. `None` = as a whole: it is closed, has no days, or `resource` is a key, which is kept by month.
pub fn same_days<'a>(
    after: impl IntoIterator<Item = &'a BillHead>,
    keys: &[BillKey],
) -> Option<u8> {
    let mut last = None;
    for head in after {
        if head.state != PeriodState::Open || !head.has_days || head.last_day >= head.period.days()
        {
            return None;
        }
        last = last.max(Some(head.last_day));
    }
    last.filter(|_| !keys.contains(&BillKey::Resource))
}

/// Compares two sets of bills by keys, up to [`same_days`]; of the charges of a whole month those of `before` count whose
/// kind `after` has already. Fails as [`super::breakdown()`] does, and for the key `day`.
pub fn changes(
    before: &[Arc<Bill>],
    after: &[Arc<Bill>],
    keys: &[BillKey],
    settings: &BillSettings,
) -> Result<Changes, BreakdownError> {
    if keys.contains(&BillKey::Day) {
        return Err(BreakdownError::DayChanges);
    }
    let all: Vec<Arc<Bill>> = before.iter().chain(after).cloned().collect();
    check(&all, keys, &[])?;
    let upto = same_days(after.iter().map(|bill| &bill.head), keys);
    let of_month = after.iter().flat_map(|bill| &bill.cells).filter(|cell| cell.day == 0);
    let charged: FastSet<Charge> = of_month.map(|cell| cell.key.charge).collect();
    let counts = |item: &Item<'_>| match (upto, item.day) {
        (None, _) => true,
        (Some(_), 0) => charged.contains(&item.key.charge),
        (Some(last), day) => day <= last,
    };
    let mut rows: FastMap<Values, FastMap<Unit, [Used; 2]>> = FastMap::default();
    for bill in before {
        take(bill, 0, keys, settings, &counts, &mut rows);
    }
    for bill in after {
        take(bill, 1, keys, settings, &|_| true, &mut rows);
    }
    let mut total = Change::default();
    let mut rows: Vec<ChangeRow> = rows
        .into_iter()
        .map(|(values, units)| {
            let change = change(units.values());
            total += &change;
            ChangeRow { values, change }
        })
        .collect();
    rows.sort_unstable_by(|a, b| {
        let size = |row: &ChangeRow| row.change.difference().abs();
        size(b).cmp(&size(a)).then_with(|| a.values.cmp(&b.values))
    });
    Ok(Changes { keys: keys.to_vec(), rows, total })
}

/// Adds what of a bill `counts` to one side of the rows.
fn take(
    bill: &Bill,
    side: usize,
    keys: &[BillKey],
    settings: &BillSettings,
    counts: &dyn Fn(&Item<'_>) -> bool,
    rows: &mut FastMap<Values, FastMap<Unit, [Used; 2]>>,
) {
    let mut columns: Vec<Column> =
        keys.iter().map(|key| Column::new(bill, key, settings)).collect();
    columns.extend([Column::KindId, Column::Region, Column::Charge]);
    for (group, sums) in grouped(bill, &columns, &[], settings, counts) {
        let row = values(bill, &columns[..keys.len()], &group);
        let unit = unit(bill, &columns[keys.len()..], &group, keys.len());
        let used = &mut rows.entry(row).or_default().entry(unit).or_default()[side];
        let Sums { effective, quantity, .. } = sums;
        used.effective += effective;
        used.quantity += quantity;
        used.is_there = true;
    }
}

fn unit(bill: &Bill, columns: &[Column], group: &Group, keys: usize) -> Unit {
    let kind = group.get(keys).and_then(|kind| bill.kinds().get(*kind as usize));
    let [service, usage_type, operation, unit] = kind
        .map_or([None; 4], |kind| {
            [kind.service, kind.usage_type, kind.operation, kind.unit]
                .map(|name| bill.shared_name(name))
        })
        .map(Option::<&Arc<str>>::cloned);
    let value = |at: usize| {
        let number = group.get(keys + at)?;
        columns.get(at)?.value(bill, *number)
    };
    [service, usage_type, operation, unit, value(1), value(2)]
}

/// The change of a row.
fn change<'a>(units: impl Iterator<Item = &'a [Used; 2]> + Clone) -> Change {
    let sum = |side: usize| units.clone().map(|used| used[side].effective).sum::<Usd>();
    let mut change = Change { before: sum(0), after: sum(1), ..Change::default() };
    let is_there = |side: usize| units.clone().any(|used| used[side].is_there);
    if !is_there(0) {
        change.new = change.after;
    } else if !is_there(1) {
        change.gone = -change.before;
    } else {
        for [before, after] in units {
            let price = price(before, after);
            change.price += price;
            change.usage += after.effective - before.effective - price;
        }
    }
    change
}

/// Difference of a unit that its price makes.
fn price(before: &Used, after: &Used) -> Usd {
    if before.quantity <= 0.0 || after.quantity <= 0.0 {
        return Usd::ZERO;
    }
    let at_old_price = before.effective.to_f64() * (after.quantity / before.quantity);
    let Some(at_old_price) = Usd::from_f64(at_old_price) else { return Usd::ZERO };
    let price = after.effective - at_old_price;
    // Less than what binary quantities can tell is no price.
    let size = after.effective.abs().max(at_old_price.abs()).to_f64();
    if price.to_f64().abs() <= size * 1e-9 { Usd::ZERO } else { price }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::fixture::{LineOf, any_bills, bill_of, settings, usd};
    use super::*;
    use crate::domain::bill::Pricing;

    #[test]
    fn price_usage_new_and_gone_are_told_apart() {
        let s3 = LineOf::default();
        let gpu = LineOf {
            service: "Amazon Elastic Compute Cloud",
            usage_type: "BoxUsage:p5.48xlarge",
            ..s3
        };
        let line = |service, usd, quantity| LineOf { service, usd, quantity, ..s3 };
        let before = bill_of(
            "2026-09",
            &[],
            &[
                LineOf { usd: "100", quantity: 10.0, ..gpu },
                line("A", "20", 2.0),
                line("B", "7", 1.0),
            ],
        );
        let after = bill_of(
            "2026-10",
            &[],
            &[
                LineOf { usd: "50", quantity: 5.0, ..gpu },
                LineOf { usd: "30", quantity: 5.0, pricing: Pricing::SavingsPlan, ..gpu },
                line("A", "30.3", 3.0),
                line("C", "5", 1.0),
            ],
        );
        let found = changes(&[before], &[after], &[BillKey::Service], &settings()).unwrap();
        let row = |service: &str| {
            let found = found.rows.iter().find(|r| r.values[0].as_deref() == Some(service));
            found.unwrap().change
        };
        let part = |change: Change| {
            [change.price, change.usage, change.new, change.gone].map(|p| p.to_string())
        };
        assert_eq!(part(row(gpu.service)), ["-20", "0", "0", "0"]);
        assert_eq!(part(row("A")), ["0.3", "10", "0", "0"]);
        assert_eq!(part(row("B")), ["0", "0", "0", "-7"]);
        assert_eq!(part(row("C")), ["0", "0", "5", "0"]);
        assert_eq!(found.total.difference(), usd("-11.7"));
        assert_eq!(found.rows[0].values[0].as_deref(), Some(gpu.service));
        let by_day = changes(&[], &[], &[BillKey::Day], &settings());
        assert_eq!(by_day.unwrap_err(), BreakdownError::DayChanges);
    }

    #[test]
    fn a_month_that_goes_on_is_compared_with_the_same_days() {
        let line = |day, usd, charge| LineOf { day, charge, usd, ..LineOf::default() };
        let before = bill_of(
            "2026-09",
            &[],
            &[
                line(1, "3", Charge::Usage),
                line(2, "4", Charge::Usage),
                line(3, "50", Charge::Usage),
                line(0, "9", Charge::Tax),
                line(0, "2", Charge::Support),
            ],
        );
        let mut after = Bill::clone(&bill_of(
            "2026-10",
            &[],
            &[line(2, "8", Charge::Usage), line(0, "1", Charge::Support)],
        ));
        after.head.state = PeriodState::Open;
        let after = [Arc::new(after)];
        let total = |keys: &[BillKey]| {
            let found = changes(std::slice::from_ref(&before), &after, keys, &settings()).unwrap();
            (found.total.before, found.total.after)
        };
        assert_eq!(total(&[BillKey::Service]), (usd("9"), usd("9")));
        assert_eq!(total(&[BillKey::Resource]), (usd("68"), usd("9")));
    }

    #[test]
    fn the_same_price_leaves_no_dust() {
        let line = |usd, quantity| LineOf { usd, quantity, ..LineOf::default() };
        let before = bill_of("2026-09", &[], &[line("0.3", 3.0)]);
        let after = bill_of("2026-10", &[], &[line("0.7", 7.0)]);
        let found = changes(&[before], &[after], &[BillKey::Service], &settings()).unwrap();
        assert_eq!((found.total.price, found.total.usage), (Usd::ZERO, usd("0.4")));
    }

    proptest! {
        #[test]
        fn parts_add_up_in_each_row_and_rows_to_the_difference_of_the_bills(
            before in any_bills(),
            after in any_bills(),
            first in 0_usize..14,
            second in 0_usize..14,
        ) {
            let keys = [BillKey::ALL[first].clone(), BillKey::ALL[second].clone()];
            if let Ok(found) = changes(&before, &after, &keys, &settings()) {
                let total = |bills: &[Arc<Bill>]| bills.iter().map(|b| b.head.total.effective).sum::<Usd>();
                let mut sum = Change::default();
                for row in &found.rows {
                    let c = row.change;
                    prop_assert_eq!(c.difference(), c.price + c.usage + c.new + c.gone);
                    sum += &c;
                }
                prop_assert_eq!(sum, found.total);
                prop_assert_eq!((sum.before, sum.after), (total(&before), total(&after)));
            } else {
                prop_assert!(keys.contains(&BillKey::Day));
            }
        }
    }
}
