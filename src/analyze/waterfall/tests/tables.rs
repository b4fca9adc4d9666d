//! Fleets whose waterfall is worked out by hand.

use std::sync::Arc;

use super::fixture::{World, in_days, now, plan, read_storage, reading, reserved};
use crate::domain::sample;
use crate::domain::storage::{
    Effort as StorageEffort, FindingKind, FindingReason, Risk as StorageRisk, StorageFinding,
    Subject, Volume,
};
use crate::domain::{
    CommitmentKind, CommitmentSource, Commits, FleetHour, NetUnknown, ResourceKind, Scope,
    SourceId, SourceState, TypeCounts, Unread, VerdictKind,
};
use crate::fleet::StorageFleet;
use crate::fleet::savings::{BillPart, SpotFit, Step, StepKind, StepNote, Waterfall};
use crate::fleet::storage::{Holder, StorageTotals, VolumeRow, VolumeUse};

/// The steps where no bill is imported.
const WITHOUT_BILL: [StepKind; 6] = [
    StepKind::Idle,
    StepKind::PartlyIdle,
    StepKind::RightSize,
    StepKind::Spot,
    StepKind::Storage,
    StepKind::Commitments,
];

fn step(w: &Waterfall, kind: StepKind) -> &Step {
    w.steps.iter().find(|s| s.kind == kind).unwrap()
}

fn saves(w: &Waterfall) -> [f64; 6] {
    WITHOUT_BILL.map(|kind| step(w, kind).saves())
}

#[track_caller]
fn close(a: f64, b: f64) {
    assert!((a - b).abs() < 1e-9, "{a} is not {b}");
}

#[track_caller]
fn all_close(a: [f64; 6], b: [f64; 6]) {
    assert!(a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-9), "{a:?} is not {b:?}");
}

/// $200,000 a month, used 30% where 70% would do, 60% of the work fit for Spot at 70% off. The
/// sum of both claims on the whole spend is 99%; what can be saved is 75%.
#[test]
fn two_hundred_thousand_dollars_save_three_quarters_and_not_all() {
    let each = 200_000.0 / 730.0 / 70.0;
    let mut w = World::new(&[("p4d.24xlarge", each)]);
    for i in 0..70 {
        // 40 of 70 are not needed: 1 − 30 ÷ 70.
        let kind = if i < 40 { VerdictKind::Idle } else { VerdictKind::Busy };
        w.run(&format!("i-{i}"), "1", "p4d.24xlarge", kind);
        // 24 of the 40 and 18 of the 30: 60% of each.
        if i % 5 < 3 {
            w.may_spot(&format!("i-{i}"), SpotFit::Yes, 0.3 * each, 0.3 * each);
        }
    }
    let found = w.waterfall();
    let month = |usd: f64| (usd * 730.0).round();
    assert_eq!(month(found.before), 200_000.0);
    assert_eq!(month(step(&found, StepKind::Idle).saves()), 114_286.0);
    assert_eq!(month(step(&found, StepKind::Spot).saves()), 36_000.0);
    assert_eq!(month(found.saves()), 150_286.0);
    assert_eq!((100.0 * found.saves() / found.before).round(), 75.0);
    // The article's sum has no purchase in it.
    let naive = found.naive - step(&found, StepKind::Commitments).gross_alone;
    assert_eq!(month(naive), 198_286.0);
    assert_eq!((100.0 * naive / found.before).round(), 99.0);
    assert_eq!(step(&found, StepKind::Idle).items, 40);
    assert_eq!(step(&found, StepKind::Spot).items, 18);
}

/// The example of `docs/savings.md`.
#[test]
fn the_example_of_the_manual() {
    let mut w = World::new(&[("p4d.24xlarge", 21.957_642), ("g5.48xlarge", 16.288)]);
    for (id, kind) in [
        ("idle", VerdictKind::Idle),
        ("wide", VerdictKind::Underused),
        ("train", VerdictKind::Busy),
        ("busy", VerdictKind::Busy),
    ] {
        w.run(id, "1", "p4d.24xlarge", kind);
    }
    w.propose("wide", "g5.48xlarge");
    w.may_spot("train", SpotFit::Yes, 10.0, 12.0);
    w.hold(reserved("ri", "1", "p4d.24xlarge", 2, 13.921_094));
    w.resource("nat", ResourceKind::NatGateway, 0.045, true);
    let found = w.waterfall();
    close(found.before, 71.802_472);
    all_close(saves(&found), [22.002_642, 0.0, 5.669_642, 0.0, 0.0, 0.0]);
    close(found.after(), 44.130_188);
    close(found.naive, 71.776_118);
    let claims = WITHOUT_BILL.map(|kind| step(&found, kind).gross_alone);
    all_close(claims, [22.002_642, 0.0, 5.669_642, 11.957_642, 0.0, 32.146_192]);
    assert_eq!(format!("{:.2}", found.saves() * 730.0), "20200.77");
    assert_eq!(format!("{:.2}", found.naive * 730.0), "52396.57");
}

#[test]
fn a_covered_idle_box_saves_nothing_today() {
    let mut w = World::new(&[("p4d.24xlarge", 21.957_642)]);
    w.run("i-1", "1", "p4d.24xlarge", VerdictKind::Idle);
    w.hold(reserved("ri", "1", "p4d.24xlarge", 1, 13.921_094));
    let found = w.waterfall();
    close(found.before, 13.921_094);
    let idle = step(&found, StepKind::Idle);
    close(idle.saves(), 0.0);
    close(idle.gross_alone, 21.957_642);
    assert_eq!(idle.items, 1);
    let StepNote::PaidByCommitments(usd) = idle.notes[0] else { panic!("{:?}", idle.notes) };
    close(usd, 21.957_642);
    close(found.after(), 13.921_094);
}

#[test]
fn a_commitment_that_an_idle_box_leaves_covers_the_next() {
    let mut w = World::new(&[("p4d.24xlarge", 22.0)]);
    w.run("i-1", "1", "p4d.24xlarge", VerdictKind::Idle);
    w.run("i-2", "1", "p4d.24xlarge", VerdictKind::Busy);
    w.may_spot("i-2", SpotFit::Yes, 10.0, 11.0);
    w.hold(reserved("ri", "1", "p4d.24xlarge", 1, 14.0));
    let found = w.waterfall();
    // 14 + 22 before. Without the idle one the reservation serves the other: 14. Spot would only
    // leave the reservation unused.
    close(found.before, 36.0);
    all_close(saves(&found), [22.0, 0.0, 0.0, 0.0, 0.0, 0.0]);
    assert_eq!(step(&found, StepKind::Spot).notes[0], StepNote::SpotNotLower(1));
}

#[test]
fn the_steps_work_on_what_is_left() {
    let mut w = World::new(&[("big", 20.0), ("small", 5.0)]);
    for (id, kind) in [
        ("idle", VerdictKind::Idle),
        ("wide", VerdictKind::Underused),
        ("batch", VerdictKind::Busy),
        ("both", VerdictKind::Underused),
    ] {
        w.run(id, "1", "big", kind);
    }
    // Said of all of them, as tools do; the idle one is stopped all the same.
    for id in ["idle", "wide", "both"] {
        w.propose(id, "small");
    }
    for id in ["idle", "batch", "both"] {
        w.may_spot(id, SpotFit::Yes, 8.0, 10.0);
    }
    w.facts.spot = vec![Arc::new(crate::domain::SpotHistory {
        region: "us-east-1".into(),
        az: "us-east-1a".into(),
        instance_type: "small".into(),
        platform: crate::domain::Platform::Linux,
        points: [(in_days(-1), 2.0)].into_iter().collect(),
    })];
    let found = w.waterfall();
    close(found.before, 80.0);
    // Idle 20; two to 5: 30; batch 20 → 10, both 5 → 2 × (10 ÷ 8): 2.5.
    all_close(saves(&found), [20.0, 0.0, 30.0, 12.5, 0.0, 0.0]);
    // 20 + 3 × 15 + 3 × 12.
    close(found.naive, 101.0);
    assert!(found.naive > found.before, "the naive sum claims more than is spent");
}

#[test]
fn a_smaller_size_without_a_spot_price_is_not_guessed() {
    let mut w = World::new(&[("big", 20.0), ("small", 5.0)]);
    w.run("i-1", "1", "big", VerdictKind::Underused);
    w.propose("i-1", "small");
    w.may_spot("i-1", SpotFit::Yes, 8.0, 10.0);
    let found = w.waterfall();
    all_close(saves(&found), [0.0, 0.0, 15.0, 0.0, 0.0, 0.0]);
    assert_eq!(step(&found, StepKind::Spot).unknown, 1);
}

#[test]
fn a_size_that_a_commitment_makes_worthless_waits() {
    let mut w = World::new(&[("big", 20.0), ("small", 5.0)]);
    w.run("i-1", "1", "big", VerdictKind::Underused);
    w.run("i-2", "1", "big", VerdictKind::Underused);
    w.propose("i-1", "small");
    w.propose("i-2", "small");
    for p in &mut w.proposals {
        Arc::make_mut(p).worthless_until = Some(in_days(265));
    }
    w.hold(reserved("ri", "1", "big", 1, 12.0));
    let found = w.waterfall();
    // One is on demand: 15. The other is paid for: 5 more would be paid on top.
    close(found.before, 32.0);
    all_close(saves(&found), [0.0, 0.0, 15.0, 0.0, 0.0, 0.0]);
    let size = step(&found, StepKind::RightSize);
    assert_eq!(size.items, 1);
    let [StepNote::LargerIsPaid { sizes: 1, until: Some(until) }] = size.notes[..] else {
        panic!("{:?}", size.notes)
    };
    assert_eq!(until.strftime("%Y-%m-%d").to_string(), "2026-12-04");
}

#[test]
fn a_plan_that_pays_for_the_smaller_size_as_well_is_no_obstacle() {
    let mut w = World::new(&[("big", 20.0), ("small", 5.0)]);
    w.run("i-1", "1", "big", VerdictKind::Underused);
    w.run("i-2", "1", "big", VerdictKind::Busy);
    w.propose("i-1", "small");
    // 12 $/h pay for one of the big ones.
    w.hold(plan("sp", "1", 12.0, &[("big", 12.0), ("small", 3.0)]));
    let found = w.waterfall();
    // Before: 12 + 20. After: one big and one small want 12 + 3; both are 40% off, the plan pays
    // for 12 of the 15 and a fifth of that is left at list price: 3 ÷ 0.6 = 5.
    close(found.before, 32.0);
    all_close(saves(&found), [0.0, 0.0, 15.0, 0.0, 0.0, 0.0]);
    // All of the plan is free for the small one: the whole 20 of the other is saved.
    w.verdicts.insert("i-2".into(), Arc::new(super::fixture::verdict(VerdictKind::Idle)));
    let found = w.waterfall();
    all_close(saves(&found), [20.0, 0.0, 0.0, 0.0, 0.0, 0.0]);
    assert_eq!(step(&found, StepKind::RightSize).items, 0, "the plan is paid, used or not");
}

#[test]
fn spot_counts_what_useful_work_costs_there() {
    let mut w = World::new(&[("p5.48xlarge", 55.04)]);
    w.run("i-1", "1", "p5.48xlarge", VerdictKind::Busy);
    w.run("i-2", "1", "p5.48xlarge", VerdictKind::Busy);
    w.may_spot("i-1", SpotFit::Yes, 20.79, 26.0);
    // 26% off with so much re-work that it is dearer.
    w.may_spot("i-2", SpotFit::Yes, 40.73, 56.0);
    let found = w.waterfall();
    let spot = step(&found, StepKind::Spot);
    close(spot.saves(), 29.04);
    close(spot.gross_alone, 34.25 + 14.31);
    assert_eq!(spot.items, 1);
    assert_eq!(spot.notes[0], StepNote::SpotNotLower(1));
}

#[test]
fn a_partly_fit_group_counts_with_its_mean() {
    let mut w = World::new(&[("g5.xlarge", 1.0)]);
    for i in 0..5 {
        w.run(&format!("i-{i}"), "1", "g5.xlarge", VerdictKind::Busy);
        // Three of five move: 0.6 × 0.5 + 0.4 × 1.
        w.may_spot(&format!("i-{i}"), SpotFit::Partial, 0.4, 0.7);
    }
    let found = w.waterfall();
    close(step(&found, StepKind::Spot).saves(), 1.5);
    assert_eq!(step(&found, StepKind::Spot).notes[0], StepNote::PartlyFit(5));
}

#[test]
fn commitments_are_for_what_is_steady_and_left() {
    // Ten ran in all hours of the week, four more in 40% of them.
    let price = 21.957_642;
    let rate = 13.921_094;
    let mut w = World::new(&[("p4d.24xlarge", price)]);
    for i in 0..14 {
        let kind = if i == 0 { VerdictKind::Idle } else { VerdictKind::Busy };
        w.run(&format!("i-{i}"), "1", "p4d.24xlarge", kind);
    }
    w.may_spot("i-1", SpotFit::Yes, 10.0, 12.0);
    w.hold(reserved("ri", "1", "p4d.24xlarge", 2, rate));
    w.ran_all_week();
    let hours = Arc::make_mut(&mut w.facts.hours);
    for (i, hour) in hours.iter_mut().enumerate() {
        let n = if i % 5 < 2 { 14 } else { 10 };
        hour.seen = counted(hour, n);
    }
    let found = w.waterfall();
    let commit = step(&found, StepKind::Commitments);
    // 14 less 1 idle, 1 on Spot, 2 reserved: 10 are on demand now, 6 in the other hours. 40% of the
    // hours are below the break-even of 63.4%, so 6 are bought.
    assert_eq!(commit.items, 6);
    close(commit.saves(), 6.0 * (price - rate));
    close(commit.gross_alone, 14.0 * (price - rate));
    assert!(commit.notes.contains(&StepNote::Rates), "{:?}", commit.notes);
    // Used in 80% of the hours, the slot pays all the time and saves in those: the mean counts.
    let hours = Arc::make_mut(&mut w.facts.hours);
    for (i, hour) in hours.iter_mut().enumerate() {
        hour.seen = counted(hour, if i % 5 < 4 { 14 } else { 10 });
    }
    let found = w.waterfall();
    let commit = step(&found, StepKind::Commitments);
    let used = hours_with(&w, 14) / 168.0;
    assert_eq!(commit.items, 10);
    close(commit.saves(), 6.0 * (price - rate) + 4.0 * (used * price - rate));
}

/// What was seen in an hour, with so many p4d.
fn counted(hour: &FleetHour, n: u64) -> TypeCounts {
    let others = hour.seen.iter().filter(|(name, _)| &***name != "p4d.24xlarge");
    let others = others.map(|(name, n)| (name.clone(), n));
    others.chain([("p4d.24xlarge".into(), n)]).collect()
}

fn hours_with(w: &World, n: u64) -> f64 {
    w.facts.hours.iter().filter(|h| h.seen.of("p4d.24xlarge") == n).count() as f64
}

#[test]
fn nothing_is_promised_without_a_week_a_rate_or_knowledge_of_what_is_held() {
    let mut w = World::new(&[("p4d.24xlarge", 21.957_642), ("p5.48xlarge", 55.04)]);
    w.run("i-1", "1", "p4d.24xlarge", VerdictKind::Busy);
    let found = w.waterfall();
    let commit = step(&found, StepKind::Commitments);
    close(commit.saves(), 0.0);
    assert_eq!(commit.notes[0], StepNote::FewHours(0));
    assert_eq!(commit.unknown, 1);
    w.ran_all_week();
    close(step(&w.waterfall(), StepKind::Commitments).saves(), 21.957_642 - 13.921_094);
    let mut p5 = World::new(&[("p5.48xlarge", 55.04)]);
    p5.run("i-1", "1", "p5.48xlarge", VerdictKind::Busy);
    p5.ran_all_week();
    let commit = p5.waterfall();
    close(step(&commit, StepKind::Commitments).saves(), 0.0);
    assert_eq!(step(&commit, StepKind::Commitments).unknown, 1);
    w.holdings = None;
    let found = w.waterfall();
    assert_eq!(found.net_unknown, Some(NetUnknown::NotRead));
    close(step(&found, StepKind::Commitments).saves(), 0.0);
}

#[test]
fn what_could_not_be_read_makes_all_of_it_list_price() {
    let mut w = World::new(&[("p4d.24xlarge", 22.0)]);
    w.run("i-1", "1", "p4d.24xlarge", VerdictKind::Idle);
    w.hold(reserved("ri", "1", "p4d.24xlarge", 1, 14.0));
    w.holdings.as_mut().unwrap().unread.push(Unread {
        scope: Scope::new("1", "us-east-1"),
        source: CommitmentSource::SavingsPlans,
        why: "denied: savingsplans:DescribeSavingsPlans".into(),
    });
    let found = w.waterfall();
    close(found.before, 22.0);
    all_close(saves(&found), [22.0, 0.0, 0.0, 0.0, 0.0, 0.0]);
    let unread = w.holdings.as_ref().unwrap().unread[0].clone();
    assert_eq!(found.net_unknown, Some(NetUnknown::Unread(unread)));
    // Nothing runs there: what could not be read does not matter.
    w.holdings.as_mut().unwrap().unread[0].scope = Scope::new("1", "eu-west-1");
    assert_eq!(w.waterfall().net_unknown, None);
}

#[test]
fn a_plan_whose_rates_are_not_known_makes_all_of_it_list_price() {
    let mut w = World::new(&[("p4d.24xlarge", 22.0)]);
    w.run("i-1", "1", "p4d.24xlarge", VerdictKind::Idle);
    w.run("i-2", "1", "p4d.24xlarge", VerdictKind::Busy);
    let mut blind = plan("sp", "1", 27.0, &[]);
    if let Commits::Plan(plan) = &mut blind.commits {
        plan.rates_known = false;
    }
    w.hold(blind);
    let found = w.waterfall();
    // $27 for both, of which stopping one saves nothing: nobody can tell, and no sum mixes the two.
    close(found.before, 44.0);
    let (kind, id) = (CommitmentKind::ComputePlan, "sp".into());
    assert_eq!(found.net_unknown, Some(NetUnknown::Rates { kind, id }));
}

#[test]
fn what_a_modified_reservation_costs_is_said_to_be_missing() {
    let mut w = World::new(&[("p4d.24xlarge", 22.0)]);
    w.run("i-1", "1", "p4d.24xlarge", VerdictKind::Idle);
    let mut modified = reserved("ri", "1", "p4d.24xlarge", 1, 14.0);
    if let Commits::Reserved(reserved) = &mut modified.commits {
        reserved.usd_per_hour = None;
    }
    w.hold(modified);
    let found = w.waterfall();
    assert_eq!((found.unpriced, found.net_unknown.as_ref()), (1, None));
    all_close(saves(&found), [0.0; 6]);
}

#[test]
fn idle_gpus_of_a_working_instance_are_not_stopped() {
    let mut w = World::new(&[("p4d.24xlarge", 22.0)]);
    w.run("i-1", "1", "p4d.24xlarge", VerdictKind::Partial);
    let found = w.waterfall();
    all_close(saves(&found), [0.0; 6]);
    assert_eq!(step(&found, StepKind::Idle).items, 0);
}

#[test]
fn an_instance_without_a_price_is_counted_and_left_out() {
    let mut w = World::new(&[]);
    w.run("i-1", "1", "p9.huge", VerdictKind::Idle);
    let found = w.waterfall();
    let idle = step(&found, StepKind::Idle);
    assert_eq!((idle.items, idle.unknown), (0, 1));
    close(found.before, 0.0);
}

#[test]
fn idle_resources_go_with_the_first_step() {
    let mut w = World::new(&[]);
    w.resource("nat-1", ResourceKind::NatGateway, 0.045, true);
    w.resource("nat-2", ResourceKind::NatGateway, 0.045, false);
    w.resource("nb", ResourceKind::Notebook, 1.408, true);
    let found = w.waterfall();
    close(found.before, 1.498);
    all_close(saves(&found), [1.453, 0.0, 0.0, 0.0, 0.0, 0.0]);
    assert_eq!(step(&found, StepKind::Idle).items, 2);
    // A SageMaker plan is paid, used or not; what stopping saves is not known then.
    let mut sp = plan("sp", "1", 1.0, &[]);
    if let Commits::Plan(p) = &mut sp.commits {
        p.plan_type = crate::domain::PlanType::SageMaker;
    }
    w.hold(sp);
    let found = w.waterfall();
    all_close(saves(&found), [0.045, 0.0, 0.0, 0.0, 0.0, 0.0]);
    assert_eq!(step(&found, StepKind::Idle).unknown, 1);
}

pub(super) fn volume_of(instance: &str, month: f64, finds: &[f64]) -> VolumeRow {
    let id: Arc<str> = format!("vol-{instance}").into();
    let findings: Vec<Arc<StorageFinding>> = finds
        .iter()
        .map(|usd| {
            Arc::new(StorageFinding {
                kind: FindingKind::StoppedInstanceVolume,
                scope: Scope::new("1", "us-east-1"),
                subject: Subject::Volume(id.clone()),
                bytes: None,
                usd_per_month: Some(*usd),
                effort: StorageEffort::Medium,
                risk: StorageRisk::Medium,
                reason: FindingReason::Nothing,
            })
        })
        .collect();
    VolumeRow {
        billed_usd: None,
        volume: Arc::new(Volume {
            scope: Scope::new("1", "us-east-1"),
            id: id.clone(),
            size_gib: 1000,
            state: "in-use".into(),
            encrypted: true,
            ..sample::volume()
        }),
        used: VolumeUse::Stopped,
        holders: vec![Holder {
            id: instance.into(),
            name: "".into(),
            state: None,
            stopped_at: None,
        }],
        team: None,
        project: None,
        environment: None,
        usd_per_month: Some(month),
        savings: finds.iter().copied().max_by(f64::total_cmp),
        findings,
    }
}

#[test]
fn what_was_not_read_is_named_and_what_is_read_for_the_first_time_is_early() {
    let mut w = World::new(&[]);
    let found = w.waterfall();
    assert_eq!(found.unread, [BillPart::Buckets, BillPart::Volumes]);
    assert!(found.early, "no source has said anything");
    w.facts.readings = vec![reading(SourceId::Commitments, Some(now()), SourceState::Live)];
    // A source that has never answered was not read, whatever it does now.
    let readings = vec![
        reading(SourceId::S3, Some(now()), SourceState::Live),
        reading(SourceId::Ebs, None, SourceState::Loading),
    ];
    let mut storage = StorageFleet { readings, ..StorageFleet::default() };
    w.storage = Some(StorageFleet::default());
    assert_eq!(step(&w.waterfall(), StepKind::Storage).known(), None, "nothing of it was read");
    w.storage = Some(storage.clone());
    let found = w.waterfall();
    assert_eq!((&found.unread[..], found.early), (&[BillPart::Volumes][..], false));
    let notes = &step(&found, StepKind::Storage).notes;
    assert!(notes.contains(&StepNote::WithoutVolumes), "{notes:?}");
    assert_eq!(step(&found, StepKind::Storage).known(), None);
    storage.readings[1].taken_at = Some(now());
    w.storage = Some(storage);
    let found = w.waterfall();
    assert!(found.unread.is_empty());
    assert_eq!(step(&found, StepKind::Storage).known(), Some(0.0));
    // Commitments: read for the first time, read again, failed.
    for (taken_at, state, early) in [
        (None, SourceState::Loading, true),
        (Some(now()), SourceState::Loading, false),
        (Some(now()), SourceState::Live, false),
        (None, SourceState::Cached, false),
    ] {
        w.facts.readings = vec![reading(SourceId::Commitments, taken_at, state.clone())];
        assert_eq!(w.waterfall().early, early, "{taken_at:?} {state:?}");
    }
}

#[test]
fn volumes_of_a_stopped_instance_count_once() {
    let mut w = World::new(&[]);
    w.resource("i-off", ResourceKind::StoppedInstance, 73.0 / 730.0, true);
    // Storage was not read: the instance's own dollars are all there is.
    all_close(saves(&w.waterfall()), [0.1, 0.0, 0.0, 0.0, 0.0, 0.0]);
    // Storage lists the same volume: two findings about the same bytes, the greater counts.
    let volume = volume_of("i-off", 73.0, &[73.0, 14.6]);
    let totals =
        StorageTotals::of(std::iter::empty(), std::iter::once(&volume), std::iter::empty());
    w.storage = Some(StorageFleet { volumes: vec![Arc::new(volume)], totals, ..read_storage() });
    let found = w.waterfall();
    close(found.before, 0.1);
    all_close(saves(&found), [0.0, 0.0, 0.0, 0.0, 0.1, 0.0]);
    // Both would have been claimed: 0.1 + (73 + 14.6) ÷ 730.
    close(found.naive, 0.22);
    assert_eq!(step(&found, StepKind::Idle).notes, [StepNote::CountedUnderStorage(1)]);
}

#[test]
fn all_steps_stand_even_where_nothing_is_to_save() {
    let found = World::new(&[]).waterfall();
    let kinds: Vec<StepKind> = found.steps.iter().map(|s| s.kind).collect();
    assert_eq!(kinds, WITHOUT_BILL, "the network's needs a bill");
    assert_eq!((found.before, found.after(), found.naive), (0.0, 0.0, 0.0));
    assert_eq!(found.net_unknown, None);
}
