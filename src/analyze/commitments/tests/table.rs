//! The present hour: figures, findings, order.

use super::*;
use crate::domain::{
    CommitmentKind, CommitmentSource, CommitmentState, Commits, Instance, Lifecycle, PlanType,
    Unread,
};
use crate::fleet::commitments::tests::make::*;
use crate::fleet::savings::{Elsewhere, Ending};

const AZ: &str = "us-east-1a";

fn g5(n: usize) -> Vec<Arc<Instance>> {
    instances("g", n, &meter(A, AZ, "g5.xlarge"))
}

fn list() -> PriceBook {
    prices(&[
        ("g5.xlarge", 1.0),
        ("g5.2xlarge", 1.2),
        ("p5.48xlarge", 55.0),
        ("m5.large", 0.1),
        ("m5.xlarge", 0.2),
    ])
}

#[test]
fn nothing_is_an_empty_table() {
    let (rows, sums) = made(&[], &held([]), Vec::new(), &list());
    assert!(rows.is_empty());
    let (committed, unused) = (sums.committed_usd_per_hour, sums.unused_usd_per_hour);
    assert_eq!((committed, unused), (Some(0.0), Some(0.0)), "none is held, and that is known");
    assert_eq!((sums.utilisation, sums.coverage), (None, None));
    let (rows, sums) = made(&g5(2), &held([]), Vec::new(), &list());
    assert!(rows.is_empty());
    assert_eq!((sums.coverage, sums.effective_savings_rate), (Some(0.0), Some(0.0)));
    assert_eq!((sums.utilisation, sums.committed_usd_per_hour), (None, Some(0.0)));
}

#[test]
fn a_reservation_half_used() {
    let (rows, sums) =
        made(&g5(1), &held([regional("ri", A, 2, "g5.xlarge", 0.6)]), Vec::new(), &list());
    let it = row(&rows, "ri");
    assert_eq!(&*it.covers, "2 × g5.xlarge in us-east-1");
    near(it.usd_per_hour, 1.2);
    assert_eq!((it.utilisation, it.hours), (None, 0));
    near(it.utilisation_now, 0.5);
    near(it.unused_usd_per_hour, 0.6);
    // $1.20 for one hour that would cost $1.00.
    near(it.effective_usd_per_hour, 1.2);
    near(it.on_demand_usd_per_hour, 1.0);
    near(it.saves_usd_per_hour, -0.2);
    let (used, hours, lost) = underused(it);
    near(Some(used), 0.5);
    near(Some(lost), 0.6);
    assert_eq!(hours, 0, "this hour alone");
    let more = |f: &Finding| match f {
        Finding::CostsMore(usd) => Some(*usd),
        _ => None,
    };
    near(Some(finding(it, more)), 0.2);
    assert_eq!(it.findings.len(), 2);
    near(sums.committed_usd_per_hour, 1.2);
    near(sums.utilisation, 0.5);
    near(sums.coverage, 1.0);
    near(sums.effective_savings_rate, 1.0 - 1.2 / 1.0);
    near(sums.unused_usd_per_hour, 0.6);
}

#[test]
fn a_plan_in_full_use_says_nothing_but_what_it_saves() {
    let plan = ec2_plan("sp", A, "g5", 1.2, &[("g5.xlarge", 0.6), ("g5.2xlarge", 0.72)]);
    let (rows, sums) = made(&g5(3), &held([plan]), Vec::new(), &list());
    let it = row(&rows, "sp");
    assert_eq!(&*it.covers, "$1.20/h of g5 in us-east-1");
    near(it.utilisation_now, 1.0);
    near(it.unused_usd_per_hour, 0.0);
    near(it.effective_usd_per_hour, 0.6);
    near(it.saves_usd_per_hour, 0.8);
    assert!(it.findings.is_empty(), "{:?}", it.findings);
    near(sums.coverage, 2.0 / 3.0);
    near(sums.effective_savings_rate, 1.0 - 2.2 / 3.0);
}

#[test]
fn types_that_share_have_no_rate_of_their_own() {
    let mut fleet = g5(1);
    fleet.extend(instances("h", 1, &meter(A, AZ, "g5.2xlarge")));
    let plan = compute("sp", A, 5.0, &[("g5.xlarge", 0.6), ("g5.2xlarge", 0.9)]);
    let (rows, _) = made(&fleet, &held([plan]), Vec::new(), &list());
    let it = row(&rows, "sp");
    assert_eq!((it.effective_usd_per_hour, it.on_demand_usd_per_hour), (None, None));
    near(it.utilisation_now, 0.3);
    near(it.saves_usd_per_hour, 2.2 - 5.0);
    assert!(it.findings.contains(&Finding::OtherServices));
}

#[test]
fn unused_capacity_is_said_with_what_is_paid_for_it() {
    let mut inside = meter(A, AZ, "g5.xlarge");
    inside.reservation = Some("cr".into());
    let fleet = instances("g", 1, &inside);
    let room = odcr("cr", A, (4, 3), "g5.xlarge");
    let (rows, sums) = made(&fleet, &held([room.clone()]), Vec::new(), &list());
    let it = row(&rows, "cr");
    assert_eq!(&*it.covers, "4 × g5.xlarge in us-east-1a");
    near(it.usd_per_hour, 4.0);
    near(it.utilisation_now, 0.25);
    near(it.unused_usd_per_hour, 3.0);
    near(it.effective_usd_per_hour, 4.0);
    near(it.saves_usd_per_hour, -3.0);
    assert_eq!(it.findings.len(), 1);
    assert_eq!(unused(it), (3.0, 4, UnusedCost::Room(3.0)));
    near(sums.unused_usd_per_hour, 3.0);
    near(sums.unused_room_usd_per_hour, 3.0);
    assert_eq!(sums.committed_usd_per_hour, Some(0.0));
    near(sums.coverage, 0.0);
    // A plan pays for two of the rooms at its rate: it is used, the room is not.
    let plan = compute("sp", A, 1.8, &[("g5.xlarge", 0.6)]);
    let (rows, sums) = made(&fleet, &held([room, plan]), Vec::new(), &list());
    near(row(&rows, "cr").unused_usd_per_hour, 2.0 * 0.6 + 1.0);
    near(row(&rows, "sp").utilisation_now, 1.0);
    near(sums.unused_usd_per_hour, 2.2);
    near(sums.unused_room_usd_per_hour, 2.2);
    near(sums.committed_usd_per_hour, 1.8);
    // Its price is not known: its room is, its dollars are not.
    let (rows, _) = made(&[], &held([odcr("cr", A, (2, 2), "x9.large")]), Vec::new(), &list());
    let it = row(&rows, "cr");
    assert_eq!((it.usd_per_hour, it.unused_usd_per_hour), (None, None));
    assert_eq!(unused(it), (2.0, 2, UnusedCost::Unknown));
}

#[test]
fn utilisation_says_how_many_it_leaves_out() {
    let plan = ec2_plan("sp", A, "g5", 1.2, &[("g5.xlarge", 0.6)]);
    let blocks = ["cb1", "cb2"].map(|id| block(id, A, 2, "p5.48xlarge", None));
    let [first, second] = blocks;
    let room = odcr("cr", A, (4, 4), "g5.xlarge");
    let (_, sums) = made(&g5(1), &held([plan.clone(), first, second, room]), Vec::new(), &list());
    near(sums.utilisation, 1.0);
    assert_eq!((sums.utilisation_of, sums.left_out), (1, 2), "the room is usage, not paid for");
    let priced = block("cb", A, 2, "p5.48xlarge", Some(40.0 * 2.0 * 48.0));
    let (_, sums) = made(&g5(1), &held([plan, priced]), Vec::new(), &list());
    assert_eq!((sums.utilisation_of, sums.left_out), (2, 0));
}

#[test]
fn unused_capacity_blocks_in_dollars_or_in_hours() {
    let half = |upfront| {
        like(block("cb", A, 2, "p5.48xlarge", upfront), |item| {
            if let Commits::Capacity(capacity) = &mut item.commits {
                capacity.available = 1;
            }
        })
    };
    // $40 an instance-hour for two over 48 h; it ends in 24 h.
    let (rows, sums) = made(&[], &held([half(Some(40.0 * 2.0 * 48.0))]), Vec::new(), &list());
    let it = row(&rows, "cb");
    near(it.usd_per_hour, 80.0);
    near(it.utilisation_now, 0.5);
    near(it.unused_usd_per_hour, 40.0);
    near(it.effective_usd_per_hour, 80.0);
    near(it.saves_usd_per_hour, 55.0 - 80.0);
    assert_eq!(unused(it), (1.0, 2, UnusedCost::Prepaid(40.0)));
    assert!(it.findings.contains(&Finding::Ends { days: 1.0, then: Ending::Terminated }));
    // Paid for, and no discount on demand: it counts as used, and covers nothing.
    near(sums.committed_usd_per_hour, 80.0);
    near(sums.unused_usd_per_hour, 40.0);
    assert_eq!(sums.unused_room_usd_per_hour, Some(0.0));
    near(sums.utilisation, 0.5);
    // By dollars, beside a reservation of $1 that is used: (40 + 1) ÷ (80 + 1).
    let both = held([half(Some(40.0 * 2.0 * 48.0)), regional("ri", A, 1, "g5.xlarge", 1.0)]);
    let (_, sums) = made(&g5(1), &both, Vec::new(), &list());
    near(sums.utilisation, 41.0 / 81.0);
    let (rows, sums) = made(&[], &held([half(None)]), Vec::new(), &list());
    assert_eq!(sums.utilisation, None, "no price, no share of dollars");
    assert_eq!((sums.committed_usd_per_hour, sums.committed_unknown), (None, 1));
    let it = row(&rows, "cb");
    assert_eq!((it.usd_per_hour, it.unused_usd_per_hour), (None, None));
    assert_eq!(unused(it), (1.0, 2, UnusedCost::PrepaidHours(24.0)));
}

#[test]
fn usage_without_a_price_is_not_free() {
    // Two of three boxes are reserved and have no price: of all that has one, $1, nothing is covered.
    let mut fleet = g5(1);
    fleet.extend(instances("x", 2, &meter(A, AZ, "x9.large")));
    let holdings = held([regional("ri", A, 2, "x9.large", 14.0)]);
    let (rows, sums) = made(&fleet, &holdings, Vec::new(), &list());
    assert_eq!((sums.coverage, sums.effective_savings_rate), (None, None));
    assert_eq!((sums.committed_usd_per_hour, sums.utilisation), (Some(28.0), Some(1.0)));
    near(row(&rows, "ri").utilisation_now, 1.0);
    // On demand, too much of it; of little the rest is told.
    let of = |priced: usize| {
        let mut fleet = g5(priced);
        fleet.extend(instances("x", 1, &meter(A, AZ, "x9.large")));
        let holdings = held([regional("ri", A, 1, "g5.xlarge", 0.6)]);
        let (_, sums) = made(&fleet, &holdings, Vec::new(), &list());
        (sums.coverage, sums.effective_savings_rate)
    };
    assert_eq!(of(18), (None, None));
    near(of(19).0, 1.0 / 19.0);
    near(of(19).1, 1.0 - 18.6 / 19.0);
}

#[test]
fn a_modified_reservation_is_not_free() {
    let modified = like(regional("ri", A, 2, "g5.xlarge", 0.6), |item| {
        if let Commits::Reserved(reserved) = &mut item.commits {
            (reserved.usd_per_hour, reserved.upfront_usd) = (None, None);
        }
    });
    let of = |items: Vec<Commitment>| made(&g5(1), &held(items), Vec::new(), &list());
    let (rows, sums) = of(vec![modified.clone()]);
    let it = row(&rows, "ri");
    assert_eq!((it.usd_per_hour, it.unused_usd_per_hour), (None, None));
    assert_eq!((it.effective_usd_per_hour, it.saves_usd_per_hour), (None, None));
    near(it.utilisation_now, 0.5);
    assert_eq!((sums.committed_usd_per_hour, sums.committed_unknown), (None, 1));
    assert_eq!((sums.unused_usd_per_hour, sums.unused_unknown), (None, 1));
    assert_eq!(sums.effective_savings_rate, None);
    near(sums.coverage, 1.0);
    // Used up, nothing of it is unused, whatever it cost.
    let (rows, sums) = made(&g5(2), &held(vec![modified.clone()]), Vec::new(), &list());
    assert_eq!(row(&rows, "ri").unused_usd_per_hour, Some(0.0));
    assert_eq!((sums.unused_usd_per_hour, sums.unused_unknown), (Some(0.0), 0));
    // Beside another the sum says how many it leaves out.
    let (_, sums) = of(vec![modified, regional("other", A, 1, "p5.48xlarge", 30.0)]);
    assert_eq!((sums.committed_usd_per_hour, sums.committed_unknown), (Some(30.0), 1));
    assert_eq!((sums.unused_usd_per_hour, sums.unused_unknown), (Some(30.0), 1));
}

#[test]
fn what_is_not_in_force_has_no_use() {
    let ri = || regional("ri", A, 1, "g5.xlarge", 0.6);
    let queued = like(ri(), |i| {
        (i.state, i.start) = (CommitmentState::Pending, now() + hours(72));
    });
    let paying = like(ri(), |i| i.state = CommitmentState::Pending);
    let ended = like(ri(), |i| (i.state, i.end) = (CommitmentState::Ended, Some(now())));
    for (item, says) in
        [(queued, Finding::Queued(3.0)), (paying, Finding::PaymentUnderWay), (ended, Finding::Over)]
    {
        let (rows, sums) = made(&g5(1), &held([item]), Vec::new(), &list());
        assert_eq!(rows[0].findings, [says]);
        let it = &rows[0];
        assert_eq!((it.utilisation_now, it.unused_usd_per_hour), (None, None));
        assert_eq!((it.saves_usd_per_hour, it.effective_usd_per_hour), (None, None));
        assert_eq!((sums.committed_usd_per_hour, sums.utilisation), (Some(0.0), None));
    }
}

#[test]
fn what_ends_soon_says_what_then() {
    let ending = like(regional("ri", A, 1, "g5.xlarge", 0.6), |item| {
        item.end = Some(now() + hours(12 * 24));
    });
    let (rows, _) = made(&g5(1), &held([ending.clone()]), Vec::new(), &list());
    let [Finding::Ends { days: 12.0, then: Ending::BillGrows(by) }] = rows[0].findings[..] else {
        panic!("{:?}", rows[0].findings)
    };
    near(Some(by), 0.4);
    let late = like(ending, |item| item.end = Some(now() + hours(31 * 24)));
    let (rows, _) = made(&g5(1), &held([late]), Vec::new(), &list());
    assert!(rows[0].findings.is_empty());
}

#[test]
fn two_for_the_same_usage_are_named() {
    let holdings = held([
        regional("ri", A, 1, "g5.xlarge", 0.6),
        compute("sp", A, 1.0, &[("g5.xlarge", 0.65), ("m5.large", 0.05)]),
    ]);
    let (rows, _) = made(&g5(1), &holdings, Vec::new(), &list());
    let plan = row(&rows, "sp");
    assert!(plan.findings.contains(&Finding::Overlaps {
        kind: CommitmentKind::ReservedInstances,
        id: "ri".into(),
        instance_type: "g5.xlarge".into(),
        region: EAST.into(),
    }));
    assert!(row(&rows, "ri").findings.is_empty(), "the one that is used is fine");
    // Not where both are used.
    let (rows, _) = made(
        &g5(3),
        &held([
            regional("ri", A, 1, "g5.xlarge", 0.6),
            compute("sp", A, 1.3, &[("g5.xlarge", 0.65)]),
        ]),
        Vec::new(),
        &list(),
    );
    assert!(rows.iter().all(|row| row.findings.is_empty()));
}

#[test]
fn a_commitment_for_another_region_is_told_where_usage_is() {
    let west = like(regional("ri", A, 1, "g5.xlarge", 0.6), |item| {
        if let Commits::Reserved(ri) = &mut item.commits {
            ri.region = "us-west-2".into();
        }
    });
    let plan = like(ec2_plan("sp", A, "m5", 1.0, &[]), |item| {
        if let Commits::Plan(plan) = &mut item.commits {
            plan.region = Some("us-west-2".into());
        }
    });
    let zone = zonal("z", A, 1, "g5.xlarge", "us-east-1b", 0.6);
    let none = regional("n", A, 1, "p5.48xlarge", 30.0);
    let mut fleet = g5(1);
    fleet.extend(instances("m", 1, &meter(A, AZ, "m5.large")));
    let (rows, _) = made(&fleet, &held([west, plan, zone, none]), Vec::new(), &list());
    let nothing_such = |of: &str, any_size, place: &str, elsewhere| Finding::NothingSuch {
        of: of.into(),
        any_size,
        place: place.into(),
        elsewhere,
    };
    let east = Elsewhere::Regions(vec![EAST.into()]);
    for (id, says) in [
        ("ri", nothing_such("g5.xlarge", false, "us-west-2", east.clone())),
        ("sp", nothing_such("m5", true, "us-west-2", east)),
        ("z", nothing_such("g5.xlarge", false, "us-east-1b", Elsewhere::Nowhere)),
        ("n", nothing_such("p5.48xlarge", false, EAST, Elsewhere::Nowhere)),
    ] {
        assert!(row(&rows, id).findings.contains(&says), "{:?}", row(&rows, id).findings);
    }
    near(row(&rows, "ri").utilisation_now, 0.0);
    near(row(&rows, "ri").saves_usd_per_hour, -0.6);
    // Most unused first.
    let ids: Vec<&str> = rows.iter().map(|row| &*row.commitment.id).collect();
    assert_eq!(ids, ["n", "sp", "ri", "z"]);
    let alone = Holdings { sharing: false, ..held([regional("ri", B, 1, "g5.xlarge", 0.6)]) };
    let (rows, _) = made(&g5(1), &alone, Vec::new(), &list());
    let outside = Elsewhere::Account { account: A.into(), sharing: false };
    let says = nothing_such("g5.xlarge", false, EAST, outside);
    assert!(rows[0].findings.contains(&says), "{:?}", rows[0].findings);
}

#[test]
fn what_could_not_be_read_is_not_counted_as_unused() {
    let blind = like(compute("sp", A, 5.0, &[]), |item| {
        if let Commits::Plan(plan) = &mut item.commits {
            plan.rates_known = false;
        }
    });
    let other = ec2_plan("ec2", A, "g5", 0.6, &[("g5.xlarge", 0.6)]);
    let (rows, sums) = made(&g5(1), &held([blind, other]), Vec::new(), &list());
    let it = row(&rows, "sp");
    assert_eq!(
        (it.utilisation_now, it.unused_usd_per_hour, it.saves_usd_per_hour),
        (None, None, None)
    );
    assert_eq!(it.findings, [Finding::RatesUnread]);
    assert_eq!(row(&rows, "ec2").findings, [Finding::OtherRatesUnread]);
    assert_eq!((sums.coverage, sums.effective_savings_rate, sums.utilisation), (None, None, None));
    near(sums.committed_usd_per_hour, 5.6);
    // Reserved Instances were denied: a plan may be left less than it seems.
    let mut denied = held([compute("sp", A, 0.6, &[("g5.xlarge", 0.6)])]);
    denied.unread.push(Unread {
        scope: Scope::new(A, EAST),
        source: CommitmentSource::ReservedInstances,
        why: "denied: ec2:DescribeReservedInstances".into(),
    });
    let (rows, sums) = made(&g5(1), &denied, Vec::new(), &list());
    assert!(rows[0].findings.contains(&Finding::ReservedUnread));
    assert_eq!((sums.coverage, sums.effective_savings_rate), (None, None));
}

#[test]
fn plans_for_other_services_are_listed_and_left_alone() {
    let sagemaker = like(compute("sm", A, 2.0, &[]), |item| {
        if let Commits::Plan(plan) = &mut item.commits {
            plan.plan_type = PlanType::SageMaker;
        }
    });
    let (rows, sums) = made(&g5(1), &held([sagemaker]), Vec::new(), &list());
    let it = row(&rows, "sm");
    assert_eq!(&*it.covers, "$2.00/h of SageMaker");
    assert_eq!((it.utilisation_now, it.unused_usd_per_hour), (None, None));
    assert_eq!(it.findings, [Finding::SageMaker]);
    near(sums.committed_usd_per_hour, 2.0);
    near(sums.effective_savings_rate, 0.0);
}

#[test]
fn spot_and_prepaid_boxes_use_nothing() {
    let like = |id: &str, lifecycle| {
        let mut made = instance(id, &meter(A, AZ, "g5.xlarge"));
        made.lifecycle = lifecycle;
        Arc::new(made)
    };
    let fleet = [like("s", Lifecycle::Spot), like("b", Lifecycle::CapacityBlock)];
    let (rows, sums) =
        made(&fleet, &held([regional("ri", A, 1, "g5.xlarge", 0.6)]), Vec::new(), &list());
    near(rows[0].utilisation_now, 0.0);
    assert_eq!(sums.coverage, None, "nothing that could be covered");
}

#[test]
fn flexible_sizes_share_a_reservation() {
    let mut fleet = instances("l", 2, &meter(A, AZ, "m5.large"));
    fleet.extend(instances("x", 1, &meter(A, AZ, "m5.xlarge")));
    // Two xlarge: both large, and the xlarge.
    let (rows, _) =
        made(&fleet, &held([regional("ri", A, 2, "m5.xlarge", 0.13)]), Vec::new(), &list());
    near(rows[0].utilisation_now, 1.0);
    near(rows[0].saves_usd_per_hour, 0.4 - 0.26);
    assert_eq!(rows[0].effective_usd_per_hour, None);
}
