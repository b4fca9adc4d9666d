//! The tiers of a portfolio, and what it comes to.

/// A price at which units can be had.
#[derive(Clone, Debug, PartialEq)]
pub struct Tier {
    /// Name of the tier.
    pub name: String,
    /// USD per unit and hour, above 0: for each hour committed, or for each hour used.
    pub rate: f64,
    /// Whether it is a commitment or paid by use.
    pub kind: TierKind,
}

/// Charging of a tier.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum TierKind {
    /// Committed for whole periods, used or not.
    Commitment {
        /// Hours of a period; the whole series where it is longer. The last period is cut at the
        /// end of the series, and paid for to there: [`whole_terms`](super::whole_terms()) makes a
        /// series that cuts none.
        term_hours: usize,
    },
    /// By the hour, for at most a share of each hour's demand: 1 for on-demand, less for Spot. Committed units
    /// serve first what Spot cannot take.
    Usage {
        /// Largest share of each hour's demand, 0–1.
        share: f64,
    },
}

/// Hours of a term given in weeks: 52 weeks are 8,760 h, as AWS sells a year, and 13 weeks a quarter of that;
/// other terms are weeks of 168 h.
pub fn term_hours(weeks: usize) -> usize {
    if weeks > 0 && weeks.is_multiple_of(13) { weeks / 13 * 2190 } else { weeks * 168 }
}

/// USD per unit-hour of Spot with on-demand as its fallback: Spot is available for a share `availability` (0–1)
/// of the time.
pub fn blended_spot(price: f64, on_demand: f64, availability: f64) -> f64 {
    availability * price.min(on_demand) + (1.0 - availability) * on_demand
}

/// Whether fractions of a unit can be bought.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Units {
    /// Only whole units.
    Whole,
    /// Any amount: the solution of the linear program.
    Parts,
}

/// Use of one tier in a portfolio.
#[derive(Clone, Debug, PartialEq)]
pub struct TierUse {
    /// Name of the tier.
    pub name: String,
    /// Units: of a commitment the most held at once, of a tier by use the mean per known hour.
    pub units: f64,
    /// Units by period of a commitment, first to last; empty for a tier by use.
    pub periods: Vec<f64>,
    /// Unit-hours paid for.
    pub unit_hours: f64,
    /// Cost, USD.
    pub cost_usd: f64,
}

/// The cheapest portfolio, and its figures.
#[derive(Clone, Debug, PartialEq)]
pub struct Portfolio {
    /// Use of each tier, in the order given.
    pub tiers: Vec<TierUse>,
    /// Cost over the known hours, USD.
    pub cost_usd: f64,
    /// Cost of the same demand on demand alone, USD.
    pub on_demand_usd: f64,
    /// Effective savings rate: 1 − cost ÷ on-demand cost; `None` without demand.
    pub esr: Option<f64>,
    /// Share of the demand's unit-hours that commitments serve, 0–1; `None` without demand.
    pub coverage: Option<f64>,
    /// Share of the committed unit-hours that are used, 0–1; `None` without commitments.
    pub utilisation: Option<f64>,
}

/// Why a set of tiers has no cheapest portfolio.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum PortfolioError {
    /// Not exactly one tier serves all demand by the hour.
    #[error(
        "{count} tiers serve any demand by the hour: give exactly one, with share 1 (on-demand)"
    )]
    OnDemand {
        /// Number of such tiers.
        count: usize,
    },
    /// A rate that is not above 0.
    #[error("the rate of {name} is {rate}: give dollars per unit and hour, above 0")]
    Rate {
        /// Name of the tier.
        name: String,
        /// The rate given, USD per unit and hour.
        rate: f64,
    },
    /// A share outside 0–1.
    #[error("the share of {name} is {share}: give a part between 0 and 1")]
    Share {
        /// Name of the tier.
        name: String,
        /// The share given.
        share: f64,
    },
    /// A term of 0 hours.
    #[error("the term of {name} is 0 hours: give at least 1")]
    Term {
        /// Name of the tier.
        name: String,
    },
    /// A term that is no multiple of a shorter one.
    #[error(
        "terms of {longer} h and {shorter} h cannot be compared period by period: a term must \
         divide the next longer one"
    )]
    Nested {
        /// Hours of the longer term.
        longer: usize,
        /// Hours of the shorter term.
        shorter: usize,
    },
}
