//! Sums by one key or two.

use std::sync::Arc;

use super::column::{Column, grouped, tag_keys, values};
use super::keys::{BillKey, KEYS_AT_MOST, Only};
use super::settings::BillSettings;
use crate::domain::bill::{Bill, Sums};
use crate::domain::hash::FastMap;

/// Sums by keys. The rows add up to `total` exactly.
#[derive(Clone, Debug, PartialEq)]
pub struct Breakdown {
    /// The keys, as asked for.
    pub keys: Vec<BillKey>,
    /// One row per combination of values that occurs, largest effective cost first.
    pub rows: Vec<BreakdownRow>,
    /// Sums of all rows.
    pub total: Sums,
}

/// Sums of one combination of values.
#[derive(Clone, Debug, PartialEq)]
pub struct BreakdownRow {
    /// One value per key; `None` where the bill does not say it.
    pub values: Vec<Option<Arc<str>>>,
    /// Sums.
    pub sums: Sums,
}

/// Why sums by some keys cannot be had.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BreakdownError {
    /// Resources are kept by month.
    #[error(
        "what a resource cost is kept by month, not by day: ask for resource or for day, not both"
    )]
    ResourceByDay,
    /// More keys than can be combined.
    #[error("sums are made by at most {KEYS_AT_MOST} keys at once: name fewer")]
    Keys,
    /// Days of two periods are never the same.
    #[error("two periods have no day in common: compare them by another key than day")]
    DayChanges,
    /// A tag that no bill has kept.
    #[error(
        "the tag \"{key}\" was not kept when the bill was imported; kept are {all}: name it in \
         `tags` of `[bill]` in the configuration and import the bill again",
        all = if .kept.is_empty() { "none".to_owned() } else { .kept.join(", ") }
    )]
    TagNotKept {
        /// The key as asked for.
        key: Arc<str>,
        /// Tag keys that were kept.
        kept: Vec<Arc<str>>,
    },
}

/// Sums of bills by keys, of what all of `only` let through. The bills may be of several exports and periods. Where a
/// bill has no resources, the key `resource` has no value. Fails for more than [`KEYS_AT_MOST`] keys, for resource
/// together with day, and for a tag that none of the bills kept.
pub fn breakdown(
    bills: &[Arc<Bill>],
    keys: &[BillKey],
    only: &[Only],
    settings: &BillSettings,
) -> Result<Breakdown, BreakdownError> {
    check(bills, keys, only)?;
    let mut sums: FastMap<Vec<Option<Arc<str>>>, Sums> = FastMap::default();
    for bill in bills {
        let columns: Vec<Column> =
            keys.iter().map(|key| Column::new(bill, key, settings)).collect();
        for (group, part) in grouped(bill, &columns, only, settings, |_| true) {
            *sums.entry(values(bill, &columns, &group)).or_default() += &part;
        }
    }
    Ok(Breakdown::of(keys, sums))
}

impl Breakdown {
    /// Sums by the values of keys.
    pub(super) fn of(keys: &[BillKey], sums: FastMap<Vec<Option<Arc<str>>>, Sums>) -> Self {
        let total = sums.values().sum();
        let mut rows: Vec<BreakdownRow> =
            sums.into_iter().map(|(values, sums)| BreakdownRow { values, sums }).collect();
        rows.sort_unstable_by(|a, b| {
            b.sums.effective.cmp(&a.sums.effective).then_with(|| a.values.cmp(&b.values))
        });
        Self { keys: keys.to_vec(), rows, total }
    }
}

/// Fails for keys by which there are no sums.
pub(super) fn check(
    bills: &[Arc<Bill>],
    keys: &[BillKey],
    only: &[Only],
) -> Result<(), BreakdownError> {
    if keys.len() > KEYS_AT_MOST {
        return Err(BreakdownError::Keys);
    }
    let all = || keys.iter().chain(only.iter().map(|only| &only.key));
    if all().any(|key| *key == BillKey::Resource) && all().any(|key| *key == BillKey::Day) {
        return Err(BreakdownError::ResourceByDay);
    }
    let settings = BillSettings::default();
    for key in all() {
        let BillKey::Tag(name) = key else { continue };
        let is_kept = |bill: &Arc<Bill>| {
            tag_keys(key, &settings).iter().any(|key| bill.tag_key(key).is_some())
        };
        if !bills.is_empty() && !bills.iter().any(is_kept) {
            let mut kept: Vec<Arc<str>> =
                bills.iter().flat_map(|bill| bill.tag_keys.iter().cloned()).collect();
            kept.sort_unstable();
            kept.dedup();
            return Err(BreakdownError::TagNotKept { key: name.clone(), kept });
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::fixture::{LineOf, any_bills, bill_of, settings};
    use super::*;

    fn keys(names: &str) -> Vec<BillKey> {
        names.split(',').map(|name| BillKey::parse(name).unwrap()).collect()
    }

    #[test]
    fn tags_decide_between_training_and_serving_and_what_is_not_said_has_no_value() {
        let ec2 = LineOf { service: "Amazon Elastic Compute Cloud", ..LineOf::default() };
        let bill = bill_of(
            "2026-10",
            &["Team", "job"],
            &[
                LineOf { tags: &["pretrain", ""], usd: "10.1", ..ec2 },
                LineOf { tags: &["web", "SERVE-1"], usd: "20.2", ..ec2 },
                LineOf { tags: &["web", ""], usd: "5.3", ..ec2 },
                LineOf { usd: "1", day: 0, charge: crate::domain::bill::Charge::Tax, ..ec2 },
            ],
        );
        let settings = settings();
        let by = |names, only: &[Only]| {
            let found =
                breakdown(std::slice::from_ref(&bill), &keys(names), only, &settings).unwrap();
            let row = |row: BreakdownRow| {
                let values = row.values.iter().map(|v| v.as_deref().unwrap_or("–").to_owned());
                (values.collect::<Vec<_>>().join(" "), row.sums.effective.to_string())
            };
            found.rows.into_iter().map(row).collect::<Vec<_>>()
        };
        let rows = |rows: &[(&str, &str)]| -> Vec<(String, String)> {
            rows.iter().map(|(a, b)| ((*a).to_owned(), (*b).to_owned())).collect()
        };
        assert_eq!(
            by("category", &[]),
            rows(&[
                ("serving", "20.2"),
                ("training", "10.1"),
                ("other_compute", "5.3"),
                ("fees", "1")
            ])
        );
        assert_eq!(
            by("team,category", &[]),
            rows(&[
                ("web serving", "20.2"),
                ("pretrain training", "10.1"),
                ("web other_compute", "5.3"),
                ("– fees", "1")
            ])
        );
        let web = Only { key: BillKey::Team, value: Some("web".into()) };
        assert_eq!(by("tag:JOB", &[web]), rows(&[("SERVE-1", "20.2"), ("–", "5.3")]));
        let untold = Only { key: BillKey::Day, value: None };
        assert_eq!(by("charge", &[untold]), rows(&[("tax", "1")]));
    }

    #[test]
    fn what_is_not_kept_is_refused_with_what_is() {
        let bill = bill_of("2026-10", &["team"], &[LineOf::default()]);
        let settings = settings();
        let fails = |names: &str| {
            breakdown(std::slice::from_ref(&bill), &keys(names), &[], &settings).unwrap_err()
        };
        assert_eq!(fails("day,resource"), BreakdownError::ResourceByDay);
        assert_eq!(fails("day,charge,team"), BreakdownError::Keys);
        assert!(fails("tag:owner").to_string().contains("kept are team"));
        assert!(breakdown(&[], &keys("tag:owner"), &[], &settings).unwrap().rows.is_empty());
    }

    proptest! {
        #[test]
        fn rows_of_each_key_and_of_two_keys_add_up_to_the_bills(
            bills in any_bills(),
            first in 0_usize..15,
            second in 0_usize..15,
        ) {
            let all: Vec<BillKey> =
                BillKey::ALL.into_iter().chain([BillKey::Tag("team".into())]).collect();
            let total = |of: fn(&Sums) -> crate::domain::bill::Usd| {
                bills.iter().map(|bill| of(&bill.head.total)).sum::<crate::domain::bill::Usd>()
            };
            for keys in [vec![all[first].clone()], vec![all[first].clone(), all[second].clone()]] {
                let Ok(found) = breakdown(&bills, &keys, &[], &settings()) else {
                    prop_assert!(keys.contains(&BillKey::Day) && keys.contains(&BillKey::Resource));
                    continue;
                };
                for of in [(|s| s.billed) as fn(&Sums) -> _, |s| s.effective, |s| s.list, |s| s.net] {
                    prop_assert_eq!(found.rows.iter().map(|row| of(&row.sums)).sum::<crate::domain::bill::Usd>(), total(of));
                    prop_assert_eq!(of(&found.total), total(of));
                }
                // What a drill into a row shows adds up to the row.
                if let [first, second] = &keys[..] && let Some(row) = found.rows.first() {
                    let only = [Only { key: first.clone(), value: row.values[0].clone() }];
                    let drilled = breakdown(&bills, std::slice::from_ref(second), &only, &settings()).unwrap();
                    let same = found.rows.iter().filter(|r| r.values[0] == row.values[0]);
                    prop_assert_eq!(drilled.total.billed, same.map(|r| r.sums.billed).sum());
                }
            }
        }
    }
}
