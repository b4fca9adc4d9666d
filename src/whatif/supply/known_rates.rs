//! The few rates that are known without asking AWS, each with its date. What is not here is not
//! known: it must be given, never guessed.

/// A published rate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct KnownRate {
    /// The instance type.
    pub instance_type: &'static str,
    /// USD per instance and hour.
    pub usd_per_hour: f64,
}

/// Region of the rates in [`ONE_YEAR_RI`].
pub const REGION: &str = "us-east-1";

/// Date of the rates in [`ONE_YEAR_RI`].
pub const AS_OF: &str = "2026-01-21";

/// Standard RI, one year, no upfront, Linux, in [`REGION`] on [`AS_OF`], from AWS's price list.
pub const ONE_YEAR_RI: [KnownRate; 7] = [
    KnownRate { instance_type: "p4d.24xlarge", usd_per_hour: 13.921_094 },
    KnownRate { instance_type: "p4de.24xlarge", usd_per_hour: 17.401_365 },
    KnownRate { instance_type: "g5.xlarge", usd_per_hour: 0.633_78 },
    KnownRate { instance_type: "g5.48xlarge", usd_per_hour: 10.261_44 },
    KnownRate { instance_type: "g6.xlarge", usd_per_hour: 0.523_92 },
    KnownRate { instance_type: "g6.48xlarge", usd_per_hour: 8.691_11 },
    KnownRate { instance_type: "g6e.24xlarge", usd_per_hour: 9.491_32 },
];

/// Families for which AWS sells no standard RI, and those of P6 whatever follows.
const WITHOUT_RI: [&str; 3] = ["p5", "p5en", "g7e"];

/// Rate of a one-year standard RI without upfront payment; `None` where not known.
pub fn one_year_ri(region: &str, instance_type: &str) -> Option<KnownRate> {
    let known = ONE_YEAR_RI.iter().find(|known| known.instance_type == instance_type);
    known.copied().filter(|_| region == REGION)
}

/// True for a type that AWS sells no standard RI for. False for all others, those without knowledge included.
pub fn has_no_ri(instance_type: &str) -> bool {
    let family = instance_type.split('.').next().unwrap_or(instance_type);
    family.starts_with("p6") || WITHOUT_RI.contains(&family)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn discounts_are_those_of_the_price_list() {
        // On-demand list of 2026-07-20 in the same region.
        let on_demand = [
            ("p4d.24xlarge", 21.957_642, 36.6),
            ("p4de.24xlarge", 27.447_05, 36.6),
            ("g5.xlarge", 1.006, 37.0),
            ("g5.48xlarge", 16.288, 37.0),
            ("g6.xlarge", 0.8048, 34.9),
            ("g6.48xlarge", 13.3504, 34.9),
            ("g6e.24xlarge", 15.065_59, 37.0),
        ];
        for (name, usd, percent) in on_demand {
            let rate = one_year_ri("us-east-1", name).unwrap().usd_per_hour;
            let off = 100.0 * (1.0 - rate / usd);
            assert!((off - percent).abs() < 0.05, "{name}: {off}");
        }
    }

    #[test]
    fn what_is_not_known_is_not_given() {
        assert_eq!(one_year_ri("eu-west-1", "p4d.24xlarge"), None);
        for name in
            ["p5.48xlarge", "p5.4xlarge", "p5en.48xlarge", "p6-b200.48xlarge", "g7e.48xlarge"]
        {
            assert!(has_no_ri(name) && one_year_ri(REGION, name).is_none(), "{name}");
        }
        for name in ["p4d.24xlarge", "g5.xlarge", "p5e.48xlarge"] {
            assert!(!has_no_ri(name), "{name}");
        }
    }
}
