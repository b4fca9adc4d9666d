//! The plots of a plan in the units of their axes: what is drawn where, before any cell is chosen.

mod cost;
mod curve;
mod fan;
mod payback;
#[cfg(test)]
mod tests;

pub use cost::cost;
pub use curve::curve;
#[cfg(test)]
pub use curve::used_share;
pub use fan::fan;
pub use payback::payback;

/// A plot in the units of its axes.
#[derive(Clone, Debug)]
pub struct Plot {
    /// Horizontal axis.
    pub x: Axis,
    /// Vertical axis.
    pub y: Axis,
    /// Areas; later ones cover earlier ones.
    pub bands: Vec<Band>,
    /// Lines above the areas.
    pub traces: Vec<Trace>,
    /// Labelled positions.
    pub marks: Vec<Mark>,
    /// Position of the cursor; `None` without one.
    pub cursor: Option<Place>,
    /// Values at the cursor, in one line.
    pub reads: String,
}

/// An axis of a plot.
#[derive(Clone, Copy, Debug)]
pub struct Axis {
    /// Lower end.
    pub low: f64,
    /// Upper end, above the lower one.
    pub high: f64,
    /// Formats a value of the axis.
    pub show: fn(f64) -> String,
    /// Label of the axis.
    pub name: &'static str,
}

impl Axis {
    /// Position of a value, 0–1 within the axis.
    pub fn part(&self, value: f64) -> f64 {
        (value - self.low) / (self.high - self.low)
    }

    /// Value at a position (0–1).
    pub fn at(&self, part: f64) -> f64 {
        self.low + (self.high - self.low) * part
    }
}

/// Meaning of an area or line, each drawn with a glyph of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Ink {
    /// Units committed and used.
    Used,
    /// Units committed and idle.
    Idle,
    /// Units on Spot.
    Spot,
    /// Units on demand.
    OnDemand,
    /// Range between the quantiles of the futures.
    Ribbon,
    /// Quantile at an edge of that range.
    Edge,
    /// Median or mean of the futures.
    Middle,
    /// Units committed, or cash for them.
    Committed,
    /// The alternative without a commitment.
    Other,
}

impl Ink {
    /// All inks, in the order of the legend.
    pub const ALL: [Self; 9] = [
        Self::Used,
        Self::Idle,
        Self::Spot,
        Self::OnDemand,
        Self::Ribbon,
        Self::Edge,
        Self::Middle,
        Self::Committed,
        Self::Other,
    ];
}

/// An area between `low` and `high` at each `x`.
#[derive(Clone, Debug, PartialEq)]
pub struct Band {
    /// Meaning of the area.
    pub ink: Ink,
    /// Label in the legend, one or two words.
    pub name: &'static str,
    /// Letter inside the area; a blank for none.
    pub letter: char,
    /// Points (`x`, `low`, `high`), ascending in `x`.
    pub points: Vec<[f64; 3]>,
}

/// A line through points.
#[derive(Clone, Debug, PartialEq)]
pub struct Trace {
    /// Meaning of the line.
    pub ink: Ink,
    /// Label in the legend, one or two words; empty for none.
    pub name: &'static str,
    /// True where a value holds until the next point.
    pub steps: bool,
    /// Points (`x`, `y`), ascending in `x`.
    pub points: Vec<[f64; 2]>,
}

/// A position on one of the axes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Place {
    /// A value of `x`: a vertical line.
    X(f64),
    /// A value of `y`: a horizontal line.
    Y(f64),
}

/// A labelled position.
#[derive(Clone, Debug, PartialEq)]
pub struct Mark {
    /// Position on an axis.
    pub place: Place,
    /// Label; clean text.
    pub label: String,
    /// Meaning, from which glyph and colour follow.
    pub ink: Ink,
    /// True for a tick at the edge, without a line through the plot.
    pub tick: bool,
}

impl Band {
    /// Lower and upper edge at `x`; `None` outside its points.
    pub fn at(&self, x: f64) -> Option<(f64, f64)> {
        let (before, after, part) = between(&self.points, x)?;
        let mix = |i: usize| before[i] + (after[i] - before[i]) * part;
        Some((mix(1), mix(2)))
    }
}

impl Trace {
    /// Value at `x`; `None` outside its points.
    pub fn at(&self, x: f64) -> Option<f64> {
        let (before, after, part) = between(&self.points, x)?;
        let part = if self.steps && part < 1.0 { 0.0 } else { part };
        Some(before[1] + (after[1] - before[1]) * part)
    }
}

/// The points around `x`, and how far from the first to the second it is.
fn between<const N: usize>(points: &[[f64; N]], x: f64) -> Option<(&[f64; N], &[f64; N], f64)> {
    let (first, last) = (points.first()?, points.last()?);
    if x < first[0] - 1e-9 || x > last[0] + 1e-9 {
        return None;
    }
    let after = points.partition_point(|p| p[0] <= x).min(points.len() - 1);
    let before = after.saturating_sub(1);
    let (a, b) = (&points[before], &points[after]);
    let wide = b[0] - a[0];
    let part = if wide > 0.0 { ((x - a[0]) / wide).clamp(0.0, 1.0) } else { 1.0 };
    Some((a, b, part))
}

/// The end of an axis: a round number at or above `most`, with some air.
fn round_up(most: f64) -> f64 {
    if !most.is_finite() || most <= 0.0 {
        return 1.0;
    }
    let power = 10f64.powf(most.log10().floor());
    let lead = most / power;
    let round = [1.0, 1.2, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0];
    round.into_iter().find(|r| *r >= lead - 1e-9).unwrap_or(10.0) * power
}

/// The place in `count` points that a part of 0–1 means.
fn index(place: f64, count: usize) -> usize {
    ((place.clamp(0.0, 1.0) * count.saturating_sub(1) as f64).round() as usize)
        .min(count.saturating_sub(1))
}

/// The larger of the finite values, 0 without any.
fn most(values: impl IntoIterator<Item = f64>) -> f64 {
    values.into_iter().filter(|v| v.is_finite()).fold(0.0, f64::max)
}
