//! Pieces of SQL, in the subset that Trino (Athena's engine) and `DuckDB` share: one text, run by Athena and checked by
//! `DuckDB` in the tests.
//!
//! What an engine does differently is left out: no `date_diff`, no lambdas, no `element_at`, no backslashes in patterns.

/// `text` as an SQL string literal, quotes doubled.
pub fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "''"))
}

/// A column by its name: as it is where it needs no quotes, else in double quotes.
pub fn column(name: &str) -> String {
    let is_plain = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    if is_plain { name.to_owned() } else { format!("\"{}\"", name.replace('"', "\"\"")) }
}

/// True where `expression` is one of these texts.
pub fn is_one_of(expression: &str, texts: &[&str]) -> String {
    match texts {
        [] => "FALSE".to_owned(),
        [one] => format!("{expression} = {}", quoted(one)),
        all => {
            let all: Vec<String> = all.iter().map(|text| quoted(text)).collect();
            format!("{expression} IN ({})", all.join(", "))
        }
    }
}

/// True where `expression` begins with this text. `LIKE` would take `_` and `%` for wildcards.
pub fn begins(expression: &str, text: &str) -> String {
    format!("starts_with({expression}, {})", quoted(text))
}

/// True where `expression` begins with one of these texts.
pub fn begins_with_any(expression: &str, texts: &[&str]) -> String {
    matches(expression, &format!("^({})", pattern(texts)))
}

/// True where this text is in `expression`.
pub fn holds(expression: &str, text: &str) -> String {
    format!("strpos({expression}, {}) > 0", quoted(text))
}

/// True where one of these texts is in `expression`.
pub fn holds_any(expression: &str, texts: &[&str]) -> String {
    match texts {
        [one] => holds(expression, one),
        all => matches(expression, &pattern(all)),
    }
}

/// What matches no pattern is NULL for Trino and empty for `DuckDB`.
fn matches(expression: &str, pattern: &str) -> String {
    format!("coalesce(regexp_extract({expression}, {}), '') <> ''", quoted(pattern))
}

/// A pattern of texts as they are.
fn pattern(texts: &[&str]) -> String {
    let literal = |text: &&str| -> String {
        let one = |c: char| match c {
            '.' | '(' | ')' | '[' | '{' | '}' | '*' | '+' | '?' | '|' | '$' => format!("[{c}]"),
            c => c.to_string(),
        };
        text.chars().map(one).collect()
    };
    texts.iter().map(literal).collect::<Vec<_>>().join("|")
}

/// True where one of the conditions is; in brackets where there are several.
pub fn any(conditions: &[String]) -> String {
    joined(conditions, " OR ", "FALSE")
}

/// True where all conditions are; in brackets where there are several.
pub fn all(conditions: &[String]) -> String {
    joined(conditions, " AND ", "TRUE")
}

fn joined(conditions: &[String], word: &str, none: &str) -> String {
    match conditions {
        [] => none.to_owned(),
        [one] => one.clone(),
        all => format!("({})", all.join(word)),
    }
}

/// `CASE` with a line per condition and its value, `indent` blanks from the left.
pub fn case(whens: &[(String, String)], otherwise: &str, indent: usize) -> String {
    if whens.is_empty() {
        return otherwise.to_owned();
    }
    let pad = " ".repeat(indent);
    let when =
        |(condition, value): &(String, String)| format!("\n{pad}  WHEN {condition} THEN {value}");
    let whens: String = whens.iter().map(when).collect();
    format!("CASE{whens}\n{pad}  ELSE {otherwise}\n{pad}END")
}

/// True where a text names a column by itself, not as a part of another name.
pub fn names(text: &str, column: &str) -> bool {
    let is_name = |c: char| c.is_alphanumeric() || c == '_';
    text.match_indices(column).any(|(at, _)| {
        let (before, after) = (&text[..at], &text[at + column.len()..]);
        !before.ends_with(is_name) && !after.starts_with(is_name)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn foreign_text_stays_inside_its_quotes() {
        assert_eq!(quoted("it's"), "'it''s'");
        assert_eq!(column("line_item_usage_type"), "line_item_usage_type");
        assert_eq!(column("lineItem/UsageType"), r#""lineItem/UsageType""#);
        assert_eq!(column(r#"a" --"#), r#""a"" --""#);
        assert_eq!(is_one_of("x", &["a"]), "x = 'a'");
        assert_eq!(is_one_of("x", &["a", "b'"]), "x IN ('a', 'b''')");
    }

    #[test]
    fn a_column_is_named_by_its_whole_name() {
        assert!(names("sum(list)", "list") && names("list", "list"));
        assert!(!names("sum(list_cost)", "list") && !names("a_list", "list"));
    }
}
