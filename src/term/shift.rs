//! Which lines of a picture are lines of the one before, some lines further up or down.
//!
//! A list that scrolls by a line is the same list but for one line. Terminals move lines when
//! told to, which is a dozen bytes instead of the whole list. What is found here is a suggestion:
//! the encoder repairs what does not fit, and takes whichever way is shorter.

use std::hash::{BuildHasher as _, Hash as _, Hasher as _};

use foldhash::fast::FixedState;
use ratatui::buffer::{Buffer, Cell};

/// Lines that moved together: a repaired line costs more than the move of a few saves.
const LEAST_LINES: i32 = 3;

/// Move of lines within a region of whole rows. Lines that leave the region are lost; blank lines come in at the other
/// end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Shift {
    /// First row of the region, counted from 0 at the top of the screen.
    pub(super) top: u16,
    /// Last row of the region, counted in the same way.
    pub(super) bottom: u16,
    /// Number of rows that the content moves up; negative: down.
    pub(super) up: i32,
}

impl Shift {
    /// Moves the lines of `buffer` as the terminal moves those of the screen.
    pub(super) fn apply(self, buffer: &mut Buffer) {
        let width = usize::from(buffer.area.width);
        let region = usize::from(self.top) * width..(usize::from(self.bottom) + 1) * width;
        let Some(cells) = buffer.content.get_mut(region) else { return };
        let moved = (self.up.unsigned_abs() as usize * width).min(cells.len());
        let new = if self.up > 0 {
            cells.rotate_left(moved);
            let kept = cells.len() - moved;
            &mut cells[kept..]
        } else {
            cells.rotate_right(moved);
            &mut cells[..moved]
        };
        new.iter_mut().for_each(Cell::reset);
    }
}

/// Finds moved lines; keeps its buffers from frame to frame.
#[derive(Debug, Default)]
pub(super) struct Finder {
    before: Vec<Line>,
    after: Vec<Line>,
    /// How often each distance was met, from "all the way down" to "all the way up".
    votes: Vec<u16>,
}

/// A line of a picture, told apart by a hash.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Line {
    hash: u64,
    /// Nothing stands on it: it looks like many others.
    blank: bool,
}

impl Finder {
    /// Move that most of the changed lines made together; `None` when too few did. Both pictures have the same size.
    pub(super) fn find(&mut self, before: &Buffer, after: &Buffer) -> Option<Shift> {
        let width = usize::from(after.area.width);
        if width == 0 || before.area != after.area {
            return None;
        }
        lines(before, width, &mut self.before);
        lines(after, width, &mut self.after);
        let up = self.distance()?;
        let (top, bottom) = self.region(up)?;
        Some(Shift { top: u16::try_from(top).ok()?, bottom: u16::try_from(bottom).ok()?, up })
    }

    /// The distance that most changed lines moved by.
    fn distance(&mut self) -> Option<i32> {
        let height = self.after.len();
        self.votes.clear();
        self.votes.resize(2 * height, 0);
        for (y, line) in self.after.iter().enumerate() {
            if line.blank || self.before.get(y) == Some(line) {
                continue;
            }
            let from = self.before.iter().enumerate().filter(|(_, earlier)| *earlier == line);
            for (from, _) in from {
                if let Some(votes) = self.votes.get_mut(from + height - y) {
                    *votes = votes.saturating_add(1);
                }
            }
        }
        let (most, votes) = self.votes.iter().enumerate().max_by_key(|(_, votes)| **votes)?;
        let up = i32::try_from(most).ok()? - i32::try_from(height).ok()?;
        (i32::from(*votes) >= LEAST_LINES && up != 0).then_some(up)
    }

    /// The region whose move by `up` puts the most lines right: a line that comes to stand where
    /// it belongs counts for it, one that stood there already and is driven away against it.
    fn region(&self, up: i32) -> Option<(usize, usize)> {
        let mut best: Option<(i32, usize, usize)> = None;
        let (mut sum, mut first) = (0, 0);
        for (y, line) in self.after.iter().enumerate() {
            let from = y.checked_add_signed(up as isize);
            let moved = from.and_then(|from| self.before.get(from));
            let stays = self.before.get(y) == Some(line);
            let worth = match (moved == Some(line), stays) {
                (true, false) if !line.blank => 1,
                (false, true) => -1,
                _ => 0,
            };
            if sum <= 0 {
                (sum, first) = (0, y);
            }
            sum += worth;
            if worth > 0 && best.is_none_or(|(most, ..)| sum > most) {
                best = Some((sum, first, y));
            }
        }
        let (sum, first, last) = best?;
        let distance = up.unsigned_abs() as usize;
        let (top, bottom) = if up > 0 {
            (first, last.checked_add(distance)?)
        } else {
            (first.checked_sub(distance)?, last)
        };
        (sum >= LEAST_LINES && bottom < self.after.len()).then_some((top, bottom))
    }
}

fn lines(picture: &Buffer, width: usize, into: &mut Vec<Line>) {
    into.clear();
    into.extend(picture.content.chunks_exact(width).map(|cells| {
        let mut hasher = FixedState::default().build_hasher();
        cells.iter().for_each(|cell| cell.hash(&mut hasher));
        let blank = cells.iter().all(|cell| *cell == Cell::EMPTY);
        Line { hash: hasher.finish(), blank }
    }));
}

#[cfg(test)]
mod tests {
    use ratatui::layout::Rect;
    use ratatui::style::Style;

    use super::*;

    /// A picture with a line for each character; ` ` is a blank line.
    fn picture(lines: &str) -> Buffer {
        let height = u16::try_from(lines.chars().count()).unwrap();
        let mut buffer = Buffer::empty(Rect::new(0, 0, 4, height));
        for (y, line) in (0_u16..).zip(lines.chars()) {
            buffer.set_string(0, y, line.to_string().repeat(4), Style::new());
        }
        buffer
    }

    fn found(before: &str, after: &str) -> Option<(u16, u16, i32)> {
        let shift = Finder::default().find(&picture(before), &picture(after))?;
        Some((shift.top, shift.bottom, shift.up))
    }

    #[test]
    fn lines_that_moved_together_are_found() {
        for (before, after, want) in [
            // A list under a heading and above a footer.
            ("Habcdef-", "Hbcdefg-", Some((1, 6, 1))),
            ("Hbcdefg-", "Habcdef-", Some((1, 6, -1))),
            ("Habcdef-", "Hcdefgh-", Some((1, 6, 2))),
            ("Hcdefgh-", "Habcdef-", Some((1, 6, -2))),
            // A line in the middle that looks otherwise now.
            ("Habcdefg-", "HbcXefgh-", Some((1, 7, 1))),
            // A line that stays is put back where more is won than that.
            ("abcd=efghi", "bcdX=fghij", Some((0, 9, 1))),
            ("abcd=====ef", "bcdX=====fg", Some((0, 3, 1))),
            // Nothing moved; too little moved; all is new.
            ("Habcdef-", "Habcdef-", None),
            ("Habc-", "Hbcd-", None),
            ("Habcdef-", "Hghijkl-", None),
            // Blank lines look all the same.
            ("a     ", "     a", None),
        ] {
            assert_eq!(found(before, after), want, "{before} {after}");
        }
    }

    #[test]
    fn a_move_leaves_blank_lines_at_the_end_it_comes_from() {
        for (before, shift, want) in [
            ("abcdef", Shift { top: 1, bottom: 4, up: 1 }, "acde f"),
            ("abcdef", Shift { top: 1, bottom: 4, up: -1 }, "a bcdf"),
            ("abcdef", Shift { top: 0, bottom: 5, up: 3 }, "def   "),
            ("abcdef", Shift { top: 0, bottom: 5, up: -9 }, "      "),
        ] {
            let mut buffer = picture(before);
            shift.apply(&mut buffer);
            assert_eq!(buffer, picture(want), "{before} {shift:?}");
        }
    }
}
