//! Randomness without state: every "random" choice is a hash of what it is about.
//!
//! The mixer is the finaliser of `SplitMix64` (Steele, Lea, Flood 2014). It is a bijection, which
//! lets an instance id carry the number of the instance without a table.

pub(super) use crate::domain::hash::mix;

use crate::domain::hash::MULTIPLIERS;

const DIVIDE: [u64; 2] = [inverse(MULTIPLIERS[0]), inverse(MULTIPLIERS[1])];

/// Inverse of [`mix`].
pub(super) fn unmix(x: u64) -> u64 {
    let x = unshift(x, 31).wrapping_mul(DIVIDE[1]);
    let x = unshift(x, 27).wrapping_mul(DIVIDE[0]);
    unshift(x, 30)
}

/// Hash of two numbers under a key.
pub(super) fn hash(key: u64, a: u64, b: u64) -> u64 {
    mix(key ^ mix(a ^ b.rotate_left(32).wrapping_mul(0x9e37_79b9_7f4a_7c15)))
}

/// The upper bits of a hash as a number in 0 ≤ u < 1.
pub(super) fn unit(hash: u64) -> f64 {
    (hash >> 11) as f64 / (1_u64 << 53) as f64
}

/// The entry of a weighted list that `u` (0 ≤ u < 1) falls on; `None` for an empty list.
pub(super) fn pick<T>(deck: &[(T, u32)], u: f64) -> Option<&T> {
    let total: u32 = deck.iter().map(|(_, weight)| weight).sum();
    let mut rest = u * f64::from(total);
    for (entry, weight) in deck {
        rest -= f64::from(*weight);
        if rest < 0.0 {
            return Some(entry);
        }
    }
    deck.last().map(|(entry, _)| entry)
}

/// Undoes `x ^ (x >> shift)` for shifts above 21: two rounds restore all 64 bits.
fn unshift(x: u64, shift: u32) -> u64 {
    x ^ (x >> shift) ^ (x >> (2 * shift))
}

/// The multiplicative inverse of an odd number modulo 2⁶⁴, by Newton's method: each round doubles
/// the number of correct bits, starting from three.
const fn inverse(odd: u64) -> u64 {
    let mut x = odd;
    let mut round = 0;
    while round < 5 {
        x = x.wrapping_mul(2_u64.wrapping_sub(odd.wrapping_mul(x)));
        round += 1;
    }
    x
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mixing_is_undone() {
        for x in (0..64).map(|bit| 1_u64 << bit).chain([0, 1, 12_345, u64::MAX]) {
            assert_eq!(unmix(mix(x)), x);
            assert_eq!(mix(unmix(x)), x);
        }
    }

    #[test]
    fn a_deck_is_drawn_by_weight() {
        let deck = [("a", 1), ("b", 3)];
        assert_eq!(pick(&deck, 0.0), Some(&"a"));
        assert_eq!(pick(&deck, 0.249), Some(&"a"));
        assert_eq!(pick(&deck, 0.25), Some(&"b"));
        assert_eq!(pick(&deck, 0.999), Some(&"b"));
        assert_eq!(pick::<u8>(&[], 0.5), None);
    }
}
