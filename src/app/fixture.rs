//! A fleet, series and a cockpit for tests: fixed time, no chance in it.

use std::collections::HashMap;
use std::sync::Arc;

use crossterm::event::{KeyCode, KeyModifiers};
use jiff::{SignedDuration, Timestamp};

use super::{
    AccountInfo, App, AppInit, Appearance, ColorDepth, Effect, Intervals, Key, Keymap, Mode, Msg,
    ThemeName,
};
use crate::domain::own_cost::{ApiCost, OwnCost};
use crate::domain::{
    Accelerator, AcceleratorKind, BlockDevice, Criterion, ErrorKind, EvidenceRole, Hour, HourRange,
    HourlySeries, Instance, InstanceState, Lifecycle, Offer, Owner, Platform, PriceBasis,
    Provenance, Rate, Reading, Scope, SeriesSet, Signal, SignalEvidence, SourceError, SourceId,
    SourceState, TagKeys, Tags, Tenancy, TypeSpec, Verdict, VerdictKind, sample,
};
use crate::fleet::{Book, Fleet, JoinInput, PriceBook, join};
use crate::view::Symbols;

/// The account that most of the fleet is in.
pub const ACCOUNT: &str = "123456789012";

/// The present.
pub fn now() -> Timestamp {
    "2026-01-15T03:12:26Z".parse().unwrap()
}

fn ago(seconds: i64) -> Timestamp {
    now() - SignedDuration::from_secs(seconds)
}

const HOUR: i64 = 3600;

/// Type, vCPUs, devices, model, price.
const TYPES: [(&str, u32, u32, &str, f64); 5] = [
    ("p4d.24xlarge", 96, 8, "A100", 21.957_642),
    ("p5.48xlarge", 192, 8, "H100", 55.04),
    ("g5.48xlarge", 192, 8, "A10G", 16.288),
    ("g6e.xlarge", 4, 1, "L40S", 1.861),
    ("m7i.4xlarge", 16, 0, "", 0.8064),
];

fn spec(index: usize) -> TypeSpec {
    let (name, vcpus, devices, model, _) = TYPES[index];
    TypeSpec {
        name: name.into(),
        vcpus,
        memory_mib: u64::from(vcpus) * 12 * 1024,
        accelerator: (devices > 0).then(|| Accelerator {
            kind: AcceleratorKind::NvidiaGpu,
            model: model.into(),
            devices,
            equivalents: f64::from(devices),
            memory_mib: 80 * 1024,
        }),
        instance_store_gb: if devices == 8 { 8000 } else { 0 },
        network: "400 Gigabit".into(),
        provenance: embedded(),
    }
}

fn embedded() -> Provenance {
    Provenance::Embedded { date: "2026-01-02".parse().unwrap() }
}

struct Planted {
    name: &'static str,
    kind: usize,
    team: &'static str,
    region: &'static str,
    verdict: Option<(VerdictKind, i64, Option<f32>, f32)>,
}

/// Name, type, team, region; verdict with hours idle, GPU %, coverage.
const PLANTED: [Planted; 9] = [
    plant("train-7b-old", 0, "nlp", "us-east-1", Some((VerdictKind::Idle, 84, Some(0.4), 1.0))),
    plant(
        "eval-sweep",
        1,
        "vision",
        "us-east-1",
        Some((VerdictKind::Partial, 24, Some(38.0), 0.99)),
    ),
    plant("notebook-17", 2, "", "eu-west-1", Some((VerdictKind::Unknown, 0, None, 0.12))),
    plant("serve-chat", 3, "serving", "us-east-1", Some((VerdictKind::Busy, 0, Some(71.0), 1.0))),
    plant("train-70b", 1, "nlp", "us-west-2", Some((VerdictKind::Busy, 0, Some(96.0), 1.0))),
    plant("etl-nightly", 4, "data", "eu-west-1", Some((VerdictKind::Underused, 0, None, 1.0))),
    plant("fresh-box", 0, "nlp", "us-east-1", Some((VerdictKind::TooNew, 0, Some(2.0), 1.0))),
    plant("licence-host", 4, "infra", "us-east-1", Some((VerdictKind::Exempt, 0, None, 1.0))),
    plant("数-команда-🔬-with-a-name-too-long-for-any-column", 3, "vision", "ap-south-1", None),
];

const fn plant(
    name: &'static str,
    kind: usize,
    team: &'static str,
    region: &'static str,
    verdict: Option<(VerdictKind, i64, Option<f32>, f32)>,
) -> Planted {
    Planted { name, kind, team, region, verdict }
}

fn instance(number: usize, planted: &Planted) -> Instance {
    let mut raw = vec![("Name", planted.name), ("environment", "prod")];
    if !planted.team.is_empty() {
        raw.push(("team", planted.team));
    }
    if number == 1 {
        raw.push(("aws:autoscaling:groupName", "eval-workers"));
    }
    let tags = Tags::from_raw(raw);
    Instance {
        id: format!("i-{number:017x}").into(),
        scope: Scope::new(ACCOUNT, planted.region),
        az: format!("{}a", planted.region).into(),
        name: planted.name.into(),
        instance_type: TYPES[planted.kind].0.into(),
        state: if number == 7 { InstanceState::Stopped } else { InstanceState::Running },
        lifecycle: if number == 8 { Lifecycle::Spot } else { Lifecycle::OnDemand },
        launched_at: ago(if number == 6 { 2 * HOUR } else { 40 * 24 * HOUR }),
        block_devices: vec![BlockDevice {
            device: "/dev/sda1".into(),
            volume_id: format!("vol-{number:017x}").into(),
            attached_at: None,
            delete_on_termination: true,
        }],
        owners: Owner::from_tags(&tags),
        tags,
        ..sample::instance()
    }
}

fn verdict(planted: &Planted) -> Option<Verdict> {
    let (kind, hours, gpu, coverage) = planted.verdict?;
    let devices = TYPES[planted.kind].2;
    let evidence =
        |label: &str, signal, statistic: &str, unit: &str, threshold, value, role| SignalEvidence {
            criterion: Criterion {
                label: label.into(),
                signal,
                statistic: statistic.into(),
                unit: unit.into(),
                threshold,
                role,
            }
            .shared(),
            value,
            highest: value,
            got: (168.0 * coverage) as u32,
            expected: 168,
            busy: value.is_some_and(|v| v >= threshold),
            joint: false,
        };
    let mut signals: Vec<SignalEvidence> = (0..devices.min(2))
        .map(|i| {
            let label = format!("GPU {i} max");
            let value = gpu.map(f64::from);
            let signal = Signal::GpuMax(i as u16);
            evidence(&label, signal, "hourly maximum", "%", 5.0, value, EvidenceRole::Test)
        })
        .collect();
    signals.push(evidence(
        "CPU mean",
        Signal::CpuMean,
        "hourly mean",
        "%",
        15.0,
        Some(1.8),
        EvidenceRole::Counter,
    ));
    signals.push(evidence(
        "network per day",
        Signal::NetworkIn,
        "in plus out",
        "bytes/day",
        1e9,
        Some(2.1e6),
        EvidenceRole::Counter,
    ));
    Some(Verdict {
        kind,
        idle_since: (hours > 0).then(|| Hour::containing(ago(hours * HOUR)).start()),
        idle_since_at_least: false,
        idle_gpus: (kind == VerdictKind::Partial).then_some(5),
        devices,
        coverage,
        gpu_percent: gpu,
        cpu_percent: Some(9.0),
        network_bytes_per_day: (kind != VerdictKind::Unknown).then_some(2.1e6),
        network_out_bytes_per_day: None,
        signals,
        not_checked: ["activity inside the instance store".into()].into(),
        likely: None,
        reason: match kind {
            VerdictKind::Idle => "No GPU passed 5% in any hour of the last 84.",
            VerdictKind::Unknown => "GPU telemetry stopped on day 1: 12% of the hours came.",
            _ => "What the signals say.",
        }
        .into(),
    })
}

fn offers() -> Vec<Offer> {
    let regions = ["us-east-1", "us-west-2", "eu-west-1", "ap-south-1"];
    regions
        .iter()
        .flat_map(|region| {
            TYPES.iter().map(|(name, _, _, _, usd)| Offer {
                region: (*region).into(),
                az: None,
                instance_type: (*name).into(),
                platform: Platform::Linux,
                tenancy: Tenancy::Shared,
                rate: Rate {
                    usd_per_hour: *usd,
                    basis: PriceBasis::OnDemandList,
                    provenance: embedded(),
                },
            })
        })
        .collect()
}

/// Readings of all sources, `age` seconds old; `failing` says what fails in eu-west-1.
pub fn readings(age: i64, failing: Option<(SourceId, ErrorKind)>) -> Vec<Reading> {
    let live = |source, region: &str, taken: i64| Reading {
        source,
        scope: Scope::new(ACCOUNT, region),
        taken_at: Some(ago(taken)),
        coverage: 1.0,
        state: SourceState::Live,
    };
    let mut all = vec![
        live(SourceId::Identity, "-", age + 30),
        live(SourceId::Prices, "-", age + 2 * 24 * HOUR),
    ];
    for region in ["us-east-1", "us-west-2", "eu-west-1", "ap-south-1"] {
        all.push(live(SourceId::Ec2, region, age + 12));
        all.push(live(SourceId::CloudWatch, region, age + 4 * 60));
    }
    if let Some((source, kind)) = failing {
        let hit = all.iter_mut().find(|r| {
            r.source == source && (&*r.scope.region == "eu-west-1" || &*r.scope.region == "-")
        });
        if let Some(reading) = hit {
            reading.state = SourceState::Failed(Arc::new(SourceError::new(
                kind,
                "cloudwatch:GetMetricData",
                "User: arn:aws:iam::123456789012:user/oncall is not authorized to perform this",
                "Allow cloudwatch:GetMetricData to this role; `burntop iam-policy` prints the policy.",
            )));
        }
    }
    all
}

/// `size` instances: the planted ones, then copies under other names and ids.
pub fn fleet_of(size: usize, version: u64, readings: Vec<Reading>) -> Fleet {
    let mut instances = Vec::new();
    let mut verdicts = HashMap::new();
    for number in 0..size {
        let planted = &PLANTED[number % PLANTED.len()];
        let mut instance = instance(number, planted);
        let mut verdict = verdict(planted);
        if number >= PLANTED.len() {
            vary(number, &mut instance, verdict.as_mut());
        }
        if let Some(verdict) = verdict {
            verdicts.insert(instance.id.clone(), Arc::new(verdict));
        }
        instances.push(Arc::new(instance));
    }
    let types = (0..TYPES.len()).map(|i| (TYPES[i].0.into(), Arc::new(spec(i)))).collect();
    let mut prices = PriceBook::default();
    prices.extend(&offers());
    join(JoinInput {
        version,
        now: now(),
        instances: &instances,
        book: &Arc::new(Book { prices, types, ..Book::default() }),
        verdicts: &verdicts,
        tag_keys: &TagKeys::default(),
        readings,
    })
}

/// Other names, teams and figures for each number, so that pages differ as those of a real fleet.
fn vary(number: usize, instance: &mut Instance, verdict: Option<&mut Verdict>) {
    const NAMES: [&str; 7] =
        ["pretrain", "finetune-lora", "eval", "notebook", "serve-embeddings", "etl", "rl-sim"];
    const TEAMS: [&str; 6] = ["nlp", "vision", "research", "platform", "speech", "robotics"];
    // A fixed mixing of the number (Knuth's multiplicative hash), different for each use.
    let pick = |salt: u64, below: u64| -> u64 {
        ((number as u64 + salt).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 33) % below
    };
    let name = format!("{}-{:04x}-{number}", NAMES[pick(1, 7) as usize], pick(2, 65_536));
    let tags = Tags::from_raw([("Name", &*name), ("team", TEAMS[pick(3, 6) as usize])]);
    instance.name = name.into();
    instance.tags = tags;
    if let Some(verdict) = verdict {
        verdict.gpu_percent = verdict.gpu_percent.map(|_| pick(4, 100) as f32);
        verdict.cpu_percent = Some(pick(5, 100) as f32);
        verdict.network_bytes_per_day = Some(10f64.powi(pick(6, 9) as i32 + 3) * 1.7);
        verdict.coverage = 0.9 + pick(7, 11) as f32 / 100.0;
        verdict.idle_since = verdict.idle_since.map(|_| ago(HOUR * (24 + pick(8, 400) as i64)));
    }
}

/// The planted fleet, everything fresh.
pub fn fleet() -> Fleet {
    fleet_of(PLANTED.len(), 1, readings(0, None))
}

/// Seven days of series of a box that went idle 84 hours ago.
pub fn series() -> SeriesSet {
    let range = HourRange::last_closed(now(), 168);
    let make = |busy: f32, quiet: f32| {
        let mut series = HourlySeries::empty(range);
        for (i, hour) in (range.from.0..range.to.0).enumerate() {
            let wave = (i % 24) as f32 / 24.0;
            let value = if i < 84 { busy * (0.5 + wave / 2.0) } else { quiet };
            // A gap and one malformed point, which must not look like zero.
            let value = match i {
                30..34 => f32::NAN,
                40 => crate::domain::MALFORMED,
                _ => value,
            };
            series.set(Hour(hour), value);
        }
        series
    };
    [
        (Signal::GpuMax(0), make(96.0, 0.4)),
        (Signal::GpuMax(1), make(91.0, 0.0)),
        (Signal::CpuMean, make(40.0, 1.8)),
        (Signal::NetworkIn, make(8e9, 9e4)),
    ]
    .into_iter()
    .collect()
}

/// How the tests' cockpits look unless they say otherwise.
pub fn appearance() -> Appearance {
    Appearance {
        theme: ThemeName::Dark,
        depth: ColorDepth::Ansi16,
        symbols: Symbols::Unicode,
        braille: false,
    }
}

/// What a cockpit starts with.
pub fn init(fleet: Option<Fleet>, size: (u16, u16)) -> AppInit {
    AppInit {
        gpus: None,
        storage: None,
        fleet: fleet.map(Arc::new),
        mode: Mode::Live,
        appearance: appearance(),
        keymap: Keymap::default(),
        intervals: Intervals::default(),
        presets: vec![
            ("cautious".into(), "burntop's default".into()),
            ("aws-compute-optimizer".into(), "AWS Compute Optimizer, idle recommendations".into()),
            ("mean-cpu".into(), "the classic script: mean CPU under 5%".into()),
        ],
        preset: "cautious".into(),
        views: Vec::new(),
        accounts: vec![AccountInfo {
            id: ACCOUNT.into(),
            label: "prod-ml".into(),
            production: false,
            profile: None,
        }],
        mouse: false,
        size,
        now: now(),
    }
}

/// A cockpit that has heard from all sources.
pub fn app(size: (u16, u16)) -> App {
    app_with(fleet(), size)
}

/// A cockpit over `fleet` that has heard from all sources.
pub fn app_with(fleet: Fleet, size: (u16, u16)) -> App {
    let mut app = App::new(init(None, size));
    app.update(Msg::Fleet(Arc::new(fleet)));
    app.update(Msg::OwnCost(own_cost()));
    app
}

/// Three cents of a dollar.
pub fn own_cost() -> OwnCost {
    OwnCost {
        micro_usd: 31_200,
        cap_micro_usd: 1_000_000,
        apis: vec![ApiCost {
            name: "GetMetricData".into(),
            calls: 12,
            units: 3120,
            micro_usd: 31_200,
        }],
        shared: true,
        ..OwnCost::default()
    }
}

/// Presses the keys of a script: characters as they are, others by name in angle brackets
/// (`"jj/gpu<lt>5<enter>"`; `<lt>` is `<`). Draws nothing. Returns all effects.
pub fn press(app: &mut App, script: &str) -> Vec<Effect> {
    let mut effects = Vec::new();
    let mut rest = script;
    while let Some(c) = rest.chars().next() {
        let named = (c == '<').then(|| rest[1..].split_once('>')).flatten();
        let key = match named {
            Some(("lt", tail)) => {
                rest = tail;
                Key::new(KeyCode::Char('<'), KeyModifiers::NONE)
            }
            Some((name, tail)) => {
                rest = tail;
                Key::parse(name).unwrap_or_else(|e| panic!("{script}: {e}"))
            }
            None => {
                rest = &rest[c.len_utf8()..];
                Key::new(KeyCode::Char(c), KeyModifiers::NONE)
            }
        };
        effects.extend(app.update(Msg::Key(key.event())));
    }
    effects
}
