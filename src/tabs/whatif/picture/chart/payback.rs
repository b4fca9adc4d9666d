//! Cumulative cash of one unit, bought or not.

use super::{Axis, Ink, Mark, Place, Plot, Trace, index, most, round_up};
use crate::tabs::whatif::picture::words;
use crate::whatif::Payback;

/// Cumulative cash of one unit, which is `which`, committed and on demand, with the month after which nothing can be lost;
/// the cursor is at `place` (0–1 of the x axis). `None` without months.
pub fn payback(payback: &Payback, which: &str, place: f64) -> Option<Plot> {
    let Payback { committed_usd, on_demand_usd, .. } = payback;
    let count = committed_usd.len().min(on_demand_usd.len());
    if count < 2 {
        return None;
    }
    let last = (count - 1) as f64;
    let top = most(committed_usd.iter().chain(on_demand_usd).copied());
    let trace = |ink, name, usd: &[f64]| Trace {
        ink,
        name,
        steps: false,
        points: usd.iter().take(count).enumerate().map(|(i, usd)| [i as f64, *usd]).collect(),
    };
    let mut marks = Vec::new();
    let mut mark = |month: Option<f64>, label: &str, term: &str, tick| {
        if let Some(month) = month.filter(|m| (0.0..=last).contains(m)) {
            let label = format!("{label} {}{term}", words::months(month));
            marks.push(Mark { place: Place::X(month), label, ink: Ink::Committed, tick });
        }
    };
    mark(payback.safe_months, "no loss after", " (safe)", false);
    mark(payback.break_even_months, "paid back", "", true);
    if let Some((month, part)) = payback.price_cut {
        mark(Some(month), &format!("price cut {} at", words::share(part)), "", false);
    }
    let at = index(place, count);
    let difference = on_demand_usd[at] - committed_usd[at];
    let says = if difference < 0.0 { "behind" } else { "ahead" };
    Some(Plot {
        x: Axis { low: 0.0, high: last, show: words::units, name: "months" },
        y: Axis { low: 0.0, high: round_up(top), show: words::usd_short, name: "" },
        bands: Vec::new(),
        traces: vec![
            trace(Ink::Other, "on demand", on_demand_usd),
            trace(Ink::Committed, "committed", committed_usd),
        ],
        marks,
        cursor: Some(Place::X(at as f64)),
        reads: format!(
            "month {at}: committed {}, on demand {}: {} {says}; {which}, used {}",
            words::usd_short(committed_usd[at]),
            words::usd_short(on_demand_usd[at]),
            words::usd_short(difference.abs()),
            words::share(payback.utilisation)
        ),
    })
}
