//! Gross and net.

use super::*;
use crate::domain::{
    CapacityReservation, Commitment, CommitmentKind, CommitmentSource, CommitmentState, Commits,
    NetUnknown, OfferingClass, PaymentOption, PlanRate, PlanType, Provenance, ReservedInstances,
    SavingsPlan, Unread,
};

fn held(id: &str, days: i64, commits: Commits) -> Arc<Commitment> {
    Arc::new(Commitment {
        id: id.into(),
        account: scope().account,
        state: CommitmentState::Active,
        start: ago(1000),
        end: Some(now() + SignedDuration::from_hours(24 * days)),
        commits,
        provenance: Provenance::Demo,
    })
}

fn reserved(id: &str, days: i64, instance_type: &str, count: u32) -> Arc<Commitment> {
    let reserved = ReservedInstances {
        region: "us-east-1".into(),
        az: None,
        instance_type: instance_type.into(),
        platform: Platform::Linux,
        tenancy: Tenancy::Shared,
        count,
        class: OfferingClass::Standard,
        payment: PaymentOption::NoUpfront,
        usd_per_hour: Some(3.0),
        upfront_usd: Some(0.0),
    };
    held(id, days, Commits::Reserved(reserved))
}

fn plan(usd_per_hour: f64, rates: &[(&str, f64)]) -> Arc<Commitment> {
    let rate = |(name, usd): &(&str, f64)| PlanRate {
        region: "us-east-1".into(),
        instance_type: (*name).into(),
        platform: Platform::Linux,
        tenancy: Tenancy::Shared,
        usd_per_hour: *usd,
    };
    let plan = SavingsPlan {
        plan_type: PlanType::Compute,
        usd_per_hour,
        payment: PaymentOption::NoUpfront,
        upfront_usd: 0.0,
        region: None,
        family: None,
        rates: rates.iter().map(rate).collect(),
        rates_known: true,
    };
    held("sp-1", 90, Commits::Plan(plan))
}

fn world(seen: Vec<Seen>, items: Vec<Arc<Commitment>>) -> World {
    let mut world = World::of(seen);
    world.book.holdings = Some(Holdings { items, ..Holdings::default() });
    world
}

fn near(a: Option<f64>, b: f64) {
    assert!(a.is_some_and(|a| (a - b).abs() < 1e-6), "{a:?} {b}");
}

/// A p4d with one of eight GPUs at work: a g7e.8xlarge at $5.26824 would do. Neither is of a family
/// whose reservations flex over sizes here: p4d has one size.
fn p4d() -> Seen {
    Seen { instance_type: "p4d.24xlarge", ..g5() }
}

#[test]
fn a_reservation_makes_it_worthless_until_it_ends() {
    let world = world(vec![p4d()], vec![reserved("ri-1", 30, "p4d.24xlarge", 1)]);
    let proposal = world.one();
    near(proposal.gross_usd_per_hour, 21.957_642 - 5.26824);
    // The reservation goes on, and the new one comes on top.
    near(proposal.net_usd_per_hour, -5.26824);
    assert_eq!(proposal.worthless_until, Some(now() + SignedDuration::from_hours(24 * 30)));
    let last = proposal.says.last().unwrap();
    let Note::NetNothing { costs: Some(costs), until, by } = &**last else { panic!("{last:?}") };
    near(Some(costs.0), 5.26824);
    assert_eq!(*until, proposal.worthless_until);
    assert_eq!(by[..], [(CommitmentKind::ReservedInstances, "ri-1".into())]);
}

#[test]
fn another_box_takes_over_the_reservation() {
    let seen = vec![p4d(), Seen { id: "i-2", kind: VerdictKind::Busy, gpu_gib: None, ..p4d() }];
    let world = world(seen, vec![reserved("ri-1", 30, "p4d.24xlarge", 1)]);
    let proposal = world.one();
    near(proposal.net_usd_per_hour, 21.957_642 - 5.26824);
    assert_eq!(proposal.worthless_until, None);
}

#[test]
fn the_last_of_two_commitments_counts() {
    // Two reservations for one box: while either lasts it is covered.
    let items =
        vec![reserved("ri-1", 30, "p4d.24xlarge", 1), reserved("ri-2", 60, "p4d.24xlarge", 1)];
    let proposal = world(vec![p4d()], items).one();
    near(proposal.net_usd_per_hour, -5.26824);
    assert_eq!(proposal.worthless_until, Some(now() + SignedDuration::from_hours(24 * 60)));
}

#[test]
fn a_plan_moves_to_the_new_type() {
    // $10/h of a plan at $12 for a p4d and $3 for a g7e.8xlarge. Before: 10/12 of the p4d, the rest
    // on demand: 10 + 21.957_642 / 6. After: $3 of the plan used, 7 unused: 10.
    let rates = [("p4d.24xlarge", 12.0), ("g7e.8xlarge", 3.0)];
    let proposal = world(vec![p4d()], vec![plan(10.0, &rates)]).one();
    near(proposal.net_usd_per_hour, 21.957_642 / 6.0);
    assert_eq!(proposal.worthless_until, None);
    let last = proposal.says.last().unwrap();
    let Note::NetLess { gross, net, .. } = &**last else { panic!("{last:?}") };
    near(Some(gross.0), 21.957_642 - 5.26824);
    near(Some(net.0), 21.957_642 / 6.0);
    // A plan that covers all of it: nothing falls.
    let proposal = world(vec![p4d()], vec![plan(12.0, &rates)]).one();
    near(proposal.net_usd_per_hour, 0.0);
    assert_eq!(proposal.worthless_until, Some(now() + SignedDuration::from_hours(24 * 90)));
    // A rate that nobody read: not known.
    let proposal = world(vec![p4d()], vec![plan(10.0, &rates[..1])]).one();
    assert_eq!(proposal.net_usd_per_hour, None);
    let unread = Note::NetRateUnread { plan: "sp-1".into(), instance_type: "g7e.8xlarge".into() };
    assert_eq!(**proposal.says.last().unwrap(), unread);
}

#[test]
fn without_reading_there_is_no_net() {
    let mut world = world(vec![p4d()], vec![]);
    world.book.holdings = None;
    assert_eq!(world.one().net_usd_per_hour, None);
    assert!(noted!(world.one(), Note::NetUnread));
    let unread = Unread {
        scope: Scope::account_wide(scope().account),
        source: CommitmentSource::SavingsPlans,
        why: "denied: savingsplans:DescribeSavingsPlans".into(),
    };
    world.book.holdings = Some(Holdings { unread: vec![unread.clone()], ..Holdings::default() });
    assert_eq!(world.one().net_usd_per_hour, None);
    let proposal = world.one();
    let last = proposal.says.last().unwrap();
    let Note::NetUnknown(why) = &**last else { panic!("{last:?}") };
    assert_eq!(*why, NetUnknown::Unread(unread));
}

#[test]
fn commitments_elsewhere_change_nothing() {
    let mut other = (*reserved("ri-1", 30, "p4d.24xlarge", 1)).clone();
    let Commits::Reserved(ri) = &mut other.commits else { unreachable!() };
    ri.region = "eu-west-1".into();
    let mut over = (*reserved("ri-2", 30, "p4d.24xlarge", 1)).clone();
    over.state = CommitmentState::Ended;
    let proposal = world(vec![p4d()], vec![Arc::new(other), Arc::new(over)]).one();
    near(proposal.net_usd_per_hour, 21.957_642 - 5.26824);
}

#[test]
fn reserved_capacity_goes_on_billing() {
    let capacity = CapacityReservation {
        region: "us-east-1".into(),
        az: "us-east-1a".into(),
        instance_type: "p4d.24xlarge".into(),
        platform: Platform::Linux,
        tenancy: Tenancy::Shared,
        total: 1,
        available: 0,
        reserves: crate::domain::ReservesCapacity::OnDemand,
        targeted: false,
    };
    let mut item = (*held("cr-1", 30, Commits::Capacity(capacity))).clone();
    item.end = None;
    let mut world = world(vec![p4d()], vec![Arc::new(item)]);
    // The instance runs in it.
    world.seen[0].tags.push(("cr", "cr-1"));
    let proposal = world.one();
    // Its room is billed at the on-demand price whether used or not: the new one comes on top.
    near(proposal.net_usd_per_hour, -5.26824);
    assert_eq!(proposal.worthless_until, None, "it has no end");
}
