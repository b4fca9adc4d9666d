//! The planted cases: one of each kind that fools a naive script. `docs/demo.md` lists them, and
//! tests hold both the page and the verdicts against this table.

use super::life::{DAY, Life};
use super::places::{ACCOUNTS, REGIONS};
use super::profile::{Agent, Profile};
use super::workload::Workload;
use crate::domain::{AcceleratorKind, Lifecycle, VerdictKind};
use crate::source::catalogue;

/// A planted instance that misleads a simple tool, with the expected verdict.
#[derive(Debug)]
pub struct Trap {
    /// `Name` tag as burntop shows it (cleaned).
    pub name: &'static str,
    /// What is planted.
    #[cfg_attr(
        not(test),
        expect(dead_code, reason = "what tests and docs/demo.md hold the demo against")
    )]
    /// Description of the case, as in `docs/demo.md`.
    pub what: &'static str,
    /// The verdict of the cautious preset; `None` where there is nothing to judge.
    #[cfg_attr(
        not(test),
        expect(dead_code, reason = "what tests and docs/demo.md hold the demo against")
    )]
    /// Expected verdict with the cautious preset; `None` where there is nothing to judge.
    pub verdict: Option<VerdictKind>,
    /// GPUs that the verdict calls idle; `None` where it says nothing of single GPUs.
    #[cfg_attr(
        not(test),
        expect(dead_code, reason = "what tests and docs/demo.md hold the demo against")
    )]
    /// Expected number of idle GPUs; `None` where the verdict does not count single GPUs.
    pub idle_gpus: Option<u32>,
    /// What burntop says, in short.
    #[cfg_attr(
        not(test),
        expect(dead_code, reason = "what tests and docs/demo.md hold the demo against")
    )]
    /// Expected reason, in short.
    pub says: &'static str,
    /// What the preflight of an action says; a dash where the verdict alone forbids it.
    #[cfg_attr(
        not(test),
        expect(dead_code, reason = "what tests and docs/demo.md hold the demo against")
    )]
    /// Expected result of an action's preflight; a dash where the verdict alone forbids it.
    pub acting: &'static str,
    plan: Plan,
}

/// Facts of a trap beyond its inventory.
#[derive(Clone, Copy, Debug)]
pub(super) struct Facts {
    /// True with termination protection.
    pub termination_protection: bool,
    /// True with stop protection.
    pub stop_protection: bool,
    /// True when it runs in an on-demand capacity reservation.
    pub reserved: bool,
    /// True with a data volume that outlives it; `None` leaves it to the hash.
    pub data_volume: Option<bool>,
    /// Target group that it serves in, and the number of other healthy targets; `None` without one.
    pub target_group: Option<(&'static str, u32)>,
    /// Activity in the last minutes.
    pub lately: Lately,
}

/// Activity of a trap in the last minutes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Lately {
    /// As in the hours before.
    AsEver,
    /// It started to work some minutes ago, at every time of looking: no closed hour shows it yet.
    WokeUp,
    /// Its agent sends nothing, at every time of looking.
    AgentSilent,
}

const PLAIN: Facts = Facts {
    termination_protection: false,
    stop_protection: false,
    reserved: false,
    data_volume: None,
    target_group: None,
    lately: Lately::AsEver,
};

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
    facts: Facts,
    /// Raw tags, as the API would send them; `{n}` in a value is midnight `n` days from
    /// today.
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
            facts: PLAIN,
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

    const fn facts(mut self, facts: Facts) -> Self {
        self.facts = facts;
        self
    }

    const fn stopped(mut self) -> Self {
        self.stopped = true;
        self
    }
}

impl Trap {
    /// Raw tags, without `Name` when the name needs no cleaning.
    pub(super) fn tags(&self) -> &'static [(&'static str, &'static str)] {
        self.plan.tags
    }

    /// Facts beyond the inventory.
    pub(super) fn facts(&self) -> &Facts {
        &self.plan.facts
    }

    /// The trap as box `index`; `None` when its instance type or place does not exist.
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

/// All planted cases, in the order of their numbers in the fleet: a smaller demo has the first ones.
pub fn traps() -> &'static [Trap] {
    &TRAPS
}

const QUIET: Workload = Workload::Nothing { mb_per_day: 2.0 };
const CHATTY: Workload = Workload::Nothing { mb_per_day: 41.0 };

/// Who marked what is marked.
const BY: &str = "arn:aws:sts::444455556666:assumed-role/burntop-demo/on-call";

/// What is not idle is neither stopped nor terminated.
const NOT_IDLE: &str = "–";
const MARK_ONLY: &str = "can be marked, no more";

const IDLE: Option<VerdictKind> = Some(VerdictKind::Idle);
const BUSY: Option<VerdictKind> = Some(VerdictKind::Busy);
const UNKNOWN: Option<VerdictKind> = Some(VerdictKind::Unknown);

static TRAPS: [Trap; 34] = [
    Trap {
        name: "train-7b-old",
        what: "p4d.24xlarge whose training ended weeks ago",
        verdict: IDLE,
        idle_gpus: Some(8),
        says: "idle, 8 of 8 GPUs; the whole price is waste",
        acting: "8,000 GB of instance store are erased (typed `stop 1`), P4d may not be had again; a data volume outlives a termination",
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
        )
        .facts(Facts { data_volume: Some(true), ..PLAIN }),
    },
    Trap {
        name: "eval-sweep",
        what: "p5.48xlarge with 3 of 8 GPUs at work",
        verdict: Some(VerdictKind::Partial),
        idle_gpus: Some(5),
        says: "5/8 idle; five eighths of the price are waste",
        acting: MARK_ONLY,
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
        what: "p5.48xlarge at 2% CPU and 95% GPU",
        verdict: BUSY,
        idle_gpus: None,
        says: "busy: a GPU at work outweighs a quiet CPU",
        acting: NOT_IDLE,
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
        what: "CPU-only m7i.24xlarge, one of 96 vCPUs busy (1.04%)",
        verdict: Some(VerdictKind::Underused),
        idle_gpus: None,
        says: "not idle: one busy core is work, whatever the percentage; underused",
        acting: MARK_ONLY,
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
        acting: NOT_IDLE,
        plan: Plan::new((1, 0), "g6e.12xlarge", QUIET, &[("Team", "vision"), ("Project", "ocr")])
            .life(Life { period: 12, min_age: 2, offset: 5, gap: 0, renewed: true }),
    },
    Trap {
        name: "agent-died-day-1",
        what: "g5.48xlarge whose CloudWatch agent died on its first day",
        verdict: UNKNOWN,
        idle_gpus: None,
        says: "unknown: GPU series exist, none has a point in the window",
        acting: NOT_IDLE,
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
        acting: "stops, with 8,000 GB of instance store erased; termination blocked: burntop switches no protection off",
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
        )
        .facts(Facts { termination_protection: true, ..PLAIN }),
    },
    Trap {
        name: "standby-dr",
        what: "idle p4d.24xlarge tagged `burntop:exempt=true`",
        verdict: Some(VerdictKind::Exempt),
        idle_gpus: None,
        says: "exempt: judged no further",
        acting: NOT_IDLE,
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
        acting: "3,800 GB of instance store are erased",
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
        acting: "stop blocked; termination only with `--decrement`, and with a justification: it is production",
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
        acting: "stop blocked: a one-time Spot instance cannot be stopped; it can be terminated",
        plan: Plan::new((1, 0), "g5.12xlarge", QUIET, &[("Team", "robotics"), ("Project", "sim")])
            .bought(Lifecycle::Spot),
    },
    Trap {
        name: "sp-covered",
        what: "idle g5.48xlarge covered by a Compute Savings Plan",
        verdict: IDLE,
        idle_gpus: Some(8),
        says: "idle; gross at list price, net 76.4% of it: the plan goes on and pays for others",
        acting: "7,600 GB of instance store are erased; production, so a justification is needed",
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
        acting: "3,800 GB of instance store are erased",
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
        acting: NOT_IDLE,
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
        acting: NOT_IDLE,
        plan: Plan::new((1, 0), "g5.48xlarge", CHATTY, &[]).agent(Agent::Absent),
    },
    Trap {
        name: "trn-finetune",
        what: "trn1.32xlarge (Trainium), quiet CPU",
        verdict: UNKNOWN,
        idle_gpus: None,
        says: "unknown: no source reads Neuron devices",
        acting: NOT_IDLE,
        plan: Plan::new((1, 1), "trn1.32xlarge", CHATTY, &[("Team", "nlp"), ("Project", "llm-7b")]),
    },
    Trap {
        name: "h200-waiting",
        what: "idle p5e.48xlarge, a type without a list price",
        verdict: IDLE,
        idle_gpus: Some(8),
        says: "idle, price and waste `–`; the totals count it as left out",
        acting: "30,400 GB of instance store are erased, P5e may not be had again; what it saves is not known, which breaks any cap in dollars",
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
        acting: NOT_IDLE,
        plan: Plan::new(
            (2, 0),
            "g5.12xlarge",
            Workload::Garbled,
            &[("team", "platform"), ("app", "metrics"), ("env", "prod")],
        ),
    },
    Trap {
        name: "tiny-batches",
        what: "g6e.12xlarge serving at 12% of its GPUs",
        verdict: Some(VerdictKind::Underused),
        idle_gpus: None,
        says: "underused: in use, far below its size",
        acting: MARK_ONLY,
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
        )
        .facts(Facts { target_group: Some(("tts", 3)), ..PLAIN }),
    },
    Trap {
        name: "agent-patchy",
        what: "g6.12xlarge whose agent loses two hours out of five",
        verdict: UNKNOWN,
        idle_gpus: None,
        says: "unknown: 60% coverage is not enough to say idle",
        acting: NOT_IDLE,
        plan: Plan::new((1, 2), "g6.12xlarge", QUIET, &[("Team", "vision")]).agent(Agent::Patchy),
    },
    Trap {
        name: "restarted-scratch",
        what: "g5.24xlarge stopped and started days ago, its disk months old, idle since",
        verdict: IDLE,
        idle_gpus: Some(4),
        says: "idle since the start: a fresh launch time is not a young machine",
        acting: "3,800 GB of instance store are erased",
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
        acting: "can be started; may not be had now",
        plan: Plan::new((2, 1), "p3.16xlarge", QUIET, &[("team", "data"), ("app", "features")])
            .stopped(),
    },
    Trap {
        name: "block-reserved",
        what: "busy p5.48xlarge in a prepaid Capacity Block",
        verdict: BUSY,
        idle_gpus: None,
        says: "busy, price `–`: the hour is not what is paid for",
        acting: NOT_IDLE,
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
        acting: NOT_IDLE,
        plan: Plan::new((2, 0), "g4ad.16xlarge", CHATTY, &[("team", "platform")]),
    },
    Trap {
        name: "slice-dev",
        what: "idle g6f.xlarge, an eighth of an L4",
        verdict: IDLE,
        idle_gpus: Some(1),
        says: "idle; one device, counted as 0.125 GPUs",
        acting: "stop blocked: a policy of the organization denies it in this account and region",
        plan: Plan::new((2, 3), "g6f.xlarge", QUIET, &[("team", "platform"), ("app", "ci")])
            .agent(Agent::ByHost),
    },
    Trap {
        name: "resumed-run",
        what: "g6.12xlarge idle for weeks, whose next run began minutes ago",
        verdict: IDLE,
        idle_gpus: Some(4),
        says: "idle: no closed hour shows the run yet",
        acting: "blocked: the last minutes, measured anew, show it in use",
        plan: Plan::new(
            (1, 1),
            "g6.12xlarge",
            QUIET,
            &[("Team", "vision"), ("Project", "segment"), ("Environment", "research")],
        )
        .facts(Facts { lately: Lately::WokeUp, ..PLAIN }),
    },
    Trap {
        name: "agent-hung",
        what: "idle g5.12xlarge whose agent fell silent half an hour ago",
        verdict: IDLE,
        idle_gpus: Some(4),
        says: "idle: every closed hour is there",
        acting: "blocked: nobody knows what its GPUs did in the last minutes",
        plan: Plan::new(
            (1, 2),
            "g5.12xlarge",
            CHATTY,
            &[("Team", "speech"), ("Project", "diarize"), ("Environment", "dev")],
        )
        .facts(Facts { lately: Lately::AgentSilent, ..PLAIN }),
    },
    Trap {
        name: "last-target",
        what: "idle g6.xlarge, the last healthy target of its load balancer",
        verdict: IDLE,
        idle_gpus: Some(1),
        says: "idle: nobody sends it requests, but the load balancer would",
        acting: "blocked: deregister it first",
        plan: Plan::new(
            (1, 0),
            "g6.xlarge",
            QUIET,
            &[("Team", "speech"), ("Project", "asr"), ("Environment", "dev")],
        )
        .facts(Facts { target_group: Some(("asr-edge", 0)), ..PLAIN }),
    },
    Trap {
        name: "do-not-stop",
        what: "idle g6e.xlarge with stop protection",
        verdict: IDLE,
        idle_gpus: Some(1),
        says: "idle: protection changes what may be done, not what is true",
        acting: "stop and termination blocked: burntop switches no protection off",
        plan: Plan::new(
            (1, 3),
            "g6e.xlarge",
            QUIET,
            &[("Team", "robotics"), ("Project", "policy"), ("Environment", "research")],
        )
        .facts(Facts { stop_protection: true, ..PLAIN }),
    },
    Trap {
        name: "marked-expired",
        what: "idle g5.xlarge marked by hand, its date five days in the past",
        verdict: IDLE,
        idle_gpus: Some(1),
        says: "idle: a mark is no verdict",
        acting: "a policy with a grace of up to 4 days stops it; 250 GB of instance store are erased",
        plan: Plan::new(
            (1, 0),
            "g5.xlarge",
            QUIET,
            &[
                ("Team", "nlp"),
                ("Project", "tokenizer"),
                ("Environment", "dev"),
                ("burntop:expires", "{-5}"),
                ("burntop:by", BY),
                ("burntop:reason", "left over from the sweep"),
                ("burntop:reminded", "{-5}"),
            ],
        ),
    },
    Trap {
        name: "marked-busy",
        what: "g6e.xlarge marked by hand and at work again",
        verdict: BUSY,
        idle_gpus: None,
        says: "busy: whatever its tags say",
        acting: "blocked: not idle; a policy takes the mark away",
        plan: Plan::new(
            (1, 1),
            "g6e.xlarge",
            Workload::ColdCpu,
            &[
                ("Team", "vision"),
                ("Project", "ocr"),
                ("Environment", "dev"),
                ("burntop:expires", "{2}"),
                ("burntop:by", BY),
                ("burntop:reason", "idle over the weekend"),
            ],
        ),
    },
    Trap {
        name: "marked-waiting",
        what: "idle g6.xlarge marked by hand, its date three days ahead",
        verdict: IDLE,
        idle_gpus: Some(1),
        says: "idle: a mark is no verdict",
        acting: "a policy waits for the date; 250 GB of instance store are erased",
        plan: Plan::new(
            (1, 2),
            "g6.xlarge",
            QUIET,
            &[
                ("Team", "recsys"),
                ("Project", "ranker"),
                ("Environment", "dev"),
                ("burntop:expires", "{3}"),
                ("burntop:by", BY),
                ("burntop:reason", "is anybody using this?"),
            ],
        ),
    },
    Trap {
        name: "reserved-idle",
        what: "idle g6e.12xlarge in an on-demand capacity reservation",
        verdict: IDLE,
        idle_gpus: Some(4),
        says: "idle, at list price",
        acting: "saves $0: the reservation bills all the same; 3,800 GB of instance store are erased",
        plan: Plan::new(
            (0, 1),
            "g6e.12xlarge",
            QUIET,
            &[("team", "recsys"), ("project", "twotower"), ("environment", "staging")],
        )
        .facts(Facts { reserved: true, ..PLAIN }),
    },
    Trap {
        name: "scratch-cpu",
        what: "idle CPU-only m7i.4xlarge with a root volume and nothing else",
        verdict: IDLE,
        idle_gpus: None,
        says: "idle for all seven days",
        acting: "stops without a warning; a termination deletes its root volume",
        plan: Plan::new(
            (2, 0),
            "m7i.4xlarge",
            QUIET,
            &[("team", "platform"), ("app", "ci"), ("env", "dev")],
        )
        .facts(Facts { data_volume: Some(false), ..PLAIN }),
    },
];
