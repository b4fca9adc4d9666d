//! Dashboard, alert rules and reference name what there is.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use super::super::families::ALL;
use super::super::family::Kind;
use super::*;

const DASHBOARD: &str = include_str!("../../../../assets/grafana/burntop.json");
const RULES: &str = include_str!("../../../../assets/prometheus/burntop.rules.yml");
const PAGE: &str = include_str!("../../../../docs/watch-metrics.md");

/// Names of ours in a text.
fn names(text: &str) -> BTreeSet<&str> {
    let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let words = text.split(|c| !is_name(c));
    words.filter(|word| word.starts_with("burntop_")).collect()
}

/// All expressions of the dashboard, those of variables too.
fn expressions() -> Vec<String> {
    fn walk(value: &serde_json::Value, out: &mut Vec<String>) {
        match value {
            serde_json::Value::Object(fields) => {
                for (name, value) in fields {
                    match value.as_str().filter(|_| ["expr", "query"].contains(&&**name)) {
                        Some(text) => out.push(text.to_owned()),
                        None => walk(value, out),
                    }
                }
            }
            serde_json::Value::Array(items) => items.iter().for_each(|item| walk(item, out)),
            _ => {}
        }
    }
    let mut out = Vec::new();
    walk(&serde_json::from_str(DASHBOARD).unwrap(), &mut out);
    out
}

fn unknown(text: &str) -> Vec<&str> {
    names(text).into_iter().filter(|name| named(name).is_none()).collect()
}

#[test]
fn the_dashboard_asks_for_families_that_there_are_and_each_panel_for_some() {
    let all = expressions();
    assert!(all.len() >= 10, "{all:?}");
    for expression in &all {
        assert_eq!(unknown(expression), [""; 0], "{expression}");
    }
    let json: serde_json::Value = serde_json::from_str(DASHBOARD).unwrap();
    let panels: Vec<&serde_json::Value> =
        json["panels"].as_array().unwrap().iter().filter(|panel| panel["type"] != "row").collect();
    assert!(panels.len() >= 10, "{}", panels.len());
    for panel in panels {
        let targets = panel["targets"].as_array().unwrap();
        let asks = targets.iter().all(|of| !names(of["expr"].as_str().unwrap()).is_empty());
        assert!(asks && !targets.is_empty(), "{}", panel["title"]);
        assert_eq!(panel["datasource"]["uid"], "${datasource}", "{}", panel["title"]);
    }
}

#[test]
fn labels_that_the_dashboard_and_the_rules_use_are_labels_of_a_family() {
    let known: BTreeSet<&str> = ALL.iter().flat_map(|family| family.labels).copied().collect();
    // What Prometheus itself and alerts add.
    let known: BTreeSet<&str> = known.into_iter().chain(["instance", "job", "severity"]).collect();
    for text in expressions().iter().map(String::as_str).chain([RULES]) {
        for (at, _) in text.match_indices("by (") {
            let inside = text[at + 4..].split(')').next().unwrap();
            for label in inside.split(',').map(str::trim) {
                assert!(known.contains(label), "{label} in {text}");
            }
        }
    }
}

#[test]
fn the_rules_ask_for_families_that_there_are() {
    assert!(names(RULES).len() >= 8, "{:?}", names(RULES));
    assert_eq!(unknown(RULES), [""; 0]);
}

#[test]
fn the_reference_has_a_row_per_family_in_the_order_of_the_page() {
    let mut table = String::new();
    for family in ALL {
        let labels = match family.labels {
            [] => "–".to_owned(),
            labels => labels.iter().map(|l| format!("`{l}`")).collect::<Vec<_>>().join(", "),
        };
        let kind = family.kind.word();
        let _ = writeln!(
            table,
            "| `{}` | {kind} | {labels} | {} | {} |",
            family.name, family.unit, family.help
        );
    }
    assert!(PAGE.contains(&table), "the table should be:\n{table}");
    let rows = PAGE.lines().filter(|line| line.starts_with("| `burntop_")).count();
    assert_eq!(rows, ALL.len(), "and no other row");
    assert_eq!(unknown(PAGE), [""; 0]);
}

#[test]
fn names_follow_the_rules_of_prometheus() {
    let mut seen = BTreeSet::new();
    for family in ALL {
        let name = family.name;
        assert!(seen.insert(name), "{name} is there twice");
        assert!(name.starts_with("burntop_"), "{name}");
        assert!(name.bytes().all(|b| b.is_ascii_lowercase() || b == b'_'), "{name}");
        assert_eq!(name.ends_with("_total"), family.kind == Kind::Counter, "{name}");
        for ending in ["_count", "_sum", "_bucket"] {
            assert!(!name.ends_with(ending), "{name}");
        }
        assert!(
            family
                .labels
                .iter()
                .all(|label| !["le", "quantile", "job", "instance"].contains(label))
        );
        for (ending, unit) in [
            ("_seconds", "seconds"),
            ("_ratio", "0–1"),
            ("_usd_per_hour", "USD/h"),
            ("_usd", "USD"),
        ] {
            assert!(
                !name.ends_with(ending) || family.unit.starts_with(unit),
                "{name}: {}",
                family.unit
            );
        }
        assert!(!family.help.contains(['\n', '\\', '|']) && family.help.ends_with('.'), "{name}");
    }
}
