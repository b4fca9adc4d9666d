//! How long money is bound: the mean of the months that commitments still run, each weighted by
//! the dollars that are still due or already paid for it.

/// A running commitment.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bound {
    /// USD per hour while it runs, amortised.
    pub usd_per_hour: f64,
    /// Months until it expires.
    pub months_left: f64,
}

/// Dollar-weighted mean of the months that commitments still run: Σ m² d ÷ Σ m d with m months left and d
/// dollars per hour. 0 without commitments.
pub fn months(commitments: impl IntoIterator<Item = Bound>) -> f64 {
    let (mut weighted, mut dollars) = (0.0, 0.0);
    for Bound { usd_per_hour, months_left } in commitments {
        let left = usd_per_hour.max(0.0) * months_left.max(0.0);
        weighted += left * months_left;
        dollars += left;
    }
    if dollars > 0.0 { weighted / dollars } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    const YEAR: Bound = Bound { usd_per_hour: 10.0, months_left: 12.0 };
    const THREE: Bound = Bound { usd_per_hour: 10.0, months_left: 36.0 };

    #[test]
    fn dollars_weigh_it() {
        assert_eq!(months([YEAR]), 12.0);
        // $120 for 12 months and $360 for 36: (120·12 + 360·36) ÷ 480 = 30.
        assert_eq!(months([YEAR, THREE]), 30.0);
        assert_eq!(months([]), 0.0);
    }

    #[test]
    fn it_lies_between_the_shortest_and_the_longest() {
        let mixed = [YEAR, THREE, Bound { usd_per_hour: 3.0, months_left: 2.0 }];
        let mean = months(mixed);
        assert!(mean > 2.0 && mean < 36.0);
    }
}
