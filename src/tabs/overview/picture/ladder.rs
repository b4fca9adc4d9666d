//! The ladder: from the list price of what runs to the bill now, and the bill by what it is spent on.
//!
//! Its rows are those of the waterfall's first line, so that both say the same bill. Whole cents are carried through: the
//! total and the waste are rounded to the cent as they are everywhere else, and the rows so that they add up to both,
//! each at most one cent off its own value.

use std::iter::Sum;
use std::ops::{Add, Sub};

use crate::domain::NetUnknown;
use crate::fleet::savings::{BillKind, BillPart, BillRow, Savings};
use crate::fleet::{Part, PartKind};

/// Dollars per hour, and the cents that are shown for them.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Money {
    /// Exact value, USD/h.
    pub usd: f64,
    /// Shown value, cents per hour: within one cent of `usd`.
    pub cents: i64,
}

impl Money {
    /// Shown value, USD/h.
    pub fn shown(self) -> f64 {
        self.cents as f64 / 100.0
    }
}

impl Add for Money {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self { usd: self.usd + other.usd, cents: self.cents + other.cents }
    }
}

impl Sub for Money {
    type Output = Self;

    fn sub(self, other: Self) -> Self {
        Self { usd: self.usd - other.usd, cents: self.cents - other.cents }
    }
}

impl Sum for Money {
    fn sum<I: Iterator<Item = Self>>(each: I) -> Self {
        each.fold(Self::default(), Add::add)
    }
}

/// One part of the bill.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LadderRow {
    /// Which part.
    pub kind: BillKind,
    /// On the bill; without [`Basis::Net`] the instances' list price.
    pub paid: Money,
    /// List price (Spot price for Spot) of running instances; `None` for what is no instance.
    pub list: Option<Money>,
    /// Number of things in it, see [`BillRow::count`].
    pub count: u32,
    /// Number of these without a price, which the dollars leave out.
    pub unpriced: u32,
}

impl LadderRow {
    /// List price; `None` for what is no instance, and when no instance of the part has a price.
    pub fn known_list(&self) -> Option<Money> {
        self.list.filter(|_| self.unpriced == 0 || self.unpriced < self.count)
    }

    /// On the bill; `None` when nothing of the part has a price.
    pub fn known_paid(&self) -> Option<Money> {
        (self.unpriced == 0 || self.unpriced < self.count || self.paid.usd > 0.0)
            .then_some(self.paid)
    }
}

/// What the figures of the ladder cover.
#[derive(Clone, Debug, PartialEq)]
pub enum Basis {
    /// The whole bill, with the commitments that pay for what runs.
    Net,
    /// The whole bill, but without commitments: not all of them are known.
    List(NetUnknown),
    /// Instances alone, at list price: the rest is not read yet, or is of another selection.
    Instances,
}

/// The bill now and its parts.
#[derive(Clone, Debug, PartialEq)]
pub struct Ladder {
    /// What the figures cover.
    pub basis: Basis,
    /// Parts with something in them, in the order of [`BillKind::all`].
    pub rows: Vec<LadderRow>,
    /// Parts of storage that were not read and are in no figure.
    pub unread: Vec<BillPart>,
}

impl Ladder {
    /// Ladder of instances alone.
    pub fn of_instances(parts: &[Part]) -> Self {
        let total = parts.iter().map(|p| p.usd_per_hour).sum();
        let rows: Vec<BillRow> = parts
            .iter()
            .map(|part| BillRow {
                kind: BillKind::Instances(part.kind),
                usd_per_hour: part.usd_per_hour,
                list_usd_per_hour: Some(part.usd_per_hour),
                count: part.instances,
                unpriced: part.unpriced,
            })
            .collect();
        Self { basis: Basis::Instances, rows: carried(&rows, total), unread: Vec::new() }
    }

    /// Ladder of the whole bill, the one that the waterfall starts from; `None` while it is read for the first time.
    pub fn of_bill(savings: &Savings) -> Option<Self> {
        let waterfall = &savings.waterfall;
        if waterfall.early || waterfall.bill.is_empty() {
            return None;
        }
        Some(Self {
            basis: waterfall.net_unknown.clone().map_or(Basis::Net, Basis::List),
            rows: carried(&waterfall.bill, waterfall.before),
            unread: waterfall.unread.clone(),
        })
    }

    /// True when the ladder covers more than instances.
    pub fn is_whole(&self) -> bool {
        self.basis != Basis::Instances
    }

    /// List price of what runs.
    pub fn list(&self) -> Money {
        self.rows.iter().filter_map(|row| row.list).sum()
    }

    /// What commitments change of it: mostly negative. `None` where commitments are not known, or not in the figures.
    pub fn change(&self) -> Option<Money> {
        let runs = self.sum(|kind| matches!(kind, BillKind::Instances(_)));
        (self.basis == Basis::Net).then(|| runs - self.list())
    }

    /// What is paid besides instances and the commitments that pay for them.
    pub fn besides(&self) -> Money {
        self.sum(|kind| !matches!(kind, BillKind::Instances(_)))
    }

    /// The bill now: `list + change + besides`, and the sum of all rows.
    pub fn bill(&self) -> Money {
        self.sum(|_| true)
    }

    /// What shares are of: the bill, of instances alone their list price.
    pub fn whole(&self) -> Money {
        if self.is_whole() { self.bill() } else { self.list() }
    }

    /// What of the bill is waste: the sum of the parts with [`BillKind::is_waste`].
    pub fn waste(&self) -> Money {
        self.sum(BillKind::is_waste)
    }

    /// List price of the running instances that are waste.
    pub fn waste_at_list(&self) -> Money {
        let waste = self.rows.iter().filter(|row| row.kind.is_waste());
        waste.filter_map(|row| row.list).sum()
    }

    fn sum(&self, is_in: impl Fn(BillKind) -> bool) -> Money {
        self.rows.iter().filter(|row| is_in(row.kind)).map(|row| row.paid).sum()
    }
}

/// Filter over instances that finds those of a part; `None` for what is no instance.
pub fn filter(kind: BillKind) -> Option<&'static str> {
    let BillKind::Instances(kind) = kind else { return None };
    Some(match kind {
        PartKind::Busy => "verdict=busy or verdict=partial",
        PartKind::Idle => "verdict=idle",
        PartKind::PartlyIdle => "verdict=partial",
        PartKind::Underused => "verdict=underused",
        PartKind::Unknown => "verdict=unknown",
        PartKind::TooNew => "verdict=too_new",
        PartKind::Exempt => "verdict=exempt",
        // A verdict that is not there satisfies no comparison.
        PartKind::Unjudged => "state=running and not (verdict=busy or verdict!=busy)",
    })
}

/// The rows with something in them, their cents carried to those of `total`, USD/h.
fn carried(rows: &[BillRow], total: f64) -> Vec<LadderRow> {
    let paid = carry(rows, total, |row| row.usd_per_hour);
    let of_list = |row: &BillRow| row.list_usd_per_hour.unwrap_or(0.0);
    let list = carry(rows, rows.iter().map(of_list).sum(), of_list);
    let each = rows.iter().zip(paid.into_iter().zip(list));
    let rows = each.map(|(row, (paid, list))| LadderRow {
        kind: row.kind,
        paid: Money { usd: row.usd_per_hour, cents: paid },
        list: row.list_usd_per_hour.map(|usd| Money { usd, cents: list }),
        count: row.count,
        unpriced: row.unpriced,
    });
    // The dollars of a part that is nothing stay with it: a cent carried to it would be one of nobody.
    rows.filter(|row| row.count > 0 || row.paid.usd != 0.0).collect()
}

/// Whole cents of the rows that add up to those of `total`, USD, and those of waste to those of their own sum.
fn carry(rows: &[BillRow], total: f64, usd: impl Fn(&BillRow) -> f64) -> Vec<i64> {
    let exact: Vec<f64> = rows.iter().map(|row| usd(row) * 100.0).collect();
    let mut cents: Vec<i64> = exact.iter().map(|value| value.floor() as i64).collect();
    let is_waste = |row: &BillRow| row.kind.is_waste();
    let waste = rounded(rows.iter().filter(|row| is_waste(row)).map(&usd).sum());
    for (of_waste, target) in [(true, waste), (false, rounded(total) - waste)] {
        let mut group: Vec<usize> = (0..rows.len())
            .filter(|i| is_waste(&rows[*i]) == of_waste && exact[*i] != 0.0)
            .collect();
        // A cent more for those that lost most by rounding down, and one less for those that lost least.
        let lost = |i: usize| exact[i] - exact[i].floor();
        group.sort_by(|a, b| lost(*b).total_cmp(&lost(*a)));
        let missing = target - group.iter().map(|i| cents[*i]).sum::<i64>();
        if missing < 0 {
            group.reverse();
        }
        let most = usize::try_from(missing.unsigned_abs()).unwrap_or(0);
        for i in group.into_iter().take(most) {
            cents[i] += missing.signum();
        }
    }
    cents
}

/// Cents of dollars, rounded as [`crate::view::format`] does where it shows them.
fn rounded(usd: f64) -> i64 {
    let shown: f64 = format!("{usd:.2}").parse().unwrap_or(usd);
    (shown * 100.0).round() as i64
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::domain::VerdictKind;
    use crate::tabs::overview::picture::overview;
    use crate::tabs::savings::picture::fixture::{denied, savings, savings_of};
    use crate::view::fixture::{ctx, fleet};

    fn near(a: f64, b: f64) -> bool {
        (a - b).abs() < 1e-9 * a.abs().max(b.abs()).max(1.0)
    }

    #[test]
    fn the_rows_add_up_to_the_bill_of_the_waterfall() {
        let savings = savings();
        let ladder = Ladder::of_bill(&savings).unwrap();
        assert_eq!(ladder.basis, Basis::Net);
        assert!(near(ladder.bill().usd, savings.waterfall.before));
        assert_eq!(ladder.bill().cents, 40_000);
        let climbed = ladder.list() + ladder.change().unwrap() + ladder.besides();
        assert_eq!(climbed.cents, ladder.bill().cents);
        // Idle and partly idle instances, commitments and room that nothing uses, resources that idle.
        let waste = [BillKind::UnusedCommitments, BillKind::EmptyCapacity, BillKind::IdleResources];
        let of = |kind: BillKind| ladder.rows.iter().find(|row| row.kind == kind).unwrap().paid;
        let besides: Money = waste.map(of).into_iter().sum();
        assert_eq!(ladder.waste().cents, besides.cents + 2_196 + 3_440);
        assert_eq!(ladder.waste_at_list().cents, 2_196 + 3_440);
    }

    #[test]
    fn without_commitments_nothing_is_called_net() {
        let ladder = Ladder::of_bill(&denied()).unwrap();
        assert!(matches!(ladder.basis, Basis::List(_)));
        assert_eq!(ladder.change(), None);
        let early = savings_of(|s| s.waterfall.early = true);
        assert_eq!(Ladder::of_bill(&early), None, "a part is not the whole");
    }

    #[test]
    fn a_bill_that_was_made_before_instances_were_read_is_not_shown() {
        // Storage and resources may have been read before.
        for keeps_others in [false, true] {
            let of_nothing = savings_of(|savings| {
                let bill = savings.waterfall.bill.iter_mut();
                for row in bill.filter(|row| row.list_usd_per_hour.is_some() || !keeps_others) {
                    (row.usd_per_hour, row.count, row.unpriced) = (0.0, 0, 0);
                    row.list_usd_per_hour = row.list_usd_per_hour.map(|_| 0.0);
                }
                savings.waterfall.before =
                    savings.waterfall.bill.iter().map(|row| row.usd_per_hour).sum();
            });
            let before = overview(&fleet(), &ctx());
            let after = before.clone().with_savings(&of_nothing);
            assert_eq!(after.ladder, before.ladder, "{keeps_others}");
        }
        let before = overview(&fleet(), &ctx());
        assert_ne!(before.clone().with_savings(&savings()).ladder, before.ladder);
    }

    #[test]
    fn instances_alone_are_the_burn() {
        let overview = overview(&fleet(), &ctx());
        let ladder = Ladder::of_instances(&overview.parts);
        assert!(!ladder.is_whole());
        assert!(near(ladder.list().usd, overview.burn));
        assert!(near(ladder.waste_at_list().usd, overview.waste));
        assert!(near(ladder.waste().usd, overview.waste), "one definition");
        let unjudged = BillKind::Instances(PartKind::Unjudged);
        let row = ladder.rows.iter().find(|row| row.kind == unjudged).unwrap();
        assert_eq!((row.known_list(), row.known_paid()), (None, None), "without a price");
    }

    #[test]
    fn each_filter_finds_the_instances_of_its_part() {
        use crate::tabs::idle::picture::Field;
        use crate::view::{Filter, TableField};
        let fleet = fleet();
        let rows = Field::rows(&fleet.rows);
        for part in overview(&fleet, &ctx()).parts {
            let text = filter(BillKind::Instances(part.kind)).unwrap();
            let filter = Filter::parse(Field::table(), text).unwrap();
            let all = 0..fleet.rows.len() as u32;
            let found = all.filter(|row| filter.searcher().matches(&rows, *row, &ctx()));
            assert_eq!(found.count() as u32, part.instances, "{text}");
        }
    }

    #[test]
    fn every_verdict_has_a_part() {
        let named = VerdictKind::ALL.map(VerdictKind::name);
        for name in named.into_iter().filter(|name| *name != "partial") {
            assert!(PartKind::ALL.iter().any(|kind| kind.name() == name), "{name}");
        }
    }

    fn rows(values: &[f64]) -> Vec<BillRow> {
        let row = |(kind, usd): (BillKind, &f64)| BillRow {
            kind,
            usd_per_hour: *usd,
            list_usd_per_hour: matches!(kind, BillKind::Instances(_)).then_some(*usd * 1.25),
            count: 1,
            unpriced: 0,
        };
        BillKind::all().zip(values).map(row).collect()
    }

    proptest! {
        /// Whatever the rows are, their cents add up to those of the total, as do those of the waste, and none is further
        /// than a cent off.
        #[test]
        fn cents_are_carried_to_the_totals(values in prop::collection::vec(0.0f64..10_000.0, 0..=14)) {
            let total: f64 = values.iter().sum();
            let ladder = Ladder {
                basis: Basis::Net,
                rows: carried(&rows(&values), total),
                unread: Vec::new(),
            };
            prop_assert_eq!(ladder.bill().cents, rounded(ladder.bill().usd));
            prop_assert_eq!(ladder.waste().cents, rounded(ladder.waste().usd));
            prop_assert_eq!(ladder.list().cents, rounded(ladder.list().usd));
            prop_assert_eq!(ladder.waste_at_list().cents, rounded(ladder.waste_at_list().usd));
            let climbed = ladder.list() + ladder.change().unwrap() + ladder.besides();
            prop_assert_eq!(climbed.cents, ladder.bill().cents);
            for money in ladder.rows.iter().flat_map(|row| [Some(row.paid), row.list]).flatten() {
                prop_assert!((money.cents as f64 - money.usd * 100.0).abs() <= 1.0 + 1e-6);
            }
        }

        /// Halves of cents, which are rounded to even ones, are carried as well.
        #[test]
        fn halves_are_carried(eighths in prop::collection::vec(0u32..800, 14)) {
            let values: Vec<f64> = eighths.iter().map(|n| f64::from(*n) / 8.0).collect();
            let found = carried(&rows(&values), values.iter().sum());
            let cents: i64 = found.iter().map(|row| row.paid.cents).sum();
            prop_assert_eq!(cents, rounded(values.iter().sum()));
            prop_assert!(found.iter().all(|row| row.paid.cents >= 0));
        }
    }
}
