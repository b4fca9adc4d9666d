//! What holds for any price, band and rule.

use proptest::prelude::*;

use super::fixture::{World, instance};
use crate::analyze::spot::fit::{Given, Terms};
use crate::analyze::spot::lot::on_demand;
use crate::analyze::spot::worth::{Ask, worth};
use crate::analyze::spot::{Assumptions, WorkKind, asg_policy};
use crate::fleet::savings::SpotFit;

const KINDS: [WorkKind; 4] =
    [WorkKind::Training, WorkKind::Batch, WorkKind::Serving, WorkKind::Other];
const WORDS: [&str; 12] = [
    "train", "sweep", "batch", "serve", "notebook", "db", "worker", "exp", "x", "stream", "llm",
    "prod",
];

fn given(value: f64) -> Given {
    Given { value, assumed: false }
}

fn terms(checkpoint: f64, restart: f64, availability: f64) -> Terms {
    Terms {
        checkpoint_hours: given(checkpoint),
        restart_hours: given(restart),
        availability: given(availability),
    }
}

proptest! {
    #[test]
    fn useful_hours_cost_between_spot_and_on_demand(
        on_demand in 0.01..200.0f64, part in 0.05..1.5f64, per_hour in 0.0..3.0f64, kind in 0..4usize,
        write in 0.0..1.0f64, restart in 0.0..4.0f64, there in 0.0..=1.0f64,
    ) {
        let ask = Ask { on_demand, spot: on_demand * part, per_hour, kind: KINDS[kind] };
        let found = worth(&ask, &terms(write, restart, there), &Assumptions::default());
        prop_assert!(found.blended <= on_demand * (1.0 + 1e-12));
        prop_assert!(found.blended >= ask.spot.min(on_demand) * (1.0 - 1e-12));
        prop_assert!(found.on_spot.is_none_or(|usd| usd >= ask.spot * (1.0 - 1e-12)));
        // Worth it if and only if the overhead is below d ÷ (1 − d), in dollars: cheaper.
        let cheaper = found.on_spot.is_some_and(|usd| usd < on_demand * (1.0 - 1e-9));
        let dearer = found.on_spot.is_none_or(|usd| usd > on_demand * (1.0 + 1e-9));
        prop_assert!(!cheaper || found.pays());
        prop_assert!(!dearer || !found.pays());
    }

    #[test]
    fn more_interruptions_never_help(
        part in 0.05..1.2f64, few in 0.0..2.0f64, more in 0.0..2.0f64, kind in 0..4usize,
        write in 0.0..1.0f64, restart in 0.0..4.0f64, there in 0.0..=1.0f64,
    ) {
        let at = |per_hour| {
            let ask = Ask { on_demand: 1.0, spot: part, per_hour, kind: KINDS[kind] };
            worth(&ask, &terms(write, restart, there), &Assumptions::default())
        };
        let (calm, rough) = (at(few), at(few + more));
        prop_assert!(rough.blended >= calm.blended - 1e-12);
        prop_assert!(rough.efficiency <= calm.efficiency + 1e-12);
    }

    #[test]
    fn what_it_bears_is_where_it_stops_to_pay(
        part in 0.05..0.95f64, kind in 0..4usize, write in 0.01..1.0f64, restart in 0.0..4.0f64,
    ) {
        let at = |per_hour| {
            let ask = Ask { on_demand: 1.0, spot: part, per_hour, kind: KINDS[kind] };
            worth(&ask, &terms(write, restart, 1.0), &Assumptions::default())
        };
        if let Some(limit) = at(0.1).bears_per_hour {
            prop_assert!(at(limit * 0.999).pays(), "{}", limit);
            prop_assert!(!at(limit * 1.001).pays(), "{}", limit);
        }
    }

    #[test]
    fn base_and_above_are_the_whole(count in 0u32..500, base in 0u32..600, percent in 0u32..=100) {
        let stay = on_demand(count, base, percent);
        prop_assert!(stay <= count && stay >= base.min(count));
        // Against counting one by one how EC2 rounds: the least whole number not below the part.
        let above = count - base.min(count);
        let least = (0..=above).find(|n| n * 100 >= above * percent).unwrap();
        prop_assert_eq!(stay, base.min(count) + least);
    }

    #[test]
    fn for_any_fleet(
        boxes in prop::collection::vec((0..3usize, 0..12usize, 0..12usize, 0..3usize), 1..25),
        spot in 0.05..1.3f64, reserved in 0u32..10, base in 0u32..4, percent in 0u32..=100,
    ) {
        let types = [("g5.xlarge", 1.006), ("p4d.24xlarge", 21.957_642), ("m5.xlarge", 0.192)];
        let mut world = World::default().reserved(reserved, "g5.xlarge", 0.6);
        for (name, usd) in types {
            world = world.on_demand(name, usd).spot(name, &[("a", usd * spot), ("b", usd * 1.01)]);
        }
        for (n, (kind, first, second, group)) in boxes.iter().enumerate() {
            let name = format!("{}-{}-{n}", WORDS[*first], WORDS[*second]);
            let group = format!("group-{group}");
            let mut tags = vec![("Name", name.as_str())];
            if *kind < 2 {
                tags.push(("aws:autoscaling:groupName", group.as_str()));
            }
            world = world.with(instance(&format!("i-{n}"), types[*kind].0, &tags));
        }
        world.rules.base_instances = base;
        world.rules.on_demand_percent = percent;
        let rows = world.rows();
        prop_assert_eq!(rows.len(), boxes.len());
        for row in &rows {
            let speaks = WORDS[..6].iter().any(|word| row.name.contains(word));
            prop_assert!(speaks || row.fit == SpotFit::Unknown, "{}", row.name);
            let worth = [row.effective, row.gross_usd_per_hour, row.net_usd_per_hour];
            match row.fit {
                SpotFit::No | SpotFit::Unknown => prop_assert_eq!(worth, [None; 3]),
                SpotFit::Yes | SpotFit::Partial => {
                    let [effective, gross, net] = worth.map(Option::unwrap);
                    let on_demand = row.on_demand.unwrap();
                    prop_assert!(effective <= on_demand + 1e-9);
                    prop_assert!(effective >= row.zones[0].usd_per_hour.min(on_demand) - 1e-9);
                    prop_assert!(net <= gross.max(0.0) + 1e-9, "{} {}", net, gross);
                }
            }
        }
        let nets: Vec<f64> = rows.iter().filter_map(|r| r.net_usd_per_hour).collect();
        prop_assert!(nets.is_sorted_by(|a, b| a >= b), "{:?}", nets);
        let mut seen = std::collections::BTreeSet::new();
        let mut seen_groups = std::collections::BTreeSet::new();
        for fleet in world.mixed() {
            prop_assert_eq!(fleet.on_demand + fleet.spot(), fleet.count);
            prop_assert!(fleet.spot() > 0 && fleet.gross_usd_per_hour.unwrap() > 0.0);
            prop_assert!(fleet.net_usd_per_hour.unwrap() <= fleet.gross_usd_per_hour.unwrap() + 1e-9);
            for id in &fleet.instances {
                prop_assert!(seen.insert(id.clone()), "in two fleets");
            }
            let Some(policy) = asg_policy(&fleet) else {
                prop_assert!(fleet.no_policy.is_some() && fleet.owner.is_some());
                continue;
            };
            prop_assert!(fleet.no_policy.is_none());
            let text = policy.to_string();
            prop_assert!(serde_json::from_str::<serde_json::Value>(&text).is_ok());
            let Some(owner) = fleet.owner.as_ref() else { continue };
            // Who is in the group, by its tag and not by lots.
            let members = rows.iter().filter(|row| {
                let instance = world.instances.iter().find(|i| i.id == row.id).unwrap();
                instance.owners.contains(owner)
            });
            let (may, must_not): (Vec<_>, Vec<_>) =
                members.partition(|m| matches!(m.fit, SpotFit::Yes | SpotFit::Partial));
            prop_assert!(must_not.iter().all(|m| m.fit == SpotFit::Unknown));
            prop_assert!(fleet.base as usize >= must_not.len());
            prop_assert_eq!(fleet.count as usize, may.len() + must_not.len());
            prop_assert!(seen_groups.insert(owner.name.clone()), "two policies for one group");
        }
    }
}
