//! What AWS lets one do with commitments, as checks that answer with a sentence. `None`: nothing
//! stands against it.

use jiff::civil::{Date, DateTime, Time};
use jiff::{SignedDuration, Timestamp, ToSpan, tz::TimeZone};

use crate::whatif::OfferKind;

/// Returns of Savings Plans per management account and year.
pub const RETURNS_PER_YEAR: u32 = 10;
/// Days after the purchase in which a Savings Plan can be returned.
pub const RETURN_DAYS: i64 = 7;
/// The largest commitment that AWS analyses at once, USD per hour.
pub const ANALYSED_USD_PER_HOUR: f64 = 5_000.0;
/// Part of a partial upfront payment that is due at once: lowest and highest.
pub const PARTIAL_UPFRONT: (f64, f64) = (0.50, 0.99);
/// Days that an RI must have been held before it may be sold.
pub const HELD_DAYS: i64 = 30;
/// Since this day no RI bought at a negotiated discount can be sold.
pub const DISCOUNTED_UNSELLABLE: Date = Date::constant(2024, 1, 15);
/// Longest Capacity Block, in days.
pub const BLOCK_DAYS: u32 = 182;
/// Days up to which a Capacity Block may have any length; above it come whole weeks.
pub const BLOCK_DAILY: u32 = 14;
/// How far ahead a Capacity Block may begin, in weeks.
pub const BLOCK_WEEKS_AHEAD: i64 = 8;
/// When Capacity Blocks begin and end, UTC.
pub const BLOCK_TIME: Time = Time::constant(11, 30, 0, 0);

/// Whether a Savings Plan can be returned: within seven days, in the same calendar month (UTC), at
/// most ten a year.
pub fn plan_return(bought: Timestamp, now: Timestamp, returned_this_year: u32) -> Option<String> {
    let utc = |at: Timestamp| at.to_zoned(TimeZone::UTC).date();
    let (from, today) = (utc(bought), utc(now));
    if now.duration_since(bought) > SignedDuration::from_hours(RETURN_DAYS * 24) {
        return Some(format!("Bought on {from}: a plan can be returned for {RETURN_DAYS} days."));
    }
    if (from.year(), from.month()) != (today.year(), today.month()) {
        return Some(format!(
            "Bought on {from}: a plan can be returned only in the calendar month of its purchase."
        ));
    }
    (returned_this_year >= RETURNS_PER_YEAR).then(|| {
        format!("{returned_this_year} plans were returned this year; AWS takes {RETURNS_PER_YEAR}.")
    })
}

/// The last day on which a plan bought on this day can be returned.
pub fn return_until(bought: Date) -> Date {
    let week = bought.checked_add(RETURN_DAYS.days()).unwrap_or(bought);
    week.min(bought.last_of_month())
}

/// Whether AWS's own analyser takes a commitment of this size.
pub fn analysed_size(usd_per_hour: f64) -> Option<String> {
    (usd_per_hour > ANALYSED_USD_PER_HOUR).then(|| {
        "Above $5,000 per hour AWS's purchase analyser takes no plan: split it to compare."
            .to_owned()
    })
}

/// Whether a partial upfront payment may be this part of the whole, 0–1.
pub fn partial_upfront(part: f64) -> Option<String> {
    let (low, high) = PARTIAL_UPFRONT;
    let inside = part >= low && part <= high;
    (!inside).then(|| "A partial upfront payment is 50 % to 99 % of the whole.".to_owned())
}

/// A Reserved Instance that somebody wants to sell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sale {
    /// Standard or convertible.
    pub kind: OfferKind,
    /// The first day of its term.
    pub began: Date,
    /// The last day of its term.
    pub ends: Date,
    /// It was bought at a negotiated or a volume discount.
    pub discounted: bool,
    /// The day of the sale.
    pub today: Date,
}

/// Whether the marketplace takes it: standard RIs at list price, held for 30 days, with a month to
/// go.
pub fn sale(sale: &Sale) -> Option<String> {
    if sale.kind != OfferKind::StandardRi {
        return Some("Only standard RIs can be sold on the marketplace.".to_owned());
    }
    if sale.discounted && sale.today >= DISCOUNTED_UNSELLABLE {
        return Some(format!(
            "RIs bought at a discount cannot be sold since {DISCOUNTED_UNSELLABLE}."
        ));
    }
    let ready = sale.began.checked_add(HELD_DAYS.days()).unwrap_or(sale.began);
    if sale.today < ready {
        return Some(format!("It can be sold from {ready} on: {HELD_DAYS} days after its start."));
    }
    let month_ahead = sale.today.checked_add(1.month()).unwrap_or(sale.today);
    (month_ahead > sale.ends).then(|| "It needs at least a month to go to be sold.".to_owned())
}

/// Whether a Capacity Block may have this length: 1–14 days, or whole weeks up to 182 days.
pub fn block_length(days: u32) -> Option<String> {
    let fits = match days {
        1..=BLOCK_DAILY => true,
        _ => days.is_multiple_of(7) && (1..=BLOCK_DAYS).contains(&days),
    };
    (!fits).then(|| {
        format!("A Capacity Block runs 1–14 days or whole weeks up to {BLOCK_DAYS} days, not {days} days.")
    })
}

/// Whether a Capacity Block may begin then, both times in UTC: at 11:30, within eight weeks.
pub fn block_start(start: DateTime, now: DateTime) -> Option<String> {
    if start.time() != BLOCK_TIME {
        return Some(format!("A Capacity Block begins at 11:30 UTC, not at {}.", start.time()));
    }
    if start <= now {
        return Some(format!("{start} UTC is past."));
    }
    let last = now.checked_add(BLOCK_WEEKS_AHEAD.weeks()).unwrap_or(now);
    (start > last).then(|| {
        format!(
            "A Capacity Block can begin at most {BLOCK_WEEKS_AHEAD} weeks ahead: by {}.",
            last.date()
        )
    })
}

/// What everybody who buys one of these must know. One sentence.
pub fn caveat(kind: OfferKind) -> &'static str {
    match kind {
        OfferKind::StandardRi => {
            "Bound to its instance family and region; may be sold after 30 days with a month to go."
        }
        OfferKind::ConvertibleRi => {
            "May be exchanged for others of equal or greater value; cannot be sold."
        }
        OfferKind::InstancePlan => {
            "Dollars per hour for one family in one region, used or lost each hour; can be returned \
             within 7 days in the month of purchase."
        }
        OfferKind::CapacityBlock => {
            "Paid at once, neither changed nor cancelled; instances end from 30 minutes before its \
             end; no plan or RI lowers its price."
        }
        OfferKind::CapacityReservation => {
            "Buys capacity, not a price: billed at on-demand whether used or not; RIs and plans apply \
             to it."
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use jiff::civil::date;

    fn at(text: &str) -> Timestamp {
        text.parse().unwrap()
    }

    #[test]
    fn a_plan_goes_back_within_a_week_of_its_month() {
        let bought = at("2026-03-10T10:00:00Z");
        assert_eq!(plan_return(bought, at("2026-03-17T10:00:00Z"), 0), None);
        assert!(plan_return(bought, at("2026-03-17T10:00:01Z"), 0).unwrap().contains("7 days"));
        let late = at("2026-03-30T10:00:00Z");
        assert!(plan_return(late, at("2026-04-01T00:00:00Z"), 0).unwrap().contains("month"));
        assert!(plan_return(bought, at("2026-03-11T00:00:00Z"), 10).unwrap().contains("10"));
        assert_eq!(return_until(date(2026, 3, 10)), date(2026, 3, 17));
        assert_eq!(return_until(date(2026, 3, 30)), date(2026, 3, 31));
    }

    #[test]
    fn sizes_and_parts() {
        assert_eq!(analysed_size(5_000.0), None);
        assert!(analysed_size(5_000.01).is_some());
        assert!([0.5, 0.99].iter().all(|part| partial_upfront(*part).is_none()));
        assert!([0.49, 1.0, f64::NAN].iter().all(|part| partial_upfront(*part).is_some()));
    }

    #[test]
    fn the_marketplace_takes_what_was_held_and_has_a_month() {
        let good = Sale {
            kind: OfferKind::StandardRi,
            began: date(2026, 1, 1),
            ends: date(2026, 12, 31),
            discounted: false,
            today: date(2026, 6, 1),
        };
        assert_eq!(sale(&good), None);
        assert!(sale(&Sale { kind: OfferKind::InstancePlan, ..good }).is_some());
        assert!(sale(&Sale { discounted: true, ..good }).unwrap().contains("2024-01-15"));
        assert!(sale(&Sale { today: date(2026, 1, 30), ..good }).unwrap().contains("2026-01-31"));
        assert_eq!(sale(&Sale { today: date(2026, 1, 31), ..good }), None);
        assert!(sale(&Sale { today: date(2026, 12, 1), ..good }).unwrap().contains("month"));
    }

    #[test]
    fn blocks_are_days_then_weeks() {
        for days in [1, 13, 14, 21, 182] {
            assert_eq!(block_length(days), None, "{days}");
        }
        for days in [0, 15, 20, 183, 189] {
            assert!(block_length(days).is_some(), "{days}");
        }
        let now = date(2026, 3, 1).at(9, 0, 0, 0);
        assert_eq!(block_start(date(2026, 3, 1).at(11, 30, 0, 0), now), None);
        assert!(block_start(date(2026, 3, 2).at(12, 0, 0, 0), now).is_some());
        assert!(block_start(date(2026, 2, 27).at(11, 30, 0, 0), now).is_some());
        assert_eq!(block_start(date(2026, 4, 25).at(11, 30, 0, 0), now), None);
        assert!(block_start(date(2026, 4, 27).at(11, 30, 0, 0), now).is_some());
    }
}
