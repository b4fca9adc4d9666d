//! What keeps a scenario from being valued.

use thiserror::Error;

/// Why a scenario cannot be valued; the text names the remedy.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum EngineError {
    /// The demand has no week without a gap, and futures are made of whole weeks.
    #[error(
        "the demand has no whole week without a gap ({hours} hours are known): \
         futures need at least one; with 0 paths the hours themselves are valued"
    )]
    NoWholeWeek {
        /// Known hours of the family with the fewest.
        hours: usize,
    },
    /// A family has no known hour, so there is no history to value.
    #[error("no hour of the demand of {family} is known")]
    NoHours {
        /// Name of the family.
        family: String,
    },
    /// The scenario names a family that the demand does not have.
    #[error("the demand has no family {family:?}; it has {}", known.join(", "))]
    UnknownFamily {
        /// Name in the scenario.
        family: String,
        /// Names of the demand's families.
        known: Vec<String>,
    },
    /// A family occurs twice.
    #[error("family {family:?} is in the scenario twice: keep one")]
    FamilyTwice {
        /// Name of the family.
        family: String,
    },
    /// No family has an on-demand price.
    #[error("no family has an on-demand price: set one (USD per unit and hour)")]
    NoPrice,
    /// A purchase names an offer that the family does not have.
    #[error("{family} buys {offer:?}, which is not among its offers")]
    UnknownOffer {
        /// Name of the family.
        family: String,
        /// Name of the offer in the purchase.
        offer: String,
    },
    /// A purchase of an offer without a rate.
    #[error("{family} buys {offer:?}, whose rate is not known: set it (USD per unit and hour)")]
    NoRate {
        /// Name of the family.
        family: String,
        /// Name of the offer.
        offer: String,
    },
    /// A number outside its range.
    #[error("{what} is {value}: it must be {range}")]
    Number {
        /// Which number, as a phrase.
        what: String,
        /// Value that was given.
        value: f64,
        /// Allowed range, as a phrase.
        range: &'static str,
    },
}
