//! The tiers of a portfolio, and what it comes to.

/// A way to pay for units.
#[derive(Clone, Debug, PartialEq)]
pub struct Tier {
    /// Its name.
    pub name: String,
    /// USD per unit and hour, above 0: for each hour committed, or for each hour used.
    pub rate: f64,
    /// How it is paid.
    pub kind: TierKind,
}

/// How a tier is paid.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum TierKind {
    /// For whole periods, used or not.
    Commitment {
        /// Hours of a period; the whole series where it is longer. The last period is cut at the
        /// end of the series, and paid for to there: [`whole_terms`](super::whole_terms()) makes a
        /// series that cuts none.
        term_hours: usize,
    },
    /// By the hour, for at most this part (0–1) of each hour's demand: 1 for on-demand, less for
    /// spot. Committed units serve first what spot cannot take.
    Usage {
        /// The part.
        share: f64,
    },
}

/// Hours of a term in weeks: a year of 52 weeks is 8,760 h, as the clouds sell it, and 13 weeks a
/// quarter of it; other terms are weeks of 168 h.
pub fn term_hours(weeks: usize) -> usize {
    if weeks > 0 && weeks.is_multiple_of(13) { weeks / 13 * 2190 } else { weeks * 168 }
}

/// USD per unit-hour of spot that is there for a part of the time (0–1), and on demand otherwise.
pub fn blended_spot(price: f64, on_demand: f64, availability: f64) -> f64 {
    availability * price.min(on_demand) + (1.0 - availability) * on_demand
}

/// Whether parts of a unit can be bought.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Units {
    /// Only whole ones.
    Whole,
    /// Any amount: the linear program.
    Parts,
}

/// What the portfolio has of a tier.
#[derive(Clone, Debug, PartialEq)]
pub struct TierUse {
    /// Its name.
    pub name: String,
    /// A commitment: the most units held at once. By use: mean units per known hour.
    pub units: f64,
    /// A commitment: units by period, first to last.
    pub periods: Vec<f64>,
    /// Unit-hours paid for.
    pub unit_hours: f64,
    /// USD.
    pub cost_usd: f64,
}

/// The cheapest portfolio.
#[derive(Clone, Debug, PartialEq)]
pub struct Portfolio {
    /// Tiers, in the order given.
    pub tiers: Vec<TierUse>,
    /// USD over the known hours.
    pub cost_usd: f64,
    /// USD of the same demand on demand alone.
    pub on_demand_usd: f64,
    /// 1 − cost ÷ on-demand cost; `None` without any demand.
    pub esr: Option<f64>,
    /// Part of the demand's unit-hours that commitments serve; `None` without any demand.
    pub coverage: Option<f64>,
    /// Part of the committed unit-hours that are used; `None` without commitments.
    pub utilisation: Option<f64>,
}

/// Tiers that make no question.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum PortfolioError {
    /// Not exactly one tier serves everything by the hour.
    #[error(
        "{count} tiers serve any demand by the hour: give exactly one, with share 1 (on-demand)"
    )]
    OnDemand {
        /// How many do.
        count: usize,
    },
    /// A rate is not above 0.
    #[error("the rate of {name} is {rate}: give dollars per unit and hour, above 0")]
    Rate {
        /// The tier.
        name: String,
        /// As given.
        rate: f64,
    },
    /// A part is not in 0–1.
    #[error("the share of {name} is {share}: give a part between 0 and 1")]
    Share {
        /// The tier.
        name: String,
        /// As given.
        share: f64,
    },
    /// A term of no hours.
    #[error("the term of {name} is 0 hours: give at least 1")]
    Term {
        /// The tier.
        name: String,
    },
    /// Two terms do not fit into each other.
    #[error(
        "terms of {longer} h and {shorter} h cannot be compared period by period: a term must \
         divide the next longer one"
    )]
    Nested {
        /// Hours of the longer.
        longer: usize,
        /// Hours of the shorter.
        shorter: usize,
    },
}
