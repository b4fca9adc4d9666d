//! Cost against the units that are bought.

use super::{Axis, Band, Ink, Mark, Place, Plot, Trace, index, most};
use crate::tabs::whatif::picture::Input;
use crate::tabs::whatif::picture::words;
use crate::whatif::engine::moved_offer;
use crate::whatif::{CostPoint, FamilyAnswer, FamilyInputs, OfferAnswer, Scenario};

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
    let inputs = scenario.families.get(family)?;
    let moved = moved_offer(inputs);
    let bought = moved.and_then(|offer| Input::Bought(family, offer).get(scenario));
    let offer = moved.and_then(|offer| answer.offers.get(offer));
    let (lowest, label) = lowest(points, inputs, offer)?;
    let mut marks = vec![Mark { place: Place::X(lowest), label, ink: Ink::Middle, tick: true }];
    // What caution leaves of it, where that is another number.
    let advised = offer.and_then(|offer| offer.cautious_units);
    if let Some(units) = advised.filter(|units| (units - lowest).abs() >= 0.5) {
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

/// Units with the lowest mean, and their label. Where nothing else is bought they are those that are said everywhere, else
/// about those of the cheapest point: what is said elsewhere is of the offer alone.
fn lowest(
    points: &[CostPoint],
    inputs: &FamilyInputs,
    offer: Option<&OfferAnswer>,
) -> Option<(f64, String)> {
    let is_alone = |offer: &&OfferAnswer| {
        let mut bought = inputs.buys.iter().filter(|buy| buy.units > 0.0);
        bought.all(|buy| buy.week == 0 && buy.offer == offer.name)
    };
    if let Some(units) = offer.filter(is_alone).and_then(|offer| offer.best_units) {
        return Some((units, format!("lowest mean {}", words::units(units))));
    }
    let cheapest = points.iter().min_by(|a, b| a.mean_usd.total_cmp(&b.mean_usd))?;
    let units = cheapest.commit.round();
    Some((units, format!("lowest mean about {}", words::units(units))))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tabs::whatif::picture::fixture::{answer, full, start};
    use crate::whatif::{Buy, Stage};

    #[test]
    fn the_lowest_mean_is_the_number_that_is_said_elsewhere() {
        let label = |scenario: &Scenario| {
            let made = answer(scenario, Stage::Whole);
            let plot = cost(made.families[0].as_ref().unwrap(), scenario, 0, 0.5).unwrap();
            plot.marks[0].label.clone()
        };
        let mut scenario = start();
        let best = |scenario: &Scenario| {
            let made = answer(scenario, Stage::Whole);
            let family = made.families[0].as_ref().unwrap();
            family.offers[moved_offer(&scenario.families[0]).unwrap()].best_units.unwrap()
        };
        let said = format!("lowest mean {}", best(&scenario));
        assert_eq!(label(&scenario), said);
        let offer = scenario.families[0].offers[0].name.clone();
        scenario.families[0].buys = vec![Buy { offer, units: 7.0, week: 0 }];
        assert_eq!(label(&scenario), format!("lowest mean {}", best(&scenario)));
        // Beside what is bought later the curve has another bottom.
        assert!(label(&full()).starts_with("lowest mean about "));
    }
}
