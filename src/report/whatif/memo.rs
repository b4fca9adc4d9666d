//! The memo of a planning session: one page of Markdown that says what to do, what it is worth, from
//! what, and what is not known.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::super::markdown::{self, escape};
use super::super::sheet::{Cell, Sheet};
use super::plan::SessionReport;
use super::{columns, demand_line, number, payment, share};
use crate::view::{Align, ViewContext, format, reasons};
use crate::whatif::lists::ListReason as R;
use crate::whatif::{
    Answer, FamilyInputs, ListEntry, OfferKind, PRIVATE_PRICES, Scenario, SlotComparison, Stage,
    StepKind,
};

/// Bars of the tornado that a memo has room for.
const BARS: usize = 6;

/// Offers of a list, and families with their units, that a memo has room for.
const OFFERS: usize = 6;

/// The memo of the active plan, compared with the others, as Markdown.
pub fn whatif_memo(report: &SessionReport, ctx: &ViewContext) -> String {
    let mut memo = Memo { out: String::new(), report, ctx };
    memo.head();
    if let Some(answer) = report.active().and_then(|plan| plan.answer.as_ref()) {
        memo.lists(answer);
        memo.worth();
        memo.matters(answer);
    } else {
        memo.say("It was not valued yet: there are no figures.");
    }
    if let Some(plan) = report.active() {
        memo.inputs(&plan.scenario);
        memo.unknown(&plan.scenario, plan.answer.as_deref());
    }
    memo.out
}

struct Memo<'a> {
    out: String,
    report: &'a SessionReport,
    ctx: &'a ViewContext,
}

impl Memo<'_> {
    fn say(&mut self, text: &str) {
        let _ = writeln!(self.out, "\n{}", escape(text));
    }

    fn point(&mut self, text: &str) {
        let _ = writeln!(self.out, "- {}", escape(text));
    }

    fn heading(&mut self, text: &str) {
        let _ = writeln!(self.out, "\n## {text}\n");
    }

    fn head(&mut self) {
        let Some(plan) = self.report.active() else { return };
        let scenario = &plan.scenario;
        let name = if scenario.name.is_empty() { "Plan" } else { &scenario.name };
        let _ = writeln!(self.out, "# {}", escape(name));
        if !scenario.note.is_empty() {
            self.say(&scenario.note);
        }
        let demand = &*self.report.demand;
        let future = &scenario.future;
        let how = match plan.answer.as_ref().map(|answer| answer.paths) {
            Some(0) => "the past itself, hour by hour".to_owned(),
            Some(paths) => format!(
                "{} futures of {} weeks from {} whole past weeks, seed {}",
                format::grouped(f64::from(paths), 0),
                future.weeks,
                demand.whole_weeks().len(),
                future.seed
            ),
            None => format!("{} weeks, seed {}", future.weeks, future.seed),
        };
        self.say(&format!(
            "Made {:.0} with burntop {}. Demand: {} to {:.0}. Valued over {how}. Dollars are nominal \
             list prices unless the inputs say otherwise.",
            self.ctx.now,
            env!("CARGO_PKG_VERSION"),
            demand_line(demand),
            demand.end(),
        ));
    }

    fn lists(&mut self, answer: &Answer) {
        self.heading("What to do");
        if answer.stage < Stage::Whole {
            self.point("The lists were not made yet when this memo was written.");
            return;
        }
        let lists = &answer.lists;
        if lists.buy.is_empty() && lists.plan.is_empty() && lists.avoid.is_empty() {
            self.point("Nothing: no offer with a known rate is worth a word.");
        }
        for (title, entries) in
            [("Buy now", &lists.buy), ("Plan", &lists.plan), ("Do not buy", &lists.avoid)]
        {
            if entries.is_empty() {
                continue;
            }
            // By what is shown: `$0` is no reason to do anything.
            let (saving, others): (Vec<&ListEntry>, Vec<&ListEntry>) = entries
                .iter()
                .partition(|e| format::usd_total(e.saves_usd) != format::usd_total(0.0));
            let _ = writeln!(self.out, "**{title}**\n");
            saving.iter().take(OFFERS).for_each(|entry| self.entry(entry));
            self.left_out(saving.get(OFFERS..).unwrap_or_default(), &others);
            self.out.push('\n');
        }
        self.gates(answer);
    }

    /// Adds the best units of each offer, why the lists buy another number, and which families the sums are about.
    fn gates(&mut self, answer: &Answer) {
        let Some(plan) = self.report.active() else { return };
        let families = plan.scenario.families.iter().zip(&answer.families);
        let offers = families.filter_map(|(inputs, found)| Some((inputs, found.as_ref()?)));
        let mut said = Vec::new();
        for (inputs, offer) in offers.flat_map(|(i, f)| f.offers.iter().map(move |o| (i, o))) {
            let Some(why) = offer.why_units(plan.scenario.future.caution) else { continue };
            let mine =
                |e: &&ListEntry| e.family == inputs.name && e.offer == offer.name && e.week == 0;
            let now: f64 = answer.lists.buy.iter().filter(mine).map(|e| e.units).sum();
            let bought = format!("{} to buy now, for the reason above", format::count(now));
            said.push(format!("{} {}: {why}; {bought}.", inputs.name, offer.name));
        }
        if !said.is_empty() {
            let _ = writeln!(self.out, "**Why so many units**\n");
            said.iter().take(OFFERS).for_each(|text| self.point(text));
            if let Some(more) = said.len().checked_sub(OFFERS).filter(|more| *more > 0) {
                self.point(&format!("{} more are not listed.", format::count(more as f64)));
            }
        }
        self.say(
            "For the demand as it ran: whatever is stopped, made smaller or moved to Spot first needs no \
             commitment. The Overview commits to what these leave, and to less.",
        );
    }

    /// Says how many offers of a list stand nowhere: `smaller` for want of room, `others` because they save `$0` or
    /// because nobody knows what they would.
    fn left_out(&mut self, smaller: &[&ListEntry], others: &[&ListEntry]) {
        let count = |n: usize| format::count(n as f64);
        let mut parts = Vec::new();
        if !smaller.is_empty() {
            let usd: f64 = smaller.iter().map(|e| e.saves_usd).sum();
            let saves = format::usd_total(usd);
            parts.push(format!("{} that save {saves} together", count(smaller.len())));
        }
        let is_unknown = |e: &&&ListEntry| matches!(e.reason, R::NoRate(_) | R::NoPrice);
        let unknown = others.iter().filter(is_unknown).count();
        let unsold = others.iter().filter(|e| e.reason == R::NotSold).count();
        for (n, what) in [
            (others.len() - unknown - unsold, "that save nothing"),
            (unknown, "that cannot be judged, their rate or price not being known"),
            (unsold, "that AWS does not sell"),
        ] {
            if n > 0 {
                parts.push(format!("{} {what}", count(n)));
            }
        }
        if !parts.is_empty() {
            self.point(&format!("Not listed: {}.", parts.join(", ")));
        }
    }

    fn entry(&mut self, entry: &ListEntry) {
        let when = if entry.week > 0 { format!(" in week {}", entry.week) } else { String::new() };
        let cash = if entry.upfront_usd > 0.0 {
            format!(
                ", {} at once and {} a month",
                format::usd_total(entry.upfront_usd),
                format::usd_total(entry.monthly_usd)
            )
        } else {
            format!(", {} a month", format::usd_total(entry.monthly_usd))
        };
        let safe =
            entry.safe_months.map_or_else(String::new, |m| format!(", safe after {m:.1} months"));
        self.point(&format!(
            "{} × {} {}{when} ({}{cash}): saves {} on average{safe}. {}",
            format::count(entry.units),
            entry.family,
            entry.offer,
            format::usd_per_hour(entry.usd_per_hour),
            format::usd_total(entry.saves_usd),
            reasons::list(entry),
        ));
    }

    fn worth(&mut self) {
        self.heading("What it is worth");
        let scope = self.report.active().and_then(|plan| plan.answer.as_ref()?.scope());
        if let Some(scope) = scope {
            let _ = writeln!(self.out, "Of {scope} together.\n");
        }
        let plans: Vec<_> = self.report.plans.iter().filter(|p| p.answer.is_some()).collect();
        let usd = |v: Option<f64>| number(v, self.ctx, format::usd_total);
        let part = |v: Option<f64>| number(v, self.ctx, share);
        let rows = plans.iter().filter_map(|plan| {
            let value = &plan.answer.as_ref()?.total;
            let mean = number(Some(value.mean_usd), self.ctx, |mean| {
                format!("{} ± {}", format::usd_total(mean), format::usd_total(value.mean_error_usd))
            });
            let name = format!("{} {}", plan.slot.letter(), plan.scenario.name);
            Some(vec![
                Cell { shown: name.trim().to_owned(), ..Cell::text("") },
                mean,
                usd(Some(value.p5_usd)),
                usd(Some(value.p50_usd)),
                usd(Some(value.p95_usd)),
                usd(Some(value.on_demand_usd)),
                part(value.esr),
                usd(Some(value.worst5_savings_usd)),
                part(Some(value.prob_above_on_demand)),
                part(value.coverage),
                part(value.utilisation),
                usd(value.regret_usd),
                number(Some(value.lock_in_months), self.ctx, |m| format!("{m:.1}")),
            ])
        });
        let sheet = Sheet {
            columns: columns(&[
                ("name", "Scenario", Align::Left),
                ("mean_usd", "Mean ± 2 s.e.", Align::Right),
                ("p5_usd", "P5", Align::Right),
                ("p50_usd", "P50", Align::Right),
                ("p95_usd", "P95", Align::Right),
                ("on_demand_usd", "On demand", Align::Right),
                ("esr", "Saves", Align::Right),
                ("worst5_savings_usd", "Saves in the worst 5%", Align::Right),
                ("prob", "Dearer than on demand", Align::Right),
                ("coverage", "Covered", Align::Right),
                ("utilisation", "Used", Align::Right),
                ("regret_usd", "Regret", Align::Right),
                ("lock_in_months", "Lock-in, months", Align::Right),
            ]),
            rows: rows.collect(),
        };
        self.out.push_str(&markdown::table(&sheet));
        let said: Vec<String> = self.report.comparisons.iter().map(compared).collect();
        if !said.is_empty() {
            self.out.push('\n');
        }
        said.iter().for_each(|text| self.point(text));
    }

    fn matters(&mut self, answer: &Answer) {
        if answer.tornado.is_empty() {
            return;
        }
        self.heading("What matters most");
        for bar in answer.tornado.iter().take(BARS) {
            let [low, high] = bar.usd.map(|usd| format::usd_signed(usd, format::usd_total));
            let decision = if bar.decision_changes() { "; the best units change" } else { "" };
            self.point(&format!(
                "{} {}: {} → {low}, {} → {high}{decision}.",
                bar.family, bar.input, bar.values[0], bar.values[1]
            ));
        }
    }

    fn inputs(&mut self, scenario: &Scenario) {
        self.heading("Inputs");
        // Families that differ in name and price alone stand together.
        let mut groups: Vec<([String; 2], Vec<String>)> = Vec::new();
        for family in &scenario.families {
            let (price, rest) = family_words(family);
            match groups.iter_mut().find(|(same, _)| *same == rest) {
                Some((_, prices)) => prices.push(price),
                None => groups.push((rest, vec![price])),
            }
        }
        for ([from, rest], prices) in groups {
            self.point(&format!("{}{from}; {rest}.", prices.join(", ")));
        }
        for plan in &scenario.compute_plans {
            let rates: Vec<String> = plan
                .rates
                .iter()
                .map(|rate| format!("{} at {}", rate.family, format::usd_per_hour(rate.rate)))
                .collect();
            self.point(&format!(
                "{}: {} for {} weeks from week {}, {}; {}.",
                plan.name,
                format::usd_per_hour(plan.usd_per_hour),
                plan.weeks,
                plan.week,
                payment(plan.payment),
                rates.join(", ")
            ));
        }
        let future = &scenario.future;
        self.point(&format!(
            "Common part of the random growth {}, cost of capital {} per year, caution {}, next \
             purchase in {} weeks.",
            share(future.correlation),
            share(future.wacc),
            share(future.caution),
            future.top_up_weeks
        ));
    }

    fn unknown(&mut self, scenario: &Scenario, answer: Option<&Answer>) {
        self.heading("What is not known");
        for note in &self.report.demand.notes {
            self.point(&format!("Demand: {}.", note.trim_end_matches('.')));
        }
        let unpriced = scenario.families.iter().filter(|family| family.on_demand.is_none());
        let unpriced: Vec<&str> = unpriced.map(|family| &*family.name).collect();
        if !unpriced.is_empty() {
            let names = unpriced.join(", ");
            self.point(&format!("{names}: no on-demand price; nothing of it is valued."));
        }
        // By the offers without a rate, the families.
        let mut without: BTreeMap<String, Vec<&str>> = BTreeMap::new();
        for family in &scenario.families {
            let offers = family.offers.iter().filter(|offer| {
                offer.rate.is_none() && offer.kind != OfferKind::CapacityReservation
            });
            let names: Vec<&str> = offers.map(|offer| &*offer.name).collect();
            if !names.is_empty() {
                without.entry(names.join(", ")).or_default().push(&family.name);
            }
        }
        for (offers, families) in without {
            let families = families.join(", ");
            self.point(&format!("{families}: no rate of {offers}; not compared."));
        }
        if answer.is_some_and(|answer| answer.total.regret_usd.is_none()) {
            self.point("Regret was not computed.");
        }
        // What the configuration says of prices is in them, and said with them.
        let is_private = |f: &FamilyInputs| f.prices_from.contains(PRIVATE_PRICES);
        let without = match scenario.families.iter().any(is_private) {
            true => "Other private discounts, credits and taxes are not.",
            false => "Private discounts, credits and taxes are not.",
        };
        self.point(&format!(
            "Futures are made of weeks of the past under the stated growth: what never happened is \
             in them only as a step. {without}"
        ));
    }
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

/// A family with its price, then where that is from and all its other inputs.
fn family_words(family: &FamilyInputs) -> (String, [String; 2]) {
    let price =
        family.on_demand.map_or_else(|| "no on-demand price".to_owned(), format::usd_per_hour);
    let from = match (family.on_demand, &*family.prices_from) {
        (None, _) => String::new(),
        (Some(_), "") => " on demand".to_owned(),
        (Some(_), from) => format!(" on demand ({from})"),
    };
    let mut parts = vec![
        format!("growth {} per year", share(family.growth)),
        format!("drift {} and shock {} per week", share(family.drift), share(family.shock)),
    ];
    for step in &family.steps {
        let what = match &step.kind {
            StepKind::Launch { units } => format!("{} units more", format::count(*units)),
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
            "held: {} {} at {}, {} weeks left",
            format::count(held.units),
            held.name,
            format::usd_per_hour(held.rate),
            held.weeks_left
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
    (format!("{}: {price}", family.name), [from, parts.join("; ")])
}
