//! The memo of a planning session: one page of Markdown for whoever decides. The question, the answer and why, dollars with
//! their band beside the other scenarios, what to buy now, what it rests on, the risks, and what would change it. JSON has
//! all figures.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use super::super::markdown::{self, escape};
use super::super::sheet::{Cell, Sheet};
use super::advice::{because, bought, decision, entries, is_judged, saves_something};
use super::plan::SessionReport;
use super::{columns, number, range, share, worth};
use crate::tabs::whatif::picture::notes;
use crate::view::room::{cut, wrap};
use crate::view::{Align, ViewContext, format};
use crate::whatif::lists::ListReason as R;
use crate::whatif::whole::JUDGED;
use crate::whatif::{
    Answer, Demand, DemandOrigin, FamilyInputs, ListEntry, Scenario, StepKind, TornadoBar,
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

/// Most columns of purchases in a row of a table, so that those of one offer stand there whole.
const PURCHASES: usize = 26;

/// Most columns of a scenario's name there, where nothing else is left to cut: those of `A as recommended`.
const SHORTEST_NAME: usize = 16;

/// The memo of the active plan, compared with the others, as Markdown of at most one page: its lists are cut, with how
/// many items they leave out, until it is.
pub fn whatif_memo(report: &SessionReport, ctx: &ViewContext) -> String {
    let memo = |most| Memo { out: String::new(), report, ctx, most, is_cut: false }.written();
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
    /// True where it was said already how to get what lists leave out.
    is_cut: bool,
}

impl Memo<'_> {
    fn written(mut self) -> String {
        let Some(plan) = self.report.active() else { return self.out };
        let alone = plan.scenario.counted_alone();
        let (scenario, answer) = (&*alone, plan.answer.as_deref());
        self.head(scenario, answer);
        if let Some(answer) = answer {
            self.worth(scenario, answer);
            self.purchases(scenario, answer);
        }
        self.rests_on(scenario, answer);
        self.risks(scenario, answer);
        if let Some(answer) = answer {
            self.would_change(scenario, answer);
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

    /// The first items as points, at most `most`, and how many are left out, which are `what`.
    fn points(&mut self, items: &[String], most: usize, what: [&str; 2]) {
        items.iter().take(most).for_each(|text| self.point(text));
        let Some(more) = items.len().checked_sub(most).filter(|more| *more > 0) else { return };
        let more = format::counted(more, what[0], what[1]);
        // Once is enough.
        let all = match std::mem::replace(&mut self.is_cut, true) {
            true => "",
            false => ": all by `burntop whatif memo --format json`, on the tab by `:export json`",
        };
        let _ = writeln!(self.out, "- {more}{all}.");
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

    /// Purchases in at most `width` columns: the first one, and how many more.
    fn some(&self, purchases: &[String], width: usize) -> String {
        match purchases {
            [] => "nothing".to_owned(),
            [one] => cut(one, width, self.ctx.symbols),
            [first, more @ ..] => {
                let more = format!(" and {} more", more.len());
                format!("{}{more}", cut(first, width.saturating_sub(more.len()), self.ctx.symbols))
            }
        }
    }

    fn head(&mut self, scenario: &Scenario, answer: Option<&Answer>) {
        let name = if scenario.name.is_empty() { "Plan" } else { &scenario.name };
        let letter = match self.report.plans.len() {
            0 | 1 => String::new(),
            _ => format!(" ({})", self.report.active.letter()),
        };
        let _ = writeln!(self.out, "# {}{letter}", escape(&self.name(name)));
        let counted: Vec<&FamilyInputs> = scenario.counted().collect();
        let of = match counted[..] {
            [one] => self.name(&one.name),
            _ => format::counted(counted.len(), "family", "families"),
        };
        let weeks = answer.map_or(scenario.future.weeks, |answer| answer.weeks);
        let weeks = format::plural(usize::from(weeks), "week");
        let asked = format!("Which commitments to buy for {of} over {weeks}?");
        let _ = writeln!(self.out, "{}", escape(&asked));
        if !scenario.note.is_empty() {
            self.say(&cut(&scenario.note, SENTENCE / 2, self.ctx.symbols));
        }
        let own = self.some(&bought(scenario, true), SENTENCE / 2);
        let decided = answer.map_or_else(
            || format!("It was not valued yet: there are no figures. The scenario buys {own}."),
            |answer| decision(scenario, answer, &own, &|name| self.sentence(name)),
        );
        self.lead("Answer", &decided);
        if let Some(why) = answer.and_then(|answer| because(scenario, answer)) {
            self.lead("Because", &cut(&why, 2 * SENTENCE, self.ctx.symbols));
        }
    }

    fn worth(&mut self, scenario: &Scenario, answer: &Answer) {
        self.heading("What it is worth");
        let has_others = self.report.plans.len() > 1;
        let sheet = match has_others {
            false => worth::alone(scenario, answer, self.ctx),
            true => worth::side_by_side(
                self.report,
                &|name| match self.most {
                    0 => cut(name, SHORTEST_NAME, self.ctx.symbols),
                    _ => self.name(name),
                },
                &|purchases| self.some(purchases, PURCHASES),
                self.ctx,
            ),
        };
        self.out.push_str(&markdown::table(&sheet));
        // Of one family it is said above.
        let of = answer.scope(scenario).filter(|_| scenario.only.is_none());
        let of = of.map_or_else(String::new, |scope| format!("Of {scope} together. "));
        let saves = match has_others {
            false => format!(
                "Saves: against all of it on demand, {} on average. Worst 5%: what it saves in the worst 5% of the \
                 futures. Dearer: the share of the futures in which on demand alone costs less.",
                format::usd_total(answer.total.on_demand_usd)
            ),
            true => "Saves: against all of the scenario's own demand on demand.".to_owned(),
        };
        // The past itself has no band.
        let band = if answer.paths > 0 { " Nine futures of ten cost P5 to P95." } else { "" };
        // Where the comparisons, which say what parts it, have no room.
        let is_apart = self.most == 0 && worth::has_other_demand(self.report);
        let apart = if is_apart { " The demand differs: costs are not compared." } else { "" };
        self.point(&format!("{of}{saves}{band}{apart}"));
        let sentence = |text: &str| self.sentence(text);
        let found = self.report.comparisons.iter();
        let said: Vec<String> =
            found.map(|found| worth::compared(self.report, found, &sentence)).collect();
        self.points(&said, self.most, ["more comparison", "more comparisons"]);
    }

    fn purchases(&mut self, scenario: &Scenario, answer: &Answer) {
        let lists = &answer.lists;
        if !is_judged(answer)
            || lists.buy.is_empty() && lists.plan.is_empty() && lists.avoid.is_empty()
        {
            return;
        }
        self.heading("What to buy now");
        let (saving, mut others): (Vec<&ListEntry>, Vec<&ListEntry>) =
            lists.buy.iter().partition(|entry| saves_something(entry));
        let (later, never): (Vec<&ListEntry>, Vec<&ListEntry>) =
            lists.plan.iter().partition(|entry| saves_something(entry));
        let (shown, rest) = saving.split_at(saving.len().min(self.purchases_shown()));
        if !shown.is_empty() {
            let table = markdown::table(&self.entries(scenario, answer, shown));
            self.out.push_str(&table);
            let stop = match because(scenario, answer) {
                Some(_) => String::new(),
                None => format!(
                    " Units stop where caution ({}) does, by which the worst 5% of the futures count; lowest mean at: \
                     without it.",
                    format::percent_trimmed(scenario.future.caution * 100.0, 1)
                ),
            };
            self.point(&format!(
                "Saves: on average over {} of the futures, beyond what is held and the rows above. No loss after: if all \
                 demand ended then, these units together would have cost no more than on demand (the tab says it of one \
                 unit, the last).{stop}",
                format::count(f64::from(answer.paths.min(JUDGED))),
            ));
        }
        self.later(scenario, &later);
        let mut left_out = Vec::new();
        if !rest.is_empty() {
            let saves = format::usd_total(rest.iter().map(|entry| entry.saves_usd).sum());
            let more = format::counted(
                rest.len(),
                "more to buy, which saves",
                "more to buy, which together save",
            );
            left_out.push(format!("{more} {saves}"));
        }
        others.extend(never);
        others.extend(&lists.avoid);
        left_out.extend(refused(&others));
        if !left_out.is_empty() {
            self.point(&format!("Offers not listed: {}.", left_out.join(", ")));
        }
    }

    /// What would pay at later chances to buy, which nobody asked for.
    fn later(&mut self, scenario: &Scenario, later: &[&ListEntry]) {
        let Some(first) = later.iter().min_by_key(|entry| entry.week) else { return };
        let named: Vec<String> = entries(std::slice::from_ref(*first), true);
        let more = match later.len() - 1 {
            0 => String::new(),
            more => format!(" and {}", format::counted(more, "more purchase", "more purchases")),
        };
        let usd: f64 = later.iter().map(|entry| entry.saves_usd).sum();
        self.point(&format!(
            "A proposal for later, no part of the above: {}{more} would save {} if demand goes as expected. A chance to \
             buy comes every {}; judge it again then.",
            self.some(&named, SENTENCE / 2),
            format::usd_total(usd),
            format::plural(usize::from(scenario.future.top_up_weeks), "week")
        ));
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
        let counted: Vec<&FamilyInputs> = scenario.counted().collect();
        let row = |entry: &&ListEntry| {
            let what = match counted[..] {
                // The one family is said above.
                [one] if one.name == entry.family => self.name(&entry.offer),
                _ => self.name(&format!("{} {}", entry.family, entry.offer)),
            };
            let once = Some(entry.upfront_usd).filter(|usd| *usd > 0.0);
            vec![
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
                ("units", "Units", Align::Right),
                ("what", "Of", Align::Left),
                ("best_units", "Lowest mean at", Align::Right),
                ("usd_per_hour", "Rate", Align::Right),
                ("upfront_usd", "Upfront", Align::Right),
                ("monthly_usd", "A month", Align::Right),
                ("saves_usd", "Saves", Align::Right),
                ("safe_months", "No loss after", Align::Right),
            ]),
            rows: entries.iter().map(row).collect(),
        }
    }

    fn rests_on(&mut self, scenario: &Scenario, answer: Option<&Answer>) {
        self.heading("What it rests on");
        let (demand, future) = (&*self.report.demand, &scenario.future);
        self.point(&format!(
            "Demand: {}. Made {} with burntop {}.",
            self.sentence(&demand_in_words(demand)),
            self.ctx.now.strftime("%Y-%m-%d %H:%MZ"),
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
        let common = match scenario.counted().count() {
            0 | 1 => String::new(),
            _ => format!(", {} of the random growth common to all", share(future.correlation)),
        };
        self.point(&format!(
            "Valued over {how}{common}; cost of capital {} per year. Dollars are nominal, of list prices unless the \
             inputs say otherwise.",
            share(future.wacc),
        ));
        let growth = |of: fn(&FamilyInputs) -> f64| range(scenario.counted().map(of), share);
        self.point(&format!(
            "{} Growth {} per year; drift, what nobody knows of it, {} and shock, of single weeks, {} per week.",
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
        self.points(&own, self.most, ["more assumption", "more assumptions"]);
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
                "Commitments are paid, used or not: {} in all, for {:.1} months on average. In the worst 5% of the \
                 futures what is bought now {worst} {usd}; on demand alone is cheaper in {} of all.",
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
        self.points(&gaps, self.most, ["more gap", "more gaps"]);
        self.point(notes::AS_IT_RAN);
        self.point(&notes::made_of(scenario));
    }

    fn would_change(&mut self, scenario: &Scenario, answer: &Answer) {
        if answer.tornado.is_empty() {
            return;
        }
        self.heading("What would change it");
        self.point("One input at a time: the change of the scenario's mean cost, and of the units of the lowest mean.");
        let has_family = scenario.counted().count() != 1;
        // What changes the decision first, then what changes the cost most.
        let (deciding, others): (Vec<_>, Vec<_>) =
            answer.tornado.iter().partition(|bar| bar.decision_changes());
        let said: Vec<String> =
            deciding.into_iter().chain(others).map(|bar| self.change(bar, has_family)).collect();
        self.points(&said, self.most.max(1), ["more input", "more inputs"]);
    }

    /// What moving an input changes: `growth per year at 10%: -$231,110, 3 units fewer; at 50%: +$223,652, 3 units more`. Of
    /// the units only what parts them: they are of fewer futures than those of the tables, and may be others.
    fn change(&self, bar: &TornadoBar, has_family: bool) -> String {
        let [now, low, high] = bar.best_units.map(f64::round);
        let side = |at: usize, units: f64| {
            let usd = format::usd_signed(bar.usd[at], format::usd_total);
            let apart = format::plural((units - now).abs() as usize, "unit");
            let units = if units < now {
                format!(", {apart} fewer")
            } else if units > now {
                format!(", {apart} more")
            } else {
                String::new()
            };
            format!("at {}: {usd}{units}", bar.values[at])
        };
        let family = if has_family { self.name(&bar.family) } else { String::new() };
        let input = format!("{family} {}", bar.input);
        format!("{} {}; {}.", input.trim_start(), side(0, low), side(1, high))
    }
}

/// A demand in words: where it is from, when it ran, and how much of it there is.
fn demand_in_words(demand: &Demand) -> String {
    let from: &str = match &demand.origin {
        DemandOrigin::Csv(name) | DemandOrigin::Bill(name) => name,
        DemandOrigin::History => "what burntop saw running",
        DemandOrigin::Demo => "the demo",
    };
    let [start, end] = [demand.start, demand.end()].map(|at| at.strftime("%Y-%m-%d").to_string());
    let weeks = format::plural(demand.whole_weeks().len(), "whole week");
    format!("{from}, {start} to {end}, {weeks}")
}

/// How many offers should not be bought, by why; those that nobody can judge are not called worth nothing.
fn refused(avoid: &[&ListEntry]) -> Vec<String> {
    let unknown = avoid.iter().filter(|e| matches!(e.reason, R::NoRate(_) | R::NoPrice)).count();
    let unsold = avoid.iter().filter(|e| e.reason == R::NotSold).count();
    let said = [
        (avoid.len() - unknown - unsold, ["that saves nothing", "that save nothing"]),
        (
            unknown,
            [
                "that cannot be judged, as its rate or price is not known",
                "that cannot be judged, as their rates or prices are not known",
            ],
        ),
        (unsold, ["that AWS does not sell"; 2]),
    ];
    let some = said.into_iter().filter(|(n, _)| *n > 0);
    some.map(|(n, [one, many])| format::counted(n, one, many)).collect()
}

/// What a scenario says of one family beside its price, its growth and what it buys; `None` where it says nothing.
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
    (!parts.is_empty()).then(|| format!("{}: {}.", family.name, parts.join("; ")))
}
