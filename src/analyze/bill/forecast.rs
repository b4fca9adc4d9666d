//! The end of a month, from the days that are known.

use crate::domain::bill::Usd;

/// Cost of a month at its end, US dollars; `p10 ≤ p50 ≤ p90`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Forecast {
    /// What it stays below in one of ten cases.
    pub p10: Usd,
    /// What it is expected to be.
    pub p50: Usd,
    /// What it stays below in nine of ten cases.
    pub p90: Usd,
    /// Median error of the same forecast of the days that are still to come, tried at each day of the past: a share of
    /// what came, 0 = none. `None` where the past is too short to try it.
    pub error: Option<f64>,
    /// Number of days of the past at which it was tried.
    pub tested: usize,
}

/// Days that a forecast needs.
const DAYS_AT_LEAST: usize = 7;

/// Days that the weekdays are learnt from: eight weeks.
const WINDOW: usize = 56;

/// Days that the level is learnt from: two weeks, each weekday twice.
const LEVEL: usize = 14;

/// Trials in the past that quantiles are made of.
const TRIALS_AT_LEAST: usize = 8;

/// Standard normal quantile of 0.9.
pub(in crate::analyze) const Z90: f64 = 1.2816;

/// The month's end: `known`, what is spent and what is charged for the whole month, and the `to_come` days after `past`
/// by level and weekday. `past` is the cost of consecutive days, oldest first; `first` the weekday of the first of them,
/// 0 Monday. `None` with less than a week of days.
///
/// The band are the 10 % and 90 % quantiles of what came in the past divided by what was forecast, as many days ahead as
/// are to come or as the past allows, and half as many; widened by the square root of the days to come ÷ the days tried,
/// as errors of a level that wanders grow. The wider counts: trials that overlap know too little of each other.
pub(in crate::analyze) fn forecast(
    past: &[f64],
    first: usize,
    to_come: usize,
    known: Usd,
) -> Option<Forecast> {
    if past.len() < DAYS_AT_LEAST {
        return None;
    }
    let rest = ahead(past, first, to_come);
    let tried = to_come.min(past.len().saturating_sub(LEVEL + TRIALS_AT_LEAST - 1));
    let ratios = trials(past, first, tried);
    let tested = ratios.len();
    let (mut low, mut high) = (rest, rest);
    if tested > 0 {
        for (tried, ratios) in
            [(tried, &ratios), (tried.div_ceil(2), &trials(past, first, tried.div_ceil(2)))]
        {
            let wider = (to_come as f64 / tried as f64).sqrt();
            let of = |q| rest * (1.0 + (quantile(ratios, q) - 1.0) * wider);
            (low, high) = (low.min(of(0.1)), high.max(of(0.9)));
        }
    } else {
        let spread = Z90 * deviation(past, first) * (to_come as f64).sqrt();
        (low, high) = (rest - spread, rest + spread);
    }
    let usd = |rest: f64| Usd::from_f64((rest * 100.0).round() / 100.0);
    let p50 = known + usd(rest)?;
    let mut errors: Vec<f64> = ratios.iter().map(|ratio| (ratio - 1.0).abs()).collect();
    errors.sort_unstable_by(f64::total_cmp);
    Some(Forecast {
        p10: (known + usd(low)?).min(p50),
        p50,
        p90: (known + usd(high)?).max(p50),
        error: (tested > 0).then(|| quantile(&errors, 0.5)),
        tested,
    })
}

/// What came in the past divided by what would have been forecast `days` days before, ordered; empty for 0 days.
fn trials(past: &[f64], first: usize, days: usize) -> Vec<f64> {
    let ends = LEVEL..=past.len().saturating_sub(days);
    let mut ratios: Vec<f64> = ends
        .filter(|_| days > 0)
        .map(|end| past[end..end + days].iter().sum::<f64>() / ahead(&past[..end], first, days))
        .filter(|ratio| ratio.is_finite() && *ratio >= 0.0)
        .collect();
    ratios.sort_unstable_by(f64::total_cmp);
    ratios
}

/// Expected sum of the `to_come` days after `past`.
fn ahead(past: &[f64], first: usize, to_come: usize) -> f64 {
    each_day(past, first, to_come).sum()
}

/// Expected cost of each of the `to_come` days after `past`, by level and weekday.
pub(in crate::analyze) fn each_day(
    past: &[f64],
    first: usize,
    to_come: usize,
) -> impl Iterator<Item = f64> {
    let weekdays = weekdays(past, first);
    let recent = past.len().saturating_sub(LEVEL);
    let weekday = |day: usize| weekdays[(first + day) % 7];
    let (mut spent, mut weight) = (0.0, 0.0);
    for (day, usd) in past.iter().enumerate().skip(recent) {
        spent += usd;
        weight += weekday(day);
    }
    let level = if weight > 0.0 { spent / weight } else { 0.0 };
    let begin = past.len();
    (begin..begin + to_come).map(move |day| level * weekdays[(first + day) % 7])
}

/// Cost of each weekday beside the mean of its week, 1 = as the mean. Medians over the window, so that one odd day
/// changes nothing; all 1 with less than two weeks.
fn weekdays(past: &[f64], first: usize) -> [f64; 7] {
    let begin = past.len().saturating_sub(WINDOW);
    let mut beside: [Vec<f64>; 7] = Default::default();
    for day in begin..past.len() {
        // The week around the day, within what is known.
        let week = day.saturating_sub(3).min(past.len().saturating_sub(7));
        let mean = past[week..past.len().min(week + 7)].iter().sum::<f64>() / 7.0;
        if mean > 0.0 {
            beside[(first + day) % 7].push(past[day] / mean);
        }
    }
    if past.len() < 2 * 7 || beside.iter().any(Vec::is_empty) {
        return [1.0; 7];
    }
    beside.map(|mut of| {
        of.sort_unstable_by(f64::total_cmp);
        quantile(&of, 0.5).max(0.0)
    })
}

/// Standard deviation of a day from what level and weekday say.
fn deviation(past: &[f64], first: usize) -> f64 {
    let weekdays = weekdays(past, first);
    let mean = past.iter().sum::<f64>() / past.len() as f64;
    let square = |(day, usd): (usize, &f64)| (usd - mean * weekdays[(first + day) % 7]).powi(2);
    (past.iter().enumerate().map(square).sum::<f64>() / past.len() as f64).sqrt()
}

/// Quantile `q`, 0–1, of ordered values, between them by their distance; 0 without any.
fn quantile(ordered: &[f64], q: f64) -> f64 {
    let Some(last) = ordered.len().checked_sub(1) else { return 0.0 };
    let at = q * last as f64;
    let (low, part) = (at.floor() as usize, at.fract());
    ordered[low] + (ordered[(low + 1).min(last)] - ordered[low]) * part
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_band_holds_what_comes_in_eight_of_ten_cases() {
        let mut random = fastrand::Rng::with_seed(5);
        let (mut within, mut width, cases) = (0, 0.0, 300);
        for _ in 0..cases {
            let mut level = 1000.0;
            let days: Vec<f64> = (0..90)
                .map(|day| {
                    level *= 1.0 + (random.f64() - 0.5) * 0.04;
                    let weekday = if day % 7 < 5 { 1.0 } else { 0.5 };
                    level * weekday * (0.9 + random.f64() * 0.2)
                })
                .collect();
            let (past, to_come) = days.split_at(72);
            let found = forecast(past, 0, to_come.len(), Usd::ZERO).unwrap();
            let came: f64 = to_come.iter().sum();
            let (low, high) = (found.p10.to_f64(), found.p90.to_f64());
            within += i32::from((low..=high).contains(&came));
            width += (high - low) / came / f64::from(cases);
        }
        let share = f64::from(within) / f64::from(cases);
        assert!((0.65..0.95).contains(&share), "{share}");
        assert!(width < 0.3, "{width}");
    }

    #[test]
    fn one_odd_day_does_not_move_the_weekdays_and_few_days_have_a_wide_band() {
        let mut past: Vec<f64> = (0..56).map(|d| if d % 7 < 5 { 100.0 } else { 50.0 }).collect();
        past[20] = 900.0;
        let found = forecast(&past, 0, 7, Usd::ZERO).unwrap();
        assert!((found.p50.to_f64() - 600.0).abs() < 12.0, "{found:?}");
        let short: Vec<f64> = [100.0, 80.0, 120.0, 100.0, 90.0, 110.0, 100.0].into();
        let found = forecast(&short, 0, 20, Usd::whole(700)).unwrap();
        assert_eq!((found.p50, found.tested, found.error), (Usd::whole(2700), 0, None));
        assert!(found.p10 < Usd::whole(2650) && found.p90 > Usd::whole(2750));
        assert_eq!(forecast(&short[..6], 0, 20, Usd::ZERO), None);
        let end = forecast(&short, 0, 0, Usd::whole(700)).unwrap();
        assert_eq!((end.p10, end.p90), (Usd::whole(700), Usd::whole(700)));
    }
}
