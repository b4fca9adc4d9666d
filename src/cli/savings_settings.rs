//! From the configuration to what is read of commitments, the Spot market and resources.

use super::telemetry::Want;
use crate::analyze::savings::SavingsRules;
use crate::bus::SavingsSettings;
use crate::config::Config;

/// What a run wants of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SavingsWant {
    /// Nothing.
    Nothing,
    /// Commitments alone: what stopping an instance saves net of them.
    Net,
    /// Commitments, the Spot market and what zones offer: what an instance may become.
    Market,
    /// Commitments, and resources that are no instances: what else idles, net of them.
    Resources,
    /// All of it, and storage as far as the Overview sums it.
    All,
}

impl SavingsWant {
    /// What goes without saying with what is read otherwise: reports about instances say what is
    /// saved net. Those that show more name it themselves.
    pub const fn beside(want: Want) -> Self {
        match want {
            Want::Free => Self::Net,
            Want::All | Want::Local | Want::Storage(_) => Self::Nothing,
        }
    }

    /// The Spot market is read.
    pub const fn market(self) -> bool {
        matches!(self, Self::Market | Self::All)
    }

    /// Resources are read, and with them the volumes that stopped instances go on paying for.
    pub const fn resources(self) -> bool {
        matches!(self, Self::Resources | Self::All)
    }
}

/// The settings of a run.
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
