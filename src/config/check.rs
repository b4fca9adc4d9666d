//! A TOML document against the JSON schema: every unknown key and every wrong type, with lines.

use std::collections::BTreeMap;

use serde_json::Value;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::schema::{accepted, alternatives, constants, key_paths, properties};
use super::suggest::nearest;
use crate::domain::text;

/// What a walk over a document found. Lines count from 1.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Findings {
    /// Unknown keys: line and text.
    pub unknown: Vec<(usize, String)>,
    /// Values of a wrong type or out of range: line and text.
    pub wrong: Vec<(usize, String)>,
    /// Line of each key by its dotted path; `accounts[1].name` for lists.
    pub lines: BTreeMap<String, usize>,
}

/// Walks `table` along `schema`. `source` is the text both spans refer to.
pub fn check(source: &str, table: &DeTable<'_>, schema: &Value) -> Findings {
    let mut walk = Walk {
        newlines: newlines(source),
        all_keys: key_paths(schema),
        found: Findings::default(),
    };
    walk.table("", table, schema);
    walk.found
}

/// The line, counted from 1, in which byte `offset` of `source` lies.
pub fn line_at(source: &str, offset: usize) -> usize {
    1 + source.bytes().take(offset).filter(|b| *b == b'\n').count()
}

fn newlines(source: &str) -> Vec<usize> {
    source.bytes().enumerate().filter(|(_, b)| *b == b'\n').map(|(i, _)| i).collect()
}

struct Walk {
    newlines: Vec<usize>,
    all_keys: Vec<String>,
    found: Findings,
}

impl Walk {
    fn line(&self, offset: usize) -> usize {
        1 + self.newlines.partition_point(|n| *n < offset)
    }

    fn table(&mut self, path: &str, table: &DeTable<'_>, schema: &Value) {
        let known = properties(schema);
        let free = &schema["additionalProperties"];
        // A schema that says nothing accepts everything below it.
        let open = known.is_none() && free.is_null() || *free == Value::Bool(true);
        for (key, value) in table {
            let name: &str = key.get_ref();
            let line = self.line(key.span().start);
            let full = join(path, name);
            match known.and_then(|k| k.get(name)) {
                Some(sub) => self.value(&full, line, value, sub),
                None if free.is_object() || open => {
                    self.value(&full, line, value, free);
                }
                None => {
                    let text = self.unknown_text(path, name, known);
                    self.found.unknown.push((line, text));
                }
            }
            self.found.lines.insert(full, line);
        }
        for missing in required(schema).filter(|r| !table.keys().any(|k| k.get_ref() == r)) {
            let line = self.found.lines.get(path).copied().unwrap_or(1);
            self.found.wrong.push((line, format!("`{}` is missing", join(path, missing))));
        }
    }

    fn unknown_text(
        &self,
        path: &str,
        name: &str,
        known: Option<&serde_json::Map<String, Value>>,
    ) -> String {
        let place = if path.is_empty() { "at the top".into() } else { format!("in `{path}`") };
        let here = known.into_iter().flat_map(|k| k.keys().map(String::as_str));
        let elsewhere = || {
            self.all_keys.iter().map(String::as_str).find(|k| {
                k.rsplit('.').next() == Some(name) && !k.contains('*') && *k != join(path, name)
            })
        };
        let hint = nearest(name, here).map(|k| join(path, k));
        let hint = hint.or_else(|| elsewhere().map(str::to_owned));
        let name = text::clean(name);
        match hint {
            Some(hint) => format!("unknown key `{name}` {place}; did you mean `{hint}`?"),
            None => format!("unknown key `{name}` {place}; it has no effect"),
        }
    }

    fn value(&mut self, path: &str, line: usize, value: &Spanned<DeValue<'_>>, schema: &Value) {
        self.found.lines.insert(path.to_owned(), line);
        if !fits(value.get_ref(), schema) {
            let text = format!(
                "`{}` is {}; accepted: {}",
                text::clean(path),
                describe(value.get_ref()),
                accepted(schema)
            );
            self.found.wrong.push((line, text));
            return;
        }
        let schema = alternatives(schema)
            .and_then(|any| any.iter().find(|s| fits(value.get_ref(), s)))
            .unwrap_or(schema);
        match value.get_ref() {
            DeValue::Table(t) => self.table(path, t, schema),
            DeValue::Array(items) => {
                for (i, item) in items.iter().enumerate() {
                    let line = self.line(item.span().start);
                    self.value(&format!("{path}[{i}]"), line, item, &schema["items"]);
                }
            }
            _ => {}
        }
    }
}

fn join(path: &str, key: &str) -> String {
    if path.is_empty() { key.to_owned() } else { format!("{path}.{key}") }
}

fn required(schema: &Value) -> impl Iterator<Item = &str> {
    schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str)
}

/// True when the value itself (not what is in it) is of the right type and in range.
fn fits(value: &DeValue<'_>, schema: &Value) -> bool {
    let words = constants(schema);
    if !words.is_empty() {
        return value.as_str().is_some_and(|v| words.contains(&v));
    }
    if let Some(any) = alternatives(schema) {
        return any.iter().any(|s| fits(value, s));
    }
    match schema["type"].as_str() {
        Some("string") => value.is_str(),
        Some("boolean") => value.is_bool(),
        Some("integer") => value.is_integer() && in_range(value, schema),
        Some("number") => (value.is_integer() || value.is_float()) && in_range(value, schema),
        Some("array") => value.is_array(),
        Some("object") => value.is_table(),
        _ => true,
    }
}

fn in_range(value: &DeValue<'_>, schema: &Value) -> bool {
    number(value).is_some_and(|n| {
        n.is_finite()
            && schema["minimum"].as_f64().is_none_or(|min| n >= min)
            && schema["maximum"].as_f64().is_none_or(|max| n <= max)
    })
}

fn number(value: &DeValue<'_>) -> Option<f64> {
    match value {
        DeValue::Integer(i) => i64::from_str_radix(i.as_str(), i.radix()).ok().map(|i| i as f64),
        DeValue::Float(f) => f.as_str().parse().ok(),
        _ => None,
    }
}

fn describe(value: &DeValue<'_>) -> String {
    match value {
        DeValue::String(s) => format!("the string \"{}\"", text::clean(s)),
        DeValue::Integer(i) => format!("the number {}", i.as_str()),
        DeValue::Float(f) => format!("the number {}", f.as_str()),
        DeValue::Boolean(b) => format!("{b}"),
        DeValue::Datetime(_) => "a date".into(),
        DeValue::Array(_) => "a list".into(),
        DeValue::Table(_) => "a table".into(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::schema::json_schema;
    use super::*;

    fn findings(source: &str) -> Findings {
        check(source, DeTable::parse(source).unwrap().get_ref(), &json_schema())
    }

    #[test]
    fn unknown_keys_get_a_line_and_a_suggestion() {
        let cases = [
            ("\nregoins = []\n", 2, "unknown key `regoins` at the top; did you mean `regions`?"),
            (
                "[idle]\nprest = 'x'",
                2,
                "unknown key `prest` in `idle`; did you mean `idle.preset`?",
            ),
            ("preset = 'x'", 1, "unknown key `preset` at the top; did you mean `idle.preset`?"),
            ("zebra = 1", 1, "unknown key `zebra` at the top; it has no effect"),
            (
                "[[accounts]]\nname='a'\nrole='b'",
                3,
                "unknown key `role` in `accounts[0]`; it has no effect",
            ),
            (
                "[views.hot]\nfilters = 'x'",
                2,
                "unknown key `filters` in `views.hot`; did you mean `views.hot.filter`?",
            ),
        ];
        for (source, line, text) in cases {
            let found = findings(source);
            assert_eq!(found.unknown, [(line, text.to_owned())], "{source}");
            assert!(found.wrong.is_empty(), "{source}: {:?}", found.wrong);
        }
    }

    #[test]
    fn wrong_values_say_what_is_accepted() {
        let cases = [
            (
                "profiles = 'prod'",
                1,
                "`profiles` is the string \"prod\"; accepted: a list of strings",
            ),
            ("profiles = ['a', 3]", 1, "`profiles[1]` is the number 3; accepted: a string"),
            ("profiles = [\n'a',\n3]", 3, "`profiles[1]` is the number 3; accepted: a string"),
            (
                "regions = 'every'",
                1,
                "`regions` is the string \"every\"; accepted: `all` or a list of strings",
            ),
            (
                "[ui]\nsymbols = 'emoji'",
                2,
                "`ui.symbols` is the string \"emoji\"; accepted: one of `auto`, `unicode`, `ascii`",
            ),
            ("[ui]\nmouse = 1", 2, "`ui.mouse` is the number 1; accepted: true or false"),
            (
                "[own_cost]\ncap_usd_per_day = nan",
                2,
                "`own_cost.cap_usd_per_day` is the number nan; accepted: a number from 0 to 10000",
            ),
            (
                "[own_cost]\ncap_usd_per_day = -1",
                2,
                "`own_cost.cap_usd_per_day` is the number -1; accepted: a number from 0 to 10000",
            ),
            (
                "[cache]\nmax_mb = 1.5",
                2,
                "`cache.max_mb` is the number 1.5; accepted: a whole number from 16 to 1048576",
            ),
            ("idle = 3", 1, "`idle` is the number 3; accepted: a table"),
            ("[[accounts]]\nproduction = true", 1, "`accounts[0].name` is missing"),
        ];
        for (source, line, text) in cases {
            assert_eq!(findings(source).wrong, [(line, text.to_owned())], "{source}");
        }
    }

    #[test]
    fn everything_wrong_is_reported_at_once() {
        let found = findings("profiles = 1\n[ui]\nmouse = 2\n[idle]\npreset = 3\n");
        assert_eq!(found.wrong.len(), 3);
    }

    #[test]
    fn foreign_text_is_clean() {
        let found = findings("\"a\\u001b[2J\" = 1\n[ui]\ntheme = [\"\\u202e\"]");
        assert!(!found.unknown[0].1.contains('\u{1b}'), "{found:?}");
    }

    #[test]
    fn lines_are_known_for_every_key() {
        let found =
            findings("profiles = ['a',\n'b']\n[idle]\npreset = 'x'\n[[accounts]]\nname='n'");
        for (key, line) in
            [("profiles", 1), ("profiles[1]", 2), ("idle.preset", 4), ("accounts[0].name", 6)]
        {
            assert_eq!(found.lines.get(key), Some(&line), "{key}");
        }
    }

    #[test]
    fn custom_presets_are_free_form() {
        let found = findings("[idle.presets.mine]\nbase = 'cautious'\ngpu = { percent = 3 }");
        assert_eq!((found.unknown.len(), found.wrong.len()), (0, 0), "{found:?}");
    }
}
