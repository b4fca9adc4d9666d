//! Figures of instances, GPUs, the bill and commitments.

use std::sync::Arc;

use super::*;
use crate::domain::{
    CapacityReservation, Commitment, CommitmentState, Commits, GpuIdentity, GpuKey, GpuReason,
    GpuSample, GpuSignals, GpuState, GpuVerdict, PaymentOption, PlanType, Platform,
    ReservesCapacity, Rung, SavingsPlan, Tenancy, Workload,
};
use crate::fleet::gpu::Trail;
use crate::fleet::savings::{
    BillKind, BillRow, CommitmentRow, Effort, Risk, Step, StepKind, Waterfall, known_sum,
};
use crate::fleet::{Blind, BlindCause, GpuNode, GpuRow, GpuTotals, PartKind, Savings};

fn of_fleet(fleet: &Fleet, readings: &[Reading]) -> Read {
    let gpus = GpuFleet::default();
    Read::page(&MetricsInput { readings, ..input(fleet, &gpus) }, &WatchCounts::default())
}

#[test]
fn nothing_is_said_of_a_fleet_that_nobody_read() {
    let read = of_fleet(&Fleet::default(), &[]);
    for family in [
        "burntop_burn_usd_per_hour",
        "burntop_waste_usd_per_hour",
        "burntop_instances",
        "burntop_gpus",
        "burntop_blind_gpus",
        "burntop_bill_usd_per_hour",
        "burntop_source_up",
        "burntop_alerts",
        "burntop_own_cost_usd_today",
    ] {
        assert!(!read.has(family), "{family}");
    }
    assert_eq!(
        read.value("burntop_watch_last_round_timestamp_seconds", &[]),
        Some(1_795_953_600.0)
    );
}

#[test]
fn a_region_that_was_read_and_is_empty_burns_nothing_and_one_that_was_not_has_no_series() {
    let live = reading(SourceId::Ec2, "111111111111", SourceState::Live, Some(5));
    let never = reading(SourceId::Ec2, "222222222222", SourceState::Loading, None);
    let read = of_fleet(&of_rows(Vec::new()), &[live, never]);
    assert_eq!(read.values("burntop_burn_usd_per_hour", "account"), ["111111111111"]);
    assert_eq!(read.sum("burntop_burn_usd_per_hour"), 0.0);
    assert_eq!(read.value("burntop_waste_usd_per_hour", &["idle"]), Some(0.0));
    assert_eq!(read.value("burntop_wasted_usd", &[]), Some(0.0));
}

#[test]
fn a_group_of_which_nothing_has_a_price_has_no_series_and_is_counted() {
    let team = |name: &str, usd| Machine { team: Some(name.to_owned()), usd, ..Machine::default() };
    let fleet =
        fleet(&[team("a", Some(2.0)), team("a", None), team("b", None), Machine::default()]);
    let read = of_fleet(&fleet, &[]);
    assert_eq!(read.values("burntop_team_burn_usd_per_hour", "team"), ["(untagged)", "a"]);
    assert_eq!(read.value("burntop_team_burn_usd_per_hour", &["a"]), Some(2.0));
    let at = &["111111111111", "us-east-1"];
    assert_eq!(read.value("burntop_unpriced_instances", at), Some(2.0));
}

#[test]
fn waste_is_of_idle_and_partly_idle_and_unknown_while_nothing_is_judged() {
    let of = |verdict, usd| Machine { verdict, usd: Some(usd), ..Machine::default() };
    let judged = fleet(&[
        of(Some(VerdictKind::Idle), 10.0),
        of(Some(VerdictKind::Partial), 8.0),
        of(Some(VerdictKind::Underused), 4.0),
        of(Some(VerdictKind::Unknown), 2.0),
        of(None, 1.0),
    ]);
    let read = of_fleet(&judged, &[]);
    assert_eq!(read.value("burntop_waste_usd_per_hour", &["idle"]), Some(10.0));
    assert_eq!(read.value("burntop_waste_usd_per_hour", &["partly_idle"]), Some(3.0));
    assert_eq!(read.value("burntop_waste_unknown_instances", &[]), Some(2.0));
    assert_eq!(read.value("burntop_idle_instance_gpus", &[]), Some(11.0), "8 of one, 3 of another");
    assert_eq!(read.value("burntop_instance_gpus", &[]), Some(40.0));
    assert_eq!(read.value("burntop_instances", &["unjudged"]), Some(1.0));
    assert_eq!(read.value("burntop_use_burn_usd_per_hour", &["busy"]), Some(5.0));

    let read = of_fleet(&fleet(&[of(None, 7.0)]), &[]);
    for family in [
        "burntop_waste_usd_per_hour",
        "burntop_wasted_usd",
        "burntop_team_waste_usd_per_hour",
        "burntop_idle_instance_gpus",
    ] {
        assert!(!read.has(family), "{family}");
    }
    assert_eq!(read.value("burntop_use_burn_usd_per_hour", &["unjudged"]), Some(7.0));
}

#[test]
fn an_instance_that_does_not_run_is_in_no_figure() {
    let mut stopped = Machine::default().row(0);
    let instance = Instance { state: InstanceState::Stopped, ..(*stopped.instance).clone() };
    stopped.instance = Arc::new(instance);
    let read =
        of_fleet(&of_rows(vec![Arc::new(stopped), Arc::new(Machine::default().row(1))]), &[]);
    assert_eq!(read.sum("burntop_type_instances"), 1.0);
    assert_eq!(read.sum("burntop_burn_usd_per_hour"), 1.0);
}

#[test]
fn a_type_that_is_not_known_has_no_gpus_and_is_counted() {
    let untyped = Row { spec: None, ..Machine::default().row(0) };
    let read = of_fleet(&of_rows(vec![Arc::new(untyped.clone())]), &[]);
    assert!(!read.has("burntop_instance_gpus") && !read.has("burntop_idle_instance_gpus"));
    let read =
        of_fleet(&of_rows(vec![Arc::new(untyped), Arc::new(Machine::default().row(1))]), &[]);
    assert_eq!(read.value("burntop_instance_gpus", &[]), Some(8.0));
    assert_eq!(read.value("burntop_unknown_type_instances", &[]), Some(1.0));
}

/// A GPU in this state, with its price and waste.
fn gpu(at: usize, state: GpuState, usd: Option<f64>, waste: Option<f64>) -> Arc<GpuRow> {
    let sample = GpuSample::new(Arc::new(GpuIdentity::default()), now(), GpuSignals::default());
    let id: Arc<str> = format!("GPU-{at}").into();
    Arc::new(GpuRow {
        key: GpuKey { device: id.clone(), gpu_instance: None },
        id,
        node: Arc::new(GpuNode { name: "node".into(), instance: None }),
        model: "H100".into(),
        sample,
        verdict: Arc::new(GpuVerdict {
            state,
            activity: None,
            rung: Rung::E,
            idle_since: None,
            idle_since_at_least: false,
            samples: 1,
            witnesses: Vec::new(),
            reason: GpuReason::Nothing,
            advice: None,
            workload: Workload::Unknown,
        }),
        team: None,
        equivalents: 0.5,
        usd_per_hour: usd,
        waste_usd_per_hour: waste,
        wasted_usd: None,
        told: Vec::new(),
        disagreement: "".into(),
        trail: Trail::default(),
    })
}

fn gpu_fleet(rows: Vec<Arc<GpuRow>>) -> GpuFleet {
    let totals = GpuTotals::of(rows.iter().map(|row| &**row));
    GpuFleet { version: 1, as_of: Some(now()), rows, blind: Vec::new(), totals }
}

fn of_gpus(gpus: &GpuFleet) -> Read {
    let fleet = Fleet::default();
    Read::page(&input(&fleet, gpus), &WatchCounts::default())
}

#[test]
fn gpus_by_state_add_up_to_their_totals() {
    let gpus = gpu_fleet(vec![
        gpu(0, GpuState::Busy, Some(4.0), Some(0.0)),
        gpu(1, GpuState::HeldIdle, Some(4.0), Some(4.0)),
        gpu(2, GpuState::HeldIdle, None, None),
        gpu(3, GpuState::Unknown, None, None),
        gpu(4, GpuState::Unknown, None, None),
    ]);
    let read = of_gpus(&gpus);
    assert_eq!(read.sum("burntop_gpus"), 2.5);
    assert_eq!(read.value("burntop_gpus", &["held_idle"]), Some(1.0));
    assert_eq!(read.value("burntop_gpus", &["stalled"]), Some(0.0));
    assert_eq!(read.sum("burntop_gpu_usd_per_hour"), gpus.totals.burn());
    assert_eq!(read.sum("burntop_gpu_waste_usd_per_hour"), gpus.totals.waste);
    assert_eq!(read.sum("burntop_unpriced_gpus"), f64::from(gpus.totals.unpriced()));
    assert_eq!(read.value("burntop_gpu_usd_per_hour", &["unknown"]), None, "no price is known");
    assert_eq!(read.value("burntop_gpu_waste_usd_per_hour", &["unknown"]), None);
    assert_eq!(read.value("burntop_waste_unknown_gpus", &["held_idle"]), Some(1.0));
    assert!(!read.has("burntop_gpu_effective_ratio"), "no activity is known");
}

#[test]
fn of_gpus_that_no_source_shows_no_state_is_told_but_that_they_are_missing() {
    let mut gpus = gpu_fleet(Vec::new());
    let blind = |usd| Blind {
        instance: Arc::new(Machine::default().row(0)),
        missing: 3,
        devices: 8,
        usd_per_hour: usd,
        cause: BlindCause::NoSource,
    };
    gpus.blind = vec![blind(None)];
    let read = of_gpus(&gpus);
    assert!(!read.has("burntop_gpus") && !read.has("burntop_blind_usd_per_hour"));
    assert_eq!(read.value("burntop_blind_gpus", &[]), Some(3.0));
    gpus.blind.push(blind(Some(2.0)));
    let read = of_gpus(&gpus);
    assert_eq!(read.value("burntop_blind_usd_per_hour", &[]), Some(2.0));
    assert_eq!(read.value("burntop_blind_instances", &[]), Some(2.0));
}

/// A Compute Savings Plan of these dollars per hour, or without them an empty reservation of capacity.
fn commitment(usd: Option<f64>, unused: Option<f64>, is_in_force: bool) -> Arc<CommitmentRow> {
    let commits = match usd {
        Some(usd_per_hour) => Commits::Plan(SavingsPlan {
            plan_type: PlanType::Compute,
            usd_per_hour,
            payment: PaymentOption::NoUpfront,
            upfront_usd: 0.0,
            region: None,
            family: None,
            rates: Vec::new(),
            rates_known: true,
        }),
        None => Commits::Capacity(CapacityReservation {
            region: "us-east-1".into(),
            az: "us-east-1a".into(),
            instance_type: "p5.48xlarge".into(),
            platform: Platform::Linux,
            tenancy: Tenancy::Shared,
            total: 1,
            available: 1,
            reserves: ReservesCapacity::OnDemand,
            targeted: false,
        }),
    };
    let commitment = Commitment {
        id: "x".into(),
        account: "111111111111".into(),
        state: CommitmentState::Active,
        start: now(),
        end: None,
        commits,
        provenance: Provenance::Demo,
    };
    Arc::new(CommitmentRow {
        commitment: Arc::new(commitment),
        is_in_force,
        covers: "".into(),
        usd_per_hour: usd,
        utilisation: None,
        utilisation_now: None,
        unused_usd_per_hour: unused,
        billed_unused_usd: None,
        effective_usd_per_hour: None,
        on_demand_usd_per_hour: None,
        saves_usd_per_hour: None,
        hours: 0,
        findings: Vec::new(),
    })
}

fn savings() -> Savings {
    let row = |kind, usd_per_hour, count, unpriced| BillRow {
        kind,
        usd_per_hour,
        list_usd_per_hour: None,
        count,
        unpriced,
    };
    let step = |kind, before: f64, after: f64, items, unknown| Step {
        kind,
        before,
        after,
        gross_alone: 0.0,
        items,
        unknown,
        effort: Effort::Low,
        risk: Risk::Low,
        notes: Vec::new(),
    };
    Savings {
        as_of: Some(now()),
        commitments: vec![
            commitment(Some(6.0), Some(1.5), true),
            commitment(Some(2.0), None, true),
            commitment(Some(9.0), Some(9.0), false),
            commitment(None, Some(4.0), true),
        ],
        waterfall: Waterfall {
            before: 30.0,
            bill: vec![
                row(BillKind::Instances(PartKind::Busy), 20.0, 2, 0),
                row(BillKind::Instances(PartKind::Idle), 0.0, 1, 1),
                row(BillKind::UnusedCommitments, 10.0, 2, 1),
            ],
            steps: vec![
                step(StepKind::Idle, 30.0, 22.0, 3, 0),
                step(StepKind::Spot, 22.0, 22.0, 0, 2),
                step(StepKind::Storage, 22.0, 22.0, 0, 0),
            ],
            ..Waterfall::default()
        },
        ..Savings::default()
    }
}

fn of_savings(savings: &Savings) -> Read {
    let (fleet, gpus) = (Fleet::default(), GpuFleet::default());
    Read::page(
        &MetricsInput { savings: Some(savings), ..input(&fleet, &gpus) },
        &WatchCounts::default(),
    )
}

#[test]
fn the_bill_and_its_savings_add_up_and_what_has_no_price_is_absent() {
    let all = savings();
    let read = of_savings(&all);
    assert_eq!(read.sum("burntop_bill_usd_per_hour"), all.waterfall.before);
    assert_eq!(
        read.value("burntop_bill_usd_per_hour", &["unused_commitments", "true"]),
        Some(10.0)
    );
    assert_eq!(read.value("burntop_bill_usd_per_hour", &["busy", "false"]), Some(20.0));
    assert_eq!(read.value("burntop_bill_usd_per_hour", &["idle", "true"]), None);
    assert_eq!(read.value("burntop_bill_unpriced", &["idle"]), Some(1.0));
    assert_eq!(read.sum("burntop_savings_usd_per_hour"), all.waterfall.saves());
    assert_eq!(
        read.value("burntop_savings_usd_per_hour", &["spot"]),
        None,
        "nothing is known of it"
    );
    assert_eq!(read.value("burntop_savings_usd_per_hour", &["storage"]), Some(0.0));
}

#[test]
fn unused_commitments_are_those_in_force_and_their_unknown_ones_are_counted() {
    let all = savings();
    let read = of_savings(&all);
    let in_force = all.commitments.iter().filter(|row| row.is_in_force);
    let (usd, unknown) = known_sum(in_force.map(|row| row.unused_usd_per_hour));
    assert_eq!(Some(read.sum("burntop_commitment_unused_usd_per_hour")), usd);
    assert_eq!(read.sum("burntop_commitment_unused_unknown"), f64::from(unknown));
    let unused = |kind| read.value("burntop_commitment_unused_usd_per_hour", &[kind]);
    assert_eq!((unused("compute_plan"), unused("capacity_reservation")), (Some(1.5), Some(4.0)));
    assert_eq!(unused("reserved_instances"), Some(0.0), "there are none");
    assert_eq!(read.sum("burntop_commitment_usd_per_hour"), 8.0);
    assert_eq!(read.value("burntop_commitment_usd_per_hour", &["capacity_reservation"]), None);
    assert!(!read.has("burntop_commitment_utilisation_ratio"));
}

#[test]
fn a_bill_that_covers_a_part_or_is_at_list_price_is_not_told() {
    let early = Waterfall { early: true, ..savings().waterfall };
    let list =
        Waterfall { net_unknown: Some(crate::domain::NetUnknown::NotRead), ..savings().waterfall };
    for waterfall in [early, list] {
        let read = of_savings(&Savings { waterfall, ..savings() });
        for family in [
            "burntop_bill_usd_per_hour",
            "burntop_savings_usd_per_hour",
            "burntop_commitment_unused_usd_per_hour",
        ] {
            assert!(!read.has(family), "{family}");
        }
    }
}
