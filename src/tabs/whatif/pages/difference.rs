//! What parts two scenarios: what is bought otherwise, and what that costs or why it cannot be told.

use super::paragraph;
use crate::app::App;
use crate::app::Role;
use crate::app::content::{Line, wrap};
use crate::tabs::whatif::picture::{Input, demand_gap, words};
use crate::tabs::whatif::state::Plan;
use crate::view::Symbols;
use crate::whatif::compare::{DemandDifference, DemandGap, demand_difference, has_same_futures};
use crate::whatif::{Answer, Scenario, Slot};

/// Purchases that differ and are named beside the difference, at most.
const NAMED: usize = 2;

/// What parts a scenario from the first one, which decides whether their costs are compared.
pub(super) enum Difference {
    /// Purchases and prices: the demand is the same.
    None,
    /// Levers and moves too: the same work.
    SameWork,
    /// The demand, in these families, the largest difference first; at least one.
    Gaps(Vec<DemandGap>),
    /// The demand; by how much is not known yet.
    Working,
    /// They are valued over other futures.
    OtherFutures,
    /// They do not plan for the same families.
    OtherFamilies,
    /// One of them has no answer, for a reason that only a change takes away: the sentence.
    NoAnswer(String),
}

impl Difference {
    /// True where costs are compared.
    pub(super) fn is_comparable(&self) -> bool {
        matches!(self, Self::None | Self::SameWork)
    }

    /// Sentence about the demand of these two; `None` where nothing has to be said.
    pub(super) fn sentence(&self, names: [&str; 2]) -> Option<String> {
        match self {
            Self::None => None,
            Self::SameWork => Some(demand_gap::same_work(names)),
            Self::Gaps(gaps) => Some(demand_gap::differs(names, gaps)),
            Self::Working => Some(demand_gap::differs_somehow(names)),
            Self::OtherFutures => Some(demand_gap::other_futures(names)),
            Self::OtherFamilies => Some(demand_gap::other_families(names)),
            Self::NoAnswer(why) => Some(why.clone()),
        }
    }
}

/// The answer to a plan as it is; `None` while there is none.
fn valued(plan: &Plan) -> Option<&Answer> {
    let is_of_now = !plan.is_behind() && plan.trouble().is_none();
    plan.answer().filter(|_| is_of_now).map(|answer| &**answer)
}

/// Sentence why there is no answer to a plan as it is; `None` where there is one, or it is on its way.
fn why_none((slot, plan): (Slot, &Plan)) -> Option<String> {
    let why = plan.trouble().filter(|_| !plan.is_behind())?;
    Some(format!("{} has no answer: {why}", slot.letter()))
}

/// What parts a scenario from the base.
pub(super) fn difference(base: (Slot, &Plan), other: (Slot, &Plan)) -> Difference {
    if let Some(why) = why_none(base).or_else(|| why_none(other)) {
        return Difference::NoAnswer(why);
    }
    let [first, second] = [base.1, other.1].map(|plan| (&**plan.scenario(), valued(plan)));
    if first.0.only != second.0.only {
        return Difference::OtherFamilies;
    }
    if !has_same_futures(first.0, second.0) {
        return Difference::OtherFutures;
    }
    match demand_difference(first, second) {
        Some(DemandDifference::None) => Difference::None,
        Some(DemandDifference::SameWork) => Difference::SameWork,
        Some(DemandDifference::Other(gaps)) => Difference::Gaps(gaps),
        None => Difference::Working,
    }
}

/// What parts two scenarios: what they buy; dollars where both are for the same work, else what each saves of its own demand.
pub(super) fn pair(
    app: &App,
    [(base, first), (other, plan)]: [(Slot, &Plan); 2],
    found: &Difference,
    width: usize,
    lines: &mut Vec<Line>,
) {
    let symbols = app.appearance().symbols;
    let buys = purchases(first.scenario(), plan.scenario());
    let pair = format!("{} against {}: {buys}", other.letter(), base.letter());
    match found {
        Difference::None | Difference::SameWork => {
            paired(app, [base, other], &pair, width, lines);
        }
        Difference::Working
        | Difference::OtherFutures
        | Difference::OtherFamilies
        | Difference::NoAnswer(_) => {
            let why = match found {
                Difference::OtherFutures => "other futures",
                Difference::OtherFamilies => "other families",
                Difference::NoAnswer(_) => "no answer",
                _ => "another demand",
            };
            let text = format!("{pair}{} ({why})", symbols.unknown());
            paragraph(Role::Dim, &text, width, lines);
        }
        Difference::Gaps(gaps) => {
            let esr = [first, plan].map(|plan| valued(plan).and_then(|answer| answer.total.esr));
            let savings = demand_gap::savings(esr, symbols);
            paragraph(Role::Heading, &format!("{pair}{savings}"), width, lines);
            let families = gaps.iter().take(demand_gap::NAMED);
            for text in families.filter_map(demand_gap::family_savings) {
                indented(Role::Text, &text, width, lines);
            }
        }
    }
}

/// What the second buys otherwise than the first: `buys 18 instead of 14 p4d.24xlarge 1y, `; nothing where both buy the same.
fn purchases(from: &Scenario, to: &Scenario) -> String {
    let offers = to.families.iter().enumerate().filter(|(_, family)| to.counts(&family.name));
    let offers = offers.flat_map(|(f, family)| {
        family.offers.iter().enumerate().map(move |(o, offer)| (Input::Bought(f, o), family, offer))
    });
    let units = |input: Input, of: &Scenario| input.get(of).unwrap_or(0.0);
    let differing = offers.filter(|(input, ..)| units(*input, from) != units(*input, to));
    let said: Vec<String> = differing
        .map(|(input, family, offer)| {
            let [new, old] = [to, from].map(|of| words::units(units(input, of)));
            format!("{new} instead of {old} {} {}", family.name, offer.name)
        })
        .collect();
    if said.is_empty() {
        return String::new();
    }
    let more = match said.len().saturating_sub(NAMED) {
        0 => String::new(),
        more => format!(" and {more} more otherwise"),
    };
    format!("buys {}{more}, ", said[..said.len().min(NAMED)].join(", "))
}

/// The difference in dollars, future by future.
fn paired(app: &App, [base, other]: [Slot; 2], pair: &str, width: usize, lines: &mut Vec<Line>) {
    let symbols = app.appearance().symbols;
    let Some(found) = app.whatif().comparison(base, other) else {
        let text = format!("{pair}{} (not compared yet)", symbols.unknown());
        paragraph(Role::Dim, &text, width, lines);
        return;
    };
    let result = &found.result;
    let role = match result.mean_usd {
        usd if usd.abs() <= result.error_usd => Role::Text,
        usd if usd < 0.0 => Role::Ok,
        _ => Role::Idle,
    };
    let less = match result.mean_usd {
        usd if usd < 0.0 => "less",
        usd if usd > 0.0 => "more",
        _ => "more or less",
    };
    let text = format!(
        "{pair}costs {} ± {} {less} on average, cheaper in {} of the futures",
        words::usd_short(result.mean_usd.abs()),
        words::usd_short(result.error_usd),
        words::share(result.cheaper),
    );
    let text = if symbols == Symbols::Ascii { text.replace('±', "+/-") } else { text };
    paragraph(role, &text, width, lines);
    if result.mean_usd.abs() <= result.error_usd {
        paragraph(Role::Dim, "the difference is within its error", width, lines);
    }
}

/// A paragraph two columns in.
pub(super) fn indented(role: Role, text: &str, width: usize, lines: &mut Vec<Line>) {
    let parts = wrap(text, width.saturating_sub(2).max(8));
    lines.extend(parts.into_iter().map(|part| Line::new().text("  ").with(role, part)));
}
