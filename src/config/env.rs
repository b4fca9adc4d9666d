//! The `BURNTOP_*` variables.

use std::collections::BTreeMap;

use serde_json::Value;
use toml::de::DeTable;

use super::check::check;
use super::error::{Place, Problem};
use super::file::FileConfig;
use super::schema::{alternatives, closed_keys, constants, json_schema};
use crate::domain::suggest::{like, nearest};
use crate::domain::text;

/// The environment, passed in so that tests need not change the process's own.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Env(BTreeMap<String, String>);

impl Env {
    /// The process's environment; values that are not UTF-8 are read with replacement characters.
    pub fn of_process() -> Self {
        std::env::vars_os()
            .map(|(k, v)| (k.to_string_lossy().into_owned(), v.to_string_lossy().into_owned()))
            .collect()
    }

    /// A variable that is set and not empty; `None` otherwise.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.0.get(name).map(String::as_str).filter(|v| !v.is_empty())
    }
}

impl<K: Into<String>, V: Into<String>> FromIterator<(K, V)> for Env {
    fn from_iter<I: IntoIterator<Item = (K, V)>>(iter: I) -> Self {
        Self(iter.into_iter().map(|(k, v)| (k.into(), v.into())).collect())
    }
}

/// A variable that sets a key of the file.
#[derive(Clone, Copy, Debug)]
pub struct Variable {
    /// Name of the variable.
    pub name: &'static str,
    /// The key it sets, dotted.
    pub key: &'static str,
}

/// All variables that set a key. `BURNTOP_CONFIG` (the file) and `BURNTOP_LOG` (the level of the
/// log) set none.
pub const VARIABLES: &[Variable] = &[
    Variable { name: "BURNTOP_PROFILE", key: "profiles" },
    Variable { name: "BURNTOP_REGION", key: "regions" },
    Variable { name: "BURNTOP_PRESET", key: "idle.preset" },
    Variable { name: "BURNTOP_OWN_COST_CAP", key: "own_cost.cap_usd_per_day" },
    Variable { name: "BURNTOP_CACHE_MAX_MB", key: "cache.max_mb" },
    Variable { name: "BURNTOP_CACHE_PATH", key: "cache.path" },
    Variable { name: "BURNTOP_THEME", key: "ui.theme" },
    Variable { name: "BURNTOP_SYMBOLS", key: "ui.symbols" },
    Variable { name: "BURNTOP_MOUSE", key: "ui.mouse" },
    Variable { name: "BURNTOP_COLOR", key: "ui.color" },
];

/// The file to read, by the environment.
pub const CONFIG_FILE: &str = "BURNTOP_CONFIG";
/// The level of the log.
pub const LOG_LEVEL: &str = "BURNTOP_LOG";

/// Reads the environment's layer. Lists are separated by commas. Each value goes through the same
/// schema as the file.
pub fn layer(env: &Env) -> Result<FileConfig, Vec<Problem>> {
    let mut layer = FileConfig::default();
    let mut problems = Vec::new();
    let set: Vec<(&Variable, &str)> =
        VARIABLES.iter().filter_map(|v| env.get(v.name).map(|value| (v, value))).collect();
    if set.is_empty() {
        return Ok(layer);
    }
    let schema = json_schema();
    for (variable, value) in set {
        let mut sub = &schema;
        for part in variable.key.split('.') {
            sub = &sub["properties"][part];
        }
        match read(variable.key, &toml_value(value, sub), &schema) {
            Ok(one) => layer = one.over(layer),
            Err(message) => problems.push(Problem { place: Place::Env(variable.name), message }),
        }
    }
    if problems.is_empty() { Ok(layer) } else { Err(problems) }
}

/// One key, through the schema.
fn read(key: &str, value: &toml::Value, schema: &Value) -> Result<FileConfig, String> {
    let source = format!("{key} = {value}");
    let document = DeTable::parse(&source).map_err(|e| e.message().to_owned())?;
    match check(&source, document.get_ref(), schema).wrong.into_iter().next() {
        Some((_, message)) => Err(message),
        None => toml::from_str(&source).map_err(|e| e.message().to_owned()),
    }
}

/// What a variable's text means where `schema` is wanted; a string where it means nothing better,
/// so that the schema's complaint shows the text.
fn toml_value(value: &str, schema: &Value) -> toml::Value {
    let text = || toml::Value::String(value.to_owned());
    let is_word = |s: &Value| constants(s).contains(&value.to_ascii_lowercase().as_str());
    if is_word(schema) || alternatives(schema).is_some_and(|any| any.iter().any(is_word)) {
        return toml::Value::String(value.to_ascii_lowercase());
    }
    let list = |s: &Value| s["type"] == "array";
    if list(schema) || alternatives(schema).is_some_and(|any| any.iter().any(list)) {
        let items = value.split(',').map(str::trim).filter(|s| !s.is_empty());
        return toml::Value::Array(items.map(|s| toml::Value::String(s.to_owned())).collect());
    }
    match schema["type"].as_str() {
        Some("boolean") => match value.to_ascii_lowercase().as_str() {
            "1" | "true" | "yes" | "on" => toml::Value::Boolean(true),
            "0" | "false" | "no" | "off" => toml::Value::Boolean(false),
            _ => text(),
        },
        Some("integer") => value.parse().map_or_else(|_| text(), toml::Value::Integer),
        Some("number") => value.parse().map_or_else(|_| text(), toml::Value::Float),
        _ => text(),
    }
}

/// Variables without which other accounts are reached, other rules hold or more is spent: what is
/// like one of them was meant to be it.
const PROTECTING: [&str; 4] =
    [CONFIG_FILE, "BURNTOP_PROFILE", "BURNTOP_REGION", "BURNTOP_OWN_COST_CAP"];
/// What the names of our variables begin with.
const PREFIX: &str = "BURNTOP_";

/// Environment variables with burntop's prefix that are not known.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Unknown {
    /// Most likely typing errors, and never fatal: other programs may use the prefix.
    pub odd: Vec<String>,
    /// Those that may have been meant to protect.
    pub wrong: Vec<String>,
}

/// The unknown variables, each with the nearest that is known.
pub fn unknown(env: &Env) -> Unknown {
    let names = || {
        [CONFIG_FILE, LOG_LEVEL, "BURNTOP_CI"].into_iter().chain(VARIABLES.iter().map(|v| v.name))
    };
    let mut found = Unknown::default();
    let mut closed = None;
    for name in env.0.keys().filter(|n| !names().any(|known| known == n.as_str())) {
        let plain = name.to_ascii_uppercase().replace(['-', ' '], "_");
        // The prefix itself may be misspelt.
        let bare = |s: &str| -> String { s.chars().filter(|c| c.is_alphanumeric()).collect() };
        let slip = |p: &&str| strsim::damerau_levenshtein(&bare(p), &bare(&plain)) <= 2;
        let slipped = PROTECTING.into_iter().find(slip);
        let Some(rest) = plain.strip_prefix(PREFIX) else {
            found.wrong.extend(slipped.map(|near| {
                format!("unknown variable {}; did you mean {near}?", text::clean(name))
            }));
            continue;
        };
        let short = |name: &'static str| name.strip_prefix(PREFIX).unwrap_or(name);
        let near = nearest(rest, names().map(short));
        let near = near.and_then(|near| names().find(|n| short(n) == near));
        let part =
            |p: &&'static str| rest.contains(short(p)) || rest.len() > 5 && short(p).contains(rest);
        let around = || PROTECTING.into_iter().find(part);
        let name = text::clean(name);
        let protecting = near.filter(|n| PROTECTING.contains(n)).or(slipped).or_else(around);
        let closed = closed.get_or_insert_with(|| closed_keys(&json_schema()));
        if let Some(near) = protecting {
            found.wrong.push(format!("unknown variable {name}; did you mean {near}?"));
        } else if let Some(key) = like(rest, closed.iter().map(String::as_str)) {
            found.wrong.push(format!(
                "unknown variable {name}; `{key}` is set by no variable, write it into the file"
            ));
        } else {
            found.odd.push(match near {
                Some(near) => format!("unknown variable {name}; did you mean {near}?"),
                None => format!("unknown variable {name}; it has no effect"),
            });
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::super::file::{AllWord, ColorChoice, RegionsText};
    use super::*;

    fn of(pairs: &[(&str, &str)]) -> Result<FileConfig, Vec<String>> {
        layer(&pairs.iter().copied().collect())
            .map_err(|all| all.iter().map(ToString::to_string).collect())
    }

    #[test]
    fn every_variable_sets_its_key() {
        let config = of(&[
            ("BURNTOP_PROFILE", "a, b"),
            ("BURNTOP_REGION", "all"),
            ("BURNTOP_PRESET", "mean-cpu"),
            ("BURNTOP_OWN_COST_CAP", "2"),
            ("BURNTOP_CACHE_MAX_MB", "64"),
            ("BURNTOP_CACHE_PATH", "/c/x.db"),
            ("BURNTOP_THEME", "light"),
            ("BURNTOP_SYMBOLS", "ASCII"),
            ("BURNTOP_MOUSE", "off"),
            ("BURNTOP_COLOR", "never"),
        ])
        .unwrap();
        assert_eq!(config.profiles.unwrap(), ["a", "b"]);
        assert_eq!(config.regions.unwrap(), RegionsText::All(AllWord::All));
        assert_eq!(config.idle.preset.unwrap(), "mean-cpu");
        assert_eq!(config.own_cost.cap_usd_per_day, Some(2.0));
        assert_eq!(config.cache.max_mb, Some(64));
        assert_eq!(config.cache.path.unwrap().to_str(), Some("/c/x.db"));
        assert_eq!(config.ui.theme.unwrap(), "light");
        assert_eq!(config.ui.symbols, Some(super::super::SymbolChoice::Ascii));
        assert_eq!(config.ui.mouse, Some(false));
        assert_eq!(config.ui.color, Some(ColorChoice::Never));
        assert_eq!(VARIABLES.len(), 10, "the list above covers all of them");
    }

    #[test]
    fn values_that_cannot_be_used_name_the_variable() {
        let cases = [
            (
                "BURNTOP_OWN_COST_CAP",
                "lots",
                "`own_cost.cap_usd_per_day` is the string \"lots\"; accepted: a number from 0 to 10000",
            ),
            (
                "BURNTOP_OWN_COST_CAP",
                "NaN",
                "`own_cost.cap_usd_per_day` is the number nan; accepted: a number from 0 to 10000",
            ),
            (
                "BURNTOP_CACHE_MAX_MB",
                "5",
                "`cache.max_mb` is the number 5; accepted: a whole number from 16 to 1048576",
            ),
            (
                "BURNTOP_MOUSE",
                "maybe",
                "`ui.mouse` is the string \"maybe\"; accepted: true or false",
            ),
            (
                "BURNTOP_COLOR",
                "sometimes",
                "`ui.color` is the string \"sometimes\"; accepted: one of `auto`, `always`, `never`",
            ),
        ];
        for (name, value, message) in cases {
            assert_eq!(of(&[(name, value)]).unwrap_err(), [format!("{name}: {message}")]);
        }
    }

    #[test]
    fn empty_variables_are_not_set() {
        assert_eq!(of(&[("BURNTOP_PRESET", "")]).unwrap(), FileConfig::default());
    }

    #[test]
    fn regions_are_a_list_or_all() {
        let regions = of(&[("BURNTOP_REGION", "us-east-1,eu-west-1")]).unwrap().regions;
        assert_eq!(regions, Some(RegionsText::List(vec!["us-east-1".into(), "eu-west-1".into()])));
    }

    #[test]
    fn unknown_variables_are_named() {
        let env: Env =
            [("BURNTOP_PRSET", "x"), ("BURNTOP_LOG", "debug"), ("HOME", "/")].into_iter().collect();
        let found = unknown(&env);
        assert_eq!(found.odd, ["unknown variable BURNTOP_PRSET; did you mean BURNTOP_PRESET?"]);
        assert!(found.wrong.is_empty());
    }

    #[test]
    fn a_variable_that_may_have_been_meant_to_protect_is_wrong() {
        for (name, says) in [
            ("BURNTOP_CONFG", "BURNTOP_CONFIG?"),
            ("BURNTOP_CONFIG_FILE", "BURNTOP_CONFIG?"),
            ("burntop_config", "BURNTOP_CONFIG?"),
            ("BRUNTOP_CONFIG", "BURNTOP_CONFIG?"),
            ("BURNTOP_PROFILES", "BURNTOP_PROFILE?"),
            ("BURNTOP_AWS_REGION", "BURNTOP_REGION?"),
            ("BURNTOP_OWN_COST", "BURNTOP_OWN_COST_CAP?"),
            ("BURNTOP_READ_ONLY", "`read_only`"),
            ("BURNTOP_READONLY", "`read_only`"),
            ("BURNTOP_MAX_INSTANCE", "`max_instances`"),
            ("BURNTOP_ACTIONS_MAX_INSTANCES", "`max_instances`"),
            ("BURNTOP_ALLOW_ACTIONS", "`allow_actions`"),
        ] {
            let found = unknown(&[(name, "1")].into_iter().collect());
            assert!(found.odd.is_empty() && found.wrong.len() == 1, "{name}: {found:?}");
            assert!(found.wrong[0].contains(says), "{name}: {found:?}");
        }
        let others = ["BURNTOP_TEST_CACHE", "BURNTOP_KILLS", "BURNTOP_TRIALS", "BURNTOP_TEST_JOB"];
        let others: Env =
            others.into_iter().chain(["HOME", "AWS_PROFILE"]).map(|n| (n, "1")).collect();
        assert_eq!(unknown(&others).wrong, Vec::<String>::new());
    }
}
