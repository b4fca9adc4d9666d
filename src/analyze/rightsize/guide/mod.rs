//! Which instance a model needs: the framework of the articles (model size, data size, latency) as a
//! guide that computes instead of comparing with thresholds.
//!
//! "More than 10B parameters, so p4d" knows neither the task nor the precision: 70B parameters are
//! served from 37 GB at 4 bits and trained with 1.3 TB. The guide computes the memory from what is
//! asked, looks which types hold it, how fast they are and what they cost here and now, and says what
//! each figure rests on. [`GuideAsk`] is what goes in, as a table of inputs for sliders and flags;
//! [`recommend()`] answers.

mod ask;
mod memory;
mod recommend;
mod shape;
mod speed;

#[cfg(test)]
mod tests;

#[cfg(test)]
pub use ask::GuideInput;
pub use ask::{GuideAsk, INPUTS, InputSpec, InputUnit, Precision, Task};
pub use memory::MemoryPart;
#[cfg(test)]
pub use memory::{Memory, PerParameter, memory};
pub use recommend::{Guide, GuideCandidate, GuideFail, GuideNote, GuideWarning, recommend};
#[cfg(test)]
pub use shape::shape;
