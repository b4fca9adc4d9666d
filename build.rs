//! Tells the program which commit it is built from, for `burntop --version` and crash reports.
//!
//! Only release builds are asked: a commit would otherwise rebuild the library for the next test.

use std::path::Path;
use std::process::Command;

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    let build = match std::env::var("PROFILE").as_deref() {
        Ok("release") => {
            commit().or_else(packaged).unwrap_or_else(|| "commit not known".to_owned())
        }
        _ => "debug build".to_owned(),
    };
    println!("cargo:rustc-env=BURNTOP_BUILD={build}");
    let asked = |key| std::env::var(key).unwrap_or_default();
    let gnu = asked("CARGO_CFG_TARGET_OS") == "linux" && asked("CARGO_CFG_TARGET_ENV") == "gnu";
    // What the linker is told costs or saves size (docs/building.md).
    if asked("PROFILE") == "release"
        && gnu
        && asked("HOST") == asked("TARGET")
        && let Some(help) = answer("ld.bfd", &["--help"])
    {
        // LLD keeps the tables of landing pads of functions that it drops, a tenth of the program.
        println!("cargo:rustc-link-arg-bins=-fuse-ld=bfd");
        if help.contains("pack-relative-relocs") && glibc_packs() {
            println!("cargo:rustc-link-arg-bins=-Wl,-z,pack-relative-relocs");
        }
    }
}

/// True where the C library takes packed relative relocations, as glibc does since 2.36: a program with them does not start with
/// an older one.
fn glibc_packs() -> bool {
    let version = answer("getconf", &["GNU_LIBC_VERSION"]);
    let parts = version.as_deref().and_then(|text| text.strip_prefix("glibc ")?.split_once('.'));
    parts.is_some_and(|(major, minor)| {
        let number = |text: &str| text.parse::<u32>().ok();
        number(major).zip(number(minor)) >= Some((2, 36))
    })
}

/// Commit and its date, with a word where files differ from it; `None` outside a checkout of this very
/// project (a copy within another repository is not that repository's commit).
fn commit() -> Option<String> {
    // Asked at run time: checkouts that share a target directory share this program too.
    let here = Path::new(&std::env::var_os("CARGO_MANIFEST_DIR")?).canonicalize().ok()?;
    let top = git(&["rev-parse", "--show-toplevel"])?;
    if Path::new(&top).canonicalize().ok()? != here {
        return None;
    }
    for file in ["HEAD", "logs/HEAD"] {
        println!("cargo:rerun-if-changed={}", git(&["rev-parse", "--git-path", file])?);
    }
    // What is built from: whether it differs from the commit is found again when it changes.
    let sources = ["assets", "src", "Cargo.lock", "Cargo.toml"];
    for source in sources {
        println!("cargo:rerun-if-changed={source}");
    }
    let named = git(&["log", "-1", "--abbrev=10", "--format=%h %cs"])?;
    let changed = git(&[&["status", "--porcelain", "--"], &sources[..]].concat())?;
    Some(if changed.is_empty() { named } else { format!("{named}, with changes") })
}

/// The commit that `cargo package` noted.
fn packaged() -> Option<String> {
    let noted = std::fs::read_to_string(".cargo_vcs_info.json").ok()?;
    let (_, rest) = noted.split_once("\"sha1\": \"")?;
    let sha = rest.get(..10).filter(|sha| sha.bytes().all(|b| b.is_ascii_hexdigit()))?;
    Some(sha.to_owned())
}

/// What git prints; `None` where it fails or is not installed.
fn git(args: &[&str]) -> Option<String> {
    answer("git", args)
}

/// What a program prints, without the blanks around it; `None` where it fails or is not installed.
fn answer(program: &str, args: &[&str]) -> Option<String> {
    let output = Command::new(program).args(args).env_remove("GIT_DIR").output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    output.status.success().then(|| text.trim().to_owned())
}
