//! What holds for any fleet and any commitments.

use std::collections::HashSet;
use std::sync::Arc;

use proptest::prelude::*;

use super::make::*;
use super::naive;
use crate::domain::{Commitment, Commits, Holdings, Instance, Platform, Scope};
use crate::fleet::PriceBook;
use crate::fleet::commitments::{Applier, Meter, Net, Running, covers, joint_saving};

const TYPES: [(&str, f64); 7] = [
    ("g5.xlarge", 1.006),
    ("g5.2xlarge", 1.212),
    ("p4d.24xlarge", 21.957_642),
    ("m5.large", 0.096),
    ("m5.xlarge", 0.192),
    ("m5.2xlarge", 0.384),
    ("m5.metal", 4.608),
];
const ACCOUNTS: [&str; 3] = [A, B, C];
const ZONES: [&str; 2] = ["us-east-1a", "us-east-1b"];

fn book() -> PriceBook {
    let mut book = prices(&TYPES);
    let windows = TYPES.map(|(of, price)| (of, 1.4 * price));
    for (of, price) in windows {
        let list = priced(&[(of, price)], Platform::Windows, crate::domain::Tenancy::Shared);
        let region = EAST.into();
        let rate =
            list.list_price(&region, &of.into(), Platform::Windows, crate::domain::Tenancy::Shared);
        book.extend([&crate::domain::Offer {
            region,
            az: None,
            instance_type: of.into(),
            platform: Platform::Windows,
            tenancy: crate::domain::Tenancy::Shared,
            rate: rate.unwrap().clone(),
        }]);
    }
    book
}

/// Account, zone, type, platform, in which reservation, how many.
type Many = (usize, usize, usize, bool, Option<usize>, usize);

fn fleet(raw: &[Many]) -> Vec<Arc<Instance>> {
    let mut out = Vec::new();
    for (group, (account, zone, of, windows, inside, n)) in raw.iter().enumerate() {
        let mut it = meter(ACCOUNTS[*account], ZONES[*zone], TYPES[*of].0);
        if let Some(inside) = inside {
            // A capacity reservation is for one type in one zone, whoever uses it.
            it = meter(ACCOUNTS[*account], ZONES[0], TYPES[*inside].0);
            it.reservation = Some(format!("cr-{inside}").into());
        } else if *windows {
            it.platform = Platform::Windows;
        }
        out.extend(instances(&format!("i-{group}-"), *n, &it));
    }
    out
}

/// The same, in no reserved capacity but that which is held: of any other the net is not known.
fn fleet_in(raw: &[Many], holdings: &Holdings) -> Vec<Arc<Instance>> {
    let mut fleet = fleet(raw);
    for one in &mut fleet {
        let is_held = |id: &Arc<str>| holdings.items.iter().any(|item| item.id == *id);
        if one.capacity_reservation.as_ref().is_some_and(|id| !is_held(id)) {
            Arc::make_mut(one).capacity_reservation = None;
        }
    }
    fleet
}

fn some() -> impl Strategy<Value = Vec<Many>> {
    let one = (
        0..3usize,
        0..2usize,
        0..TYPES.len(),
        prop::bool::weighted(0.2),
        prop::option::weighted(0.2, 0..3usize),
        0..5usize,
    );
    prop::collection::vec(one, 0..8)
}

/// Kind, account, type, zone, how many, discount.
type Bought = (u8, usize, usize, usize, u32, f64);

fn bought() -> impl Strategy<Value = Vec<Bought>> {
    let one = (0..6u8, 0..3usize, 0..TYPES.len(), 0..2usize, 1..5u32, 0.3..1.1f64);
    prop::collection::vec(one, 0..8)
}

fn holdings(raw: &[Bought], sharing: bool) -> Holdings {
    let mut items: Vec<Commitment> = Vec::new();
    for (n, (kind, account, of, zone, count, part)) in raw.iter().enumerate() {
        let (id, owner) = (format!("c-{n}"), ACCOUNTS[*account]);
        let (name, price) = TYPES[*of];
        // Each type has another discount, so that few savings are equal.
        let rates: Vec<(&str, f64)> = TYPES
            .iter()
            .enumerate()
            .map(|(n, (of, price))| (*of, price * part * (0.9 + 0.01 * n as f64)))
            .collect();
        items.push(match kind {
            0 => zonal(&id, owner, *count, name, ZONES[*zone], price * part),
            1 => regional(&id, owner, *count, name, price * part),
            2 => ec2_plan(
                &id,
                owner,
                name.split('.').next().unwrap(),
                f64::from(*count) * price * 0.4,
                &rates,
            ),
            3 => compute(&id, owner, f64::from(*count) * price * 0.4, &rates),
            4 => Commitment { end: Some(now()), ..regional(&id, owner, *count, name, price) },
            _ => {
                let of = of % 3;
                let id = format!("cr-{of}");
                if items.iter().any(|item| *item.id == *id) {
                    continue;
                }
                odcr(&id, owner, (*count, *count), TYPES[of].0)
            }
        });
    }
    Holdings { sharing, ..held(items) }
}

/// Meters and units of a fleet, in the order of first appearance.
fn metered(fleet: &[Arc<Instance>]) -> (Vec<Meter>, Vec<f64>) {
    let running = Running::new(fleet, [], &held([]), &PriceBook::default(), now());
    (running.applier().meters().to_vec(), running.units().to_vec())
}

fn saves(nets: &std::collections::HashMap<Arc<str>, Arc<Net>>, id: &str) -> f64 {
    nets[id].saves_usd_per_hour().unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn every_unit_and_dollar_is_somewhere(raw in some(), of in bought(), sharing: bool) {
        let (meters, units) = metered(&fleet(&raw));
        let holdings = holdings(&of, sharing);
        let applier = Applier::new(meters, &holdings, &book(), now());
        let applied = applier.apply(&units);
        let mut covered = vec![0.0; applier.meters().len()];
        let mut used = vec![(0.0, 0.0); holdings.items.len()];
        for step in &applied.covered {
            prop_assert!(step.units > 0.0 && step.usd >= 0.0 && step.taken >= 0.0);
            covered[step.meter] += step.units;
            used[step.commitment].0 += step.usd;
            used[step.commitment].1 += step.taken;
        }
        for (meter, covered) in covered.iter().enumerate() {
            let (all, open) = (applied.units[meter], applied.on_demand_units[meter]);
            prop_assert!(open >= 0.0 && (covered + open - all).abs() < 1e-9, "{meter}");
        }
        prop_assert_eq!(&applied.units[..units.len()], &units[..]);
        let mut committed = 0.0;
        for (item, (usd, taken)) in holdings.items.iter().zip(used) {
            let (holds, paid) = match &item.commits {
                Commits::Reserved(it) => {
                    (f64::from(it.count), f64::from(it.count) * it.usd_per_hour.unwrap())
                }
                Commits::Plan(plan) => (plan.usd_per_hour, plan.usd_per_hour),
                Commits::Capacity(_) => (0.0, 0.0),
            };
            if item.is_in_force(now()) {
                committed += paid;
            }
            prop_assert!(taken <= holds + 1e-9 && usd <= paid + 1e-9, "{}", item.id);
            prop_assert!(item.is_in_force(now()) || usd == 0.0);
        }
        prop_assert!((applied.committed_usd - committed).abs() < 1e-9);
        prop_assert!((applied.total_usd() - applier.total_usd(&units)).abs() < 1e-9);
        let by_item: Vec<f64> = applied.used_usd.clone();
        for step in &applied.covered {
            let account = &holdings.items[step.commitment].account;
            let theirs = &applier.meters()[step.meter].scope.account;
            prop_assert!(sharing || account == theirs);
            prop_assert!(by_item[step.commitment] >= step.usd - 1e-12);
        }
    }

    /// Accounts A and B are a group, C is in none.
    #[test]
    fn groups_are_served_before_others_or_alone(
        raw in some(), of in bought(), restricted: bool,
    ) {
        let fleet = fleet(&raw);
        let book = book();
        let groups = crate::domain::SharingGroups::new([[A, B]], restricted);
        let holdings = Holdings { groups, ..holdings(&of, true) };
        let turn = |owner: &str, user: &str| match (owner == user, owner == C || user == C) {
            (true, _) => Some(0),
            (_, false) => Some(1),
            (_, true) => (!restricted).then_some(2),
        };
        let refs: Vec<&Instance> = fleet.iter().map(|i| &**i).collect();
        let (committed, open) = naive::bill_by(&refs, &holdings, &book, now(), turn);
        let running = Running::new(&fleet, [], &holdings, &book, now());
        let applied = running.applier().apply(running.units());
        prop_assert!((applied.committed_usd - committed).abs() < 1e-9);
        prop_assert!(
            (applied.on_demand_usd - open).abs() < 1e-7,
            "{} is not {open}", applied.on_demand_usd
        );
        for step in &applied.covered {
            let owner = &*holdings.items[step.commitment].account;
            let user = &*running.applier().meters()[step.meter].scope.account;
            let outside = owner != user && (owner == C || user == C);
            prop_assert!(!restricted || !outside, "{owner} pays for {user}");
        }
    }

    #[test]
    fn as_one_instance_after_the_other(raw in some(), of in bought(), sharing: bool) {
        let fleet = fleet(&raw);
        let (holdings, book) = (holdings(&of, sharing), book());
        let refs: Vec<&Instance> = fleet.iter().map(|i| &**i).collect();
        let (committed, open) = naive::bill(&refs, &holdings, &book, now());
        let running = Running::new(&fleet, [], &holdings, &book, now());
        let applied = running.applier().apply(running.units());
        prop_assert!((applied.committed_usd - committed).abs() < 1e-9);
        prop_assert!(
            (applied.on_demand_usd - open).abs() < 1e-7,
            "{} is not {open}", applied.on_demand_usd
        );
    }

    #[test]
    fn less_usage_never_costs_more(
        raw in some(), of in bought(), sharing: bool, less in prop::collection::vec(0.0..1.0f64, 40),
    ) {
        let (meters, units) = metered(&fleet(&raw));
        let applier = Applier::new(meters.clone(), &holdings(&of, sharing), &book(), now());
        // Inside reserved capacity less is no less: its room stays billed.
        let fewer: Vec<f64> = units.iter().zip(&less).zip(&meters)
            .map(|((n, part), meter)| if meter.reservation.is_some() { *n } else { n * part })
            .collect();
        prop_assert!(applier.total_usd(&fewer) <= applier.total_usd(&units) + 1e-9);
    }

    #[test]
    fn one_that_stops_saves_what_the_bill_falls_by(raw in some(), of in bought(), sharing: bool) {
        let (holdings, book) = (holdings(&of, sharing), book());
        let fleet = fleet_in(&raw, &holdings);
        let nets = covers(&fleet, &holdings, &book, now());
        prop_assert_eq!(nets.len(), fleet.len());
        let refs: Vec<&Instance> = fleet.iter().map(|i| &**i).collect();
        let bill = |refs: &[&Instance], room: &Holdings| naive::bill(refs, room, &book, now()).1;
        // What is unused is told by AWS for the fleet as it is: without the one it is one more.
        let mut sum = 0.0;
        for (place, one) in fleet.iter().enumerate().step_by(3) {
            let mut others = refs.clone();
            others.remove(place);
            let expected = bill(&refs, &holdings) - bill(&others, &holdings);
            let price = book.rate_of(one).unwrap().usd_per_hour;
            let saves = saves(&nets, &one.id);
            prop_assert!((saves - expected).abs() < 1e-7, "{}: {saves} is not {expected}", one.id);
            // A plan may leave what it must serve first (its owner's usage, instances before unused
            // room) for what saves more.
            let ordered = sharing || of.iter().any(|(kind, ..)| *kind == 5);
            prop_assert!(ordered || saves <= price + 1e-9);
            prop_assert!(one.capacity_reservation.is_some() || saves >= 0.0);
            sum += saves;
            let stop: HashSet<Arc<str>> = [one.id.clone()].into();
            let alone = joint_saving(&fleet, &stop, &holdings, &book, now()).unwrap();
            prop_assert!((alone - saves).abs() < 1e-9);
        }
        prop_assert!(sum.is_finite());
        let all: HashSet<Arc<str>> = fleet.iter().map(|i| i.id.clone()).collect();
        let joint = joint_saving(&fleet, &all, &holdings, &book, now()).unwrap();
        let expected = bill(&refs, &holdings) - bill(&[], &holdings);
        prop_assert!((joint - expected).abs() < 1e-7, "{joint} is not {expected}");
    }

    #[test]
    fn covers_add_up_to_the_bill(raw in some(), of in bought(), sharing: bool) {
        let (holdings, book) = (holdings(&of, sharing), book());
        let fleet = fleet_in(&raw, &holdings);
        let running = Running::new(&fleet, [], &holdings, &book, now());
        let applied = running.applier().apply(running.units());
        let given = running.units().len();
        let paid: f64 =
            applied.covered.iter().filter(|s| s.meter < given).map(|step| step.usd).sum();
        let open: f64 = applied.on_demand_units.iter().zip(running.applier().prices())
            .take(given).map(|(open, price)| open * price.unwrap()).sum();
        let nets = covers(&fleet, &holdings, &book, now());
        let effective: f64 =
            nets.values().map(|net| net.effective_usd_per_hour().unwrap()).sum();
        prop_assert!((effective - paid - open).abs() < 1e-7);
        for net in nets.values() {
            let Net::Known(cover) = &**net else { panic!("unknown") };
            let discounts =
                cover.by.iter().filter(|by| by.kind > crate::domain::CommitmentKind::CapacityReservation);
            let share: f64 = discounts.map(|by| by.share).sum();
            prop_assert!((0.0..=1.0 + 1e-9).contains(&share));
        }
    }

    #[test]
    fn no_order_of_lists_matters(
        raw in some(), of in bought(), sharing: bool, seed: u64,
    ) {
        let (holdings, book) = (holdings(&of, sharing), book());
        let fleet = fleet_in(&raw, &holdings);
        let before = covers(&fleet, &holdings, &book, now());
        let (mut shuffled, mut others) = (fleet.clone(), holdings.clone());
        let mut random = fastrand::Rng::with_seed(seed);
        random.shuffle(&mut shuffled);
        random.shuffle(&mut others.items);
        let after = covers(&shuffled, &others, &book, now());
        for (id, net) in &before {
            let (Net::Known(one), Net::Known(two)) = (&**net, &*after[id]) else {
                panic!("unknown")
            };
            let ids = |cover: &crate::fleet::Cover| -> Vec<Arc<str>> {
                cover.by.iter().map(|by| by.id.clone()).collect()
            };
            prop_assert_eq!(ids(one), ids(two));
            let near = |a: f64, b: f64| (a - b).abs() < 1e-9;
            prop_assert!(near(one.saves_usd_per_hour, two.saves_usd_per_hour));
            let effective = |cover: &crate::fleet::Cover| cover.effective_usd_per_hour.unwrap();
            prop_assert!(near(effective(one), effective(two)));
        }
    }

    #[test]
    fn another_commitment_never_takes_a_discount_away(
        raw in some(), of in bought(), sharing: bool,
    ) {
        // Commitments are paid whatever happens: with one more, no more is left on demand. Rooms of
        // reserved capacity aside, which are usage.
        let of: Vec<Bought> = of.into_iter().filter(|(kind, ..)| *kind != 5).collect();
        let (meters, units) = metered(&fleet(&raw));
        let all = holdings(&of, sharing);
        let open = |holdings: &Holdings| {
            Applier::new(meters.clone(), holdings, &book(), now()).apply(&units).on_demand_units
        };
        let with: f64 = open(&all).iter().sum();
        let without: f64 = open(&held([])).iter().sum();
        prop_assert!(with <= without + 1e-9);
    }
}

#[test]
fn scopes_of_other_regions_do_not_meet() {
    let mut west = meter(A, "us-west-2a", "g5.xlarge");
    west.scope = Scope::new(A, "us-west-2");
    let holdings = held([regional("ri", A, 1, "g5.xlarge", 0.6)]);
    let applied = Applier::new(vec![west], &holdings, &book(), now()).apply(&[1.0]);
    assert_eq!((applied.unpriced_units, applied.covered.len()), (1.0, 0));
}
