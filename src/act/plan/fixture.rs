//! A row that every guard lets pass, for tests: an idle g5g.16xlarge (two GPUs, 64 vCPUs, no
//! instance store, a type that is easily had again), of which a test spoils one thing.

use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};

use super::guard::{GuardInput, check};
use super::rules::{AccountRules, Rules};
use super::{CheckedRow, PLAN_SCHEMA, Plan, PlanItem, Verb, sha256_hex};
use crate::domain::{
    Accelerator, AcceleratorKind, Addresses, BlockDevice, Caller, ErrorKind, Inspection, Instance,
    InstanceState, Known, LaunchSpec, Provenance, Recent, RecentSeries, Scope, Signal, SourceError,
    Tags, TypeSpec, VerdictKind, VolumeFact, sample,
};

pub const ACCOUNT: &str = "111122223333";
pub const REGION: &str = "us-east-1";
pub const AZ: &str = "us-east-1a";
pub const ID: &str = "i-0aaaaaaaaaaaaaaa1";
pub const ARN: &str = "arn:aws:iam::111122223333:user/ann";
pub const TYPE: &str = "g5g.16xlarge";

/// The present moment of all fixtures.
pub fn now() -> Timestamp {
    "2026-07-01T12:40:00Z".parse().unwrap()
}

pub fn ago(minutes: i64) -> Timestamp {
    now() - SignedDuration::from_mins(minutes)
}

pub fn launched() -> Timestamp {
    "2026-06-01T08:00:00Z".parse().unwrap()
}

pub fn scope() -> Scope {
    Scope::new(ACCOUNT, REGION)
}

/// A row, idle since ten days, judged ten minutes ago.
pub fn item() -> PlanItem {
    PlanItem {
        id: ID.into(),
        scope: scope(),
        az: AZ.into(),
        name: "train-7".into(),
        instance_type: TYPE.into(),
        state: InstanceState::Running,
        launched_at: launched(),
        verdict: Some(VerdictKind::Idle),
        idle_since: Some(ago(10 * 24 * 60)),
        judged_until: Some(ago(10)),
        evidence_sha256: sha256_hex(b"evidence"),
        usd_per_hour: Some(2.744),
        net_usd_per_hour: None,
        covered_by: String::new(),
        price_basis: "on-demand list price, live".into(),
        production: false,
        environment: None,
        held_by: String::new(),
    }
}

/// A plan of `items`, drafted five minutes ago in a fleet of a hundred.
pub fn plan_of(verb: Verb, items: Vec<PlanItem>) -> Plan {
    Plan {
        schema: PLAN_SCHEMA.into(),
        created_at: ago(5),
        expires_at: ago(5) + SignedDuration::from_hours(24),
        verb,
        preset: "cautious".into(),
        filter: String::new(),
        justification: String::new(),
        fleet_size: 100,
        net_usd_per_hour: None,
        items,
    }
}

/// A plan of [`item`] alone.
pub fn plan(verb: Verb) -> Plan {
    plan_of(verb, vec![item()])
}

pub fn instance() -> Instance {
    Instance {
        id: ID.into(),
        scope: scope(),
        az: AZ.into(),
        name: "train-7".into(),
        instance_type: TYPE.into(),
        launched_at: launched(),
        block_devices: vec![BlockDevice {
            device: "/dev/xvda".into(),
            volume_id: "vol-0r".into(),
            attached_at: Some(launched()),
            delete_on_termination: true,
        }],
        tags: Tags::from_raw([("Name", "train-7"), ("team", "nlp")]),
        private_dns: "ip-10-0-0-7.ec2.internal".into(),
        ..sample::instance()
    }
}

pub fn spec() -> TypeSpec {
    TypeSpec {
        name: TYPE.into(),
        vcpus: 64,
        memory_mib: 131_072,
        accelerator: Some(Accelerator {
            kind: AcceleratorKind::NvidiaGpu,
            model: "T4g".into(),
            devices: 2,
            equivalents: 2.0,
            memory_mib: 16_384,
        }),
        instance_store_gb: 0,
        network: "25 Gigabit".into(),
        provenance: Provenance::Demo,
    }
}

pub fn volume(id: &str, device: &str, root: bool, dies: bool) -> VolumeFact {
    VolumeFact {
        id: id.into(),
        device: device.into(),
        size_gib: Some(100),
        kind: "gp3".into(),
        iops: Some(3000),
        throughput_mibps: Some(125),
        root,
        delete_on_termination: dies,
    }
}

pub fn launch() -> LaunchSpec {
    LaunchSpec {
        image_id: Some("ami-0123456789abcdef0".into()),
        instance_type: TYPE.into(),
        key_name: Some("ann".into()),
        subnet_id: Some("subnet-0a".into()),
        security_group_ids: vec!["sg-0a".into()],
        availability_zone: Some(AZ.into()),
        ebs_optimized: true,
        metadata_tokens: Some("required".into()),
        tags: vec![("Name".into(), "train-7".into()), ("team".into(), "nlp".into())],
        ..LaunchSpec::default()
    }
}

/// What was found: nothing that speaks against anything.
pub fn inspection() -> Inspection {
    Inspection {
        id: ID.into(),
        taken_at: now(),
        instance: Ok(Some(Arc::new(instance()))),
        spec: Ok(Some(Arc::new(spec()))),
        launch: Ok(launch()),
        termination_protection: Ok(false),
        stop_protection: Ok(false),
        volumes: Ok(vec![volume("vol-0r", "/dev/xvda", true, true)]),
        addresses: Ok(Addresses::default()),
        group: Ok(None),
        target_groups: Ok(Vec::new()),
        spot: Ok(None),
    }
}

/// A series of five-minute points from `from` to the newest that can have come.
pub fn series(signal: Signal, from: Timestamp, value: f64) -> RecentSeries {
    let mut points = Vec::new();
    let mut at = from;
    while at + SignedDuration::from_mins(10) <= now() {
        points.push((at, value));
        at += SignedDuration::from_mins(5);
    }
    let source = if signal.gpu().is_some() { "CWAgent" } else { "AWS/EC2" };
    RecentSeries { signal, source: source.into(), period_s: 300, points, complete: true }
}

/// A quiet hour and a bit: from 11:40 to 12:40.
pub fn recent() -> Recent {
    let from = ago(60);
    let series = [
        (Signal::CpuMean, 0.4),
        (Signal::CpuMax, 1.5),
        (Signal::NetworkIn, 20_000.0),
        (Signal::NetworkOut, 9_000.0),
        (Signal::GpuMax(0), 0.0),
        (Signal::GpuMax(1), 1.0),
    ]
    .map(|(signal, value)| series(signal, from, value))
    .to_vec();
    Recent { id: ID.into(), from, to: now(), series }
}

/// Rules under which the account is armed.
pub fn rules() -> Rules {
    let armed = AccountRules { armed: true, ..AccountRules::default() };
    Rules { accounts: [(ACCOUNT.into(), armed)].into(), ..Rules::default() }
}

/// What could not be read.
pub fn error<T>(operation: &str) -> Known<T> {
    let fix = format!("allow {operation}");
    Err(Arc::new(SourceError::new(ErrorKind::Denied, operation, "not authorised", &fix)))
}

/// Everything that a [`GuardInput`] borrows, to be spoiled by a test.
#[derive(Clone, Debug)]
pub struct GuardFixture {
    pub plan: Plan,
    pub item: Arc<PlanItem>,
    pub caller: Known<Caller>,
    pub inspection: Inspection,
    pub recent: Known<Recent>,
    pub permitted: Known<()>,
    pub executor: &'static str,
    pub rules: Rules,
    pub now: Timestamp,
}

/// A fixture that passes all guards of `verb`.
pub fn passing(verb: Verb) -> GuardFixture {
    let mut item = item();
    let mut inspection = inspection();
    if verb == Verb::Start {
        item.state = InstanceState::Stopped;
        item.verdict = None;
        let stopped = Instance { state: InstanceState::Stopped, ..instance() };
        inspection.instance = Ok(Some(Arc::new(stopped)));
    }
    GuardFixture {
        plan: Plan { items: vec![item.clone()], ..plan(verb) },
        item: Arc::new(item),
        caller: Ok(Caller { account: ACCOUNT.into(), arn: ARN.into() }),
        inspection,
        recent: Ok(recent()),
        permitted: Ok(()),
        executor: "live",
        rules: rules(),
        now: now(),
    }
}

impl GuardFixture {
    pub fn input(&self) -> GuardInput<'_> {
        GuardInput {
            plan: &self.plan,
            item: &self.item,
            caller: &self.caller,
            inspection: &self.inspection,
            recent: &self.recent,
            permitted: &self.permitted,
            executor: self.executor,
            rules: &self.rules,
            now: self.now,
        }
    }

    pub fn check(&self) -> CheckedRow {
        check(&self.input())
    }

    /// Changes the planned row, in the plan as well.
    pub fn item(&mut self, change: impl FnOnce(&mut PlanItem)) {
        change(Arc::make_mut(&mut self.item));
        self.plan.items = vec![(*self.item).clone()];
    }

    /// Changes the instance as it is found.
    pub fn instance(&mut self, change: impl FnOnce(&mut Instance)) {
        let Ok(Some(found)) = &mut self.inspection.instance else { panic!("no instance") };
        change(Arc::make_mut(found));
    }

    /// Changes its type.
    pub fn spec(&mut self, change: impl FnOnce(&mut TypeSpec)) {
        let Ok(Some(spec)) = &mut self.inspection.spec else { panic!("no type") };
        change(Arc::make_mut(spec));
    }

    /// Gives it tags.
    pub fn tags(&mut self, tags: &[(&str, &str)]) {
        self.instance(|i| i.tags = Tags::from_raw(tags.iter().copied()));
    }

    /// Another instance like it, in a plan of its own.
    pub fn named(mut self, id: &str) -> Self {
        self.item(|i| i.id = id.into());
        self.instance(|i| i.id = id.into());
        self.inspection.id = id.into();
        if let Ok(recent) = &mut self.recent {
            recent.id = id.into();
        }
        self
    }
}
