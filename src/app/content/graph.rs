//! Series as text: one column per few hours, blocks, braille or ASCII.
//!
//! A datapoint of zero draws the lowest mark and a missing one draws nothing, so that "idle" and
//! "not seen" never look alike.

use jiff::{SignedDuration, Timestamp};

use super::{Line, columns, pad};
use crate::app::{Appearance, Role};
use crate::domain::{Hour, HourRange};
use crate::tabs::gpus::picture::GpuGraphPage;
use crate::tabs::idle::picture::{Graph, GraphPage};
use crate::view::Symbols;
use crate::view::format;

const BLOCKS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
const ASCII: [char; 8] = ['_', '.', ',', '-', '=', '+', '*', '#'];
/// Stands for a datapoint that came and made no sense.
const MALFORMED: char = '!';
/// Columns of the label, and fewest of the axis' range.
const LABEL: usize = 16;
const RANGE: usize = 13;

/// Fewest columns of a graph.
pub const NARROWEST: usize = 12;

/// Common time scale of the graphs of a page.
pub struct Plot {
    braille: bool,
    symbols: Symbols,
    per_column: usize,
    columns: usize,
    idle: Option<(usize, usize)>,
    /// The moments at both ends of the axis, and what a column is.
    from: String,
    to: String,
    column: String,
}

impl Plot {
    /// A scale of at most `room` columns; `None` where that is too narrow or there are no hours.
    pub fn of(page: &GraphPage, appearance: Appearance, room: usize) -> Option<Self> {
        let mut plot = Self::fit(page.window.len(), appearance, room)?;
        plot.idle = page.idle.map(|range| shaded(page.window, range, plot.per_column));
        let date = |hour: Hour| hour.start().strftime("%m-%d").to_string();
        (plot.from, plot.to) = (date(page.window.from), date(page.window.to));
        plot.column = format!("column = {} h", plot.per_column);
        Some(plot)
    }

    /// A scale for the history of a GPU, of at most `room` columns; `None` where that is too narrow or there
    /// are no samples.
    pub fn of_gpu(page: &GpuGraphPage, appearance: Appearance, room: usize) -> Option<Self> {
        let mut plot = Self::fit(page.len, appearance, room)?;
        let per_column = plot.per_column;
        plot.idle = page.idle.map(|(from, to)| (from / per_column, to.div_ceil(per_column)));
        let seconds = |values: usize| i64::from(page.step_s).saturating_mul(values as i64);
        let length = SignedDuration::from_secs(seconds(page.len));
        let end = page.from.saturating_add(length).unwrap_or(page.from);
        let time = |at: Timestamp| match length {
            long if long > SignedDuration::from_hours(48) => at.strftime("%m-%d").to_string(),
            // Both ends of a day have the same time.
            long if long >= SignedDuration::from_hours(20) => {
                at.strftime("%m-%d %H:%M").to_string()
            }
            _ => at.strftime("%H:%M").to_string(),
        };
        (plot.from, plot.to) = (time(page.from), time(end));
        plot.column = format!("column = {}", format::span(seconds(per_column)));
        Some(plot)
    }

    /// A scale for `samples` in at most `room` columns, nothing shaded.
    fn fit(samples: usize, appearance: Appearance, room: usize) -> Option<Self> {
        if room < NARROWEST || samples == 0 {
            return None;
        }
        let braille = appearance.braille && appearance.symbols == Symbols::Unicode;
        // Braille holds two samples in a column.
        let per_column =
            if braille { samples.div_ceil(room * 2) * 2 } else { samples.div_ceil(room) };
        Some(Self {
            braille,
            symbols: appearance.symbols,
            per_column,
            columns: samples.div_ceil(per_column),
            idle: None,
            from: String::new(),
            to: String::new(),
            column: String::new(),
        })
    }

    /// Appends the graph of `values` to `line`, scaled to 0–`ceiling`.
    pub fn draw(&self, line: Line, values: &[f32], ceiling: f32) -> Line {
        let marks = if self.braille {
            braille_row(values, ceiling, self.per_column / 2)
        } else {
            row(values, ceiling, self.per_column, levels(self.symbols))
        };
        shade(line, &marks, self.idle)
    }

    /// Two lines: the time axis, with the idle stretch drawn in other characters so that it needs no colour;
    /// and the dates with the length of a column. Both begin after `margin` columns.
    pub fn axis(&self, margin: usize) -> [Line; 2] {
        let plain = if self.symbols == Symbols::Ascii { '-' } else { '─' };
        let stretch = stretch(self.symbols);
        let marks: Vec<char> = (0..self.columns)
            .map(|c| match self.idle {
                Some((from, to)) if (from..to).contains(&c) => stretch,
                _ => plain,
            })
            .collect();
        let (from, to) = (&self.from, &self.to);
        let gap = self.columns.saturating_sub(to.len());
        let dates = if gap > from.len() { format!("{}{to}", pad(from, gap)) } else { from.clone() };
        let legend = match self.idle {
            Some(_) => format!("{}, {stretch} idle", self.column),
            None => self.column.clone(),
        };
        let legend = if columns(&legend) < margin { legend } else { String::new() };
        [
            shade(Line::new().text(" ".repeat(margin)), &marks, self.idle),
            Line::new().with(Role::Dim, pad(&legend, margin)).with(Role::Dim, dates),
        ]
    }
}

/// Sign by which the time axis marks the idle stretch.
pub fn stretch(symbols: Symbols) -> char {
    if symbols == Symbols::Ascii { '=' } else { '▒' }
}

/// All graphs of a page with their common time axis, `width` columns wide.
pub fn lines(page: &GraphPage, appearance: Appearance, width: usize) -> Vec<Line> {
    let widest = page.graphs.iter().map(|graph| columns(&range(graph, appearance.symbols))).max();
    // A longer range would push its own graph off the axis.
    let of_ranges = widest.unwrap_or(0).max(RANGE);
    let margin = LABEL + of_ranges + 1;
    let Some(plot) = Plot::of(page, appearance, width.saturating_sub(margin)) else {
        return vec![Line::of(Role::Dim, "The graphs need more room.")];
    };
    let graph = |graph: &Graph| {
        let line = Line::new()
            .column(Role::Text, &graph.label, LABEL)
            .number(Role::Dim, &range(graph, appearance.symbols), of_ranges)
            .text(" ");
        plot.draw(line, &graph.values, graph.ceiling)
    };
    page.graphs.iter().map(graph).chain(plot.axis(margin)).collect()
}

/// The columns of the idle stretch, first and one past the last.
fn shaded(window: HourRange, idle: HourRange, per_column: usize) -> (usize, usize) {
    let hour = |h: i32| usize::try_from(h - window.from.0).unwrap_or(0);
    (hour(idle.from.0) / per_column, hour(idle.to.0).div_ceil(per_column))
}

/// Both ends of the axis with its unit, `0–100%`: the upper one alone would read as a value.
fn range(graph: &Graph, symbols: Symbols) -> String {
    let top = f64::from(graph.ceiling);
    let top = match graph.unit {
        "%" => format::percent(top, 0),
        "bytes/h" => format!("{}/h", format::bytes(top)),
        unit => format!("{} {unit}", format::grouped(top, 0)),
    };
    let to = if symbols == Symbols::Ascii { '-' } else { '–' };
    format!("0{to}{top}")
}

/// The largest value among the hours of a column: NaN when none came, infinite when one of them
/// made no sense.
fn peak(values: &[f32]) -> f32 {
    values.iter().copied().filter(|v| !v.is_nan()).reduce(f32::max).unwrap_or(f32::NAN)
}

fn level(value: f32, ceiling: f32, levels: usize) -> usize {
    if ceiling <= 0.0 {
        return 0;
    }
    let share = (value / ceiling).clamp(0.0, 1.0);
    (share * (levels - 1) as f32).round() as usize
}

/// The marks from the lowest to the highest.
fn levels(symbols: Symbols) -> [char; 8] {
    if symbols == Symbols::Ascii { ASCII } else { BLOCKS }
}

/// The newest `width` values (0–1) as marks; unknown ones (NaN) are blank.
pub fn sparkline(values: &[f32], width: usize, symbols: Symbols) -> String {
    let newest = &values[values.len().saturating_sub(width)..];
    row(newest, 1.0, 1, levels(symbols)).into_iter().collect()
}

fn row(values: &[f32], ceiling: f32, per_column: usize, levels: [char; 8]) -> Vec<char> {
    values
        .chunks(per_column)
        .map(|hours| match peak(hours) {
            v if v.is_nan() => ' ',
            v if v.is_infinite() => MALFORMED,
            v => levels[level(v, ceiling, levels.len())],
        })
        .collect()
}

/// Two samples per cell, four levels each.
fn braille_row(values: &[f32], ceiling: f32, per_sample: usize) -> Vec<char> {
    // Dots of the left and right column from the bottom up, as bits of U+2800.
    const LEFT: [u32; 4] = [0x40, 0x44, 0x46, 0x47];
    const RIGHT: [u32; 4] = [0x80, 0xa0, 0xb0, 0xb8];
    let samples: Vec<f32> = values.chunks(per_sample).map(peak).collect();
    samples
        .chunks(2)
        .map(|pair| {
            if pair.iter().any(|v| v.is_infinite()) {
                return MALFORMED;
            }
            let dots = |side: [u32; 4], v: Option<&f32>| {
                v.filter(|v| !v.is_nan()).map_or(0, |v| side[level(*v, ceiling, 4)])
            };
            match dots(LEFT, pair.first()) | dots(RIGHT, pair.get(1)) {
                0 => ' ',
                bits => char::from_u32(0x2800 | bits).unwrap_or(' '),
            }
        })
        .collect()
}

/// Appends `marks`, the idle stretch among them in its own role.
fn shade(line: Line, marks: &[char], idle: Option<(usize, usize)>) -> Line {
    let end = marks.len();
    let (from, to) = idle.map_or((end, end), |(a, b)| (a.min(end), b.min(end)));
    let text = |range: &[char]| range.iter().collect::<String>();
    let mut line = line;
    for (role, range) in
        [(Role::Ok, &marks[..from]), (Role::Shade, &marks[from..to]), (Role::Ok, &marks[to..])]
    {
        if !range.is_empty() {
            line = line.with(role, text(range));
        }
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::{MALFORMED as NONSENSE, Signal};

    #[test]
    fn a_trail_shows_its_newest_values() {
        let trail = [0.0, 1.0, f32::NAN, 0.5];
        assert_eq!(sparkline(&trail, 3, Symbols::Unicode), "█ ▅");
        assert_eq!(sparkline(&trail, 9, Symbols::Ascii), "_# =");
        assert_eq!(sparkline(&[], 9, Symbols::Ascii), "");
    }

    #[test]
    fn zero_missing_and_nonsense_look_different() {
        let g = [0.0, f32::NAN, NONSENSE, 50.0, 100.0];
        assert_eq!(row(&g, 100.0, 1, BLOCKS).iter().collect::<String>(), "▁ !▅█");
        assert_eq!(row(&g, 100.0, 1, ASCII).iter().collect::<String>(), "_ !=#");
    }

    #[test]
    fn a_column_shows_the_peak_of_its_hours() {
        let g = [0.0, 100.0, f32::NAN, 0.0, f32::NAN, f32::NAN];
        assert_eq!(row(&g, 100.0, 2, BLOCKS).iter().collect::<String>(), "█▁ ");
    }

    #[test]
    fn braille_holds_two_samples() {
        let g = [0.0, 100.0, f32::NAN, 0.0, f32::NAN];
        let text: String = braille_row(&g, 100.0, 1).iter().collect();
        assert_eq!(text, "\u{28f8}\u{2880} ");
    }

    #[test]
    fn the_axis_has_both_ends_so_that_it_is_no_value() {
        let of = |unit, ceiling, symbols| {
            let graph = Graph {
                signal: Signal::CpuMean,
                label: String::new(),
                unit,
                values: Vec::new(),
                max: None,
                ceiling,
                threshold: None,
            };
            range(&graph, symbols)
        };
        assert_eq!(of("%", 100.0, Symbols::Unicode), "0–100%");
        assert_eq!(of("%", 100.0, Symbols::Ascii), "0-100%");
        assert_eq!(of("ops/h", 3_600.0, Symbols::Unicode), "0–3,600 ops/h");
    }

    #[test]
    fn graphs_stand_over_their_axis_whatever_their_ranges() {
        let graph = |unit, ceiling| Graph {
            signal: Signal::CpuMean,
            label: "a label".to_owned(),
            unit,
            values: vec![ceiling; 24],
            max: Some(ceiling),
            ceiling,
            threshold: None,
        };
        let appearance = crate::app::fixture::appearance();
        let begins = |graphs: Vec<Graph>| -> Vec<Option<usize>> {
            let window = HourRange { from: Hour(100), to: Hour(124) };
            let page = GraphPage { window, idle: None, graphs };
            let begin = |line: &Line| {
                let text: String = line.spans.iter().map(|span| &*span.text).collect();
                text.chars().position(|c| matches!(c, '█' | '─'))
            };
            lines(&page, appearance, 100).iter().take(3).map(begin).collect()
        };
        let long = begins(vec![graph("%", 100.0), graph("ops/h", 1_000_000.0)]);
        assert_eq!(long, [Some(LABEL + 17 + 1); 3]);
        let short = begins(vec![graph("%", 100.0), graph("ops/h", 3_600.0)]);
        assert_eq!(short, [Some(LABEL + RANGE + 1); 3]);
    }

    #[test]
    fn the_idle_stretch_covers_its_columns() {
        let window = HourRange { from: Hour(100), to: Hour(268) };
        let idle = HourRange { from: Hour(200), to: Hour(268) };
        assert_eq!(shaded(window, idle, 3), (33, 56));
    }
}
