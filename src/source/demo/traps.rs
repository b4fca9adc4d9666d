//! The planted cases: one of each kind that fools a naive script. `docs/demo.md` lists them, and
//! tests hold both the page and the verdicts against this table.

use super::life::{DAY, Life};
use super::places::{ACCOUNTS, REGIONS};
use super::profile::{Agent, Profile};
use super::workload::Workload;
use crate::domain::{AcceleratorKind, Lifecycle, VerdictKind};
use crate::source::catalogue;

/// A planted case.
#[derive(Debug)]
pub struct Trap {
    /// The `Name` tag as burntop shows it (cleaned).
    pub name: &'static str,
    /// What is planted.
    pub what: &'static str,
    /// The verdict of the cautious preset; `None` where there is nothing to judge.
    pub verdict: Option<VerdictKind>,
    /// GPUs that the verdict calls idle; `None` where it says nothing of single GPUs.
    pub idle_gpus: Option<u32>,
    /// What burntop says, in short.
    pub says: &'static str,
    plan: Plan,
}

/// How a trap is built.
#[derive(Debug)]
struct Plan {
    place: (usize, usize),
    instance_type: &'static str,
    workload: Workload,
    agent: Agent,
    life: Life,
    lifecycle: Lifecycle,
    stopped: bool,
    /// Raw tags, as the API would send them.
    tags: &'static [(&'static str, &'static str)],
}

impl Plan {
    const fn new(
        place: (usize, usize),
        instance_type: &'static str,
        workload: Workload,
        tags: &'static [(&'static str, &'static str)],
    ) -> Self {
        Self {
            place,
            instance_type,
            workload,
            agent: Agent::ByInstance,
            life: Life::old(instance_type.len() as i32 * 100),
            lifecycle: Lifecycle::OnDemand,
            stopped: false,
            tags,
        }
    }

    const fn agent(mut self, agent: Agent) -> Self {
        self.agent = agent;
        self
    }

    const fn life(mut self, life: Life) -> Self {
        self.life = life;
        self
    }

    const fn bought(mut self, lifecycle: Lifecycle) -> Self {
        self.lifecycle = lifecycle;
        self
    }

    const fn stopped(mut self) -> Self {
        self.stopped = true;
        self
    }
}

impl Trap {
    /// The raw tags, without `Name` where the shown name is the raw one.
    pub(super) fn tags(&self) -> &'static [(&'static str, &'static str)] {
        self.plan.tags
    }

    /// The trap as the box at `index`; `None` if its type or place did not exist.
    pub(super) fn profile(&'static self, index: u32, hash: u64) -> Option<Profile> {
        let spec = catalogue::type_spec(self.plan.instance_type)?;
        let nvidia =
            spec.accelerator.as_ref().is_some_and(|a| a.kind == AcceleratorKind::NvidiaGpu);
        Some(Profile {
            index,
            hash,
            account: ACCOUNTS.get(self.plan.place.0)?,
            region: REGIONS.get(self.plan.place.1)?,
            spec,
            workload: self.plan.workload,
            agent: if nvidia { self.plan.agent } else { Agent::Absent },
            life: self.plan.life,
            lifecycle: self.plan.lifecycle,
            stopped: self.plan.stopped,
            trap: Some(self),
        })
    }
}

/// The planted cases, in the order of their numbers in the fleet: a demo of fewer instances has
/// the first of them.
pub fn traps() -> &'static [Trap] {
    &TRAPS
}

const QUIET: Workload = Workload::Nothing { mb_per_day: 2.0 };
const CHATTY: Workload = Workload::Nothing { mb_per_day: 41.0 };

const IDLE: Option<VerdictKind> = Some(VerdictKind::Idle);
const BUSY: Option<VerdictKind> = Some(VerdictKind::Busy);
const UNKNOWN: Option<VerdictKind> = Some(VerdictKind::Unknown);

static TRAPS: [Trap; 25] = [
    Trap {
        name: "train-7b-old",
        what: "p4d.24xlarge whose training ended weeks ago",
        verdict: IDLE,
        idle_gpus: Some(8),
        says: "idle, 8 of 8 GPUs; the whole price is waste",
        plan: Plan::new(
            (0, 0),
            "p4d.24xlarge",
            QUIET,
            &[
                ("team", "nlp"),
                ("project", "llm-7b"),
                ("environment", "research"),
                ("cost-center", "cc-1001"),
            ],
        ),
    },
    Trap {
        name: "eval-sweep",
        what: "p5.48xlarge with 3 of 8 GPUs at work",
        verdict: Some(VerdictKind::Partial),
        idle_gpus: Some(5),
        says: "5/8 idle; five eighths of the price are waste",
        plan: Plan::new(
            (1, 1),
            "p5.48xlarge",
            Workload::SomeGpus { busy: 3 },
            &[("Team", "vision"), ("Project", "detect"), ("Environment", "research")],
        )
        .agent(Agent::ByHost),
    },
    Trap {
        name: "pretrain-70b",
        what: "p5.48xlarge at 2 % CPU and 95 % GPU",
        verdict: BUSY,
        idle_gpus: None,
        says: "busy: a GPU at work outweighs a quiet CPU",
        plan: Plan::new(
            (0, 0),
            "p5.48xlarge",
            Workload::ColdCpu,
            &[
                ("team", "nlp"),
                ("project", "llm-70b"),
                ("environment", "prod"),
                ("cost-center", "cc-1001"),
            ],
        ),
    },
    Trap {
        name: "etl-one-core",
        what: "CPU-only m7i.24xlarge, one of 96 vCPUs busy (1.04 %)",
        verdict: Some(VerdictKind::Underused),
        idle_gpus: None,
        says: "not idle: one busy core is work, whatever the percentage; underused",
        plan: Plan::new(
            (2, 0),
            "m7i.24xlarge",
            Workload::OneCore,
            &[("team", "data"), ("app", "lake"), ("env", "prod")],
        ),
    },
    Trap {
        name: "fresh-launch",
        what: "g6e.12xlarge launched hours ago, nothing on it yet",
        verdict: Some(VerdictKind::TooNew),
        idle_gpus: None,
        says: "too new to judge",
        plan: Plan::new((1, 0), "g6e.12xlarge", QUIET, &[("Team", "vision"), ("Project", "ocr")])
            .life(Life { period: 12, min_age: 2, offset: 5, gap: 0, renewed: true }),
    },
    Trap {
        name: "agent-died-day-1",
        what: "g5.48xlarge whose CloudWatch agent died on its first day",
        verdict: UNKNOWN,
        idle_gpus: None,
        says: "unknown: GPU series exist, none has a point in the window",
        plan: Plan::new((0, 2), "g5.48xlarge", CHATTY, &[("team", "speech"), ("project", "asr")])
            .agent(Agent::Died { after: 20 })
            .life(Life { period: 4 * DAY, min_age: 8 * DAY, offset: 31, gap: 0, renewed: true }),
    },
    Trap {
        name: "baseline-protected",
        what: "idle p4de.24xlarge with termination protection",
        verdict: IDLE,
        idle_gpus: Some(8),
        says: "idle: protection changes what may be done, not what is true; it is checked before any action",
        plan: Plan::new(
            (0, 1),
            "p4de.24xlarge",
            CHATTY,
            &[
                ("team", "recsys"),
                ("project", "ranker"),
                ("environment", "prod"),
                ("cost-center", "cc-2001"),
            ],
        ),
    },
    Trap {
        name: "standby-dr",
        what: "idle p4d.24xlarge tagged `burntop:exempt=true`",
        verdict: Some(VerdictKind::Exempt),
        idle_gpus: None,
        says: "exempt: judged no further",
        plan: Plan::new(
            (0, 2),
            "p4d.24xlarge",
            QUIET,
            &[("burntop:exempt", "true"), ("team", "platform"), ("environment", "prod")],
        ),
    },
    Trap {
        name: "standby-expired",
        what: "idle g5.12xlarge with `burntop:exempt=2024-06-30`, a date in the past",
        verdict: IDLE,
        idle_gpus: Some(4),
        says: "idle: the exemption has expired",
        plan: Plan::new(
            (1, 2),
            "g5.12xlarge",
            CHATTY,
            &[("burntop:exempt", "2024-06-30"), ("Team", "speech"), ("Environment", "dev")],
        ),
    },
    Trap {
        name: "serve-spare",
        what: "idle g6.12xlarge in an Auto Scaling group",
        verdict: IDLE,
        idle_gpus: Some(4),
        says: "idle, owner asg:serve-llm; stopping it would only make the group replace it",
        plan: Plan::new(
            (0, 0),
            "g6.12xlarge",
            CHATTY,
            &[
                ("aws:autoscaling:groupName", "serve-llm"),
                ("team", "nlp"),
                ("project", "llm-7b"),
                ("environment", "prod"),
                ("cost-center", "cc-1001"),
            ],
        ),
    },
    Trap {
        name: "spot-leftover",
        what: "idle g5.12xlarge bought as Spot",
        verdict: IDLE,
        idle_gpus: Some(4),
        says: "idle, priced at the spot price of its zone",
        plan: Plan::new((1, 0), "g5.12xlarge", QUIET, &[("Team", "robotics"), ("Project", "sim")])
            .bought(Lifecycle::Spot),
    },
    Trap {
        name: "sp-covered",
        what: "idle g5.48xlarge covered by a Compute Savings Plan",
        verdict: IDLE,
        idle_gpus: Some(8),
        says: "idle; the saving shown is gross, at list price: net of the commitment is not known",
        plan: Plan::new(
            (0, 3),
            "g5.48xlarge",
            CHATTY,
            &[
                ("commitment", "compute-savings-plan"),
                ("team", "recsys"),
                ("project", "feeds"),
                ("environment", "prod"),
            ],
        ),
    },
    Trap {
        name: "eval-\u{FFFD}[31mnightly",
        what: "idle g6e.12xlarge with ESC, U+009B and U+202E in its tags",
        verdict: IDLE,
        idle_gpus: Some(4),
        says: "idle; each control character is shown as \u{FFFD}, none reaches the terminal",
        plan: Plan::new(
            (1, 3),
            "g6e.12xlarge",
            QUIET,
            &[
                ("Name", "eval-\u{1b}[31mnightly"),
                ("Team", "vision\u{9b}2J"),
                ("Project", "seg\u{202e}tnem"),
            ],
        ),
    },
    Trap {
        name: "weekly-report",
        what: "CPU-only c6i.8xlarge with one busy hour a week",
        verdict: BUSY,
        idle_gpus: None,
        says: "busy: no quiet stretch lasts seven days; the `mean-cpu` preset calls it idle",
        plan: Plan::new(
            (2, 2),
            "c6i.8xlarge",
            Workload::WeeklySpike,
            &[("team", "data"), ("app", "events"), ("env", "prod")],
        ),
    },
    Trap {
        name: "notebook-17",
        what: "g5.48xlarge without any agent",
        verdict: UNKNOWN,
        idle_gpus: None,
        says: "unknown: no GPU telemetry is no evidence of idleness",
        plan: Plan::new((1, 0), "g5.48xlarge", CHATTY, &[]).agent(Agent::Absent),
    },
    Trap {
        name: "trn-finetune",
        what: "trn1.32xlarge (Trainium), quiet CPU",
        verdict: UNKNOWN,
        idle_gpus: None,
        says: "unknown: no source reads Neuron devices",
        plan: Plan::new((1, 1), "trn1.32xlarge", CHATTY, &[("Team", "nlp"), ("Project", "llm-7b")]),
    },
    Trap {
        name: "h200-waiting",
        what: "idle p5e.48xlarge, a type without a list price",
        verdict: IDLE,
        idle_gpus: Some(8),
        says: "idle, price and waste `–`; the totals count it as left out",
        plan: Plan::new(
            (0, 1),
            "p5e.48xlarge",
            QUIET,
            &[("team", "robotics"), ("project", "policy"), ("environment", "staging")],
        ),
    },
    Trap {
        name: "broken-exporter",
        what: "g5.12xlarge whose exporter sends NaN, −1 and ∞",
        verdict: BUSY,
        idle_gpus: None,
        says: "busy: malformed evidence means in use",
        plan: Plan::new(
            (2, 0),
            "g5.12xlarge",
            Workload::Garbled,
            &[("team", "platform"), ("app", "metrics"), ("env", "prod")],
        ),
    },
    Trap {
        name: "tiny-batches",
        what: "g6e.12xlarge serving at 12 % of its GPUs",
        verdict: Some(VerdictKind::Underused),
        idle_gpus: None,
        says: "underused: in use, far below its size",
        plan: Plan::new(
            (0, 3),
            "g6e.12xlarge",
            Workload::Trickle,
            &[
                ("team", "speech"),
                ("project", "tts"),
                ("environment", "prod"),
                ("cost-center", "cc-1003"),
            ],
        ),
    },
    Trap {
        name: "agent-patchy",
        what: "g6.12xlarge whose agent loses two hours out of five",
        verdict: UNKNOWN,
        idle_gpus: None,
        says: "unknown: 60 % coverage is not enough to say idle",
        plan: Plan::new((1, 2), "g6.12xlarge", QUIET, &[("Team", "vision")]).agent(Agent::Patchy),
    },
    Trap {
        name: "restarted-scratch",
        what: "g5.24xlarge stopped and started days ago, its disk months old, idle since",
        verdict: IDLE,
        idle_gpus: Some(4),
        says: "idle since the start: a fresh launch time is not a young machine",
        plan: Plan::new(
            (1, 1),
            "g5.24xlarge",
            CHATTY,
            &[("Team", "robotics"), ("Project", "slam")],
        )
        .life(Life {
            period: 3 * DAY,
            min_age: 2 * DAY,
            offset: 17,
            gap: 6,
            renewed: true,
        }),
    },
    Trap {
        name: "parked-v100",
        what: "stopped p3.16xlarge",
        verdict: None,
        idle_gpus: None,
        says: "stopped: nothing to judge, compute costs $0",
        plan: Plan::new((2, 1), "p3.16xlarge", QUIET, &[("team", "data"), ("app", "features")])
            .stopped(),
    },
    Trap {
        name: "block-reserved",
        what: "busy p5.48xlarge in a prepaid Capacity Block",
        verdict: BUSY,
        idle_gpus: None,
        says: "busy, price `–`: the hour is not what is paid for",
        plan: Plan::new(
            (0, 0),
            "p5.48xlarge",
            Workload::ColdCpu,
            &[("team", "nlp"), ("project", "llm-70b"), ("environment", "prod")],
        )
        .bought(Lifecycle::CapacityBlock),
    },
    Trap {
        name: "render-amd",
        what: "g4ad.16xlarge (AMD GPUs), quiet CPU",
        verdict: UNKNOWN,
        idle_gpus: None,
        says: "unknown: NVIDIA's tools do not see these GPUs",
        plan: Plan::new((2, 0), "g4ad.16xlarge", CHATTY, &[("team", "platform")]),
    },
    Trap {
        name: "slice-dev",
        what: "idle g6f.xlarge, an eighth of an L4",
        verdict: IDLE,
        idle_gpus: Some(1),
        says: "idle; one device, counted as 0.125 GPUs",
        plan: Plan::new((2, 3), "g6f.xlarge", QUIET, &[("team", "platform"), ("app", "ci")])
            .agent(Agent::ByHost),
    },
];
