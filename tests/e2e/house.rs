//! The rules of the house, checked on the source itself: who may use whom, and what the pure
//! folders may not touch.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Folder, and the folders of the crate it may use besides itself. The two halves of `act` count
/// as folders of their own; `act` means both.
const MAY_USE: &[(&str, &[&str])] = &[
    ("domain", &[]),
    ("fleet", &["domain"]),
    ("analyze", &["domain", "fleet", "whatif"]),
    ("query", &["domain"]),
    ("whatif", &["domain"]),
    ("view", &["domain", "fleet", "analyze", "query", "whatif"]),
    ("app", &["domain", "fleet", "analyze", "query", "whatif", "view", "report", "act/plan"]),
    ("ui", &["domain", "fleet", "analyze", "query", "whatif", "view", "app", "act/plan"]),
    ("term", &["domain", "files", "version"]),
    ("act/plan", &["domain", "fleet", "analyze", "query", "view"]),
    ("files", &[]),
    ("act/exec", &["domain", "files", "act/plan", "source", "cache"]),
    ("report", &["domain", "act/plan", "act/exec", "fleet", "query", "view", "analyze", "whatif"]),
    ("source", &["domain", "files", "cache", "bus", "whatif"]),
    ("cache", &["domain", "files", "source"]),
    ("bus", &["domain", "files", "fleet", "analyze", "whatif", "cache", "source"]),
    ("config", &["domain", "files", "analyze", "ui", "app", "view"]),
];

/// Folders without clock, I/O and async.
const PURE: &[&str] =
    &["domain", "fleet", "analyze", "query", "whatif", "view", "app", "ui", "act/plan"];

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

/// Calls of the SDKs that change something and that burntop makes: in [`HANDS`] and nowhere else.
const HELD: &[&str] = &[
    ".stop_instances(",
    ".terminate_instances(",
    ".start_instances(",
    ".create_tags(",
    ".delete_tags(",
    ".terminate_instance_in_auto_scaling_group(",
    // Storage, in [`STORAGE_HANDS`] alone. A volume goes after its snapshot; of a bucket nothing but
    // the lifecycle rules is changed, and the last call takes back the first rules of a bucket,
    // which S3 does not take as a configuration without rules.
    ".create_snapshot(",
    ".delete_volume(",
    ".modify_volume(",
    ".put_bucket_lifecycle_configuration(",
    ".delete_bucket_lifecycle(",
    // The copy of the audit log, and signatures of approvals.
    ".put_object(",
    ".sign().key_id(",
];

/// Calls and parameters that burntop never uses: what would force an action, switch a protection
/// off, or change what nobody asked for.
const NEVER: &[&str] = &[
    ".force(",
    ".set_force(",
    "skip_os_shutdown(",
    ".hibernate(",
    ".reboot_instances(",
    ".run_instances(",
    // Every other modification: see `only_the_hands_change_a_resource`.
    ".modify_",
    ".set_desired_capacity(",
    ".set_instance_protection(",
    ".update_auto_scaling_group(",
    ".detach_instances(",
    ".enter_standby(",
    ".deregister_targets(",
    ".delete_alarms(",
    ".delete_snapshot",
    ".delete_object",
    ".delete_bucket(",
    ".delete_bucket_policy(",
    ".put_bucket_policy(",
    ".put_bucket_versioning(",
    ".put_bucket_replication(",
    ".put_object_tagging(",
    ".abort_multipart_upload(",
    ".create_job(",
    ".attach_volume(",
    ".detach_volume(",
    ".release_address(",
    ".disassociate_address(",
    ".cancel_spot_instance_requests(",
    ".create_snapshots(",
    ".create_image(",
];

/// What a source may not call, whatever comes after it: these begin the names of writes.
const WRITES: &[&str] = &[".create_", ".put_", ".update_"];

/// What begins like a write and is none: a date that AWS tells, a file that is new, a price.
const READS: &[&str] = &[".create_date()", ".create_time()", ".create_new(true)", ".put_per_1000"];

/// The one folder with calls that change something.
const HANDS: &str = "act/exec";

/// The one file with calls that change storage.
const STORAGE_HANDS: &str = "act/exec/storage/aws.rs";

/// Those calls.
const OF_STORAGE: &[&str] = &[
    ".create_snapshot(",
    ".delete_volume(",
    ".modify_volume(",
    ".put_bucket_lifecycle_configuration(",
    ".delete_bucket_lifecycle(",
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

/// The folder of a file: `domain`, `act/plan`.
fn folder(path: &Path) -> String {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let inside = path.strip_prefix(src).unwrap();
    let mut parts = inside.components().map(|c| c.as_os_str().to_string_lossy().replace(".rs", ""));
    let first = parts.next().unwrap();
    match parts.next() {
        Some(half) if first == "act" && half != "mod" => format!("act/{half}"),
        _ => first,
    }
}

/// The folders that code names: `domain`, `act/plan`; `act` where it does not say which half.
fn used(code: &str) -> Vec<String> {
    let name = |text: &str| -> String {
        text.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect()
    };
    let mut out = Vec::new();
    for rest in code.split("crate::").skip(1) {
        let first = name(rest);
        let half = rest.strip_prefix("act::").map(name).unwrap_or_default();
        out.push(if half.is_empty() { first } else { format!("act/{half}") });
    }
    out
}

/// True when `name` is allowed, by itself or as a half of what is.
fn is_allowed(name: &str, allowed: &[&str]) -> bool {
    allowed.iter().any(|a| name == *a || name.strip_prefix(a).is_some_and(|r| r.starts_with('/')))
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
        for name in used(&code(text)) {
            // A list in braces would hide what it names.
            if name != here && (name.is_empty() || !is_allowed(&name, allowed)) {
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
fn names_of_folders_are_read_from_paths_and_code() {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    for (path, name) in [
        ("act/mod.rs", "act"),
        ("act/plan/guard/tests.rs", "act/plan"),
        ("act/exec/aws.rs", "act/exec"),
        ("source/aws/mod.rs", "source"),
        ("lib.rs", "lib"),
    ] {
        assert_eq!(folder(&src.join(path)), name);
    }
    let code = "use crate::act::plan::Plan; crate::act::exec; crate::act::{exec}; crate::domain::X";
    assert_eq!(used(code), ["act/plan", "act/exec", "act", "domain"]);
    assert!(is_allowed("act/exec", &["act"]) && is_allowed("act/plan", &["act/plan"]));
    assert!(!is_allowed("act", &["act/plan"]) && !is_allowed("act/exec", &["act/plan"]));
    assert!(!is_allowed("action", &["act"]));
}

/// Code without white space: a call may be broken over lines.
fn joined(text: &str) -> String {
    code(text).chars().filter(|c| !c.is_whitespace()).collect()
}

#[test]
fn only_the_hands_change_a_resource() {
    let (mut broken, mut held) = (Vec::new(), BTreeSet::<&str>::new());
    for (path, text) in &shipped() {
        let (here, mut code) = (folder(path), joined(text));
        for word in READS {
            code = code.replace(word, "");
        }
        let mut forbidden: Vec<&str> = NEVER.to_vec();
        if here == "source" {
            forbidden.extend(WRITES);
        }
        if here == HANDS {
            held.extend(HELD.iter().copied().filter(|word| code.contains(word)));
        } else {
            forbidden.extend(HELD);
        }
        if !path.ends_with(STORAGE_HANDS) {
            forbidden.extend(OF_STORAGE);
        }
        // The one modification that is held.
        let code = if path.ends_with(STORAGE_HANDS) {
            code.replace(".modify_volume(", ".held(")
        } else {
            code
        };
        let found = forbidden.iter().filter(|word| code.contains(**word));
        broken.extend(found.map(|word| format!("{} contains {word}", path.display())));
    }
    assert!(broken.is_empty(), "{}", broken.join("\n"));
    // The words are those of the SDK, or nothing would be found anywhere.
    let named = |w: &&&str| w.contains("instance") || w.contains("tags") || OF_STORAGE.contains(*w);
    for word in HELD.iter().filter(named) {
        assert!(held.contains(*word), "{word} is nowhere");
    }
}

#[test]
fn sdks_are_used_by_sources_and_hands_alone_and_the_read_only_executor_has_none() {
    let mut broken = Vec::new();
    for (path, text) in &shipped() {
        let code = code(text);
        let may = path.to_string_lossy().contains("src/source/aws/") || folder(path) == HANDS;
        if code.contains("aws_sdk_") && (!may || path.ends_with("act/exec/hands.rs")) {
            broken.push(format!("{} uses an SDK", path.display()));
        }
    }
    assert!(broken.is_empty(), "{}", broken.join("\n"));
}

/// A search finds more than it says: what is acted on is chosen by a filter that is read strictly.
#[test]
fn what_is_acted_on_is_never_chosen_by_a_search() {
    const ACTS: [&str; 6] = [
        "src/act/",
        "src/cli/plan.rs",
        "src/cli/policy/",
        "src/cli/acting",
        "src/cli/approve.rs",
        "src/cli/apply.rs",
    ];
    let mut strict = 0;
    for (path, text) in &shipped() {
        let name = path.to_string_lossy().into_owned();
        if !ACTS.iter().any(|place| name.contains(place)) {
            continue;
        }
        let code = joined(text);
        for loose in ["Filter::parse(", "query::parse("] {
            assert!(!code.contains(loose), "{name} contains {loose}");
        }
        strict += usize::from(code.contains("strict_filter(") || code.contains("parse_strict("));
    }
    assert!(strict >= 5, "{strict}");
}

#[test]
fn no_unwrap_outside_tests() {
    // Clippy denies it as well; this holds where somebody allows the lint.
    let mut broken = Vec::new();
    for (path, text) in &shipped() {
        let code = code(text);
        for word in [".unwrap()", ".expect(", "panic!(", "todo!(", "unimplemented!(", "unsafe {"] {
            // The allocator is told to keep one heap: nothing else needs it.
            let one_heap = word == "unsafe {" && path.ends_with("src/main.rs");
            let allowed = usize::from(one_heap && code.contains("unsafe { libc::mallopt("));
            if code.matches(word).count() > allowed {
                broken.push(format!("{} contains {word}", path.display()));
            }
        }
    }
    assert!(broken.is_empty(), "{}", broken.join("\n"));
}
