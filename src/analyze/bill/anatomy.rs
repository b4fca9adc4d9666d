//! The anatomy of a bill: sums by category, with what of each was productive, wasted, not known.

use std::sync::Arc;

use super::category::{Categories, Category};
use super::column::items;
use super::settings::BillSettings;
use crate::domain::bill::{Bill, Usd, resource_id};
use crate::domain::hash::FastMap;

/// Sums by category. The rows add up to `total` exactly.
#[derive(Clone, Debug, PartialEq)]
pub struct Anatomy {
    /// One row per category, in the order of [`Category::ALL`].
    pub rows: Vec<AnatomyRow>,
    /// Effective cost of all, US dollars.
    pub total: Usd,
    /// False where nothing was measured at all: no row tells what was productive.
    pub is_measured: bool,
}

/// Sums of a category; `productive + wasted + unknown = effective` exactly.
#[derive(Clone, Debug, PartialEq)]
pub struct AnatomyRow {
    /// The category.
    pub category: Category,
    /// Effective cost, US dollars.
    pub effective: Usd,
    /// Of it, cost of resources while they were measured at work.
    pub productive: Usd,
    /// Of it, cost of resources while they were measured idle, and of commitments and capacity that nothing used.
    pub wasted: Usd,
    /// Of it, cost of what nothing measures.
    pub unknown: Usd,
    /// Share of the total, 0–1, negative for credits; 0 where the total is 0.
    pub share: f64,
}

impl AnatomyRow {
    /// Cost of what nothing measures, US dollars, 0 or more: without credits and refunds that exceed it.
    pub fn not_judged(&self) -> Usd {
        self.unknown.max(Usd::ZERO)
    }

    /// Credits and refunds that exceed the cost of what nothing measures, US dollars, 0 or more.
    pub fn credited(&self) -> Usd {
        (-self.unknown).max(Usd::ZERO)
    }
}

/// What the machines did, by normalised resource id, see [`resource_id`].
pub type Measured = FastMap<Arc<str>, MeasuredShare>;

/// Shares of a resource's cost, each 0–1; the rest is unknown.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct MeasuredShare {
    /// Share in which it worked.
    pub productive: f64,
    /// Share in which it idled.
    pub wasted: f64,
}

/// Parts of a share that is split exactly.
const PARTS: u64 = 1_000_000_000;

/// The anatomy of bills. Where a bill has no resources nothing of it counts as measured.
pub fn anatomy(bills: &[Arc<Bill>], settings: &BillSettings, measured: &Measured) -> Anatomy {
    let mut rows = Category::ALL.map(|category| AnatomyRow {
        category,
        effective: Usd::ZERO,
        productive: Usd::ZERO,
        wasted: Usd::ZERO,
        unknown: Usd::ZERO,
        share: 0.0,
    });
    for bill in bills {
        let categories = Categories::new(bill, settings);
        for item in items(bill, true) {
            let row = &mut rows[categories.of(item.key) as usize];
            let effective = item.sums.effective;
            row.effective += effective;
            if item.key.pricing.is_unused() {
                row.wasted += effective;
                continue;
            }
            let known = (!item.resource.is_none())
                .then(|| measured.get(resource_id(bill.name(item.resource))))
                .flatten();
            let [productive, wasted, unknown] = known.map_or([0, 0, PARTS], parts);
            if let [a, b, c] = effective.split(&[productive, wasted, unknown])[..] {
                row.productive += a;
                row.wasted += b;
                row.unknown += c;
            }
        }
    }
    let total: Usd = rows.iter().map(|row| row.effective).sum();
    for row in &mut rows {
        row.share = if total.is_zero() { 0.0 } else { row.effective.to_f64() / total.to_f64() };
    }
    Anatomy { rows: rows.into(), total, is_measured: !measured.is_empty() }
}

/// Shares as whole parts, productive, wasted, unknown.
fn parts(share: &MeasuredShare) -> [u64; 3] {
    let part = |share: f64, most: u64| ((share * PARTS as f64).round() as u64).min(most);
    let productive = part(share.productive, PARTS);
    let wasted = part(share.wasted, PARTS - productive);
    [productive, wasted, PARTS - productive - wasted]
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::fixture::{LineOf, any_bills, bill_of, settings, usd};
    use super::*;
    use crate::domain::bill::Pricing;

    #[test]
    fn what_was_measured_is_split_and_unused_commitments_are_wasted() {
        let ec2 = LineOf {
            service: "Amazon Elastic Compute Cloud",
            tags: &["pretrain"],
            ..LineOf::default()
        };
        let arn = "arn:aws:ec2:us-east-1:111111111111:instance/i-1";
        let bill = bill_of(
            "2026-10",
            &["team"],
            &[
                LineOf { resource: arn, usd: "100.01", ..ec2 },
                LineOf { resource: "i-2", usd: "10", ..ec2 },
                LineOf { pricing: Pricing::UnusedCommitment, usd: "3", ..ec2 },
                LineOf { usd: "7", ..LineOf::default() },
            ],
        );
        let share = MeasuredShare { productive: 0.5, wasted: 0.25 };
        let measured: Measured = [("i-1".into(), share)].into_iter().collect();
        let found = anatomy(&[bill], &settings(), &measured);
        let row = &found.rows[Category::Training as usize];
        assert_eq!(row.effective, usd("113.01"));
        assert_eq!(row.productive, usd("50.005"));
        assert_eq!(row.wasted, usd("28.0025"));
        assert_eq!(row.unknown, usd("35.0025"));
        assert_eq!(found.rows[Category::Storage as usize].unknown, usd("7"));
        assert!((row.share - 113.01 / 120.01).abs() < 1e-12);
    }

    proptest! {
        #[test]
        fn categories_add_up_to_the_bill_and_their_parts_to_them(
            bills in any_bills(),
            productive in 0.0_f64..1.5,
            wasted in -0.5_f64..1.5,
        ) {
            let share = MeasuredShare { productive, wasted };
            let measured: Measured = [("i-1".into(), share), ("b".into(), share)].into_iter().collect();
            let found = anatomy(&bills, &settings(), &measured);
            prop_assert_eq!(found.total, bills.iter().map(|b| b.head.total.effective).sum());
            prop_assert_eq!(found.rows.iter().map(|r| r.effective).sum::<Usd>(), found.total);
            for row in &found.rows {
                prop_assert_eq!(row.productive + row.wasted + row.unknown, row.effective);
            }
        }
    }
}
