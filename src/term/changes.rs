//! Which cells of a picture have to be written again.
//!
//! ratatui knows this as well, but leaves it to the terminal what becomes of the other half of a wide
//! character that is written over, and terminals disagree: some blank it, some with the colour of what
//! is written. Here both halves are written.

use ratatui::buffer::{Buffer, Cell, CellWidth};

/// Cells of `after` that differ from the screen, which shows `before`, with column and row, from left to right and top
/// to bottom. The right half of a wide character is no cell of its own. Both pictures have the same size.
pub(super) fn changes<'a>(
    before: &'a Buffer,
    after: &'a Buffer,
) -> impl Iterator<Item = (u16, u16, &'a Cell)> {
    let width = usize::from(after.area.width).max(1);
    let rows = before.content.chunks_exact(width).zip(after.content.chunks_exact(width));
    rows.zip(0_u16..).flat_map(|((before, after), y)| {
        let row = Row { before, after, at: 0, old: 0, old_end: 0 };
        row.map(move |(x, cell)| (x, y, cell))
    })
}

/// The changes within a row.
struct Row<'a> {
    before: &'a [Cell],
    after: &'a [Cell],
    /// Where the next character begins.
    at: usize,
    /// Where the old character begins that covers that place, and where it ends.
    old: usize,
    old_end: usize,
}

impl<'a> Iterator for Row<'a> {
    type Item = (u16, &'a Cell);

    fn next(&mut self) -> Option<Self::Item> {
        while let Some(cell) = self.after.get(self.at) {
            let x = self.at;
            self.at += columns(cell);
            while let Some(old) = self.before.get(self.old_end).filter(|_| self.old_end <= x) {
                self.old = self.old_end;
                self.old_end += columns(old);
            }
            if self.old != x || self.before.get(x) != Some(cell) {
                return u16::try_from(x).ok().map(|x| (x, cell));
            }
        }
        None
    }
}

/// How many columns a character covers.
fn columns(cell: &Cell) -> usize {
    usize::from(cell.symbol().cell_width()).max(1)
}

#[cfg(test)]
mod tests {
    use ratatui::layout::Rect;
    use ratatui::style::Style;

    use super::*;

    fn line(text: &str) -> Buffer {
        let mut buffer = Buffer::empty(Rect::new(0, 0, 6, 1));
        buffer.set_string(0, 0, text, Style::new());
        buffer
    }

    #[test]
    fn what_covers_half_of_a_wide_character_brings_its_other_half() {
        for (before, after, want) in [
            ("abcdef", "abcdef", &[][..]),
            ("abcdef", "abXdef", &[2]),
            ("a数def", "a数dXf", &[4]),
            ("a数def", "abcdef", &[1, 2]),
            ("a数def", "ab def", &[1, 2]),
            ("abcdef", "a数def", &[1]),
            // One begins where the other ends.
            ("a数def", "数 def", &[0, 2]),
            ("数 def", "a数def", &[0, 1]),
            ("a数数f", "数数ef", &[0, 2, 4]),
        ] {
            let (old, new) = (line(before), line(after));
            let got: Vec<u16> = changes(&old, &new).map(|(x, ..)| x).collect();
            assert_eq!(got, want, "{before} {after}");
        }
    }
}
