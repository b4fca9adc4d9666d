//! A frame, drawn by ratatui and encoded into the fewest bytes that show it.

use std::convert::Infallible;

use ratatui::backend::{Backend, ClearType, WindowSize};
use ratatui::buffer::{Buffer, Cell};
use ratatui::layout::{Position, Size};
use ratatui::{Frame, Terminal};

use super::encode::Encoder;

/// Begin and end of a synchronised update (DEC private mode 2026): the terminal shows the frame at
/// once. Terminals that do not know the mode ignore it.
const BEGIN_SYNC: &[u8] = b"\x1b[?2026h";
const END_SYNC: &[u8] = b"\x1b[?2026l";

/// Draws frames and encodes the bytes that change the terminal from the last frame to the new one.
///
/// It asks the terminal nothing, not even its size: the loop sets it. Tests use it like the loop does, so that a budget
/// in bytes per frame is exact and needs no terminal.
#[derive(Debug)]
pub struct Canvas {
    terminal: Terminal<CanvasBackend>,
    /// The frame as drawn, on its way from ratatui to the encoder.
    drawn: Buffer,
}

impl Canvas {
    /// Canvas for a blank terminal of `columns` × `rows` cells that moves no lines.
    pub fn new(columns: u16, rows: u16) -> Self {
        let size = Size::new(columns, rows);
        let backend = CanvasBackend {
            encoder: Encoder::new(size),
            size,
            cursor: Position::ORIGIN,
            placed: None,
            wants_cursor: false,
            shows_cursor: None,
        };
        let terminal = never_fails(Terminal::new(backend));
        Self { terminal, drawn: Buffer::default() }
    }

    /// Sets whether the terminal moves lines within a region ([`super::detect::moves_lines`]): scrolling a list by a
    /// line then costs the new line, not the whole list.
    #[must_use]
    pub fn moving_lines(mut self, moves: bool) -> Self {
        self.terminal.backend_mut().encoder.move_lines(moves);
        self
    }

    /// The size in cells that the next frame will have.
    #[cfg(test)]
    pub fn size(&self) -> (u16, u16) {
        let size = self.terminal.backend().size;
        (size.width, size.height)
    }

    /// Sets the size of the next frame, in cells; it repaints the whole screen.
    pub fn resize(&mut self, columns: u16, rows: u16) {
        self.terminal.backend_mut().size = Size::new(columns, rows);
    }

    /// Forgets the content of the terminal: the next frame clears it and paints everything.
    pub fn forget(&mut self) {
        self.terminal.backend_mut().shows_cursor = None;
        never_fails(self.terminal.clear());
    }

    /// Draws one frame and appends to `out` what must be sent for it: one synchronised update, or
    /// nothing at all where no cell and no cursor changed.
    ///
    /// The frame counts as shown from here on, so the bytes must be sent.
    pub fn frame(&mut self, draw: impl FnOnce(&mut Frame), out: &mut Vec<u8>) {
        let Self { terminal, drawn } = self;
        never_fails(terminal.draw(|frame| {
            draw(frame);
            // The encoder finds out itself what changed. What ratatui gets in exchange it blanks
            // before it is drawn on again.
            drawn.resize(frame.area());
            std::mem::swap(frame.buffer_mut(), drawn);
        }));
        let backend = terminal.backend_mut();
        backend.encode(drawn);
        let bytes = backend.encoder.bytes();
        if !bytes.is_empty() {
            out.extend_from_slice(BEGIN_SYNC);
            out.append(bytes);
            out.extend_from_slice(END_SYNC);
        }
    }
}

fn never_fails<T>(result: Result<T, Infallible>) -> T {
    match result {
        Ok(value) => value,
        Err(never) => match never {},
    }
}

/// ratatui's side of the canvas: remembers what is wanted and touches no terminal.
#[derive(Debug)]
struct CanvasBackend {
    encoder: Encoder,
    size: Size,
    /// Where the frame wants the cursor, and whether it wants one.
    cursor: Position,
    wants_cursor: bool,
    /// Where it stands, where that is known; cells that were drawn have moved it.
    placed: Option<Position>,
    /// Whether the terminal shows it, where that is known.
    shows_cursor: Option<bool>,
}

impl CanvasBackend {
    /// Collects the bytes for a frame and its cursor.
    fn encode(&mut self, drawn: &mut Buffer) {
        if self.encoder.frame(drawn) {
            self.placed = None;
        }
        if self.shows_cursor != Some(self.wants_cursor) {
            self.encoder.raw(if self.wants_cursor { b"\x1b[?25h" } else { b"\x1b[?25l" });
            self.shows_cursor = Some(self.wants_cursor);
            self.placed = None;
        }
        // A hidden cursor may stand anywhere.
        if self.wants_cursor && self.placed != Some(self.cursor) {
            self.encoder.move_to(self.cursor.x, self.cursor.y);
            self.placed = Some(self.cursor);
        }
    }
}

impl Backend for CanvasBackend {
    type Error = Infallible;

    /// Nothing to do: [`Canvas::frame`] has the whole frame encoded.
    fn draw<'a, I>(&mut self, _: I) -> Result<(), Infallible>
    where
        I: Iterator<Item = (u16, u16, &'a Cell)>,
    {
        Ok(())
    }

    fn hide_cursor(&mut self) -> Result<(), Infallible> {
        self.wants_cursor = false;
        Ok(())
    }

    fn show_cursor(&mut self) -> Result<(), Infallible> {
        self.wants_cursor = true;
        Ok(())
    }

    /// What was last set: asking the terminal would cost a round trip.
    fn get_cursor_position(&mut self) -> Result<Position, Infallible> {
        Ok(self.cursor)
    }

    fn set_cursor_position<P: Into<Position>>(&mut self, position: P) -> Result<(), Infallible> {
        self.cursor = position.into();
        Ok(())
    }

    fn clear(&mut self) -> Result<(), Infallible> {
        self.clear_region(ClearType::All)
    }

    /// A full-screen viewport clears nothing but everything.
    fn clear_region(&mut self, _: ClearType) -> Result<(), Infallible> {
        self.encoder.clear(self.size);
        self.placed = None;
        Ok(())
    }

    fn size(&self) -> Result<Size, Infallible> {
        Ok(self.size)
    }

    fn window_size(&mut self) -> Result<WindowSize, Infallible> {
        Ok(WindowSize { columns_rows: self.size, pixels: Size::ZERO })
    }

    /// Nothing to do: [`Canvas::frame`] takes the bytes once the whole frame stands.
    fn flush(&mut self) -> Result<(), Infallible> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use ratatui::text::Line;
    use ratatui::widgets::Paragraph;

    use super::*;

    fn text(canvas: &mut Canvas, text: &str) -> Vec<u8> {
        let mut out = Vec::new();
        canvas.frame(|frame| frame.render_widget(Paragraph::new(text), frame.area()), &mut out);
        out
    }

    #[test]
    fn a_frame_is_one_synchronised_update() {
        let mut canvas = Canvas::new(20, 3);
        let bytes = text(&mut canvas, "burn");
        assert_eq!(bytes.escape_ascii().to_string(), r"\x1b[?2026h\x1b[Hburn\x1b[?25l\x1b[?2026l");
    }

    #[test]
    fn an_unchanged_frame_costs_no_byte() {
        let mut canvas = Canvas::new(20, 3);
        text(&mut canvas, "burn $412");
        assert_eq!(text(&mut canvas, "burn $412"), b"");
        let bytes = text(&mut canvas, "burn $413");
        assert_eq!(bytes.escape_ascii().to_string(), r"\x1b[?2026h\x1b[1;9H3\x1b[?2026l");
    }

    #[test]
    fn a_resize_and_a_forgotten_screen_paint_everything() {
        let mut canvas = Canvas::new(20, 3);
        text(&mut canvas, "burn");
        canvas.resize(10, 2);
        assert_eq!(canvas.size(), (10, 2));
        let resized = text(&mut canvas, "burn").escape_ascii().to_string();
        assert!(resized.contains(r"\x1b[2J") && resized.contains("burn"), "{resized}");
        canvas.forget();
        let forgotten = text(&mut canvas, "burn").escape_ascii().to_string();
        assert!(forgotten.contains(r"\x1b[2J") && forgotten.contains("burn"), "{forgotten}");
        assert!(forgotten.contains(r"\x1b[?25l"), "{forgotten}");
    }

    #[test]
    fn the_cursor_shows_where_the_frame_puts_it_and_only_then_costs_bytes() {
        let mut canvas = Canvas::new(20, 3);
        let frame = |canvas: &mut Canvas, at: Option<(u16, u16)>| {
            let mut out = Vec::new();
            canvas.frame(
                |frame| {
                    frame.render_widget(Line::from("/gpu"), frame.area());
                    if let Some(at) = at {
                        frame.set_cursor_position(at);
                    }
                },
                &mut out,
            );
            out.escape_ascii().to_string()
        };
        assert!(frame(&mut canvas, Some((4, 0))).contains(r"\x1b[?25h\x1b[1;5H"));
        assert_eq!(frame(&mut canvas, Some((4, 0))), "");
        assert_eq!(frame(&mut canvas, Some((5, 0))), r"\x1b[?2026h\x1b[1;6H\x1b[?2026l");
        assert_eq!(frame(&mut canvas, None), r"\x1b[?2026h\x1b[?25l\x1b[?2026l");
    }
}
