//! Who gets a proposal, and what it is worth.

use jiff::Timestamp;
use jiff::tz::TimeZone;

use super::profile::{
    HOURS_PER_WEEK, Profile, Shift, Window, changes, settable, shifts, unsettable, windows,
};
use crate::analyze::idle::{Exemption, HoursOfUse};
use crate::domain::{HOURS_PER_MONTH, InstanceState, Lifecycle, OwnerKind};
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

/// Reason why there is no proposal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Obstacle {
    /// What it is: the same words for every instance that it stands in the way of.
    pub why: String,
    /// What is particular to the instance: name of its group, its state; empty where there is nothing to add.
    pub detail: String,
}

impl Obstacle {
    fn new(why: impl Into<String>, detail: &str) -> Self {
        Self { why: why.into(), detail: detail.to_owned() }
    }
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
    let Some(hours) = hours else {
        let why = "no telemetry of its accelerators, so nobody knows its hours";
        return Advice::None(Obstacle::new(why, ""));
    };
    let profile = Profile::of(hours.from, &hours.hours, zone);
    let found = windows(&profile, weeks, MIN_WINDOW_HOURS);
    let found = settable(found, &unsettable(&changes(zone, now)), MIN_WINDOW_HOURS);
    if found.iter().any(|w| w.hours == HOURS_PER_WEEK) {
        let why = "never seen in use: a case for a stop, not for a schedule";
        return Advice::None(Obstacle::new(why, ""));
    }
    let Some(fewest) = fewest(&profile, &found) else {
        return Advice::None(Obstacle::new(without_windows(&profile, weeks), ""));
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
fn without_windows(profile: &Profile, weeks: u16) -> String {
    let most = profile.seen.iter().max().copied().unwrap_or(0);
    if most == 0 {
        "no hour of it was seen".to_owned()
    } else if !windows(profile, 1, MIN_WINDOW_HOURS).is_empty() {
        format!(
            "its quiet hours were not seen in {weeks} weeks yet, which is weak evidence; `--weeks \
             1` takes what there is"
        )
    } else {
        format!("no {MIN_WINDOW_HOURS} hours in a row were quiet in every week")
    }
}

fn out_of_the_question(row: &Row, now: Timestamp) -> Option<Obstacle> {
    let instance = &*row.instance;
    let plain = |why: &str| Some(Obstacle::new(why, ""));
    if instance.state != InstanceState::Running {
        return Some(Obstacle::new("not running", instance.state.word()));
    }
    if Exemption::of(&instance.tags, now).holds() {
        return plain("exempt by tag");
    }
    if let Some(owner) = instance.owners.iter().find(|o| o.kind != OwnerKind::CloudFormation) {
        let why = format!("managed by {}: its size is scheduled there", owner.kind.word());
        return Some(Obstacle::new(why, &owner.name));
    }
    if !instance.ebs_root {
        return plain("its root device is instance store: it cannot be stopped");
    }
    match instance.lifecycle {
        Lifecycle::OnDemand => None,
        Lifecycle::Spot => plain("Spot: stopped by its request alone"),
        Lifecycle::Scheduled | Lifecycle::CapacityBlock => {
            plain("paid in advance: stopping it saves nothing")
        }
    }
}
