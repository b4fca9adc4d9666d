//! `burntop watch`: rules over what every report shows, and messages when they hold.

pub mod args;
mod deliver;
mod listen;
mod load;
mod publish;
mod read;
mod run;
mod store;
mod textfile;

use std::collections::BTreeSet;
use std::io::Write;
use std::path::{Path, PathBuf};

use jiff::Timestamp;

use super::exit::{CliError, Exit};
use super::invocation::Invocation;
use super::named_file;
use super::tell::tell;
use crate::act::plan::sha256_hex;
use crate::config::{ConfigError, Env, schema_of};
use crate::doctor::watch::WatchFacts;
use crate::files;
use crate::send::{Sender, check_secrets, dead_letters};
use crate::view::format;
use crate::watch::TEMPLATE;
use crate::watch::file::RulesFile;
use crate::watch::message::{Message, MessageKind, Severity};
use crate::watch::rules::Rules;
use crate::watch::sink::{Destination, Sink};
use args::{WatchArgs, WatchCommand};

/// Runs `burntop watch` or what is below it. Fails for rules that cannot be used, and where the state cannot be kept.
pub fn run(
    args: &WatchArgs,
    invocation: &Invocation,
    env: &Env,
    out: &mut dyn Write,
) -> Result<Exit, CliError> {
    let rules = args.how.rules.as_deref();
    if let (Some(_), Some(option)) = (&args.what, args.how.given()) {
        return Err(CliError::Usage(format!("{option} is for watching, and not for this")));
    }
    match &args.what {
        None => run::run(&args.how, invocation, env, out),
        Some(WatchCommand::Check) => check(rules, invocation, out),
        Some(WatchCommand::Test { sink }) => test(sink, rules, invocation, out),
        Some(WatchCommand::Init { file }) => init(file.as_deref(), invocation, out),
        Some(WatchCommand::Schema) => {
            let schema = serde_json::to_string_pretty(&schema_of::<RulesFile>());
            writeln!(out, "{}", schema.unwrap_or_default())?;
            Ok(Exit::Ok)
        }
    }
}

/// Says what the rules are, and what of their secrets is not there.
fn check(
    named: Option<&Path>,
    invocation: &Invocation,
    out: &mut dyn Write,
) -> Result<Exit, CliError> {
    let rules = load::rules(named, invocation)?;
    for rule in &rules.rules {
        let sinks = rules.sinks_of(rule, None);
        let sinks = if sinks.is_empty() { "by team alone".to_owned() } else { sinks.join(", ") };
        let filter = rule.filter.to_string();
        let what = [rule.view.name, &filter].join(" ");
        writeln!(out, "{}: {}; {} to {sinks}", rule.name, what.trim_end(), rule.severity.word())?;
    }
    let of = |count, word| format::plural(count, word);
    writeln!(
        out,
        "{}, {}, {}: can be used",
        of(rules.rules.len(), "rule"),
        of(rules.sinks.len(), "sink"),
        of(rules.silences.len(), "silence"),
    )?;
    let missing = missing_secrets(&rules);
    missing.iter().for_each(tell);
    given_up(invocation).iter().for_each(tell);
    Ok(if missing.is_empty() { Exit::Ok } else { Exit::Usage })
}

/// Where rules are by default; `None` in the demo, which has its own.
pub fn rules_file(invocation: &Invocation) -> Option<PathBuf> {
    load::place(None, invocation).ok().flatten()
}

/// What is there of a watch by the rules at their place. Err with what is wrong with them, a line each.
pub fn facts(invocation: &Invocation) -> Result<WatchFacts, String> {
    let rules = load::rules(None, invocation).map_err(|error| error.to_string())?;
    Ok(WatchFacts {
        rules: rules.rules.len(),
        sinks: rules.sinks.len(),
        missing: missing_secrets(&rules),
        given_up: given_up(invocation),
    })
}

/// SNS topics that alerts are published to with the usual credentials, by the rules beside the configuration; none where there
/// are no rules. Rules that cannot be used are said.
pub fn topics(config_dir: &Path) -> BTreeSet<String> {
    let path = config_dir.join(load::RULES);
    if !path.exists() {
        return BTreeSet::new();
    }
    let rules = match load::of_file(&path) {
        Ok(rules) => rules,
        Err(error) => {
            tell(format_args!("SNS topics of the rules are left out: {error}"));
            return BTreeSet::new();
        }
    };
    let topic = |sink: Sink| match sink.to {
        Destination::Sns { topic, profile: None } => Some(topic),
        _ => None,
    };
    rules.sinks.into_iter().filter_map(topic).collect()
}

/// What was given up, in a sentence; `None` where nothing was.
fn given_up(invocation: &Invocation) -> Option<String> {
    let path = store::dir(None, invocation).ok()??.join(store::DEAD);
    let letters = match dead_letters::read(&path) {
        Ok(letters) => letters,
        Err(error) => return Some(error.with_fix()),
    };
    let last = letters.letters.last()?;
    let least = if letters.is_cut { "at least " } else { "" };
    Some(format!(
        "{least}{} given up, in {}; the last at {:.0} to {}: {}: {}",
        format::counted(letters.letters.len() + letters.unreadable, "message was", "messages were"),
        path.display(),
        last.at,
        last.sink,
        last.message.title,
        last.reason,
    ))
}

/// A line for each secret of the sinks that cannot be read.
pub fn missing_secrets(rules: &Rules) -> Vec<String> {
    let of = |sink: &Sink| {
        let name = sink.name.clone();
        check_secrets(sink).into_iter().map(move |error| format!("{name}: {}", error.with_fix()))
    };
    rules.sinks.iter().flat_map(of).collect()
}

/// Sends a message that says what it is.
fn test(
    name: &str,
    named: Option<&Path>,
    invocation: &Invocation,
    out: &mut dyn Write,
) -> Result<Exit, CliError> {
    let sink = sink(name, named, invocation)?;
    let now = invocation.options.now();
    let title = format!("test: burntop reaches the sink {name}");
    let lines = vec!["Nothing is wrong: `burntop watch test` was asked for this.".to_owned()];
    send(&sink, message(MessageKind::Test, name, title, lines, now), out)
}

/// The sink of that name. Fails where the rules cannot be used, or have none of the name.
pub fn sink(name: &str, named: Option<&Path>, invocation: &Invocation) -> Result<Sink, CliError> {
    let rules = load::rules(named, invocation)?;
    rules.sink(name).cloned().ok_or_else(|| {
        let names: Vec<&str> = rules.sinks.iter().map(|sink| sink.name.as_str()).collect();
        CliError::Usage(format!(
            "there is no sink named {}; there are {}",
            crate::domain::text::clean(name),
            names.join(", ")
        ))
    })
}

/// Sends a report: its title, lines of text, and the whole as a page. Fails where it does not arrive.
pub fn send_report(
    sink: &Sink,
    title: String,
    lines: Vec<String>,
    page: String,
    now: Timestamp,
    out: &mut dyn Write,
) -> Result<Exit, CliError> {
    let told = message(MessageKind::Report, &sink.name, title, lines, now);
    send(sink, Message { html: Some(page), ..told }, out)
}

/// Sends one message that is about no alert, once.
fn send(sink: &Sink, message: Message, out: &mut dyn Write) -> Result<Exit, CliError> {
    let name = &sink.name;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let sent = runtime.block_on(Sender::new().send(sink, &message, out));
    match sent {
        Ok(()) => {
            writeln!(out, "{name}: sent")?;
            Ok(Exit::Ok)
        }
        Err(error) => Err(CliError::Failed {
            exit: Exit::ActionFailed,
            message: format!("{name}: {}", error.with_fix()),
        }),
    }
}

fn message(
    kind: MessageKind,
    sink: &str,
    title: String,
    lines: Vec<String>,
    now: Timestamp,
) -> Message {
    let key = sha256_hex(format!("{} {sink} {title} {now}", kind.word()).as_bytes());
    let key = key.get(..32).unwrap_or_default().to_owned();
    Message {
        thread: key.clone(),
        key,
        kind,
        severity: Severity::Info,
        at: now,
        title,
        lines,
        alerts: Vec::new(),
        more: 0,
        html: None,
    }
}

/// Writes the commented rules to a new file. A file that exists stays as it is.
fn init(
    file: Option<&Path>,
    invocation: &Invocation,
    out: &mut dyn Write,
) -> Result<Exit, CliError> {
    let path: PathBuf = match file {
        Some(path) => path.to_owned(),
        None => {
            let paths = invocation.paths.as_ref().ok_or(ConfigError::NoHome)?;
            files::private_dir(&paths.config_dir)
                .map_err(|source| ConfigError::Write { path: paths.config_dir.clone(), source })?;
            paths.config_dir.join(load::RULES)
        }
    };
    named_file::create(&path, TEMPLATE, out)
}
