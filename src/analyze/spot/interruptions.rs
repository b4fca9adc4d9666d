//! From the Advisor's bands to interruptions per hour.

use super::rules::Assumptions;
use crate::domain::{HOURS_PER_MONTH, Interruption};

/// Interruptions per hour assumed above 20% a month: one a day. The band has no upper edge; whoever
/// probed scarce GPUs saw Spot taken back several times a day.
pub const ABOVE_20_PER_HOUR: f64 = 1.0 / 24.0;

/// Interruptions per hour in a band, at its upper edge p: λ = −ln(1 − p) ÷ 730 h.
///
/// The Advisor says which share of the instances that ran was taken back within a month. Where
/// interruptions come at a steady rate λ and independently (a Poisson process), an instance lives
/// through t hours with probability e^(−λ t).
pub fn per_hour(band: Option<Interruption>, assume: &Assumptions) -> f64 {
    band.and_then(Interruption::at_most)
        .map_or(assume.above_20_per_hour, |p| -(1.0 - p).ln() / HOURS_PER_MONTH)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_band_survives_a_month_as_it_says() {
        let assume = Assumptions::default();
        for band in Interruption::ALL {
            let Some(p) = band.at_most() else { continue };
            // Hour by hour instead of by the formula.
            let each = per_hour(Some(band), &assume);
            let survives =
                (0..730).fold(1.0, |alive: f64, _| alive * (1.0 - each / 1000.0).powi(1000));
            assert!((survives - (1.0 - p)).abs() < 1e-4, "{band:?} {survives}");
        }
        // −ln 0.8 ÷ 730 = 0.22314 ÷ 730.
        let top = per_hour(Some(Interruption::From15To20), &assume);
        assert!((top - 0.000_305_68).abs() < 1e-8, "{top}");
    }

    #[test]
    fn the_page_has_the_same_figures() {
        let page = include_str!("../../../docs/savings.md").replace(['\n', ' '], "");
        let rate = |band| format!("{:.5}", per_hour(Some(band), &Assumptions::default()));
        let (low, high) = (rate(Interruption::Below5), rate(Interruption::From15To20));
        let said = format!("{low}anhourbelow5%,{high}at20%.");
        assert!(page.contains(&said), "{said}");
    }

    #[test]
    fn a_worse_band_is_interrupted_more_and_an_unknown_one_as_the_worst() {
        let assume = Assumptions::default();
        let all = Interruption::ALL.map(|band| per_hour(Some(band), &assume));
        assert!(all.is_sorted_by(|a, b| a < b));
        assert_eq!(per_hour(None, &assume), all[4]);
        assert_eq!(all[4], 1.0 / 24.0);
    }
}
