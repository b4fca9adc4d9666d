//! Rows become hours: sorted, merged, averaged, with gaps where nothing is said.

use jiff::Timestamp;

use super::rows::Rows;
use super::{MAX_CELLS, MAX_HOURS, Problems};
use crate::domain::format::{counted, percent};

/// Seconds of an hour.
const HOUR: i64 = 3_600;

/// Hours without a hole, `NaN` where a file says nothing.
pub(super) struct Hours {
    pub(super) start: Timestamp,
    pub(super) families: Vec<(String, Vec<f64>)>,
}

/// Makes hours of rows.
pub(super) fn of(rows: Rows, notes: &mut Vec<String>, problems: &mut Problems) -> Hours {
    let nothing = Hours { start: Timestamp::UNIX_EPOCH, families: Vec::new() };
    let mut order: Vec<usize> = (0..rows.rows.len()).collect();
    // By the file's order where the moment is the same.
    order.sort_by_key(|&at| rows.rows[at].0);
    let (Some(&oldest), Some(&newest)) = (order.first(), order.last()) else {
        problems.push(1, 1, "no row is left");
        return nothing;
    };
    let moved = rows.rows.windows(2).filter(|pair| pair[1].0 < pair[0].0).count();
    if moved > 0 {
        notes.push(format!(
            "rows were not in the order of time ({}): sorted",
            counted(moved, "step back", "steps back")
        ));
    }
    let hour = |at: usize| rows.rows[at].0.as_second().div_euclid(HOUR);
    let (first, last) = (hour(oldest), hour(newest));
    let span = (last - first) as usize + 1;
    if span > MAX_HOURS {
        let [old, new] = [oldest, newest].map(|at| rows.rows[at]);
        let message = format!(
            "{} years from {} (line {}) to {} (line {}); at most 20 are read, look for a mistyped \
             year",
            (span + 4_383) / 8_766,
            old.0,
            old.1,
            new.0,
            new.1
        );
        problems.push(new.1, 1, message);
        return nothing;
    }
    let order = merge(&rows, order, notes, problems);
    let width = rows.families.len();
    if span * width > MAX_CELLS {
        problems.push(
            rows.rows[newest].1,
            1,
            format!(
                "{span} hours of {width} families, {} cells; at most {MAX_CELLS} are read, leave out \
                 years or families",
                span * width
            ),
        );
        return nothing;
    }
    let mut sums = vec![vec![0.0; span]; width];
    let mut counts = vec![vec![0_u32; span]; width];
    let mut hours = 0;
    let (mut shared, mut beside) = (0, 0);
    let mut before = None;
    for cells in &order {
        let at = cells[0];
        let here = (hour(at) - first) as usize;
        if before == Some(here) {
            shared += 1;
        } else {
            hours += 1;
        }
        beside += usize::from(rows.rows[at].0.as_second().rem_euclid(HOUR) != 0);
        before = Some(here);
        for family in 0..width {
            let known = cells.iter().map(|row| rows.units[row * width + family]);
            if let Some(units) = known.into_iter().find(|units| !units.is_nan()) {
                sums[family][here] += units;
                counts[family][here] += 1;
            }
        }
    }
    if shared > 0 {
        notes.push(format!("{} averaged to {hours} hours", counted(order.len(), "row", "rows")));
    } else if beside > 0 {
        notes.push(format!(
            "{} not on the hour: each counts for the hour that it lies in",
            counted(beside, "time is", "times are")
        ));
    }
    let families = rows.families.into_iter().zip(sums.into_iter().zip(counts));
    let families: Vec<(String, Vec<f64>)> = families
        .map(|(name, (sums, counts))| {
            let mean = |(sum, count)| if count == 0 { f64::NAN } else { sum / f64::from(count) };
            (name, sums.into_iter().zip(counts).map(mean).collect())
        })
        .collect();
    let start = Timestamp::from_second(first * HOUR).unwrap_or(Timestamp::UNIX_EPOCH);
    tell_gaps(&families, span - hours, start, notes);
    Hours { start, families }
}

/// Rows of the same moment come together. Two that say different things are a problem.
fn merge(
    rows: &Rows,
    order: Vec<usize>,
    notes: &mut Vec<String>,
    problems: &mut Problems,
) -> Vec<Vec<usize>> {
    let width = rows.families.len();
    let line = |row: usize, family: usize| {
        rows.lines.as_ref().map_or(rows.rows[row].1, |lines| lines[row * width + family])
    };
    let mut merged: Vec<Vec<usize>> = Vec::with_capacity(order.len());
    let mut duplicates = 0;
    for row in order {
        let at = rows.rows[row].0;
        let Some(group) = merged.last_mut().filter(|group| rows.rows[group[0]].0 == at) else {
            merged.push(vec![row]);
            continue;
        };
        duplicates += 1;
        for (family, name) in rows.families.iter().enumerate() {
            let new = rows.units[row * width + family];
            let mut others = group.iter().map(|o| (*o, rows.units[o * width + family]));
            let known = others.find(|(_, units)| !units.is_nan());
            if let Some((other, old)) = known.filter(|(_, old)| !new.is_nan() && *old != new) {
                let message = format!(
                    "{name}: {new} at {at}, but line {} says {old}; keep one of them. Where the \
                     times are of a local clock, name its zone with --zone",
                    line(other, family)
                );
                problems.push(line(row, family), 1, message);
            }
        }
        group.push(row);
    }
    if duplicates > 0 {
        notes.push(format!(
            "{} said again and alike: merged",
            counted(duplicates, "time is", "times are")
        ));
    }
    merged
}

/// Says which hours are not known.
fn tell_gaps(
    families: &[(String, Vec<f64>)],
    missing: usize,
    start: Timestamp,
    notes: &mut Vec<String>,
) {
    let at = |hour: usize| {
        Timestamp::from_second(start.as_second() + hour as i64 * HOUR)
            .map_or_else(|_| String::new(), |at| format!("{at:.0}"))
    };
    let part = |count: usize, all: usize| 100.0 * count as f64 / all as f64;
    let longest = |hours: &[f64]| {
        let (mut best, mut run) = ((0, 0), 0);
        for (hour, units) in hours.iter().enumerate() {
            run = if units.is_nan() { run + 1 } else { 0 };
            best = best.max((run, usize::MAX - (hour + 1 - run)));
        }
        (best.0, usize::MAX - best.1)
    };
    let gaps: Vec<(usize, &(String, Vec<f64>))> = families
        .iter()
        .map(|family| (family.1.iter().filter(|units| units.is_nan()).count(), family))
        .filter(|(count, _)| *count > 0)
        .collect();
    let Some((_, (_, hours))) = gaps.first() else { return };
    let all = hours.len();
    // Where no row is, no family has a value: said once. A family's empty cells are its own.
    let own = gaps.iter().filter(|(count, _)| *count > missing).count();
    if missing > 0 {
        let (length, from) = longest(hours);
        let end = if own == 0 {
            format!(", the longest gap is {length} h from {}", at(from))
        } else {
            String::new()
        };
        notes.push(format!(
            "{} no row ({}){end}: left open, not filled",
            counted(missing, "hour has", "hours have"),
            percent(part(missing, all), 1),
        ));
    }
    for (count, (name, hours)) in gaps.iter().filter(|(count, _)| *count > missing).take(5) {
        let (length, from) = longest(hours);
        notes.push(format!(
            "{name}: {} not known ({}), the longest gap is {length} h from {}",
            counted(*count, "hour is", "hours are"),
            percent(part(*count, all), 1),
            at(from),
        ));
    }
    if own > 5 {
        notes.push(format!("{} families more have gaps", own - 5));
    }
}
