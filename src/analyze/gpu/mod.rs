//! What every GPU really does, since when, and how we know.
//!
//! One picture is made of all sources' latest sweeps ([`Watch::picture`]):
//!
//! 1. **Read.** Samples find their instance, names of one GPU in several sources become one GPU,
//!    their words become one sample (`fleet::gpu`); what sources disagree about is said.
//! 2. **Evidence.** The best rung that is known, and the witnesses for and against idleness
//!    (`evidence`). Use needs one witness, idleness two, in at least three samples over at least
//!    two minutes. What is missing or cannot be is never evidence of idleness.
//! 3. **Memory.** When the quiet spell began, whether it hangs, which errors are new (`track`);
//!    closed hours carry the start of a spell back (`since`).
//! 4. **State** (`verdict`), in this order: stale, unhealthy, idle (held or unallocated), stalled,
//!    inefficient, busy; unknown where the evidence does not suffice. A GPU that worked a moment
//!    ago stays busy until it was quiet long enough.
//! 5. **Dollars.** Every GPU has its share of its instance's price (`fleet::gpu::share`).

mod band;
mod evidence;
mod floors;
mod group;
mod item;
mod labels;
mod order;
mod remember;
mod row;
mod rules;
mod since;
mod special;
mod track;
mod verdict;
mod watch;

#[cfg(test)]
mod tests;

pub use band::{Band, GOOD_INFERENCE};
pub use rules::{GpuRules, TeamRule};
pub use watch::{Intervals, Watch, WatchInput};
