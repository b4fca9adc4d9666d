//! What goes wrong, and how often.

/// Probabilities of each fault, per call.
#[derive(Clone, Copy, Debug, Default)]
pub struct Rates {
    /// A write call: any of [`CallFault`].
    pub call: f64,
    /// A reading as a whole.
    pub read: f64,
    /// A single fact of an inspection.
    pub fact: f64,
    /// The telemetry of one instance, at one observation.
    pub recent: f64,
    /// The disk is full.
    pub disk_full: f64,
    /// The bytes are written and fsync fails.
    pub fsync: f64,
    /// The log cannot be read.
    pub disk_read: f64,
}

impl Rates {
    /// Nothing goes wrong.
    pub const NONE: Self = Self {
        call: 0.0,
        read: 0.0,
        fact: 0.0,
        recent: 0.0,
        disk_full: 0.0,
        fsync: 0.0,
        disk_read: 0.0,
    };

    /// The weather of a trial: calm, changeable, or a storm.
    pub fn weather(rng: &mut fastrand::Rng) -> Self {
        let k = match rng.u8(0..10) {
            0..=2 => return Self::NONE,
            3..=7 => 1.0,
            _ => 3.0,
        };
        Self {
            call: 0.25 * k,
            read: 0.03 * k,
            fact: 0.002 * k,
            recent: 0.01 * k,
            disk_full: 0.01 * k,
            fsync: 0.01 * k,
            disk_read: 0.005 * k,
        }
    }
}

/// What happens to a write call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CallFault {
    None,
    Throttled,
    TimeoutBefore,
    TimeoutAfter,
    ResetBefore,
    ResetAfter,
    ServerErrorBefore,
    ServerErrorAfter,
    HangBefore,
    HangAfter,
    Denied,
}

impl CallFault {
    pub const ALL: [Self; 10] = [
        Self::Throttled,
        Self::TimeoutBefore,
        Self::TimeoutAfter,
        Self::ResetBefore,
        Self::ResetAfter,
        Self::ServerErrorBefore,
        Self::ServerErrorAfter,
        Self::HangBefore,
        Self::HangAfter,
        Self::Denied,
    ];

    pub fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Throttled => "throttled",
            Self::TimeoutBefore => "time-out before the service acted",
            Self::TimeoutAfter => "time-out after the service acted",
            Self::ResetBefore => "connection reset before the service acted",
            Self::ResetAfter => "connection reset after the service acted",
            Self::ServerErrorBefore => "5xx, nothing done",
            Self::ServerErrorAfter => "5xx after the service acted",
            Self::HangBefore => "hung, nothing done",
            Self::HangAfter => "hung after the service acted",
            Self::Denied => "denied",
        }
    }

    /// True when the service carries the call out all the same.
    pub fn acts(self) -> bool {
        matches!(
            self,
            Self::None
                | Self::TimeoutAfter
                | Self::ResetAfter
                | Self::ServerErrorAfter
                | Self::HangAfter
        )
    }
}

/// The steps at which a process can be killed.
pub const PLACES: [&str; 18] = [
    "before the caller is asked",
    "before an inspection",
    "after an inspection",
    "before a measurement",
    "after a measurement",
    "before the dry run",
    "before the lease",
    "after the lease",
    "before the log is opened",
    "while the log is written",
    "before the log is fsynced",
    "after the log is fsynced",
    "before the log is read",
    "before the call",
    "while the call is under way",
    "after the call",
    "before a look at states",
    "after a look at states",
];

/// When a process is killed.
#[derive(Clone, Copy, Debug)]
pub enum Fuse {
    /// After this many steps of any kind.
    Steps(u32),
    /// At this kind of step, when it has been passed this many times.
    At(&'static str, u32),
}

impl Fuse {
    /// Sixty of a hundred processes are killed.
    pub fn draw(rng: &mut fastrand::Rng) -> Option<Self> {
        match rng.u8(0..10) {
            0..=3 => None,
            4..=5 => Some(Self::Steps(rng.u32(0..150))),
            // What matters comes late and seldom.
            6..=7 => Some(Self::At(PLACES[rng.usize(8..PLACES.len())], rng.u32(0..4))),
            _ => Some(Self::At(PLACES[rng.usize(0..PLACES.len())], rng.u32(0..6))),
        }
    }
}

/// Bugs planted on purpose: each must be caught, or the harness proves nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bug {
    /// The disk acknowledges what it did not write.
    DiskLies,
    /// The executor makes each call twice.
    CallsTwice,
    /// The second look returns what the first one saw.
    StaleLook,
    /// The executor repeats a call that failed by itself, as an SDK with its default retries does.
    BlindRetry,
    /// The executor goes through EC2 for members of Auto Scaling groups.
    WrongApi,
    /// The executor adds an instance that nobody confirmed.
    ExtraInstance,
    /// The states that are shown are those that were wanted.
    WishfulStates,
    /// The disk acknowledges outcomes and drops them.
    DropsOutcomes,
    /// The executor reports success without calling. Not for the judge to catch: the operator must
    /// not believe it.
    ClaimsSuccess,
}
