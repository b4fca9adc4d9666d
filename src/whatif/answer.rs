//! What a scenario comes to: made by the engine, drawn and printed by others. Dollars are nominal
//! over the scenario's weeks unless a field says otherwise.

use super::lists::ListReason;
use super::scenario::{OfferKind, Payment, Scenario};
use crate::domain::format::{noun, percent_trimmed};

/// How complete an answer is. Each stage replaces the one before.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Stage {
    /// Valued over the first few futures, fast enough to follow a slider.
    Quick,
    /// Valued over all futures of the scenario.
    Settled,
    /// Valued over all futures, with what takes longer: regret, tornado, cautious units, lists.
    Whole,
}

/// The valuation of a scenario: all families together, each family, and what to buy.
#[derive(Clone, Debug, PartialEq)]
pub struct Answer {
    /// Stage of the valuation.
    pub stage: Stage,
    /// Number of futures valued; 0 = the history itself.
    pub paths: u32,
    /// Weeks valued from now on.
    pub weeks: u16,
    /// Valuation of all families that have a price, together.
    pub total: Valuation,
    /// Valuation of each family, in the scenario's order; `None` without an on-demand price.
    pub families: Vec<Option<FamilyAnswer>>,
    /// Offers to buy now, to plan and to avoid; empty before [`Stage::Whole`], unless they are known from a scenario that
    /// differs by purchases alone.
    pub lists: Lists,
    /// Valuation of the scenario with what [`Lists::buy`] advises in place of its own purchases; what is held stays.
    /// `None` before [`Stage::Whole`], and where nothing is advised.
    pub advised: Option<Valuation>,
    /// Change of the mean cost when one input moves, the largest first; empty before [`Stage::Whole`].
    pub tornado: Vec<TornadoBar>,
    /// Purchases and expiries of commitments, by week.
    pub calendar: Vec<CalendarEntry>,
}

/// Cost and figures of one portfolio over all futures. Dollars are nominal, over all weeks of the answer.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Valuation {
    /// Units committed at the same time in the coming week: held and bought.
    pub commit: f64,
    /// Cost of all commitments, used or not, USD.
    pub fixed_usd: f64,
    /// Mean cost over the futures, USD.
    pub mean_usd: f64,
    /// Two standard errors of `mean_usd`, USD; 0 with fewer than two futures.
    pub mean_error_usd: f64,
    /// The 5% quantile of the cost over the futures, USD (lower order statistic: the ⌈q·n⌉th smallest).
    pub p5_usd: f64,
    /// Median cost, USD: the 50% quantile, as `p5_usd`.
    pub p50_usd: f64,
    /// The 95% quantile of the cost, USD, as `p5_usd`.
    pub p95_usd: f64,
    /// Mean cost of the same demand without any commitment or spot, USD.
    pub on_demand_usd: f64,
    /// Mean demand over all weeks of the answer, unit-hours; 0 for all families together, as their units differ.
    pub unit_hours: f64,
    /// Mean of the worst 5% of savings against on-demand, USD; negative = a loss.
    pub worst5_savings_usd: f64,
    /// Share of the futures in which everything on demand would cost less, 0–1.
    pub prob_above_on_demand: f64,
    /// Effective savings rate, 1 − mean cost ÷ mean on-demand cost; `None` without any demand.
    pub esr: Option<f64>,
    /// Share of the demand's unit-hours that commitments cover, 0–1: mean over all futures; `None` without
    /// demand. For all families together weighted by dollars at on-demand prices, as their units differ.
    pub coverage: Option<f64>,
    /// Share of the committed unit-hours that are used, 0–1; `None` without commitments. For all families
    /// together weighted by dollars committed, Compute Savings Plans included.
    pub utilisation: Option<f64>,
    /// Mean regret, USD: cost above the best commitment in hindsight, over the futures; `None` until computed.
    pub regret_usd: Option<f64>,
    /// Months that commitments still run, weighted by the dollars left to pay; 0 without commitments.
    pub lock_in_months: f64,
    /// Present value of the mean cost, USD, at the scenario's cost of capital.
    pub npv_usd: f64,
}

/// Valuation of one family, and the data of its charts.
#[derive(Clone, Debug, PartialEq)]
pub struct FamilyAnswer {
    /// Cost and figures of the family's own portfolio, without Compute Savings Plans, which belong to no
    /// family.
    pub value: Valuation,
    /// Load-duration curve of the demand ahead.
    pub curve: CurvePicture,
    /// Demand by week, with its quantiles.
    pub fan: Vec<FanWeek>,
    /// Cost by units of the offer that the slider moves, ascending in units.
    pub costs: Vec<CostPoint>,
    /// Cumulative cash of one unit of that offer against on-demand; `None` without an offer that has a rate.
    pub payback: Option<Payback>,
    /// Break-even and best number of units of each offer, in the scenario's order.
    pub offers: Vec<OfferAnswer>,
}

/// A load-duration curve: how many units run in at least a given share of the hours.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CurvePicture {
    /// Units at shares 0, 1/(n−1), …, 1 of the hours, descending.
    pub units: Vec<f64>,
    /// The 5% quantile of `units` over single futures.
    pub low: Vec<f64>,
    /// The 95% quantile of `units` over single futures.
    pub high: Vec<f64>,
    /// Units committed in the coming week, held and bought.
    pub committed: f64,
    /// Best number of units of each offer by itself: index of the offer and units.
    pub optima: Vec<(usize, f64)>,
}

/// Demand of one week over all futures, in mean units per hour.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct FanWeek {
    /// The 5% quantile over the futures.
    pub p5: f64,
    /// The median over the futures.
    pub p50: f64,
    /// The 95% quantile over the futures.
    pub p95: f64,
    /// Units committed in this week, held and bought.
    pub committed: f64,
}

/// A point of the curve of cost over committed units.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct CostPoint {
    /// Units bought of the offer that the slider moves.
    pub commit: f64,
    /// Mean cost over the futures, USD.
    pub mean_usd: f64,
    /// The 5% quantile of the cost, USD.
    pub p5_usd: f64,
    /// The 95% quantile of the cost, USD.
    pub p95_usd: f64,
    /// Mean of the worst 5% of savings against on-demand, USD; negative = a loss.
    pub worst5_savings_usd: f64,
}

/// Cumulative cash of one unit over the commitment's term: committed, and on demand.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Payback {
    /// USD paid for the commitment by the end of month 0, 1, …
    pub committed_usd: Vec<f64>,
    /// USD paid on demand by the end of month 0, 1, … at `utilisation`.
    pub on_demand_usd: Vec<f64>,
    /// Share of the hours in which this unit runs, 0–1.
    pub utilisation: f64,
    /// Months after which demand may vanish without a loss; `None` when not within the term.
    pub safe_months: Option<f64>,
    /// Months until the cumulative cash stays below on-demand's; `None` when not within the term.
    pub break_even_months: Option<f64>,
    /// Month in which the on-demand price falls, and by which share (0.44 = 44% less, negative = dearer);
    /// `None` when it stays.
    pub price_cut: Option<(f64, f64)>,
}

/// Break-even and best number of units of one offer for one family.
#[derive(Clone, Debug, PartialEq)]
pub struct OfferAnswer {
    /// Name of the offer in the scenario.
    pub name: String,
    /// Kind of commitment.
    pub kind: OfferKind,
    /// Term, weeks.
    pub weeks: u16,
    /// When it is paid.
    pub payment: Payment,
    /// USD per unit and hour, amortised; `None` where not known.
    pub rate: Option<f64>,
    /// Share of the hours that a unit must run to pay: rate ÷ on-demand, above 1 where the offer is dearer;
    /// `None` without either price.
    pub break_even: Option<f64>,
    /// Units of this offer alone with the lowest mean cost; `None` without a rate.
    pub best_units: Option<f64>,
    /// Units with the best mix of mean and worst 5% of savings (the scenario's caution), whatever the scenario buys; `None`
    /// until computed.
    pub cautious_units: Option<f64>,
    /// Units that the scenario buys of it.
    pub bought: f64,
}

impl OfferAnswer {
    /// Units to advise: `cautious_units` where computed, else `best_units`; `None` without both.
    pub fn advised_units(&self) -> Option<f64> {
        self.cautious_units.or(self.best_units)
    }

    /// Sentence with the units of the lowest mean, those with `caution` (0–1), and why they differ; `None`
    /// without `best_units`.
    pub fn why_units(&self, caution: f64) -> Option<String> {
        let best = shown(self.best_units?);
        let word = noun(usize::from(best == "1"), "unit");
        let Some(cautious) = self.cautious_units.map(shown) else {
            return Some(format!("lowest mean at {best} {word}"));
        };
        let share = percent_trimmed(caution * 100.0, 1);
        Some(if cautious == best {
            format!("lowest mean at {best} {word}, with caution {share} the same")
        } else {
            format!(
                "lowest mean at {best} {word}; {cautious} with caution {share}, by which the worst 5% \
                 of the futures count for {share} of the judgement"
            )
        })
    }

    /// The same in a few words, to stand behind the units to advise: "not 20 (lowest mean): caution 50%"; `None`
    /// without `best_units`.
    pub fn why_in_short(&self, caution: f64) -> Option<String> {
        let best = shown(self.best_units?);
        let Some(cautious) = self.cautious_units.map(shown) else {
            return Some("the lowest mean".to_owned());
        };
        let share = percent_trimmed(caution * 100.0, 1);
        Some(if cautious == best {
            format!("the lowest mean, with caution {share} the same")
        } else {
            format!("not {best} (lowest mean): caution {share}")
        })
    }
}

/// Units with at most one decimal.
fn shown(units: f64) -> String {
    format!("{}", (units * 10.0).round() / 10.0)
}

impl Answer {
    /// Which families `total` covers, for headings: "all 3 families", "2 of 3 families" where some have no
    /// price, "only a" where `scenario`, to which it is the answer, plans for that one; `None` for a scenario of one
    /// family.
    pub fn scope(&self, scenario: &Scenario) -> Option<String> {
        let (all, valued) = (self.families.len(), self.families.iter().flatten().count());
        // An answer that is late may still be of all.
        if let Some(only) = scenario.only.as_ref().filter(|_| valued < 2) {
            return Some(format!("only {only}"));
        }
        match (valued, all) {
            (_, 0 | 1) => None,
            (valued, all) if valued == all => Some(format!("all {all} families")),
            (valued, all) => Some(format!("{valued} of {all} families")),
        }
    }
}

/// Judgement of every offer: buy now, plan, do not buy.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Lists {
    /// Purchases that pay now.
    pub buy: Vec<ListEntry>,
    /// Purchases that pay later, if demand stays as expected.
    pub plan: Vec<ListEntry>,
    /// Offers that do not pay, or cannot be judged.
    pub avoid: Vec<ListEntry>,
}

/// An offer of one family, with the judgement and its figures.
#[derive(Clone, Debug, PartialEq)]
pub struct ListEntry {
    /// Name of the family.
    pub family: String,
    /// Name of the offer.
    pub offer: String,
    /// Units to buy.
    pub units: f64,
    /// Week of the purchase, 0 = now.
    pub week: u16,
    /// USD per hour for all these units, amortised over the term.
    pub usd_per_hour: f64,
    /// USD due at the purchase.
    pub upfront_usd: f64,
    /// USD due per month of the term.
    pub monthly_usd: f64,
    /// Mean saving against on-demand over the scenario's weeks, USD.
    pub saves_usd: f64,
    /// Months after which demand may vanish without a loss; `None` when not within the term.
    pub safe_months: Option<f64>,
    /// Dollar-weighted mean months that commitments still run after this purchase.
    pub lock_in_months: f64,
    /// Whether it meets the FinOps thresholds: return above 10%, break-even within nine months, utilisation of
    /// at least 80%.
    pub marks: [bool; 3],
    /// Reason why it is on the list.
    pub reason: ListReason,
}

/// Change of the mean cost when one input moves to a lower and a higher value.
#[derive(Clone, Debug, PartialEq)]
pub struct TornadoBar {
    /// Name of the family; empty for an input of all families.
    pub family: String,
    /// Label of the input.
    pub input: String,
    /// Lower and higher value of the input, with units, as shown.
    pub values: [String; 2],
    /// Change of the mean cost at the lower and at the higher value, USD, over the same futures; 0 for a value
    /// that cannot be valued.
    pub usd: [f64; 2],
    /// Best units of the moved offer now, at the lower and at the higher value: the decision changes where they
    /// differ.
    pub best_units: [f64; 3],
}

impl TornadoBar {
    /// True when the best number of units at either value differs from today's.
    pub fn decision_changes(&self) -> bool {
        let [now, low, high] = self.best_units.map(f64::round);
        now != low || now != high
    }
}

/// A commitment that begins or ends.
#[derive(Clone, Debug, PartialEq)]
pub struct CalendarEntry {
    /// Week in which it does, 0 = now.
    pub week: u16,
    /// Name of the family; empty for a Compute Savings Plan.
    pub family: String,
    /// Name of the offer or of the commitment held.
    pub name: String,
    /// Units that begin (positive) or end (negative); USD per hour for a Compute Savings Plan.
    pub units: f64,
    /// Mean coverage of the family in this week over the futures, 0–1; `None` without demand or family.
    pub coverage: Option<f64>,
    /// Dollar-weighted mean months that commitments still run afterwards.
    pub lock_in_months: f64,
}

/// Difference of two scenarios, future by future.
#[derive(Clone, Debug, PartialEq)]
pub struct Comparison {
    /// Mean over the futures of cost of the other − cost of the base, USD.
    pub mean_usd: f64,
    /// Two standard errors of `mean_usd`, USD, from the paired differences; 0 with one future.
    pub error_usd: f64,
    /// Share of the futures in which the other is cheaper, 0–1.
    pub cheaper: f64,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn offer(best_units: Option<f64>, cautious_units: Option<f64>) -> OfferAnswer {
        OfferAnswer {
            name: "1y".into(),
            kind: OfferKind::StandardRi,
            weeks: 52,
            payment: Payment::NoUpfront,
            rate: Some(0.6),
            break_even: Some(0.6),
            best_units,
            cautious_units,
            bought: 0.0,
        }
    }

    #[test]
    fn two_numbers_of_units_stand_together_with_what_parts_them() {
        let said = offer(Some(20.0), Some(14.0)).why_units(0.5).unwrap();
        assert!(said.starts_with("lowest mean at 20 units; 14 with caution 50%,"), "{said}");
        let short = |best, cautious| offer(best, cautious).why_in_short(0.5);
        let said = short(Some(20.0), Some(14.0)).unwrap();
        assert_eq!(said, "not 20 (lowest mean): caution 50%");
        let said = short(Some(14.0), Some(14.0)).unwrap();
        assert_eq!(said, "the lowest mean, with caution 50% the same");
        assert_eq!(short(Some(20.0), None).unwrap(), "the lowest mean");
        assert_eq!(short(None, Some(1.0)), None);
        assert_eq!(offer(Some(20.0), Some(14.0)).advised_units(), Some(14.0));
        let same = offer(Some(14.0), Some(14.0)).why_units(0.5).unwrap();
        assert_eq!(same, "lowest mean at 14 units, with caution 50% the same");
        assert_eq!(offer(Some(20.0), None).why_units(0.5).unwrap(), "lowest mean at 20 units");
        assert_eq!(offer(Some(20.0), None).advised_units(), Some(20.0));
        assert_eq!(offer(Some(1.0), None).why_units(0.5).unwrap(), "lowest mean at 1 unit");
        assert_eq!(offer(None, Some(1.0)).why_units(0.5), None);
    }
}
