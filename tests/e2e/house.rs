//! The rules of the house, checked on the source itself: who may use whom, and what the pure
//! folders may not touch.

use std::path::{Path, PathBuf};

/// Folder, and the folders of the crate it may use besides itself.
const MAY_USE: &[(&str, &[&str])] = &[
    ("domain", &[]),
    ("fleet", &["domain"]),
    ("analyze", &["domain", "fleet"]),
    ("query", &["domain"]),
    ("view", &["domain", "fleet", "analyze", "query"]),
    ("app", &["domain", "fleet", "analyze", "query", "view", "report"]),
    ("ui", &["domain", "fleet", "analyze", "query", "view", "app"]),
    ("term", &["domain"]),
    ("report", &["domain", "fleet", "query", "view", "analyze"]),
    ("source", &["domain", "cache", "bus"]),
    ("cache", &["domain", "source"]),
    ("bus", &["domain", "fleet", "analyze", "cache", "source"]),
    ("config", &["domain", "analyze", "ui", "app", "view"]),
];

/// Folders without clock, I/O and async.
const PURE: &[&str] = &["domain", "fleet", "analyze", "query", "view", "app", "ui"];

/// What a pure folder may not name.
const IMPURE: &[&str] = &[
    "async fn",
    ".await",
    "tokio::",
    "Timestamp::now",
    "Zoned::now",
    "Instant::now",
    "SystemTime",
    "std::fs",
    "std::net",
    "std::env",
    "std::process",
    "std::thread",
    "fastrand::",
];

/// Calls of the SDKs that change something. Nothing in this release may contain one.
const MUTATING: &[&str] = &[
    ".terminate_instances(",
    ".stop_instances(",
    ".start_instances(",
    ".reboot_instances(",
    ".run_instances(",
    ".create_",
    ".delete_tags(",
    ".delete_volume(",
    ".delete_snapshot(",
    ".modify_",
    ".attach_volume(",
    ".detach_volume(",
    ".put_",
    ".release_address(",
    ".update_",
];

fn sources() -> Vec<(PathBuf, String)> {
    fn walk(dir: &Path, out: &mut Vec<(PathBuf, String)>) {
        for entry in std::fs::read_dir(dir).unwrap().flatten() {
            let path = entry.path();
            if path.is_dir() {
                walk(&path, out);
            } else if path.extension().is_some_and(|e| e == "rs") {
                let text = std::fs::read_to_string(&path).unwrap();
                out.push((path, text));
            }
        }
    }
    let mut out = Vec::new();
    walk(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"), &mut out);
    assert!(out.len() > 40, "the walk found only {} files", out.len());
    out
}

/// The code of a file without comments, and without its tests.
fn code(text: &str) -> String {
    let shipped = text.split("#[cfg(test)]").next().unwrap_or_default();
    shipped
        .lines()
        .filter(|line| !line.trim_start().starts_with("//"))
        .collect::<Vec<_>>()
        .join("\n")
}

fn folder(path: &Path) -> String {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let inside = path.strip_prefix(src).unwrap();
    inside.components().next().unwrap().as_os_str().to_string_lossy().replace(".rs", "")
}

/// Files and folders that only tests compile: `#[cfg(test)] mod name;` somewhere.
fn test_modules(sources: &[(PathBuf, String)]) -> Vec<PathBuf> {
    let mut out = Vec::new();
    for (path, text) in sources {
        // `a/mod.rs` and `a.rs` both own the modules in `a/`.
        let stem = path.file_stem().unwrap_or_default();
        let dir = match stem.to_str() {
            Some("mod" | "lib" | "main") => path.parent().unwrap().to_owned(),
            _ => path.with_extension(""),
        };
        for after in text.split("#[cfg(test)]").skip(1) {
            let line = after.trim_start().lines().next().unwrap_or_default();
            let line = line.trim_start_matches("pub(crate) ").trim_start_matches("pub(super) ");
            if let Some(name) = line.strip_prefix("mod ").and_then(|l| l.strip_suffix(';')) {
                out.push(dir.join(name));
            }
        }
    }
    out
}

/// The source that ships: no file that only tests compile.
fn shipped() -> Vec<(PathBuf, String)> {
    let all = sources();
    let tests = test_modules(&all);
    assert!(!tests.is_empty());
    all.into_iter()
        .filter(|(path, _)| {
            !tests.iter().any(|t| path.starts_with(t) || path.with_extension("") == *t)
        })
        .collect()
}

#[test]
fn folders_use_only_what_they_may() {
    let mut broken = Vec::new();
    for (path, text) in &shipped() {
        let here = folder(path);
        let Some((_, allowed)) = MAY_USE.iter().find(|(name, _)| *name == here) else { continue };
        for used in code(text).split("crate::").skip(1) {
            let name: String =
                used.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
            if !name.is_empty() && name != here && !allowed.contains(&name.as_str()) {
                broken.push(format!("{} uses {name}", path.display()));
            }
        }
    }
    assert!(broken.is_empty(), "{}", broken.join("\n"));
}

#[test]
fn pure_folders_touch_no_clock_and_do_no_io() {
    let mut broken = Vec::new();
    for (path, text) in &shipped() {
        if !PURE.contains(&folder(path).as_str()) {
            continue;
        }
        let code = code(text);
        broken.extend(
            IMPURE
                .iter()
                .filter(|word| code.contains(**word))
                .map(|word| format!("{} contains {word}", path.display())),
        );
    }
    assert!(broken.is_empty(), "{}", broken.join("\n"));
}

#[test]
fn nothing_changes_a_resource() {
    let mut broken = Vec::new();
    for (path, text) in shipped().iter().filter(|(p, _)| folder(p) == "source") {
        let code = code(text);
        broken.extend(
            MUTATING
                .iter()
                .filter(|word| code.contains(**word))
                .map(|word| format!("{} contains {word}", path.display())),
        );
    }
    assert!(broken.is_empty(), "{}", broken.join("\n"));
}

#[test]
fn no_unwrap_outside_tests() {
    // Clippy denies it as well; this holds where somebody allows the lint.
    let mut broken = Vec::new();
    for (path, text) in &shipped() {
        let code = code(text);
        for word in [".unwrap()", ".expect(", "panic!(", "todo!(", "unimplemented!(", "unsafe {"] {
            if code.contains(word) {
                broken.push(format!("{} contains {word}", path.display()));
            }
        }
    }
    assert!(broken.is_empty(), "{}", broken.join("\n"));
}
