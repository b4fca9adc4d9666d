//! The documented examples of AWS. EC2 User Guide, "How Reserved Instance discounts are applied"
//! (scenarios 1 to 4) and "Capacity Reservation pricing and billing"; Savings Plans User Guide,
//! "Understanding how Savings Plans apply to your usage". What is no EC2 instance in them (Fargate,
//! Lambda) stands as a type of its own: the order does not ask what it is.

use super::make::*;
use crate::domain::{Commitment, Commits, Holdings, PlanRate, Platform, Tenancy};
use crate::fleet::PriceBook;
use crate::fleet::commitments::{Applied, Applier, Meter};

const AZ_A: &str = "us-east-1a";
const AZ_B: &str = "us-east-1b";
const AZ_C: &str = "us-east-1c";

fn apply(usage: &[(Meter, f64)], holdings: &Holdings, prices: &PriceBook) -> Applied {
    let (meters, units): (Vec<Meter>, Vec<f64>) = usage.iter().cloned().unzip();
    Applier::new(meters, holdings, prices, now()).apply(&units)
}

/// Who pays for how much of each meter: (meter, commitment, units).
fn steps(applied: &Applied) -> Vec<(usize, usize, f64)> {
    applied.covered.iter().map(|step| (step.meter, step.commitment, step.units)).collect()
}

#[track_caller]
fn near(a: f64, b: f64) {
    assert!((a - b).abs() < 1e-9, "{a} is not {b}");
}

#[test]
fn reserved_scenario_1() {
    let usage = [
        (meter(A, AZ_A, "m3.large"), 4.0),
        (meter(A, AZ_B, "m4.xlarge"), 2.0),
        (meter(A, AZ_C, "c4.xlarge"), 1.0),
    ];
    let holdings = held([
        zonal("r1", A, 4, "m3.large", AZ_A, 0.1),
        regional("r2", A, 4, "m4.large", 0.06),
        regional("r3", A, 1, "c4.large", 0.06),
    ]);
    let prices = prices(&[("m3.large", 0.133), ("m4.xlarge", 0.2), ("c4.xlarge", 0.199)]);
    let applied = apply(&usage, &holdings, &prices);
    assert_eq!(steps(&applied), [(0, 0, 4.0), (2, 2, 0.5), (1, 1, 2.0)]);
    assert_eq!(applied.on_demand_units, [0.0, 0.0, 0.5]);
    near(applied.on_demand_usd, 0.0995);
    near(applied.used_usd[1], 4.0 * 0.06);
    near(applied.committed_usd, 4.0 * 0.1 + 4.0 * 0.06 + 0.06);
}

#[test]
fn reserved_scenario_2_smallest_first() {
    let usage = [(meter(A, AZ_A, "m3.xlarge"), 2.0), (meter(A, AZ_B, "m3.large"), 2.0)];
    let holdings = held([regional("r", A, 1, "m3.2xlarge", 0.4)]);
    let applied = apply(&usage, &holdings, &prices(&[("m3.large", 0.133), ("m3.xlarge", 0.266)]));
    assert_eq!(steps(&applied), [(1, 0, 2.0), (0, 0, 1.0)]);
    near(applied.covered[0].usd, 0.2);
    assert_eq!(applied.on_demand_units, [1.0, 0.0]);
}

#[test]
fn reserved_scenario_3_the_buyer_first() {
    let usage = [
        (meter(B, AZ_A, "m4.xlarge"), 2.0),
        (meter(A, AZ_A, "m4.xlarge"), 2.0),
        (meter(A, AZ_B, "m4.2xlarge"), 1.0),
        (meter(A, AZ_A, "c4.xlarge"), 2.0),
        (meter(A, AZ_B, "c4.2xlarge"), 1.0),
    ];
    let holdings =
        held([regional("r1", A, 4, "m4.xlarge", 0.1), regional("r2", A, 2, "c4.xlarge", 0.1)]);
    let applied = apply(&usage, &holdings, &PriceBook::default());
    assert_eq!(applied.on_demand_units, [2.0, 0.0, 0.0, 0.0, 1.0]);
}

#[test]
fn reserved_scenario_4_another_accounts_zone_before_ones_own_region() {
    let usage = [(meter(A, AZ_A, "m4.xlarge"), 1.0), (meter(B, AZ_B, "m4.xlarge"), 1.0)];
    let holdings = held([
        regional("own", A, 1, "m4.xlarge", 0.1),
        zonal("zone", C, 1, "m4.xlarge", AZ_A, 0.1),
    ]);
    let applied = apply(&usage, &holdings, &PriceBook::default());
    assert_eq!(steps(&applied), [(0, 1, 1.0), (1, 0, 1.0)]);
    let alone = Holdings { sharing: false, ..holdings };
    let applied = apply(&usage, &alone, &PriceBook::default());
    assert_eq!(steps(&applied), [(0, 0, 1.0)], "nothing is shared");
}

#[test]
fn bare_metal_counts_as_the_size_it_equals() {
    let holdings = held([regional("r", A, 1, "i3.metal", 3.0)]);
    for (of, n) in [("i3.16xlarge", 1.0), ("i3.8xlarge", 2.0), ("i3.4xlarge", 4.0)] {
        let applied = apply(&[(meter(A, AZ_A, of), n + 1.0)], &holdings, &PriceBook::default());
        assert_eq!(applied.on_demand_units, [1.0], "{of}");
    }
    let halves = held([regional("r", A, 2, "i3.8xlarge", 1.5)]);
    let applied = apply(&[(meter(A, AZ_A, "i3.metal"), 1.0)], &halves, &PriceBook::default());
    assert_eq!(applied.on_demand_units, [0.0]);
}

/// 20 reserved, 15 run: 15 are charged as instances and 5 as unused.
#[test]
fn capacity_reservation_of_20_with_15() {
    let mut inside = meter(A, AZ_A, "m4.large");
    inside.reservation = Some("cr-1".into());
    let holdings = held([odcr("cr-1", A, (20, 5), "m4.large")]);
    let applied = apply(&[(inside, 15.0)], &holdings, &prices(&[("m4.large", 0.1)]));
    assert_eq!(applied.units, [15.0, 5.0]);
    near(applied.on_demand_usd, 2.0);
}

/// What the guide's table of the Savings Plans examples runs, in order: r5, Fargate vCPU, Fargate
/// GB, m5 (Windows, dedicated), Lambda seconds, Lambda requests.
const SAVINGS: [(&str, f64, f64, f64); 6] = [
    ("r5.4xlarge", 4.0, 1.0, 0.7),
    ("fargate.vcpu", 400.0, 0.04, 0.03),
    ("fargate.gb", 1600.0, 0.004, 0.003),
    ("m5.24xlarge", 1.0, 10.0, 8.2),
    ("lambda.seconds", 1.5e6, 1.5e-5, 1.275e-5),
    ("lambda.requests", 1e6, 2e-7, 2e-7),
];

fn savings_usage() -> (Vec<(Meter, f64)>, PriceBook) {
    let usage = SAVINGS.iter().map(|(of, units, ..)| {
        let mut meter = meter(A, AZ_A, of);
        if *of == "m5.24xlarge" {
            (meter.platform, meter.tenancy) = (Platform::Windows, Tenancy::Dedicated);
        }
        (meter, *units)
    });
    let list = SAVINGS.map(|(of, _, price, _)| (of, price));
    let mut book = prices(&list);
    // The one price on other terms than Linux and shared.
    let windows = priced(&[("m5.24xlarge", 10.0)], Platform::Windows, Tenancy::Dedicated);
    let m5 = windows.list_price(
        &EAST.into(),
        &"m5.24xlarge".into(),
        Platform::Windows,
        Tenancy::Dedicated,
    );
    book.extend([&crate::domain::Offer {
        region: EAST.into(),
        az: None,
        instance_type: "m5.24xlarge".into(),
        platform: Platform::Windows,
        tenancy: Tenancy::Dedicated,
        rate: m5.unwrap().clone(),
    }]);
    (usage.collect(), book)
}

fn compute_plan(usd: f64) -> Commitment {
    let mut plan = compute("sp", A, usd, &SAVINGS.map(|(of, _, _, rate)| (of, rate)));
    if let Commits::Plan(plan) = &mut plan.commits {
        let m5: Vec<&mut PlanRate> =
            plan.rates.iter_mut().filter(|r| &*r.instance_type == "m5.24xlarge").collect();
        for rate in m5 {
            (rate.platform, rate.tenancy) = (Platform::Windows, Tenancy::Dedicated);
        }
    }
    plan
}

#[test]
fn savings_plan_scenario_1_covers_all() {
    let (usage, prices) = savings_usage();
    let applied = apply(&usage, &held([compute_plan(50.0)]), &prices);
    // The guide rounds 47.125 to $47.13.
    near(applied.used_usd[0], 47.125);
    near(applied.total_usd(), 50.0);
    let order: Vec<usize> = applied.covered.iter().map(|step| step.meter).collect();
    assert_eq!(order, [0, 2, 1, 3, 4, 5]);
    let without = apply(&usage, &held([]), &prices);
    near(without.total_usd(), 59.1);
}

#[test]
fn savings_plan_scenario_2_covers_some() {
    let (usage, prices) = savings_usage();
    let applied = apply(&usage, &held([compute_plan(2.0)]), &prices);
    assert_eq!(applied.covered.len(), 1);
    near(applied.covered[0].units, 2.0 / 0.7);
    near(applied.on_demand_units[0], 4.0 - 2.0 / 0.7);
    // $1.14 for r5 and $55.10 for the rest, the guide says.
    near(applied.on_demand_usd, (4.0 - 2.0 / 0.7) + 55.1);
}

#[test]
fn savings_plan_scenario_3_across_products() {
    let (usage, prices) = savings_usage();
    let applied = apply(&usage, &held([compute_plan(19.6)]), &prices);
    let order: Vec<usize> = applied.covered.iter().map(|step| step.meter).collect();
    assert_eq!(order, [0, 2, 1], "gigabytes before vCPUs: the lower rate of equal savings");
    near(applied.on_demand_usd, 32.7);
    near(applied.used_usd[0], 19.6);
}

#[test]
fn savings_plan_scenario_4_reserved_instances_first() {
    let (usage, prices) = savings_usage();
    let holdings = held([compute_plan(18.2), regional("ri", A, 2, "r5.4xlarge", 0.55)]);
    let applied = apply(&usage, &holdings, &prices);
    assert_eq!(steps(&applied)[..2], [(0, 1, 2.0), (0, 0, 2.0)]);
    near(applied.on_demand_usd, 32.7);
    near(applied.used_usd[0], 18.2);
}

#[test]
fn savings_plan_scenario_5_the_narrow_plan_first() {
    let (usage, prices) = savings_usage();
    let narrow = ec2_plan("r5", A, "r5", 3.0, &[("r5.4xlarge", 0.6)]);
    let applied = apply(&usage, &held([compute_plan(16.8), narrow]), &prices);
    assert_eq!(steps(&applied)[0], (0, 1, 4.0));
    near(applied.used_usd[1], 2.4);
    near(applied.used_usd[0], 16.8);
    near(applied.on_demand_usd, 32.7);
}

/// The former edition of the same page: c5 and Fargate, $25/h covers everything.
#[test]
fn twenty_five_dollars_cover_all() {
    let list = [
        ("c5.9xlarge", 4.0, 2.0, 1.0),
        ("c5.24xlarge", 10.0, 8.0, 1.0),
        ("fargate.vcpu", 1.5, 1.0, 10.0),
        ("fargate.gb", 2.0, 1.0, 5.0),
    ];
    let usage: Vec<(Meter, f64)> =
        list.iter().map(|(of, _, _, units)| (meter(A, AZ_A, of), *units)).collect();
    let prices = prices(&list.map(|(of, price, ..)| (of, price)));
    let rates = list.map(|(of, _, rate, _)| (of, rate));
    let applied = apply(&usage, &held([compute("sp", A, 25.0, &rates)]), &prices);
    assert_eq!(applied.total_usd(), 25.0);
    assert_eq!(applied.on_demand_units, [0.0; 4]);
    let order: Vec<usize> = applied.covered.iter().map(|step| step.meter).collect();
    assert_eq!(order, [3, 0, 2, 1]);
    let less = apply(&usage, &held([compute("sp", A, 24.0, &rates)]), &prices);
    near(less.on_demand_units[1], 0.125);
    near(less.total_usd(), 25.25);
}
