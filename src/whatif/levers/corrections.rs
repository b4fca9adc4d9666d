//! Wrong formulas that are common in this field: what is said where somebody brings one. Each is a
//! whole sentence with both numbers; `None` where there is nothing to correct.

use super::words::{grouped, share};
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

/// Spot whose lost time eats its discount. `lost`: part of the spot time, 0–1.
pub fn spot_overhead(discount: f64, lost: f64) -> String {
    format!(
        "{} off bear {} extra hours per useful hour; {} are lost here: on-demand is cheaper.",
        share(discount),
        share(overhead_limit(discount)),
        share(lost / (1.0 - lost))
    )
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
