//! What is wrong with a text that should be JSON, and with values of the wrong kind in any format.

use serde_json::error::Category;

/// What is wrong, and where, in words: for the end of a message.
pub fn why_no_json(error: &serde_json::Error) -> String {
    let place = format!("line {}, column {}", error.line(), error.column());
    match error.classify() {
        Category::Eof => format!("it ends in the middle, at {place}; it is not whole"),
        Category::Syntax => format!("it is no JSON at {place}"),
        Category::Io | Category::Data => {
            let said = error.to_string();
            let what = said.rsplit_once(" at line ").map_or(&*said, |(what, _)| what);
            match error.line() {
                // Of a value that was read before.
                0 => wrong_value(what),
                _ => format!("{place}: {}", wrong_value(what)),
            }
        }
    }
}

/// What serde says of a value that is not as it should be, in words.
pub fn wrong_value(what: &str) -> String {
    let what = what.trim_end();
    let rest = |prefix| what.strip_prefix(prefix);
    if let Some(name) = rest("missing field ") {
        return format!("{name} is missing");
    }
    if let Some(name) = rest("duplicate field ") {
        return format!("{name} stands there twice");
    }
    if let Some((name, known)) = rest("unknown field ").and_then(|r| r.split_once(", ")) {
        return format!("there is no key {name}; {}", known_words(known));
    }
    if let Some((name, known)) = rest("unknown variant ").and_then(|r| r.split_once(", ")) {
        return format!("{name} is not possible; {}", known_words(known));
    }
    let other = rest("invalid type: ").or(rest("invalid value: ")).or(rest("invalid length "));
    match other.and_then(|other| other.split_once(", expected ")) {
        Some((found, wanted)) => format!("{found} stands where {wanted} is wanted"),
        None => what.to_owned(),
    }
}

/// What serde says of the words that there are.
fn known_words(said: &str) -> String {
    let known = said.strip_prefix("expected one of ").or(said.strip_prefix("expected "));
    known.map_or_else(|| said.to_owned(), |known| format!("known: {known}"))
}

/// What the parser of TOML says of a text that is none, behind words of ours.
pub fn no_toml(what: &str) -> String {
    match what.trim_end() {
        "duplicate key" => {
            "this key, or this table, stands there twice; leave one of them".to_owned()
        }
        what => format!("this is no TOML: {what}; mend the line"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, serde::Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Plan {
        #[expect(dead_code, reason = "read alone")]
        rows: Vec<u32>,
    }

    #[test]
    fn json_that_cannot_be_read_is_told_in_words() {
        for (text, says) in [
            ("{\"rows\": }", "it is no JSON at line 1, column 10"),
            ("{\"rows\": [1,", "it ends in the middle, at line 1, column 12; it is not whole"),
            ("{}", "line 1, column 2: `rows` is missing"),
            ("{\n\"rows\": [\"a\"]}", "line 2, column 12: string \"a\" stands where u32 is wanted"),
            ("{\"rosw\": []}", "line 1, column 7: there is no key `rosw`; known: `rows`"),
        ] {
            let error = serde_json::from_str::<Plan>(text).unwrap_err();
            assert_eq!(why_no_json(&error), says);
        }
    }

    #[test]
    fn words_of_libraries_stand_behind_ours() {
        for (said, words) in [
            ("unknown variant `x`, expected `a` or `b`", "`x` is not possible; known: `a` or `b`"),
            ("unknown field `x`, there are no fields", "there is no key `x`; there are no fields"),
        ] {
            assert_eq!(wrong_value(said), words);
        }
        assert!(
            no_toml("duplicate key").starts_with("this key, or this table, stands there twice")
        );
        let said = no_toml("unclosed table, expected `]`");
        assert_eq!(said, "this is no TOML: unclosed table, expected `]`; mend the line");
    }
}
