//! The other simulators: what a higher use, an autoscaler, other types, spot, fewer failed runs,
//! storage, network and people come to. Each is a function from a few inputs to a [`Sheet`] with its
//! arithmetic; [`order`] puts their savings one after the other, so that none is counted twice.

pub mod autoscale;
pub mod corrections;
pub mod effects;
pub mod failed_runs;
mod field;
pub mod gpu_savings;
mod kind;
pub mod network;
pub mod order;
pub mod programme;
pub mod rightsize;
mod sheet;
mod simulator;
pub mod spot_mix;
pub mod storage;
pub mod tco;
pub mod unit_cost;
mod words;

#[cfg(test)]
mod autoscale_tests;
#[cfg(test)]
mod corrections_tests;
#[cfg(test)]
mod failed_runs_tests;
#[cfg(test)]
mod order_tests;
#[cfg(test)]
mod programme_tests;
#[cfg(test)]
mod tests;

use serde::{Deserialize, Serialize};

pub use autoscale::Autoscale;
pub use failed_runs::FailedRuns;
pub use field::Knob;
pub use gpu_savings::GpuSavings;
pub use kind::{LeverError, LeverKind};
pub use network::Network;
pub use programme::Programme;
pub use rightsize::Rightsize;
pub use sheet::{Quantity, Series, Sheet, Unit};
pub use simulator::{Simulator, command};
pub use spot_mix::SpotMix;
pub use storage::Storage;
pub use tco::Tco;
pub use unit_cost::UnitCost;

/// The simulators of a scenario; `None` where one is not used.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Levers {
    /// Higher GPU utilisation, then Spot.
    pub gpu_savings: Option<GpuSavings>,
    /// Smaller or cheaper instance types.
    pub rightsize: Option<Rightsize>,
    /// An autoscaler, replayed over a load.
    pub autoscale: Option<Autoscale>,
    /// Cost of runs that do not succeed.
    pub failed_runs: Option<FailedRuns>,
    /// A share of a steady fleet on Spot.
    pub spot_mix: Option<SpotMix>,
    /// Savings found in storage.
    pub storage: Option<Storage>,
    /// Data transfer by route and price tier.
    pub network: Option<Network>,
    /// Total cost of ownership.
    pub tco: Option<Tco>,
    /// Cost of one prediction and of one run.
    pub unit_cost: Option<UnitCost>,
    /// A programme of savings in phases.
    pub programme: Option<Programme>,
}

impl Levers {
    /// True without any simulator.
    pub fn is_empty(&self) -> bool {
        LeverKind::ALL.into_iter().all(|kind| self.get(kind).is_none())
    }

    /// Kinds of the simulators in use, in the order shown.
    pub fn kinds(&self) -> impl Iterator<Item = LeverKind> + '_ {
        LeverKind::ALL.into_iter().filter(|kind| self.get(*kind).is_some())
    }

    /// The simulator of this kind; `None` where it is not used.
    pub fn get(&self, kind: LeverKind) -> Option<&dyn Simulator> {
        fn of<T: Simulator>(lever: Option<&T>) -> Option<&dyn Simulator> {
            lever.map(|lever| lever as &dyn Simulator)
        }
        match kind {
            LeverKind::GpuSavings => of(self.gpu_savings.as_ref()),
            LeverKind::Rightsize => of(self.rightsize.as_ref()),
            LeverKind::Autoscale => of(self.autoscale.as_ref()),
            LeverKind::FailedRuns => of(self.failed_runs.as_ref()),
            LeverKind::SpotMix => of(self.spot_mix.as_ref()),
            LeverKind::Storage => of(self.storage.as_ref()),
            LeverKind::Network => of(self.network.as_ref()),
            LeverKind::Tco => of(self.tco.as_ref()),
            LeverKind::UnitCost => of(self.unit_cost.as_ref()),
            LeverKind::Programme => of(self.programme.as_ref()),
        }
    }

    /// The simulator of this kind, mutable; `None` where it is not used.
    pub fn get_mut(&mut self, kind: LeverKind) -> Option<&mut dyn Simulator> {
        fn of<T: Simulator>(lever: Option<&mut T>) -> Option<&mut dyn Simulator> {
            lever.map(|lever| lever as &mut dyn Simulator)
        }
        match kind {
            LeverKind::GpuSavings => of(self.gpu_savings.as_mut()),
            LeverKind::Rightsize => of(self.rightsize.as_mut()),
            LeverKind::Autoscale => of(self.autoscale.as_mut()),
            LeverKind::FailedRuns => of(self.failed_runs.as_mut()),
            LeverKind::SpotMix => of(self.spot_mix.as_mut()),
            LeverKind::Storage => of(self.storage.as_mut()),
            LeverKind::Network => of(self.network.as_mut()),
            LeverKind::Tco => of(self.tco.as_mut()),
            LeverKind::UnitCost => of(self.unit_cost.as_mut()),
            LeverKind::Programme => of(self.programme.as_mut()),
        }
    }

    /// Adds the simulator of this kind with its defaults, lists with one element. One that is in use stays
    /// unchanged.
    pub fn add(&mut self, kind: LeverKind) {
        match kind {
            LeverKind::GpuSavings => _ = self.gpu_savings.get_or_insert_default(),
            LeverKind::Rightsize => {
                self.rightsize.get_or_insert_with(|| Rightsize { moves: vec![Default::default()] });
            }
            LeverKind::Autoscale => _ = self.autoscale.get_or_insert_default(),
            LeverKind::FailedRuns => _ = self.failed_runs.get_or_insert_default(),
            LeverKind::SpotMix => _ = self.spot_mix.get_or_insert_default(),
            LeverKind::Storage => _ = self.storage.get_or_insert_default(),
            LeverKind::Network => {
                let one = || Network { flows: vec![Default::default()], ..Default::default() };
                self.network.get_or_insert_with(one);
            }
            LeverKind::Tco => _ = self.tco.get_or_insert_default(),
            LeverKind::UnitCost => _ = self.unit_cost.get_or_insert_default(),
            LeverKind::Programme => {
                let one = || Programme { phases: vec![Default::default()], ..Default::default() };
                self.programme.get_or_insert_with(one);
            }
        }
    }

    /// Removes the simulator of this kind.
    pub fn remove(&mut self, kind: LeverKind) {
        match kind {
            LeverKind::GpuSavings => self.gpu_savings = None,
            LeverKind::Rightsize => self.rightsize = None,
            LeverKind::Autoscale => self.autoscale = None,
            LeverKind::FailedRuns => self.failed_runs = None,
            LeverKind::SpotMix => self.spot_mix = None,
            LeverKind::Storage => self.storage = None,
            LeverKind::Network => self.network = None,
            LeverKind::Tco => self.tco = None,
            LeverKind::UnitCost => self.unit_cost = None,
            LeverKind::Programme => self.programme = None,
        }
    }
}
