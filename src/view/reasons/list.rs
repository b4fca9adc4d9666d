//! Why an offer is bought, planned or left.

use crate::view::format;
use crate::whatif::lists::{Limit, ListReason as R};
use crate::whatif::optimum::buy_now::Worth;
use crate::whatif::{ListEntry, OfferKind};

const CAPACITY: &str = "It buys capacity, not price: it costs the on-demand rate, used or not.";

/// One sentence: why the entry stands on its list.
pub fn list(entry: &ListEntry) -> String {
    let (family, offer) = (&entry.family, &entry.offer);
    match &entry.reason {
        R::Capacity | R::NoRate(OfferKind::CapacityReservation) => CAPACITY.to_owned(),
        R::NotSold => format!(
            "AWS sells no standard RI for {family}: take a Savings Plan, a Capacity Block or spot."
        ),
        R::NoRate(OfferKind::StandardRi | OfferKind::ConvertibleRi) => format!(
            "The rate for {family} is not known here: take it from the EC2 console's Reserved \
             Instances page."
        ),
        R::NoRate(OfferKind::InstancePlan) => format!(
            "Savings Plan rates for {family} are not known here: take the rate from the Savings \
             Plans page of the billing console."
        ),
        R::NoRate(OfferKind::CapacityBlock) => format!(
            "A Capacity Block's price for {family} depends on the day: take it from an offer in the \
             EC2 console."
        ),
        R::NoPrice => {
            "It cannot be judged: the family's on-demand price is not known; enter it.".to_owned()
        }
        R::Dear { rate, on_demand } => format!(
            "Its rate of {} is not below the on-demand price of {}.",
            format::usd_fine(*rate, 4),
            format::usd_fine(*on_demand, 4)
        ),
        R::Dearer { other, is_shorter } => {
            let binds = if *is_shorter { "and binds for less time" } else { "and binds no longer" };
            format!("{other} costs no more over its term, at this cost of capital, {binds}.")
        }
        R::Beyond { weeks, ahead } => format!(
            "It runs {} and the scenario looks {ahead} ahead: look further to judge it.",
            format::plural(usize::from(*weeks), "week")
        ),
        R::Buy { slot, top_up_weeks, next, term, limit } => {
            let first = format!(
                "Unit {} (slot) would be used {} of the next {} and {} of the term; {offer} needs {}",
                units(*slot),
                share(next.used),
                format::plural(*top_up_weeks, "week"),
                share(term.used),
                share(term.needed),
            );
            let slot = units(slot + 1.0);
            let (worth, what) = match limit {
                Limit::Caution => {
                    return format!(
                        "{first}; slot {slot} would pay on average too, but the worst futures count \
                         as well: caution stops here."
                    );
                }
                Limit::Term(worth) => (worth, "the term"),
                Limit::Next(worth) => (worth, "the next weeks"),
            };
            format!("{first}; slot {slot} would be used {} of {what}.", under(worth))
        }
        R::Plan { used, needed } => format!(
            "From week {} on, they would be used at least {} of the hours to the end of what is \
             looked at; {offer} needs {}.",
            entry.week,
            share(*used),
            share(*needed),
        ),
        R::Ends { slot, next, term, step } => {
            let why = step
                .map_or_else(String::new, |week| format!(": less is needed from week {week} on"));
            format!(
                "Unit {} (slot) would be used {} of the next weeks but {} of the term{why}; {offer} needs \
                 {}.",
                units(*slot),
                share(next.used),
                under(term),
                share(term.needed),
            )
        }
        R::Cautious { slot, term } => format!(
            "Unit {} (slot) would be used {} of the term on average and {offer} needs {}, but the worst \
             futures count as well: caution stops here.",
            units(*slot),
            share(term.used),
            share(term.needed),
        ),
        R::Idle { slot, best } => format!(
            "Unit {} (slot) would be used {} of the hours; {offer} needs {}.",
            units(*slot),
            under(best),
            share(best.needed),
        ),
        #[cfg(test)]
        R::Fixture(said) => (*said).to_owned(),
    }
}

fn units(slot: f64) -> String {
    format!("{}", slot.round())
}

/// `63.4%`.
fn share(part: f64) -> String {
    format::share(part, 1)
}

/// A share that is below what is needed, rounded so that it reads so.
fn under(worth: &Worth) -> String {
    let shown = share(worth.used);
    if shown == share(worth.needed) { format!("just under {shown}") } else { shown }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(reason: R) -> String {
        list(&ListEntry {
            family: "p4d.24xlarge".to_owned(),
            offer: "1y".to_owned(),
            units: 1.0,
            week: 12,
            usd_per_hour: 0.0,
            upfront_usd: 0.0,
            monthly_usd: 0.0,
            saves_usd: 0.0,
            safe_months: None,
            lock_in_months: 0.0,
            marks: [false; 3],
            reason,
        })
    }

    fn worth(used: f64) -> Worth {
        Worth { used, needed: 0.634 }
    }

    #[test]
    fn a_purchase_says_what_ends_it() {
        let buy = |limit| {
            let (next, term) = (worth(1.0), worth(1.0));
            said(R::Buy { slot: 40.0, top_up_weeks: 4, next, term, limit })
        };
        let first = "Unit 40 (slot) would be used 100.0% of the next 4 weeks and 100.0% of the term; 1y \
                     needs 63.4%; slot 41 would";
        assert_eq!(
            buy(Limit::Next(worth(0.0))),
            format!("{first} be used 0.0% of the next weeks.")
        );
        assert_eq!(
            buy(Limit::Term(worth(0.63399))),
            format!("{first} be used just under 63.4% of the term.")
        );
        assert_eq!(
            buy(Limit::Caution),
            format!(
                "{first} pay on average too, but the worst futures count as well: caution stops here."
            )
        );
    }

    #[test]
    fn other_reasons_read_as_sentences() {
        for (reason, words) in [
            (
                R::Plan { used: 0.8, needed: 0.634 },
                "From week 12 on, they would be used at least 80",
            ),
            (
                R::Ends { slot: 11.0, next: worth(1.0), term: worth(0.2308), step: Some(12) },
                "Unit 11 (slot) would be used 100.0% of the next weeks but 23.1% of the term: less is \
                 needed from week 12 on; 1y needs 63.4%.",
            ),
            (
                R::Idle { slot: 1.0, best: worth(0.5) },
                "Unit 1 (slot) would be used 50.0% of the hours; 1y needs 63.4%.",
            ),
            (
                R::Cautious { slot: 26.0, term: worth(0.7) },
                "Unit 26 (slot) would be used 70.0% of the term",
            ),
            (
                R::Dear { rate: 1.0, on_demand: 1.0 },
                "Its rate of $1.0000 is not below the on-demand price of $1.0000.",
            ),
            (R::Dearer { other: "1y".to_owned(), is_shorter: false }, "1y costs no more over its"),
            (R::Capacity, "It buys capacity, not price"),
            (R::Beyond { weeks: 156, ahead: 52 }, "It runs 156 weeks and the scenario looks 52"),
            (R::NoPrice, "It cannot be judged: the family's on-demand price is not known"),
            (R::NotSold, "AWS sells no standard RI for p4d.24xlarge"),
            (R::NoRate(OfferKind::StandardRi), "The rate for p4d.24xlarge is not known here"),
            (
                R::NoRate(OfferKind::InstancePlan),
                "Savings Plan rates for p4d.24xlarge are not known here",
            ),
        ] {
            let said = said(reason);
            assert!(said.starts_with(words) && said.ends_with('.'), "{said}");
        }
    }
}
