//! What could be saved, for tests: fixed time, every kind of row, names that attack.

use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};

use crate::domain::{
    BilledUnit, CapacityReservation, Commitment, CommitmentSource, CommitmentState, Commits,
    Criterion, ErrorKind, EvidenceRole, Interruption, NetUnknown, OfferingClass, PaymentOption,
    PlanType, Platform, Provenance, Reading, ReservedInstances, ReservesCapacity, Resource,
    ResourceAdvice, ResourceFix, ResourceKind, ResourceSignal, SavingsPlan, Scope, Signal,
    SignalEvidence, SourceError, SourceId, SourceState, Tags, Tenancy, Unread, Verdict,
    VerdictKind, Workload, sample,
};
use crate::fleet::savings::{
    BillKind, BillRow, BoundBy, CannotTell, CommitmentFinding, CommitmentRow, CommitmentSums,
    Effort, Fits, Measure, MixedFleet, ModelBecause, ModelRow, ModelWork, ModelWorkload,
    ModelsLeftOut, Need, Pattern, Proposal, Replicas, ResourceRow, Risk, SizeNote, SizeVerdict,
    SpotBecause, SpotFit, SpotNote, SpotRow, Step, StepKind, Waterfall, ZonePrice,
};
use crate::fleet::{PartKind, Savings};
use crate::view::fixture::{ago, now};

const ACCOUNT: &str = "111122223333";
const REGION: &str = "us-east-1";

pub(crate) fn scope() -> Scope {
    Scope::new(ACCOUNT, REGION)
}

fn in_days(days: i64) -> Timestamp {
    now() + SignedDuration::from_hours(24 * days)
}

fn reserved(instance_type: &str, count: u32, usd_per_hour: f64) -> Commits {
    Commits::Reserved(ReservedInstances {
        region: REGION.into(),
        az: None,
        instance_type: instance_type.into(),
        platform: Platform::Linux,
        tenancy: Tenancy::Shared,
        count,
        class: OfferingClass::Standard,
        payment: PaymentOption::NoUpfront,
        usd_per_hour: Some(usd_per_hour),
        upfront_usd: Some(0.0),
    })
}

fn plan(plan_type: PlanType, usd_per_hour: f64) -> Commits {
    let family = plan_type == PlanType::Ec2Instance;
    Commits::Plan(SavingsPlan {
        plan_type,
        usd_per_hour,
        payment: PaymentOption::PartialUpfront,
        upfront_usd: 20_000.0,
        region: family.then(|| REGION.into()),
        family: family.then(|| "p4d".into()),
        rates: vec![],
        rates_known: true,
    })
}

fn capacity(total: u32, available: u32, reserves: ReservesCapacity) -> Commits {
    Commits::Capacity(CapacityReservation {
        region: REGION.into(),
        az: "us-east-1a".into(),
        instance_type: "p5.48xlarge".into(),
        platform: Platform::Linux,
        tenancy: Tenancy::Shared,
        total,
        available,
        reserves,
        targeted: false,
    })
}

pub(crate) fn commitment(id: &str, commits: Commits, days_left: Option<i64>) -> Commitment {
    Commitment {
        id: id.into(),
        account: ACCOUNT.into(),
        state: CommitmentState::Active,
        start: ago(24 * 300),
        end: days_left.map(in_days),
        commits,
        provenance: Provenance::Live { at: now() },
    }
}

fn row(commitment: Commitment, covers: &str, usd_per_hour: Option<f64>) -> CommitmentRow {
    CommitmentRow {
        is_in_force: commitment.is_in_force(now()),
        commitment: Arc::new(commitment),
        covers: covers.into(),
        usd_per_hour,
        utilisation: None,
        utilisation_now: None,
        unused_usd_per_hour: None,
        billed_unused_usd: None,
        effective_usd_per_hour: None,
        on_demand_usd_per_hour: None,
        saves_usd_per_hour: None,
        hours: 0,
        findings: vec![],
    }
}

/// Five commitments: unused capacity, Reserved Instances used in part, a full plan that ends soon, a
/// plan whose rates nobody could read, one that has not begun.
pub(crate) fn commitments() -> Vec<Arc<CommitmentRow>> {
    let odcr = commitment("cr-0aaa", capacity(2, 1, ReservesCapacity::OnDemand), None);
    let ri = commitment("11111111-ri", reserved("p4d.24xlarge", 4, 13.5), Some(200));
    let ec2 = commitment("22222222-sp", plan(PlanType::Ec2Instance, 30.0), Some(12));
    let compute = commitment("33333333-sp", plan(PlanType::Compute, 5.0), Some(400));
    let mut queued = commitment("44444444-ri", reserved("g5.xlarge", 8, 0.6), Some(730));
    queued.state = CommitmentState::Pending;
    queued.start = in_days(3);
    [
        CommitmentRow {
            utilisation: Some(0.5),
            utilisation_now: Some(0.5),
            unused_usd_per_hour: Some(55.04),
            on_demand_usd_per_hour: Some(55.04),
            hours: 168,
            findings: vec![CommitmentFinding::Fixture(
                "1 of 2 instances of capacity is unused and billed",
            )],
            ..row(odcr, "2 × p5.48xlarge in us-east-1a", Some(110.08))
        },
        CommitmentRow {
            utilisation: Some(0.75),
            utilisation_now: Some(0.5),
            unused_usd_per_hour: Some(27.0),
            billed_unused_usd: Some(9_072.0),
            effective_usd_per_hour: Some(18.0),
            on_demand_usd_per_hour: Some(21.957_642),
            saves_usd_per_hour: Some(11.872_926),
            hours: 168,
            findings: vec![
                CommitmentFinding::Fixture("a quarter of it was unused over the week"),
                CommitmentFinding::Fixture("overlaps the plan 22222222-sp"),
            ],
            ..row(ri, "4 × p4d.24xlarge in us-east-1", Some(54.0))
        },
        CommitmentRow {
            utilisation: Some(1.0),
            utilisation_now: Some(1.0),
            unused_usd_per_hour: Some(0.0),
            saves_usd_per_hour: Some(-1.25),
            hours: 168,
            findings: vec![CommitmentFinding::Fixture("it ends in 12 days")],
            ..row(ec2, "$30.00/h of p4d in us-east-1", Some(30.0))
        },
        CommitmentRow {
            findings: vec![CommitmentFinding::Fixture("its rates could not be read")],
            ..row(compute, "$5.00/h of any EC2 instance", Some(5.0))
        },
        row(queued, "8 × g5.xlarge in us-east-1", Some(4.8)),
    ]
    .map(Arc::new)
    .to_vec()
}

fn proposal(id: &str, name: &str, from: &str, usd: f64, verdict: SizeVerdict) -> Proposal {
    Proposal {
        id: id.into(),
        name: name.into(),
        scope: scope(),
        az: "us-east-1a".into(),
        team: Some("vision".into()),
        from: from.into(),
        usd_per_hour: Some(usd),
        need: Need::default(),
        verdict,
        mig: None,
        gross_usd_per_hour: None,
        net_usd_per_hour: None,
        worthless_until: None,
        effort: Effort::Medium,
        risk: Risk::Medium,
        says: vec![],
    }
}

/// Four proposals: one worth its price, one worthless until a commitment ends, one whose net nobody
/// knows, one that cannot be told.
pub(crate) fn proposals() -> Vec<Arc<Proposal>> {
    let to = |to: &str, usd_per_hour| SizeVerdict::Smaller {
        to: to.into(),
        usd_per_hour,
        provenance: Provenance::Demo,
    };
    [
        Proposal {
            need: Need {
                gpus: Some(1),
                gpu_memory_mib: Some(11_264),
                vcpus: Some(6.5),
                memory_mib: None,
                local_nvme: true,
                network_gbps: Some(1.25),
                efa: false,
            },
            gross_usd_per_hour: Some(4.666),
            net_usd_per_hour: Some(4.666),
            says: vec![
                Arc::new(SizeNote::Fixture("1 of 4 GPUs did something in the last 7 days")),
                Arc::new(SizeNote::Fixture(
                    "memory of the host is not known: the smaller size has 16 GiB",
                )),
            ],
            ..proposal(
                "i-0000000000000a001",
                "embed-api",
                "g5.12xlarge",
                5.672,
                to("g5.xlarge", 1.006),
            )
        },
        Proposal {
            gross_usd_per_hour: Some(16.468),
            net_usd_per_hour: Some(0.0),
            worthless_until: Some(in_days(200)),
            risk: Risk::High,
            ..proposal(
                "i-0000000000000a002",
                "train-old",
                "p4d.24xlarge",
                21.957_642,
                to("g5.12xlarge", 5.672),
            )
        },
        Proposal {
            gross_usd_per_hour: Some(0.8),
            effort: Effort::Low,
            risk: Risk::Low,
            team: None,
            ..proposal(
                "i-0000000000000a003",
                "=cmd|'x'!A1",
                "g5.4xlarge",
                1.624,
                to("g5.2xlarge", 1.212),
            )
        },
        Proposal {
            says: vec![Arc::new(SizeNote::Fixture(
                "ask the runtime: vLLM takes 90% of the memory when it starts",
            ))],
            ..proposal(
                "i-0000000000000a004",
                "llm-serve",
                "g5.48xlarge",
                16.288,
                SizeVerdict::Cannot(CannotTell::PreAllocated),
            )
        },
    ]
    .map(Arc::new)
    .to_vec()
}

fn zone(az: &str, usd_per_hour: f64) -> ZonePrice {
    ZonePrice {
        az: az.into(),
        usd_per_hour,
        mean: Some(usd_per_hour * 1.1),
        highest: Some(usd_per_hour * 1.5),
        hours: 168,
    }
}

fn spot_row(id: &str, name: &str, instance_type: &str, fit: SpotFit) -> SpotRow {
    SpotRow {
        id: id.into(),
        name: name.into(),
        scope: scope(),
        az: "us-east-1a".into(),
        team: Some("nlp".into()),
        instance_type: instance_type.into(),
        gpus: 8.0,
        workload: None,
        fit,
        because: Arc::new(SpotBecause::Fixture("")),
        on_demand: Some(21.957_642),
        zones: Arc::default(),
        interruption: None,
        checkpoint_every_hours: None,
        efficiency: None,
        effective: None,
        gross_usd_per_hour: None,
        net_usd_per_hour: None,
        effort: Effort::Medium,
        risk: Risk::Medium,
        says: vec![],
    }
}

/// Four instances: training that fits, serving that fits in part, a notebook that does not, one of
/// which nothing is said.
pub(crate) fn spot() -> Vec<Arc<SpotRow>> {
    [
        SpotRow {
            workload: Some(Workload::Training),
            because: Arc::new(SpotBecause::Fixture("tag workload=training")),
            zones: [zone("us-east-1c", 7.2), zone("us-east-1a", 9.5)].into(),
            interruption: Some((Interruption::From5To10, "2026-03-01".into())),
            checkpoint_every_hours: Some(1.5),
            efficiency: Some(0.93),
            effective: Some(8.1),
            gross_usd_per_hour: Some(14.757_642),
            net_usd_per_hour: Some(13.857_642),
            says: vec![Arc::new(SpotNote::Fixture(
                "it must write a checkpoint each 1.5 h and find it again",
            ))],
            ..spot_row("i-0000000000000b001", "train-7b", "p4d.24xlarge", SpotFit::Yes)
        },
        SpotRow {
            workload: Some(Workload::Inference),
            because: Arc::new(SpotBecause::Fixture("rule: behind a load balancer")),
            zones: [zone("us-east-1b", 0.4)].into(),
            interruption: Some((Interruption::Above20, "2026-03-01".into())),
            on_demand: Some(1.006),
            gpus: 1.0,
            gross_usd_per_hour: Some(0.606),
            net_usd_per_hour: Some(-0.1),
            risk: Risk::High,
            ..spot_row("i-0000000000000b002", "serve-embed", "g5.xlarge", SpotFit::Partial)
        },
        SpotRow {
            because: Arc::new(SpotBecause::Fixture("tag workload=notebook")),
            ..spot_row("i-0000000000000b003", "notebook-3", "g5.xlarge", SpotFit::No)
        },
        SpotRow {
            team: None,
            ..spot_row(
                "i-0000000000000b004",
                "i-0000000000000b004",
                "p4d.24xlarge",
                SpotFit::Unknown,
            )
        },
    ]
    .map(Arc::new)
    .to_vec()
}

/// One fleet of the training that fits.
pub(crate) fn mixed_fleets() -> Vec<Arc<MixedFleet>> {
    vec![Arc::new(MixedFleet {
        scope: scope(),
        team: Some("nlp".into()),
        workload: Some(Workload::Training),
        fit: SpotFit::Yes,
        owner: None,
        instances: vec!["i-0000000000000b001".into()],
        count: 1,
        base: 0,
        percent_above_base: 0,
        on_demand: 0,
        types: vec!["p4d.24xlarge".into(), "p4de.24xlarge".into()],
        zones: vec!["us-east-1c".into(), "us-east-1a".into()],
        gross_usd_per_hour: Some(14.757_642),
        net_usd_per_hour: Some(13.857_642),
        says: vec![SpotNote::Fixture("name your own launch template")],
        no_policy: None,
    })]
}

fn resource(kind: ResourceKind, id: &str, name: &str, what: &str, usd: Option<f64>) -> Resource {
    Resource {
        scope: scope(),
        name: name.into(),
        state: "InService".into(),
        created_at: Some(ago(24 * 60)),
        units: vec![BilledUnit { what: what.into(), count: 1.0, usd_per_hour: usd }],
        tags: Tags::from_raw([("team", "vision")]),
        ..sample::resource(kind, id)
    }
}

fn judged(kind: VerdictKind, since_hours: Option<i64>, reason: &str) -> Arc<Verdict> {
    Arc::new(Verdict {
        idle_since: since_hours.map(ago),
        coverage: if kind == VerdictKind::Unknown { 0.25 } else { 1.0 },
        signals: vec![SignalEvidence {
            criterion: Criterion {
                label: "requests".into(),
                signal: Signal::Resource(ResourceSignal::Requests),
                statistic: "hourly sum".into(),
                unit: "requests/h".into(),
                threshold: 1.0,
                role: EvidenceRole::Test,
            }
            .shared(),
            value: (kind != VerdictKind::Unknown).then_some(0.0),
            highest: (kind != VerdictKind::Unknown).then_some(0.0),
            got: if kind == VerdictKind::Unknown { 42 } else { 168 },
            expected: 168,
            busy: kind == VerdictKind::Busy,
            joint: false,
        }],
        not_checked: ["requests of the last hour".into()].into(),
        reason: reason.into(),
        ..sample::verdict(kind)
    })
}

fn of(resource: Resource, verdict: Option<Arc<Verdict>>, fix: &'static str) -> ResourceRow {
    ResourceRow {
        team: Some("vision".into()),
        resource: Arc::new(resource),
        verdict,
        pattern: None,
        waste_usd_per_hour: None,
        wasted_usd: None,
        fix: ResourceFix { advice: ResourceAdvice::Fixture(fix), usd_per_month: None },
    }
}

/// One of each kind: an endpoint nobody calls, a notebook used in office hours, a gateway without
/// traffic, an address of nothing, a stopped instance, a balancer that is not known, a busy app.
pub(crate) fn resources() -> Vec<Arc<ResourceRow>> {
    let idle = |hours, why| Some(judged(VerdictKind::Idle, Some(hours), why));
    let arn = "arn:aws:sagemaker:us-east-1:111122223333:endpoint/old-ranker";
    [
        ResourceRow {
            pattern: Some(Pattern::NeverUsed),
            waste_usd_per_hour: Some(1.515),
            wasted_usd: Some(254.52),
            ..of(
                resource(ResourceKind::Endpoint, arn, "old-ranker", "ml.g5.xlarge", Some(1.515)),
                idle(168, "no invocation for 7 days"),
                "Delete the endpoint; its model and configuration stay.",
            )
        },
        ResourceRow {
            pattern: Some(Pattern::OfficeHours),
            waste_usd_per_hour: Some(0.5),
            wasted_usd: Some(30.0),
            ..of(
                resource(ResourceKind::Notebook, "nb-1", "ana-nb", "ml.g4dn.xlarge", Some(0.7364)),
                idle(60, "no work for 60 h"),
                "Stop it at night: a lifecycle configuration does.",
            )
        },
        ResourceRow {
            waste_usd_per_hour: Some(0.045),
            wasted_usd: Some(7.56),
            ..of(
                resource(
                    ResourceKind::NatGateway,
                    "nat-0a",
                    "nat-0a",
                    "NatGateway-Hours",
                    Some(0.045),
                ),
                idle(168, "no connection for 7 days"),
                "Delete it and release its address.",
            )
        },
        ResourceRow {
            waste_usd_per_hour: Some(0.02),
            ..of(
                resource(ResourceKind::StoppedInstance, "i-0stopped", "old-box", "gp3", Some(0.02)),
                Some(judged(VerdictKind::Idle, None, "stopped for 40 days")),
                "Snapshot and delete its volumes, or start it.",
            )
        },
        ResourceRow {
            waste_usd_per_hour: Some(0.005),
            wasted_usd: Some(0.84),
            team: None,
            ..of(
                resource(
                    ResourceKind::ElasticIp,
                    "eipalloc-1",
                    "=1+1|evil",
                    "PublicIPv4:IdleAddress",
                    Some(0.005),
                ),
                idle(168, "attached to nothing"),
                "Release it.",
            )
        },
        ResourceRow {
            ..of(
                resource(ResourceKind::LoadBalancer, "alb/1", "web", "LoadBalancerUsage", None),
                Some(judged(VerdictKind::Unknown, None, "CloudWatch did not answer")),
                "",
            )
        },
        ResourceRow {
            waste_usd_per_hour: Some(0.0),
            ..of(
                resource(ResourceKind::StudioApp, "app-1", "studio", "ml.t3.medium", Some(0.05)),
                Some(judged(VerdictKind::Busy, None, "used an hour ago")),
                "",
            )
        },
    ]
    .map(Arc::new)
    .to_vec()
}

/// A group that serves at a quarter of what it could, and a script that nobody bounds: each with a measure that fits, one that
/// does not, and one without a bound.
pub(crate) fn models() -> Vec<Arc<ModelRow>> {
    let serve = Arc::new(ModelWorkload {
        id: "asg serve-chat g6.12xlarge 111122223333/us-east-1 serving".into(),
        name: "serve-chat".into(),
        work: ModelWork::Serving,
        because: ModelBecause::Hint(Arc::new(SpotBecause::Fixture("tag workload=inference"))),
        scope: Some(scope()),
        team: Some("nlp".into()),
        instance_type: Some("g6.12xlarge".into()),
        instances: vec!["i-0000000000000c001".into(), "i-0000000000000c002".into()],
        replicas: Replicas::Known(2),
        usage: 0.125,
        usd_per_hour: 9.2,
        bound_by: Some(BoundBy::Memory),
        capability: Some((8, 9)),
        runtime: None,
        holding: Some((8, 8)),
    });
    let script = Arc::new(ModelWorkload {
        id: "file \"\" \"ana\" \"batch-embed\"".into(),
        name: "batch-embed".into(),
        work: ModelWork::Script,
        because: ModelBecause::ScriptName,
        scope: None,
        team: None,
        instance_type: None,
        instances: Vec::new(),
        replicas: Replicas::Unknown,
        usage: 0.05,
        usd_per_hour: 1.0,
        bound_by: None,
        capability: None,
        runtime: None,
        holding: None,
    });
    let row = |of: &Arc<ModelWorkload>, measure: Measure, up_to, fits, is_largest| {
        Arc::new(ModelRow {
            id: format!("{}/{}", of.id, measure.spec().word).into(),
            workload: of.clone(),
            measure,
            up_to_usd_per_hour: up_to,
            fits,
            is_largest,
        })
    };
    vec![
        row(&serve, Measure::Batching, Some(6.9), Fits::Yes, true),
        row(&serve, Measure::Fp8, Some(3.45), Fits::Yes, false),
        row(&serve, Measure::Int8, None, Fits::Yes, false),
        row(&serve, Measure::Pruning, Some(0.0), Fits::No, false),
        row(&script, Measure::Batching, Some(0.9), Fits::Unknown, true),
        row(&script, Measure::Fp8, Some(0.375), Fits::Unknown, false),
    ]
}

fn step(kind: StepKind, before: f64, after: f64, gross_alone: f64) -> Step {
    Step {
        kind,
        before,
        after,
        gross_alone,
        items: 2,
        unknown: 1,
        effort: Effort::Low,
        risk: Risk::Low,
        notes: vec![],
    }
}

/// Parts of a bill of $400: the list prices are those of the fleet of the tests, what is unused is that of the sums.
fn bill() -> Vec<BillRow> {
    use BillKind::{
        EmptyCapacity, IdleResources, Instances, OtherResources, Storage, UnusedCommitments,
    };
    let parts = [
        (Instances(PartKind::Busy), 40.0, Some(20.79 + 0.8048 + 20.64), 3, 0),
        (Instances(PartKind::Idle), 21.957_642, Some(21.957_642), 2, 1),
        (Instances(PartKind::PartlyIdle), 34.4, Some(34.4), 1, 0),
        (Instances(PartKind::Underused), 4.284, Some(4.284), 1, 0),
        (Instances(PartKind::Unknown), 16.288, Some(16.288), 1, 0),
        (Instances(PartKind::TooNew), 0.8048, Some(0.8048), 1, 0),
        (Instances(PartKind::Exempt), 21.957_642, Some(21.957_642), 1, 0),
        (Instances(PartKind::Unjudged), 0.0, Some(0.0), 1, 1),
        (UnusedCommitments, 27.0, None, 4, 0),
        (EmptyCapacity, 55.04, None, 1, 0),
        (IdleResources, 2.08, None, 3, 1),
        (OtherResources, 6.187_916, None, 3, 0),
        (Storage, 170.0, None, 8, 1),
    ];
    let row = |(kind, usd_per_hour, list_usd_per_hour, count, unpriced)| BillRow {
        kind,
        usd_per_hour,
        list_usd_per_hour,
        count,
        unpriced,
    };
    parts.map(row).into()
}

/// All of it.
pub(crate) fn savings() -> Savings {
    Savings {
        version: 7,
        as_of: Some(now()),
        commitments: commitments(),
        sums: CommitmentSums {
            committed_usd_per_hour: Some(89.0),
            committed_unknown: 0,
            utilisation: Some(0.84),
            utilisation_of: 4,
            left_out: 0,
            coverage: Some(0.61),
            effective_savings_rate: Some(0.22),
            unused_usd_per_hour: Some(82.04),
            unused_room_usd_per_hour: Some(55.04),
            unused_unknown: 1,
            hours: 168,
        },
        proposals: proposals(),
        spot: spot(),
        mixed_fleets: mixed_fleets(),
        resources: resources(),
        paths: Vec::new(),
        waterfall: Waterfall {
            unread: Vec::new(),
            early: false,
            before: 400.0,
            bill: bill(),
            steps: vec![
                step(StepKind::Idle, 400.0, 390.0, 24.0),
                Step { items: 0, unknown: 0, ..step(StepKind::PartlyIdle, 390.0, 390.0, 0.0) },
                step(StepKind::RightSize, 390.0, 385.334, 21.934),
                step(StepKind::Spot, 385.334, 371.477, 15.364),
                step(StepKind::Storage, 371.477, 370.0, 1.477),
                step(StepKind::Commitments, 370.0, 350.0, 40.0),
            ],
            naive: 102.775,
            nodes: Vec::new(),
            unpriced: 0,
            potential: None,
            net_unknown: None,
        },
        models: models(),
        models_left_out: ModelsLeftOut { unmeasured: 1, unnamed: 2, ..ModelsLeftOut::default() },
        unread: vec![],
        readings: vec![],
    }
}

/// The same, changed.
pub(crate) fn savings_of(change: impl FnOnce(&mut Savings)) -> Savings {
    let mut savings = savings();
    change(&mut savings);
    savings
}

/// Makes the bill one at list price, without commitments; storage makes up for what they were.
pub(crate) fn at_list_price(savings: &mut Savings) {
    let bill = &mut savings.waterfall.bill;
    bill.retain(|row| !matches!(row.kind, BillKind::UnusedCommitments | BillKind::EmptyCapacity));
    for row in bill.iter_mut() {
        row.usd_per_hour = row.list_usd_per_hour.unwrap_or(row.usd_per_hour);
    }
    let rest = savings.waterfall.before - bill.iter().map(|row| row.usd_per_hour).sum::<f64>();
    if let Some(storage) = bill.last_mut() {
        storage.usd_per_hour += rest;
    }
}

/// The same where Savings Plans could not be read.
pub(crate) fn denied() -> Savings {
    savings_of(|s| {
        let error = SourceError::new(
            ErrorKind::Denied,
            "savingsplans:DescribeSavingsPlans",
            "access denied",
            "Allow it for the role that burntop reads with.",
        );
        s.unread = vec![Unread {
            scope: Scope::account_wide(ACCOUNT),
            source: CommitmentSource::SavingsPlans,
            why: "denied: savingsplans:DescribeSavingsPlans".into(),
        }];
        s.readings = vec![Reading {
            source: SourceId::Commitments,
            scope: Scope::account_wide(ACCOUNT),
            taken_at: None,
            coverage: 0.0,
            state: SourceState::Failed(Arc::new(error)),
        }];
        s.waterfall.net_unknown = Some(NetUnknown::Fixture("Savings Plans could not be read"));
        at_list_price(s);
        for p in &mut s.proposals {
            Arc::make_mut(p).net_usd_per_hour = None;
        }
        for r in &mut s.spot {
            Arc::make_mut(r).net_usd_per_hour = None;
        }
    })
}

/// A fleet of `n` proposals, for budgets.
pub(crate) fn huge(n: u32) -> Savings {
    savings_of(|s| {
        let first = s.proposals[0].clone();
        s.proposals = (0..n)
            .map(|i| {
                let id = format!("i-{i:017x}");
                Arc::new(Proposal {
                    name: format!("box-{i}").into(),
                    id: id.into(),
                    ..(*first).clone()
                })
            })
            .collect();
    })
}
