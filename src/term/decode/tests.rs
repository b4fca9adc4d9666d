use crossterm::event::{MouseButton, MouseEvent, MouseEventKind};
use proptest::prelude::*;

use super::*;

fn decode(bytes: &[u8]) -> Vec<Event> {
    let mut decoder = Decoder::default();
    let mut events = Vec::new();
    decoder.push(bytes, &mut events);
    decoder.give_up(&mut events);
    events
}

fn press(code: KeyCode, modifiers: KeyModifiers) -> Event {
    Event::Key(KeyEvent::new(code, modifiers))
}

#[test]
fn keys() {
    const NONE: KeyModifiers = KeyModifiers::NONE;
    const SHIFT: KeyModifiers = KeyModifiers::SHIFT;
    const ALT: KeyModifiers = KeyModifiers::ALT;
    const CONTROL: KeyModifiers = KeyModifiers::CONTROL;
    let cases: &[(&[u8], KeyCode, KeyModifiers)] = &[
        (b"j", KeyCode::Char('j'), NONE),
        (b"G", KeyCode::Char('G'), SHIFT),
        (b"$", KeyCode::Char('$'), NONE),
        ("ü".as_bytes(), KeyCode::Char('ü'), NONE),
        ("Ü".as_bytes(), KeyCode::Char('Ü'), SHIFT),
        ("数".as_bytes(), KeyCode::Char('数'), NONE),
        ("🔥".as_bytes(), KeyCode::Char('🔥'), NONE),
        (b"\x1b\xc3\xbc", KeyCode::Char('ü'), ALT),
        (b"\r", KeyCode::Enter, NONE),
        (b"\n", KeyCode::Char('j'), CONTROL),
        (b"\t", KeyCode::Tab, NONE),
        (b"\x1b[Z", KeyCode::BackTab, SHIFT),
        (b"\x7f", KeyCode::Backspace, NONE),
        (b"\x08", KeyCode::Char('h'), CONTROL),
        (b"\x03", KeyCode::Char('c'), CONTROL),
        (b"\x1a", KeyCode::Char('z'), CONTROL),
        (b"\x00", KeyCode::Char(' '), CONTROL),
        (b"\x1c", KeyCode::Char('4'), CONTROL),
        (b"\x1b", KeyCode::Esc, NONE),
        (b"\x1bx", KeyCode::Char('x'), ALT),
        (b"\x1bX", KeyCode::Char('X'), ALT | SHIFT),
        (b"\x1b[", KeyCode::Char('['), ALT),
        (b"\x1bO", KeyCode::Char('O'), ALT | SHIFT),
        (b"\x1b]", KeyCode::Char(']'), ALT),
        (b"\x1b\r", KeyCode::Enter, ALT),
        (b"\x1b\x7f", KeyCode::Backspace, ALT),
        (b"\x1b[A", KeyCode::Up, NONE),
        (b"\x1bOB", KeyCode::Down, NONE),
        (b"\x1b[1;5C", KeyCode::Right, CONTROL),
        (b"\x1b[1;2D", KeyCode::Left, SHIFT),
        (b"\x1b[1;8A", KeyCode::Up, SHIFT | ALT | CONTROL),
        (b"\x1b[H", KeyCode::Home, NONE),
        (b"\x1b[4~", KeyCode::End, NONE),
        (b"\x1b[5~", KeyCode::PageUp, NONE),
        (b"\x1b[6;3~", KeyCode::PageDown, ALT),
        (b"\x1b[3~", KeyCode::Delete, NONE),
        (b"\x1bOP", KeyCode::F(1), NONE),
        (b"\x1b[[E", KeyCode::F(5), NONE),
        (b"\x1b[15~", KeyCode::F(5), NONE),
        (b"\x1b[17~", KeyCode::F(6), NONE),
        (b"\x1b[24;2~", KeyCode::F(12), SHIFT),
        (b"\x1b[97;5u", KeyCode::Char('a'), CONTROL),
        (b"\x1b[27;5;13~", KeyCode::Enter, CONTROL),
    ];
    for (bytes, code, modifiers) in cases {
        assert_eq!(
            decode(bytes),
            [press(*code, *modifiers)],
            "{:?}",
            bytes.escape_ascii().to_string()
        );
    }
}

#[test]
fn a_sequence_may_come_in_pieces() {
    for bytes in [&b"\x1b[1;5C"[..], b"\x1bOA", "数".as_bytes(), b"\x1b[<0;10;5M"] {
        let whole = decode(bytes);
        let mut decoder = Decoder::default();
        let mut events = Vec::new();
        for byte in bytes {
            assert!(events.is_empty());
            decoder.push(&[*byte], &mut events);
        }
        assert_eq!(decoder.patience(), None);
        assert_eq!(events, whole);
    }
}

#[test]
fn only_something_under_way_needs_a_timer() {
    let mut decoder = Decoder::default();
    let mut events = Vec::new();
    assert_eq!(decoder.patience(), None);
    decoder.push(b"\x1b", &mut events);
    assert_eq!(decoder.patience(), Some(SEQUENCE_PATIENCE));
    assert_eq!(events, []);
    decoder.give_up(&mut events);
    assert_eq!(decoder.patience(), None);
    assert_eq!(events, [press(KeyCode::Esc, KeyModifiers::NONE)]);
}

#[test]
fn mouse_reports_become_zero_based_cells() {
    let mouse =
        |kind, column, row, modifiers| Event::Mouse(MouseEvent { kind, column, row, modifiers });
    let left = MouseButton::Left;
    let none = KeyModifiers::NONE;
    assert_eq!(
        decode(b"\x1b[<0;10;5M\x1b[<0;10;5m\x1b[<65;1;1M\x1b[<16;300;200M"),
        [
            mouse(MouseEventKind::Down(left), 9, 4, none),
            mouse(MouseEventKind::Up(left), 9, 4, none),
            mouse(MouseEventKind::ScrollDown, 0, 0, none),
            mouse(MouseEventKind::Down(left), 299, 199, KeyModifiers::CONTROL),
        ]
    );
    // Motion (32), column 0, and numbers out of range are no events.
    assert_eq!(decode(b"\x1b[<35;10;5M\x1b[<0;0;5M\x1b[<0;99999;5M\x1b[<0;5M"), []);
}

#[test]
fn a_paste_is_one_event_and_its_keys_are_text() {
    assert_eq!(
        decode(b"\x1b[200~q\x1b[A\x03 gpu<5\x1b[201~x"),
        [
            Event::Paste("q\u{1b}[A\u{3} gpu<5".into()),
            press(KeyCode::Char('x'), KeyModifiers::NONE)
        ]
    );
}

#[test]
fn a_huge_paste_is_cut_and_its_end_is_still_seen() {
    let mut bytes = b"\x1b[200~".to_vec();
    bytes.extend(std::iter::repeat_n(b'a', MAX_PASTE + 100));
    bytes.extend_from_slice(b"\x1b[201~j");
    let events = decode(&bytes);
    assert_eq!(events.len(), 2);
    assert!(matches!(&events[0], Event::Paste(text) if text.len() == MAX_PASTE));
}

#[test]
fn answers_to_other_programs_are_swallowed() {
    for noise in [
        &b"\x1b]11;rgb:1e1e/1e1e/1e1e\x1b\\"[..],
        b"\x1b]11;rgb:1e1e/1e1e/1e1e\x07",
        b"\x1bP>|tmux 3.4\x1b\\",
        b"\x1b[?62;22c",
        b"\x1b[?2026;2$y",
        b"\x1b[12;40R",
        b"\x1b[M #!",
        b"\x1b_Gi=1;OK\x1b\\",
    ] {
        let mut bytes = noise.to_vec();
        bytes.push(b'j');
        assert_eq!(
            decode(&bytes),
            [press(KeyCode::Char('j'), KeyModifiers::NONE)],
            "{:?}",
            noise.escape_ascii().to_string()
        );
    }
}

#[test]
fn a_cut_off_sequence_does_not_eat_the_next_key() {
    assert_eq!(
        decode(b"\x1b[1;\rj"),
        [press(KeyCode::Enter, KeyModifiers::NONE), press(KeyCode::Char('j'), KeyModifiers::NONE)]
    );
    assert_eq!(decode(b"\xe6\x95j"), [press(KeyCode::Char('j'), KeyModifiers::NONE)]);
    assert_eq!(decode(b"\xff\xfej"), [press(KeyCode::Char('j'), KeyModifiers::NONE)]);
}

proptest! {
    /// Any bytes: no panic, bounded memory, and after `give_up` the next key is that key.
    #[test]
    fn any_bytes_leave_a_working_keyboard(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        let mut decoder = Decoder::default();
        let mut events = Vec::new();
        decoder.push(&bytes, &mut events);
        decoder.give_up(&mut events);
        prop_assert!(events.len() <= bytes.len() + 1);
        prop_assert_eq!(decoder.patience(), None);
        events.clear();
        decoder.push(b"j", &mut events);
        prop_assert_eq!(events, [press(KeyCode::Char('j'), KeyModifiers::NONE)]);
    }

    /// Where reads are cut makes no difference, as long as nobody loses patience between them.
    #[test]
    fn cuts_make_no_difference(
        bytes in prop::collection::vec(prop_oneof![Just(0x1b_u8), Just(b'['), Just(b'O'), Just(b'<'), Just(b';'), any::<u8>()], 0..80),
        cut in 0_usize..80,
    ) {
        let cut = cut.min(bytes.len());
        let mut decoder = Decoder::default();
        let mut events = Vec::new();
        decoder.push(&bytes[..cut], &mut events);
        decoder.push(&bytes[cut..], &mut events);
        decoder.give_up(&mut events);
        prop_assert_eq!(events, decode(&bytes));
    }

    /// Text typed is text received.
    #[test]
    fn typed_text_arrives(text in "[ -~¡-ÿα-ω数行🔥]{0,40}") {
        let got: String = decode(text.as_bytes()).into_iter().filter_map(|event| match event {
            Event::Key(KeyEvent { code: KeyCode::Char(c), .. }) => Some(c),
            _ => None,
        }).collect();
        prop_assert_eq!(got, text);
    }
}
