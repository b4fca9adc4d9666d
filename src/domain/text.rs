//! Text that comes from outside, made safe to show, log and export.

use std::borrow::Cow;
use std::sync::Arc;

use serde::de::{Deserialize, Deserializer, Error};

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
/// everything behind it may print what it holds. What serde reads passes
/// [`super::cleaned::Cleaned`] instead, and [`for_output`] stands behind both.
pub fn clean(text: &str) -> Cow<'_, str> {
    clean_to(text, MAX_CHARS)
}

/// Words of an error of the system, without the number that the system has for it.
pub fn without_errno(said: &str) -> &str {
    // `No such file or directory (os error 2)`.
    said.rsplit_once(" (os error ").map_or(said, |(words, _)| words)
}

/// Like [`clean`], bounded to `longest` characters instead.
pub fn clean_to(text: &str, longest: usize) -> Cow<'_, str> {
    // Most texts have nothing but printable ASCII in them.
    if text.len() <= longest && text.bytes().all(|byte| matches!(byte, b' '..=b'~')) {
        return Cow::Borrowed(text);
    }
    let mut count = 0;
    let fine = text.chars().all(|c| {
        count += 1;
        count <= longest && !is_unsafe(c)
    });
    if fine {
        return Cow::Borrowed(text);
    }
    let mut out: String = text.chars().take(longest).map(safe).collect();
    if text.chars().nth(longest).is_some() {
        out.push('…');
    }
    Cow::Owned(out)
}

fn safe(c: char) -> char {
    if is_unsafe(c) { char::REPLACEMENT_CHARACTER } else { c }
}

/// True for a resource id: not empty, at most [`MAX_CHARS`] characters, none of them unsafe or a replacement for an
/// unsafe one. Other texts are refused rather than cleaned: ids are sent in calls, and a cleaned id would be another
/// one.
pub fn is_id(text: &str) -> bool {
    !text.is_empty()
        && !text.contains(char::REPLACEMENT_CHARACTER)
        && matches!(clean(text), Cow::Borrowed(_))
}

/// For `#[serde(deserialize_with)]` on an identifier: what is none ([`is_id`]) is no value of the
/// type, so that nothing is ever done to what it might name.
///
/// # Errors
/// The format's; a text that is no identifier.
pub fn id<'de, D: Deserializer<'de>>(from: D) -> Result<Arc<str>, D::Error> {
    let text = Arc::<str>::deserialize(from)?;
    if is_id(&text) { Ok(text) } else { Err(D::Error::custom("this is no identifier")) }
}

/// Last safeguard for text that leaves the program as lines: replaces every unsafe character except line feeds and tabs
/// by U+FFFD. Text that passed [`clean`] is unchanged.
pub fn for_output(text: &str) -> Cow<'_, str> {
    let odd = |c: char| is_unsafe(c) && !matches!(c, '\n' | '\t');
    if text.contains(odd) {
        text.chars().map(|c| if odd(c) { safe(c) } else { c }).collect::<String>().into()
    } else {
        text.into()
    }
}

/// Texts that try to do harm, for tests of whatever takes foreign text in.
#[cfg(test)]
pub(crate) mod hostile {
    /// Fails where the `Debug` of a value, with its escapes, holds an unsafe character.
    pub(crate) fn said(place: &str, debug: &str) {
        let escapes = debug.replace("\\\\", "");
        for escape in ["\\u{", "\\n", "\\r", "\\t", "\\0"] {
            assert!(!escapes.contains(escape), "{place}: {debug}");
        }
        let odd = debug.chars().find(|c| super::is_unsafe(*c) && *c != '\n');
        assert_eq!(odd, None, "{place}: {debug}");
    }

    /// One of each kind: what steers terminals, reorders lines, breaks them, hides, or means
    /// something to Markdown, to a spreadsheet, to a shell or to a format.
    pub(crate) const TEXTS: &[&str] = &[
        "\u{1b}]52;c;ZWNobyBwd25lZA==\u{7}",
        "\u{1b}]52;c;ZWNobw==\u{1b}\\",
        "\u{9d}52;c;ZWNobw==\u{9c}",
        "\u{1b}[2J\u{1b}[H",
        "\u{1b}]0;title\u{7}",
        "\u{1b}]8;;http://evil.example\u{1b}\\click\u{1b}]8;;\u{1b}\\",
        "\u{1b}Pq#0;2;0;0;0\u{1b}\\",
        "\u{1b}c",
        "\u{9b}31m",
        "\u{90}x\u{98}y\u{9e}z\u{9f}",
        "safe\u{202e}txt.exe",
        "\u{2066}a\u{2067}b\u{2068}c\u{2069}",
        "\u{200e}\u{200f}\u{61c}\u{200b}\u{200c}\u{200d}",
        "line\nburntop: all is well",
        "line\r\nINFO forged=true",
        "back\u{8}\u{8}\u{8}\u{8}over",
        "a\tb\u{b}c\u{c}d",
        "nul\u{0}byte",
        "bell\u{7}del\u{7f}",
        "nel\u{85}ls\u{2028}ps\u{2029}",
        "\u{feff}bom",
        "\u{fff9}anno\u{fffa}tated\u{fffb}",
        "tag\u{e0001}\u{e0062}\u{e0061}\u{e007f}",
        "word\u{2060}\u{2064}join\u{206f}",
        "=HYPERLINK(\"http://evil.example\",\"x\")",
        "+cmd|' /C calc'!A0",
        "-2+3\u{0}",
        "@SUM(1+1)*cmd",
        "\t=1+1",
        "| a | b |\n|---|---|",
        "`code` **bold** <script>alert(1)</script> ![x](http://evil.example)",
        "[link](javascript:alert(1))",
        "$(reboot) `reboot` ; rm -rf / #",
        "\"quoted\", 'single', \\back",
        "\u{1b}[31m\u{202e}\n=1\u{0}|\u{feff}",
    ];
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
