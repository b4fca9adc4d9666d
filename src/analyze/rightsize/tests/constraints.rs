//! Each constraint: the proposal that would be made without it and is not made with it. Figures of
//! the catalogue: g5.12xlarge 48 vCPUs, 192 GiB, 4 × A10G, $5.672/h; g5.4xlarge 16, 64 GiB, $1.624;
//! g5.8xlarge 32, 128 GiB, $2.448; g6.4xlarge 16, 64 GiB, L4, $1.3232; g4dn.4xlarge 16, 64 GiB, T4,
//! $1.204.

use super::*;
use crate::fleet::savings::{Effort, PricedType, Risk};

#[test]
fn one_working_gpu_of_four_fits_a_box_with_one() {
    let proposal = World::of([g5()]).one();
    assert_eq!(to(&proposal), "g5.4xlarge");
    // 5% of 48 vCPUs, twice that for peaks, a fifth kept free: 48 × 0.1 ÷ 0.8.
    assert!((proposal.need.vcpus.unwrap() - 6.0).abs() < 1e-9);
    assert_eq!(proposal.need.gpus, Some(1));
    assert_eq!(proposal.need.gpu_memory_mib, Some(8192));
    assert_eq!(proposal.need.memory_mib, Some(196_608 / 4));
    assert!(proposal.need.local_nvme && !proposal.need.efa);
    assert!((proposal.gross_usd_per_hour.unwrap() - (5.672 - 1.624)).abs() < 1e-9);
    assert!((proposal.net_usd_per_hour.unwrap() - (5.672 - 1.624)).abs() < 1e-9);
    assert_eq!((proposal.effort, proposal.risk), (Effort::Low, Risk::Medium));
    let next = Note::NextSmaller {
        to: PricedType { name: "g5.2xlarge".into(), usd_per_hour: Figure(1.212) },
        fail: SizeFail::Memory(32 * 1024, 48 * 1024),
    };
    assert!(proposal.says.iter().any(|note| **note == next), "{:?}", proposal.says);
    assert!(noted!(proposal, Note::OfferUnchecked), "{:?}", proposal.says);
}

#[test]
fn cpus() {
    // 48 × 0.4 ÷ 0.8 = 24.
    let seen = Seen { cpu_mean: Some(20.0), ..g5() };
    assert_eq!(World::of([seen]).to(), "g5.8xlarge");
    // Where the maximum was read, nothing is guessed: 48 × 0.2 ÷ 0.8 = 12.
    let seen = Seen { cpu_mean: Some(20.0), cpu_max: Some(20.0), ..g5() };
    let world = World::of([seen.clone()]);
    assert_eq!(world.to(), "g5.4xlarge");
    assert!((world.one().need.vcpus.unwrap() - 12.0).abs() < 1e-9);
    // Without CPU all vCPUs are kept: nothing with one A10G has 48 and costs less but g5.16xlarge.
    let seen = Seen { cpu_mean: None, ..g5() };
    assert_eq!(World::of([seen.clone()]).to(), "g5.16xlarge");
    assert_eq!(World::of([seen]).one().need.vcpus, None);
}

#[test]
fn one_busy_core_is_a_core() {
    // 1.04% of 96 is one vCPU: with a fifth free 1.25. Memory is kept: 384 GiB.
    let mut world = World::of([cpu("m7i.24xlarge", 100.0 / 96.0)]);
    let proposal = world.one();
    assert!((proposal.need.vcpus.unwrap() - 1.25).abs() < 1e-9);
    assert_eq!(to(&proposal), "r7i.12xlarge");
    assert!((proposal.gross_usd_per_hour.unwrap() - (4.8384 - 3.1752)).abs() < 1e-9);
    world.rules.allow_older_cpu = true;
    assert_eq!(world.to(), "r5.12xlarge", "$3.024, two generations back");
}

#[test]
fn memory() {
    let mut world = World::of([g5()]);
    world.rules.share_memory_by_gpu = false;
    // One GPU of its speed and 192 GiB.
    assert_eq!(world.to(), "g5.16xlarge");
    assert_eq!(world.one().need.memory_mib, None);
}

#[test]
fn whole_gpus_only() {
    // Two of four: no box with two or three A10G exists, and what has four L4 is slower.
    let proposal = World::of([Seen { working: 2, ..g5() }]).one();
    assert_eq!(to(&proposal), "– nothing_smaller");
    let apart = Note::Apart {
        gpus: 2,
        to: "g5.4xlarge".into(),
        usd_per_hour: Figure(2.0 * 1.624),
        instead_of: Figure(5.672),
    };
    assert!(proposal.says.iter().any(|note| **note == apart), "{:?}", proposal.says);
    // Five of eight on a p4d stay.
    let five = Seen { instance_type: "p4d.24xlarge", working: 5, ..g5() };
    assert_eq!(World::of([five]).to(), "– nothing_smaller");
}

#[test]
fn speed() {
    // An L4 has half the bandwidth of an A10G (300 of 600 GB/s): 30% ÷ 0.8 fits, 45% ÷ 0.8 not.
    let seen = |peak| Seen { gpu_peak: peak, ..g5() };
    assert_eq!(World::of([seen(30.0)]).to(), "g6.4xlarge");
    assert_eq!(World::of([seen(45.0)]).to(), "g5.4xlarge");
    let proposal = World::of([seen(30.0)]).one();
    let gpus = proposal.says.iter().find_map(|note| match &**note {
        Note::OtherGpu { from, to } => Some((from.devices, &*from.model, to.devices, &*to.model)),
        _ => None,
    });
    assert_eq!(gpus, Some((4, "A10G", 1, "L4")));
    assert!(noted!(proposal, Note::ComputeCapability(8, 9)), "{:?}", proposal.says);
    assert_eq!((proposal.effort, proposal.risk), (Effort::Medium, Risk::Medium));
}

#[test]
fn older_gpus() {
    let mut world = World::of([Seen { gpu_peak: 30.0, ..g5() }]);
    assert_eq!(world.to(), "g6.4xlarge", "a T4 (7.5) is older than an A10G (8.6)");
    world.rules.allow_older_gpu = true;
    assert_eq!(world.to(), "g4dn.4xlarge");
    // 12 GiB with 30% free is 17.1 GiB: more than a T4 has.
    world.seen[0].gpu_gib = Some(12.0);
    assert_eq!(world.to(), "g6.4xlarge", "GPU memory");
    // 10.5 GiB with 30% free is 15 GiB: less than the 16 that the API states, and more than the
    // 14.7 that a process can have.
    world.seen[0].gpu_gib = Some(10.5);
    assert_eq!(world.to(), "g6.4xlarge", "GPU memory that the driver keeps");
}

#[test]
fn architecture_metal_and_burstable() {
    let world = || World::of([g5()]);
    assert_eq!(world().clone_type("g5.4xlarge", "g9.4xlarge", 1.0).to(), "g9.4xlarge");
    assert_eq!(world().clone_type("g5.4xlarge", "g9g.4xlarge", 1.0).to(), "g5.4xlarge", "Arm");
    assert_eq!(world().clone_type("g5.4xlarge", "g9.metal", 1.0).to(), "g5.4xlarge");
    let world = || World::of([cpu("m5.2xlarge", 2.0)]);
    assert_eq!(world().clone_type("r5.xlarge", "r9.xlarge", 0.2).to(), "r9.xlarge");
    assert_eq!(world().clone_type("r5.xlarge", "t9.xlarge", 0.2).to(), "r5.xlarge", "credits");
    assert_eq!(world().clone_type("r5.xlarge", "r9-flex.xlarge", 0.2).to(), "r5.xlarge");
}

#[test]
fn instance_store() {
    let world = World::of([g5()]).change("g5.4xlarge", |spec| spec.instance_store_gb = 0);
    assert_eq!(world.to(), "g6e.2xlarge", "$2.24 with an L40S, before the g5.8xlarge at $2.45");
    // A box without one needs none.
    let none = world.change("g5.12xlarge", |spec| spec.instance_store_gb = 0);
    assert_eq!(none.to(), "g5.4xlarge");
}

#[test]
fn network() {
    // 5 TB in an hour are 11.1 Gbit/s; the g5.4xlarge has 10 for as long as one likes.
    let proposal = World::of([Seen { network: Some(5e12), ..g5() }]).one();
    assert!((proposal.need.network_gbps.unwrap() - 5e12 * 8.0 / 3600.0 / 1e9).abs() < 1e-9);
    assert_eq!(to(&proposal), "g5.8xlarge");
    // What was not read is said.
    let proposal = World::of([Seen { network: None, ..g5() }]).one();
    assert_eq!(to(&proposal), "g5.4xlarge");
    let less = Note::LessNetwork { from: Figure(40.0), to: Figure(25.0) };
    assert!(proposal.says.iter().any(|note| **note == less), "{:?}", proposal.says);
}

#[test]
fn efa() {
    let tags = vec![("team", "vision"), ("parallelcluster:cluster-name", "c")];
    let proposal = World::of([Seen { tags, ..g5() }]).one();
    assert!(proposal.need.efa);
    assert_eq!(to(&proposal), "g5.8xlarge", "the smallest g5 with EFA");
    // 1 Gbit/s all day long.
    let much = Seen { network: Some(1.1e13), instance_type: "g5.48xlarge", ..g5() };
    assert!(World::of([much]).one().need.efa);
}

#[test]
fn offerings() {
    let world = World::of([g5()]).offers(&["g5.12xlarge", "g5.8xlarge", "m5.large"]);
    assert_eq!(world.to(), "g5.8xlarge");
    assert!(!noted!(world.one(), Note::OfferUnchecked));
}

#[test]
fn nvlink() {
    // Two of eight A100 at 30%: two RTX PRO 6000 would do but for NVLink.
    let seen = |instance_type| Seen { instance_type, working: 2, gpu_peak: 30.0, ..g5() };
    let world = World::of([seen("p4d.24xlarge")]);
    assert_eq!(world.to(), "– nothing_smaller");
    let world = World::of([seen("g9.24xlarge")]).clone_type("p4d.24xlarge", "g9.24xlarge", 21.96);
    assert_eq!(world.to(), "g7e.12xlarge");
}

#[test]
fn partitioned_gpus() {
    // One of eight A100 at 30%: an L40S would do, but it cannot be partitioned.
    let seen = Seen { instance_type: "p4d.24xlarge", gpu_peak: 30.0, ..g5() };
    assert_eq!(World::of([seen.clone()]).to(), "g6e.8xlarge");
    assert_eq!(World::of([Seen { mig: true, ..seen }]).to(), "g7e.8xlarge");
}

#[test]
fn prices() {
    let mut world = World::of([g5()]);
    let without = |names: &'static [&'static str]| {
        let mut prices = PriceBook::default();
        prices.extend(catalogue::offers().iter().filter(|o| !names.contains(&&*o.instance_type)));
        prices
    };
    world.book.prices = without(&["g5.4xlarge"]);
    assert_eq!(world.to(), "g6e.2xlarge", "what has no price is not proposed");
    // The box alone has a price: "nothing smaller" would be a lie.
    let one = catalogue::offers().iter().filter(|o| &*o.instance_type == "g5.12xlarge");
    world.book.prices = PriceBook::default();
    world.book.prices.extend(one);
    let proposal = world.one();
    assert_eq!(to(&proposal), "– no_price");
    let Note::Unpriced { types, region } = &*proposal.says[0] else { panic!("{proposal:?}") };
    assert_eq!((&*types.names[0], &**region), ("g6e.2xlarge", "us-east-1"));
    assert!(types.names.len() == 3 && types.more > 0, "{types:?}");
    world.book.prices = without(&["g5.12xlarge"]);
    assert_eq!(world.to(), "– no_price");
    assert_eq!(world.one().usd_per_hour, None);
}

#[test]
fn a_change_has_to_be_worth_it() {
    // $5.50 is 3% less than $5.672.
    let seen = Seen { working: 2, ..g5() };
    let world = World::of([seen]).clone_type("g5.12xlarge", "g9.12xlarge", 5.5);
    assert_eq!(world.to(), "– nothing_smaller");
    let world = world.clone_type("g5.12xlarge", "g9.12xlarge", 5.3);
    assert_eq!(world.to(), "g9.12xlarge");
}
