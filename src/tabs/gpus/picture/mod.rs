//! The GPUs tab: fields, groups, heat map, distribution, the page of one GPU, what is not seen.
//!
//! Everything is computed from a [`crate::fleet::GpuFleet`] alone, so that the screen and the
//! reports say the same.

pub mod blind;
pub mod detail;
mod facts;
mod field_table;
mod field_value;
pub mod group;
mod group_field;
pub mod heat;
pub mod histogram;
mod history;
pub mod order;
pub mod pulse;
pub mod rollup;
pub mod words;

#[cfg(test)]
pub(crate) mod fixture;

pub use blind::{BlindPanel, blind};
pub use detail::{GpuDetail, detail};
pub use field_table::GpuField;
pub use field_value::sources;
pub use group::{GpuGroup, GpuGrouping, GroupLine, group, is_single_group, lines};
pub use group_field::GroupField;
pub use heat::{HeatMap, HeatOrder, HeatUnit, HeatZoom};
pub use histogram::{BandSum, Histogram, histogram};
pub use history::GpuGraphPage;
pub use order::Steady;
#[cfg(test)]
pub use pulse::Ages;
pub use pulse::{Pulse, pulse};
pub use rollup::RollUp;

/// Default columns of the GPU list, dollars first.
pub const DEFAULT_COLUMNS: &[GpuField] = &[
    GpuField::UsdPerHour,
    GpuField::WastedUsd,
    GpuField::State,
    GpuField::IdleSince,
    GpuField::Effective,
    GpuField::Rung,
    GpuField::Util,
    GpuField::Mem,
    GpuField::Power,
    GpuField::TempC,
    GpuField::GpuIndex,
    GpuField::Node,
    GpuField::Model,
    GpuField::Team,
    GpuField::Owner,
];

#[cfg(test)]
mod tests;
