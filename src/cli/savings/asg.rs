//! `burntop spot --asg`: mixed fleets as policies of Auto Scaling groups.

use std::io::Write;

use serde_json::json;

use super::args::AsgForm;
use super::read;
use crate::analyze::spot::{asg_cli_input, asg_cloudformation, asg_policy, asg_terraform};
use crate::cli::exit::{CliError, Exit};
use crate::cli::invocation::Invocation;
use crate::cli::savings_settings::SavingsWant;
use crate::cli::session;
use crate::cli::telemetry::Want;
use crate::config::Env;
use crate::domain::SourceId;
use crate::fleet::Savings;
use crate::fleet::savings::MixedFleet;
use crate::report::{Format, SavedOf, mixed_fleets};
use crate::tabs::idle::picture::owner_words;
use crate::tabs::savings::picture::words;
use crate::view::room::wrap;
use crate::view::{Symbols, reasons};

/// Prints mixed-instances policies, each with the group that it is for.
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
    let format = options.format;
    if !matches!(format, Format::Table | Format::Json) {
        return Err(CliError::Usage("--asg has the formats table and json".into()));
    }
    let read = read::once(invocation, Want::Free, SavingsWant::Market, SourceId::Ec2)?;
    let SavedOf { savings, readings } = &read.of;
    if format == Format::Json {
        let (name, fleets) = mixed_fleets(savings);
        writeln!(out, "{:#}", json!({ name: fleets }))?;
    } else {
        let symbols = session::symbols(invocation, env);
        let width = options.width.filter(|_| !options.list.wide).map(usize::from);
        out.write_all(text(savings, form, symbols, width).as_bytes())?;
    }
    Ok(crate::cli::reports::ended(readings))
}

/// All policies, each behind comments that say what it is for. A fleet that must not have one has
/// comments alone, with the reason. Comments are wrapped to `width` columns.
fn text(savings: &Savings, form: AsgForm, symbols: Symbols, width: Option<usize>) -> String {
    if savings.mixed_fleets.is_empty() {
        return "# no fleet of which a part could run on Spot for less\n".to_owned();
    }
    let mut out = String::new();
    for fleet in &savings.mixed_fleets {
        for line in about(fleet, symbols) {
            // The text is clean: it has no line breaks that would end the comment.
            let parts = width
                .map_or_else(|| vec![line.clone()], |width| wrap(&line, width.saturating_sub(2)));
            out.extend(parts.iter().map(|part| format!("# {part}\n")));
        }
        if let Some(policy) = policy(fleet, form) {
            out.push_str(policy.trim_end());
            out.push('\n');
        }
        out.push('\n');
    }
    out
}

/// A policy in the form asked for; `None` where none is to be copied.
fn policy(fleet: &MixedFleet, form: AsgForm) -> Option<String> {
    match form {
        AsgForm::Cli => asg_cli_input(fleet).map(|json| format!("{json:#}")),
        AsgForm::Policy => asg_policy(fleet).map(|json| format!("{json:#}")),
        AsgForm::Cloudformation => asg_cloudformation(fleet),
        AsgForm::Terraform => asg_terraform(fleet),
    }
}

/// A mixed fleet described in lines.
fn about(fleet: &MixedFleet, symbols: Symbols) -> Vec<String> {
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
    lines.extend(fleet.no_policy.iter().map(reasons::no_policy));
    lines.extend(fleet.says.iter().map(reasons::spot));
    lines
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::fleet::savings::{Named, NoPolicy};
    use crate::tabs::savings::picture::fixture::savings;

    const FORMS: [AsgForm; 4] =
        [AsgForm::Cli, AsgForm::Policy, AsgForm::Cloudformation, AsgForm::Terraform];
    const WHY: &str = "No policy to copy: i-9 must stay on demand, and a group keeps a number of \
                       instances there, never particular ones. Move the one that fits to a group \
                       of its own.";

    /// The fixture with a second fleet, which must not have a policy.
    fn world() -> Savings {
        let mut all = savings();
        let kept = MixedFleet {
            no_policy: Some(NoPolicy {
                pinned: Named { names: vec!["i-9".into()], more: 0 },
                fit: 1,
            }),
            types: vec!["g9.never".into()],
            ..(*all.mixed_fleets[0]).clone()
        };
        all.mixed_fleets.push(Arc::new(kept));
        all
    }

    #[test]
    fn a_fleet_without_a_policy_prints_the_reason_and_nothing_to_copy() {
        for form in FORMS {
            let text = text(&world(), form, Symbols::Ascii, None);
            assert_eq!(text.matches(&format!("\n# {WHY}\n")).count(), 1, "{text}");
            assert!(text.contains("p4de.24xlarge"), "the other one has its policy: {text}");
            assert!(!text.contains("g9.never"), "{text}");
            let behind = text.split(WHY).nth(1).unwrap();
            assert!(behind.lines().all(|l| l.is_empty() || l.starts_with("# ")), "{behind}");
        }
    }

    #[test]
    fn json_says_why_where_there_is_no_policy() {
        let (_, all) = mixed_fleets(&world());
        let [first, second] = &all.as_array().unwrap()[..] else { panic!() };
        assert!(first["no_policy"].is_null() && first["auto_scaling_group"].is_object());
        assert_eq!(second["no_policy"], WHY);
        assert!(second["auto_scaling_group"].is_null(), "{second}");
    }
}
