//! `burntop bill …`: one thin file per subcommand.

pub mod args;
mod cost_explorer;
mod import;
mod kept;
mod live;
mod shown;

use std::io::Write;

use super::exit::{CliError, Exit};
use super::invocation::Invocation;
use super::reports;
use crate::analyze::bill::{BillSettings, TagIs};
use crate::config::{Config, Env};
use args::{BillArgs, BillCommand};
use shown::Shown;

/// How bills are read, as the configuration says.
pub fn settings(config: &Config) -> BillSettings {
    let tags = |tags: &[(String, String)]| {
        let tag = |(key, value): &(String, String)| TagIs {
            key: key.as_str().into(),
            value: value.as_str().into(),
        };
        tags.iter().map(tag).collect()
    };
    let (training, serving) = (tags(&config.bill.training), tags(&config.bill.serving));
    BillSettings::new(&config.tag_keys, training, serving)
}

/// Runs `burntop bill` or a subcommand of it. Fails for arguments that do not fit, and where nothing could be read.
pub fn run(
    args: &BillArgs,
    invocation: &Invocation,
    env: &Env,
    out: &mut dyn Write,
) -> Result<Exit, CliError> {
    let any = || Shown::new(invocation, reports::context(invocation, env));
    let shown = || any().without_fail_on();
    match &args.what {
        None => shown()?.sums(&args.sums, out),
        Some(BillCommand::Anatomy { of, .. }) => shown()?.anatomy(of, out),
        Some(BillCommand::Changes { what, .. }) => shown()?.changes(what, out),
        Some(BillCommand::Anomalies { what, .. }) => any().anomalies(what, out),
        Some(BillCommand::Reconcile { of, .. }) => shown()?.reconcile(of, out),
        Some(BillCommand::Import(args)) if args.cost_explorer => {
            cost_explorer::run(args, invocation, env, out)
        }
        Some(BillCommand::Import(args)) => import::run(args, invocation, env, out),
    }
}
