//! The one sentence behind each entry of a list.

use crate::whatif::Offer;
use crate::whatif::optimum::buy_now::{Purchase, Purchases, Worth};

/// An On-Demand Capacity Reservation.
pub(super) const CAPACITY: &str =
    "It buys capacity, not price: it costs the on-demand rate, used or not.";

/// No on-demand price.
pub(super) const NO_PRICE: &str =
    "It cannot be judged: the family's on-demand price is not known; enter it.";

/// A rate at or above on-demand.
pub(super) fn dear(rate: f64, on_demand: f64) -> String {
    format!("Its rate of {} is not below the on-demand price of {}.", usd(rate), usd(on_demand))
}

/// Another offer is better.
pub(super) fn dearer(other: &str, shorter: bool) -> String {
    let binds = if shorter { "and binds for less time" } else { "and binds no longer" };
    format!("{other} costs no more over its term, at this cost of capital, {binds}.")
}

/// A term that ends after what is looked at.
pub(super) fn beyond(weeks: u16, ahead: usize) -> String {
    format!("It runs {weeks} weeks and the scenario looks {ahead} ahead: look further to judge it.")
}

/// Units that pay now.
pub(super) fn buy(offer: &Offer, before: f64, top_up_weeks: usize, found: &Purchases) -> String {
    let now = &found.now;
    let last = before + now.units;
    let first = format!(
        "Slot {} would be used {} of the next {top_up_weeks} weeks and {} of the term; {} needs {}",
        units(last),
        share(now.next.used),
        share(now.term.used),
        offer.name,
        share(now.term.needed),
    );
    let (next, term) = found.left_out;
    if next.pays() && term.pays() {
        let slot = units(last + 1.0);
        return format!(
            "{first}; slot {slot} would pay on average too, but the worst futures count as well: \
             caution stops here."
        );
    }
    let (worth, what) = if next.pays() { (term, "the term") } else { (next, "the next weeks") };
    let slot = units(last + 1.0);
    format!("{first}; slot {slot} would be used {} of {what}.", under(worth))
}

/// Units that will pay.
pub(super) fn plan(offer: &Offer, later: &Purchase) -> String {
    format!(
        "From week {} on, they would be used at least {} of the hours to the end of what is looked \
         at; {} needs {}.",
        later.week,
        share(later.term.used.min(later.next.used)),
        offer.name,
        share(later.term.needed),
    )
}

/// Units that look well used and are about to end.
pub(super) fn ends(
    offer: &Offer,
    slot: f64,
    next: Worth,
    term: Worth,
    step: Option<u16>,
) -> String {
    let why = step.map_or_else(String::new, |week| format!(": less is needed from week {week} on"));
    format!(
        "Slot {} would be used {} of the next weeks but {} of the term{why}; {} needs {}.",
        units(slot),
        share(next.used),
        under(term),
        offer.name,
        share(term.needed),
    )
}

/// Units that caution leaves.
pub(super) fn cautious(offer: &Offer, slot: f64, term: Worth) -> String {
    format!(
        "Slot {} would be used {} of the term on average and {} needs {}, but the worst futures \
         count as well: caution stops here.",
        units(slot),
        share(term.used),
        offer.name,
        share(term.needed),
    )
}

/// No unit pays.
pub(super) fn idle(offer: &Offer, slot: f64, best: Worth) -> String {
    format!(
        "Slot {} would be used {} of the hours; {} needs {}.",
        units(slot),
        under(best),
        offer.name,
        share(best.needed),
    )
}

fn units(slot: f64) -> String {
    format!("{}", slot.round())
}

fn usd(rate: f64) -> String {
    format!("${rate:.4}")
}

/// `63.4%`.
fn share(part: f64) -> String {
    format!("{:.1}%", part * 100.0)
}

/// A share that is below what is needed, rounded so that it reads so.
fn under(worth: Worth) -> String {
    let shown = share(worth.used);
    if shown == share(worth.needed) { format!("just under {shown}") } else { shown }
}
