//! Plans, guards, caps and confirmation: pure types and functions.
//!
//! The types follow the flow, and each can only be made from the one before: a [`Plan`] is
//! drafted from the fleet, [`Preflighted`] holds it with the facts and what the guards said,
//! [`Confirmed`] is minted from that by a person (or an approval) and is good for sixty seconds
//! and one execution, and an [`Order`], which is what an executor takes, comes only out of the
//! [`Ticket`] of a redeemed `Confirmed`.

mod approval;
mod caps;
mod confirm;
mod digest;
mod draft;
mod environments;
pub mod file;
mod finding;
#[cfg(test)]
pub(crate) mod fixture;
mod foresee;
pub mod guard;
mod item;
mod kind;
mod outcome;
pub mod policy;
mod preflighted;
pub mod recheck;
mod rejudge;
mod rules;
mod span;
pub mod stakes;
pub mod storage;
mod undo;
mod verb;

pub use approval::{Approval, ApprovalError, Signature};
pub use caps::{Breach, CapUse, Caps};
pub use confirm::{
    Answer, Authority, CHECKS_VALID_FOR, Challenge, ConfirmError, Confirmed, MAX_BATCH, Order,
    Ticket,
};
pub use digest::sha256_hex;
pub use draft::{Draft, draft, net};
pub use environments::{Chosen, EnvironmentCount, by_environment};
pub use file::{PlanFile, PlanFileError};
pub use finding::{Finding, Guard, Severity};
pub use foresee::foresee;
pub use item::{PLAN_SCHEMA, Plan, PlanItem};
pub use kind::Kind;
pub use outcome::{Outcome, OutcomeKind, POLL, POLL_AT_MOST, Progress, VISIBLE_WITHIN, Verified};
#[cfg(test)]
pub use preflighted::Ties;
pub use preflighted::{ActApi, CheckedRow, Preflighted};
pub use rejudge::{Rejudged, rejudge};
pub use rules::{AccountRules, Rules};
pub use span::{SHORTEST_GRACE, parse_grace, parse_span};
pub use stakes::Stakes;
#[cfg(test)]
pub use stakes::VolumeStake;
pub use undo::command::{line as shell_line, told as told_command, uncommented};
pub use undo::{LostVolume, Undo};
pub use verb::{BY_TAG, EXPIRES_TAG, REASON_TAG, REMINDED_TAG, Verb};
