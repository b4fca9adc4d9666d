//! The level of base weeks: where a family's past has a trend, each of its weeks is brought to where
//! the trend is today, so that futures begin where the history ends and not at its average.
//!
//! The trend is the Theil–Sen line through the logs of the weekly means (the median of all pairwise
//! slopes: a launch or an outage does not bend it), and it is used only where the Mann–Kendall test
//! finds one at 5%. Sen, JASA 63 (1968); Mann, Econometrica 13 (1945).

use super::super::{Family, HOURS_PER_WEEK};

/// Fewer weeks than these say nothing of a trend.
const WEEKS_AT_LEAST: usize = 8;

/// Two-sided 5% of the standard normal distribution.
const SIGNIFICANT: f64 = 1.96;

/// What each base week of a family is multiplied with; `starts` are the hours they begin with.
pub(super) fn factors(family: &Family, starts: &[usize]) -> Vec<f64> {
    let mean = |start: &usize| {
        family.hours[*start..*start + HOURS_PER_WEEK].iter().sum::<f64>() / HOURS_PER_WEEK as f64
    };
    let weeks: Vec<(f64, f64)> =
        starts.iter().map(|s| (*s as f64 / HOURS_PER_WEEK as f64, mean(s))).collect();
    let ones = vec![1.0; starts.len()];
    let Some(slope) = trend(&weeks) else { return ones };
    let last = weeks.last().map_or(0.0, |week| week.0);
    weeks.iter().map(|(at, _)| (slope * (last - at)).exp()).collect()
}

/// The trend per week of the logs, where there is one.
fn trend(weeks: &[(f64, f64)]) -> Option<f64> {
    let n = weeks.len();
    if n < WEEKS_AT_LEAST || weeks.iter().any(|(_, mean)| *mean <= 0.0) {
        return None;
    }
    let mut slopes = Vec::with_capacity(n * (n - 1) / 2);
    let mut score = 0.0;
    for (i, (at, mean)) in weeks.iter().enumerate() {
        for (later, other) in &weeks[i + 1..] {
            let rise = (other / mean).ln();
            slopes.push(rise / (later - at));
            score += if rise == 0.0 { 0.0 } else { rise.signum() };
        }
    }
    let weeks = n as f64;
    let deviation = (weeks * (weeks - 1.0) * (2.0 * weeks + 5.0) / 18.0).sqrt();
    if (score.abs() - 1.0) / deviation <= SIGNIFICANT {
        return None;
    }
    let middle = slopes.len() / 2;
    Some(*slopes.select_nth_unstable_by(middle, f64::total_cmp).1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn family(weeks: &[f64]) -> (Family, Vec<usize>) {
        let hours = weeks.iter().flat_map(|mean| vec![*mean; HOURS_PER_WEEK]).collect();
        let starts = (0..weeks.len()).map(|week| week * HOURS_PER_WEEK).collect();
        (Family { name: "f".into(), hours }, starts)
    }

    #[test]
    fn a_growing_past_is_brought_to_its_end() {
        let weeks: Vec<f64> = (0..20).map(|week| 100.0 * 1.02_f64.powi(week)).collect();
        let (family, starts) = family(&weeks);
        for (factor, mean) in factors(&family, &starts).iter().zip(&weeks) {
            assert!((factor * mean - weeks[19]).abs() < 1e-9, "{factor}");
        }
    }

    #[test]
    fn an_outage_does_not_bend_it_and_gaps_count_as_time() {
        let mut weeks: Vec<f64> = (0..20).map(|week| 100.0 * 1.02_f64.powi(week)).collect();
        weeks[18] = 1.0;
        let (mut family, mut starts) = family(&weeks);
        assert!((factors(&family, &starts)[0] - 1.02_f64.powi(19)).abs() < 0.02);
        // Two weeks with gaps are no base weeks; the others stay where they were in time.
        starts.drain(5..7);
        family.hours[5 * HOURS_PER_WEEK] = f64::NAN;
        assert!((factors(&family, &starts)[0] - 1.02_f64.powi(19)).abs() < 0.02);
    }

    #[test]
    fn without_a_trend_nothing_is_moved() {
        let ups_and_downs: Vec<f64> =
            (0..26).map(|week| 100.0 + f64::from(week * 7 % 11) - f64::from(week % 3)).collect();
        for weeks in [&ups_and_downs[..], &[5.0; 30], &[1.0, 2.0, 4.0, 8.0, 16.0], &[0.0; 12]] {
            let (family, starts) = family(weeks);
            assert!(factors(&family, &starts).iter().all(|f| *f == 1.0), "{weeks:?}");
        }
    }
}
