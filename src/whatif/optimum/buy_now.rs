//! Buy now, or plan to: the guarded rule of buying with a chance to buy again soon.
//!
//! A unit is bought now if it is expected to be worth its price both until the next date at which
//! one can buy, and over the whole term. The first keeps growth that is only forecast for later
//! dates, the second keeps what is about to end from being bound. The same rule at each later date
//! makes the plan.

/// Expected cost of a family by committed units, over all futures.
pub trait Outlook {
    /// Number of weeks looked ahead.
    fn weeks(&self) -> usize;

    /// Mean USD for usage (on demand or Spot) over all weeks, when `committed[k]` units are committed in week
    /// k. Decreases with each of them, and is convex.
    fn by_use_usd(&self, committed: &[f64]) -> f64;

    /// USD per unit and hour on demand in a week.
    fn on_demand(&self, week: usize) -> f64;
}

/// Price and dates of a commitment to judge.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Terms {
    /// USD per unit and hour, above 0.
    pub rate: f64,
    /// Term, weeks, at least 1.
    pub weeks: usize,
    /// Weeks until the next purchase date, at least 1.
    pub top_up_weeks: usize,
}

/// Value of one more unit over a stretch of weeks, against its price.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Worth {
    /// USD for usage that the unit saves ÷ USD of a unit on demand in every hour: without Spot the share of the
    /// hours in which it runs, 0–1.
    pub used: f64,
    /// Break-even share: rate ÷ on-demand.
    pub needed: f64,
}

impl Worth {
    /// True when the unit saves at least its price.
    pub fn pays(&self) -> bool {
        self.used >= self.needed * (1.0 - 1e-12)
    }
}

/// Units to buy at one date.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Purchase {
    /// Week of the purchase, 0 = now.
    pub week: usize,
    /// Whole units to buy.
    pub units: f64,
    /// Value of the last unit bought, or of the first one where none is, until the next date.
    pub next: Worth,
    /// Value of the same unit over the term, as far as weeks are looked ahead.
    pub term: Worth,
}

/// Purchases now and later, and the value of the first unit that is not bought now.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Purchases {
    /// Purchase of this week.
    pub now: Purchase,
    /// Purchases at later dates; dates without a purchase are left out.
    pub later: Vec<Purchase>,
    /// Value of the unit after those bought now: until the next date, and over the term.
    pub left_out: (Worth, Worth),
    /// Units that would pay until the next date; more than `now` where the term limits it.
    pub until_next: f64,
}

/// Judges a commitment on top of `held` units in each week. At most `most` units are bought now; `None` = no
/// limit.
pub fn buy_now(outlook: &dyn Outlook, terms: Terms, held: &[f64], most: Option<f64>) -> Purchases {
    let mut held = held.to_vec();
    held.resize(outlook.weeks(), 0.0);
    let mut made = Purchases::default();
    for week in (0..held.len()).step_by(terms.top_up_weeks.max(1)) {
        let judge = Judge { outlook, terms, held: &held, week };
        let until_next = judge.paying(judge.next_end());
        let mut units = judge.paying(judge.term_end()).min(until_next);
        if week == 0 {
            units = units.min(most.unwrap_or(f64::INFINITY).max(0.0).floor());
            made.until_next = until_next;
            made.left_out = judge.worth(units);
        }
        let (next, term) = judge.worth((units - 1.0).max(0.0));
        let rung = Purchase { week, units, next, term };
        let end = judge.term_end();
        held[week..end].iter_mut().for_each(|held| *held += units);
        if week == 0 {
            made.now = rung;
        } else if units > 0.0 {
            made.later.push(rung);
        }
    }
    made
}

struct Judge<'a> {
    outlook: &'a dyn Outlook,
    terms: Terms,
    held: &'a [f64],
    week: usize,
}

impl Judge<'_> {
    fn next_end(&self) -> usize {
        (self.week + self.terms.top_up_weeks.max(1)).min(self.term_end())
    }

    fn term_end(&self) -> usize {
        (self.week + self.terms.weeks.max(1)).min(self.held.len())
    }

    /// Worth of the unit after `units` more, until the next date and over the term.
    fn worth(&self, units: f64) -> (Worth, Worth) {
        (self.slot(units, self.next_end()), self.slot(units, self.term_end()))
    }

    fn slot(&self, units: f64, end: usize) -> Worth {
        let with = |units: f64| {
            let mut committed = self.held.to_vec();
            committed[self.week..end].iter_mut().for_each(|held| *held += units);
            self.outlook.by_use_usd(&committed)
        };
        let hours = crate::whatif::HOURS_PER_WEEK as f64;
        let full: f64 = (self.week..end).map(|week| self.outlook.on_demand(week) * hours).sum();
        let paid = self.terms.rate * hours * (end - self.week) as f64;
        let parts = |usd: f64| if full > 0.0 { usd / full } else { 0.0 };
        Worth {
            used: parts(with(units) - with(units + 1.0)),
            needed: if full > 0.0 { paid / full } else { f64::INFINITY },
        }
    }

    /// Whole units that pay until `end`: each further one is worth less.
    fn paying(&self, end: usize) -> f64 {
        let pays = |units: f64| self.slot(units, end).pays();
        if end <= self.week || !pays(0.0) {
            return 0.0;
        }
        // The unit after `low` pays, the one after `high` does not.
        let (mut low, mut high) = (0.0_f64, 1.0_f64);
        while pays(high) {
            (low, high) = (high, high * 2.0);
            if high > 1e15 {
                return low;
            }
        }
        while high - low > 1.0 {
            let middle = f64::midpoint(low, high).floor();
            if pays(middle) { low = middle } else { high = middle }
        }
        low + 1.0
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::whatif::optimum::Usage;

    /// One known future: hours by week.
    pub(crate) struct Known {
        pub(crate) weeks: Vec<Usage>,
        pub(crate) on_demand: f64,
    }

    impl Known {
        pub(crate) fn new(levels: &[f64], on_demand: f64) -> Self {
            let week = |level: &f64| Usage::new(&vec![*level; 168]);
            Self { weeks: levels.iter().map(week).collect(), on_demand }
        }
    }

    impl Outlook for Known {
        fn weeks(&self) -> usize {
            self.weeks.len()
        }

        fn by_use_usd(&self, committed: &[f64]) -> f64 {
            let open = self.weeks.iter().zip(committed).map(|(week, c)| week.units_above(*c));
            self.on_demand * open.sum::<f64>()
        }

        fn on_demand(&self, _week: usize) -> f64 {
            self.on_demand
        }
    }

    const YEAR: Terms = Terms { rate: 0.634, weeks: 52, top_up_weeks: 4 };

    #[test]
    fn what_stays_is_bought_and_what_comes_is_planned() {
        let mut levels = vec![40.0; 52];
        levels[12..].iter_mut().for_each(|units| *units = 60.0);
        let found = buy_now(&Known::new(&levels, 1.0), YEAR, &[], None);
        assert_eq!(found.now.units, 40.0);
        // The 41st would be used 40 of 52 weeks, but in none of the next four.
        assert_eq!((found.left_out.0.used, found.left_out.1.used), (0.0, 40.0 / 52.0));
        assert_eq!(found.later.len(), 1);
        assert_eq!((found.later[0].week, found.later[0].units), (12, 20.0));
    }

    #[test]
    fn what_ends_is_not_bound() {
        let mut levels = vec![40.0; 52];
        levels[12..].iter_mut().for_each(|units| *units = 10.0);
        let found = buy_now(&Known::new(&levels, 1.0), YEAR, &[], None);
        assert_eq!((found.now.units, found.until_next), (10.0, 40.0));
        assert_eq!((found.left_out.0.used, found.left_out.1.used), (1.0, 12.0 / 52.0));
        assert!(found.later.is_empty());
    }

    #[test]
    fn what_is_held_is_not_bought_twice_and_is_replaced_when_it_ends() {
        let mut held = vec![0.0; 52];
        held[..20].iter_mut().for_each(|units| *units = 25.0);
        let found = buy_now(&Known::new(&[40.0; 52], 1.0), YEAR, &held, None);
        assert_eq!(found.now.units, 15.0);
        assert_eq!((found.later[0].week, found.later[0].units), (20, 25.0));
    }

    #[test]
    fn caution_limits_what_is_bought_now() {
        let found = buy_now(&Known::new(&[40.0; 52], 1.0), YEAR, &[], Some(12.7));
        assert_eq!(found.now.units, 12.0);
        assert!(found.left_out.1.pays());
    }

    #[test]
    fn a_unit_at_the_break_even_is_bought_and_a_dear_one_is_not() {
        let mut levels = vec![1.0; 100];
        levels[63..].iter_mut().for_each(|units| *units = 0.0);
        let known = Known::new(&levels, 1.0);
        let at = |rate| {
            let terms = Terms { rate, weeks: 100, top_up_weeks: 50 };
            buy_now(&known, terms, &[], None).now.units
        };
        assert_eq!((at(0.63), at(0.631)), (1.0, 0.0));
        assert_eq!(buy_now(&Known::new(&[], 1.0), YEAR, &[], None), Purchases::default());
    }
}
