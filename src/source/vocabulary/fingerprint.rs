//! A fingerprint of a set of labels, so that those of known GPUs are not read anew in each sweep.

use std::collections::hash_map::RandomState;
use std::hash::BuildHasher;

/// Odd constants with mixed bits (the fractional parts of √2 and √3).
const MIX: [u64; 2] = [0x6a09_e667_f3bc_c909, 0xbb67_ae85_84ca_a73b];

/// Computes fingerprints of label sets. Its key is random, so that no page can be crafted to collide.
#[derive(Clone, Debug)]
pub struct Fingerprints {
    key: [u64; 2],
}

impl Default for Fingerprints {
    fn default() -> Self {
        let random = RandomState::new();
        Self { key: [random.hash_one(1_u8), random.hash_one(2_u8)] }
    }
}

impl Fingerprints {
    /// Fingerprint of labels in their order, without the metric's name. 128 bits: two of a hundred thousand sets
    /// collide with a chance of 10⁻²⁸.
    pub fn of<'a>(&self, labels: impl Iterator<Item = (&'a str, &'a str)>) -> u128 {
        let mut state = self.key;
        for (name, value) in labels {
            if name != "__name__" {
                absorb(&mut state, name.as_bytes());
                absorb(&mut state, value.as_bytes());
            }
        }
        let [a, b] = state;
        (u128::from(fold(a ^ MIX[0], b ^ self.key[0])) << 64) | u128::from(fold(b ^ MIX[1], a))
    }
}

/// Takes in bytes, eight at a time, and their number.
fn absorb(state: &mut [u64; 2], bytes: &[u8]) {
    let mut words = bytes.chunks_exact(8);
    for word in &mut words {
        // `chunks_exact` gives eight bytes.
        mix(state, u64::from_le_bytes(word.try_into().unwrap_or_default()));
    }
    let mut last = [0; 8];
    let rest = words.remainder();
    last[..rest.len()].copy_from_slice(rest);
    mix(state, u64::from_le_bytes(last));
    mix(state, bytes.len() as u64);
}

fn mix(state: &mut [u64; 2], word: u64) {
    let [a, b] = *state;
    *state = [fold(a ^ word, MIX[0] ^ b), b.rotate_left(23) ^ fold(word ^ MIX[1], a | 1)];
}

/// The halves of the full product, folded.
fn fold(a: u64, b: u64) -> u64 {
    let product = u128::from(a) * u128::from(b);
    (product as u64) ^ (product >> 64) as u64
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn sets_are_told_apart_and_known_again() {
        let prints = Fingerprints::default();
        let mut seen = HashSet::new();
        for node in 0..200 {
            for gpu in 0..8 {
                let (node, gpu) = (format!("node-{node:04}"), gpu.to_string());
                let labels = [("Hostname", &*node), ("gpu", &*gpu)];
                assert!(seen.insert(prints.of(labels.into_iter())));
                assert!(seen.contains(&prints.of(labels.into_iter())));
            }
        }
        // Neither borders nor the order of labels are lost; the metric's name is left out.
        let of = |labels: &[(&'static str, &'static str)]| prints.of(labels.iter().copied());
        assert_ne!(of(&[("a", "bc")]), of(&[("ab", "c")]));
        assert_ne!(of(&[("a", "")]), of(&[("a", "\0")]));
        assert_ne!(of(&[]), of(&[("", "")]));
        assert_eq!(of(&[("__name__", "x"), ("a", "b")]), of(&[("a", "b")]));
    }
}
