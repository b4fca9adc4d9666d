//! Colours by depth: one 24-bit value, its nearest of 256, and a chosen one of 16.

use ratatui::style::Color;

use crate::app::ColorDepth;

/// A 24-bit colour with its substitute among the terminal's 16, which cannot be computed: the user's colour scheme
/// decides what they look like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ink {
    /// 24-bit value, `0xRRGGBB`.
    pub rgb: u32,
    /// Substitute among the 16 system colours.
    pub ansi: Color,
}

impl Ink {
    /// Colour at a depth; `Reset` without colours.
    pub fn at(self, depth: ColorDepth) -> Color {
        let (r, g, b) = self.channels();
        match depth {
            ColorDepth::None => Color::Reset,
            ColorDepth::Ansi16 => self.ansi,
            ColorDepth::Ansi256 => Color::Indexed(nearest_256(r, g, b)),
            ColorDepth::TrueColor => Color::Rgb(r, g, b),
        }
    }

    fn channels(self) -> (u8, u8, u8) {
        let [_, r, g, b] = self.rgb.to_be_bytes();
        (r, g, b)
    }
}

/// The nearest colour of the xterm palette's cube (16–231) and grey ramp (232–255); the first 16
/// are the user's and never chosen.
fn nearest_256(red: u8, green: u8, blue: u8) -> u8 {
    const LEVELS: [u8; 6] = [0, 95, 135, 175, 215, 255];
    let distance = |to: [u8; 3]| -> u32 {
        to.iter().zip([red, green, blue]).map(|(a, b)| u32::from(a.abs_diff(b)).pow(2)).sum()
    };
    let levels = [red, green, blue]
        .map(|v| (0..6u8).min_by_key(|i| LEVELS[usize::from(*i)].abs_diff(v)).unwrap_or_default());
    let cube = 16 + 36 * levels[0] + 6 * levels[1] + levels[2];
    let cube_distance = distance(levels.map(|i| LEVELS[usize::from(i)]));
    let grey = |i: u8| [8 + 10 * i; 3];
    match (0..24u8).min_by_key(|i| distance(grey(*i))) {
        Some(i) if distance(grey(i)) < cube_distance => 232 + i,
        _ => cube,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_points_of_the_xterm_palette() {
        // xterm's own table: 16 = black, 231 = white, 196 = ff0000, 244 = 808080, 75 = 5fafff.
        for (rgb, index) in [
            (0x00_00_00, 16),
            (0xff_ff_ff, 231),
            (0xff_00_00, 196),
            (0x80_80_80, 244),
            (0x5f_af_ff, 75),
        ] {
            let ink = Ink { rgb, ansi: Color::White };
            assert_eq!(ink.at(ColorDepth::Ansi256), Color::Indexed(index), "{rgb:06x}");
        }
    }

    #[test]
    fn without_colours_there_is_none() {
        let ink = Ink { rgb: 0xe6_9f_00, ansi: Color::Yellow };
        assert_eq!(ink.at(ColorDepth::None), Color::Reset);
        assert_eq!(ink.at(ColorDepth::TrueColor), Color::Rgb(0xe6, 0x9f, 0));
        assert_eq!(ink.at(ColorDepth::Ansi16), Color::Yellow);
    }
}
