//! The Idle tab: its columns and the page that says why.

mod evidence;
mod graph;
mod stakes;
mod why;

pub use evidence::{EvidenceLine, Standing};
pub use graph::{Graph, GraphPage};
pub use stakes::{Loss, Stakes};
pub use why::{WhyPage, why};

use super::field::Field;

/// The columns of the Idle tab, money first.
pub const DEFAULT_COLUMNS: &[Field] = &[
    Field::UsdPerHour,
    Field::WastedUsd,
    Field::Verdict,
    Field::IdleSince,
    Field::Gpu,
    Field::Cpu,
    Field::NetworkPerDay,
    Field::Coverage,
    Field::Team,
    Field::Name,
    Field::InstanceType,
];

/// The columns of the Idle tab on a screen: where there is room, the row also says which account
/// and region it is of.
pub const SCREEN_COLUMNS: &[Field] = &[
    Field::UsdPerHour,
    Field::WastedUsd,
    Field::Verdict,
    Field::IdleSince,
    Field::Gpu,
    Field::Cpu,
    Field::NetworkPerDay,
    Field::Coverage,
    Field::Team,
    Field::Name,
    Field::InstanceType,
    Field::Region,
    Field::Account,
];

#[cfg(test)]
mod tests;
