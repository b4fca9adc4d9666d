//! Wrong formulas that are common in this field: what is said where somebody brings one. Each is a
//! whole sentence with both numbers; `None` where there is nothing to correct.

use super::words::{grouped, share};
use crate::whatif::supply::spot::overhead_limit;

/// Sentence for savings added up on the original spend, although each works on what the others leave. Both are
/// shares, 0–1 (`naive` may exceed 1). `None` where the naive sum is not above the right one.
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

/// Sentence for Spot whose lost time eats its discount. `discount` and `lost` (share of the time on Spot) are
/// 0–1.
pub fn spot_overhead(discount: f64, lost: f64) -> String {
    format!(
        "{} off bear {} extra hours per useful hour; {} are lost here: on-demand is cheaper.",
        share(discount),
        share(overhead_limit(discount)),
        share(lost / (1.0 - lost))
    )
}

/// Sentence for a payback computed as if all savings came from the first day, `naive_days`;
/// `first_positive_month` = month in which cumulative cash is first positive, `None` = not within the months
/// looked at.
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

/// Sentence for savings ÷ investment presented as return. Both are shares: `gross` is that, `net` is (savings −
/// investment) ÷ investment.
pub fn gross_roi(gross: f64, net: f64) -> String {
    format!(
        "{} is savings ÷ investment; the return is (savings − investment) ÷ investment: {}.",
        share(gross),
        share(net)
    )
}
