//! `burntop rightsize --guide`: which instance a model needs.

use std::collections::BTreeMap;
use std::io::Write;
use std::sync::Arc;

use super::read;
use crate::analyze::rightsize::guide::{GuideAsk, recommend};
use crate::cli::exit::{CliError, Exit};
use crate::cli::invocation::Invocation;
use crate::cli::reports;
use crate::cli::savings_settings::SavingsWant;
use crate::cli::telemetry::Want;
use crate::config::Env;
use crate::domain::SourceId;
use crate::fleet::Fleet;
use crate::report::GuideReport;
use crate::tabs::savings::picture::guide_set;

/// Reads prices and types, and prints what the guide says.
pub(super) fn run(
    inputs: &[String],
    invocation: &Invocation,
    env: &Env,
    out: &mut dyn Write,
) -> Result<Exit, CliError> {
    let options = &invocation.options;
    if options.filter.is_some() || options.fail_on.is_some() {
        let text = "--guide answers a question: --filter and --fail-on are for the list";
        return Err(CliError::Usage(text.into()));
    }
    let (mut ask, mut region) = (GuideAsk::default(), None::<Arc<str>>);
    for input in inputs {
        let Some((name, value)) = input.split_once('=') else {
            let input = crate::domain::text::clean(input);
            let text = format!("--guide takes name=value, like parameters=7B; this is `{input}`");
            return Err(CliError::Usage(text));
        };
        if name == "region" {
            region = Some(crate::domain::text::clean(value).into());
        } else {
            guide_set(&mut ask, name, value)
                .map_err(|why| CliError::Usage(format!("--guide: {why}")))?;
        }
    }
    let read = read::once(invocation, Want::Free, SavingsWant::Market, SourceId::Ec2)?;
    let Some(region) = region.or_else(|| busiest(&read.fleet)) else {
        let text = "nothing runs anywhere: name a region, like --guide region=us-east-1";
        return Err(CliError::Usage(text.into()));
    };
    let book = &read.fleet.book;
    // Zones mean the same in every account only by their ids: one account's answer is taken.
    let offerings = read.offerings.iter().find(|(scope, _)| scope.region == region);
    let zones = offerings.map(|(_, zones)| zones.as_slice());
    let guide = recommend(&ask, &book.types, &book.prices, &region, zones);
    let readings = &read.of.readings;
    let report = GuideReport { ask: &ask, region: &region, guide: &guide, readings };
    reports::print(&report, invocation, &reports::context(invocation, env), out)?;
    Ok(reports::ended(readings))
}

/// The region in which most runs.
fn busiest(fleet: &Fleet) -> Option<Arc<str>> {
    let mut running: BTreeMap<&Arc<str>, usize> = BTreeMap::new();
    for row in &fleet.rows {
        *running.entry(&row.instance.scope.region).or_default() += 1;
    }
    let most = running.into_iter().max_by(|a, b| a.1.cmp(&b.1).then_with(|| b.0.cmp(a.0)));
    most.map(|(region, _)| region.clone())
}
