//! Text onto cells, never beyond the edge.

use std::borrow::Cow;

use ratatui::buffer::Buffer;
use ratatui::style::{Color, Style};
use unicode_segmentation::UnicodeSegmentation;

use super::theme::Theme;
use crate::app::content::columns;
use crate::app::{Appearance, Role};
use crate::domain::GpuState;
use crate::domain::text::clean_to;
use crate::view::Symbols;

/// Screen being drawn, with theme and symbols.
pub struct Canvas<'a> {
    buffer: &'a mut Buffer,
    theme: Theme,
    symbols: Symbols,
}

impl<'a> Canvas<'a> {
    /// Canvas over `buffer` with the theme and symbols of `appearance`.
    pub fn new(buffer: &'a mut Buffer, appearance: Appearance) -> Self {
        Self { buffer, theme: Theme::of(appearance), symbols: appearance.symbols }
    }

    /// Width of the screen, columns.
    pub fn width(&self) -> u16 {
        self.buffer.area.width
    }

    /// Characters that may be used: Unicode or ASCII.
    pub fn symbols(&self) -> Symbols {
        self.symbols
    }

    /// `unicode` where Unicode may be used, else `ascii`.
    pub fn glyph<T>(&self, unicode: T, ascii: T) -> T {
        match self.symbols {
            Symbols::Unicode => unicode,
            Symbols::Ascii => ascii,
        }
    }

    /// Style of a role in the theme.
    pub fn style(&self, role: Role) -> Style {
        self.theme.get(role)
    }

    /// False when only attributes (bold, reverse) are available.
    pub fn has_colours(&self) -> bool {
        self.theme.has_colours()
    }

    /// Colour of a cell in the heat map; `level` is `None` for an unknown waste.
    pub fn heat(&self, state: GpuState, level: Option<u8>) -> Color {
        self.theme.heat().get(state, level)
    }

    /// Colour of the cell in the heat map that the cursor is on.
    pub fn heat_cursor(&self) -> Color {
        self.theme.heat().cursor
    }

    /// Draws `text` from column `x` of row `y` in at most `room` columns; returns the column after it. Text that does
    /// not fit ends with an ellipsis.
    pub fn put(&mut self, x: u16, y: u16, room: u16, text: &str, style: Style) -> u16 {
        // The second line of defence: foreign text is clean where it comes in.
        let text = &*clean_to(text, usize::MAX);
        let text = &*self.plain(text);
        let area = self.buffer.area;
        let room = room.min(area.right().saturating_sub(x));
        if room == 0 || y >= area.bottom() {
            return x;
        }
        let fits = text.len() <= usize::from(room) || columns(text) <= usize::from(room);
        if fits {
            return self.buffer.set_stringn(x, y, text, usize::from(room), style).0;
        }
        let (end, _) = self.buffer.set_stringn(x, y, text, usize::from(room) - 1, style);
        self.buffer.set_stringn(end, y, self.symbols.ellipsis(), 1, style).0
    }

    /// `text` in the characters that may be used: on a terminal of plain ASCII anything else
    /// would come out as several wrong ones. As wide as before.
    fn plain<'t>(&self, text: &'t str) -> Cow<'t, str> {
        if self.symbols == Symbols::Unicode || text.is_ascii() {
            return Cow::Borrowed(text);
        }
        let mut out = String::with_capacity(text.len());
        for cluster in text.graphemes(true) {
            match cluster {
                c if c.is_ascii() => out.push_str(c),
                "–" | "—" | "−" => out.push('-'),
                "…" => out.push('~'),
                "·" => out.push('|'),
                "×" => out.push('x'),
                c => out.extend(std::iter::repeat_n('?', columns(c))),
            }
        }
        Cow::Owned(out)
    }

    /// Draws `text` right-aligned before column `end`, in at most `room` columns; returns its first column.
    pub fn put_right(&mut self, end: u16, y: u16, room: u16, text: &str, style: Style) -> u16 {
        let width = u16::try_from(columns(text)).unwrap_or(u16::MAX).min(room);
        let x = end.saturating_sub(width);
        self.put(x, y, end - x, text, style);
        x
    }

    /// Adds `style` to the cells of a row from `x` on.
    pub fn tint(&mut self, x: u16, y: u16, width: u16, style: Style) {
        let area = self.buffer.area.intersection(ratatui::layout::Rect { x, y, width, height: 1 });
        self.buffer.set_style(area, style);
    }

    /// Clears `width` cells of a row from `x` on.
    pub fn blank(&mut self, x: u16, y: u16, width: u16) {
        for x in x..x.saturating_add(width).min(self.buffer.area.right()) {
            if let Some(cell) = self.buffer.cell_mut((x, y)) {
                cell.reset();
            }
        }
    }

    /// Repeats `glyph` over `width` cells of a row from `x` on.
    pub fn fill(&mut self, x: u16, y: u16, width: u16, glyph: &str, style: Style) {
        for x in x..x.saturating_add(width).min(self.buffer.area.right()) {
            if let Some(cell) = self.buffer.cell_mut((x, y)) {
                cell.set_symbol(glyph).set_style(style);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use ratatui::layout::Rect;

    use super::*;
    use crate::app::fixture::appearance;
    use crate::domain::text::hostile::TEXTS;
    use crate::domain::text::is_unsafe;

    mod hostile {
        use super::*;

        #[test]
        fn no_cell_steers_the_terminal() {
            let mut n = 0;
            for text in TEXTS {
                for symbols in [Symbols::Unicode, Symbols::Ascii] {
                    for room in [1, 2, 7, 80] {
                        let mut buffer = Buffer::empty(Rect::new(0, 0, 90, 2));
                        let looks = Appearance { symbols, ..appearance() };
                        let mut canvas = Canvas::new(&mut buffer, looks);
                        canvas.put(1, 0, room, text, Style::default());
                        canvas.put_right(88, 1, room, text, Style::default());
                        let odd = |c: &ratatui::buffer::Cell| c.symbol().contains(is_unsafe);
                        assert!(!buffer.content().iter().any(odd), "{text:?}: {buffer:?}");
                        n += 1;
                    }
                }
            }
            assert!(n >= 250, "{n}");
            println!("hostile: cells: {n} inputs");
        }
    }
}
