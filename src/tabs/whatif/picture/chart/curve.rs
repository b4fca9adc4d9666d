//! The load-duration curve with what is committed.

use super::{Axis, Band, Ink, Mark, Place, Plot, Trace, most, round_up};
use crate::tabs::whatif::picture::words;
use crate::whatif::{CurvePicture, FamilyAnswer, FamilyInputs};

/// Load-duration curve with committed units and the offers' optima; the cursor is at `place` (0–1 of the y
/// axis). `None` without demand.
pub fn curve(answer: &FamilyAnswer, inputs: &FamilyInputs, place: f64) -> Option<Plot> {
    let picture = &answer.curve;
    let count = picture.units.len();
    if count < 2 {
        return None;
    }
    let tops = [&picture.units, &picture.low, &picture.high].into_iter().flatten().copied();
    let top = round_up(most(tops.chain([picture.committed])) * 1.02);
    let hours = |i: usize, count: usize| i as f64 / (count - 1).max(1) as f64;
    let committed = picture.committed;
    // What spot can take at most; it stands on top of what runs on demand.
    let share = inputs.spot.map_or(0.0, |s| s.share);
    let bands = |edges: fn(f64, f64, f64) -> (f64, f64)| -> Vec<[f64; 3]> {
        let point = |(i, units): (usize, &f64)| {
            let spot = (share * units).min((units - committed).max(0.0));
            let (low, high) = edges(*units, committed, spot);
            [hours(i, count), low, high.max(low)]
        };
        picture.units.iter().enumerate().map(point).collect()
    };
    // In words: committed and used, committed and idle, on spot, on demand.
    let mut all = vec![Band {
        ink: Ink::Used,
        name: "used",
        letter: 'U',
        points: bands(|units, committed, _| (0.0, units.min(committed))),
    }];
    if committed > 0.0 {
        let points = bands(|units, committed, _| (units.min(committed), committed));
        all.push(Band { ink: Ink::Idle, name: "idle", letter: 'I', points });
    }
    if share > 0.0 {
        let points = bands(|units, _, spot| (units - spot, units));
        all.push(Band { ink: Ink::Spot, name: "spot", letter: 'S', points });
    }
    let points = bands(|units, committed, spot| (committed.min(units), units - spot));
    all.push(Band { ink: Ink::OnDemand, name: "on demand", letter: 'D', points });
    let edge = |units: &[f64], name: &'static str| Trace {
        ink: Ink::Edge,
        name,
        steps: false,
        points: units.iter().enumerate().map(|(i, u)| [hours(i, units.len()), *u]).collect(),
    };
    let traces = vec![edge(&picture.low, "P5, P95"), edge(&picture.high, "")];
    let mut marks = Vec::new();
    if committed > 0.0 {
        marks.push(Mark {
            place: Place::Y(committed),
            label: format!("{} committed", words::units(committed)),
            ink: Ink::Committed,
            tick: false,
        });
    }
    let is_alone = picture.optima.len() == 1;
    for (offer, units) in &picture.optima {
        let Some(offer) = inputs.offers.get(*offer) else { continue };
        let of = if is_alone { "lowest mean" } else { &*offer.name };
        marks.push(Mark {
            place: Place::Y(*units),
            label: format!("{of} {}", words::units(*units)),
            ink: Ink::Committed,
            tick: true,
        });
    }
    let slot = (place.clamp(0.0, 1.0) * most([picture.units[0], committed])).ceil().max(1.0);
    Some(Plot {
        x: Axis { low: 0.0, high: 1.0, show: words::share, name: "of the hours" },
        y: Axis { low: 0.0, high: top, show: words::units, name: "units" },
        bands: all,
        traces,
        marks,
        cursor: Some(Place::Y(slot)),
        reads: reads(answer, slot),
    })
}

/// What is known of a slot: for how large a part of the hours it is used, and whether that pays.
fn reads(answer: &FamilyAnswer, slot: f64) -> String {
    let used = used_share(&answer.curve, slot);
    let mut text = format!("unit {} (slot): used {}", words::units(slot), words::share(used));
    let known = answer.offers.iter().filter_map(|o| Some((&o.name, o.break_even?)));
    for (name, needs) in known {
        let says = if used >= needs { "pays" } else { "does not pay" };
        text.push_str(&format!("; {name} needs {}: {says}", words::share(needs)));
    }
    text
}

/// Share of the hours in which at least `slot` units run, 0–1.
pub fn used_share(curve: &CurvePicture, slot: f64) -> f64 {
    let count = curve.units.len();
    // Falling: the first that is smaller.
    let after = curve.units.partition_point(|units| *units >= slot);
    if after == 0 || count < 2 {
        return 0.0;
    }
    if after == count {
        return 1.0;
    }
    let (above, below) = (curve.units[after - 1], curve.units[after]);
    let part = if above > below { (above - slot) / (above - below) } else { 0.0 };
    (after as f64 - 1.0 + part) / (count - 1) as f64
}
