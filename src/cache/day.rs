//! One UTC day of a series as a blob: 24 little-endian `f32`, `NaN` where no datapoint came.

/// Hours in a day, the number of values in a blob.
pub(super) const HOURS: usize = 24;

/// Hourly values of one UTC day; `NaN` without a datapoint.
#[derive(Clone, Copy, Debug)]
pub(super) struct Day(pub [f32; HOURS]);

impl Day {
    /// A day without any datapoint.
    pub const EMPTY: Self = Self([f32::NAN; HOURS]);

    /// Decodes a blob; `None` when it is not 96 bytes long.
    pub fn decode(blob: &[u8]) -> Option<Self> {
        if blob.len() != HOURS * 4 {
            return None;
        }
        let mut day = Self::EMPTY;
        for (value, bytes) in day.0.iter_mut().zip(blob.chunks_exact(4)) {
            *value = f32::from_le_bytes(bytes.try_into().ok()?);
        }
        Some(day)
    }

    /// Encodes the day as a blob of 96 bytes.
    pub fn encode(&self) -> [u8; HOURS * 4] {
        let mut blob = [0; HOURS * 4];
        for (bytes, value) in blob.chunks_exact_mut(4).zip(self.0) {
            bytes.copy_from_slice(&value.to_le_bytes());
        }
        blob
    }

    /// Replaces values by the datapoints of `newer`; where `newer` has none, the old value stays. True when anything
    /// changed.
    pub fn merge(&mut self, newer: &Self) -> bool {
        let mut changed = false;
        for (old, new) in self.0.iter_mut().zip(newer.0) {
            if !new.is_nan() && old.to_bits() != new.to_bits() {
                *old = new;
                changed = true;
            }
        }
        changed
    }

    /// True without any datapoint.
    pub fn is_empty(&self) -> bool {
        self.0.iter().all(|v| v.is_nan())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::MALFORMED;

    #[test]
    fn a_blob_keeps_every_bit() {
        let mut day = Day::EMPTY;
        day.0[0] = 0.0;
        day.0[5] = 99.5;
        day.0[23] = MALFORMED;
        let back = Day::decode(&day.encode()).unwrap();
        for (a, b) in day.0.iter().zip(back.0) {
            assert_eq!(a.to_bits(), b.to_bits());
        }
        assert_eq!(day.encode()[20..24], 99.5_f32.to_le_bytes());
    }

    #[test]
    fn other_lengths_are_not_ours() {
        assert!(Day::decode(&[0; 95]).is_none());
        assert!(Day::decode(&[0; 97]).is_none());
        assert!(Day::decode(&[]).is_none());
    }

    #[test]
    fn absence_never_erases() {
        let mut day = Day::EMPTY;
        day.0[3] = 7.0;
        assert!(!day.merge(&Day::EMPTY));
        assert_eq!(day.0[3].to_bits(), 7.0_f32.to_bits());
        let mut newer = Day::EMPTY;
        newer.0[3] = 8.0;
        assert!(day.merge(&newer));
        assert_eq!(day.0[3].to_bits(), 8.0_f32.to_bits());
    }
}
