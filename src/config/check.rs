//! A TOML document against the JSON schema: every unknown key and every wrong type, with lines.
//!
//! An unknown key is odd and no more, except where a rule that protects may be lost with it: in a
//! table that the schema closes, where it is like a key of such a table (misspelt, or in the wrong
//! place), and where it is not ASCII, as no key is. Those are wrong.

use std::collections::BTreeMap;

use serde_json::Value;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::schema::{accepted, alternatives, closed_keys, constants, key_paths, properties};
use crate::domain::suggest::{like, nearest};
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
        closed: closed_keys(schema),
        beside_secret: false,
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
    /// Keys of the tables that the schema closes, and of these tables.
    closed: Vec<String>,
    /// True in a table that has a key for a secret, which may have been put at any other of its
    /// keys: no value is repeated there.
    beside_secret: bool,
    found: Findings,
}

impl Walk {
    fn line(&self, offset: usize) -> usize {
        1 + self.newlines.partition_point(|n| *n < offset)
    }

    fn table(&mut self, path: &str, table: &DeTable<'_>, schema: &Value) {
        let known = properties(schema);
        let outside = self.beside_secret;
        self.beside_secret |= known.is_some_and(|k| k.values().any(|s| s["writeOnly"] == true));
        let free = &schema["additionalProperties"];
        // A schema that says nothing accepts everything below it.
        let open = known.is_none() && free.is_null() || *free == Value::Bool(true);
        for (key, value) in table {
            let name: &str = key.get_ref();
            let line = self.line(key.span().start);
            let full = join(path, name);
            match known.and_then(|k| k.get(name)) {
                Some(sub) => self.value(&full, line, value, sub),
                None if free.is_object() && self.is_misplaced(name, value.get_ref()) => {
                    let text = self.unknown_text(path, name, known, false);
                    self.found.wrong.push((line, text));
                }
                None if free.is_object() || open => {
                    self.value(&full, line, value, free);
                }
                None => {
                    let is_closed = *free == Value::Bool(false);
                    let text = self.unknown_text(path, name, known, is_closed);
                    match self.below(value.get_ref()) {
                        _ if is_closed || self.may_protect(name) => {
                            self.found.wrong.push((line, text));
                        }
                        Some((below, suggestion)) => {
                            let text = format!(
                                "{text}, nor has `{below}` in it; did you mean `{suggestion}`?"
                            );
                            self.found.wrong.push((line, text));
                        }
                        None => self.found.unknown.push((line, text)),
                    }
                }
            }
            self.found.lines.insert(full, line);
        }
        for missing in required(schema).filter(|r| !table.keys().any(|k| k.get_ref() == r)) {
            let line = self.found.lines.get(path).copied().unwrap_or(1);
            self.found.wrong.push((line, format!("`{}` is missing", join(path, missing))));
        }
        self.beside_secret = outside;
    }

    /// True when an unknown key may have been meant for a table that is closed, or name one.
    fn may_protect(&self, name: &str) -> bool {
        // A file without such tables has nothing to lose.
        !self.closed.is_empty() && (!name.is_ascii() || self.like(name).is_some())
    }

    /// True for a key of a closed table among names that are free. Words that may well be such a
    /// name are not taken for one.
    fn is_misplaced(&self, name: &str, value: &DeValue<'_>) -> bool {
        let is_it = |key: &String| key.contains('_') && key.eq_ignore_ascii_case(name);
        !value.is_table() && self.closed.iter().any(is_it)
    }

    /// A key below an unknown one that may have been meant for a table that is closed, and where
    /// that would stand.
    fn below(&self, value: &DeValue<'_>) -> Option<(String, String)> {
        match value {
            DeValue::Table(table) => table.iter().find_map(|(key, value)| {
                let name: &str = key.get_ref();
                let found = self.may_protect(name).then(|| {
                    let suggestion = self.like(name).and_then(|like| self.whole(like));
                    (
                        text::clean(name).into_owned(),
                        suggestion.unwrap_or("an ASCII key").to_owned(),
                    )
                });
                found.or_else(|| self.below(value.get_ref()))
            }),
            DeValue::Array(items) => items.iter().find_map(|item| self.below(item.get_ref())),
            _ => None,
        }
    }

    /// The dotted path of a key of a closed table.
    fn whole(&self, key: &str) -> Option<&str> {
        self.all_keys.iter().map(String::as_str).find(|k| k.rsplit('.').next() == Some(key))
    }

    /// The key of a closed table that `name` is like.
    fn like(&self, name: &str) -> Option<&str> {
        like(name, self.closed.iter().map(String::as_str))
    }

    fn unknown_text(
        &self,
        path: &str,
        name: &str,
        known: Option<&serde_json::Map<String, Value>>,
        is_closed: bool,
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
        let hint = hint.or_else(|| self.whole(self.like(name)?).map(str::to_owned));
        let name = text::clean(name);
        let known: Vec<String> =
            known.into_iter().flat_map(|k| k.keys().map(|key| format!("`{key}`"))).collect();
        match hint {
            Some(hint) => format!("unknown key `{name}` {place}; did you mean `{hint}`?"),
            None if is_closed => {
                format!("unknown key `{name}` {place}; accepted: {}", known.join(", "))
            }
            None => format!("unknown key `{name}` {place}; it has no effect"),
        }
    }

    fn value(&mut self, path: &str, line: usize, value: &Spanned<DeValue<'_>>, schema: &Value) {
        self.found.lines.insert(path.to_owned(), line);
        if !fits(value.get_ref(), schema) {
            let text = format!(
                "`{}` is {}; accepted: {}",
                text::clean(path),
                describe(value.get_ref(), !self.beside_secret),
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

/// What stands there, in words; its text only where it `may_be_shown`.
fn describe(value: &DeValue<'_>, may_be_shown: bool) -> String {
    match value {
        DeValue::String(s) if may_be_shown => format!("the string \"{}\"", text::clean(s)),
        DeValue::Integer(i) if may_be_shown => format!("the number {}", text::clean(i.as_str())),
        DeValue::Float(f) if may_be_shown => format!("the number {}", text::clean(f.as_str())),
        DeValue::String(_) => "a string".into(),
        DeValue::Integer(_) | DeValue::Float(_) => "a number".into(),
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
    fn an_unknown_key_is_wrong_where_a_rule_that_protects_may_be_lost_with_it() {
        let cases = [
            (
                "[[accounts]]\nname='a'\nreadonly=true",
                3,
                "unknown key `readonly` in `accounts[0]`; did you mean `accounts[0].read_only`?",
            ),
            (
                "[[accounts]]\nname='a'\npin=true",
                3,
                "unknown key `pin` in `accounts[0]`; accepted: `name`, `profile`, `role_arn`, \
                 `external_id`, `account_id`, `regions`, `production`, `read_only`, `allow_actions`",
            ),
            (
                "[actions]\nmax_instance = 1",
                2,
                "unknown key `max_instance` in `actions`; did you mean `actions.max_instances`?",
            ),
            (
                "[actions]\nread_only_tag = ['a=b']",
                2,
                "unknown key `read_only_tag` in `actions`; did you mean `actions.read_only_tags`?",
            ),
            (
                "[actions]\nread_only = true",
                2,
                "unknown key `read_only` in `actions`; did you mean `accounts.read_only`?",
            ),
            (
                "read_only = true",
                1,
                "unknown key `read_only` at the top; did you mean `accounts.read_only`?",
            ),
            ("[Actions]", 1, "unknown key `Actions` at the top; did you mean `actions`?"),
            (
                "[[account]]\nname='a'",
                1,
                "unknown key `account` at the top; did you mean `accounts`?",
            ),
            (
                "[tags]\nenviroment = ['stage']",
                2,
                "unknown key `enviroment` in `tags`; did you mean `tags.environment`?",
            ),
            (
                "[ui]\nproducton = true",
                2,
                "unknown key `producton` in `ui`; did you mean `accounts.production`?",
            ),
            (
                "[storage.inventories]\naccount_id = '123456789012'",
                2,
                "unknown key `account_id` in `storage.inventories`; did you mean \
                 `accounts.account_id`?",
            ),
            (
                "[limits]\nmax_instances = 1",
                1,
                "unknown key `limits` at the top; it has no effect, nor has `max_instances` in it; \
                 did you mean `actions.max_instances`?",
            ),
            (
                "[[clusters]]\n[clusters.rules]\nread_only = true",
                1,
                "unknown key `clusters` at the top; it has no effect, nor has `read_only` in it; \
                 did you mean `accounts.read_only`?",
            ),
            (
                "\"\u{0430}ctions\" = 1",
                1,
                "unknown key `\u{0430}ctions` at the top; did you mean `actions`?",
            ),
        ];
        for (source, line, text) in cases {
            let found = findings(source);
            assert_eq!(found.wrong, [(line, text.to_owned())], "{source}");
            assert!(found.unknown.is_empty(), "{source}: {:?}", found.unknown);
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
