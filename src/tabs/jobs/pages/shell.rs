//! Words of a command that is copied for a shell. Nothing of it is ever run here.

use std::borrow::Cow;

use crate::domain::text::is_id;

/// A word as a POSIX shell takes it: quoted where it is not plain. `None` for what no command may hold: an empty one, one that a
/// program would take for an option, one that is too long or has characters that no terminal should get.
pub(super) fn word(text: &str) -> Option<Cow<'_, str>> {
    if !is_id(text) || text.starts_with('-') {
        return None;
    }
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"_.:/@+-".contains(&byte);
    Some(match text.bytes().all(is_plain) {
        true => Cow::Borrowed(text),
        // Between single quotes nothing means anything, and a single quote ends them.
        false => Cow::Owned(format!("'{}'", text.replace('\'', r"'\''"))),
    })
}

#[cfg(test)]
mod tests {
    use super::word;
    use crate::domain::text::hostile;

    /// What a POSIX shell makes of a word that is plain or in single quotes; `None` where it means something else to it.
    fn read(mut word: &str) -> Option<String> {
        let mut out = String::new();
        while let Some(c) = word.chars().next() {
            word = &word[c.len_utf8()..];
            match c {
                '\'' => {
                    let (inside, rest) = word.split_once('\'')?;
                    out.push_str(inside);
                    word = rest;
                }
                '\\' => {
                    out.push(word.chars().next()?);
                    word = &word[1..];
                }
                c if c.is_ascii_alphanumeric() || "_.:/@+-".contains(c) => out.push(c),
                _ => return None,
            }
        }
        Some(out)
    }

    #[test]
    fn a_shell_reads_every_word_as_it_was_told() {
        for (text, quoted) in [
            ("train-7b", "train-7b"),
            ("ml/x_1.2:3@4+5", "ml/x_1.2:3@4+5"),
            ("a b", "'a b'"),
            ("a  b", "'a  b'"),
            ("a'b", r"'a'\''b'"),
            ("'", r"''\'''"),
            ("$(x)", "'$(x)'"),
            ("`x`;x&&x|x>x", "'`x`;x&&x|x>x'"),
            ("~root", "'~root'"),
            ("a=b", "'a=b'"),
            ("naïve", "'naïve'"),
        ] {
            assert_eq!(word(text).as_deref(), Some(quoted));
            assert_eq!(read(quoted).as_deref(), Some(text));
        }
    }

    #[test]
    fn what_steers_a_terminal_or_looks_like_an_option_is_no_word() {
        for text in ["", "-rf", "--all", "a\nb", "a\tb", "a\u{1b}[2J", "a\u{202e}b", "a\u{fffd}b"] {
            assert_eq!(word(text), None, "{text:?}");
        }
        assert_eq!(word(&"a".repeat(10_000)), None);
        for text in hostile::TEXTS {
            if let Some(quoted) = word(text) {
                assert_eq!(read(&quoted).as_deref(), Some(*text));
            }
        }
    }
}
