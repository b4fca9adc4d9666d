//! What a scenario comes to: made by the engine, drawn and printed by others. Dollars are nominal
//! over the scenario's weeks unless a field says otherwise.

use super::lists::ListReason;
use super::scenario::{OfferKind, Payment};

/// How far an answer is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Stage {
    /// From some of the futures, to follow a slider.
    Quick,
    /// From all of them.
    Settled,
    /// With everything that takes longer: regret, tornado, risk-aware optimum, lists.
    Whole,
}

/// Everything known of a scenario.
#[derive(Clone, Debug, PartialEq)]
pub struct Answer {
    /// How far it is.
    pub stage: Stage,
    /// Futures that it is made from; 0 = the history itself.
    pub paths: u32,
    /// Weeks looked ahead.
    pub weeks: u16,
    /// All families together.
    pub total: Valuation,
    /// Each family, in the scenario's order; `None` where it cannot be valued (no price).
    pub families: Vec<Option<FamilyAnswer>>,
    /// What to do; empty before [`Stage::Whole`].
    pub lists: Lists,
    /// One input at a time, the largest effect first; empty before [`Stage::Whole`].
    pub tornado: Vec<TornadoBar>,
    /// Rungs and expiries.
    pub calendar: Vec<CalendarEntry>,
}

/// A portfolio over all futures.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Valuation {
    /// Units committed at once in the coming week, held and bought.
    pub commit: f64,
    /// What is paid whatever happens, USD.
    pub fixed_usd: f64,
    /// Cost, USD: mean over the futures.
    pub mean_usd: f64,
    /// Two standard errors of the mean, USD.
    pub mean_error_usd: f64,
    /// Cost that 5 %, 50 % and 95 % of the futures do not exceed, USD (lower order statistics: the
    /// ⌈q·n⌉th smallest).
    pub p5_usd: f64,
    /// See `p5_usd`.
    pub p50_usd: f64,
    /// See `p5_usd`.
    pub p95_usd: f64,
    /// The same demand on demand alone, USD: mean.
    pub on_demand_usd: f64,
    /// Mean of the worst 5 % of savings against on-demand, USD: negative = a loss.
    pub worst5_savings_usd: f64,
    /// Part of the futures in which on-demand alone is cheaper, 0–1.
    pub prob_above_on_demand: f64,
    /// Effective savings rate, 1 − mean cost ÷ mean on-demand cost; `None` without any demand.
    pub esr: Option<f64>,
    /// Part of the demand's unit-hours that commitments cover, 0–1: mean over all futures. Of all
    /// families together by dollars at on-demand prices, as their units are not alike.
    pub coverage: Option<f64>,
    /// Part of the committed unit-hours that are used, 0–1; `None` without commitments. Of all
    /// families together by dollars committed, Compute Savings Plans among them.
    pub utilisation: Option<f64>,
    /// Mean over the futures of what it costs above the best commitment in hindsight, USD;
    /// `None` until computed.
    pub regret_usd: Option<f64>,
    /// Weighted mean of the months that commitments still run, by dollars left.
    pub lock_in_months: f64,
    /// Present value of the mean cost, USD.
    pub npv_usd: f64,
}

/// A family's part of the answer.
#[derive(Clone, Debug, PartialEq)]
pub struct FamilyAnswer {
    /// Its own portfolio (Compute Savings Plans are not in it: they have no family).
    pub value: Valuation,
    /// The load-duration curve of the demand ahead.
    pub curve: CurvePicture,
    /// Demand by week.
    pub fan: Vec<FanWeek>,
    /// Cost by units of the offer that the slider moves, cheapest rate first; ascending commits.
    pub costs: Vec<CostPoint>,
    /// Cumulative dollars by month for one unit of that offer.
    pub payback: Option<Payback>,
    /// What each offer is worth here.
    pub offers: Vec<OfferAnswer>,
}

/// The load-duration curve: for how large a part of the hours at least so many units run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CurvePicture {
    /// Units at parts 0, 1/(n−1), …, 1 of the hours, falling.
    pub units: Vec<f64>,
    /// The same for the single futures at the edges: 5 % and 95 % of them lie below.
    pub low: Vec<f64>,
    /// See `low`.
    pub high: Vec<f64>,
    /// Units committed in the coming week.
    pub committed: f64,
    /// Where each offer's own optimum lies: offer's index and units.
    pub optima: Vec<(usize, f64)>,
}

/// Demand of a week over all futures, mean units per hour.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct FanWeek {
    /// 5 % of the futures are not above.
    pub p5: f64,
    /// Half.
    pub p50: f64,
    /// 95 %.
    pub p95: f64,
    /// Units committed in this week.
    pub committed: f64,
}

/// A point of the curve of cost over commitment.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct CostPoint {
    /// Units of the moved offer.
    pub commit: f64,
    /// Cost, USD: mean and edges.
    pub mean_usd: f64,
    /// 5 % of the futures are not above.
    pub p5_usd: f64,
    /// 95 %.
    pub p95_usd: f64,
    /// Mean of the worst 5 % of savings, USD.
    pub worst5_savings_usd: f64,
}

/// Cumulative cash of one unit, bought or not.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Payback {
    /// USD paid for the commitment after month 0, 1, …
    pub committed_usd: Vec<f64>,
    /// USD paid on demand after month 0, 1, …, at the utilisation below.
    pub on_demand_usd: Vec<f64>,
    /// Part of the hours that this unit is used, 0–1.
    pub utilisation: f64,
    /// After so many months demand may vanish and nothing is lost; `None` when never.
    pub safe_months: Option<f64>,
    /// Months until the cash paid is below on-demand's for good; `None` when never.
    pub break_even_months: Option<f64>,
    /// The month of a price cut and the part cut.
    pub price_cut: Option<(f64, f64)>,
}

/// What one offer is worth.
#[derive(Clone, Debug, PartialEq)]
pub struct OfferAnswer {
    /// As in the scenario.
    pub name: String,
    /// Its kind.
    pub kind: OfferKind,
    /// Its term in weeks.
    pub weeks: u16,
    /// How it is paid.
    pub payment: Payment,
    /// USD per unit and hour; `None` where not known.
    pub rate: Option<f64>,
    /// A unit must be used for this part of the hours to pay, 0–1: rate ÷ on-demand.
    pub break_even: Option<f64>,
    /// Units of it alone with the lowest mean cost.
    pub best_units: Option<f64>,
    /// Units with the best mix of mean and worst 5 % (the scenario's caution); `None` until computed.
    pub cautious_units: Option<f64>,
    /// Units that this scenario buys.
    pub bought: f64,
}

impl OfferAnswer {
    /// The units that are advised: cautious ones where they are known, else those of the lowest mean.
    pub fn advised_units(&self) -> Option<f64> {
        self.cautious_units.or(self.best_units)
    }

    /// The units of the lowest mean, those that caution (0–1) leaves, and why these are others; `None`
    /// where no number is known to be best.
    pub fn why_units(&self, caution: f64) -> Option<String> {
        let show = |units: f64| format!("{}", (units * 10.0).round() / 10.0);
        let best = show(self.best_units?);
        let Some(cautious) = self.cautious_units.map(show) else {
            return Some(format!("lowest mean at {best} units"));
        };
        let share = show(caution * 100.0);
        Some(if cautious == best {
            format!("lowest mean at {best} units, with caution {share}% the same")
        } else {
            format!(
                "lowest mean at {best} units; {cautious} with caution {share}%, by which the worst 5% \
                 of the futures count for {share}% of the judgement"
            )
        })
    }
}

impl Answer {
    /// What `total` is of: "all 3 families", "2 of 3 families" where some cannot be valued; `None` for
    /// the only family of a scenario.
    pub fn scope(&self) -> Option<String> {
        let (all, valued) = (self.families.len(), self.families.iter().flatten().count());
        match (valued, all) {
            (_, 0 | 1) => None,
            (valued, all) if valued == all => Some(format!("all {all} families")),
            (valued, all) => Some(format!("{valued} of {all} families")),
        }
    }
}

/// Buy now, plan, do not buy.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Lists {
    /// Buy now.
    pub buy: Vec<ListEntry>,
    /// Later, if demand stays as expected.
    pub plan: Vec<ListEntry>,
    /// Do not buy.
    pub avoid: Vec<ListEntry>,
}

/// An entry of a list.
#[derive(Clone, Debug, PartialEq)]
pub struct ListEntry {
    /// The family.
    pub family: String,
    /// The offer.
    pub offer: String,
    /// Units.
    pub units: f64,
    /// In which week, 0 = now.
    pub week: u16,
    /// USD per hour while it runs.
    pub usd_per_hour: f64,
    /// USD due at once.
    pub upfront_usd: f64,
    /// USD due per month.
    pub monthly_usd: f64,
    /// Mean saving against on-demand over the scenario's weeks, USD.
    pub saves_usd: f64,
    /// After so many months demand may vanish and nothing is lost.
    pub safe_months: Option<f64>,
    /// Lock-in after this purchase, months.
    pub lock_in_months: f64,
    /// The FinOps marks: return above 10 %, break-even within nine months, utilisation of 80 %.
    pub marks: [bool; 3],
    /// Why.
    pub reason: ListReason,
}

/// What one input does to the mean cost.
#[derive(Clone, Debug, PartialEq)]
pub struct TornadoBar {
    /// The family, or empty for all.
    pub family: String,
    /// The input, in words.
    pub input: String,
    /// Its values, lower and higher, in words.
    pub values: [String; 2],
    /// Change of the mean cost at each, USD, with common futures.
    pub usd: [f64; 2],
    /// The best units now and at each value: the decision changes where they differ.
    pub best_units: [f64; 3],
}

impl TornadoBar {
    /// True when the best number of units is another one at either value.
    pub fn decision_changes(&self) -> bool {
        let [now, low, high] = self.best_units.map(f64::round);
        now != low || now != high
    }
}

/// Something that begins or ends.
#[derive(Clone, Debug, PartialEq)]
pub struct CalendarEntry {
    /// In which week.
    pub week: u16,
    /// The family, or empty for a Compute Savings Plan.
    pub family: String,
    /// The offer's or the holding's name.
    pub name: String,
    /// Units that begin (positive) or end (negative); dollars per hour for a Compute Savings Plan.
    pub units: f64,
    /// Coverage of the family in this week, mean over the futures.
    pub coverage: Option<f64>,
    /// Lock-in after it, months.
    pub lock_in_months: f64,
}

/// Two scenarios over the same futures.
#[derive(Clone, Debug, PartialEq)]
pub struct Comparison {
    /// Mean of (other − base) cost, USD.
    pub mean_usd: f64,
    /// Two standard errors of it, USD: from the paired differences.
    pub error_usd: f64,
    /// Part of the futures in which the other is cheaper, 0–1.
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
        assert_eq!(offer(Some(20.0), Some(14.0)).advised_units(), Some(14.0));
        let same = offer(Some(14.0), Some(14.0)).why_units(0.5).unwrap();
        assert_eq!(same, "lowest mean at 14 units, with caution 50% the same");
        assert_eq!(offer(Some(20.0), None).why_units(0.5).unwrap(), "lowest mean at 20 units");
        assert_eq!(offer(Some(20.0), None).advised_units(), Some(20.0));
        assert_eq!(offer(None, Some(1.0)).why_units(0.5), None);
    }
}
