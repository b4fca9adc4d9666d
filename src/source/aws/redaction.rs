//! Text of others without what looks like a credential.

use crate::domain::secret::REDACTED;

/// The shortest run of characters that may be a key, a token or a password of a program's making.
const SHORTEST: usize = 16;

/// `text` without anything that looks like a key: long runs that are no words, and values after `secret`, `password`,
/// `token` or `key` and `=` or `:`.
pub fn without_keys(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut named = false;
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let run = rest.find(|c: char| !is_of_key(c)).unwrap_or(rest.len());
        if run == 0 {
            out.push(c);
            // The name of a secret counts until something else than its assignment follows.
            named &= matches!(c, ' ' | ':' | '=' | '"' | '\'');
            rest = &rest[c.len_utf8()..];
            continue;
        }
        let (word, behind) = rest.split_at(run);
        rest = behind;
        if named || is_key(word) {
            out.push_str(REDACTED);
            named = false;
        } else {
            out.push_str(word);
            let behind = rest.trim_start_matches(['"', '\'', ' ']);
            named = is_name(word) && behind.starts_with([':', '=']);
        }
    }
    out
}

fn is_of_key(c: char) -> bool {
    c.is_ascii_alphanumeric() || "+/_-.".contains(c)
}

fn is_name(word: &str) -> bool {
    let word = word.to_ascii_lowercase();
    ["secret", "password", "passwd", "token", "key", "keyid"].iter().any(|end| word.ends_with(end))
}

fn is_key(word: &str) -> bool {
    let longest = word.split(['/', '.']).map(str::len).max().unwrap_or(0);
    let has = |is: fn(&char) -> bool| word.chars().any(|c| is(&c));
    let mixed = has(char::is_ascii_digit) && has(char::is_ascii_alphabetic);
    let cased = has(char::is_ascii_uppercase) && has(char::is_ascii_lowercase);
    word.len() >= SHORTEST && mixed && (cased || longest >= SHORTEST)
        || word.starts_with("AKIA")
        || word.starts_with("ASIA")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_looks_like_a_key_goes_and_words_stay() {
        for (text, shown) in [
            (
                "no ticket in /opt/corp/bin/get-credentials",
                "no ticket in /opt/corp/bin/get-credentials",
            ),
            ("exit status: 3", "exit status: 3"),
            ("vault: permission denied (403)", "vault: permission denied (403)"),
            ("the key is missing", "the key is missing"),
            ("wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", "<redacted>"),
            ("key AKIDnot AKIAIOSFODNN7EXAMPLE bad", "key AKIDnot <redacted> bad"),
            ("{\"SecretAccessKey\": \"short\"}", "{\"SecretAccessKey\": \"<redacted>\"}"),
            ("password=hunter2 user=kim", "password=<redacted> user=kim"),
            ("SessionToken: IQoJb3JpZ2luX2VjEXAMPLE==", "SessionToken: <redacted>=="),
            ("token = abc", "token = <redacted>"),
            ("AWS_SECRET_ACCESS_KEY=x", "AWS_SECRET_ACCESS_KEY=<redacted>"),
            ("id 0123456789abcdef0123456789abcdef!", "id <redacted>!"),
        ] {
            assert_eq!(without_keys(text), shown);
        }
    }
}
