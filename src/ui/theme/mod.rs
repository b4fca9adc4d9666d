//! What the roles of the screen look like. Drawing code names roles, never colours.
//!
//! The palettes keep to blue against orange, which deuteranopes and protanopes tell apart
//! (Okabe & Ito, "Color Universal Design", 2008); meaning never rests on colour alone: each
//! status has a glyph and a word, and each role also an attribute where colours are absent.

mod heat;
mod palette;

use ratatui::style::{Color, Modifier, Style};

use crate::app::{Appearance, ColorDepth, Role, ThemeName};
use heat::Heat;
use palette::Ink;

/// Style of every role, and the colours of the heat map.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Theme {
    styles: [Style; Role::ALL.len()],
    heat: Heat,
    has_colours: bool,
}

/// The inks of a theme.
struct Inks {
    dim: Ink,
    accent: Ink,
    ok: Ink,
    warn: Ink,
    crit: Ink,
}

const fn ink(rgb: u32, ansi: Color) -> Ink {
    Ink { rgb, ansi }
}

/// On dark backgrounds; each at least 4.5:1 against black (WCAG 2.1).
const DARK: Inks = Inks {
    dim: ink(0x8a_8a_8a, Color::DarkGray),
    accent: ink(0x5f_d7_ff, Color::Cyan),
    ok: ink(0x5f_af_ff, Color::LightBlue),
    warn: ink(0xff_af_00, Color::Yellow),
    crit: ink(0xff_87_5f, Color::LightRed),
};

/// On light backgrounds; each at least 4.5:1 against white (WCAG 2.1).
const LIGHT: Inks = Inks {
    dim: ink(0x6c_6c_6c, Color::DarkGray),
    accent: ink(0x00_5f_87, Color::Blue),
    ok: ink(0x00_5f_af, Color::Blue),
    warn: ink(0x8a_50_00, Color::Magenta),
    crit: ink(0xaf_30_00, Color::Red),
};

impl Theme {
    /// Theme of an appearance, limited to its colour depth.
    pub fn of(appearance: Appearance) -> Self {
        let depth = match appearance.theme {
            ThemeName::Mono => ColorDepth::None,
            ThemeName::Ansi16 => appearance.depth.min(ColorDepth::Ansi16),
            ThemeName::Dark | ThemeName::Light => appearance.depth,
        };
        let is_light = appearance.theme == ThemeName::Light;
        let inks = if is_light { &LIGHT } else { &DARK };
        Self {
            styles: Role::ALL.map(|role| style(role, inks, depth)),
            heat: Heat::of(is_light, depth),
            has_colours: depth != ColorDepth::None,
        }
    }

    /// Colours of the heat map.
    pub fn heat(&self) -> &Heat {
        &self.heat
    }

    /// False when only attributes (bold, reverse) are available.
    pub fn has_colours(&self) -> bool {
        self.has_colours
    }

    /// Style of a role.
    pub fn get(&self, role: Role) -> Style {
        self.styles[role as usize]
    }
}

fn style(role: Role, inks: &Inks, depth: ColorDepth) -> Style {
    let plain = Style::new();
    let mono = depth == ColorDepth::None;
    let fg = |ink: Ink| plain.fg(ink.at(depth));
    match role {
        Role::Text => plain,
        Role::Dim if mono => plain.add_modifier(Modifier::DIM),
        Role::Dim | Role::Shade => fg(inks.dim),
        Role::Ok => fg(inks.ok),
        Role::Accent | Role::Warn | Role::Idle | Role::Marked if mono => {
            plain.add_modifier(Modifier::BOLD)
        }
        Role::Accent => fg(inks.accent).add_modifier(Modifier::BOLD),
        Role::Warn | Role::Idle => fg(inks.warn),
        Role::Crit => fg(inks.crit).add_modifier(Modifier::BOLD),
        Role::Heading => plain.add_modifier(Modifier::BOLD),
        Role::Selected => plain.add_modifier(Modifier::REVERSED),
        Role::Marked => fg(inks.accent),
        Role::Production if mono => plain.add_modifier(Modifier::REVERSED | Modifier::BOLD),
        Role::Production => fg(inks.crit).add_modifier(Modifier::REVERSED | Modifier::BOLD),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::view::Symbols;

    fn theme(theme: ThemeName, depth: ColorDepth) -> Theme {
        Theme::of(Appearance { theme, depth, symbols: Symbols::Unicode, braille: true })
    }

    fn luminance(rgb: u32) -> f64 {
        let [_, r, g, b] = rgb.to_be_bytes();
        let c = |v: u8| {
            let v = f64::from(v) / 255.0;
            if v <= 0.040_45 { v / 12.92 } else { ((v + 0.055) / 1.055).powf(2.4) }
        };
        0.2126 * c(r) + 0.7152 * c(g) + 0.0722 * c(b)
    }

    #[test]
    fn contrast_is_at_least_four_and_a_half() {
        // WCAG 2.1, success criterion 1.4.3.
        let ratio = |a: f64, b: f64| (a.max(b) + 0.05) / (a.min(b) + 0.05);
        for (inks, ground) in [(&DARK, 0.0), (&LIGHT, 1.0)] {
            for ink in [inks.dim, inks.accent, inks.ok, inks.warn, inks.crit] {
                let r = ratio(luminance(ink.rgb), ground);
                assert!(r >= 4.5, "{:06x} has {r:.1}", ink.rgb);
            }
        }
    }

    #[test]
    fn without_colour_only_attributes_remain() {
        for name in ThemeName::ALL {
            let theme = theme(name, ColorDepth::None);
            for role in Role::ALL {
                let style = theme.get(role);
                assert!(matches!(style.fg, None | Some(Color::Reset)), "{role:?}");
                assert_eq!(style.bg, None, "{role:?}");
            }
            assert!(theme.get(Role::Selected).add_modifier.contains(Modifier::REVERSED));
            assert!(theme.get(Role::Dim).add_modifier.contains(Modifier::DIM));
        }
    }

    #[test]
    fn mono_has_no_colour_on_any_terminal_and_ansi16_no_more_than_16() {
        let mono = theme(ThemeName::Mono, ColorDepth::TrueColor);
        assert_eq!(mono, theme(ThemeName::Mono, ColorDepth::None));
        let ansi = theme(ThemeName::Ansi16, ColorDepth::TrueColor);
        for role in Role::ALL {
            assert!(!matches!(ansi.get(role).fg, Some(Color::Rgb(..) | Color::Indexed(_))));
        }
    }

    #[test]
    fn busy_and_idle_differ_for_colour_blind_eyes() {
        // Blue against orange: the blue channel tells them apart, which protanopes and
        // deuteranopes see as everybody does.
        for inks in [&DARK, &LIGHT] {
            let blue = |ink: Ink| i32::from(ink.rgb.to_be_bytes()[3]);
            assert!(blue(inks.ok) - blue(inks.warn) > 100);
            assert!(blue(inks.ok) - blue(inks.crit) > 100);
        }
    }
}
