//! Invented months with planted anomalies, and a plain z-score to compare with.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::super::super::test_lines::{TestLine, bills};
use crate::domain::bill::{Bill, Month, PeriodState};

pub(super) const MONTHS: [&str; 3] = ["2026-08", "2026-09", "2026-10"];

/// A series of three months.
#[derive(Clone, Debug)]
pub(super) struct Series {
    pub account: String,
    pub service: String,
    pub usage_type: String,
    pub team: &'static str,
    /// By day from the first of August.
    pub usd: Vec<f64>,
}

impl Series {
    pub fn new(usage_type: &str, usd: Vec<f64>) -> Self {
        Self {
            account: "1".into(),
            service: "EC2".into(),
            usage_type: usage_type.into(),
            team: "",
            usd,
        }
    }

    /// A line a day; `resource` for all of them.
    pub fn lines<'a>(&'a self, resource: &'a str) -> impl Iterator<Item = TestLine> + 'a {
        let days = MONTHS.into_iter().flat_map(|month| {
            (1..=month.parse::<Month>().unwrap().days()).map(move |day| (month, day))
        });
        days.zip(&self.usd).filter(|(_, usd)| **usd != 0.0).map(move |((month, day), usd)| {
            TestLine {
                month,
                day,
                account: self.account.clone(),
                service: self.service.clone(),
                usage_type: self.usage_type.clone(),
                team: self.team,
                resource: resource.into(),
                effective: *usd,
                ..TestLine::default()
            }
        })
    }
}

pub(super) fn bills_of(all: &[Series], state: PeriodState) -> Vec<Arc<Bill>> {
    bills(all.iter().flat_map(|series| series.lines("")), state)
}

/// About normal, mean 0, deviation 1.
pub(super) fn normal(rng: &mut fastrand::Rng) -> f64 {
    (0..12).map(|_| rng.f64()).sum::<f64>() - 6.0
}

/// How costs go when nothing is wrong.
#[derive(Clone, Copy, Debug)]
pub(super) enum Rhythm {
    Even,
    Week,
    Uneven,
    Month,
    Batch,
    Growing,
    Jobs,
}

/// `days` of a rhythm with noise.
pub(super) fn invented(rhythm: Rhythm, days: usize, rng: &mut fastrand::Rng) -> Vec<f64> {
    let level = 10_f64.powf(1.7 + 1.6 * rng.f64());
    let noise = 0.02 + 0.1 * rng.f64();
    let weekend = 0.2 + 0.5 * rng.f64();
    (0..days)
        .map(|day| {
            // 1 August 2026 is a Saturday.
            let is_weekend = day % 7 < 2;
            let of_month =
                [0, 31, 61].iter().rev().find(|from| **from <= day).map(|from| day - from);
            let usual = match rhythm {
                Rhythm::Even => 1.0,
                Rhythm::Uneven => (0.3 * normal(rng)).exp(),
                Rhythm::Month if of_month == Some(0) => 4.0,
                Rhythm::Batch if of_month == Some(14) => 5.0,
                Rhythm::Week | Rhythm::Month if is_weekend => weekend,
                Rhythm::Growing => 1.001_f64.powi(day as i32),
                Rhythm::Jobs => f64::from(u8::from(rng.f64() < 0.25)) * (0.5 + rng.f64()),
                _ => 1.0,
            };
            (level * usual * (1.0 + noise * normal(rng))).max(0.0)
        })
        .collect()
}

/// An anomaly by its series and days.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Span {
    pub series: usize,
    pub first: usize,
    pub last: usize,
}

/// Days that a plain z-score beyond 3 over the trailing 28 days tells, at least 10, with the same floor; days that
/// follow each other as one.
pub(super) fn z_scores(all: &[Series], floor: f64) -> Vec<Span> {
    let mut found: Vec<Span> = Vec::new();
    for (series, of) in all.iter().enumerate() {
        for day in 10..of.usd.len() {
            let window = &of.usd[day.saturating_sub(28)..day];
            let mean = window.iter().sum::<f64>() / window.len() as f64;
            let squares: f64 = window.iter().map(|usd| (usd - mean).powi(2)).sum();
            let deviation = (squares / window.len() as f64).sqrt();
            let difference = (of.usd[day] - mean).abs();
            if difference < floor || difference <= 3.0 * deviation {
                continue;
            }
            match found.last_mut() {
                Some(last) if last.series == series && last.last + 1 == day => last.last = day,
                _ => found.push(Span { series, first: day, last: day }),
            }
        }
    }
    found
}

/// Precision and recall of what was found; `told` finds as many as it overlaps.
pub(super) fn judge(found: &[Span], planted: &[Span]) -> (f64, f64) {
    let is_same =
        |a: &Span, b: &Span| a.series == b.series && a.first <= b.last && b.first <= a.last;
    let right = found.iter().filter(|f| planted.iter().any(|p| is_same(f, p))).count();
    let told = planted.iter().filter(|p| found.iter().any(|f| is_same(f, p))).count();
    (right as f64 / found.len().max(1) as f64, told as f64 / planted.len().max(1) as f64)
}

/// Places of days by date.
pub(super) fn places() -> BTreeMap<jiff::civil::Date, usize> {
    let months = MONTHS.map(|month| month.parse::<Month>().unwrap());
    let days = months.into_iter().flat_map(|month| (1..=month.days()).map(move |d| month.day(d)));
    days.enumerate().map(|(place, date)| (date, place)).collect()
}
