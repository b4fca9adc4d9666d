//! What protects, misspelt, mangled and misplaced: either the file is refused, or the rule holds.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;
use toml::de::DeTable;

use super::check::check;
use super::env::{self, Env};
use super::resolve::{Layer, Origin, resolve};
use super::schema::{json_schema, properties};
use super::{Config, Vocabulary};
use crate::cli::words::vocabulary;

/// What a reader of files does, with the schema made once; `None` where the file is refused.
struct Reader {
    schema: Value,
    words: Vocabulary,
}

impl Reader {
    fn new() -> Self {
        // Which profiles this machine has is nothing to these files.
        Self { schema: json_schema(), words: Vocabulary { profiles: None, ..vocabulary() } }
    }

    fn read(&self, source: &str) -> Option<Config> {
        let (table, errors) = DeTable::parse_recoverable(source);
        if !errors.is_empty() || !check(source, table.get_ref(), &self.schema).wrong.is_empty() {
            return None;
        }
        let value = toml::from_str(source).unwrap();
        let origin = Origin::File("c.toml".into());
        resolve(vec![Layer { value, origin, lines: BTreeMap::new() }], &self.words).ok()
    }
}

/// A rule that protects: the table it stands in, its key and value, and whether a configuration
/// has it.
type Rule = (&'static str, &'static str, &'static str, fn(&Config) -> bool);

fn entry(config: &Config, is: fn(&super::Target) -> bool) -> bool {
    config.targets.iter().any(|t| t.label == "prod" && is(t))
}

const RULES: &[Rule] = &[
    ("accounts", "read_only", "true", |c| entry(c, |t| t.read_only)),
    ("accounts", "production", "true", |c| entry(c, |t| t.production)),
    ("accounts", "account_id", "'123456789012'", |c| entry(c, |t| t.account_id.is_some())),
    ("actions", "max_instances", "1", |c| c.actions.max_instances == 1),
    ("actions", "max_fleet_percent", "1.5", |c| c.actions.max_fleet_percent < 2.0),
    ("actions", "max_usd_per_hour", "7", |c| c.actions.max_usd_per_hour.is_some()),
    ("actions", "plan_valid_hours", "1", |c| c.actions.plan_valid_hours == 1),
    ("actions", "approval_valid_hours", "2", |c| c.actions.approval_valid_hours == 2),
    ("actions", "recheck_minutes", "30", |c| c.actions.recheck_minutes == 30),
    ("actions", "min_age_hours", "96", |c| c.actions.min_age_hours == 96),
    ("actions", "max_evidence_hours", "3", |c| c.actions.max_evidence_hours == 3),
    ("actions", "read_only_accounts", "['123456789012']", |c| {
        !c.actions.read_only_accounts.is_empty()
    }),
    ("actions", "production_accounts", "['123456789012']", |c| {
        !c.actions.production_accounts.is_empty()
    }),
    ("actions", "read_only_tags", "['pin=yes']", |c| !c.actions.read_only_tags.is_empty()),
    ("actions", "production_tags", "['tier=gold']", |c| !c.actions.production_tags.is_empty()),
    ("actions", "audit_copy", "'/mnt/audit'", |c| c.actions.audit_copy.is_some()),
    ("actions", "approval_kms_key", "'arn:aws:kms:eu-west-1:123456789012:key/k'", |c| {
        c.actions.approval_kms_key.is_some()
    }),
    ("tags", "environment", "['landscape']", |c| c.tag_keys.environment == ["landscape"]),
    ("own_cost", "cap_usd_per_day", "0", |c| c.own_cost_cap_usd_per_day < 0.5),
];

/// A file with one rule: the head of its table and the line.
fn file(head: &str, line: &str) -> String {
    let name = if head.to_lowercase().contains("acc") { "name = 'prod'\n" } else { "" };
    format!("{head}\n{name}{line}\n")
}

fn head(table: &str) -> String {
    if table == "accounts" { "[[accounts]]".into() } else { format!("[{table}]") }
}

/// One and two slips of the hand, other spellings, and letters that look the same.
fn slips(word: &str) -> BTreeSet<String> {
    let letters: Vec<char> = word.chars().collect();
    let without = |at: usize| -> Vec<char> {
        letters.iter().enumerate().filter(|(i, _)| *i != at).map(|(_, c)| *c).collect()
    };
    let mut out: Vec<Vec<char>> = Vec::new();
    for at in 0..letters.len() {
        out.push(without(at));
        let mut twice = without(at);
        twice.remove(at * 7 % twice.len());
        out.push(twice);
        for c in ['x', 'e', '_', '-', '1', '\u{430}', '\u{200b}'] {
            let mut other = letters.clone();
            other[at] = c;
            out.push(other);
            let mut more = letters.clone();
            more.insert(at, c);
            out.push(more);
        }
        let mut upper = letters.clone();
        upper[at] = upper[at].to_ascii_uppercase();
        out.push(upper);
        if at > 0 {
            let mut swapped = letters.clone();
            swapped.swap(at - 1, at);
            out.push(swapped.clone());
            swapped.pop();
            out.push(swapped);
        }
    }
    let words = [
        word.to_uppercase(),
        word.replace('_', "-"),
        word.replace('_', ""),
        word.replace('_', " "),
        format!("{word}s"),
        format!("{word} "),
        format!(" {word}"),
        format!("{word}\u{a0}"),
        word.trim_end_matches('s').to_owned(),
        word.split('_').map(|w| w[..1].to_uppercase() + &w[1..]).collect::<String>(),
        word.replace('a', "\u{430}").replace('e', "\u{435}").replace('o', "\u{43e}"),
        word.replace('c', "\u{441}").replace('i', "\u{456}").replace('p', "\u{440}"),
        word.chars().map(|c| char::from_u32(c as u32 + 0xfee0).unwrap_or(c)).collect(),
    ];
    let mut all: BTreeSet<String> = out.into_iter().map(String::from_iter).chain(words).collect();
    all.remove(word);
    all.remove("");
    all
}

fn quoted(key: &str) -> String {
    let bare = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    if key.chars().all(bare) { key.to_owned() } else { format!("\"{key}\"") }
}

#[test]
fn the_rules_are_all_there_are_and_hold_as_they_stand() {
    let reader = Reader::new();
    for (table, key, value, holds) in RULES {
        let config = reader.read(&file(&head(table), &format!("{key} = {value}"))).unwrap();
        assert!(holds(&config), "{key}");
        assert!(!holds(&reader.read(&file(&head(table), "")).unwrap()), "{key} by default");
    }
    for key in properties(&reader.schema["properties"]["actions"]).unwrap().keys() {
        assert!(RULES.iter().any(|(table, k, ..)| *table == "actions" && k == key), "{key}");
    }
}

#[test]
fn a_misspelt_key_that_protects_is_refused() {
    let reader = Reader::new();
    let mut inputs = 0_u32;
    for (table, key, value, holds) in RULES {
        for slip in slips(key) {
            inputs += 1;
            let source = file(&head(table), &format!("{} = {value}", quoted(&slip)));
            let config = reader.read(&source);
            assert!(config.is_none_or(|c| holds(&c)), "{source}");
        }
    }
    println!("hostile: misspelt keys: {inputs} inputs");
    assert!(inputs >= 3_000, "{inputs}");
}

#[test]
fn a_misspelt_table_that_protects_is_refused() {
    let reader = Reader::new();
    let mut inputs = 0_u32;
    for (table, key, value, holds) in RULES.iter().filter(|r| r.0 != "tags" || r.1.len() > 4) {
        for slip in slips(table) {
            for head in [format!("[{}]", quoted(&slip)), format!("[[{}]]", quoted(&slip))] {
                inputs += 1;
                let source = format!("{head}\nname = 'prod'\n{key} = {value}\n");
                let config = reader.read(&source);
                assert!(config.is_none_or(|c| holds(&c)), "{source}");
            }
        }
    }
    println!("hostile: misspelt tables: {inputs} inputs");
    assert!(inputs >= 3_000, "{inputs}");
}

#[test]
fn a_key_that_protects_in_another_table_is_refused() {
    let reader = Reader::new();
    let tables = properties(&reader.schema).unwrap().keys().map(String::as_str);
    let mut heads: Vec<String> =
        tables.flat_map(|t| [format!("[{t}]"), format!("[[{t}]]")]).collect();
    heads.extend(
        [
            "",
            "[idle.presets]",
            "[idle.presets.mine]",
            "[views.hot]",
            "[storage.inventories]",
            "[gpus.workload]",
            "[gpus.aliases]",
            "[gpus.teams]",
            "[[gpus.prometheus]]",
            "[limits]",
            "[a.b.c]",
            "[[a.b]]",
            "[accounts.prod]",
            "[actions.prod]",
            "[tags.actions]",
            "[production]",
            "[[spot.rules]]",
            "[defaults.actions]",
        ]
        .map(str::to_owned),
    );
    let mut inputs = 0_u32;
    for (table, key, value, holds) in RULES {
        for place in heads.iter().filter(|h| **h != head(table)) {
            for line in [
                format!("{key} = {value}"),
                format!("{table} = {{ {key} = {value} }}"),
                format!("deep = [{{ {key} = {value} }}]"),
            ] {
                inputs += 1;
                let source = format!("{place}\n{line}\n");
                let config = reader.read(&source);
                assert!(config.is_none_or(|c| holds(&c)), "{source}");
            }
        }
    }
    println!("hostile: keys in other tables: {inputs} inputs");
    assert!(inputs >= 2_000, "{inputs}");
}

#[test]
fn a_value_of_another_kind_is_refused() {
    const VALUES: [&str; 26] = [
        "'true'",
        "'yes'",
        "'1'",
        "1",
        "0",
        "-1",
        "1.5",
        "nan",
        "inf",
        "[]",
        "['']",
        "[1]",
        "[true]",
        "['=']",
        "['a=']",
        "['=b']",
        "['1234']",
        "[' 123456789012']",
        "['１23456789012']",
        "[['123456789012']]",
        "{}",
        "{ a = 1 }",
        "1979-05-27",
        "''",
        "99999999999999999999",
        "TRUE",
    ];
    let reader = Reader::new();
    let mut inputs = 0_u32;
    for (table, key, value, holds) in RULES {
        for other in VALUES {
            inputs += 1;
            let source = file(&head(table), &format!("{key} = {other}"));
            let Some(config) = reader.read(&source) else { continue };
            // What passes is of the right kind: it says what it says.
            let fits = match *value {
                "true" => false,
                number if number.parse::<f64>().is_ok() => other.parse::<f64>().is_ok(),
                list if list.starts_with('[') => other == "[]" || *table == "tags",
                _ => false,
            };
            assert!(fits || holds(&config), "{source}");
        }
        // Given twice, or for an entry of one name twice.
        for again in [
            format!("{key} = {value}\n{key} = {value}"),
            format!("{key} = {value}\n[[accounts]]\nname = 'prod'"),
            format!("{key} = {value}\n{} = {value}", key.to_uppercase()),
        ] {
            inputs += 1;
            let source = file(&head(table), &again);
            let config = reader.read(&source);
            assert!(config.is_none_or(|c| holds(&c)), "{source}");
        }
    }
    println!("hostile: values of another kind: {inputs} inputs");
    assert!(inputs >= 500, "{inputs}");
}

#[test]
fn a_misspelt_variable_that_protects_is_refused() {
    let mut inputs = 0_u32;
    for name in ["BURNTOP_CONFIG", "BURNTOP_PROFILE", "BURNTOP_REGION", "BURNTOP_OWN_COST_CAP"] {
        // Nobody types a name of which no letter is his keyboard's.
        for slip in slips(name).into_iter().filter(|s| s.chars().any(|c| c.is_ascii())) {
            inputs += 1;
            let found = env::unknown(&Env::from_iter([(slip.clone(), "x")]));
            assert_eq!((found.wrong.len(), found.odd.len()), (1, 0), "{slip}: {found:?}");
        }
    }
    println!("hostile: misspelt variables: {inputs} inputs");
    assert!(inputs >= 900, "{inputs}");
}
