//! The marks that the FinOps Foundation sets for commitments.
//!
//! From its Framework's measures of success (2023): return above 10%, break-even within nine
//! months, utilisation near 80%, at least 90% of the saving per committed dollar realised.

use super::payback::safe_months;

/// Lowest return on a commitment that passes, 0–1.
pub const ROI: f64 = 0.10;
/// Most months to break-even that pass.
pub const BREAK_EVEN_MONTHS: f64 = 9.0;
/// Lowest utilisation that passes, 0–1.
pub const UTILISATION: f64 = 0.80;

/// Measures of a commitment.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Marks {
    /// Return: saving ÷ what is committed, p u ÷ r − 1. Negative = a loss.
    pub roi: f64,
    /// Months after which demand may vanish without a loss; `None` = not within the term.
    pub break_even_months: Option<f64>,
    /// Share of its hours that are used, 0–1.
    pub utilisation: f64,
    /// Realised share of the possible saving: (p u − r) ÷ (p − r); `None` where full use saves nothing.
    pub saving_realised: Option<f64>,
}

impl Marks {
    /// Measures of a commitment at `rate` against `on_demand` (USD per unit and hour), used in a share
    /// `utilisation` (0–1) of the hours of `months` months.
    pub fn of(rate: f64, on_demand: f64, utilisation: f64, months: f64) -> Self {
        let best = on_demand - rate;
        Self {
            roi: on_demand * utilisation / rate - 1.0,
            break_even_months: safe_months(rate, on_demand, utilisation, months),
            utilisation,
            saving_realised: (best > 0.0).then(|| (on_demand * utilisation - rate) / best),
        }
    }

    /// Whether return, break-even and utilisation pass, in this order.
    pub fn passes(&self) -> [bool; 3] {
        [
            self.roi > ROI,
            self.break_even_months.is_some_and(|months| months <= BREAK_EVEN_MONTHS),
            self.utilisation >= UTILISATION,
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nine_months_are_84_percent_of_a_year_at_37_percent_off() {
        // The fact sheet's identity: nine months ⇔ u ≥ 84.5% for one year at 36.6%.
        let at = |u: f64| Marks::of(0.634, 1.0, u, 12.0).passes()[1];
        assert!(at(0.846) && !at(0.844));
    }

    #[test]
    fn each_mark_falls_by_itself() {
        assert_eq!(Marks::of(0.634, 1.0, 1.0, 12.0).passes(), [true; 3]);
        // 36 months take 15.4 to be safe, however well the unit is used.
        assert_eq!(Marks::of(0.427, 1.0, 1.0, 36.0).passes(), [true, false, true]);
        assert_eq!(Marks::of(0.4, 1.0, 0.7, 12.0).passes(), [true, true, false]);
        assert_eq!(Marks::of(0.95, 1.0, 1.0, 9.0).passes(), [false, true, true]);
    }

    #[test]
    fn a_loss_is_one() {
        let marks = Marks::of(0.634, 1.0, 0.5, 12.0);
        assert!(marks.roi < 0.0 && marks.break_even_months.is_none());
        assert!((marks.saving_realised.unwrap() - (0.5 - 0.634) / 0.366).abs() < 1e-12);
    }

    #[test]
    fn full_use_realises_all_of_it() {
        let marks = Marks::of(1.8, 3.0, 1.0, 12.0);
        assert_eq!(marks.saving_realised, Some(1.0));
        assert!((marks.roi - (3.0 / 1.8 - 1.0)).abs() < 1e-12);
        // 65 of 100 used: 7.7% off, but an eighth of what it could be.
        assert!((Marks::of(1.8, 3.0, 0.65, 12.0).saving_realised.unwrap() - 0.125).abs() < 1e-12);
    }

    #[test]
    fn nothing_to_save_is_not_all_of_it() {
        assert_eq!(Marks::of(3.0, 3.0, 1.0, 12.0).saving_realised, None);
    }
}
