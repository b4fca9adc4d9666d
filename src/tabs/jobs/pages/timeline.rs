//! The life of an attempt as a bar: queued, work that counts, work that came to nothing; below it how much its GPUs worked.

use jiff::Timestamp;

use crate::analyze::jobs::{Costed, UsedFrom};
use crate::app::Role;
use crate::app::content::Line;
use crate::app::content::graph::sparkline;
use crate::domain::jobs::GpuTime;
use crate::view::{Symbols, format};

/// Fewest and most cells of the bar.
const CELLS: (usize, usize) = (20, 100);

/// Milliseconds in an hour.
const HOUR_MS: i64 = 3_600_000;

/// A stretch of the bar: its end, its sign, its role.
type Stretch = (Timestamp, &'static str, Role);

/// The bar in so many columns, below it the activity of its GPUs by `hours` (0–1 each from that of the start on, NaN = unknown), and
/// a legend; empty where its ends are not known.
pub(super) fn timeline(
    of: &Costed,
    hours: Option<&[f32]>,
    symbols: Symbols,
    width: usize,
) -> Vec<Line> {
    let attempt = &of.attempt;
    let start = attempt.started_at;
    let Some(from) = attempt.submitted_at.or(start) else { return Vec::new() };
    let Some(until) = attempt.ended_at.or(attempt.seen_until).or(start) else { return Vec::new() };
    let total = until.duration_since(from).as_millis();
    if total <= 0 {
        return Vec::new();
    }
    let cells = width.saturating_sub(4).clamp(CELLS.0, CELLS.1);
    let mut line = Line::new().text("  ");
    let (mut drawn, mut signs) = (0, Vec::new());
    for (end, sign, role) in stretches(of, until, symbols) {
        let passed = end.duration_since(from).as_millis().clamp(0, total);
        let to = (passed * cells as i128 / total) as usize;
        if to > drawn {
            line = line.with(role, sign.repeat(to - drawn));
            drawn = to;
            signs.push(sign);
        }
    }
    let mut legend = Line::new().text("  ");
    for (name, sign, role) in legend_of(symbols) {
        if signs.contains(&sign) {
            legend = legend.with(role, sign).with(Role::Dim, format!(" {name}  "));
        }
    }
    let Some(marks) =
        hours.and_then(|hours| activity(hours, attempt.started_at?, from, until, cells))
    else {
        return vec![line, legend];
    };
    let ends = sparkline(&[0.0, 1.0], 2, symbols);
    legend = legend.with(Role::Accent, ends).with(Role::Dim, " activity of its GPUs, 0 to 100%");
    let marks = Line::new().text("  ").with(Role::Accent, sparkline(&marks, cells, symbols));
    vec![line, marks, legend]
}

/// Mean activity of each cell of a bar between two moments, 0–1; NaN where no hour is known, and before the start. `None` for a bar
/// beyond what can be counted.
fn activity(
    hours: &[f32],
    start: Timestamp,
    from: Timestamp,
    until: Timestamp,
    cells: usize,
) -> Option<Vec<f32>> {
    let (start, from, until) =
        (start.as_millisecond(), from.as_millisecond(), until.as_millisecond());
    let (total, count) = (until.checked_sub(from)?, i64::try_from(cells).ok()?);
    let at = |cell: usize| Some(from + total.checked_mul(cell as i64)? / count);
    let first = start.div_euclid(HOUR_MS);
    let place = |ms: i64| usize::try_from(ms.div_euclid(HOUR_MS) - first).ok();
    let mean = |cell: usize| {
        let (begins, ends) = (at(cell)?.max(start), at(cell + 1)?);
        let (first, last) = (place(begins)?, place((ends - 1).max(begins))?);
        let known = || hours.get(first..=last).into_iter().flatten().filter(|mean| !mean.is_nan());
        let count = known().count();
        (ends > start && count > 0).then(|| known().sum::<f32>() / count as f32)
    };
    at(cells)?;
    Some((0..cells).map(|cell| mean(cell).unwrap_or(f32::NAN)).collect())
}

/// For how much of the time they were held the GPUs worked, and how many of them at all where its site measured that; `None` where
/// nobody measured, or nothing was held.
pub(super) fn worked(of: &Costed) -> Option<String> {
    let ((used, from), held) = (of.worked()?, of.held.gpu_time?);
    let share = format::share(used.share_of(held)?, 0);
    let hours = |time: GpuTime| format::grouped(time.hours(), 2);
    let by = match (from, of.attempt.usage.as_deref()) {
        (UsedFrom::Jobstats, Some(usage)) => format!(
            ", by jobstats when it ended: {} of {} worked at all",
            usage.gpus_working, usage.gpus
        ),
        _ => String::new(),
    };
    Some(format!(
        "GPUs worked {share} of the time they were held ({} of {} GPU-hours){by}",
        hours(used),
        hours(held)
    ))
}

/// Names, signs and roles of the stretches: queued, counts, came to nothing.
fn legend_of(symbols: Symbols) -> [(&'static str, &'static str, Role); 3] {
    match symbols {
        Symbols::Unicode => [
            ("queued", "░", Role::Dim),
            ("ran", "█", Role::Ok),
            ("came to nothing", "▓", Role::Idle),
        ],
        Symbols::Ascii => [
            ("queued", ".", Role::Dim),
            ("ran", "#", Role::Ok),
            ("came to nothing", "!", Role::Idle),
        ],
    }
}

fn stretches(of: &Costed, until: Timestamp, symbols: Symbols) -> Vec<Stretch> {
    let [(_, queued, dim), (_, ran, ok), (_, lost, idle)] = legend_of(symbols);
    let attempt = &of.attempt;
    let Some(start) = attempt.started_at else { return vec![(until, queued, dim)] };
    let comes_to_nothing = of.lost.gpu_time.is_some_and(|time| !time.is_zero());
    // Up to the last complete checkpoint it counts, else none of it does.
    let kept_until = match (comes_to_nothing, of.saved_at) {
        (false, _) => until,
        (true, Some(saved)) => saved.clamp(start, until.max(start)),
        (true, None) => start,
    };
    vec![(start, queued, dim), (kept_until, ran, ok), (until, lost, idle)]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::jobs::{JobState, JobUsage};
    use crate::tabs::jobs::state::fixture;

    fn costed(state: JobState) -> Costed {
        let now = "2026-11-28T12:00:00Z".parse().unwrap();
        let rows = fixture::read(now).costs.rows;
        rows.into_iter().find(|row| row.attempt.state == state).unwrap()
    }

    fn text(line: &Line) -> String {
        line.spans.iter().map(|span| &*span.text).collect()
    }

    #[test]
    fn the_activity_of_its_gpus_stands_below_the_bar_from_its_start_on() {
        // Queued at 5, started at 7, seen at 12: ten cells an hour. Of one hour nobody knows it.
        let of = costed(JobState::Running);
        let hours = [1.0, 0.0, f32::NAN, 0.5, 1.0];
        let lines = timeline(&of, Some(&hours), Symbols::Unicode, 74);
        let [bar, marks, legend] = &lines[..] else { panic!("{lines:?}") };
        assert_eq!(text(bar), format!("  {}{}", "░".repeat(20), "█".repeat(50)));
        let of_hours: String = ["█", "▁", " ", "▅", "█"].map(|mark| mark.repeat(10)).concat();
        assert_eq!(text(marks), format!("  {}{of_hours}", " ".repeat(20)));
        assert!(text(legend).ends_with("▁█ activity of its GPUs, 0 to 100%"), "{}", text(legend));
        // A narrow bar has several hours in a cell: their mean.
        let narrow = timeline(&of, Some(&hours), Symbols::Ascii, 0);
        assert!(
            text(&narrow[1]).is_ascii() && text(&narrow[1]).len() == 22,
            "{}",
            text(&narrow[1])
        );
        // Without telemetry there is the bar alone.
        assert_eq!(timeline(&of, None, Symbols::Unicode, 74).len(), 2);
    }

    #[test]
    fn what_jobstats_measured_is_told_with_its_name_where_telemetry_tells_nothing() {
        let mut of = costed(JobState::Completed);
        assert_eq!(worked(&of), None);
        let usage = JobUsage {
            gpus: 8,
            gpus_working: 6,
            gpu_activity_per_mille: 834,
            memory_peak_mib: None,
        };
        of.attempt.usage = Some(Box::new(usage));
        // By hand: 83.4% of 9 hours of 8 GPUs.
        let told = "GPUs worked 83% of the time they were held (60.05 of 72.00 GPU-hours), by jobstats \
                    when it ended: 6 of 8 worked at all";
        assert_eq!(worked(&of).as_deref(), Some(told));
        of.used = of.held.gpu_time.map(|time| time.part(1, 2));
        let told = "GPUs worked 50% of the time they were held (36.00 of 72.00 GPU-hours)";
        assert_eq!(worked(&of).as_deref(), Some(told));
    }
}
