//! The step of failed runs: time of instances that are left, and of no dollar that another step has.

use std::sync::Arc;

use proptest::prelude::*;

use super::fixture::{World, in_days, reserved};
use crate::domain::VerdictKind;
use crate::domain::jobs::{AvoidableLoss, AvoidableRuns, Gpus};
use crate::fleet::savings::{Effort, Risk, SpotFit, Step, StepKind, StepNote, Waterfall};
use crate::source::catalogue;

/// 8 GPUs.
const P4D: &str = "p4d.24xlarge";

fn world() -> World {
    let mut w = World::new(&[(P4D, 22.0)]);
    w.types.insert(P4D.into(), Arc::new(catalogue::type_spec(P4D).unwrap().clone()));
    w
}

/// What attempt `attempt` lost on a host: so many hours of 8 GPUs, up to yesterday.
fn loss(attempt: u32, host: &str, hours: i64) -> AvoidableLoss {
    AvoidableLoss {
        attempt,
        host: Some(host.into()),
        ended_at: in_days(-1),
        gpu_time: Gpus::whole(8).held_for(hours * 3_600_000),
        is_upper_bound: attempt % 2 == 1,
    }
}

fn of(losses: Vec<AvoidableLoss>) -> Option<AvoidableRuns> {
    Some(AvoidableRuns { days: 30, losses, ..AvoidableRuns::default() })
}

fn step(found: &Waterfall) -> Option<&Step> {
    found.steps.iter().find(|step| step.kind == StepKind::FailedRuns)
}

#[track_caller]
fn close(a: f64, b: f64) {
    assert!((a - b).abs() < 1e-9, "{a} is not {b}");
}

#[test]
fn without_jobs_there_is_no_step_and_without_failures_it_saves_nothing() {
    let mut w = world();
    w.run("i", "1", P4D, VerdictKind::Busy);
    assert_eq!(step(&w.waterfall()), None);
    w.failed_runs = of(Vec::new());
    let found = w.waterfall();
    let failed = step(&found).unwrap();
    assert_eq!((failed.saves(), failed.items, failed.unknown), (0.0, 0, 0));
}

#[test]
fn a_tenth_of_the_time_is_a_tenth_of_what_the_instance_costs() {
    let mut w = world();
    w.run("i", "1", P4D, VerdictKind::Busy);
    // Up for 30 days: 72 of 720 hours; another failed on a box that is none of the fleet.
    w.failed_runs = of(vec![loss(0, "i", 48), loss(1, "i", 24), loss(2, "elsewhere", 100)]);
    let found = w.waterfall();
    let failed = step(&found).unwrap();
    close(failed.saves(), 2.2);
    close(failed.gross_alone, 2.2);
    assert_eq!((failed.items, failed.unknown), (2, 1));
    assert_eq!((failed.effort, failed.risk), (Effort::Medium, Risk::Low));
    assert_eq!(failed.notes, [StepNote::FailedAgain { days: 30, bounds: 1 }]);
    // What ended before this instance began was another's.
    w.instances[0].launched_at = in_days(0);
    let found = w.waterfall();
    let failed = step(&found).unwrap();
    assert_eq!((failed.items, failed.unknown), (0, 3));
    assert_eq!(failed.known(), None, "nothing is known of any, which is no saving of 0");
}

#[test]
fn what_another_step_takes_is_not_saved_again() {
    // One idles and goes, one goes to Spot for 10, one is paid by a reservation, one is on demand.
    let mut w = world();
    for (id, kind) in [
        ("idle", VerdictKind::Idle),
        ("spot", VerdictKind::Busy),
        ("held", VerdictKind::Busy),
        ("open", VerdictKind::Busy),
    ] {
        w.run(id, "1", P4D, kind);
    }
    w.may_spot("spot", SpotFit::Yes, 10.0, 10.0);
    let lost = |ids: &[&str]| of(ids.iter().map(|id| loss(0, id, 72)).collect());
    let saves = |w: &World| step(&w.waterfall()).unwrap().saves();
    w.failed_runs = lost(&["idle"]);
    close(saves(&w), 0.0);
    w.failed_runs = lost(&["spot"]);
    close(saves(&w), 1.0);
    w.failed_runs = lost(&["idle", "spot", "open"]);
    close(saves(&w), 1.0 + 2.2);
    // Two reservations pay for both that stay: an hour less of them saves nothing.
    w.hold(reserved("ri", "1", P4D, 2, 9.0));
    w.failed_runs = lost(&["held", "open"]);
    close(saves(&w), 0.0);
}

proptest! {
    /// Whatever failed where: the steps close, those before are as without it, and no instance saves more than is left of it.
    #[test]
    fn it_closes_and_takes_nothing_twice(
        boxes in prop::collection::vec((0_usize..2, 0_i64..900, any::<bool>()), 1..6),
    ) {
        let mut w = world();
        let mut losses = Vec::new();
        for (n, (kind, hours, on_spot)) in boxes.iter().enumerate() {
            let id = format!("i-{n}");
            w.run(&id, "1", P4D, [VerdictKind::Idle, VerdictKind::Busy][*kind]);
            if *on_spot {
                w.may_spot(&id, SpotFit::Yes, 8.0, 9.0);
            }
            losses.push(loss(n as u32, &id, *hours));
        }
        let without = w.waterfall();
        w.failed_runs = of(losses);
        let found = w.waterfall();
        let failed = step(&found).unwrap();
        let near = |a: f64, b: f64| (a - b).abs() < 1e-6;
        let saved: f64 = found.steps.iter().map(Step::saves).sum();
        prop_assert!(near(found.before - saved, found.after()) && found.after() > -1e-9);
        for one in &without.steps {
            if one.kind < StepKind::FailedRuns {
                let same = found.steps.iter().find(|step| step.kind == one.kind).unwrap();
                prop_assert!(near(same.saves(), one.saves()));
            }
        }
        // By another reckoning: what is left costs 22, or 9 on Spot.
        let want: f64 = boxes.iter().filter(|(kind, ..)| *kind == 1).map(|(_, hours, on_spot)| {
            let share = (*hours as f64 / 720.0).min(1.0);
            share * if *on_spot { 9.0 } else { 22.0 }
        }).sum();
        prop_assert!(near(failed.saves(), want), "{} is not {want}", failed.saves());
    }
}
