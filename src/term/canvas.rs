//! A frame, drawn by ratatui and encoded into the fewest bytes that show it.

use std::convert::Infallible;

use ratatui::backend::{Backend, ClearType, WindowSize};
use ratatui::buffer::Cell;
use ratatui::layout::{Position, Size};
use ratatui::{Frame, Terminal};

use super::encode::Encoder;

/// Begin and end of a synchronised update (DEC private mode 2026): the terminal shows the frame at
/// once. Terminals that do not know the mode ignore it.
const BEGIN_SYNC: &[u8] = b"\x1b[?2026h";
const END_SYNC: &[u8] = b"\x1b[?2026l";

/// Draws frames and says which bytes bring the terminal from the last one to this one.
///
/// It asks the terminal nothing, not even its size: the loop tells it. Tests use it the way the
/// loop does, so that a budget in bytes per frame is exact and needs no terminal.
#[derive(Debug)]
pub struct Canvas {
    terminal: Terminal<CanvasBackend>,
}

impl Canvas {
    /// An empty canvas for a terminal of `columns` × `rows` cells, taken to be blank.
    pub fn new(columns: u16, rows: u16) -> Self {
        let size = Size::new(columns, rows);
        let backend = CanvasBackend {
            encoder: Encoder::new(size),
            size,
            cursor: Position::ORIGIN,
            cursor_shown: None,
            cursor_moved: true,
        };
        let terminal = never_fails(Terminal::new(backend));
        Self { terminal }
    }

    /// The size in cells that the next frame will have.
    pub fn size(&self) -> (u16, u16) {
        let size = self.terminal.backend().size;
        (size.width, size.height)
    }

    /// Gives the next frame another size; it repaints the whole screen.
    pub fn resize(&mut self, columns: u16, rows: u16) {
        self.terminal.backend_mut().size = Size::new(columns, rows);
    }

    /// Forgets what the terminal shows: the next frame clears it and paints everything.
    pub fn forget(&mut self) {
        self.terminal.backend_mut().cursor_shown = None;
        never_fails(self.terminal.clear());
    }

    /// Draws one frame and appends to `out` what must be sent for it: one synchronised update, or
    /// nothing at all where no cell and no cursor changed.
    ///
    /// The frame counts as shown from here on, so the bytes must be sent.
    pub fn frame(&mut self, draw: impl FnOnce(&mut Frame), out: &mut Vec<u8>) {
        never_fails(self.terminal.draw(draw));
        let bytes = self.terminal.backend_mut().encoder.bytes();
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

/// ratatui's side of the canvas: collects bytes and touches no terminal.
#[derive(Debug)]
struct CanvasBackend {
    encoder: Encoder,
    size: Size,
    cursor: Position,
    cursor_shown: Option<bool>,
    /// Cells were drawn since the cursor was last placed, so it stands elsewhere now.
    cursor_moved: bool,
}

impl CanvasBackend {
    fn show(&mut self, shown: bool) {
        if self.cursor_shown != Some(shown) {
            self.encoder.raw(if shown { b"\x1b[?25h" } else { b"\x1b[?25l" });
            self.cursor_shown = Some(shown);
            self.cursor_moved = true;
        }
    }
}

impl Backend for CanvasBackend {
    type Error = Infallible;

    fn draw<'a, I>(&mut self, content: I) -> Result<(), Infallible>
    where
        I: Iterator<Item = (u16, u16, &'a Cell)>,
    {
        self.cursor_moved |= self.encoder.cells(content);
        Ok(())
    }

    fn hide_cursor(&mut self) -> Result<(), Infallible> {
        self.show(false);
        Ok(())
    }

    fn show_cursor(&mut self) -> Result<(), Infallible> {
        self.show(true);
        Ok(())
    }

    /// What was last set: asking the terminal would cost a round trip.
    fn get_cursor_position(&mut self) -> Result<Position, Infallible> {
        Ok(self.cursor)
    }

    fn set_cursor_position<P: Into<Position>>(&mut self, position: P) -> Result<(), Infallible> {
        let position = position.into();
        // A hidden cursor may stand anywhere.
        if self.cursor_shown == Some(true) && (self.cursor_moved || position != self.cursor) {
            self.encoder.move_to(position.x, position.y);
            self.cursor_moved = false;
        }
        self.cursor = position;
        Ok(())
    }

    fn clear(&mut self) -> Result<(), Infallible> {
        self.clear_region(ClearType::All)
    }

    /// A full-screen viewport clears nothing but everything.
    fn clear_region(&mut self, _: ClearType) -> Result<(), Infallible> {
        self.encoder.clear(self.size);
        self.cursor_moved = true;
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
