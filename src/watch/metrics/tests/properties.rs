//! What holds of any fleet.

use std::collections::BTreeSet;

use proptest::prelude::*;

use super::*;

const ACCOUNTS: [&str; 3] = ["111111111111", "222222222222", "333333333333"];
const REGIONS: [&str; 2] = ["us-east-1", "eu-west-1"];

/// Names that teams and types have: usual ones, those that this page gives a meaning, long ones that are alike once they are
/// cut, and texts that mean something to the format.
fn name() -> impl Strategy<Value = String> {
    prop_oneof![
        6 => (0..12_u8).prop_map(|n| format!("team-{n}")),
        1 => Just("other".to_owned()),
        1 => Just("(untagged)".to_owned()),
        1 => (0..2_u8).prop_map(|n| format!("{}{n}", "long ".repeat(50))),
        1 => prop::sample::select(crate::domain::text::hostile::TEXTS).prop_map(str::to_owned),
        1 => Just(String::new()),
    ]
}

prop_compose! {
    fn machines()(
        account in prop::sample::select(&ACCOUNTS[..]),
        region in prop::sample::select(&REGIONS[..]),
        team in prop::option::weighted(0.8, name()),
        instance_type in name(),
        usd in prop::option::weighted(0.8, 0.0..98.0),
        verdict in prop::option::weighted(0.8, prop::sample::select(&VerdictKind::ALL[..])),
    ) -> Machine {
        Machine { account, region, team, instance_type, usd, verdict }
    }
}

fn is_cent(a: f64, b: f64) -> bool {
    (a - b).abs() < 0.005
}

proptest! {
    #[test]
    fn rows_add_up_to_the_whole_to_the_cent_however_few_values_are_kept(
        machines in prop::collection::vec(machines(), 0..60),
        most_values in 0_usize..8,
    ) {
        let (fleet, gpus) = (fleet(&machines), GpuFleet::default());
        let totals = &fleet.totals;
        let read = Read::page(&MetricsInput { most_values, ..input(&fleet, &gpus) }, &WatchCounts::default());
        for family in [
            "burntop_burn_usd_per_hour",
            "burntop_use_burn_usd_per_hour",
            "burntop_team_burn_usd_per_hour",
            "burntop_type_burn_usd_per_hour",
        ] {
            prop_assert!(is_cent(read.sum(family), totals.burn), "{family}: {}", read.sum(family));
        }
        for family in [
            "burntop_waste_usd_per_hour",
            "burntop_team_waste_usd_per_hour",
            "burntop_type_waste_usd_per_hour",
        ] {
            prop_assert!(is_cent(read.sum(family), totals.waste), "{family}: {}", read.sum(family));
        }
        prop_assert_eq!(read.sum("burntop_unpriced_instances"), f64::from(totals.unpriced));
        prop_assert_eq!(read.sum("burntop_instances"), f64::from(totals.running));
        prop_assert_eq!(read.sum("burntop_type_instances"), f64::from(totals.running));
    }

    #[test]
    fn a_label_has_no_more_values_than_are_kept_and_the_rest(
        machines in prop::collection::vec(machines(), 1..60),
        most_values in 0_usize..8,
    ) {
        let (fleet, gpus) = (fleet(&machines), GpuFleet::default());
        let read = Read::page(&MetricsInput { most_values, ..input(&fleet, &gpus) }, &WatchCounts::default());
        for (family, label) in [
            ("burntop_burn_usd_per_hour", "account"),
            ("burntop_unpriced_instances", "region"),
            ("burntop_team_burn_usd_per_hour", "team"),
            ("burntop_team_waste_usd_per_hour", "team"),
            ("burntop_type_instances", "instance_type"),
        ] {
            let values: BTreeSet<&str> = read.values(family, label).into_iter().collect();
            prop_assert!(values.len() <= most_values + 1, "{family} {values:?}");
            prop_assert!(values.iter().all(|value| !value.contains(crate::domain::text::is_unsafe)));
        }
        // What is put together is counted: with it, all names are there.
        let names: BTreeSet<String> = machines
            .iter()
            .map(|of| super::super::kept::label_text(&of.instance_type).into_owned())
            .collect();
        let folded = read.value("burntop_label_values_folded", &["instance_type"]).unwrap();
        prop_assert_eq!(folded as usize, names.len().saturating_sub(most_values));
    }

    #[test]
    fn the_order_of_the_rows_changes_nothing(
        machines in prop::collection::vec(machines(), 1..30),
        most_values in 1_usize..5,
    ) {
        // Halves of a dollar add up exactly, in whatever order.
        let halved = |of: &Machine| Machine { usd: of.usd.map(f64::round), ..of.clone() };
        let machines: Vec<Machine> = machines.iter().map(halved).collect();
        let turned: Vec<Machine> = machines.iter().rev().cloned().collect();
        let text = |machines: &[Machine]| {
            let (fleet, gpus) = (fleet(machines), GpuFleet::default());
            let input = MetricsInput { most_values, ..input(&fleet, &gpus) };
            Metrics::of(&input, &WatchCounts::default()).text()
        };
        prop_assert_eq!(text(&machines), text(&turned));
    }
}
