//! The colours of the heat map: a hue per state, a brightness per waste.

use ratatui::style::Color;

use super::palette::Ink;
use crate::app::ColorDepth;
use crate::domain::GpuState;
use crate::tabs::gpus::picture::heat::LEVELS;

/// Colours of the heat map by state and level; the last level is for an unknown waste.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Heat {
    colours: [[Color; LEVELS as usize + 1]; GpuState::ALL.len()],
    /// Colour of the cell under the cursor.
    pub cursor: Color,
}

/// Hues in the order of [`GpuState::ALL`], at full brightness: Okabe and Ito's set, which
/// colour-blind eyes tell apart. Work is blue, waste is warm, what is not known is grey.
const HUES: [u32; GpuState::ALL.len()] = [
    0xe0_79_c8, // unhealthy: reddish purple
    0xff_5f_00, // stalled: vermillion
    0xff_b0_00, // held idle: orange
    0xf0_e4_42, // unallocated: yellow
    0x2f_c0_8f, // inefficient: bluish green
    0xb0_b0_b0, // unknown
    0x78_78_78, // stale
    0x4f_a8_ff, // busy: blue
];

/// The share of its hue that a cell keeps which wastes nothing.
const LEAST: f64 = 0.42;

impl Heat {
    /// Colours for a dark or light background at a colour depth.
    pub fn of(is_light: bool, depth: ColorDepth) -> Self {
        let ground = if is_light { 255.0 } else { 0.0 };
        let top = f64::from(LEVELS - 1);
        let colours = HUES.map(|hue| {
            std::array::from_fn(|level| {
                // What is not known lies in the middle: neither nothing nor much.
                let level = if level == usize::from(LEVELS) { top / 2.0 } else { level as f64 };
                let share = LEAST + (1.0 - LEAST) * level / top;
                Ink { rgb: mix(hue, ground, share), ansi: Color::Reset }.at(depth)
            })
        });
        let cursor = if is_light { 0 } else { 0xff_ff_ff };
        Self { colours, cursor: Ink { rgb: cursor, ansi: Color::Reset }.at(depth) }
    }

    /// Colour of a cell; `level` is the brightness from 0 (no waste) up, `None` for an unknown waste.
    pub fn get(&self, state: GpuState, level: Option<u8>) -> Color {
        let level = level.map_or(LEVELS, |l| l.min(LEVELS - 1));
        self.colours[state as usize][usize::from(level)]
    }
}

/// `share` of `hue`, the rest of `ground`.
fn mix(hue: u32, ground: f64, share: f64) -> u32 {
    let [_, r, g, b] = hue.to_be_bytes();
    let channel = |v: u8| (f64::from(v) * share + ground * (1.0 - share)).round() as u8;
    u32::from_be_bytes([0, channel(r), channel(g), channel(b)])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_waste_is_brighter_and_states_differ_at_every_level() {
        let heat = Heat::of(false, ColorDepth::TrueColor);
        let sum = |c: Color| match c {
            Color::Rgb(r, g, b) => u32::from(r) + u32::from(g) + u32::from(b),
            _ => 0,
        };
        for state in GpuState::ALL {
            for level in 1..LEVELS {
                assert!(sum(heat.get(state, Some(level))) > sum(heat.get(state, Some(level - 1))));
            }
        }
        for level in 0..LEVELS {
            let mut all: Vec<String> =
                GpuState::ALL.map(|s| format!("{:?}", heat.get(s, Some(level)))).to_vec();
            all.sort();
            all.dedup();
            assert_eq!(all.len(), GpuState::ALL.len(), "level {level}");
        }
    }
}
