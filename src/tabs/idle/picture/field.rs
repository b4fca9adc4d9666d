//! The fields of a fleet row: one table from which columns, filter, sort and exports come.

/// A field of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[expect(missing_docs, reason = "each field is documented in the field table")]
pub enum Field {
    UsdPerHour,
    WastedUsd,
    WasteUsdPerHour,
    Verdict,
    IdleSince,
    Gpu,
    Cpu,
    NetworkPerDay,
    Coverage,
    Team,
    Project,
    Environment,
    CostCenter,
    Name,
    InstanceType,
    InstanceId,
    Account,
    Region,
    Az,
    State,
    Lifecycle,
    Tenancy,
    Platform,
    Gpus,
    IdleGpus,
    GpuModel,
    Vcpus,
    Memory,
    Owner,
    Age,
    LaunchedAt,
    PriceBasis,
    Reason,
    Expires,
    NetUsdPerHour,
    NetWasteUsdPerHour,
    CoveredBy,
}

impl Field {
    /// All fields, in the order of the table.
    pub const ALL: [Self; 37] = [
        Self::UsdPerHour,
        Self::WastedUsd,
        Self::WasteUsdPerHour,
        Self::Verdict,
        Self::IdleSince,
        Self::Gpu,
        Self::Cpu,
        Self::NetworkPerDay,
        Self::Coverage,
        Self::Team,
        Self::Project,
        Self::Environment,
        Self::CostCenter,
        Self::Name,
        Self::InstanceType,
        Self::InstanceId,
        Self::Account,
        Self::Region,
        Self::Az,
        Self::State,
        Self::Lifecycle,
        Self::Tenancy,
        Self::Platform,
        Self::Gpus,
        Self::IdleGpus,
        Self::GpuModel,
        Self::Vcpus,
        Self::Memory,
        Self::Owner,
        Self::Age,
        Self::LaunchedAt,
        Self::PriceBasis,
        Self::Reason,
        Self::Expires,
        Self::NetUsdPerHour,
        Self::NetWasteUsdPerHour,
        Self::CoveredBy,
    ];
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;
    use crate::query::{Kind, Unit};
    use crate::view::{Align, TableField};

    #[test]
    fn each_field_stands_at_its_place() {
        for (i, field) in Field::ALL.into_iter().enumerate() {
            assert_eq!(field as usize, i);
            assert_eq!(Field::of(field.spec()), Some(field));
        }
    }

    #[test]
    fn names_and_aliases_are_unique_and_found_in_any_case() {
        let mut seen = HashSet::new();
        for field in Field::ALL {
            let spec = field.spec();
            for name in std::iter::once(&spec.name).chain(spec.aliases) {
                assert!(seen.insert(name.to_lowercase()), "{name} twice");
                assert_eq!(Field::table().find(&name.to_uppercase()), Some(spec), "{name}");
            }
        }
        for (alias, field) in [
            ("env", Field::Environment),
            ("gpu", Field::Gpu),
            ("gpus", Field::Gpus),
            ("$", Field::UsdPerHour),
            ("idle", Field::IdleSince),
        ] {
            assert_eq!(Field::table().find(alias), Some(field.spec()));
        }
        assert_eq!(Field::table().find("nonsense"), None);
    }

    #[test]
    fn sort_keys_are_unique_letters_of_their_heading() {
        let mut seen = HashSet::new();
        for spec in Field::ALL.map(Field::spec) {
            let Some(key) = spec.sort_key else { continue };
            assert!(seen.insert(key), "{key} sorts two fields");
            assert!(spec.header.to_lowercase().contains(key), "{key} is not in {}", spec.header);
            assert_eq!(Field::table().by_sort_key(key), Some(spec));
        }
        for field in crate::tabs::idle::picture::DEFAULT_COLUMNS {
            assert!(field.spec().sort_key.is_some(), "{} cannot be sorted", field.spec().name);
        }
    }

    #[test]
    fn headings_fit_and_numbers_are_right_aligned() {
        for spec in Field::ALL.map(Field::spec) {
            assert!(spec.header.len() <= usize::from(spec.width), "{}", spec.name);
            let number = matches!(spec.kind, Kind::Number(_));
            assert_eq!(spec.align == Align::Right, number, "{}", spec.name);
            assert!(spec.doc.ends_with('.'), "{}", spec.name);
            let money = matches!(spec.kind, Kind::Number(Unit::Usd | Unit::UsdPerHour));
            assert!(!money || spec.unit.starts_with('$'), "{}", spec.name);
        }
    }
}
