//! What keeps a scenario from being valued.

use thiserror::Error;

/// Why a scenario cannot be valued, and what to do about it.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum EngineError {
    /// Futures are made of whole weeks, and the demand has none.
    #[error(
        "the demand has no whole week without a gap ({hours} hours are known): \
         futures need at least one; with 0 paths the hours themselves are valued"
    )]
    NoWholeWeek {
        /// Hours known, of the family with the fewest.
        hours: usize,
    },
    /// Not one hour of a family is known, so that there is no history to value.
    #[error("no hour of the demand of {family} is known")]
    NoHours {
        /// The family.
        family: String,
    },
    /// The scenario names a family that the demand does not have.
    #[error("the demand has no family {family:?}; it has {}", known.join(", "))]
    UnknownFamily {
        /// As the scenario has it.
        family: String,
        /// What the demand has.
        known: Vec<String>,
    },
    /// A family is there twice.
    #[error("family {family:?} is in the scenario twice: keep one")]
    FamilyTwice {
        /// The family.
        family: String,
    },
    /// No family has an on-demand price.
    #[error("no family has an on-demand price: set one (USD per unit and hour)")]
    NoPrice,
    /// A purchase of something that is not among the family's offers.
    #[error("{family} buys {offer:?}, which is not among its offers")]
    UnknownOffer {
        /// The family.
        family: String,
        /// As the purchase calls it.
        offer: String,
    },
    /// A purchase whose rate is not known.
    #[error("{family} buys {offer:?}, whose rate is not known: set it (USD per unit and hour)")]
    NoRate {
        /// The family.
        family: String,
        /// The offer.
        offer: String,
    },
    /// A number out of its range.
    #[error("{what} is {value}: it must be {range}")]
    Number {
        /// Which number, in words.
        what: String,
        /// What it is.
        value: f64,
        /// What it may be.
        range: &'static str,
    },
}
