//! Settings of what is read of commitments, the Spot market and resources, from the configuration.

use super::telemetry::Want;
use crate::analyze::savings::SavingsRules;
use crate::bus::SavingsSettings;
use crate::config::Config;

/// Which savings a run reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SavingsWant {
    /// None.
    Nothing,
    /// Commitments only: net saving of stopping an instance.
    Net,
    /// Commitments, the Spot market and the offers of zones: types that an instance may become.
    Market,
    /// Commitments, and resources other than instances with their net cost.
    Resources,
    /// Commitments, resources and storage as far as the Overview sums it: paths of the network.
    Network,
    /// All of them, and storage as far as the Overview sums it.
    All,
}

impl SavingsWant {
    /// What a run that reads `want` also reads of savings: reports about instances state net savings. Commands
    /// that show more name it themselves.
    pub const fn beside(want: Want) -> Self {
        match want {
            Want::Free => Self::Net,
            Want::All | Want::Local | Want::Storage(_) => Self::Nothing,
        }
    }

    /// True where the Spot market is read.
    pub const fn market(self) -> bool {
        matches!(self, Self::Market | Self::All)
    }

    /// True where resources are read, and with them the volumes that stopped instances pay for.
    pub const fn resources(self) -> bool {
        matches!(self, Self::Resources | Self::Network | Self::All)
    }
}

/// Settings of the bus for a run.
pub fn savings_settings(config: &Config, want: SavingsWant) -> SavingsSettings {
    SavingsSettings {
        commitments: want != SavingsWant::Nothing,
        market: want.market(),
        resources: want.resources(),
        sharing: config.commitments.is_shared(),
        groups: config.commitments.groups(),
        rules: SavingsRules {
            spot: config.spot.rules(&config.gpus.workload),
            ..SavingsRules::default()
        },
        ..SavingsSettings::default()
    }
}
