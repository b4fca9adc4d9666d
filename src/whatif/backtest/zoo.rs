//! Invented demand of many shapes, seeded: what no real trace at hand covers.

use crate::whatif::HOURS_PER_WEEK;

/// Shapes that the policy was designed on.
pub(crate) const DESIGN: [&str; 11] = [
    "constant",
    "noise",
    "growth",
    "decline",
    "step up",
    "step down",
    "spikes",
    "random walk",
    "ar1",
    "seasonal",
    "small office",
];

/// Shapes that were looked at only when the policy stood.
pub(crate) const HELD_OUT: [&str; 9] = [
    "bursts",
    "on/off",
    "launch and kill",
    "heavy-tailed jobs",
    "hump",
    "regimes",
    "yearly",
    "two generations",
    "lumpy growth",
];

/// `SplitMix64` (Steele, Lea, Flood 2014).
pub(crate) struct Dice(u64);

impl Dice {
    /// A generator; the same seed gives the same numbers.
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// Evenly in 0–1.
    pub(crate) fn part(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// Standard normal: the sum of twelve parts, less six.
    pub(crate) fn normal(&mut self) -> f64 {
        (0..12).map(|_| self.part()).sum::<f64>() - 6.0
    }
}

/// Hour of the day and day of the week as a factor around 1.
fn rhythm(hour: usize, depth: f64) -> f64 {
    let day = (hour as f64 * std::f64::consts::TAU / 24.0).sin();
    let weekend = if hour % HOURS_PER_WEEK >= 120 { -0.5 } else { 0.2 };
    1.0 + depth * (0.7 * day + weekend)
}

/// Whole units per hour of a shape, over so many weeks.
pub(crate) fn series(shape: &str, weeks: usize, seed: u64) -> Vec<f64> {
    let name = shape.bytes().fold(seed, |sum, byte| sum.wrapping_mul(31).wrapping_add(byte.into()));
    let mut dice = Dice::new(name);
    let hours = weeks * HOURS_PER_WEEK;
    let at = (0.3 + 0.5 * dice.part()) * hours as f64;
    let mut state = 0.0_f64;
    let mut until = 0.0_f64;
    let mut jobs: Vec<(f64, f64)> = Vec::new();
    let mut level = 100.0;
    (0..hours)
        .map(|hour| {
            let time = hour as f64;
            let part = time / hours as f64;
            let week = hour % HOURS_PER_WEEK == 0;
            let small = 1.0 + 0.05 * dice.normal();
            let value = match shape {
                "constant" => 100.0,
                "noise" => 100.0 + 25.0 * dice.normal(),
                "growth" => 60.0 * (1.4 * part).exp() * rhythm(hour, 0.2) * small,
                "decline" => 240.0 * (-1.4 * part).exp() * rhythm(hour, 0.2) * small,
                "step up" => (if time < at { 80.0 } else { 160.0 }) * rhythm(hour, 0.15) * small,
                "step down" => (if time < at { 160.0 } else { 70.0 }) * rhythm(hour, 0.15) * small,
                "spikes" => {
                    let spike = if dice.part() < 0.01 { 300.0 } else { 0.0 };
                    (80.0 + spike) * small
                }
                "random walk" => {
                    if hour % 24 == 0 {
                        state += 0.035 * dice.normal();
                    }
                    120.0 * state.exp() * rhythm(hour, 0.15)
                }
                "ar1" => {
                    state = 0.995 * state + 0.03 * dice.normal();
                    120.0 * (1.0 + state).max(0.0)
                }
                "seasonal" => 120.0 * rhythm(hour, 0.5) * small,
                "small office" => (3.0 * rhythm(hour, 0.8) * small).max(0.0),
                "bursts" => {
                    if time >= until {
                        until = time + 24.0 * (2.0 + 12.0 * dice.part());
                        level = 40.0 + if dice.part() < 0.4 { 160.0 * dice.part() } else { 0.0 };
                    }
                    level * small
                }
                "on/off" => {
                    if time >= until {
                        state = 1.0 - state;
                        until = time + 24.0 * (7.0 + 60.0 * dice.part());
                    }
                    20.0 + 100.0 * state * small
                }
                "launch and kill" => {
                    let live = part > 0.35 && part < 0.35 + 0.3 * at / hours as f64;
                    (60.0 + if live { 150.0 } else { 0.0 }) * rhythm(hour, 0.2) * small
                }
                "heavy-tailed jobs" => {
                    jobs.retain(|(end, _)| *end > time);
                    if dice.part() < 0.25 {
                        let long = (dice.part() + 1e-4).powf(-0.8).min(1500.0);
                        let gpus =
                            [1.0, 1.0, 2.0, 8.0, 8.0, 32.0][(dice.part() * 6.0) as usize % 6];
                        jobs.push((time + long, gpus));
                    }
                    jobs.iter().map(|(_, gpus)| gpus).sum()
                }
                "hump" => {
                    (40.0 + 160.0 * (part * std::f64::consts::PI).sin()) * rhythm(hour, 0.2) * small
                }
                "regimes" => {
                    if week && dice.part() < 0.06 {
                        level = 40.0 + 160.0 * dice.part();
                    }
                    level * rhythm(hour, 0.2) * small
                }
                "yearly" => {
                    let year = (time * std::f64::consts::TAU / 8760.0).sin();
                    120.0 * (1.0 + 0.3 * year) * rhythm(hour, 0.2) * small
                }
                "two generations" => {
                    let leave = ((part - at / hours as f64) * 8.0).clamp(0.0, 1.0);
                    (150.0 * (1.0 - leave) + 10.0) * rhythm(hour, 0.2) * small
                }
                "lumpy growth" => {
                    if week && dice.part() < 0.08 {
                        level += 30.0 * dice.part();
                    }
                    (level - 60.0) * rhythm(hour, 0.25) * small
                }
                _ => 0.0,
            };
            value.round().max(0.0)
        })
        .collect()
}
