//! What kind of box stands at each number of the demo's fleet.
//!
//! Nothing is stored: a profile is computed from (seed, number) whenever it is asked for. Types
//! follow a low-discrepancy sequence instead of independent draws, so that the mix is right at
//! every size and for every seed.

use super::hash::{hash, mix, pick, unit};
use super::life::{DAY, Life};
use super::places::{ACCOUNTS, Account, REGIONS, Region};
use super::traps::{self, Trap};
use super::workload::Workload;
use crate::domain::{AcceleratorKind, Lifecycle, TypeSpec};
use crate::source::catalogue;

/// CloudWatch agent of a box.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Agent {
    /// There is no agent.
    Absent,
    /// Reports under the instance id.
    ByInstance,
    /// Reports under the host name.
    ByHost,
    /// Reported for this many hours after the launch.
    Died { after: i32 },
    /// Loses two hours out of five.
    Patchy,
}

/// Kind and behaviour of one box.
#[derive(Clone, Copy)]
pub(super) struct Profile {
    /// Number of the box in the fleet.
    pub index: u32,
    /// Seed of its random choices.
    pub hash: u64,
    /// Account that owns it.
    pub account: &'static Account,
    /// Region it runs in.
    pub region: &'static Region,
    /// Instance type.
    pub spec: &'static TypeSpec,
    /// Work that it does.
    pub workload: Workload,
    /// CloudWatch agent; [`Agent::Absent`] on a box without NVIDIA GPU.
    pub agent: Agent,
    /// Schedule of its launches.
    pub life: Life,
    /// Purchase option.
    pub lifecycle: Lifecycle,
    /// True when it is stopped at the start of the demo.
    pub stopped: bool,
    /// Planted case; `None` for an ordinary box.
    pub trap: Option<&'static Trap>,
}

/// A fleet whose boxes are computed from their numbers.
#[derive(Clone, Copy, Debug)]
pub(super) struct Fleet {
    key: u64,
    size: u32,
    deck: &'static [(&'static str, u32)],
}

type Deck<T> = &'static [(T, u32)];

/// Up to this size the fleet is a GPU shop; above it is an estate of mostly small boxes.
const SHOWCASE_MAX: u32 = 1_000;

/// About 3.7 GPUs per instance.
const SHOWCASE: Deck<&str> = &[
    ("p5.48xlarge", 8),
    ("p4d.24xlarge", 8),
    ("p4de.24xlarge", 3),
    ("p5en.48xlarge", 3),
    ("p6-b200.48xlarge", 2),
    ("p6-b300.48xlarge", 1),
    ("g6e.48xlarge", 4),
    ("g5.48xlarge", 6),
    ("g5.12xlarge", 6),
    ("g6.12xlarge", 5),
    ("g6e.12xlarge", 5),
    ("g4dn.12xlarge", 3),
    ("g7e.12xlarge", 2),
    ("g5.2xlarge", 6),
    ("g6.xlarge", 4),
    ("g6e.xlarge", 4),
    ("g4dn.xlarge", 4),
    ("p5.4xlarge", 2),
    ("g6f.xlarge", 2),
    ("g7.2xlarge", 1),
    ("trn1.32xlarge", 1),
    ("inf2.xlarge", 1),
    ("m7i.4xlarge", 5),
    ("c7i.8xlarge", 4),
    ("r6i.4xlarge", 3),
    ("m6i.2xlarge", 4),
    ("c6i.24xlarge", 2),
    ("m5.xlarge", 3),
];

/// About 0.8 GPUs per instance: 8,000 devices among 10,000 instances.
const ESTATE: Deck<&str> = &[
    ("p5.48xlarge", 8),
    ("p4d.24xlarge", 10),
    ("g5.48xlarge", 6),
    ("g6e.48xlarge", 6),
    ("g5.12xlarge", 18),
    ("g6.12xlarge", 14),
    ("g6e.12xlarge", 12),
    ("g4dn.xlarge", 90),
    ("g5.xlarge", 90),
    ("g6.xlarge", 90),
    ("g6e.xlarge", 60),
    ("g6f.xlarge", 20),
    ("m5.large", 90),
    ("m5.xlarge", 90),
    ("m6i.2xlarge", 90),
    ("m7i.4xlarge", 60),
    ("c5.xlarge", 80),
    ("c6i.2xlarge", 60),
    ("c7i.8xlarge", 30),
    ("r5.2xlarge", 40),
    ("r6i.4xlarge", 26),
    ("r7i.24xlarge", 10),
];

const RUNS: Workload = Workload::Runs { slot: 61, gap: (1, 16) };
const LONG_RUNS: Workload = Workload::Runs { slot: 211, gap: (2, 20) };
const LULLS: Workload = Workload::Runs { slot: 263, gap: (110, 210) };
const IDLE: Workload = Workload::Nothing { mb_per_day: 18.0 };

/// What boxes with several GPUs do.
const NODES: Deck<Workload> = &[
    (RUNS, 24),
    (LONG_RUNS, 26),
    (Workload::Serving { peak: 62.0 }, 16),
    (Workload::SomeGpus { busy: 3 }, 3),
    (Workload::SomeGpus { busy: 1 }, 2),
    (Workload::ColdCpu, 6),
    (Workload::Trickle, 4),
    (LULLS, 16),
    (IDLE, 3),
];

/// What boxes with one GPU do.
const SINGLES: Deck<Workload> = &[
    (Workload::Serving { peak: 55.0 }, 42),
    (RUNS, 18),
    (Workload::Notebook, 12),
    (Workload::Trickle, 6),
    (LULLS, 12),
    (IDLE, 12),
];

/// What CPU boxes do.
const CPUS: Deck<Workload> = &[
    (Workload::Service, 34),
    (Workload::Steady, 12),
    (Workload::Nightly, 10),
    (Workload::LightCpu, 10),
    (Workload::WeeklySpike, 2),
    (Workload::OneCore, 3),
    (IDLE, 46),
];

impl Fleet {
    /// A fleet of `size` instances from `seed`.
    pub fn new(seed: u64, size: u32) -> Self {
        // The shape is part of the key: the same number means another box there, and two boxes
        // must never share an id in one cache.
        let (shape, deck) = if size <= SHOWCASE_MAX { (1, SHOWCASE) } else { (2, ESTATE) };
        Self { key: hash(mix(seed), 0xb075, shape), size, deck }
    }

    /// Number of instances.
    pub fn size(self) -> u32 {
        self.size
    }

    /// Key of the fleet, from which the instance ids are derived.
    pub fn key(self) -> u64 {
        self.key
    }

    /// The box at `index`; `None` past the end.
    pub fn profile(self, index: u32) -> Option<Profile> {
        if index >= self.size {
            return None;
        }
        let own = hash(self.key, 1, u64::from(index));
        match traps::traps().get(index as usize) {
            Some(trap) => trap.profile(index, own),
            None => self.ordinary(index, own),
        }
    }

    fn ordinary(self, index: u32, own: u64) -> Option<Profile> {
        let draw = |purpose| unit(hash(own, 2, purpose));
        // The fractional parts of i × φ fill 0..1 evenly (Weyl); the key shifts them.
        let even = u64::from(index).wrapping_mul(0x9e37_79b9_7f4a_7c15).wrapping_add(self.key);
        let spec = catalogue::type_spec(pick(self.deck, unit(even))?)?;
        let (kind, devices) = (spec.accelerator.as_ref().map(|a| a.kind), spec.devices());
        let works = match devices {
            0 => CPUS,
            1 => SINGLES,
            _ => NODES,
        };
        // The first numbers after the traps go round, so that no scope is ever empty.
        let round = (index as usize).checked_sub(traps::traps().len()).filter(|n| *n < 12);
        let account = pick(&[(0, 40), (1, 35), (2, 25)], draw(1)).copied()?;
        let region = pick(&[(0, 40), (1, 25), (2, 20), (3, 15)], draw(2)).copied()?;
        let (account, region) = round.map_or((account, region), |n| (n % 3, n / 3));
        let agent = match (kind, draw(3)) {
            (Some(AcceleratorKind::NvidiaGpu), u) if u < 0.70 => Agent::ByInstance,
            (Some(AcceleratorKind::NvidiaGpu), u) if u < 0.95 => Agent::ByHost,
            _ => Agent::Absent,
        };
        let renewed = draw(4) < 0.06;
        let days = if renewed { 2.0 + 9.0 * draw(5) } else { 40.0 + 220.0 * draw(5) };
        let period = (days * f64::from(DAY)) as i32;
        let life = Life {
            period,
            min_age: i32::from(renewed),
            offset: (own % period as u64) as i32,
            gap: if renewed { 0 } else { 3 },
            renewed,
        };
        let lifecycle = match draw(6) {
            u if u < if renewed { 0.6 } else { 0.08 } => Lifecycle::Spot,
            u if u > 0.97 && devices >= 8 => Lifecycle::CapacityBlock,
            _ => Lifecycle::OnDemand,
        };
        Some(Profile {
            index,
            hash: own,
            account: ACCOUNTS.get(account)?,
            region: REGIONS.get(region)?,
            spec,
            workload: pick(works, draw(7)).copied()?,
            agent,
            life,
            lifecycle,
            stopped: !renewed && draw(8) < 0.04,
            trap: None,
        })
    }
}
