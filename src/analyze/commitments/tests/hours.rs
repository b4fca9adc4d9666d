//! Past hours: what runs since when, and what is gone.

use super::*;
use crate::domain::{CommitmentState, Commits, Instance, Lifecycle};
use crate::fleet::commitments::tests::make::*;

const AZ: &str = "us-east-1a";
const G5: &str = "g5.xlarge";

fn since(id: &str, ago: i64) -> Instance {
    Instance { launched_at: now() - hours(ago), ..instance(id, &meter(A, AZ, G5)) }
}

fn list() -> PriceBook {
    prices(&[(G5, 1.0), ("m5.large", 0.1)])
}

/// `n` hours in which so many were seen, oldest first.
fn looks(seen: &[u64]) -> Vec<FleetHour> {
    let n = seen.len() as i32;
    seen.iter().enumerate().map(|(at, seen)| saw(A, n - at as i32, &[(G5, *seen)])).collect()
}

fn ri(count: u32) -> Commitment {
    regional("ri", A, count, G5, 0.6)
}

#[test]
fn what_runs_ran_since_its_launch() {
    // Launched 2.5 h ago: half of the third hour before this one, and two whole.
    let fleet = [Arc::new(Instance {
        launched_at: now() - hours(2) - jiff::SignedDuration::from_mins(30),
        ..since("i", 0)
    })];
    let (rows, sums) = made(&fleet, &held([ri(1)]), looks(&[0, 1, 1, 1]), &list());
    let it = &rows[0];
    assert_eq!((it.hours, sums.hours), (4, 4));
    near(it.utilisation, 2.5 / 4.0);
    near(it.utilisation_now, 1.0);
    // $2.40 for 2.5 instance-hours.
    near(it.effective_usd_per_hour, 2.4 / 2.5);
    near(it.saves_usd_per_hour, (2.5 - 2.4) / 4.0);
    near(sums.utilisation, 0.625);
    near(sums.coverage, 1.0);
    near(sums.effective_savings_rate, 1.0 - 2.4 / 2.5);
    let (used, hours, lost) = underused(it);
    near(Some(used), 0.625);
    near(Some(lost), 0.6 * 0.375);
    assert_eq!(hours, 4);
}

#[test]
fn what_was_counted_beyond_that_is_gone_and_was_plain() {
    // One runs all the time; two more were seen in the first hour, three in the second.
    let fleet = [Arc::new(since("i", 100))];
    let (rows, sums) = made(&fleet, &held([ri(2)]), looks(&[3, 4, 1, 1]), &list());
    near(rows[0].utilisation, (2.0 + 2.0 + 1.0 + 1.0) / 8.0);
    // Of 9 instance-hours 6 are covered.
    near(sums.coverage, 6.0 / 9.0);
    // A zonal reservation cannot be matched to what is gone: its zone is not known.
    let zone = zonal("z", A, 2, G5, AZ, 0.6);
    let (rows, _) = made(&fleet, &held([zone]), looks(&[3, 4, 1, 1]), &list());
    near(rows[0].utilisation, 0.5);
}

#[test]
fn spot_is_kept_out_as_far_as_it_is_known() {
    let spot = Arc::new(Instance { lifecycle: Lifecycle::Spot, ..since("s", 100) });
    // Spot alone runs: what was seen was Spot, and so was what is gone.
    let (rows, sums) = made(std::slice::from_ref(&spot), &held([ri(1)]), looks(&[1, 3]), &list());
    near(rows[0].utilisation, 0.0);
    assert_eq!(sums.coverage, None);
    // One of two: half of what is gone.
    let fleet = [spot, Arc::new(since("i", 100))];
    let (rows, _) = made(&fleet, &held([ri(4)]), looks(&[4, 2]), &list());
    near(rows[0].utilisation, (1.0 + 1.0 + 1.0) / 8.0);
}

#[test]
fn hours_count_while_a_commitment_was_in_force() {
    let fleet = [Arc::new(since("i", 100))];
    let young = like(ri(1), |item| item.start = now() - hours(2));
    let (rows, _) = made(&fleet, &held([young]), looks(&[1, 1, 1, 1]), &list());
    assert_eq!(rows[0].hours, 2);
    near(rows[0].utilisation, 1.0);
    // One that expired two hours ago was used until then, and pays for nothing now.
    let old = like(ri(1), |item| {
        (item.state, item.end) = (CommitmentState::Ended, Some(now() - hours(2)));
    });
    let (rows, sums) = made(&fleet, &held([old]), looks(&[1, 1, 1, 1]), &list());
    assert_eq!(rows[0].hours, 2);
    near(rows[0].utilisation, 1.0);
    assert_eq!((rows[0].utilisation_now, rows[0].unused_usd_per_hour), (None, None));
    near(sums.coverage, 0.5);
    assert_eq!(sums.committed_usd_per_hour, Some(0.0));
    // One that was returned never was.
    let returned = like(ri(1), |item| item.state = CommitmentState::Ended);
    let (rows, _) = made(&fleet, &held([returned]), looks(&[1, 1]), &list());
    assert_eq!((rows[0].hours, rows[0].utilisation), (0, None));
    // Queued ones do not count either.
    let queued = like(ri(1), |item| {
        (item.state, item.start) = (CommitmentState::Pending, now() - hours(3));
    });
    let (rows, _) = made(&fleet, &held([queued]), looks(&[1, 1]), &list());
    assert_eq!((rows[0].hours, rows[0].utilisation), (0, None));
}

#[test]
fn hours_that_not_every_scope_saw_are_left_out() {
    let fleet = [Arc::new(since("i", 100))];
    let mut seen = looks(&[1, 1, 1]);
    seen.push(saw(B, 2, &[(G5, 2)]));
    let (rows, sums) = made(&fleet, &held([ri(3)]), seen, &list());
    assert_eq!((rows[0].hours, sums.hours), (1, 1));
    near(rows[0].utilisation, 1.0);
    // Where no hour is whole, all are taken.
    let apart = vec![saw(A, 1, &[(G5, 1)]), saw(B, 2, &[(G5, 1)])];
    let (rows, _) = made(&fleet, &held([ri(2)]), apart, &list());
    assert_eq!(rows[0].hours, 2);
    near(rows[0].utilisation, 3.0 / 4.0);
}

#[test]
fn what_is_gone_ran_in_blocks_and_open_room_first() {
    let cb = like(block("cb", A, 2, G5, Some(96.0 * 0.7)), |item| item.start = now() - hours(3));
    // Three gone: two in the block, one on the reservation.
    let (rows, _) = made(&[], &held([cb, ri(1)]), looks(&[3, 1, 0]), &list());
    near(row(&rows, "cb").utilisation, 3.0 / 6.0);
    near(row(&rows, "ri").utilisation, 1.0 / 3.0);
    // Open reserved capacity is taken by what fits; targeted capacity is not.
    let room = odcr("cr", A, (2, 2), G5);
    let (rows, _) = made(&[], &held([room.clone()]), looks(&[1, 3]), &list());
    near(row(&rows, "cr").utilisation, 3.0 / 4.0);
    let aimed = like(room, |item| {
        if let Commits::Capacity(capacity) = &mut item.commits {
            capacity.targeted = true;
        }
    });
    let (rows, sums) = made(&[], &held([aimed]), looks(&[1, 3]), &list());
    near(row(&rows, "cr").utilisation, 0.0);
    // 4 instance-hours and 4 hours of room on demand, nothing saved.
    near(sums.effective_savings_rate, 0.0);
}

#[test]
fn an_instance_in_a_block_uses_it() {
    let inside = Arc::new(Instance {
        lifecycle: Lifecycle::CapacityBlock,
        capacity_reservation: Some("cb".into()),
        ..since("i", 1)
    });
    let cb = like(block("cb", A, 1, G5, None), |item| item.start = now() - hours(2));
    let (rows, _) = made(&[inside], &held([cb]), looks(&[0, 1]), &list());
    near(rows[0].utilisation, 0.5);
    near(rows[0].utilisation_now, 1.0);
}

#[test]
fn looks_of_an_hour_are_averaged() {
    let hour = FleetHour { looks: 4, ..saw(A, 1, &[(G5, 6)]) };
    let (rows, _) = made(&[], &held([ri(3)]), vec![hour], &list());
    near(rows[0].utilisation, 0.5);
}
