//! What does not apply, and why a net is not known.

use std::collections::HashSet;
use std::sync::Arc;

use super::make::*;
use crate::domain::{
    Commitment, CommitmentKind, CommitmentSource, CommitmentState, Commits, Holdings, Instance,
    InstanceState, Lifecycle, NetNote, NetUnknown, Offer, PlanRate, Platform, PriceBasis,
    Provenance, Rate, Scope, SharingGroups, Tenancy, Unread,
};
use crate::fleet::PriceBook;
use crate::fleet::commitments::{Applier, Cover, Meter, Net, Running, covers, joint_saving};

const AZ: &str = "us-east-1a";

fn g5() -> Meter {
    meter(A, AZ, "g5.xlarge")
}

fn list() -> PriceBook {
    prices(&[("g5.xlarge", 1.0), ("g5.2xlarge", 1.2), ("p4d.24xlarge", 32.0), ("m5.large", 0.1)])
}

#[track_caller]
fn known(net: &Net) -> &Cover {
    match net {
        Net::Known(cover) => cover,
        Net::Unknown(why) => panic!("unknown: {why:?}"),
    }
}

#[track_caller]
fn why(net: &Net) -> &NetUnknown {
    match net {
        Net::Known(cover) => panic!("known: {cover:?}"),
        Net::Unknown(why) => why,
    }
}

/// The one net of the fleet with this id.
fn net(instances: &[Arc<Instance>], id: &str, holdings: &Holdings) -> Net {
    Net::clone(&covers(instances, holdings, &list(), now())[id])
}

fn saves(instances: &[Arc<Instance>], id: &str, holdings: &Holdings) -> f64 {
    known(&net(instances, id, holdings)).saves_usd_per_hour
}

#[track_caller]
fn near(a: f64, b: f64) {
    assert!((a - b).abs() < 1e-9, "{a} is not {b}");
}

#[test]
fn without_commitments_net_is_gross() {
    let fleet = instances("i", 2, &g5());
    let cover = known(&net(&fleet, "i0", &held([]))).clone();
    assert!(cover.by.is_empty() && cover.note.is_none());
    near(cover.effective_usd_per_hour.unwrap(), 1.0);
    near(cover.saves_usd_per_hour, 1.0);
    assert_eq!(covers(&[], &held([]), &list(), now()).len(), 0);
}

#[test]
fn a_covered_box_saves_nothing_until_another_takes_its_place() {
    let holdings = held([regional("ri", A, 2, "g5.xlarge", 0.6)]);
    let alone = instances("i", 2, &g5());
    let cover = known(&net(&alone, "i0", &holdings)).clone();
    near(cover.effective_usd_per_hour.unwrap(), 0.6);
    near(cover.saves_usd_per_hour, 0.0);
    assert_eq!(cover.by.len(), 1);
    assert_eq!((&*cover.by[0].id, cover.by[0].kind), ("ri", CommitmentKind::ReservedInstances));
    near(cover.by[0].share, 1.0);
    near(cover.by[0].usd_per_hour.unwrap(), 0.6);
    assert_eq!(cover.by[0].until, Some(now() + hours(6000)));
    // A third shares with them; the one that stops leaves its reservation to the others.
    let three = instances("i", 3, &g5());
    let cover = known(&net(&three, "i0", &holdings)).clone();
    near(cover.saves_usd_per_hour, 1.0);
    near(cover.by[0].share, 2.0 / 3.0);
    near(cover.effective_usd_per_hour.unwrap(), (2.0 * 0.6 + 1.0) / 3.0);
}

#[test]
fn a_plan_goes_on_to_what_saves_less() {
    // $0.60/h pays for the g5.xlarge (40% off) in full; without it, for 0.6/1.08 of the g5.2xlarge.
    let plan = compute("sp", A, 0.6, &[("g5.xlarge", 0.6), ("g5.2xlarge", 1.08)]);
    let mut fleet = instances("i", 1, &g5());
    fleet.extend(instances("j", 1, &meter(A, AZ, "g5.2xlarge")));
    near(saves(&fleet, "i0", &held([plan.clone()])), 0.6 / 1.08 * 1.2);
    near(saves(&fleet, "j0", &held([plan])), 1.2);
}

#[test]
fn over_and_queued_commitments_pay_for_nothing() {
    let made = || regional("ri", A, 1, "g5.xlarge", 0.6);
    let expired = Commitment { end: Some(now()), ..made() };
    let ended = Commitment { state: CommitmentState::Ended, ..made() };
    let queued = Commitment { state: CommitmentState::Pending, ..made() };
    let later = Commitment { start: now() + hours(1), ..made() };
    let fleet = instances("i", 1, &g5());
    near(saves(&fleet, "i0", &held([made()])), 0.0);
    for item in [expired, ended, queued, later] {
        let holdings = held([item]);
        near(saves(&fleet, "i0", &holdings), 1.0);
        let applied = Applier::new(vec![g5()], &holdings, &list(), now()).apply(&[1.0]);
        assert_eq!((applied.committed_usd, applied.covered.len()), (0.0, 0));
    }
}

#[test]
fn what_is_for_something_else_pays_for_nothing() {
    let mut west = regional("ri", A, 1, "g5.xlarge", 0.6);
    let mut west_plan = ec2_plan("sp", A, "g5", 1.0, &[("g5.xlarge", 0.6)]);
    if let (Commits::Reserved(ri), Commits::Plan(plan)) =
        (&mut west.commits, &mut west_plan.commits)
    {
        ri.region = "us-west-2".into();
        plan.region = Some("us-west-2".into());
    }
    let mut windows = regional("ri", A, 1, "g5.xlarge", 0.6);
    let mut dedicated = regional("ri", A, 1, "g5.xlarge", 0.6);
    if let (Commits::Reserved(one), Commits::Reserved(two)) =
        (&mut windows.commits, &mut dedicated.commits)
    {
        one.platform = Platform::Windows;
        two.tenancy = Tenancy::Dedicated;
    }
    let others = [
        west,
        west_plan,
        windows,
        dedicated,
        zonal("ri", A, 1, "g5.xlarge", "us-east-1b", 0.6),
        // No flexibility in G5: the guide's list.
        regional("ri", A, 1, "g5.2xlarge", 0.6),
        ec2_plan("sp", A, "p4d", 1.0, &[("g5.xlarge", 0.6)]),
        compute("sp", A, 1.0, &[("p4d.24xlarge", 20.0)]),
    ];
    let fleet = instances("i", 1, &g5());
    for item in others {
        let label = format!("{item:?}");
        let holdings = held([item]);
        assert_eq!(saves(&fleet, "i0", &holdings), 1.0, "{label}");
        let applied = Applier::new(vec![g5()], &holdings, &list(), now()).apply(&[1.0]);
        assert_eq!(applied.used_usd, [0.0], "{label}");
        assert!(applied.committed_usd > 0.0, "paid all the same: {label}");
    }
}

#[test]
fn without_sharing_an_account_keeps_to_itself() {
    let fleet = instances("i", 1, &g5());
    let holdings = held([regional("ri", B, 1, "g5.xlarge", 0.6)]);
    near(saves(&fleet, "i0", &holdings), 0.0);
    near(saves(&fleet, "i0", &Holdings { sharing: false, ..holdings }), 1.0);
}

#[test]
fn a_group_is_served_before_others_or_alone() {
    let mut fleet = instances("a", 1, &g5());
    fleet.extend(instances("c", 1, &meter(C, AZ, "g5.xlarge")));
    let of = |restricted| SharingGroups::new([[B, C]], restricted);
    let covered = |fleet: &[Arc<Instance>], groups: SharingGroups| -> Vec<String> {
        let holdings = Holdings { groups, ..held([regional("ri", B, 1, "g5.xlarge", 0.6)]) };
        let nets = covers(fleet, &holdings, &list(), now());
        let is_covered = |i: &&Arc<Instance>| !known(&nets[&i.id]).by.is_empty();
        fleet.iter().filter(is_covered).map(|i| i.id.to_string()).collect()
    };
    // Of others the first account; of a group its accounts, whatever their ids.
    assert_eq!(covered(&fleet, SharingGroups::default()), ["a0"]);
    assert_eq!(covered(&fleet, of(false)), ["c0"]);
    assert_eq!(covered(&fleet, of(true)), ["c0"]);
    // Nobody of the group runs anything.
    assert_eq!(covered(&fleet[..1], of(false)), ["a0"]);
    assert_eq!(covered(&fleet[..1], of(true)), [""; 0]);
    // What could not be read of an account matters to those alone that it shares with.
    let unread = Unread {
        scope: Scope::new(B, EAST),
        source: CommitmentSource::ReservedInstances,
        why: "denied".into(),
    };
    let with = |groups| Holdings { unread: vec![unread.clone()], groups, ..held([]) };
    assert!(matches!(net(&fleet, "a0", &with(of(false))), Net::Unknown(_)));
    assert!(matches!(net(&fleet, "c0", &with(of(true))), Net::Unknown(_)));
    near(saves(&fleet, "a0", &with(of(true))), 1.0);
}

#[test]
fn of_two_for_the_same_one_idles() {
    let holdings = held([
        regional("r1", A, 1, "g5.xlarge", 0.6),
        compute("sp", A, 0.6, &[("g5.xlarge", 0.6)]),
    ]);
    let applied = Applier::new(vec![g5()], &holdings, &list(), now()).apply(&[1.0]);
    assert_eq!(applied.used_usd, [0.6, 0.0]);
    near(applied.total_usd(), 1.2);
    // Two boxes stop for nothing: both commitments go on.
    near(saves(&instances("i", 2, &g5()), "i0", &holdings), 0.0);
}

#[test]
fn denied_is_unknown_and_never_gross() {
    let fleet = instances("i", 1, &g5());
    let denied = |account: &str, region: &str| Unread {
        scope: Scope::new(account, region),
        source: CommitmentSource::ReservedInstances,
        why: "denied: ec2:DescribeReservedInstances".into(),
    };
    let with =
        |unread: Unread, sharing: bool| Holdings { unread: vec![unread], sharing, ..held([]) };
    let own = net(&fleet, "i0", &with(denied(A, EAST), false));
    assert_eq!(*why(&own), NetUnknown::Unread(denied(A, EAST)));
    assert_eq!(own.saves_usd_per_hour(), None);
    // Another account's matters where discounts are shared, another region's never.
    near(saves(&fleet, "i0", &with(denied(B, EAST), false)), 1.0);
    let other = net(&fleet, "i0", &with(denied(B, EAST), true));
    assert_eq!(*why(&other), NetUnknown::Unread(denied(B, EAST)));
    near(saves(&fleet, "i0", &with(denied(A, "us-west-2"), true)), 1.0);
    let plans = Unread {
        scope: Scope::account_wide(A),
        source: CommitmentSource::SavingsPlans,
        why: "denied: savingsplans:DescribeSavingsPlans".into(),
    };
    let of_plans = net(&fleet, "i0", &with(plans.clone(), true));
    assert_eq!(*why(&of_plans), NetUnknown::Unread(plans.clone()));
    let stop: HashSet<Arc<str>> = ["i0".into()].into();
    assert_eq!(joint_saving(&fleet, &stop, &with(plans, true), &list(), now()), None);
}

#[test]
fn a_plan_without_rates_makes_unknown_what_it_could_touch() {
    let mut blind = ec2_plan("blind", A, "p4d", 20.0, &[]);
    if let Commits::Plan(plan) = &mut blind.commits {
        plan.rates_known = false;
    }
    let mut fleet = instances("p", 1, &meter(A, AZ, "p4d.24xlarge"));
    fleet.extend(instances("g", 1, &g5()));
    fleet.extend(instances("m", 1, &meter(A, AZ, "m5.large")));
    // Nothing joins p4d and g5: only the plan's own family is unknown.
    let apart = held([blind.clone()]);
    let rates = NetUnknown::Rates { kind: CommitmentKind::Ec2InstancePlan, id: "blind".into() };
    assert_eq!(*why(&net(&fleet, "p0", &apart)), rates);
    near(saves(&fleet, "g0", &apart), 1.0);
    // A wide plan pays for what the blind one leaves: g5 depends on it, m5 does not.
    let wide = compute("wide", A, 5.0, &[("p4d.24xlarge", 20.0), ("g5.xlarge", 0.6)]);
    let joined = held([blind, wide]);
    assert_eq!(*why(&net(&fleet, "g0", &joined)), rates);
    near(saves(&fleet, "m0", &joined), 0.1);
}

/// A Compute plan may pay in the one region or the other: what is not known of either is not known
/// of both.
#[test]
fn a_plan_that_reaches_what_is_not_known_is_not_known_where_it_is() {
    const WEST: &str = "us-west-2";
    let west = Meter { scope: Scope::new(A, WEST), ..g5() };
    let mut fleet = instances("i", 1, &g5());
    fleet.extend(instances("m", 1, &meter(A, AZ, "m5.large")));
    let mut wide = compute("sp", A, 0.6, &[("g5.xlarge", 0.6)]);
    if let Commits::Plan(plan) = &mut wide.commits {
        plan.rates.push(PlanRate { region: WEST.into(), ..plan.rates[0].clone() });
    }
    let denied = Unread {
        scope: Scope::new(A, WEST),
        source: CommitmentSource::ReservedInstances,
        why: "denied: ec2:DescribeReservedInstances".into(),
    };
    let blind = |items: Vec<Commitment>| Holdings { unread: vec![denied.clone()], ..held(items) };
    // Nothing of that region runs: nothing there takes from the plan.
    near(saves(&fleet, "i0", &blind(vec![wide.clone()])), 0.0);
    fleet.extend(instances("w", 1, &west));
    let net_of = |id: &str, holdings: &Holdings| net(&fleet, id, holdings);
    let with = blind(vec![wide.clone()]);
    assert_eq!(*why(&net_of("i0", &with)), NetUnknown::Unread(denied.clone()));
    near(saves(&fleet, "m0", &with), 0.1);
    let stop: HashSet<Arc<str>> = ["i0".into()].into();
    assert_eq!(joint_saving(&fleet, &stop, &with, &list(), now()), None);
    // Without the plan each region stands for itself.
    near(saves(&fleet, "i0", &blind(vec![])), 1.0);
    // All is read, but what runs in the other region has no price: whether the plan saves more there,
    // and what stopping here would free for it, nobody knows.
    let read = held([wide]);
    let (instance_type, region) = ("g5.xlarge".into(), WEST.into());
    let elsewhere = NetUnknown::OnDemandPriceOf { instance_type, region };
    assert_eq!(*why(&net_of("i0", &read)), elsewhere);
    assert_eq!(*why(&net_of("w0", &read)), NetUnknown::OnDemandPrice);
    near(saves(&fleet, "m0", &read), 0.1);
}

#[test]
fn a_reservation_of_unknown_price_pays_and_nobody_knows_how_much() {
    let mut modified = regional("ri", A, 1, "g5.xlarge", 0.6);
    if let Commits::Reserved(reserved) = &mut modified.commits {
        (reserved.usd_per_hour, reserved.upfront_usd) = (None, None);
    }
    let fleet = instances("i", 1, &g5());
    let of = net(&fleet, "i0", &held([modified]));
    let cover = known(&of);
    assert_eq!((cover.by[0].usd_per_hour, cover.by[0].share), (None, 1.0));
    assert_eq!((cover.effective_usd_per_hour, cover.saves_usd_per_hour), (None, 0.0));
}

#[test]
fn a_missing_price_is_unknown() {
    let fleet = instances("i", 1, &meter(A, AZ, "x9.large"));
    assert_eq!(*why(&net(&fleet, "i0", &held([]))), NetUnknown::OnDemandPrice);
    let holdings = held([]);
    let applied = Applier::new(vec![meter(A, AZ, "x9.large")], &holdings, &list(), now());
    assert_eq!(applied.apply(&[3.0]).unpriced_units, 3.0);
    let mut software = instance("i0", &g5());
    software.platform = Platform::Other;
    let text = net(&[Arc::new(software)], "i0", &held([]));
    assert_eq!(*why(&text), NetUnknown::SoftwarePrice);
}

#[test]
fn spot_saves_its_price_and_what_is_prepaid_nothing() {
    let mut book = list();
    book.extend(&[Offer {
        region: EAST.into(),
        az: Some(AZ.into()),
        instance_type: "g5.xlarge".into(),
        platform: Platform::Linux,
        tenancy: Tenancy::Shared,
        rate: Rate { usd_per_hour: 0.31, basis: PriceBasis::Spot, provenance: Provenance::Demo },
    }]);
    let like = |id: &str, lifecycle, tenancy| {
        let mut made = instance(id, &g5());
        (made.lifecycle, made.tenancy) = (lifecycle, tenancy);
        made.capacity_reservation = Some("cb".into());
        Arc::new(made)
    };
    let fleet = [
        like("spot", Lifecycle::Spot, Tenancy::Shared),
        like("block", Lifecycle::CapacityBlock, Tenancy::Shared),
        like("scheduled", Lifecycle::Scheduled, Tenancy::Shared),
        like("host", Lifecycle::OnDemand, Tenancy::Host),
    ];
    // Nothing that is not read matters to them; a reservation pays for none of them.
    let mut holdings = held([
        regional("ri", A, 9, "g5.xlarge", 0.6),
        block("cb", A, 4, "g5.xlarge", Some(4.0 * 48.0 * 0.8)),
    ]);
    holdings.unread.push(Unread {
        scope: Scope::account_wide(A),
        source: CommitmentSource::SavingsPlans,
        why: "not read yet".into(),
    });
    let nets = covers(&fleet, &holdings, &book, now());
    near(known(&nets["spot"]).saves_usd_per_hour, 0.31);
    near(known(&nets["spot"]).effective_usd_per_hour.unwrap(), 0.31);
    for id in ["block", "scheduled", "host"] {
        let cover = known(&nets[id]);
        assert_eq!(cover.saves_usd_per_hour, 0.0, "{id}");
    }
    let notes = ["block", "scheduled", "host"].map(|id| known(&nets[id]).note.unwrap());
    use NetNote as N;
    assert_eq!(notes, [N::BlockPrepaid, N::ScheduledPrepaid, N::HostBilled]);
    let of_block = known(&nets["block"]);
    near(of_block.effective_usd_per_hour.unwrap(), 0.8);
    assert_eq!((&*of_block.by[0].id, of_block.by[0].kind), ("cb", CommitmentKind::CapacityBlock));
    let all: HashSet<Arc<str>> = fleet.iter().map(|i| i.id.clone()).collect();
    near(joint_saving(&fleet, &all, &holdings, &book, now()).unwrap(), 0.31);
    let no_price = covers(&fleet, &holdings, &list(), now());
    assert_eq!(*why(&no_price["spot"]), NetUnknown::SpotPrice);
}

#[test]
fn what_does_not_run_has_no_net() {
    let mut stopped = instance("i0", &g5());
    stopped.state = InstanceState::Stopped;
    let fleet = [Arc::new(stopped)];
    assert!(covers(&fleet, &held([]), &list(), now()).is_empty());
    let stop: HashSet<Arc<str>> = ["i0".into(), "gone".into()].into();
    assert_eq!(joint_saving(&fleet, &stop, &held([]), &list(), now()), Some(0.0));
}

fn inside(reservation: &str) -> Meter {
    Meter { reservation: Some(reservation.into()), ..g5() }
}

#[test]
fn a_box_in_reserved_capacity_leaves_its_room_billed() {
    let fleet = instances("i", 2, &inside("cr"));
    let holdings = held([odcr("cr", A, (3, 1), "g5.xlarge")]);
    let cover = known(&net(&fleet, "i0", &holdings)).clone();
    near(cover.saves_usd_per_hour, 0.0);
    near(cover.effective_usd_per_hour.unwrap(), 1.0);
    assert_eq!(cover.by[0].kind, CommitmentKind::CapacityReservation);
    assert_eq!(cover.note, Some(NetNote::CapacityStaysBilled));
    // Three rooms, two used: 3 × $1.00.
    let applier = Applier::new(vec![inside("cr")], &holdings, &list(), now());
    near(applier.apply(&[2.0]).total_usd(), 3.0);
    near(applier.apply(&[4.0]).total_usd(), 4.0);
    // Cancelled: billed no more.
    let mut over = odcr("cr", A, (3, 1), "g5.xlarge");
    over.state = CommitmentState::Ended;
    near(saves(&fleet, "i0", &held([over])), 1.0);
    // Of an account that is not read: who pays for the room that a stop leaves is not known.
    let unread = net(&fleet, "i0", &held([]));
    assert_eq!(*why(&unread), NetUnknown::ForeignCapacity("cr".into()));
    let stop: HashSet<Arc<str>> = ["i0".into()].into();
    assert_eq!(joint_saving(&fleet, &stop, &held([]), &list(), now()), None);
}

#[test]
fn discounts_apply_to_unused_room_last_and_zonal_ones_never() {
    let room = odcr("cr", A, (2, 2), "g5.xlarge");
    let usage = vec![g5()];
    // One reservation: the instance has it, both rooms are on demand.
    let one = held([room.clone(), regional("ri", A, 1, "g5.xlarge", 0.6)]);
    let applied = Applier::new(usage.clone(), &one, &list(), now()).apply(&[1.0]);
    assert_eq!(applied.on_demand_units, [0.0, 2.0]);
    // Three: the rooms as well.
    let three = held([room.clone(), regional("ri", A, 3, "g5.xlarge", 0.6)]);
    let applied = Applier::new(usage.clone(), &three, &list(), now()).apply(&[1.0]);
    assert_eq!(applied.on_demand_units, [0.0, 0.0]);
    // Zonal ones pay for neither the room nor what runs in it.
    let zone = held([room.clone(), zonal("ri", A, 3, "g5.xlarge", AZ, 0.6)]);
    let applied = Applier::new(vec![g5(), inside("cr")], &zone, &list(), now()).apply(&[1.0, 1.0]);
    assert_eq!(applied.on_demand_units, [0.0, 1.0, 1.0]);
    // Another account's usage comes before one's own unused room.
    let mut abroad = g5();
    abroad.scope = Scope::new(B, EAST);
    let plan = held([room, compute("sp", A, 0.6, &[("g5.xlarge", 0.6)])]);
    let applied = Applier::new(vec![abroad], &plan, &list(), now()).apply(&[1.0]);
    assert_eq!(applied.on_demand_units, [0.0, 2.0]);
}

#[test]
fn room_that_others_use_is_not_billed_here() {
    // Of four, three are used, one of them by an instance that is metered here.
    let holdings = held([odcr("cr", A, (4, 1), "g5.xlarge")]);
    let applier = Applier::new(vec![inside("cr")], &holdings, &list(), now())
        .with_room_used_elsewhere(&[1.0], &holdings);
    assert_eq!(applier.apply(&[1.0]).units, [1.0, 1.0]);
    assert_eq!(applier.apply(&[0.0]).units, [0.0, 2.0]);
    near(saves(&instances("i", 1, &inside("cr")), "i0", &holdings), 0.0);
}

/// The one case in which AWS's own order makes less usage cost more: a plan pays for the instance in
/// reserved capacity first (50% off); once it stops, its room comes after the other instance, which
/// is cheaper by less (10% off).
#[test]
fn emptying_reserved_capacity_can_cost_more() {
    let mut fleet = instances("i", 1, &inside("cr"));
    fleet.extend(instances("j", 1, &meter(A, AZ, "g5.2xlarge")));
    let plan = compute("sp", A, 0.5, &[("g5.xlarge", 0.5), ("g5.2xlarge", 1.08)]);
    let holdings = held([odcr("cr", A, (1, 0), "g5.xlarge"), plan]);
    // Before: 0.50 + 1.20. After: 0.50 + 1.00 for the room + what the plan leaves of the other.
    let after = 0.5 + 1.0 + 1.2 * (1.0 - 0.5 / 1.08);
    near(saves(&fleet, "i0", &holdings), 1.7 - after);
    assert!(1.7 < after);
}

#[test]
fn together_is_not_the_sum() {
    let fleet = instances("i", 3, &g5());
    let holdings = held([regional("ri", A, 2, "g5.xlarge", 0.6)]);
    let ids = |n: usize| -> HashSet<Arc<str>> { (0..n).map(|i| format!("i{i}").into()).collect() };
    let joint = |n| joint_saving(&fleet, &ids(n), &holdings, &list(), now()).unwrap();
    assert_eq!((joint(0), joint(1), joint(2), joint(3)), (0.0, 1.0, 1.0, 1.0));
    near(saves(&fleet, "i0", &holdings), 1.0);
}

#[test]
fn capacity_blocks_are_paid_in_advance_and_discount_nothing() {
    let fleet = instances("i", 1, &g5());
    let holdings = held([block("cb", A, 2, "g5.xlarge", Some(48.0 * 2.0))]);
    near(saves(&fleet, "i0", &holdings), 1.0);
    let applied = Applier::new(vec![g5()], &holdings, &list(), now()).apply(&[1.0]);
    near(applied.committed_usd, 2.0);
    let unpriced = held([block("cb", A, 2, "g5.xlarge", None)]);
    let applied = Applier::new(vec![g5()], &unpriced, &list(), now()).apply(&[1.0]);
    assert_eq!(applied.committed_usd, 0.0);
}

#[test]
fn a_capacity_block_before_its_start_or_after_its_end_covers_and_costs_nothing() {
    let mut inside = instance("cb-0", &g5());
    inside.lifecycle = Lifecycle::CapacityBlock;
    inside.capacity_reservation = Some("cb".into());
    let fleet = [Arc::new(inside)];
    for (from, to, is_in_force) in
        [(1, 25, false), (-24, 24, true), (0, 24, true), (-48, -1, false), (-24, 0, false)]
    {
        let mut block = block("cb", A, 2, "g5.xlarge", Some(96.0));
        (block.start, block.end) = (now() + hours(from), Some(now() + hours(to)));
        let usd = 96.0 / (to - from) as f64;
        let holdings = held([block]);
        let applied = Applier::new(vec![g5()], &holdings, &list(), now()).apply(&[1.0]);
        near(applied.committed_usd, if is_in_force { usd } else { 0.0 });
        let cover = known(&net(&fleet, "cb-0", &holdings)).clone();
        assert_eq!(cover.by.len(), usize::from(is_in_force), "{from} {to}");
        assert_eq!(cover.effective_usd_per_hour.is_some(), is_in_force, "{from} {to}");
    }
}

#[test]
fn wrong_numbers_do_no_harm() {
    let holdings = held([
        regional("r1", A, 1, "g5.xlarge", f64::NAN),
        compute("p1", A, f64::INFINITY, &[("g5.xlarge", 0.5)]),
        compute("p2", A, -1.0, &[("g5.xlarge", 0.5)]),
        compute("p3", A, 1.0, &[("g5.xlarge", f64::NAN), ("g5.xlarge", -1.0)]),
        compute("p4", A, 1.0, &[("g5.xlarge", 0.0)]),
    ]);
    let applier = Applier::new(vec![g5()], &holdings, &list(), now());
    for units in [&[f64::NAN][..], &[f64::INFINITY], &[-3.0], &[], &[1.0, 2.0, 3.0], &[5.0]] {
        let applied = applier.apply(units);
        assert!(applied.total_usd().is_finite() && applied.total_usd() >= 0.0, "{applied:?}");
    }
    assert_eq!(applier.apply(&[5.0]).on_demand_units, [0.0], "a rate of 0 pays for all");
}

/// The other way round: the owner's usage comes first even where others' would save more.
#[test]
fn leaving_a_shared_plan_to_others_can_save_more_than_the_price() {
    let mut fleet = instances("i", 1, &g5());
    fleet.extend(instances("j", 1, &meter(B, AZ, "g5.2xlarge")));
    let plan = compute("sp", A, 0.8, &[("g5.xlarge", 0.8), ("g5.2xlarge", 0.6)]);
    // Before: $0.80, and $1.20 on demand. After: $0.80, and nothing.
    near(saves(&fleet, "i0", &held([plan])), 1.2);
}

#[test]
fn a_move_to_another_type_is_one_question() {
    let smaller = meter(A, AZ, "m5.large");
    let fleet = instances("i", 2, &g5());
    let ask = |holdings: &Holdings| {
        let running = Running::new(&fleet, [smaller.clone()], holdings, &list(), now());
        let (from, to) = (running.meter_of("i0").unwrap(), running.place_of(&smaller).unwrap());
        assert_eq!((running.units()[from], running.units()[to]), (2.0, 0.0));
        running.saves_usd(&[(from, -1.0), (to, 1.0)])
    };
    near(ask(&held([])), 0.9);
    // Reserved: the reservation goes on, and the smaller one is paid besides.
    near(ask(&held([regional("ri", A, 2, "g5.xlarge", 0.6)])), -0.1);
    // A wide plan follows: $0.60 that paid for a g5.xlarge pays for the m5.large as well.
    let plan = compute("sp", A, 1.2, &[("g5.xlarge", 0.6), ("m5.large", 0.07)]);
    near(ask(&held([plan])), 0.0);
    let bill = Running::new(&fleet, [], &held([]), &list(), now()).bill_usd();
    near(bill, 2.0);
}
