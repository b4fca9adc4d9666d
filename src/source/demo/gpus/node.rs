//! What the exporters of a box of the demo tell, and of whom: fixed per box, so that it is made once
//! and shared by all samples.

use std::sync::Arc;

use jiff::Timestamp;

use super::cards::{self, Card};
use super::cases::{self, Kind};
use crate::domain::intern::shared;
use crate::domain::{
    AcceleratorKind, GpuIdentity, GpuOwner, GpuProcess, HostNames, Hour, Instance, Mig, Rung,
};
use crate::source::demo::hash::{hash, unit};
use crate::source::demo::inventory;
use crate::source::demo::places::TEAMS;
use crate::source::demo::profile::{Agent, Fleet, Profile};
use crate::source::demo::workload::Workload;

/// Metrics that the exporter of a box provides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Evidence {
    /// DCGM with profiling: SM active, tensor, memory.
    Sm,
    /// DCGM with its default fields: graphics engine, tensor, memory.
    Engine,
    /// Utilisation, encoder, decoder, power.
    Util,
    /// Power alone, of partitioned GPUs without profiling.
    Power,
    /// Only utilisation.
    UtilAlone,
    /// Utilisation of `NeuronCores`.
    Neuron,
}

impl Evidence {
    /// Rung of the evidence that it allows.
    pub fn rung(self) -> Rung {
        match self {
            Self::Sm | Self::Neuron => Rung::A,
            Self::Engine => Rung::B,
            Self::Util | Self::UtilAlone => Rung::C,
            Self::Power => Rung::D,
        }
    }
}

/// Who allocates the GPUs of a box.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Scheduler {
    Kubernetes,
    Slurm,
    /// Nobody: people log in.
    None,
}

/// A box with GPU telemetry.
pub(super) struct Node {
    /// Kind of the box.
    pub profile: Profile,
    /// Generation of its instance, part of the id.
    pub generation: i32,
    /// EC2 instance id, such as `i-0abc`.
    pub id: Arc<str>,
    /// `Name` tag; empty without one.
    pub name: Arc<str>,
    /// Driver's data of its GPU model.
    pub card: &'static Card,
    /// Metrics that its exporter provides.
    pub evidence: Evidence,
    /// True when its exporter reports owners.
    pub names_owners: bool,
    /// GPUs and slices, by index.
    pub gpus: Vec<Gpu>,
}

/// A GPU of a box, or a slice of one.
pub(super) struct Gpu {
    /// Index of the GPU on the box.
    pub index: u16,
    /// Id of the slice's GPU instance and its share of the memory, 0–1; `None` for a whole GPU.
    pub slice: Option<(u32, f64)>,
    /// Planted case; `None` for an ordinary GPU.
    pub case: Option<Kind>,
    /// Identity that the exporter reports.
    pub identity: Arc<GpuIdentity>,
    /// Owner while the GPU is held.
    pub owner: Arc<GpuOwner>,
    /// True when it is held while idle.
    pub kept: bool,
    /// Processes while it is held; `None` when the exporter does not report processes.
    pub processes: Option<Arc<[GpuProcess]>>,
}

/// A number in 0..1 that is fixed per box and purpose.
fn draw(profile: &Profile, purpose: u64) -> f64 {
    unit(hash(profile.hash, 0x0069_7075, purpose))
}

/// True when somebody exports the accelerators of a box: where the CloudWatch agent is missing or
/// fails, nobody installed an exporter either.
fn is_told(profile: &Profile) -> bool {
    let kind = profile.spec.accelerator.as_ref().map(|a| a.kind);
    match kind {
        Some(AcceleratorKind::NvidiaGpu) => {
            matches!(profile.agent, Agent::ByInstance | Agent::ByHost)
        }
        Some(AcceleratorKind::Neuron) => profile.trap.is_none(),
        _ => false,
    }
}

/// Telemetry of a box at `now`; `None` for a box without.
pub(super) fn of(fleet: Fleet, profile: Profile, now: Timestamp) -> Option<Node> {
    if !is_told(&profile) {
        return None;
    }
    let accelerator = profile.spec.accelerator.as_ref()?;
    let card = cards::of(accelerator)?;
    let instance = inventory::instance(fleet, &profile, now);
    let generation = profile.life.generation(Hour::containing(now));
    let is_split = profile.trap.is_none()
        && card.mig.is_some()
        && accelerator.devices == 8
        && matches!(profile.workload, Workload::SomeGpus { .. });
    let evidence = evidence(&profile, accelerator.kind, is_split);
    let scheduler = scheduler(&profile);
    let names = names(&profile, &instance, scheduler);
    let make = &Make { profile: &profile, generation, instance: &instance, card, scheduler, names };
    let gpus = (0..accelerator.devices as u16)
        .flat_map(|index| {
            let slices: &[Slice] = if is_split { &SPLIT } else { &[] };
            let whole = slices.is_empty().then(|| make.gpu(index, None));
            whole.into_iter().chain(slices.iter().map(move |s| make.gpu(index, Some(s))))
        })
        .collect::<Vec<_>>();
    Some(Node {
        generation,
        id: instance.id.clone(),
        name: instance.name.clone(),
        card,
        evidence,
        names_owners: scheduler != Scheduler::None,
        gpus,
        profile,
    })
}

/// A planted case has what it needs to be one; of the others, most of the large cards are exported
/// with profiling.
fn evidence(profile: &Profile, kind: AcceleratorKind, is_split: bool) -> Evidence {
    if kind == AcceleratorKind::Neuron {
        return Evidence::Neuron;
    }
    let has =
        |kind| (0..profile.spec.devices() as u16).any(|i| cases::of(profile, i) == Some(kind));
    let u = draw(profile, 1);
    if has(Kind::UtilAlone) {
        return Evidence::UtilAlone;
    }
    if has(Kind::Phantom) || has(Kind::Encoder) {
        return Evidence::Util;
    }
    if has(Kind::Inefficient) || has(Kind::MemoryBound) || has(Kind::OldXid) || has(Kind::Stalled) {
        return Evidence::Sm;
    }
    if is_split {
        return if u < 0.6 { Evidence::Sm } else { Evidence::Power };
    }
    if profile.spec.gpus() < 1.0 {
        // The guest of a shared card has no profiling.
        return Evidence::Util;
    }
    let with_sm = if profile.spec.devices() >= 8 { 0.6 } else { 0.4 };
    match u {
        u if u < with_sm => Evidence::Sm,
        u if u < with_sm + 0.27 => Evidence::Engine,
        _ => Evidence::Util,
    }
}

fn scheduler(profile: &Profile) -> Scheduler {
    match draw(profile, 2) {
        // What has a planted owner, or nobody, has an exporter that tells.
        _ if profile.trap.is_some_and(|t| matches!(t.name, "train-7b-old" | "h200-waiting")) => {
            Scheduler::Kubernetes
        }
        u if u < 0.5 => Scheduler::Kubernetes,
        u if u < 0.75 => Scheduler::Slurm,
        _ => Scheduler::None,
    }
}

/// Not every source knows a host by the same name.
fn names(profile: &Profile, instance: &Instance, scheduler: Scheduler) -> HostNames {
    let address = instance.private_ip.as_ref().map(|ip| format!("{ip}:9400").into());
    match draw(profile, 3) {
        u if u < 0.4 => HostNames { instance_id: Some(instance.id.clone()), node: None, address },
        u if u < 0.8 || scheduler == Scheduler::Kubernetes => {
            HostNames { instance_id: None, node: Some(instance.private_dns.clone()), address }
        }
        _ => HostNames { instance_id: None, node: None, address },
    }
}

/// Id of the GPU instance that does the work of a split GPU.
pub(super) const WORKING_SLICE: u32 = 2;

/// A slice of the split that the demo's partitioned GPUs have.
struct Slice {
    /// Id of the GPU instance, as the driver numbers them.
    gpu_instance: u32,
    /// Which of the profiles of the card.
    profile: usize,
    /// Share of the memory.
    memory: f64,
}

const SPLIT: [Slice; 3] = [
    Slice { gpu_instance: WORKING_SLICE, profile: 0, memory: 0.5 },
    Slice { gpu_instance: 3, profile: 1, memory: 0.25 },
    Slice { gpu_instance: 5, profile: 1, memory: 0.25 },
];

/// What the GPUs of a box have in common.
struct Make<'a> {
    profile: &'a Profile,
    generation: i32,
    instance: &'a Instance,
    card: &'static Card,
    scheduler: Scheduler,
    names: HostNames,
}

impl Make<'_> {
    fn gpu(&self, index: u16, slice: Option<&Slice>) -> Gpu {
        let profile = self.profile;
        let case = match slice {
            Some(_) => Some(Kind::Split),
            None => cases::of(profile, index),
        };
        let number = slice.map(|s| s.gpu_instance);
        let own = u64::from(index) << 8 | u64::from(number.unwrap_or(0));
        let mig = slice.map(|s| Mig {
            gpu_instance: s.gpu_instance,
            profile: shared(self.card.mig.map_or("", |names| names[s.profile])),
        });
        let is_neuron = self.card.clocks.is_none();
        let identity = GpuIdentity {
            uuid: (!is_neuron).then(|| self.uuid(index)),
            mig,
            index: Some(index),
            model: shared(self.card.name),
            pci_bus_id: if is_neuron {
                Arc::default()
            } else {
                shared(&format!("00000000:{:02X}:00.0", 0x10 + index * 0x10 / 2))
            },
            host: self.names.clone(),
        };
        let kept = match case {
            Some(Kind::HeldIdle) => true,
            Some(Kind::Unallocated | Kind::Phantom | Kind::Split | Kind::UtilAlone) => false,
            // Who leaves a box idle mostly leaves all of it: a box has one habit, with exceptions.
            _ => (draw(profile, 4) < 0.45) != (draw(profile, 16 + own) < 0.08),
        };
        Gpu {
            index,
            slice: slice.map(|s| (s.gpu_instance, s.memory)),
            case,
            identity: Arc::new(identity),
            owner: Arc::new(self.owner(index, number)),
            kept,
            processes: self.processes(index),
        }
    }

    /// Of a renewed instance the GPUs are others.
    fn uuid(&self, index: u16) -> Arc<str> {
        let of = u64::from(index) << 32 | u64::from(self.generation.unsigned_abs());
        let (a, b) = (hash(self.profile.hash, 0x7575_6964, of), hash(self.profile.hash, 0x64, of));
        format!(
            "GPU-{:08x}-{:04x}-{:04x}-{:04x}-{:012x}",
            a >> 32,
            a >> 16 & 0xffff,
            a & 0xffff,
            b >> 48,
            b & 0xffff_ffff_ffff
        )
        .into()
    }

    /// The team of the tags, where it is one of the demo's.
    fn team(&self) -> Option<&'static str> {
        let tagged = self.instance.tags.find(&["team"])?;
        TEAMS.iter().find(|t| t.name == &**tagged).map(|t| t.name)
    }

    fn owner(&self, index: u16, slice: Option<u32>) -> GpuOwner {
        let team = self.team().unwrap_or("default");
        let name = &*self.instance.name;
        let is_plain = name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-');
        let work = if is_plain { name } else { "job" };
        match self.scheduler {
            Scheduler::Kubernetes => {
                let slice = slice.map(|s| format!("-gi{s}")).unwrap_or_default();
                GpuOwner {
                    namespace: Some(shared(team)),
                    pod: Some(format!("{work}-{index}{slice}").into()),
                    container: Some(shared("main")),
                    ..GpuOwner::default()
                }
            }
            Scheduler::Slurm => GpuOwner {
                job: Some((10_000 + self.profile.hash % 80_000).to_string().into()),
                user: Some(shared(&format!("{team}-{}", 1 + self.profile.hash % 4))),
                ..GpuOwner::default()
            },
            Scheduler::None => GpuOwner::default(),
        }
    }

    /// Half of the boxes without a scheduler have an exporter that lists processes.
    fn processes(&self, index: u16) -> Option<Arc<[GpuProcess]>> {
        let tells = self.scheduler == Scheduler::None && draw(self.profile, 5) < 0.5;
        let one = GpuProcess {
            pid: 2_000 + (self.profile.hash % 30_000) as u32 + u32::from(index),
            user: Some(shared("ubuntu")),
            command: shared(match self.profile.workload {
                Workload::Serving { .. } | Workload::Trickle => "python -m vllm.entrypoints",
                Workload::Notebook => "python -m ipykernel_launcher",
                _ => "python train.py",
            }),
            mem_mib: None,
            sm: None,
        };
        tells.then(|| Arc::from([one]))
    }
}
