//! The licence audit: every crate in the tree may be used under the lists of `deny.toml`.
//!
//! Runs without any tool beside cargo, so it runs always.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test fails by panicking")]

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Command;

/// What `deny.toml` allows.
struct Policy {
    allow: BTreeSet<String>,
    exceptions: BTreeMap<String, BTreeSet<String>>,
}

impl Policy {
    fn read() -> Self {
        let text = std::fs::read_to_string(root().join("deny.toml")).unwrap();
        let file: toml::Table = toml::from_str(&text).unwrap();
        let licenses = &file["licenses"];
        let words = |v: &toml::Value| -> BTreeSet<String> {
            v.as_array().unwrap().iter().map(|w| w.as_str().unwrap().to_owned()).collect()
        };
        let exceptions = licenses["exceptions"].as_array().unwrap();
        Self {
            allow: words(&licenses["allow"]),
            exceptions: exceptions
                .iter()
                .map(|e| (e["crate"].as_str().unwrap().to_owned(), words(&e["allow"])))
                .collect(),
        }
    }

    fn allows(&self, name: &str, expression: &str) -> bool {
        let exception = self.exceptions.get(name);
        satisfied(expression, &|licence| {
            self.allow.contains(licence) || exception.is_some_and(|e| e.contains(licence))
        })
    }
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// True when `allowed` satisfies an SPDX expression (`AND` binds tighter than `OR`; the `/` of old
/// manifests means `OR`). What cannot be read is not satisfied.
fn satisfied(expression: &str, allowed: &dyn Fn(&str) -> bool) -> bool {
    let spaced = expression.replace('(', " ( ").replace(')', " ) ").replace('/', " OR ");
    let tokens: Vec<&str> = spaced.split_whitespace().collect();
    let mut at = 0;
    let value = any(&tokens, &mut at, allowed);
    value == Some(true) && at == tokens.len()
}

fn any(tokens: &[&str], at: &mut usize, allowed: &dyn Fn(&str) -> bool) -> Option<bool> {
    let mut value = all(tokens, at, allowed)?;
    while tokens.get(*at) == Some(&"OR") {
        *at += 1;
        value |= all(tokens, at, allowed)?;
    }
    Some(value)
}

fn all(tokens: &[&str], at: &mut usize, allowed: &dyn Fn(&str) -> bool) -> Option<bool> {
    let mut value = one(tokens, at, allowed)?;
    while tokens.get(*at) == Some(&"AND") {
        *at += 1;
        value &= one(tokens, at, allowed)?;
    }
    Some(value)
}

fn one(tokens: &[&str], at: &mut usize, allowed: &dyn Fn(&str) -> bool) -> Option<bool> {
    let token = *tokens.get(*at)?;
    *at += 1;
    if token == "(" {
        let value = any(tokens, at, allowed)?;
        let closed = tokens.get(*at) == Some(&")");
        *at += 1;
        return closed.then_some(value);
    }
    if [")", "AND", "OR", "WITH"].contains(&token) {
        return None;
    }
    if tokens.get(*at) == Some(&"WITH") {
        let exception = tokens.get(*at + 1)?;
        *at += 2;
        return Some(allowed(&format!("{token} WITH {exception}")));
    }
    Some(allowed(token))
}

/// Name and licence of every crate that is built, on the platforms given to cargo.
fn tree(arguments: &[&str]) -> Option<BTreeMap<String, String>> {
    let output = Command::new(env!("CARGO"))
        .current_dir(root())
        .args(["tree", "--locked", "--prefix", "none", "--format", "{p}\t{l}"])
        .args(["--edges", "normal,build,dev", "--no-dedupe"])
        .args(arguments)
        .output()
        .unwrap();
    if !output.status.success() {
        eprintln!("{}", String::from_utf8_lossy(&output.stderr));
        return None;
    }
    let text = String::from_utf8(output.stdout).unwrap();
    Some(
        text.lines()
            .filter_map(|line| line.split_once('\t'))
            .map(|(package, licence)| (package.to_owned(), licence.to_owned()))
            .collect(),
    )
}

#[test]
fn every_dependency_may_be_used() {
    // The sources of other platforms' crates may not be on this machine: cargo fetches them where
    // it can; where it cannot, this machine's own tree is what is audited.
    let crates = tree(&["--target", "all", "--offline"])
        .or_else(|| tree(&["--target", "all"]))
        .or_else(|| {
            eprintln!("licence audit: crates of other platforms cannot be had; this one's alone");
            tree(&["--offline"])
        })
        .expect("cargo lists the dependencies");
    assert!(crates.len() > 100, "only {} crates listed", crates.len());
    let policy = Policy::read();
    let refused: Vec<String> = crates
        .iter()
        .filter(|(package, licence)| {
            !policy.allows(package.split(' ').next().unwrap_or_default(), licence)
        })
        .map(|(package, licence)| format!("{package}: {licence}"))
        .collect();
    assert!(refused.is_empty(), "not allowed by deny.toml:\n{}", refused.join("\n"));
}

#[test]
fn expressions_are_read_as_spdx_means_them() {
    let mit = |l: &str| l == "MIT";
    let cases = [
        ("MIT", true),
        ("Apache-2.0", false),
        ("Apache-2.0 OR MIT", true),
        ("Apache-2.0/MIT", true),
        ("MIT AND ISC", false),
        ("MIT OR GPL-3.0 AND ISC", true),
        ("(MIT OR GPL-3.0) AND ISC", false),
        ("ISC AND (GPL-3.0 OR MIT) OR MIT", true),
        ("MIT WITH X-exception", false),
        ("", false),
        ("MIT OR", false),
        ("(MIT", false),
        ("MIT)", false),
        ("MIT ISC", false),
    ];
    for (expression, expected) in cases {
        assert_eq!(satisfied(expression, &mit), expected, "{expression}");
    }
}
