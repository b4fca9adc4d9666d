//! What objects cost when the fees are behind: how many reads a class bears.

use super::curve::{Target, curve};
use super::{Access, Question};

/// Months after which nothing changes any more: Intelligent-Tiering has come to rest after three.
const SETTLED: u16 = 5;

/// Reads per month of all that is read, from which on an option costs more per month than staying, without
/// fees. `None` when it does not up to a thousand reads, always does, or a price is not known.
pub fn break_even_reads(question: &Question<'_>, target: Target) -> Option<f64> {
    let more = |reads: f64| -> Option<f64> {
        let access = Access { reads_per_month: reads, gets_per_month: None, ..question.access };
        let question = Question { access, months: SETTLED, ..question.clone() };
        let last = |target| curve(target, &question).monthly.and_then(|m| m.last().copied());
        Some(last(target)? - last(Target::Stay)?)
    };
    let (mut low, mut high) = (0.0, 1000.0);
    if more(low)? >= 0.0 || more(high)? <= 0.0 {
        return None;
    }
    for _ in 0..80 {
        let middle = f64::midpoint(low, high);
        if more(middle)? < 0.0 {
            low = middle;
        } else {
            high = middle;
        }
    }
    Some(high)
}
