//! Why a box likely stands idle or does little, as far as its hours tell. It is a guess with its
//! figures beside a verdict, and never changes one.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

/// The likely reason. Hours are those of the preset's window since the last launch; shares are 0–1.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum LikelyReason {
    /// Nobody has used it for days.
    Forgotten {
        /// Hours since its last use.
        quiet_hours: u32,
        /// True when no use was seen at all, so that it may be longer.
        at_least: bool,
    },
    /// It is used in office hours only, for hours on end.
    OfficeHours {
        /// Share of its used hours that are office hours near its region.
        share: f64,
        /// Number of used hours.
        used_hours: u32,
    },
    /// It is used at night and on weekends only.
    NightsAndWeekends {
        /// Share of its used hours that are no office hours near its region.
        share: f64,
        /// Number of used hours.
        used_hours: u32,
    },
    /// It is used in office hours only, in short bursts, as notebooks are.
    Interactive {
        /// Number of bursts.
        bursts: u32,
        /// Mean length of a burst, hours.
        hours_per_burst: f64,
        /// True when its name or a tag calls it a notebook or the like.
        named: bool,
    },
    /// Its GPUs wait while its network or its disks are busy.
    WaitsForData {
        /// Hours in which they waited.
        waiting_hours: u32,
        /// Hours in which a GPU was used.
        used_hours: u32,
        /// Mean activity of its GPUs in the hours they waited, 0–1.
        gpu_share: f64,
        /// What was busy meanwhile.
        on: DataSource,
    },
    /// It is kept running between its uses, as one does who may not get the place back.
    KeptForPlace {
        /// What makes the place hard to get back.
        place: ScarcePlace,
        /// Hours between its uses, and since the last one, in which nothing happened.
        quiet_hours: u32,
    },
    /// It works in bursts at any hour, and waits for work between them.
    NeedsQueue {
        /// Number of bursts.
        bursts: u32,
        /// Hours between them.
        paused_hours: u32,
        /// Hours from the first use to the last.
        of_hours: u32,
    },
}

/// What was busy while GPUs waited.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DataSource {
    /// The network.
    Network,
    /// EBS volumes.
    Disk,
}

/// What makes a place hard to get back.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ScarcePlace {
    /// It runs in this capacity reservation.
    Reservation(Arc<str>),
    /// It is of an instance type that EC2 sells in Capacity Blocks, since it is short of it.
    Type(Arc<str>),
}

/// What helps against the likely reason.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LikelyRemedy {
    /// Stop it.
    Stop,
    /// Run it by a schedule.
    Schedule,
    /// Prefetch and cache the data.
    PrefetchAndCache,
    /// A notebook that stops by itself, or a serverless one.
    AutoStop,
    /// Checkpoints, and Spot with a queue.
    CheckpointAndQueue,
    /// Spot with a queue.
    Queue,
}

impl LikelyReason {
    /// Names of all reasons in JSON and filters.
    pub const NAMES: [&'static str; 7] = [
        "forgotten",
        "office_hours",
        "nights_and_weekends",
        "interactive",
        "waits_for_data",
        "kept_for_place",
        "needs_queue",
    ];

    /// True for a habit of the people who use it, which a box without GPUs has as well.
    pub const fn is_of_people(&self) -> bool {
        match self {
            Self::Forgotten { .. }
            | Self::OfficeHours { .. }
            | Self::NightsAndWeekends { .. }
            | Self::Interactive { .. } => true,
            Self::WaitsForData { .. } | Self::KeptForPlace { .. } | Self::NeedsQueue { .. } => {
                false
            }
        }
    }

    /// Name in JSON and filters.
    pub const fn word(&self) -> &'static str {
        Self::NAMES[match self {
            Self::Forgotten { .. } => 0,
            Self::OfficeHours { .. } => 1,
            Self::NightsAndWeekends { .. } => 2,
            Self::Interactive { .. } => 3,
            Self::WaitsForData { .. } => 4,
            Self::KeptForPlace { .. } => 5,
            Self::NeedsQueue { .. } => 6,
        }]
    }

    /// What helps.
    pub const fn remedy(&self) -> LikelyRemedy {
        match self {
            Self::Forgotten { .. } => LikelyRemedy::Stop,
            Self::OfficeHours { .. } | Self::NightsAndWeekends { .. } => LikelyRemedy::Schedule,
            Self::Interactive { .. } => LikelyRemedy::AutoStop,
            Self::WaitsForData { .. } => LikelyRemedy::PrefetchAndCache,
            Self::KeptForPlace { .. } => LikelyRemedy::CheckpointAndQueue,
            Self::NeedsQueue { .. } => LikelyRemedy::Queue,
        }
    }
}

impl LikelyRemedy {
    /// Name in JSON.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Stop => "stop",
            Self::Schedule => "schedule",
            Self::PrefetchAndCache => "prefetch_and_cache",
            Self::AutoStop => "auto_stop",
            Self::CheckpointAndQueue => "checkpoint_and_queue",
            Self::Queue => "queue",
        }
    }
}
