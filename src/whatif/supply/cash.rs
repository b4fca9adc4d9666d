//! Cash of one committed unit: what is due when, what that is worth today, and what paying early
//! earns.

use crate::whatif::{HOURS_PER_WEEK, Payment, WEEKS_PER_YEAR};

/// Months of a year.
pub const MONTHS_PER_YEAR: f64 = 12.0;

/// Hours of a year as AWS bills reservations: 365 days.
pub const HOURS_PER_YEAR: f64 = 8760.0;

/// Hours of a month as AWS states monthly prices: 8,760 ÷ 12.
pub const HOURS_PER_MONTH: f64 = 730.0;

/// Months of a term in weeks, 52 weeks to the year: 52 → 12, 156 → 36.
pub fn months_of(weeks: u16) -> f64 {
    f64::from(weeks) * MONTHS_PER_YEAR / WEEKS_PER_YEAR
}

/// Hours paid for over a term in weeks: whole years count 8,760 h, as AWS bills them; shorter terms 168 h a
/// week.
pub fn hours_of(weeks: u16) -> f64 {
    let weeks_per_year = WEEKS_PER_YEAR as u16;
    if weeks.is_multiple_of(weeks_per_year) {
        f64::from(weeks / weeks_per_year) * HOURS_PER_YEAR
    } else {
        f64::from(weeks) * HOURS_PER_WEEK as f64
    }
}

/// Share of the total that is due at the purchase, 0–1.
pub fn upfront_share(payment: Payment) -> f64 {
    match payment {
        Payment::NoUpfront => 0.0,
        Payment::PartialUpfront => 0.5,
        Payment::AllUpfront => 1.0,
    }
}

/// Interest per month at a cost of capital per year: (1 + WACC)^(1/12) − 1.
pub fn monthly_interest(wacc: f64) -> f64 {
    (1.0 + wacc).powf(1.0 / MONTHS_PER_YEAR) - 1.0
}

/// Payments for one unit over its term.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Schedule {
    /// Total, USD.
    pub total_usd: f64,
    /// Due at the purchase, USD.
    pub upfront_usd: f64,
    /// Due at the end of each whole month, USD.
    pub monthly_usd: f64,
    /// Term, months; a fraction after the last whole month is paid at the end.
    pub months: f64,
}

impl Schedule {
    /// Payments for a unit at `rate` USD per hour, amortised over `weeks` weeks.
    pub fn of(rate: f64, weeks: u16, payment: Payment) -> Self {
        Self::over(rate * hours_of(weeks), months_of(weeks), upfront_share(payment))
    }

    /// Payments of `total_usd` over `months` months, a share `upfront` (0–1) of it at the purchase.
    pub fn over(total_usd: f64, months: f64, upfront: f64) -> Self {
        let rest = total_usd * (1.0 - upfront);
        let monthly_usd = if months > 0.0 { rest / months } else { 0.0 };
        // A term of no length has nothing but its beginning.
        let upfront_usd = if months > 0.0 { total_usd * upfront } else { total_usd };
        Self { total_usd, upfront_usd, monthly_usd, months }
    }

    /// Payments as (month, USD), ascending: month 0 = at the purchase, then at each month's end.
    pub fn payments(&self) -> Vec<(f64, f64)> {
        let mut out = vec![(0.0, self.upfront_usd)];
        let whole = self.months.max(0.0).floor();
        out.extend((1..=whole as u32).map(|month| (f64::from(month), self.monthly_usd)));
        let over = self.months - whole;
        if over > 1e-9 {
            out.push((self.months, self.monthly_usd * over));
        }
        out
    }

    /// Present value of all payments, USD, at a cost of capital of `wacc` per year.
    pub fn npv(&self, wacc: f64) -> f64 {
        present_value(&self.payments(), monthly_interest(wacc))
    }

    /// USD paid by the end of month 0, 1, …, `months`, the last one included.
    pub fn cumulative(&self, months: u32) -> Vec<f64> {
        let payments = self.payments();
        let paid = |month: u32| {
            let until = f64::from(month) + 1e-9;
            payments.iter().filter(|(at, _)| *at <= until).map(|(_, usd)| usd).sum()
        };
        (0..=months).map(paid).collect()
    }
}

/// Present value of payments (month, USD) at `interest` per month.
pub fn present_value(flows: &[(f64, f64)], interest: f64) -> f64 {
    flows.iter().map(|(month, usd)| usd * (1.0 + interest).powf(-month)).sum()
}
