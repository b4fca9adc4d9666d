//! The words of what engines conclude. An engine gives a reason as a type with its values, so that a
//! test can ask for it and a screen, a report and an alert can each say it in their way; the
//! sentences stand here, one file per engine.

mod blind;
mod commitment;
mod gpu;
mod instance;
mod list;
mod resource;
mod storage;
mod unchecked;
mod verdict;
mod waterfall;
mod words;

pub use blind::blind;
pub use commitment::commitment;
pub use gpu::{gpu, gpu_advice, witness};
pub use list::list;
pub use resource::resource_fix;
pub use storage::{fate, storage, storage_fix};
pub use unchecked::unchecked;
pub use verdict::{refusal, verdict};
pub use waterfall::{net_unknown, step_note, task};
