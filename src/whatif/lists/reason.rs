//! Why an offer stands on its list. `view::reasons` words it.

use crate::whatif::OfferKind;
use crate::whatif::optimum::buy_now::Worth;

/// Why an entry stands on its list. Family, offer and week are those of the entry. A slot is the
/// number of a unit, counted from 1 over what is held; shares of hours are 0–1.
#[derive(Clone, Debug, PartialEq)]
pub enum ListReason {
    /// It is an On-Demand Capacity Reservation, which buys no price.
    Capacity,
    /// AWS sells no standard RI for the family.
    NotSold,
    /// The rate of an offer of this kind is not known.
    NoRate(OfferKind),
    /// The family's on-demand price is not known.
    NoPrice,
    /// Its rate is not below on-demand; USD per unit and hour.
    Dear {
        /// The rate.
        rate: f64,
        /// The on-demand price.
        on_demand: f64,
    },
    /// Another offer costs no more.
    Dearer {
        /// The other offer.
        other: String,
        /// True when the other also binds for less time; false: for no longer.
        is_shorter: bool,
    },
    /// Its term ends after what is looked at.
    Beyond {
        /// Weeks of the term.
        weeks: u16,
        /// Weeks that the scenario looks ahead.
        ahead: usize,
    },
    /// Units that pay now.
    Buy {
        /// The last slot that is bought.
        slot: f64,
        /// Weeks until one can buy again.
        top_up_weeks: usize,
        /// What the last unit is worth until then.
        next: Worth,
        /// What it is worth over the term.
        term: Worth,
        /// Why the unit after it is not bought.
        limit: Limit,
    },
    /// Units that will pay from the entry's week on.
    Plan {
        /// Hours that they are used at least, until one can buy again and over the term.
        used: f64,
        /// Hours that the offer needs.
        needed: f64,
    },
    /// Units that are well used now and about to end.
    Ends {
        /// The first slot that is not bought.
        slot: f64,
        /// Its worth until one can buy again.
        next: Worth,
        /// Its worth over the term.
        term: Worth,
        /// The week of the step that takes demand away; `None` when no step does.
        step: Option<u16>,
    },
    /// Units that pay on average and that caution leaves.
    Cautious {
        /// The first slot that is not bought.
        slot: f64,
        /// Its worth over the term.
        term: Worth,
    },
    /// No unit pays.
    Idle {
        /// The first slot.
        slot: f64,
        /// The better of its worths.
        best: Worth,
    },
    /// A sentence of a fixture, which no rule gives.
    #[cfg(test)]
    Fixture(&'static str),
}

/// Why no further unit is bought.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Limit {
    /// It would pay on average; the worst futures stop it.
    Caution,
    /// It is not worth its price until one can buy again.
    Next(Worth),
    /// It is not worth its price over the term.
    Term(Worth),
}
