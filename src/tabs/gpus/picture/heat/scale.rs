//! Dollars to brightness.

use crate::view::format;

/// Number of brightness levels, 0 included.
pub const LEVELS: u8 = 8;

/// The top of the scale is never below this, USD/h: in a fleet that wastes cents, cents do not
/// shine.
const LEAST_TOP: f32 = 1.0;

/// Brightness by powers of two: the brightest level begins at `top`, each lower one at half of the one above.
/// Level 1 is any smaller waste, level 0 none.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scale {
    /// Waste at which the brightest level begins, USD/h; a power of two, so that it rarely changes while
    /// dollars grow.
    pub top: f32,
}

impl Scale {
    /// The scale with `most` (USD/h) on the brightest level.
    pub fn up_to(most: f32) -> Self {
        let mut top = LEAST_TOP;
        // No cell wastes a million dollars an hour.
        while top * 2.0 <= most && top < 1e6 {
            top *= 2.0;
        }
        Self { top }
    }

    /// Waste at which `level` (1–7) begins, USD/h; 0 for level 1.
    pub fn from(self, level: u8) -> f32 {
        match level {
            0 | 1 => 0.0,
            n => self.top / f32::from(1u16 << (LEVELS - 1 - n.min(LEVELS - 1))),
        }
    }

    /// Level of a waste in USD/h; 0 for none and for NaN.
    pub fn level(self, waste: f32) -> u8 {
        if waste.is_nan() || waste <= 0.0 {
            return 0;
        }
        (2..LEVELS).rev().find(|level| waste >= self.from(*level)).unwrap_or(1)
    }

    /// Legend: each level with where it begins, USD/h without unit: `<0.50`, `0.50`, `16`.
    pub fn legend(self) -> [(u8, String); LEVELS as usize] {
        std::array::from_fn(|level| {
            let level = level as u8;
            let words = match level {
                0 => "0".to_owned(),
                1 => format!("<{}", dollars(self.from(2))),
                n => dollars(self.from(n)),
            };
            (level, words)
        })
    }
}

/// A power of two: whole from one dollar on.
fn dollars(usd: f32) -> String {
    format::grouped(f64::from(usd), if usd < 1.0 { 2 } else { 0 })
}
