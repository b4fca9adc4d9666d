//! Nodes: which instance is behind a name, what it cost, and who held it.
//!
//! | file | holds |
//! |---|---|
//! | `known` | what is known of nodes: instance, type, price, from when to when |
//! | `span` | what a stretch of a node costs at prices that change, to the last digit |
//! | `sweep` | the cost of each node in runs, idle time, and what no run holds of a shared node |

mod known;
mod span;
mod sweep;

pub(super) use known::{Book, Window};
pub use known::{KnownInstance, KnownNodes, TypeFrom};
pub use sweep::NodeCost;
pub(super) use sweep::{Held, Holder, Ledger, WHOLE, sweep};
