//! A robust line through daily values, and how far from it they will be.

use super::Growth;

/// One of two ways to grow is told from the other where what it leaves unexplained is less than this
/// share of what the other leaves.
const CLEARLY: f64 = 0.8;

/// P90 of the normal distribution.
const Z90: f64 = 1.281_551_565_544_6;

/// Days of a week, the rhythm that must not matter.
const WEEK: f64 = 7.0;

/// Trends fitted to a history, bytes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Fits {
    pub(super) growth: Growth,
    /// Bytes.
    line: Trend,
    /// Their logarithm; `None` where a size is 0.
    rate: Option<Trend>,
    /// True when neither fits clearly better.
    is_open: bool,
}

impl Fits {
    /// Both ways to grow, and which of them fits better. Points are (day, bytes), days ascending
    /// from 0; at least two.
    pub(super) fn new(points: &[(f64, f64)]) -> Self {
        let (line, start) = Trend::fit(points);
        if points.iter().any(|p| p.1 <= 0.0) {
            return Self { growth: Growth::Linear, line, rate: None, is_open: false };
        }
        let logs: Vec<(f64, f64)> = points.iter().map(|(t, y)| (*t, y.ln())).collect();
        let (rate, log_start) = Trend::fit(&logs);
        let missed = |line: &dyn Fn(f64) -> f64| -> f64 {
            points.iter().map(|(t, y)| (y - line(*t)).abs()).sum()
        };
        let by_line = missed(&|t| start + line.slope * t);
        let by_rate = missed(&|t| (log_start + rate.slope * t).exp());
        let growth = if by_rate < CLEARLY * by_line { Growth::Exponential } else { Growth::Linear };
        let is_open = growth == Growth::Linear && by_line >= CLEARLY * by_rate;
        Self { growth, line, rate: Some(rate), is_open }
    }

    /// P10, trend and P90 so many days ahead, bytes. Where it is open how it grows, the trend is
    /// the straight line, and the band holds both.
    pub(super) fn ahead(&self, days: f64) -> (f64, f64, f64) {
        let by_line = self.line.ahead(days);
        let by_line = (by_line.0.max(0.0), by_line.1.max(0.0), by_line.2.max(0.0));
        let Some(rate) = self.rate else { return by_line };
        // As large as a number can be, rather than none.
        let (low, mid, high) = rate.ahead(days);
        let bytes = |v: f64| v.exp().min(f64::MAX);
        let by_rate = (bytes(low), bytes(mid), bytes(high));
        if self.growth == Growth::Exponential {
            by_rate
        } else if self.is_open && days > 0.0 {
            (by_line.0.min(by_rate.0), by_line.1, by_line.2.max(by_rate.2))
        } else {
            by_line
        }
    }

    /// What comes to it in so many days, bytes; less than 0 where it shrinks.
    pub(super) fn grows_by(&self, days: f64) -> f64 {
        match self.rate.filter(|_| self.growth == Growth::Exponential) {
            Some(rate) => rate.ahead(days).1.exp() - rate.ahead(0.0).1.exp(),
            None => self.line.slope * days,
        }
    }
}

/// A line and its uncertainty.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Trend {
    /// Value at the newest day.
    level: f64,
    /// Per day.
    slope: f64,
    /// Standard deviation of a day around the line.
    noise: f64,
    /// Variance that a day adds in the long run.
    walk: f64,
    /// Days of history.
    days: f64,
}

impl Trend {
    /// A line, and its value at day 0.
    fn fit(points: &[(f64, f64)]) -> (Self, f64) {
        let mut slopes = Vec::new();
        for (i, (t0, y0)) in points.iter().enumerate() {
            for (t1, y1) in &points[i + 1..] {
                if (t1 - t0) % WEEK == 0.0 {
                    slopes.push((y1 - y0) / (t1 - t0));
                }
            }
        }
        let slope = median(slopes).unwrap_or(0.0);
        let start = median(points.iter().map(|(t, y)| y - slope * t).collect()).unwrap_or(0.0);
        let off = |p: &(f64, f64)| p.1 - start - slope * p.0;
        let days = points.last().map_or(0.0, |p| p.0);
        let last_week: Vec<f64> = points.iter().filter(|p| days - p.0 < WEEK).map(off).collect();
        let level = start + slope * days + median(last_week).unwrap_or(0.0);
        // How far a day lies off what the days around it say: a walk does not count here.
        let jumps: Vec<f64> = points.windows(2).map(|w| off(&w[1]) - off(&w[0])).collect();
        let centre = median(jumps.clone()).unwrap_or(0.0);
        let noise = median(jumps.iter().map(|j| (j - centre).abs()).collect()).unwrap_or(0.0);
        (Self { level, slope, noise: 1.4826 * noise, walk: walk(points, off), days }, start)
    }

    /// P10, trend and P90 so many days ahead.
    fn ahead(&self, days: f64) -> (f64, f64, f64) {
        let mid = self.level + self.slope * days;
        if days <= 0.0 {
            return (mid, mid, mid);
        }
        let uncertain = self.walk * (days + 1.2 * days * days / self.days.max(1.0));
        let band = quantile(self.days / WEEK - 1.0) * (self.noise * self.noise + uncertain).sqrt();
        (mid - band, mid, mid + band)
    }
}

/// Variance that a day adds in the long run: the mean square of the change over a week, by day.
fn walk(points: &[(f64, f64)], off: impl Fn(&(f64, f64)) -> f64) -> f64 {
    let mut sum = 0.0;
    let mut count = 0.0;
    for (i, p) in points.iter().enumerate() {
        if let Some(later) = points[i + 1..].iter().find(|q| q.0 - p.0 >= WEEK) {
            let step = off(later) - off(p);
            sum += step * step / (later.0 - p.0);
            count += 1.0;
        }
    }
    if count > 0.0 { sum / count } else { 0.0 }
}

/// P90 of Student's distribution by its first two correction terms (Abramowitz & Stegun 26.7.5).
fn quantile(freedom: f64) -> f64 {
    let m = freedom.max(1.0);
    let z = Z90;
    let g1 = (z.powi(3) + z) / 4.0;
    let g2 = (5.0 * z.powi(5) + 16.0 * z.powi(3) + 3.0 * z) / 96.0;
    z + g1 / m + g2 / (m * m)
}

/// The value in the middle; `None` of nothing.
pub(super) fn median(mut values: Vec<f64>) -> Option<f64> {
    if values.is_empty() {
        return None;
    }
    let mid = values.len() / 2;
    let (below, upper, _) = values.select_nth_unstable_by(mid, f64::total_cmp);
    let upper = *upper;
    if below.len() < mid || values.len() % 2 == 1 {
        return Some(upper);
    }
    let lower = values[..mid].iter().copied().max_by(f64::total_cmp).unwrap_or(upper);
    Some(f64::midpoint(lower, upper))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_is_the_middle() {
        assert_eq!(median(vec![]), None);
        assert_eq!(median(vec![3.0, 1.0, 2.0]), Some(2.0));
        assert_eq!(median(vec![4.0, 1.0, 3.0, 2.0]), Some(2.5));
    }

    #[test]
    fn quantiles_are_those_of_the_tables() {
        // Student's t, one-sided 90%: Abramowitz & Stegun, table 26.10.
        for (freedom, t90) in [(3.0, 1.638), (5.0, 1.476), (10.0, 1.372), (30.0, 1.310)] {
            assert!((quantile(freedom) - t90).abs() < 0.03, "{freedom} {}", quantile(freedom));
        }
    }
}
