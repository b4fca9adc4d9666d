//! AWS's own examples, and what must hold for any hour.

use proptest::prelude::*;

use super::plans::*;

fn usage(what: &str, units: f64, on_demand: f64) -> Usage {
    Usage { what: what.to_owned(), account: "a".to_owned(), units, on_demand }
}

fn plan(kind: PlanKind, usd_per_hour: f64, rates: &[(&str, f64)]) -> Plan {
    let rates = rates.iter().map(|(what, rate)| ((*what).to_owned(), *rate)).collect();
    Plan { kind, account: "a".to_owned(), usd_per_hour, rates }
}

/// The guide's first example: c5 instances and Fargate.
fn guide() -> (Vec<Usage>, [(&'static str, f64); 4]) {
    let usage = vec![
        usage("c5.9xlarge Linux", 1.0, 4.0),
        usage("c5.24xlarge Windows dedicated", 1.0, 10.0),
        usage("Fargate vCPU", 10.0, 1.5),
        usage("Fargate GB", 5.0, 2.0),
    ];
    let compute = [
        ("c5.9xlarge Linux", 2.0),
        ("c5.24xlarge Windows dedicated", 8.0),
        ("Fargate vCPU", 1.0),
        ("Fargate GB", 1.0),
    ];
    (usage, compute)
}

#[test]
fn the_guides_25_dollars_cover_all() {
    let (usage, compute) = guide();
    let bill = bill(&usage, &[], &[plan(PlanKind::Compute, 25.0, &compute)], true);
    assert_eq!(bill.total_usd(), 25.0);
    assert_eq!((bill.on_demand_usd, bill.unused_plan_usd), (0.0, 0.0));
    // Half off first, the lower rate of equals: Fargate's gigabytes, then the c5.9xlarge.
    let order: Vec<usize> = bill.steps.iter().map(|step| step.usage).collect();
    assert_eq!(order, [3, 0, 2, 1]);
}

#[test]
fn a_dollar_less_falls_on_the_smallest_saving() {
    let (usage, compute) = guide();
    let bill = bill(&usage, &[], &[plan(PlanKind::Compute, 24.0, &compute)], true);
    // The Windows instance keeps 7/8 of its plan rate; an eighth runs at $10.
    assert!((bill.on_demand_units[1] - 0.125).abs() < 1e-12);
    assert!((bill.total_usd() - 25.25).abs() < 1e-12);
}

#[test]
fn instance_plans_come_before_compute_plans() {
    let (usage, compute) = guide();
    let c5 = [("c5.9xlarge Linux", 1.0), ("c5.24xlarge Windows dedicated", 6.0)];
    let plans = [plan(PlanKind::Compute, 15.0, &compute), plan(PlanKind::Instance, 7.0, &c5)];
    let bill = bill(&usage, &[], &plans, true);
    // $7 for both c5 at the narrow plan's rates, $15 for Fargate at the wide one's.
    assert_eq!(
        bill.steps.iter().map(|s| s.by).collect::<Vec<_>>(),
        [Payer::Plan(1), Payer::Plan(1), Payer::Plan(0), Payer::Plan(0),]
    );
    assert_eq!((bill.total_usd(), bill.on_demand_usd, bill.unused_plan_usd), (22.0, 0.0, 0.0));
}

/// The guide's later example: r5, m5, Fargate and Lambda for $47.13 at the Compute plan's rates.
fn later_guide() -> (Vec<Usage>, [(&'static str, f64); 6]) {
    let usage = vec![
        usage("r5.4xlarge Linux", 4.0, 1.0),
        usage("m5.24xlarge Windows dedicated", 1.0, 10.0),
        usage("Fargate vCPU", 400.0, 0.04),
        usage("Fargate GB", 1600.0, 0.004),
        usage("Lambda requests", 1e6, 2e-7),
        usage("Lambda GB-s", 1.5e6, 1.5e-5),
    ];
    let compute = [
        ("r5.4xlarge Linux", 0.7),
        ("m5.24xlarge Windows dedicated", 8.2),
        ("Fargate vCPU", 0.03),
        ("Fargate GB", 0.003),
        ("Lambda requests", 2e-7),
        ("Lambda GB-s", 1.275e-5),
    ];
    (usage, compute)
}

#[test]
fn fifty_dollars_cover_47_dollars_13() {
    let (usage, compute) = later_guide();
    let bill = bill(&usage, &[], &[plan(PlanKind::Compute, 50.0, &compute)], true);
    let used: f64 = bill.steps.iter().map(|step| step.usd).sum();
    assert!((used - 47.125).abs() < 1e-9);
    assert_eq!((bill.total_usd(), bill.on_demand_usd), (50.0, 0.0));
    assert!((bill.unused_plan_usd - 2.875).abs() < 1e-9);
}

#[test]
fn two_dollars_go_to_the_highest_saving() {
    let (usage, compute) = later_guide();
    let bill = bill(&usage, &[], &[plan(PlanKind::Compute, 2.0, &compute)], true);
    // 30% off r5: 2 ÷ 0.7 instances of four.
    assert_eq!(bill.steps.len(), 1);
    assert!((bill.covered(0) - 2.0 / 0.7).abs() < 1e-9);
    assert!((bill.on_demand_units[0] - (4.0 - 2.0 / 0.7)).abs() < 1e-9);
}

#[test]
fn reservations_come_first() {
    let (usage, compute) = later_guide();
    let reserved = [Reserved {
        what: "r5.4xlarge Linux".to_owned(),
        account: "a".to_owned(),
        units: 2.0,
        rate: 0.6,
    }];
    let bill = bill(&usage, &reserved, &[plan(PlanKind::Compute, 18.2, &compute)], true);
    // Two r5 reserved; the plan pays the other two (1.40) and all of Fargate (12.00 + 4.80).
    assert_eq!(bill.steps[0].by, Payer::Reserved(0));
    assert!((bill.covered(0) - 4.0).abs() < 1e-9);
    assert!(bill.on_demand_units[2].abs() < 1e-9 && bill.on_demand_units[3].abs() < 1e-6);
    assert_eq!(bill.on_demand_units[1], 1.0);
}

#[test]
fn the_owner_comes_first_and_sharing_can_be_off() {
    let mut usage = vec![usage("g5", 1.0, 1.0), usage("g5", 1.0, 1.0)];
    usage[0].account = "b".to_owned();
    let plans = [plan(PlanKind::Compute, 0.9, &[("g5", 0.6)])];
    let shared = bill(&usage, &[], &plans, true);
    assert_eq!(shared.steps[0].usage, 1);
    assert!((shared.covered(0) - 0.5).abs() < 1e-12);
    let alone = bill(&usage, &[], &plans, false);
    assert_eq!(alone.covered(0), 0.0);
    assert!((alone.unused_plan_usd - 0.3).abs() < 1e-12);
}

#[test]
fn a_plan_dearer_than_on_demand_is_a_loss_and_said() {
    let plans = [plan(PlanKind::Compute, 2.0, &[("g5", 2.0)])];
    let bill = bill(&[usage("g5", 1.0, 1.0)], &[], &plans, true);
    assert_eq!((bill.total_usd(), bill.on_demand_usd), (2.0, 0.0));
}

#[test]
fn ten_p4d_then_four_p5_are_worth_a_flexible_plan() {
    // Half a year of ten p4d, then half a year of four p5 (list of 2026-07-20); 36.6% off locked
    // to p4d, 28% off (an illustration) for whatever computes.
    let (p4d, p5, hours) = (21.957_642_f64, 55.04, 4380.0);
    let on_demand = hours * (10.0 * p4d + 4.0 * p5);
    assert!((on_demand - 1_926_046.0).abs() < 1.0, "{on_demand}");
    let half = |what: &str, units: f64, price: f64, plan: &Plan| {
        hours
            * bill(&[usage(what, units, price)], &[], std::slice::from_ref(plan), true).total_usd()
    };
    let locked = plan(PlanKind::Instance, 10.0 * 0.634 * p4d, &[("p4d", 0.634 * p4d)]);
    let both = half("p4d", 10.0, p4d, &locked) + half("p5", 4.0, p5, &locked);
    assert!((both - 2_183_793.0).abs() < 1.0, "{both}");
    let per_hour = 0.72 * 10.0 * p4d;
    let wide = plan(PlanKind::Compute, per_hour, &[("p4d", 0.72 * p4d), ("p5", 0.72 * p5)]);
    let both = half("p4d", 10.0, p4d, &wide) + half("p5", 4.0, p5, &wide);
    assert!((both - 1_387_468.0).abs() < 1.0, "{both}");
}

/// The plan applied in this order of usages, without AWS's rule.
fn in_order(usage: &[Usage], rates: &[f64], usd: f64, order: &[usize]) -> f64 {
    let mut left = usd;
    let mut on_demand = 0.0;
    for &at in order {
        let units = usage[at].units.min(left / rates[at]);
        left -= units * rates[at];
        on_demand += (usage[at].units - units) * usage[at].on_demand;
    }
    usd + on_demand
}

fn orders(n: usize) -> Vec<Vec<usize>> {
    if n == 0 {
        return vec![Vec::new()];
    }
    let mut out = Vec::new();
    for order in orders(n - 1) {
        for at in 0..n {
            let mut next = order.clone();
            next.insert(at, n - 1);
            out.push(next);
        }
    }
    out
}

proptest! {
    #[test]
    fn no_order_pays_less_than_aws(
        raw in prop::collection::vec((0.0..20.0f64, 0.1..5.0f64, 0.2..1.0f64), 1..5),
        usd in 0.0..60.0f64,
    ) {
        let names = ["w", "x", "y", "z"];
        let usages: Vec<Usage> =
            raw.iter().zip(names).map(|((units, p, _), name)| usage(name, *units, *p)).collect();
        let rates: Vec<f64> = raw.iter().map(|(_, p, part)| p * part).collect();
        let named: Vec<(&str, f64)> = names.into_iter().zip(rates.iter().copied()).collect();
        let ours = bill(&usages, &[], &[plan(PlanKind::Compute, usd, &named)], true).total_usd();
        for order in orders(usages.len()) {
            prop_assert!(ours <= in_order(&usages, &rates, usd, &order) + 1e-9);
        }
    }

    #[test]
    fn every_unit_and_dollar_is_somewhere(
        raw in prop::collection::vec((0.0..20.0f64, 0.1..5.0f64, 0.2..1.0f64, 0..3usize), 1..6),
        instance in 0.0..40.0f64, compute in 0.0..40.0f64, reserved in 0.0..10.0f64,
        sharing: bool,
    ) {
        let names = ["u", "v", "w", "x", "y"];
        let accounts = ["a", "b", "c"];
        let usages: Vec<Usage> = raw.iter().zip(names).map(|((units, p, _, account), name)| Usage {
            what: name.to_owned(), account: accounts[*account].to_owned(), units: *units, on_demand: *p,
        }).collect();
        let named = |part: f64| -> Vec<(&str, f64)> {
            names.into_iter().zip(raw.iter().map(|(_, p, share, _)| p * share * part)).collect()
        };
        let plans = [
            plan(PlanKind::Compute, compute, &named(1.0)),
            plan(PlanKind::Instance, instance, &named(0.8)[..1]),
        ];
        let held = [Reserved {
            what: "u".to_owned(), account: "b".to_owned(), units: reserved, rate: 0.05,
        }];
        let bill = bill(&usages, &held, &plans, sharing);
        for (at, usage) in usages.iter().enumerate() {
            prop_assert!((bill.covered(at) + bill.on_demand_units[at] - usage.units).abs() < 1e-9);
            prop_assert!(bill.on_demand_units[at] >= 0.0);
        }
        let used: f64 = bill.steps.iter().map(|step| step.usd).sum();
        let committed = instance + compute + reserved * 0.05;
        prop_assert!((used + bill.unused_plan_usd + bill.unused_reserved_usd - committed).abs() < 1e-9);
        prop_assert!((bill.committed_usd - committed).abs() < 1e-9);
    }
}
