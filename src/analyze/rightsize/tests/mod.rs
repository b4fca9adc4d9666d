//! A small fleet whose every figure is set by hand, on the embedded catalogue.

mod constraints;
mod evidence;
mod laws;
mod mig;
mod money;
mod who;

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};

use super::{SizeRules, proposals};
use crate::analyze::idle::{Preset, Subject, judge};
use crate::analyze::savings::{SavingsInput, SavingsRules};
use crate::domain::{
    Activity, BlockDevice, Criterion, EvidenceRole, Figure, GpuIdentity, GpuKey, GpuOwner,
    GpuReason, GpuSample, GpuSignal, GpuSignals, GpuState, GpuVerdict, Holdings, Instance,
    Lifecycle, Mig, Owner, Platform, Rung, SavingsFacts, Scope, SeriesSet, Signal, SignalEvidence,
    TagKeys, Tags, Tenancy, TypeSpec, Verdict, VerdictKind, ZoneOffering, sample,
};
use crate::fleet::savings::{Proposal, SizeFail, SizeNote as Note, SizeVerdict};
use crate::fleet::{Book, Fleet, GpuFleet, GpuNode, GpuRow, JoinInput, PriceBook, join};
use crate::source::catalogue;

fn now() -> Timestamp {
    "2026-11-01T12:00:00Z".parse().unwrap()
}

fn ago(hours: i64) -> Timestamp {
    now() - SignedDuration::from_hours(hours)
}

fn scope() -> Scope {
    Scope::new("111122223333", "us-east-1")
}

/// A box and what was seen of it.
#[derive(Clone, Debug)]
struct Seen {
    id: &'static str,
    instance_type: &'static str,
    tags: Vec<(&'static str, &'static str)>,
    kind: VerdictKind,
    /// GPUs that worked, of those the type has.
    working: u32,
    /// Highest activity of a working GPU, percent.
    gpu_peak: f64,
    /// Highest hourly maximum of CPU, percent.
    cpu_max: Option<f64>,
    /// Highest hourly mean of CPU, percent.
    cpu_mean: Option<f64>,
    /// Bytes of the highest day.
    network: Option<f64>,
    /// GiB in use on each GPU; `None` without telemetry.
    gpu_gib: Option<f64>,
    /// Activity now, 0–1.
    activity: f32,
    /// A process on the first GPU.
    process: Option<&'static str>,
    /// The job on each working GPU; empty where no source names any.
    jobs: &'static [&'static str],
    mig: bool,
    lifecycle: Lifecycle,
    hours: u32,
    /// Judged by the idle engine from these, instead of by what is written above.
    series: Option<(Preset, SeriesSet)>,
}

/// One of four A10G works at its peak, a little CPU, 8 GiB on each GPU: a g5.4xlarge would do.
fn g5() -> Seen {
    Seen {
        id: "i-1",
        instance_type: "g5.12xlarge",
        tags: vec![("team", "vision")],
        kind: VerdictKind::Partial,
        working: 1,
        gpu_peak: 100.0,
        cpu_max: None,
        cpu_mean: Some(5.0),
        network: Some(1e9),
        gpu_gib: Some(8.0),
        activity: 0.9,
        process: None,
        jobs: &[],
        mig: false,
        lifecycle: Lifecycle::OnDemand,
        hours: 168,
        series: None,
    }
}

/// A CPU-only box.
fn cpu(instance_type: &'static str, max: f64) -> Seen {
    Seen {
        instance_type,
        kind: VerdictKind::Underused,
        working: 0,
        cpu_max: Some(max),
        cpu_mean: Some(max),
        gpu_gib: None,
        ..g5()
    }
}

fn signal(signal: Signal, unit: &str, value: f64, hours: u32) -> SignalEvidence {
    SignalEvidence {
        criterion: Criterion {
            label: signal.words().into(),
            signal,
            statistic: "hourly".into(),
            unit: unit.into(),
            threshold: 5.0,
            role: EvidenceRole::Test,
        }
        .shared(),
        value: Some(value),
        highest: Some(value),
        got: hours,
        expected: hours,
        busy: value >= 5.0,
        joint: false,
    }
}

impl Seen {
    fn spec(&self, book: &Book) -> Arc<TypeSpec> {
        book.types[self.instance_type].clone()
    }

    fn instance(&self) -> Instance {
        let tags = Tags::from_raw(self.tags.iter().copied());
        Instance {
            id: self.id.into(),
            scope: scope(),
            instance_type: self.instance_type.into(),
            lifecycle: self.lifecycle,
            launched_at: ago(1000),
            block_devices: vec![BlockDevice {
                device: "/dev/xvda".into(),
                volume_id: "vol-1".into(),
                attached_at: Some(ago(1000)),
                delete_on_termination: true,
            }],
            owners: Owner::from_tags(&tags),
            tags,
            capacity_reservation: tags_value(&self.tags, "cr"),
            ..sample::instance()
        }
    }

    fn verdict(&self, spec: &TypeSpec) -> Verdict {
        if let Some((preset, series)) = &self.series {
            let instance = &self.instance();
            let subject = Subject { instance, spec: Some(spec), series, now: now(), before: None };
            return judge(&subject, &preset.policy());
        }
        let devices = spec.devices();
        let mut signals = Vec::new();
        for gpu in 0..devices {
            let peak = if gpu < self.working { self.gpu_peak } else { 0.0 };
            signals.push(signal(Signal::GpuMax(gpu as u16), "%", peak, self.hours));
        }
        if let Some(mean) = self.cpu_mean {
            signals.push(signal(Signal::CpuMean, "%", mean, self.hours));
        }
        if let Some(max) = self.cpu_max {
            signals.push(signal(Signal::CpuMax, "%", max, self.hours));
        }
        if let Some(bytes) = self.network {
            signals.push(signal(Signal::NetworkIn, "bytes/day", bytes, 2 * self.hours));
        }
        let partial = self.kind == VerdictKind::Partial;
        Verdict {
            idle_since: partial.then(|| ago(i64::from(self.hours))),
            idle_gpus: partial.then(|| devices - self.working),
            devices,
            signals,
            ..sample::verdict(self.kind)
        }
    }
}

/// The fleet and what is known besides.
#[derive(Clone)]
struct World {
    seen: Vec<Seen>,
    book: Book,
    facts: SavingsFacts,
    rules: SizeRules,
}

fn catalogue_book() -> Book {
    let mut prices = PriceBook::default();
    prices.extend(catalogue::offers());
    let types = catalogue::type_specs().iter().map(|s| (s.name.clone(), Arc::new(s.clone())));
    Book { prices, types: types.collect(), holdings: Some(Holdings::default()), ..Book::default() }
}

impl World {
    fn of(seen: impl IntoIterator<Item = Seen>) -> Self {
        Self {
            seen: seen.into_iter().collect(),
            book: catalogue_book(),
            facts: SavingsFacts::default(),
            rules: SizeRules::default(),
        }
    }

    fn change(mut self, name: &str, change: impl FnOnce(&mut TypeSpec)) -> Self {
        let spec = self.book.types.get_mut(name).unwrap();
        change(Arc::make_mut(spec));
        self
    }

    /// Adds a type like `like` under another name at another price.
    fn clone_type(mut self, like: &str, name: &str, usd_per_hour: f64) -> Self {
        let spec = TypeSpec { name: name.into(), ..(*self.book.types[like]).clone() };
        self.book.types.insert(name.into(), Arc::new(spec));
        let mut offer = catalogue::offers()
            .iter()
            .find(|o| &*o.region == "us-east-1" && &*o.instance_type == like)
            .unwrap()
            .clone();
        offer.instance_type = name.into();
        offer.rate.usd_per_hour = usd_per_hour;
        self.book.prices.extend([&offer]);
        self
    }

    fn offers(mut self, types: &[&str]) -> Self {
        let mut types: Vec<Arc<str>> = types.iter().map(|t| Arc::from(*t)).collect();
        types.sort();
        let zone = ZoneOffering { az: "us-east-1a".into(), types };
        self.facts.offerings = BTreeMap::from([(scope(), Arc::new(vec![zone]))]);
        self
    }

    fn fleet(&self) -> Fleet {
        let instances: Vec<Arc<Instance>> =
            self.seen.iter().map(|s| Arc::new(s.instance())).collect();
        let verdicts: HashMap<Arc<str>, Arc<Verdict>> = self
            .seen
            .iter()
            .map(|s| (s.id.into(), Arc::new(s.verdict(&s.spec(&self.book)))))
            .collect();
        let book = Arc::new(self.book.clone());
        join(JoinInput {
            version: 1,
            now: now(),
            instances: &instances,
            book: &book,
            verdicts: &verdicts,
            tag_keys: &TagKeys::default(),
            readings: vec![],
        })
    }

    fn proposals(&self) -> Vec<Arc<Proposal>> {
        let fleet = self.fleet();
        let mut gpus = GpuFleet::default();
        for seen in &self.seen {
            let row = fleet.rows.iter().find(|r| &*r.instance.id == seen.id).unwrap().clone();
            let devices = seen.spec(&self.book).devices();
            let node = Arc::new(GpuNode { name: seen.id.into(), instance: Some(row) });
            for gpu in (0..devices).filter(|_| seen.gpu_gib.is_some()) {
                gpus.rows.push(Arc::new(gpu_row(seen, &node, gpu as u16)));
            }
        }
        let rules = SavingsRules { size: self.rules.clone(), ..SavingsRules::default() };
        proposals(&SavingsInput {
            version: 1,
            now: now(),
            fleet: &fleet,
            gpus: &gpus,
            storage: None,
            facts: &self.facts,
            rules: &rules,
            tag_keys: &TagKeys::default(),
            before: None,
        })
    }

    /// The one proposal.
    fn one(&self) -> Arc<Proposal> {
        let all = self.proposals();
        assert_eq!(all.len(), 1, "{all:?}");
        all[0].clone()
    }

    /// The type proposed; `–` for none.
    fn to(&self) -> String {
        to(&self.one())
    }
}

fn to(proposal: &Proposal) -> String {
    match &proposal.verdict {
        SizeVerdict::Smaller { to, .. } => to.to_string(),
        SizeVerdict::Cannot(why) => format!("– {}", why.word()),
    }
}

/// True when a proposal has a note of this pattern.
macro_rules! noted {
    ($proposal:expr, $note:pat) => {
        $proposal.says.iter().any(|note| matches!(&**note, $note))
    };
}
use noted;

fn gpu_row(seen: &Seen, node: &Arc<GpuNode>, index: u16) -> GpuRow {
    let mut signals = GpuSignals::default();
    let gib = seen.gpu_gib.unwrap_or(0.0);
    signals.set(GpuSignal::MemUsed, gib * 1024.0);
    let processes = seen.process.filter(|_| index == 0).map(|command| {
        Arc::from(vec![crate::domain::GpuProcess {
            pid: 1,
            user: None,
            command: command.into(),
            mem_mib: None,
            sm: None,
        }])
    });
    GpuRow {
        key: GpuKey { device: format!("{}/{index}", seen.id).into(), gpu_instance: None },
        id: format!("{}/{index}", seen.id).into(),
        node: node.clone(),
        model: "".into(),
        sample: GpuSample {
            identity: Arc::new(GpuIdentity {
                index: Some(index),
                mig: seen.mig.then(|| Mig { gpu_instance: 1, profile: "1g.10gb".into() }),
                ..GpuIdentity::default()
            }),
            taken_at: ago(0),
            signals,
            throttle: None,
            owner: Arc::new(GpuOwner {
                job: seen.jobs.get(usize::from(index)).map(|job| Arc::from(*job)),
                ..GpuOwner::default()
            }),
            names_owners: !seen.jobs.is_empty(),
            processes,
            recent: None,
        },
        verdict: Arc::new(GpuVerdict {
            state: if seen.jobs.is_empty() || u32::from(index) < seen.working {
                GpuState::Busy
            } else {
                GpuState::UnallocatedIdle
            },
            activity: Some(Activity {
                effective: seen.activity,
                busiest: seen.activity,
                rung: Rung::A,
                tensor_bound: None,
            }),
            rung: Rung::A,
            idle_since: None,
            idle_since_at_least: false,
            samples: 3,
            witnesses: vec![],
            reason: GpuReason::Nothing,
            advice: None,
            workload: crate::domain::gpu::Workload::Unknown,
        }),
        team: None,
        equivalents: 1.0,
        usd_per_hour: None,
        waste_usd_per_hour: None,
        wasted_usd: None,
        told: vec![],
        disagreement: "".into(),
        trail: crate::fleet::gpu::Trail::default(),
    }
}

fn tags_value(tags: &[(&str, &str)], key: &str) -> Option<Arc<str>> {
    tags.iter().find(|(k, _)| *k == key).map(|(_, v)| Arc::from(*v))
}
