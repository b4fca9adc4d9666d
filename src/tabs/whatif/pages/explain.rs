//! The arithmetic of the numbers on screen.

use super::paragraph;
use crate::app::App;
use crate::app::Role;
use crate::app::content::Line;
use crate::tabs::whatif::picture::{Group, words};
use crate::tabs::whatif::state::Plan;
use crate::view::format;
use crate::whatif::{Answer, FamilyAnswer, FamilyInputs, OfferAnswer, Scenario, Valuation};

/// The page.
pub(super) fn lines(app: &App, width: usize) -> Vec<Line> {
    let tab = app.whatif();
    let mut lines = Vec::new();
    let (Some(scenario), Some(answer)) = (tab.scenario(), tab.answer()) else {
        lines.push(Line::of(Role::Dim, "There is no answer to explain yet."));
        return lines;
    };
    if tab.plan().is_some_and(Plan::is_behind) {
        paragraph(Role::Warn, "Of the scenario before the last change.", width, &mut lines);
    }
    let underway = tab.plan().is_some_and(Plan::is_underway);
    let page = Page { scenario, answer, underway, width };
    if let Group::Family(at) = tab.group()
        && let Some(family) = scenario.families.get(at)
    {
        match answer.families.get(at).and_then(Option::as_ref) {
            Some(found) => page.family(at, found, &mut lines),
            None => {
                lines.push(Line::of(Role::Heading, family.name.clone()));
                let says = "It has no on-demand price, so that nothing of it can be valued.";
                paragraph(Role::Warn, says, width, &mut lines);
            }
        }
        lines.push(Line::new());
    }
    let all = match &scenario.only {
        Some(name) if matches!(tab.group(), Group::Family(_)) => {
            // Its own figures stand above, and are all there are.
            paragraph(Role::Dim, &format!("Only {name} is planned for."), width, &mut lines);
            return lines;
        }
        Some(name) => format!("Only {name}"),
        None => "All families".to_owned(),
    };
    lines.push(Line::of(Role::Heading, all));
    page.value(&answer.total, &mut lines);
    lines
}

struct Page<'a> {
    scenario: &'a Scenario,
    answer: &'a Answer,
    /// True while the whole answer to the scenario as it is may still come.
    underway: bool,
    width: usize,
}

impl Page<'_> {
    fn says(&self, text: &str, lines: &mut Vec<Line>) {
        for part in super::wrap(text, self.width.saturating_sub(2).max(8)) {
            lines.push(Line::new().text("  ").text(part));
        }
    }

    fn family(&self, at: usize, found: &FamilyAnswer, lines: &mut Vec<Line>) {
        let Some(inputs) = self.scenario.families.get(at) else { return };
        lines.push(Line::of(Role::Heading, inputs.name.clone()));
        self.bought(found, lines);
        self.value(&found.value, lines);
        for offer in &found.offers {
            lines.push(Line::new());
            lines.push(Line::of(Role::Accent, offer.name.clone()));
            self.offer(inputs, offer, lines);
        }
        if let Some(payback) = &found.payback {
            lines.push(Line::new());
            lines.push(Line::of(Role::Heading, "Payback of one unit"));
            let used = words::share(payback.utilisation);
            let unit = words::payback_unit(self.scenario, at);
            self.says(&format!("The {unit} is used {used} of the hours."), lines);
            if let Some(safe) = payback.safe_months {
                let text = format!(
                    "No loss after {} (safe): term in months × rate ÷ on-demand price ÷ use. From then on demand \
                     may vanish and nothing is lost. In the lists and the memo it is that of all units of a \
                     purchase together, of which the last is used least.",
                    words::months(safe)
                );
                self.says(&text, lines);
            }
        }
    }

    /// What is bought of each offer, beside what is best and why.
    fn bought(&self, found: &FamilyAnswer, lines: &mut Vec<Line>) {
        for offer in found.offers.iter().filter(|offer| offer.bought > 0.0) {
            let Some(why) = offer.why_units(self.scenario.future.caution) else { continue };
            let units = words::units(offer.bought);
            self.says(&format!("{units} {} bought: {why}", offer.name), lines);
        }
    }

    fn value(&self, value: &Valuation, lines: &mut Vec<Line>) {
        let usd = format::usd_total;
        let rest = value.mean_usd - value.fixed_usd;
        let futures = words::futures(self.answer, self.scenario);
        self.says(
            &format!(
                "mean {} = {} paid whatever happens + {} for what runs beyond it, over {} and \
                 {futures}, give or take {} (two standard errors)",
                usd(value.mean_usd),
                usd(value.fixed_usd),
                usd(rest),
                format::plural(usize::from(self.answer.weeks), "week"),
                usd(value.mean_error_usd)
            ),
            lines,
        );
        if let Some(esr) = value.esr {
            self.says(
                &format!(
                    "saved share of the cost (ESR) {} = 1 − {} ÷ {}, the same demand on demand alone",
                    words::share(esr),
                    usd(value.mean_usd),
                    usd(value.on_demand_usd)
                ),
                lines,
            );
        }
        let part = |part: Option<f64>| part.map(words::share);
        if let Some(coverage) = part(value.coverage) {
            let text = format!(
                "coverage {coverage} = unit-hours that commitments serve ÷ unit-hours of demand"
            );
            self.says(&text, lines);
        }
        if let Some(used) = part(value.utilisation) {
            let text = format!(
                "utilisation {used} = unit-hours that commitments serve ÷ unit-hours committed"
            );
            self.says(&text, lines);
        }
        self.says(
            &format!(
                "worst 5%: of the futures in which the plan saves least, it saves {} in the mean; it \
                 costs more than on demand in {} of all futures",
                words::usd_short(value.worst5_savings_usd),
                words::share(value.prob_above_on_demand)
            ),
            lines,
        );
        if let Some(regret) = value.regret_usd {
            let text = format!(
                "regret {}: what it costs above the best commitment that hindsight would have chosen \
                 in each future, in the mean",
                words::usd_short(regret)
            );
            self.says(&text, lines);
        }
        let text = format!(
            "lock-in {}: months that the commitments still run, weighted by the dollars left",
            words::months(value.lock_in_months)
        );
        self.says(&text, lines);
    }

    fn offer(&self, inputs: &FamilyInputs, offer: &OfferAnswer, lines: &mut Vec<Line>) {
        let (Some(rate), Some(price), Some(even)) =
            (offer.rate, inputs.on_demand, offer.break_even)
        else {
            let text = "Its rate is not known: = on its line gives one. Nothing is assumed.";
            paragraph(Role::Warn, text, self.width, lines);
            return;
        };
        self.says(
            &format!(
                "break-even {} = {} ÷ {}: a unit pays when it is used for a larger part of the hours",
                words::share(even),
                format::usd(rate),
                format::usd(price)
            ),
            lines,
        );
        if let Some(best) = offer.best_units {
            self.says(
                &format!(
                    "lowest mean at {}: the fewest that run together for at most {} of the hours ahead; \
                     the next one would be used for less than it needs",
                    words::units_in_words(best),
                    words::share(even)
                ),
                lines,
            );
        }
        let future = &self.scenario.future;
        let caution = words::share(future.caution);
        if self.underway && offer.best_units.is_some() && offer.cautious_units.is_none() {
            // `b` waits for it as well.
            let text = format!("recommended with caution {caution}: being worked out");
            self.says(&text, lines);
        } else if let Some(units) = offer.cautious_units {
            let units = words::units(units);
            let mean = words::share(1.0 - future.caution);
            let text = format!(
                "recommended with caution {caution}: {units}, the best where the mean counts for {mean} and the \
                 worst 5% of the futures for {caution}. `buy the best` takes these. The \
                 list buys at most these, and of them what pays within {} and over the term \
                 as well",
                format::plural(usize::from(future.top_up_weeks), "week")
            );
            self.says(&text, lines);
        }
        if offer.bought > 0.0 {
            self.says(&format!("this scenario buys {}", words::units(offer.bought)), lines);
        }
    }
}
