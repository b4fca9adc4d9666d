//! The Idle tab: its columns and the "why" page.

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
