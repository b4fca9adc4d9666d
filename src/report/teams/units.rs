//! Unit costs: what one prediction, one run or one GPU-hour costs, and what moved it.

use serde_json::{Value as Json, json};

use crate::analyze::teams::RunCount;
use crate::domain::bill::UnitBound;
use crate::domain::{Reading, SourceId};
use crate::report::bill::{bill, named, oddities};
use crate::report::{BillsOf, List, ListField};
use crate::tabs::teams::picture::{UnitField, UnitItem};
use crate::view::{ViewContext, format};

/// What rows of unit costs are made of.
#[derive(Clone, Debug, Default)]
pub struct UnitsOf {
    /// The bills.
    pub bills: BillsOf,
}

impl ListField for UnitField {
    type Of = UnitsOf;

    const VIEW: &'static str = "units";

    const IDENTITY: &'static [Self] = &[Self::Name];

    const SOURCES: &'static [SourceId] = &[];

    fn readings(_: &UnitsOf) -> &[Reading] {
        &[]
    }

    fn basis(of: &UnitsOf) -> String {
        if of.bills.bills.is_empty() {
            return "USD of attempts of jobs that ended, exact, by what these brought on the same days, as `formula` says; \
                    trend and change against as many days of the month before"
                .to_owned();
        }
        format!(
            "effective USD of the bill of {}, exact, by what was counted on the same settled days; of jobs USD of attempts \
             that ended, as `formula` says; trend and change against as many days of the month before",
            named(&of.bills.bills)
        )
    }

    fn more(row: &UnitItem, _: &UnitsOf) -> Vec<(&'static str, Json)> {
        let rounded = |usd: f64| (usd * 1e12).round() / 1e12;
        let change = row.of.change();
        let change =
            change.map(|of| json!({ "spend": rounded(of.spend), "volume": rounded(of.volume) }));
        vec![("change", json!(change)), ("above_target", json!(row.of.is_above_target()))]
    }

    fn beside(list: &List<Self>, _: &ViewContext) -> Vec<(&'static str, Json)> {
        vec![("bills", list.of.bills.bills.iter().map(bill).collect())]
    }

    fn notes(list: &List<Self>, ctx: &ViewContext) -> Vec<String> {
        let rate = |amount: f64| format::usd_signed(amount, format::usd_rate);
        let mut notes = Vec::new();
        if let Some(until) = list.each().filter_map(|row| row.of.jobs_until).max() {
            let age = format::age(ctx.now.duration_since(until).as_secs());
            let at = until.strftime("%Y-%m-%d %H:%M UTC");
            notes.push(format!("of jobs: those kept in jobs.db, up to {at}, {age} ago"));
        }
        for row in list.each() {
            let (of, name) = (&row.of, &row.of.unit.name);
            if let (Some(change), Some(now), Some(before)) =
                (of.change(), of.usd_per_unit(), of.before_per_unit())
            {
                let most =
                    if change.spend.abs() > change.volume.abs() { "spend" } else { "volume" };
                notes.push(format!(
                    "{name}: {} after {}, moved by {most} most (spend {}, volume {})",
                    format::usd_rate(now),
                    format::usd_rate(before),
                    rate(change.spend),
                    rate(change.volume),
                ));
            } else if of.usd_per_unit().is_none() {
                let why = match of.bound() {
                    UnitBound::Exact | UnitBound::AtMost => "nothing was counted",
                    UnitBound::AtLeast if of.now.count > 0.0 => "no price is known",
                    UnitBound::AtLeast => "nothing was counted",
                    UnitBound::Unknown => "prices and counts are missing",
                };
                notes.push(format!("! {name}: {why}, so what one costs is not known"));
            }
            if of.is_above_target() == Some(true) {
                notes.push(format!("! {name}: above its target"));
            }
            if of.uncounted_days > 0 {
                let days = format::plural(of.uncounted_days, "day");
                notes.push(format!("! {name}: {days} without a count, in no sum"));
            }
            let attempts = |count: u32| format::plural(count as usize, "attempt");
            // Without a figure there is no bound of it.
            let so = |bound: &str| match of.usd_per_unit() {
                Some(_) => format!(": one costs {bound} so much"),
                None => String::new(),
            };
            if of.now.unpriced > 0 {
                let unpriced = attempts(of.now.unpriced);
                notes.push(format!("! {name}: {unpriced} without a price{}", so("at least")));
            }
            if of.now.undercounted > 0 {
                let more = attempts(of.now.undercounted);
                let why = match of.runs.as_ref().map(|rule| rule.count) {
                    Some(RunCount::Predictions) => "do not tell of predictions",
                    _ => "may have saved more than is known",
                };
                notes.push(format!("! {name}: {more} {why}{}", so("at most")));
            }
            if of.now.left_out > 0 {
                let left_out = attempts(of.now.left_out);
                let what = match of.runs.as_ref().map(|rule| rule.count) {
                    Some(RunCount::UsedHours) => "a price or telemetry",
                    _ => "a price",
                };
                notes.push(format!("! {name}: {left_out} without {what}, in neither number"));
            }
        }
        notes.extend(oddities(&list.of.bills));
        notes
    }
}
