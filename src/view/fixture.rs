//! A small fleet with traps, for tests of views, reports and screens: every verdict, a stopped
//! instance, unknown prices and types, names that attack terminals, spreadsheets and tables.

use std::collections::HashMap;
use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};

use super::{Symbols, ViewContext};
use crate::domain::{
    Accelerator, AcceleratorKind, BlockDevice, Criterion, ErrorKind, EvidenceRole, Hour, HourRange,
    HourlySeries, Instance, InstanceState, Lifecycle, Offer, Owner, Platform, PriceBasis,
    Provenance, Rate, Reading, Scope, SeriesSet, Signal, SignalEvidence, SourceError, SourceId,
    SourceState, TagKeys, Tags, Tenancy, TypeSpec, Verdict, VerdictKind, sample,
};
use crate::fleet::{Book, Fleet, JoinInput, PriceBook, join};

/// The fixture's present.
pub(crate) fn now() -> Timestamp {
    "2026-03-14T15:09:26Z".parse().unwrap()
}

/// `hours` before the present.
pub(crate) fn ago(hours: i64) -> Timestamp {
    now() - SignedDuration::from_hours(hours)
}

/// The context at the fixture's present.
pub(crate) fn ctx() -> ViewContext {
    ViewContext { now: now(), symbols: Symbols::Unicode, width: None }
}

/// The same with ASCII symbols.
pub(crate) fn ascii() -> ViewContext {
    ViewContext { now: now(), symbols: Symbols::Ascii, width: None }
}

/// A running on-demand Linux instance of account 111122223333 in us-east-1, launched 30 days ago
/// with one root volume. `tags` are raw pairs; `Name` becomes the name.
pub(crate) fn instance(id: &str, instance_type: &str, tags: &[(&str, &str)]) -> Instance {
    let tags = Tags::from_raw(tags.iter().copied());
    Instance {
        id: id.into(),
        scope: Scope::new("111122223333", "us-east-1"),
        name: tags.get("Name").unwrap_or_default().into(),
        instance_type: instance_type.into(),
        launched_at: ago(30 * 24),
        block_devices: vec![BlockDevice {
            device: "/dev/xvda".into(),
            volume_id: format!("vol-{id}").into(),
            attached_at: Some(ago(30 * 24)),
            delete_on_termination: true,
        }],
        owners: Owner::from_tags(&tags),
        tags,
        ..sample::instance()
    }
}

/// A type with `devices` NVIDIA GPUs of `model`; none makes it CPU-only.
pub(crate) fn spec(name: &str, vcpus: u32, devices: u32, model: &str, store_gb: u64) -> TypeSpec {
    TypeSpec {
        name: name.into(),
        vcpus,
        memory_mib: u64::from(vcpus) * 12 * 1024,
        accelerator: (devices > 0).then(|| Accelerator {
            kind: AcceleratorKind::NvidiaGpu,
            model: model.into(),
            devices,
            equivalents: f64::from(devices),
            memory_mib: 40 * 1024,
        }),
        instance_store_gb: store_gb,
        network: "400 Gigabit".into(),
        provenance: embedded(),
    }
}

fn embedded() -> Provenance {
    Provenance::Embedded { date: "2026-03-01".parse().unwrap() }
}

/// A verdict on a box of `devices` GPUs without evidence lines.
pub(crate) fn verdict(kind: VerdictKind, devices: u32, gpu: Option<f32>, reason: &str) -> Verdict {
    Verdict {
        devices,
        gpu_percent: gpu,
        cpu_percent: Some(3.2),
        network_bytes_per_day: Some(2.1e6),
        not_checked: ["disk activity inside the instance store".into()].into(),
        reason: reason.into(),
        ..sample::verdict(kind)
    }
}

/// A line of evidence in percent against a threshold of 5%, with `got` of 84 datapoints.
pub(crate) fn evidence(
    label: &str,
    signal: Signal,
    value: Option<f64>,
    got: u32,
) -> SignalEvidence {
    let criterion = Criterion {
        label: label.into(),
        signal,
        statistic: "hourly maximum".into(),
        unit: "%".into(),
        threshold: 5.0,
        role: EvidenceRole::Test,
    };
    SignalEvidence {
        criterion: criterion.shared(),
        value,
        highest: value,
        got,
        expected: 84,
        busy: value.is_some_and(|v| v >= 5.0),
        joint: false,
    }
}

fn list(instance_type: &str, usd: f64) -> Offer {
    offer(instance_type, "us-east-1", None, usd, PriceBasis::OnDemandList, embedded())
}

fn offer(
    instance_type: &str,
    region: &str,
    az: Option<&str>,
    usd_per_hour: f64,
    basis: PriceBasis,
    provenance: Provenance,
) -> Offer {
    Offer {
        region: region.into(),
        az: az.map(Into::into),
        instance_type: instance_type.into(),
        platform: Platform::Linux,
        tenancy: Tenancy::Shared,
        rate: Rate { usd_per_hour, basis, provenance },
    }
}

/// The fleet: eleven instances, ten of them running.
pub(crate) fn fleet() -> Fleet {
    let types: HashMap<Arc<str>, Arc<TypeSpec>> = [
        spec("p4d.24xlarge", 96, 8, "A100", 8000),
        spec("p5.48xlarge", 192, 8, "H100", 30400),
        spec("g5.48xlarge", 192, 8, "A10G", 7600),
        spec("g6.xlarge", 4, 1, "L4", 250),
        spec("c7i.24xlarge", 96, 0, "", 0),
    ]
    .into_iter()
    .map(|t| (t.name.clone(), Arc::new(t)))
    .collect();
    let mut prices = PriceBook::default();
    prices.extend(&[
        list("p4d.24xlarge", 21.957_642),
        list("p5.48xlarge", 55.04),
        list("g5.48xlarge", 16.288),
        list("g6.xlarge", 0.8048),
        list("c7i.24xlarge", 4.284),
        offer(
            "p5.48xlarge",
            "eu-west-1",
            Some("eu-west-1b"),
            20.79,
            PriceBasis::Spot,
            Provenance::Live { at: ago(1) },
        ),
    ]);
    let mut instances = Vec::new();
    let mut verdicts: HashMap<Arc<str>, Arc<Verdict>> = HashMap::new();
    let mut add = |instance: Instance, verdict: Option<Verdict>| {
        verdicts.extend(verdict.map(|v| (instance.id.clone(), Arc::new(v))));
        instances.push(Arc::new(instance));
    };

    let mut p4d = instance(
        "i-0a1idle",
        "p4d.24xlarge",
        &[
            ("Name", "train-7b-old"),
            ("team", "nlp"),
            ("project", "llm"),
            ("env", "prod"),
            ("CostCenter", "42"),
        ],
    );
    p4d.block_devices.push(BlockDevice {
        device: "/dev/xvdb".into(),
        volume_id: "vol-data".into(),
        attached_at: Some(ago(30 * 24)),
        delete_on_termination: false,
    });
    let mut v = verdict(VerdictKind::Idle, 8, Some(0.2), "all 8 GPUs under 5% for 3d12h");
    v.idle_since = Some(ago(84));
    v.idle_gpus = Some(8);
    v.signals = (0..8)
        .map(|i| evidence(&format!("GPU {i} max"), Signal::GpuMax(i), Some(1.6), 84))
        .collect();
    let network = evidence("network per day", Signal::NetworkIn, Some(2.1e6), 84);
    let criterion = Criterion {
        unit: "bytes/day".into(),
        statistic: "sum per day".into(),
        threshold: 1e9,
        role: EvidenceRole::Counter,
        ..Criterion::clone(&network.criterion)
    };
    v.signals.push(SignalEvidence { criterion: criterion.shared(), busy: false, ..network });
    add(p4d, Some(v));

    let mut v = verdict(VerdictKind::Partial, 8, Some(38.4), "5 of 8 GPUs under 5% for 1d");
    v.idle_since = Some(ago(24));
    v.idle_gpus = Some(5);
    v.coverage = 0.995;
    v.network_bytes_per_day = Some(4.2e9);
    add(
        instance(
            "i-0b2part",
            "p5.48xlarge",
            &[("Name", "eval-sweep"), ("team", "vision"), ("aws:autoscaling:groupName", "sweep")],
        ),
        Some(v),
    );

    let mut v = verdict(VerdictKind::Unknown, 8, None, "no GPU telemetry: agent silent");
    v.coverage = 0.12;
    v.cpu_percent = Some(64.0);
    v.network_bytes_per_day = None;
    v.signals = vec![evidence("GPU 0 max", Signal::GpuMax(0), None, 0)];
    add(instance("i-0c3unkn", "g5.48xlarge", &[("Name", "notebook-17"), ("env", "dev")]), Some(v));

    let mut spot = instance(
        "i-0d4spot",
        "p5.48xlarge",
        &[
            ("Name", "数据-清洗"),
            ("Team", "NLP"),
            ("app", "etl"),
            ("stage", "prod"),
            ("cost-center", "7"),
        ],
    );
    spot.scope = Scope::new("444455556666", "eu-west-1");
    spot.az = "eu-west-1b".into();
    spot.lifecycle = Lifecycle::Spot;
    add(spot, Some(verdict(VerdictKind::Busy, 8, Some(91.0), "GPU 0 at 97%")));

    let formula = [("Name", "=HYPERLINK(\"http://x\",\"a|b\")"), ("team", "\u{1b}[2Jdata\u{202e}")];
    let mut v = verdict(VerdictKind::Underused, 0, None, "hourly mean CPU never over 20%");
    v.cpu_percent = Some(9.4);
    add(instance("i-0e5cpu", "c7i.24xlarge", &formula), Some(v));

    let mut licensed = instance("i-0f6lic", "g6.xlarge", &[("Name", "render"), ("team", "vision")]);
    licensed.platform = Platform::Other;
    let mut v = verdict(VerdictKind::Idle, 1, Some(0.0), "GPU 0 under 5% for 2d");
    v.idle_since = Some(ago(48));
    v.idle_gpus = Some(1);
    add(licensed, Some(v));

    let mut new = instance("i-1a7new", "g6.xlarge", &[("team", "nlp")]);
    new.launched_at = ago(2);
    new.block_devices.clear();
    add(new, Some(verdict(VerdictKind::TooNew, 1, None, "2 h old")));

    let exempt = [("Name", "dr-standby"), ("burntop:exempt", "true"), ("team", "core")];
    add(
        instance("i-1b8exem", "p4d.24xlarge", &exempt),
        Some(verdict(VerdictKind::Exempt, 8, None, "exempt by tag")),
    );

    let mut stopped = instance("i-1c9stop", "p4d.24xlarge", &[("Name", "parked"), ("team", "nlp")]);
    stopped.state = InstanceState::Stopped;
    add(stopped, None);

    add(instance("i-1d0late", "x99.metal", &[("Name", "mystery"), ("team", "core")]), None);
    add(
        instance("i-1e1busy", "g6.xlarge", &[("Name", "Serve-A"), ("team", "serving")]),
        Some(verdict(VerdictKind::Busy, 1, Some(72.5), "GPU 0 at 88%")),
    );

    let reading = |source, region: &str, hours: Option<i64>, coverage, state| Reading {
        source,
        scope: Scope::new("111122223333", region),
        taken_at: hours.map(ago),
        coverage,
        state,
    };
    let denied = SourceError::new(
        ErrorKind::Denied,
        "cloudwatch:GetMetricData",
        "not authorized",
        "allow cloudwatch:GetMetricData",
    );
    join(JoinInput {
        version: 1,
        now: now(),
        instances: &instances,
        book: &Arc::new(Book { prices, types, ..Book::default() }),
        verdicts: &verdicts,
        tag_keys: &TagKeys::default(),
        readings: vec![
            reading(SourceId::Ec2, "us-east-1", Some(0), 1.0, SourceState::Live),
            reading(SourceId::Prices, "-", Some(30), 0.9, SourceState::Cached),
            reading(
                SourceId::CloudWatch,
                "eu-west-1",
                None,
                0.0,
                SourceState::Failed(Arc::new(denied)),
            ),
        ],
    })
}

/// A week of GPU 0 and CPU series that ends at the present: busy, then idle for 84 hours, with a
/// gap of one hour and one malformed datapoint.
pub(crate) fn series() -> SeriesSet {
    let range = HourRange::last_closed(now(), 168);
    let mut gpu = HourlySeries::empty(range);
    for h in range.from.0..range.to.0 {
        gpu.set(Hour(h), if h < range.to.0 - 84 { 90.0 } else { 1.0 });
    }
    gpu.set(range.from, f32::NAN);
    gpu.set(range.from.plus(1), crate::domain::MALFORMED);
    let cpu = HourlySeries { start: range.from.plus(24), values: vec![3.0; 144] };
    [(Signal::CpuMean, cpu), (Signal::GpuMax(0), gpu)].into_iter().collect()
}

/// The index of the instance `id` in `fleet`.
pub(crate) fn index(fleet: &Fleet, id: &str) -> usize {
    fleet.rows.iter().position(|r| &*r.instance.id == id).unwrap()
}
