//! What a terminal shows must be the same as with ratatui's stock backend on a blank screen, for any
//! two frames.

use proptest::prelude::*;
use ratatui::Frame;
use ratatui::backend::{Backend, CrosstermBackend};
use ratatui::buffer::{Buffer, Cell};
use ratatui::layout::{Rect, Size};
use ratatui::style::{Color, Modifier, Style};

use crate::term::canvas::Canvas;

const WIDTH: u16 = 24;
const HEIGHT: u16 = 4;

/// The stock encoding of the change from `before` to `after`.
fn stock(before: &Buffer, after: &Buffer) -> Vec<u8> {
    let mut bytes = Vec::new();
    CrosstermBackend::new(&mut bytes).draw(before.diff_iter(after)).unwrap();
    bytes
}

fn paint(canvas: &mut Canvas, buffer: &Buffer) -> Vec<u8> {
    let mut bytes = Vec::new();
    canvas.frame(|frame: &mut Frame| frame.buffer_mut().clone_from(buffer), &mut bytes);
    bytes
}

/// What can be told apart by looking: a blank shows its background and the attributes that draw
/// on it, anything else shows all.
fn look(parser: &vt100::Parser) -> Vec<String> {
    look_at(parser, WIDTH, HEIGHT)
}

fn look_at(parser: &vt100::Parser, width: u16, height: u16) -> Vec<String> {
    let mut cells = Vec::new();
    for y in 0..height {
        for x in 0..width {
            let cell = parser.screen().cell(y, x).unwrap();
            let text = if cell.has_contents() { cell.contents() } else { " " };
            cells.push(if text == " " && !cell.is_wide_continuation() {
                let seen = (cell.underline() || cell.inverse()).then(|| cell.fgcolor());
                format!("' ' {:?} {seen:?} {} {}", cell.bgcolor(), cell.underline(), cell.inverse())
            } else {
                format!(
                    "{text:?} {:?} {:?} {} {} {} {} {}",
                    cell.fgcolor(),
                    cell.bgcolor(),
                    cell.bold(),
                    cell.dim(),
                    cell.italic(),
                    cell.underline(),
                    cell.inverse()
                )
            });
        }
    }
    cells
}

fn parser() -> vt100::Parser {
    vt100::Parser::new(HEIGHT.try_into().unwrap(), WIDTH.try_into().unwrap(), 0)
}

fn any_color() -> impl Strategy<Value = Color> {
    prop_oneof![
        4 => Just(Color::Reset),
        2 => Just(Color::Red),
        1 => Just(Color::LightBlue),
        1 => Just(Color::White),
        1 => (0_u8..=255).prop_map(Color::Indexed),
        1 => any::<(u8, u8, u8)>().prop_map(|(r, g, b)| Color::Rgb(r, g, b)),
    ]
}

fn any_style() -> impl Strategy<Value = Style> {
    let modifier = prop_oneof![
        4 => Just(Modifier::empty()),
        1 => (0_u16..512).prop_map(Modifier::from_bits_truncate),
    ];
    (any_color(), any_color(), modifier)
        .prop_map(|(fg, bg, modifier)| Style::new().fg(fg).bg(bg).add_modifier(modifier))
}

/// A frame made of a few styled pieces of text on a blank screen, wide characters among them.
fn any_frame() -> impl Strategy<Value = Buffer> {
    let text = prop_oneof![
        3 => "[a-z0-9 ]{1,20}",
        1 => " {1,24}",
        1 => "[─│▸░é数🔥 x]{1,8}",
    ];
    let piece = (0..WIDTH, 0..HEIGHT, text, any_style());
    prop::collection::vec(piece, 0..12).prop_map(|pieces| {
        let mut buffer = Buffer::empty(Rect::new(0, 0, WIDTH, HEIGHT));
        for (x, y, text, style) in pieces {
            buffer.set_string(x, y, text, style);
        }
        // Bold and dim at once, also where pieces overlap: the reference terminal keeps only the
        // one that came last.
        for cell in &mut buffer.content {
            if cell.modifier.contains(Modifier::BOLD) {
                cell.modifier.remove(Modifier::DIM);
            }
        }
        buffer
    })
}

/// vt100's colour numbers for the sixteen system colours are the same in the short and in the
/// 256-colour form, so looks can be compared as they are.
fn check(frames: &[Buffer]) -> Result<(), TestCaseError> {
    let mut canvas = Canvas::new(WIDTH, HEIGHT);
    let mut ours = parser();
    for after in frames {
        let bytes = paint(&mut canvas, after);
        ours.process(&bytes);
        // On a blank screen: what becomes of half a wide character that is written over is the
        // terminal's own affair.
        let mut theirs = parser();
        theirs.process(&stock(&Buffer::empty(after.area), after));
        prop_assert_eq!(look(&ours), look(&theirs), "{}", bytes.escape_ascii().to_string());
    }
    Ok(())
}

proptest! {
    #[test]
    fn shows_the_same_as_the_stock_backend(frames in prop::collection::vec(any_frame(), 1..4)) {
        check(&frames)?;
    }
}

/// A list of `WIDE` × `TALL`, under a heading and above a footer, with a mark at its right.
const WIDE: u16 = 60;
const TALL: u16 = 16;

/// What happens to the list between two frames.
#[derive(Debug, Clone)]
struct Step {
    /// The first line in sight.
    top: usize,
    /// The line with the cursor on it, by its place on the screen.
    cursor: u16,
    /// Cells that change at their places.
    dots: Vec<(u16, u16)>,
    /// A box is open above the list.
    boxed: bool,
}

fn any_step() -> impl Strategy<Value = Step> {
    let dots = prop::collection::vec((0..WIDE, 0..TALL), 0..3);
    let top = prop_oneof![3 => 0_usize..6, 1 => 0_usize..60];
    (top, 1..TALL - 1, dots, prop::bool::weighted(0.2))
        .prop_map(|(top, cursor, dots, boxed)| Step { top, cursor, dots, boxed })
}

fn any_lines() -> impl Strategy<Value = Vec<(String, Style)>> {
    let text = prop_oneof![
        6 => "[a-z0-9]{3,12} {1,9}[a-z0-9é─]{9,30}",
        1 => "[a-z ]{9,20}[数🔥]{1,4}[a-z]{1,9}",
        1 => "",
    ];
    prop::collection::vec((text, any_style()), 80)
}

fn list(lines: &[(String, Style)], step: &Step) -> Buffer {
    let mut buffer = Buffer::empty(Rect::new(0, 0, WIDE, TALL));
    buffer.set_string(0, 0, format!("{} lines, from {}", lines.len(), step.top), Style::new());
    for (y, (text, style)) in (1..TALL - 1).zip(lines.iter().skip(step.top)) {
        buffer.set_stringn(0, y, text, usize::from(WIDE), *style);
    }
    buffer.set_style(Rect::new(0, step.cursor, WIDE, 1), Style::new().reversed());
    buffer.set_string(WIDE - 1, 1 + step.top as u16 % (TALL - 2), "█", Style::new().blue());
    buffer.set_string(0, TALL - 1, "q quit", Style::new().dim());
    if step.boxed {
        let area = Rect::new(20, 4, 20, 6);
        buffer.set_style(area, Style::new().bg(Color::Blue));
        for y in 4..10 {
            buffer.set_string(20, y, " ".repeat(20), Style::new());
        }
    }
    for (x, y) in &step.dots {
        buffer[(*x, *y)].set_symbol("·");
    }
    for cell in &mut buffer.content {
        if cell.modifier.contains(Modifier::BOLD) {
            cell.modifier.remove(Modifier::DIM);
        }
    }
    buffer
}

fn moves(bytes: &[u8]) -> bool {
    bytes.windows(super::WHOLE_SCREEN.len()).any(|window| window == super::WHOLE_SCREEN)
}

proptest! {
    /// Whatever is on the terminal already, moved lines included.
    #[test]
    fn moved_lines_show_the_same_as_a_screen_painted_anew(
        lines in any_lines(),
        steps in prop::collection::vec(any_step(), 2..6),
    ) {
        let parser = || vt100::Parser::new(TALL.try_into().unwrap(), WIDE.try_into().unwrap(), 0);
        let mut canvas = Canvas::new(WIDE, TALL).moving_lines(true);
        let mut never = Canvas::new(WIDE, TALL);
        let mut ours = parser();
        for step in &steps {
            let frame = list(&lines, step);
            let bytes = paint(&mut canvas, &frame);
            ours.process(&bytes);
            let mut anew = parser();
            anew.process(&stock(&Buffer::empty(frame.area), &frame));
            let wire = bytes.escape_ascii().to_string();
            prop_assert_eq!(look_at(&ours, WIDE, TALL), look_at(&anew, WIDE, TALL), "{}", wire);
            prop_assert!(bytes.len() <= paint(&mut never, &frame).len(), "{}", wire);
        }
    }
}

#[test]
fn a_list_that_scrolls_costs_its_new_line() {
    let lines: Vec<(String, Style)> =
        (0..80).map(|n| (format!("{:<29}|{:>29}", n * 7919, n * 104_729), Style::new())).collect();
    let step = |top| Step { top, cursor: 14, dots: Vec::new(), boxed: false };
    let mut canvas = Canvas::new(WIDE, TALL).moving_lines(true);
    paint(&mut canvas, &list(&lines, &step(10)));
    for (top, most) in [(11, 220), (12, 220), (11, 220), (14, 400), (10, 450)] {
        let bytes = paint(&mut canvas, &list(&lines, &step(top)));
        let wire = bytes.escape_ascii().to_string();
        assert!(moves(&bytes) && bytes.len() <= most, "{top}: {} bytes: {wire}", bytes.len());
    }
    // Nothing is told to a terminal that would not understand it.
    let mut never = Canvas::new(WIDE, TALL);
    paint(&mut never, &list(&lines, &step(10)));
    assert!(!moves(&paint(&mut never, &list(&lines, &step(11)))));
}

/// Changed cells, and the bytes for them.
type Case<'a> = (&'a [(u16, u16, Cell)], &'a str);

fn encode(cells: &[(u16, u16, Cell)]) -> String {
    let mut encoder = super::Encoder::new(Size::new(80, 24));
    let mut next = Buffer::empty(Rect::new(0, 0, 80, 24));
    for (x, y, cell) in cells {
        next[(*x, *y)].clone_from(cell);
    }
    encoder.cells(cells.iter().map(|(x, y, cell)| (*x, *y, cell)), &next);
    encoder.bytes().escape_ascii().to_string()
}

fn cell(symbol: &'static str, style: Style) -> Cell {
    let mut cell = Cell::new(symbol);
    cell.set_style(style);
    cell
}

#[test]
fn sequences_are_short() {
    let plain = Style::new();
    let red = plain.fg(Color::Red);
    let cases: [Case; 8] = [
        (&[(0, 0, cell("a", plain))], r"\x1b[Ha"),
        (&[(0, 4, cell("a", plain)), (5, 4, cell("b", plain))], r"\x1b[5Ha\x1b[6Gb"),
        // A short gap is written again rather than jumped over.
        (&[(0, 4, cell("a", plain)), (3, 4, cell("b", plain))], r"\x1b[5Ha  b"),
        (&[(0, 0, cell("a", red)), (1, 0, cell("b", red))], r"\x1b[H\x1b[31mab\x1b[m"),
        (
            &[(0, 0, cell("a", red.bold())), (1, 0, cell("b", red))],
            r"\x1b[H\x1b[1;31ma\x1b[0;31mb\x1b[m",
        ),
        (
            &[(2, 0, cell("a", plain.fg(Color::White).bg(Color::Indexed(240))))],
            r"\x1b[1;3H\x1b[97;48;5;240ma\x1b[m",
        ),
        // Reverse video survives without any colour, whatever NO_COLOR says.
        (&[(0, 0, cell("a", plain.reversed()))], r"\x1b[H\x1b[7ma\x1b[m"),
        // A blank between two red letters needs no change of colour.
        (
            &[(0, 0, cell("a", red)), (1, 0, cell(" ", plain)), (2, 0, cell("b", red))],
            r"\x1b[H\x1b[31ma b\x1b[m",
        ),
    ];
    for (cells, want) in cases {
        assert_eq!(encode(cells), want);
    }
}

#[test]
fn runs_of_blanks_are_erased() {
    let blank = |from: u16, to: u16| -> Vec<(u16, u16, Cell)> {
        (from..to).map(|x| (x, 0, Cell::default())).collect()
    };
    assert_eq!(encode(&blank(10, 80)), r"\x1b[1;11H\x1b[K");
    assert_eq!(encode(&blank(10, 40)), r"\x1b[1;11H\x1b[30X");
    assert_eq!(encode(&blank(10, 14)), r"\x1b[1;11H    ");
}

/// Pages of a coloured table, as the idle tab looks, against the stock encoding of the same cells.
#[test]
fn a_page_of_a_table_costs_less_than_the_stock_encoding() {
    let page = |offset: usize| {
        let mut buffer = Buffer::empty(Rect::new(0, 0, 80, 24));
        for y in 0..24_u16 {
            let n = usize::from(y) + offset;
            let dollars = format!("{:>7}.{:02}", n * 37 % 98, n % 100);
            let (word, style) = match n % 3 {
                0 => ("○ IDLE", Style::new().red().bold()),
                1 => ("● busy", Style::new().dim()),
                _ => ("? UNKNOWN", Style::new().yellow()),
            };
            buffer.set_string(0, y, dollars, Style::new());
            buffer.set_string(12, y, word, style);
            buffer.set_string(24, y, "train-".repeat(n % 6), Style::new().cyan());
        }
        buffer
    };
    let mut canvas = Canvas::new(80, 24);
    let mut before = Buffer::empty(Rect::new(0, 0, 80, 24));
    let (mut ours, mut theirs) = (0, 0);
    for offset in [0, 25, 50, 75] {
        let after = page(offset);
        ours += paint(&mut canvas, &after).len();
        theirs += stock(&before, &after).len();
        before = after;
    }
    insta::assert_snapshot!(format!("{ours} of {theirs} bytes"), @"4743 of 8124 bytes");
}
