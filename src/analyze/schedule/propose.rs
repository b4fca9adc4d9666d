//! Who gets a proposal, and what it is worth.

use jiff::Timestamp;
use jiff::tz::TimeZone;

use super::profile::{
    HOURS_PER_WEEK, Profile, Shift, Window, changes, settable, shifts, unsettable, windows,
};
use crate::analyze::idle::{Exemption, HoursOfUse};
use crate::domain::{HOURS_PER_MONTH, InstanceState, Lifecycle, Owner, OwnerKind};
use crate::fleet::Row;

/// The shortest window worth a stop and a start, hours.
pub const MIN_WINDOW_HOURS: usize = 4;

/// Off-hours of an instance, or the obstacle to them.
#[derive(Clone, Debug, PartialEq)]
pub enum Advice {
    /// Off-hours.
    Off(Proposal),
    /// None, and why.
    None(Obstacle),
}

/// Reason why there is no proposal. `view::reasons` words it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Obstacle {
    /// It does not run; its state.
    NotRunning(InstanceState),
    /// A tag exempts it.
    Exempt,
    /// Its owner decides how many instances run.
    Managed(Owner),
    /// Its root device is instance store: it cannot be stopped.
    InstanceStoreRoot,
    /// A Spot instance, which its request alone can stop.
    Spot,
    /// It is paid in advance.
    PaidInAdvance,
    /// Without telemetry of its accelerators its hours are unknown.
    NoTelemetry,
    /// It was never seen in use.
    NeverUsed,
    /// None of its hours was seen.
    NeverSeen,
    /// Number of weeks that are asked for; its quiet hours were seen in fewer.
    TooFewWeeks(u16),
    /// Number of hours in a row that are asked for; fewer were quiet in every week.
    NoWindow(usize),
}

/// Off-hours of an instance.
#[derive(Clone, Debug, PartialEq)]
pub struct Proposal {
    /// Windows of the week in which it may be off.
    pub windows: Vec<Window>,
    /// Off-hours as clock times.
    pub shifts: Vec<Shift>,
    /// Hours off per week.
    pub hours_per_week: usize,
    /// The fewest weeks in which an hour of the windows was seen.
    pub weeks: u16,
    /// What it saves, USD per month of 730 h at the rate of the row, gross: disks and addresses go
    /// on billing, and so does a commitment that covers it. `None` without a price.
    pub usd_per_month: Option<f64>,
    /// Signals that were not looked at.
    pub not_looked_at: Vec<String>,
}

/// Hours off per week as dollars per month of 730 h.
pub fn usd_per_month(hours_per_week: usize, usd_per_hour: f64) -> f64 {
    hours_per_week as f64 * HOURS_PER_MONTH / HOURS_PER_WEEK as f64 * usd_per_hour
}

/// Proposes off-hours for `row` on the clocks of `zone` from its `hours`, each of them seen in at
/// least `weeks` weeks. `hours` is `None` where nobody can tell. No window begins or ends at a time
/// that the clocks skip in the years after `now`.
pub fn propose(
    row: &Row,
    hours: Option<&HoursOfUse>,
    zone: &TimeZone,
    weeks: u16,
    now: Timestamp,
) -> Advice {
    if let Some(why) = out_of_the_question(row, now) {
        return Advice::None(why);
    }
    let Some(hours) = hours else { return Advice::None(Obstacle::NoTelemetry) };
    let profile = Profile::of(hours.from, &hours.hours, zone);
    let found = windows(&profile, weeks, MIN_WINDOW_HOURS);
    let found = settable(found, &unsettable(&changes(zone, now)), MIN_WINDOW_HOURS);
    if found.iter().any(|w| w.hours == HOURS_PER_WEEK) {
        return Advice::None(Obstacle::NeverUsed);
    }
    let Some(fewest) = fewest(&profile, &found) else {
        return Advice::None(without_windows(&profile, weeks));
    };
    let hours_per_week = found.iter().map(|w| w.hours).sum();
    let rate = row.rate.as_ref().map(|r| r.usd_per_hour);
    Advice::Off(Proposal {
        shifts: shifts(&found),
        windows: found,
        hours_per_week,
        weeks: fewest,
        usd_per_month: rate.map(|usd| usd_per_month(hours_per_week, usd)),
        not_looked_at: hours.not_looked_at.clone(),
    })
}

fn fewest(profile: &Profile, found: &[Window]) -> Option<u16> {
    let slots = found.iter().flat_map(|w| (0..w.hours).map(|n| (w.start + n) % HOURS_PER_WEEK));
    slots.map(|slot| profile.seen[slot]).min()
}

/// Obstacle where there is no window: use at all hours, or too few weeks.
fn without_windows(profile: &Profile, weeks: u16) -> Obstacle {
    let most = profile.seen.iter().max().copied().unwrap_or(0);
    if most == 0 {
        Obstacle::NeverSeen
    } else if !windows(profile, 1, MIN_WINDOW_HOURS).is_empty() {
        Obstacle::TooFewWeeks(weeks)
    } else {
        Obstacle::NoWindow(MIN_WINDOW_HOURS)
    }
}

fn out_of_the_question(row: &Row, now: Timestamp) -> Option<Obstacle> {
    let instance = &*row.instance;
    if instance.state != InstanceState::Running {
        return Some(Obstacle::NotRunning(instance.state));
    }
    if Exemption::of(&instance.tags, now).holds() {
        return Some(Obstacle::Exempt);
    }
    if let Some(owner) = instance.owners.iter().find(|o| o.kind != OwnerKind::CloudFormation) {
        return Some(Obstacle::Managed(owner.clone()));
    }
    if !instance.ebs_root {
        return Some(Obstacle::InstanceStoreRoot);
    }
    match instance.lifecycle {
        Lifecycle::OnDemand => None,
        Lifecycle::Spot => Some(Obstacle::Spot),
        Lifecycle::Scheduled | Lifecycle::CapacityBlock => Some(Obstacle::PaidInAdvance),
    }
}
