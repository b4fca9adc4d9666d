//! From the configuration to what savings are judged by.

use crate::analyze::savings::SavingsRules;
use crate::config::Config;

/// The rules of a run.
pub fn of(config: &Config) -> SavingsRules {
    SavingsRules { spot: config.spot.rules(&config.gpus.workload), ..SavingsRules::default() }
}
