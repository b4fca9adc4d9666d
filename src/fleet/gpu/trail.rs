//! The last samples of a GPU, bounded, in two bytes each: thousands of GPUs have one.

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Samples kept: 10 minutes at 15 s.
const KEPT: usize = 40;
/// Steps of an activity, 0–1: a multiple of 1,000, so that tenths of a percent are kept exactly.
const STEPS: f32 = 60_000.0;
/// Nothing is known.
const UNKNOWN: u16 = u16::MAX;

/// Effective activity of the last samples, oldest first, 0–1; `NaN` = unknown. Half a step is
/// 0.00083%.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Trail {
    /// 0 beyond `len`.
    values: [u16; KEPT],
    len: u8,
}

impl Default for Trail {
    fn default() -> Self {
        Self { values: [0; KEPT], len: 0 }
    }
}

impl Trail {
    /// Adds a sample, and drops the oldest where there is no room.
    pub fn push(&mut self, value: f32) {
        let known = !value.is_nan();
        self.keep(if known { (value.clamp(0.0, 1.0) * STEPS).round() as u16 } else { UNKNOWN });
    }

    fn keep(&mut self, steps: u16) {
        if self.len() == KEPT {
            self.values.copy_within(1.., 0);
        } else {
            self.len += 1;
        }
        self.values[self.len() - 1] = steps;
    }

    fn len(&self) -> usize {
        usize::from(self.len)
    }

    /// Samples, oldest first, 0–1; `NaN` = unknown.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = f32> {
        let value =
            |steps: &u16| if *steps == UNKNOWN { f32::NAN } else { f32::from(*steps) / STEPS };
        self.values[..self.len()].iter().map(value)
    }
}

impl FromIterator<f32> for Trail {
    fn from_iter<I: IntoIterator<Item = f32>>(values: I) -> Self {
        let mut trail = Self::default();
        values.into_iter().for_each(|value| trail.push(value));
        trail
    }
}

impl Serialize for Trail {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        self.values[..self.len()].serialize(to)
    }
}

impl<'de> Deserialize<'de> for Trail {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let mut trail = Self::default();
        Vec::<u16>::deserialize(from)?.into_iter().for_each(|steps| trail.keep(steps));
        Ok(trail)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_oldest_go_first() {
        let mut trail = Trail::default();
        assert_eq!((trail.len(), trail.iter().len()), (0, 0));
        for i in 0..KEPT + 3 {
            trail.push(i as f32 / 100.0);
        }
        let told: Vec<f32> = trail.iter().collect();
        assert_eq!((trail.len(), told.len()), (KEPT, KEPT));
        assert_eq!((told[0], told[KEPT - 1]), (0.03, (KEPT + 2) as f32 / 100.0));
    }

    #[test]
    fn each_tenth_of_a_percent_is_exact_and_the_unknown_stays_unknown() {
        for n in 0..=1000_u16 {
            let value = f32::from(n) / 1000.0;
            assert_eq!([value].into_iter().collect::<Trail>().iter().next(), Some(value));
        }
        let trail: Trail = [0.123_456, f32::NAN, 2.0].into_iter().collect();
        let told: Vec<f32> = trail.iter().collect();
        assert!((told[0] - 0.123_456).abs() < 1e-5 && told[1].is_nan() && told[2] == 1.0);
    }

    #[test]
    fn it_is_read_as_it_was_stored() {
        let trail: Trail = [0.0, 0.5, f32::NAN, 1.0].into_iter().collect();
        let bytes = postcard::to_stdvec(&trail).unwrap();
        assert_eq!(postcard::from_bytes::<Trail>(&bytes).unwrap(), trail);
        // More than fits: the newest.
        let many = postcard::to_stdvec(&vec![7_u16; 100]).unwrap();
        assert_eq!(postcard::from_bytes::<Trail>(&many).unwrap().len(), KEPT);
    }
}
