//! What holds for any fleet.

use proptest::prelude::*;

use super::super::bill::Bill;
use super::fixture::{World, plan, reserved};
use super::reference::compute_usd;
use crate::domain::{ResourceKind, VerdictKind};
use crate::fleet::savings::{BillKind, BillRow, SizeVerdict, SpotFit, Step, StepKind, Waterfall};

const TYPES: [(&str, f64); 4] =
    [("p4d.24xlarge", 22.0), ("g5.xlarge", 4.0), ("g6.xlarge", 3.0), ("c7i.24xlarge", 1.5)];

/// One instance: account, type, verdict, what is proposed, what Spot costs.
type Box = (u8, usize, u8, Option<usize>, Option<(bool, f64)>);

#[derive(Clone, Debug)]
struct Case {
    boxes: Vec<Box>,
    reserved: Vec<(u8, usize, u32)>,
    plan: Option<(u8, f64)>,
    sharing: bool,
    resources: Vec<(f64, bool)>,
    hours: bool,
}

fn cases() -> impl Strategy<Value = Case> {
    let one = (
        0u8..3,
        0..TYPES.len(),
        0u8..4,
        prop::option::of(0..TYPES.len()),
        prop::option::of((any::<bool>(), 0.05f64..1.2)),
    );
    (
        prop::collection::vec(one, 0..14),
        prop::collection::vec((0u8..3, 0..TYPES.len(), 1u32..4), 0..4),
        prop::option::of((0u8..3, 0.0f64..60.0)),
        any::<bool>(),
        prop::collection::vec((0.0f64..3.0, any::<bool>()), 0..4),
        any::<bool>(),
    )
        .prop_map(|(boxes, reserved, plan, sharing, resources, hours)| Case {
            boxes,
            reserved,
            plan,
            sharing,
            resources,
            hours,
        })
}

impl Case {
    fn world(&self) -> World {
        let mut w = World::new(&TYPES);
        self.add_to(&mut w, "");
        w
    }

    fn add_to(&self, w: &mut World, suffix: &str) {
        let account = |n: u8| format!("{n}{suffix}");
        for (i, (owner, kind, verdict, to, spot)) in self.boxes.iter().enumerate() {
            let id = format!("i-{i}{suffix}");
            let verdict = match verdict {
                0 => VerdictKind::Idle,
                1 => VerdictKind::Underused,
                2 => VerdictKind::Partial,
                _ => VerdictKind::Busy,
            };
            let (name, usd) = TYPES[*kind];
            w.run(&id, &account(*owner), name, verdict);
            if let Some(to) = to.filter(|to| TYPES[*to].1 < usd) {
                w.propose(&id, TYPES[to].0);
            }
            if let Some((whole, part)) = spot {
                let fit = if *whole { SpotFit::Yes } else { SpotFit::Partial };
                w.may_spot(&id, fit, usd * part * 0.9, usd * part);
            }
        }
        for (i, (owner, kind, count)) in self.reserved.iter().enumerate() {
            let (name, usd) = TYPES[*kind];
            w.hold(reserved(&format!("ri-{i}{suffix}"), &account(*owner), name, *count, usd * 0.6));
        }
        if let Some((owner, usd)) = self.plan {
            // Discounts of 45, 30, 35 and 20%.
            let off = [0.55, 0.7, 0.65, 0.8];
            let rates: Vec<(&str, f64)> =
                TYPES.iter().zip(off).map(|((name, usd), part)| (*name, usd * part)).collect();
            w.hold(plan(&format!("sp{suffix}"), &account(owner), usd, &rates));
        }
        w.holdings.as_mut().unwrap().sharing = self.sharing;
        for (i, (usd, idle)) in self.resources.iter().enumerate() {
            w.resource(&format!("r-{i}{suffix}"), ResourceKind::NatGateway, *usd, *idle);
        }
        if self.hours {
            w.ran_all_week();
        }
    }
}

fn saves(found: &Waterfall) -> Vec<f64> {
    found.steps.iter().map(Step::saves).collect()
}

fn near(a: f64, b: f64) -> bool {
    (a - b).abs() < 1e-6 * a.abs().max(b.abs()).max(1.0)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    /// The bill before and the bill after are those of another reckoning, and the steps are what
    /// lies between.
    #[test]
    fn the_steps_are_the_fall_of_the_bill(case in cases()) {
        let w = case.world();
        let found = w.waterfall();
        let resources: f64 = case.resources.iter().map(|(usd, _)| usd).sum();
        let idle: f64 = case.resources.iter().filter(|r| r.1).map(|(usd, _)| usd).sum();
        w.with(|input| {
            let mut bill = Bill::of(input, &w.proposals, &w.resources, None);
            prop_assert!(near(found.before, compute_usd(&w, &bill) + resources));
            super::super::idle::take(&mut bill, input, &w.resources);
            prop_assert!(near(found.steps[0].after, compute_usd(&w, &bill) + resources - idle));
            super::super::pack::take(&mut bill, &w.proposals);
            prop_assert!(near(found.steps[1].after, compute_usd(&w, &bill) + resources - idle));
            super::super::size::take(&mut bill, &w.proposals);
            prop_assert!(near(found.steps[2].after, compute_usd(&w, &bill) + resources - idle));
            super::super::spot::take(&mut bill, input, &w.spot);
            prop_assert!(near(found.steps[3].after, compute_usd(&w, &bill) + resources - idle));
            Ok(())
        })?;
        prop_assert!(saves(&found).iter().all(|s| *s >= 0.0), "{found:?}");
        let sum: f64 = saves(&found).iter().sum();
        prop_assert!(near(sum, found.before - found.after()));
        prop_assert!(found.after() >= -1e-9);
        for pair in found.steps.windows(2) {
            prop_assert_eq!(pair[0].after.to_bits(), pair[1].before.to_bits());
        }
    }

    /// The parts are the bill, whatever is held and whether it was read; the list price is that of what runs; what is
    /// read of nothing is in no part.
    #[test]
    fn the_parts_are_the_bill(case in cases(), is_read in any::<bool>()) {
        let mut w = case.world();
        if !is_read {
            w.holdings = None;
        }
        let found = w.waterfall();
        let sum = |of: fn(&BillRow) -> f64| found.bill.iter().map(of).sum::<f64>();
        prop_assert!(near(sum(|row| row.usd_per_hour), found.before), "{found:?}");
        let list: f64 = case.boxes.iter().map(|b| TYPES[b.1].1).sum();
        prop_assert!(near(sum(|row| row.list_usd_per_hour.unwrap_or(0.0)), list));
        prop_assert!(found.bill.iter().all(|row| row.usd_per_hour >= 0.0));
        let idle: f64 = case.resources.iter().filter(|r| r.1).map(|(usd, _)| usd).sum();
        for row in &found.bill {
            let is_instance = matches!(row.kind, BillKind::Instances(_));
            match row.kind {
                BillKind::IdleResources => prop_assert!(near(row.usd_per_hour, idle)),
                BillKind::UnusedCommitments if !is_read => prop_assert!(row.usd_per_hour == 0.0),
                _ if is_instance && !is_read => {
                    prop_assert!(near(row.usd_per_hour, row.list_usd_per_hour.unwrap()));
                }
                _ => {}
            }
        }
    }

    /// No smaller size that was left out would lower the bill, and none that was taken could be
    /// given back without raising it.
    #[test]
    fn just_the_sizes_that_pay_are_taken(case in cases()) {
        let w = case.world();
        w.with(|input| {
            let mut bill = Bill::of(input, &w.proposals, &w.resources, None);
            super::super::idle::take(&mut bill, input, &w.resources);
            // Those of partly idle nodes are the step before.
            for partly_idle in [true, false] {
                if partly_idle {
                    super::super::pack::take(&mut bill, &w.proposals);
                } else {
                    super::super::size::take(&mut bill, &w.proposals);
                }
                let now = compute_usd(&w, &bill);
                for p in &w.proposals {
                    let m = bill.machine(&p.id).unwrap();
                    let SizeVerdict::Smaller { to, .. } = &p.verdict else {
                        unreachable!()
                    };
                    let machine = &mut bill.machines[m];
                    if machine.gone || machine.is_partly_idle() != partly_idle {
                        continue;
                    }
                    let is = machine.instance_type.clone();
                    machine.instance_type = if is == *to { p.from.clone() } else { to.clone() };
                    let other = compute_usd(&w, &bill);
                    bill.machines[m].instance_type = is;
                    prop_assert!(other >= now - 1e-6, "{} other {other} now {now}", p.id);
                }
            }
            Ok(())
        })?;
    }

    /// Stopping never saves more than its list price, whatever is held, and no more than without
    /// commitments; a smaller size at most the whole of the larger ones. Where discounts are shared,
    /// AWS serves the plan's own account first, whatever its discount there: what that account stops
    /// may then save more elsewhere.
    #[test]
    fn commitments_raise_no_saving_above_gross(mut case in cases()) {
        case.sharing &= case.plan.is_none();
        let found = case.world().waterfall();
        prop_assert!(found.steps[0].saves() <= found.steps[0].gross_alone + 1e-6);
        let w = case.world();
        let larger: f64 = w.proposals.iter().filter_map(|p| p.usd_per_hour).sum();
        prop_assert!(found.steps[1].saves() + found.steps[2].saves() <= larger + 1e-6);
        let mut bare = case.clone();
        (bare.reserved, bare.plan) = (Vec::new(), None);
        let alone = bare.world().waterfall();
        prop_assert!(found.steps[0].saves() <= alone.steps[0].saves() + 1e-6);
        prop_assert!(alone.steps[1].saves() <= alone.steps[1].gross_alone + 1e-6);
        prop_assert!(alone.steps[2].saves() <= alone.steps[2].gross_alone + 1e-6);
    }

    /// One that takes a step only is the same before or after one that takes another, where nothing
    /// ties them together.
    #[test]
    fn independent_levers_do_not_depend_on_the_order(case in cases()) {
        let mut bare = case.clone();
        (bare.reserved, bare.plan, bare.hours) = (Vec::new(), None, false);
        for (i, b) in bare.boxes.iter_mut().enumerate() {
            // Each instance has one lever.
            match i % 3 {
                0 => (b.2, b.3, b.4) = (0, None, None),
                1 => (b.2, b.4) = (1, None),
                _ => (b.2, b.3) = (3, None),
            }
        }
        let all = bare.world().waterfall();
        // Stopping, smaller sizes, Spot.
        for (lever, step) in [0, 2, 3].into_iter().enumerate() {
            let mut one = bare.clone();
            for (i, b) in one.boxes.iter_mut().enumerate() {
                if i % 3 != lever {
                    (b.2, b.3, b.4) = (3, None, None);
                }
            }
            if step != 0 {
                one.resources.iter_mut().for_each(|r| r.1 = false);
            }
            let alone = one.world().waterfall();
            prop_assert!(near(alone.steps[step].saves(), all.steps[step].saves()));
            prop_assert!(near(alone.saves(), alone.steps[step].saves()));
        }
    }

    /// Two fleets that share nothing save what each saves.
    #[test]
    fn twice_the_fleet_is_twice_the_saving(mut case in cases()) {
        case.sharing = false;
        let one = case.world().waterfall();
        let mut two = World::new(&TYPES);
        case.add_to(&mut two, "");
        case.add_to(&mut two, "b");
        let two = two.waterfall();
        prop_assert!(near(two.before, 2.0 * one.before));
        for (a, b) in saves(&one).iter().zip(saves(&two)) {
            prop_assert!(near(2.0 * a, b), "{one:?} {two:?}");
        }
        prop_assert!(near(two.naive, 2.0 * one.naive));
    }

    /// The order in which instances and proposals come does not matter.
    #[test]
    fn the_order_of_rows_does_not_matter(case in cases()) {
        let w = case.world();
        let mut turned = case.world();
        turned.instances.reverse();
        turned.proposals.reverse();
        turned.resources.reverse();
        let (a, b) = (w.waterfall(), turned.waterfall());
        prop_assert!(near(a.before, b.before));
        prop_assert!(near(a.steps[0].after, b.steps[0].after));
        prop_assert!(near(a.steps[1].after, b.steps[1].after), "{a:?} {b:?}");
        prop_assert!(near(a.steps[2].after, b.steps[2].after), "{a:?} {b:?}");
    }
}

#[test]
fn all_at_list_price_where_nothing_is_read() {
    let mut w = World::new(&TYPES);
    w.run("i", "1", "p4d.24xlarge", VerdictKind::Idle);
    w.holdings = None;
    let found = w.waterfall();
    assert!(near(found.steps[0].saves(), 22.0));
    assert!(found.net_unknown.is_some());
    assert_eq!(
        found.steps.len(),
        StepKind::ALL.len() - 2,
        "those of the network and of failed runs need more"
    );
}
