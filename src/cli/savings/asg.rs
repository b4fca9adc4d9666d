//! `burntop spot --asg`: mixed fleets as policies of Auto Scaling groups.

use std::io::Write;

use serde_json::{Map, Value as Json, json};

use super::args::AsgForm;
use super::{exit, read};
use crate::analyze::spot::{asg_cli_input, asg_cloudformation, asg_policy, asg_terraform};
use crate::cli::args::OutputFormat;
use crate::cli::exit::{CliError, Exit};
use crate::cli::invocation::Invocation;
use crate::cli::savings_settings::SavingsWant;
use crate::cli::session;
use crate::cli::telemetry::Want;
use crate::config::Env;
use crate::domain::SourceId;
use crate::fleet::Savings;
use crate::fleet::savings::MixedFleet;
use crate::view::owner_words;
use crate::view::savings::words;

/// Prints the policies, each with what it is for.
pub(super) fn run(
    form: AsgForm,
    invocation: &Invocation,
    env: &Env,
    out: &mut dyn Write,
) -> Result<Exit, CliError> {
    let options = &invocation.options;
    if options.filter.is_some() || options.fail_on.is_some() {
        let text = "--asg prints every fleet: --filter and --fail-on are for the list";
        return Err(CliError::Usage(text.into()));
    }
    let json = match options.format {
        OutputFormat::Table => false,
        OutputFormat::Json => true,
        OutputFormat::Csv | OutputFormat::Md => {
            return Err(CliError::Usage("--asg has the formats table and json".into()));
        }
    };
    let read = read::once(invocation, Want::Free, SavingsWant::Market, SourceId::Ec2)?;
    if json {
        let text = format!("{:#}\n", Json::Object(mixed_fleets(&read.savings)));
        out.write_all(text.as_bytes())?;
        return Ok(exit(&read.readings));
    }
    let symbols = session::symbols(invocation, env);
    if read.savings.mixed_fleets.is_empty() {
        writeln!(out, "# no fleet of which a part could run on Spot for less")?;
    }
    for fleet in &read.savings.mixed_fleets {
        for line in about(fleet, symbols) {
            // The text is clean: it has no line breaks that would end the comment.
            writeln!(out, "# {line}")?;
        }
        writeln!(out, "{}", policy(fleet, form).trim_end())?;
        writeln!(out)?;
    }
    Ok(exit(&read.readings))
}

/// A policy in the form asked for.
fn policy(fleet: &MixedFleet, form: AsgForm) -> String {
    match form {
        AsgForm::Cli => format!("{:#}", asg_cli_input(fleet)),
        AsgForm::Policy => format!("{:#}", asg_policy(fleet)),
        AsgForm::Cloudformation => asg_cloudformation(fleet),
        AsgForm::Terraform => asg_terraform(fleet),
    }
}

/// What a fleet is, in lines.
fn about(fleet: &MixedFleet, symbols: crate::view::Symbols) -> Vec<String> {
    let owner = fleet.owner.as_ref().map(owner_words);
    let mut lines = vec![format!(
        "{} in {}: {} instances, {} on demand, {} on Spot; {}",
        owner
            .or_else(|| fleet.team.as_ref().map(|t| format!("team {t}")))
            .unwrap_or_else(|| "a fleet".into()),
        fleet.scope,
        fleet.count,
        fleet.on_demand,
        fleet.spot(),
        words::net_and_gross(fleet.net_usd_per_hour, fleet.gross_usd_per_hour, symbols),
    )];
    lines.extend(fleet.says.iter().map(ToString::to_string));
    lines
}

/// The fleets as JSON states them.
pub(super) fn mixed_fleets(savings: &Savings) -> Map<String, Json> {
    let fleet = |fleet: &std::sync::Arc<MixedFleet>| {
        json!({
            "account": &*fleet.scope.account,
            "region": &*fleet.scope.region,
            "team": fleet.team.as_deref(),
            "workload": words::workload(fleet.workload),
            "fit": fleet.fit.word(),
            "instances": fleet.instances.iter().map(|i| &**i).collect::<Vec<_>>(),
            "count": fleet.count,
            "on_demand": fleet.on_demand,
            "spot": fleet.spot(),
            "zones": fleet.zones.iter().map(|z| &**z).collect::<Vec<_>>(),
            "gross_usd_per_hour": fleet.gross_usd_per_hour,
            "net_usd_per_hour": fleet.net_usd_per_hour,
            "says": fleet.says.iter().map(|s| &**s).collect::<Vec<_>>(),
            "auto_scaling_group": asg_cli_input(fleet),
        })
    };
    let fleets: Json = savings.mixed_fleets.iter().map(fleet).collect();
    std::iter::once(("mixed_fleets".to_owned(), fleets)).collect()
}
