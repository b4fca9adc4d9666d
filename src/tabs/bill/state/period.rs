//! Months of bills, as keys and commands choose them.

use crate::app::{Level, Notice};
use crate::domain::bill::{Month, NoMonth};

/// A month from its text. Fails with the reason.
pub(crate) fn period_of(text: &str) -> Result<Month, String> {
    text.parse().map_err(|error: NoMonth| error.to_string())
}

/// The month before or behind `now` of those with a bill. Fails with what is said where there is none.
pub(crate) fn turned_period(
    periods: &[Month],
    now: Option<Month>,
    later: bool,
) -> Result<Month, Notice> {
    let at = periods.iter().position(|period| Some(*period) == now);
    let to = at.and_then(|at| if later { at.checked_add(1) } else { at.checked_sub(1) });
    to.and_then(|to| periods.get(to)).copied().ok_or_else(|| {
        let what = if later { "later" } else { "earlier" };
        Notice::new(Level::Info, format!("no {what} bill is kept"))
    })
}

/// The month, where a bill of it is kept. Fails with what is said of another one.
pub(crate) fn kept_period(periods: &[Month], period: Month) -> Result<Month, Notice> {
    let is_kept = periods.contains(&period);
    let absent = || Notice::new(Level::Warn, format!("no bill of {period} is kept"));
    is_kept.then_some(period).ok_or_else(absent)
}
