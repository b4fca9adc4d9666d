//! `burntop audit`: the log of everything that burntop did.

use std::io::Write;

use serde::Deserialize;

use super::args::AuditCommand;
use super::exit::{CliError, Exit};
use super::invocation::Invocation;
use super::{acting, acting_storage, apply, plan, plan_file, reports};
use crate::act::exec::audit::{AuditError, Line};
use crate::act::plan::sha256_hex;
use crate::config::Env;
use crate::domain::cleaned::Cleaned;
use crate::domain::text;
use crate::report::Format;
use crate::report::acting::{audit_list, audit_show, outcomes, runs};

/// Runs one of the `audit` commands. Fails where the log cannot be read.
pub fn run(
    command: &AuditCommand,
    invocation: &Invocation,
    env: &Env,
    out: &mut dyn Write,
) -> Result<Exit, CliError> {
    let ctx = reports::context(invocation, env);
    let format = invocation.options.format;
    let journal = acting::journal(invocation)?;
    match command {
        AuditCommand::List => {
            let runs = runs(&shown(journal.read().map_err(|e| unreadable(&e))?));
            out.write_all(audit_list(&runs, &[], format, &ctx).as_bytes())?;
        }
        AuditCommand::Show { run } => {
            let Some(run) = run else {
                let text = "which run? `burntop audit list` lists them".to_owned();
                return Err(CliError::Usage(text));
            };
            let runs = runs(&shown(journal.read().map_err(|e| unreadable(&e))?));
            let Some(run) = runs.iter().find(|r| r.id == *run) else {
                let run = text::clean(run);
                let text = format!("there is no run {run}; `burntop audit list` lists them");
                return Err(CliError::Usage(text));
            };
            out.write_all(audit_show(run, format, &ctx).as_bytes())?;
        }
        AuditCommand::Verify => return verify(invocation, format, out),
        AuditCommand::Export { out: path } => {
            let bytes = journal.bytes().map_err(|e| unreadable(&e))?;
            match path {
                None => out.write_all(&bytes)?,
                Some(path) => {
                    plan_file::create(path, &bytes)?;
                    writeln!(out, "{}  {}", sha256_hex(&bytes), path.display())?;
                }
            }
        }
        AuditCommand::Reconcile => {
            plan::of_this_moment(invocation)?;
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
            let acting = runtime.block_on(acting::open(invocation, None, true))?;
            acting::whole(&journal)?;
            let mut reconciled =
                runtime.block_on(acting.operator.reconcile()).map_err(|e| acting::failed(&e))?;
            reconciled.extend(runtime.block_on(acting_storage::reconcile(invocation))?.0);
            let text = if reconciled.is_empty() && format == Format::Table {
                "every intent has its outcome\n".to_owned()
            } else {
                outcomes(&reconciled, None, &acting.troubles, format, &ctx)
            };
            out.write_all(text.as_bytes())?;
            apply::tell_unknown(&reconciled);
            return Ok(apply::exit_of(&reconciled));
        }
    }
    Ok(Exit::Ok)
}

/// Lines as they are shown, every text clean: who can write the file can write anything into it.
pub fn shown(lines: Vec<Line>) -> Vec<Line> {
    let clean = |line: Line| {
        let value = serde_json::to_value(&line).unwrap_or_default();
        Line::deserialize(Cleaned::of_any_length(value)).unwrap_or(line)
    };
    lines.into_iter().map(clean).collect()
}

/// Checks the chain of the log and prints the result.
fn verify(invocation: &Invocation, format: Format, out: &mut dyn Write) -> Result<Exit, CliError> {
    let journal = acting::journal(invocation)?;
    let chain = journal.verify().map_err(|e| unreadable(&e))?;
    let problems: Vec<String> = chain.problems.iter().map(ToString::to_string).collect();
    if format == Format::Json {
        let document = serde_json::json!({
            "schema": "burntop/audit_verify/1",
            "generated_at": invocation.options.now().to_string(),
            "file": acting::audit_dir(invocation)?.join("audit.jsonl").display().to_string(),
            "lines": chain.lines,
            "head": chain.head,
            "problems": problems,
        });
        writeln!(out, "{document:#}")?;
    } else if problems.is_empty() {
        writeln!(out, "{} lines, whole; head {}", chain.lines, chain.head)?;
    } else {
        for problem in &problems {
            writeln!(out, "{problem}")?;
        }
        writeln!(out, "{} lines hold; head {}", chain.lines, chain.head)?;
    }
    Ok(if problems.is_empty() { Exit::Ok } else { Exit::Findings })
}

fn unreadable(error: &AuditError) -> CliError {
    CliError::Failed { exit: Exit::Unreadable, message: error.to_string() }
}
