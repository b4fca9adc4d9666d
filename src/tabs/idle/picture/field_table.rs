//! The table of fields.

use crate::query::{Kind, Unit};
use crate::view::table_field::{Align, FieldSpec, field_table};

/// Names of the verdicts, in the order of `VerdictKind::ALL`.
pub(crate) const VERDICTS: [&str; 7] =
    ["idle", "partial", "underused", "unknown", "too_new", "busy", "exempt"];
/// Names of the states, in the order of `InstanceState`.
pub(crate) const STATES: [&str; 7] =
    ["pending", "running", "stopping", "stopped", "shutting-down", "terminated", "unknown"];
/// Names of the lifecycles, in their order.
pub(crate) const LIFECYCLES: [&str; 4] = ["on-demand", "spot", "scheduled", "capacity-block"];
/// Names of the tenancies, in their order.
pub(crate) const TENANCIES: [&str; 3] = ["shared", "dedicated", "host"];
/// Names of the platforms, in their order.
pub(crate) const PLATFORMS: [&str; 6] = ["linux", "windows", "rhel", "suse", "ubuntu-pro", "other"];

field_table! {
    /// A field of a row.
    pub enum Field => FIELDS {
        UsdPerHour {
            name: "usd_per_hour",
            aliases: &["$", "usd", "burn", "rate", "price"],
            header: "$/h",
            kind: Kind::Number(Unit::UsdPerHour),
            unit: "$/h",
            width: 8,
            grows: false,
            align: Align::Right,
            sort_key: Some('h'),
            descending_first: true,
            doc: "What the instance burns now at its list or spot price; 0 when it is not running.",
        }
        WastedUsd {
            name: "wasted_usd",
            aliases: &["wasted"],
            header: "WASTED",
            kind: Kind::Number(Unit::Usd),
            unit: "$",
            width: 8,
            grows: false,
            align: Align::Right,
            sort_key: Some('w'),
            descending_first: true,
            doc: "Dollars burned since the idle stretch began, times the idle share of the GPUs, at today's rate.",
        }
        WasteUsdPerHour {
            name: "waste_usd_per_hour",
            aliases: &["waste"],
            header: "WASTE/h",
            kind: Kind::Number(Unit::UsdPerHour),
            unit: "$/h",
            width: 8,
            grows: false,
            align: Align::Right,
            sort_key: Some('s'),
            descending_first: true,
            doc: "The part of $/h that goes to idle capacity: all of an idle instance, k of n GPUs of a partly idle one.",
        }
        Verdict {
            name: "verdict",
            aliases: &["status"],
            header: "VERDICT",
            kind: Kind::Choice(&VERDICTS),
            unit: "",
            width: 12,
            grows: false,
            align: Align::Left,
            sort_key: Some('v'),
            descending_first: false,
            doc: "What burntop concludes: idle, partial, underused, unknown, too_new, busy or exempt.",
        }
        IdleSince {
            name: "idle_since",
            aliases: &["idle", "since"],
            header: "SINCE",
            kind: Kind::Number(Unit::Seconds),
            unit: "",
            width: 7,
            grows: false,
            align: Align::Right,
            sort_key: Some('i'),
            descending_first: true,
            doc: "How long the uninterrupted idle stretch has lasted, ≥ where it may be longer; in exports, when it began.",
        }
        Gpu {
            name: "gpu",
            aliases: &["gpu_percent", "gpu%", "util"],
            header: "GPU",
            kind: Kind::Number(Unit::Percent),
            unit: "%",
            width: 4,
            grows: false,
            align: Align::Right,
            sort_key: Some('g'),
            descending_first: true,
            doc: "Mean GPU activity over all seen GPUs and judged hours: share of time with a kernel resident.",
        }
        Cpu {
            name: "cpu",
            aliases: &["cpu_percent", "cpu%"],
            header: "CPU",
            kind: Kind::Number(Unit::Percent),
            unit: "%",
            width: 4,
            grows: false,
            align: Align::Right,
            sort_key: Some('c'),
            descending_first: true,
            doc: "Mean CPU over the judged hours, of all vCPUs.",
        }
        NetworkPerDay {
            name: "network_per_day",
            aliases: &["network", "net"],
            header: "NET/d",
            kind: Kind::Number(Unit::BytesPerDay),
            unit: "B/d",
            width: 7,
            grows: false,
            align: Align::Right,
            sort_key: Some('n'),
            descending_first: true,
            doc: "Mean network bytes per day, in plus out.",
        }
        Coverage {
            name: "coverage",
            aliases: &["cov"],
            header: "COV",
            kind: Kind::Number(Unit::Percent),
            unit: "%",
            width: 4,
            grows: false,
            align: Align::Right,
            sort_key: Some('o'),
            descending_first: false,
            doc: "The lowest share of datapoints that came, over the signals the preset needs.",
        }
        Team {
            name: "team",
            aliases: &[],
            header: "TEAM",
            kind: Kind::Text,
            unit: "",
            width: 8,
            grows: true,
            align: Align::Left,
            sort_key: Some('t'),
            descending_first: false,
            doc: "Team, from tags.",
        }
        Project {
            name: "project",
            aliases: &["proj"],
            header: "PROJECT",
            kind: Kind::Text,
            unit: "",
            width: 10,
            grows: true,
            align: Align::Left,
            sort_key: Some('j'),
            descending_first: false,
            doc: "Project, from tags.",
        }
        Environment {
            name: "environment",
            aliases: &["env", "stage"],
            header: "ENV",
            kind: Kind::Text,
            unit: "",
            width: 6,
            grows: true,
            align: Align::Left,
            sort_key: Some('e'),
            descending_first: false,
            doc: "Environment, from tags.",
        }
        CostCenter {
            name: "cost_center",
            aliases: &["cost-center", "costcenter", "cc"],
            header: "COST CENTER",
            kind: Kind::Text,
            unit: "",
            width: 11,
            grows: true,
            align: Align::Left,
            sort_key: None,
            descending_first: false,
            doc: "Cost center, from tags.",
        }
        Name {
            name: "name",
            aliases: &[],
            header: "NAME",
            kind: Kind::Text,
            unit: "",
            width: 16,
            grows: true,
            align: Align::Left,
            sort_key: Some('a'),
            descending_first: false,
            doc: "The Name tag.",
        }
        InstanceType {
            name: "instance_type",
            aliases: &["type"],
            header: "TYPE",
            kind: Kind::Text,
            unit: "",
            width: 14,
            grows: true,
            align: Align::Left,
            sort_key: Some('y'),
            descending_first: false,
            doc: "Instance type.",
        }
        InstanceId {
            name: "instance_id",
            aliases: &["id", "instance"],
            header: "INSTANCE",
            kind: Kind::Text,
            unit: "",
            width: 19,
            grows: false,
            align: Align::Left,
            sort_key: None,
            descending_first: false,
            doc: "Instance id.",
        }
        Account {
            name: "account",
            aliases: &["acct"],
            header: "ACCOUNT",
            kind: Kind::Text,
            unit: "",
            width: 12,
            grows: false,
            align: Align::Left,
            sort_key: Some('u'),
            descending_first: false,
            doc: "Account id.",
        }
        Region {
            name: "region",
            aliases: &[],
            header: "REGION",
            kind: Kind::Text,
            unit: "",
            width: 12,
            grows: true,
            align: Align::Left,
            sort_key: Some('r'),
            descending_first: false,
            doc: "Region.",
        }
        Az {
            name: "az",
            aliases: &["zone"],
            header: "ZONE",
            kind: Kind::Text,
            unit: "",
            width: 12,
            grows: true,
            align: Align::Left,
            sort_key: Some('z'),
            descending_first: false,
            doc: "Availability zone.",
        }
        State {
            name: "state",
            aliases: &[],
            header: "STATE",
            kind: Kind::Choice(&STATES),
            unit: "",
            width: 13,
            grows: false,
            align: Align::Left,
            sort_key: None,
            descending_first: false,
            doc: "EC2's instance state.",
        }
        Lifecycle {
            name: "lifecycle",
            aliases: &["market"],
            header: "MARKET",
            kind: Kind::Choice(&LIFECYCLES),
            unit: "",
            width: 14,
            grows: false,
            align: Align::Left,
            sort_key: Some('k'),
            descending_first: false,
            doc: "How the capacity was bought: on-demand, spot, scheduled or capacity-block.",
        }
        Tenancy {
            name: "tenancy",
            aliases: &[],
            header: "TENANCY",
            kind: Kind::Choice(&TENANCIES),
            unit: "",
            width: 9,
            grows: false,
            align: Align::Left,
            sort_key: None,
            descending_first: false,
            doc: "Shared, dedicated or host.",
        }
        Platform {
            name: "platform",
            aliases: &["os"],
            header: "OS",
            kind: Kind::Choice(&PLATFORMS),
            unit: "",
            width: 10,
            grows: false,
            align: Align::Left,
            sort_key: None,
            descending_first: false,
            doc: "Operating system and licensed software that the price includes.",
        }
        Gpus {
            name: "gpus",
            aliases: &["gpu_count"],
            header: "GPUS",
            kind: Kind::Number(Unit::Count),
            unit: "",
            width: 5,
            grows: false,
            align: Align::Right,
            sort_key: Some('p'),
            descending_first: true,
            doc: "GPUs or accelerators; a fraction for fractional types.",
        }
        IdleGpus {
            name: "idle_gpus",
            aliases: &[],
            header: "IDLE GPUS",
            kind: Kind::Number(Unit::Count),
            unit: "",
            width: 9,
            grows: false,
            align: Align::Right,
            sort_key: Some('l'),
            descending_first: true,
            doc: "GPUs that were idle for the minimum stretch.",
        }
        GpuModel {
            name: "gpu_model",
            aliases: &["model"],
            header: "MODEL",
            kind: Kind::Text,
            unit: "",
            width: 12,
            grows: true,
            align: Align::Left,
            sort_key: Some('m'),
            descending_first: false,
            doc: "GPU or accelerator model.",
        }
        Vcpus {
            name: "vcpus",
            aliases: &["vcpu", "cores"],
            header: "VCPU",
            kind: Kind::Number(Unit::Count),
            unit: "",
            width: 5,
            grows: false,
            align: Align::Right,
            sort_key: None,
            descending_first: true,
            doc: "vCPUs of the type.",
        }
        Memory {
            name: "memory",
            aliases: &["mem", "ram"],
            header: "MEMORY",
            kind: Kind::Number(Unit::Bytes),
            unit: "GiB",
            width: 9,
            grows: false,
            align: Align::Right,
            sort_key: None,
            descending_first: true,
            doc: "Memory of the type.",
        }
        Owner {
            name: "owner",
            aliases: &["managed_by"],
            header: "OWNER",
            kind: Kind::Text,
            unit: "",
            width: 16,
            grows: true,
            align: Align::Left,
            sort_key: None,
            descending_first: false,
            doc: "What manages the instance and may replace it: group, cluster, queue or stack.",
        }
        Age {
            name: "age",
            aliases: &[],
            header: "AGE",
            kind: Kind::Number(Unit::Seconds),
            unit: "",
            width: 4,
            grows: false,
            align: Align::Right,
            sort_key: None,
            descending_first: true,
            doc: "Time since the oldest of launch and root volume attachment.",
        }
        LaunchedAt {
            name: "launched_at",
            aliases: &["launched"],
            header: "LAUNCHED",
            kind: Kind::Time,
            unit: "UTC",
            width: 16,
            grows: false,
            align: Align::Left,
            sort_key: Some('d'),
            descending_first: true,
            doc: "Last launch; a stop and start resets it.",
        }
        PriceBasis {
            name: "price_basis",
            aliases: &["basis"],
            header: "PRICE BASIS",
            kind: Kind::Text,
            unit: "",
            width: 28,
            grows: true,
            align: Align::Left,
            sort_key: None,
            descending_first: false,
            doc: "List or spot price, who says so and of which date.",
        }
        Reason {
            name: "reason",
            aliases: &[],
            header: "REASON",
            kind: Kind::Text,
            unit: "",
            width: 30,
            grows: true,
            align: Align::Left,
            sort_key: None,
            descending_first: false,
            doc: "Why the verdict is what it is.",
        }
        Expires {
            name: "expires",
            aliases: &["marked_until"],
            header: "EXPIRES",
            kind: Kind::Time,
            unit: "UTC",
            width: 16,
            grows: false,
            align: Align::Left,
            sort_key: Some('x'),
            descending_first: false,
            doc: "From when on a marked instance may be stopped: its tag burntop:expires.",
        }
        NetUsdPerHour {
            name: "net_usd_per_hour",
            aliases: &["net_usd", "net_rate", "saves"],
            header: "NET OFF",
            kind: Kind::Number(Unit::UsdPerHour),
            unit: "$/h",
            width: 8,
            grows: false,
            align: Align::Right,
            sort_key: Some('f'),
            descending_first: true,
            doc: "What the whole bill falls by when this instance alone stops, commitments considered; $/h is gross.",
        }
        NetWasteUsdPerHour {
            name: "net_waste_usd_per_hour",
            aliases: &["net_waste"],
            header: "NET WASTE",
            kind: Kind::Number(Unit::UsdPerHour),
            unit: "$/h",
            width: 9,
            grows: false,
            align: Align::Right,
            sort_key: None,
            descending_first: true,
            doc: "The part of the net that goes to idle capacity, commitments considered.",
        }
        CoveredBy {
            name: "covered_by",
            aliases: &["covered", "commitment"],
            header: "COVERED BY",
            kind: Kind::Text,
            unit: "",
            width: 24,
            grows: true,
            align: Align::Left,
            sort_key: Some('b'),
            descending_first: false,
            doc: "The commitments that pay for the instance: kind, id, and the share where it is a part.",
        }
    }
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
