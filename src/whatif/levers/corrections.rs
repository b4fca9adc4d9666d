//! Wrong formulas that are common in this field: what is said where somebody brings one. Each is a
//! whole sentence with both numbers; `None` where there is nothing to correct.

use super::words::{grouped, number, share, usd};
use crate::whatif::supply::spot::overhead_limit;

/// Savings added up on the original spend, although each works on what the others leave.
pub fn naive_sum(naive: f64, right: f64) -> Option<String> {
    (naive > right + 5e-4).then(|| {
        let above = if naive > 1.0 { " (more than everything)" } else { "" };
        format!(
            "Added up, these savings would have claimed {}{above}; each on what the others leave is {}.",
            share(naive),
            share(right)
        )
    })
}

/// A break-even that is not 1 − discount.
pub fn break_even(claimed: f64, rate: f64, on_demand: f64) -> Option<String> {
    let right = rate / on_demand;
    let there = 1.0 - right / claimed;
    let says = if there < 0.0 { "still loses" } else { "already saves" };
    ((claimed - right).abs() > 5e-4).then(|| {
        format!(
            "A commitment breaks even at rate ÷ on-demand = {}, not at {}: there it {says} {}.",
            share(right),
            share(claimed),
            share(there.abs())
        )
    })
}

/// "Reserve 70 % of the average": it depends on the distribution, not on the mean. All in USD
/// over the same hours.
pub fn part_of_average(
    units: f64,
    cost_usd: f64,
    best_units: f64,
    best_usd: f64,
) -> Option<String> {
    (cost_usd > best_usd * (1.0 + 1e-6)).then(|| {
        format!(
            "{} units (70% of the average) cost {}; the quantile of demand at 1 − rate ÷ on-demand is \
             {} units for {}, {} less.",
            number(units),
            usd(cost_usd),
            number(best_units),
            usd(best_usd),
            share(1.0 - best_usd / cost_usd)
        )
    })
}

/// Spot whose lost time eats its discount. `lost`: part of the spot time, 0–1.
pub fn spot_overhead(discount: f64, lost: f64) -> String {
    format!(
        "{} off bear {} extra hours per useful hour; {} are lost here: on-demand is cheaper.",
        share(discount),
        share(overhead_limit(discount)),
        share(lost / (1.0 - lost))
    )
}

/// A discount taken on all hours although only some are used: `u − (1 − d)` of the full price is
/// what is saved.
pub fn unused_hours(full_usd: f64, discount: f64, utilisation: f64) -> Option<String> {
    let right = full_usd * (utilisation - (1.0 - discount));
    (utilisation < 1.0).then(|| {
        format!(
            "A commitment is paid for all hours: {} × ({} − {}) = {} is saved, not {} × {}.",
            usd(full_usd),
            share(utilisation),
            share(1.0 - discount),
            usd(right),
            usd(full_usd),
            share(discount)
        )
    })
}

/// Payback that takes all savings from the first day.
pub fn instant_payback(naive_days: f64, first_positive_month: Option<u32>) -> String {
    match first_positive_month {
        Some(month) => format!(
            "With all savings from the first day it would be back in {} days; by the plan's dates cash is \
             positive from month {month} on.",
            grouped(naive_days, 1)
        ),
        None => format!(
            "With all savings from the first day it would be back in {} days; by the plan's dates it is \
             not back within the time looked at.",
            grouped(naive_days, 1)
        ),
    }
}

/// Savings over investment called a return.
pub fn gross_roi(gross: f64, net: f64) -> String {
    format!(
        "{} is savings ÷ investment; the return is (savings − investment) ÷ investment: {}.",
        share(gross),
        share(net)
    )
}
