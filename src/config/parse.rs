//! The text of a configuration file becomes a [`FileConfig`] with the line of each key.

use std::path::Path;

use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use toml::de::{DeTable, Error};

use super::check::{Findings, check, line_at};
use super::error::{ConfigError, Notice, Place, Problem};
use super::file::{FileConfig, SavedView};
use super::schema::{json_schema, schema_of};
use crate::domain::json::no_toml;
use crate::domain::text;

/// A document that can be used, with what was odd in it.
#[derive(Debug)]
pub struct Parsed<T> {
    /// The content.
    pub value: T,
    /// Unknown keys, in the order of their lines.
    pub notices: Vec<Notice>,
    /// Line of each key by its dotted path.
    pub lines: std::collections::BTreeMap<String, usize>,
}

/// Parses the configuration file. All wrong values are reported together.
pub fn config(source: &str, path: &Path) -> Result<Parsed<FileConfig>, ConfigError> {
    parse(source, path, &json_schema())
}

/// Parses the file of saved views: tables of the form of `[views.NAME]`, without the `views`.
pub fn views(
    source: &str,
    path: &Path,
) -> Result<Parsed<std::collections::BTreeMap<String, SavedView>>, ConfigError> {
    let schema = json_schema();
    parse(source, path, &schema["properties"]["views"])
}

/// Parses another document of burntop's, in which a key that is not known is a mistake like any other: where one is
/// misspelt, nothing is to go on without it. All mistakes are reported together.
pub fn strict<T: DeserializeOwned + JsonSchema>(
    source: &str,
    path: &Path,
) -> Result<Parsed<T>, ConfigError> {
    let parsed: Parsed<T> = parse(source, path, &schema_of::<T>())?;
    if parsed.notices.is_empty() { Ok(parsed) } else { Err(ConfigError::Invalid(parsed.notices)) }
}

fn parse<T: DeserializeOwned>(
    source: &str,
    path: &Path,
    schema: &serde_json::Value,
) -> Result<Parsed<T>, ConfigError> {
    let at = |line: usize, message: String| Problem {
        place: Place::File { path: path.to_owned(), line },
        message,
    };
    let line = |e: &Error| e.span().map_or(1, |s| line_at(source, s.start));
    // The parser's words are its own; they quote nothing of the file.
    let syntax = |e: &Error| at(line(e), text::clean(&no_toml(e.message())).into_owned());
    let (document, errors) = DeTable::parse_recoverable(source);
    if !errors.is_empty() {
        return Err(ConfigError::Invalid(errors.iter().map(syntax).collect()));
    }
    let Findings { mut unknown, mut wrong, lines } = check(source, document.get_ref(), schema);
    if !wrong.is_empty() {
        wrong.sort();
        return Err(ConfigError::Invalid(wrong.into_iter().map(|(l, m)| at(l, m)).collect()));
    }
    // What the schema lets pass and the types do not take: their words quote the value, which may be
    // a secret.
    let value: T = toml::from_str(source).map_err(|e| {
        let message = "a value here is not what its key takes; docs/config.md lists the keys";
        ConfigError::Invalid(vec![at(line(&e), message.to_owned())])
    })?;
    unknown.sort();
    let notices = unknown.into_iter().map(|(l, m)| at(l, m)).collect();
    Ok(Parsed { value, notices, lines })
}

#[cfg(test)]
mod tests {
    use super::super::file::{AllWord, RegionsText};
    use super::*;

    fn text_of(source: &str) -> String {
        match config(source, Path::new("c.toml")) {
            Ok(p) => p.notices.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"),
            Err(e) => e.to_string(),
        }
    }

    #[test]
    fn syntax_errors_name_file_and_line() {
        let text = text_of("profiles = []\nregions = [\n[ui]\n");
        assert!(text.starts_with("c.toml:"), "{text}");
        assert_eq!(
            text_of("a = 1\na = 2"),
            "c.toml:2: this key, or this table, stands there twice; leave one of them"
        );
    }

    #[test]
    fn unknown_keys_are_notices_and_the_rest_is_read() {
        let parsed = config("regoins = 1\nregions = 'all'", Path::new("c.toml")).unwrap();
        assert_eq!(parsed.value.regions, Some(RegionsText::All(AllWord::All)));
        assert_eq!(
            parsed.notices[0].to_string(),
            "c.toml:1: unknown key `regoins` at the top; did you mean `regions`?"
        );
    }

    #[test]
    fn whole_numbers_are_fine_where_a_number_is_wanted() {
        let parsed = config("[own_cost]\ncap_usd_per_day = 2", Path::new("c.toml")).unwrap();
        assert_eq!(parsed.value.own_cost.cap_usd_per_day, Some(2.0));
    }

    proptest::proptest! {
        /// Any text gives a config or an error with a line; it never panics, and what passes the
        /// schema passes serde.
        #[test]
        fn any_text_ends_well(source in "[\\[\\]a-z_.=\"' \n0-9{},#-]{0,200}") {
            if let Err(e) = config(&source, Path::new("c.toml")) {
                let text = e.to_string();
                proptest::prop_assert!(text.starts_with("c.toml:"), "{}", text);
            }
        }

        /// The checker and serde agree on every value of the known keys.
        #[test]
        fn the_checker_is_as_strict_as_serde(
            key in proptest::sample::select(super::super::schema::key_paths(&json_schema())),
            value in proptest::sample::select(vec![
                "1", "-1", "1.5", "nan", "true", "'all'", "'auto'", "'x'", "[]", "['a']", "[1]",
                "{}", "{ a = 1 }", "1979-05-27", "[{ name = 'a' }]", "99999999999",
            ]),
        ) {
            let source = format!("{} = {value}", key.replace('*', "free"));
            if let Ok(table) = DeTable::parse(&source) {
                let found = check(&source, table.get_ref(), &json_schema());
                let serde = toml::from_str::<FileConfig>(&source);
                if found.wrong.is_empty() {
                    proptest::prop_assert!(serde.is_ok(), "{source}: {serde:?}");
                }
            }
        }
    }
}
