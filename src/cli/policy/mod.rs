//! `burntop policy`: rules for cron, and off-hours.

mod approve;
mod carry_out;
mod run;
mod schedule;

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use super::args::{PolicyCommand, SnippetChoice};
use super::exit::{CliError, Exit};
use super::invocation::Invocation;
use super::named_file;
use crate::act::plan::file::parse_approval;
use crate::act::plan::policy::{Policy, TEMPLATE, parse};
use crate::act::plan::sha256_hex;
use crate::config::Env;
use crate::files;
use crate::report::acting::Snippet;

pub use approve::approve;

/// The largest policy file that is read, bytes.
const MAX_BYTES: u64 = 1 << 20;

/// Runs what was asked for.
pub fn run(
    command: &PolicyCommand,
    invocation: &Invocation,
    env: &Env,
    out: &mut dyn Write,
) -> Result<Exit, CliError> {
    match command {
        PolicyCommand::Init { file } => init(file, out),
        PolicyCommand::Run { file, apply, when_budget } => {
            run::run(file, *apply, when_budget.as_ref(), invocation, env, out)
        }
        PolicyCommand::Schedule { tz, weeks, snippet } => {
            let snippet = match snippet {
                None => Snippet::None,
                Some(SnippetChoice::Cron) => Snippet::Cron,
                Some(SnippetChoice::Eventbridge) => Snippet::EventBridge,
            };
            schedule::run(tz, *weeks, snippet, invocation, env, out)
        }
    }
}

/// Writes the template to a new file. A file that exists stays as it is.
pub fn init(path: &Path, out: &mut dyn Write) -> Result<Exit, CliError> {
    named_file::create(path, TEMPLATE, out)
}

/// True for files that are approved as policies.
pub fn is_policy(path: &Path) -> bool {
    path.extension().is_some_and(|e| e.eq_ignore_ascii_case("toml"))
}

/// A policy and the hash of its file.
struct PolicyFile {
    policy: Policy,
    sha256: String,
}

impl PolicyFile {
    /// The first twelve digits of the hash: the name of this version of the policy.
    fn id(&self) -> &str {
        self.sha256.get(..12).unwrap_or_default()
    }
}

fn read(path: &Path) -> Result<PolicyFile, CliError> {
    let bytes = files::read_named(path, MAX_BYTES).map_err(|e| match e.kind() {
        io::ErrorKind::NotFound => CliError::Usage(format!(
            "there is no file {}; `burntop policy init {}` writes one",
            path.display(),
            path.display()
        )),
        _ => CliError::Usage(format!("cannot read {}: {}", path.display(), files::explain(&e))),
    })?;
    let text = std::str::from_utf8(&bytes)
        .map_err(|_| CliError::Usage(format!("{} is no text (UTF-8)", path.display())))?;
    let policy = parse(text).map_err(|e| {
        let lines: Vec<String> = e.0.iter().map(|p| format!("{}:{p}", path.display())).collect();
        CliError::Usage(lines.join("\n"))
    })?;
    Ok(PolicyFile { policy, sha256: sha256_hex(&bytes) })
}

/// Where the approval of a policy lies: beside it.
fn approval_path(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".approval.json");
    PathBuf::from(name)
}

/// Reads the approval; `None` where there is none.
fn approval(path: &Path) -> Result<Option<crate::act::plan::Approval>, CliError> {
    let beside = approval_path(path);
    let bytes = match files::read_own(&beside, MAX_BYTES) {
        Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(None),
        other => other.map_err(|e| {
            CliError::Usage(format!("cannot read {}: {}", beside.display(), files::explain(&e)))
        })?,
    };
    parse_approval(&bytes, approve::LONGEST)
        .map(Some)
        .map_err(|e| CliError::Usage(format!("{} is no approval: {e}", beside.display())))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn the_template_is_written_once_and_can_be_read() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("policy.toml");
        let mut out = Vec::new();
        assert_eq!(init(&path, &mut out).unwrap(), Exit::Ok);
        let file = read(&path).unwrap();
        assert_eq!(file.sha256, sha256_hex(TEMPLATE.as_bytes()));
        assert_eq!(file.id().len(), 12);
        fs::write(&path, "name = 'mine'").unwrap();
        assert_eq!(init(&path, &mut out).unwrap_err().exit(), Exit::Usage);
        assert_eq!(fs::read_to_string(&path).unwrap(), "name = 'mine'");
    }

    #[test]
    fn what_is_wrong_names_file_line_and_column() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("p.toml");
        let says = || read(&path).map(|_| ()).unwrap_err();
        assert!(says().to_string().contains("policy init"));
        fs::write(&path, "name = 'p'\n[[rules]]\nname = 'r'\nfilter = ''\naction = 'stop'")
            .unwrap();
        let error = says();
        assert_eq!(error.exit(), Exit::Usage);
        assert!(error.to_string().contains("p.toml:2:1: rule `r`: `grace` is missing"), "{error}");
        fs::write(&path, [0xff, 0xfe]).unwrap();
        assert!(says().to_string().contains("UTF-8"));
        fs::write(&path, vec![b'#'; MAX_BYTES as usize + 1]).unwrap();
        assert!(says().to_string().contains("larger than 1 MiB"));
    }

    #[test]
    fn policy_and_approval_are_for_their_owner_alone_and_an_approval_is_no_link() {
        use std::os::unix::fs::{PermissionsExt as _, symlink};
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("policy.toml");
        init(&path, &mut Vec::new()).unwrap();
        let beside = approval_path(&path);
        files::replace(&beside, b"{}").unwrap();
        for file in [&path, &beside] {
            let mode = fs::metadata(file).unwrap().permissions().mode() & 0o777;
            assert_eq!(mode, 0o600, "{}", file.display());
        }
        let elsewhere = dir.path().join("elsewhere.json");
        fs::rename(&beside, &elsewhere).unwrap();
        symlink(&elsewhere, &beside).unwrap();
        let error = approval(&path).unwrap_err().to_string();
        assert!(error.contains("symbolic link"), "{error}");
        assert!(files::replace(&beside, b"new").is_err());
        assert_eq!(fs::read(&elsewhere).unwrap(), b"{}");
    }
}
