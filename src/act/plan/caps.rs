//! Caps of one plan: instances, share of the fleet, dollars per hour.

use serde::{Deserialize, Serialize};

use crate::view::format;

/// Limits of what one plan may touch. Only stopping and terminating count.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Caps {
    /// Most instances of one plan.
    pub max_instances: u32,
    /// Largest share of the fleet, percent (0–100); one instance is always allowed.
    pub max_fleet_percent: f64,
    /// Most USD per hour of the instances of one plan; `None` is no limit. A row without a price
    /// breaks the limit: what is not known cannot be below it.
    pub max_usd_per_hour: Option<f64>,
}

impl Default for Caps {
    fn default() -> Self {
        Self { max_instances: 10, max_fleet_percent: 10.0, max_usd_per_hour: None }
    }
}

/// A cap that a plan breaks.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum Breach {
    /// More instances than `max_instances` allows.
    #[error("{rows} instances are more than actions.max_instances allows ({max}); choose fewer")]
    Instances {
        /// Number of rows that would go.
        rows: u32,
        /// Number of rows that is allowed.
        max: u32,
    },
    /// More volumes than `max_instances` allows, or more than one bucket.
    #[error("{rows} rows are more than one plan about storage may have here ({max}); choose fewer")]
    Rows {
        /// Number of rows that would go.
        rows: u32,
        /// Number of rows that is allowed.
        max: u32,
    },
    /// A larger share of the fleet than `max_fleet_percent` allows.
    #[error(
        "{rows} of {fleet} instances are more than actions.max_fleet_percent allows ({}: {max}); choose \
         fewer",
        format::percent_trimmed(*.percent, 4)
    )]
    Share {
        /// Number of rows that would go.
        rows: u32,
        /// Number of instances of the fleet.
        fleet: u32,
        /// The cap, percent.
        percent: f64,
        /// Instances that it allows.
        max: u32,
    },
    /// More dollars per hour than `max_usd_per_hour` allows.
    #[error(
        "{} is more than actions.max_usd_per_hour allows ({}); choose fewer",
        format::usd_per_hour(*.usd), format::usd(*.max)
    )]
    Usd {
        /// Dollars per hour of the rows that would go.
        usd: f64,
        /// Dollars per hour that are allowed.
        max: f64,
    },
    /// A row has no price, so the cap on dollars cannot be held.
    #[error("{rows} rows have no known price, and actions.max_usd_per_hour is set")]
    Unpriced {
        /// Number of rows without a price.
        rows: u32,
    },
}

/// A cap and how much of it a plan uses.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CapUse {
    /// Key of the cap in `[actions]`.
    pub cap: &'static str,
    /// Sum of the rows in the unit of the cap: instances (volumes), percent of the fleet, USD per
    /// hour. `None` when not known: a row has no price.
    pub value: Option<f64>,
    /// Limit in the same unit; `None` where none is configured.
    pub limit: Option<f64>,
    /// True when the cap is broken, and nothing of the plan may run.
    pub over: bool,
    /// In words: `max_instances 5 of 10`.
    pub text: String,
}

impl CapUse {
    /// Use of a cap on the number of rows: `rows` of at most `max`.
    pub fn of_rows(cap: &'static str, rows: u32, max: u32) -> Self {
        let over = rows > max;
        let text = format!("{cap} {rows} of {max}");
        Self { cap, value: Some(rows.into()), limit: Some(max.into()), over, text }
    }
}

impl Caps {
    /// Use of each cap by rows with these prices (USD per hour; `None` = not known), in a fleet of
    /// `fleet` instances.
    pub fn uses(&self, prices: &[Option<f64>], fleet: u32) -> Vec<CapUse> {
        let breaches = self.breaches(prices, fleet);
        let over = |of: fn(&Breach) -> bool| breaches.iter().any(of);
        let rows = u32::try_from(prices.len()).unwrap_or(u32::MAX);
        let share = (fleet > 0).then(|| 100.0 * f64::from(rows) / f64::from(fleet));
        let rate: Option<f64> =
            prices.iter().map(|p| p.filter(|p| p.is_finite() && *p >= 0.0)).sum();
        let known = rate.map_or_else(|| "not known".to_owned(), format::usd_per_hour);
        let limit = self.max_usd_per_hour.map_or_else(|| "no limit".to_owned(), format::usd);
        vec![
            CapUse::of_rows("max_instances", rows, self.max_instances),
            CapUse {
                cap: "max_fleet_percent",
                value: share,
                limit: Some(self.max_fleet_percent),
                over: over(|b| matches!(b, Breach::Share { .. })),
                text: format!(
                    "max_fleet_percent {rows} of {fleet} is {} of {}",
                    share.map_or_else(|| "not known".to_owned(), |s| format!("{s:.1}")),
                    format::percent_trimmed(self.max_fleet_percent, 4)
                ),
            },
            CapUse {
                cap: "max_usd_per_hour",
                value: rate,
                limit: self.max_usd_per_hour,
                over: over(|b| matches!(b, Breach::Usd { .. } | Breach::Unpriced { .. })),
                text: format!("max_usd_per_hour {known} of {limit}"),
            },
        ]
    }

    /// Caps that rows with these prices (USD per hour; `None` = not known) break, in a fleet of
    /// `fleet` instances; empty when none is broken.
    pub fn breaches(&self, prices: &[Option<f64>], fleet: u32) -> Vec<Breach> {
        let rows = u32::try_from(prices.len()).unwrap_or(u32::MAX);
        let mut out = Vec::new();
        if rows > self.max_instances {
            out.push(Breach::Instances { rows, max: self.max_instances });
        }
        // The cast saturates; a share is of whole instances, and of one at least.
        let share = ((f64::from(fleet) * self.max_fleet_percent / 100.0).floor() as u32).max(1);
        if rows > share {
            let percent = self.max_fleet_percent;
            out.push(Breach::Share { rows, fleet, percent, max: share });
        }
        if let Some(max) = self.max_usd_per_hour {
            // A price that is no number is as unknown as none, and a limit that is none allows
            // nothing.
            let known = |p: &&f64| p.is_finite() && **p >= 0.0;
            let usd: f64 = prices.iter().flatten().filter(known).sum();
            let unpriced = prices.len() - prices.iter().flatten().filter(known).count();
            if usd > max || max.is_nan() {
                out.push(Breach::Usd { usd, max });
            }
            if unpriced > 0 {
                out.push(Breach::Unpriced { rows: u32::try_from(unpriced).unwrap_or(u32::MAX) });
            }
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const OPEN: Caps =
        Caps { max_instances: u32::MAX, max_fleet_percent: 100.0, max_usd_per_hour: None };

    fn names(breaches: &[Breach]) -> Vec<&'static str> {
        let name = |b: &Breach| match b {
            Breach::Instances { .. } => "instances",
            Breach::Rows { .. } => "rows",
            Breach::Share { .. } => "share",
            Breach::Usd { .. } => "usd",
            Breach::Unpriced { .. } => "unpriced",
        };
        breaches.iter().map(name).collect()
    }

    #[test]
    fn the_default_is_ten_instances_and_ten_percent() {
        let caps = Caps::default();
        let rows = |n: usize| vec![Some(1.0); n];
        assert!(caps.breaches(&rows(10), 100).is_empty());
        assert_eq!(names(&caps.breaches(&rows(11), 1000)), ["instances"]);
        assert_eq!(names(&caps.breaches(&rows(10), 99)), ["share"]);
        assert_eq!(names(&caps.breaches(&rows(11), 20)), ["instances", "share"]);
        // One is always allowed: a fleet of three has no tenth.
        assert!(caps.breaches(&rows(1), 3).is_empty());
        assert_eq!(names(&caps.breaches(&rows(2), 3)), ["share"]);
        assert!(caps.breaches(&[], 0).is_empty());
    }

    #[test]
    fn what_has_no_price_is_not_below_a_limit() {
        let caps = Caps { max_usd_per_hour: Some(10.0), ..OPEN };
        assert!(caps.breaches(&[Some(4.0), Some(6.0)], 9).is_empty());
        assert_eq!(names(&caps.breaches(&[Some(4.0), Some(6.01)], 9)), ["usd"]);
        assert_eq!(names(&caps.breaches(&[None, Some(1.0)], 9)), ["unpriced"]);
        for odd in [f64::NAN, f64::INFINITY, -5.0] {
            assert_eq!(names(&caps.breaches(&[Some(odd), Some(1.0)], 9)), ["unpriced"], "{odd}");
        }
        assert!(OPEN.breaches(&[None, Some(f64::NAN)], 9).is_empty());
    }

    #[test]
    fn a_limit_that_is_no_number_allows_least() {
        let share = Caps { max_fleet_percent: f64::NAN, ..OPEN };
        assert!(share.breaches(&[Some(1.0)], 100).is_empty());
        assert_eq!(names(&share.breaches(&[Some(1.0); 2], 100)), ["share"]);
        let usd = Caps { max_usd_per_hour: Some(f64::NAN), ..OPEN };
        assert_eq!(names(&usd.breaches(&[Some(0.0)], 100)), ["usd"]);
    }

    #[test]
    fn each_cap_is_shown_with_its_value_and_limit_over_or_not() {
        let caps = Caps { max_usd_per_hour: Some(10.0), ..Caps::default() };
        let said = |prices: &[Option<f64>], fleet| -> Vec<(String, bool)> {
            caps.uses(prices, fleet).into_iter().map(|u| (u.text, u.over)).collect()
        };
        let of = |texts: [(&str, bool); 3]| texts.map(|(t, over)| (t.to_owned(), over)).to_vec();
        assert_eq!(
            said(&[Some(2.0); 5], 25),
            of([
                ("max_instances 5 of 10", false),
                ("max_fleet_percent 5 of 25 is 20.0 of 10%", true),
                ("max_usd_per_hour $10.00/h of $10.00", false),
            ])
        );
        let one = caps.uses(&[None], 3);
        assert!(!one[1].over, "one is always allowed");
        assert_eq!((one[2].value, one[2].over), (None, true));
        assert_eq!(caps.uses(&[], 0)[1].value, None);
        let open = Caps::default().uses(&[None], 100);
        assert_eq!((open[2].limit, open[2].over), (None, false));
    }

    proptest! {
        /// A cap is over where, and only where, a breach says so.
        #[test]
        fn what_is_shown_agrees_with_what_is_refused(
            prices in prop::collection::vec(prop::option::of(-1.0_f64..50.0), 0..30),
            fleet in 0_u32..200,
            max in 0_u32..20,
            percent in 0.0_f64..100.0,
            usd in prop::option::of(0.0_f64..500.0),
        ) {
            let caps = Caps { max_instances: max, max_fleet_percent: percent, max_usd_per_hour: usd };
            let over = caps.uses(&prices, fleet).iter().filter(|u| u.over).count();
            let breaches = caps.breaches(&prices, fleet);
            let both = breaches.iter().filter(|b| matches!(b, Breach::Unpriced { .. })).count()
                * breaches.iter().filter(|b| matches!(b, Breach::Usd { .. })).count();
            prop_assert_eq!(over, breaches.len() - both);
        }

        /// Against whole numbers: cents and tenths of a percent, each limit counted by hand.
        #[test]
        fn caps_against_whole_numbers(
            cents in prop::collection::vec(prop::option::of(0_u32..5_000), 0..40),
            fleet in 0_u32..400,
            max in 0_u32..40,
            tenths in 0_u32..1_000,
            cap in prop::option::of(0_u32..100_000),
        ) {
            let prices: Vec<Option<f64>> =
                cents.iter().map(|c| c.map(|c| f64::from(c) / 100.0)).collect();
            let caps = Caps {
                max_instances: max,
                max_fleet_percent: f64::from(tenths) / 10.0,
                max_usd_per_hour: cap.map(|c| f64::from(c) / 100.0),
            };
            let rows = prices.len() as u64;
            let sum: u64 = cents.iter().flatten().map(|c| u64::from(*c)).sum();
            let mut expected = Vec::new();
            if rows > u64::from(max) {
                expected.push("instances");
            }
            if rows > 1 && rows * 1_000 > u64::from(fleet) * u64::from(tenths) {
                expected.push("share");
            }
            if cap.is_some_and(|c| sum > u64::from(c)) {
                expected.push("usd");
            }
            if cap.is_some() && cents.iter().any(Option::is_none) {
                expected.push("unpriced");
            }
            let seen = names(&caps.breaches(&prices, fleet));
            // On the line itself binary fractions may fall to the careful side, never to the other.
            let exact = rows * 1_000 == u64::from(fleet) * u64::from(tenths)
                || cap.is_some_and(|c| sum == u64::from(c));
            if exact {
                prop_assert!(expected.iter().all(|e| seen.contains(e)), "{seen:?} {expected:?}");
            } else {
                prop_assert_eq!(seen, expected);
            }
        }
    }
}
