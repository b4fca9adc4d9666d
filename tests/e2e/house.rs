//! The rules of the house, checked on the source itself: who may use whom, and what the pure
//! folders may not touch.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// A row of the table of folders in `docs/architecture.md`: a folder, and what it may use besides
/// itself, folders or crates. The two halves of `act` count as folders of their own; `act` means
/// both. So do the parts of a tab, the same part of all tabs as one folder: `tabs/picture`; `tabs`
/// means all.
struct Row {
    folder: String,
    may_use: Vec<String>,
}

impl Row {
    /// True where the row says that there is no limit.
    fn any(&self) -> bool {
        self.may_use.iter().any(|name| name == "all")
    }
}

fn read(path: &str) -> String {
    std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(path)).unwrap()
}

/// The table of folders.
fn rows() -> Vec<Row> {
    let page = read("docs/architecture.md");
    let table = page.split("| folder | holds | may use |").nth(1).unwrap();
    let lines = table.lines().skip(2).take_while(|line| line.starts_with('|'));
    let rows: Vec<Row> = lines
        .flat_map(|line| {
            let cells: Vec<&str> = line.trim_matches('|').split('|').map(str::trim).collect();
            let [folders, _, may_use] = cells[..] else { panic!("not three cells: {line}") };
            let may_use = may_use.split(", ").filter(|name| *name != "–").map(str::to_owned);
            let may_use: Vec<String> = may_use.collect();
            let folders = folders.split(", ").map(move |folder| Row {
                folder: folder.trim_matches(['`', '/']).replace("<tab>/", ""),
                may_use: may_use.clone(),
            });
            folders.collect::<Vec<_>>()
        })
        .collect();
    assert!(rows.len() > 30, "{} rows", rows.len());
    rows
}

/// The pure folders, as the page lists them: without clock, I/O and async.
fn pure() -> Vec<String> {
    let page = read("docs/architecture.md");
    let line = page.lines().find(|line| line.contains("` are pure: no async")).unwrap();
    let names: Vec<String> =
        line.split('`').nth(1).unwrap().split(' ').map(str::to_owned).collect();
    assert!(names.len() > 8, "{names:?}");
    names
}

/// The crates that the package depends on, as code names them.
fn crates() -> Vec<String> {
    let manifest = read("Cargo.toml");
    let of = manifest.split("\n[").filter(|section| section.starts_with("dependencies]"));
    let names = of.flat_map(str::lines).filter_map(|line| line.split_once(" = "));
    let names: Vec<String> = names.map(|(name, _)| name.replace('-', "_")).collect();
    assert!(names.len() > 40, "{names:?}");
    names
}

/// What `tabs/mod.rs` tells of all tabs: `tabs/mod`.
const OF_TABS: &[&str] = &["Tab", "TabStates", "screens", "screen_on"];

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

/// Calls of the SDKs that change something and that burntop makes: in [`EXECUTORS`] and nowhere else.
const HELD: &[&str] = &[
    ".stop_instances(",
    ".terminate_instances(",
    ".start_instances(",
    ".create_tags(",
    ".delete_tags(",
    ".terminate_instance_in_auto_scaling_group(",
    // Storage, in [`STORAGE_EXECUTOR`] alone. A volume goes after its snapshot; of a bucket nothing but
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
    // Every other modification: see `only_the_executors_change_a_resource`.
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
const EXECUTORS: &str = "act/exec";

/// The one file with calls that change storage.
const STORAGE_EXECUTOR: &str = "act/exec/storage/aws.rs";

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
    let indent = |line: &str| line.len() - line.trim_start().len();
    let (mut kept, mut lines) = (Vec::new(), text.lines());
    while let Some(line) = lines.next() {
        if line.trim() == "#[cfg(test)]" {
            // The item that follows: a line, or all to the bracket that closes it.
            let first = lines.by_ref().find(|next| !next.trim_start().starts_with('#'));
            if first.is_some_and(|first| first.ends_with(['{', '[', '('])) {
                let closes = |next: &str| next.trim_start().starts_with(['}', ']']);
                lines.by_ref().find(|next| indent(next) == indent(line) && closes(next));
            }
        } else if !line.trim_start().starts_with("//") {
            kept.push(line);
        }
    }
    kept.join("\n")
}

#[test]
fn what_only_tests_have_is_left_out_of_the_code() {
    let text = "use a;\n#[cfg(test)]\npub use b::{\n    c,\n};\n// d\nfn e() {\n    #[cfg(test)]\n    f();\n    g();\n}\n\
                #[cfg(test)]\nmod tests {\n    fn h() {}\n}\nfn i() {}\n";
    assert_eq!(code(text), "use a;\nfn e() {\n    g();\n}\nfn i() {}");
}

/// The folder of a file: `domain`, `act/plan`.
fn folder(path: &Path) -> String {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let inside = path.strip_prefix(src).unwrap();
    let mut parts = inside.components().map(|c| c.as_os_str().to_string_lossy().replace(".rs", ""));
    let first = parts.next().unwrap();
    match (parts.next(), parts.next()) {
        (Some(half), _) if first == "act" && half != "mod" => format!("act/{half}"),
        (Some(_), Some(part)) if first == "tabs" => format!("tabs/{part}"),
        (Some(_), None) if first == "tabs" => "tabs/mod".to_owned(),
        _ => first,
    }
}

/// Where a file lies as a module: `act`, `plan`, `verb`.
fn module(path: &Path) -> Vec<String> {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let inside = path.strip_prefix(src).unwrap().with_extension("");
    let mut parts: Vec<String> = inside.iter().map(|p| p.to_string_lossy().into_owned()).collect();
    if parts.last().is_some_and(|last| ["mod", "lib", "main"].contains(&&**last)) {
        parts.pop();
    }
    parts
}

fn is_name(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// The paths that code begins with: one, or of a list in braces each. Nothing behind the last `::` is
/// an empty one: `*` and `self` name what stands before.
fn paths(code: &str) -> Vec<Vec<String>> {
    let code = code.trim_start();
    if let Some(inside) = code.strip_prefix('{') {
        let (mut depth, mut from, mut out) = (0, 0, Vec::new());
        for (at, c) in inside.char_indices() {
            match c {
                '{' => depth += 1,
                '}' if depth > 0 => depth -= 1,
                ',' | '}' if depth == 0 => {
                    out.extend(paths(&inside[from..at]));
                    from = at + 1;
                    if c == '}' {
                        break;
                    }
                }
                _ => {}
            }
        }
        return out;
    }
    let name: String = code.chars().take_while(|c| is_name(*c)).collect();
    match &*name {
        "" if code.starts_with('*') => vec![Vec::new()],
        "" => Vec::new(),
        "self" => vec![Vec::new()],
        _ => {
            let below = code[name.len()..].strip_prefix("::").map(paths).unwrap_or_default();
            let below = if below.is_empty() { vec![Vec::new()] } else { below };
            below.into_iter().map(|path| [vec![name.clone()], path].concat()).collect()
        }
    }
}

/// What code of a module names: `domain/Hour`, `act/plan/Plan`; of tabs the part: `tabs/picture/words`.
fn used(module: &[String], code: &str) -> Vec<String> {
    let place = |path: Vec<String>| match path.iter().map(|name| &**name).collect::<Vec<_>>()[..] {
        // What the table of tabs says, and what a tab calls itself in its own `mod.rs`.
        ["tabs", name, ..] if OF_TABS.contains(&name) => "tabs/mod".to_owned(),
        ["tabs", _, "TAB", ..] => "tabs/mod".to_owned(),
        ["tabs", _, ref part @ ..] => [&["tabs"], part].concat().join("/"),
        ref path => path.join("/"),
    };
    let mut out = Vec::new();
    for (word, is_root) in [("crate::", true), ("super::", false)] {
        for (at, _) in code.match_indices(word) {
            // The middle of a path, or where something is seen: `pub(in crate::act)`.
            if code[..at].ends_with(|c| is_name(c) || c == ':') || code[..at].ends_with("(in ") {
                continue;
            }
            let (mut rest, mut up) = (&code[at + word.len()..], 1);
            while let Some(more) = rest.strip_prefix("super::") {
                (rest, up) = (more, up + 1);
            }
            let kept = if is_root { 0 } else { module.len().saturating_sub(up) };
            let whole = |path: Vec<String>| place([&module[..kept], &path].concat());
            out.extend(paths(rest).into_iter().map(whole));
        }
    }
    out
}

/// True when `name` is allowed, by itself or as a half of what is.
fn is_allowed(name: &str, allowed: &[impl AsRef<str>]) -> bool {
    allowed.iter().any(|a| {
        let rest = name.strip_prefix(a.as_ref());
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    })
}

/// The row of a file: the longest that it lies in.
fn row_of<'a>(rows: &'a [Row], path: &Path) -> Option<&'a Row> {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let inside = path.strip_prefix(src).unwrap().with_extension("");
    let inside = match folder(path) {
        // `tabs/<tab>/picture/…` is of `tabs/picture`.
        part if part.starts_with("tabs/") => part,
        _ => inside.to_string_lossy().into_owned(),
    };
    let fits = rows.iter().filter(|row| is_allowed(&inside, &[&row.folder]));
    fits.max_by_key(|row| row.folder.len())
}

/// What a file uses and may not.
fn broken(rows: &[Row], crates: &[String], path: &Path, code: &str) -> Vec<String> {
    let Some(row) = row_of(rows, path).filter(|row| !row.any()) else { return Vec::new() };
    let fits = |name: &String| is_allowed(name, &[&row.folder]) || is_allowed(name, &row.may_use);
    let mut out = used(&module(path), code);
    out.retain(|name| !fits(name));
    let named = |name: &&String| row.may_use.iter().any(|may| may.replace('-', "_") == **name);
    if crates.iter().any(|name| named(&name)) {
        let uses = |name: &&String| {
            let path = format!("{name}::");
            code.match_indices(&path).any(|(at, _)| !code[..at].ends_with(is_name))
        };
        out.extend(crates.iter().filter(|name| !named(name)).filter(uses).cloned());
    }
    out
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
    let (rows, crates) = (rows(), crates());
    let mut all = Vec::new();
    for (path, text) in &shipped() {
        let found = broken(&rows, &crates, path, &code(text));
        all.extend(found.into_iter().map(|name| format!("{} uses {name}", path.display())));
    }
    assert!(all.is_empty(), "{}", all.join("\n"));
}

#[test]
fn what_the_page_does_not_permit_is_found() {
    let (rows, crates) = (rows(), crates());
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    for (path, code, used) in [
        ("source/aws/volumes.rs", "use crate::bus::Bus;", "bus/Bus"),
        ("source/provider.rs", "use crate::whatif::Engine;", "whatif/Engine"),
        ("cache/mod.rs", "use crate::source::ledger::Ledger;", "source/ledger/Ledger"),
        ("config/mod.rs", "use crate::ui::theme::Theme;", "ui/theme/Theme"),
        ("config/mod.rs", "use crate::app::keys::Keymap;", "app/keys/Keymap"),
        ("app/export.rs", "crate::cli::reports::print();", "cli/reports/print"),
        ("analyze/idle/cascade.rs", "use crate::whatif::Engine;", "whatif/Engine"),
        ("tabs/gpus/state/mod.rs", "use crate::ui::theme::Theme;", "ui/theme/Theme"),
        ("act/exec/aws.rs", "use crate::bus::Bus;", "bus/Bus"),
        // By whatever way.
        ("analyze/idle/mod.rs", "use super::storage::price::Rates;", "analyze/storage/price/Rates"),
        ("analyze/idle/mod.rs", "use super::{\n    gpu::{Advice},\n};", "analyze/gpu/Advice"),
        ("analyze/idle/judge.rs", "use crate::analyze::gpu::*;", "analyze/gpu"),
        ("analyze/idle/mod.rs", "use super::*;", "analyze"),
        ("app/list/marks.rs", "use super::super::App;", "app/App"),
        ("fleet/storage/mod.rs", "super::join(input);", "fleet/join"),
        ("act/plan/verb.rs", "use super::super::exec::Executor;", "act/exec/Executor"),
        ("tabs/gpus/picture/mod.rs", "use super::draw::cells;", "tabs/draw/cells"),
        ("tabs/gpus/picture/mod.rs", "use crate::tabs::storage::{draw};", "tabs/draw"),
        ("domain/mod.rs", "use tokio::sync::Mutex;", "tokio"),
    ] {
        assert_eq!(broken(&rows, &crates, &src.join(path), code), [used], "{path}: {code}");
    }
    for (path, code) in [
        ("bus/mod.rs", "use crate::source::Provider; use tokio::sync::Mutex;"),
        ("analyze/savings.rs", "use crate::whatif::Engine;"),
        ("runtime/mod.rs", "use crate::ui::theme::Theme;"),
        ("domain/mod.rs", "use jiff::Timestamp; use crate::domain::Hour;"),
        (
            "analyze/idle/judge.rs",
            "use super::{stretch::Stretch, *}; pub(in crate::analyze) fn a() {}",
        ),
        ("tabs/gpus/state/act.rs", "use super::super::{picture, TAB}; use crate::tabs::Tab;"),
    ] {
        assert_eq!(broken(&rows, &crates, &src.join(path), code), [""; 0], "{path}: {code}");
    }
}

#[test]
fn the_page_names_all_folders_and_none_that_is_not_there() {
    let (rows, crates) = (rows(), crates());
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let parts = ["mod", "picture", "state", "screen", "commands", "lists", "pages", "draw"];
    let parts = parts.map(|part| format!("tabs/{part}"));
    let is_there = |name: &str| {
        src.join(name).is_dir()
            || src.join(name).with_extension("rs").is_file()
            || parts.iter().any(|part| part == name)
    };
    for row in &rows {
        assert!(is_there(&row.folder), "{} is not there", row.folder);
        for name in row.may_use.iter().filter(|name| *name != "all") {
            let is_crate = crates.contains(&name.replace('-', "_"));
            assert!(is_crate || is_there(name), "{} may use {name}, which is none", row.folder);
        }
    }
    for name in pure() {
        assert!(is_there(&name), "{name} is pure and not there");
    }
    for entry in std::fs::read_dir(&src).unwrap().map(Result::unwrap) {
        let path = entry.path();
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        let first = rows.iter().any(|row| row.folder.split('/').next() == Some(&name));
        assert!(first || ["lib", "main"].contains(&&*name), "{name} has no row");
    }
}

#[test]
fn pure_folders_touch_no_clock_and_do_no_io() {
    let (mut broken, pure) = (Vec::new(), pure());
    for (path, text) in &shipped() {
        if !is_allowed(&folder(path), &pure) {
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
        ("tabs/mod.rs", "tabs/mod"),
        ("tabs/gpus/mod.rs", "tabs/mod"),
        ("tabs/gpus/screen.rs", "tabs/screen"),
        ("tabs/gpus/draw/heat.rs", "tabs/draw"),
        ("lib.rs", "lib"),
    ] {
        assert_eq!(folder(&src.join(path)), name);
    }
    let code =
        "use crate::act::plan::Plan; crate::act::exec; crate::act::{exec, plan::{A, B}}; crate::X";
    let found = ["act/plan/Plan", "act/exec", "act/exec", "act/plan/A", "act/plan/B", "X"];
    assert_eq!(used(&[], code), found);
    let code = "use crate::tabs::gpus::picture::words; crate::tabs::storage::draw(); crate::tabs::x; crate::tabs::Tab; crate::tabs::idle::TAB";
    assert_eq!(
        used(&[], code),
        ["tabs/picture/words", "tabs/draw", "tabs", "tabs/mod", "tabs/mod"]
    );
    let here = module(&src.join("act/plan/guard/mod.rs"));
    assert_eq!(here, ["act", "plan", "guard"]);
    let code = "use super::Verb; super::super::exec::Executor; use super::{caps::{self, Cap}, *}; pub(super) x";
    let found =
        ["act/plan/Verb", "act/exec/Executor", "act/plan/caps", "act/plan/caps/Cap", "act/plan"];
    assert_eq!(used(&here, code), found);
    assert!(is_allowed("act/exec", &["act"]) && is_allowed("act/plan", &["act/plan"]));
    assert!(!is_allowed("act", &["act/plan"]) && !is_allowed("act/exec", &["act/plan"]));
    assert!(!is_allowed("action", &["act"]));
}

/// Code without white space: a call may be broken over lines.
fn joined(text: &str) -> String {
    code(text).chars().filter(|c| !c.is_whitespace()).collect()
}

#[test]
fn only_the_executors_change_a_resource() {
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
        if here == EXECUTORS {
            held.extend(HELD.iter().copied().filter(|word| code.contains(word)));
        } else {
            forbidden.extend(HELD);
        }
        if !path.ends_with(STORAGE_EXECUTOR) {
            forbidden.extend(OF_STORAGE);
        }
        // The one modification that is held.
        let code = if path.ends_with(STORAGE_EXECUTOR) {
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
fn sdks_are_used_by_sources_and_executors_alone_and_the_read_only_executor_has_none() {
    let mut broken = Vec::new();
    for (path, text) in &shipped() {
        let code = code(text);
        let may = path.to_string_lossy().contains("src/source/aws/") || folder(path) == EXECUTORS;
        if code.contains("aws_sdk_") && (!may || path.ends_with("act/exec/executor.rs")) {
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

/// The list of accounts stands for a list of a service of which nothing else is read: besides its own
/// file few know of it.
#[test]
fn a_source_is_known_to_few_files() {
    let words =
        ["organization::", "mod organization", "LIST_ACCOUNTS", "ListAccounts", "ORGANIZATIONS"];
    let aws = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/source/aws");
    let mut known: Vec<String> = shipped()
        .iter()
        .filter(|(path, _)| path.starts_with(&aws) && !path.ends_with("organization.rs"))
        .filter(|(_, text)| words.iter().any(|word| code(text).contains(word)))
        .map(|(path, _)| path.strip_prefix(&aws).unwrap().to_string_lossy().into_owned())
        .collect();
    known.sort();
    assert_eq!(known, ["calls.rs", "mod.rs"], "and a row of a test, the trait, the printed policy");
}

/// The GPUs tab stands for a tab with a table, pages, commands and keys of its own: outside its folder few
/// know of it. That other tabs lead to it is not counted.
#[test]
fn a_tab_is_known_to_few_files() {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let words = ["tabs::gpus", "gpus::", "mod gpus", "Tab::Gpus"];
    let mut known: Vec<String> = shipped()
        .iter()
        .map(|(path, text)| (path.strip_prefix(&src).unwrap().to_string_lossy().into_owned(), text))
        .filter(|(path, _)| {
            path == "tabs/mod.rs" || path.starts_with("app/") || path.starts_with("ui/")
        })
        .filter(|(_, text)| words.iter().any(|word| code(text).contains(word)))
        .map(|(path, _)| path)
        .collect();
    known.sort();
    // What every screen may show of GPUs: their graphs, their states in the help, the levels of heat.
    let shown = ["app/content/graph.rs", "app/content/help.rs"];
    let all =
        [&shown[..], &["app/mod.rs", "app/page.rs", "tabs/mod.rs", "ui/theme/heat.rs"]].concat();
    assert_eq!(known, all, "and its key in the keymap");
}

/// The files that a trial in `tests/data/trials` makes, and those that it touches. Each of its hunks has
/// to fit the source as it is, so that what the page says of it stays true.
fn trial(name: &str) -> (Vec<String>, Vec<String>) {
    let patch = read(&format!("tests/data/trials/{name}.patch"));
    let (mut made, mut touched) = (Vec::new(), Vec::new());
    for file in patch.split("diff --git a/").skip(1) {
        let path = file.split(' ').next().unwrap().to_owned();
        if file.contains("\nnew file mode") {
            made.push(path);
            continue;
        }
        let source = read(&path);
        for hunk in file.split("\n@@ ").skip(1) {
            let old = hunk.lines().skip(1).filter(|line| !line.starts_with(['+', '\\']));
            let old: Vec<&str> = old.map(|line| line.get(1..).unwrap_or_default()).collect();
            assert!(
                source.contains(&old.join("\n")),
                "{name} does not fit {path}:\n{}",
                old.join("\n")
            );
        }
        touched.push(path);
    }
    (made, touched)
}

/// What is added touches few files beside its own: those that the page names.
#[test]
fn what_is_added_touches_few_files() {
    let page = read("docs/architecture.md");
    for (name, new, most) in [("tab", 3, 4), ("column", 0, 2), ("list", 1, 3), ("subcommand", 1, 3)]
    {
        let (made, touched) = trial(name);
        assert_eq!(made.len(), new, "{made:?}");
        assert!((1..=most).contains(&touched.len()), "{name} touches {touched:?}");
        let named =
            |path: &&String| page.contains(&path.replace("src/", "`").replace(".rs", ".rs`"));
        let strange: Vec<&String> = touched.iter().filter(|path| !named(path)).collect();
        // A column's file is one of many.
        assert!(strange.len() <= usize::from(name == "column"), "{name}: {strange:?}");
    }
}

/// Which tab is on is asked of its screen, not by its name.
#[test]
fn tabs_are_rarely_named() {
    let upper = |rest: &str| rest.starts_with(|c: char| c.is_ascii_uppercase());
    let named = |text: &str| text.split("Tab::").skip(1).filter(|rest| upper(rest)).count();
    let all: usize = sources().iter().map(|(_, text)| named(text)).sum();
    assert!((1..=50).contains(&all), "{all}");
}

/// Words by which a figure is written by hand: dollars, a percent, a plural.
const BY_HAND: &[&str] =
    &["${", "}%", "} %", "== 1 { \"", "!= 1 { \"", "== 1 { format!(", "=> \"1 ", "=> format!(\"1 "];

/// Files, or folders, that may have one of these words.
const MAY_BY_HAND: &[(&str, &str)] = &[
    ("domain/format/", ""),
    // Variables of a shell.
    ("report/object_files.rs", "${"),
    // What was typed.
    ("tabs/whatif/picture/unit.rs", "}%"),
    // Not the plural of a number: the verb of a list of names, `1` and `3 x`, `line 7` and `the first is line 7`.
    ("doctor/account.rs", "== 1 { \""),
    ("tabs/savings/pages/guide.rs", "== 1 { \""),
    ("view/reasons/spot.rs", "== 1 { \""),
    ("view/reasons/waterfall.rs", "== 1 { \""),
    ("whatif/demand/csv/rows.rs", "== 1 { \""),
];

/// Figures are written by `domain::format`: dollars have their separators, percents no space, nouns their
/// ending.
#[test]
fn no_figure_is_written_by_hand() {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut found = Vec::new();
    for (path, text) in &shipped() {
        let name = path.strip_prefix(&src).unwrap().to_string_lossy().into_owned();
        let code = code(text).split_whitespace().collect::<Vec<_>>().join(" ");
        let may = |word: &str| {
            MAY_BY_HAND.iter().any(|(file, of)| name.starts_with(file) && word.contains(of))
        };
        for word in BY_HAND.iter().filter(|word| code.contains(**word) && !may(word)) {
            let at = code.find(*word).unwrap_or_default();
            let near: String = code[..at].chars().rev().take(40).collect();
            let near: String = near.chars().rev().chain(code[at..].chars().take(30)).collect();
            found.push(format!("src/{name}: {near}"));
        }
    }
    assert!(found.is_empty(), "use domain::format:\n{}", found.join("\n"));
}
