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

/// A plot.
#[derive(Clone, Debug)]
pub struct Plot {
    /// From left to right.
    pub x: Axis,
    /// From the bottom up.
    pub y: Axis,
    /// Areas, the later ones over the earlier ones.
    pub bands: Vec<Band>,
    /// Lines over them.
    pub traces: Vec<Trace>,
    /// Places that have a name.
    pub marks: Vec<Mark>,
    /// Where the cursor is.
    pub cursor: Option<Place>,
    /// What stands there, one line.
    pub reads: String,
}

/// An axis.
#[derive(Clone, Copy, Debug)]
pub struct Axis {
    /// Its lower end.
    pub low: f64,
    /// Its upper end, above the lower one.
    pub high: f64,
    /// How a value on it is written.
    pub show: fn(f64) -> String,
    /// What it counts.
    pub name: &'static str,
}

impl Axis {
    /// Where a value stands, 0–1 where it is on the axis.
    pub fn part(&self, value: f64) -> f64 {
        (value - self.low) / (self.high - self.low)
    }

    /// The value at a part of the axis.
    pub fn at(&self, part: f64) -> f64 {
        self.low + (self.high - self.low) * part
    }
}

/// What an area or a line stands for; each has a glyph of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Ink {
    /// Committed and used.
    Used,
    /// Committed and idle.
    Idle,
    /// On spot.
    Spot,
    /// On demand.
    OnDemand,
    /// Between the edges of the futures.
    Ribbon,
    /// An edge of the futures.
    Edge,
    /// The middle of them, or the mean.
    Middle,
    /// What is committed, or paid for it.
    Committed,
    /// What would be without it.
    Other,
}

impl Ink {
    /// All of them.
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

/// An area: at each `x` from `low` to `high`, ascending in `x`.
#[derive(Clone, Debug, PartialEq)]
pub struct Band {
    /// What it stands for.
    pub ink: Ink,
    /// In a word or two, for the legend.
    pub name: &'static str,
    /// The letter that stands in it; a blank for none.
    pub letter: char,
    /// `x`, `low`, `high`.
    pub points: Vec<[f64; 3]>,
}

/// A line through points, ascending in `x`.
#[derive(Clone, Debug, PartialEq)]
pub struct Trace {
    /// What it stands for.
    pub ink: Ink,
    /// In a word or two, for the legend; empty for none.
    pub name: &'static str,
    /// True where the value holds until the next point.
    pub steps: bool,
    /// `x`, `y`.
    pub points: Vec<[f64; 2]>,
}

/// A place on one of the axes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Place {
    /// A value of `x`: a line from the bottom to the top.
    X(f64),
    /// A value of `y`: a line from left to right.
    Y(f64),
}

/// A place with a name.
#[derive(Clone, Debug, PartialEq)]
pub struct Mark {
    /// Where.
    pub place: Place,
    /// What it is; clean text.
    pub label: String,
    /// What it stands for.
    pub ink: Ink,
    /// True for a tick at the edge alone, without a line through the plot.
    pub tick: bool,
}

impl Band {
    /// Its edges at `x`; `None` outside of its points.
    pub fn at(&self, x: f64) -> Option<(f64, f64)> {
        let (before, after, part) = between(&self.points, x)?;
        let mix = |i: usize| before[i] + (after[i] - before[i]) * part;
        Some((mix(1), mix(2)))
    }
}

impl Trace {
    /// Its value at `x`; `None` outside of its points.
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
