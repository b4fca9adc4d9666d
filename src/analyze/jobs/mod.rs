//! What jobs cost and what failed ones took.
//!
//! | file | holds |
//! |---|---|
//! | `nodes/` | what is behind the name of a node, and its cost in runs, idle time and rest |
//! | `price` | share of a node that an attempt holds, and its dollars |
//! | `saved` | what checkpoints saved, confirmed or refuted by the attempt that went on |
//! | `lost` | how much of an attempt came to nothing |
//! | `class` | classes of causes, by codes, by what the source says, and by what happened to nodes |
//! | `happened` | what happened to nodes about when attempts failed |
//! | `trackers` | runs of trackers as labels of the jobs in which they were |
//! | `costed` | attempts with their costs: numbered, parts side by side as one, no hour twice |
//! | `tax` | sums by key, goodput |
//! | `repeats` | what was lost again and again |
//! | `replay/` | what rules (a retry limit, a drain, checkpoints, early stopping) would have saved and cost |
//! | `scaling/` | node groups that hold empty GPU nodes: settings of an autoscaler replayed over what ran |
//! | `avoidable` | what of it failed again and again, by node, for the waterfall |
//! | `zombies` | GPUs that cost and do nothing for a job; whose a GPU is |
//! | `waits/` | queue waits beside GPUs that stood idle |
//! | `requests` | what workloads asked for and did not use |
//! | `holders` | who holds instances and GPUs now |
//! | `used` | GPU-hours in which GPUs worked, and how many worked at all |

mod avoidable;
mod class;
mod costed;
mod happened;
mod holders;
mod lost;
mod nodes;
mod price;
mod repeats;
mod replay;
mod requests;
mod saved;
mod scaling;
mod script_use;
mod tax;
#[cfg(test)]
mod tests;
mod trackers;
mod used;
mod waits;
mod zombies;

pub use avoidable::avoidable;
pub use class::{CauseClass, CauseFrom, cause_words};
pub use costed::{CostInput, Costed, Costs, costs, taxed};
pub use happened::Evidence;
pub use holders::{HeldReading, KeptHolders, READ_EVERY, tells_of_now};
pub use lost::CancelledWeight;
pub use nodes::{KnownInstance, KnownNodes, NodeCost, TypeFrom};
pub use price::{NodeType, PriceFrom};
pub use repeats::{Repeat, RepeatKind, repeats};
pub use replay::{
    CHECKPOINT_MINUTES, DRAIN_HOURS, Replay, ReplayKey, ReplayRule, ReplayTerms, Replayed, Replays,
    replayed, replays,
};
pub use requests::{LookedAt, RequestInput, RequestKind, RequestRow, Requests, requests};
pub use saved::{KnownRun, Salvage};
pub use scaling::{BootFrom, NodeGroup, SCALING_DAYS, ScaledOver, Scaling, ScalingRow, scaling};
pub use tax::{Tax, TaxKey, TaxRow, TaxSums, tax};
pub use used::{GpuHourOf, UsedFrom, UsedHours};
pub use waits::{WaitInput, WaitKey, WaitKind, WaitRow, waits};
pub use zombies::{HeldGpus, Judged, Zombie, ZombieInput, ZombieKind, covered_nodes, zombies};
