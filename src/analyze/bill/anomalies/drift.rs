//! Weeks that rise or fall one after another.

use super::AnomalyKind;
use super::calendar::Calendar;
use super::runs::Run;
use super::usual::{DEVIATION, DayState, median};

/// Steps between weeks at least.
const STEPS: usize = 4;

/// The whole way at least, as a part of the first week.
const WAY_PART: f64 = 0.3;

/// A larger step than this part of the way is a jump, which is told as a spike or a drop.
const STEP_PART: f64 = 0.6;

/// The whole way at least, in standard deviations of a week.
const BEGINS: f64 = 6.0;

/// Standard deviation of a median of a week, as a part of that of a day: √(π ÷ 2 ÷ 7).
const WEEK: f64 = 0.4737;

/// Days of a week.
pub(super) const DAYS: usize = 7;

/// Finds drifts in the values of a series, by the medians of whole weeks back from the last complete day.
pub(super) fn drifts(
    values: &[f64],
    states: &[DayState],
    calendar: &Calendar,
    floor: f64,
) -> Vec<Run> {
    let end = calendar.complete.min(values.len());
    let is_read = |from: usize| states[from..from + DAYS].iter().all(|s| *s != DayState::Unread);
    let mut begins: Vec<usize> =
        (1..=end / DAYS).map(|week| end - week * DAYS).take_while(|from| is_read(*from)).collect();
    begins.reverse();
    if begins.len() <= STEPS {
        return Vec::new();
    }
    let weeks: Vec<f64> = begins
        .iter()
        .map(|from| {
            let mut week = [0.0; DAYS];
            week.copy_from_slice(&values[*from..from + DAYS]);
            median(&mut week)
        })
        .collect();
    let mut found = Vec::new();
    let mut from = 0;
    while from + STEPS < weeks.len() {
        let is_rise = weeks[from + 1] > weeks[from];
        let rest = weeks[from..].windows(2);
        let steps = rest.take_while(|w| w[0] != w[1] && (w[1] > w[0]) == is_rise).count();
        let to = from + steps;
        let way = weeks[to] - weeks[from];
        let steepest = weeks[from..=to].windows(2).map(|w| (w[1] - w[0]).abs()).fold(0.0, f64::max);
        if steps >= STEPS
            && way.abs() >= floor.max(WAY_PART * weeks[from])
            && steepest <= STEP_PART * way.abs()
        {
            let score = way.abs() / week_deviation(values, begins[0], end).max(floor / BEGINS);
            if score >= BEGINS {
                let (first, last) = (begins[from + 1], begins[to] + DAYS - 1);
                let expected = mean_before(values, first) * (last + 1 - first) as f64;
                found.push(Run {
                    is_on: to + 1 == weeks.len(),
                    difference: values[first..=last].iter().sum::<f64>() - expected,
                    score,
                    ..Run::new(AnomalyKind::Drift, first, last)
                });
            }
        }
        from = to.max(from + 1);
    }
    found
}

/// Mean of a day in the week before a day, USD: what a drift that begins there drifts from.
pub(super) fn mean_before(values: &[f64], first: usize) -> f64 {
    values[first.saturating_sub(DAYS)..first].iter().sum::<f64>() / DAYS as f64
}

/// Standard deviation of a week's median, from how days differ from those a week before.
fn week_deviation(values: &[f64], from: usize, to: usize) -> f64 {
    let mut steps: Vec<f64> =
        (from + DAYS..to).map(|day| values[day] - values[day - DAYS]).collect();
    let middle = median(&mut steps);
    steps.iter_mut().for_each(|step| *step = (*step - middle).abs());
    DEVIATION * median(&mut steps) / std::f64::consts::SQRT_2 * WEEK * std::f64::consts::SQRT_2
}
