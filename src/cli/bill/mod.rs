//! `burntop bill …`: one thin file per subcommand.

pub mod args;
mod athena;
mod cost_explorer;
mod import;
pub(super) mod kept;
mod live;
mod shown;

use std::io::Write;

use super::exit::{CliError, Exit};
use super::invocation::Invocation;
use super::reports;
use crate::analyze::bill::{BillSettings, TagIs, billed_rates};
use crate::analyze::waterfall::network_spend;
use crate::cache::BesideBill;
use crate::config::Env;
use crate::domain::bill::Bill;
use crate::report::List;
use crate::source::demo::bill::{SERVING, TRAINING};
use crate::tabs::bill::picture::AnomalyField;
use crate::view::ViewContext;
use args::{AnomaliesArgs, BillArgs, BillCommand};
pub(crate) use live::Seen;
use shown::Shown;

/// What is kept beside an imported bill.
fn beside(bill: &Bill) -> BesideBill {
    BesideBill { rates: billed_rates(bill), network: Some(network_spend(bill)) }
}

/// How bills are read, as the configuration says; of the demo by its own tags where it says nothing.
pub fn settings(invocation: &Invocation) -> BillSettings {
    let (config, of) = (&invocation.config, &invocation.config.bill);
    let tag = |key: &str, value: &str| TagIs { key: key.into(), value: value.into() };
    let tags = |all: &[(String, String)]| all.iter().map(|(key, value)| tag(key, value)).collect();
    let is_silent = of.training.is_empty() && of.serving.is_empty();
    let (training, serving) = if is_silent && invocation.options.demo.is_some() {
        let tags = |all: [(&str, &str); 2]| all.map(|(key, value)| tag(key, value)).to_vec();
        (tags(TRAINING), tags(SERVING))
    } else {
        (tags(&of.training), tags(&of.serving))
    };
    BillSettings::new(&config.tag_keys, training, serving)
}

/// The anomalies of the newest bill, as `burntop bill anomalies` lists them. Fails where no bill is kept or it cannot be
/// read.
pub(super) fn anomalies(
    invocation: &Invocation,
    ctx: ViewContext,
) -> Result<List<AnomalyField>, CliError> {
    let (_, rows, of) = Shown::new(invocation, ctx).found(&AnomaliesArgs::default())?;
    Ok(List::of(rows.to_vec(), None, of))
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
