//! Conditions of moving an instance to Spot, and what shows whether its work tolerates that. `view::reasons` words them.

use std::sync::Arc;

use jiff::Timestamp;
use jiff::civil::Date;
use serde::{Deserialize, Serialize};

use crate::domain::{CommitmentKind, Figure, Interruption, NetNote, NetUnknown, OwnerKind};

/// Condition, assumption or finding about moving an instance, or the fleet that it belongs to, to Spot. Texts are
/// clean; shares are 0–1.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum SpotNote {
    /// Its work is unknown: a tag or a rule would tell it.
    SayWhat,
    /// Prices if its work, which is unknown, tolerates interruptions.
    IfItBears {
        /// Spot price, USD/h.
        spot: Figure,
        /// Zone with that price.
        az: Arc<str>,
        /// On-demand price, USD/h.
        on_demand: Figure,
    },
    /// A price is unknown.
    NoPrice {
        /// True when the on-demand price is unknown, false when no Spot price is known.
        is_on_demand: bool,
    },
    /// Spot costs as much as on demand or more.
    Dearer {
        /// Spot price in the cheapest zone, USD/h.
        spot: Figure,
        /// On-demand price, USD/h.
        on_demand: Figure,
    },
    /// The discount outweighs the lost time.
    Pays {
        /// Time lost, as a share of its hours.
        lost: Figure,
        /// Loss at which moving breaks even, as a share of its hours.
        bears: Figure,
        /// Hours between interruptions at which moving breaks even; `None` when unknown.
        each: Option<Figure>,
    },
    /// The lost time outweighs the discount.
    LosesMore {
        /// Time lost, as a share of its hours.
        lost: Figure,
        /// Loss at which moving breaks even, as a share of its hours.
        bears: Figure,
    },
    /// Interruptions come before anything is finished.
    NeverFinishes,
    /// Number of instances that it may train with: one interruption would stop all.
    PerhapsTogether(u32),
    /// It trains with others: one interruption stops all.
    OneJob {
        /// Number of instances of the job.
        size: u32,
        /// Hours between interruptions of the job.
        each: Figure,
    },
    /// Some zones cost as much as on demand or more.
    DearZones {
        /// These zones.
        dear: Vec<Arc<str>>,
        /// Number of zones with a price.
        of: usize,
    },
    /// Its figures are of another zone than it runs in.
    OtherZone {
        /// Zone of the figures.
        best: Arc<str>,
        /// Zone where it runs.
        here: Arc<str>,
        /// Spot price where it runs, USD/h; `None` when unknown.
        spot: Option<Figure>,
    },
    /// The Spot price has no history.
    NoHistory,
    /// The one setting of its group holds for members that fit differently.
    OnePolicy {
        /// Number of members that fit as a whole.
        whole: u32,
        /// Number of members that fit in part.
        partly: u32,
    },
    /// No instance of its group moves.
    NoneMoves {
        /// Number of running instances.
        count: u32,
        /// How many of them stay on demand.
        on_demand: u32,
    },
    /// A part of its group moves.
    SomeMove {
        /// Number of instances that move.
        moves: u32,
        /// Number of instances on demand now.
        of: u32,
    },
    /// Commitments were not read: the net is unknown.
    NetUnread,
    /// The net is unknown.
    NetUnknown(NetUnknown),
    /// Condition of the net.
    Net(NetNote),
    /// A commitment pays for it.
    PaidBy {
        /// Kind of the commitment.
        kind: CommitmentKind,
        /// Id of the commitment.
        id: Arc<str>,
        /// End of the commitment; `None` without one.
        until: Option<Timestamp>,
        /// True when moving it saves nothing.
        is_no: bool,
    },
    /// Instances of its group must stay on demand: it belongs in a group of its own.
    MoveAway(Named),
    /// The setting to change is its owner's.
    Belongs {
        /// Kind of the owner.
        kind: OwnerKind,
        /// Name of the owner.
        name: Arc<str>,
    },
    /// It must leave the load balancer within the notice.
    MustDrain,
    /// Its jobs must be safe to run twice.
    MustRepeat,
    /// It must write checkpoints; hours between them, `None` when unknown.
    MustCheckpoint(Option<Figure>),
    /// Checkpoints are advised more often than the interruption band asks for.
    Shortened {
        /// Hours between checkpoints by the band.
        from: Figure,
        /// Hours between checkpoints that are advised.
        to: Figure,
    },
    /// Its instance store is lost.
    LosesStore,
    /// Interruptions by the band of the Spot Instance Advisor.
    Interrupted {
        /// Monthly interruption band.
        band: Interruption,
        /// Date of the band.
        date: Date,
        /// Hours between interruptions that the figures use.
        each: Figure,
    },
    /// Interruptions are assumed: the band has no upper edge, or there is none.
    InterruptedPerhaps {
        /// Monthly interruption band and its date; `None` without one.
        band: Option<(Interruption, Date)>,
        /// Hours between interruptions that the figures use.
        each: Figure,
    },
    /// Assumed values; `None` where a tag or a rule gives one, or where it does not matter.
    Assumed {
        /// Hours to write a checkpoint.
        checkpoint: Option<Figure>,
        /// Hours of a job.
        job: Option<Figure>,
        /// Hours to restart.
        restart: Option<Figure>,
        /// Share of the time in which Spot capacity is available.
        available: Option<Figure>,
    },
    /// A tag with minutes could not be read.
    OddTag {
        /// Key of the tag.
        tag: Arc<str>,
        /// Value of the tag.
        value: Arc<str>,
    },
    /// Of the fleet: commitments pay for it.
    NotNow,
    /// Of the fleet: number of members whose work is unknown.
    UnknownMembers(u32),
    /// Of the fleet: members that stay on demand.
    LeaveOut(Named),
    /// Of the fleet: it is in no Auto Scaling group.
    NoGroup,
    /// Of the fleet: number of types that fit, fewer than AWS advises.
    FewTypes(usize),
    /// Of the fleet: which zones offer which type was not read.
    OfferingsUnread,
    /// Of the fleet: a group does not fall back to on demand by itself.
    NoFallback,
    /// Of the fleet: share of the hours on Spot that its net counts.
    CountsHours(Figure),
    /// Sentence of a test fixture.
    #[cfg(test)]
    Fixture(#[serde(skip)] &'static str),
}

/// The first few of several names.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Named {
    /// Ids of instances, or instance types; at most three.
    pub names: Vec<Arc<str>>,
    /// Number of those that are left out.
    pub more: usize,
}

impl Named {
    /// The first three of `names`.
    pub fn of(names: &[Arc<str>]) -> Self {
        let shown = names.len().min(3);
        Self { names: names[..shown].to_vec(), more: names.len() - shown }
    }
}

/// Why a fleet has no policy to copy: members must stay on demand, and a group keeps a number of instances there, never
/// particular ones.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NoPolicy {
    /// Members that must stay on demand.
    pub pinned: Named,
    /// Number of members that fit.
    pub fit: u32,
}

/// Which tag or rule says whether an instance tolerates interruptions.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum SpotBecause {
    /// Value of its Spot tag.
    Tag(Arc<str>),
    /// Value of its Spot tag, which has no meaning.
    TagUnread(Arc<str>),
    /// Reason that a rule of the user states.
    Rule(Arc<str>),
    /// A rule of the user without a reason.
    RuleOf {
        /// Tag of the rule: key and value; `None` without one.
        tag: Option<(Arc<str>, Arc<str>)>,
        /// Name of the rule; `None` without one.
        name: Option<Arc<str>>,
    },
    /// Its work.
    Work {
        /// Evidence of the work.
        by: WorkSource,
        /// The work.
        work: SpotWork,
    },
    /// A text with words of serving and of batch work.
    Both(WorkSource),
    /// Its work is unknown.
    Nothing,
    /// Clause of a test fixture.
    #[cfg(test)]
    Fixture(#[serde(skip)] &'static str),
}

/// Evidence of the work of an instance.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum WorkSource {
    /// Its role in an EMR cluster.
    EmrRole(Arc<str>),
    /// A tag: key and value.
    Tag(Arc<str>, Arc<str>),
    /// AWS Batch runs it.
    Batch,
    /// Names of the processes, pods and jobs on its GPUs.
    Telemetry,
    /// Its name.
    Name(Arc<str>),
    /// Kind and name of an owner.
    Owner(OwnerKind, Arc<str>),
}

/// Work of an instance, as far as it matters to Spot.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum SpotWork {
    /// Training.
    Training,
    /// Trials of a search.
    Search,
    /// Batch jobs.
    Batch,
    /// Serving in a group that replaces interrupted instances.
    ServingReplaced,
    /// Serving without such a group.
    Serving,
    /// Interactive work.
    Interactive,
    /// Work that keeps state.
    Stateful,
    /// Unknown.
    Other,
}
