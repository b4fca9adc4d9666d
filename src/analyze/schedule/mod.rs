//! Off-hours, proposed from the hour-of-week profile: the hours of the week in which an instance
//! was never seen in use.
//!
//! A proposal is a finding about the past and nothing else. It asks that every hour of a window
//! was seen in several weeks and quiet in all of them, and it says what was not looked at.

mod cron;
mod profile;
mod propose;

#[cfg(test)]
mod tests;

pub use cron::{CRON_ZONE, cron_lines, eventbridge};
pub use profile::{Change, HOURS_PER_WEEK, Profile, Shift, changes};
#[cfg(test)]
pub use profile::{Window, YEARS_AHEAD, settable, shifts, unsettable, windows};
pub use propose::{Advice, Obstacle, Proposal, propose};
#[cfg(test)]
pub use propose::{MIN_WINDOW_HOURS, usd_per_month};
