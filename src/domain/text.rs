//! Text that comes from outside, made safe to show, log and export.

use std::borrow::Cow;

/// The longest foreign text burntop keeps, in characters. AWS tag values end at 256; anything
/// longer comes from somewhere unexpected and would only cost memory.
pub const MAX_CHARS: usize = 512;

/// True for characters that can steer a terminal or reorder a line: C0 and C1 controls, DEL,
/// line and paragraph separators, bidirectional marks, embeddings, overrides and isolates, zero
/// width no-break space (BOM) and the interlinear and tag blocks.
pub fn is_unsafe(c: char) -> bool {
    c.is_control()
        || matches!(c,
            '\u{061C}'
            | '\u{200B}'..='\u{200F}'
            | '\u{2028}'..='\u{202E}'
            | '\u{2060}'..='\u{206F}'
            | '\u{FEFF}'
            | '\u{FFF9}'..='\u{FFFB}'
            | '\u{E0000}'..='\u{E007F}')
}

/// Replaces every unsafe character by U+FFFD and bounds the length to [`MAX_CHARS`].
///
/// Called once, where foreign text enters (a source, a config file, an error message), so that
/// everything behind it may print what it holds.
pub fn clean(text: &str) -> Cow<'_, str> {
    let mut count = 0;
    let fine = text.chars().all(|c| {
        count += 1;
        count <= MAX_CHARS && !is_unsafe(c)
    });
    if fine {
        return Cow::Borrowed(text);
    }
    let mut out: String =
        text.chars().take(MAX_CHARS).map(|c| if is_unsafe(c) { '\u{FFFD}' } else { c }).collect();
    if text.chars().nth(MAX_CHARS).is_some() {
        out.push('…');
    }
    Cow::Owned(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn terminal_controls_are_replaced() {
        assert_eq!(clean("a\u{1b}[2Jb"), "a\u{FFFD}[2Jb");
        assert_eq!(clean("x\u{9b}31m"), "x\u{FFFD}31m");
        assert_eq!(clean("abc\u{202e}fdp"), "abc\u{FFFD}fdp");
        assert_eq!(clean("line\nbreak\ttab\u{7f}"), "line\u{FFFD}break\u{FFFD}tab\u{FFFD}");
    }

    #[test]
    fn plain_text_is_borrowed() {
        assert!(matches!(clean("team-nlp ünïcode 数"), Cow::Borrowed(_)));
    }

    #[test]
    fn long_text_is_bounded() {
        let long = "🔥".repeat(10_000);
        assert_eq!(clean(&long).chars().count(), MAX_CHARS + 1);
    }
}
