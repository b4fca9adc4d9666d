//! What is usual of a day of a series.

use super::calendar::Calendar;

/// Days that make usual what comes next.
pub(super) const WINDOW: usize = 28;

/// Days that must be known at least.
const KNOWN_AT_LEAST: usize = 10;

/// As many days in the window double the deviation: of few days it is estimated too small as easily as too large.
const UNSURE_DAYS: f64 = 10.0;

/// How far back they may lie: a window behind the longest run of unusual days.
const BACK_AT_MOST: usize = 2 * WINDOW;

/// From a median deviation to a standard deviation, of a normal distribution.
pub(super) const DEVIATION: f64 = 1.4826;

/// Least standard deviation, as a part of what is expected: no cost is more even.
const EVENNESS: f64 = 0.03;

/// How a day counts when later days are judged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum DayState {
    /// No bill covers it.
    Unread,
    /// It tells what is usual.
    Usual,
    /// It does not: it is part of a run, or of the rhythm of months.
    Unusual,
}

/// A series while it is judged.
#[derive(Clone, Copy, Debug)]
pub(super) struct Judged<'a> {
    /// Cost by day, USD.
    pub values: &'a [f64],
    /// How each day counts.
    pub states: &'a [DayState],
    /// The days.
    pub calendar: &'a Calendar,
}

/// What is usual of a day.
#[derive(Clone, Copy, Debug)]
pub(super) struct Usual {
    /// Expected cost, USD.
    pub expected: f64,
    /// Median cost of all days, USD.
    pub level: f64,
    /// Standard deviation, USD.
    pub deviation: f64,
    /// Least and most of the same weekdays, USD; of all days where the weekday was seen less than twice.
    pub range: (f64, f64),
    /// Days that it rests on.
    pub known: usize,
    /// What is usual of each weekday, USD.
    by_weekday: [f64; 7],
}

/// Middle value; 0 without any.
pub(super) fn median(values: &mut [f64]) -> f64 {
    let (middle, is_odd) = (values.len() / 2, values.len() % 2 == 1);
    if values.is_empty() {
        return 0.0;
    }
    let (below, at, _) = values.select_nth_unstable_by(middle, f64::total_cmp);
    let at = *at;
    if is_odd {
        return at;
    }
    let under = below.iter().copied().fold(f64::MIN, f64::max);
    f64::midpoint(at, under)
}

impl Judged<'_> {
    /// What is usual of the day at `at`, by the usual days before `before`; `None` where too few are known.
    pub(super) fn usual(&self, at: usize, before: usize) -> Option<Usual> {
        let mut window = [(0.0, 0_u8); WINDOW];
        let mut count = 0;
        for day in (before.saturating_sub(BACK_AT_MOST)..before).rev() {
            if count < WINDOW && self.states[day] == DayState::Usual {
                window[count] = (self.values[day], self.calendar.days[day].weekday);
                count += 1;
            }
        }
        let window = &window[..count];
        if count < KNOWN_AT_LEAST {
            return None;
        }
        let mut all = [0.0; WINDOW];
        let all = &mut all[..count];
        let refill = |all: &mut [f64], of: &dyn Fn(f64, u8) -> f64| {
            all.iter_mut().zip(window).for_each(|(to, (usd, weekday))| *to = of(*usd, *weekday));
        };
        refill(all, &|usd, _| usd);
        let level = median(all);
        let mut by_weekday = [level; 7];
        let mut same_weekday = [0_usize; 7];
        for weekday in 0..7_u8 {
            let mut same = [0.0; WINDOW];
            let mut n = 0;
            for (usd, _) in window.iter().filter(|(_, day)| *day == weekday) {
                same[n] = *usd;
                n += 1;
            }
            same_weekday[usize::from(weekday)] = n;
            if n > 1 {
                by_weekday[usize::from(weekday)] = median(&mut same[..n]);
            }
        }
        let weekday = usize::from(self.calendar.days[at].weekday);
        let expected = by_weekday[weekday];
        refill(all, &|usd, weekday| (usd - by_weekday[usize::from(weekday)]).abs());
        // The window lies closer to its own middle than a new day does, √((n + 1) ÷ (n − 1)) for n days of a weekday,
        // and the fewer days there are, the less sure is the deviation itself.
        let n = same_weekday[weekday].max(2) as f64;
        let unsure = ((n + 1.0) / (n - 1.0)).sqrt() * (1.0 + UNSURE_DAYS / count as f64);
        let deviation = DEVIATION * median(all) * unsure;
        let is_weekday_known = same_weekday[weekday] > 1;
        let same =
            window.iter().filter(|(_, day)| !is_weekday_known || usize::from(*day) == weekday);
        let range = same.fold((f64::MAX, f64::MIN), |(least, most), (usd, _)| {
            (least.min(*usd), most.max(*usd))
        });
        Some(Usual {
            expected,
            level,
            deviation: deviation.max(EVENNESS * expected.abs()),
            range,
            known: count,
            by_weekday,
        })
    }

    /// Days of the window before `before` that differ from what is usual of their weekday by `difference` or more, in
    /// its direction; days of earlier runs count too.
    pub(super) fn as_unusual(&self, usual: &Usual, before: usize, difference: f64) -> usize {
        (before.saturating_sub(WINDOW)..before)
            .filter(|day| self.states[*day] != DayState::Unread)
            .filter(|day| {
                let of_weekday = usual.by_weekday[usize::from(self.calendar.days[*day].weekday)];
                (self.values[*day] - of_weekday) * difference.signum() >= difference.abs()
            })
            .count()
    }

    /// By how much the same day of the month before stood out of the two weeks around it, USD; `None` where no bill
    /// covers it.
    pub(super) fn month_before(&self, at: usize) -> Option<f64> {
        let day = self.calendar.days[at].month_before?;
        let is_read = |day: &usize| self.states[*day] != DayState::Unread;
        if !is_read(&day) {
            return None;
        }
        let around = day.saturating_sub(7)..(day + 8).min(self.values.len());
        let mut others: Vec<f64> =
            around.filter(|d| *d != day).filter(is_read).map(|d| self.values[d]).collect();
        Some(self.values[day] - median(&mut others))
    }
}
