//! Merges the caps of a policy with those of the configuration.

use super::file::PolicyCaps;
use crate::act::plan::Caps;

/// The stricter of the configuration's caps and the policy's, each by itself: a policy can lower
/// a limit and never raise one.
pub fn stricter(config: &Caps, policy: &PolicyCaps) -> Caps {
    let usd = match (config.max_usd_per_hour, policy.max_usd_per_hour) {
        (Some(a), Some(b)) => Some(a.min(b)),
        (a, b) => a.or(b),
    };
    Caps {
        max_instances: config.max_instances.min(policy.max_instances.unwrap_or(u32::MAX)),
        max_fleet_percent: config
            .max_fleet_percent
            .min(policy.max_fleet_percent.unwrap_or(f64::INFINITY)),
        max_usd_per_hour: usd,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_policy_lowers_limits_and_never_raises_them() {
        let config =
            Caps { max_instances: 10, max_fleet_percent: 10.0, max_usd_per_hour: Some(50.0) };
        let higher = PolicyCaps {
            max_instances: Some(99),
            max_fleet_percent: Some(100.0),
            max_usd_per_hour: Some(1e6),
        };
        assert_eq!(stricter(&config, &higher), config);
        assert_eq!(stricter(&config, &PolicyCaps::default()), config);
        let lower = PolicyCaps {
            max_instances: Some(2),
            max_fleet_percent: Some(0.5),
            max_usd_per_hour: Some(3.0),
        };
        let both = stricter(&config, &lower);
        assert_eq!((both.max_instances, both.max_fleet_percent), (2, 0.5));
        assert_eq!(both.max_usd_per_hour, Some(3.0));
        let open = Caps { max_usd_per_hour: None, ..config };
        assert_eq!(stricter(&open, &lower).max_usd_per_hour, Some(3.0));
    }
}
