//! The rules file, read and resolved.

use std::io;
use std::path::{Path, PathBuf};

use jiff::tz::TimeZone;

use crate::cli::exit::CliError;
use crate::cli::invocation::Invocation;
use crate::config::{ConfigError, Place, Problem, strict_document};
use crate::files;
use crate::watch::TEMPLATE;
use crate::watch::file::RulesFile;
use crate::watch::rules::{Helpers, Rules, resolve};

/// The largest rules file or template that is read, bytes.
const MAX_BYTES: u64 = 1 << 20;

/// The rules, beside the configuration.
pub const RULES: &str = "rules.toml";

/// Where the rules are: the file that is named, else `rules.toml` beside the configuration. `None` = the ones of the demo.
pub fn place(named: Option<&Path>, invocation: &Invocation) -> Result<Option<PathBuf>, CliError> {
    match named {
        Some(path) => Ok(Some(path.to_owned())),
        None if invocation.options.demo.is_some() => Ok(None),
        None => {
            let paths = invocation.paths.as_ref().ok_or(ConfigError::NoHome)?;
            Ok(Some(paths.config_dir.join(RULES)))
        }
    }
}

/// Reads the rules. Fails with every mistake and its line.
pub fn rules(named: Option<&Path>, invocation: &Invocation) -> Result<Rules, CliError> {
    match place(named, invocation)? {
        Some(path) => of_file(&path),
        None => of_text(TEMPLATE, Path::new("rules.example.toml")),
    }
}

/// The rules of a file. Fails like [`rules`].
pub fn of_file(path: &Path) -> Result<Rules, CliError> {
    let bytes = files::read_config(path, MAX_BYTES).map_err(|error| {
        let name = path.display();
        CliError::Usage(match error.kind() {
            io::ErrorKind::NotFound => {
                format!("there is no file {name}; `burntop watch init` writes one")
            }
            _ => format!("cannot read {name}: {}", files::explain(&error)),
        })
    })?;
    let text = std::str::from_utf8(&bytes)
        .map_err(|_| CliError::Usage(format!("{} is no text (UTF-8)", path.display())))?;
    of_text(text, path)
}

/// The rules of a text; `path` is for messages, and templates are beside it.
pub fn of_text(text: &str, path: &Path) -> Result<Rules, CliError> {
    let document = strict_document::<RulesFile>(text, path)?;
    let zone = |name: &str| TimeZone::get(name).ok().filter(|zone| !zone.is_unknown());
    let template = |name: &Path| {
        let file = path.parent().unwrap_or(Path::new("")).join(name);
        let bytes = files::read_config(&file, MAX_BYTES).map_err(|error| match error.kind() {
            io::ErrorKind::NotFound => {
                let name = name.display();
                format!("there is neither a template nor a file `{name}`; shipped are pagerduty and opsgenie")
            }
            _ => format!("cannot read {}: {}", file.display(), files::explain(&error)),
        })?;
        String::from_utf8(bytes).map_err(|_| format!("{} is no text (UTF-8)", file.display()))
    };
    let rules = resolve(&document.value, &Helpers { zone: &zone, template: &template });
    let checked = rules.and_then(|rules| {
        let of = |(at, sink)| {
            let error = crate::send::check(sink).err()?;
            Some((format!("sinks[{at}]"), error.with_fix()))
        };
        let wrong: Vec<(String, String)> = rules.sinks.iter().enumerate().filter_map(of).collect();
        if wrong.is_empty() { Ok(rules) } else { Err(wrong) }
    });
    checked.map_err(|wrong| {
        let mut problems: Vec<(usize, String)> = wrong
            .into_iter()
            .map(|(key, why)| (line_of(&document.lines, &key), format!("`{key}`: {why}")))
            .collect();
        problems.sort();
        let at = |(line, message)| Problem {
            place: Place::File { path: path.to_owned(), line },
            message,
        };
        CliError::Config(ConfigError::Invalid(problems.into_iter().map(at).collect()))
    })
}

/// The line of a key; of one that is missing that of the table it belongs to.
fn line_of(lines: &std::collections::BTreeMap<String, usize>, key: &str) -> usize {
    let mut key = key;
    loop {
        if let Some(line) = lines.get(key) {
            return *line;
        }
        let Some(end) = key.rfind(['.', '[']) else { return 1 };
        key = &key[..end];
    }
}
