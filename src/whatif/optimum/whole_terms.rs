//! A demand drawn out to the end of the terms that are bought for it, so that no commitment is
//! charged for a part of its term only.

use super::tiers::{PortfolioError, Tier, TierKind};
use crate::domain::format::plural;
use crate::whatif::HOURS_PER_WEEK;

/// Hours of a demand, repeated to the end of whole terms.
#[derive(Clone, Debug, PartialEq)]
pub struct WholeTerms {
    /// Units by hour: those given, then repeated ones; `NaN` where not known.
    pub hours: Vec<f64>,
    /// Number of repeated hours at the end; 0 where the demand fills whole terms.
    pub repeated: usize,
}

impl WholeTerms {
    /// How the demand was extended, for notes: "demand of 26 weeks repeated to 3 years"; `None` where it was
    /// not.
    pub fn words(&self) -> Option<String> {
        let given = span(self.hours.len() - self.repeated);
        (self.repeated > 0).then(|| format!("demand of {given} repeated to {}", self.period()))
    }

    /// Length of all hours, for notes: "3 years", "26 weeks", "100 h".
    pub fn period(&self) -> String {
        span(self.hours.len())
    }
}

/// Extends a demand to whole periods of the longest term by repeating its last whole weeks, which keeps hours
/// of the week in place; its last whole days where it has no week; all of it where it has no day. Fails where
/// terms do not divide each other, since the last period of the shorter would be cut.
pub fn whole_terms(hours: &[f64], tiers: &[Tier]) -> Result<WholeTerms, PortfolioError> {
    let term = |tier: &Tier| match tier.kind {
        TierKind::Commitment { term_hours } if term_hours > 0 => Some(term_hours),
        _ => None,
    };
    let mut terms: Vec<usize> = tiers.iter().filter_map(term).collect();
    terms.sort_unstable_by_key(|hours| std::cmp::Reverse(*hours));
    for pair in terms.windows(2) {
        if !pair[0].is_multiple_of(pair[1]) {
            return Err(PortfolioError::Nested { longer: pair[0], shorter: pair[1] });
        }
    }
    let longest = terms.first().copied().unwrap_or(1);
    let whole = hours.len().next_multiple_of(longest);
    let again = cycle(hours).iter().cycle();
    let drawn: Vec<f64> = hours.iter().chain(again).copied().take(whole).collect();
    Ok(WholeTerms { repeated: drawn.len() - hours.len(), hours: drawn })
}

/// The end of a demand that is repeated behind it.
fn cycle(hours: &[f64]) -> &[f64] {
    let whole = [HOURS_PER_WEEK, 24, 1].map(|unit| hours.len() / unit * unit);
    let length = whole.into_iter().find(|length| *length > 0).unwrap_or(0);
    &hours[hours.len() - length..]
}

/// A stretch of hours as people say it: whole years of 8,760 h, whole weeks, or hours.
fn span(hours: usize) -> String {
    match hours {
        _ if hours > 0 && hours.is_multiple_of(8760) => plural(hours / 8760, "year"),
        _ if hours > 0 && hours.is_multiple_of(HOURS_PER_WEEK) => {
            plural(hours / HOURS_PER_WEEK, "week")
        }
        _ => format!("{hours} h"),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::whatif::optimum::{Units, portfolio, term_hours};

    fn tiers(terms: &[(f64, usize)]) -> Vec<Tier> {
        let fixed = |(rate, term_hours): &(f64, usize)| Tier {
            name: format!("{term_hours} h"),
            rate: *rate,
            kind: TierKind::Commitment { term_hours: *term_hours },
        };
        let rest =
            Tier { name: "on demand".into(), rate: 1.0, kind: TierKind::Usage { share: 1.0 } };
        terms.iter().map(fixed).chain([rest]).collect()
    }

    #[test]
    fn half_a_year_under_three_years_is_said_and_charged_for_three_years() {
        // Ten units all the time, and ten more in the second half of each week.
        let half: Vec<f64> =
            (0..26 * 168).map(|h| if h % 168 < 84 { 10.0 } else { 20.0 }).collect();
        let tiers = tiers(&[(0.43, term_hours(156))]);
        let drawn = whole_terms(&half, &tiers).unwrap();
        assert_eq!((drawn.hours.len(), drawn.repeated), (26_280, 26_280 - 4_368));
        assert_eq!(drawn.words().unwrap(), "demand of 26 weeks repeated to 3 years");
        let found = portfolio(&drawn.hours, &tiers, Units::Whole).unwrap();
        // 26,280 = 156 weeks of 84 + 84 h and 72 h of low demand.
        let high = f64::from(156 * 84);
        assert_eq!(found.tiers[0].units, 20.0);
        assert_eq!(found.tiers[0].unit_hours, 20.0 * 26_280.0);
        assert!((found.cost_usd - 0.43 * 20.0 * 26_280.0).abs() < 1e-6);
        assert!((found.on_demand_usd - (10.0 * 26_280.0 + 10.0 * high)).abs() < 1e-6);
    }

    #[test]
    fn hours_of_the_week_go_on_and_odd_ends_are_kept() {
        let week = |h: usize| (h % 168) as f64;
        // Ten weeks and 20 h.
        let hours: Vec<f64> = (0..1700).map(week).collect();
        let drawn = whole_terms(&hours, &tiers(&[(0.5, 8760)])).unwrap();
        assert!(drawn.hours.iter().enumerate().all(|(h, units)| *units == week(h)));
        // Two days and 2 h, then 3 h.
        let days: Vec<f64> = (0..50).map(|h| f64::from(h % 24)).collect();
        let drawn = whole_terms(&days, &tiers(&[(0.5, 168)])).unwrap();
        assert!(drawn.hours.iter().enumerate().all(|(h, units)| *units == (h % 24) as f64));
        let drawn = whole_terms(&[1.0, 2.0, 3.0], &tiers(&[(0.5, 5)])).unwrap();
        assert_eq!(drawn.hours, [1.0, 2.0, 3.0, 1.0, 2.0]);
        assert_eq!(drawn.words().unwrap(), "demand of 3 h repeated to 5 h");
    }

    #[test]
    fn what_fills_its_terms_stays_as_it_is() {
        let year = vec![1.0; 8760];
        for terms in [&[][..], &[(0.6, 8760)], &[(0.6, 8760), (0.7, 4380), (0.8, 2190)]] {
            let drawn = whole_terms(&year, &tiers(terms)).unwrap();
            assert_eq!((drawn.repeated, drawn.words(), drawn.period()), (0, None, "1 year".into()));
        }
        assert_eq!(whole_terms(&[], &tiers(&[(0.6, 5)])).unwrap().hours.len(), 0);
    }

    #[test]
    fn terms_that_would_be_cut_are_refused() {
        let error = whole_terms(&[1.0; 9], &tiers(&[(0.6, 9), (0.7, 4)])).unwrap_err();
        assert_eq!(error, PortfolioError::Nested { longer: 9, shorter: 4 });
        // Half a year and a quarter divide a year.
        let terms = [52, 26, 13].map(|weeks| (0.6, term_hours(weeks)));
        assert!(whole_terms(&[1.0; 9], &tiers(&terms)).is_ok());
    }

    proptest! {
        /// Each unit of a commitment is paid for a whole number of terms.
        #[test]
        fn every_term_is_paid_to_its_end(
            hours in prop::collection::vec(0_u8..9, 1..200), rate in 0.1_f64..1.1, quarter in 1_usize..40,
        ) {
            let hours: Vec<f64> = hours.into_iter().map(f64::from).collect();
            let tiers = tiers(&[(rate * 0.9, 4 * quarter), (rate, quarter)]);
            let drawn = whole_terms(&hours, &tiers).unwrap();
            prop_assert_eq!(&drawn.hours[..hours.len()], &hours[..]);
            let found = portfolio(&drawn.hours, &tiers, Units::Whole).unwrap();
            for (tier, term) in [(0, 4 * quarter), (1, quarter)] {
                let bought: f64 = found.tiers[tier].periods.iter().sum();
                prop_assert_eq!(found.tiers[tier].unit_hours, bought * term as f64);
            }
        }
    }
}
