//! Random numbers that depend on nothing but a key and a position, so that any part of a draw can be
//! made again, in any order and on any thread.

use crate::domain::hash::mix;

/// Odd, 2⁶⁴ ÷ the golden ratio: the step of `SplitMix64` (Steele, Lea, Flood, OOPSLA 2014).
const STEP: u64 = 0x9e37_79b9_7f4a_7c15;

/// A stream of numbers, read at any position.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stream(u64);

impl Stream {
    /// The stream of a seed for one purpose and one week.
    pub(super) fn new(seed: u64, purpose: u64, week: u64) -> Self {
        let key = mix(seed.wrapping_add(STEP));
        let key = mix(key ^ purpose.wrapping_mul(STEP));
        Self(mix(key ^ week.wrapping_add(1).wrapping_mul(STEP)))
    }

    /// The number at a position.
    pub(super) fn at(self, position: u64) -> u64 {
        mix(self.0.wrapping_add(position.wrapping_add(1).wrapping_mul(STEP)))
    }

    /// A whole number below `end`, by multiplication: uneven by at most `end` ÷ 2³².
    pub(super) fn below(self, position: u64, end: u32) -> u32 {
        (((self.at(position) >> 32) * u64::from(end)) >> 32) as u32
    }

    /// Standard normal numbers at the positions from `first` on.
    pub(super) fn normals(self, first: u64, out: &mut [f64]) {
        // In the open interval (0, 1), symmetric about a half.
        for (at, out) in out.iter_mut().enumerate() {
            *out =
                ((self.at(first + at as u64) >> 11) as f64 + 0.5) * (1.0 / 9_007_199_254_740_992.0);
        }
        normal_quantiles(out);
    }
}

/// A name as a number, FNV-1a: a family keeps its draws wherever it stands in the scenario.
pub(super) fn of_name(name: &str) -> u64 {
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    for byte in name.bytes() {
        hash = (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
    }
    hash
}

const A: [f64; 6] = [
    -3.969_683_028_665_376e1,
    2.209_460_984_245_205e2,
    -2.759_285_104_469_687e2,
    1.383_577_518_672_69e2,
    -3.066_479_806_614_716e1,
    2.506_628_277_459_239,
];
const B: [f64; 5] = [
    -5.447_609_879_822_406e1,
    1.615_858_368_580_409e2,
    -1.556_989_798_598_866e2,
    6.680_131_188_771_972e1,
    -1.328_068_155_288_572e1,
];
const C: [f64; 6] = [
    -7.784_894_002_430_293e-3,
    -3.223_964_580_411_365e-1,
    -2.400_758_277_161_838,
    -2.549_732_539_343_734,
    4.374_664_141_464_968,
    2.938_163_982_698_783,
];
const D: [f64; 4] = [
    7.784_695_709_041_462e-3,
    3.224_671_290_700_398e-1,
    2.445_134_137_142_996,
    3.754_408_661_907_416,
];
/// Where the tails begin.
const TAIL: f64 = 0.024_25;

/// The quantiles of the standard normal distribution at these parts, 0–1, in place: Acklam's
/// rational approximation (2003), relative error below 1.15e-9.
fn normal_quantiles(parts: &mut [f64]) {
    // The middle's formula for blocks of numbers at once, then the few tails again.
    let mut block = [0.0; 64];
    for parts in parts.chunks_mut(block.len()) {
        block[..parts.len()].copy_from_slice(parts);
        parts.iter_mut().for_each(|part| *part = middle(*part));
        for (quantile, &part) in parts.iter_mut().zip(&block) {
            if part < TAIL {
                *quantile = tail(part);
            } else if part > 1.0 - TAIL {
                *quantile = -tail(1.0 - part);
            }
        }
    }
}

#[inline]
fn middle(part: f64) -> f64 {
    let q = part - 0.5;
    let r = q * q;
    let above = ((((A[0] * r + A[1]) * r + A[2]) * r + A[3]) * r + A[4]) * r + A[5];
    let below = ((((B[0] * r + B[1]) * r + B[2]) * r + B[3]) * r + B[4]) * r + 1.0;
    q * above / below
}

fn tail(part: f64) -> f64 {
    let q = (-2.0 * part.ln()).sqrt();
    let above = ((((C[0] * q + C[1]) * q + C[2]) * q + C[3]) * q + C[4]) * q + C[5];
    let below = (((D[0] * q + D[1]) * q + D[2]) * q + D[3]) * q + 1.0;
    above / below
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Φ by its series.
    fn distribution(x: f64) -> f64 {
        let (mut term, mut sum, mut n) = (x, x, 1.0);
        while f64::abs(term) > 1e-18 && n < 400.0 {
            n += 2.0;
            term *= x * x / n;
            sum += term;
        }
        0.5 + sum * (-x * x / 2.0).exp() / (2.0 * std::f64::consts::PI).sqrt()
    }

    fn normal_quantile(part: f64) -> f64 {
        let mut parts = [part];
        normal_quantiles(&mut parts);
        parts[0]
    }

    #[test]
    fn the_quantile_inverts_the_distribution() {
        for i in 1..2000 {
            let part = f64::from(i) / 2000.0;
            assert!((distribution(normal_quantile(part)) - part).abs() < 1e-9, "{part}");
        }
        assert_eq!(normal_quantile(0.5), 0.0);
        assert!(normal_quantile(1e-12) < -7.0);
    }

    fn draw(stream: Stream, n: usize) -> Vec<f64> {
        let mut draws = vec![0.0; n];
        stream.normals(0, &mut draws);
        draws
    }

    #[test]
    fn numbers_have_the_moments_of_a_normal() {
        let stream = Stream::new(7, 1, 3);
        let n = 200_000;
        let draws = draw(stream, n);
        let mean = draws.iter().sum::<f64>() / n as f64;
        let square = draws.iter().map(|z| z * z).sum::<f64>() / n as f64;
        let fourth = draws.iter().map(|z| z.powi(4)).sum::<f64>() / n as f64;
        // Three to four standard errors.
        assert!(mean.abs() < 0.008, "{mean}");
        assert!((square - 1.0).abs() < 0.012, "{square}");
        assert!((fourth - 3.0).abs() < 0.09, "{fourth}");
        // Neither the next number nor the next week tells of this one.
        let other = draw(Stream::new(7, 1, 4), n);
        let next: f64 = draws.windows(2).map(|w| w[0] * w[1]).sum::<f64>() / n as f64;
        let week: f64 = draws.iter().zip(&other).map(|(a, b)| a * b).sum::<f64>() / n as f64;
        assert!(next.abs() < 0.008 && week.abs() < 0.008, "{next} {week}");
    }

    #[test]
    fn weeks_are_drawn_evenly() {
        let stream = Stream::new(1, 0, 0);
        let mut seen = [0u32; 25];
        (0..250_000).for_each(|i| seen[stream.below(i, 25) as usize] += 1);
        // χ² with 24 degrees of freedom: above 52 in one of a thousand.
        let chi: f64 = seen.iter().map(|&n| (f64::from(n) - 1e4).powi(2) / 1e4).sum();
        assert!(chi < 52.0, "{chi}");
    }
}
