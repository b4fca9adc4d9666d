//! Cells into control sequences.
//!
//! ratatui's stock backend writes correct but wordy sequences (a 256-colour form for the sixteen
//! system colours, foreground and background together, an absolute move for each gap). On an
//! 8 kB/s link those bytes are the delay between a key and its answer, so this file says the same
//! with fewer: lines moved instead of written again, short colour codes, one SGR per change, moves within a row, runs of blanks erased
//! instead of written, and no style change for a blank that looks the same without it.
//!
//! Colours are taken as they are: what `NO_COLOR` and the terminal's depth mean is the theme's
//! decision, and the attributes always get through.

use std::io::Write as _;

use ratatui::buffer::{Buffer, Cell};
use ratatui::layout::{Rect, Size};
use ratatui::style::{Color, Modifier};
use unicode_width::UnicodeWidthStr;

use super::changes::changes;
use super::shift::{self, Shift};

/// Attributes that are visible on a blank. A blank with none of them and no background looks the
/// same whatever else the pen has.
const SEEN_ON_BLANKS: Modifier = Modifier::UNDERLINED
    .union(Modifier::REVERSED)
    .union(Modifier::CROSSED_OUT)
    .union(Modifier::SLOW_BLINK)
    .union(Modifier::RAPID_BLINK);

/// From this many blanks on, erasing (`ESC [ n X` and a move) is shorter than writing them.
const ERASE_FROM: u16 = 12;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Pen {
    fg: Color,
    bg: Color,
    modifier: Modifier,
}

impl Pen {
    const DEFAULT: Self = Self { fg: Color::Reset, bg: Color::Reset, modifier: Modifier::empty() };

    fn of(cell: &Cell) -> Self {
        Self { fg: cell.fg, bg: cell.bg, modifier: cell.modifier }
    }

    /// True when `cell`, written with this pen, looks as it should.
    fn draws(self, cell: &Cell) -> bool {
        let wanted = Self::of(cell);
        self == wanted
            || (cell.symbol() == " "
                && self.bg == wanted.bg
                && !(self.modifier | wanted.modifier).intersects(SEEN_ON_BLANKS))
    }
}

/// Control sequence that makes the whole screen the region in which lines move.
pub(super) const WHOLE_SCREEN: &[u8] = b"\x1b[r";

/// Up to this many unchanged cells are written again instead of jumped over (4 to 6 bytes).
const REWRITE_UP_TO: u16 = 3;

/// From this many bytes on it is worth a look whether lines have moved.
const LOOK_FOR_MOVES_FROM: usize = 200;

/// Encodes frames, and remembers the content of the terminal.
#[derive(Debug)]
pub(super) struct Encoder {
    out: Vec<u8>,
    shown: Buffer,
    /// What finds moved lines; `None` where the terminal moves none.
    finder: Option<shift::Finder>,
    /// A frame said without moving lines, while the other way is tried.
    plain: Vec<u8>,
}

impl Encoder {
    /// Encoder for a blank screen of this size, on a terminal that moves no lines.
    pub(super) fn new(size: Size) -> Self {
        Self { out: Vec::new(), shown: blank(size), finder: None, plain: Vec::new() }
    }

    /// Sets whether the terminal may be asked to move lines.
    pub(super) fn move_lines(&mut self, may: bool) {
        self.finder = may.then(shift::Finder::default);
    }

    /// Clears the screen and sets its size.
    pub(super) fn clear(&mut self, size: Size) {
        if self.finder.is_some() {
            // Whoever had the terminal before may have left a region.
            self.raw(WHOLE_SCREEN);
        }
        self.raw(b"\x1b[H\x1b[2J");
        self.shown = blank(size);
    }

    /// Encodes the changes from the last frame to `next`, which has the size of the screen, and leaves the last frame
    /// in its place. The style is the default before and after. True when anything changed.
    pub(super) fn frame(&mut self, next: &mut Buffer) -> bool {
        if self.shown.area != next.area {
            self.shown = blank(next.area.as_size());
        }
        let start = self.out.len();
        let any = self.difference(next);
        if self.out.len() - start >= LOOK_FOR_MOVES_FROM {
            self.try_moving(next, start);
        }
        std::mem::swap(&mut self.shown, next);
        any
    }

    /// Replaces what was collected from `start` on by a move of lines and what it leaves to be
    /// said, where that is shorter. What is taken to be shown may be spoilt afterwards.
    fn try_moving(&mut self, next: &Buffer, start: usize) {
        let finder = self.finder.as_mut();
        let Some(shift) = finder.and_then(|finder| finder.find(&self.shown, next)) else { return };
        self.plain.clear();
        self.plain.extend(self.out.drain(start..));
        self.shift(shift);
        shift.apply(&mut self.shown);
        self.difference(next);
        if self.out.len() - start >= self.plain.len() {
            self.out.truncate(start);
            self.out.append(&mut self.plain);
        }
    }

    /// Moves lines. Within a region that begins where they do and ends where they end, lines are
    /// deleted or inserted at its top: older than "scroll up" and "scroll down", known to the
    /// Linux console and to every version of tmux and GNU screen, and no terminal keeps a deleted
    /// line for its scrollback. New lines take the background, which is the default's here.
    fn shift(&mut self, Shift { top, bottom, up }: Shift) {
        let (first, last) = (u32::from(top) + 1, u32::from(bottom) + 1);
        self.print(format_args!("\x1b[{first};{last}r\x1b[{first}H"));
        let command = if up > 0 { 'M' } else { 'L' };
        match up.unsigned_abs() {
            1 => self.print(format_args!("\x1b[{command}")),
            lines => self.print(format_args!("\x1b[{lines}{command}")),
        }
        self.raw(WHOLE_SCREEN);
    }

    /// Encodes the cells in which `next` is not what is shown.
    fn difference(&mut self, next: &Buffer) -> bool {
        // Taken out for as long as the writer needs the rest.
        let shown = std::mem::take(&mut self.shown);
        let any = self.cells(changes(&shown, next), next);
        self.shown = shown;
        any
    }

    /// The encoded bytes; the caller empties the buffer.
    pub(super) fn bytes(&mut self) -> &mut Vec<u8> {
        &mut self.out
    }

    /// Appends bytes unchanged.
    pub(super) fn raw(&mut self, bytes: &[u8]) {
        self.out.extend_from_slice(bytes);
    }

    /// Moves the cursor to a cell; column and row count from 0.
    pub(super) fn move_to(&mut self, x: u16, y: u16) {
        match (x, y) {
            (0, 0) => self.raw(b"\x1b[H"),
            (0, _) => self.print(format_args!("\x1b[{}H", u32::from(y) + 1)),
            _ => self.print(format_args!("\x1b[{};{}H", u32::from(y) + 1, u32::from(x) + 1)),
        }
    }

    /// Encodes changed cells, which come row by row and left to right; all others are as in
    /// `next` already. Says whether there were any.
    fn cells<'a>(
        &mut self,
        content: impl Iterator<Item = (u16, u16, &'a Cell)>,
        next: &Buffer,
    ) -> bool {
        let mut row = RowWriter { out: self, next, pen: Pen::DEFAULT, at: None, blanks: None };
        let mut any = false;
        for (x, y, cell) in content {
            any = true;
            row.cell(x, y, cell);
        }
        row.flush_blanks();
        row.set_pen(Pen::DEFAULT);
        any
    }

    fn print(&mut self, arguments: std::fmt::Arguments<'_>) {
        // Writing into a Vec cannot fail.
        let _ = self.out.write_fmt(arguments);
    }
}

fn blank(size: Size) -> Buffer {
    Buffer::empty(Rect::new(0, 0, size.width, size.height))
}

/// The state within one frame.
struct RowWriter<'a> {
    out: &'a mut Encoder,
    /// What the screen shows in the end.
    next: &'a Buffer,
    pen: Pen,
    /// Where the cursor stands: its row, and its column where that is certain.
    at: Option<(Option<u16>, u16)>,
    /// A run of plain blanks not yet written: column, row, length.
    blanks: Option<(u16, u16, u16)>,
}

impl RowWriter<'_> {
    fn cell(&mut self, x: u16, y: u16, cell: &Cell) {
        let symbol = cell.symbol();
        if symbol == " " && cell.bg == Color::Reset && !cell.modifier.intersects(SEEN_ON_BLANKS) {
            match &mut self.blanks {
                Some((start, row, length)) if *row == y && *start + *length == x => *length += 1,
                _ => {
                    self.flush_blanks();
                    self.blanks = Some((x, y, 1));
                }
            }
            return;
        }
        self.flush_blanks();
        self.go(x, y);
        if !self.pen.draws(cell) {
            self.set_pen(Pen::of(cell));
        }
        // An emoji by its variation selector is one column wide here and two there.
        if symbol.contains('\u{fe0f}') {
            self.out.raw(b"  ");
            self.out.move_to(x, y);
        }
        self.out.raw(symbol.as_bytes());
        // Terminals disagree about the width of anything but plain characters.
        let next = (symbol.width() == 1).then(|| x.saturating_add(1));
        self.at = Some((next, y));
    }

    /// The bytes that write the unchanged cells from `from` up to `to` again with the present
    /// pen, if that is possible and shorter than a jump.
    fn again(&self, from: u16, to: u16, y: u16) -> Option<([u8; REWRITE_UP_TO as usize], usize)> {
        let length = to.checked_sub(from).filter(|&length| length <= REWRITE_UP_TO)?;
        let mut bytes = [0; REWRITE_UP_TO as usize];
        for (slot, x) in bytes.iter_mut().zip(from..to) {
            let cell = self.next.cell((x, y)).filter(|cell| self.pen.draws(cell))?;
            let &[byte] = cell.symbol().as_bytes() else { return None };
            *slot = byte;
        }
        Some((bytes, usize::from(length)))
    }

    fn flush_blanks(&mut self) {
        let Some((x, y, length)) = self.blanks.take() else { return };
        self.go(x, y);
        if self.pen.bg != Color::Reset || self.pen.modifier.intersects(SEEN_ON_BLANKS) {
            self.set_pen(Pen::DEFAULT);
        }
        let to_the_edge = x.saturating_add(length) >= self.next.area.width;
        if to_the_edge && length > 3 {
            self.out.raw(b"\x1b[K");
        } else if length >= ERASE_FROM {
            self.out.print(format_args!("\x1b[{length}X"));
        } else {
            for _ in 0..length {
                self.out.raw(b" ");
            }
            self.at = Some((Some(x.saturating_add(length)), y));
        }
    }

    fn go(&mut self, x: u16, y: u16) {
        match self.at {
            Some((Some(column), row)) if (column, row) == (x, y) => {}
            Some((column, row)) if row == y => {
                match column.and_then(|column| self.again(column, x, y)) {
                    Some((bytes, length)) => self.out.raw(&bytes[..length]),
                    None => self.out.print(format_args!("\x1b[{}G", u32::from(x) + 1)),
                }
            }
            _ => self.out.move_to(x, y),
        }
        self.at = Some((Some(x), y));
    }

    fn set_pen(&mut self, to: Pen) {
        let mut from = self.pen;
        if from == to {
            return;
        }
        self.pen = to;
        if to == Pen::DEFAULT {
            self.out.raw(b"\x1b[m");
            return;
        }
        self.out.raw(b"\x1b[");
        let mut separator = "";
        // There is no short way to take an attribute away.
        if from.modifier.intersects(to.modifier.complement()) {
            self.out.raw(b"0");
            separator = ";";
            from = Pen::DEFAULT;
        }
        for (modifier, code) in ATTRIBUTES {
            if to.modifier.contains(modifier) && !from.modifier.contains(modifier) {
                self.out.print(format_args!("{separator}{code}"));
                separator = ";";
            }
        }
        if to.fg != from.fg {
            self.out.print(format_args!("{separator}"));
            self.color(to.fg, 30);
            separator = ";";
        }
        if to.bg != from.bg {
            self.out.print(format_args!("{separator}"));
            self.color(to.bg, 40);
        }
        self.out.raw(b"m");
    }

    /// Writes a colour's parameters; `base` is 30 for the foreground, 40 for the background.
    fn color(&mut self, color: Color, base: u8) {
        let system = match color {
            Color::Reset => return self.out.print(format_args!("{}", base + 9)),
            Color::Rgb(r, g, b) => {
                return self.out.print(format_args!("{};2;{r};{g};{b}", base + 8));
            }
            Color::Indexed(n @ 16..) => {
                return self.out.print(format_args!("{};5;{n}", base + 8));
            }
            Color::Indexed(n) => n,
            Color::Black => 0,
            Color::Red => 1,
            Color::Green => 2,
            Color::Yellow => 3,
            Color::Blue => 4,
            Color::Magenta => 5,
            Color::Cyan => 6,
            Color::Gray => 7,
            Color::DarkGray => 8,
            Color::LightRed => 9,
            Color::LightGreen => 10,
            Color::LightYellow => 11,
            Color::LightBlue => 12,
            Color::LightMagenta => 13,
            Color::LightCyan => 14,
            Color::White => 15,
        };
        // The bright eight have codes of their own, 90 and 100 onwards.
        let code = if system < 8 { base + system } else { base + 60 + (system - 8) };
        self.out.print(format_args!("{code}"));
    }
}

/// The SGR code of each attribute (ECMA-48, 8.3.117).
const ATTRIBUTES: [(Modifier, u8); 9] = [
    (Modifier::BOLD, 1),
    (Modifier::DIM, 2),
    (Modifier::ITALIC, 3),
    (Modifier::UNDERLINED, 4),
    (Modifier::SLOW_BLINK, 5),
    (Modifier::RAPID_BLINK, 6),
    (Modifier::REVERSED, 7),
    (Modifier::HIDDEN, 8),
    (Modifier::CROSSED_OUT, 9),
];

#[cfg(test)]
mod tests;
