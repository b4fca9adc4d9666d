//! The parts of the bill, by hand.

use super::fixture::{World, capacity, in_days, now, plan, reserved};
use crate::domain::{Lifecycle, ReservesCapacity, ResourceKind, VerdictKind};
use crate::fleet::PartKind;
use crate::fleet::savings::{BillKind, BillRow, Waterfall};

const TYPES: [(&str, f64); 2] = [("p4d.24xlarge", 22.0), ("g5.xlarge", 4.0)];

fn row(w: &Waterfall, kind: BillKind) -> BillRow {
    *w.bill.iter().find(|row| row.kind == kind).unwrap()
}

fn paid(w: &Waterfall, kind: BillKind) -> f64 {
    row(w, kind).usd_per_hour
}

#[track_caller]
fn close(a: f64, b: f64) {
    assert!((a - b).abs() < 1e-9, "{a} is not {b}");
}

#[track_caller]
fn adds_up(w: &Waterfall) {
    close(w.bill.iter().map(|row| row.usd_per_hour).sum(), w.before);
    let kinds: Vec<BillKind> = w.bill.iter().map(|row| row.kind).collect();
    assert_eq!(kinds, BillKind::all().collect::<Vec<_>>());
}

#[test]
fn instances_that_no_commitment_tells_apart_share_it_and_the_rest_of_it_is_unused() {
    let mut w = World::new(&TYPES);
    w.run("idle", "1", "p4d.24xlarge", VerdictKind::Idle);
    w.run("busy", "1", "p4d.24xlarge", VerdictKind::Busy);
    w.hold(reserved("ri", "1", "p4d.24xlarge", 1, 13.2));
    w.hold(reserved("other", "1", "g5.xlarge", 2, 2.5));
    let found = w.waterfall();
    adds_up(&found);
    // One at $13.20 and one at $22, half of it each; both g5 reservations are used by nothing.
    let [idle, busy] = [PartKind::Idle, PartKind::Busy].map(BillKind::Instances);
    for kind in [idle, busy] {
        close(paid(&found, kind), 17.6);
        assert_eq!(row(&found, kind).list_usd_per_hour, Some(22.0));
    }
    close(paid(&found, BillKind::UnusedCommitments), 5.0);
    assert_eq!(row(&found, BillKind::UnusedCommitments).count, 2);
}

#[test]
fn what_a_plan_charges_and_what_it_leaves_are_two_rows() {
    let mut w = World::new(&TYPES);
    w.run("busy", "1", "g5.xlarge", VerdictKind::Busy);
    w.hold(plan("sp", "1", 5.0, &[("g5.xlarge", 3.0)]));
    let found = w.waterfall();
    adds_up(&found);
    close(paid(&found, BillKind::Instances(PartKind::Busy)), 3.0);
    close(paid(&found, BillKind::UnusedCommitments), 2.0);
}

#[test]
fn empty_room_of_a_reservation_is_a_row_of_its_own() {
    let mut w = World::new(&TYPES);
    w.run("busy", "1", "p4d.24xlarge", VerdictKind::Busy);
    w.instances[0].capacity_reservation = Some("cr".into());
    w.hold(capacity("cr", "1", "p4d.24xlarge", (3, 2), ReservesCapacity::OnDemand));
    let found = w.waterfall();
    adds_up(&found);
    close(paid(&found, BillKind::Instances(PartKind::Busy)), 22.0);
    close(paid(&found, BillKind::EmptyCapacity), 44.0);
    close(paid(&found, BillKind::UnusedCommitments), 0.0);
}

#[test]
fn a_block_is_paid_by_those_inside_and_what_others_use_is_not_called_unused() {
    let mut w = World::new(&TYPES);
    w.run("inside", "1", "p4d.24xlarge", VerdictKind::Idle);
    w.instances[0].lifecycle = Lifecycle::CapacityBlock;
    w.instances[0].capacity_reservation = Some("cb".into());
    let upfront_usd = Some(40.0 * 24.0 * 365.0);
    w.hold(capacity("cb", "1", "p4d.24xlarge", (4, 1), ReservesCapacity::Block { upfront_usd }));
    let found = w.waterfall();
    adds_up(&found);
    assert_eq!((in_days(265).duration_since(in_days(-100))).as_hours(), 365 * 24, "its term");
    // $40 an hour for four: one here, two of accounts that are not read, one of nobody.
    close(paid(&found, BillKind::Instances(PartKind::Idle)), 10.0);
    close(paid(&found, BillKind::UsedElsewhere), 20.0);
    close(paid(&found, BillKind::UnusedCommitments), 10.0);
    let idle = row(&found, BillKind::Instances(PartKind::Idle));
    assert_eq!((idle.list_usd_per_hour, idle.unpriced), (Some(0.0), 1), "no list has it");
}

#[test]
fn idle_resources_are_apart_from_the_others_and_unknown_prices_are_counted() {
    let mut w = World::new(&TYPES);
    w.resource("idle", ResourceKind::NatGateway, 0.5, true);
    w.resource("busy", ResourceKind::NatGateway, 0.75, false);
    let found = w.waterfall();
    adds_up(&found);
    close(paid(&found, BillKind::IdleResources), 0.5);
    close(paid(&found, BillKind::OtherResources), 0.75);
    assert_eq!(row(&found, BillKind::IdleResources).count, 1);
}

#[test]
fn what_was_not_read_is_in_no_row() {
    let mut w = World::new(&TYPES);
    w.run("idle", "1", "p4d.24xlarge", VerdictKind::Idle);
    w.hold(reserved("ri", "1", "p4d.24xlarge", 3, 13.2));
    w.holdings = None;
    let found = w.waterfall();
    adds_up(&found);
    // At list price: none of the commitments, so neither their discount nor what of them is unused.
    close(paid(&found, BillKind::Instances(PartKind::Idle)), 22.0);
    let unused = row(&found, BillKind::UnusedCommitments);
    assert_eq!((unused.usd_per_hour.to_bits(), unused.count), (0, 0));
    assert!(found.net_unknown.is_some() && found.unread.len() == 2, "at {}", now());
}
