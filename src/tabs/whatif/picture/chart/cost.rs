//! Cost against the units that are bought.

use super::{Axis, Band, Ink, Mark, Place, Plot, Trace, index, most};
use crate::tabs::whatif::picture::Input;
use crate::tabs::whatif::picture::words;
use crate::whatif::engine::moved_offer;
use crate::whatif::{FamilyAnswer, Scenario};

/// Cost by units of the offer that the family's slider moves; the cursor is at `place` (0–1 of the x axis).
/// `None` without an offer that has a rate.
pub fn cost(answer: &FamilyAnswer, scenario: &Scenario, family: usize, place: f64) -> Option<Plot> {
    let points = &answer.costs;
    let (first, last) = (points.first()?, points.last()?);
    if last.commit <= first.commit {
        return None;
    }
    let all = || points.iter().flat_map(|p| [p.mean_usd, p.p5_usd, p.p95_usd]);
    let high = most(all());
    let low = all().filter(|v| v.is_finite()).fold(f64::INFINITY, f64::min).min(high);
    // The shape of the valley is what matters: the axis does not begin at nothing.
    let air = ((high - low) * 0.08).max(high.abs() * 1e-6).max(1e-6);
    let best = points.iter().min_by(|a, b| a.mean_usd.total_cmp(&b.mean_usd))?;
    let moved = moved_offer(scenario.families.get(family)?);
    let bought = moved.and_then(|offer| Input::Bought(family, offer).get(scenario));
    let mut marks = vec![Mark {
        place: Place::X(best.commit),
        label: format!("lowest mean {}", words::units(best.commit)),
        ink: Ink::Middle,
        tick: true,
    }];
    // What caution leaves of it, where that is another number.
    let advised = moved.and_then(|offer| answer.offers.get(offer)?.cautious_units);
    if let Some(units) = advised.filter(|units| (units - best.commit).abs() >= 0.5) {
        let caution = words::share(scenario.future.caution);
        marks.push(Mark {
            place: Place::X(units),
            label: format!("with caution {caution} {}", words::units(units)),
            ink: Ink::Edge,
            tick: true,
        });
    }
    if let Some(units) = bought {
        marks.push(Mark {
            place: Place::X(units),
            label: format!("now {}", words::units(units)),
            ink: Ink::Committed,
            tick: false,
        });
    }
    let at = &points[index(place, points.len())];
    let worst = if at.worst5_savings_usd < 0.0 {
        format!("lose {}", words::usd_short(-at.worst5_savings_usd))
    } else {
        format!("save {}", words::usd_short(at.worst5_savings_usd))
    };
    Some(Plot {
        x: Axis { low: first.commit, high: last.commit, show: words::units, name: "units" },
        y: Axis { low: (low - air).max(0.0), high: high + air, show: words::usd_short, name: "" },
        bands: vec![Band {
            ink: Ink::Ribbon,
            name: "9 in 10 (P5 to P95)",
            letter: ' ',
            points: points.iter().map(|p| [p.commit, p.p5_usd, p.p95_usd]).collect(),
        }],
        traces: vec![Trace {
            ink: Ink::Middle,
            name: "mean",
            steps: false,
            points: points.iter().map(|p| [p.commit, p.mean_usd]).collect(),
        }],
        marks,
        cursor: Some(Place::X(at.commit)),
        reads: format!(
            "{}: mean {}, P5 {}, P95 {}, worst 5% {worst}",
            words::units_in_words(at.commit),
            words::usd_short(at.mean_usd),
            words::usd_short(at.p5_usd),
            words::usd_short(at.p95_usd)
        ),
    })
}
