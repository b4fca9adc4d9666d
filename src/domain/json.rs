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
    let other = rest("invalid type: ").or(rest("invalid value: ")).or(rest("invalid length "));
    match other.and_then(|other| other.split_once(", expected ")) {
        Some((found, wanted)) => format!("{found} stands where {wanted} is wanted"),
        None => what.to_owned(),
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
            ("{\"rosw\": []}", "line 1, column 7: unknown field `rosw`, expected `rows`"),
        ] {
            let error = serde_json::from_str::<Plan>(text).unwrap_err();
            assert_eq!(why_no_json(&error), says);
        }
    }
}
