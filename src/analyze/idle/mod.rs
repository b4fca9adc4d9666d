//! Is an instance idle, and how do we know? One verdict per instance with its evidence.
//!
//! The order of verdicts is fixed: exempt → too new → busy evidence (busy, partial, underused) →
//! unknown → idle. Use needs one witness, idleness needs all of them:
//!
//! * **The hours.** Closed hours only, from the later of the window's start and the last launch
//!   (the "judged" hours). The hour in which the instance was launched is not one of them.
//! * **Use.** One hour at or above a limit, or one malformed datapoint, within the minimum stretch
//!   of the policy. No coverage is asked for. A busy GPU counts under every policy, also under
//!   those that do not look at GPUs.
//! * **Idleness.** No such hour, and every signal that the policy names (each GPU among them)
//!   reported in ≥ 90% of the judged hours *and* in ≥ 90% of the minimum stretch. A missing hour
//!   is neither idle nor busy: within those 10% it is bridged, beyond them the verdict is
//!   unknown. The second condition keeps an agent that died yesterday from being bridged by a
//!   week in which it lived. The stretch is said to begin at its first hour that was witnessed.
//! * **Too new.** Younger than the minimum stretch, where age counts from the oldest of last
//!   launch, attachment of the root volume and first CPU datapoint. An old instance that was
//!   restarted a moment ago is busy where use is witnessed, and too new otherwise: its evidence
//!   begins at the restart.
//!
//! Network is judged by the highest sliding 24 h of the stretch, in plus out, so that one day of
//! traffic is not thinned out by six quiet ones.

pub mod backtest;
mod cascade;
mod custom;
mod exempt;
mod gpu_mean;
mod hours;
mod judge;
mod machine;
mod policy;
mod preset;
mod reason;
mod since;
mod sliding;
mod stretch;
mod survey;
mod surveyor;
mod underused;
mod windowed;
mod words;

#[cfg(test)]
mod tests;

pub use cascade::{next_signals, signals_for};
pub use custom::CustomPolicy;
pub use exempt::{EXEMPT_TAG, Exemption};
pub use hours::{HourUse, HoursOfUse, hours_of_use};
pub use judge::{Subject, judge};
pub use policy::Policy;
pub use preset::Preset;
// The same measure for everything that idles: see `analyze::resources`.
pub(in crate::analyze) use stretch::{Slice, Trail, highest, trail};
