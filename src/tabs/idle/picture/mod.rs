//! The Idle tab: its columns and the page that says why.

mod ask;
mod evidence;
pub(crate) mod field_table;
pub(crate) mod field_value;
mod graph;
mod stakes;
mod why;

pub use ask::{message, sentences as ask_sentences};
pub use evidence::{EvidenceLine, Standing, lines as evidence_lines};
pub use field_table::Field;
pub use field_value::owner_words;
pub use graph::{Graph, GraphPage};
pub use stakes::Stakes;
pub use why::{WhyPage, why};

/// Default columns in reports, dollars first.
pub const DEFAULT_COLUMNS: &[Field] = &[
    Field::UsdPerHour,
    Field::WasteUsdPerHour,
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

/// Default columns on screen: also what speaks against stopping an instance; on wide terminals also the net saving of a stop, what pays for the instance,
/// its account and region, and the likely reason.
pub const SCREEN_COLUMNS: &[Field] = &[
    Field::UsdPerHour,
    Field::NetUsdPerHour,
    Field::WasteUsdPerHour,
    Field::WastedUsd,
    Field::Verdict,
    Field::IdleSince,
    Field::AgainstStop,
    Field::Gpu,
    Field::Cpu,
    Field::NetworkPerDay,
    Field::Coverage,
    Field::Team,
    Field::Name,
    Field::InstanceType,
    Field::Region,
    Field::Account,
    Field::CoveredBy,
    Field::Likely,
];

#[cfg(test)]
mod tests;
