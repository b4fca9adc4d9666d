//! Demand by week over all futures, with what is committed.

use super::{Axis, Band, Ink, Mark, Place, Plot, Trace, index, most, round_up};
use crate::tabs::whatif::picture::words;
use crate::whatif::{CalendarEntry, FanWeek};

/// Quantiles of the demand by week, with committed units; `calendar` = the family's own entries, the cursor is
/// at `place` (0–1 of the x axis). `None` without weeks.
pub fn fan<'a>(
    weeks: &[FanWeek],
    calendar: impl Iterator<Item = &'a CalendarEntry>,
    place: f64,
) -> Option<Plot> {
    if weeks.is_empty() {
        return None;
    }
    let top = most(weeks.iter().flat_map(|w| [w.p95, w.committed]));
    let last = weeks.len() as f64;
    // A week holds until the next one, the last one too.
    let extended = || weeks.iter().chain(weeks.last()).enumerate();
    let trace = |ink, name, of: fn(&FanWeek) -> f64| Trace {
        ink,
        name,
        steps: ink == Ink::Committed,
        points: extended().map(|(i, w)| [i as f64, of(w)]).collect(),
    };
    let mut marks = Vec::new();
    for entry in calendar.filter(|e| e.units < 0.0) {
        marks.push(Mark {
            place: Place::X(f64::from(entry.week)),
            label: format!("{} ends", words::units(-entry.units)),
            ink: Ink::Committed,
            tick: true,
        });
    }
    let at = index(place, weeks.len());
    let week = &weeks[at];
    Some(Plot {
        x: Axis { low: 0.0, high: last, show: words::units, name: "weeks" },
        y: Axis { low: 0.0, high: round_up(top * 1.02), show: words::units, name: "units" },
        bands: vec![Band {
            ink: Ink::Ribbon,
            name: "9 in 10 (P5 to P95)",
            letter: ' ',
            points: extended().map(|(i, w)| [i as f64, w.p5, w.p95]).collect(),
        }],
        traces: vec![
            trace(Ink::Middle, "median", |w| w.p50),
            trace(Ink::Committed, "committed", |w| w.committed),
        ],
        marks,
        cursor: Some(Place::X(at as f64)),
        reads: format!(
            "week {at}: median {}, P5 {}, P95 {}; {} committed",
            words::units(week.p50),
            words::units(week.p5),
            words::units(week.p95),
            words::units(week.committed)
        ),
    })
}
