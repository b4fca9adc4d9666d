//! The memo of a planning session: one page of Markdown for whoever decides. The answer and why, the question, dollars
//! with their band, what to buy when, what it rests on, the risks, and what would change it. JSON has all figures.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use super::super::markdown::{self, escape};
use super::super::sheet::{Cell, Sheet};
use super::advice::{because, buys_nothing, decision, is_judged};
use super::plan::SessionReport;
use super::{columns, demand_line, number, share};
use crate::tabs::whatif::picture::{demand_gap, notes};
use crate::view::room::{cut, wrap};
use crate::view::{Align, ViewContext, format};
use crate::whatif::compare::DemandDifference;
use crate::whatif::lists::ListReason as R;
use crate::whatif::whole::JUDGED;
use crate::whatif::{
    Answer, FamilyInputs, ListEntry, Scenario, SlotComparison, StepKind, Valuation,
};

/// Lines of a page, and columns of a line: what a memo has when its lines are wrapped.
const PAGE: (usize, usize) = (60, 100);

/// Most items of each list of the memo.
const ITEMS: usize = 6;

/// Most columns of a name, so that rows of tables stay on one line.
const NAME: usize = 40;

/// The same where little else is left to cut.
const SHORT_NAME: usize = 22;

/// Most columns of a sentence that somebody else wrote, or that names many things.
const SENTENCE: usize = 190;

/// The memo of the active plan, compared with the others, as Markdown of at most one page: its lists are cut, with how
/// many items they leave out, until it is.
pub fn whatif_memo(report: &SessionReport, ctx: &ViewContext) -> String {
    let memo = |most| Memo { out: String::new(), report, ctx, most }.written();
    let lines = |text: &str| text.lines().map(|line| wrap(line, PAGE.1).len()).sum::<usize>();
    let mut sizes = (0..=ITEMS).rev().map(memo);
    sizes.find(|text| lines(text) <= PAGE.0).unwrap_or_else(|| memo(0))
}

struct Memo<'a> {
    out: String,
    report: &'a SessionReport,
    ctx: &'a ViewContext,
    /// Most items of each list.
    most: usize,
}

impl Memo<'_> {
    fn written(mut self) -> String {
        let Some(plan) = self.report.active() else { return self.out };
        let alone = plan.scenario.counted_alone();
        let (scenario, answer) = (&*alone, plan.answer.as_deref());
        self.head(scenario, answer);
        if let Some(answer) = answer {
            self.purchases(scenario, answer);
            self.worth(scenario, answer);
        }
        self.rests_on(scenario, answer);
        self.risks(scenario, answer);
        if let Some(answer) = answer {
            self.would_change(answer);
        }
        self.out
    }

    fn say(&mut self, text: &str) {
        let _ = writeln!(self.out, "\n{}", escape(text));
    }

    /// A paragraph behind a word that says what it is.
    fn lead(&mut self, word: &str, text: &str) {
        let _ = writeln!(self.out, "\n**{word}.** {}", escape(text));
    }

    fn point(&mut self, text: &str) {
        let _ = writeln!(self.out, "- {}", escape(text));
    }

    /// The first items as points, and how many more JSON has, which are `what`.
    fn points(&mut self, items: &[String], what: [&str; 2]) {
        items.iter().take(self.most).for_each(|text| self.point(text));
        if let Some(more) = items.len().checked_sub(self.most).filter(|more| *more > 0) {
            let more = format::counted(more, what[0], what[1]);
            self.point(&format!("{more} more: see JSON."));
        }
    }

    fn heading(&mut self, text: &str) {
        let _ = writeln!(self.out, "\n## {text}");
    }

    fn name(&self, text: &str) -> String {
        let width = if self.most < 2 { SHORT_NAME } else { NAME };
        cut(text, width, self.ctx.symbols)
    }

    fn sentence(&self, text: &str) -> String {
        cut(text, SENTENCE, self.ctx.symbols)
    }

    fn head(&mut self, scenario: &Scenario, answer: Option<&Answer>) {
        let name = if scenario.name.is_empty() { "Plan" } else { &scenario.name };
        let _ = writeln!(self.out, "# {}", escape(&self.name(name)));
        if !scenario.note.is_empty() {
            self.say(&cut(&scenario.note, SENTENCE / 2, self.ctx.symbols));
        }
        let decided = answer.map_or_else(
            || "It was not valued yet: there are no figures.".to_owned(),
            |answer| decision(scenario, answer, &|name| self.sentence(name)),
        );
        self.lead("Answer", &decided);
        if let Some(why) = answer.and_then(|answer| because(scenario, answer)) {
            self.lead("Because", &cut(&why, 2 * SENTENCE, self.ctx.symbols));
        }
        let counted: Vec<&FamilyInputs> = scenario.counted().collect();
        let of = match counted[..] {
            [one] => self.name(&one.name),
            _ => format::counted(counted.len(), "family", "families"),
        };
        let weeks = answer.map_or(scenario.future.weeks, |answer| answer.weeks);
        let weeks = format::plural(usize::from(weeks), "week");
        self.lead("Question", &format!("Which commitments to buy for {of} over {weeks}?"));
    }

    fn purchases(&mut self, scenario: &Scenario, answer: &Answer) {
        let lists = &answer.lists;
        if !is_judged(answer)
            || lists.buy.is_empty() && lists.plan.is_empty() && lists.avoid.is_empty()
        {
            return;
        }
        self.heading("What to buy, and when");
        // By what is shown: `$0` is no reason to do anything.
        let (saving, mut others): (Vec<&ListEntry>, Vec<&ListEntry>) = lists
            .buy
            .iter()
            .chain(&lists.plan)
            .partition(|e| format::usd_total(e.saves_usd) != format::usd_total(0.0));
        let (shown, rest) = saving.split_at(saving.len().min(self.purchases_shown()));
        if !shown.is_empty() {
            let table = markdown::table(&self.entries(scenario, answer, shown));
            self.out.push_str(&table);
        }
        let mut left_out = Vec::new();
        if !rest.is_empty() {
            let saves = format::usd_total(rest.iter().map(|entry| entry.saves_usd).sum());
            let count = format::count(rest.len() as f64);
            left_out.push(format!("{count} that save {saves} together"));
        }
        others.extend(&lists.avoid);
        left_out.extend(refused(&others));
        if !left_out.is_empty() {
            self.point(&format!("Not listed: {}.", left_out.join(", ")));
        }
        if !shown.is_empty() {
            self.point(&format!(
                "Saves: on average, on top of what is held and of the rows above, over {} of the futures. Units stop \
                 where caution ({}) does, by which the worst 5% of the futures count; best alone: the lowest mean.",
                format::count(f64::from(answer.paths.min(JUDGED))),
                format::percent_trimmed(scenario.future.caution * 100.0, 1),
            ));
        }
    }

    /// Most purchases that are listed: they are what a memo is read for, and give way last.
    fn purchases_shown(&self) -> usize {
        if self.most == 0 { 2 } else { (self.most + 3).min(ITEMS) }
    }

    fn entries(&self, scenario: &Scenario, answer: &Answer, entries: &[&ListEntry]) -> Sheet {
        let best = |entry: &ListEntry| {
            let at = scenario.families.iter().position(|family| family.name == entry.family)?;
            let offers = &answer.families.get(at)?.as_ref()?.offers;
            offers.iter().find(|offer| offer.name == entry.offer)?.best_units
        };
        let row = |entry: &&ListEntry| {
            let when = match entry.week {
                0 => "now".to_owned(),
                week => format!("week {week}"),
            };
            let what = self.name(&format!("{} {}", entry.family, entry.offer));
            let once = Some(entry.upfront_usd).filter(|usd| *usd > 0.0);
            vec![
                Cell::text(when),
                Cell::text(format::count(entry.units)),
                Cell::text(what),
                number(best(entry), self.ctx, format::count),
                Cell::text(format::usd_per_hour(entry.usd_per_hour)),
                Cell::text(once.map_or_else(|| "none".to_owned(), format::usd_total)),
                Cell::text(format::usd_total(entry.monthly_usd)),
                Cell::text(format::usd_total(entry.saves_usd)),
                number(entry.safe_months, self.ctx, |months| format!("{months:.1} mo")),
            ]
        };
        Sheet {
            columns: columns(&[
                ("when", "When", Align::Left),
                ("units", "Units", Align::Right),
                ("what", "Of", Align::Left),
                ("best_units", "Best alone", Align::Right),
                ("usd_per_hour", "Rate", Align::Right),
                ("upfront_usd", "Upfront", Align::Right),
                ("monthly_usd", "A month", Align::Right),
                ("saves_usd", "Saves", Align::Right),
                ("safe_months", "Safe after", Align::Right),
            ]),
            rows: entries.iter().map(row).collect(),
        }
    }

    fn worth(&mut self, scenario: &Scenario, answer: &Answer) {
        self.heading("What it is worth");
        let row = |name: String, value: &Valuation| {
            let usd = |v: f64| number(Some(v), self.ctx, format::usd_short);
            let mean = format!(
                "{} ± {}",
                format::usd_total(value.mean_usd),
                format::usd_total(value.mean_error_usd)
            );
            let esr = self.ctx.symbols.or_unknown(value.esr, share);
            let saves = format::usd_total(value.on_demand_usd - value.mean_usd);
            vec![
                Cell::text(name),
                Cell::text(mean),
                usd(value.p5_usd),
                usd(value.p95_usd),
                Cell::text(format!("{saves} ({esr})")),
                usd(value.worst5_savings_usd),
                number(Some(value.prob_above_on_demand), self.ctx, share),
            ]
        };
        let mut rows = Vec::new();
        for plan in &self.report.plans {
            let Some(found) = &plan.answer else { continue };
            let letter = plan.slot.letter();
            let name = match self.most {
                0 | 1 => letter.to_owned(),
                _ => self.name(format!("{letter} {}", plan.scenario.name).trim_end()),
            };
            let is_none = buys_nothing(&plan.scenario.counted_alone());
            let buys = if is_none { ": buys nothing" } else { "" };
            rows.push(row(format!("{name}{buys}"), &found.total));
            let is_active = plan.slot == self.report.active;
            if let Some(advised) = found.advised.as_ref().filter(|_| is_active) {
                rows.push(row(format!("{letter} as advised now"), advised));
            }
        }
        let sheet = Sheet {
            columns: columns(&[
                ("name", "Plan", Align::Left),
                ("mean_usd", "Mean ± 2 s.e.", Align::Right),
                ("p5_usd", "P5", Align::Right),
                ("p95_usd", "P95", Align::Right),
                ("saves", "Saves", Align::Right),
                ("worst5_savings_usd", "In the worst 5%", Align::Right),
                ("prob", "Dearer", Align::Right),
            ]),
            rows,
        };
        self.out.push_str(&markdown::table(&sheet));
        let of = answer.scope(scenario).map_or_else(String::new, |scope| match &scenario.only {
            Some(only) => format!("Of {} alone. ", self.name(only)),
            None => format!("Of {scope} together. "),
        });
        self.point(&format!(
            "{of}Saves, and dearer in which share of the futures: against all of it on demand, {} on average.",
            format::usd_total(answer.total.on_demand_usd)
        ));
        let said: Vec<String> =
            self.report.comparisons.iter().map(|found| self.comparison(found)).collect();
        self.points(&said, ["comparison", "comparisons"]);
    }

    /// A comparison in words: in dollars, unless they would look like a gain where the demand is another one.
    fn comparison(&self, found: &SlotComparison) -> String {
        let names = [found.base.letter(), found.other.letter()];
        match self.report.demand_difference(found) {
            Some(DemandDifference::None) => compared(found),
            Some(DemandDifference::SameWork) => {
                format!("{} {}", compared(found), demand_gap::same_work(names))
            }
            Some(DemandDifference::Other(gaps)) => {
                let esr = [found.base, found.other].map(|slot| {
                    self.report.plan(slot).and_then(|plan| plan.answer.as_ref()?.total.esr)
                });
                let differs = self.sentence(&demand_gap::differs(names, &gaps));
                let savings = demand_gap::savings(esr, self.ctx.symbols);
                format!("{} against {}: {differs} It {savings}.", names[1], names[0])
            }
            None => {
                let only = |slot| self.report.plan(slot).map(|plan| &plan.scenario.only);
                let why = match only(found.base) == only(found.other) {
                    true => demand_gap::not_compared(names),
                    false => demand_gap::other_families(names),
                };
                format!("{} against {}: {why}", names[1], names[0])
            }
        }
    }

    fn rests_on(&mut self, scenario: &Scenario, answer: Option<&Answer>) {
        self.heading("What it rests on");
        let (demand, future) = (&*self.report.demand, &scenario.future);
        self.point(&format!(
            "Demand: {} to {:.0}. Made {:.0} with burntop {}.",
            self.sentence(&demand_line(demand)),
            demand.end(),
            self.ctx.now,
            env!("CARGO_PKG_VERSION"),
        ));
        let weeks = format::plural(usize::from(future.weeks), "week");
        let how = match answer.map(|answer| answer.paths) {
            Some(0) => "the past itself, hour by hour".to_owned(),
            Some(paths) => format!(
                "{} {} of {weeks} from {}, seed {}",
                format::grouped(f64::from(paths), 0),
                format::noun(paths as usize, "future"),
                format::plural(demand.whole_weeks().len(), "whole past week"),
                future.seed
            ),
            None => format!("{weeks}, seed {}", future.seed),
        };
        self.point(&format!(
            "Valued over {how}; cost of capital {} per year, common part of the random growth {}, next purchase in {}. \
             Dollars are nominal list prices unless the inputs say otherwise.",
            share(future.wacc),
            share(future.correlation),
            format::plural(usize::from(future.top_up_weeks), "week")
        ));
        let growth = |of: fn(&FamilyInputs) -> f64| range(scenario.counted().map(of), share);
        self.point(&format!(
            "{} Growth {} per year, drift {} and shock {} per week.",
            self.prices(&scenario.families),
            growth(|family| family.growth),
            growth(|family| family.drift),
            growth(|family| family.shock)
        ));
        let mut own: Vec<String> =
            scenario.counted().filter_map(assumed).map(|text| self.sentence(&text)).collect();
        own.extend(scenario.compute_plans.iter().map(|plan| {
            let weeks = format::plural(usize::from(plan.weeks), "week");
            let from = format!("for {weeks} from week {}", plan.week);
            self.sentence(&format!(
                "{}: {} {from}.",
                plan.name,
                format::usd_per_hour(plan.usd_per_hour)
            ))
        }));
        self.points(&own, ["assumption", "assumptions"]);
    }

    /// Sources of the on-demand prices, with how many families have theirs from each.
    fn prices(&self, families: &[FamilyInputs]) -> String {
        let priced = || families.iter().filter(|family| family.on_demand.is_some());
        let sources: BTreeSet<&str> = priced().map(|family| &*family.prices_from).collect();
        let said: Vec<String> = sources
            .iter()
            .map(|source| {
                let of = priced().filter(|family| family.prices_from == **source);
                let prices =
                    range(of.clone().filter_map(|family| family.on_demand), format::usd_per_hour);
                let from = if source.is_empty() { "as given" } else { source };
                format!("{prices} ({}, {from})", format::counted(of.count(), "family", "families"))
            })
            .collect();
        let said = if said.is_empty() { "none is known".to_owned() } else { said.join("; ") };
        format!("On-demand prices: {}.", self.sentence(&said))
    }

    fn risks(&mut self, scenario: &Scenario, answer: Option<&Answer>) {
        self.heading("Risks, and what is not known");
        if let Some(advised) = answer.and_then(|answer| answer.advised.as_ref()) {
            let usd = format::usd_total(advised.worst5_savings_usd.abs());
            let worst = if advised.worst5_savings_usd < 0.0 { "loses" } else { "saves" };
            self.point(&format!(
                "Commitments are paid, used or not: {} in all, for {:.1} months in the mean. In the worst 5% of the \
                 futures what is bought now {worst} {usd}; everything on demand is cheaper in {} of them all.",
                format::usd_total(advised.fixed_usd),
                advised.lock_in_months,
                share(advised.prob_above_on_demand)
            ));
        }
        let mut gaps: Vec<String> = Vec::new();
        for note in &self.report.demand.notes {
            let note = note.trim_end_matches('.');
            gaps.push(self.sentence(&format!("Demand: {note}.")));
        }
        gaps.extend(notes::gaps(scenario, SENTENCE / 2, self.ctx.symbols));
        self.points(&gaps, ["gap", "gaps"]);
        self.point(notes::AS_IT_RAN);
        self.point(&notes::made_of(scenario));
    }

    fn would_change(&mut self, answer: &Answer) {
        if answer.tornado.is_empty() {
            return;
        }
        self.heading("What would change it");
        // What changes the decision first, then what changes the cost most.
        let (deciding, others): (Vec<_>, Vec<_>) =
            answer.tornado.iter().partition(|bar| bar.decision_changes());
        for bar in deciding.into_iter().chain(others).take(self.most.max(1)) {
            let [low, high] = bar.usd.map(|usd| format::usd_signed(usd, format::usd_total));
            let decision = if bar.decision_changes() { "; the best units change" } else { "" };
            self.point(&format!(
                "{} {}: {} → {low}, {} → {high}{decision}.",
                self.name(&bar.family),
                bar.input,
                bar.values[0],
                bar.values[1]
            ));
        }
    }
}

/// How many offers should not be bought, by why; those that nobody can judge are not called worth nothing.
fn refused(avoid: &[&ListEntry]) -> Vec<String> {
    let unknown = avoid.iter().filter(|e| matches!(e.reason, R::NoRate(_) | R::NoPrice)).count();
    let unsold = avoid.iter().filter(|e| e.reason == R::NotSold).count();
    let said = [
        (avoid.len() - unknown - unsold, "that save nothing"),
        (unknown, "that cannot be judged, their rate or price not being known"),
        (unsold, "that AWS does not sell"),
    ];
    let some = said.into_iter().filter(|(n, _)| *n > 0);
    some.map(|(n, what)| format!("{} {what}", format::count(n as f64))).collect()
}

/// The least and the largest of some numbers, in words; one where both read the same.
fn range(of: impl Iterator<Item = f64> + Clone, words: fn(f64) -> String) -> String {
    let low = words(of.clone().fold(f64::INFINITY, f64::min));
    let high = words(of.fold(f64::NEG_INFINITY, f64::max));
    if low == high { low } else { format!("{low} to {high}") }
}

/// A comparison in words.
fn compared(found: &SlotComparison) -> String {
    let SlotComparison { base, other, result, .. } = found;
    format!(
        "{} against {}: {} ± {} (2 s.e., paired); cheaper in {} of the futures.",
        other.letter(),
        base.letter(),
        format::usd_signed(result.mean_usd, format::usd_total),
        format::usd_total(result.error_usd),
        share(result.cheaper)
    )
}

/// What a scenario says of one family beside its price and growth; `None` where it says nothing.
fn assumed(family: &FamilyInputs) -> Option<String> {
    let mut parts = Vec::new();
    for step in &family.steps {
        let what = match &step.kind {
            StepKind::Launch { units } => {
                let noun = format::noun(usize::from(*units != 1.0) + 1, "unit");
                format!("{} {noun} more", format::count(*units))
            }
            StepKind::Scale { factor } => format!("times {factor}"),
            StepKind::Move { share: part, to, ratio } => {
                format!("{} to {to} at {ratio} for one", share(*part))
            }
        };
        parts.push(format!("week {}: {what}", step.week));
    }
    if let Some(cut) = family.price_cut {
        parts.push(format!("on demand {} cheaper from week {}", share(cut.share), cut.week));
    }
    if let Some(spot) = family.spot {
        parts.push(format!(
            "spot for {} at {}, there {} of the time",
            share(spot.share),
            format::usd_per_hour(spot.price),
            share(spot.availability)
        ));
    }
    for held in &family.held {
        parts.push(format!(
            "held: {} {} at {}, {} left",
            format::count(held.units),
            held.name,
            format::usd_per_hour(held.rate),
            format::plural(usize::from(held.weeks_left), "week")
        ));
    }
    for buy in family.buys.iter().filter(|buy| buy.units > 0.0) {
        let rate = family.offers.iter().find(|offer| offer.name == buy.offer);
        let rate = rate.and_then(|offer| offer.rate).map(format::usd_per_hour);
        parts.push(format!(
            "bought: {} {} in week {}{}",
            format::count(buy.units),
            buy.offer,
            buy.week,
            rate.map_or_else(String::new, |rate| format!(" at {rate}"))
        ));
    }
    (!parts.is_empty()).then(|| format!("{}: {}.", family.name, parts.join("; ")))
}
